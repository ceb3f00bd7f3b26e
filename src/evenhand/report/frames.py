"""Results as data frames of pandas, polars and Arrow: the rows of the CSV, with types.

Text is text, counts are whole numbers (but for weighted ones), scores floating-point numbers, and what is missing is
null. None of the libraries is needed for anything else, so that each is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from evenhand.formats.arrow import arrow
from evenhand.problems import SettingError
from evenhand.report.rows import Kind, Value, rows_of
from evenhand.result.display import Framed

Column = tuple[str, Sequence[Value]]
"""The type of a column, `text`, `whole` or `number`, and its values."""


def to_pandas(subject: Framed) -> Any:
    """A `pandas.DataFrame`; whole numbers are of the type Int64, which knows missing values."""
    pandas = _library("pandas")
    types = {"text": "string", "whole": "Int64", "number": "float64"}
    columns = _columns(subject)
    return pandas.DataFrame(
        {name: pandas.Series(values, dtype=types[kind]) for name, (kind, values) in columns.items()}
    )


def to_polars(subject: Framed) -> Any:
    """A `polars.DataFrame`."""
    polars = _library("polars")
    types = {"text": polars.String, "whole": polars.Int64, "number": polars.Float64}
    columns = _columns(subject)
    schema = {name: types[kind] for name, (kind, _) in columns.items()}
    return polars.DataFrame({name: values for name, (_, values) in columns.items()}, schema=schema)


def to_arrow(subject: Framed) -> Any:
    """A `pyarrow.Table`."""
    types = {"text": "string", "whole": "int64", "number": "float64"}
    return arrow.table({name: arrow.array(values, types[kind]) for name, (kind, values) in _columns(subject).items()})


def _columns(subject: Framed) -> Mapping[str, Column]:
    found = rows_of(subject)
    return {
        name: _typed(kind, [row[place] for row in found.rows])
        for place, (name, kind) in enumerate(found.columns.items())
    }


def _typed(kind: Kind, values: Sequence[Value]) -> Column:
    """The values of a column as one type; counts are whole if all of them are."""
    if kind == "text":
        return "text", values
    if kind == "count" and all(value is None or isinstance(value, int) for value in values):
        return "whole", values
    return "number", [None if value is None else float(value) for value in values]


def _library(name: str) -> Any:
    """A library that may be absent."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise SettingError(f"{name} is not installed, which this takes; run: pip install {name}") from None
