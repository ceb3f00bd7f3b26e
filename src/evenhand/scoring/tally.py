"""Counts that add up: over labels, groups, files, processes and machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, Numbers, Values, concatenate, distinct, ints, is_ones, ones, zeros
from evenhand.dataclass import dataclass

NO_LABEL = ""
HIT_KINDS = ("gold_hits", "gold_others", "system_hits", "system_others")


@dataclass(frozen=True)
class LabelCounts:
    """Counts by kind: one row per label, which may include the counts without a label, and the sum."""

    rows: Mapping[str, Values]
    overall: Values


@dataclass(frozen=True)
class Tally:
    """Sparse counts: group `group[i]` has `count[i]` units of one kind, gold label and system label.

    Labels and kinds are codes into `labels` and `kinds`; -1 is "no label" (the gold side of an FP, the system side of
    an FN, or both sides of a count without a label). A kind may have a detail after a dot (`BES.left`). A group is a
    unit of resampling: the total, a document or a sentence. Rows that differ only in the count mean their sum; they are
    added up if that is cheap, that is, for few groups.
    """

    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    group: Ints
    cell: Ints
    """Gold label, system label and kind as one number, to save memory with many groups."""
    count: Numbers

    @staticmethod
    def of(
        labels: Sequence[str],
        kinds: Sequence[str],
        group: Ints,
        gold: Ints,
        system: Ints,
        kind: Ints,
        count: Numbers | None = None,
    ) -> Tally:
        """A tally of rows; without `count`, every row is one unit."""
        cell = Tally.cell_of(labels, kinds, gold, system, kind)
        return Tally.of_cells(labels, kinds, group, cell, ones(len(group)) if count is None else count)

    @staticmethod
    def of_cells(labels: Sequence[str], kinds: Sequence[str], group: Ints, cell: Ints, count: Numbers) -> Tally:
        """A tally of rows whose cells are known."""
        return Tally(tuple(labels), tuple(kinds), group, cell, count)._added_up()

    @staticmethod
    def cell_of(labels: Sequence[str], kinds: Sequence[str], gold: Ints, system: Ints, kind: Ints | int) -> Ints:
        """Gold label, system label and kind as one number."""
        return ((gold + 1) * (len(labels) + 1) + system + 1) * len(kinds) + kind

    def _added_up(self) -> Tally:
        if not len(self):
            return self
        first, last = int(self.group.min()), int(self.group.max())
        cells, groups = self.cell_count, last + 1 - first  # parts at the end of a large input have large groups only
        if last == 0 and self.is_wide:
            return self.total()
        if groups * cells > 4 * len(self) + 65536:
            if max(last, cells) >= 2**31:
                return self
            short: Any = np.int32
            return replace(self, group=self.group.astype(short, copy=False), cell=self.cell.astype(short, copy=False))
        row = (self.group.astype(np.int64) - first) * cells + self.cell
        sums = np.bincount(row, self.count, minlength=groups * cells)
        nonzero = np.flatnonzero(sums)
        count: Numbers = sums[nonzero] if self.has_fractions else ints(sums[nonzero])
        group, cell = np.divmod(nonzero, cells)
        return replace(self, group=group + first, cell=cell, count=count)

    @property
    def gold(self) -> Ints:
        return self.cell // ((len(self.labels) + 1) * len(self.kinds)) - 1

    @property
    def system(self) -> Ints:
        return self.cell // len(self.kinds) % (len(self.labels) + 1) - 1

    @property
    def kind(self) -> Ints:
        return self.cell % len(self.kinds)

    @staticmethod
    def merge(parts: Sequence[Tally]) -> Tally:
        """The sum of several tallies; labels and kinds are matched by name, groups by number."""
        if len(parts) == 1:
            return parts[0]
        return Tally._joined(parts)._added_up()

    @staticmethod
    def concatenate(parts: Sequence[Tally], groups: int) -> Tally:
        """Several tallies as one, in which each has its own `groups` groups."""
        return Tally._joined([part.shifted(number * groups) for number, part in enumerate(parts)])

    @staticmethod
    def _joined(parts: Sequence[Tally]) -> Tally:
        labels = _all_names([part.labels for part in parts])
        kinds = tuple(dict.fromkeys(name for part in parts for name in part.kinds))
        parts = [part._with_names(labels, kinds) for part in parts]
        group, cell = (np.concatenate([getattr(part, name) for part in parts]) for name in ("group", "cell"))
        return Tally(labels, kinds, group, cell, concatenate([part.count for part in parts]))

    def _with_names(self, labels: tuple[str, ...], kinds: tuple[str, ...]) -> Tally:
        """The same counts with the codes of other names."""
        if self.labels == labels and self.kinds == kinds:
            return self
        code_of = {name: code for code, name in enumerate(labels)}
        label = ints([*(code_of[name] for name in self.labels), -1])
        kind = ints([kinds.index(name) for name in self.kinds])[self.kind] if kinds != self.kinds else self.kind
        cell = Tally.cell_of(labels, kinds, label[self.gold], label[self.system], kind)
        return Tally(labels, kinds, self.group, cell, self.count)

    def __add__(self, other: Tally) -> Tally:
        return Tally.merge([self, other])

    def __len__(self) -> int:
        return len(self.count)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without counts that are all 1."""
        count = len(self) if is_ones(self.count) else self.count
        return _from_parts, (self.labels, self.kinds, self.group, self.cell, count)

    def __eq__(self, other: object) -> bool:
        """Whether two tallies have the same counts, regardless of the order of rows and names."""
        return isinstance(other, Tally) and self.cells() == other.cells()

    __hash__ = None  # type: ignore[assignment]

    def cells(self) -> dict[tuple[int, str, str, str], float]:
        """The counts by (group, gold label, system label, kind), in plain Python."""
        labels = (*self.labels, NO_LABEL)
        columns = (self.group, self.gold, self.system, self.kind, self.count)
        cells: dict[tuple[int, str, str, str], float] = {}
        for group, gold, system, kind, count in zip(*(column.tolist() for column in columns), strict=True):
            key = group, labels[gold], labels[system], self.kinds[kind]
            cells[key] = cells.get(key, 0) + count
        return cells

    def confusion(self, counts: Callable[[str], bool]) -> dict[str, dict[str, float]]:
        """The sum of some kinds by gold label and system label."""
        confusion: dict[str, dict[str, float]] = {}
        for (_, gold, system, kind), count in sorted(self.total().cells().items()):
            if counts(kind):
                row = confusion.setdefault(gold, {})
                row[system] = row.get(system, 0) + count
        return confusion

    def by_label(self, focus: str = "target", *, shares_unlabeled: bool = True) -> LabelCounts:
        """Counts by label and kind over all groups.

        Counts without a label are added to every label or, without `shares_unlabeled`, to the sum only.
        """
        whole = self.total() if self.group.any() else self
        key = (whole._label(focus) + 1) * len(self.kinds) + whole.kind
        table = np.bincount(key, whole.count, minlength=(len(self.labels) + 1) * len(self.kinds))
        table = table.reshape(-1, len(self.kinds))
        seen = distinct(np.concatenate((whole.gold, whole.system)))
        seen = seen[seen >= 0]
        if not shares_unlabeled:
            return LabelCounts({self.labels[code]: table[code + 1] for code in seen.tolist()}, table.sum(axis=0))
        rows = {self.labels[code]: table[code + 1] + table[0] for code in seen.tolist()}
        return LabelCounts(rows, np.sum(list(rows.values()), axis=0) if rows else table[0])

    def by_group(self, groups: int, sums: Sequence[Mapping[str, float]], labels: Sequence[str] | None = None) -> Values:
        """Weighted sums of kinds by group, (groups, labels, sums); one column for all labels if none are given."""
        if labels is not None and not labels:
            return np.zeros((groups, 0, len(sums)))
        width = 1 if labels is None else len(labels)
        key, column, counts = self.weighed(sums, labels)
        if labels is not None:
            counts[:, column < 0] = 0
            key = key.astype(np.int64) * width + np.maximum(column, 0)
        columns = [np.bincount(key, row, minlength=groups * width) for row in counts]
        table: Values = np.stack(columns, axis=-1, dtype=np.float64).reshape(groups, width, len(sums))
        return table

    def weighed(
        self, sums: Sequence[Mapping[str, float]], labels: Sequence[str] | None = None
    ) -> tuple[Ints, Ints, Values]:
        """The group of each row, the index of its label in `labels` (or -1), and its terms of the weighted sums."""
        cell, index = np.unique_inverse(self.cell) if self.is_wide else (np.arange(self.cell_count), self.cell)
        cells = Tally(self.labels, self.kinds, cell, cell, cell)
        weight = np.array([[weights.get(kind, 0.0) for kind in self.kinds] for weights in sums])[:, cells.kind]
        counts: Values = weight.take(index, axis=1) * self.count.astype(np.float64)
        if labels is None:
            return self.group, zeros(len(self)), counts
        column_of = {label: column for column, label in enumerate(labels)}
        column = ints([*(column_of.get(label, -1) for label in self.labels), -1])[cells._label("target")]
        return self.group, column.take(index), counts

    @property
    def cell_count(self) -> int:
        return (len(self.labels) + 1) ** 2 * len(self.kinds)

    @property
    def kinds_seen(self) -> set[str]:
        """The kinds of all rows."""
        cell = self.cell if self.is_wide else np.flatnonzero(np.bincount(self.cell))
        return {self.kinds[kind] for kind in np.flatnonzero(np.bincount(cell % len(self.kinds))).tolist()}

    @property
    def has_fractions(self) -> bool:
        return self.count.dtype.kind == "f"

    @property
    def is_wide(self) -> bool:
        """Whether there are too many cells for a dense table."""
        return self.cell_count > 2**20

    def _label(self, focus: str) -> Ints:
        """The label that each row counts for: the gold label if there is one, depending on the focus; or -1."""
        gold, system = self.gold, self.system
        label = np.where(gold >= 0, gold, system)
        if focus == "system":
            moved = np.array([kind.partition(".")[0] in ("LE", "LBE") for kind in self.kinds], dtype=np.bool_)
            label = np.where(moved[self.kind], system, label)
        return label

    def select(self, groups: Ints | Sequence[int]) -> Tally:
        """The rows of some groups, which keep their numbers."""
        keep = np.isin(self.group, groups)
        return replace(self, group=self.group[keep], cell=self.cell[keep], count=self.count[keep])

    def total(self) -> Tally:
        """All groups as one, cached."""
        return self._total

    @cached_property
    def _total(self) -> Tally:
        if not self.is_wide:
            counts = None if is_ones(self.count) else self.count
            sums = np.bincount(self.cell, counts, minlength=self.cell_count)
            cell = np.flatnonzero(sums)
            counted = sums[cell]
        else:
            cell, index = np.unique_inverse(self.cell)
            counted = np.bincount(index, self.count, minlength=len(cell))
        count: Numbers = counted if self.has_fractions else ints(counted)
        return Tally(self.labels, self.kinds, np.zeros(len(cell), dtype=np.int64), ints(cell), count)

    def choose(self, groups: Ints) -> Tally:
        """The rows of some groups, which are renumbered in the order of the list."""
        size = int(max(self.group.max(initial=0), groups.max(initial=0))) + 1
        number = np.full(size, -1, dtype=self.group.dtype)
        number[groups] = np.arange(len(groups))
        group = number.take(self.group)
        keep = np.flatnonzero(group >= 0)
        count = ones(len(keep)) if is_ones(self.count) else self.count[keep]
        return replace(self, group=group[keep], cell=self.cell[keep], count=count)

    def split(self, groups: int) -> list[Tally]:
        """The rows of each group as one tally, in which they have the group 0."""
        order = np.argsort(self.group, kind="stable")
        edges = np.searchsorted(self.group[order], np.arange(groups + 1)).tolist()
        parts = []
        for begin, end in pairwise(edges):
            rows = order[begin:end]
            group = np.zeros(len(rows), dtype=np.int64)
            parts.append(replace(self, group=group, cell=self.cell[rows], count=self.count[rows]))
        return parts

    def repeated(self, times: Ints) -> Tally:
        """The same counts with group i repeated `times[i]` times."""
        return replace(self, count=self.count * times[self.group])

    def shifted(self, groups: int) -> Tally:
        """The same counts with `groups` added to the group numbers."""
        if not groups:
            return self
        fits = int(self.group.max(initial=0)) + groups < 2**31
        return replace(self, group=(self.group if fits else self.group.astype(np.int64)) + groups)

    def regroup(self, group_of: Ints) -> Tally:
        """The same counts with `group_of[group]` as groups."""
        return replace(self, group=group_of[self.group])._added_up()


