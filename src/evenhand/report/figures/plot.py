"""Results as figures: which kinds there are, of what, and where they are written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.files import write_file
from evenhand.problems import SettingError
from evenhand.report.figures import comparison, confusion, errors, ranks
from evenhand.report.figures.canvas import Size, check_matplotlib, finish, style
from evenhand.report.figures.file import form_of, render
from evenhand.result.comparison import Comparison
from evenhand.result.display import Plotted
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Subject = Results | Comparison | Ranking
_KINDS: dict[type[Subject], tuple[str, ...]] = {
    Results: ("errors", "confusion"),
    Comparison: ("comparison",),
    Ranking: ("ranks",),
}
"""The figures that each result has; the first is the default."""
_MADE_BY = {"errors": "score", "confusion": "score", "comparison": "compare", "ranks": "rank"}


def plot(
    drawn: Plotted,
    kind: str | None = None,
    *,
    path: str | Path | None = None,
    width: float | None = None,
    height: float | None = None,
    counts: bool = False,
    systems: str | Sequence[str] = (),
) -> Figure:
    """Draw one figure of a result and, where a path is given, write it there.

    kind       "errors" (default) and "confusion" of results, "comparison" of comparisons, "ranks" of rankings
    path       a file that ends with .svg, .pdf or .png
    width, height
               in inches; without them, the width of a page of two columns and as high as the content needs
    counts     "errors" only: bars are as long as there are errors, instead of all alike
    systems    "confusion" only: the systems to show, if not all

    The figure is one of matplotlib, to be changed at will.
    """
    subject = _subject(drawn)
    kind = _kind(subject, kind)
    if counts and kind != "errors":
        raise SettingError(f"counts does nothing for the figure {kind!r}; leave it out.")
    if systems and kind != "confusion":
        raise SettingError(f"systems does nothing for the figure {kind!r}; leave it out.")
    form = None if path is None else form_of(path)
    size = Size(width, height)
    check_matplotlib()
    with style():
        figure = finish(_drawn(subject, size, kind, counts=counts, systems=systems))
    if path is not None and form is not None:
        write_file(path, render(figure, form, subject.signature))
    return figure


def _subject(drawn: Plotted) -> Subject:
    """One result is drawn as results of one system."""
    if isinstance(drawn, Result):
        return Results({drawn.name: drawn})
    if not isinstance(drawn, Subject):
        raise TypeError(f"{type(drawn).__name__} has no figures")
    return drawn


def _kind(subject: Subject, kind: str | None) -> str:
    """The kind of figure that is meant; one that the result does not have is refused."""
    kinds = next(kinds for of, kinds in _KINDS.items() if isinstance(subject, of))
    kind = kind or kinds[0]
    if kind not in _MADE_BY:
        raise SettingError(f"There is no figure {kind!r}; choose one of {', '.join(_MADE_BY)}.")
    if kind not in kinds:
        raise SettingError(
            f"The figure {kind!r} comes from evenhand.{_MADE_BY[kind]}; this result has {' and '.join(kinds)}."
        )
    return kind


def _drawn(subject: Subject, size: Size, kind: str, *, counts: bool, systems: str | Sequence[str]) -> Figure:
    if isinstance(subject, Comparison):
        return comparison.draw(subject, size)
    if isinstance(subject, Ranking):
        return ranks.draw(subject, size)
    if kind == "confusion":
        return confusion.draw(subject, size, systems)
    return errors.draw(subject, size, counts=counts)
