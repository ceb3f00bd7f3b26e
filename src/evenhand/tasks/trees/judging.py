"""Judges the heads and relations of words, and the metrics of CoNLL 2018."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.problems import SettingError
from evenhand.settings import UNIVERSAL_LAYERS
from evenhand.tally import Tally, tally_table
from evenhand.tasks.passage import Question
from evenhand.tasks.trees import conll18
from evenhand.tasks.trees.judge import distances, heads, judge_trees, same_heads
from evenhand.tasks.trees.kinds import DISTANCES
from evenhand.tasks.words.kinds import RIGHT
from evenhand.tasks.words.labels import Renamed, counted_words, label_maps
from evenhand.tasks.words.passage import JudgedWords, WordPassage, sentence_tally
from evenhand.tasks.words.tallies import tally_words
from evenhand.tasks.words.universal import universal_features, without_subtype
from evenhand.tasks.words.verdicts import WordVerdicts
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Codes
from evenhand.text.layers import Tags
from evenhand.text.word_feed import Aligned
from evenhand.text.words import Words


def passage(asked: Question) -> WordPassage:
    return WordPassage(
        asked, ("trees", *UNIVERSAL_LAYERS), {name: TreeJudge(asked, name) for name in asked.sides.systems}
    )


@dataclass(frozen=True)
class SideNames:
    """How the names of one side are taken: its relations, with and without subtypes, its features and its UPOS."""

    relations: Renamed
    universal: Renamed
    features: Renamed
    upos: Renamed


class TreeJudge:
    """Judges the trees of one system."""

    def __init__(self, asked: Question, name: str) -> None:
        self._asked, self._settings, self._table = asked, asked.settings, asked.vocabulary.labels
        self._universal, features, upos = Codes[str](), Codes[str](), Codes[str]()
        columns, keeps = asked.vocabulary.columns, asked.settings["subtypes"]
        self._names = {}
        for side, whose in (("gold", "gold"), ("system", name)):
            maps = label_maps(asked.settings, side, whose)

            mapped = partial(_mapped, maps, keeps)
            self._names[side] = SideNames(
                Renamed(columns["deprel"], self._table, mapped),
                Renamed(columns["deprel"], self._universal, partial(_universal, maps, keeps)),
                Renamed(columns["feats"], features, universal_features),
                Renamed(columns["upos"], upos, str),
            )

    def labels(self, words: Words, side: str) -> Ints:
        return self._names[side].relations(words.annotation.trees().relation)

    def counted(self, words: Words, labels: Ints) -> Bools:
        return counted_words(self._settings, words, labels, self._table.values)

    def heads(self, aligned: Aligned) -> tuple[Ints, Ints]:
        return heads(aligned)

    def heads_in_file(self, annotation: Annotation) -> Ints:
        return annotation.trees().head

    def judge(self, words: JudgedWords) -> tuple[dict[str, Tally], WordVerdicts | None]:
        assert words.heads is not None
        tallies: dict[str, Tally] = {}
        found = None
        if self._asked.asks("trees"):
            found = self._attachment(words, tallies)
        if self._asked.asks("conll18"):
            aligned = words.aligned
            one = self._analysis(aligned.gold.annotation, "gold", words.heads[0])
            other = self._analysis(aligned.system.annotation, "system", words.heads[1])
            table = conll18.count_conll18(aligned, one, other, self._universal.values)
            tallies["conll18"] = tally_table(conll18.KINDS, table, words.groups)
        return tallies, found

    def _attachment(self, words: JudgedWords, tallies: dict[str, Tally]) -> WordVerdicts:
        """Count heads and relations: by relation, by distance, and fully correct sentences."""
        assert words.heads is not None
        aligned, (gold_head, system_head) = words.aligned, words.heads
        same_head = same_heads(aligned, gold_head, system_head)
        found = judge_trees(aligned, same_head, words.gold, words.system, words.counted, words.counted_extra)
        far = replace(
            found,
            gold_label=np.append(distances(gold_head), -1)[found.gold],
            system_label=np.append(distances(system_head), -1)[found.system],
        )
        tallies["trees"] = tally_words(found, self._table.values, words.groups)
        tallies["sentences"] = sentence_tally(RIGHT, found, words)
        tallies["distances"] = tally_words(far, DISTANCES, words.groups)
        return found

    def _analysis(self, annotation: Annotation, side: str, head: Ints) -> conll18.Analysis:
        names, relation = self._names[side], annotation.trees().relation
        upos, xpos, features, lemma = (_tags(annotation, layer) for layer in UNIVERSAL_LAYERS)
        analysed = (names.universal(relation), names.upos(upos), names.features(features))
        return conll18.Analysis(head, *analysed, xpos, lemma)


def _mapped(maps: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    relation = relation if keeps_subtypes else without_subtype(relation)
    return maps.get(relation, relation)


def _universal(maps: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    return without_subtype(_mapped(maps, keeps_subtypes, relation))


def _tags(annotation: Annotation, layer: str) -> Tags:
    found = annotation.layers.get(layer)
    if not isinstance(found, Tags):
        raise SettingError(
            f"The metrics of CoNLL 2018 take the column {layer}, which {annotation.corpus.source} does not have; "
            "choose --match uas,ls,las, or name the column."
        )
    return found
