"""The tables of a comparison, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isnan

from evenhand.arrays import Values
from evenhand.comparison.differences import Bound
from evenhand.comparison.units import Unit
from evenhand.errors import counted, plural
from evenhand.results.comparison import Comparison, Differences, Pair, ScoreChange, Slice
from evenhand.results.signature import why_sentences
from evenhand.statistics.bootstrap import ROUNDING
from evenhand.tables import PLAIN, Cell, Column, Query, Table, TableStyle, stars
from evenhand.tasks.registry import TASKS, model_title

# == report/pair_tables.py: What changes between two systems, as tables: the pairs side


NAMES = {"correction": "corrections", "new_error": "new errors", "changed_error": "changed errors"}
MOST_ROWS = 20
NOTHING = "–"
_MARKS = "* p < 0.05, ** p < 0.01, both by Holm over the pairs."


def pair_tables(comparison: Comparison, pair: Pair, style: TableStyle = PLAIN) -> Iterator[tuple[str, Table]]:
    """What changes from one system to the other, and on which labels: headings and tables."""
    names = f"{pair.before} to {pair.after}"
    for each in pair.classes.values():
        if each.count:
            yield f"{names}, {share_of(pair, each)}:", transitions(comparison, pair, each)
    display = TASKS[comparison.task].display
    same = display.remarks.get("moved", "answer, but another match")
    moved = f" (with the same {same}: {pair.moved:,} more)" if pair.moved else ""
    if comparison.labels:
        heading = f"{names}, {pair.different:,} of {counted(pair.size, 'unit')}{moved}, by {display.label}:"
        yield heading, _labels(comparison, pair, style)


def share_of(pair: Pair, found: Differences) -> str:
    return f"{NAMES[found.name]}: {found.count:,} of {pair.different:,} ({100 * found.share:.2f} %)"


def pairs(comparison: Comparison, style: TableStyle) -> Table:
    """Every pair: the change of the score, tests, and how many units change."""
    has_mcnemar = any(pair.mcnemar is not None for pair in comparison.pairs.values())
    columns = [Column("from", "text"), Column("to", "text"), Column("delta", "label")]
    columns += [Column(f"{100 * comparison.resampling['level']:g}% interval", "label")]
    columns += [Column(name, "label") for name in ("p", "p (Holm)", *(["McNemar"] if has_mcnemar else []))]
    columns += [Column("diff. %", "share")]
    columns += [Column(name, "count") for name in ("corrected", "new errors", "changed")]
    rows: list[list[Cell]] = []
    queries: list[list[Query]] = []
    chosen = readable_pairs(comparison)
    for pair in chosen:
        test = pair.significance
        tested: list[Cell] = [NOTHING] * 2 if test is None else [p_text(test.p), p_text(test.p_holm)]
        tested += [NOTHING if pair.mcnemar is None else p_text(pair.mcnemar)] if has_mcnemar else []
        counts = [each.count for each in pair.classes.values()]
        marks = stars(test.p_holm) if style.marks and test is not None else ""
        row: list[Cell] = [pair.before, pair.after, style.score(pair.delta, "+") + marks]
        rows.append([*row, style.interval(pair.interval, "+"), *tested, pair.difference, *counts])
        queries.append([pair.query()] * (len(columns) - len(counts)) + [pair.query(name) for name in pair.classes])
    remark = f"{_how(comparison)} {_MARKS}" if style.marks and comparison.resampling["trials"] else _how(comparison)
    if len(chosen) < len(comparison.pairs):
        remark = f"Neighbours by score, of {counted(len(comparison.pairs), 'pair')}; --as csv has them all. {remark}"
    return Table("", columns, rows, remark=remark, queries=queries)


def readable_pairs(comparison: Comparison) -> list[Pair]:
    """All pairs, each from the system given first to the later one.

    If there are too many to read, only neighbours by score, the best ones first.
    """
    pairs = list(comparison.pairs.values())
    if len(pairs) <= MOST_ROWS:
        return pairs
    by_names = {frozenset((pair.before, pair.after)): pair for pair in pairs}
    by_score = sorted(comparison.systems, key=lambda name: -comparison.scores[name])
    neighbours = (by_names.get(frozenset(names)) for names in pairwise(by_score))
    return [pair for pair in neighbours if pair is not None]


def _how(comparison: Comparison) -> str:
    """How the figures of pairs came about."""
    made = comparison.resampling
    parts = ["diff.: units with other answers."]
    if made["trials"]:
        exact = any(pair.significance is not None and pair.significance.exact for pair in comparison.pairs.values())
        few = " (all permutations where these are fewer)" if exact else ""
        parts.append(f"p: approximate randomization of {made['of']}, {made['trials']:,} trials{few}.")
    if made["resamples"]:
        kind = "BCa" if made["interval"] == "bca" else "percentile"
        parts.append(f"Intervals: {kind}, {made['resamples']:,} resamples of {made['of']}.")
    if made["few_documents"] is not None:
        parts.append(why_sentences(made["few_documents"]))
    return " ".join([*parts, f"Seed {made['seed']}."] if made["trials"] or made["resamples"] else parts)


def p_text(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def score_changes(comparison: Comparison, style: TableStyle = PLAIN) -> Table:
    """How further scores change, with marks where that is significant."""
    models = list(next(iter(comparison.pairs.values())).further)
    columns = [Column("from", "text"), Column("to", "text")]
    columns += [Column(model_title(comparison.task, model), "label") for model in models]
    rows: list[list[Cell]] = [
        [pair.before, pair.after, *(_change(pair.further[model], style) for model in models)]
        for pair in comparison.pairs.values()
    ]
    queries = [[pair.query()] * len(columns) for pair in comparison.pairs.values()]
    return Table("", columns, rows, remark=_MARKS if comparison.resampling["trials"] else "", queries=queries)


def _change(found: ScoreChange, style: TableStyle) -> str:
    p = None if found.significance is None else found.significance.p_holm
    return style.score(found.delta, "+") + stars(p)


def significance(comparison: Comparison) -> Table:
    """The p-values of all pairs, corrected for their number, as a matrix of systems."""
    names = comparison.systems
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for one in names:
        found = [comparison.pairs.get((one, other)) or comparison.pairs.get((other, one)) for other in names]
        tested = [None if pair is None or pair.significance is None else pair for pair in found]
        tests = [None if pair is None else pair.significance for pair in tested]
        rows.append([one, *(NOTHING if test is None else p_text(test.p_holm) for test in tests)])
        queries.append([None, *(None if pair is None else pair.query() for pair in tested)])
    remark = f"Whether the difference in {comparison.by} is more than chance; corrected for the number of pairs."
    columns = [Column("p (Holm)", "text"), *(Column(name, "label") for name in names)]
    return Table("", columns, rows, remark=remark, queries=queries)


def transitions(comparison: Comparison, pair: Pair, found: Differences, hint: str = "--top shows more") -> Table:
    """The most frequent transitions of one class; `hint` says how to see the others."""
    display = TASKS[comparison.task].display
    if display.transitions is not None:
        return display.transitions(comparison, pair, found)
    has_parts = any(transition.change for transition in found.transitions)
    columns = [Column("gold", "text"), Column(pair.before, "text"), Column(pair.after, "text")]
    columns += [Column("changed", "text")] if has_parts else []
    columns += [Column("count", "count"), Column("% of these", "share"), Column("% of all", "share")]
    rows: list[list[Cell]] = []
    queries: list[list[Query]] = []
    for each in found.transitions[: comparison.top]:
        row: list[Cell] = [each.gold or NOTHING, each.before, each.after, *([each.change] if has_parts else [])]
        rows.append([*row, each.count, each.share_of_class, each.share_of_differences])
        what = {"gold": each.gold, "before": each.before, "after": each.after, "what": each.change or None}
        queries.append([pair.query(found.name, **what)] * len(columns))
    more = len(found.transitions) - comparison.top
    remark = f"{counted(more, 'more transition')}; {hint}." if more > 0 else ""
    if display.shows_error_types:
        remark = f"{_by_verdict(found)} {remark}".strip()
    return Table("", columns, rows, remark=remark, queries=queries)


def _by_verdict(found: Differences) -> str:
    """What units were that are right now, or have become that were right; of changed errors, what they were."""
    counts: Counter[str] = Counter()
    for transition in found.transitions:
        shown = transition.after if found.name == "new_error" else transition.before
        counts[shown.partition(" ")[0]] += transition.count
    listed = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
    return f"They are now: {listed}." if found.name == "new_error" else f"They were: {listed}."


def _labels(comparison: Comparison, pair: Pair, style: TableStyle) -> Table:
    """The labels on which two systems differ most."""
    columns = [Column("label", "text"), Column("units", "count"), Column(pair.before, "percent")]
    columns += [Column(pair.after, "percent"), Column("delta", "label")]
    order = list(comparison.labels.items())
    if comparison.sort != "frequency":
        order.sort(key=lambda item: (-abs(_delta(item[1], pair)), item[0]))
    compared = {label: bound.units for label, bound in comparison.oracle.labels.items()}
    are_compared = all(each.units == compared.get(label, 0) for label, each in order)
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for label, each in order[:MOST_ROWS]:
        scores = each.scores[pair.before], each.scores[pair.after]
        rows.append([label, each.units, *scores, style.score(_delta(each, pair), "+")])
        asked = Query(of="gold", gold=label, shared=True) if are_compared else None
        queries.append([pair.query(label=label), asked, *[pair.query(label=label)] * 3])
    more = len(order) - MOST_ROWS
    which = "most frequent labels" if comparison.sort == "frequency" else "labels with the largest differences"
    remark = f"The {MOST_ROWS} {which} of {len(order)}." if more > 0 else ""
    return Table("labels", columns, rows, remark=remark, queries=queries)


def _delta(found: Slice, pair: Pair) -> float:
    return found.scores[pair.after] - found.scores[pair.before]


# == report/comparison_tables.py (primary)


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
