"""What makes heads a tree: one root, and a way to it from every word."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints


def roots(head: Ints, bounds: Ints) -> Ints:
    """How many roots each sentence has."""
    before = np.append(0, np.cumsum(head == 0))
    counted: Ints = before[bounds[1:]] - before[bounds[:-1]]
    return counted


def heads_in_text(head: Ints, bounds: Ints) -> Ints:
    """The head of each word by its place in the whole text; -1 for roots."""
    first = np.repeat(bounds[:-1], np.diff(bounds))
    return np.where(head > 0, first + head - 1, -1)


def without_root(head: Ints, bounds: Ints) -> Bools:
    """Which words no root stands above, as they are in a cycle or below one.

    Every word looks at the word above it, then at the one that this one looks at, and so on: twice as far each time,
    so that the deepest tree takes few steps.
    """
    up = np.append(heads_in_text(head, bounds), -1)
    far, longest = 1, int(np.diff(bounds).max(initial=0))
    while far < longest and (up >= 0).any():
        up = up[up]
        far *= 2
    return up[:-1] >= 0


def cycle_of(word: int, head: Ints) -> list[int]:
    """The words of the cycle that a word is in or below, in one sentence; words count from 1."""
    for _ in range(len(head)):
        word = int(head[word - 1])
    found = [word]
    while head[found[-1] - 1] != word:
        found.append(int(head[found[-1] - 1]))
    return sorted(found)
