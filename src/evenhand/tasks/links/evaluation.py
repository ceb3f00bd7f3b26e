"""Evaluation of entity links and comparison of systems; documents are matched by name and scored, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.alignment.documents import LinkFeed, names_of
from evenhand.arrays import Ints, empty, ints
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.settings import LINKS, ScoreSettings
from evenhand.tasks.evaluation import (
    EvaluationRequest,
    LabelFilter,
    Numbering,
    Offsets,
    Open,
    Outcome,
    SideSummary,
    VerdictRows,
)
from evenhand.tasks.links import task as kinds
from evenhand.tasks.links.error_types import by_identifier, link_kinds, match_links
from evenhand.tasks.links.hipe import HipeMatches
from evenhand.tasks.links.matching import RESPELLED, UNLINKED, Identifiers, Linked, LinkPair, LinkRules
from evenhand.tasks.links.task import aliases_of
from evenhand.tasks.spans.comparison import SpanDrawing, span_predictions
from evenhand.tasks.units import Locations, Predictions, Units, answer_code, answer_parts, units_of

_PORTION = 1 << 12
"""Documents and links per part: enough that the cost of a call does not matter."""


class LinkEvaluator:
    """One pass over the gold standard and all systems."""

    def __init__(self, request: EvaluationRequest) -> None:
        self._request, settings = request, request.settings
        systems = request.sides.systems
        opened = [request.sides.gold(), *(system() for system in systems.values())]
        gold, *streams = same_atoms(opened, "characters" if settings.align == "characters" else "strict")
        self._gold = _with_other_documents(gold, list(systems.values()))

        def open_gold() -> Iterator[Annotation]:
            return _with_other_documents(request.sides.gold(), list(systems.values()))

        self._feeds = {
            name: LinkFeed(system, open_gold, strict=settings.align != "position", stream=stream)
            for (name, system), stream in zip(systems.items(), streams, strict=True)
        }
        self._identifiers, self._names = Identifiers(), dict[str, str]()
        self._gold_side = _Side(settings, "gold", "gold", self._identifiers)
        self._sides = {name: _Side(settings, "system", name, self._identifiers) for name in systems}

    def evaluations(self, number: Numbering) -> Iterator[LinkEvaluation]:
        batches, numbers, size = list[Annotation](), list[Offsets](), 0
        for batch in self._gold:
            batches.append(batch)
            numbers.append(number(batch))
            size += len(batch.spans(LINKS)) + len(batch.corpus.documents)
            if size >= _PORTION:
                yield self._evaluate(batches, numbers)
                batches, numbers, size = [], [], 0
        if batches:
            yield self._evaluate(batches, numbers)
        for name, feed in self._feeds.items():
            feed.finish()
            side = self._request.system_counts[name]
            side.reading, side.mismatches = feed.reading, feed.found

    def finish(self) -> Outcome:
        return Outcome(self._names)

    def _evaluate(self, batches: Sequence[Annotation], numbers: Sequence[Offsets]) -> LinkEvaluation:
        request, annotation = self._request, Annotation.concatenate(batches)
        for batch in batches:
            for name in _document_names(batch):  # documents without a name are numbered
                self._names.setdefault(name or str(len(self._names) + 1), batch.corpus.source)
        corpus = annotation.corpus
        spans = annotation.spans(LINKS).into(request.vocabulary)
        gold = self._gold_side.linked(to_documents(spans, corpus.documents, corpus.bounds), request.gold_count)
        names = AnswerNames(self._identifiers, request.vocabulary.labels)
        evaluation = LinkEvaluation(batches, numbers, corpus, gold, names)
        for name, feed in self._feeds.items():
            summary = request.system_counts[name]
            system = self._sides[name].linked(feed.take(annotation).into(request.vocabulary), summary)
            pair = LinkPair(gold, system, evaluation.groups)
            tallies = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
            evaluation.tallies[name] = tallies | pair.extra_tallies
            respelled = (matches.respelled for matches in pair.cached_values(HipeMatches))
            summary.noted[RESPELLED] += max(respelled, default=0)
            if request.keep_units:
                evaluation.pairs[name] = pair
        return evaluation


class _Side:
    """Turns the spans of one side into links, and counts them."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, identifiers: Identifiers) -> None:
        self._relabel = LabelFilter(settings, side, name)
        nil_labels = settings["nil_labels"] if side == "system" else ()
        self._rules = LinkRules(aliases_of(settings["same_ids"], side), nil_labels, only_first=side == "gold")
        self._identifiers = identifiers

    def linked(self, spans: Spans, summary: SideSummary) -> Linked:
        kept = self._relabel(spans)
        linked = self._identifiers.linked(kept, self._rules)
        summary.add(linked.spans.label, spans.vocabulary.labels.values)
        summary.noted[UNLINKED] += len(kept) - len(linked)
        return linked


