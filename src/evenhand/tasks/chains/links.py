"""Scores of links between mentions: MUC, BLANC and LEA.

With K a chain of the key, R one of the response, and n = |K ∩ R|, summed over all documents before the division:

- `muc`: recall = Σ (|K| - parts of K) / Σ (|K| - 1), where the parts of K are its mentions in one chain of the
  response, and each of the others alone. Precision is the same with the sides swapped. It is 0 where all chains are
  singletons.
- `blanc`: links are pairs of mentions of one document, in the same chain (coreference) or not. For either kind, recall
  = common links / links of the key, precision = common links / links of the response. Precision, recall and F1 of
  `blanc` are each the mean of those of the two kinds. Where the key has no links of one kind (with `--repeats last`:
  where neither side has), the other counts alone; without any (with fewer than two mentions), all are 0.
- `lea`: recall = Σ |K| · (common links of K / links of K) / Σ |K|, where K has |K| (|K| - 1) / 2 links. A singleton has
  one link, to itself, which only a singleton shares. Precision is the same with the sides swapped.

Sources: Vilain et al. 1995 for MUC; Luo et al. 2014 for BLANC with mentions that are not in the key; Moosavi and Strube
2016 for LEA.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.tasks.chains.overlap import ChainSizes, Overlap

Table = dict[str, Values]
"""Kinds of counts, by document."""


def count_muc(found: Overlap) -> Table:
    """Of either side, as many links are common as there are common mentions, but one for each cell."""
    return {
        "muc.common": found.by_document(found.document, found.common - 1),
        "muc.key": found.by_document(found.key.document, found.key.size - 1),
        "muc.response": found.by_document(found.response.document, found.response.size - 1),
    }


def count_blanc(found: Overlap) -> Table:
    """Links are counted, not listed: of n mentions there are n (n - 1) / 2."""
    common = found.by_document(found.document, links(found.common))
    mentions = found.by_document(found.document, found.common)
    rows = _links_of_sums(found, found.key_chain, found.key)
    columns = _links_of_sums(found, found.response_chain, found.response)
    table = {"coreference.common": common, "non-coreference.common": _half(mentions) - rows - columns + common}
    for name, side in (("key", found.key), ("response", found.response)):
        together = found.by_document(side.document, links(side.size))
        table[f"coreference.{name}"] = together
        table[f"non-coreference.{name}"] = _half(found.by_document(side.document, side.size)) - together
    return {f"blanc.{kind}": values for kind, values in table.items()}


def count_lea(found: Overlap) -> Table:
    shared = links(found.common).astype(np.float64)
    alone = (found.key_size == 1) & (found.response_size == 1)
    resolved = {
        name: np.where(alone, 1.0, size * shared / np.maximum(links(size), 1))
        for name, size in (("key", found.key_size), ("response", found.response_size))
    }
    return {f"lea.{name}": found.by_document(found.document, values) for name, values in resolved.items()}


def links(size: Ints) -> Ints:
    """How many pairs there are of so many."""
    return size * (size - 1) // 2


def _half(size: Values) -> Values:
    return size * (size - 1) / 2


def _links_of_sums(found: Overlap, chain: Ints, side: ChainSizes) -> Values:
    """The links between common mentions of each chain."""
    size = np.bincount(chain, found.common, minlength=len(side.size)).astype(np.int64)
    return found.by_document(side.document, links(size))
