"""Evaluation of relations and comparison of systems.

Spans are aligned as in any task. Those of systems are numbered before, so their relations are found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.alignment.parts import Alignment, Batches, Follower
from evenhand.alignment.spans import LineFollower
from evenhand.arrays import Bools, Ints, empty, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Parts, Relations
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.scoring.tally import Tally
from evenhand.settings import RELATIONS, ReadSettings, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, Part, ScoreFilter
from evenhand.tasks.relations.matching import RelationMatches, RelationPair, RelationSide, extent, without_repeats
from evenhand.tasks.relations.measures import match_fair, match_strict
from evenhand.tasks.relations.task import KINDS, TN, TP
from evenhand.tasks.spans.comparison import drawn_spans
from evenhand.tasks.spans.evaluation import align_streams
from evenhand.tasks.units import (
    DrawnRows,
    Predictions,
    SentenceView,
    SetAgreement,
    answer_code,
    together,
    unit_scores,
)

_MANY_SPANS = 1 << 16
"""Number of gold spans in a part; parts are large because no relation of a system may cross their ends."""
_MANY_ATOMS = 1 << 22
"""Number of atoms in a part with few spans."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems, to be read in step."""
    keeps_parts, opened = request.asks("ehealthkd"), request.sides.systems
    relations = {name: NumberedRelations(request.vocabulary, keeps_parts=keeps_parts) for name in opened}
    gold: Iterator[Annotation] = map(_checked, request.sides.gold())
    systems = {name: relations[name].read(open_side()) for name, open_side in opened.items()}
    followers: dict[str, Follower]
    if request.settings["sentences"] == "lines":
        gold, *streams = same_atoms([gold, *systems.values()], request.settings.align)
        followers = {name: LineFollower(stream) for name, stream in zip(systems, streams, strict=True)}
    else:
        alignment = align_streams(request, gold, systems)
        gold, followers = alignment.gold, dict(alignment.followers)
    followers = {name: RelationFollower(follower, relations[name]) for name, follower in followers.items()}
    return Alignment(gold, followers, _is_full)


