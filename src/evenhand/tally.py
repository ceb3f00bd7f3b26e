"""Counts that add up: over labels, groups, files, processes and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Numbers, ints
from evenhand.judge.verdicts import EDGES, KINDS, Verdicts
from evenhand.text.layers import Spans

NO_LABEL = ""


@dataclass(frozen=True)
class Tally:
    """Sparse counts: row i says that group `group[i]` has `count[i]` units of one kind, gold label and system label.

    Labels and kinds are codes into `labels` and `kinds`; -1 stands for "no label" (the gold side of an FP, the system
    side of an FN). A kind may have a part behind a point (`BES.left`), which finer questions ask for. A group is what
    is resampled: the total, a document or a sentence. No two rows agree in everything but the count.
    """

    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    group: Ints
    gold: Ints
    system: Ints
    kind: Ints
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
        """Add up the rows that agree; without `count` every row is one unit."""
        shape = (int(group.max(initial=-1)) + 1, len(labels) + 1, len(labels) + 1, len(kinds))
        keys = ((group * shape[1] + gold + 1) * shape[2] + system + 1) * shape[3] + kind
        found, summed = _add_up(keys, count, shape[0] * shape[1] * shape[2] * shape[3])
        rest, kind = np.divmod(found, shape[3])
        rest, system = np.divmod(rest, shape[2])
        group, gold = np.divmod(rest, shape[1])
        return Tally(tuple(labels), tuple(kinds), group, gold - 1, system - 1, kind, summed)

    @staticmethod
    def merge(parts: Sequence[Tally]) -> Tally:
        """The sum of several tallies; labels and kinds are matched by name, groups by number."""
        if len(parts) == 1:
            return parts[0]
        labels = list(dict.fromkeys(name for part in parts for name in part.labels))
        kinds = list(dict.fromkeys(name for part in parts for name in part.kinds))
        code_of_label, code_of_kind = {n: i for i, n in enumerate(labels)}, {n: i for i, n in enumerate(kinds)}
        gold, system, kind = [], [], []
        for part in parts:
            label = ints([*(code_of_label[name] for name in part.labels), -1])
            gold.append(label[part.gold])
            system.append(label[part.system])
            kind.append(ints([code_of_kind[name] for name in part.kinds])[part.kind])
        return Tally.of(
            labels,
            kinds,
            np.concatenate([part.group for part in parts]),
            np.concatenate(gold),
            np.concatenate(system),
            np.concatenate(kind),
            np.concatenate([part.count for part in parts]),
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally.merge([self, other])

    def __len__(self) -> int:
        return len(self.count)

    def __eq__(self, other: object) -> bool:
        """Whether two tallies count the same, whatever the order of their rows and names."""
        return isinstance(other, Tally) and self.cells() == other.cells()

    __hash__ = None  # type: ignore[assignment]

    def cells(self) -> dict[tuple[int, str, str, str], float]:
        """The counts by (group, gold label, system label, kind), in plain Python."""
        labels = (*self.labels, NO_LABEL)
        columns = (self.group, self.gold, self.system, self.kind, self.count)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {(group, labels[gold], labels[system], self.kinds[kind]): n for group, gold, system, kind, n in rows}

    def total(self) -> Tally:
        """All groups in one."""
        group = np.zeros_like(self.group)
        return Tally.of(self.labels, self.kinds, group, self.gold, self.system, self.kind, self.count)

    def select(self, groups: Ints | Sequence[int]) -> Tally:
        """The rows of some groups, which keep their numbers."""
        keep = np.isin(self.group, groups)
        group, gold, system, kind = (column[keep] for column in (self.group, self.gold, self.system, self.kind))
        return Tally(self.labels, self.kinds, group, gold, system, kind, self.count[keep])

    def to_dict(self) -> dict[str, Any]:
        return {
            "labels": list(self.labels),
            "kinds": list(self.kinds),
            "group": self.group.tolist(),
            "gold": self.gold.tolist(),
            "system": self.system.tolist(),
            "kind": self.kind.tolist(),
            "count": self.count.tolist(),
        }

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Tally:
        group, gold, system, kind = (ints(saved[name]) for name in ("group", "gold", "system", "kind"))
        count = saved["count"]
        whole = all(isinstance(each, int) for each in count)
        counts: Numbers = ints(count) if whole else np.asarray(count, dtype=np.float64)
        return Tally(tuple(saved["labels"]), tuple(saved["kinds"]), group, gold, system, kind, counts)


def _add_up(keys: Ints, count: Numbers | None, size: int) -> tuple[Ints, Numbers]:
    """The distinct keys, in order, and the sum of each one's counts; `size` is the number of possible keys."""
    if count is None and size <= 4 * len(keys) + 65536:
        sums = np.bincount(keys, minlength=size)
        return np.flatnonzero(sums), ints(sums[sums > 0])
    found, inverse = np.unique(keys, return_inverse=True)
    if count is None:
        return found, ints(np.bincount(inverse, minlength=len(found)))
    summed = np.zeros_like(count, shape=len(found))
    np.add.at(summed, inverse, count)
    return found, summed


SPAN_KINDS = tuple(kind if edge == "none" else f"{kind}.{edge}" for kind in KINDS for edge in EDGES)


def tally_spans(verdicts: Verdicts, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """The counts of a judge's verdicts on spans; `groups` is the group of each scope, without it there is one."""
    of_gold, of_system = verdicts.gold >= 0, verdicts.system >= 0
    gold_label, system_label = np.full(len(verdicts), -1), np.full(len(verdicts), -1)
    gold_label[of_gold] = gold.label[verdicts.gold[of_gold]]
    system_label[of_system] = system.label[verdicts.system[of_system]]
    group = np.zeros(len(verdicts), dtype=np.int64)
    if groups is not None:
        group[of_gold] = groups[gold.scope[verdicts.gold[of_gold]]]
        group[~of_gold] = groups[system.scope[verdicts.system[~of_gold]]]
    kind = verdicts.kind * len(EDGES) + verdicts.edge
    return Tally.of(gold.vocabulary.labels.values, SPAN_KINDS, group, gold_label, system_label, kind)
