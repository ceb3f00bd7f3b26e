"""What changes between two systems, as tables: the pairs side by side, their transitions, and their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from evenhand.problems import counted
from evenhand.result.comparison import Comparison, Slice
from evenhand.result.notes import why_sentences
from evenhand.result.pairs import Differences, Pair, ScoreChange
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle, stars
from evenhand.tasks.registry import TASKS, model_title

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
    has_parts = any(each.change for each in found.transitions)
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
    if display.has_verdicts:
        remark = f"{_by_verdict(found)} {remark}".strip()
    return Table("", columns, rows, remark=remark, queries=queries)


def _by_verdict(found: Differences) -> str:
    """What units were that are right now, or have become that were right; of changed errors, what they were."""
    counts: Counter[str] = Counter()
    for each in found.transitions:
        shown = each.after if found.name == "new_error" else each.before
        counts[shown.partition(" ")[0]] += each.count
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