def _with_other_documents(gold: Iterator[Annotation], systems: Sequence[Open]) -> Iterator[Annotation]:
    """The batches of a gold standard; if it has no texts, followed by the documents that only systems have."""
    first, gold = peek(gold)
    # Without texts: it counts the characters of texts that it does not have, and names their documents.
    if first is None or first.corpus.atoms != "characters" or first.corpus.bounds is not None or not first.corpus.names:
        yield from gold
        return
    known = set(_document_names(first))
    for batch in gold:
        known.update(_document_names(batch))
        yield batch
    names = dict.fromkeys(name for system in systems for batch in system() for name in _document_names(batch))
    others = tuple(name for name in names if name and name not in known)
    if others:
        documents = np.arange(len(others))
        corpus = replace(first.corpus, sentences=len(others), lines=empty(), documents=documents, names=others)
        yield replace(first, corpus=corpus, layers={LINKS: no_spans(first.spans(LINKS).vocabulary)})


def _document_names(batch: Annotation) -> list[str]:
    names = names_of(batch.corpus)
    return names.texts(0, len(names))


@dataclass
class LinkEvaluation:
    """Evaluation of some documents of the gold standard."""

    batches: Sequence[Annotation]
    numbers: Sequence[Offsets]
    corpus: Corpus
    """All batches together."""
    gold: Linked
    names: AnswerNames
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    pairs: dict[str, LinkPair] = field(default_factory=dict)
    """The systems, if units are kept."""

    @property
    def groups(self) -> Ints:
        return np.arange(len(self.corpus.documents)) + self.numbers[0].first_document

    @cached_property
    def locations(self) -> Locations:
        documents = np.concatenate([number.documents for number in self.numbers])
        return Locations(self.batches, self.numbers[0].sentences, documents, self.numbers[0].first_document)

    def answers(self, by: str) -> Predictions:
        return link_predictions(self.gold, list(self.pairs.values()), self.corpus, self.names)

    def units(self, by: str) -> Units:
        return link_units(self.answers(by))

    def drawing(self) -> SpanDrawing:
        """Spans with their identifiers as labels."""
        return SpanDrawing([self._drawn(side) for side in (self.gold, *(pair.system for pair in self.pairs.values()))])

    def _drawn(self, side: Linked) -> Spans:
        names, labels = self.names.identifiers.names, self.names.labels
        codes = {code: labels.code(names[code]) for code in set(side.answer.tolist())}
        sentence, start = self.corpus.in_sentences(side.spans.scope, side.spans.start)
        end = side.spans.end - side.spans.start + start
        if self.corpus.lengths is not None:  # a system's span may extend into the next sentence
            end = np.minimum(end, self.corpus.lengths[sentence])
        label = np.array([codes[code] for code in side.answer.tolist()], dtype=np.int64)
        return replace(side.spans, scope=sentence, start=start, end=end, label=label)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self.corpus, self.numbers[0].first_document
        units = link_units(link_predictions(self.gold, [self.pairs[system]], corpus, self.names))
        names = dict(enumerate(corpus.document_names, document))
        yield VerdictRows.of(units, corpus, document, names), self.numbers[0].sentences


