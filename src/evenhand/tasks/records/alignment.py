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

Source: Evenhand's own rules; Kuhn 1955 for the assignment (`assignment`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import field as dataclass_field
from functools import cached_property
from itertools import chain

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.tasks.records.assignment import Weights, best_pairs, greedy_pairs
from evenhand.tasks.records.fields import Fields
from evenhand.tasks.records.trees import Container, Leaf, form_of, key_values, leaves_of
from evenhand.tasks.records.values import format_keys, is_formatting, is_right, near

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
        keys = self.fields.keys_of(gold[0].field) if gold and self.fields.key_paths else []
        if order:
            return self._in_order(gold, system, keys)
        rows = sorted(range(len(gold)), key=lambda row: form_of(gold[row]))
        columns = sorted(range(len(system)), key=lambda column: form_of(system[column]))
        identical = _identical(gold, system, rows, columns)
        taken_rows, taken_columns = {row for row, _ in identical}, {column for _, column in identical}
        rows = [row for row in rows if row not in taken_rows]
        columns = [column for column in columns if column not in taken_columns]
        if not rows or not columns:
            return identical
        name = gold[0].field.name
        table = _WeightTable([gold[row] for row in rows], [system[column] for column in columns], keys)
        pairs = table.pairs(lambda: self.greedy.update([name]))
        paired_rows, paired_columns = {row for row, _ in pairs}, {column for _, column in pairs}
        left = [row for row in range(len(rows)) if row not in paired_rows]
        right = [column for column in range(len(columns)) if column not in paired_columns]
        pairs += self._near_records(table, left, right, name)
        return identical + [(rows[row], columns[column]) for row, column in pairs]

    def _near_records(self, table: _WeightTable, rows: list[int], columns: list[int], name: str) -> Pairs:
        if not rows or not columns:
            return []
        if len(rows) * len(columns) > NEAR_CELLS:
            self.not_near[name] += 1
            return []
        cells = [[table.near(row, column) for column in columns] for row in rows]
        return [(rows[row], columns[column]) for row, column in best_pairs(np.array(cells, dtype=np.int64))]

    def _in_order(self, gold: Sequence[Container], system: Sequence[Container], keys: list[tuple[str, ...]]) -> Pairs:
        if not gold or not system:
            return []
        table = _WeightTable(gold, system, keys, with_identical=True)
        return in_order(table.weights(table.whole()))

    def near_leaves(self, gold: Sequence[Leaf], system: Sequence[Leaf]) -> Pairs:
        """Pairs of similar strings."""
        if not gold or not system:
            return []
        if len(gold) * len(system) > NEAR_CELLS:
            self.not_near[gold[0].field.name] += 1
            return []
        rows = sorted(range(len(gold)), key=lambda row: gold[row].key)
        columns = sorted(range(len(system)), key=lambda column: system[column].key)
        cells = np.array([[near(gold[row].value, system[column].value) for column in columns] for row in rows])
        if not cells.any():
            return []
        return [(rows[row], columns[column]) for row, column in best_pairs(cells)]


def match_leaves(gold: Sequence[Leaf], system: Sequence[Leaf], *, order: bool) -> tuple[Pairs, Pairs]:
    """Pairs of right values of two lists of scalars, and pairs of values that differ in formatting only."""
    if order:
        cells = [[2 * _is_right(one, other) or int(_is_formatting(one, other)) for other in system] for one in gold]
        table = np.array(cells, dtype=np.int64).reshape(len(gold), len(system))
        weights = np.where(table == 2, max(table.shape) + 1, table)
        pairs = in_order(weights)
        return [pair for pair in pairs if table[pair] == 2], [pair for pair in pairs if table[pair] == 1]
    right = _right_leaves(gold, system)
    taken = {row for row, _ in right}, {column for _, column in right}
    rows = [row for row in range(len(gold)) if row not in taken[0]]
    columns = [column for column in range(len(system)) if column not in taken[1]]
    if not rows or not columns:
        return right, []
    formatted = _matching(
        gold, system, rows, columns, _is_formatting, lambda leaf: format_keys(leaf.value, leaf.field.options)
    )
    return right, formatted


