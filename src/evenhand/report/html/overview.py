"""The first screen of a page: scores with intervals, error types, and what each system should fix first.

Functions return the values that the template `page.html` shows, by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.comparison.units import CollectedUnits, Sentence
from evenhand.errors import SettingError
from evenhand.report.figures.canvas import axis_limits, fills
from evenhand.report.html.sections import address
from evenhand.report.verdict import against_best, original_of, score_definition, score_name
from evenhand.results.causes import Causes, FoundSlice
from evenhand.results.comparison import Report
from evenhand.tables import PLAIN, Query
from evenhand.tasks.registry import TASKS, model_title
from evenhand.tasks.tables import Bar, ErrorBars, ErrorGroup, ErrorKind

# Scores and errors


_MAX_SYSTEMS = 20
"""Maximum number of systems in sight; the others are folded."""


def overview(report: Report) -> dict[str, Any]:
    """Systems by score, the best first; the scale of intervals begins at `low` and ends at `high`."""
    errors = _errors(report)
    kinds = [] if errors is None else list(errors.kinds)
    colors = {kind: color for kind, (color, _) in zip(kinds, fills(kinds), strict=True)}
    bars = [] if errors is None else [_bar(report, bar, colors) for bar in errors.bars]
    measure = model_title(report.task, report.by)
    main = {bar["system"]: bar for bar in reversed(bars) if bar["model"] in ("", measure)}
    low, high = _scale(report)
    rows = [_row(report, name, low, high, main.get(name)) for name in report.ordered]
    return {
        "measure": score_name(report.results, report.by),
        "definition": score_definition(report.results, report.by),
        "beside": [
            (model_title(report.task, name), score_definition(report.results, name)) for name in _beside(report)
        ],
        "low": f"{100 * low:.1f}",
        "high": f"{100 * high:.1f}",
        "rows": rows[:_MAX_SYSTEMS],
        "more_rows": rows[_MAX_SYSTEMS:],
        "other_bars": [bar for bar in bars if main.get(bar["system"]) is not bar],
        "legend": [(color, kind.name) for kind, color in colors.items()],
        "remark": "" if errors is None else errors.remark,
    }


def _beside(report: Report) -> list[str]:
    """The measures that are shown beside the one of the page: those of the task, and the original of a variant."""
    original = original_of(report.results, report.by)
    differs = original is not None and score_name(report.results, report.by) != score_name(report.results, original)
    names = (*TASKS[report.task].display.beside, *([original] if original is not None and differs else []))
    return [name for name in names if name in report.results.models and name != report.by]


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
    href = address(_all_errors(bar), report.by) if is_main else None
    return {"system": bar.system, "model": bar.model, "total": f"{bar.total:,.0f}", "href": href, "parts": parts}


def _all_errors(bar: Bar) -> Query:
    """The query for all errors of a bar: their types, or all wrong units if the parts are labels."""
    queries = [query for query in bar.queries if query is not None]
    if (
        not queries
        or len(queries) < len(bar.queries)
        or any(query != Query(bar.system, kind=query.kind, section=query.section, by=query.by) for query in queries)
    ):
        return Query(bar.system, right=False)
    return replace(queries[0], kind=",".join(query.kind for query in queries if query.kind))


def _ink(color: str) -> str:
    """Black or white, whichever is readable on a colour (relative luminance of WCAG 2)."""
    parts = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#fff"


def _scale(report: Report) -> tuple[float, float]:
    """The ends of a scale with room for all scores and intervals, without outliers."""
    low, high = axis_limits((standing.score, standing.interval) for standing in report.ranking[report.by].values())
    room = max((high - low) * 0.05, 0.005)
    return max(0.0, low - room), min(1.0, high + room)


def _row(report: Report, name: str, low: float, high: float, bar: Mapping[str, Any] | None) -> dict[str, Any]:
    """A system: its score, the positions of score and interval on the scale in percent, and the best system's lead.

    `beyond` is the end of the scale at which an outlier is marked.
    """
    standing = report.ranking[report.by][name]
    start, end = standing.interval or (standing.score, standing.score)

    def position(value: float) -> float:
        return 0.0 if isnan(value) else min(100.0, max(0.0, 100 * (value - low) / (high - low)))

    is_defined = not isnan(standing.score)
    return {
        "name": name,
        "score": PLAIN.score(standing.score),
        "interval": "" if standing.interval is None else f"{100 * start:.2f} to {100 * end:.2f}",
        "low": position(start),
        "position": position(standing.score),
        "high": position(end),
        "beyond": "low" if standing.score < low else "high" if standing.score > high else "",
        "against_best": against_best(report, name),
        "is_best": is_defined and report.comparison is not None and name == next(iter(report.ordered)),
        "is_defined": is_defined,
        "bar": bar,
        "beside": [PLAIN.score(report.results[name][measure].headline) for measure in _beside(report)],
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
    query, figures = (
        group.query(task, system),
        {"count": f"{group.count:,}", "points": f"+{100 * group.recoverable:.2f}"},
    )
    if query.section != "units":
        examples = [] if report.drawn is None else report.drawn.examples(system, group.verdict, _EXAMPLES)
        return {"title": group.title(task), **figures, "href": address(query, report.by), "examples": examples}
    is_linked = collection.included < collection.total or len(rows) == group.count
    href = address(query, report.by) if is_linked else None
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


def worst_slices(report: Report) -> dict[str, list[dict[str, Any]]]:
    """For the best systems, the slices in which they have significantly more errors."""
    units = report.units.units()
    classes = dict(zip(report.results, units.classes, strict=True))
    correct = TASKS[report.task].error_types.correct(report.by)
    kinds = TASKS[report.task].error_types.of(report.by)
    wrong = [number for (kind, *_), number in report.units.classes.items() if kinds[kind] not in correct]
    return {
        name: [
            _worst_slice(report, name, causes, found, units, np.isin(classes[name], wrong)) for found in causes.found
        ]
        for name, causes in report.causes.items()
    }


def _worst_slice(
    report: Report, system: str, causes: Causes, found: FoundSlice, units: CollectedUnits, is_wrong: Bools
) -> dict[str, Any]:
    """A slice with a link to its errors."""
    row = next(row for row in causes.slices if row.slice == found.slice)
    inside = np.logical_and.reduce([_has(report, units, *part) for part in found.parts])
    return {
        "title": found.slice,
        "count": f"{round(row.rates[0] * row.units):,}",
        "units": f"{found.units:,}",
        "inside": f"{100 * found.inside:.1f}",
        "outside": f"{100 * found.outside:.1f}",
        "points": "" if found.points is None else f"+{100 * found.points:.2f}",
        "href": address(Query(system, right=False, slice=found.slice), report.by),
        "examples": _examples(report, units, np.flatnonzero(inside & is_wrong)),
    }


def _has(report: Report, units: CollectedUnits, attribute: str, value: str) -> Bools:
    """Which units of the page have this value of an attribute."""
    known = {**report.attributes, **report.slices}
    if attribute not in known:
        return np.asarray(units.label == report.labels.index(value))
    number = [*report.slices, *report.attributes].index(attribute)
    values, code_of = known[attribute]
    return np.asarray(code_of[units.slices[number]] == list(values).index(value))


def _rows(report: Report, group: ErrorGroup, units: CollectedUnits, classes: Ints) -> Ints:
    """The units of a group, as `tasks.tables` forms groups; `classes` has the class of every unit."""
    task, key = TASKS[report.task], (group.verdict, group.gold, group.predicted)
    names = {
        number: (task.error_types.of(report.by)[kind], _label(report, gold), _label(report, predicted))
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
    rows = sentence.sides[0]
    if TASKS[report.task].display.drawing == "words":
        return [_label(report, row[0]) if row else _NO_LABEL for row in rows]
    size = max([len(sentence.tokens), *(end for _, _, end, *_ in rows)])
    labels = [_NO_LABEL] * size
    for code, start, end, *_ in sorted(rows, key=lambda row: row[1] - row[2]):
        # Rows of mentions have numbers of chains, which need not be labels.
        labels[start:end] = [_label(report, code) if code < len(report.labels) else str(code)] * (end - start)
    return labels


def _example(report: Report, unit: int, units: CollectedUnits) -> dict[str, Any]:
    """A unit in its context; `unit` is its index in the page."""
    space = " " if report.results.gold.characters is None else ""
    sentence = report.units.sentences[units.sentence[unit]]
    start, end, tokens = int(units.start[unit]), int(units.end[unit]), sentence.tokens
    if not sentence.has_words:
        numbers = f"tokens {start + 1}–{end}" if end - start > 1 else f"token {start + 1}"
        labels = " ".join(gold_labels(report, sentence)[max(0, start - _AFTER // 2) : end + _AFTER])
        words = f"sentence {sentence.number}, {numbers}"
        return {"unit": unit, "words": words, "parts": [(words, True)], "before": "", "after": labels}

    def text(first: int, last: int) -> str:
        """Pieces of characters end with spaces, which are between the parts of an example anyway."""
        return space.join(_cut(tokens[first:last])).strip()

    ends = _link_ends(sentence, int(units.label[unit]), start, end)
    parts = [(text(start, end), True)]
    if ends is not None and ends[0][1] <= ends[1][0]:
        (_, first_end), (second_start, _) = ends
        between = text(first_end, second_start)
        parts = [
            (text(start, first_end), True),
            (f" {between} " if between else " ", False),
            (text(second_start, end), True),
        ]
    if units.nowhere[unit]:
        parts = [(units.nowhere[unit], True)]
    first = start
    while first and len(space.join(tokens[first - 1 : start])) <= _BEFORE:
        first -= 1
    before, after = (space.join(part).strip() for part in (tokens[first:start], tokens[end : end + _AFTER]))
    words = "".join(words for words, _ in parts)
    return {"unit": unit, "words": words, "parts": parts, "before": before, "after": after}


def _cut(words: Sequence[str]) -> list[str]:
    """Words without the middle of a long sequence."""
    half = _MAX_WORDS // 2
    return [*words[:half], "…", *words[-half:]] if len(words) > _MAX_WORDS else list(words)


def _link_ends(sentence: Sentence, label: int, start: int, end: int) -> list[tuple[int, int]] | None:
    """The bounds of both ends of the link with this label and these outer bounds, in the order of the text, if any."""
    for spans, links in zip(sentence.sides, sentence.links, strict=False):
        for code, head, tail in links:
            ends = sorted(tuple(spans[number][1:3]) for number in (head, tail) if number >= 0)
            if code == label and len(ends) > 1 and ends[0][0] == start and max(last for _, last in ends) == end:
                return ends
    return None
