"""Evaluation of coreference chains and comparison of systems; documents are matched by name and scored in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from evenhand.alignment.mentions import ChainFollower, DocumentFiles
from evenhand.alignment.parts import Alignment
from evenhand.arrays import Ints, Values, complement, distinct, equal_pairs, ranges
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Chains, mention_spans
from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.scoring.measure import Formula, Measure
from evenhand.scoring.scores import headline
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import ScoreSettings
from evenhand.tasks.chains.arcs import ArcMatches, all_mentions, match_antecedents, mention_types
from evenhand.tasks.chains.measures import count_chains, counted_sides
from evenhand.tasks.chains.mentions import MentionMatch, first_only, mention_numbers, repeats
from evenhand.tasks.chains.task import (
    ARCS,
    ARCS_KINDS,
    COPIES,
    ENTITY_MEASURES,
    LINK_MEASURES,
    LISTED,
    MEASURES,
    MENTION_KINDS,
    TN,
    TP,
    ZERO_KINDS,
)
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, Part, SideSummary
from evenhand.tasks.unit_rows import Places, UnitRows, without_units
from evenhand.tasks.units import DrawnRows, Predictions, SentenceView, SystemAgreement, together

if TYPE_CHECKING:
    from evenhand.tasks.chains.entity_errors import EntityErrors
    from evenhand.tasks.chains.heads import MentionDetails

UNTYPED = "mentions"
"""The type of all mentions without POS."""
PAIRED_BY = ("lea", "mela")
"""Further scores of one response with another as the key, in addition to the score of the comparison."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the key and all systems; documents are matched by name."""
    sides, settings = request.sides, request.settings
    followers = {
        name: ChainFollower(
            open_system(),
            (open_system, sides.gold),
            strict=settings.align == "strict",
            called=request.called,
            heads_of=name if settings["mention_match"] == "head" else None,
            vocabulary=request.vocabulary,
        )
        for name, open_system in sides.systems.items()
    }
    files = DocumentFiles(request.vocabulary)
    return Alignment(_checked(sides.gold(), files), followers, document_files=files)


def _checked(key: Iterator[Annotation], files: DocumentFiles) -> Iterator[Annotation]:
    """The batches of the key, whose documents are added to `files`; there must be words."""
    has_words, source = False, ""
    for batch in key:
        files.add(batch.corpus)
        has_words, source = has_words or batch.corpus.sentences > 0, batch.corpus.source
        yield batch
        del batch  # so it is freed before the next one is read
    if len(files) and not has_words:
        raise InputError(source, None, "contains no words", "use a gold standard that has some")


def evaluate(part: Part, request: EvaluationRequest) -> ChainEvaluation:
    """Count the mentions and chains of a part under all scorers, one system after the other."""
    annotation, settings = Annotation.concatenate(part.gold), request.settings
    chains = annotation.chains().into(request.vocabulary)
    first = first_only(chains)
    key = first if settings["repeats"] == "first" else chains
    evaluation = ChainEvaluation(part=part, annotation=annotation, key=key, request=request)
    scorers = [scorer.name for scorer in request.scorers]
    scores = [model for model in settings.match if model not in ARCS] if "chains" in scorers else []
    arcs = [name for name in ARCS if name in scorers]
    evaluation.gold_count = evaluation.summary(first, len(chains) - len(first))
    for name, system in part.systems.items():
        response = evaluation.pairs[name] = system.into(request.vocabulary)
        repeated = int(np.count_nonzero(repeats(response, *mention_spans(response))))
        evaluation.system_counts[name] = evaluation.summary(response, repeated)
        evaluation.tallies[name] = evaluation.counts(key, response, scores, arcs, evaluation.groups)
    return evaluation


