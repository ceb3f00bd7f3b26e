"""Attachment scores of dependency trees: UAS, LS and LAS.

Every word of the gold standard that counts is `right`, or has a `wrong_head`, a `wrong_relation`, or `both` wrong.

- `uas` (unlabeled attachment) = words with the right head / words.
- `ls` (label score) = words with the right relation / words.
- `las` (labeled attachment) = words with both right / words.
- A sentence is fully correct under one of them if all its words that count are right under it. Sentences without such
  words are left out.
- By relation and by distance: recall is over the gold standard's words with the relation (or distance), precision over
  the system's. Distances from words to their heads are counted in words: root, 1, 2, 3-6, 7+.

`--punctuation` chooses the words that count, by the gold standard's annotation: `keep` keeps all; `relation` leaves out
words with the relation punct; `form` those with only Unicode punctuation; `pos:PUNCT,SYM` those with one of these tags
(UPOS or XPOS). `spacy` leaves out the relations p and punct on each side by that side's own relation, as spaCy's scorer
does. The sides may then have different numbers of words, so the headline is F1: precision = right / words of the system
that count, recall = right / words of the gold standard that count. `--labels` and `--exclude` choose by relation. In
CoNLL-U files, relations are compared without their subtypes (`nmod:poss` is `nmod`) unless `--subtypes` is given.

Words are compared through the alignment: a head is right if it is the system's word for the right head. If the system's
tokens differ and it has no word for one of the gold standard, that word is wrong under all three. With `--align
overlap` (trees of spaCy), arcs are compared as sets: a word of the system counts for the only gold word with which it
shares a character, and an arc whose dependent or head has no such gold word is wrong. Equal arcs of one gold word count
once.

Sources: Buchholz and Marsi 2006 for the three scores, punctuation by form, and the tables by relation and distance;
Tuggener 2017, section 2.2 (Table 5), for sentences that are fully correct under each; Honnibal et al. 2020
(`Scorer.score_deps` of spaCy 3.8.18) for `spacy` and `overlap`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from evenhand.alignment.parts import Alignment
from evenhand.alignment.words import Aligned, Words
from evenhand.arrays import Ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import COLLAPSED, DEPS, Tags, has_values, heads_in_text
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import UNIVERSAL_LAYERS
from evenhand.tasks.evaluation import EvaluationRequest, Part
from evenhand.tasks.trees import conll18, enhanced
from evenhand.tasks.words import evaluation
from evenhand.tasks.words.evaluation import WordEvaluation, WordLabelFilter, WordSide, counted_words
from evenhand.tasks.words.matching import EdgeMatches, Heads, UnitMatches, UnitPair
from evenhand.tasks.words.measures import ENHANCED, RIGHT, TREE_KINDS, without_subtype

_COMPARED = {
    **dict.fromkeys(("upos", "alltags", "mlas"), "upos"),
    "xpos": "xpos",
    "ufeats": "features",
    "lemmas": "lemma",
    "blex": "lemma",
}
"""The columns of words that are the labels under metrics of CoNLL 2018; under others, the relation is."""
_DISTANCES = ("root", "1", "2", "3-6", "7+")
_MIN_DISTANCES = (1, 2, 3, 7)
"""The shortest distance of all but the first."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems, to be read in step."""
    layers = ("trees", *UNIVERSAL_LAYERS, *((DEPS, COLLAPSED) if _enhanced_scores(request) else ()))
    return evaluation.align(request, layers)


def evaluate(part: Part, request: EvaluationRequest) -> WordEvaluation:
    """Count the words, and the enhanced edges, of a part."""
    return evaluation.evaluate(part, request, TreeScorer)


def _enhanced_scores(request: EvaluationRequest) -> list[str]:
    """The requested scores of enhanced edges, including those that systems are compared by."""
    compared = request.settings.match if request.keep_units else ()
    return [name for name in ENHANCED if request.asks(name) or name in compared]


@dataclass(frozen=True)
class TreeSide(WordSide):
    """The words of one side with the columns that the requested scores compare."""

    analysis: conll18.Analysis | None = None
    edges: enhanced.Edges | None = None


@dataclass(frozen=True)
class _SideFilters:
    relations: WordLabelFilter
    universal: WordLabelFilter
    features: WordLabelFilter
    upos: WordLabelFilter

    def analysis(self, annotation: Annotation) -> conll18.Analysis:
        upos, xpos, features, lemma = (_tags(annotation, layer) for layer in UNIVERSAL_LAYERS)
        relation = self.universal(annotation.trees().relation)
        return conll18.Analysis(relation, self.upos(upos), self.features(features), xpos, lemma)


