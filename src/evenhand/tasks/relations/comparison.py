"""What several systems say of the same relations.

A unit is a relation of the gold standard, and what a system says of it is its verdict, with the type that the system
gave it. A system's relation that is in no pair is *surplus*, a unit of its own, told by scope, type, and bounds and
labels of its arguments; its verdict is TN under the systems that do not have it as surplus.

Sources: Ortmann 2022 for verdicts on spans, Tuggener 2017 for classes of differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import Ints, Values, empty, pack
from evenhand.data.annotation import ReadInfo
from evenhand.data.layers import Spans
from evenhand.errors import SettingError
from evenhand.scoring.prf import ratio
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, Query, Table, TableStyle
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.relations.matching import Side
from evenhand.tasks.relations.task import CLASS_KINDS, ERROR_NAMES, FAULTS, KINDS, PAIRED, TN, TP
from evenhand.tasks.spans.comparison import SpanDrawing
from evenhand.tasks.tables import (
    ErrorBars,
    confusion_score,
    confusion_table,
    document_notes,
    errors_by_kind,
    label_notes,
    label_table,
    reading_notes,
    unit_notes,
)
from evenhand.tasks.units import Agreement, Predictions, Row, Rows, Units, together, units_of

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results
    from evenhand.tasks.relations.evaluation import RelationPair

_KIND_BITS = 4


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the type that the system gave, where it gave one."""
    kind, label = CLASS_KINDS[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1
    return kind if label < 0 else f"{kind} {labels[label]}"


def stretch(side: Side) -> tuple[Ints, Ints]:
    """From where to where the arguments of each relation reach, in its head's scope."""
    spans, head, tail = side.spans, side.head, side.tail
    here = spans.scope[head] == spans.scope[tail]
    start = np.where(here, np.minimum(spans.start[head], spans.start[tail]), spans.start[head])
    end = np.where(here, np.maximum(spans.end[head], spans.end[tail]), spans.end[head])
    return start, end


def answers_on_relations(by: str, questions: Sequence[RelationPair]) -> Predictions:
    """The verdicts of several systems on the gold standard's relations and on all surplus."""
    gold, judged = questions[0].gold, [each.verdicts(by) for each in questions]
    size = len(gold)
    surplus = [question.system.take(found.system[size:]) for question, found in zip(questions, judged, strict=True)]
    unit, first = identified(surplus)
    shown = np.full((len(judged), size + len(first)), TN)
    part, gold_label = np.full(shown.shape, -1), np.full(shown.shape, -1)
    gold_label[:, :size] = gold.label
    begin = 0
    for row, (question, found, own) in enumerate(zip(questions, judged, surplus, strict=True)):
        partner = found.system[:size]
        start, end = stretch(question.system)
        label = np.append(question.system.label, -1)[partner]
        shown[row, :size] = ((label + 1) << _KIND_BITS) | found.kind[:size]
        part[row, :size] = np.append((start << 32) | end, -1)[partner]
        units = size + unit[begin : begin + len(own)]
        shown[row, units] = ((own.label + 1) << _KIND_BITS) | found.kind[size:]
        begin += len(own)
    kind = shown & ((1 << _KIND_BITS) - 1)
    label, sentence, start, end = (
        np.concatenate((column, np.concatenate(others)[first]))
        for column, *others in zip(*(_places(side) for side in (gold, *surplus)), strict=True)
    )
    return Predictions(
        label=label,
        is_surplus=np.arange(len(label)) >= size,
        answer=shown,
        shown=shown,
        right=(kind == TP) | (kind == TN),
        part=part,
        sentence=sentence,
        start=start,
        end=end,
        absent=kind == TN,
        gold_label=gold_label,
        kinds=KINDS,
        verdict=kind,
    )


def ends_of(by: str, question: RelationPair) -> dict[str, Ints]:
    """Where the arguments of the units of one system are in their sentences, and the sentence of the tail."""
    gold, found = question.gold, question.verdicts(by)
    surplus = question.system.take(found.system[len(gold) :])
    _, first = identified([surplus])
    columns = {}
    for end in ("head", "tail"):
        for edge in ("start", "end"):
            mine, theirs = (getattr(side.spans, edge)[getattr(side, end)] for side in (gold, surplus))
            columns[f"{end}_{edge}"] = np.concatenate((mine, theirs[first]))
    mine, theirs = (side.spans.scope[side.tail] for side in (gold, surplus))
    return {**columns, "tail_sentence": np.concatenate((mine, theirs[first]))}


def _places(side: Side) -> tuple[Ints, Ints, Ints, Ints]:
    """Type, scope, start and end of each relation."""
    return side.label, side.scope, *stretch(side)


def identified(sides: Sequence[Side]) -> tuple[Ints, Ints]:
    """A number for each relation of all sides, one side after the other, and the first relation with each number."""
    columns = [np.concatenate(parts) for parts in zip(*map(_columns, sides), strict=True)]
    key, _ = pack(*((column, empty()) for column in columns))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    return unit, first


def _columns(side: Side) -> list[Ints]:
    """What tells a relation from others."""
    columns, spans = [side.scope, side.label], side.spans
    for end in (side.head, side.tail):
        columns += [column[end] for column in (spans.scope, spans.start, spans.end, spans.shape, spans.label)]
    return columns


def relation_units(answers: Predictions) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & ((1 << _KIND_BITS) - 1), (answers.shown >> _KIND_BITS) - 1
    assert answers.gold_label is not None
    return units_of(answers, kind, answers.gold_label, label, answers.part)


# == tasks/relations/agreement.py: How alike systems are that extract relations: F1 under stric


class RelationAgreement(Agreement):
    """Relations are told by scope, type, and bounds and labels of their arguments."""

    def add(self, judgement: Any, answers: Predictions) -> None:
        sides = [question.system for question in judgement.questions.values()]
        unit, first = identified(sides)
        has = np.zeros((len(sides), len(first)), dtype=np.bool_)
        has[np.repeat(np.arange(len(sides)), [len(side) for side in sides]), unit] = True
        self.equal += together(has)
        self.size += np.array([len(side) for side in sides])
        self.both_right += together(answers.right[:, ~answers.is_surplus])

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])