def labeled_arguments(
    annotation: Annotation, layer: str, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> tuple[Spans, Spans]:
    """The heads and the tails of all relations, whose labels are the types of the relations."""
    spans, relations = annotation.spans().into(vocabulary), _relations(annotation).into(vocabulary)
    heads, tails = spans.take(relations.head), spans.take(relations.tail)
    return replace(heads, label=relations.label), replace(tails, label=relations.label)


def _checked(batch: Annotation) -> Annotation:
    _relations(batch)
    return batch


def _relations(batch: Annotation) -> Relations:
    relations = batch.layers.get(RELATIONS)
    if not isinstance(relations, Relations):
        raise SettingError(f"{batch.corpus.source} has no relations; use a file that has some.")
    return relations


def _is_full(batches: Batches) -> bool:
    spans = sum(len(batch.spans()) for batch in batches)
    return spans >= _MANY_SPANS or sum(batch.corpus.token_count or 0 for batch in batches) >= _MANY_ATOMS


class NumberedRelations:
    """The relations of a system, whose ends are the numbers of spans, until these spans are aligned.

    Alignment may move, reorder and omit spans, but keeps their `level`, which is the number.
    """

    def __init__(self, vocabulary: Vocabulary, *, keeps_parts: bool) -> None:
        self.vocabulary, self._count, self._source = vocabulary, 0, ""
        self._waiting = np.zeros((4, 0), dtype=np.int64)
        """Rows of type, head, tail, and whether the file marks the type as symmetric."""
        self._scores = np.zeros(0)
        """The confidence of each of them, NaN without one."""
        self._parts: dict[int, Parts] | None = {} if keeps_parts else None

    def read(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        """Record the relations of batches, and yield them with numbered spans only."""
        for batch in batches:
            spans, layer, self._source = batch.spans(), _relations(batch).into(self.vocabulary), batch.corpus.source
            first = self._count
            rows = np.array([layer.label, layer.head + first, layer.tail + first, _is_marked(layer)])
            self._waiting = np.concatenate((self._waiting, rows), axis=1)
            scores = np.full(len(layer), np.nan) if layer.score is None else layer.score
            self._scores = np.concatenate((self._scores, scores))
            self._count += len(spans)
            if layer.parts is None:
                self._parts = None
            elif self._parts is not None:
                self._parts |= {first + row: layer.parts[row] for row in range(len(spans))}
            yield replace(batch, layers={"spans": replace(spans, level=np.arange(first, self._count))})

    def between(self, spans: Spans) -> RelationSide:
        """The relations between aligned spans, which no longer wait."""
        here, is_tail_here = (np.isin(ends, spans.level) for ends in self._waiting[1:3])
        if (here != is_tail_here).any():
            finding = "a relation has its ends in two documents of the gold standard"
            raise InputError(self._source, None, finding, "use documents that contain whole relations on both sides")
        label, *ends, marked = self._waiting[:, here]
        known = self._scores[here]
        self._waiting, self._scores = self._waiting[:, ~here], self._scores[~here]
        order = np.argsort(spans.level)
        head, tail = (order[np.searchsorted(spans.level, numbers, sorter=order)] for numbers in ends)
        listed = self._parts
        parts = None if listed is None else {number: listed.pop(number) for number in spans.level.tolist()}
        score = None if np.isnan(known).all() else known
        return RelationSide(spans, label, head, tail, marked.astype(np.bool_), parts, score)


def _is_marked(relations: Relations) -> Bools:
    """Which relations have a type that the file marks as symmetric."""
    codes = map(relations.vocabulary.labels.find, relations.symmetric)
    return np.isin(relations.label, [code for code in codes if code is not None])


@dataclass(frozen=True)
class AlignedRelations:
    """The spans and relations of a system in a part of the gold standard."""

    side: RelationSide
    texts: Sequence[Corpus] | None
    """The batches of the gold standard in the text of the system, if only the system has a text."""


class RelationFollower(Follower):
    """Reads a system with its relations; a part ends only where a batch of the gold standard ends."""

    def __init__(self, spans: Follower, relations: NumberedRelations) -> None:
        self._spans, self._relations = spans, relations

    def follow(self, gold: Batches, *, is_last: bool) -> Bools | None:
        ends = self._spans.follow(gold, is_last=is_last)
        if ends is not None:
            sizes = [batch.corpus.sentences for batch in gold]
            ends &= np.isin(np.arange(1, len(ends) + 1), np.cumsum(sizes))
        return ends

    def take(self, gold: Batches) -> AlignedRelations:
        aligned = self._spans.take(gold)
        return AlignedRelations(self._relations.between(aligned.spans.into(self._relations.vocabulary)), aligned.texts)

    def finish(self) -> None:
        self._spans.finish()
        self.reading, self.breaks_differ = self._spans.reading, self._spans.breaks_differ
        self.issues = self._spans.issues


def evaluate(part: Part, request: EvaluationRequest) -> RelationEvaluation:
    """Count the relations of a part under all scorers, one system after the other."""
    settings, labels = request.settings, request.vocabulary.labels.values
    gold = _selected(_gold_side(part, request.vocabulary), settings, "gold", "gold")
    documents = part.documents - int(part.documents.min(initial=0))
    kept = without_repeats(gold, documents, settings)
    evaluation = RelationEvaluation(part=part)
    evaluation.gold_count.add(gold.label[kept], labels)
    evaluation.gold_count.repeated = len(gold) - len(kept)
    evaluation.gold_count.scored = sum(_has_scores(batch) for batch in part.gold)
    for name, aligned in part.systems.items():
        system, summary = _selected(aligned.side, settings, "system", name), evaluation.system_counts[name]
        score, rows = ScoreFilter(request, name)(system.score, system.label, summary)
        system = replace(system, score=score) if rows is None else replace(system, score=score).take(rows)
        if settings["unannotated"] == "skip":
            system = system.within(np.isin(np.arange(part.sentences), gold.spans.scope))
        pair = RelationPair(gold, kept, system, documents, part.groups, settings)
        summary.add(pair.system.label, labels)
        summary.repeated = pair.repeated
        evaluation.tallies[name] = _tallies(pair, part, request)
        if request.keep_units:
            evaluation.pairs[name] = pair
    texts = next((aligned.texts for aligned in part.systems.values() if aligned.texts is not None), None)
    evaluation.part = part.in_texts(texts)
    return evaluation


def _has_scores(batch: Annotation) -> int:
    """The number of relations of the gold standard with a confidence, which is ignored."""
    score = _relations(batch).score
    return 0 if score is None else int(np.count_nonzero(~np.isnan(score)))


def _gold_side(part: Part, vocabulary: Vocabulary) -> RelationSide:
    spans = part.spans("spans", vocabulary)
    relations = Relations.join(RELATIONS, [batch.layers for batch in part.gold]).into(vocabulary)
    marked = np.concatenate([_is_marked(_relations(batch)) for batch in part.gold])
    numbered = replace(spans, level=np.arange(len(spans)))
    return RelationSide(numbered, relations.label, relations.head, relations.tail, marked, relations.parts)


def _tallies(pair: RelationPair, part: Part, request: EvaluationRequest) -> dict[str, Tally]:
    try:
        return {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count is not None}
    except LimitError as error:  # scorers do not know the file
        raise InputError(part.gold[0].corpus.source, None, error.finding, error.remedy) from None


def _selected(side: RelationSide, settings: ScoreSettings, which: str, name: str) -> RelationSide:
    """Apply `--map`, `--labels` and `--exclude` to the relations of one side."""
    if settings.keeps_labels:
        return side
    labels, new_names = side.spans.vocabulary.labels, settings.new_names(which, name)
    names = [new_names.get(label, label) for label in labels.values]
    new = ints([labels.code(name) for name in names])
    chosen = np.array([settings.chooses(name) for name in names], dtype=np.bool_)
    kept = side.take(np.flatnonzero(chosen[side.label]) if len(side) else empty())
    return replace(kept, label=new[kept.label], spans=replace(side.spans, label=new[side.spans.label]))


@dataclass(kw_only=True)
class RelationEvaluation(Evaluation):
    """The relations of a part and their error types."""

    def predictions(self, by: str, pairs: Sequence[RelationPair]) -> Predictions:
        return relation_predictions(by, pairs)

    def drawing(self, by: str) -> SentenceView:
        pairs = list(self.pairs.values())
        sides = [pairs[0].gold, *(pair.system for pair in pairs)]
        return SentenceView([drawn_spans(side.spans) for side in sides], list(map(_drawn_links, sides)))


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
    begin, scored = 0, []
    for row, (pair, matches, extra) in enumerate(zip(pairs, matched, surplus, strict=True)):
        partner = matches.system[:size]
        start, end = extent(pair.system)
        shown[row, :size] = answer_code(matches.kind[:size], np.append(pair.system.label, -1)[partner])
        part[row, :size] = np.append((start << 32) | end, -1)[partner]
        units = size + unit[begin : begin + len(extra)]
        shown[row, units] = answer_code(matches.kind[size:], extra.label)
        scored.append((pair.system.score, [(np.arange(size), partner), (units, matches.system[size:])]))
        begin += len(extra)
    columns = _columns(gold)
    for name, others in zip(columns, zip(*(_columns(side).values() for side in surplus), strict=True), strict=True):
        columns[name] = np.append(columns[name], np.concatenate(others)[first])
    label, is_surplus = columns.pop("label"), np.arange(shown.shape[1]) >= size
    bounds = {name: columns.pop(name) for name in ("sentence", "start", "end")}
    of_units = {"label": label, "is_surplus": is_surplus, "part": part, "gold_label": gold_label, "columns": columns}
    of_units["score"] = unit_scores(scored, shown.shape[1])
    return Predictions.of_codes(shown, KINDS, (TP, TN), TN, **of_units, **bounds)


def _columns(side: RelationSide) -> dict[str, Ints]:
    """The type, sentence and bounds of each relation, the bounds of its arguments, and the sentence of the tail."""
    spans, head, tail = side.spans, side.head, side.tail
    start, end = extent(side)
    columns = {"label": side.label, "sentence": side.scope, "start": start, "end": end}
    columns |= {"head_start": spans.start[head], "head_end": spans.end[head]}
    return columns | {"tail_start": spans.start[tail], "tail_end": spans.end[tail], "tail_sentence": spans.scope[tail]}


def _identified(sides: Sequence[RelationSide]) -> tuple[Ints, Ints]:
    """A number for each relation of all sides, one side after the other, and the first relation with each number."""
    columns = [np.concatenate(parts) for parts in zip(*map(_key_columns, sides), strict=True)]
    key, _ = pack(*((column, empty()) for column in columns))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, first


def _key_columns(side: RelationSide) -> list[Ints]:
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


def _drawn_links(side: RelationSide) -> DrawnRows:
    """Rows of type, and the indices of head and tail in the sentence of the head; a tail elsewhere is -1."""
    order = np.argsort(side.spans.scope, kind="stable")
    ordered = side.spans.scope[order]
    index = np.empty(len(side.spans), dtype=np.int64)  # of each span in its sentence
    index[order] = np.arange(len(side.spans)) - np.searchsorted(ordered, ordered)
    is_here = side.spans.scope[side.tail] == side.scope
    return DrawnRows(side.scope, side.label, index[side.head], np.where(is_here, index[side.tail], -1))
