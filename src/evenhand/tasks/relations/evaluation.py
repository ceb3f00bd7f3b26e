"""Evaluation of relations and comparison of systems; spans are aligned as in any task, and carry their relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.alignment.spans import LineFeed
from evenhand.arrays import Bools, Ints, empty, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import same_atoms
from evenhand.data.layers import Spans
from evenhand.data.structures import ListedParts, Parts, Relations
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.scoring.tally import Tally
from evenhand.settings import RELATIONS, ScoreSettings
from evenhand.tasks.evaluation import EvaluationRequest, Numbering, Outcome, VerdictRows
from evenhand.tasks.relations.matching import RelationMatches, RelationPair, Side, without_repeats
from evenhand.tasks.relations.measures import match_fair, match_strict
from evenhand.tasks.relations.task import KINDS, TN, TP
from evenhand.tasks.spans.comparison import SpanDrawing
from evenhand.tasks.spans.evaluation import Portion, Portions
from evenhand.tasks.units import (
    Locations,
    Predictions,
    Row,
    Rows,
    SetAgreement,
    Units,
    answer_code,
    answer_parts,
    rows_by_sentence,
    together,
    units_of,
)


class RelationEvaluator:
    """One pass over the gold standard and all systems."""

    def __init__(self, request: EvaluationRequest) -> None:
        self._request, settings, systems = request, request.settings, request.sides.systems
        names = ("", *systems)
        self._carried = {name: Carried(request.vocabulary, keeps_parts=request.asks("ehealthkd")) for name in names}
        opened = (request.sides.gold, *systems.values())
        streams = [self._carried[name].stream(open_side()) for name, open_side in zip(names, opened, strict=True)]
        portions = _LinePortions if settings["sentences"] == "lines" else Portions
        self._portions = portions(request, streams, ("spans", "spans"))
        self._relabel = {name: RelationLabelFilter(settings, "system", name) for name in systems}
        self._relabel_gold = RelationLabelFilter(settings, "gold", "gold")

    def evaluations(self, number: Numbering) -> Iterator[RelationEvaluation]:
        yield from map(self._evaluate, self._portions.take(number))

    def finish(self) -> Outcome:
        return Outcome()

    def _evaluate(self, portion: Portion) -> RelationEvaluation:
        request, labels = self._request, self._request.vocabulary.labels.values
        gold = self._relabel_gold(self._carried[""].take(portion.gold(keeps_tags=False).spans))
        annotated = np.zeros(portion.sentences, dtype=np.bool_)
        annotated[gold.spans.scope] = True
        documents = portion.locations.document_of - int(portion.locations.document_of.min(initial=0))
        kept = without_repeats(gold, documents, request.settings)
        request.gold_count.add(gold.label[kept], labels)
        request.gold_count.repeated += len(gold) - len(kept)
        evaluation = RelationEvaluation(portion)
        for name, feed in self._portions.feeds.items():
            system = self._relabel[name](self._carried[name].take(portion.take(feed).spans))
            if request.settings["unannotated"] == "skip":
                system = system.within(annotated)
            pair = RelationPair(gold, kept, system, documents, portion.groups, request.settings)
            summary = request.system_counts[name]
            summary.add(pair.system.label, labels)
            summary.repeated += pair.repeated
            evaluation.pairs[name] = pair
            evaluation.tallies[name] = self._tallies(pair, portion)
        portion.use_texts()
        return evaluation if request.keep_units else replace(evaluation, pairs={})

    def _tallies(self, pair: RelationPair, portion: Portion) -> dict[str, Tally]:
        try:
            return {scorer.name: scorer.count(pair) for scorer in self._request.scorers if scorer.count is not None}
        except LimitError as error:  # scorers do not know the file
            raise InputError(portion.batches[0].corpus.source, None, error.finding, error.remedy) from None


class _LinePortions(Portions):
    """Portions of texts with one sentence per line, of which a system may lack some."""

    def __init__(
        self, asked: EvaluationRequest, streams: Sequence[Iterator[Annotation]], layers: tuple[str, str]
    ) -> None:
        self._asked, self._layer, self.texts_are_documents = asked, layers[0], False
        self._gold, *systems = same_atoms(streams, asked.settings.align)
        feeds = zip(asked.sides.systems, systems, strict=True)
        self.feeds = {name: LineFeed(stream, layers[1]) for name, stream in feeds}


class RelationLabelFilter:
    """`--map`, `--labels` and `--exclude` for the relations of one side."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._settings, self._map = settings, settings.new_names(side, name)

    def __call__(self, side: Side) -> Side:
        if self._settings.keeps_labels:
            return side
        labels = side.spans.vocabulary.labels
        names = [self._map.get(name, name) for name in labels.values]
        new = ints([labels.code(name) for name in names])
        chosen = np.array([self._settings.chooses(name) for name in names], dtype=np.bool_)
        kept = side.take(np.flatnonzero(chosen[side.label]) if len(side) else empty())
        return replace(kept, label=new[kept.label], spans=replace(side.spans, label=new[side.spans.label]))


