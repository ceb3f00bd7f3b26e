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
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain, count
from typing import Any

import numpy as np

from evenhand.dataclass import dataclass
from evenhand.tasks.assignment import AnyValues, first_pairs
from evenhand.tasks.records.fields import Fields
from evenhand.tasks.records.trees import Container, Leaf, form_of, key_values, leaves_of
from evenhand.tasks.records.values import MILLION, format_keys, is_formatting, is_right, near

GREEDY, NOT_NEAR = "greedy", "not near"
"""Beginnings of names of counts for notes."""
MAX_SIDE = 2_000
NEAR_CELLS = 40_000
Pairs = list[tuple[int, int]]
"""Pairs of indexes into two lists."""


@dataclass
class ListAligner:
    """Aligns lists, and notes lists that are too large for an exact alignment."""

    fields: Fields
    noted: Counter[str]
    """Counts for notes: lists with a component that was paired greedily, or with items that were not compared."""

    def records(self, gold: Sequence[Container], system: Sequence[Container], *, order: bool) -> Pairs:
        """Pairs of records."""
        if not gold or not system:
            return []
        keys, name = self.fields.keys_of(gold[0].field), gold[0].field.name
        if order:
            return in_order(_WeightTable(gold, system, keys).all_weights())
        rows, columns = (sorted(range(len(side)), key=lambda at: form_of(side[at])) for side in (gold, system))
        forms = [form_of(gold[row]) for row in rows], [form_of(system[column]) for column in columns]
        identical = [(rows[row], columns[column]) for row, column in equal_pairs(*forms)]
        rows, columns = remaining(rows, columns, identical)
        table = _WeightTable([gold[row] for row in rows], [system[column] for column in columns], keys)
        pairs = table.pairs(lambda: self.noted.update([f"{GREEDY}: {name}"]))
        left, right = remaining(range(len(rows)), range(len(columns)), pairs)
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
            self.noted[f"{NOT_NEAR}: {name}"] += 1
            return []
        cells = np.array([[near_by(row, column) for column in columns] for row in rows], dtype=np.int64)
        return [(rows[row], columns[column]) for row, column in first_pairs(cells)] if cells.any() else []


def remaining(rows: Iterable[int], columns: Iterable[int], pairs: Pairs) -> tuple[list[int], list[int]]:
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
    if not gold or not system:
        return [], []
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
    return right, _matching(gold, system, *remaining(rows, columns, right), are_formatted, _format_keys)


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
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    sides = [[gold[row]] for row in rows], [[system[column]] for column in columns]
    for _, cell in _fitting(sides, keys_of, fits):
        table[np.ix_(*cell)] = 1
    return [(rows[row], columns[column]) for row, column in first_pairs(table)] if table.any() else []


def are_right(gold: Leaf, system: Leaf) -> bool:
    """Whether two leaves are equal under the comparator of the gold leaf."""
    if gold.key == system.key:
        return True
    return not gold.field.has_keys and is_right(gold.value, system.value, gold.field.options)


def are_formatted(gold: Leaf, system: Leaf) -> bool:
    """Whether two leaves differ in formatting only."""
    return not are_right(gold, system) and is_formatting(gold.value, system.value, gold.field.options)


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
_Cells = list[tuple[int, _Cell]]
"""Cells with the number of their sum in the module's list, from 0."""
_COMMON = 4
_Values = dict[tuple[str, str], tuple[Leaf, list[int]]]
"""The values of a field by their keys and texts, with the records that have them."""


