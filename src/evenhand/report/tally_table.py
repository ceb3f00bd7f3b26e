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
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_sink import named, table_file, table_format
from evenhand.result.display import Tallied
from evenhand.result.result import Result, Results
from evenhand.tally import Tally

_NUMBERS = ("document", "sentence")
_COLUMNS = ("system", "judge", "document", "document_name", "sentence", "gold_label", "system_label", "kind")


def tally_table(subject: Tallied) -> Any:
    """All rows as a `pyarrow.Table`."""
    results = _results(subject)
    schema = _schema(results)
    return arrow.Table.from_batches([arrow.record_batch(each, schema=schema) for each in _columns(results)], schema)


def write_tallies(subject: Tallied, path: str | Path) -> None:
    """Write all rows to a file, one tally after the other."""
    form, results = table_format(path), _results(subject)
    with table_file(path, form, _schema(results)) as sink:
        for columns in _columns(results):
            sink.add(columns)


def _results(subject: Tallied) -> Results:
    if isinstance(subject, Results):
        return subject
    assert isinstance(subject, Result)  # nothing else is tallied
    return Results({subject.name: subject})


def _schema(results: Results) -> Any:
    """Counts are whole numbers, unless weights make them fractions."""
    tallies = [tally for result in results.values() for tally in result.tallies.values()]
    is_weighted = any(tally.has_fractions for tally in tallies)
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    return arrow.schema([*types, ("count", "float64" if is_weighted else "int64")])


def _columns(results: Results) -> Iterator[dict[str, Any]]:
    """The rows of each tally, as columns."""
    for result in results.values():
        for judge, tally in result.tallies.items():
            group, cell, count = _summed(tally)
            size, names = len(group), result.gold.document_names
            shown, nothing = Tally(tally.labels, tally.kinds, group, cell, count), arrow.nulls(size)
            is_document = result.groups == "document"
            yield {
                "system": [result.name] * size,
                "judge": [judge] * size,
                "document": group + 1 if is_document else nothing,
                "document_name": named(group, names) if is_document and names else nothing,
                "sentence": group + 1 if result.groups == "sentence" else nothing,
                "gold_label": named(shown.gold, tally.labels),
                "system_label": named(shown.system, tally.labels),
                "kind": named(shown.kind, tally.kinds),
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
