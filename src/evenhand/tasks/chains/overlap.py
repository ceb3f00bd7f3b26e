"""Which chains of key and response share mentions, and how many: all that scores of chains depend on."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.text.chains import Chains, spans_of


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
