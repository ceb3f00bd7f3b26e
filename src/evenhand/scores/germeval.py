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

from dataclasses import fields
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.scores.prf import Percentages, percentages, ratio

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
