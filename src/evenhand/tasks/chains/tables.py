"""The tables of coreference chains, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from evenhand.alignment.documents import AlignmentIssues
from evenhand.errors import SettingError
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, Query, Table, TableStyle
from evenhand.tasks.chains.task import ARCS, ARCS_KINDS, ERROR_NAMES, NOUNS
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.registry import model_title
from evenhand.tasks.tables import (
    ErrorBars,
    document_notes,
    errors_by_kind,
    label_tables,
    score_cells,
    score_columns,
    side_by_side,
)

if TYPE_CHECKING:
    from evenhand.results.comparison import Comparison, Differences, Pair
    from evenhand.results.result import GoldSummary, Result, Results

# == tasks/chains/notes.py: What a reader of scores of chains should know about the file


COPIES = "copies"
"""How many mentions repeat others, where all of them count."""
_NODES = "mentions there are wrong or missing, unless zeros match by what they depend on"


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Documents, words and mentions that are not as they should be."""
    found, mismatches = [], side.mismatches or AlignmentIssues()
    for side_name, count in (("gold " + gold.name, gold_count), ("system " + name, side)):
        if count.noted[COPIES]:
            owned = "the last of their chains owns them, and all copies count"
            found.append(f"{side_name}: {_repeats(count.noted[COPIES])}; {owned}.")
    if gold_count.repeated:
        found.append(f"gold {gold.name}: {_repeats(gold_count.repeated)}; the first chain keeps the span.")
    if side.repeated:
        found.append(f"system {name}: {_repeats(side.repeated)}; where it is in the key, the first chain keeps it.")
    found += document_notes(name, mismatches)
    if mismatches.words:
        words = "1 word is not that" if mismatches.words == 1 else f"{mismatches.words:,} words are not those"
        first = f"the first one: {mismatches.first_word}; --align strict refuses them"
        found.append(f"system {name}: {words} of the gold standard ({first}).")
    if mismatches.nodes:
        nodes = "1 empty node is" if mismatches.nodes == 1 else f"{mismatches.nodes:,} empty nodes are"
        found.append(f"system {name}: {nodes} in one of the two files only; {_NODES}.")
    if not gold.units:
        found.append(f"gold {gold.name}: has no mention at all.")
    elif not gold.labels:
        found.append(f"gold {gold.name}: has no POS, so that there are no types of mentions and no arcs_nom.")
    if not side.units:
        found.append(f"system {name}: has no mention at all.")
    elif identical:
        found.append(f"system {name}: its chains are just those of the gold standard; is it the right file?")
    return tuple(found)


def _repeats(count: int) -> str:
    return "1 mention repeats the span of another" if count == 1 else f"{count:,} mentions repeat spans of others"


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all counts of key and response are those of what is common; or all verdicts are right."""
    if "chains" not in tallies:
        met = [tally for tally in tallies.values() if len(tally)]
        return bool(met) and all(tally.kinds_met <= {"tp", "tn"} for tally in met)
    tally = tallies["chains"]
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    common = [kind.removesuffix(".common") for kind in counts if kind.endswith(".common")]
    kinds = [kind for kind in common if f"{kind}.key" in counts]
    equal = [counts[f"{kind}.common"] == counts[f"{kind}.key"] == counts[f"{kind}.response"] for kind in kinds]
    return all(equal) and counts["mentions.key"] > 0


# == tasks/chains/tables.py (primary)


_LEGEND = (
    "tp: a right antecedent; wl: a wrong one; fn: none where the key has one; fp: one where the key has none; tn: none."
)
_MOST_TYPES = 5
"""How many types of mentions have a column each."""


def summary(results: Results) -> Iterator[Table]:
    """All systems under all scores: in full for one, else the F1."""
    if len(results) == 1:
        yield _scores(next(iter(results.values())))
    else:
        yield side_by_side(results, f"F{results.beta:g}", results.models, lambda score: score.headline)


def _scores(result: Result) -> Table:
    """Precision, recall and F1 under every score."""
    rows: list[list[Cell]] = [
        [model_title(result.settings.task, name), *score_cells(score.overall, score.beta)]
        for name, score in result.scores.items()
    ]
    return Table("score", [Column("score", "text"), *score_columns(result)], rows)


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """All about one system that is not in the summary: what became of mentions."""
    if not alone:
        yield _scores(result)
    shown = [result[name] for name in ARCS if name in result.scores]
    for score in shown:
        yield _arcs(result, score, _LEGEND if score is shown[-1] else "")
    yield from label_tables(result, style, [name for name in result.scores if name not in ARCS])


def _arcs(result: Result, score: MeasureScore, remark: str) -> Table:
    """What became of mentions, by type."""
    title = model_title(result.settings.task, score.name)
    columns = [Column(title, "text"), *(Column(kind, "count") for kind in ARCS_KINDS), *score_columns(result)]
    weight = result.gold.labels
    order = sorted(score.labels, key=lambda name: (name != NOUNS, -weight.get(name, 0), name))
    found = [*((name, name, score.labels[name]) for name in order), ("overall", None, score.overall)]
    rows: list[list[Cell]] = [
        [name, *(row.counts[kind] for kind in ARCS_KINDS), *score_cells(row, score.beta)] for name, _, row in found
    ]
    kinds = ("", *ARCS_KINDS, *[""] * (len(columns) - len(ARCS_KINDS) - 1))
    queries = [[query(result, score.name, kind, label) for kind in kinds] for _, label, _ in found]
    weights = [weight.get(name, 0) for name in order]
    return Table(title, columns, rows, 1 if order else 0, remark, weights=weights, queries=queries)


def query(result: Result, model: str, kind: str, label: str | None = None) -> Query | None:
    """The mentions behind a count; a page does not list those that nobody resolves."""
    return None if kind == "tn" else Query(result.name, kind=kind or None, gold=label, by=model)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """Wrong, missing and spurious antecedents under ARCS."""
    models = [model for model in ARCS if model in results.models]
    if not models:
        raise SettingError("The errors of chains come from the scores arcs_any and arcs_nom; score with one of them.")
    return errors_by_kind(results, models, ERROR_NAMES, query)


def transitions(comparison: Comparison, pair: Pair, found: Differences) -> Table:
    """What verdicts were and became, with the types of mentions beside it."""
    types = _types(comparison, pair)
    counts: Counter[tuple[str, str]] = Counter()
    by_type: Counter[tuple[str, str, str]] = Counter()
    for transition in found.transitions:
        counts[transition.before, transition.after] += transition.count
        by_type[transition.before, transition.after, transition.gold] += transition.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    columns += [Column(name, "count") for name in types]
    rows: list[list[Cell]] = []
    queries = []
    for (before, after), count in counts.most_common():
        shares: list[Cell] = [count / found.count, count / pair.different]
        rows.append([before, after, count, *shares, *(by_type[before, after, name] for name in types)])
        asked = [*[None] * (len(columns) - len(types)), *types]
        queries.append([pair.query(found.name, gold=name, before=before, after=after) for name in asked])
    return Table("", columns, rows, queries=queries)


def _types(comparison: Comparison, pair: Pair) -> list[str]:
    """The types of mentions that the systems differ in, nouns and the most frequent ones first; none without POS."""
    if not comparison.gold.labels:
        return []
    counts: Counter[str] = Counter()
    for found in pair.classes.values():
        for transition in found.transitions:
            counts[transition.gold] += transition.count
    order = sorted(counts, key=lambda name: (name != NOUNS, -counts[name], name))
    return order[:_MOST_TYPES]
