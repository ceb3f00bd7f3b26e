"""MOR, the mention overlap ratio: how many words of mentions are found, whatever chains they are in.

Mentions of key and response are paired one to one in each document so that they share as many words as possible: O.
Recall of `mor` = O / words of all mentions of the key, precision = O / words of all mentions of the response, summed
over all documents before the division. Words are counted as often as mentions have them. `--mention-match` has no part
in it; a mention that several chains have is there as often.

Source: Žabokrtský et al. 2022.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.tasks.chains.assignment import best_cells
from evenhand.tasks.chains.common_words import CommonWords
from evenhand.tasks.chains.links import Table
from evenhand.tasks.chains.matched_sides import MatchedSides, Side
from evenhand.tasks.chains.ordered_assignment import ordered_assignment

_MANY_CELLS = 10_000
_DENSE = 8
"""Documents with many pairs of mentions that share words, of which at least one in so many does, are dense."""


def count_mor(found: MatchedSides) -> Table:
    key, response = found.key.chains, found.response.chains
    one, other, common = CommonWords(key, response).all()
    chosen = _best(one, other, common.astype(np.float64), key.document[one])
    words = np.bincount(key.document[one[chosen]], common[chosen], minlength=found.documents)
    sides = {"mor.key": _words(found.key, found.documents), "mor.response": _words(found.response, found.documents)}
    return {"mor.common": words.astype(np.float64), **sides}


def _best(one: Ints, other: Ints, common: Values, document: Ints) -> Ints:
    """The cells of a best assignment; documents in which most mentions share words are solved as whole matrices."""
    found, is_left = [], np.ones(len(one), dtype=np.bool_)
    size = np.bincount(document)
    for each in np.flatnonzero(size > _MANY_CELLS).tolist():
        cells = np.flatnonzero(document == each)
        rows, row = np.unique(one[cells], return_inverse=True)
        columns, column = np.unique(other[cells], return_inverse=True)
        if len(rows) * len(columns) > _DENSE * len(cells):
            continue
        table, place = np.zeros((len(rows), len(columns))), np.full((len(rows), len(columns)), -1)
        table[row, column], place[row, column] = common[cells], cells
        chosen = place[ordered_assignment(table)]
        found.append(chosen[chosen >= 0])
        is_left[cells] = False
    left = np.flatnonzero(is_left)
    return np.concatenate([*found, left[best_cells(one[left], other[left], common[left])]])


def _words(side: Side, documents: int) -> Values:
    """The words of all mentions, by document."""
    assert side.chains.words is not None
    found: Values = np.bincount(side.chains.document, side.chains.words.size, minlength=documents).astype(np.float64)
    return found
