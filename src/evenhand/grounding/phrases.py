"""How models say that there is nothing to extract."""

from __future__ import annotations

import re

_WORDS = frozenset({"none", "null", "n/a", "-"})
_SENTENCE = re.compile(r"(?:there (?:are|were|is|was) )?no\b(?!,)[^.:;!?\n\[\]{}]*\bentit", re.IGNORECASE)
_AROUND = " \t\r\n.*`'\""
"""What may stand around such words."""


def says_nothing(answer: str) -> bool:
    """Whether an answer, or a line of it, says that there are no entities."""
    bare = answer.strip(_AROUND)
    if bare.casefold() in _WORDS:
        return True
    return _SENTENCE.match(bare) is not None and not any(bracket in bare for bracket in "[]{}")
