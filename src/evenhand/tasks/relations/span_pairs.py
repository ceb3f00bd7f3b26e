"""Which spans of two sides share tokens, for those who look up many pairs."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.spans.pairs import AllPairs, sizes
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class SpanPairs:
    """Pairs of a gold span and a system span, with the number of tokens that they share."""

    left: Ints
    right: Ints
    shared: Ints
    sizes: tuple[Ints, Ints]
    """The number of tokens of each span, on both sides."""
    _key: Ints
    """Left and right as one number; pairs are sorted by it."""

    @staticmethod
    def of(gold: Spans, system: Spans) -> SpanPairs:
        lists = list(AllPairs(gold, system))
        left, right, shared = (
            np.concatenate([getattr(each, name) for each in lists]) for name in ("left", "right", "shared")
        )
        key = left * (len(system) + 1) + right
        order = np.argsort(key, kind="stable")
        return SpanPairs(left[order], right[order], shared[order], (sizes(gold), sizes(system)), key[order])

    def shared_by(self, left: Ints, right: Ints) -> Ints:
        """How many tokens the spans of these pairs of rows share; 0 where they are no pair."""
        if not len(self._key):
            return np.zeros(len(left), dtype=np.int64)
        key = left * (len(self.sizes[1]) + 1) + right
        place = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        return np.where(self._key[place] == key, self.shared[place], 0)

    def overlapped(self) -> tuple[Bools, Bools]:
        """Which spans of each side share a token with any of the other."""
        gold, system = (np.zeros(len(size), dtype=np.bool_) for size in self.sizes)
        gold[self.left] = True
        system[self.right] = True
        return gold, system
