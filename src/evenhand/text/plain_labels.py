"""Labels without prefixes: whether the values of a column look like them, or like something else.

Tags without a prefix say where spans are only if neighbours with one label are one span. Many columns hold values
that could be such labels and are none: parts of speech, lemmas, probabilities. They would give a plausible score, so
that labels are taken as such only where they are few, no numbers, and some tokens have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.text.encodings import OUTSIDE_TAGS

_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?%?")
_SUFFIXED = re.compile(r".+[-_:.][BIESLUMWbieslumw]")
_FEW = 20
"""So many different labels are always few."""
_REPEATS = 5
"""How often a label occurs on average, at least, where there are more."""
_SHOWN, _LONGEST = 3, 40


SETTLE = "say --encoding plain if these are labels of spans"
"""What ends all doubt."""


def doubt(names: Sequence[str], tokens: int, outside: int) -> tuple[str, str] | None:
    """Why these values are no labels of spans, and what to do; None if they look like labels.

    `names` are the different values of some tokens, of which so many are `outside` all spans.
    """
    said = [name for name in names if name not in OUTSIDE_TAGS]
    numbers = list(filter(_NUMBER.fullmatch, said))
    if numbers:
        return f"numbers ({_shown(numbers)})", ""
    if all(map(_SUFFIXED.fullmatch, said)):
        return f"tags with the prefix behind the label ({_shown(said)})", "write it before the label, as in B-PER"
    if len(said) > max(_FEW, (tokens - outside) / _REPEATS):
        return f"{len(said)} different values in {tokens} tokens ({_shown(said)})", ""
    if not outside:
        return f"a label for every token ({_shown(said)})", "score parts of speech with --task tags"
    return None


def _shown(names: Sequence[str]) -> str:
    return ", ".join(repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…") for name in names[:_SHOWN])
