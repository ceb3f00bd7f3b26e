"""A task that says nothing about how it is shown: every sentence has a topic, the label of its first span."""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.plugins import (
    LABELED_UNIT_TYPES,
    RIGHT_OR_WRONG,
    Annotation,
    ErrorTypes,
    EvaluationSpec,
    Example,
    Formula,
    LabeledUnitEvaluator,
    Measure,
    MeasureSelection,
    Scorer,
    ScoreSettings,
    Spans,
    Task,
    Vocabulary,
    by_label,
)


def topics(annotation: Annotation, vocabulary: Vocabulary) -> Spans:
    """Every sentence as a span, with its topic."""
    corpus, first = annotation.corpus, dict[int, str]()
    for label, sentence, *_ in annotation.spans().rows():
        first.setdefault(sentence, label)
    names = [first.get(sentence, "none") for sentence in range(corpus.sentences)]
    code = np.array([vocabulary.labels.code(name) for name in names], dtype=np.int64)
    assert corpus.lengths is not None
    start = np.zeros(corpus.sentences, dtype=np.int64)
    return Spans.of(vocabulary, np.arange(corpus.sentences), start, corpus.lengths, code)


def _accuracy(name: str, settings: ScoreSettings) -> Formula:
    return by_label(name, "topics", RIGHT_OR_WRONG, ("right",), settings, confuses=True)


TOPICS = Task(
    name="topics",
    title="topics of sentences",
    unit="sentence",
    example=Example("ner", "gold.conll", ("crf.conll",)),
    measures=(Measure("accuracy", "topics", Scorer("topics"), _accuracy, "foreign"),),
    selection=MeasureSelection(
        scored=lambda content: ("accuracy",),
        ranked=lambda content: ("accuracy",),
        compared=("accuracy",),
        reported=("accuracy",),
    ),
    evaluation=EvaluationSpec(evaluator=partial(LabeledUnitEvaluator, scorer="topics", units=topics)),
    error_types=ErrorTypes(all=LABELED_UNIT_TYPES, correct=lambda by: ("right",)),
)
