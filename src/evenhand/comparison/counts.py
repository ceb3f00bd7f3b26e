"""Adds up everything that is compared, portion by portion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.agreement import Agreement
from evenhand.comparison.collection import Collecting
from evenhand.comparison.differences import Differences
from evenhand.comparison.oracle import Oracle
from evenhand.comparison.slices import slicer
from evenhand.comparison.units import Wanted
from evenhand.problems import SettingError
from evenhand.settings import Task
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers, class_of
from evenhand.tasks.chains.arcs import ARCS_KINDS
from evenhand.tasks.places import Places
from evenhand.tasks.spans.verdicts import KINDS
from evenhand.text.labels import Codes
from evenhand.text.layers import Spans

WORD_KINDS = ("right", "wrong")
_MOST_LABELS = 2**17 - 2


class Comparing:
    """What several systems say of the same units, counted in all ways."""

    def __init__(
        self,
        systems: Sequence[str],
        pairs: Sequence[tuple[int, int]],
        labels: Codes[str],
        *,
        task: Task,
        slices: Sequence[str] = (),
        vocabulary: Collection[str] | None = None,
        wanted: Wanted | None = None,
        collecting: Collecting | None = None,
    ) -> None:
        self.systems, self.labels, self.task = tuple(systems), labels, task
        self.differences = Differences(pairs, of_trees=task == "trees")
        self.oracle, self.agreement = Oracle(len(systems)), Agreement(len(systems))
        self.wanted, self.collecting = wanted, collecting
        self._slicers = {name: slicer(name, vocabulary, labels) for name in slices}
        self._slice_names: dict[str, Codes[str]] = {name: Codes() for name in slices}
        self._slice_units: dict[str, Counter[str]] = {name: Counter() for name in slices}
        self._sliced: dict[str, list[list[Tally]]] = {name: [[] for _ in systems] for name in slices}

    def add(self, answers: Answers, places: Places) -> None:
        if len(self.labels) > _MOST_LABELS:
            raise SettingError(f"There are {len(self.labels):,} labels, more than can be compared; map some together.")
        self.differences.add(answers)
        self.oracle.add(answers)
        if self.task == "chains":
            self.agreement.add_mentions(answers)
        elif self.task != "spans":
            self.agreement.add_words(answers)
        for name, slice_of in self._slicers.items():
            self._add_slice(name, slice_of(answers, places, self._slice_names[name]), answers)
        if self.wanted is not None:
            self.wanted.add(answers, places, self.systems, self)

    def add_spans(self, gold: Spans, systems: Sequence[tuple[Spans, tuple[Ints, Ints]]]) -> None:
        """The spans of all sides, whoever is right; with each system's, the rows of gold and its own that are equal."""
        self.agreement.add_spans(gold, systems)

    def _add_slice(self, name: str, of_unit: Ints, answers: Answers) -> None:
        """Count verdicts by slice, for every system."""
        kinds = {"spans": KINDS, "chains": ARCS_KINDS}.get(self.task, WORD_KINDS)
        names = tuple(self._slice_names[name].values)
        counts = np.bincount(of_unit[~answers.is_surplus], minlength=len(names)).tolist()
        self._slice_units[name].update(dict(zip(names, counts, strict=True)))
        for row, tallies in enumerate(self._sliced[name]):
            kind = self._kind(answers, row)
            units = answers.counted[kind[answers.counted] < len(kinds)]  # of spans, TN is no kind of count
            group = np.zeros(len(units), dtype=np.int64)
            nothing = np.full(len(units), -1)
            tallies.append(Tally.of(names, kinds, group, of_unit[units], nothing, kind[units]))

    def _kind(self, answers: Answers, row: int) -> Ints:
        """What a system has of every unit, as a kind of count."""
        if self.task == "chains":
            kind: Ints = answers.shown[row]
            return kind
        return answers.shown[row] & 15 if self.task == "spans" else np.where(answers.right[row], 0, 1)

    def slices(self) -> Mapping[str, tuple[Mapping[str, int], list[Tally]]]:
        """For every slicing, the gold standard's units by slice, and each system's tally with slices for labels."""
        return {
            name: (self._slice_units[name], [Tally.merge(parts) for parts in systems])
            for name, systems in self._sliced.items()
        }

    def gold(self, answers: Answers, places: Places, unit: int) -> tuple[str, str | None]:
        """The gold label of a unit, none for surplus, and the head of a word in a tree."""
        code = int(answers.told[unit])
        label = "" if code < 0 else self.labels[code]
        heads = answers.gold_head
        return label, None if heads is None else _head(answers, places, int(heads[unit]))

    def antecedent(self, answers: Answers, places: Places, unit: int) -> str | None:
        """Of mentions: the closest antecedent in the key."""
        found = answers.gold_antecedent
        return None if found is None else _mention(answers, places, int(found[unit]))

    def answer(self, answers: Answers, places: Places, system: int, unit: int) -> str:
        """What a system says of a unit; of trees, the relation and the head; of mentions, also their antecedent."""
        label = self.shown(int(answers.shown[system, unit]))
        if answers.gold_antecedent is not None:
            antecedent = _mention(answers, places, int(answers.part[system, unit]))
            return label if antecedent is None else f"{label} to {antecedent}"
        if answers.gold_head is None:
            return label
        head = _head(answers, places, int(answers.part[system, unit]))
        return label if label == head == "root" else f"{label} of {head}"

    def shown(self, code: int) -> str:
        """A tag or relation; or a verdict with the label that the system gave, where it gave one."""
        if self.task == "chains":
            return ARCS_KINDS[code]
        if self.task != "spans":
            return self.labels[code]
        kind, label = class_of(code)
        return kind if label < 0 or kind in ("FN", "TN") else f"{kind} {self.labels[label]}"


def _mention(answers: Answers, places: Places, unit: int) -> str | None:
    """The words of a mention, or where there are none, its place."""
    if unit < 0:
        return None
    return places.mention(int(answers.sentence[unit]), int(answers.start[unit]), int(answers.end[unit]))


def _head(answers: Answers, places: Places, head: int) -> str:
    if head < 0:
        return "root"
    return places.word(head) if head < answers.words else "another token"