@dataclass(frozen=True)
class AnswerNames:
    """The names of answers, such as `Q5 for Q90`, as codes of labels that all files share."""

    identifiers: Identifiers
    labels: StringIndex[str]

    def codes(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        """The name of each answer: the system's identifier and, if that is wrong, the right one; -1 for none."""
        names = self.identifiers.names
        wrong = np.isin(kind, (kinds.OTHER, kinds.MISSED, kinds.OVER, kinds.LBE))
        codes = np.full(kind.shape, -1)
        columns = (column.ravel().tolist() for column in (kind, gold, system, wrong))
        for at, (error_type, expected, predicted, is_wrong) in enumerate(zip(*columns, strict=True)):
            if error_type not in (kinds.FN, kinds.TN) and predicted >= 0:
                right = f" for {names[expected]}" if is_wrong and expected >= 0 else ""
                codes.flat[at] = self.labels.code(names[predicted] + right)
        return codes


def link_predictions(gold: Linked, pairs: Sequence[LinkPair], corpus: Corpus, names: AnswerNames) -> Predictions:
    """Predictions of several systems for the same links.

    A unit is a link of the gold standard, or one that was not matched with a gold link: surplus, which is TN under the
    systems that do not have it. A system's answer is its error type under `fair`, with its identifier and, if that is
    wrong, the right one: `LE.other Q5 for Q90`. TP and TN are right. Units have the labels of their spans. Tables of
    transitions sum over identifiers.

    Sources: Tuggener 2017, section 2; Ortmann 2022 for the error types.
    """
    matches = [(by_identifier(pair.system), pair.cached(match_links)) for pair in pairs]
    predictions = span_predictions(by_identifier(gold), matches)
    assert predictions.gold_label is not None
    span_kind, predicted = answer_parts(predictions.shown)
    expected = predictions.gold_label
    kind = link_kinds(span_kind, expected, predicted)
    code = answer_code(kind, names.codes(kind, expected, predicted))
    label = np.append(gold.spans.label, _surplus_labels(predictions, pairs, len(gold)))
    sentence, start = corpus.in_sentences(predictions.sentence, predictions.start)
    shift = predictions.start - start
    bounds = predictions.part
    return replace(
        predictions,
        label=label,
        answer=code,
        shown=code,
        part=np.where(bounds >= 0, ((bounds >> 32) - shift << 32) | ((bounds & 0xFFFFFFFF) - shift), -1),
        sentence=sentence,
        start=start,
        end=predictions.end - shift,
        gold_label=np.where(expected < 0, -1, _gold_labels(gold, predictions, label)),
        kinds=kinds.KINDS,
        verdict=kind,
    )


def _gold_labels(gold: Linked, predictions: Predictions, label: Ints) -> Ints:
    """The label that an error counts for: the unit's label; of surplus, the label of the gold link it overlaps."""
    labels = np.tile(label, (predictions.systems, 1))
    columns = (gold.spans.scope, gold.spans.start, gold.spans.end)
    rows = {bounds: row for row, bounds in enumerate(zip(*(column.tolist() for column in columns), strict=True))}
    scope = predictions.sentence.tolist()
    assert predictions.gold_label is not None
    for system, unit in zip(*np.nonzero(predictions.is_surplus & (predictions.gold_label >= 0)), strict=True):
        bounds = int(predictions.part[system, unit])
        row = rows.get((scope[unit], bounds >> 32, bounds & 0xFFFFFFFF))
        if row is not None:
            labels[system, unit] = gold.spans.label[row]
    return labels


def _surplus_labels(predictions: Predictions, pairs: Sequence[LinkPair], first: int) -> Ints:
    """The labels of surplus spans, from the first system that has each."""
    labels: dict[tuple[int, ...], int] = {}
    for pair in reversed(pairs):
        spans = pair.system.spans
        columns = (spans.scope, spans.start, spans.end, pair.system.answer, spans.label)
        for *key, label in zip(*(column.tolist() for column in columns), strict=True):
            labels[tuple(key)] = label
    units = (predictions.sentence, predictions.start, predictions.end, predictions.label)
    return ints([labels[key] for key in zip(*(column[first:].tolist() for column in units), strict=True)])


def link_units(predictions: Predictions) -> Units:
    """Units for the error browser."""
    kind, label = answer_parts(predictions.shown)
    assert predictions.gold_label is not None
    gold = np.where(kind == kinds.TN, -1, predictions.gold_label)
    return units_of(predictions, kind, gold, label, predictions.part)
