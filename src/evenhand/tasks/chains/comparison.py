"""What several systems say of mentions: the verdicts of ARCS.

A unit is a mention of the key or of any system. What a system says of it is its verdict: tp, wl, fn, fp or tn. Mentions
without an antecedent in the key are surplus, whose verdict is fp, or tn under the systems that give them none. Of a
pair of systems, all mentions are compared that are not tn under both.

Source: Tuggener 2017, section 2.3 (eq. 2, Table 8). The paper's formula is over mentions that key and both systems
have, which cannot be meant, as its table counts mentions that one of them does not have (fn to tp, fp to tn).
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
from evenhand.tasks.chains.arcs import ArcMatches, MentionTypes, all_mentions, judge
from evenhand.tasks.chains.mentions import first_only
from evenhand.tasks.chains.task import ARCS_KINDS, MODELS, TN, TP
from evenhand.tasks.units import Agreement, Predictions, Row, Rows, Units, together, units_of

if TYPE_CHECKING:
    from evenhand.tasks.chains.evaluation import ChainJudgement


@dataclass(frozen=True)
class JudgedMentions:
    """The mentions of all sides, what they are under each response, and their types."""

    mentions: Chains
    verdicts: ArcMatches
    label: Ints
    """The code of each mention's type; -1 where there are no POS."""

    def tally(self, groups: Ints, labels: Sequence[str]) -> Tally:
        """The counts of verdicts under the first response; `groups` is the group of each document."""
        group, nothing = groups[self.mentions.document], np.full(len(self.mentions), -1)
        return Tally.of(labels, ARCS_KINDS, group, self.label, nothing, self.verdicts.kind[0])

    def answers(self, corpus: Corpus) -> Predictions:
        """Verdicts as answers; `corpus` is the key's text."""
        mentions, kind = self.mentions, self.verdicts.kind
        sentence, start = corpus.in_sentences(mentions.document, mentions.start)
        return Predictions(
            label=self.label,
            is_surplus=self.verdicts.key_antecedent < 0,
            answer=kind,
            shown=kind,
            right=(kind == TP) | (kind == TN),
            part=self.verdicts.antecedent,
            sentence=sentence,
            start=start,
            end=start + mentions.end - mentions.start,
            shape=mentions.shape,
            shapes=mentions.vocabulary.shapes.values,
            absent=kind == TN,
            gold_antecedent=self.verdicts.key_antecedent,
            kinds=ARCS_KINDS,
            verdict=kind,
        )


def judged_arcs(
    by: str,
    key: Chains,
    annotation: Annotation,
    responses: Sequence[Chains],
    types: MentionTypes,
    numbers: Sequence[Ints] | None = None,
) -> JudgedMentions:
    """The verdicts on all mentions; `annotation` has the POS, and `numbers` say which mentions are the same."""
    found = all_mentions(key, responses, numbers)
    typed = types(found.mentions, annotation)
    assert typed is not None or by == "arcs_any"  # without POS, nobody asks for arcs_nom
    nominal, label = typed or (None, np.full(len(found), -1))
    return JudgedMentions(found.mentions, judge(found, None if by == "arcs_any" else nominal), label)


def mention_units(answers: Predictions) -> Units:
    """The units as an error browser shows them."""
    label = np.broadcast_to(answers.label, answers.shown.shape)
    assert answers.gold_antecedent is not None
    nothing = np.full(answers.shown.shape, -1)
    antecedent = np.concatenate((answers.gold_antecedent[None], answers.part))
    return replace(units_of(answers, answers.shown, label, nothing, nothing), antecedent=antecedent)


# == tasks/chains/agreement.py: How alike coreference resolvers are: each response as the ke


PAIRED_BY = ("lea", "mela")
"""The scores of one response with another as the key, beside the one that systems are compared by."""


class ChainAgreement(Agreement):
    """F1 under ARCS, LEA and MELA, with each system as the key for each other; correct answers are verdicts."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._paired: dict[tuple[int, int], dict[str, list[Tally]]] = {
            pair: {"chains": [], by: []} for pair in permutations(range(len(systems)), 2)
        }

    def add(self, judgement: ChainJudgement, answers: Predictions) -> None:
        self.both_right += together(answers.right[:, ~answers.is_surplus])
        systems, nothing = list(judgement.systems.values()), np.zeros_like(judgement.groups)
        keys = systems if self.settings["repeats"] == "last" else [first_only(system) for system in systems]
        for (a, b), tallies in self._paired.items():
            for scorer, tally in judgement.counts(keys[a], systems[b], PAIRED_BY, (self.by,), nothing).items():
                tallies[scorer].append(tally)

    def all_answers(self) -> Values:
        return self.paired()[self.by]

    def paired(self) -> Mapping[str, Values]:
        """By score, that of each response (a column) with each other as the key (a row), and 1 with itself."""
        size = len(self.systems)
        models = [model.prepare(self.settings) for model in MODELS if model.name in (self.by, *PAIRED_BY)]
        models.sort(key=lambda model: model.name != self.by)
        found = {model.name: np.ones((size, size)) for model in models}
        for (a, b), tallies in self._paired.items():
            merged = {judge: Tally.merge(parts) for judge, parts in tallies.items()}
            for model in models:
                found[model.name][a, b] = headline(model, merged[model.scorer], ())
        return found


# == tasks/chains/drawing.py: The mentions of all sides in a sentence, for a drawing.


class ChainDrawing:
    """Rows of chain (numbered in its document), start and end, in tokens of the sentence; they may reach beyond it."""

    def __init__(self, sides: Sequence[Chains], corpus: Corpus) -> None:
        self._chains, self._corpus = sides, corpus

    def sides(self, sentence: int) -> list[Rows]:
        return [
            tuple(rows[bisect_left(touched, sentence) : bisect_right(touched, sentence)])
            for touched, rows in self._by_sentence
        ]

    @cached_property
    def _by_sentence(self) -> list[tuple[list[int], list[Row]]]:
        """The mentions of each side, sentence by sentence: the sentences, and the rows."""
        return [self._rows(side) for side in self._chains]

    def _rows(self, side: Chains) -> tuple[list[int], list[Row]]:
        bounds = self._corpus.bounds
        sentence, start = self._corpus.in_sentences(side.document, side.start)
        last = sentence if bounds is None else self._corpus.in_sentences(side.document, side.end - 1)[0]
        size = last - sentence + 1
        touched, row = ranges(sentence, size), np.repeat(np.arange(len(side)), size)
        start = start[row] if bounds is None else start[row] + bounds[sentence[row]] - bounds[touched]
        order = np.argsort(touched, kind="stable")
        columns = (_numbered(side)[row], start, start + (side.end - side.start)[row])
        return touched[order].tolist(), list(zip(*(column[order].tolist() for column in columns), strict=True))


def _numbered(side: Chains) -> Ints:
    """Chains by their number in their document, from 1 in the order of their first mentions."""
    number = side.in_order()
    return number - number[np.searchsorted(side.document, side.document)] + 1
