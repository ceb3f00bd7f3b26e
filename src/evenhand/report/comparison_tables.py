"""The tables of a comparison, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from evenhand.arrays import Values
from evenhand.comparison.oracle import Bound
from evenhand.report.style import PLAIN, TableStyle, stars
from evenhand.report.tables import Cell, Column, Table
from evenhand.result.comparison import Comparison, Slice
from evenhand.result.pairs import Differences, Pair
from evenhand.tasks.chains.comparison_tables import MARKS, chain_scores, chain_transitions, paired_scores, score_changes

NAMES = {"correction": "corrections", "new_error": "new errors", "changed_error": "changed errors"}
MOST_PAIRS = 6
"""Of how many pairs the transitions and labels are shown."""
MOST_SYSTEMS = 5
"""How many systems have a column each."""
MOST_ROWS = 20
_NOTHING = "–"


def summary_of_comparison(comparison: Comparison, style: TableStyle = PLAIN) -> Iterator[Table]:
    """Scores, pairs, the oracle, agreement and difficulty."""
    of_chains = comparison.task == "chains"
    yield chain_scores(comparison, _ranked(comparison)) if of_chains else _scores(comparison)
    yield _pairs(comparison, style)
    if of_chains and len(comparison.pairs) <= MOST_ROWS:
        yield score_changes(comparison, style)
    yield _oracle(comparison, style)
    yield _difficulty(comparison)
    yield paired_scores(comparison) if of_chains and _is_few(comparison) else _agreement(comparison)
    if _is_few(comparison):
        yield _matrix(
            comparison, "correct alike", comparison.correct_answers, "Units right under both, of those right."
        )
    for name, found in comparison.slices.items():
        yield _slices(comparison, name, found)


def _is_few(comparison: Comparison) -> bool:
    """Whether every system can have a column."""
    return len(comparison.systems) <= MOST_SYSTEMS


def pair_tables(comparison: Comparison, pair: Pair, style: TableStyle = PLAIN) -> Iterator[tuple[str, Table]]:
    """What changes from one system to the other, and on which labels: headings and tables."""
    names = f"{pair.before} to {pair.after}"
    for each in pair.classes.values():
        if each.count:
            yield f"{names}, {share_of(pair, each)}:", transitions(comparison, pair, each)
    of_chains = comparison.task == "chains"
    other = "verdict, but another antecedent" if of_chains else "class, but other bounds"
    moved = f" (with the same {other}: {pair.moved:,} more)" if pair.moved else ""
    by = "type of mention" if of_chains else "label"
    if comparison.labels:
        yield f"{names}, {pair.different:,} of {pair.size:,} units{moved}, by {by}:", _labels(comparison, pair, style)


def share_of(pair: Pair, found: Differences) -> str:
    return f"{NAMES[found.name]}: {found.count:,} of {pair.different:,} ({100 * found.share:.2f} %)"


def _scores(comparison: Comparison) -> Table:
    columns = [Column("system", "text"), Column(comparison.by, "percent")]
    rows: list[list[Cell]] = [[name, comparison.scores[name]] for name in _ranked(comparison)]
    return Table("", columns, rows, rivals=[range(len(rows))])


def _ranked(comparison: Comparison) -> list[str]:
    """The systems by their scores; in their own order, where a user gave one to compare along."""
    if len(comparison.pairs) < len(comparison.systems):
        return list(comparison.systems)
    return sorted(comparison.systems, key=lambda name: -comparison.scores[name])


def _pairs(comparison: Comparison, style: TableStyle) -> Table:
    columns = [Column("from", "text"), Column("to", "text"), Column("delta", "label")]
    columns += [Column(f"{100 * comparison.resampling['level']:g}% interval", "label")]
    of_words = comparison.task in ("tags", "trees")
    columns += [Column("p", "label"), Column("p (Holm)", "label")]
    columns += [Column("McNemar", "label")] if of_words else []
    columns += [Column("diff. %", "share")]
    columns += [Column(name, "count") for name in ("corrected", "new errors", "changed")]
    rows: list[list[Cell]] = []
    chosen = readable_pairs(comparison)
    for pair in chosen:
        test = pair.significance
        tested: list[Cell] = [_NOTHING] * 2 if test is None else [p_text(test.p), p_text(test.p_holm)]
        tested += [_NOTHING if pair.mcnemar is None else p_text(pair.mcnemar)] if of_words else []
        counts = [each.count for each in pair.classes.values()]
        marks = stars(test.p_holm) if style.marks and test is not None else ""
        row: list[Cell] = [pair.before, pair.after, style.score(pair.delta, "+") + marks]
        rows.append([*row, style.interval(pair.interval, "+"), *tested, pair.difference, *counts])
    remark = f"{_how(comparison)} {MARKS}" if style.marks and comparison.resampling["trials"] else _how(comparison)
    if len(chosen) < len(comparison.pairs):
        remark = f"Neighbours by score, of {len(comparison.pairs):,} pairs; --as csv has them all. {remark}"
    return Table("", columns, rows, remark=remark)


def readable_pairs(comparison: Comparison) -> list[Pair]:
    """All pairs or, where these are too many to read, those of systems next to each other by score."""
    if len(comparison.pairs) <= MOST_ROWS:
        return list(comparison.pairs.values())
    neighbours = list(pairwise(_ranked(comparison)))
    both_ways = {*neighbours, *((b, a) for a, b in neighbours)}
    place = {name: number for number, name in enumerate(_ranked(comparison))}
    found = [pair for names, pair in comparison.pairs.items() if names in both_ways]
    return sorted(found, key=lambda pair: min(place[pair.before], place[pair.after]))


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
    return " ".join([*parts, f"Seed {made['seed']}."])


def p_text(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def transitions(comparison: Comparison, pair: Pair, found: Differences, hint: str = "--top shows more") -> Table:
    """The most frequent transitions of one class; `hint` says how to see the others."""
    if comparison.task == "chains":
        return chain_transitions(comparison, pair, found)
    columns = [Column("gold", "text"), Column(pair.before, "text"), Column(pair.after, "text")]
    columns += [Column("changed", "text")] if comparison.task == "trees" else []
    columns += [Column("count", "count"), Column("% of these", "share"), Column("% of all", "share")]
    rows: list[list[Cell]] = []
    for each in found.transitions[: comparison.top]:
        change: list[Cell] = [each.change] if comparison.task == "trees" else []
        row: list[Cell] = [each.gold or _NOTHING, each.before, each.after, *change]
        rows.append([*row, each.count, each.share_of_class, each.share_of_differences])
    more = len(found.transitions) - comparison.top
    remark = f"{more:,} more transitions; {hint}." if more > 0 else ""
    if comparison.task == "spans":
        remark = f"{_by_verdict(found)} {remark}".strip()
    return Table("", columns, rows, remark=remark)


def _by_verdict(found: Differences) -> str:
    """What spans were that are right now, or have become that were right; of changed errors, what they were."""
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
    rows: list[list[Cell]] = [
        [label, each.units, each.scores[pair.before], each.scores[pair.after], style.score(_delta(each, pair), "+")]
        for label, each in order[:MOST_ROWS]
    ]
    more = len(order) - MOST_ROWS
    which = "most frequent labels" if comparison.sort == "frequency" else "labels with the largest differences"
    remark = f"The {MOST_ROWS} {which} of {len(order)}." if more > 0 else ""
    return Table("labels", columns, rows, remark=remark)


def _delta(found: Slice, pair: Pair) -> float:
    return found.scores[pair.after] - found.scores[pair.before]


def _oracle(comparison: Comparison, style: TableStyle) -> Table:
    """What systems solve together: overall, in whole sentences, and by label."""
    oracle, few = comparison.oracle, _is_few(comparison)
    best = comparison.systems[oracle.best]
    columns = [Column("oracle", "text"), Column("units", "count")]
    columns += [Column(name, "percent") for name in (comparison.systems if few else (best,))]
    columns += [Column(name, "percent") for name in ("bound", "gain", "over best")]

    def row(name: str, bound: Bound) -> list[Cell]:
        scores = bound.scores if few else [bound.scores[oracle.best]]
        gains = [bound.upper_bound, bound.gain(oracle.best), bound.gain_over_best]
        return [name, bound.units, *scores, *gains]

    labels = list(oracle.labels.items())
    if comparison.sort == "gain":
        labels.sort(key=lambda item: (-item[1].gain(oracle.best), item[0]))
    rows = [row(label, bound) for label, bound in labels[:MOST_ROWS]]
    rows += [row("overall", oracle.overall), row("sentences", oracle.sentences)]
    remark = f"gain: of the bound over {best}, the best overall; over best: over the label's own best system."
    remark += " sentences: those with a unit, fully correct."
    if len(oracle.labels) > MOST_ROWS:
        which = "with the largest gains" if comparison.sort == "gain" else "most frequent"
        remark += f" The {MOST_ROWS} {which} of {len(oracle.labels)} labels."
    if comparison.task == "chains":
        remark += " Units are mentions with an antecedent in the key, and scores are recall."
    if oracle.exact is not None:
        figures = ", ".join(f"{name} {style.score(value)}" for name, value in oracle.exact.items())
        remark += f" Bounds under exact match: {figures}."
    return Table("oracle", columns, rows, summary_rows=2, remark=remark)


def _difficulty(comparison: Comparison) -> Table:
    total = sum(comparison.difficulty.values())
    columns = [Column("systems right", "text"), Column("units", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for number, units in comparison.difficulty.items():
        share = units / total if total else 0.0
        rows.append([str(number), units, share, share])
    return Table("systems right", columns, rows)


def _agreement(comparison: Comparison) -> Table:
    """The score of each system with each other as the key; of many systems, who is most and least alike."""
    what = {"spans": "F1 under exact match", "chains": f"F1 of {comparison.by}"}.get(comparison.task, "equal answers")
    remark = f"One system as the key for another: {what}."
    if _is_few(comparison):
        return _matrix(comparison, "agreement", comparison.all_answers, remark)
    columns = [Column("agreement", "text"), Column("and", "text"), Column("all", "percent")]
    pairs = list(comparison.alike)
    few = len(pairs) <= MOST_ROWS
    shown = pairs if few else [*pairs[: MOST_ROWS // 2], *pairs[-MOST_ROWS // 2 :]]
    rows: list[list[Cell]] = [[a, b, share] for a, b, share in shown]
    remark = remark if few else f"{remark} The most and the least alike of {len(pairs):,} pairs."
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


def unit_table(comparison: Comparison) -> Table:
    """The units that were asked for."""
    columns = [Column("place", "text"), Column("unit", "text"), Column("gold", "text")]
    shown = comparison.systems if _is_few(comparison) else ()
    columns += [*(Column(name, "text") for name in shown), Column("sentence", "text")]
    rows: list[list[Cell]] = []
    for unit in comparison.shown_units:
        answers: list[Cell] = [unit.answers[name] for name in shown]
        gold = unit.gold if unit.gold_head in (None, "root") else f"{unit.gold} of {unit.gold_head}"
        gold = gold if unit.gold_antecedent is None else f"{gold} to {unit.gold_antecedent}"
        rows.append([unit.place, unit.words or "", gold or _NOTHING, *answers, unit.text or ""])
    kind = (comparison.show or "").replace("_", " ")
    return Table(f"units: {kind}", columns, rows, remark="" if rows else "There are none.")
