"""The metrics of GermEval 2014, from counts by level and label.

A metric has its own set of entities: those of both levels (combined) or of one, with all 12 labels (strict) or with
the suffixes deriv and part cut off (loose). An entity is correct if the other side has one with the same tokens and
label on the same level.

- precision = correct / found, recall = correct / gold, F1 = 2 correct / (found + gold)
- accuracy of a level = tokens with the same tag / tokens; combined, the mean of the two levels

Any 0/0 is 0.

Sources: Benikova et al. 2014; GermEval 2014, the evaluation plan of the task.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints, empty, ints
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import Percentages, percentages, ratio

CLASSES = ("LOC", "ORG", "OTH", "PER")
SUFFIXES = ("", "deriv", "part")
LABELS = tuple(f"{name}{suffix}" for name in CLASSES for suffix in SUFFIXES)
LEVELS = ("outer", "inner")
TAGS = ("O", *(f"{prefix}-{label}" for prefix in "BI" for label in LABELS))
CLASS_OF = ints([place // len(SUFFIXES) for place in range(len(LABELS))])
"""The class of each label."""
LOOSE_TAG = ints([0, *(1 + place // len(SUFFIXES) * len(SUFFIXES) for place in range(len(TAGS) - 1))])
"""For each tag the one without suffix."""


@dataclass(frozen=True)
class Counts:
    """What is counted batch by batch; all of it adds up. Rows are levels."""

    gold: Ints
    """Entities of the gold standard, by level and label."""
    found: Ints
    correct: Ints
    loosely_correct: Ints
    """By level and class."""
    sentences: int
    tokens: int
    equal_tags: Ints
    """How many tokens have the same tag on both sides, by level."""
    loosely_equal_tags: Ints
    other_level: int
    """Predictions that are not correct, and would be on the other level."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


@dataclass(frozen=True)
class Score:
    """How many entities there are, were found and are correct; precision, recall and F1 follow from that."""

    gold: int
    found: int
    correct: int

    @property
    def precision(self) -> float:
        return float(ratio(self.correct, self.found))

    @property
    def recall(self) -> float:
        return float(ratio(self.correct, self.gold))

    @property
    def f1(self) -> float:
        return float(ratio(2 * self.correct, self.found + self.gold))

    @property
    def percentages(self) -> Percentages:
        """Precision, recall and F1 by the divisions of the task's script, so that ties are rounded alike."""
        return percentages(self.correct, self.found, self.gold)


@dataclass(frozen=True)
class Metric(Score):
    """A score over all labels, with the accuracy of the tags."""

    accuracy: float


class ByLevel(NamedTuple):
    """The scores of one label or class."""

    outer: Score
    inner: Score


def metrics(counts: Counts) -> dict[str, Metric]:
    """Metric 1 (strict), metric 2 (loose) and metric 3 (outer, inner), each with its accuracy (metric 4)."""
    gold, found, correct = (each.sum(axis=1) for each in (counts.gold, counts.found, counts.correct))
    accuracy = ratio(counts.equal_tags, counts.tokens)
    loosely_correct, loose_accuracy = counts.loosely_correct.sum(), ratio(counts.loosely_equal_tags, counts.tokens)
    return {
        "strict": Metric(int(gold.sum()), int(found.sum()), int(correct.sum()), float(np.mean(accuracy))),
        "loose": Metric(int(gold.sum()), int(found.sum()), int(loosely_correct), float(np.mean(loose_accuracy))),
        **{
            level: Metric(int(gold[row]), int(found[row]), int(correct[row]), float(accuracy[row]))
            for row, level in enumerate(LEVELS)
        },
    }


def by_label(counts: Counts) -> dict[str, ByLevel]:
    """Strict scores of the 12 labels."""
    return _by_level(LABELS, counts.gold, counts.found, counts.correct)


def by_class(counts: Counts) -> dict[str, ByLevel]:
    """Loose scores of the 4 classes."""
    gold, found = (_summed_by_class(each) for each in (counts.gold, counts.found))
    return _by_level(CLASSES, gold, found, counts.loosely_correct)


def _summed_by_class(by_label: Ints) -> Ints:
    summed: Ints = by_label.reshape(len(LEVELS), len(CLASSES), len(SUFFIXES)).sum(axis=2)
    return summed


def _by_level(names: tuple[str, ...], gold: Ints, found: Ints, correct: Ints) -> dict[str, ByLevel]:
    counts = np.stack((gold, found, correct), axis=2).tolist()
    return {name: ByLevel(*(Score(*level[place]) for level in counts)) for place, name in enumerate(names)}


# == scores/germeval_script.py: What the official script of GermEval 2014 counts (version of


_OUTSIDE = len(LABELS)
"""Stands for the label of a token outside entities."""
_CLASS_OF = np.append(CLASS_OF, len(CLASSES))


@dataclass(frozen=True)
class Causes:
    """Why the script's figures are others, as numbers of entities of both sides."""

    other_label: int = 0
    """An I- with another label than the tag before, which the script takes for the same entity."""
    sentence_end: int = 0
    """An I- that begins a sentence, which the script takes for the end of the last entity before."""
    file_end: int = 0
    """Entities on the last token of the file, right on both sides, which the script counts as wrong."""