@dataclass(kw_only=True)
class ChainEvaluation(Evaluation):
    """The mentions and chains of some documents of the key."""

    annotation: Annotation
    """All batches of the part."""
    key: Chains
    """Without repeats, if the first chain keeps a mention."""
    request: EvaluationRequest
    known_entities: dict[str, EntityErrors] = field(default_factory=dict)
    """Errors by entity of the systems for which they were requested."""

    def entities(self, system: str) -> EntityErrors:
        """The errors by entity of a system."""
        if system not in self.known_entities:
            way = MentionMatch.of(self.request.settings)
            self.known_entities[system] = self._details.errors(self.key, self.pairs[system], way)
        return self.known_entities[system]

    @cached_property
    def _details(self) -> MentionDetails:
        from evenhand.tasks.chains.heads import MentionDetails

        return MentionDetails(self.annotation)

    @property
    def has_closest_antecedents(self) -> bool:
        """Whether the antecedent of a missing link is always the closest mention."""
        closest: bool = self.request.settings["antecedents"] == "closest"
        return closest

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self.annotation.corpus.names)) + self.part.offsets[0].first_document

    def summary(self, chains: Chains, repeated: int) -> SideSummary:
        """The mentions of one side by type, and the number of its chains and repeats."""
        summary = SideSummary(chains=len(distinct(chains.chain)))
        if self.request.settings["repeats"] == "first":
            summary.repeated = repeated
        else:
            summary.noted[COPIES] = repeated
        types = mention_types(chains, self.annotation, self.request.settings["nominal"])
        if types is None:
            summary.unlabeled = len(chains)
        else:
            summary.add(types[1], self.request.vocabulary.labels.values)
        return summary

    def counts(
        self, key: Chains, response: Chains, scores: Sequence[str], arcs: Sequence[str], groups: Ints
    ) -> dict[str, Tally]:
        """Counts of a response by scorer, with any side as the key; `groups` is the group of each document."""
        counts = {}
        if scores:
            counts["chains"] = tally_table(*self._count_chains(key, response, len(groups), scores), groups)
        numbers = self._mention_numbers(key, [response]) if arcs else None
        for by in arcs:
            units = ArcUnits.of(by, key, self.annotation, [response], self.request.settings["nominal"], numbers)
            counts[by] = units.tally(groups, self.request.vocabulary.labels.values)
        return counts

    def _count_chains(
        self, key: Chains, response: Chains, documents: int, scores: Sequence[str]
    ) -> tuple[tuple[str, ...], Values]:
        settings, way = self.request.settings, MentionMatch.of(self.request.settings)
        singletons, copies = settings["singletons"], settings["repeats"] == "last"
        if way.is_plain and not copies:
            return count_chains(key, response, documents, scores, singletons=singletons)
        from evenhand.tasks.chains.corefud import MatchedSides, count_matched

        sides = MatchedSides.of(key, response, documents, way, singletons=singletons, copies=copies)
        return count_matched(sides, scores)

    def _mention_numbers(self, key: Chains, responses: Sequence[Chains]) -> list[Ints] | None:
        """Numbers that identify equal mentions, unless mentions are equal exactly if their tokens are."""
        way = MentionMatch.of(self.request.settings)
        return None if way.is_plain else mention_numbers(key, responses, way)

    def predictions(self, by: str, pairs: Sequence[Chains]) -> Predictions:
        if by in ENTITY_MEASURES:
            from evenhand.tasks.chains.entities import entity_predictions

            names = {id(response): name for name, response in self.pairs.items()}
            systems = [self.entities(names[id(response)]) for response in pairs]
            return entity_predictions(systems, self.annotation.corpus, self.request.vocabulary.labels)
        numbers, settings = self._mention_numbers(self.key, pairs), self.request.settings
        arcs = ArcUnits.of(by, self.key, self.annotation, pairs, settings["nominal"], numbers)
        return arcs.predictions(self.annotation.corpus)

    def units(self, by: str) -> Predictions:
        predictions = super().units(by)
        if by in ENTITY_MEASURES or "pos" in self.annotation.layers:
            return predictions
        label = np.full(len(predictions), self.request.vocabulary.labels.code(UNTYPED))
        return replace(predictions, label=label, gold_label=np.broadcast_to(label, predictions.shown.shape))

    def drawing(self, by: str) -> SentenceView:
        return SentenceView([drawn_chains(side, self.annotation.corpus) for side in (self.key, *self.pairs.values())])

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """Mentions, whose labels are their types, if the key has POS."""
        response, name = self.pairs[system], measure.name
        if name in ENTITY_MEASURES:
            from evenhand.tasks.chains.entities import error_rows, link_rows

            errors, corpus = self.entities(system), self.annotation.corpus
            if name in LINK_MEASURES:
                return link_rows(errors, corpus, closest=self.has_closest_antecedents)
            return error_rows(errors, corpus)
        if name in ARCS:
            numbers = self._mention_numbers(self.key, [response])
            nominal = self.request.settings["nominal"]
            rows = ArcUnits.of(name, self.key, self.annotation, [response], nominal, numbers).rows()
        elif name in LISTED:
            rows = self._listed(name, response)
        else:
            raise without_units(measure)
        return rows.in_sentences(self.annotation.corpus).under(formula)

    def _listed(self, name: str, response: Chains) -> UnitRows:
        """Mentions that both sides have, or only one; or zero anaphors."""
        settings, way, documents = self.request.settings, MentionMatch.of(self.request.settings), len(self.groups)
        singletons, copies = settings["singletons"], settings["repeats"] == "last"
        if way.is_plain and not copies:
            key, response = counted_sides(self.key, response, singletons=singletons)
            left, right = equal_pairs(*mention_spans(key, response))
            return self._rows(MENTION_KINDS["mentions"], key, response, left, right)
        from evenhand.tasks.chains.corefud import MatchedSides, zero_kinds

        sides = MatchedSides.of(self.key, response, documents, way, singletons=singletons, copies=copies)
        if name == "zero":
            anaphors, kind, spurious = zero_kinds(sides)
            key, response = sides.key.chains.take(anaphors), sides.response.chains.take(spurious)
            nothing = np.zeros(0, dtype=np.int64)
            rows = self._rows(tuple(f"zero.{kind}" for kind in ZERO_KINDS), key, response, nothing, nothing)
            return replace(rows, type=np.append(kind, np.full(len(spurious), ZERO_KINDS.index("fp"))))
        matched = np.flatnonzero(sides.is_matched)
        other = sides.counterpart[matched]
        if copies:
            return self._rows(MENTION_KINDS["distinct"], sides.key.mentions, sides.response.mentions, matched, other)
        # A mention of the response that is not in the key may be in several chains, of which one row is matched.
        first, first_other = (
            np.unique(side.mention, return_index=True)[1][rows]
            for side, rows in ((sides.key, matched), (sides.response, other))
        )
        return self._rows(MENTION_KINDS["mentions"], sides.key.chains, sides.response.chains, first, first_other)

    def _rows(self, kinds: tuple[str, ...], key: Chains, response: Chains, left: Ints, right: Ints) -> UnitRows:
        """Mentions of both sides; `left` and `right` are the rows of those that both have."""
        missing, spurious = complement(len(key), left), complement(len(response), right)
        kind = np.repeat(np.arange(3), (len(left), len(missing), len(spurious)))
        rows = (
            np.concatenate((left, missing, np.full(len(spurious), -1))),
            np.concatenate((right, np.full(len(missing), -1), spurious)),
        )
        order = np.argsort(np.where(rows[0] < 0, len(key), rows[0]), kind="stable")  # the order of the key
        sides = self._labeled(key), self._labeled(response)
        return UnitRows.of_pairs(kinds, kind[order], rows[0][order], rows[1][order], *sides)

    def _labeled(self, chains: Chains) -> Spans:
        """Mentions as spans of documents; labels are types, or -1."""
        types = mention_types(chains, self.annotation, self.request.settings["nominal"])
        label = np.full(len(chains), -1) if types is None else types[1]
        spans = Spans.of(chains.vocabulary, chains.document, chains.start, chains.end, label)
        return replace(spans, shape=chains.shape)


