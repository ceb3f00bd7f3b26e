"""Tables, notes and error distributions of coreference chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evenhand.alignment.documents import AlignmentIssues
from evenhand.errors import SettingError
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.chains.link_errors import DISTANCES
from evenhand.tasks.chains.task import ARCS, ARCS_KINDS, COPIES, ENTITY_ERRORS, ENTITY_MEASURES, ERROR_NAMES, NOUNS
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.registry import model_title

if TYPE_CHECKING:
    from evenhand.results.comparison import Comparison, Differences, Pair
    from evenhand.results.result import GoldSummary, Result, Results

_LEGEND = (
    "tp: a right antecedent; wl: a wrong one; fn: none where the key has one; fp: one where the key has none; tn: none."
)
_PLURALS = {
    "span": "span errors",
    "conflated": "conflated entities",
    "extra_mention": "extra mentions",
    "extra_entity": "extra entities",
    "divided": "divided entities",
    "missing_mention": "missing mentions",
    "missing_entity": "missing entities",
}
_ANTECEDENT = "the closest earlier name, else nominal, else mention; of a pronoun always the closest mention"
_MAX_ENTITIES = 5
"""The number of entities that are listed."""
_MAX_NAME = 40
_MAX_TYPES = 5
"""The number of mention types with a column each."""


def summary(results: Results) -> Iterator[DisplayTable]:
    """All systems under all scores: precision, recall and F1 of a single system, else F1."""
    if len(results) == 1:
        yield _scores(next(iter(results.values())))
    else:
        yield shared.side_by_side(results, f"F{results.beta:g}", results.models, lambda score: score.headline)


def _scores(result: Result) -> DisplayTable:
    rows: list[list[Cell]] = [
        [model_title(result.settings.task, name), *shared.score_cells(score.overall, score.beta)]
        for name, score in result.scores.items()
    ]
    return DisplayTable("score", [Column("score", "text"), *shared.score_columns(result.beta)], rows)


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """Details of one system: error types of mentions under ARCS, by mention type."""
    if not alone:
        yield _scores(result)
    if result.entities is not None:
        yield from entity_tables(result, result.entities)
    arcs = [result[name] for name in ARCS if name in result.scores]
    for score in arcs:
        yield _arcs(result, score, _LEGEND if score is arcs[-1] else "")
    yield from shared.label_tables(result, style, [name for name in result.scores if name not in ARCS])


def entity_tables(result: Result, entities: Mapping[str, Any]) -> Iterator[DisplayTable]:
    """Errors by entity with the points of MELA that repairs gain, and the entities that cost most."""
    errors, by_type = entities["errors"], entities["errors_by_type"]
    ways = [way for way in ("share", "alone", "in_order") if way in next(iter(errors.values()))]
    types = [name for name in by_type if any(by_type[name].values())]
    types = types if len(types) > 1 else []
    order = sorted(errors, key=lambda name: -errors[name][ways[0]]["mela"])
    rows: list[list[Cell]] = [
        [
            *(_words(name), errors[name]["count"]),
            *(errors[name][way]["mela"] for way in ways),
            *(by_type[of][name] for of in types),
        ]
        for name in order
    ]
    columns = [Column("entity errors", "text"), Column("n", "count"), *(Column(_words(way), "percent") for way in ways)]
    columns += [Column(name, "count") for name in types]
    queries = [[None, _errors_query(result, name), *[None] * (len(ways) + len(types))] for name in order]
    yield DisplayTable("entity errors", columns, rows, remark=_entity_remark(entities, ways), queries=queries)
    costly = [chain for chain in entities["chains"] if chain["gain"]["mela"] > 0][:_MAX_ENTITIES]
    if costly:
        names = ("document", "mention", "verdict")
        columns = [Column("entity", "text"), *(Column(name, "text") for name in names)]
        columns += [Column("size", "count"), Column("points", "percent")]
        listed: list[list[Cell]] = [
            [_shortened(chain["name"]), *(chain[name] for name in (*names, "size")), chain["gain"]["mela"]]
            for chain in costly
        ]
        remark = "Points of MELA gained by repairing each entity alone; gains of several overlap."
        yield DisplayTable("entity", columns, listed, remark=remark)
    yield from _slices(result, entities["slices"])
    yield from _links(result, entities)


def _slices(result: Result, slices: Mapping[str, Any]) -> Iterator[DisplayTable]:
    """B³ by type of mention, then CEAF and LEA by size; recall and precision with the numbers of their units."""
    remarks = {
        "b_cubed": "Recall of mentions in the key, precision of mentions in the response, without singletons.",
        "lea": "Recall of entities in the key, precision of chains in the response; LEA weights them by size.",
    }
    for measure, by in (("b_cubed", "type"), ("ceaf_e", "size"), ("lea", "size")):
        title = f"{model_title(result.settings.task, measure)} by {by}"
        counts = [Column("key", "count"), Column("response", "count")]
        columns = [Column(title, "text"), *counts, *shared.score_columns(1)]
        rows: list[list[Cell]] = [
            [name, *(values[column] for column in ("key", "response", "precision", "recall", "f1"))]
            for name, values in slices[f"{measure}_by_{by}"].items()
            if values["key"] or values["response"]
        ]
        if rows:
            yield DisplayTable(title, columns, rows, remark=remarks.get(measure, ""))


def _links(result: Result, entities: Mapping[str, Any]) -> Iterator[DisplayTable]:
    """Missing and wrong links by the types of mentions and antecedents, and by distance."""
    links, types = entities["links"], ("name", "nominal", "pronoun")
    columns = [Column("links", "text"), Column("n", "count"), *(Column(f"to {name}", "count") for name in types)]
    rows: list[list[Cell]] = [
        [f"{side}, of a {one}", sum(others.values()), *(others.get(other, 0) for other in types)]
        for side, by_type in links.items()
        for one, others in by_type.items()
    ]
    if not rows:
        return
    rule = "the closest earlier mention" if result.settings["antecedents"] == "closest" else _ANTECEDENT
    remark = (
        f"Links that MUC counts as missing and as wrong, with the types of mention and antecedent: {rule}. Files do "
        "not state the antecedents of the response, so the rule is the same for both."
    )
    yield DisplayTable("links", columns, rows, remark=remark)
    columns = [Column("distance", "text"), *(Column(name, "count") for name in DISTANCES)]
    rows = [
        [f"{side}, in {unit}", *(entities[fact][side].get(name, 0) for name in DISTANCES)]
        for side in links
        for unit, fact in (("sentences", "link_distances"), ("mentions", "link_mentions"))
        if links[side]
    ]
    remark = "Of mention and antecedent, in sentences and in mentions of the chain."
    yield DisplayTable("distance", columns, rows, remark=remark)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_NAME else f"{text[: _MAX_NAME - 1]}…"


def _errors_query(result: Result, name: str) -> Query:
    return Query(result.name, kind=name, section="entities")


def _entity_remark(entities: Mapping[str, Any], ways: Sequence[str]) -> str:
    """What the columns mean, the singletons that are left out, and why a gain may be negative."""
    singletons, scores = entities["singletons"], entities["scores"]
    before, after = (100 * scores[stage]["mela"]["f1"] for stage in ("none", "span"))
    parts = [f"Points of MELA gained; spans are corrected first ({before:.2f} to {after:.2f})."]
    if singletons["key"] or singletons["response"]:
        parts.append(
            f"Left out: singletons in the key: {singletons['key']:,} ({singletons['singletons_in_both']:,} also "
            f"singletons in the response, {singletons['in_chains']:,} in a response chain, {singletons['absent']:,} "
            f"absent); in the response: {singletons['response']:,}."
        )
    gains = [gain[way]["ceaf_e"] for gain in entities["errors"].values() for way in ways]
    if min(gains) < 0:
        parts.append("Splitting creates more chains, and CEAF counts all of them.")
    return " ".join(parts)


def _arcs(result: Result, score: MeasureScore, remark: str) -> DisplayTable:
    title = model_title(result.settings.task, score.name)
    columns = [Column(title, "text"), *(Column(kind, "count") for kind in ARCS_KINDS)]
    columns += shared.score_columns(result.beta)
    weight = result.gold.labels
    order = sorted(score.labels, key=lambda name: (name != NOUNS, -weight.get(name, 0), name))
    counted = [*((name, name, score.labels[name]) for name in order), (shared.MICRO, None, score.overall)]
    beta, ask = score.beta, partial(query, result, score.name)
    rows: list[list[Cell]] = [
        [name, *(row.counts[kind] for kind in ARCS_KINDS), *shared.score_cells(row, beta)] for name, _, row in counted
    ]
    kinds = ("", *ARCS_KINDS, *[""] * (len(columns) - len(ARCS_KINDS) - 1))
    queries = [[ask(kind, label) for kind in kinds] for _, label, _ in counted]
    weights = [weight.get(name, 0) for name in order]
    return DisplayTable(title, columns, rows, 1 if order else 0, remark, weights=weights, queries=queries)


def query(result: Result, model: str, kind: str, label: str | None = None) -> Query | None:
    """The mentions of a count; a page does not list those without an antecedent on either side."""
    return None if kind == "tn" else Query(result.name, kind=kind or None, gold=label, by=model)


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """Wrong, missing and spurious antecedents under ARCS."""
    if by in ENTITY_MEASURES and all(result.entities is not None for result in results.values()):
        return _entity_bars(results)
    models = [model for model in ARCS if model in results.models]
    if not models:
        raise SettingError("The errors of chains come from the scores arcs_any and arcs_nom; score with one of them.")
    return shared.errors_by_kind(results, models, ERROR_NAMES, query)


def _entity_bars(results: Results) -> shared.ErrorBars:
    bars = [
        shared.Bar(
            name,
            "",
            [(result.entities or {})["errors"][kind]["count"] for kind in ENTITY_ERRORS],
            [_errors_query(result, kind) for kind in ENTITY_ERRORS],
        )
        for name, result in results.items()
    ]
    return shared.ErrorBars([shared.ErrorKind(_words(kind)) for kind in ENTITY_ERRORS], bars)


def entity_groups(result: Result, by: str) -> list[shared.ErrorGroup] | None:
    """The types of errors by entity whose repair gains points, the most first; None for other measures."""
    if by not in ENTITY_MEASURES:
        return None
    errors = {} if result.entities is None else result.entities["errors"]
    groups = [shared.ErrorGroup(kind, "", "", row["count"], _gain(row, by)) for kind, row in errors.items()]
    return sorted((group for group in groups if group.recoverable > 0), key=lambda group: -group.recoverable)


def _gain(row: Mapping[str, Any], by: str) -> float:
    gain: float = row["share" if "share" in row else "alone"][by]
    return gain


def contrast(results: Results, best: str, other: str) -> str:
    """The error type by entity of which the best system has the fewest, compared with another one."""
    sides = [results[name].entities for name in (best, other)]
    if sides[0] is None or sides[1] is None:
        return ""
    own, their = ({kind: row["count"] for kind, row in side["errors"].items()} for side in sides if side is not None)
    kind = max(ENTITY_ERRORS, key=lambda kind: their[kind] - own[kind])
    fewer = their[kind] - own[kind]
    return f"{best} has {fewer:,} fewer {_PLURALS[kind]} than {other}." if fewer > 0 else ""


def transitions(comparison: Comparison, pair: Pair, differences: Differences) -> DisplayTable:
    """Changes of error types, with the mention types in columns."""
    types = _types(comparison, pair)
    table = shared.transition_table(pair, differences, lambda change: (change.before, change.after), types)
    labels = [*[None] * (len(table.columns) - len(types)), *types]
    queries = [
        [pair.query(differences.name, gold=label, before=str(before), after=str(after)) for label in labels]
        for before, after, *_ in table.rows
    ]
    return replace(table, queries=queries)


def _types(comparison: Comparison, pair: Pair) -> list[str]:
    """The most frequent mention types that the systems differ in, nouns first; none without POS."""
    if not comparison.gold.labels:
        return []
    counts: Counter[str] = Counter()
    for differences in pair.classes.values():
        for transition in differences.transitions:
            counts[transition.gold] += transition.count
    counts.pop("", None)  # invented entities
    return sorted(counts, key=lambda name: (name != NOUNS, -counts[name], name))[:_MAX_TYPES]


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on repeated mentions, and on documents, words and empty nodes that only one side has."""
    notes, mismatches = [], side.mismatches or AlignmentIssues()
    for file, summary in ((f"gold {gold.name}", gold_count), (f"system {name}", side)):
        if copies := summary.noted[COPIES]:
            notes.append(f"{file}: {_repeats(copies)}; the last of their chains owns them, and all copies count.")
    if gold_count.repeated:
        notes.append(f"gold {gold.name}: {_repeats(gold_count.repeated)}; the first chain keeps the span.")
    if side.repeated:
        notes.append(f"system {name}: {_repeats(side.repeated)}; where it is in the key, the first chain keeps it.")
    notes += shared.document_notes(name, mismatches)
    if mismatches.words:
        words = shared.with_verb(mismatches.words, "word", "differs", "differ")
        first = f"the first one: {mismatches.first_word}; --align strict rejects them"
        notes.append(f"system {name}: {words} from the gold standard ({first}).")
    if mismatches.nodes:
        nodes = shared.with_verb(mismatches.nodes, "empty node")
        effect = "mentions there are wrong or missing, unless zeros match by what they depend on"
        notes.append(f"system {name}: {nodes} in one of the two files only; {effect}.")
    if not gold.units:
        notes.append(f"gold {gold.name}: has no mentions.")
    elif not gold.labels:
        notes.append(f"gold {gold.name}: has no POS, so types of mentions and arcs_nom are not available.")
    return (*notes, *shared.unit_notes(name, side.units, "mention", "chain", identical=identical))


def _repeats(count: int) -> str:
    return "1 mention repeats the span of another" if count == 1 else f"{count:,} mentions repeat spans of others"


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether the counts of both sides equal the common counts; without these, whether all antecedents are right."""
    if "chains" not in tallies:
        return shared.is_perfect(tallies, list(tallies), ("tp", "tn"))
    tally = tallies["chains"]
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    common = [kind.removesuffix(".common") for kind in counts if kind.endswith(".common")]
    kinds = [kind for kind in common if f"{kind}.key" in counts]
    equal = [counts[f"{kind}.common"] == counts[f"{kind}.key"] == counts[f"{kind}.response"] for kind in kinds]
    return all(equal) and counts["mentions.key"] > 0