class _WeightTable:
    """The weights of pairs of records, from what they have in common."""

    def __init__(self, gold: Sequence[Container], system: Sequence[Container], keys: list[tuple[str, ...]]) -> None:
        both = gold, system
        self._leaves = [[leaves_of(record) for record in side] for side in both]
        self._keys = [[key_values(record, keys) for record in side] for side in both]
        self._base = 1 + max(sum(map(len, side)) for side in self._leaves)
        whole = [[() if None in key else (key,) for key in side] for side in self._keys]
        values = [
            [_copies((leaf.field.slot, leaf.key) for leaf in leaves if leaf.field.has_keys) for leaves in side]
            for side in self._leaves
        ]
        sums = (
            _shared(whole) if keys else [],
            _shared([[(form_of(record),) for record in side] for side in both]),
            _shared(values) + self._fitting_cells(),
            self._formatted_cells(),
        )
        self._cells = [(number, cell) for number, cells in enumerate(sums) for cell in cells]

    def _fitting_cells(self) -> list[_Cell]:
        """The records with values that are right without equal keys; a pair of records counts once per field."""
        leaves = [[[leaf for leaf in record if not leaf.field.has_keys] for record in side] for side in self._leaves]
        columns_of: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for slot, (rows, columns) in _fitting(leaves, lambda leaf: ("",), are_right):
            for row in rows:
                columns_of[slot, row].update(columns)
        return [([row], list(columns)) for (_, row), columns in columns_of.items()]

    def _formatted_cells(self) -> list[_Cell]:
        """The records with values that differ in formatting only, in fields with one value on each side."""
        leaves = [[list(_single(record)) for record in side] for side in self._leaves]
        return [cell for _, cell in _fitting(leaves, _format_keys, are_formatted)]

    def all_weights(self) -> AnyValues:
        """The weights of all records, as one component."""
        rows, columns = (list(range(len(side))) for side in self._leaves)
        return self._weights(self._cells + self._common([0] * (len(rows) + len(columns))), rows, columns)

    def pairs(self, warn: Callable[[], object]) -> Pairs:
        """The best pairs, component by component."""
        size, component = len(self._leaves[0]), self._components()
        cells_of: defaultdict[int, _Cells] = defaultdict(list)
        for number, cell in self._cells + self._common(component):
            cells_of[component[cell[0][0]]].append((number, cell))
        pairs: Pairs = []
        for rows, columns in _shared([[(part,) for part in side] for side in (component[:size], component[size:])]):
            cells = cells_of[component[rows[0]]]
            if min(len(rows), len(columns)) > MAX_SIDE:
                warn()
                best = greedy_pairs(len(rows), self._weights_by_row(cells, rows, columns))
            else:
                best = first_pairs(self._weights(cells, rows, columns))
            pairs += [(rows[row], columns[column]) for row, column in best]
        return pairs

    def _weights_by_row(self, cells: _Cells, rows: list[int], columns: list[int]) -> Callable[[int], AnyValues]:
        of_row: dict[int, _Cells] = {row: [] for row in rows}
        for number, (cell_rows, cell_columns) in cells:
            for row in cell_rows:
                of_row[row].append((number, ([row], cell_columns)))
        return lambda at: self._weights(of_row[rows[at]], [rows[at]], columns)[0]

    def _components(self) -> list[int]:
        """Numbers of components: records that share a value or a key, directly or through others."""
        size = len(self._leaves[0])
        group = list(range(size + len(self._leaves[1])))

        def root(node: int) -> int:
            while group[node] != node:
                group[node] = node = group[group[node]]
            return node

        for _, (rows, columns) in self._cells:
            first = root(rows[0])
            for node in (*rows, *(size + column for column in columns)):
                group[root(node)] = first
        return [root(node) for node in range(len(group))]

    def _common(self, component: Sequence[int]) -> _Cells:
        """The records of a component with values in common fields."""
        records, size = zip(component, chain(*self._leaves), strict=True), len(self._leaves[0])
        slots = [_copies((part, leaf.field.slot) for leaf in leaves) for part, leaves in records]
        return [(_COMMON, cell) for cell in _shared([slots[:size], slots[size:]])]

    def _weights(self, cells: _Cells, rows: list[int], columns: list[int]) -> AnyValues:
        """The sums of the module's list as one number per pair of records; 0 for pairs that are not possible."""
        base, size = self._base, min(len(rows), len(columns)) + 1
        factors = base**3 * size, base**3, base**2, base, 1
        row_at, column_at = ({number: at for at, number in enumerate(side)} for side in (rows, columns))
        dtype = np.int64 if base**3 * size**2 * 2 < 1 << 62 else object
        total: AnyValues = np.zeros((len(rows), len(columns)), dtype=dtype)
        for number, (cell_rows, cell_columns) in cells:
            at_rows = [[row_at[row]] for row in cell_rows]
            total[at_rows, [column_at[column] for column in cell_columns]] += factors[number]
        total[total < base] = 0  # they have only fields in common
        for at, row in enumerate(rows if self._keys[0][0] else ()):
            total[at, [self._have_other_keys(row, column) for column in columns]] = 0
        return total

    def _have_other_keys(self, row: int, column: int) -> bool:
        """Whether both records have a key field that differs."""
        keys = zip(self._keys[0][row], self._keys[1][column], strict=True)
        return any(one is not None and other is not None and one != other for one, other in keys)

    def near(self, row: int, column: int) -> int:
        """The similarity of two records in millionths; 0 if they are not similar."""
        if self._have_other_keys(row, column):
            return 0
        gold, system = self._leaves[0][row], self._leaves[1][column]
        total = 0
        for ones, others in _shared([[[leaf.field.slot] for leaf in leaves] for leaves in (gold, system)]):
            if len(ones) * len(others) <= NEAR_CELLS:
                cells = np.array([[near(gold[one].value, system[other].value) for other in others] for one in ones])
                total += sum(int(cells[pair]) for pair in first_pairs(cells))
        return total if 2 * total >= MILLION * max(len(gold), len(system)) else 0


def _shared(sides: Iterable[Iterable[Iterable[Any]]]) -> list[_Cell]:
    """The records of both sides that have a key, by key."""
    index: defaultdict[Any, _Cell] = defaultdict(lambda: ([], []))
    for side, records in enumerate(sides):
        for number, keys in enumerate(records):
            for key in keys:
                index[key][side].append(number)
    return [cell for cell in index.values() if cell[0] and cell[1]]


def _copies(keys: Iterable[Any]) -> list[tuple[Any, int]]:
    """Keys with the number of the copy."""
    counts: defaultdict[Any, Iterator[int]] = defaultdict(count)
    return [(key, next(counts[key])) for key in keys]


def _single(leaves: list[Leaf]) -> Iterator[Leaf]:
    """The leaves of fields with one value."""
    counts = Counter(leaf.field.slot for leaf in leaves)
    return (leaf for leaf in leaves if counts[leaf.field.slot] == 1)


def _fitting(
    sides: Sequence[Sequence[Sequence[Leaf]]],
    keys_of: Callable[[Leaf], Sequence[str]],
    fits: Callable[[Leaf, Leaf], bool],
) -> _Cells:
    """Fields, and the records of both sides with values that fit; two values that fit have a key in common."""
    index: defaultdict[tuple[int, str], tuple[_Values, _Values]] = defaultdict(lambda: ({}, {}))
    for side, records in enumerate(sides):
        for number, leaves in enumerate(records):
            for leaf in leaves:
                for key in keys_of(leaf):
                    values = index[leaf.field.slot, key][side]
                    values.setdefault((leaf.key, str(leaf.value)), (leaf, []))[1].append(number)
    cells = {
        (slot, one, other): (slot, (rows, columns))
        for (slot, _), (golds, systems) in index.items()
        for one, (leaf, rows) in golds.items()
        for other, (system, columns) in systems.items()
        if fits(leaf, system)
    }
    return list(cells.values())
