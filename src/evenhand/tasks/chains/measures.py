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

from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.data.structures import Chains, spans_of
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.assignment import best_cells

# == tasks/chains/overlap.py: Which chains of key and response share mentions, and how man


@dataclass(frozen=True)
class ChainSizes:
    """The chains of one side: how many mentions each has, and its document."""

    size: Ints
    document: Ints


@dataclass(frozen=True)
class Overlap:
    """The chains of both sides, and a cell for every two that share mentions."""

    documents: int
    key: ChainSizes
    response: ChainSizes
    key_chain: Ints
    """The chain of the key, for each cell."""
    response_chain: Ints
    common: Ints
    """How many mentions the two share."""

    @cached_property
    def document(self) -> Ints:
        """The document of each cell."""
        return self.key.document[self.key_chain]

    @cached_property
    def key_size(self) -> Ints:
        """The size of the key's chain, for each cell."""
        return self.key.size[self.key_chain]

    @cached_property
    def response_size(self) -> Ints:
        return self.response.size[self.response_chain]

    def by_document(self, document: Ints, values: Ints | Values | None = None) -> Values:
        """Sums over documents; without values, how many there are."""
        return np.bincount(document, values, minlength=self.documents).astype(np.float64)


def overlap_of(key: Chains, response: Chains, documents: int) -> Overlap:
    """The overlap of two sides without repeats; their documents have the same numbers."""
    key_chain, key_side = numbered(key)
    response_chain, response_side = numbered(response)
    key_span, span = spans_of(key, response)
    order = np.argsort(key_span)
    place = np.searchsorted(key_span[order], span)
    place[place == len(order)] = 0
    is_common = key_span[order][place] == span if len(order) else np.zeros(len(span), dtype=np.bool_)
    rows = key_chain[order[place[is_common]]]
    columns = response_chain[is_common]
    return overlap_of_cells(documents, key_side, response_side, rows, columns)


def overlap_of_cells(documents: int, key: ChainSizes, response: ChainSizes, rows: Ints, columns: Ints) -> Overlap:
    """The overlap, given the chain of the key and that of the response for each mention that they share."""
    width = max(len(response.size), 1)
    cell, common = np.unique(rows * width + columns, return_counts=True)
    return Overlap(documents, key, response, cell // width, cell % width, common)


def numbered(chains: Chains) -> tuple[Ints, ChainSizes]:
    """The chain of each mention, numbered without gaps, and the chains."""
    _, first, chain = np.unique(chains.chain, return_index=True, return_inverse=True)
    return chain, ChainSizes(np.bincount(chain, minlength=len(first)), chains.document[first])


# == tasks/chains/links.py (primary)


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


# == tasks/chains/b_cubed.py: B³: how much of its own chain each mention finds in the othe


def count_b_cubed(found: Overlap) -> Table:
    """B³: how much of its own chain each mention finds in the other one.

    With K a chain of the key, R one of the response, and n = |K ∩ R|, summed over all documents before the division:
    recall of `b_cubed` = Σ n² / |K| over all K and R that share mentions, divided by the mentions of the key; precision
    = Σ n² / |R|, divided by those of the response. Mentions of the response that are not in the key count as wrong.

    Sources: Bagga and Baldwin 1998; Pradhan et al. 2014 for mentions that only one side has.
    """
    square = found.common**2
    return {
        "b_cubed.key": found.by_document(found.document, square / found.key_size),
        "b_cubed.response": found.by_document(found.document, square / found.response_size),
    }


# == tasks/chains/ceaf.py: CEAF: chains of key and response matched one to one, so that


def count_ceaf_m(found: Overlap) -> Table:
    """CEAF: chains of key and response matched one to one, so that their similarity is as large as it can be.

    - `ceaf_m`: the similarity of K and R is |K ∩ R|. Recall = similarity of the matched chains / mentions of the key,
      precision = the same / mentions of the response.
    - `ceaf_e`: the similarity is 2 |K ∩ R| / (|K| + |R|). Recall = similarity of the matched chains / chains of the
      key, precision = the same / chains of the response.

    Numerators and denominators are summed over all documents before the division.

    Source: Luo 2005.
    """
    return {"ceaf_m.common": _matched(found, found.common)}


def count_ceaf_e(found: Overlap) -> Table:
    return {"ceaf_e.common": _matched(found, 2 * found.common / (found.key_size + found.response_size))}


def _matched(found: Overlap, similarity: Ints | Values) -> Values:
    """By document, the similarity of the chains that are matched."""
    chosen = best_cells(found.key_chain, found.response_chain, np.asarray(similarity, dtype=np.float64))
    return found.by_document(found.document[chosen], similarity[chosen])
