"""Tags of words: a word is right if the system gives its word the same tag.

- `accuracy` = right words / words of the gold standard that count. Where the system has no word for one of them, as its
  tokens differ, that word is wrong (`missing`); words that only the system has (`extra`) count for the precision of
  their tags.
- For each tag: precision = right / words to which the system gives the tag, recall = right / words that have it, F1.
- A sentence is fully correct if all its words that count are right. Sentences without any are left out.

Features (`--column feats`) are compared as sets: `Case=Nom|Number=Sing` is `Number=Sing|Case=Nom`, and a feature
that is written twice counts once. Values are compared as they stand, `PronType=Int,Rel` too. Tables sort them.

`--labels` and `--exclude` choose the words that count, by their tag in the gold standard.

Sources: Tuggener 2017, section 2.1 (Table 3), for accuracy and correct sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from evenhand.arrays import Bools, Ints
from evenhand.tally import Tally
from evenhand.tasks.passage import Question
from evenhand.tasks.words.kinds import TAG_KINDS
from evenhand.tasks.words.labels import Renamed, counted_words
from evenhand.tasks.words.passage import WordPassage
from evenhand.tasks.words.universal import feature_set
from evenhand.tasks.words.verdicts import JudgedUnits, UnitVerdicts
from evenhand.text.layers import FeatureSets
from evenhand.text.word_feed import Aligned
from evenhand.text.words import Words


def passage(asked: Question) -> WordPassage:
    columns = {side: next(iter(asked.read_as[side].columns), None) for side in ("gold", "system")}
    layers = ("tags", "upos", "xpos", *map(str, columns.values()))
    judges = {name: TagJudge(asked, name) for name in asked.sides.systems}
    return WordPassage(asked, layers, judges)


class TagJudge:
    """Judges the tags of one system."""

    def __init__(self, asked: Question, name: str) -> None:
        self._settings, self._table = asked.settings, asked.vocabulary.labels
        self._asks = bool(asked.judges)
        self._columns = {side: next(iter(asked.read_as[side].columns), None) for side in ("gold", "system")}
        coder = asked.vocabulary.columns["scored"]
        self._names, self._feature_sets = dict[str, Renamed](), dict[str, Renamed]()
        for side, whose in (("gold", "gold"), ("system", name)):
            maps = asked.settings.new_names(side, whose)
            of_sets = {feature_set(old): feature_set(new) for old, new in maps.items()}
            self._names[side] = Renamed(coder, self._table, partial(_mapped, maps))
            self._feature_sets[side] = Renamed(coder, self._table, partial(_mapped_set, of_sets))

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