@dataclass(frozen=True)
class ArcUnits:
    """The mentions of all sides, their error types under each response, and their mention types.

    A unit is a mention of the key or of any system. What a system predicts is its error type: tp, wl, fn, fp or tn.
    Mentions without an antecedent in the key are surplus, whose type is fp, or tn under the systems that give them
    none. A pair of systems is compared on all mentions that are not tn under both.

    Source: Tuggener 2017, section 2.3 (eq. 2, Table 8). The paper's formula is over mentions that key and both systems
    have, which cannot be meant, because its table counts mentions that one of them lacks (fn to tp, fp to tn).
    """

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
        nominal: Sequence[str],
        numbers: Sequence[Ints] | None = None,
    ) -> ArcUnits:
        """`annotation` has the POS, `nominal` are nouns, and `numbers` identify mentions that are the same."""
        mentions = all_mentions(key, responses, numbers)
        types = mention_types(mentions.mentions, annotation, nominal)
        assert types is not None or by == "arcs_any"  # arcs_nom is refused without POS
        are_nominal, label = types or (None, np.full(len(mentions), -1))
        matches = match_antecedents(mentions, None if by == "arcs_any" else are_nominal)
        return ArcUnits(mentions.mentions, matches, label)

    def tally(self, groups: Ints, labels: Sequence[str]) -> Tally:
        """Counts of error types under the first response; `groups` is the group of each document."""
        group, nothing = groups[self.mentions.document], np.full(len(self.mentions), -1)
        return Tally.of(labels, ARCS_KINDS, group, self.label, nothing, self.matches.kind[0])

    def rows(self) -> UnitRows:
        """The error types under the first response as rows, with both antecedents; positions are in documents."""
        mentions, matches = self.mentions, self.matches
        position = Places.of(mentions.document, mentions.start, mentions.end, mentions.shape)
        spans = Spans.of(mentions.vocabulary, mentions.document, mentions.start, mentions.end, self.label)
        places = {
            name: Places.at(replace(spans, shape=mentions.shape), antecedent)
            for name, antecedent in (
                ("gold_antecedent", matches.key_antecedent),
                ("system_antecedent", matches.antecedent[0]),
            )
        }
        shapes = mentions.vocabulary.shapes.values
        return UnitRows.of(ARCS_KINDS, matches.kind[0], position, self.label, shapes=shapes, places=places)

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
            gold_label=np.broadcast_to(self.label, kind.shape),
            predicted=np.full(kind.shape, -1),
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


