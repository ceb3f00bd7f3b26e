"""One self-contained page: tables, charts, and a browser for the units behind them."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from jinja2 import Environment, select_autoescape
from markupsafe import Markup

from evenhand.report.html.carried import carried
from evenhand.report.html.charts import error_bars, intervals
from evenhand.report.html.sections import sections
from evenhand.result.report import Report

_TEMPLATES = files("evenhand.report.html") / "templates"


def render(report: Report) -> str:
    """The page; all text from the data is escaped by the template, or carried as data."""
    environment = Environment(
        autoescape=select_autoescape(default=True), trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    template = environment.from_string(_read("page.html"))
    return template.render(
        report=report,
        style=Markup(_read("style.css")),
        script=Markup(_read("browser.js")),
        data=carried(report),
        met=report.units.met,
        carried=len(report.units.units()),
        intervals=intervals(report),
        errors=error_bars(report),
        sections=list(sections(report)),
    )


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _visible(value: Any) -> Any:
    """Control characters in names as their codes (`\\x1b`), as browsers show nothing in their place."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", value)
    return value
