"""Where a text holds a string, for texts in which many strings are looked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Ints, Words

SIZE = 4
OFTEN = 300
"""To sort the places of a text takes as long as some hundred searches."""


class TextIndex:
    """The places of a text, sorted by the four characters that begin there as soon as it has been searched often."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._searches = 0
        self._sorted: tuple[Words, Ints] | None = None

    def hits(self, string: str) -> Iterator[int]:
        """Where the text holds a string, from the left; hits may overlap."""
        self._searches += 1
        if self._searches <= OFTEN or len(string) < SIZE:
            return self._scan(string)
        return self._look_up(string)

    def holds(self, string: str) -> bool:
        return next(self.hits(string), None) is not None

    def _scan(self, string: str) -> Iterator[int]:
        at = self._text.find(string)
        while at >= 0:
            yield at
            at = self._text.find(string, at + 1)

    def _look_up(self, string: str) -> Iterator[int]:
        if self._sorted is None:
            keys = _keys(self._text)
            order = np.argsort(keys, kind="stable")
            self._sorted = keys[order], order
        keys, places = self._sorted
        key = _keys(string[:SIZE])[0]
        first, behind = np.searchsorted(keys, key), np.searchsorted(keys, key, side="right")
        return (at for at in places[first:behind].tolist() if self._text.startswith(string, at))


def _keys(text: str) -> Words:
    """A number for the four characters from each place on; others may have the same number."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    keys = np.zeros(max(len(codes) - SIZE + 1, 0), dtype=np.uint64)
    for offset in range(SIZE):
        keys = keys * np.uint64(0x1F_FFF7) + codes[offset : offset + len(keys)]
    return keys
