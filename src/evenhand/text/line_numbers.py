"""Line numbers of tokens, computed on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, overload

import numpy as np

from evenhand.arrays import Ints


class LineNumbers:
    """Line numbers of tokens on lines of their own, with other lines between some of them; computed on first use.

    From the token `first[i]` on, a token's line is its number and `more()[i]`.
    """

    def __init__(self, first: Ints, more: Callable[[], Ints], begin: int, end: int) -> None:
        self._first, self._more, self._begin, self._end = first, more, begin, end

    def __getstate__(self) -> tuple[Ints, Ints, int, int]:
        """The numbers themselves in place of the function that computes them, which cannot be pickled."""
        return self._first, self._more(), self._begin, self._end

    def __setstate__(self, state: tuple[Ints, Ints, int, int]) -> None:
        first, more, begin, end = state
        self._first, self._more, self._begin, self._end = first, partial(np.asarray, more), begin, end

    def __len__(self) -> int:
        return self._end - self._begin

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Ints:
        return np.asarray(self._of(np.arange(self._begin, self._end)), dtype=dtype)

    def __add__(self, number: int) -> Ints:
        return np.asarray(self) + number

    @overload
    def __getitem__(self, key: slice) -> LineNumbers: ...
    @overload
    def __getitem__(self, key: Ints) -> Ints: ...
    def __getitem__(self, key: slice | Ints) -> LineNumbers | Ints:
        if isinstance(key, slice):
            begin, end, _ = key.indices(len(self))
            return LineNumbers(self._first, self._more, self._begin + begin, self._begin + max(begin, end))
        return self._of(key % len(self) + self._begin)

    def _of(self, tokens: Ints) -> Ints:
        return tokens + self._more()[np.searchsorted(self._first, tokens, side="right") - 1]
