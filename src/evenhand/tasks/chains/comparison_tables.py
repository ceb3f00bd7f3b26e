"""What only comparisons of coreference chains have, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evenhand.report.style import PLAIN, TableStyle, stars
from evenhand.report.tables import Cell, Column, Table
from evenhand.result.comparison import Comparison
from evenhand.result.pairs import Differences, Pair, ScoreChange
from evenhand.tasks.chains.kinds import NOUNS
from evenhand.tasks.chains.tables import CHAIN_NAMES

_BOTH_WAYS = "F1 of one response with another as the key: the same both ways, but for ARCS nom and repeated spans."
MARKS = "* p < 0.05, ** p < 0.01, both by Holm over the pairs."
_MOST_TYPES = 5
"""How many types of mentions have a column each."""


def chain_scores(comparison: Comparison, systems: Sequence[str]) -> Table:
    """MELA, LEA and ARCS of every system."""
    models = list(next(iter(comparison.further_scores.values())))
    columns = [Column("F1", "text"), *(Column(CHAIN_NAMES[model], "percent") for model in models)]
    further: Mapping[str, Mapping[str, float]] = comparison.further_scores
    rows: list[list[Cell]] = [[name, *(further[name][model] for model in models)] for name in systems]
    return Table("F1", columns, rows, rivals=[range(len(rows))])


def score_changes(comparison: Comparison, style: TableStyle = PLAIN) -> Table:
    """How every score changes, with marks where that is significant."""
    models = list(next(iter(comparison.pairs.values())).further)
    columns = [Column("from", "text"), Column("to", "text")]
    columns += [Column(CHAIN_NAMES[model], "label") for model in models]
    rows: list[list[Cell]] = [
        [pair.before, pair.after, *(_change(pair.further[model], style) for model in models)]
        for pair in comparison.pairs.values()
    ]
    remark = MARKS if comparison.resampling["trials"] else ""
    return Table("", columns, rows, remark=remark)


def _change(found: ScoreChange, style: TableStyle) -> str:
    p = None if found.significance is None else found.significance.p_holm
    return style.score(found.delta, "+") + stars(p)


def paired_scores(comparison: Comparison) -> Table:
    """One response as the key for another."""
    columns = [Column("key", "text"), Column("response", "text")]
    columns += [Column(CHAIN_NAMES[model], "percent") for model in comparison.paired]
    rows: list[list[Cell]] = []
    for a, key in enumerate(comparison.systems):
        for b, response in enumerate(comparison.systems[a + 1 :], a + 1):
            rows.append([key, response, *(float(table[a, b]) for table in comparison.paired.values())])
    return Table("key", columns, rows, remark=_BOTH_WAYS)


def chain_transitions(comparison: Comparison, pair: Pair, found: Differences) -> Table:
    """What verdicts were and became, with the types of mentions beside it."""
    types = _types(comparison, pair)
    counts: Counter[tuple[str, str]] = Counter()
    by_type: Counter[tuple[str, str, str]] = Counter()
    for each in found.transitions:
        counts[each.before, each.after] += each.count
        by_type[each.before, each.after, each.gold] += each.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    columns += [Column(name, "count") for name in types]
    rows: list[list[Cell]] = []
    for (before, after), count in counts.most_common():
        shares: list[Cell] = [count / found.count, count / pair.different]
        rows.append([before, after, count, *shares, *(by_type[before, after, name] for name in types)])
    return Table("", columns, rows)


def _types(comparison: Comparison, pair: Pair) -> list[str]:
    """The types of mentions that the systems differ in, nouns and the most frequent ones first; none without POS."""
    if not comparison.gold.labels:
        return []
    counts: Counter[str] = Counter()
    for found in pair.classes.values():
        for each in found.transitions:
            counts[each.gold] += each.count
    order = sorted(counts, key=lambda name: (name != NOUNS, -counts[name], name))
    return order[:_MOST_TYPES]
