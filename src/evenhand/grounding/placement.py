"""Where an item of an answer was placed, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from evenhand.dataclass import dataclass
from evenhand.grounding.forms import Span
from evenhand.grounding.items import Item

GIVEN, ALIGNED, REPEATED, MERGED = "given", "aligned", "repeated", "merged"
"""What an item's status can be beside the steps of the search and `absent`."""
FUZZY_PERCENT = 15
"""How many characters of a hundred may be edited in the step `fuzzy`."""


class Placement(NamedTuple):
    """An item, how it was placed (a step, or why it has no place), and where; several spans under `all` only."""

    item: Item
    status: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """The placements of a document's items, in their order.

    `uncertain` are the places of items that are ambiguous, `merged` counts items, `capped` how often each limit was
    reached. `differs` says whether a text with tags is not the document's, whatever its spaces and case.
    """

    placements: tuple[Placement, ...]
    uncertain: tuple[int, ...] = ()
    merged: int = 0
    differs: bool = False
    capped: Mapping[str, int] = field(default_factory=dict)

    @property
    def ambiguous(self) -> int:
        """How many items are ambiguous: their strings occur more often than items name them."""
        return len(self.uncertain)
