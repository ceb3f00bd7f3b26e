"""One self-contained page: tables, charts, and a browser for the units behind them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, Template, select_autoescape
from markupsafe import Markup

from evenhand.problems import counted, visible
from evenhand.report.cautions import cautions
from evenhand.report.html.fix_first import fixes
from evenhand.report.html.overview import overview
from evenhand.report.html.sections import sections
from evenhand.report.html.unit_data import carried
from evenhand.report.verdict import how, verdict
from evenhand.result.report import Report

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
        met=report.units.met,
        carried=report.units.carried,
        verdict=verdict(report),
        how=how(report),
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
