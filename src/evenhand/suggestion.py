"""Suggestions: which name somebody may have meant who wrote one that there is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_SIMILAR = 0.7
"""How similar a suggestion must be. At 0.6, which is enough for a note, `--nothing` suggests `--encoding`."""


def nearest(given: str, names: Iterable[str], similar: float = 0.6) -> str | None:
    """The most similar name, letter case aside."""
    from difflib import get_close_matches  # takes long to load

    by_folded = {name.casefold(): name for name in names}
    close = get_close_matches(given.casefold(), by_folded, n=1, cutoff=similar)
    return by_folded[close[0]] if close else None


def unknown(finding: str, given: str, names: Iterable[str] | Mapping[str, str], remedy: str) -> str:
    """The sentence about a name that there is not, with the one that may have been meant.

    Where several spellings stand for one name, `names` maps each to the name that is shown.
    """
    near = nearest(given, names, _SIMILAR)
    if near is None:
        return f"{finding}; {remedy}."
    shown = names[near] if isinstance(names, Mapping) else near
    return f"{finding}; did you mean {shown}? {remedy[:1].upper()}{remedy[1:]}."
