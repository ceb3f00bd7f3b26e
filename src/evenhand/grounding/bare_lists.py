"""Lists without quotes, or with wrong ones: `[Ada, PER, 0, 1]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.notation import NOTHING, python_value

MOST_BRACKETS = 100_000
"""How many brackets of an answer are looked at."""
_INNERMOST = re.compile(r"\[[^\[\]{}]*+\]|\{[^\[\]{}]*+\}")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_AROUND = " \t\r\n'\"‘’‚“”„`"
"""What may stand around a string: blanks and quotes, paired or not."""


def bare_values(text: str, labels: KnownLabels) -> Iterator[object]:
    """The values of the innermost brackets: in Python's notation, or a string, a known label and numbers."""
    for _, match in zip(range(MOST_BRACKETS), _INNERMOST.finditer(text), strict=False):
        has_strings = "'" in match[0] or '"' in match[0]
        value = python_value(match[0]) if has_strings else NOTHING
        if value is NOTHING:
            value = _pair(match[0][1:-1], labels)
        if value is not NOTHING:
            yield value


def _pair(content: str, labels: KnownLabels) -> object:
    """The string and the label, if there is one known label, and only numbers behind it."""
    parts = [part.strip(_AROUND) for part in content.split(",")]
    known = [place for place, part in enumerate(parts) if labels.find(part) is not None]
    if len(known) != 1 or not all(map(_NUMBER.fullmatch, parts[known[0] + 1 :])):
        return NOTHING
    text = ",".join(content.split(",")[: known[0]]).strip(_AROUND)
    return [text, parts[known[0]]] if text else NOTHING
