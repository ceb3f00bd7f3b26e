"""Heads and relations: the attachment of words.

Every word of the gold standard that counts is `right`, or has a `wrong_head`, a `wrong_relation`, or `both` wrong.

- `uas` (unlabeled attachment) = words with the right head / words.
- `ls` (label score) = words with the right relation / words.
- `las` (labeled attachment) = words with both right / words.
- A sentence is fully correct under one of them if all its words that count are right under it. Sentences without any
  word that counts are left out.
- By relation and by distance: recall is over the gold standard's words with the relation (or distance), precision over
  the system's. The distance is that from a word to its head, in words; root, 1, 2, 3-6, 7+.

Which words count is a choice (`--punctuation`), made by the gold standard's annotation: `keep` all; leave out those
with the `relation` punct; those whose `form` has only characters that Unicode calls punctuation; or those whose tag
(UPOS or XPOS) is listed, as in `pos:PUNCT,SYM`. `--labels` and `--exclude` choose by relation. In files in CoNLL-U,
relations are compared without their subtypes (`nmod:poss` is `nmod`) unless `--subtypes` is given.

Words are compared through the alignment: a head is right if it is the system's word for the right head. A word for
which the system has none, as its tokens differ, is wrong under all three.

Sources: Buchholz and Marsi 2006 for the three scores, punctuation by form, and the tables by relation and distance;
Tuggener 2017, section 2.2 (Table 5), for sentences that are fully correct under each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from evenhand.alignment.words import Aligned, Words
from evenhand.arrays import Bools, Ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import COLLAPSED, DEPS, Tags
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import UNIVERSAL_LAYERS
from evenhand.tasks.evaluation import EvaluationRequest
from evenhand.tasks.trees import conll18, enhanced
from evenhand.tasks.trees.enhanced import EdgeTable
from evenhand.tasks.words.evaluation import (
    EdgeVerdicts,
    Heads,
    JudgedUnits,
    UnitVerdicts,
    WordLabelFilter,
    WordPassage,
    counted_words,
)
from evenhand.tasks.words.measures import ENHANCED, RIGHT, TREE_KINDS
from evenhand.tasks.words.scores import universal_features, without_subtype

_DISTANCES = ("root", "1", "2", "3-6", "7+")
_LEAST = (1, 2, 3, 7)
"""The shortest distance of all but the first."""


def passage(asked: EvaluationRequest) -> WordPassage:
    return WordPassage(
        asked,
        ("trees", *UNIVERSAL_LAYERS, *_enhanced_layers(asked)),
        {name: TreeJudge(asked, name) for name in asked.sides.systems},
    )


def _enhanced_layers(asked: EvaluationRequest) -> tuple[str, ...]:
    return (DEPS, COLLAPSED) if _enhanced_scores(asked) else ()


def _enhanced_scores(asked: EvaluationRequest) -> list[str]:
    """The scores of enhanced edges that somebody asks for, or compares systems by."""
    compared = asked.settings.match if asked.is_watched else ()
    return [name for name in ENHANCED if asked.asks(name) or name in compared]


@dataclass(frozen=True)
class SideNames:
    """How the names of one side are taken: its relations, with and without subtypes, its features and its UPOS."""

    relations: WordLabelFilter
    universal: WordLabelFilter
    features: WordLabelFilter
    upos: WordLabelFilter


class TreeJudge:
    """Judges the trees of one system."""

    def __init__(self, asked: EvaluationRequest, name: str) -> None:
        self._asked, self._settings, self._table = asked, asked.settings, asked.vocabulary.labels
        self._universal, features, upos = StringIndex[str](), StringIndex[str](), StringIndex[str]()
        columns, keeps = asked.vocabulary.columns, asked.settings["subtypes"]
        self._names = {}
        for side, whose in (("gold", "gold"), ("system", name)):
            maps = asked.settings.new_names(side, whose)
            self._names[side] = SideNames(
                WordLabelFilter(columns["deprel"], self._table, partial(_mapped, maps, keeps)),
                WordLabelFilter(columns["deprel"], self._universal, partial(_universal, maps, keeps)),
                WordLabelFilter(columns["feats"], features, universal_features),
                WordLabelFilter(columns["upos"], upos, str),
            )

        self._enhanced_scores = _enhanced_scores(asked)
        self._edges = EdgeTable(columns[DEPS], self._table, asked.settings)

    def labels(self, words: Words, side: str) -> Ints:
        return self._names[side].relations(words.annotation.trees().relation)

    def counted(self, words: Words, labels: Ints) -> Bools:
        return counted_words(self._settings, words, labels, self._table.values)

    def heads(self, aligned: Aligned) -> Heads:
        return Heads.of(aligned)

    def judge(self, words: JudgedUnits) -> tuple[dict[str, Tally], UnitVerdicts | None]:
        assert words.heads is not None
        heads, aligned = words.heads, words.heads.aligned
        tallies: dict[str, Tally] = {}
        found = None
        if self._asked.asks("trees"):
            found = self._attachment(words, heads, tallies)
        if self._asked.asks("conll18"):
            one = self._analysis(aligned.gold.annotation, "gold")
            other = self._analysis(aligned.system.annotation, "system")
            table = conll18.count_conll18(heads, one, other, self._universal.values)
            tallies["conll18"] = tally_table(conll18.KINDS, table, words.groups)
        if self._enhanced_scores:
            self._enhanced(words, aligned, tallies)
        return tallies, found

    def _enhanced(self, words: JudgedUnits, aligned: Aligned, tallies: dict[str, Tally]) -> None:
        """Count enhanced edges, with and without subtypes."""
        gold, system = self._edges(aligned.gold), self._edges(aligned.system)
        for judge in self._enhanced_scores:
            mine, theirs = gold, system
            if judge == "eulas":
                mine, theirs = self._edges.universal(gold), self._edges.universal(system)
            units, kind = enhanced.edge_units(words, mine, theirs)
            tallies[judge] = enhanced.count(units, kind, enhanced.pairs(aligned, mine, theirs), self._table.values)
            if self._asked.is_watched:
                words.edges[judge] = units
                sides = ((each.word, each.head) for each in (mine, theirs))
                words.edge_verdicts[judge] = EdgeVerdicts(units.verdicts(TREE_KINDS, kind), *sides)

    def _attachment(self, words: JudgedUnits, heads: Heads, tallies: dict[str, Tally]) -> UnitVerdicts:
        """Count heads and relations: by relation, by distance, and fully correct sentences."""
        found = words.verdicts(TREE_KINDS, np.where(heads.are_same, 0, 1) + 2 * words.is_wrong)
        far = replace(
            found,
            gold_label=np.append(_distances(heads.gold), -1)[found.gold],
            system_label=np.append(_distances(heads.system), -1)[found.system],
        )
        tallies["trees"] = found.tally(self._table.values, words.groups)
        tallies["sentences"] = found.sentence_tally(RIGHT, words.groups)
        tallies["distances"] = far.tally(_DISTANCES, words.groups)
        return found

    def _analysis(self, annotation: Annotation, side: str) -> conll18.Analysis:
        names, relation = self._names[side], annotation.trees().relation
        upos, xpos, features, lemma = (_tags(annotation, layer) for layer in UNIVERSAL_LAYERS)
        analysed = (names.universal(relation), names.upos(upos), names.features(features))
        return conll18.Analysis(*analysed, xpos, lemma)


def _mapped(maps: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    relation = relation if keeps_subtypes else without_subtype(relation)
    return maps.get(relation, relation)


def _universal(maps: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    return without_subtype(_mapped(maps, keeps_subtypes, relation))


def _tags(annotation: Annotation, layer: str) -> Tags:
    tags = annotation.layers.get(layer)
    if not isinstance(tags, Tags):
        raise SettingError(
            f"The metrics of CoNLL 2018 take the column {layer}, which {annotation.corpus.source} does not have; "
            "choose --match uas,ls,las, or name the column."
        )
    return tags


def _distances(head: Ints) -> Ints:
    """The place in `_DISTANCES` of each word, whose head is at this place among all words."""
    far = np.abs(np.arange(len(head)) - head)
    return np.where(head < 0, 0, np.searchsorted(_LEAST, far, side="right"))
