"""Comparison of coreference systems: units of several systems, sentence views, agreement.

A unit is a mention of the key or of any system. What a system predicts is its error type: tp, wl, fn, fp or tn.
Mentions without an antecedent in the key are surplus, whose type is fp, or tn under the systems that give them none. A
pair of systems is compared on all mentions that are not tn under both.

Source: Tuggener 2017, section 2.3 (eq. 2, Table 8). The paper's formula is over mentions that key and both systems
have, which cannot be meant, because its table counts mentions that one of them lacks (fn to tp, fp to tn).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, Values, ranges
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Chains
from evenhand.dataclass import dataclass
from evenhand.scoring.scores import headline
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.chains.arcs import ArcMatches, MentionTypes, all_mentions, match_antecedents
from evenhand.tasks.chains.mentions import first_only
from evenhand.tasks.chains.task import ARCS_KINDS, MODELS, TN, TP
from evenhand.tasks.units import Agreement, Predictions, Row, Rows, Units, together, units_of

if TYPE_CHECKING:
    from evenhand.tasks.chains.evaluation import ChainEvaluation

PAIRED_BY = ("lea", "mela")
"""Further scores of one response with another as the key, in addition to the score of the comparison."""


@dataclass(frozen=True)
class ArcUnits:
    """The mentions of all sides, their error types under each response, and their mention types."""

    mentions: Chains
    matches: ArcMatches
    label: Ints
    """The code of each mention's type; -1 without POS."""

    @staticmethod
    def of(
        by: str,
        key: Chains,
        annotation: Annotation,
        responses: Sequence[Chains],
        types: MentionTypes,
        numbers: Sequence[Ints] | None = None,
    ) -> ArcUnits:
        """`annotation` has the POS, and `numbers` identify mentions that are the same."""
        mentions = all_mentions(key, responses, numbers)
        typed = types(mentions.mentions, annotation)
        assert typed is not None or by == "arcs_any"  # arcs_nom is refused without POS
        nominal, label = typed or (None, np.full(len(mentions), -1))
        matches = match_antecedents(mentions, None if by == "arcs_any" else nominal)
        return ArcUnits(mentions.mentions, matches, label)

    def tally(self, groups: Ints, labels: Sequence[str]) -> Tally:
        """Counts of error types under the first response; `groups` is the group of each document."""
        group, nothing = groups[self.mentions.document], np.full(len(self.mentions), -1)
        return Tally.of(labels, ARCS_KINDS, group, self.label, nothing, self.matches.kind[0])

    def predictions(self, corpus: Corpus) -> Predictions:
        """The error types as predictions; `corpus` is the key's text."""
        mentions, kind = self.mentions, self.matches.kind
        sentence, start = corpus.in_sentences(mentions.document, mentions.start)
        return Predictions(
            label=self.label,
            is_surplus=self.matches.key_antecedent < 0,
            answer=kind,
            shown=kind,
            right=(kind == TP) | (kind == TN),
            part=self.matches.antecedent,
            sentence=sentence,
            start=start,
            end=start + mentions.end - mentions.start,
            shape=mentions.shape,
            shapes=mentions.vocabulary.shapes.values,
            absent=kind == TN,
            gold_antecedent=self.matches.key_antecedent,
            kinds=ARCS_KINDS,
            verdict=kind,
        )


def mention_units(predictions: Predictions) -> Units:
    """Units for the error browser."""
    label = np.broadcast_to(predictions.label, predictions.shown.shape)
    assert predictions.gold_antecedent is not None
    nothing = np.full(predictions.shown.shape, -1)
    antecedent = np.concatenate((predictions.gold_antecedent[None], predictions.part))
    return replace(units_of(predictions, predictions.shown, label, nothing, nothing), antecedent=antecedent)


class ChainAgreement(Agreement):
    """F1 under ARCS, LEA and MELA, with each system as the key for each other."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._tallies: dict[tuple[int, int], dict[str, list[Tally]]] = {
            pair: {"chains": [], by: []} for pair in permutations(range(len(systems)), 2)
        }

    def add(self, evaluation: ChainEvaluation, answers: Predictions) -> None:
        self.both_right += together(answers.right[:, ~answers.is_surplus])
        systems, groups = list(evaluation.systems.values()), np.zeros_like(evaluation.groups)
        keys = systems if self.settings["repeats"] == "last" else [first_only(system) for system in systems]
        for (a, b), tallies in self._tallies.items():
            for scorer, tally in evaluation.counts(keys[a], systems[b], PAIRED_BY, (self.by,), groups).items():
                tallies[scorer].append(tally)

    def all_answers(self) -> Values:
        return self.paired()[self.by]

    def paired(self) -> Mapping[str, Values]:
        """By score, the headline of each response (column) with each other as the key (row), and 1 with itself."""
        size = len(self.systems)
        models = [model.prepare(self.settings) for model in MODELS if model.name in (self.by, *PAIRED_BY)]
        models.sort(key=lambda model: model.name != self.by)
        scores = {model.name: np.ones((size, size)) for model in models}
        for (a, b), tallies in self._tallies.items():
            merged = {scorer: Tally.merge(parts) for scorer, parts in tallies.items()}
            for model in models:
                scores[model.name][a, b] = headline(model, merged[model.scorer], ())
        return scores


class ChainView:
    """The mentions of all sides in a sentence: rows of chain (numbered in its document), start and end.

    Start and end count tokens of the sentence; mentions may extend beyond it.
    """

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._chains, self._corpus = sides, corpus

    def sides(self, sentence: int) -> list[Rows]:
        return [
            tuple(rows[bisect_left(sentences, sentence) : bisect_right(sentences, sentence)])
            for sentences, rows in self._by_sentence
        ]

    @cached_property
    def _by_sentence(self) -> list[tuple[list[int], list[Row]]]:
        """For each side, the sentences of all rows in their order, and the rows."""
        return [self._rows(side) for side in self._chains]

    def _rows(self, side: Chains) -> tuple[list[int], list[Row]]:
        bounds = self._corpus.bounds
        sentence, start = self._corpus.in_sentences(side.document, side.start)
        last = sentence if bounds is None else self._corpus.in_sentences(side.document, side.end - 1)[0]
        size = last - sentence + 1
        sentences, row = ranges(sentence, size), np.repeat(np.arange(len(side)), size)
        start = start[row] if bounds is None else start[row] + bounds[sentence[row]] - bounds[sentences]
        order = np.argsort(sentences, kind="stable")
        number = side.in_order()
        number = number - number[np.searchsorted(side.document, side.document)] + 1  # from 1 in each document
        columns = (number[row], start, start + (side.end - side.start)[row])
        return sentences[order].tolist(), list(zip(*(column[order].tolist() for column in columns), strict=True))
