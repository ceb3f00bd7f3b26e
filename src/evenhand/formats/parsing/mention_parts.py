"""Parts of mentions with gaps, `e1[1/2]` and `e1[2/2]`: which of them make a mention together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from heapq import heappop, heappush

Ranges = list[tuple[int, int]]
"""First and last token of each part of a mention."""


class MentionParts:
    """Puts parts together, which are given in the order of their opening brackets.

    A part belongs to the last mention of its entity that was begun and misses just this part; else it begins one.
    """

    def __init__(self) -> None:
        self.mentions: list[Ranges] = []
        self._waiting: defaultdict[tuple[Hashable, int], list[int]] = defaultdict(list)
        """By entity and number of parts so far, the mentions (as negative numbers, so that the last is the first)."""

    def add(self, entity: Hashable, number: int, part: tuple[int, int]) -> Ranges | None:
        """Add the part of this number, counted from 1; the mention, if it begins one."""
        waiting = self._waiting[entity, number - 1]
        is_new = not waiting
        mention = len(self.mentions) if is_new else -heappop(waiting)
        if is_new:
            self.mentions.append([])
        self.mentions[mention].append(part)
        heappush(self._waiting[entity, len(self.mentions[mention])], -mention)
        return self.mentions[mention] if is_new else None
