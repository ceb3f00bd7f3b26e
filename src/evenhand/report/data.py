"""Results as rows and columns, for CSV and data frames; results as JSON; tallies as Arrow tables.

Scores have one row per system, measure and label, and rows for `overall`, `macro` and `support`. Comparisons have one
row per transition of every pair or, if units were requested, one row per unit. Rankings have one row per system and
measure.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import Ints, Numbers, ints
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_write import named, table_file, table_format
from evenhand.report.agreement_tables import COLUMNS, agreement_rows
from evenhand.report.confidence_tables import CONFIDENCE_COLUMNS, confidence_rows
from evenhand.results.agreement import Agreement
from evenhand.results.causes import COLUMNS as CAUSES_COLUMNS
from evenhand.results.causes import Causes
from evenhand.results.comparison import Comparison, Ranking
from evenhand.results.confidence import Confidence
from evenhand.results.display import SIGNATURE, Displayed, WithRows, WithTallies
from evenhand.results.result import Result, Results
from evenhand.results.summary import Estimate, Summary
from evenhand.results.suspects import COLUMNS as SUSPECT_COLUMNS
from evenhand.results.suspects import Suspects
from evenhand.results.table import Kind, Table, Value
from evenhand.scoring.scores import Average, MeasureScore, Row
from evenhand.scoring.tally import Tally

Columns = Mapping[str, Kind]

_TEXT: Kind = "text"
_COUNT: Kind = "count"
_NUMBER: Kind = "number"
_BEFORE: Columns = {
    **dict.fromkeys(("system", "model", "row", "label"), _TEXT),
    **dict.fromkeys(("gold", "predicted"), _COUNT),
}
"""`row` distinguishes labels (`label`) from `overall`, `macro`, `support` and supertags of the same name."""
_ORDER = ("TP", "FP", "FN", "TN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
"""Counts that come first; others follow in the order of their measures."""
_NAMES = {"system": "found"}
"""Column names of counts whose own names other columns have."""
_SCORES = ("precision", "recall", "f1", "f_beta")
_HEADLINE = "headline"
"""The value of a measure: in the row `overall`, and in all rows of a measure that is one share, such as an accuracy."""
_TRANSITION: Columns = {
    **dict.fromkeys(("from", "to"), _TEXT),
    **dict.fromkeys(("units", "different"), _COUNT),
    **dict.fromkeys(("delta", "p", "p_holm", "low", "high"), _NUMBER),
    **dict.fromkeys(("class", "gold", "before", "after", "change"), _TEXT),
    "count": _COUNT,
}
_UNIT: Columns = {
    **dict.fromkeys(("kind", "from", "to", "place"), _TEXT),
    "document": _COUNT,
    "document_name": _TEXT,
    **dict.fromkeys(("sentence", "start", "end"), _COUNT),
    "positions": _TEXT,
    **dict.fromkeys(("token_start", "token_end"), _COUNT),
    **dict.fromkeys(("parts", "text_place", "words", "gold"), _TEXT),
}
_STANDING: Columns = {
    **dict.fromkeys(("data", "system", "model"), _TEXT),
    **dict.fromkeys(("score", "low", "high"), _NUMBER),
    **dict.fromkeys(("rank", "change"), _COUNT),
    "cluster": _TEXT,
}


@dataclass(frozen=True)
class TableRows:
    """Columns by name, and rows with one value per column; None for missing values."""

    columns: Columns
    rows: Sequence[Sequence[Value]]


def rows_of(subject: WithRows) -> TableRows:
    """All rows of a result; None for undefined scores."""
    table = _rows_of(subject)
    return TableRows(table.columns, [[None if value != value else value for value in row] for row in table.rows])


def _rows_of(subject: WithRows) -> TableRows:
    if isinstance(subject, Agreement):
        columns = {name: _NUMBER if name in ("value", "low", "high") else _TEXT for name in COLUMNS}
        return TableRows(columns, list(agreement_rows(subject)))
    if isinstance(subject, Comparison):
        return TableRows(_TRANSITION, list(_transitions(subject))) if subject.show is None else _units(subject)
    if isinstance(subject, Ranking):
        rankings = (subject, *(subject.data_sets or {}).values())
        return TableRows(_STANDING, [row for ranking in rankings for row in _standings(ranking)])
    if isinstance(subject, Table):
        return TableRows(subject.kinds, list(map(list, subject)))
    if isinstance(subject, Result):
        return _scores(Results({subject.name: subject}))
    if isinstance(subject, Results):
        return _scores(subject)
    if isinstance(subject, Summary):
        return _estimates(subject)
    if isinstance(subject, Causes):
        return TableRows(CAUSES_COLUMNS, subject.rows())
    if isinstance(subject, Confidence):
        return TableRows(CONFIDENCE_COLUMNS, list(confidence_rows(subject)))
    if isinstance(subject, Suspects):
        return TableRows(SUSPECT_COLUMNS, [suspect.row() for suspect in subject.suspects])
    raise TypeError(f"{type(subject).__name__} has no rows")


def _scores(results: Results) -> TableRows:
    scores = [(result, score) for result in results.values() for score in result.scores.values()]
    seen = dict.fromkeys(kind for _, score in scores for kind in score.overall.counts if kind != "gold")
    counts = [kind for kind in _ORDER if kind in seen] + [kind for kind in seen if kind not in _ORDER]
    columns = {
        **_BEFORE,
        **dict.fromkeys((_NAMES.get(kind, kind) for kind in counts), _COUNT),
        **dict.fromkeys((_HEADLINE, *_SCORES, *(name for _, score in scores for name in score.overall.more)), _NUMBER),
    }
    rows = (row for result, score in scores for row in _rows_of_score(result, score))
    return TableRows(columns, [[row.get(name) for name in columns] for row in rows])


def _estimates(summary: Summary) -> TableRows:
    """The rows of the scores with intervals, and differences from the reference system."""
    table = _scores(summary.results)
    column_of = {name: number for number, name in enumerate(table.columns)}
    rows = []
    for row in table.rows:
        system, model, kind, label = (row[column_of[name]] for name in ("system", "model", "row", "label"))
        estimate = None
        if kind == "overall":
            estimate = summary.measures.get(str(model), {}).get(str(system))
        elif kind == "label":
            estimate = summary.labels.get(str(model), {}).get(str(label), {}).get(str(system))
        rows.append([*row, *_estimate_values(summary, estimate)])
    columns = {**table.columns, **dict.fromkeys(("low", "high"), _NUMBER), "against": _TEXT}
    return TableRows({**columns, **dict.fromkeys(("delta", "p", "p_holm"), _NUMBER)}, rows)


def _estimate_values(summary: Summary, estimate: Estimate | None) -> list[Value]:
    interval = (None, None) if estimate is None or estimate.interval is None else estimate.interval
    if estimate is None or estimate.change is None:
        return [*interval, None, None, None, None]
    test = estimate.change.significance
    p_values = (None, None) if test is None else (test.p, test.p_holm)
    return [*interval, summary.against, estimate.change.delta, *p_values]


def _rows_of_score(result: Result, score: MeasureScore) -> Iterator[dict[str, Value]]:
    gold, details = result.gold, score.model.breakdown.details

    def row(kind: str, scores: Average, label: str | None = None, **sizes: float | None) -> dict[str, Value]:
        figures = _values(scores, has_scores=not score.model.has_ratios_only and not score.model.is_one_share)
        if score.model.is_one_share:
            figures[_HEADLINE] = scores.recall
        return {"system": result.name, "model": score.name, "row": kind, "label": label, **sizes, **figures}

    yield {**row("overall", score.overall, gold=gold.units, predicted=result.predicted), _HEADLINE: score.headline}
    if score.labels and details == "all":
        yield row("macro", score.macro)
        yield row("support", score.weighted)
    for label, scores in score.labels.items() if details in ("all", "labels") else ():
        is_unit = label in gold.labels or label in result.predicted_labels  # tags of words are not labels of brackets
        counts = (gold.labels.get(label, 0), result.predicted_labels.get(label, 0)) if is_unit else (None, None)
        yield row("label", scores, label, gold=counts[0], predicted=counts[1])
    for name, slices in result.slices.items():
        for value, piece in slices.items():
            if score.name in piece:
                sliced = piece[score.name]
                yield {**row("slice", sliced.overall, f"{name}={value}", gold=piece.units), _HEADLINE: sliced.headline}
    for kind, rows in (("part", score.overall.parts), ("supertag", score.supertags if details == "all" else {})):
        for name, scores in rows.items():
            yield row(kind, scores, name)
    for distance, scores in score.distances.items():
        yield row("distance", scores, distance, gold=scores.counts["gold"], predicted=scores.counts["system"])
    if score.sentences is not None:
        sentences = {"gold": score.sentences.total, "correct": score.sentences.correct}
        yield {"system": result.name, "model": score.name, "row": "sentences", **sentences}


def _values(row: Average, *, has_scores: bool) -> dict[str, Value]:
    scores: dict[str, Value] = {name: getattr(row, name) for name in _SCORES} if has_scores else {}
    if not isinstance(row, Row):
        return scores
    counts = {_NAMES.get(kind, kind): count for kind, count in row.counts.items() if kind != "gold"}
    return {**counts, **scores, **row.more}


def _transitions(comparison: Comparison) -> Iterator[list[Value]]:
    """One row per transition, with the figures of its pair; one row for a pair without transitions."""
    for pair in comparison.pairs.values():
        test = pair.significance
        figures: list[Value] = [pair.before, pair.after, pair.size, pair.different, pair.delta]
        figures += [None, None] if test is None else [test.p, test.p_holm]
        figures += pair.interval or (None, None)
        rows = [(name, transition) for name, units in pair.classes.items() for transition in units.transitions]
        for name, row in rows:
            yield [*figures, name, row.gold, row.before, row.after, row.change or None, row.count]
        if not rows:
            yield [*figures, *[None] * (len(_TRANSITION) - len(figures))]


def _units(comparison: Comparison) -> TableRows:
    """One row per requested unit, with one column per system for its prediction."""
    names = {name: f"system:{name}" if name in (*_UNIT, "text") else name for name in comparison.systems}
    rows = []
    for unit in comparison.shown_units:
        row = unit.to_dict()
        row["parts"] = None if unit.parts is None else " ".join(f"{start}-{end}" for start, end in unit.parts)
        rows.append([*(row.get(name) for name in _UNIT), *(unit.answers[name] for name in names), row["text"]])
    return TableRows({**_UNIT, **dict.fromkeys(names.values(), _TEXT), "text": _TEXT}, rows)


def _standings(ranking: Ranking) -> Iterator[list[Value]]:
    for system in ranking.systems:
        for model in ranking.models:
            standing = ranking[model][system]
            figures = [standing.score, *(standing.interval or (None, None)), standing.rank, standing.change]
            yield [ranking.name, system, model, *figures, ranking.cluster(model, system)]


# CSV and JSON


_BEFORE_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in spreadsheets."""


