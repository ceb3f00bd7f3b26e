"""Key and response whose mentions are matched, and which of their chains meet.

Where a mention stands in several chains of its side, all of its copies count, and the last chain owns it: chains are in
the order of their first mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, equal_pairs
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.mention_match import MentionMatch
from evenhand.tasks.chains.overlap import ChainSizes, Overlap, numbered, overlap_of_cells
from evenhand.tasks.chains.repeats import in_longer_chains, repeats
from evenhand.text.chains import Chains


@dataclass(frozen=True)
class Side:
    """One side: a row for every time that a chain has a mention, in the order of chains."""

    chains: Chains
    mention: Ints
    """Which mention each row is."""
    mentions: Chains
    """Every mention once, in the order of their places."""
    identity: Ints
    """Of every mention."""

    @staticmethod
    def of(chains: Chains, identity: Ints, *, singletons: bool) -> Side:
        """A mention that a chain repeats counts once; then chains of one mention may go."""
        rows = np.lexsort((identity, chains.chain))
        is_new = np.ones(len(rows), dtype=np.bool_)
        is_new[1:] = (np.diff(identity[rows]) != 0) | (np.diff(chains.chain[rows]) != 0)
        rows = rows[is_new]
        if not singletons:
            rows = rows[in_longer_chains(chains.take(rows))]
        kept, number = chains.take(rows), identity[rows]
        distinct, first, mention = np.unique(number, return_index=True, return_inverse=True)
        mentions = kept.take(first)
        order = _by_place(mentions)
        return Side(kept, np.argsort(order)[mention], mentions.take(order), distinct[order])

    @cached_property
    def _numbered(self) -> tuple[Ints, ChainSizes]:
        return numbered(self.chains)

    @property
    def chain(self) -> Ints:
        """The chain of each row, numbered without gaps."""
        return self._numbered[0]

    @property
    def sizes(self) -> ChainSizes:
        return self._numbered[1]

    @cached_property
    def owner(self) -> Ints:
        """The chain that owns each mention."""
        found = np.zeros(len(self.mentions), dtype=np.int64)
        np.maximum.at(found, self.mention, self.chain)
        return found


@dataclass(frozen=True)
class MatchedSides:
    """Two sides, and for each mention of either its counterpart on the other one, or -1."""

    documents: int
    key: Side
    response: Side
    counterpart: Ints

    @staticmethod
    def of(
        key: Chains, response: Chains, documents: int, way: MentionMatch, *, singletons: bool, copies: bool = True
    ) -> MatchedSides:
        """Without `copies`, the first chain of the key has a mention, and so has that of the response."""
        numbers = way.identities(key, response)
        if not copies:
            kept = ~repeats(key, numbers[0]), ~(repeats(response, numbers[1]) & np.isin(numbers[1], numbers[0]))
            key, response = key.take(kept[0]), response.take(kept[1])
            numbers = [numbers[0][kept[0]], numbers[1][kept[1]]]
        mine = Side.of(key, numbers[0], singletons=singletons)
        theirs = Side.of(response, numbers[1], singletons=singletons)
        found = way.counterparts(mine.mentions, theirs.mentions, (mine.identity, theirs.identity))
        return MatchedSides(documents, mine, theirs, found)

    @cached_property
    def back(self) -> Ints:
        """The counterparts of the response's mentions."""
        found = np.full(len(self.response.mentions), -1)
        is_matched = self.counterpart >= 0
        found[self.counterpart[is_matched]] = np.flatnonzero(is_matched)
        return found

    @property
    def is_matched(self) -> Bools:
        """Which mentions of the key have a counterpart."""
        return self.counterpart >= 0

    @cached_property
    def of_key(self) -> Overlap:
        """The chains of the key with those that own the counterparts of their mentions."""
        return self._cells(*_met(self.key, self.counterpart, self.response))

    @cached_property
    def of_response(self) -> Overlap:
        """The chains of the response with those that own the counterparts of their mentions."""
        return self._cells(*_met(self.response, self.back, self.key)[::-1])

    @cached_property
    def shared(self) -> Overlap:
        """All chains that share mentions, whoever owns these."""
        one, other = self.meetings
        return self._cells(self.key.chain[one], self.response.chain[other])

    @cached_property
    def meetings(self) -> tuple[Ints, Ints]:
        """The rows of both sides whose mentions are counterparts."""
        matched = np.flatnonzero(self.is_matched[self.key.mention])
        one, other = equal_pairs(self.counterpart[self.key.mention[matched]], self.response.mention)
        return matched[one], other

    def _cells(self, rows: Ints, columns: Ints) -> Overlap:
        return overlap_of_cells(self.documents, self.key.sizes, self.response.sizes, rows, columns)


def _by_place(mentions: Chains) -> Ints:
    """The order of mentions by first word, last word and number of words; by their spans where words are unknown."""
    words = mentions.words
    if words is None:
        return np.arange(len(mentions))
    return np.lexsort((words.size, words.last, words.begin, mentions.document))


def _met(side: Side, counterpart: Ints, other: Side) -> tuple[Ints, Ints]:
    """For each row with a counterpart, its chain, and the chain that owns the counterpart."""
    found = counterpart[side.mention]
    is_matched = found >= 0
    return side.chain[is_matched], other.owner[found[is_matched]]


def mention_numbers(key: Chains, responses: Sequence[Chains], way: MentionMatch) -> list[Ints]:
    """A number for each mention of all sides: those of the key and their counterparts have the same.

    Numbers sort as places do, where counterparts stand in the place of the key's mention. Mentions without a
    counterpart have the number of equal ones in other responses.
    """
    whole = [key, *responses]
    identity = np.unique(np.concatenate(way.identities(*whole)), return_inverse=True)[1]
    mine, *others = np.split(identity, np.cumsum([len(side) for side in whole])[:-1])
    of_key = Side.of(key, mine, singletons=True)
    found = [2 * mine]
    for response, number in zip(responses, others, strict=True):
        side = Side.of(response, number, singletons=True)
        matched = MatchedSides(
            0, of_key, side, way.counterparts(of_key.mentions, side.mentions, (of_key.identity, side.identity))
        )
        new = 2 * side.identity + 1
        is_met = matched.back >= 0
        new[is_met] = 2 * of_key.identity[matched.back[is_met]]
        order = np.argsort(side.identity)
        found.append(new[order][np.searchsorted(side.identity[order], number)])
    return found
