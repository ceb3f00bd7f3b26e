"""What a report says, whatever it is written in: an opening, sections of tables, notes and the signature.

What each kind of result has of these is in a module of its own, which is loaded when there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

from evenhand.comparison.ranking import Clusters
from evenhand.data.overrides import VERDICTS
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, SettingError, announced, counted, unknown
from evenhand.registry import lazy
from evenhand.report.agreement_tables import summary_of_agreement
from evenhand.report.comparison_tables import pair_tables, share_of, summary_of_comparison, transitions, unit_table
from evenhand.results.agreement import Adjudication, Agreement
from evenhand.results.comparison import Comparison, Ranking
from evenhand.results.display import Shown, Tabled
from evenhand.results.gate import Gate
from evenhand.results.result import Result, Results
from evenhand.results.signature import why_sentences
from evenhand.tables import PLAIN, Cell, Column, Kind, Table, TableStyle
from evenhand.tasks.registry import TASKS


@dataclass(frozen=True)
class Section:
    heading: str
    tables: Sequence[Table]


@dataclass(frozen=True)
class ReportDocument:
    opening: str
    sections: Sequence[Section]
    notes: Sequence[str]
    signature: str

    @property
    def warnings(self) -> list[str]:
        """The notes that stand above the tables."""
        return [note for note in self.notes if note.startswith(WARNING)]

    @property
    def remarks(self) -> list[str]:
        """The notes that stand below them."""
        return [announced(note) for note in self.notes if not note.startswith(WARNING)]


def document(subject: Shown | Tabled, style: TableStyle = PLAIN) -> ReportDocument:
    """The report on a result."""
    for each in type(subject).__mro__:
        if each.__name__ in _DOCUMENTS:
            return _DOCUMENTS[each.__name__](subject, style)
    raise TypeError(f"{type(subject).__name__} has no tables")


_DOCUMENTS: Mapping[str, Callable[[Shown | Tabled, TableStyle], ReportDocument]] = {
    "Adjudication": lazy("evenhand.report.document:adjudication_document"),
    "Agreement": lazy("evenhand.report.document:agreement_document"),
    "Comparison": lazy("evenhand.report.document:comparison_document"),
    "Gate": lazy("evenhand.report.document:gate_document"),
    "Ranking": lazy("evenhand.report.document:ranking_document"),
    "Result": lazy("evenhand.report.document:result_document"),
    "Results": lazy("evenhand.report.document:score_document"),
}
"""By the types of results."""


# == report/cells.py: What the cells of a table show, in whatever format it is pri


_BAR = 20
"""The width of a bar for 100 %."""


def cell_text(value: Cell, kind: Kind, style: TableStyle = PLAIN) -> str:
    """Scores and shares as percentages with two decimals, unless the style is another; counts with thousands
    separators, nothing for None, a dash for scores that are undefined.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent":
        return style.score(value)
    if kind == "share":
        return style.share(value)
    if kind == "bar":
        return "█" * round(_BAR * value)
    return f"{value:,.0f}"


