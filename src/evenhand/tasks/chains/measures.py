"""Coreference measures of chains: mentions, MUC, B³, CEAF, BLANC, LEA and MELA.

K is a chain of the key, R a chain of the response, and n = |K ∩ R|. All numerators and denominators are summed over all
documents before the division, so every measure is a table of counts by document.
"""

# The literal definitions, which the tests compare with, are in tests/slow_chains.py.

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TypeVar

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.data.structures import Chains, mention_spans
from evenhand.dataclass import dataclass
from evenhand.tasks.assignment import best_cells
from evenhand.tasks.chains.mentions import ChainSizes, numbered, without_repeats, without_singletons
from evenhand.tasks.chains.task import MELA

CountTable = dict[str, Values]
"""Count types, each with one number per document."""
Sides = TypeVar("Sides")


def count_chains(
    key: Chains, response: Chains, documents: int, scores: Collection[str], *, singletons: bool
) -> tuple[tuple[str, ...], Values]:
    """Counts of mentions and of all requested measures, by document.

    - `mentions`: recall = common mentions / mentions of the key, precision = common mentions / mentions of the
      response.
    - `mela`: the mean of the F1 of `muc`, `b_cubed` and `ceaf_e`, which is the score of the CoNLL shared tasks; its
      precision and recall are the means of theirs.

    A document that the response lacks counts as one without mentions. Any 0/0 is 0.

    Sources: Pradhan et al. 2011 and 2012 for MELA.
    """
    overlap = overlap_of(*counted_sides(key, response, singletons=singletons), documents)
    table = {"mentions.common": overlap.by_document(overlap.document, overlap.common)}
    for name, side in (("key", overlap.key), ("response", overlap.response)):
        table[f"mentions.{name}"] = overlap.by_document(side.document, side.size)
        table[f"chains.{name}"] = overlap.by_document(side.document)
    return add_counts(table, _COUNTERS, overlap, scores)


def counted_sides(key: Chains, response: Chains, *, singletons: bool) -> tuple[Chains, Chains]:
    """The mentions of both sides that count."""
    response = without_repeats(key, response)
    return (key, response) if singletons else (without_singletons(key), without_singletons(response))


def add_counts(
    table: CountTable, counters: Mapping[str, Callable[[Sides], CountTable]], sides: Sides, scores: Collection[str]
) -> tuple[tuple[str, ...], Values]:
    """Add the counts of the requested measures: the count types, and a table with one row per document."""
    needed = {*scores, *(MELA if "mela" in scores else ())}
    for name, count in counters.items():
        if name in needed:
            table |= count(sides)
    return tuple(table), np.stack(list(table.values()), axis=1)


@dataclass(frozen=True)
class Overlap:
    """The chains of both sides, and one cell for every two that share mentions."""

    documents: int
    key: ChainSizes
    response: ChainSizes
    key_chain: Ints
    """Of each cell, the chain of the key and the chain of the response."""
    response_chain: Ints
    common: Ints
    """The number of mentions that the two share."""

    @cached_property
    def document(self) -> Ints:
        return self.key.document[self.key_chain]

    @cached_property
    def key_size(self) -> Ints:
        return self.key.size[self.key_chain]

    @cached_property
    def response_size(self) -> Ints:
        return self.response.size[self.response_chain]

    def by_document(self, document: Ints, values: Ints | Values | None = None) -> Values:
        """Sums over documents; without values, counts."""
        return np.bincount(document, values, minlength=self.documents).astype(np.float64)


def overlap_of(key: Chains, response: Chains, documents: int) -> Overlap:
    """The overlap of two sides without repeats; their documents have the same numbers."""
    key_chain, key_sizes = numbered(key)
    response_chain, response_sizes = numbered(response)
    key_span, span = mention_spans(key, response)
    order = np.argsort(key_span)
    index = np.searchsorted(key_span[order], span)
    index[index == len(order)] = 0
    is_common = key_span[order][index] == span if len(order) else np.zeros(len(span), dtype=np.bool_)
    return overlap_of_cells(
        documents, key_sizes, response_sizes, key_chain[order[index[is_common]]], response_chain[is_common]
    )


