"""The units that a page carries: as JSON, compressed, in text that cannot be markup."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from evenhand.report.html.pair_data import pair_data
from evenhand.result.report import Report
from evenhand.tasks.registry import TASKS

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
        "has_verdicts": task.display.has_verdicts,
        "has_label_answers": task.display.has_label_answers,
        "absent": list(task.display.absent),
        "unscored": list(task.display.unscored),
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
