"""What labels of two sides have in common by their names, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.suggestion import nearest

MOST = 5
"""How many names a sentence lists."""


def foreign_labels(labels: Mapping[str, int], gold: Mapping[str, int]) -> tuple[str, str] | None:
    """A finding and a remedy if none of the labels occurs in the gold standard; None if one does, or there are none."""
    if not labels or not gold or not labels.keys().isdisjoint(gold):
        return None
    mine, theirs = (listed([repr(label) for label in sorted(each)]) for each in (labels, gold))
    near = [(label, other) for label in sorted(labels) if (other := nearest(label, list(gold))) is not None]
    pairs = listed([f"{label!r} to {other!r}" for label, other in near])
    hint = f"; the nearest are {pairs}" if near else ""
    old, new = near[0] if near else ("OLD", "NEW")
    remedy = f"rename them with --map system:{old}={new}, or choose another --column"
    return f"none of its labels ({mine}) occurs in the gold standard ({theirs}){hint}", remedy


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MOST
    shown = ", ".join(name or "(no name)" for name in names[:MOST])
    return f"{shown} and {more:,} more" if more > 0 else shown