class TreeScorer:
    """Scores trees."""

    def __init__(self, request: EvaluationRequest) -> None:
        self._request, self._settings, self._labels = request, request.settings, request.vocabulary.labels
        self._universal, features, upos = StringIndex[str](), StringIndex[str](), StringIndex[str]()
        self._names = {"features": features, "upos": upos}
        columns, settings = request.vocabulary.columns, request.settings
        keeps = settings["subtypes"]
        self._filters = dict[str | None, _SideFilters]()
        for system in (None, *request.sides.systems):
            names = settings.new_names("gold", "gold") if system is None else settings.new_names("system", system)
            self._filters[system] = _SideFilters(
                WordLabelFilter(columns["deprel"], self._labels, partial(_renamed, names, keeps)),
                WordLabelFilter(columns["deprel"], self._universal, partial(_universal, names, keeps)),
                WordLabelFilter(columns["feats"], features, conll18.universal_features),
                WordLabelFilter(columns["upos"], upos, str),
            )
        self._enhanced_scores = _enhanced_scores(request)
        self._edges = enhanced.EdgeTable(columns[DEPS], self._labels, settings)

    def side(self, words: Words, system: str | None = None) -> TreeSide:
        filters, annotation = self._filters[system], words.annotation
        trees = annotation.trees()
        labels = filters.relations(trees.relation)
        return TreeSide(
            words,
            labels,
            counted_words(self._settings, words, labels, self._labels.values),
            heads_in_text(trees.head, words.bounds),
            annotated=frozenset() if system is None else self._annotated(annotation),
            analysis=filters.analysis(annotation) if self._request.asks("conll18") else None,
            edges=self._edges(words) if self._enhanced_scores else None,
        )

    def _annotated(self, annotation: Annotation) -> frozenset[str]:
        """The optional layers of the requested scores that have a value for at least one word."""
        layers = (*UNIVERSAL_LAYERS,) if self._request.asks("conll18") else ()
        layers = (*layers, DEPS) if self._enhanced_scores else layers
        return frozenset(layer for layer in layers if has_values(annotation.layers.get(layer)))

    def score(self, pair: UnitPair, gold: TreeSide, system: TreeSide) -> tuple[dict[str, Tally], UnitMatches | None]:
        assert pair.heads is not None
        tallies, matches = dict[str, Tally](), None
        if self._request.asks("trees"):
            matches = self._score_attachment(pair, pair.heads, tallies)
        if gold.analysis is not None and system.analysis is not None:
            compared = conll18.compare(pair.heads, gold.analysis, system.analysis, self._universal.values)
            table = conll18.count_conll18(pair.heads.aligned, compared)
            tallies["conll18"] = tally_table(conll18.KINDS, table, pair.groups)
            if self._request.keep_units:
                labels = partial(self._official_labels, gold.analysis, system.analysis)
                pair.listed["conll18"] = partial(conll18.list_conll18, pair.heads.aligned, compared, labels)
        if gold.edges is not None and system.edges is not None:
            self._score_enhanced(pair, pair.heads.aligned, (gold.edges, system.edges), tallies)
        return tallies, matches

    def _official_labels(self, gold: conll18.Analysis, system: conll18.Analysis, metric: str) -> tuple[Ints, Ints]:
        """The labels of the words of both sides that a metric of CoNLL 2018 compares."""
        column = _COMPARED.get(metric, "relation")
        one, other = (getattr(side, column) for side in (gold, system))
        if isinstance(one, Tags):
            codes = [(side.code, side.names) for side in (one, other)]  # names are complete when cells are coded
            gold_labels, system_labels = (self._labels.codes(list(names))[code] for code, names in codes)
        else:
            names = self._labels.codes(self._names.get(column, self._universal).values)
            gold_labels, system_labels = names[one], names[other]
        return gold_labels, system_labels

    def _score_attachment(self, pair: UnitPair, heads: Heads, tallies: dict[str, Tally]) -> UnitMatches:
        matches = pair.matches(TREE_KINDS, np.where(heads.are_same, 0, 1) + 2 * pair.is_wrong)
        by_distance = replace(
            matches,
            gold_label=np.append(_distances(heads.gold), -1)[matches.gold],
            system_label=np.append(_distances(heads.system), -1)[matches.system],
        )
        tallies["trees"] = matches.tally(self._labels.values, pair.groups)
        tallies["sentences"] = matches.sentence_tally(RIGHT, pair.groups)
        tallies["distances"] = by_distance.tally(_DISTANCES, pair.groups)
        return matches

    def _score_enhanced(
        self,
        pair: UnitPair,
        aligned: Aligned,
        with_subtypes: tuple[enhanced.Edges, enhanced.Edges],
        tallies: dict[str, Tally],
    ) -> None:
        for score in self._enhanced_scores:
            gold, system = map(self._edges.universal, with_subtypes) if score == "eulas" else with_subtypes
            edges, kind = enhanced.edge_pair(pair, gold, system)
            pairs = enhanced.equal_edges(aligned, gold, system)
            tallies[score] = enhanced.count_edges(edges, kind, pairs, self._labels.values)
            if self._request.keep_units:
                ends = ((side.word, side.head) for side in (gold, system))
                pair.edges[score] = edges
                pair.edge_matches[score] = EdgeMatches(edges.matches(TREE_KINDS, kind), *ends)


def _renamed(names: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    relation = relation if keeps_subtypes else without_subtype(relation)
    return names.get(relation, relation)


def _universal(names: Mapping[str, str], keeps_subtypes: bool, relation: str) -> str:
    return without_subtype(_renamed(names, keeps_subtypes, relation))


def _tags(annotation: Annotation, layer: str) -> Tags:
    tags = annotation.layers.get(layer)
    if not isinstance(tags, Tags):
        raise SettingError(
            f"The metrics of CoNLL 2018 need the column {layer}, which {annotation.corpus.source} does not have; "
            "choose --match uas,ls,las, or specify the column."
        )
    return tags


def _distances(head: Ints) -> Ints:
    """The index in `_DISTANCES` of each word's distance to its head."""
    return np.where(head < 0, 0, np.searchsorted(_MIN_DISTANCES, np.abs(np.arange(len(head)) - head), side="right"))
