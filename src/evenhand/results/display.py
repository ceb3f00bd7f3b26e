"""Views that results share: text, JSON, notebooks, Markdown, LaTeX, data frames, tallies and figures.

The report is a later room, so it is loaded when a view is requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand import __version__
from evenhand.files import write_file
from evenhand.parameters import split_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def written(text: str, path: str | Path | None) -> str:
    """Return the text, and write it to `path`, if given."""
    if path is not None:
        write_file(path, text)
    return text


def plain(value: object) -> Any:
    """Data classes, tuples and the like as JSON types; None for NaN."""
    return msgspec.json.decode(msgspec.json.encode(value))


def present(**values: Any) -> dict[str, Any]:
    """The values that are neither None nor empty mappings."""
    return {name: value for name, value in values.items() if value is not None and value != {}}


class Displayed:
    """A result with text, JSON and notebook views."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        plain_dict: dict[str, Any] = plain({"evenhand": __version__, **self.saved()})
        return plain_dict

    def saved(self) -> dict[str, Any]:
        """The same without the version, as anything that JSON can hold; undefined scores are NaN."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the same as JSON text, and write it to `path`, if given."""
        from evenhand.report.data import render_json as render

        return written(render(self), path)

    def methods(self) -> str:
        """One paragraph for a paper, as LaTeX, followed by the BibTeX entries that it cites.

        It states the measures, intervals, tests and corrections, the version and the signature.
        """
        from evenhand.report.methods import methods

        return methods(self.to_dict())

    def __str__(self) -> str:
        from evenhand.report.text import render

        return render(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """HTML tables, for notebooks."""
        from evenhand.report.notebook import render

        return render(self)


class WithTables:
    """A result with tables."""

    def to_markdown(
        self, *, percent: bool = True, decimals: int | None = None, columns: str | Sequence[str] = ()
    ) -> str:
        """The tables as GitHub's Markdown.

        percent    scores as percentages, otherwise as fractions
        decimals   of scores [2 of percentages, 4 of fractions]
        columns    only these columns, by their headings, and the first one; "model,F1" or a list [all]
        """
        from evenhand.report.text import render_markdown as render
        from evenhand.tables import TableStyle

        return render(self, TableStyle(percent, decimals, split_names(columns)))

    def to_latex(
        self,
        *,
        caption: str = "",
        label: str = "",
        percent: bool = True,
        decimals: int | None = None,
        columns: str | Sequence[str] = (),
        page_columns: int = 1,
    ) -> str:
        """The tables as LaTeX (booktabs), with the best of several systems in bold and marks of significance.

        caption    of the tables, which then float; plain text without commands
        label      of the first table; the others get the suffixes -2, -3, …
        page_columns
                   1 or 2: the columns of the page; tables fit into one of them, or span both (`table*`)

        The other parameters are described in `to_markdown`.
        """
        from evenhand.report.latex import render
        from evenhand.tables import TableStyle

        return render(self, TableStyle(percent, decimals, split_names(columns), caption, label, page_columns))


SIGNATURE = "signature"
"""The last column of files with rows: the settings that they depend on."""


class WithRows:
    """A result with rows, as in CSV and data frames."""

    def to_pandas(self) -> Any:
        """The rows of the CSV as a `pandas.DataFrame`, with typed columns; missing values are NA or NaN.

        The signature is not a column.
        """
        from evenhand.report.data import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`."""
        from evenhand.report.data import to_polars

        return to_polars(self)

    def to_arrow(self) -> Any:
        """The same as a `pyarrow.Table`."""
        from evenhand.report.data import to_arrow

        return to_arrow(self)


class WithTallies:
    """A result with tallies, the counts that its scores are computed from."""

    def tallies_to_arrow(self) -> Any:
        """A `pyarrow.Table` with one row per system, scorer, group, gold label, system label and count type."""
        from evenhand.report.data import tally_table

        return tally_table(self)

    def tallies_to_parquet(self, path: str | Path) -> None:
        """Write the same rows to a file, Parquet or Arrow by its name; an error leaves no partial file."""
        from evenhand.report.data import write_tallies

        write_tallies(self, path)


class WithFigures:
    """A result with figures."""

    def plot(
        self,
        kind: str | None = None,
        *,
        path: str | Path | None = None,
        width: float | None = None,
        height: float | None = None,
        counts: bool = False,
        systems: str | Sequence[str] = (),
        correct: bool = False,
    ) -> Figure:
        """Draw a figure with matplotlib, and write it to `path` (.svg, .pdf or .png), if given.

        kind       "errors" (default), "confusion" and "slices" for results, "comparison" for comparisons, "ranks" for
                   rankings
        width, height
                   in inches [the width of a page, and the height that the content needs]
        counts     "errors" only: bars in proportion to the number of errors, instead of equal lengths
        systems    "confusion" only: the systems to show [all]
        correct    "confusion" only: show the correct units, too, on the diagonal
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.plots import plot

        names = [systems] if isinstance(systems, str) and systems else systems
        return plot(self, kind, path, Size(width, height), counts=counts, systems=names, correct=correct)
