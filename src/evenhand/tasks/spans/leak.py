"""Leakage: what a reader still sees of sensitive text if everything that a system marks is made illegible.

Labels and levels do not protect: an atom (a token, or a character that is no space) is covered by any span of the
system. G are the atoms in gold spans, S those in system spans, A all atoms of the text.

- Atoms: `sensitive` = |G|, `leaked` = |G \\ S|, leak_rate = leaked / sensitive. An atom under several labels counts for
  each of them, and once overall.
- Gold spans are `covered`, `partial` or `exposed`: all, some or none of their atoms are in S. Tokens in the gaps of a
  span do not belong to it. The headline is recall = covered / gold spans.
- Too much: `redacted` = |S|, `over` = |S \\ G|, over_rate = over / redacted, over_text = over / (|A| - |G|).
- `values` are the different triples of document, label and words in lower case; `values_safe` are those all of whose
  mentions are covered. One mention that is left tells the reader.
- `documents` are those with gold spans; `documents_safe` are those of which nothing leaked.

Any 0/0 is 0. What the system has more than the gold standard, and documents, have no label. Without words in the files
there are no values, and without the lengths of sentences no over_text.

Source: values are after Pilán et al. 2022, who ask that all mentions of an entity be masked; all else is sets of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, ranges
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.spans.kinds import COVERED, EXPOSED, PARTIAL, STATES
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.segments import runs
from evenhand.tasks.spans.token_separator import Text
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

    row: Ints
    """The gold span of every atom that is in one, span by span."""
    atom: Ints
    """The places of these atoms."""
    in_gold: Bools
    in_system: Bools
    text: Text

    @staticmethod
    def of(gold: Spans, system: Spans, text: Text) -> Cover:
        (row, atom), (_, other) = _atoms(gold, text), _atoms(system, text)
        size = max(int(places.max(initial=-1)) for places in (atom, other)) + 1
        in_gold, in_system = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
        in_gold[atom] = in_system[other] = True
        return Cover(row, atom, in_gold, in_system, text)

    def states(self, count: int) -> Ints:
        """Whether the system covers all, some or none of the atoms of each gold span, as codes of `STATES`."""
        size = np.bincount(self.row, minlength=count)
        met = np.bincount(self.row[self.in_system[self.atom]], minlength=count)
        return np.where(met == size, COVERED, np.where(met > 0, PARTIAL, EXPOSED))

    def counted(self, label_of: Ints) -> Iterator[Counted]:
        """Atoms of either side, and those of one side only; `label_of` has the label of every gold span."""
        size = len(self.in_gold)
        label, labeled = np.divmod(distinct(label_of[self.row] * size + self.atom), max(1, size))
        once = np.flatnonzero(self.in_gold)
        for kind, seen in (("sensitive", self.in_gold), ("leaked", ~self.in_system)):
            rows = np.flatnonzero(seen[labeled])
            scope = self.text.scope_of(labeled[rows])
            yield Counted(kind, scope, label[rows])
            if len(once) < len(labeled):  # what several labels have counts once in the sum
                yield Counted(kind, scope, count=-1)
                yield Counted(kind, self.text.scope_of(once[seen[once]]))
        yield Counted("redacted", self.text.scope_of(np.flatnonzero(self.in_system)))
        yield Counted("over", self.text.scope_of(np.flatnonzero(self.in_system & ~self.in_gold)))


def _atoms(spans: Spans, text: Text) -> tuple[Ints, Ints]:
    """The row and the place of every atom of spans; what reaches beyond the text is left to the next portion."""
    found = runs(replace(spans, label=np.arange(len(spans))), text.first, "token")
    if text.lengths is not None:
        found = found.before(int(text.lengths.sum()))
    length = found.end - found.begin
    return np.repeat(found.label, length), ranges(found.begin, length)


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
