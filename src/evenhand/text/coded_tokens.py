"""Tokens as tables keep them: the different ones once, and for each token its place among these."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Words
from evenhand.text.tokens import Tokens

Places = npt.NDArray[np.integer[Any]]


class CodedTokens(Tokens):
    """Token i is `entries[place[i]]`; where it begins and ends is worked out when somebody asks."""

    entries: Tokens
    place: Places

    def __init__(self, entries: Tokens, place: Places) -> None:
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "place", place)

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def data(self) -> bytes:
        return self.entries.data

    @cached_property
    def start(self) -> Ints:
        return self.entries.start[self.place]

    @cached_property
    def end(self) -> Ints:
        return self.entries.end[self.place]

    @cached_property
    def heads(self) -> Words:
        return self.entries.heads[self.place]

    @cached_property
    def lengths(self) -> Ints:
        return self.entries.lengths[self.place]

    def slice(self, begin: int, end: int) -> CodedTokens:
        return CodedTokens(self.entries, self.place[begin:end])

    def take(self, rows: Ints) -> CodedTokens:
        return CodedTokens(self.entries, self.place[rows])


def have_same_codes(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are surely the same, as they have the same places among the same entries."""
    if not isinstance(left, CodedTokens) or not isinstance(right, CodedTokens):
        return False
    mine, others = left.entries, right.entries
    return (
        np.array_equal(left.place, right.place)
        and mine.data == others.data
        and np.array_equal(mine.start, others.start)
        and np.array_equal(mine.end, others.end)
    )
