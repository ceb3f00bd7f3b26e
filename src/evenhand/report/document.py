"""What a report says, whatever it is written in: an opening, sections of tables, notes and the signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evenhand.comparison.clusters import Clusters
from evenhand.dataclass import dataclass
from evenhand.problems import WARNING, announced
from evenhand.report.agreement_tables import summary_of_agreement
from evenhand.report.comparison_tables import summary_of_comparison, unit_table
from evenhand.report.pair_tables import ordered_pairs, pair_tables, share_of, transitions
from evenhand.result.agreement import Agreement
from evenhand.result.comparison import Comparison
from evenhand.result.display import Shown, Tabled
from evenhand.result.gate import Gate
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results
from evenhand.table import Cell, Column, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.registry import TASKS

MOST_PAIRS = 6
"""Of how many pairs the transitions and labels are shown."""
_NOTHING = "–"


@dataclass(frozen=True)
class Section:
    heading: str
    tables: Sequence[Table]


@dataclass(frozen=True)
class Document:
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


def document(subject: Shown | Tabled, style: TableStyle = PLAIN) -> Document:
    if isinstance(subject, Ranking):
        sections = [Section("", list(_ranking(subject, style)))]
        sections += [
            Section(f"{name}:", list(_ranking(each, style))) for name, each in (subject.data_sets or {}).items()
        ]
        return Document(_opening_of_ranking(subject), sections, subject.notes, subject.signature)
    if isinstance(subject, Agreement):
        section = Section("", list(summary_of_agreement(subject, style)))
        return Document(_opening_of_agreement(subject), [section], subject.notes, subject.signature)
    if isinstance(subject, Gate):
        return Document(_opening_of_gate(subject), list(_gate(subject)), subject.notes, subject.signature)
    if isinstance(subject, Comparison):
        return Document(
            _opening_of_comparison(subject), list(_comparison(subject, style)), subject.notes, subject.signature
        )
    if isinstance(subject, Result):
        subject = Results({subject.name: subject})
    if not isinstance(subject, Results):
        raise TypeError(f"{type(subject).__name__} has no tables")
    return Document(_opening(subject), list(_sections(subject, style)), subject.notes, subject.signature)


def _sections(results: Results, style: TableStyle) -> Iterator[Section]:
    """The summary, then a section for each system."""
    yield Section("", list(TASKS[results.task].display.summary(results)))
    for result in results.values():
        in_chains = "" if result.chains is None else f" in {_counted(result.chains, 'chain')}"
        heading = f"{result.name}: {_counted(result.units, results.unit)}{in_chains}"
        yield Section(heading, list(tables_of(result, alone=len(results) == 1, style=style)))


def tables_of(result: Result, *, alone: bool, style: TableStyle = PLAIN) -> Iterable[Table]:
    """All about one system, which may be the only one."""
    return TASKS[result.settings.task].display.details(result, style, alone=alone)


def _opening(results: Results) -> str:
    gold, unit = results.gold, results.unit
    sizes = {"document": gold.documents if gold.documents > 1 else None, "sentence": gold.sentences}
    sizes |= {"token": gold.tokens if gold.tokens != gold.units else None, "character": gold.characters}
    listed = ", ".join(_counted(size, what) for what, size in sizes.items() if size is not None and what != unit)
    in_chains = "" if gold.chains is None else f" in {_counted(gold.chains, 'chain')},"
    return f"gold standard {gold.name}: {_counted(gold.units, unit)}{in_chains}{f' in {listed}' if listed else ''}"


def _opening_of_agreement(agreement: Agreement) -> str:
    documents = sum(agreement.coverage.by_number.values())
    return f"{_counted(len(agreement.annotators), 'annotator')} on {_counted(documents, 'document')}"


def _opening_of_gate(gate: Gate) -> str:
    verdict = "passed" if gate.passed else "failed"
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    return f"{verdict}: {gate.candidate}{against} on the gold standard {gate.gold_name}"


def _gate(gate: Gate) -> Iterator[Section]:
    """The criteria, the scores, and the new errors."""
    columns = [Column("criterion", "text"), Column("", "text"), Column("found", "text")]
    rows: list[list[Cell]] = [[each.title, "ok" if each.passed else "FAILED", each.sentence] for each in gate.criteria]
    scores = [Column("system", "text"), Column(gate.by, "percent")]
    scored: list[list[Cell]] = [[name, score] for name, score in gate.scores.items()]
    yield Section("", [Table("", columns, rows), Table("", scores, scored, rivals=[range(len(scored))])])
    if gate.compared is not None and gate.pair.new_errors.count:
        found = gate.pair.new_errors
        table = transitions(gate.compared, gate.pair, found, "evenhand compare shows them")
        yield Section(f"{share_of(gate.pair, found)}:", [table])


def _opening_of_comparison(comparison: Comparison) -> str:
    unit = TASKS[comparison.task].unit_of(comparison.by)
    return (
        f"{_counted(len(comparison.systems), 'system')} on the gold standard {comparison.gold.name}, "
        f"{_counted(comparison.gold.units, unit)}, compared by {comparison.by}"
    )


def _comparison(comparison: Comparison, style: TableStyle) -> Iterator[Section]:
    """The summary, every pair if they are not too many, and the units that were asked for."""
    yield Section("", list(summary_of_comparison(comparison, style)))
    if len(comparison.pairs) <= MOST_PAIRS:
        for pair in ordered_pairs(comparison):
            for heading, table in pair_tables(comparison, pair, style):
                yield Section(heading, [table])
    if comparison.show is not None:
        yield Section("", [unit_table(comparison)])


def _opening_of_ranking(ranking: Ranking) -> str:
    systems = _counted(len(ranking.systems), "system")
    if ranking.data_sets is not None:
        return f"{systems} on {_counted(len(ranking.data_sets), 'data set')}, on average and on each"
    return f"{systems} on the gold standard {ranking.name}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _ranking(ranking: Ranking, style: TableStyle) -> Iterator[Table]:
    """Scores and ranks, the intervals, and the correlations between the models."""
    columns = [Column("system", "text")]
    for model in ranking.models:
        has_clusters = ranking.clusters is not None and ranking.clusters.model == model
        columns += [Column(model, "percent"), Column("rank", "label" if has_clusters else "count")]
        columns += [Column("±", "label")] if model != ranking.models[0] else []
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        row: list[Cell] = [system]
        for model in ranking.models:
            standing = ranking[model][system]
            cluster = ranking.cluster(model, system)
            row += [standing.score, standing.rank if cluster is None else f"{standing.rank} {cluster}"]
            row += [f"{standing.change:+d}" if standing.change else ""] if model != ranking.models[0] else []
        rows.append(row)
    remarks = [f"±: places gained or lost against {ranking.models[0]}."] if len(ranking.models) > 1 else []
    remarks += [] if ranking.clusters is None else [_on_clusters(ranking.clusters, ranking.groups)]
    yield Table("", columns, rows, remark=" ".join(remarks), rivals=[range(len(rows))])
    if ranking.resamples:
        yield _intervals(ranking, style)
    if ranking.correlations and len(ranking.systems) > 1:
        yield _correlations(ranking)


def _on_clusters(clusters: Clusters, groups: str) -> str:
    letters = f"Letters: systems of a cluster are not significantly worse than its best under {clusters.model}"
    test = f"approximate randomization of {groups}, {clusters.trials:,} trials, Holm"
    return f"{letters} (alpha {clusters.alpha:g}; {test})."


def _intervals(ranking: Ranking, style: TableStyle) -> Table:
    columns = [Column("system", "text"), *(Column(model, "label") for model in ranking.models)]
    rows: list[list[Cell]] = [
        [system, *(style.interval(ranking[model][system].interval) for model in ranking.models)]
        for system in ranking.systems
    ]
    remark = f"From {ranking.resamples:,} resamples of the {ranking.groups}, seed {ranking.seed}."
    return Table(f"{100 * ranking.level:g}% intervals", columns, rows, remark=remark)


def _correlations(ranking: Ranking) -> Table:
    columns = [Column("models", "text"), Column("Spearman", "label"), Column("Kendall", "label")]
    rows: list[list[Cell]] = [
        [" and ".join(each.models), _coefficient(each.spearman), _coefficient(each.kendall)]
        for each in ranking.correlations
    ]
    return Table("rank correlation", columns, rows)


def _coefficient(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.3f}"
