"""The first screen of a page: scores with intervals, error types, and what each system should fix first.

Functions return the values that the template `page.html` shows, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.units import CollectedUnits, Sentence
from evenhand.errors import SettingError
from evenhand.report.figures.canvas import fills
from evenhand.report.html.sections import address
from evenhand.report.verdict import against_best, score_name
from evenhand.results.comparison import Report
from evenhand.tables import PLAIN, Query
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import Bar, ErrorBars, ErrorGroup, ErrorKind

# Scores and errors


def overview(report: Report) -> dict[str, Any]:
    """Systems by score, the best first; the scale of intervals begins at `low` and ends at `high`."""
    errors = _errors(report)
    kinds = [] if errors is None else list(errors.kinds)
    colors = {kind: color for kind, (color, _) in zip(kinds, fills(kinds), strict=True)}
    bars = [] if errors is None else [_bar(report, bar, colors) for bar in errors.bars]
    measure = model_title(report.task, report.by)
    main = {bar["system"]: bar for bar in reversed(bars) if bar["model"] in ("", measure)}
    low, high = _scale(report)
    return {
        "measure": score_name(report, report.by),
        "low": f"{100 * low:.1f}",
        "high": f"{100 * high:.1f}",
        "rows": [_row(report, name, low, high, main.get(name)) for name in report.ordered],
        "other_bars": [bar for bar in bars if main.get(bar["system"]) is not bar],
        "legend": [(color, kind.name) for kind, color in colors.items()],
        "remark": "" if errors is None else errors.remark,
    }


def _errors(report: Report) -> ErrorBars | None:
    """The error types of each system; None if no measure that distinguishes them was scored."""
    try:
        errors = TASKS[report.task].display.errors(report.ordered, report.by)
    except SettingError:
        return None
    return errors.without_empty(errors.kinds)


def _bar(report: Report, bar: Bar, colors: Mapping[ErrorKind, str]) -> dict[str, Any]:
    """The errors of a system under a measure, as a bar of 100 % with one part per error type.

    Under the measure of the page, the total is the number of wrong units; other measures may count a unit twice.
    """
    is_main = bar.model in ("", model_title(report.task, report.by))
    parts = []
    title = f"{bar.system}, {bar.model}" if bar.model else bar.system
    for (kind, color), count, query in zip(colors.items(), bar.counts, bar.queries, strict=True):
        if count:
            name = kind.name if kind.is_label else kind.name.partition(":")[0]
            text = f"{title}, {kind.name}: {count:,.0f} of {bar.total:,.0f}"
            look = {"share": 100 * count / bar.total, "color": color, "ink": _ink(color)}
            parts.append({**look, "name": name, "text": text, "href": address(query, report.by)})
    href = address(Query(bar.system, right=False), report.by) if is_main else None
    return {"system": bar.system, "model": bar.model, "total": f"{bar.total:,.0f}", "href": href, "parts": parts}


def _ink(color: str) -> str:
    """Black or white, whichever is readable on a colour (relative luminance of WCAG 2)."""
    parts = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#fff"


def _scale(report: Report) -> tuple[float, float]:
    """The ends of a scale with room for all scores and intervals."""
    standings = report.ranking[report.by].values()
    edges = [edge for standing in standings for edge in (*(standing.interval or ()), standing.score) if not isnan(edge)]
    if not edges:
        return 0.0, 1.0
    room = max((max(edges) - min(edges)) * 0.05, 0.005)
    return max(0.0, min(edges) - room), min(1.0, max(edges) + room)


def _row(report: Report, name: str, low: float, high: float, bar: Mapping[str, Any] | None) -> dict[str, Any]:
    """A system: its score, the positions of score and interval on the scale in percent, and the best system's lead."""
    standing = report.ranking[report.by][name]
    start, end = standing.interval or (standing.score, standing.score)

    def position(value: float) -> float:
        return 0.0 if isnan(value) else 100 * (value - low) / (high - low)

    is_defined = not isnan(standing.score)
    return {
        "name": name,
        "score": PLAIN.score(standing.score),
        "interval": "" if standing.interval is None else f"{100 * start:.2f} to {100 * end:.2f}",
        "low": position(start),
        "position": position(standing.score),
        "high": position(end),
        "against_best": against_best(report, name),
        "is_best": is_defined and report.comparison is not None and name == next(iter(report.ordered)),
        "is_defined": is_defined,
        "bar": bar,
    }


# Fix first


