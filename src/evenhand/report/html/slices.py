"""The chart of slices on a page: one row per slice, one mark per system on a common scale.

Slices without gold units are left out, because nothing can be found there. Names lead to the errors of the best system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan

from markupsafe import Markup

from evenhand.report.html.sections import address
from evenhand.results.result import Result
from evenhand.tables import PLAIN, Query

_MARKS = ("disc", "square", "diamond", "ring", "frame")
"""Shapes of marks, one per system; further systems are only in the tables."""


def slice_chart(results: Mapping[str, Result], by: str) -> Markup:
    """The scores of the best systems in all slices; nothing if the measure of the page has no scores there."""
    shown = dict(zip(results, _MARKS, strict=False))
    best = results[next(iter(shown))]
    pieces = [
        (name, value, piece.units)
        for name, slices in best.slices.items()
        for value, piece in slices.items()
        if piece.units and by in piece.scores
    ]
    if not pieces:
        return Markup()
    scores = {
        (name, value, system): results[system].slices[name][value][by].headline
        for name, value, _ in pieces
        for system in shown
    }
    overall = best[by].headline
    known = [score for score in (*scores.values(), overall) if not isnan(score)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = max(0.04 * (high - low), 0.005)
    low, high = low - room, high + room

    def position(score: float) -> str:
        return f"{100 * (score - low) / (high - low):.2f}%"

    def rows(name: str) -> Iterator[Markup]:
        for _, value, units in (piece for piece in pieces if piece[0] == name):
            href = address(Query(best.name, right=False, slice=f"{name}={value}", by=by), by)
            here = {system: scores[name, value, system] for system in shown}
            texts = ", ".join(f"{system} {PLAIN.score(score)}" for system, score in here.items())
            marks = Markup("").join(
                Markup('<u class="{}" style="left: {}"></u>').format(shown[system], position(score))
                for system, score in here.items()
                if not isnan(score)
            )
            line = "" if isnan(overall) else Markup('<s style="left: {}"></s>').format(position(overall))
            yield Markup(
                '<li title="{}"><a href="{}"><bdi>{}</bdi></a><span class="number">{:,}</span>'
                '<div class="scale"><div>{}{}</div><span class="unseen">{}</span></div></li>'
            ).format(texts, href, value, units, line, marks, texts)

    lists = Markup("").join(
        Markup('<h3>{}</h3><ul class="slice-chart">{}</ul>').format(name, Markup("").join(rows(name)))
        for name in dict.fromkeys(name for name, _, _ in pieces)
    )
    legend = Markup(" ").join(
        Markup('<span><u class="{}"></u> <bdi>{}</bdi></span>').format(mark, system) for system, mark in shown.items()
    )
    scale = f"Scale: {PLAIN.score(max(low, 0.0))} to {PLAIN.score(min(high, 1.0))}. Line: {best.name} on all units."
    more = f" {len(results) - len(shown)} more systems are in the tables." if len(results) > len(shown) else ""
    remark = Markup('<p class="legend slice-legend">{} <span>{}{}</span></p>').format(legend, scale, more)
    return remark + Markup('<div class="slice-charts">') + lists + Markup("</div>")
