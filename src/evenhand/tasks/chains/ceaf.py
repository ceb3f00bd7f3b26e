"""CEAF: chains of key and response matched one to one, so that their similarity is as large as it can be.

- `ceaf_m`: the similarity of K and R is |K ∩ R|. Recall = similarity of the matched chains / mentions of the key,
  precision = the same / mentions of the response.
- `ceaf_e`: the similarity is 2 |K ∩ R| / (|K| + |R|). Recall = similarity of the matched chains / chains of the key,
  precision = the same / chains of the response.

Numerators and denominators are summed over all documents before the division.

Source: Luo 2005.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.tasks.chains.assignment import best_cells
from evenhand.tasks.chains.links import Table
from evenhand.tasks.chains.overlap import Overlap


def count_ceaf_m(found: Overlap) -> Table:
    return {"ceaf_m.common": _matched(found, found.common)}


def count_ceaf_e(found: Overlap) -> Table:
    return {"ceaf_e.common": _matched(found, 2 * found.common / (found.key_size + found.response_size))}


def _matched(found: Overlap, similarity: Ints | Values) -> Values:
    """By document, the similarity of the chains that are matched."""
    chosen = best_cells(found.key_chain, found.response_chain, np.asarray(similarity, dtype=np.float64))
    return found.by_document(found.document[chosen], similarity[chosen])
