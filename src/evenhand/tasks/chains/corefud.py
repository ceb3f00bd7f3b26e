"""Coreference measures with matched mentions, as in CorefUD: all measures of chains, MOR and zero anaphors."""

# The literal definitions, which the tests compare with, are in tests/slow_corefud.py.

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property, partial

import numpy as np

from evenhand.arrays import Bools, Ints, Values, equal_pairs
from evenhand.data.structures import Chains
from evenhand.dataclass import dataclass
from evenhand.tasks.assignment import best_cells, ordered_assignment
from evenhand.tasks.chains.measures import (
    CountTable,
    Overlap,
    add_counts,
    count_b_cubed,
    count_blanc,
    count_ceaf_e,
    count_ceaf_m,
    count_lea,
    count_muc,
    overlap_of_cells,
)
from evenhand.tasks.chains.mentions import CommonWords, MentionMatch, MentionSide, inverse, repeats
from evenhand.tasks.chains.task import ZERO_KINDS

_MIN_DENSE_CELLS = 10_000
_DENSE = 8
"""Documents are dense if at least every eighth pair of their mentions shares words, and 10,000 pairs do."""


@dataclass(frozen=True)
class MatchedSides:
    """Two sides, and the counterpart in the response of each mention of the key, or -1."""

    documents: int
    key: MentionSide
    response: MentionSide
    counterpart: Ints

    @staticmethod
    def of(
        key: Chains, response: Chains, documents: int, way: MentionMatch, *, singletons: bool, copies: bool = True
    ) -> MatchedSides:
        """Without `copies`, the first chain keeps a mention, in the key and in the response."""
        numbers = way.identities(key, response)
        if not copies:
            kept = ~repeats(key, numbers[0]), ~(repeats(response, numbers[1]) & np.isin(numbers[1], numbers[0]))
            key, response = key.take(kept[0]), response.take(kept[1])
            numbers = [numbers[0][kept[0]], numbers[1][kept[1]]]
        key_side = MentionSide.of(key, numbers[0], singletons=singletons)
        side = MentionSide.of(response, numbers[1], singletons=singletons)
        counterpart = way.counterparts(key_side.mentions, side.mentions, (key_side.identity, side.identity))
        return MatchedSides(documents, key_side, side, counterpart)

    @property
    def is_matched(self) -> Bools:
        return self.counterpart >= 0

    @cached_property
    def of_key(self) -> Overlap:
        """The chains of the key with the chains that own the counterparts of their mentions."""
        return self._overlap(*_owners(self.key, self.counterpart, self.response))

    @cached_property
    def of_response(self) -> Overlap:
        """The chains of the response with the chains that own the counterparts of their mentions."""
        back = inverse(self.counterpart, len(self.response.mentions))
        return self._overlap(*_owners(self.response, back, self.key)[::-1])

    @cached_property
    def shared(self) -> Overlap:
        """All chains that share mentions, regardless of the owners."""
        matched = np.flatnonzero(self.is_matched[self.key.mention])
        one, other = equal_pairs(self.counterpart[self.key.mention[matched]], self.response.mention)
        return self._overlap(self.key.chain[matched[one]], self.response.chain[other])

    def _overlap(self, rows: Ints, columns: Ints) -> Overlap:
        return overlap_of_cells(self.documents, self.key.sizes, self.response.sizes, rows, columns)

    def by_document(self, document: Ints, values: Ints | None = None) -> Values:
        """Sums over documents; without values, counts."""
        return np.bincount(document, values, minlength=self.documents).astype(np.float64)


def _owners(side: MentionSide, counterpart: Ints, other: MentionSide) -> tuple[Ints, Ints]:
    """For each row with a counterpart, its chain, and the chain that owns the counterpart."""
    rows = counterpart[side.mention]
    is_matched = rows >= 0
    return side.chain[is_matched], other.owner[rows[is_matched]]


def count_matched(sides: MatchedSides, scores: Collection[str]) -> tuple[tuple[str, ...], Values]:
    """Counts of mentions (distinct, and with all copies), of chains and of all requested measures, by document."""
    common = sides.by_document(sides.key.mentions.document[sides.is_matched])
    table = {"mentions.common": common, "distinct.common": common}
    for name, side in (("key", sides.key), ("response", sides.response)):
        table[f"distinct.{name}"] = sides.by_document(side.mentions.document)
        table[f"mentions.{name}"] = sides.by_document(side.chains.document)
        table[f"chains.{name}"] = sides.by_document(side.sizes.document)
    return add_counts(table, _COUNTERS, sides, scores)


def _count_muc(sides: MatchedSides) -> CountTable:
    """With copies of mentions, the number of common links depends on the side whose chains are partitioned."""
    return {**count_muc(sides.of_key), "muc.common_response": count_muc(sides.of_response)["muc.common"]}


def _by_side(count: Callable[[Overlap], CountTable], sides: MatchedSides) -> CountTable:
    """The counts of each side from the chains of that side."""
    counts = {".key": count(sides.of_key), ".response": count(sides.of_response)}
    return {kind: table[kind] for ending, table in counts.items() for kind in table if kind.endswith(ending)}


def count_mor(sides: MatchedSides) -> CountTable:
    """MOR, the mention overlap ratio: how many words of mentions are found, regardless of chains.

    Mentions of key and response are paired one to one in each document to share the maximum number of words: O. Recall
    of `mor` = O / words of all mentions of the key, precision = O / words of all mentions of the response, summed over
    all documents before the division. A word counts once for each mention that has it. `--mention-match` has no effect;
    a mention of several chains counts once for each.

    Source: Žabokrtský et al. 2022.
    """
    key, response = sides.key.chains, sides.response.chains
    one, other, common = CommonWords(key, response).all()
    chosen = _best_pairs(one, other, common.astype(np.float64), key.document[one])
    table = {"mor.common": sides.by_document(key.document[one[chosen]], common[chosen])}
    for name, chains in (("key", key), ("response", response)):
        assert chains.words is not None
        table[f"mor.{name}"] = sides.by_document(chains.document, chains.words.size)
    return table


