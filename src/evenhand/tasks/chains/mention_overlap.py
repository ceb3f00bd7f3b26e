"""MOR, the mention overlap ratio: how many words of mentions are found, whatever chains they are in.

Mentions of key and response are paired one to one in each document so that they share as many words as possible: O.
Recall of `mor` = O / words of all mentions of the key, precision = O / words of all mentions of the response, summed
over all documents before the division. Words are counted as often as mentions have them. `--mention-match` has no part
in it; a mention that several chains have is there as often.

Source: Žabokrtský et al. 2022.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Values
from evenhand.tasks.chains.assignment import best_cells
from evenhand.tasks.chains.common_words import CommonWords
from evenhand.tasks.chains.links import Table
from evenhand.tasks.chains.matched_sides import MatchedSides, Side


def count_mor(found: MatchedSides) -> Table:
    key, response = found.key.chains, found.response.chains
    one, other, common = CommonWords(key, response).all()
    chosen = best_cells(one, other, common.astype(np.float64))
    words = np.bincount(key.document[one[chosen]], common[chosen], minlength=found.documents)
    sides = {"mor.key": _words(found.key, found.documents), "mor.response": _words(found.response, found.documents)}
    return {"mor.common": words.astype(np.float64), **sides}


def _words(side: Side, documents: int) -> Values:
    """The words of all mentions, by document."""
    assert side.chains.words is not None
    found: Values = np.bincount(side.chains.document, side.chains.words.size, minlength=documents).astype(np.float64)
    return found
