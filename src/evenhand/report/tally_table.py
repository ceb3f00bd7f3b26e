"""Tallies as a table: a row a system, judge, group, gold label, system label and kind, with its count.

Groups are told by what they are: `document` or `sentence` has the number from 1, as in a table of verdicts, and
`document_name` the name, where there is one. All that is missing is null: the numbers of groups where nothing is kept
apart, the gold label of what only the system has, the system's of what it does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Numbers, ints
from evenhand.formats.arrow_sink import named, pyarrow_to_write, table_file, table_format
from evenhand.result.result import Result, Results
from evenhand.result.tally_tables import Tallied
from evenhand.tally import Tally

_TEXTS = ("system", "judge", "document_name", "gold_label", "system_label", "kind")
_COLUMNS = ("system", "judge", "document", "document_name", "sentence", "gold_label", "system_label", "kind", "count")


def tally_table(subject: Tallied) -> Any:
    """All rows as a `pyarrow.Table`."""
    arrow, results = pyarrow_to_write(), _results(subject)
    schema = _schema(arrow, results)
    columns = [list(each.values()) for each in _columns(arrow, results)]
    return arrow.Table.from_batches([arrow.record_batch(each, schema=schema) for each in columns], schema)


def write_tallies(subject: Tallied, path: str | Path) -> None:
    """Write all rows to a file, one tally after the other."""
    form, arrow, results = table_format(path), pyarrow_to_write(), _results(subject)
    with table_file(path, form, _schema(arrow, results)) as sink:
        for columns in _columns(arrow, results):
            sink.add(columns)


def _results(subject: Tallied) -> Results:
    if isinstance(subject, Results):
        return subject
    assert isinstance(subject, Result)  # nothing else is tallied
    return Results({subject.name: subject})


def _schema(arrow: Any, results: Results) -> Any:
    """Counts are whole numbers, unless weights make them fractions."""
    types = {name: arrow.string() if name in _TEXTS else arrow.int64() for name in _COLUMNS}
    return arrow.schema(list({**types, "count": arrow.from_numpy_dtype(_count_type(results))}.items()))


def _count_type(results: Results) -> Any:
    tallies = [tally for result in results.values() for tally in result.tallies.values()]
    return np.float64 if any(tally.count.dtype.kind == "f" for tally in tallies) else np.int64


def _columns(arrow: Any, results: Results) -> Iterator[dict[str, Any]]:
    count_type = _count_type(results)
    for result in results.values():
        for judge, tally in result.tallies.items():
            columns = _rows(arrow, result, judge, tally)
            yield {**columns, "count": arrow.array(columns["count"].astype(count_type))}


def _rows(arrow: Any, result: Result, judge: str, tally: Tally) -> dict[str, Any]:
    group, cell, count = _summed(tally)
    size, names = len(group), result.gold.document_names
    shown = Tally(tally.labels, tally.kinds, group, cell, count)
    nothing, nameless = arrow.nulls(size, arrow.int64()), arrow.nulls(size, arrow.string())
    is_document = result.groups == "document"
    return {
        "system": arrow.array([result.name] * size, arrow.string()),
        "judge": arrow.array([judge] * size, arrow.string()),
        "document": arrow.array(group + 1) if is_document else nothing,
        "document_name": named(arrow, group, names).dictionary_decode() if is_document and names else nameless,
        "sentence": arrow.array(group + 1) if result.groups == "sentence" else nothing,
        "gold_label": named(arrow, shown.gold, tally.labels).dictionary_decode(),
        "system_label": named(arrow, shown.system, tally.labels).dictionary_decode(),
        "kind": named(arrow, shown.kind, tally.kinds).dictionary_decode(),
        "count": count,
    }


def _summed(tally: Tally) -> tuple[Ints, Ints, Numbers]:
    """The rows of a tally by group and cell, each pair once."""
    group, cell = ints(tally.group), ints(tally.cell)
    order = np.lexsort((cell, group))
    group, cell = group[order], cell[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (np.diff(group) != 0) | (np.diff(cell) != 0)
    first = np.flatnonzero(begins)
    count: Numbers = np.add.reduceat(tally.count[order], first) if len(first) else tally.count[order]
    return group[first], cell[first], count