def overlap_of_cells(documents: int, key: ChainSizes, response: ChainSizes, rows: Ints, columns: Ints) -> Overlap:
    """The overlap, given for each shared mention its chain in the key and its chain in the response."""
    width = max(len(response.size), 1)
    cell, common = np.unique(rows * width + columns, return_counts=True)
    return Overlap(documents, key, response, cell // width, cell % width, common)


def count_muc(overlap: Overlap) -> CountTable:
    """MUC: recall = Σ (|K| - parts of K) / Σ (|K| - 1).

    The parts of K are its mentions in one chain of the response, and each of the others alone. So the common links of
    either side are the common mentions, minus one for each pair of chains that share some. Precision is the same with
    the sides swapped. `muc` is 0 if all chains are singletons.

    Source: Vilain et al. 1995.
    """
    return {
        "muc.common": overlap.by_document(overlap.document, overlap.common - 1),
        "muc.key": overlap.by_document(overlap.key.document, overlap.key.size - 1),
        "muc.response": overlap.by_document(overlap.response.document, overlap.response.size - 1),
    }


def count_b_cubed(overlap: Overlap) -> CountTable:
    """B³: for each mention, the share of its chain that its chain on the other side contains.

    With K a chain of the key, R one of the response, and n = |K ∩ R|, summed over all documents before the division:
    recall of `b_cubed` = Σ n² / |K| over all K and R that share mentions, divided by the mentions of the key; precision
    = Σ n² / |R|, divided by the mentions of the response. Mentions of the response that are not in the key count as
    wrong.

    Sources: Bagga and Baldwin 1998; Pradhan et al. 2014 for mentions that only one side has.
    """
    square = overlap.common**2
    return {
        "b_cubed.key": overlap.by_document(overlap.document, square / overlap.key_size),
        "b_cubed.response": overlap.by_document(overlap.document, square / overlap.response_size),
    }


def count_ceaf_m(overlap: Overlap) -> CountTable:
    """CEAF: chains of key and response are matched one to one, with the largest possible sum of similarities.

    - `ceaf_m`: the similarity of K and R is |K ∩ R|. Recall = similarity of the matched chains / mentions of the key,
      precision = the same / mentions of the response.
    - `ceaf_e`: the similarity is 2 |K ∩ R| / (|K| + |R|). Recall = similarity of the matched chains / chains of the
      key, precision = the same / chains of the response.

    Numerators and denominators are summed over all documents before the division.

    Source: Luo 2005.
    """
    return {"ceaf_m.common": _matched(overlap, overlap.common)}


def count_ceaf_e(overlap: Overlap) -> CountTable:
    return {"ceaf_e.common": _matched(overlap, 2 * overlap.common / (overlap.key_size + overlap.response_size))}


def _matched(overlap: Overlap, similarity: Ints | Values) -> Values:
    """The similarity of the matched chains, by document."""
    chosen = best_cells(overlap.key_chain, overlap.response_chain, np.asarray(similarity, dtype=np.float64))
    return overlap.by_document(overlap.document[chosen], similarity[chosen])


def count_blanc(overlap: Overlap) -> CountTable:
    """BLANC: links are pairs of mentions of one document, in the same chain (coreference) or not (non-coreference).

    For either kind, recall = common links / links of the key, precision = common links / links of the response.
    Precision, recall and F1 of `blanc` are the means of the two kinds' figures. If the key has no links of one kind
    (with `--repeats last`: if neither side has), the other counts alone; without any (with fewer than two mentions),
    all are 0. Links are counted, not listed: n mentions have n (n - 1) / 2.

    Source: Luo et al. 2014, for mentions that are not in the key, too.
    """
    common = overlap.by_document(overlap.document, _links(overlap.common))
    mentions = overlap.by_document(overlap.document, overlap.common)
    rows = _common_links(overlap, overlap.key_chain, overlap.key)
    columns = _common_links(overlap, overlap.response_chain, overlap.response)
    pairs = mentions * (mentions - 1) / 2
    table = {"coreference.common": common, "non-coreference.common": pairs - rows - columns + common}
    for name, side in (("key", overlap.key), ("response", overlap.response)):
        together = overlap.by_document(side.document, _links(side.size))
        size = overlap.by_document(side.document, side.size)
        table[f"coreference.{name}"] = together
        table[f"non-coreference.{name}"] = size * (size - 1) / 2 - together
    return {f"blanc.{kind}": values for kind, values in table.items()}


def _links(size: Ints) -> Ints:
    """The number of pairs of this many mentions."""
    return size * (size - 1) // 2


def _common_links(overlap: Overlap, chain: Ints, side: ChainSizes) -> Values:
    """The links between the common mentions of each chain, by document."""
    size = np.bincount(chain, overlap.common, minlength=len(side.size)).astype(np.int64)
    return overlap.by_document(side.document, _links(size))


def count_lea(overlap: Overlap) -> CountTable:
    """LEA: recall = Σ |K| · (common links of K / links of K) / Σ |K|, where K has |K| (|K| - 1) / 2 links.

    A singleton has one link, to itself, which only a singleton shares. Precision is the same with the sides swapped.

    Source: Moosavi and Strube 2016.
    """
    shared = _links(overlap.common).astype(np.float64)
    alone = (overlap.key_size == 1) & (overlap.response_size == 1)
    return {
        f"lea.{name}": overlap.by_document(
            overlap.document, np.where(alone, 1.0, size * shared / np.maximum(_links(size), 1))
        )
        for name, size in (("key", overlap.key_size), ("response", overlap.response_size))
    }


_COUNTERS: dict[str, Callable[[Overlap], CountTable]] = {
    "muc": count_muc,
    "b_cubed": count_b_cubed,
    "ceaf_m": count_ceaf_m,
    "ceaf_e": count_ceaf_e,
    "blanc": count_blanc,
    "lea": count_lea,
}
