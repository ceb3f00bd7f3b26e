"""Colours and hatches of parts of bars: one error type has the same ones in all tasks, in figures and in pages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from evenhand.tasks.error_bars import ErrorKind

Fill = tuple[str, str]
"""A colour and a hatch."""
_COMMON: dict[str, Fill] = {
    "LE": ("#E69F00", ""),
    "BES": ("#56B4E9", "/////"),
    "BEL": ("#0072B2", ""),
    "BEO": ("#009E73", "..."),
    "LBE": ("#CC79A7", "\\\\\\\\\\"),
    "FN": ("#D55E00", "xxxxx"),
    "FP": ("#F0E442", ""),
}
"""Those of error types that several tasks have.

Colours that colour-blind readers can tell apart (Okabe and Ito 2008; those below of Paul Tol), with hatches.
"""
_FURTHER: tuple[Fill, ...] = (
    ("#882255", ""),
    ("#DDCC77", "|||||"),
    ("#332288", "ooo"),
    ("#999999", "-----"),
    ("#FFFFFF", "+++++"),
)


def fills(kinds: Sequence[ErrorKind]) -> list[Fill]:
    """What the parts of bars look like, in the order of their kinds.

    Types that only one task has take what is left: first the fills that no common type has, then those of common types
    that do not occur here, but for FN and FP. Labels of data, which are no error types, begin with the latter. If there
    are more kinds than fills, these come again.
    """
    common = {kind: _COMMON[kind.type] for kind in kinds if kind.type in _COMMON}
    kept = [*common.values(), _COMMON["FN"], _COMMON["FP"]]
    free = [fill for fill in _COMMON.values() if fill not in kept]
    of_labels = any(kind.is_label for kind in kinds)
    others = cycle((*free, *_FURTHER) if of_labels else (*_FURTHER, *free))
    return [common[kind] if kind in common else next(others) for kind in kinds]
