"""Reports on comparisons, gates and rankings, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isnan

from evenhand.arrays import Values
from evenhand.comparison.differences import Bound
from evenhand.comparison.ranking import Clusters
from evenhand.comparison.units import Unit
from evenhand.errors import counted, plural
from evenhand.report.document import ReportDocument, Section
from evenhand.report.verdict import comparison_verdict, detectable_clause, ranking_verdict
from evenhand.results.comparison import Comparison, Differences, Pair, Ranking, ScoreChange, Slice
from evenhand.results.gate import Gate
from evenhand.results.signature import why_sentences
from evenhand.statistics.bootstrap import ROUNDING
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Queries, Query, TableStyle, stars
from evenhand.tasks.registry import TASKS, model_title

NAMES = {"correction": "corrections", "new_error": "new errors", "changed_error": "changed errors"}
MAX_ROWS = 20
MAX_PAIRS = 6
"""Maximum number of pairs with tables of transitions and labels."""
MAX_SYSTEMS = 5
"""Maximum number of systems with one column each."""
NOTHING = "–"
_MARKS = "* p < 0.05, ** p < 0.01, both by Holm over the pairs."


def comparison_document(comparison: Comparison, style: TableStyle) -> ReportDocument:
    """The summary, the pairs if they are few, and the requested units."""
    task = TASKS[comparison.task]
    unit = task.other_units.get(comparison.by, task.unit)
    opening = (
        f"{counted(len(comparison.systems), 'system')} on the gold standard {comparison.gold.name}, "
        f"{counted(comparison.gold.units, unit)}, compared by {comparison.by}"
    )
    sections = [Section("", list(summary_of_comparison(comparison, style)))]
    if len(comparison.pairs) <= MAX_PAIRS:
        for pair in comparison.pairs.values():
            sections += [Section(heading, [table]) for heading, table in pair_tables(comparison, pair, style)]
    if comparison.show is not None:
        sections.append(Section("", [unit_table(comparison)]))
    verdict = comparison_verdict(comparison)
    return ReportDocument(opening, sections, comparison.notes, comparison.signature, verdict)


# The summary of a comparison


def summary_of_comparison(comparison: Comparison, style: TableStyle = PLAIN) -> Iterator[DisplayTable]:
    """Scores, pairs, the oracle, agreement and difficulty."""
    yield _scores(comparison)
    yield pairs(comparison, style)
    if comparison.further_scores and len(comparison.pairs) <= MAX_ROWS:
        yield score_changes(comparison, style)
    if any(pair.parts for pair in comparison.pairs.values()) and len(comparison.pairs) <= MAX_ROWS:
        yield difference_parts(comparison, style)
    yield _oracle(comparison, style)
    yield _difficulty(comparison)
    yield _paired(comparison) if comparison.paired and _is_few(comparison) else _agreement(comparison)
    if _is_few(comparison):
        yield _matrix(
            comparison,
            "both correct",
            comparison.correct_answers,
            "The share of their correct units that two systems have in common.",
        )
    for name, slices in comparison.slices.items():
        yield _slices(comparison, name, slices)


def _is_few(comparison: Comparison) -> bool:
    return len(comparison.systems) <= MAX_SYSTEMS


def _scores(comparison: Comparison) -> DisplayTable:
    """The score that systems are compared by; all scores, if there are several."""
    further = comparison.further_scores
    names = list(next(iter(further.values()))) if further else [comparison.by]
    titles = [model_title(comparison.task, name) for name in names] if further else names
    columns = [Column("system", "text"), *(Column(title, "percent") for title in titles)]
    scores = further or {name: {comparison.by: score} for name, score in comparison.scores.items()}
    rows: list[list[Cell]] = [[system, *(scores[system][name] for name in names)] for system in comparison.systems]
    if comparison.before:
        columns.append(Column("before overrides", "percent"))
        rows = [[*row, comparison.before[str(row[0])]] for row in rows]
    return DisplayTable("F1" if further else "", columns, rows, rivals=[range(len(rows))])


def _oracle(comparison: Comparison, style: TableStyle) -> DisplayTable:
    """The upper bounds of all systems together: overall, for whole sentences, and by label."""
    oracle, best = comparison.oracle, comparison.systems[comparison.oracle.best]
    numbers = [*range(len(comparison.systems))] if _is_few(comparison) else [oracle.best]
    names = [comparison.systems[number] for number in numbers]
    columns = [Column("oracle", "text"), Column("units", "count")]
    columns += [Column(name, "percent") for name in (*names, "bound", "gain", "over best")]

    def row(name: str, bound: Bound) -> list[Cell]:
        gains = [bound.upper_bound, bound.gain(oracle.best), bound.gain_over_best]
        return [name, bound.units, *(bound.scores[number] for number in numbers), *gains]

    def queries(label: str | None) -> list[Query]:
        units = Query(of="gold", gold=label, shared=True)
        right = (Query(name, right=True, of="gold", gold=label, shared=True) for name in names)
        return [units, units, *right, Query(of="gold", gold=label, solved="some"), units, units]

    labels = list(oracle.labels.items())
    if comparison.sort == "gain":
        labels.sort(key=lambda item: (-item[1].gain(oracle.best), item[0]))
    rows = [row(label, bound) for label, bound in labels[:MAX_ROWS]]
    label_queries = [queries(label) for label, _ in labels[:MAX_ROWS]]
    rows += [row("overall", oracle.overall), row("sentences", oracle.sentences)]
    remark = _on_oracle(comparison, best, style)
    return DisplayTable(
        "oracle", columns, rows, 2, remark, queries=[*label_queries, queries(None), [None] * len(columns)]
    )


def _on_oracle(comparison: Comparison, best: str, style: TableStyle) -> str:
    oracle = comparison.oracle
    remarks = [f"gain: of the bound over {best}, the best overall; over best: over the label's own best system."]
    remarks.append("sentences: those with a unit, fully correct.")
    if len(oracle.labels) > MAX_ROWS:
        which = "with the largest gains" if comparison.sort == "gain" else "most frequent"
        remarks.append(f"The {MAX_ROWS} {which} of {len(oracle.labels)} labels.")
    task = TASKS[comparison.task]
    unit = task.compared_units.get(comparison.by)
    remark = task.display.remarks.get("oracle" if unit is None else f"oracle by {unit}", "")
    remarks.append(remark or _on_shares(comparison))
    if oracle.exact is not None:
        figures = ", ".join(f"{name} {style.score(value)}" for name, value in oracle.exact.items())
        remarks.append(f"Bounds under exact match: {figures}.")
    return " ".join(filter(None, remarks))


def _on_shares(comparison: Comparison) -> str:
    """A remark if the figures of systems are not the scores that systems are compared by."""
    shares = zip(comparison.scores.values(), comparison.oracle.overall.scores, strict=True)
    if all(isnan(score) or abs(score - share) < ROUNDING for score, share in shares):
        return ""
    units = plural(TASKS[comparison.task].unit_of(comparison.by))
    return f"Figures are shares of the gold standard's {units}; the score {comparison.by} also counts extra ones."


def _difficulty(comparison: Comparison) -> DisplayTable:
    total = sum(comparison.difficulty.values())
    columns = [Column("systems correct", "text"), Column("units", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for number, units in comparison.difficulty.items():
        share = units / total if total else 0.0
        rows.append([str(number), units, share, share])
    queries = [[Query(solved=str(number))] * len(columns) for number in comparison.difficulty]
    return DisplayTable("systems correct", columns, rows, queries=queries)


def _paired(comparison: Comparison) -> DisplayTable:
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
    return DisplayTable("key", columns, rows, remark=remark, queries=queries)


def _agreement(comparison: Comparison) -> DisplayTable:
    """The score of each system with each other as the key; for many systems, the most and least similar pairs."""
    words = TASKS[comparison.task].display.remarks.get("agreement", "equal answers")
    what = f"F1 of {comparison.by}" if comparison.paired else words
    remark = f"One system as the key for another: {what}."
    if _is_few(comparison):
        return _matrix(comparison, "agreement", comparison.all_answers, remark)
    columns = [Column("agreement", "text"), Column("and", "text"), Column("all", "percent")]
    alike = list(comparison.alike)
    few = len(alike) <= MAX_ROWS
    listed = alike if few else [*alike[: MAX_ROWS // 2], *alike[-MAX_ROWS // 2 :]]
    rows: list[list[Cell]] = [[a, b, share] for a, b, share in listed]
    remark = remark if few else f"{remark} The most and the least alike of {len(alike):,} pairs."
    return DisplayTable("agreement", columns, rows, remark=remark)


def _matrix(comparison: Comparison, title: str, values: Values, remark: str) -> DisplayTable:
    columns = [Column(title, "text"), *(Column(name, "percent") for name in comparison.systems)]
    rows: list[list[Cell]] = [[name, *values[row].tolist()] for row, name in enumerate(comparison.systems)]
    return DisplayTable(title, columns, rows, remark=remark)


def _slices(comparison: Comparison, name: str, slices: Mapping[str, Slice]) -> DisplayTable:
    systems: Sequence[str] = comparison.systems if _is_few(comparison) else [comparison.systems[comparison.oracle.best]]
    columns = [Column(name, "text"), Column("units", "count"), *(Column(system, "percent") for system in systems)]
    columns.append(Column("spread", "percent"))
    rows, queries = list[list[Cell]](), list[Queries]()
    spread = {value: max(piece.scores.values()) - min(piece.scores.values()) for value, piece in slices.items()}
    shown = sorted(spread, key=lambda value: -spread[value])[:MAX_ROWS]
    for value in (value for value in slices if value in shown):
        scores = slices[value]
        rows.append([value, scores.units, *(scores.scores[system] for system in systems), spread[value]])
        units = Query(of="gold", slice=f"{name}={value}", shared=True)
        wrong = (Query(system, right=False, slice=units.slice, shared=True) for system in systems)
        queries.append([units, units, *wrong, None])
    remark = f"The {MAX_ROWS} of {len(slices):,} on which systems differ most." if len(slices) > MAX_ROWS else ""
    return DisplayTable(f"slice: {name}", columns, rows, remark=remark, queries=queries)


def gold_answer(unit: Unit) -> str:
    """The gold label of a unit, with its head or antecedent, if it has one."""
    answer = unit.gold if unit.gold_head in (None, "root") else f"{unit.gold} of {unit.gold_head}"
    return answer if unit.gold_antecedent is None else f"{answer} to {unit.gold_antecedent}"


def unit_table(comparison: Comparison) -> DisplayTable:
    columns = [Column("place", "text"), Column("unit", "text"), Column("gold", "text")]
    by_pair = len(comparison.pairs) > 1 and any(unit.pair is not None for unit in comparison.shown_units)
    columns += [Column("from", "text"), Column("to", "text")] if by_pair else []
    systems = comparison.systems if _is_few(comparison) else ()
    columns += [*(Column(name, "text") for name in systems), Column("sentence", "text")]
    rows: list[list[Cell]] = []
    for unit in comparison.shown_units:
        answers: list[Cell] = [unit.answers[name] for name in systems]
        pair = (unit.pair or ("", "")) if by_pair else ()
        rows.append([unit.place, unit.words or "", gold_answer(unit) or NOTHING, *pair, *answers, unit.text or ""])
    kind = (comparison.show or "").replace("_", " ")
    return DisplayTable(f"units: {kind}", columns, rows, remark="" if rows else "(none)")


# Pairs


def pair_tables(comparison: Comparison, pair: Pair, style: TableStyle = PLAIN) -> Iterator[tuple[str, DisplayTable]]:
    """The changes from one system to the other, by class and by label: headings and tables."""
    names = f"{pair.before} to {pair.after}"
    for differences in pair.classes.values():
        if differences.count:
            yield f"{names}, {share_of(pair, differences)}:", transitions(comparison, pair, differences)
    display = TASKS[comparison.task].display
    same = display.remarks.get("moved", "answer, but another match")
    moved = f" (with the same {same}: {pair.moved:,} more)" if pair.moved else ""
    if comparison.labels:
        heading = f"{names}, {pair.different:,} of {counted(pair.size, 'unit')}{moved}, by {display.label}:"
        yield heading, _labels(comparison, pair, style)


def share_of(pair: Pair, differences: Differences) -> str:
    share = f"{100 * differences.share:.2f} %"
    return f"{NAMES[differences.name]}: {differences.count:,} of {pair.different:,} ({share})"


def pairs(comparison: Comparison, style: TableStyle) -> DisplayTable:
    """One row per pair: the change of the score, tests, and numbers of changed units."""
    has_mcnemar = any(pair.mcnemar is not None for pair in comparison.pairs.values())
    columns = [Column("from", "text"), Column("to", "text"), Column("delta", "label")]
    columns += [Column(f"{100 * comparison.resampling['level']:g}% interval", "label")]
    columns += [Column(name, "label") for name in ("p", "p (Holm)", *(["McNemar"] if has_mcnemar else []))]
    columns += [Column("diff. %", "share")]
    columns += [Column(name, "count") for name in ("corrected", "new errors", "changed")]
    rows: list[list[Cell]] = []
    queries: list[list[Query]] = []
    listed = readable_pairs(comparison)
    for pair in listed:
        test = pair.significance
        tested: list[Cell] = [NOTHING] * 2 if test is None else [p_text(test.p), p_text(test.p_holm)]
        tested += [NOTHING if pair.mcnemar is None else p_text(pair.mcnemar)] if has_mcnemar else []
        counts = [differences.count for differences in pair.classes.values()]
        marks = stars(test.p_holm) if style.marks and test is not None else ""
        row: list[Cell] = [pair.before, pair.after, style.score(pair.delta, "+") + marks]
        rows.append([*row, style.interval(pair.interval, "+"), *tested, pair.difference, *counts])
        queries.append([pair.query()] * (len(columns) - len(counts)) + [pair.query(name) for name in pair.classes])
    remark = f"{_how(comparison)} {_MARKS}" if style.marks and comparison.resampling["trials"] else _how(comparison)
    if len(listed) < len(comparison.pairs):
        remark = (
            f"Neighbours by score, of {counted(len(comparison.pairs), 'pair')}; --as csv writes all of them. {remark}"
        )
    return DisplayTable("", columns, rows, remark=remark, queries=queries)


def readable_pairs(comparison: Comparison) -> list[Pair]:
    """All pairs; if they are too many to read, only neighbours by score, the best ones first."""
    pairs = list(comparison.pairs.values())
    if len(pairs) <= MAX_ROWS:
        return pairs
    by_names = {frozenset((pair.before, pair.after)): pair for pair in pairs}
    by_score = sorted(comparison.systems, key=lambda name: -comparison.scores[name])
    return [pair for pair in (by_names.get(frozenset(names)) for names in pairwise(by_score)) if pair is not None]


def _how(comparison: Comparison) -> str:
    """The methods of the figures of pairs."""
    made = comparison.resampling
    parts = ["diff.: units on which the two differ."]
    if made["trials"]:
        exact = any(pair.significance is not None and pair.significance.exact for pair in comparison.pairs.values())
        few = " (all permutations if they are fewer)" if exact else ""
        parts.append(f"p: approximate randomization of {made['of']}, {made['trials']:,} trials{few}.")
    if made["resamples"]:
        kind = "BCa" if made["interval"] == "bca" else "percentile"
        parts.append(f"Intervals: {kind}, {made['resamples']:,} resamples of {made['of']}.")
    if made["few_documents"] is not None:
        parts.append(why_sentences(made["few_documents"]))
    parts += [f"Seed {made['seed']}."] if made["trials"] or made["resamples"] else []
    return " ".join([*parts, *_can_show(comparison)])


def _can_show(comparison: Comparison) -> Iterator[str]:
    """What the test set can show of the pairs that do not differ significantly."""
    shown = [pair.detectable for pair in comparison.pairs.values() if pair.detectable is not None]
    clause = detectable_clause(shown, str(comparison.resampling["of"]))
    if not clause:
        return
    pairs, first = len(comparison.pairs), shown[0]
    of_pairs = f" {len(shown):,} of {counted(pairs, 'pair')};" if pairs > 1 else ""
    level = f"{pairs * first.alpha:g}{f' / {pairs:,}' if pairs > 1 else ''}"
    how = "" if first.estimate == "refused" else f" ({100 * first.power:g} % power at alpha {level})"
    yield f"Not significant:{of_pairs} {clause}{how}."


def p_text(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def score_changes(comparison: Comparison, style: TableStyle = PLAIN) -> DisplayTable:
    """The changes of further scores, with marks of significance."""
    models = list(next(iter(comparison.pairs.values())).further)
    columns = [Column("from", "text"), Column("to", "text")]
    columns += [Column(model_title(comparison.task, model), "label") for model in models]

    def text(change: ScoreChange) -> str:
        p = None if change.significance is None else change.significance.p_holm
        return style.score(change.delta, "+") + stars(p)

    rows: list[list[Cell]] = [
        [pair.before, pair.after, *(text(pair.further[model]) for model in models)]
        for pair in comparison.pairs.values()
    ]
    queries = [[pair.query()] * len(columns) for pair in comparison.pairs.values()]
    return DisplayTable("", columns, rows, remark=_MARKS if comparison.resampling["trials"] else "", queries=queries)


def difference_parts(comparison: Comparison, style: TableStyle = PLAIN) -> DisplayTable:
    """The changes of scores as sums of parts: `-18.83 from worse matches, +17.97 from fewer chains`."""
    columns = [Column(name, "text") for name in ("score", "from", "to")]
    columns += [Column("delta", "label"), Column("parts", "text", explains=True)]
    rows: list[list[Cell]] = []
    for pair in comparison.pairs.values():
        for name, parts in pair.parts.items():
            listed = ", ".join(f"{style.score(part.value, '+')} from {part.text}" for part in parts)
            delta = sum(part.value for part in parts)
            rows.append([model_title(comparison.task, name), pair.before, pair.after, style.score(delta, "+"), listed])
    return DisplayTable("parts of differences", columns, rows, remark="The parts add up to the difference.")


def significance(comparison: Comparison) -> DisplayTable:
    """The p-values of all pairs, corrected for their number, as a matrix of systems."""
    names = comparison.systems
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for one in names:
        row_pairs = [comparison.pairs.get((one, other)) or comparison.pairs.get((other, one)) for other in names]
        tested = [None if pair is None or pair.significance is None else pair for pair in row_pairs]
        tests = [None if pair is None else pair.significance for pair in tested]
        rows.append([one, *(NOTHING if test is None else p_text(test.p_holm) for test in tests)])
        queries.append([None, *(None if pair is None else pair.query() for pair in tested)])
    remark = f"Whether the difference in {comparison.by} is more than chance; corrected for the number of pairs."
    columns = [Column("p (Holm)", "text"), *(Column(name, "label") for name in names)]
    return DisplayTable("", columns, rows, remark=remark, queries=queries)


def transitions(
    comparison: Comparison, pair: Pair, differences: Differences, hint: str = "--top shows more"
) -> DisplayTable:
    """The most frequent transitions of one class; `hint` is the way to see the others."""
    display = TASKS[comparison.task].display
    if display.transitions is not None:
        return display.transitions(comparison, pair, differences)
    has_parts = any(transition.change for transition in differences.transitions)
    columns = [Column("gold", "text"), Column(pair.before, "text"), Column(pair.after, "text")]
    columns += [Column("changed", "text")] if has_parts else []
    columns += [Column("count", "count"), Column("% of these", "share"), Column("% of all", "share")]
    rows: list[list[Cell]] = []
    queries: list[list[Query]] = []
    for transition in differences.transitions[: comparison.top]:
        names = [transition.gold or NOTHING, transition.before, transition.after]
        names += [transition.change] if has_parts else []
        rows.append([*names, transition.count, transition.share_of_class, transition.share_of_differences])
        filters = {"gold": transition.gold, "before": transition.before, "after": transition.after}
        queries.append([pair.query(differences.name, **filters, what=transition.change or None)] * len(columns))
    more = len(differences.transitions) - comparison.top
    remark = f"{counted(more, 'more transition')}; {hint}." if more > 0 else ""
    if display.shows_error_types:
        remark = f"{_by_error_type(differences)} {remark}".strip()
    return DisplayTable("", columns, rows, remark=remark, queries=queries)


def _by_error_type(differences: Differences) -> str:
    """The error types of new errors; for other classes, the earlier error types."""
    is_new = differences.name == "new_error"
    counts: Counter[str] = Counter()
    for transition in differences.transitions:
        counts[(transition.after if is_new else transition.before).partition(" ")[0]] += transition.count
    listed = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
    return f"They are now: {listed}." if is_new else f"They were: {listed}."


def _labels(comparison: Comparison, pair: Pair, style: TableStyle) -> DisplayTable:
    """The labels with the largest differences between two systems."""

    def delta(scores: Slice) -> float:
        return scores.scores[pair.after] - scores.scores[pair.before]

    columns = [Column("label", "text"), Column("units", "count"), Column(pair.before, "percent")]
    columns += [Column(pair.after, "percent"), Column("delta", "label")]
    order = list(comparison.labels.items())
    if comparison.sort != "frequency":
        order.sort(key=lambda item: (-abs(delta(item[1])), item[0]))
    compared = {label: bound.units for label, bound in comparison.oracle.labels.items()}
    are_compared = all(scores.units == compared.get(label, 0) for label, scores in order)
    rows: list[list[Cell]] = []
    queries: list[list[Query | None]] = []
    for label, scores in order[:MAX_ROWS]:
        both = scores.scores[pair.before], scores.scores[pair.after]
        rows.append([label, scores.units, *both, style.score(delta(scores), "+")])
        units = Query(of="gold", gold=label, shared=True) if are_compared else None
        queries.append([pair.query(label=label), units, *[pair.query(label=label)] * 3])
    more = len(order) - MAX_ROWS
    which = "most frequent labels" if comparison.sort == "frequency" else "labels with the largest differences"
    remark = f"The {MAX_ROWS} {which} of {len(order)}." if more > 0 else ""
    return DisplayTable("labels", columns, rows, remark=remark, queries=queries)


# Gates


def gate_document(gate: Gate, style: TableStyle) -> ReportDocument:
    """The criteria, the scores, and the new errors."""
    columns = [Column("criterion", "text"), Column("", "text"), Column("found", "text")]
    rows: list[list[Cell]] = [
        [criterion.title, "ok" if criterion.passed else "FAILED", criterion.sentence] for criterion in gate.criteria
    ]
    rows += [[criterion.name, "not checked", criterion.sentence] for criterion in gate.not_checked]
    score_columns = [Column("system", "text"), Column(gate.by, "percent")]
    scores: list[list[Cell]] = [[name, score] for name, score in gate.scores.items()]
    if gate.beside is not None:
        other, values = gate.beside
        score_columns.append(Column(other, "percent"))
        scores = [[*row, values[str(row[0])]] for row in scores]
    sections = [
        Section(
            "", [DisplayTable("", columns, rows), DisplayTable("", score_columns, scores, rivals=[range(len(scores))])]
        )
    ]
    against = ""
    if gate.compared is not None:
        pair = gate.pair
        against = f" against {pair.before}"
        if pair.new_errors.count:
            table = transitions(gate.compared, pair, pair.new_errors, "evenhand compare shows them")
            sections.append(Section(f"{share_of(pair, pair.new_errors)}:", [table]))
    verdict = "passed" if gate.passed else "failed"
    opening = f"{verdict}: {gate.candidate}{against} on the gold standard {gate.gold_name}"
    return ReportDocument(opening, sections, gate.notes, gate.signature)


# Rankings


def ranking_document(ranking: Ranking, style: TableStyle) -> ReportDocument:
    """The ranking and, for an average, the rankings of all data sets."""
    opening = f"{counted(len(ranking.systems), 'system')} on the gold standard {ranking.name}"
    sections = [Section("", list(_ranking_tables(ranking, style)))]
    if ranking.data_sets is not None:
        number = counted(len(ranking.data_sets), "data set")
        opening = f"{counted(len(ranking.systems), 'system')} on {number}, on average and on each"
        sections += [
            Section(f"{name}:", list(_ranking_tables(data, style))) for name, data in ranking.data_sets.items()
        ]
    return ReportDocument(opening, sections, ranking.notes, ranking.signature, ranking_verdict(ranking))


def _ranking_tables(ranking: Ranking, style: TableStyle) -> Iterator[DisplayTable]:
    columns = [Column("system", "text")]
    for measure in ranking.shown_models:
        has_clusters = ranking.clusters is not None and ranking.clusters.model == measure
        columns += [Column(measure, "percent"), Column("rank", "label" if has_clusters else "count")]
        columns += [Column("±", "label")] if measure != ranking.models[0] else []
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        row: list[Cell] = [system]
        for measure in ranking.shown_models:
            standing = ranking[measure][system]
            cluster = ranking.cluster(measure, system)
            rank = standing.rank or NOTHING
            row += [standing.score, rank if cluster is None else f"{rank} {cluster}"]
            row += [f"{standing.change:+d}" if standing.change else ""] if measure != ranking.models[0] else []
        rows.append(row)
    remarks = [f"±: places gained or lost against {ranking.models[0]}."] if len(ranking.shown_models) > 1 else []
    remarks += [] if ranking.clusters is None else [_on_clusters(ranking, ranking.clusters)]
    yield DisplayTable("", columns, rows, remark=" ".join(remarks), rivals=[range(len(rows))])
    measures = ranking.shown_models
    if ranking.before:
        columns = [Column("system", "text"), *(Column(measure, "percent") for measure in measures)]
        rows = [[system, *(ranking.before[measure][system] for measure in measures)] for system in ranking.systems]
        yield DisplayTable("before overrides", columns, rows, rivals=[range(len(rows))])
    if ranking.resamples:
        columns = [Column("system", "text"), *(Column(measure, "label") for measure in measures)]
        rows = [
            [system, *(style.interval(ranking[measure][system].interval) for measure in measures)]
            for system in ranking.systems
        ]
        remark = f"From {counted(ranking.resamples, 'resample')} of the {ranking.groups}, seed {ranking.seed}."
        yield DisplayTable(f"{100 * ranking.level:g}% intervals", columns, rows, remark=remark)
    if ranking.correlations and len(ranking.systems) > 1:
        yield _correlations(ranking)


def _on_clusters(ranking: Ranking, clusters: Clusters) -> str:
    letters = f"Letters: systems of a cluster are not significantly worse than its best under {clusters.model}"
    test = f"approximate randomization of {ranking.groups}, {counted(clusters.trials, 'trial')}, Holm"
    few = "" if ranking.few_documents is None else f" {why_sentences(ranking.few_documents, clusters.alpha)}"
    return f"{letters} (alpha {clusters.alpha:g}; {test}).{few}"


def _correlations(ranking: Ranking) -> DisplayTable:
    def text(value: float | None) -> str:
        return NOTHING if value is None else f"{value:.3f}"

    columns = [Column("models", "text"), Column("Spearman", "label"), Column("Kendall", "label")]
    rows: list[list[Cell]] = [
        [" and ".join(correlation.models), text(correlation.spearman), text(correlation.kendall)]
        for correlation in ranking.correlations
        if {*correlation.models} <= {*ranking.shown_models}
    ]
    return DisplayTable("rank correlation", columns, rows)
