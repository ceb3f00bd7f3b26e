"""A task that says nothing about how it is shown: every sentence has a topic, the label of its first span."""

from __future__ import annotations

from evenhand.plugins import (
    LABELS,
    Annotation,
    Example,
    Measure,
    MeasureSelection,
    Spans,
    Task,
    Vocabulary,
    label_accuracy,
    labeled_units,
    sentence_units,
)


def topics(annotation: Annotation, vocabulary: Vocabulary) -> Spans:
    """Every sentence with its topic."""
    labels = ["none"] * annotation.corpus.sentences
    for label, sentence, *_ in reversed(annotation.spans().rows()):
        labels[sentence] = label
    return sentence_units(annotation.corpus, labels, vocabulary)


TOPICS = Task(
    name="topics",
    title="topics of sentences",
    unit="sentence",
    example=Example("ner", "gold.conll", ("crf.conll",)),
    measures=(Measure("accuracy", "topics", LABELS, label_accuracy, "foreign"),),
    selection=MeasureSelection.of("accuracy"),
    evaluation=labeled_units(topics),
)
