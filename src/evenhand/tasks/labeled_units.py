"""Evaluation for tasks with predefined units that each get one label.

Sentences with a label, documents with a class, given mentions with a type: gold standard and systems have the same
units, and a prediction is correct if its label is. A task defines its units (`units`) as labeled spans; alignment,
error types (right, wrong, missing), comparisons and the page come from here. `--labels` and `--exclude` select units by
their gold label, as for words: any other predicted label is wrong, whether it is selected or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

import numpy as np

from evenhand.arrays import Bools, Ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.evaluation import EvaluationRequest, LabelFilter, Numbering, Outcome, VerdictRows
from evenhand.tasks.spans.comparison import SpanDrawing
from evenhand.tasks.spans.evaluation import Portion, Portions
from evenhand.tasks.spans.matching import equal_keys
from evenhand.tasks.units import Locations, Predictions, Units
from evenhand.tasks.words.comparison import word_predictions, word_units
from evenhand.tasks.words.matching import UnitPair
from evenhand.tasks.words.measures import MISSING, TAG_KINDS

KINDS = (*TAG_KINDS, MISSING)
"""The error types of units."""
UnitsOf = Callable[[Annotation, Vocabulary], Spans]
"""The units of a batch, as spans with labels."""


class LabeledUnitEvaluator:
    """One pass over the gold standard and all systems."""

    def __init__(self, request: EvaluationRequest, scorer: str, units: UnitsOf) -> None:
        """`scorer` is the name of the counts, and `units` returns the units of a batch."""
        self._asked, self._judge_name, self._units = request, scorer, units
        opened = (request.sides.gold, *request.sides.systems.values())
        self._portions = Portions(request, [self._as_spans(open_side()) for open_side in opened], ("spans", "spans"))
        systems, settings = request.sides.systems, request.settings
        self._relabel = {name: LabelFilter(settings, "system", name, chooses=False) for name in systems}
        self._relabel_gold = LabelFilter(settings, "gold", "gold", chooses=False)

    def _as_spans(self, stream: Iterator[Annotation]) -> Iterator[Annotation]:
        """Batches with the units as spans."""
        for batch in stream:
            units = self._units(batch, self._asked.vocabulary)
            readings = {"spans": batch.reading}
            yield replace(batch, layers={**batch.layers, "spans": units}, readings=readings)

    def evaluations(self, number: Numbering) -> Iterator[LabeledUnitEvaluation]:
        yield from map(self._judge, self._portions.take(number))

    def finish(self) -> Outcome:
        return Outcome()

    def _judge(self, portion: Portion) -> LabeledUnitEvaluation:
        asked, names = self._asked, self._asked.vocabulary.labels.values
        gold = self._relabel_gold(portion.gold(keeps_tags=False).spans)
        counted = self._counted(gold)
        asked.gold_count.add(gold.label[counted], names)
        evaluation = LabeledUnitEvaluation(portion, [gold.take(np.flatnonzero(counted))])
        for name, feed in self._portions.feeds.items():
            system = self._relabel[name](portion.take(feed).spans)
            units = UnitPair(
                _same_bounds(gold, system),
                *(gold.label, system.label, counted, self._counted(system)),
                *(gold.scope, gold.start, gold.end, system.scope, portion.groups),
            )
            side, kept = asked.system_counts[name], np.flatnonzero(units.system_counted)
            side.add(system.label[kept], names)
            side.missing += len(gold) - len(units.rows[0])
            evaluation.sides.append(system.take(kept))
            evaluation.systems[name], evaluation.tallies[name] = units, {}
            if asked.asks(self._judge_name):
                matches = units.matches(TAG_KINDS, units.is_wrong)
                evaluation.tallies[name][self._judge_name] = matches.tally(names, portion.groups)
        return evaluation

    def _counted(self, units: Spans) -> Bools:
        """Which units count, by their labels."""
        names = self._asked.vocabulary.labels.values
        return np.array([self._asked.settings.chooses(name) for name in names], dtype=np.bool_)[units.label]


def _same_bounds(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of units that both sides have."""
    return equal_keys(*pack((gold.scope, system.scope), (gold.start, system.start), (gold.end, system.end)))


@dataclass
class LabeledUnitEvaluation:
    """The evaluation of one part."""

    portion: Portion
    sides: list[Spans]
    """The selected units of the gold standard and of every system."""
    systems: dict[str, UnitPair] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def locations(self) -> Locations:
        return self.portion.locations

    def answers(self, by: str) -> Predictions:
        return word_predictions(by, list(self.systems.values()))

    def units(self, by: str) -> Units:
        return word_units(by, list(self.systems.values()))

    def drawing(self) -> SpanDrawing:
        return SpanDrawing(self.sides)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        return self.portion.rows(word_units(judge, [self.systems[system]]))
