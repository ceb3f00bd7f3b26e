"""How many words mentions of key and response share."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, empty, equal_pairs, pack, ranges
from evenhand.text.chains import Chains


class CommonWords:
    """The words of all mentions of two sides, numbered alike."""

    def __init__(self, key: Chains, response: Chains) -> None:
        self._key_row, key_word = _flat(key)
        self._row, word = _flat(response)
        numbers, _ = pack(
            (np.concatenate((key.document[self._key_row], response.document[self._row])), empty()),
            (np.concatenate((key_word, word)), empty()),
        )
        known, rank = np.unique(numbers, return_inverse=True)
        self._key_word, self._word = rank[: len(key_word)], rank[len(key_word) :]
        self._width = len(known) + 1
        self._codes = self._key_row * self._width + self._key_word
        self._codes.sort()
        assert response.words is not None
        self._size = response.words.size
        self._first = np.cumsum(self._size) - self._size

    def of(self, key: Ints, response: Ints) -> Ints:
        """The number of words that these pairs of mentions share."""
        size = self._size[response]
        pair = np.repeat(np.arange(len(key)), size)
        wanted = key[pair] * self._width + self._word[ranges(self._first[response], size)]
        place = np.minimum(np.searchsorted(self._codes, wanted), len(self._codes) - 1)
        return np.bincount(pair[self._codes[place] == wanted], minlength=len(key))

    def all(self) -> tuple[Ints, Ints, Ints]:
        """All pairs of mentions that share words, and how many."""
        one, other = equal_pairs(self._key_word, self._word)
        width = len(self._size) + 1
        pair, common = np.unique(self._key_row[one] * width + self._row[other], return_counts=True)
        return pair // width, pair % width, common


def _flat(side: Chains) -> tuple[Ints, Ints]:
    assert side.words is not None
    return side.words.flat()
