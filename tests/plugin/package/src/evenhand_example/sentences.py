"""Sentence labels: a system is right about a sentence if it has the label of the gold standard.

accuracy = right sentences / sentences

Source: this package.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.plugins import (
    LABELED_UNIT_TYPES,
    RIGHT_OR_WRONG,
    Annotation,
    ComparisonSpec,
    ErrorTypes,
    EvaluationSpec,
    Example,
    Formula,
    InputSpec,
    LabeledUnitEvaluator,
    Measure,
    MeasureSelection,
    Scorer,
    ScoreSettings,
    Spans,
    Tags,
    Task,
    Vocabulary,
    by_label,
    lazy,
)
from evenhand_example.json_document import LABELS


def units(annotation: Annotation, vocabulary: Vocabulary) -> Spans:
    """Every sentence, with its label."""
    labels, corpus = annotation[LABELS], annotation.corpus
    assert isinstance(labels, Tags)
    code = np.array([vocabulary.labels.code(name) for name in labels.names], dtype=np.int64)[labels.code]
    start = np.zeros(corpus.sentences, dtype=np.int64)
    assert corpus.lengths is not None
    return Spans.of(vocabulary, np.arange(corpus.sentences), start, corpus.lengths, code)


def _accuracy(name: str, settings: ScoreSettings) -> Formula:
    return by_label(name, "sentences", RIGHT_OR_WRONG, ("right",), settings, confuses=True)


TASK = Task(
    name="sentences",
    title="sentence labels",
    unit="sentence",
    example=Example("sentences", "gold.jdoc", ("rules.jdoc", "model.jdoc"), "evenhand_example", "--task sentences"),
    measures=(Measure("accuracy", "sentences", Scorer("sentences"), _accuracy, "evenhand_example.sentences"),),
    selection=MeasureSelection(
        scored=lambda content: ("accuracy",),
        ranked=lambda content: ("accuracy",),
        compared=("accuracy",),
        reported=("accuracy",),
    ),
    input=InputSpec(
        detects=lambda annotation: False,
    ),
    evaluation=EvaluationSpec(
        evaluator=partial(LabeledUnitEvaluator, scorer="sentences", units=units),
        notes=lazy("evenhand.plugins:label_notes"),
    ),
    error_types=ErrorTypes(
        all=LABELED_UNIT_TYPES,
        correct=lambda by: ("right",),
    ),
    comparison=ComparisonSpec(
        unit_scorers=("sentences",),
    ),
)
