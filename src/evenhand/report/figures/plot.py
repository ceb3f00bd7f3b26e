"""Results as figures: which kinds there are, of what, and where they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.files import write_file
from evenhand.problems import SettingError
from evenhand.report.figures import comparison, confusion, errors, ranks
from evenhand.report.figures.canvas import Size, check_matplotlib, finish, style
from evenhand.report.figures.file import form_of, render
from evenhand.result.comparison import Comparison
from evenhand.result.display import Plotted
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results
from evenhand.suggestion import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Subject = Results | Comparison | Ranking
_FIGURES: dict[str, tuple[type[Subject], str, Callable[..., Figure]]] = {
    "errors": (Results, "score", errors.draw),
    "confusion": (Results, "score", confusion.draw),
    "comparison": (Comparison, "compare", comparison.draw),
    "ranks": (Ranking, "rank", ranks.draw),
}
"""Of what figures are drawn, the function that makes it, and how they are drawn; the first of a result is its default.
"""


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
    """Draw one figure of a result and, where a path is given, write it there; see `Plotted.plot`.

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
        choices: dict[str, dict[str, Any]] = {"errors": {"counts": counts}, "confusion": {"systems": systems}}
        figure = finish(_FIGURES[kind][2](subject, size, **choices.get(kind, {})))
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
    kinds = [name for name, (of, *_) in _FIGURES.items() if isinstance(subject, of)]
    kind = kind or kinds[0]
    if kind not in _FIGURES:
        raise SettingError(
            unknown(f"There is no figure {kind!r}", kind, _FIGURES.keys(), f"choose one of {', '.join(_FIGURES)}")
        )
    if kind not in kinds:
        made_by = _FIGURES[kind][1]
        raise SettingError(f"The figure {kind!r} comes from evenhand.{made_by}; this result has {' and '.join(kinds)}.")
    return kind