def _right_leaves(gold: Sequence[Leaf], system: Sequence[Leaf]) -> Pairs:
    if gold and not gold[0].field.has_keys:
        return _matching(gold, system, range(len(gold)), range(len(system)), _is_right, lambda leaf: ("",))
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for column in range(len(system) - 1, -1, -1):
        waiting[system[column].key].append(column)
    return [(row, waiting[leaf.key].pop()) for row, leaf in enumerate(gold) if waiting.get(leaf.key)]


def _matching(
    gold: Sequence[Leaf],
    system: Sequence[Leaf],
    rows: Sequence[int],
    columns: Sequence[int],
    fits: Callable[[Leaf, Leaf], bool],
    keys_of: Callable[[Leaf], Sequence[str]],
) -> Pairs:
    """The largest number of pairs that fit; two values that fit have a key in common. Ties go by canonical order."""
    rows, columns = sorted(rows, key=lambda row: gold[row].key), sorted(columns, key=lambda column: system[column].key)
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for at, column in enumerate(columns):
        for key in keys_of(system[column]):
            by_key[key].append(at)
    cells = [(at, other) for at, row in enumerate(rows) for key in keys_of(gold[row]) for other in by_key.get(key, ())]
    cells = [(at, other) for at, other in dict.fromkeys(cells) if fits(gold[rows[at]], system[columns[other]])]
    if not cells:
        return []
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    table[tuple(zip(*cells, strict=True))] = 1
    return [(rows[row], columns[column]) for row, column in best_pairs(table)]


def _is_right(gold: Leaf, system: Leaf) -> bool:
    if gold.key == system.key:
        return True
    return not gold.field.has_keys and is_right(gold.value, system.value, gold.field.options)


def _is_formatting(gold: Leaf, system: Leaf) -> bool:
    return is_formatting(gold.value, system.value, gold.field.options)


def in_order(weights: Weights) -> Pairs:
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


def _identical(gold: Sequence[Container], system: Sequence[Container], rows: list[int], columns: list[int]) -> Pairs:
    """Pairs of records with equal forms, in canonical order."""
    by_form: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for column in reversed(columns):
        by_form[form_of(system[column])].append(column)
    return [(row, waiting.pop()) for row in rows if (waiting := by_form.get(form_of(gold[row])))]


_Cell = tuple[list[int], list[int]]
"""Records of both sides that have something in common."""


@dataclass
class _Component:
    """Records that are aligned on their own, and what they have in common: right values, formatting only, keys."""

    rows: list[int]
    columns: list[int]
    cells: tuple[list[_Cell], list[_Cell], list[_Cell]]

    @cached_property
    def _column_of(self) -> dict[int, int]:
        return {column: at for at, column in enumerate(self.columns)}

    def count(self, cells: list[_Cell]) -> Weights | None:
        """The number of cells that contain each pair of records; None without cells."""
        if not cells:
            return None
        row_of, column_of = {row: at for at, row in enumerate(self.rows)}, self._column_of
        table = np.zeros((len(self.rows), len(self.columns)), dtype=np.int32)
        at_row, at_column = list[int](), list[int]()
        for cell_rows, cell_columns in cells:
            rows, columns = (
                [of[number] for number in side] for of, side in ((row_of, cell_rows), (column_of, cell_columns))
            )
            if len(rows) * len(columns) > _MANY:
                table[np.ix_(rows, columns)] += 1
            else:
                at_row += [row for row in rows for _ in columns]
                at_column += columns * len(rows)
        np.add.at(table, (at_row, at_column), 1)
        return table  # type: ignore[return-value]

    def by_row(self) -> Callable[[int], _Component]:
        """A function that returns one row as a component."""
        of_rows: list[tuple[list[_Cell], list[_Cell], list[_Cell]]] = [([], [], []) for _ in self.rows]
        at = {row: number for number, row in enumerate(self.rows)}
        for number, cells in enumerate(self.cells):
            for rows, columns in cells:
                for row in rows:
                    of_rows[at[row]][number].append(([row], columns))

        def component(row: int) -> _Component:
            one = _Component([self.rows[row]], self.columns, of_rows[row])
            one.__dict__["_column_of"] = self._column_of
            return one

        return component