def row_texts(table: Table, style: TableStyle = PLAIN) -> list[list[str]]:
    """The cells of all rows, as they are shown."""
    return [
        [cell_text(value, column.kind, style) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def headings(table: Table) -> list[str]:
    """The names of the columns; the title stands in place of the first one, where there is a title."""
    names = [column.name for column in table.columns]
    return [table.title or names[0], *names[1:]]


def best_cells(table: Table, texts: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The places, by row and column, of the best of several systems' scores; `texts` are the cells as they are shown.

    All that look the same as the highest (or lowest) are best, lest the choice among them seem random.
    """
    for group in _rivals(table):
        values = [(_number(table.rows[row][place]), texts[row][place]) for row, place in group]
        numbers = [(number, text) for number, text in values if number is not None]
        best_of = min if table.columns[group[0][1]].is_best_low else max
        best = best_of(numbers)[1] if len(values) > 1 and numbers else None
        for where, (number, text) in zip(group, values, strict=True):
            if number is not None and text == best:
                yield where


def _number(value: Cell) -> float | None:
    return None if value is None or isinstance(value, str) or isnan(value) else value


def _rivals(table: Table) -> Iterator[list[tuple[int, int]]]:
    """Cells among which one is best."""
    scores = [place for place, column in enumerate(table.columns) if column.kind == "percent"]
    for rows in table.rivals:
        yield from ([(row, place) for row in rows] for place in scores)
    if table.beside:
        yield from ([(row, place) for place in scores] for row in range(len(table.rows)))


def without_bars(table: Table) -> Table:
    """The table without its bars, which only a terminal needs."""
    return table.with_columns([place for place, column in enumerate(table.columns) if column.kind != "bar"])


# == report/selection.py: What of a report is shown in print: the columns that were as


def selected(subject: Shown | Tabled, style: TableStyle) -> ReportDocument:
    """The report on a result, in this style."""
    shown = document(subject, style)
    sections = [Section(section.heading, [table.folded() for table in section.tables]) for section in shown.sections]
    if style.columns:
        _check(sections, style.columns)
        chosen = (Section(section.heading, _with(section.tables, style.columns)) for section in sections)
        sections = [section for section in chosen if section.tables]
    return replace(shown, sections=sections)


def _check(sections: Sequence[Section], columns: Sequence[str]) -> None:
    names = list(
        dict.fromkeys(
            name for section in sections for table in section.tables for name in headings(table)[1:] if name.strip()
        )
    )
    for column in columns:
        if column not in names:
            remedy = f"there are {', '.join(names)}"
            raise SettingError(unknown(f"no table has a column {column!r}", column, names, remedy))


def _with(tables: Sequence[Table], columns: Sequence[str]) -> list[Table]:
    """The tables that have such columns, with these and their first one only."""
    found = []
    for table in tables:
        kept = [place for place, name in enumerate(headings(table)) if place and name in columns]
        found += [table.with_columns([0, *kept])] if kept else []
    return found


# == report/adjudication_document.py: The report on overrides of a gold standard.


def adjudication_document(adjudication: Adjudication, style: TableStyle) -> ReportDocument:
    section = Section("", [_by_label(adjudication)])
    return ReportDocument(_opening(adjudication), [section], adjudication.notes, adjudication.signature)


def _opening(adjudication: Adjudication) -> str:
    number, files = (
        counted(len(adjudication.overrides), "override"),
        ", ".join(file.name for file in adjudication.files),
    )
    return f"{number} of the gold standard {adjudication.gold} ({files})"


def _by_label(adjudication: Adjudication) -> Table:
    """How many spans of each label there are, what overrides say of them, and how many there are then."""
    before, after = adjudication.before, adjudication.after
    columns = [Column("overrides", "text"), *(Column(name, "count") for name in ("before", *VERDICTS, "after"))]
    rows: list[list[Cell]] = [
        [label, before.get(label, 0), *verdicts.values(), after.get(label, 0)]
        for label, verdicts in adjudication.labels.items()
    ]
    rows.append(["overall", sum(before.values()), *adjudication.verdicts.values(), sum(after.values())])
    return Table("overrides", columns, rows, 1)


# == report/agreement_document.py: The report on the agreement of annotators.


def agreement_document(agreement: Agreement, style: TableStyle) -> ReportDocument:
    section = Section("", list(summary_of_agreement(agreement, style)))
    return ReportDocument(_opening_agreement_document(agreement), [section], agreement.notes, agreement.signature)


def _opening_agreement_document(agreement: Agreement) -> str:
    documents = sum(agreement.coverage.by_number.values())
    return f"{counted(len(agreement.annotators), 'annotator')} on {counted(documents, 'document')}"


# == report/comparison_document.py: The report on a comparison of systems.


MOST_PAIRS = 6
"""Of how many pairs the transitions and labels are shown."""


def comparison_document(comparison: Comparison, style: TableStyle) -> ReportDocument:
    sections = list(_sections(comparison, style))
    return ReportDocument(_opening_comparison_document(comparison), sections, comparison.notes, comparison.signature)


def _opening_comparison_document(comparison: Comparison) -> str:
    unit = TASKS[comparison.task].unit_of(comparison.by)
    return (
        f"{counted(len(comparison.systems), 'system')} on the gold standard {comparison.gold.name}, "
        f"{counted(comparison.gold.units, unit)}, compared by {comparison.by}"
    )


def _sections(comparison: Comparison, style: TableStyle) -> Iterator[Section]:
    """The summary, every pair if they are not too many, and the units that were asked for."""
    yield Section("", list(summary_of_comparison(comparison, style)))
    if len(comparison.pairs) <= MOST_PAIRS:
        for pair in comparison.pairs.values():
            for heading, table in pair_tables(comparison, pair, style):
                yield Section(heading, [table])
    if comparison.show is not None:
        yield Section("", [unit_table(comparison)])


# == report/gate_document.py: The report on whether a candidate is good enough.


def gate_document(gate: Gate, style: TableStyle) -> ReportDocument:
    return ReportDocument(_opening_gate_document(gate), list(_sections_gate_document(gate)), gate.notes, gate.signature)


def _opening_gate_document(gate: Gate) -> str:
    verdict = "passed" if gate.passed else "failed"
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    return f"{verdict}: {gate.candidate}{against} on the gold standard {gate.gold_name}"


def _sections_gate_document(gate: Gate) -> Iterator[Section]:
    """The criteria, the scores, and the new errors."""
    columns = [Column("criterion", "text"), Column("", "text"), Column("found", "text")]
    rows: list[list[Cell]] = [[each.title, "ok" if each.passed else "FAILED", each.sentence] for each in gate.criteria]
    rows += [[each.name, "not checked", each.sentence] for each in gate.not_checked]
    scores = [Column("system", "text"), Column(gate.by, "percent")]
    scored: list[list[Cell]] = [[name, score] for name, score in gate.scores.items()]
    if gate.beside is not None:
        other, values = gate.beside
        scores.append(Column(other, "percent"))
        scored = [[*row, values[str(row[0])]] for row in scored]
    yield Section("", [Table("", columns, rows), Table("", scores, scored, rivals=[range(len(scored))])])
    if gate.compared is not None and gate.pair.new_errors.count:
        found = gate.pair.new_errors
        table = transitions(gate.compared, gate.pair, found, "evenhand compare shows them")
        yield Section(f"{share_of(gate.pair, found)}:", [table])


# == report/ranking_document.py: The report on a ranking of systems.


_NOTHING = "–"


def ranking_document(ranking: Ranking, style: TableStyle) -> ReportDocument:
    sections = [Section("", list(_tables(ranking, style)))]
    sections += [Section(f"{name}:", list(_tables(each, style))) for name, each in (ranking.data_sets or {}).items()]
    return ReportDocument(_opening_ranking_document(ranking), sections, ranking.notes, ranking.signature)


def _opening_ranking_document(ranking: Ranking) -> str:
    systems = counted(len(ranking.systems), "system")
    if ranking.data_sets is not None:
        return f"{systems} on {counted(len(ranking.data_sets), 'data set')}, on average and on each"
    return f"{systems} on the gold standard {ranking.name}"


def _tables(ranking: Ranking, style: TableStyle) -> Iterator[Table]:
    """Scores and ranks, the intervals, and the correlations between the models."""
    columns = [Column("system", "text")]
    for model in ranking.shown_models:
        has_clusters = ranking.clusters is not None and ranking.clusters.model == model
        columns += [Column(model, "percent"), Column("rank", "label" if has_clusters else "count")]
        columns += [Column("±", "label")] if model != ranking.models[0] else []
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        row: list[Cell] = [system]
        for model in ranking.shown_models:
            standing = ranking[model][system]
            cluster = ranking.cluster(model, system)
            rank = standing.rank or _NOTHING
            row += [standing.score, rank if cluster is None else f"{rank} {cluster}"]
            row += [f"{standing.change:+d}" if standing.change else ""] if model != ranking.models[0] else []
        rows.append(row)
    remarks = [f"±: places gained or lost against {ranking.models[0]}."] if len(ranking.shown_models) > 1 else []
    remarks += [] if ranking.clusters is None else [_on_clusters(ranking, ranking.clusters)]
    yield Table("", columns, rows, remark=" ".join(remarks), rivals=[range(len(rows))])
    if ranking.before:
        yield _before(ranking)
    if ranking.resamples:
        yield _intervals(ranking, style)
    if ranking.correlations and len(ranking.systems) > 1:
        yield _correlations(ranking)


def _on_clusters(ranking: Ranking, clusters: Clusters) -> str:
    letters = f"Letters: systems of a cluster are not significantly worse than its best under {clusters.model}"
    test = f"approximate randomization of {ranking.groups}, {counted(clusters.trials, 'trial')}, Holm"
    few = "" if ranking.few_documents is None else f" {why_sentences(ranking.few_documents, clusters.alpha)}"
    return f"{letters} (alpha {clusters.alpha:g}; {test}).{few}"


def _before(ranking: Ranking) -> Table:
    columns = [Column("system", "text"), *(Column(model, "percent") for model in ranking.shown_models)]
    rows: list[list[Cell]] = [
        [system, *(ranking.before[model][system] for model in ranking.shown_models)] for system in ranking.systems
    ]
    return Table("before overrides", columns, rows, rivals=[range(len(rows))])


def _intervals(ranking: Ranking, style: TableStyle) -> Table:
    columns = [Column("system", "text"), *(Column(model, "label") for model in ranking.shown_models)]
    rows: list[list[Cell]] = [
        [system, *(style.interval(ranking[model][system].interval) for model in ranking.shown_models)]
        for system in ranking.systems
    ]
    remark = f"From {counted(ranking.resamples, 'resample')} of the {ranking.groups}, seed {ranking.seed}."
    return Table(f"{100 * ranking.level:g}% intervals", columns, rows, remark=remark)


def _correlations(ranking: Ranking) -> Table:
    columns = [Column("models", "text"), Column("Spearman", "label"), Column("Kendall", "label")]
    rows: list[list[Cell]] = [
        [" and ".join(correlation.models), _coefficient(correlation.spearman), _coefficient(correlation.kendall)]
        for correlation in ranking.correlations
        if {*correlation.models} <= {*ranking.shown_models}
    ]
    return Table("rank correlation", columns, rows)


def _coefficient(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.3f}"


# == report/score_document.py: The report on scores.


def result_document(result: Result, style: TableStyle) -> ReportDocument:
    return score_document(Results({result.name: result}), style)


def score_document(results: Results, style: TableStyle) -> ReportDocument:
    return ReportDocument(
        _opening_score_document(results),
        list(_sections_score_document(results, style)),
        results.notes,
        results.signature,
    )


def _opening_score_document(results: Results) -> str:
    gold, unit = results.gold, results.unit
    sizes = {"document": gold.documents if gold.documents > 1 else None, "sentence": gold.sentences}
    sizes |= {"token": gold.tokens if gold.tokens != gold.units else None, "character": gold.characters}
    listed = ", ".join(counted(size, what) for what, size in sizes.items() if size is not None and what != unit)
    in_chains = "" if gold.chains is None else f" in {counted(gold.chains, 'chain')},"
    return f"gold standard {gold.name}: {counted(gold.units, unit)}{in_chains}{f' in {listed}' if listed else ''}"


def _sections_score_document(results: Results, style: TableStyle) -> Iterator[Section]:
    """The summary, then a section for each system."""
    yield Section("", list(TASKS[results.task].display.summary(results)))
    for result in results.values():
        in_chains = "" if result.chains is None else f" in {counted(result.chains, 'chain')}"
        heading = f"{result.name}: {counted(result.units, results.unit)}{in_chains}"
        yield Section(heading, list(tables_of(result, alone=len(results) == 1, style=style)))


def tables_of(result: Result, *, alone: bool, style: TableStyle = PLAIN) -> Iterable[Table]:
    """All about one system, which may be the only one."""
    return TASKS[result.settings.task].display.details(result, style, alone=alone)
