"""Leakage: what a reader still sees of sensitive text if everything that a system marks is made illegible.

Labels and levels do not protect: an atom (a token, or a character that is no space) is covered by any span of the
system. G are the atoms in gold spans, S those in system spans, A all atoms of the text.

- Atoms: `sensitive` = |G|, `leaked` = |G \\ S|, leak_rate = leaked / sensitive. An atom under several labels counts for
  each of them, and once overall.
- Gold spans are `covered`, `partial` or `exposed`: all, some or none of their atoms are in S. Tokens in the gaps of a
  span do not belong to it. The headline is recall = covered / gold spans.
- Too much: `redacted` = |S|, `over` = |S \\ G|, over_rate = over / redacted, over_text = over / (|A| - |G|).
- `values` are the different triples of document, label and words in lower case; `values_safe` are those all of whose
  mentions are covered. One uncovered mention is enough for a reader. values_safe_share = values_safe / values.
- `documents` are those with gold spans; `documents_safe` are those of which nothing leaked.
  documents_safe_share = documents_safe / documents.

Any 0/0 is 0. What the system has more than the gold standard, and documents, have no label. Without words in the files
there are no values, and without the lengths of sentences no over_text.

Source: values are after Pilán et al. 2022, who ask that all mentions of an entity be masked; all else is sets of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, empty
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.spans.kinds import COVERED, EXPOSED, PARTIAL, STATES
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.segments import Runs, runs, segments
from evenhand.tasks.spans.token_separator import Text, within_scopes
from evenhand.tasks.spans.values import SystemValues
from evenhand.text.layers import Spans

LEAK_KINDS = (
    *(*STATES, "sensitive", "leaked", "redacted", "over"),
    *("values", "values_safe", "documents", "documents_safe", "atoms", "worded"),
)
"""The counts, the atoms of the text, and the sentences whose words are known."""
_KIND = {name: code for code, name in enumerate(LEAK_KINDS)}
_NO_LABEL = -1


@dataclass(frozen=True)
class Counted:
    """Counts of one kind: the sentence, the label and the number of each; one label or number may be for all."""

    kind: str
    scope: Ints
    label: Ints | int = _NO_LABEL
    count: Ints | int = 1


@dataclass(frozen=True)
class Cover:
    """Which atoms of a portion are in spans of either side."""

    gold: Runs
    """The runs of atoms in gold spans, with the rows of the spans for labels."""
    in_gold: Bools
    in_system: Bools
    text: Text

    @staticmethod
    def of(gold: Spans, system: Spans, text: Text) -> Cover:
        mine, theirs = _runs(gold, text), _runs(system, text)
        size = max(int(each.end.max(initial=0)) for each in (mine, theirs))
        return Cover(mine, _in_runs(mine, size), _in_runs(theirs, size), text)

    def states(self, count: int) -> Ints:
        """Whether the system covers all, some or none of the atoms of each gold span, as codes of `STATES`."""
        gold = self.gold
        size, met = (
            np.bincount(gold.label, each, minlength=count) for each in (gold.end - gold.begin, self._covered(gold))
        )
        return np.where(met == size, COVERED, np.where(met > 0, PARTIAL, EXPOSED))

    def counted(self, label_of: Ints) -> Iterator[Counted]:
        """Atoms of either side, and those of one side only; `label_of` has the label of every gold span."""
        gold = within_scopes(replace(self.gold, label=label_of[self.gold.label]), self.text)
        if (gold.begin[1:] < gold.end[:-1]).any():
            gold = _once_a_label(gold)
        scope, length = self.text.scope_of(gold.begin), gold.end - gold.begin
        is_repeated = length.sum() > np.count_nonzero(self.in_gold)
        exposed = self.in_gold & ~self.in_system
        for kind, atoms, count in (
            ("sensitive", self.in_gold, length),
            ("leaked", exposed, length - self._covered(gold)),
        ):
            rows = np.flatnonzero(count)
            yield Counted(kind, scope[rows], gold.label[rows], count[rows])
            if is_repeated:  # what several labels have counts once in the sum
                yield Counted(kind, scope[rows], count=-count[rows])
                yield self._by_scope(kind, atoms)
        yield self._by_scope("redacted", self.in_system)
        yield self._by_scope("over", self.in_system & ~self.in_gold)

    def _covered(self, gold: Runs) -> Ints:
        """How many atoms of each run are in spans of the system."""
        found: Ints = self._before[gold.end] - self._before[gold.begin]
        return found

    @cached_property
    def _before(self) -> Ints:
        """How many atoms in spans of the system stand before each place."""
        return _counted_before(self.in_system)

    def _by_scope(self, kind: str, atoms: Bools) -> Counted:
        bounds = np.minimum(np.append(self.text.first, len(atoms)), len(atoms))
        count = np.diff(_counted_before(atoms)[bounds])
        scope = np.flatnonzero(count)
        return Counted(kind, scope, count=count[scope])


def _runs(spans: Spans, text: Text) -> Runs:
    """The runs of atoms in spans; what reaches beyond the text is left to the next portion."""
    found = runs(replace(spans, label=np.arange(len(spans))), text.first, "token")
    return found if text.lengths is None else found.before(int(text.lengths.sum()))


def _in_runs(found: Runs, size: int) -> Bools:
    """Which of the first atoms are in runs, so many of them."""
    begins, ends = (np.bincount(places, minlength=size + 1) for places in (found.begin, found.end))
    return np.cumsum(begins - ends)[:size] > 0


def _once_a_label(found: Runs) -> Runs:
    """Runs that share no atoms with others of their labels, for runs that may."""
    parts = segments(found, found.take(empty()))
    return Runs(parts.begin, parts.begin + parts.length, parts.label)


def _counted_before(atoms: Bools) -> Ints:
    return np.append(0, np.cumsum(atoms))


def leak(question: Question) -> Tally:
    """The counts of a portion."""
    (gold, system), text = question.covering, question.text
    cover = Cover.of(gold, system, text)
    state = cover.states(len(gold))
    counted = [Counted(kind, gold.scope[state == code], gold.label[state == code]) for code, kind in enumerate(STATES)]
    counted += cover.counted(gold.label)
    if text.lengths is not None:
        counted.append(Counted("atoms", np.arange(len(text.lengths)), count=text.lengths))
    if question.values is not None:
        counted += _of_values(question.values, gold.scope, state != COVERED)
        words = question.values.here.has_words
        counted += [Counted("worded", np.arange(len(question.groups)))] if words else []
    return _tally(counted, question)


def states(question: Question) -> Ints:
    """What becomes of each gold span, as codes of `STATES`."""
    gold, system = question.covering
    return Cover.of(gold, system, question.text).states(len(gold))


def _of_values(values: SystemValues, scope: Ints, is_exposed: Bools) -> Iterator[Counted]:
    """Values and documents that are met first here, and those that are exposed first here."""
    new, exposed = values.first_met(), values.first_exposed(is_exposed)
    for label, row, change in ((*new, 1), (*exposed, -1)):
        for kind, chosen in (("documents", label < 0), ("values", label >= 0)):
            if change > 0:
                yield Counted(kind, scope[row[chosen]], label[chosen])
            yield Counted(f"{kind}_safe", scope[row[chosen]], label[chosen], change)


def _tally(counted: Sequence[Counted], question: Question) -> Tally:
    sizes = [len(each.scope) for each in counted]
    scope = np.concatenate([each.scope for each in counted])
    label, count = (
        np.concatenate([np.broadcast_to(value, size) for value, size in zip(values, sizes, strict=True)])
        for values in ([each.label for each in counted], [each.count for each in counted])
    )
    kind = np.repeat([_KIND[each.kind] for each in counted], sizes)
    nothing = np.full(len(scope), _NO_LABEL)
    labels = question.gold.vocabulary.labels.values
    return Tally.of(labels, LEAK_KINDS, question.groups[scope], label, nothing, kind, count)