class _WeightTable:
    """The weights of pairs of records, in components of records that share a value."""

    def __init__(
        self,
        gold: Sequence[Container],
        system: Sequence[Container],
        keys: list[tuple[str, ...]],
        *,
        with_identical: bool = False,
    ) -> None:
        self._leaves = [[leaves_of(record) for record in side] for side in (gold, system)]
        self._keys = [[key_values(record, keys) for record in side] for side in (gold, system)] if keys else None
        self._forms = [[form_of(record) for record in side] for side in (gold, system)] if with_identical else None
        self._counts = [[Counter(leaf.field.slot for leaf in leaves) for leaves in side] for side in self._leaves]
        self._base = 1 + max(sum(map(len, side)) for side in self._leaves)
        self._right, self._formatted = self._right_cells(), self._formatted_cells()

    def _right_cells(self) -> list[_Cell]:
        """The records of both sides with a value, by field, value and number of the copy."""
        index: dict[tuple[object, ...], _Cell] = {}
        others: list[defaultdict[int, list[tuple[int, Leaf]]]] = [defaultdict(list), defaultdict(list)]
        for side, records in enumerate(self._leaves):
            for number, leaves in enumerate(records):
                seen: Counter[tuple[int, str]] | None = None
                if len(self._counts[side][number]) < len(leaves):
                    seen = Counter()
                for leaf in leaves:
                    key: tuple[object, ...] = leaf.field.slot, leaf.key
                    if not leaf.field.has_keys:
                        others[side][leaf.field.slot].append((number, leaf))
                        continue
                    if seen is not None:
                        seen[key] += 1  # type: ignore[index]
                        key = *key, seen[key]  # type: ignore[index]
                    else:
                        key = *key, 1
                    if key not in index:
                        index[key] = [], []
                    index[key][side].append(number)
        cells = [cell for cell in index.values() if cell[0] and cell[1]]
        for place in others[0].keys() & others[1].keys():
            cells += self._similar_cells(others[0][place], others[1][place])
        return cells

    def _similar_cells(self, gold: list[tuple[int, Leaf]], system: list[tuple[int, Leaf]]) -> list[_Cell]:
        """Pairs of records with right values of a field whose values have no keys, at most one value each."""
        cells: set[tuple[int, int]] = set()
        known: dict[tuple[str, str], bool] = {}
        for row, leaf in gold:
            for column, other in system:
                both = leaf.key, other.key
                if both not in known:
                    known[both] = _is_right(leaf, other)
                if known[both]:
                    cells.add((row, column))
        return [([row], [column]) for row, column in sorted(cells)]

    def _formatted_cells(self) -> list[_Cell]:
        """The same for values that differ in formatting only, in fields with one value on each side."""
        index: dict[tuple[int, str], tuple[dict[str, tuple[Leaf, list[int]]], dict[str, tuple[Leaf, list[int]]]]] = {}
        for side, records in enumerate(self._leaves):
            for number, leaves in enumerate(records):
                counts = self._counts[side][number]
                for leaf in leaves:
                    if counts[leaf.field.slot] == 1:
                        for key in format_keys(leaf.value, leaf.field.options):
                            values = index.setdefault((leaf.field.slot, key), ({}, {}))[side]
                            values.setdefault(leaf.key, (leaf, []))[1].append(number)
        cells = []
        for golds, systems in index.values():
            for leaf, rows in golds.values():
                for other, columns in systems.values():
                    if leaf.key != other.key and not _is_right(leaf, other) and _is_formatting(leaf, other):
                        cells.append((rows, columns))
        return cells

    def pairs(self, warn: Callable[[], object]) -> Pairs:
        """The best pairs, component by component."""
        pairs: Pairs = []
        for part in self._components():
            rows, columns = part.rows, part.columns
            if len(rows) == len(columns) == 1 and self._keys is None:
                best = [(0, 0)]
            elif min(len(rows), len(columns)) > MAX_SIDE:
                warn()
                by_row = part.by_row()
                best = greedy_pairs(len(rows), lambda row, of=by_row: self.weights(of(row))[0])  # type: ignore[misc]
            else:
                best = best_pairs(self.weights(part))
            pairs += [(rows[row], columns[column]) for row, column in best]
        return pairs

    def whole(self) -> _Component:
        """All records as one component."""
        sides = [list(range(len(side))) for side in self._leaves]
        return _Component(sides[0], sides[1], (self._right, self._formatted, self._key_cells()))

    def _components(self) -> list[_Component]:
        """Records that share a value or a key, directly or through others, in canonical order."""
        size = len(self._leaves[0])
        group = list(range(size + len(self._leaves[1])))

        def root(node: int) -> int:
            while group[node] != node:
                group[node] = node = group[group[node]]
            return node

        kinds = (self._right, self._formatted, self._key_cells())
        for rows, columns in chain(*kinds):
            first = root(rows[0])
            for node in rows:
                group[root(node)] = first
            for column in columns:
                group[root(size + column)] = first
        parts: dict[int, _Component] = {}
        for node in range(len(group)):
            part = parts.setdefault(root(node), _Component([], [], ([], [], [])))
            (part.rows if node < size else part.columns).append(node if node < size else node - size)
        for number, cells in enumerate(kinds):
            for cell in cells:
                parts[root(cell[0][0])].cells[number].append(cell)
        return [part for part in parts.values() if part.rows and part.columns]

    def _key_cells(self) -> list[_Cell]:
        if self._keys is None:
            return []
        index: dict[tuple[str | None, ...], _Cell] = {}
        for side, records in enumerate(self._keys):
            for number, key in enumerate(records):
                if None not in key:
                    index.setdefault(key, ([], []))[side].append(number)
        return [cell for cell in index.values() if cell[0] and cell[1]]

    def weights(self, part: _Component) -> Weights:
        """The sums of the module's list as one number per pair of records; 0 for pairs that are not possible."""
        rows, columns, base = part.rows, part.columns, self._base
        size = min(len(rows), len(columns)) + 1
        kind: type = np.int64 if base**3 * size**2 * 2 < 1 << 62 else object
        right, formatted, keyed = (part.count(cells) for cells in part.cells)
        total: Weights = np.zeros((len(rows), len(columns)), dtype=kind)
        is_possible = np.zeros(total.shape, dtype=np.bool_)
        if self._forms is not None:
            forms = self._forms
            is_possible |= np.array([[forms[0][row] == forms[1][column] for column in columns] for row in rows])
            total += is_possible
        if keyed is not None:
            total += keyed * kind(size)
            is_possible |= keyed > 0
        for counted in (right, formatted):
            total *= base
            if counted is not None:
                total += counted
                is_possible |= counted > 0
        total *= base
        total += self._common(rows, columns)
        if self._keys is not None:
            is_possible &= ~self._have_other_keys(rows, columns)
        total[~is_possible] = 0
        return total

    @cached_property
    def _shapes(self) -> tuple[Ints, Ints, Weights]:
        """Records by their numbers of values per field, as codes of either side, and the values in common fields."""
        codes, kinds = list[Ints](), list[list[Counter[int]]]()
        for side in self._counts:
            index: dict[frozenset[tuple[int, int]], int] = {}
            codes.append(ints([index.setdefault(frozenset(count.items()), len(index)) for count in side]))
            kinds.append([Counter(dict(fields)) for fields in index])
        table = [[(one & other).total() for other in kinds[1]] for one in kinds[0]]
        return codes[0], codes[1], np.array(table, dtype=np.int64)

    def _common(self, rows: Sequence[int], columns: Sequence[int]) -> Weights:
        """The number of values in common fields."""
        gold, system, table = self._shapes
        return table[np.ix_(gold[rows], system[columns])]

    def _have_other_keys(self, rows: Sequence[int], columns: Sequence[int]) -> Bools:
        """Pairs of records with a key field that both have and that differs."""
        assert self._keys is not None
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
        if self._keys is not None and self._have_other_keys([row], [column]).any():
            return 0
        by_place: defaultdict[int, tuple[list[Leaf], list[Leaf]]] = defaultdict(lambda: ([], []))
        for side, leaves in enumerate((gold, system)):
            for leaf in leaves:
                by_place[leaf.field.slot][side].append(leaf)
        total = 0
        for ones, others in by_place.values():
            if len(ones) == len(others) == 1:
                total += near(ones[0].value, others[0].value)
            elif ones and others and len(ones) * len(others) <= NEAR_CELLS:
                cells = np.array([[near(one.value, other.value) for other in others] for one in ones])
                total += sum(int(cells[pair]) for pair in best_pairs(cells))
        return total if 2 * total >= 1_000_000 * max(len(gold), len(system)) else 0
