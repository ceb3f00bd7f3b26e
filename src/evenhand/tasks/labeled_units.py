"""Evaluation for tasks with predefined units that each get one label.

Sentences with a label, documents with a class, given mentions with a type: gold standard and systems have the same
units, and a prediction is correct if its label is. A task defines its units (`units`) as labeled spans; alignment,
error types (right, wrong, missing), comparisons and the page come from here. `--labels` and `--exclude` select units by
their gold label, as for words: any other predicted label is wrong, whether it is selected or not.

Tasks declare it as `tasks.task.labeled_units`, with the scorer `LABELS` and the formula `label_accuracy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace

import numpy as np

from evenhand.alignment.parts import Alignment
from evenhand.arrays import Bools, Ints, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, Measure
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, LabelFilter, Part
from evenhand.tasks.spans.comparison import drawn_spans
from evenhand.tasks.spans.evaluation import align_streams
from evenhand.tasks.spans.matching import equal_keys
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import Predictions, SentenceView
from evenhand.tasks.words.comparison import word_predictions
from evenhand.tasks.words.matching import UnitPair
from evenhand.tasks.words.measures import LABELS, TAG_KINDS


def align(request: EvaluationRequest, units: Callable[[Annotation, Vocabulary], Spans]) -> Alignment:
    """Open the gold standard and all systems, to be read in step; `units` returns the units of a batch."""

    def as_spans(batches: Iterator[Annotation]) -> Iterator[Annotation]:
        for batch in batches:
            layers = {**batch.layers, "spans": units(batch, request.vocabulary)}
            yield replace(batch, layers=layers, readings={"spans": batch.reading})

    systems = {name: as_spans(open_side()) for name, open_side in request.sides.systems.items()}
    return align_streams(request, as_spans(request.sides.gold()), systems)


def sentence_units(corpus: Corpus, labels: Sequence[str], vocabulary: Vocabulary) -> Spans:
    """Every sentence as a unit with its label."""
    assert corpus.lengths is not None
    code, sentences = ints([vocabulary.labels.code(label) for label in labels]), np.arange(corpus.sentences)
    return Spans.of(vocabulary, sentences, np.zeros_like(sentences), corpus.lengths, code)


def evaluate(part: Part, request: EvaluationRequest) -> LabeledUnitEvaluation:
    """Count the units of a part, one system after the other."""
    settings, vocabulary, names = request.settings, request.vocabulary, request.vocabulary.labels.values
    gold = LabelFilter(settings, "gold", "gold", chooses=False)(part.spans("spans", vocabulary))
    counted = _is_counted(gold, request)
    evaluation = LabeledUnitEvaluation(part=part, sides=[gold.take(np.flatnonzero(counted))])
    evaluation.gold_count.add(gold.label[counted], names)
    for name, aligned in part.systems.items():
        system = LabelFilter(settings, "system", name, chooses=False)(aligned.spans.into(vocabulary))
        pair = UnitPair(
            _same_bounds(gold, system),
            *(gold.label, system.label, counted, _is_counted(system, request)),
            *(gold.scope, gold.start, gold.end, system.scope, part.groups),
        )
        kept = system.take(np.flatnonzero(pair.system_counted))
        evaluation.system_counts[name].add(kept.label, names)
        evaluation.system_counts[name].missing = len(gold) - len(pair.rows[0])
        evaluation.sides.append(kept)
        evaluation.pairs[name], evaluation.tallies[name] = pair, {}
        evaluation.aligned[name] = gold, system
        if request.asks(LABELS.name):
            evaluation.tallies[name][LABELS.name] = pair.matches(TAG_KINDS, pair.is_wrong).tally(names, part.groups)
    return evaluation


def _is_counted(units: Spans, request: EvaluationRequest) -> Bools:
    """Which units count, by their labels."""
    names = request.vocabulary.labels.values
    return np.array([request.settings.chooses(name) for name in names], dtype=np.bool_)[units.label]


def _same_bounds(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """The rows of units that both sides have."""
    return equal_keys(*pack((gold.scope, system.scope), (gold.start, system.start), (gold.end, system.end)))


@dataclass(kw_only=True)
class LabeledUnitEvaluation(Evaluation):
    """The units of a part and their error types."""

    sides: list[Spans]
    """The selected units of the gold standard and of every system."""
    aligned: dict[str, tuple[Spans, Spans]] = field(default_factory=dict)
    """All units of the gold standard and of each system, by system."""

    def predictions(self, by: str, pairs: Sequence[UnitPair]) -> Predictions:
        return word_predictions(by, pairs)

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        pair: UnitPair = self.pairs[system]
        matches, side = pair.matches(TAG_KINDS, pair.is_wrong), self.aligned[system]
        rows = matches.kind, matches.gold, matches.system
        return UnitRows.of_pairs(matches.kinds, *rows, *side).under(formula)

    def drawing(self, by: str) -> SentenceView:
        return SentenceView(list(map(drawn_spans, self.sides)))
