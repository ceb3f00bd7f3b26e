"""Tags of several annotators: as spans of one word each, whose labels are the codes of words, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from evenhand.alignment.words import Aligned, Words
from evenhand.arrays import Bools, Ints, ints, ones
from evenhand.data.annotation import Annotation
from evenhand.data.layers import FeatureSets, Spans, Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tasks.evaluation import EvaluationRequest
from evenhand.tasks.words.evaluation import (
    JudgedUnits,
    UnitVerdicts,
    WordLabelFilter,
    WordPassage,
    counted_words,
    is_punctuation,
)
from evenhand.tasks.words.measures import TAG_KINDS
from evenhand.tasks.words.scores import feature_set

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


# == tasks/tags/judge.py: Tags of words: a word is right if the system gives its word


def passage(asked: EvaluationRequest) -> WordPassage:
    columns = {side: next(iter(asked.read_as[side].columns), None) for side in ("gold", "system")}
    layers = ("tags", "upos", "xpos", *map(str, columns.values()))
    judges = {name: TagJudge(asked, name) for name in asked.sides.systems}
    return WordPassage(asked, layers, judges)


class TagJudge:
    """Tags of words: a word is right if the system gives its word the same tag.

    - `accuracy` = right words / words of the gold standard that count. Where the system has no word for one of them, as
      its tokens differ, that word is wrong (`missing`); words that only the system has (`extra`) count for the
      precision of their tags.
    - For each tag: precision = right / words to which the system gives the tag, recall = right / words that have it,
      F1.
    - A sentence is fully correct if all its words that count are right. Sentences without any are left out.

    Features (`--column feats`) are compared as sets: `Case=Nom|Number=Sing` is `Number=Sing|Case=Nom`, and a feature
    that is written twice counts once. Values are compared as they stand, `PronType=Int,Rel` too. Tables sort them.

    `--labels` and `--exclude` choose the words that count, by their tag in the gold standard.

    Sources: Tuggener 2017, section 2.1 (Table 3), for accuracy and correct sentences.
    """

    def __init__(self, asked: EvaluationRequest, name: str) -> None:
        self._settings, self._table = asked.settings, asked.vocabulary.labels
        self._asks = bool(asked.judges)
        self._columns = {side: next(iter(asked.read_as[side].columns), None) for side in ("gold", "system")}
        coder = asked.vocabulary.columns["scored"]
        self._names, self._feature_sets = dict[str, WordLabelFilter](), dict[str, WordLabelFilter]()
        for side, whose in (("gold", "gold"), ("system", name)):
            maps = asked.settings.new_names(side, whose)
            of_sets = {feature_set(old): feature_set(new) for old, new in maps.items()}
            self._names[side] = WordLabelFilter(coder, self._table, partial(_mapped, maps))
            self._feature_sets[side] = WordLabelFilter(coder, self._table, partial(_mapped_set, of_sets))

    def labels(self, words: Words, side: str) -> Ints:
        tags, settings = words.annotation.word_tags(self._columns[side]), self._settings
        if isinstance(tags, FeatureSets):
            labels, exclude = (tuple(map(feature_set, chosen)) for chosen in (settings.labels, settings.exclude))
            self._settings = replace(settings, labels=labels, exclude=exclude)
            return self._feature_sets[side](tags)
        return self._names[side](tags)

    def counted(self, words: Words, labels: Ints) -> Bools:
        return counted_words(self._settings, words, labels, self._table.values)

    def heads(self, aligned: Aligned) -> None:
        return None

    def judge(self, words: JudgedUnits) -> tuple[dict[str, Tally], UnitVerdicts | None]:
        if not self._asks:
            return {}, None
        found = words.verdicts(TAG_KINDS, words.is_wrong)
        tallies = {
            "tags": found.tally(self._table.values, words.groups),
            "sentences": found.sentence_tally({"accuracy": ("right",)}, words.groups),
        }
        return tallies, found


def _mapped(maps: Mapping[str, str], tag: str) -> str:
    return maps.get(tag, tag)


def _mapped_set(maps: Mapping[str, str], tag: str) -> str:
    """The same for features, which are the same in any order."""
    features = feature_set(tag)
    return maps.get(features, features)
