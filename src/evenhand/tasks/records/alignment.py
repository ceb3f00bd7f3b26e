"""Alignment of lists: which values and records of two lists correspond.

Records are paired one to one. Of all pairings, the one with the largest sums is chosen, in this order:

1. pairs with equal key fields, if declared; records whose keys differ are never paired
2. pairs of identical records
3. right leaves: the multiset intersection by field, with nested lists flattened
4. leaves that differ in formatting only, of fields with one value on each side
5. values in common fields

A pair needs one of the first four. A second round pairs the remaining records whose strings are similar: the sum of the
ANLS (0.5 or more) of their leaves is at least half of the larger number of leaves. It is left out if the order counts,
and above `NEAR_CELLS` cells. Both sides are sorted by their canonical forms, and of all best pairings the first one is
used, so no figure depends on the order of keys and of unordered lists.

Identical records are paired first, by their forms: that does not change the optimum. The others are divided into
components that share a value; a component above `MAX_SIDE` records on both sides is paired greedily.

If the order counts, pairs must not cross, and dynamic programming takes the place of the assignment.

Source: Evenhand's own rules; Kuhn 1955 for the assignment (`tasks.assignment`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field as dataclass_field
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import chain
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.tasks.assignment import AnyValues, first_pairs
from evenhand.tasks.records.fields import Fields
from evenhand.tasks.records.trees import Container, Leaf, form_of, key_values, leaves_of
from evenhand.tasks.records.values import MILLION, format_keys, is_formatting, is_right, near

MAX_SIDE = 2_000
NEAR_CELLS = 40_000
_MANY = 1_000
"""Number of pairs above which they are counted as a block."""
Pairs = list[tuple[int, int]]
"""Pairs of indexes into two lists."""


@dataclass
class ListAligner:
    """Aligns lists, and notes lists that are too large for an exact alignment."""

    fields: Fields
    greedy: Counter[str] = dataclass_field(default_factory=Counter)
    """Lists with a component that was paired greedily."""
    not_near: Counter[str] = dataclass_field(default_factory=Counter)
    """Lists whose remaining items were not compared by similarity."""

    def records(self, gold: Sequence[Container], system: Sequence[Container], *, order: bool) -> Pairs:
        """Pairs of records."""
        if not gold or not system:
            return []
        keys, name = self.fields.keys_of(gold[0].field), gold[0].field.name
        if order:
            table = _WeightTable(
                gold, system, keys, forms=[[form_of(record) for record in side] for side in (gold, system)]
            )
            return in_order(table.weights(table.component()))
        rows, columns = (sorted(range(len(side)), key=lambda at: form_of(side[at])) for side in (gold, system))
        forms = [form_of(gold[row]) for row in rows], [form_of(system[column]) for column in columns]
        identical = [(rows[row], columns[column]) for row, column in equal_pairs(*forms)]
        rows, columns = _remaining(rows, columns, identical)
        if not rows or not columns:
            return identical
        table = _WeightTable([gold[row] for row in rows], [system[column] for column in columns], keys)
        pairs = table.pairs(lambda: self.greedy.update([name]))
        left, right = _remaining(range(len(rows)), range(len(columns)), pairs)
        pairs += self._near(left, right, table.near, name)
        return identical + [(rows[row], columns[column]) for row, column in pairs]

    def near_leaves(self, gold: Sequence[Leaf], system: Sequence[Leaf]) -> Pairs:
        """Pairs of similar strings."""
        rows, columns = (sorted(range(len(side)), key=lambda at: side[at].key) for side in (gold, system))
        name = gold[0].field.name if gold else ""
        return self._near(rows, columns, lambda row, column: near(gold[row].value, system[column].value), name)

    def _near(self, rows: list[int], columns: list[int], near_by: Callable[[int, int], int], name: str) -> Pairs:
        if not rows or not columns:
            return []
        if len(rows) * len(columns) > NEAR_CELLS:
            self.not_near[name] += 1
            return []
        cells = np.array([[near_by(row, column) for column in columns] for row in rows], dtype=np.int64)
        return [(rows[row], columns[column]) for row, column in first_pairs(cells)] if cells.any() else []


def _remaining(rows: Iterable[int], columns: Iterable[int], pairs: Pairs) -> tuple[list[int], list[int]]:
    """The rows and columns without a partner."""
    taken, others = {row for row, _ in pairs}, {column for _, column in pairs}
    return [row for row in rows if row not in taken], [column for column in columns if column not in others]


def equal_pairs(keys: Sequence[Any], others: Sequence[Any]) -> Pairs:
    """Pairs of equal keys, in their order."""
    waiting: defaultdict[Any, list[int]] = defaultdict(list)
    for column in range(len(others) - 1, -1, -1):
        waiting[others[column]].append(column)
    return [(row, same.pop()) for row, key in enumerate(keys) if (same := waiting.get(key))]


def match_leaves(gold: Sequence[Leaf], system: Sequence[Leaf], *, order: bool) -> tuple[Pairs, Pairs]:
    """Pairs of right values of two lists of scalars, and pairs of values that differ in formatting only."""
    if order:
        cells = [[2 * are_right(one, other) or int(are_formatted(one, other)) for other in system] for one in gold]
        table = np.array(cells, dtype=np.int64).reshape(len(gold), len(system))
        pairs = in_order(np.where(table == 2, max(table.shape) + 1, table))
        return [pair for pair in pairs if table[pair] == 2], [pair for pair in pairs if table[pair] == 1]
    rows, columns = range(len(gold)), range(len(system))
    if gold and not gold[0].field.has_keys:
        right = _matching(gold, system, rows, columns, are_right, lambda leaf: ("",))
    else:
        right = equal_pairs([leaf.key for leaf in gold], [leaf.key for leaf in system])
    return right, _matching(gold, system, *_remaining(rows, columns, right), are_formatted, _format_keys)


def _matching(
    gold: Sequence[Leaf],
    system: Sequence[Leaf],
    rows: Sequence[int],
    columns: Sequence[int],
    fits: Callable[[Leaf, Leaf], bool],
    keys_of: Callable[[Leaf], Sequence[str]],
) -> Pairs:
    """The largest number of pairs that fit; two values that fit have a key in common. Ties go by canonical order."""
    if not rows or not columns:
        return []
    rows, columns = sorted(rows, key=lambda row: gold[row].key), sorted(columns, key=lambda column: system[column].key)
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for at, column in enumerate(columns):
        for key in keys_of(system[column]):
            by_key[key].append(at)
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for at, row in enumerate(rows):
        for other in {other for key in keys_of(gold[row]) for other in by_key.get(key, ())}:
            table[at, other] = fits(gold[row], system[columns[other]])
    return [(rows[row], columns[column]) for row, column in first_pairs(table)] if table.any() else []


def are_right(gold: Leaf, system: Leaf) -> bool:
    """Whether two leaves are equal under the comparator of the gold leaf."""
    if gold.key == system.key:
        return True
    return not gold.field.has_keys and is_right(gold.value, system.value, gold.field.options)


def are_formatted(gold: Leaf, system: Leaf) -> bool:
    """Whether two leaves differ in formatting only."""
    return is_formatting(gold.value, system.value, gold.field.options)


def _format_keys(leaf: Leaf) -> tuple[str, ...]:
    return format_keys(leaf.value, leaf.field.options)


def in_order(weights: AnyValues) -> Pairs:
    """Pairs that do not cross, with the largest sum; the first ones of equal sums."""
    rows, columns = weights.shape
    best = np.zeros((rows + 1, columns + 1), dtype=weights.dtype)
    for row in range(rows - 1, -1, -1):
        following = best[row + 1]
        with_pair = np.where(weights[row] > 0, weights[row] + following[1:], following[:-1])
        candidates = np.maximum(with_pair, following[:-1])
        best[row, :-1] = np.maximum.accumulate(candidates[::-1])[::-1]
    pairs, start = [], 0
    for row in range(rows):
        for column in range(start, columns):
            if weights[row, column] > 0 and weights[row, column] + best[row + 1, column + 1] == best[row, start]:
                pairs.append((row, column))
                start = column + 1
                break
    return pairs


def greedy_pairs(size: int, weights_of: Callable[[int], AnyValues]) -> Pairs:
    """Pairs by weight, then by row and column; `weights_of` returns a row of the table, which is never held whole."""
    taken: set[int] = set()

    def best(row: int) -> tuple[int, int, int]:
        weights = weights_of(row)
        weights[list(taken)] = 0
        column = int(weights.argmax())
        return -int(weights[column]), row, column

    waiting, pairs = [best(row) for row in range(size)], Pairs()
    heapify(waiting)
    while waiting:
        weight, row, column = waiting[0]
        if weight and column in taken:
            heapreplace(waiting, best(row))
            continue
        heappop(waiting)
        if weight:
            taken.add(column)
            pairs.append((row, column))
    return sorted(pairs)


_Cell = tuple[list[int], list[int]]
"""Records of both sides that have something in common."""
_Values = dict[str, tuple[Leaf, list[int]]]
"""The values of a field by their keys, with the records that have them."""


@dataclass
class _Component:
    """Records that are aligned on their own, and what they have in common: keys, forms, right values, formatting."""

    rows: list[int]
    columns: list[int]
    cells: tuple[list[_Cell], ...]

    def count(self, cells: list[_Cell]) -> AnyValues:
        """The number of cells that contain each pair of records."""
        table = np.zeros((len(self.rows), len(self.columns)), dtype=np.int32)
        row_of, column_of = ({number: at for at, number in enumerate(side)} for side in (self.rows, self.columns))
        at_row, at_column = list[int](), list[int]()
        for cell_rows, cell_columns in cells:
            rows, columns = [row_of[row] for row in cell_rows], [column_of[column] for column in cell_columns]
            if len(rows) * len(columns) > _MANY:
                table[np.ix_(rows, columns)] += 1
            else:
                at_row += [row for row in rows for _ in columns]
                at_column += columns * len(rows)
        np.add.at(table, (at_row, at_column), 1)
        return table

    def by_row(self) -> list[_Component]:
        """Each row as a component."""
        of_rows: dict[int, tuple[list[_Cell], ...]] = {row: tuple([] for _ in self.cells) for row in self.rows}
        for number, cells in enumerate(self.cells):
            for rows, columns in cells:
                for row in rows:
                    of_rows[row][number].append(([row], columns))
        return [_Component([row], self.columns, cells) for row, cells in of_rows.items()]


class _WeightTable:
    """The weights of pairs of records, in components of records that share a value."""

    def __init__(
        self,
        gold: Sequence[Container],
        system: Sequence[Container],
        keys: list[tuple[str, ...]],
        *,
        forms: Sequence[Sequence[Any]] = ((), ()),
    ) -> None:
        """`forms`: canonical forms, if identical records have not been paired yet."""
        self._leaves = [[leaves_of(record) for record in side] for side in (gold, system)]
        self._counts = [[Counter(leaf.field.slot for leaf in leaves) for leaves in side] for side in self._leaves]
        self._base = 1 + max(sum(map(len, side)) for side in self._leaves)
        self._keys = [[key_values(record, keys) if keys else () for record in side] for side in (gold, system)]
        whole = [[key if key and None not in key else None for key in side] for side in self._keys]
        self._cells = _shared(whole), _shared(forms), self._right_cells(), self._formatted_cells()

    def _right_cells(self) -> list[_Cell]:
        """The records of both sides with a value, by field, value and number of the copy."""
        index: defaultdict[tuple[Any, ...], _Cell] = defaultdict(lambda: ([], []))
        for side, records in enumerate(self._leaves):
            for number, leaves in enumerate(records):
                copies: Counter[tuple[int, str]] | None = None
                if len(self._counts[side][number]) < len(leaves):
                    copies = Counter()
                for leaf in leaves:
                    if leaf.field.has_keys:
                        key = leaf.field.slot, leaf.key
                        if copies is not None:
                            copies[key] += 1
                        index[key, copies[key] if copies else 1][side].append(number)
        cells = [cell for cell in index.values() if cell[0] and cell[1]]
        similar = self._fitting(lambda leaf, count: not leaf.field.has_keys, lambda leaf: ("",), are_right)
        pairs = {(slot, row, column) for slot, rows, columns in similar for row in rows for column in columns}
        return cells + [([row], [column]) for _, row, column in sorted(pairs)]

    def _formatted_cells(self) -> list[_Cell]:
        """The same for values that differ in formatting only, in fields with one value on each side."""
        formatted = self._fitting(
            *(lambda leaf, count: count == 1, _format_keys),
            lambda leaf, other: leaf.key != other.key and not are_right(leaf, other) and are_formatted(leaf, other),
        )
        return [(rows, columns) for _, rows, columns in formatted]

    def _fitting(
        self,
        is_counted: Callable[[Leaf, int], bool],
        keys_of: Callable[[Leaf], Sequence[str]],
        fits: Callable[[Leaf, Leaf], bool],
    ) -> list[tuple[int, list[int], list[int]]]:
        """Fields, and the records of both sides with values that fit; two values that fit have a key in common."""
        index: defaultdict[tuple[int, str], tuple[_Values, _Values]] = defaultdict(lambda: ({}, {}))
        for side, records in enumerate(self._leaves):
            for number, leaves in enumerate(records):
                for leaf in leaves:
                    if is_counted(leaf, self._counts[side][number][leaf.field.slot]):
                        for key in keys_of(leaf):
                            values = index[leaf.field.slot, key][side]
                            values.setdefault(leaf.key, (leaf, []))[1].append(number)
        cells = {
            (slot, one, other): (slot, rows, columns)
            for (slot, _), (golds, systems) in index.items()
            for one, (leaf, rows) in golds.items()
            for other, (system, columns) in systems.items()
            if fits(leaf, system)
        }
        return list(cells.values())

    def pairs(self, warn: Callable[[], object]) -> Pairs:
        """The best pairs, component by component."""
        pairs: Pairs = []
        for part in self._components():
            rows, columns = part.rows, part.columns
            if len(rows) == len(columns) == 1 and not self._keys[0][0]:
                best = [(0, 0)]
            elif min(len(rows), len(columns)) > MAX_SIDE:
                warn()
                components = part.by_row()
                best = greedy_pairs(len(rows), lambda row, of=components: self.weights(of[row])[0])  # type: ignore[misc]
            else:
                best = first_pairs(self.weights(part))
            pairs += [(rows[row], columns[column]) for row, column in best]
        return pairs

    def component(self) -> _Component:
        """All records as one component."""
        rows, columns = (list(range(len(side))) for side in self._leaves)
        return _Component(rows, columns, self._cells)

    def _components(self) -> list[_Component]:
        """Records that share a value or a key, directly or through others, in canonical order."""
        size = len(self._leaves[0])
        group = list(range(size + len(self._leaves[1])))

        def root(node: int) -> int:
            while group[node] != node:
                group[node] = node = group[group[node]]
            return node

        for rows, columns in chain(*self._cells):
            first = root(rows[0])
            for node in (*rows, *(size + column for column in columns)):
                group[root(node)] = first
        parts: dict[int, _Component] = {}
        for node in range(len(group)):
            part = parts.setdefault(root(node), _Component([], [], tuple([] for _ in self._cells)))
            (part.rows if node < size else part.columns).append(node if node < size else node - size)
        for number, cells in enumerate(self._cells):
            for cell in cells:
                parts[root(cell[0][0])].cells[number].append(cell)
        return [part for part in parts.values() if part.rows and part.columns]

    def weights(self, part: _Component) -> AnyValues:
        """The sums of the module's list as one number per pair of records; 0 for pairs that are not possible."""
        rows, columns, base = part.rows, part.columns, self._base
        size = min(len(rows), len(columns)) + 1
        total = np.zeros((len(rows), len(columns)), dtype=np.int64 if base**3 * size**2 * 2 < 1 << 62 else object)
        for factor, cells in zip((1, size, base, base), part.cells, strict=True):
            total *= factor
            if cells:
                total += part.count(cells)
        if self._keys[0][0]:
            total[self._have_other_keys(rows, columns)] = 0
        gold, system, common = self._shapes
        return np.where(total > 0, total * base + common[np.ix_(gold[rows], system[columns])], 0)

    @cached_property
    def _shapes(self) -> tuple[Ints, Ints, AnyValues]:
        """Records by their numbers of values per field, as codes of either side, and the values in common fields."""
        codes, kinds = list[Ints](), list[list[Counter[int]]]()
        for side in self._counts:
            index: dict[frozenset[tuple[int, int]], int] = {}
            codes.append(ints([index.setdefault(frozenset(count.items()), len(index)) for count in side]))
            kinds.append([Counter(dict(fields)) for fields in index])
        table = [[(one & other).total() for other in kinds[1]] for one in kinds[0]]
        return codes[0], codes[1], np.array(table, dtype=np.int64)

    def _have_other_keys(self, rows: Sequence[int], columns: Sequence[int]) -> Bools:
        """Pairs of records with a key field that both have and that differs."""
        differ = np.zeros((len(rows), len(columns)), dtype=np.bool_)
        for part in range(len(self._keys[0][0])):
            codes: dict[str | None, int] = {None: -1}
            one, other = (
                ints([codes.setdefault(self._keys[side][number][part], len(codes)) for number in numbers])
                for side, numbers in ((0, rows), (1, columns))
            )
            differ |= (one[:, None] != other[None, :]) & (one[:, None] >= 0) & (other[None, :] >= 0)
        return differ

    def near(self, row: int, column: int) -> int:
        """The similarity of two records in millionths; 0 if they are not similar."""
        gold, system = self._leaves[0][row], self._leaves[1][column]
        if self._have_other_keys([row], [column]).any():
            return 0
        by_slot: defaultdict[int, tuple[list[Leaf], list[Leaf]]] = defaultdict(lambda: ([], []))
        for side, leaves in enumerate((gold, system)):
            for leaf in leaves:
                by_slot[leaf.field.slot][side].append(leaf)
        total = 0
        for ones, others in by_slot.values():
            if ones and others and len(ones) * len(others) <= NEAR_CELLS:
                cells = np.array([[near(one.value, other.value) for other in others] for one in ones])
                total += sum(int(cells[pair]) for pair in first_pairs(cells))
        return total if 2 * total >= MILLION * max(len(gold), len(system)) else 0


def _shared(keys: Sequence[Sequence[Any]]) -> list[_Cell]:
    """The records of both sides with equal keys."""
    index: defaultdict[Any, _Cell] = defaultdict(lambda: ([], []))
    for side, of_records in enumerate(keys):
        for number, key in enumerate(of_records):
            if key is not None:
                index[key][side].append(number)
    return [cell for cell in index.values() if cell[0] and cell[1]]