_EXAMPLES = 3
_BEFORE, _AFTER, _MAX_WORDS = 18, 6, 8
"""Context of an example: characters before the unit, tokens after it; and the maximum number of tokens of the unit."""
_NO_LABEL = "·"
"""Shown for tokens without a label, in files without words."""


def fixes(report: Report) -> dict[str, list[dict[str, Any]]]:
    """For every system, the best one first, the groups of errors to fix first."""
    units = report.units.units()
    classes = dict(zip(report.results, units.classes, strict=True))
    return {
        name: [_fix(report, name, group, units, _rows(report, group, units, classes[name])) for group in groups]
        for name, groups in report.fix_first.items()
    }


def _fix(report: Report, system: str, group: ErrorGroup, units: CollectedUnits, rows: Ints) -> dict[str, Any]:
    """A suggestion with a link, unless the page has all units but counts the group in another way."""
    task, collection = TASKS[report.task], report.units
    is_linked = collection.included < collection.total or len(rows) == group.count
    href = address(group.query(task, system), report.by) if is_linked else None
    figures = {"count": f"{group.count:,}", "points": f"+{100 * group.recoverable:.2f}"}
    return {"title": group.title(task), **figures, "href": href, "examples": _examples(report, units, rows)}


def _examples(report: Report, units: CollectedUnits, rows: Ints) -> list[dict[str, Any]]:
    """The first units with different words, followed by others if these are too few."""
    different: dict[str, dict[str, Any]] = {}
    others: list[dict[str, Any]] = []
    for row in rows.tolist():
        example = _example(report, row, units)
        if different.setdefault(example["words"], example) is not example and len(others) < _EXAMPLES:
            others.append(example)
        if len(different) == _EXAMPLES:
            break
    return [*different.values(), *others][:_EXAMPLES]


def _rows(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Ints:
    """The units of a group, as `tasks.tables` forms groups; `classes` has the class of every unit."""
    task, key = TASKS[report.task], (group.verdict, group.gold, group.predicted)
    names = {
        number: (task.error_types.all[kind], _label(report, gold), _label(report, predicted))
        for (kind, gold, predicted), number in report.units.classes.items()
    }
    size = 3 if task.display.has_label_answers else 2
    in_group = np.isin(classes, [number for number, name in names.items() if name[:size] == key[:size]])
    if size == 2 and not group.gold:
        in_group &= np.isin(units.label, [code for code, name in enumerate(report.labels) if name == group.predicted])
    return np.flatnonzero(in_group)


def _label(report: Report, code: int) -> str:
    return report.labels[code] if code >= 0 else ""


def has_words(report: Report) -> bool:
    """Whether the gold standard has words, not tags alone."""
    return all(sentence.has_words for sentence in report.units.sentences)


def gold_labels(report: Report, sentence: Sentence) -> list[str]:
    """The gold label of each token, or a dot; where spans overlap, the label of the shortest."""
    drawing, rows = TASKS[report.task].display.drawing, sentence.sides[0]
    if drawing == "words":
        return [_label(report, row[0]) if row else _NO_LABEL for row in rows]
    size = max([len(sentence.tokens), *(end for _, _, end, *_ in rows)])
    labels = [_NO_LABEL] * size
    for code, start, end, *_ in sorted(rows, key=lambda row: row[1] - row[2]):
        labels[start:end] = [str(code + 1) if drawing == "mentions" else _label(report, code)] * (end - start)
    return labels


def _example(report: Report, unit: int, units: CollectedUnits) -> dict[str, Any]:
    """A unit in its context; `unit` is its index in the page."""
    space = " " if report.results.gold.characters is None else ""
    sentence = report.units.sentences[units.sentence[unit]]
    start, end, tokens = int(units.start[unit]), int(units.end[unit]), sentence.tokens
    if not sentence.has_words:
        numbers = f"tokens {start + 1}–{end}" if end - start > 1 else f"token {start + 1}"
        labels = " ".join(gold_labels(report, sentence)[max(0, start - _AFTER // 2) : end + _AFTER])
        return {"unit": unit, "words": f"sentence {sentence.number}, {numbers}", "before": "", "after": labels}
    words = list(tokens[start:end])
    if len(words) > _MAX_WORDS:
        words[_MAX_WORDS // 2 : -(_MAX_WORDS // 2)] = ["…"]
    first = start
    while first and len(space.join(tokens[first - 1 : start])) <= _BEFORE:
        first -= 1
    context = {"before": space.join(tokens[first:start]), "after": space.join(tokens[end : end + _AFTER])}
    return {"unit": unit, "words": units.nowhere[unit] or space.join(words), **context}
