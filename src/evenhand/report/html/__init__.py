"""The page of a report: one self-contained file with tables, charts, and a browser for units."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from jinja2 import Environment, FunctionLoader, Template, select_autoescape
from markupsafe import Markup

from evenhand.comparison.units import CollectedUnits, Sentence
from evenhand.errors import counted
from evenhand.report.causes_tables import NOT_WHY
from evenhand.report.html.entities import entity_data, entity_text
from evenhand.report.html.overview import fixes, gold_labels, has_words, overview, worst_slices
from evenhand.report.html.sections import (
    address,
    pair_data,
    sections,
    short_names,
    shortened,
    with_signs,
    without_options,
)
from evenhand.report.verdict import cautions, method, verdict
from evenhand.results.causes import FoundSlice
from evenhand.results.comparison import Report
from evenhand.tasks.registry import TASKS
from evenhand.tasks.tables import all_gold

_COMPRESSION = 4
"""The usual level 6 takes three times as long and saves a twentieth."""
_TEMPLATES = files("evenhand.report.html") / "templates"
SCRIPTS = (
    *("nodes", "unpack", "data", "ids", "query", "order", "list"),
    *("detail", "lanes", "spans", "chains", "links", "brackets", "words", "records", "inline"),
    *("filters", "views", "overview", "entities", "pairs", "print", "download", "start"),
)
"""The parts of the script that unpacks, filters, lists and draws units; the second line draws."""
STYLES = ("page", "drawing")


def render(report: Report) -> str:
    """The page; the template escapes all texts, or they are JSON data."""
    short = short_names(report.ordered)
    return template("page.html").render(
        short=short,
        shortened=lambda text: shortened(without_options(text), short),
        report=report,
        style=style_sheet(STYLES if report.drawn is None else (*STYLES, "entities")),
        script=Markup(one_function(SCRIPTS)),
        data=packed(unit_data(report)),
        total=report.units.total,
        included=report.units.included,
        verdict=verdict(report),
        method=method(report),
        cautions=_distinct(cautions(report)),
        notes=_distinct(report.notes),
        overview=overview(report),
        fixes=fixes(report),
        worst_slices=worst_slices(report),
        not_why=NOT_WHY,
        gold_units=address(all_gold(report.task), report.by) if report.results.gold.units else None,
        sections=list(sections(report)),
        entities=None if report.drawn is None else entity_text(report),
    )


def _distinct(notes: Iterable[str]) -> list[str]:
    """Notes without options of commands; some differ only in these."""
    return list(dict.fromkeys(filter(None, map(without_options, notes))))


def style_sheet(names: Sequence[str]) -> Markup:
    return Markup("".join(read_template(f"styles/{name}.css") for name in names))


def one_function(names: Sequence[str]) -> str:
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
    environment.filters["without_options"] = without_options
    return environment.get_template(name)


def read_template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _visible(value: Any) -> Any:
    return with_signs(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def packed(data: Mapping[str, Any]) -> str:
    """Data as compressed JSON in base64."""
    return b64encode(gzip.compress(msgspec.json.encode(data), _COMPRESSION, mtime=0)).decode("ascii")


def unit_data(report: Report) -> dict[str, Any]:
    """Units as columns, their sentences, and the names of codes; systems by score, the best first."""
    units, task = report.units.units(), TASKS[report.task]
    order = [list(report.results).index(name) for name in report.ordered]
    sentence = units.sentence.tolist()
    indexes = {number: index for index, number in enumerate(dict.fromkeys(sentence))}
    return {
        "drawing": task.display.drawing,
        "label_name": task.display.label,
        "has_verdicts": task.display.shows_error_types,
        "has_label_answers": task.display.has_label_answers,
        "absent": list(task.error_types.absent),
        "unscored": list(task.error_types.unscored),
        "by": report.by,
        "systems": list(report.ordered),
        "short_names": list(short_names(report.ordered).values()),
        **pair_data(report),
        "kinds": list(task.error_types.of(report.by)),
        "right": list(task.error_types.correct(report.by)),
        "labels": list(report.labels),
        "classes": [list(code) for code in report.units.classes],
        "total": report.units.total,
        "has_words": has_words(report),
        "space": " " if report.results.gold.characters is None else "",
        "sentence": [indexes[number] for number in sentence],
        "positions": report.units.positions,
        "offsets": units.offsets.tolist() if report.units.positions == "characters" else None,
        "start": units.start.tolist(),
        "end": units.end.tolist(),
        "label": units.label.tolist(),
        "surplus": units.surplus.astype(np.int64).tolist(),
        "class": units.classes[order].tolist(),
        "answer": units.answers[order].tolist(),
        "partner": units.partners[order].tolist(),
        "score": None if np.isnan(units.scores).all() else units.scores[order].tolist(),
        "line": [None if line < 0 else line for line in units.line.tolist()],
        "nowhere": {number: text for number, text in enumerate(units.nowhere.tolist()) if text is not None},
        "slices": _slices(report, units),
        "slice_columns": [name for name in report.slices if name not in report.page_slices],
        "pairs_of_slices": list(dict.fromkeys(found.slice for found in _found(report) if len(found.parts) > 1)),
        "antecedents": [by_side(words, order) for words in units.antecedents] if units.antecedents.any() else None,
        "sentences": [_sentence(report, report.units.sentences[number], order) for number in indexes],
        "entities": None if report.drawn is None else entity_data(report),
    }


def _found(report: Report) -> Iterator[FoundSlice]:
    """The worst slices of all systems."""
    for causes in report.causes.values():
        yield from causes.found


def _slices(report: Report, units: CollectedUnits) -> list[tuple[str, Sequence[str], list[int]]]:
    """The slices of each unit: those of scores, then the attributes of the worst slices, which are only filters."""
    needed = {attribute for found in _found(report) for attribute, _ in found.parts}
    known = [*report.slices.items(), *report.attributes.items()]
    scored = next(iter(report.results.values())).slices
    needed |= {name for name in report.slices if name not in report.page_slices or name in scored}
    named = dict[str, tuple[str, Sequence[str], list[int]]]()
    for (name, (values, code_of)), row in zip(known, units.slices, strict=True):
        if name not in named and name in needed:
            named[name] = (name, values, code_of[row].tolist())
    return list(named.values())


def by_side(values: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """Values of the gold standard and of the systems, which are put in this order."""
    gold, *systems = values
    return [gold, *(systems[number] for number in order)]


def _sentence(report: Report, sentence: Sentence, order: Sequence[int]) -> dict[str, Any]:
    """A sentence; without words, with the gold label of each token."""
    links = by_side(sentence.links, order) if sentence.links else sentence.links
    drawn = sentence_data(sentence._replace(sides=by_side(sentence.sides, order), links=links))
    return drawn if sentence.has_words else {**drawn, "g": gold_labels(report, sentence)}


def sentence_data(sentence: Sentence) -> dict[str, Any]:
    """A sentence under short names because a page has many of them."""
    links = {"l": sentence.links} if sentence.links else {}
    names = {"t": sentence.tokens, "p": sentence.source, "n": sentence.number, "d": sentence.document}
    return {**names, "s": sentence.sides, **links}