def _from_parts(
    labels: tuple[str, ...], kinds: tuple[str, ...], group: Ints, cell: Ints, count: Numbers | int
) -> Tally:
    return Tally(labels, kinds, group, cell, ones(count) if isinstance(count, int) else count)


def _all_names(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """All names in order of appearance; mostly the names of each part are a prefix of the next."""
    longest = max(names, key=len)
    if all(longest[: len(name)] == name for name in names):
        return longest
    return tuple(dict.fromkeys(chain.from_iterable(names)))


def tally_by_hit(labels: Sequence[str], gold: tuple[Ints, Ints, Bools], system: tuple[Ints, Ints, Bools]) -> Tally:
    """Units of each side with and without a hit on the other side, from their groups, labels and hits."""
    (gold_group, gold_label, gold_hit), (system_group, system_label, system_hit) = gold, system
    no_gold, no_system = np.full(len(system_label), -1), np.full(len(gold_label), -1)
    return Tally.of(
        labels,
        HIT_KINDS,
        np.concatenate((gold_group, system_group)),
        np.concatenate((gold_label, no_gold)),
        np.concatenate((no_system, system_label)),
        np.concatenate((np.where(gold_hit, 0, 1), np.where(system_hit, 2, 3))),
    )


def tally_table(kinds: Sequence[str], table: Numbers, groups: Ints) -> Tally:
    """Counts without labels from a table with one row per sentence (or document) and one column per kind."""
    row, kind = np.nonzero(table)
    no_label = np.full(len(row), -1)
    return Tally.of((), kinds, groups[row], no_label, no_label, kind, table[row, kind])
