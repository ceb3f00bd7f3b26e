"""The units that a page carries: as JSON, compressed, in text that cannot be markup."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import msgspec

from evenhand.report.html.pair_data import pair_data
from evenhand.result.report import Report
from evenhand.tasks.registry import TASKS


def carried(report: Report) -> str:
    """What the error browser reads."""
    return packed(unit_data(report))


def packed(data: Mapping[str, Any]) -> str:
    """Data as letters, digits, + and /."""
    return b64encode(gzip.compress(msgspec.json.encode(data), 6, mtime=0)).decode("ascii")


def unit_data(report: Report) -> dict[str, Any]:
    """Units as columns, their sentences, and the names that codes stand for."""
    units, task = report.units.units(), TASKS[report.task]
    sentences = report.units.sentences
    kept = {number: place for place, number in enumerate(dict.fromkeys(unit.sentence for unit in units))}
    return {
        "drawing": task.display.drawing,
        "label_name": task.display.label,
        "has_verdicts": task.display.has_verdicts,
        "has_label_answers": task.display.has_label_answers,
        "absent": list(task.display.absent),
        "unscored": list(task.display.unscored),
        "compares_shared": task.compares_shared,
        "by": report.by,
        "systems": list(report.results),
        "order": [list(report.results).index(name) for name in report.ordered],
        **pair_data(report),
        "kinds": list(task.kinds),
        "right": list(task.right(report.by)),
        "labels": list(report.labels),
        "classes": [list(code) for code in report.units.classes],
        "met": report.units.met,
        "space": " " if report.results.gold.characters is None else "",
        "sentence": [kept[unit.sentence] for unit in units],
        "start": [unit.start for unit in units],
        "end": [unit.end for unit in units],
        "label": [unit.label for unit in units],
        "surplus": [int(unit.surplus) for unit in units],
        "class": [list(column) for column in zip(*(unit.classes for unit in units), strict=True)],
        "answer": [list(column) for column in zip(*(unit.answers for unit in units), strict=True)],
        "partner": [list(column) for column in zip(*(unit.partners for unit in units), strict=True)],
        "line": [unit.line for unit in units],
        "nowhere": {number: unit.nowhere for number, unit in enumerate(units) if unit.nowhere is not None},
        "antecedents": [unit.antecedents for unit in units] if any(unit.antecedents for unit in units) else None,
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
