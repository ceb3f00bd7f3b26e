"""Sentence labels: a system is right about a sentence if it has the label of the gold standard.

accuracy = right sentences / sentences

Source: this package.
"""

from __future__ import annotations

from evenhand.plugins import (
    LABELS,
    Annotation,
    Example,
    Measure,
    MeasureSelection,
    Spans,
    Tags,
    Task,
    Vocabulary,
    label_accuracy,
    labeled_units,
    lazy,
    sentence_units,
)
from evenhand_example.json_document import SENTENCE_LABELS


def units(annotation: Annotation, vocabulary: Vocabulary) -> Spans:
    """Every sentence, with its label."""
    labels = annotation[SENTENCE_LABELS]
    assert isinstance(labels, Tags)
    return sentence_units(annotation.corpus, [labels.names[code] for code in labels.code.tolist()], vocabulary)


TASK = Task(
    name="sentences",
    title="sentence labels",
    unit="sentence",
    example=Example("sentences", "gold.jdoc", ("rules.jdoc", "model.jdoc"), "evenhand_example", "--task sentences"),
    measures=(Measure("accuracy", "sentences", LABELS, label_accuracy, "evenhand_example.sentences"),),
    selection=MeasureSelection.of("accuracy"),
    evaluation=labeled_units(units, notes=lazy("evenhand.plugins:label_notes")),
)