@dataclass
class _Waiting:
    """Relations whose spans are not aligned yet: ends are numbers of spans."""

    label: Ints
    head: Ints
    tail: Ints
    marked: Bools

    def take(self, rows: Ints | Bools) -> _Waiting:
        return _Waiting(self.label[rows], self.head[rows], self.tail[rows], self.marked[rows])


class Carried:
    """The relations of one side, attached to spans during alignment."""

    def __init__(self, vocabulary: Vocabulary, *, keeps_parts: bool) -> None:
        self._vocabulary, self._keeps_parts = vocabulary, keeps_parts
        self._waiting = _Waiting(empty(), empty(), empty(), np.zeros(0, dtype=np.bool_))
        self._count, self._source = 0, ""
        self._parts: list[tuple[int, ListedParts]] = []
        self._counts_tokens = False

    def stream(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        """The same batches with numbered spans only."""
        for batch in batches:
            layer = batch.layers.get(RELATIONS)
            if not isinstance(layer, Relations):
                raise SettingError(f"{batch.corpus.source} has no relations; give a file that has some.")
            spans, self._source = batch.spans(), batch.corpus.source
            self._add(layer.into(self._vocabulary))
            number = np.arange(self._count, self._count + len(spans))
            self._count += len(spans)
            yield replace(batch, layers={"spans": replace(spans, level=number)}, readings={"spans": batch.reading})

    def _add(self, layer: Relations) -> None:
        codes = [code for code in map(self._vocabulary.labels.find, layer.symmetric) if code is not None]
        marked, before = np.isin(layer.label, codes), self._waiting
        self._waiting = _Waiting(
            np.concatenate((before.label, layer.label)),
            np.concatenate((before.head, layer.head + self._count)),
            np.concatenate((before.tail, layer.tail + self._count)),
            np.concatenate((before.marked, marked)),
        )
        if layer.parts is None:
            self._counts_tokens = True
        elif self._keeps_parts:
            self._parts.append((self._count, layer.parts))

    def take(self, spans: Spans) -> Side:
        """The relations between these spans, which come from the stream."""
        order = np.argsort(spans.level, kind="stable")
        number, waiting = spans.level[order], self._waiting
        head, here = _rows_of(waiting.head, number, order)
        tail, is_tail_here = _rows_of(waiting.tail, number, order)
        if (here != is_tail_here).any():
            finding = "a relation has its ends in two documents of the gold standard"
            raise InputError(self._source, None, finding, "give documents that hold whole relations on both sides")
        self._waiting = waiting.take(~here)
        relations = waiting.take(here)
        parts = None if self._counts_tokens or not self._keeps_parts else self._part
        return Side(spans, relations.label, head[here], tail[here], relations.marked, parts)

    def _part(self, number: int) -> Parts:
        first, parts = next((first, parts) for first, parts in reversed(self._parts) if first <= number)
        return parts[number - first]


def _rows_of(expected: Ints, number: Ints, order: Ints) -> tuple[Ints, Bools]:
    """The rows of spans with the expected numbers, and whether there are any; `number` is sorted."""
    index = np.minimum(np.searchsorted(number, expected), max(len(number) - 1, 0))
    here = (number[index] == expected) if len(number) else np.zeros(len(expected), dtype=np.bool_)
    return (order[index] if len(order) else index), here


@dataclass
class RelationEvaluation:
    """Evaluation of one part."""

    portion: Portion
    pairs: dict[str, RelationPair] = field(default_factory=dict)
    """The systems, if units are kept."""
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def locations(self) -> Locations:
        return self.portion.locations

    def answers(self, by: str) -> Predictions:
        return relation_predictions(by, list(self.pairs.values()))

    def units(self, by: str) -> Units:
        return relation_units(self.answers(by))

    def drawing(self) -> RelationView:
        pairs = list(self.pairs.values())
        return RelationView([pairs[0].gold, *(pair.system for pair in pairs)])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        pair = self.pairs[system]
        units = relation_units(relation_predictions(judge, [pair]))
        return self.portion.rows(units, {"side": units.surplus.astype(np.int64), **_argument_columns(judge, pair)})


def _matches(by: str, pair: RelationPair) -> RelationMatches:
    return pair.cached(match_fair if by == "fair" else match_strict)


def relation_predictions(by: str, pairs: Sequence[RelationPair]) -> Predictions:
    """Predictions of several systems for the same relations.

    A unit is a relation of the gold standard. A system's answer is its error type, with the type that the system gave
    the relation. An unpaired relation of a system is *surplus*, a separate unit that is identified by scope, type, and
    bounds and labels of its arguments; it is TN under the systems that do not have it as surplus.

    Sources: Ortmann 2022 for error types of spans, Tuggener 2017 for classes of differences.
    """
    gold, matched = pairs[0].gold, [_matches(by, pair) for pair in pairs]
    size = len(gold)
    surplus = [pair.system.take(matches.system[size:]) for pair, matches in zip(pairs, matched, strict=True)]
    unit, first = _identified(surplus)
    shown = np.full((len(pairs), size + len(first)), TN)
    part, gold_label = np.full(shown.shape, -1), np.full(shown.shape, -1)
    gold_label[:, :size] = gold.label
    begin = 0
    for row, (pair, matches, extra) in enumerate(zip(pairs, matched, surplus, strict=True)):
        partner = matches.system[:size]
        start, end = _extent(pair.system)
        shown[row, :size] = answer_code(matches.kind[:size], np.append(pair.system.label, -1)[partner])
        part[row, :size] = np.append((start << 32) | end, -1)[partner]
        shown[row, size + unit[begin : begin + len(extra)]] = answer_code(matches.kind[size:], extra.label)
        begin += len(extra)
    columns = [(side.label, side.scope, *_extent(side)) for side in (gold, *surplus)]
    label, sentence, start, end = (
        np.concatenate((column, np.concatenate(others)[first])) for column, *others in zip(*columns, strict=True)
    )
    bounds = {"sentence": sentence, "start": start, "end": end, "part": part}
    is_surplus = np.arange(len(label)) >= size
    return Predictions.of_codes(
        shown, KINDS, (TP, TN), TN, label=label, is_surplus=is_surplus, gold_label=gold_label, **bounds
    )


def relation_units(predictions: Predictions) -> Units:
    """Units for the error browser."""
    assert predictions.gold_label is not None
    kind, label = answer_parts(predictions.shown)
    return units_of(predictions, kind, predictions.gold_label, label, predictions.part)


def _extent(side: Side) -> tuple[Ints, Ints]:
    """The first and last position of the arguments of each relation, in its head's scope."""
    spans, head, tail = side.spans, side.head, side.tail
    is_here = spans.scope[head] == spans.scope[tail]
    start = np.where(is_here, np.minimum(spans.start[head], spans.start[tail]), spans.start[head])
    return start, np.where(is_here, np.maximum(spans.end[head], spans.end[tail]), spans.end[head])


def _argument_columns(by: str, pair: RelationPair) -> dict[str, Ints]:
    """The positions of the arguments of all units in their sentences, and the sentence of the tail."""
    surplus = pair.system.take(_matches(by, pair).system[len(pair.gold) :])
    _, first = _identified([surplus])

    def column(name: str, end: str) -> Ints:
        gold_rows, rows = (getattr(side.spans, name)[getattr(side, end)] for side in (pair.gold, surplus))
        return np.concatenate((gold_rows, rows[first]))

    columns = {f"{end}_{edge}": column(edge, end) for end in ("head", "tail") for edge in ("start", "end")}
    return {**columns, "tail_sentence": column("scope", "tail")}


def _identified(sides: Sequence[Side]) -> tuple[Ints, Ints]:
    """A number for each relation of all sides, one side after the other, and the first relation with each number."""
    columns = [np.concatenate(parts) for parts in zip(*map(_key_columns, sides), strict=True)]
    key, _ = pack(*((column, empty()) for column in columns))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, first


def _key_columns(side: Side) -> list[Ints]:
    columns, spans = [side.scope, side.label], side.spans
    for end in (side.head, side.tail):
        columns += [column[end] for column in (spans.scope, spans.start, spans.end, spans.shape, spans.label)]
    return columns


class RelationAgreement(SetAgreement):
    """Relations are identified by scope, type, and bounds and labels of their arguments."""

    def add(self, evaluation: Any, answers: Predictions) -> None:
        sides = [pair.system for pair in evaluation.pairs.values()]
        sizes = [len(side) for side in sides]
        unit, first = _identified(sides)
        has = np.zeros((len(sides), len(first)), dtype=np.bool_)
        has[np.repeat(np.arange(len(sides)), sizes), unit] = True
        self.equal += together(has)
        self.size += np.array(sizes)
        self.both_right += together(answers.right[:, ~answers.is_surplus])


class RelationView:
    """Spans as rows of label, start, end and gaps; relations as rows of type, and the indices of head and tail."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides
        self._spans = SpanDrawing([side.spans for side in sides])

    def sides(self, sentence: int) -> list[Rows]:
        return self._spans.sides(sentence)

    def links(self, sentence: int) -> list[Rows]:
        """The relations whose heads are in the sentence; a tail elsewhere is -1."""
        return [tuple(rows.get(sentence, ())) for rows in self._by_sentence]

    @cached_property
    def _by_sentence(self) -> list[dict[int, list[Row]]]:
        return [_relation_rows(side) for side in self._sides]


def _relation_rows(side: Side) -> dict[int, list[Row]]:
    order = np.argsort(side.spans.scope, kind="stable")
    ordered = side.spans.scope[order]
    index = np.empty(len(side.spans), dtype=np.int64)  # of each span in its sentence
    index[order] = np.arange(len(side.spans)) - np.searchsorted(ordered, ordered)
    is_here = side.spans.scope[side.tail] == side.scope
    return rows_by_sentence(side.scope, side.label, index[side.head], np.where(is_here, index[side.tail], -1))