# == tasks/relations/drawing.py: The spans and relations of all sides in a sentence, for a dr


class RelationDrawing:
    """Spans as rows of label, start, end and gaps; relations as rows of type, and the places of head and tail."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides
        self._spans = SpanDrawing([side.spans for side in sides])

    def sides(self, sentence: int) -> list[Rows]:
        return self._spans.sides(sentence)

    def links(self, sentence: int) -> list[Rows]:
        """The relations whose heads are in the sentence; a tail elsewhere is -1."""
        return [tuple(each.get(sentence, ())) for each in self._by_scope]

    @cached_property
    def _by_scope(self) -> list[dict[int, list[Row]]]:
        return [_rows(side) for side in self._sides]


def _rows(side: Side) -> dict[int, list[Row]]:
    place, rows = _places_drawing(side.spans), dict[int, list[Row]]()
    is_here = side.spans.scope[side.tail] == side.scope
    columns = (side.scope, side.label, place[side.head], np.where(is_here, place[side.tail], -1))
    for scope, *row in zip(*(column.tolist() for column in columns), strict=True):
        rows.setdefault(scope, []).append(tuple(row))
    return rows


def _places_drawing(spans: Spans) -> Ints:
    """The place of each span among those of its scope."""
    order = np.argsort(spans.scope, kind="stable")
    ordered = spans.scope[order]
    place = np.empty(len(spans), dtype=np.int64)
    place[order] = np.arange(len(spans)) - np.searchsorted(ordered, ordered)
    return place


# == tasks/relations/tables.py: What only results of relations show: the kinds of errors, wh


_MATCHED = ",".join(PAIRED)
"""Wrong relations that are a pair with another, which strict match counts on both sides."""


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """A table by type for every model, the kinds of errors, the confusion matrix."""
    for score in result.scores.values():
        yield label_table(result, score, query, style)
    fair = confusion_score(result)
    if fair is not None:
        yield _kinds_of_errors(result, fair)
        yield from confusion_table(result)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The kinds of errors."""
    if confusion_score(next(iter(results.values()))) is None:
        raise SettingError("The kinds of errors come from the match model fair; score with it too.")
    return errors_by_kind(results, ["fair"], ERROR_NAMES, query)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The relations behind a count of a match model, of one type or of all; None where no page can list them."""
    system = result.name
    if count == "gold":
        return Query(system, of="gold", gold=label)
    if model == "strict" and count == "FN":
        return Query(system, of="gold", kind=f"{_MATCHED},AM,FN", gold=label)
    if model == "strict" and count == "FP":
        return Query(system, of="system", kind=f"{_MATCHED},AS,FP", predicted=label)
    if model not in ("strict", "fair"):
        return Query(system, label=label) if not count else None
    if count in ("AS", "FP"):
        return Query(system, kind=count, predicted=label)
    return Query(system, kind=count, gold=label) if count in KINDS else Query(system, label=label)


def _kinds_of_errors(result: Result, score: MeasureScore) -> Table:
    """How the errors divide, and whose fault they are."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("error", "text"), Column("fault of", "text"), Column("count", "count")]
    columns += [Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{name}", FAULTS[kind], score.overall[kind], share, share])
    faults = {fault: sum(score.overall[kind] for kind in FAULTS if FAULTS[kind] == fault) for fault in FAULTS.values()}
    shares = [f"{fault} {count / errors:.0%}" for fault, count in faults.items()] if errors else []
    remark = f"Fault of: {', '.join(shares)}." if shares else ""
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    return Table("kinds of errors (fair)", columns, rows, remark=remark, queries=queries)


# == tasks/relations/notes.py: What a reader of scores of relations should know about the f


_QUOTES = "wrong quotations"


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """One sentence for everything that was left out, mended or is worth a look."""
    found = [
        *_of_side(f"gold {gold.name}", gold.reading, gold_count.repeated),
        *_of_side(f"system {name}", side.reading or ReadInfo(), side.repeated),
    ]
    if side.mismatches is not None:
        is_line = read_as.parameters.get("sentences") == "lines"
        found += document_notes(name, side.mismatches, "lines" if is_line else "documents")
        if side.mismatches.words:
            lines = "1 line is" if side.mismatches.words == 1 else f"{side.mismatches.words:,} lines are"
            found.append(f"system {name}: {lines} spelled otherwise than in the gold standard; offsets count as given.")
    if side.breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    found += unit_notes(gold, name, side.units, "relation", identical=identical)
    return (*found, *label_notes(gold, name, side.labels, "relation"))


def _of_side(side: str, reading: ReadInfo, repeated: int) -> list[str]:
    kind, _, name = side.partition(" ")
    others = {what: count for what, count in reading.kept.items() if what != _QUOTES}
    found = reading_notes(kind, name, replace(reading, kept=others), "begin")
    if quotes := reading.kept.get(_QUOTES):
        spans = "1 span quotes another text than it covers" if quotes == 1 else f"{quotes:,} spans quote other texts"
        found.append(f"{side}: {spans}; offsets count (--quotes note).")
    if repeated:
        relations = "1 relation repeats another" if repeated == 1 else f"{repeated:,} relations repeat others"
        found.append(f"{side}: {relations} and {'counts' if repeated == 1 else 'count'} once.")
    return found


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all relations are right."""
    met = [tallies[judge] for judge in ("strict", "fair") if judge in tallies and len(tallies[judge])]
    return bool(met) and all(tally.kinds_met <= {"TP"} for tally in met)
