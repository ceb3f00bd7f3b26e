"""All strings of some JSON, found by their quotes, and the lists that they make."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints

_QUOTE, _BACKSLASH = ord('"'), ord("\\")


class OddError(Exception):
    """A block is not spelled as expected."""


def demand(met: Bools) -> None:
    """Raise an `OddError` where something is not as expected."""
    if not met.all():
        raise OddError


class Strings:
    """The strings of a block in their order: string i is `text[start[i]:end[i]]`."""

    def __init__(self, text: Bytes, separator: bytes, *, has_escapes: bool) -> None:
        """`separator` stands between the strings of a list."""
        quotes = np.flatnonzero(text == _QUOTE)
        if has_escapes:
            quotes = quotes[~_is_escaped(text, quotes)]
        if not len(quotes) or len(quotes) % 2:
            raise OddError
        self.start, self.end = quotes[::2] + 1, quotes[1::2]
        is_followed = self.start[1:] - self.end[:-1] == len(separator) + 2
        for place, byte in enumerate(separator, 1):
            is_followed &= text[self.end[:-1] + place] == byte
        self._last = np.append(np.flatnonzero(~is_followed), len(self.end) - 1)

    def lists(self, at: Ints) -> tuple[tuple[Ints, Ints], Ints]:
        """The first and last strings of lists whose first quotes must be at these places, and what is behind these."""
        first = np.searchsorted(self.start, at + 1).clip(max=len(self.start) - 1)
        demand(self.start[first] == at + 1)
        last: Ints = self._last[np.searchsorted(self._last, first)]
        return (first, last), self.end[last] + 1


def _is_escaped(text: Bytes, quotes: Ints) -> Bools:
    """Before which quotes an odd number of backslashes stands."""
    escaped: Bools = text[quotes - 1] == _BACKSLASH
    for row in np.flatnonzero(escaped & (text[quotes - 2] == _BACKSLASH)).tolist():
        before = text[: quotes[row]].tobytes()
        escaped[row] = (len(before) - len(before.rstrip(b"\\"))) % 2 == 1
    return escaped