class ScriptCounts:
    """What the official script of GermEval 2014 counts (version of 19 May 2014), which differs from the task's
    definition.

    The script reads the tags of a level from the first line of the file to the last, as if it were one sentence:

    - an entity begins at B-, and at I- after O; it ends before B- and before O. Neither a blank line nor another label
      on I- ends it. It counts, as gold or as found, for the label of its first token.
    - it is correct if both sides begin and end it at the same tokens and have the same label at every token of it; it
      then counts for the label of its last token. Loose: the same, with the suffixes deriv and part cut off.
    - an entity that no tag follows, since the file ends with it, is never correct.

    Sources: the script's behaviour; GermEval 2014, the evaluation plan of the task.
    """

    def __init__(self) -> None:
        self._levels = [_Level() for _ in LEVELS]

    def add(self, gold: Ints, system: Ints, sentence_starts: Ints) -> None:
        """The tags of the next batch as codes of `TAGS`, a row a level, and the tokens that begin its sentences."""
        for level, tags in zip(self._levels, zip(gold, system, strict=True), strict=True):
            level.add(np.stack(tags), sentence_starts)

    def counts(self, ours: Counts) -> Counts:
        """The script's counts; those that do not depend on what an entity is are ours."""
        levels = self._levels
        return replace(
            ours,
            gold=np.stack([level.entities[0] for level in levels]),
            found=np.stack([level.entities[1] for level in levels]),
            correct=np.stack([level.correct for level in levels]),
            loosely_correct=np.stack([level.loosely_correct for level in levels]),
        )

    def causes(self) -> Causes:
        """What makes these counts differ from ours."""
        levels = self._levels
        return Causes(
            sum(level.other_label for level in levels),
            sum(level.sentence_end for level in levels),
            sum(level.ends_with_the_file() for level in levels),
        )


class _Level:
    """One level. Rows are the gold standard and the prediction."""

    def __init__(self) -> None:
        self.entities = np.zeros((2, len(LABELS)), dtype=np.int64)
        self.correct = np.zeros(len(LABELS), dtype=np.int64)
        self.loosely_correct = np.zeros(len(CLASSES), dtype=np.int64)
        self.other_label = self.sentence_end = 0
        self._before = np.zeros((2, 1), dtype=np.int64)
        """The last tags of the batch before."""
        self._label = np.stack([empty(), empty()])
        self._cut = self._label.astype(np.bool_)
        """Tokens whose entities may go on in the next batch: labels, and where no entity is continued."""

    def add(self, tags: Ints, sentence_starts: Ints) -> None:
        before = np.concatenate((self._before, tags[:, :-1]), axis=1)
        self._before = tags[:, -1:]
        continues = (tags > len(LABELS)) & (before > 0)
        label, label_before = _label(tags), _label(before)
        self._note_causes(continues, label != label_before, sentence_starts)
        for side, begins in enumerate(~continues & (tags > 0)):
            self.entities[side] += np.bincount(label[side, begins], minlength=len(LABELS))
        self._label = np.concatenate((self._label, label), axis=1)
        self._cut = np.concatenate((self._cut, ~continues), axis=1)
        self._settle()

    def _note_causes(self, continues: Bools, is_other: Bools, sentence_starts: Ints) -> None:
        first = np.zeros(continues.shape[1], dtype=np.bool_)
        first[sentence_starts] = True
        self.sentence_end += int((continues & first).sum())
        self.other_label += int((continues & is_other & ~first).sum())

    def _settle(self) -> None:
        """Count what is correct before the last token at which neither side continues an entity; keep the others."""
        cuts = np.flatnonzero(self._cut.any(axis=0))
        begin, end = cuts[:-1], cuts[1:]
        is_common = self._cut[:, begin].all(axis=0) & self._cut[:, end].all(axis=0) & (self._label[0, begin] < _OUTSIDE)
        begin, end = begin[is_common], end[is_common]
        self.correct += _counted(self._label, begin, end, len(LABELS))
        self.loosely_correct += _counted(_CLASS_OF[self._label], begin, end, len(CLASSES))
        kept = np.flatnonzero(self._cut.all(axis=0))
        if len(kept):
            self._label, self._cut = self._label[:, kept[-1] :], self._cut[:, kept[-1] :]

    def ends_with_the_file(self) -> bool:
        """Whether both sides have the same entity on the last token, suffixes aside."""
        gold, system = _CLASS_OF[self._label]
        is_entity = len(gold) and (self._label < _OUTSIDE).all() and not self._cut[:, 1:].any()
        return bool(is_entity and (gold == system).all())


def _label(tags: Ints) -> Ints:
    """The label of each tag, as its place in `LABELS`."""
    return np.where(tags > 0, (tags - 1) % len(LABELS), _OUTSIDE)


def _counted(label: Ints, begin: Ints, end: Ints, labels: int) -> Ints:
    """How many of the entities have equal labels on both sides at every token, by the label of the last one."""
    differing = np.append(0, np.cumsum(label[0] != label[1]))
    right = differing[begin] == differing[end]
    return np.bincount(label[0, end[right] - 1], minlength=labels)
