"""What results have in common: they show themselves as text, as JSON and in notebooks; many become data frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.files import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def written(text: str, path: str | Path | None) -> str:
    """The text, written to `path` too, where one is given."""
    if path is not None:
        write_file(path, text)
    return text


class Shown:
    """A result that shows itself. The report is loaded when it is asked for, as it stands above in the house."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python, in the form of its JSON."""
        raise TypeError(f"{type(self).__name__} has no JSON form")

    def to_json(self, path: str | Path | None = None) -> str:
        """The same as text; written to `path` too, where one is given."""
        from evenhand.report.data import render_json as render

        return written(render(self), path)

    def __str__(self) -> str:
        from evenhand.report.text import render

        return render(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from evenhand.report.notebook import render

        return render(self)


class Tabled:
    """A result that is made of tables."""

    def to_markdown(
        self, *, percent: bool = True, decimals: int | None = None, columns: str | Sequence[str] = ()
    ) -> str:
        """The tables as GitHub's Markdown.

        percent    scores as percentages, else as fractions
        decimals   of scores [2 of percentages, 4 of fractions]
        columns    only these columns, by their headings, and always the first; "model,F1" or a list [all]
        """
        from evenhand.report.text import render_markdown as render
        from evenhand.tables import TableStyle

        return render(self, TableStyle(percent, decimals, _names(columns)))

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

        caption    of the tables, which then float; text, in which commands have no effect
        label      of the first table; of the others with -2, -3 and so on behind it
        page_columns
                   1 or 2: how many columns the page has; tables fit into one of them, or go across both (`table*`)

        The others are those of `to_markdown`.
        """
        from evenhand.report.latex import render
        from evenhand.tables import TableStyle

        return render(self, TableStyle(percent, decimals, _names(columns), caption, label, page_columns))


def _names(columns: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str):
        return tuple(name.strip() for name in columns.split(",") if name.strip())
    return tuple(columns)


class Framed:
    """A result whose CSV has columns and rows, which data frames have with their types."""

    def to_pandas(self) -> Any:
        """The rows of the CSV as a `pandas.DataFrame`: numbers are numbers, and what is missing is NA or NaN."""
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


class Tallied:
    """A result with tallies, the counts behind its scores."""

    def tallies_to_arrow(self) -> Any:
        """The tallies as a `pyarrow.Table`: a row a system, judge, group, gold label, system label and kind."""
        from evenhand.report.data import tally_table

        return tally_table(self)

    def tallies_to_parquet(self, path: str | Path) -> None:
        """The same rows in a file, whole or not at all; Parquet or Arrow, as its name says."""
        from evenhand.report.data import write_tallies

        write_tallies(self, path)


class Plotted:
    """A result that has figures."""

    def plot(
        self,
        kind: str | None = None,
        *,
        path: str | Path | None = None,
        width: float | None = None,
        height: float | None = None,
        counts: bool = False,
        systems: str | Sequence[str] = (),
    ) -> Figure:
        """Draw a figure with matplotlib; it is written to `path` too (.svg, .pdf or .png), where one is given.

        kind       "errors" (default) and "confusion" of results, "comparison" of comparisons, "ranks" of rankings
        width, height
                   in inches; without them, as wide as a page and as high as the content needs
        counts     "errors" only: bars as long as there are errors, instead of all alike
        systems    "confusion" only: the systems to show, if not all
        """
        from evenhand.report.figures.plots import plot

        return plot(self, kind, path=path, width=width, height=height, counts=counts, systems=systems)
