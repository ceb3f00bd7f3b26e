"""Tokens of lists that stand in some bytes, as JSON has them: lists that are written alike have the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate

import numpy as np

from evenhand.arrays import Ints, Words
from evenhand.text.tokens import LateTokens, Tokens

_PIECE = 32
"""How many bytes of long lists are compared at a time."""


class ListedTokens(LateTokens):
    """List i is written as `written[first[i]:last[i]]`, and its tokens are those from `bounds[i]` on; none is empty."""

    written: bytes
    first: Ints
    last: Ints
    bounds: Ints

    def __init__(self, written: bytes, first: Ints, last: Ints, bounds: Ints, find: Callable[[], Tokens]) -> None:
        super().__init__(int(bounds[-1]), find)
        self.__dict__.update(written=written, first=first, last=last, bounds=bounds)

    def slice(self, begin: int, end: int) -> Tokens:
        """Some tokens, still in lists where these are whole and several: one takes longer to set up than to look at."""
        end = min(end, len(self))
        low, high = np.searchsorted(self.bounds, (begin, end)).tolist()
        if high - low < 2 or self.bounds[low] != begin or self.bounds[high] != end:
            return super().slice(begin, end)
        bounds, find = self.bounds[low : high + 1] - begin, partial(Tokens.slice, self, begin, end)
        return ListedTokens(self.written, self.first[low:high], self.last[low:high], bounds, find)

    def alone(self, find: Callable[[], Tokens]) -> ListedTokens:
        """The same with only the bytes of these lists."""
        begin, end = int(self.first[0]), int(self.last[-1])
        return ListedTokens(self.written[begin:end], self.first - begin, self.last - begin, self.bounds, find)


def with_lists(tokens: Tokens, parts: Sequence[Tokens | None], bounds: Ints) -> Tokens:
    """Tokens that were put together from parts, with the lists of these if all have some."""
    listed = [part for part in parts if isinstance(part, ListedTokens)]
    if len(listed) < len(parts):
        return tokens
    before = list(accumulate((len(part.written) for part in listed), initial=0))
    first = np.concatenate([part.first + shift for part, shift in zip(listed, before, strict=False)])
    last = np.concatenate([part.last + shift for part, shift in zip(listed, before, strict=False)])
    return ListedTokens(b"".join([part.written for part in listed]), first, last, bounds, lambda: tokens)


def have_same_lists(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are surely the same, as they stand in lists that are written alike."""
    if not isinstance(left, ListedTokens) or not isinstance(right, ListedTokens):
        return False
    sizes = left.last - left.first
    if not np.array_equal(sizes, right.last - right.first):
        return False
    short, long = np.flatnonzero(sizes < _PIECE), np.flatnonzero(sizes >= _PIECE)
    return _texts(left, short) == _texts(right, short) and np.array_equal(_pieces(left, long), _pieces(right, long))


def _texts(tokens: ListedTokens, lists: Ints) -> list[bytes]:
    """How some lists are written."""
    bounds = zip(tokens.first[lists].tolist(), tokens.last[lists].tolist(), strict=True)
    return [tokens.written[begin:end] for begin, end in bounds]


def _pieces(tokens: ListedTokens, lists: Ints) -> Words:
    """The same of lists that have a piece at least: the last piece of each ends with it, so that two may overlap."""
    first, last, data = tokens.first[lists], tokens.last[lists], tokens.written
    counts = (last - first) // _PIECE + 1
    ends = np.cumsum(counts)
    at = np.repeat(first - (ends - counts) * _PIECE, counts)
    at += np.arange(0, len(at) * _PIECE, _PIECE)
    at[ends - 1] = last - _PIECE
    everywhere = max(len(data) - _PIECE + 1, 0)
    pieces: Words = np.ndarray((everywhere,), dtype=f"V{_PIECE}", buffer=data, strides=(1,))[at].view("<u8")
    return pieces