class ChainAgreement(SystemAgreement):
    """F1 under ARCS, LEA and MELA, with each system as the key for each other."""

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        super().__init__(systems, by, settings)
        self._arcs = (by,) if by in ARCS else ()
        self._tallies: dict[tuple[int, int], dict[str, list[Tally]]] = {
            pair: {scorer: [] for scorer in ("chains", *self._arcs)} for pair in permutations(range(len(systems)), 2)
        }

    def add(self, evaluation: ChainEvaluation, answers: Predictions) -> None:
        self.both_right += together(answers.right[:, ~answers.is_surplus])
        systems, groups = list(evaluation.pairs.values()), np.zeros_like(evaluation.groups)
        scores = PAIRED_BY if self._arcs else tuple(dict.fromkeys((*PAIRED_BY, self.by)))
        keys = systems if self.settings["repeats"] == "last" else [first_only(system) for system in systems]
        for (a, b), tallies in self._tallies.items():
            for scorer, tally in evaluation.counts(keys[a], systems[b], scores, self._arcs, groups).items():
                tallies[scorer].append(tally)

    def all_answers(self) -> Values:
        return self.paired()[self.by]

    def paired(self) -> Mapping[str, Values]:
        """By score, the headline of each response (column) with each other as the key (row), and 1 with itself."""
        size = len(self.systems)
        models = [model.prepare(self.settings) for model in MEASURES if model.name in (self.by, *PAIRED_BY)]
        models.sort(key=lambda model: model.name != self.by)
        scores = {model.name: np.ones((size, size)) for model in models}
        for (a, b), tallies in self._tallies.items():
            merged = {scorer: Tally.merge(parts) for scorer, parts in tallies.items()}
            for model in models:
                scores[model.name][a, b] = headline(model, merged[model.scorer], ())
        return scores


def drawn_chains(side: Chains, corpus: Corpus) -> DrawnRows:
    """Mentions in each sentence: rows of chain (numbered in its document), start and end.

    Start and end count tokens of the sentence; mentions may extend beyond it.
    """
    bounds = corpus.bounds
    sentence, start = corpus.in_sentences(side.document, side.start)
    last = sentence if bounds is None else corpus.in_sentences(side.document, side.end - 1)[0]
    size = last - sentence + 1
    sentences, row = ranges(sentence, size), np.repeat(np.arange(len(side)), size)
    start = start[row] if bounds is None else start[row] + bounds[sentence[row]] - bounds[sentences]
    number = side.in_order()
    number = number - number[np.searchsorted(side.document, side.document)] + 1  # from 1 in each document
    return DrawnRows(sentences, number[row], start, start + (side.end - side.start)[row])
