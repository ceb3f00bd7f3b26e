"""The new errors of a gate, one line each, for logs and failures of tests."""

from __future__ import annotations

import re

from evenhand.comparison.units import Unit
from evenhand.report.comparison_tables import gold_answer
from evenhand.result.gate import Gate

_LINE = re.compile(r":\d+$")


def new_errors(gate: Gate, most: int) -> list[Unit]:
    """The first new errors, in the order of the text; the files are read again. None without a baseline."""
    if gate.compared is None or not gate.pair.new_errors.count:
        return []
    return gate.pair.new_errors.units()[:most]


def described(unit: Unit) -> str:
    """A unit in one line: its words, what the gold standard says, and what each system says."""
    answers = ", ".join(f"{name}: {answer}" for name, answer in unit.answers.items())
    words = f"{unit.words}: " if unit.words else ""
    return f"{words}gold standard: {gold_answer(unit) or 'nothing'}, {answers}"


def whereabouts(unit: Unit) -> str:
    """File and line of a unit or, where there are no lines, the number of its sentence."""
    return unit.place if _LINE.search(unit.place) else f"{unit.place}, sentence {unit.sentence}"
