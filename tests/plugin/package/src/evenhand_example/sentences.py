"""Sentence labels: a system is right about a sentence if its label is that of the gold standard.

accuracy = right sentences / sentences

Source: this package.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.registry import lazy
from evenhand.scoring.measure import Formula, Measure, Scorer
from evenhand.settings import ScoreSettings
from evenhand.tasks.labeled_units import KINDS, LabeledUnitPassage
from evenhand.tasks.task import ComparisonSpec, ErrorTypes, EvaluationSpec, Example, InputSpec, MeasureSelection, Task
from evenhand.tasks.words.measures import TAG_KINDS, by_label
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
    return by_label(name, "sentences", TAG_KINDS, ("right",), settings, confuses=True)


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
        evaluator=partial(LabeledUnitPassage, judge="sentences", units=units),
        notes=lazy("evenhand.tasks.words.measures:notes"),
    ),
    error_types=ErrorTypes(
        all=KINDS,
        correct=lambda by: ("right",),
    ),
    comparison=ComparisonSpec(
        unit_scorers=("sentences",),
    ),
)
