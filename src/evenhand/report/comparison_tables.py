"""The tables of a comparison, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from evenhand.arrays import Values
from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import Unit
from evenhand.problems import plural
from evenhand.report.pair_tables import MOST_ROWS, NOTHING, pairs, score_changes
from evenhand.result.comparison import Comparison, Slice
from evenhand.statistics.draws import ROUNDING
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.registry import TASKS, model_title

MOST_SYSTEMS = 5
"""How many systems have a column each."""


def summary_of_comparison(comparison: Comparison, style: TableStyle = PLAIN) -> Iterator[Table]:
    """Scores, pairs, the oracle, agreement and difficulty."""
    yield _scores(comparison)
    yield pairs(comparison, style)
    if comparison.further_scores and len(comparison.pairs) <= MOST_ROWS:
        yield score_changes(comparison, style)
    yield _oracle(comparison, style)
    yield _difficulty(comparison)
    yield _paired(comparison) if comparison.paired and _is_few(comparison) else _agreement(comparison)
    if _is_few(comparison):
        yield _matrix(
            comparison, "correct alike", comparison.correct_answers, "Units right under both, of those right."
        )
    for name, found in comparison.slices.items():
        yield _slices(comparison, name, found)


def _is_few(comparison: Comparison) -> bool:
    """Whether every system can have a column."""
    return len(comparison.systems) <= MOST_SYSTEMS


def _scores(comparison: Comparison) -> Table:
    """The score that systems are compared by; all scores, where there are several."""
    further = comparison.further_scores
    names = list(next(iter(further.values()))) if further else [comparison.by]
    titles = [model_title(comparison.task, name) for name in names] if further else names
    columns = [Column("system", "text"), *(Column(title, "percent") for title in titles)]
    scores = further or {name: {comparison.by: score} for name, score in comparison.scores.items()}
    rows: list[list[Cell]] = [[name, *(scores[name][each] for each in names)] for name in comparison.systems]
    if comparison.before:
        columns.append(Column("before overrides", "percent"))
        rows = [[*row, comparison.before[str(row[0])]] for row in rows]
    return Table("F1" if further else "", columns, rows, rivals=[range(len(rows))])


def _oracle(comparison: Comparison, style: TableStyle) -> Table:
    """What systems solve together: overall, in whole sentences, and by label."""
    oracle, best = comparison.oracle, comparison.systems[comparison.oracle.best]
    shown = [*range(len(comparison.systems))] if _is_few(comparison) else [oracle.best]
    names = [comparison.systems[place] for place in shown]
    columns = [Column("oracle", "text"), Column("units", "count")]
    columns += [Column(name, "percent") for name in (*names, "bound", "gain", "over best")]

    def row(name: str, bound: Bound) -> list[Cell]:
        gains = [bound.upper_bound, bound.gain(oracle.best), bound.gain_over_best]
        return [name, bound.units, *(bound.scores[place] for place in shown), *gains]

    def queries(label: str | None) -> list[Query]:
        units = Query(of="gold", gold=label, shared=True)
        right = (Query(name, right=True, of="gold", gold=label, shared=True) for name in names)
        return [units, units, *right, Query(of="gold", gold=label, solved="some"), units, units]

    labels = list(oracle.labels.items())
    if comparison.sort == "gain":
        labels.sort(key=lambda item: (-item[1].gain(oracle.best), item[0]))
    rows = [row(label, bound) for label, bound in labels[:MOST_ROWS]]
    asked = [queries(label) for label, _ in labels[:MOST_ROWS]]
    rows += [row("overall", oracle.overall), row("sentences", oracle.sentences)]
    remark = _on_oracle(comparison, best, style)
    return Table("oracle", columns, rows, 2, remark, queries=[*asked, queries(None), [None] * len(columns)])


def _on_oracle(comparison: Comparison, best: str, style: TableStyle) -> str:
    oracle = comparison.oracle
    remarks = [f"gain: of the bound over {best}, the best overall; over best: over the label's own best system."]
    remarks.append("sentences: those with a unit, fully correct.")
    if len(oracle.labels) > MOST_ROWS:
        which = "with the largest gains" if comparison.sort == "gain" else "most frequent"
        remarks.append(f"The {MOST_ROWS} {which} of {len(oracle.labels)} labels.")
    remarks.append(TASKS[comparison.task].display.remarks.get("oracle", "") or _on_shares(comparison))
    if oracle.exact is not None:
        figures = ", ".join(f"{name} {style.score(value)}" for name, value in oracle.exact.items())
        remarks.append(f"Bounds under exact match: {figures}.")
    return " ".join(filter(None, remarks))


def _on_shares(comparison: Comparison) -> str:
    """What the figures of systems are, where they are not the scores that systems are compared by."""
    shares = zip(comparison.scores.values(), comparison.oracle.overall.scores, strict=True)
    if all(isnan(score) or abs(score - share) < ROUNDING for score, share in shares):
        return ""
    units = plural(TASKS[comparison.task].unit_of(comparison.by))
    return f"Figures are shares of the gold standard's {units}; the score {comparison.by} also counts extra ones."


def _difficulty(comparison: Comparison) -> Table:
    total = sum(comparison.difficulty.values())
    columns = [Column("systems right", "text"), Column("units", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for number, units in comparison.difficulty.items():
        share = units / total if total else 0.0
        rows.append([str(number), units, share, share])
    queries = [[Query(solved=str(number))] * len(columns) for number in comparison.difficulty]
    return Table("systems right", columns, rows, queries=queries)


def _paired(comparison: Comparison) -> Table:
    """One system as the key for another, under several scores."""
    columns = [Column("key", "text"), Column("response", "text")]
    columns += [Column(model_title(comparison.task, model), "percent") for model in comparison.paired]
    rows: list[list[Cell]] = []
    queries: list[list[Query]] = []
    for a, key in enumerate(comparison.systems):
        for b, response in enumerate(comparison.systems[a + 1 :], a + 1):
            rows.append([key, response, *(float(table[a, b]) for table in comparison.paired.values())])
            queries.append([Query(from_=key, to=response, different=True)] * len(columns))
    further = TASKS[comparison.task].display.remarks.get("paired")
    remark = f"F1 of one response with another as the key{f': {further}' if further else ''}."
    return Table("key", columns, rows, remark=remark, queries=queries)


def _agreement(comparison: Comparison) -> Table:
    """The score of each system with each other as the key; of many systems, who is most and least alike."""
    words = TASKS[comparison.task].display.remarks.get("agreement", "equal answers")
    what = f"F1 of {comparison.by}" if comparison.paired else words
    remark = f"One system as the key for another: {what}."
    if _is_few(comparison):
        return _matrix(comparison, "agreement", comparison.all_answers, remark)
    columns = [Column("agreement", "text"), Column("and", "text"), Column("all", "percent")]
    alike = list(comparison.alike)
    few = len(alike) <= MOST_ROWS
    shown = alike if few else [*alike[: MOST_ROWS // 2], *alike[-MOST_ROWS // 2 :]]
    rows: list[list[Cell]] = [[a, b, share] for a, b, share in shown]
    remark = remark if few else f"{remark} The most and the least alike of {len(alike):,} pairs."
    return Table("agreement", columns, rows, remark=remark)


def _matrix(comparison: Comparison, title: str, values: Values, remark: str) -> Table:
    columns = [Column(title, "text"), *(Column(name, "percent") for name in comparison.systems)]
    rows: list[list[Cell]] = [[name, *values[row].tolist()] for row, name in enumerate(comparison.systems)]
    return Table(title, columns, rows, remark=remark)


def _slices(comparison: Comparison, name: str, found: Mapping[str, Slice]) -> Table:
    few = _is_few(comparison)
    shown: Sequence[str] = comparison.systems if few else [comparison.systems[comparison.oracle.best]]
    columns = [Column(name, "text"), Column("units", "count"), *(Column(system, "percent") for system in shown)]
    columns.append(Column("spread", "percent"))
    rows: list[list[Cell]] = [
        [
            value,
            each.units,
            *(each.scores[system] for system in shown),
            max(each.scores.values()) - min(each.scores.values()),
        ]
        for value, each in list(found.items())[:MOST_ROWS]
    ]
    remark = f"The {MOST_ROWS} of {len(found):,} on which systems differ most." if len(found) > MOST_ROWS else ""
    return Table(f"slice: {name}", columns, rows, remark=remark)


def gold_answer(unit: Unit) -> str:
    """What the gold standard says of a unit: its label, with the head or the antecedent where it has one."""
    answer = unit.gold if unit.gold_head in (None, "root") else f"{unit.gold} of {unit.gold_head}"
    return answer if unit.gold_antecedent is None else f"{answer} to {unit.gold_antecedent}"


def unit_table(comparison: Comparison) -> Table:
    """The units that were asked for."""
    columns = [Column("place", "text"), Column("unit", "text"), Column("gold", "text")]
    by_pair = len(comparison.pairs) > 1 and any(unit.pair is not None for unit in comparison.shown_units)
    columns += [Column("from", "text"), Column("to", "text")] if by_pair else []
    shown = comparison.systems if _is_few(comparison) else ()
    columns += [*(Column(name, "text") for name in shown), Column("sentence", "text")]
    rows: list[list[Cell]] = []
    for unit in comparison.shown_units:
        answers: list[Cell] = [unit.answers[name] for name in shown]
        pair = (unit.pair or ("", "")) if by_pair else ()
        rows.append([unit.place, unit.words or "", gold_answer(unit) or NOTHING, *pair, *answers, unit.text or ""])
    kind = (comparison.show or "").replace("_", " ")
    return Table(f"units: {kind}", columns, rows, remark="" if rows else "There are none.")
