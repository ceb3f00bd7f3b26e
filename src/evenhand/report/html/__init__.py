"""One self-contained page: tables, charts, and a browser for the units behind them."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from jinja2 import Environment, FunctionLoader, Template, select_autoescape
from markupsafe import Markup

from evenhand.errors import counted, visible
from evenhand.report.html.overview import fixes, overview
from evenhand.report.html.sections import pair_data, sections
from evenhand.report.verdict import cautions, method, verdict
from evenhand.results.comparison import Report
from evenhand.tasks.registry import TASKS

# == report/html/unit_data.py: The units that a page carries: as JSON, compressed, in text


_LEVEL = 4
"""Of compression: the usual one, 6, takes three times as long and saves a twentieth."""


def carried(report: Report) -> str:
    """What the error browser reads."""
    return packed(unit_data(report))


def packed(data: Mapping[str, Any]) -> str:
    """Data as letters, digits, + and /."""
    return b64encode(gzip.compress(msgspec.json.encode(data), _LEVEL, mtime=0)).decode("ascii")


def unit_data(report: Report) -> dict[str, Any]:
    """Units as columns, their sentences, and the names that codes stand for."""
    units, task = report.units.units(), TASKS[report.task]
    sentences = report.units.sentences
    sentence = units.sentence.tolist()
    kept = {number: place for place, number in enumerate(dict.fromkeys(sentence))}
    return {
        "drawing": task.display.drawing,
        "label_name": task.display.label,
        "has_verdicts": task.display.shows_error_types,
        "has_label_answers": task.display.has_label_answers,
        "absent": list(task.error_types.absent),
        "unscored": list(task.error_types.unscored),
        "by": report.by,
        "systems": list(report.results),
        "order": [list(report.results).index(name) for name in report.ordered],
        **pair_data(report),
        "kinds": list(task.error_types.all),
        "right": list(task.error_types.correct(report.by)),
        "labels": list(report.labels),
        "classes": [list(code) for code in report.units.classes],
        "met": report.units.total,
        "space": " " if report.results.gold.characters is None else "",
        "sentence": [kept[number] for number in sentence],
        "positions": report.units.positions,
        "offsets": units.offsets.tolist() if report.units.positions == "characters" else None,
        "start": units.start.tolist(),
        "end": units.end.tolist(),
        "label": units.label.tolist(),
        "surplus": units.surplus.astype(np.int64).tolist(),
        "class": units.classes.tolist(),
        "answer": units.answers.tolist(),
        "partner": units.partners.tolist(),
        "line": [None if line < 0 else line for line in units.line.tolist()],
        "nowhere": {number: text for number, text in enumerate(units.nowhere.tolist()) if text is not None},
        "antecedents": units.antecedents.tolist() if units.antecedents.any() else None,
        "sentences": [
            {
                "t": sentences[number].tokens,
                "p": sentences[number].source,
                "n": sentences[number].number,
                "d": sentences[number].document,
                "s": sentences[number].sides,
                **({"l": sentences[number].links} if sentences[number].links else {}),
            }
            for number in kept
        ],
    }


# == report/html/__init__.py (primary)


_TEMPLATES = files("evenhand.report.html") / "templates"
SCRIPTS = (
    *("nodes", "unpack", "data", "ids", "query", "order", "list"),
    *("detail", "lanes", "spans", "chains", "links", "brackets", "words", "inline"),
    *("filters", "views", "overview", "pairs", "print", "start"),
)
"""The parts of the page's script, which are one function together; the second line draws a unit."""
STYLES = ("page", "drawing")


def render(report: Report) -> str:
    """The page; all text from the data is escaped by the template, or carried as data."""
    return template("page.html").render(
        report=report,
        style=Markup("".join(read_template(f"styles/{name}.css") for name in STYLES)),
        script=Markup(script()),
        data=carried(report),
        met=report.units.total,
        carried=report.units.included,
        verdict=verdict(report),
        method=method(report),
        cautions=cautions(report),
        overview=overview(report),
        fixes=fixes(report),
        sections=list(sections(report)),
    )


def script() -> str:
    """What unpacks the units, filters them by the page's fragment, lists and draws them."""
    return one_function(SCRIPTS)


def one_function(names: Sequence[str]) -> str:
    """Parts of a script as one function."""
    parts = "".join(read_template(f"scripts/{name}.js") for name in names)
    return f'"use strict";\n(async () => {{\n{parts}}})();\n'


@cache
def template(name: str) -> Template:
    """A template, which may import others."""
    environment = Environment(
        loader=FunctionLoader(read_template),
        autoescape=select_autoescape(default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.globals["counted"] = counted
    return environment.get_template(name)


def read_template(name: str) -> str:
    """A file of the templates, their scripts and styles."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _visible(value: Any) -> Any:
    """Text from data, with codes (`\\x1b`) for control characters, as browsers show nothing in their place."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
