"""Tags of several annotators: as spans of one word each, whose labels are the codes of words, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import ints, ones
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tasks.words.labels import is_punctuation
from evenhand.tasks.words.universal import feature_set
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import FeatureSets, Spans, Tags

NO_TAG = "_"
"""The tag of a word to which nobody gives one that counts."""


def as_spans(
    annotation: Annotation, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> Annotation:
    """An annotation with a span for the tag of each word; punctuation has none where it does not count."""
    tags = annotation.word_tags(next(iter(read_as.columns), None))
    code = tags.code  # before their names, which are known when all tags of a file's cells are coded
    names = map(feature_set, tags.names) if isinstance(tags, FeatureSets) else tags.names
    label = ints([vocabulary.labels.code(name) for name in names])[code]
    corpus = annotation.corpus
    assert corpus.bounds is not None
    word = np.flatnonzero(~is_punctuation(settings["punctuation"], annotation))
    scope = ints(corpus.sentence_of[word])
    start = word - corpus.bounds[scope]
    spans = Spans.of(vocabulary, scope, start, start + ones(len(start)), label[word])
    return Annotation(corpus, {"spans": spans}, {"spans": annotation.reading}, annotation.name)


def as_tags(annotation: Annotation) -> Annotation:
    """The tags that spans of one word each stand for."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    labels = spans.vocabulary.labels.values
    code = np.full(corpus.token_count or 0, len(labels))
    code[corpus.bounds[spans.scope] + spans.start] = spans.label
    tags = Tags(code, (*labels, NO_TAG))
    return replace(annotation, layers={"tags": tags}, readings={"words": annotation.reading})
