"""Features of words (`Case=Nom`), compared one by one: the measure `features` of tags.

A feature of the gold standard is TP if the system's words for this word have it, else FN; other features of these words
are FP. All count under the name of the feature (`Case`). Words that the gold standard leaves without features do not
count on either side. A tag without an equals sign is a feature of its own. If several of the system's words belong to
one gold word (`--align overlap`), their features are one set.

precision = TP / (TP + FP), recall = TP / (TP + FN), F1 = 2 · TP / (2 · TP + FP + FN).

Source: Honnibal et al. 2020, `Scorer.score_token_attr_per_feat` of spaCy 3.8.18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints, pack, ranges
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.words.matching import UnitPair

KINDS = ("TP", "FP", "FN")
_TP, _FP, _FN = range(len(KINDS))
_NO_FEATURES = "_"


@dataclass(frozen=True)
class FeatureMatches:
    """One row per feature of a word: its error type, and the feature."""

    features: tuple[str, ...]
    feature: Ints
    kind: Ints
    sentence: Ints
    """The gold standard's sentence."""
    word: Ints
    """The gold word; -1 for words that only the system has."""

    def tally(self, groups: Ints) -> Tally:
        """Counts by the name of the feature; `groups` is the group of each sentence."""
        names = [feature.partition("=")[0] for feature in self.features]
        fields = tuple(dict.fromkeys(names))
        label = ints([fields.index(name) for name in names])[self.feature]
        gold, system = np.where(self.kind == _FP, -1, label), np.where(self.kind == _FN, -1, label)
        return Tally.of(fields, KINDS, groups[self.sentence], gold, system, self.kind)

    def rows(self, pair: UnitPair, labels: StringIndex[str]) -> UnitRows:
        """The features as rows at the positions of their gold words."""
        label = labels.codes(list(self.features))[self.feature]
        start, end = (np.append(column, -1)[self.word] for column in (pair.start, pair.end))
        gold, system = np.where(self.kind == _FP, -1, label), np.where(self.kind == _FN, -1, label)
        rows = UnitRows.of(KINDS, self.kind, Places.of(self.sentence, start, end), gold, system, self.kind == _FP)
        return replace(rows, is_error=self.kind != _TP)


def match_features(pair: UnitPair, labels: Sequence[str]) -> FeatureMatches:
    """Compare the features of all words; `labels` are the names of the labels of words."""
    sets = [list(filter(None, label.split("|"))) if label != _NO_FEATURES else [] for label in labels]
    code_of = StringIndex[str]()
    flat = ints([code_of.code(feature) for features in sets for feature in features])
    sizes = ints([len(features) for features in sets])
    first = np.append(0, np.cumsum(sizes))

    def expanded(words: Ints, label: Ints) -> tuple[Ints, Ints]:
        """The words, once per feature, and the features."""
        return np.repeat(words, sizes[label]), flat[ranges(first[label], sizes[label])]

    gold_words = np.flatnonzero(pair.counted & (sizes[pair.gold] > 0))
    has_features = np.zeros(len(pair.gold) + 1, dtype=np.bool_)
    has_features[gold_words] = True
    word_of = pair.gold_words
    words = np.flatnonzero(pair.system_counted & (has_features[word_of] | (word_of < 0)))
    gold, gold_feature = expanded(gold_words, pair.gold[gold_words])
    row, feature = expanded(words, pair.system[words])
    # Words that only the system has are numbered after the gold words.
    number = np.where(word_of < 0, len(pair.gold) + np.arange(len(word_of)), word_of)
    keys, gold_keys = pack((number[row], gold), (feature, gold_feature))
    keys, distinct_rows = np.unique(keys, return_index=True)
    row, feature = row[distinct_rows], feature[distinct_rows]
    spurious = np.flatnonzero(~np.isin(keys, gold_keys))
    row, feature = row[spurious], feature[spurious]
    return FeatureMatches(
        tuple(code_of.values),
        np.concatenate((gold_feature, feature)),
        np.concatenate((np.where(np.isin(gold_keys, keys), _TP, _FN), np.full(len(row), _FP))),
        np.concatenate((pair.sentence[gold], pair.system_sentence[row])),
        np.concatenate((gold, word_of[row])),
    )