def render(subject: WithRows) -> str:
    """CSV. Texts that a spreadsheet would run as a formula begin with a single quote; numbers are unchanged."""
    return delimited(subject, ",")


def delimited(subject: WithRows, delimiter: str) -> str:
    """The same with another delimiter. The last column is the signature, so rows of several files can be combined."""
    table = rows_of(subject)
    signature: str = getattr(subject, SIGNATURE, "")
    rows: list[list[Value]] = [[*table.columns, SIGNATURE], *([*row, signature] for row in table.rows)]
    return "".join(_line(row if signature else row[:-1], delimiter) for row in rows)


def _line(row: Iterable[Value], delimiter: str) -> str:
    """One row. The writer quotes carriage returns only if lines end with them, so lines are shortened afterwards."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\r\n").writerow(map(_safe, row))
    return file.getvalue().removesuffix("\r\n") + "\n"


def _safe(value: Value) -> Value:
    """Texts that already begin with quotes get another one, so both remain distinct."""
    return f"'{value}" if isinstance(value, str) and value.lstrip("'").startswith(_BEFORE_FORMULAS) else value


def render_json(subject: Displayed) -> str:
    return formatted_json(subject.to_dict())


def formatted_json(saved: Mapping[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(saved), indent=2).decode() + "\n"


def render_jsonl(comparison: Comparison) -> str:
    """The units of a comparison as JSON lines."""
    if comparison.show is None:
        raise SettingError("JSON lines hold units; ask for them with --show.")
    rows = ({**unit.to_dict(), SIGNATURE: comparison.signature} for unit in comparison.shown_units)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


# Data frames


Column = tuple[str, Sequence[Value]]
"""The type of a column, `text`, `whole` or `number`, and its values."""


def to_pandas(subject: WithRows) -> Any:
    """A `pandas.DataFrame`; integers have the type Int64, which has missing values."""
    pandas = _library("pandas")
    types = {"text": "string", "whole": "Int64", "number": "float64"}
    return pandas.DataFrame(
        {name: pandas.Series(values, dtype=types[kind]) for name, (kind, values) in _columns(subject).items()}
    )


def to_polars(subject: WithRows) -> Any:
    polars = _library("polars")
    types = {"text": polars.String, "whole": polars.Int64, "number": polars.Float64}
    columns = _columns(subject)
    schema = {name: types[kind] for name, (kind, _) in columns.items()}
    return polars.DataFrame({name: values for name, (_, values) in columns.items()}, schema=schema)


def to_arrow(subject: WithRows) -> Any:
    types = {"text": "string", "whole": "int64", "number": "float64"}
    return arrow.table({name: arrow.array(values, types[kind]) for name, (kind, values) in _columns(subject).items()})


def _columns(subject: WithRows) -> Mapping[str, Column]:
    table = rows_of(subject)
    return {
        name: _typed(kind, [row[number] for row in table.rows])
        for number, (name, kind) in enumerate(table.columns.items())
    }


def _typed(kind: Kind, values: Sequence[Value]) -> Column:
    """The values of a column as one type; counts are integers if all of them are."""
    if kind == "text":
        return "text", values
    if kind == "count" and all(value is None or isinstance(value, int) for value in values):
        return "whole", values
    return "number", [None if value is None else float(value) for value in values]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise SettingError(f"This needs {name}: pip install {name}") from None


# Tallies


_NUMBERS = ("document", "sentence")
_COLUMNS = ("system", "judge", "document", "document_name", "sentence", "gold_label", "system_label", "kind")


def tally_table(subject: WithTallies) -> Any:
    """A `pyarrow.Table` with one row per system, scorer, group, gold label, system label and count type."""
    results = _results(subject)
    schema = _schema(results)
    batches = [arrow.record_batch(columns, schema=schema) for columns in _tally_columns(results)]
    return arrow.Table.from_batches(batches, schema)


def write_tallies(subject: WithTallies, path: str | Path) -> None:
    """Write the same rows to a file, one tally after the other."""
    form, results = table_format(path), _results(subject)
    with table_file(path, form, _schema(results)) as sink:
        for columns in _tally_columns(results):
            sink.add(columns)


def _results(subject: WithTallies) -> Results:
    if isinstance(subject, Results):
        return subject
    assert isinstance(subject, Result)  # nothing else is tallied
    return Results({subject.name: subject})


def _schema(results: Results) -> Any:
    """Counts are integers, unless weights make them fractions."""
    tallies = [tally for result in results.values() for tally in result.tallies.values()]
    is_weighted = any(tally.has_fractions for tally in tallies)
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    return arrow.schema([*types, ("count", "float64" if is_weighted else "int64")])


def _tally_columns(results: Results) -> Iterator[dict[str, Any]]:
    for result in results.values():
        for judge, tally in result.tallies.items():
            group, cell, count = _summed(tally)
            size, names = len(group), result.gold.document_names
            summed, nothing = Tally(tally.labels, tally.kinds, group, cell, count), arrow.nulls(size)
            is_document = result.groups == "document"
            yield {
                "system": [result.name] * size,
                "judge": [judge] * size,
                "document": group + 1 if is_document else nothing,
                "document_name": named(group, names) if is_document and names else nothing,
                "sentence": group + 1 if result.groups == "sentence" else nothing,
                "gold_label": named(summed.gold, tally.labels),
                "system_label": named(summed.system, tally.labels),
                "kind": named(summed.kind, tally.kinds),
                "count": count,
            }


def _summed(tally: Tally) -> tuple[Ints, Ints, Numbers]:
    """The rows of a tally, added up by group and cell."""
    group, cell = ints(tally.group), ints(tally.cell)
    order = np.lexsort((cell, group))
    group, cell = group[order], cell[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (np.diff(group) != 0) | (np.diff(cell) != 0)
    first = np.flatnonzero(begins)
    count: Numbers = np.add.reduceat(tally.count[order], first) if len(first) else tally.count[order]
    return group[first], cell[first], count
