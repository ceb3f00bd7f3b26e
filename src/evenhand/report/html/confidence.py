"""The page of confidences: sentences, a slider for the threshold, figures and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from evenhand.report.confidence_tables import confidence_document, f_name, sentences
from evenhand.report.html import STYLES, one_function, packed, style_sheet, template
from evenhand.report.html.sections import html_table
from evenhand.results.confidence import Confidence, SystemConfidence, thinned
from evenhand.tables import PLAIN

SCRIPTS = ("unpack", "threshold")
MOST_POINTS = 200
"""Maximum number of thresholds of the slider."""


def render(confidence: Confidence, title: str = "") -> str:
    """The page; the template escapes all texts, or they are JSON data."""
    document = confidence_document(confidence, PLAIN)
    systems = list(confidence.systems.values())
    return template("confidence.html").render(
        title=title or f"Confidences of {', '.join(confidence.systems)}",
        confidence=confidence,
        opening=document.opening,
        style=style_sheet((*STYLES, "confidence")),
        script=Markup(one_function(SCRIPTS)),
        data=packed({"systems": [_data(system) for system in systems], "unit": confidence.unit}),
        systems=[(system.name, list(sentences(system))) for system in systems],
        f_name=f_name(systems[0].beta),
        figures=list(_figures(confidence)),
        tables=[
            (name if len(systems) > 1 else "", [html_table(table, "") for table in section.tables])
            for name, section in zip(("", *confidence.systems), document.sections, strict=True)
        ],
    )


def _data(system: SystemConfidence) -> dict[str, Any]:
    """The points of the slider, with the best threshold among them."""
    curve, best = system.curve, system.curve.best(system.beta)
    chosen = thinned(len(curve), MOST_POINTS - 1)
    rows = chosen if best is None else np.unique(np.append(chosen, best))
    columns = {"threshold": curve.threshold, "predicted": curve.predicted, "precision": curve.precision}
    columns |= {"recall": curve.recall, "f": curve.f_beta(system.beta)}
    data: dict[str, Any] = {name: column[rows].tolist() for name, column in columns.items()}
    data["wrong"] = (curve.predicted - curve.counts[:, 0])[rows].tolist()
    return {"name": system.name, "best": None if best is None else int(np.searchsorted(rows, best)), **data}


def _figures(confidence: Confidence) -> Iterator[tuple[str, Markup]]:
    """The figures as inline SVG; none if Matplotlib is not installed."""
    try:
        from evenhand.report.figures.confidence import plot
    except ImportError:
        return
    from evenhand.report.figures.canvas import Size, render, style

    titles = {"pr": "Precision and recall", "threshold": "Threshold", "calibration": "Calibration", "risk": "Risk"}
    for kind, title in titles.items():
        if kind == "calibration" and all(system.calibration is None for system in confidence.systems.values()):
            continue
        if kind == "risk" and any(system.answers is None for system in confidence.systems.values()):
            continue
        figure = plot(confidence, kind, None, Size(5.2, 3.8))
        with style():
            text = render(figure, "svg", "").decode()
        svg = text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
        begin, metadata, end = svg.partition("<metadata>")
        svg = begin + end.partition("</metadata>")[2] if metadata else svg
        prefix = f"{kind}-"
        for mark in (' id="', 'xlink:href="#', "url(#"):  # names of one page must be unique
            svg = svg.replace(mark, mark + prefix)
        yield title, Markup(svg)