def _best_pairs(one: Ints, other: Ints, common: Values, document: Ints) -> Ints:
    """The pairs of a best assignment. Dense documents are solved as matrices, which is faster."""
    matched, is_sparse = [], np.ones(len(one), dtype=np.bool_)
    for number in np.flatnonzero(np.bincount(document) > _MIN_DENSE_CELLS).tolist():
        cells = np.flatnonzero(document == number)
        rows, row = np.unique(one[cells], return_inverse=True)
        columns, column = np.unique(other[cells], return_inverse=True)
        if len(rows) * len(columns) > _DENSE * len(cells):
            continue
        table, cell_of = np.zeros((len(rows), len(columns))), np.full((len(rows), len(columns)), -1)
        table[row, column], cell_of[row, column] = common[cells], cells
        chosen = cell_of[ordered_assignment(table)]
        matched.append(chosen[chosen >= 0])
        is_sparse[cells] = False
    sparse = np.flatnonzero(is_sparse)
    return np.concatenate([*matched, sparse[best_cells(one[sparse], other[sparse], common[sparse])]])


def count_zeros(sides: MatchedSides) -> CountTable:
    """Zero anaphors: whether zeros that refer back are resolved.

    A zero is a mention whose head is an empty node. A zero of the key that is not the first mention of its chain (by
    first word, last word and number of words) is an anaphor. With r its counterpart in the response:

    - *fn*: there is none, or r is the first mention of its chain.
    - *tp*: an earlier mention of the key's chain has a counterpart in the chain of r.
    - *wl* (wrong linkage): otherwise.
    - *fp*: a zero of the response that is not the first mention of its chain, and the counterpart of no zero anaphor.

    If a mention of the response is in several chains, its chain is the last one, as for the other scores of CorefUD.

    Recall of `zero` = tp / (tp + wl + fn), precision = tp / (tp + wl + fp).

    Source: Novák et al. 2024. The scorer of CorefUD looks for a mention in the same position of the response before it
    takes the counterpart, which is wrong if `--zeros dependent` has matched zeros in different positions; Evenhand does
    not.
    """
    anaphors, kind, spurious = zero_kinds(sides)
    document = sides.key.chains.document[anaphors]
    counts = [sides.by_document(document[kind == code]) for code in range(3)]
    counts.append(sides.by_document(sides.response.chains.document[spurious]))
    return {f"zero.{kind}": count for kind, count in zip(ZERO_KINDS, counts, strict=True)}


def zero_kinds(sides: MatchedSides) -> tuple[Ints, Ints, Ints]:
    """The zero anaphors of the key, their codes of `ZERO_KINDS`, and the fp of the response, as rows of chains."""
    key, response = sides.key, sides.response
    rank, response_rank = _ranks(key), _ranks(response)
    anaphors = np.flatnonzero(_is_zero(key) & (rank > 0))
    counterpart = sides.counterpart[key.mention[anaphors]]
    is_matched = counterpart >= 0
    owner = np.append(response.owner, -1)[counterpart]
    is_first = np.zeros(len(response.mentions), dtype=np.bool_)
    is_first[response.mention[(response_rank == 0) & (response.owner[response.mention] == response.chain)]] = True
    resolved = is_matched & ~np.append(is_first, False)[counterpart]
    correct = resolved & (_first_shared(sides, rank, key.chain[anaphors], owner) < rank[anaphors])
    taken = np.zeros(len(response.mentions), dtype=np.bool_)
    taken[counterpart[is_matched]] = True
    spurious = _is_zero(response) & (response_rank > 0) & ~(taken | is_first)[response.mention]
    return anaphors, np.where(correct, 0, np.where(resolved, 1, 2)), np.flatnonzero(spurious)


def _is_zero(side: MentionSide) -> Bools:
    assert side.chains.words is not None
    return side.chains.words.is_zero


def _ranks(side: MentionSide) -> Ints:
    """The rank of each row in its chain, from 0."""
    words = side.chains.words
    assert words is not None
    order = np.lexsort((words.size, words.last, words.begin, side.chain))
    chain = side.chain[order]
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order)) - np.searchsorted(chain, chain)
    return ranks


def _first_shared(sides: MatchedSides, rank: Ints, chain: Ints, other: Ints) -> Ints:
    """The rank in each chain of the key of its first mention whose counterpart the other chain owns."""
    counterpart = sides.counterpart[sides.key.mention]
    rows = np.flatnonzero(counterpart >= 0)
    width = len(sides.response.sizes.size) + 1
    cells = sides.key.chain[rows] * width + sides.response.owner[counterpart[rows]]
    order = np.lexsort((rank[rows], cells))
    index = np.searchsorted(cells[order], chain * width + other)
    is_shared = np.append(cells[order], -1)[index] == chain * width + other
    return np.where(is_shared, np.append(rank[rows][order], len(rank))[index], len(rank))


_COUNTERS: dict[str, Callable[[MatchedSides], CountTable]] = {
    "muc": _count_muc,
    "b_cubed": partial(_by_side, count_b_cubed),
    "ceaf_m": lambda sides: count_ceaf_m(sides.shared),
    "ceaf_e": lambda sides: count_ceaf_e(sides.shared),
    "blanc": lambda sides: count_blanc(sides.of_key),
    "lea": partial(_by_side, count_lea),
    "mor": count_mor,
    "zero": count_zeros,
}
