"""Mentions of key and response: repeats, singletons, and which mention of the response is which of the key."""

# The literal definitions, which the tests compare with, are in tests/slow_chains.py and tests/slow_corefud.py.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values, empty, equal_pairs, pack, ranges
from evenhand.data.structures import Chains, MentionWords, mention_spans
from evenhand.dataclass import dataclass
from evenhand.settings import ScoreSettings
from evenhand.tasks.assignment import best_cells, ordered_assignment

_WORDS_AT_ONCE = 1 << 22
"""Words compared at a time, approximately."""
_MAX_CELLS = 1 << 22
"""The largest number of pairs of mentions for which a document is matched as one matrix."""
_RELATION_WEIGHT = 10
"""The weight of parents with relations, relative to parents alone."""


def repeats(chains: Chains, span: Ints) -> Bools:
    """Repeated mentions and singletons: which mentions of key and response count (`--repeats`, `--no-singletons`).

    **The first chain keeps it** (`first`). In the key, the first chain keeps a repeated span. The order of chains is
    the order in which their first mentions begin in the file; in a cell of CoNLL-2012, mentions of one token, `(5)`,
    precede those that open there, as in the official scorer. In the response, the first chain keeps one mention of a
    span that occurs in the key, the others are dropped, and empty chains vanish; repeats of a span that is not in the
    key stay, as distinct mentions. ARCS keeps the first only, in the key or not.

    **The last chain owns it** (`last`, for CorefUD). A mention that its own chain repeats counts once. A mention of
    several chains stays in all of them, and all of its copies count in numerators and denominators. When the chains of
    the other side are compared with it, `muc`, `b_cubed`, `blanc` and `lea` look at the last of its chains alone, while
    CEAF looks at all of them; `mentions` counts it once. For the common links of `blanc`, the key's copies count, for
    precision, too. Chains are ordered by their first mentions: by first word, longer ones first, last word, and the
    name of the entity.

    In either case, repeats are removed before singletons, which are chains of one mention.

    Sources: the official scorer of CoNLL 2012, version 8.01 (Pradhan et al. 2014), for repeats in the response of
    `first`; the scorer of CorefUD, version 1.2, for `last`.
    """
    repeats = np.zeros(len(chains), dtype=np.bool_)
    ordered = np.sort(span)
    if (ordered[1:] != ordered[:-1]).all():
        return repeats
    order = np.lexsort((chains.in_order(), span))  # stable: mentions of one chain stay in their order
    repeats[order[1:]] = span[order[1:]] == span[order[:-1]]
    return repeats


def first_only(chains: Chains) -> Chains:
    """The mentions without repeats."""
    again = repeats(chains, *mention_spans(chains))
    return chains.take(~again) if again.any() else chains


def without_repeats(key: Chains, response: Chains) -> Chains:
    """The response without repeats of spans of the key."""
    key_span, span = mention_spans(key, response)
    again = repeats(response, span)
    return response.take(~(again & np.isin(span, key_span))) if again.any() else response


def without_singletons(chains: Chains) -> Chains:
    kept = in_longer_chains(chains)
    return chains if kept.all() else chains.take(kept)


def in_longer_chains(chains: Chains) -> Bools:
    """Which mentions are not alone in their chain."""
    return np.bincount(chains.chain)[chains.chain] > 1


@dataclass(frozen=True)
class ChainSizes:
    """The chains of one side: number of mentions and document."""

    size: Ints
    document: Ints


def numbered(chains: Chains) -> tuple[Ints, ChainSizes]:
    """The chain of each mention, numbered without gaps, and the chains."""
    _, first, chain = np.unique(chains.chain, return_index=True, return_inverse=True)
    return chain, ChainSizes(np.bincount(chain, minlength=len(first)), chains.document[first])


@dataclass(frozen=True)
class MentionMatch:
    """Which mention of the response is which of the key (`--mention-match`, `--zeros`).

    A mention is its words; under `head` it is its words and its head. A *zero* is a mention whose head is an empty
    node. Mentions are matched one to one in each document, in three steps. Each step takes the mentions that the
    previous ones did not match:

    1. **Zeros by what they depend on** (`--zeros dependent`). With D the parents and relations of the head in DEPS, P
       the parents alone, and F(A, B) = 2 |A ∩ B| / (|A| + |B|), a zero k of the key and a zero r of the response in the
       same sentence have the similarity 10 F(D_k, D_r) + F(P_k, P_r), in any position. A head without DEPS has no
       edges, so F = 0. `--zeros linear` omits this step: zeros are the same if they are in the same position.
    2. **Equal mentions.**
    3. **Similar mentions.** `head`: |k ∩ r| / |k| if both have the same head. `partial`: |r| / |k| if all words of r
       are in k and the head of k is among them. `exact` omits this step. Unmatched zeros may match other mentions.

    In steps 1 and 3 the matching has the largest sum of similarities, and pairs with similarity 0 are not matched.
    Under `head`, any r with all words of k has the similarity 1. If several matchings are best, it is the one that
    shortest augmenting paths find (Crouse 2016) with the mentions of a document in the order of first word, last word
    and number of words, as in the scorer of CorefUD; only in documents with millions of pairs another one may be found.

    Sources: Žabokrtský et al. 2022 for `partial`; Žabokrtský et al. 2023 for `head`; Novák et al. 2024 for zeros; the
    scorer of CorefUD, version 1.2.
    """

    how: str
    zeros: str | None

    @staticmethod
    def of(settings: ScoreSettings) -> MentionMatch:
        return MentionMatch(settings["mention_match"], settings["zeros"])

    @property
    def is_plain(self) -> bool:
        """Whether mentions are the same exactly if their tokens are."""
        return self.how == "exact" and self.zeros is None

    def identities(self, *sides: Chains) -> list[Ints]:
        """A number for each mention of every side, equal for equal mentions and ordered by position."""
        spans = mention_spans(*sides)
        if self.how != "head":
            return spans
        heads = np.concatenate([_words(side).head for side in sides])
        number, _ = pack((np.concatenate(spans), empty()), (heads, empty()))
        return np.split(number, np.cumsum([len(side) for side in sides])[:-1])

    def counterparts(self, key: Chains, response: Chains, identity: Sequence[Ints]) -> Ints:
        """The row of the counterpart of each mention of the key, or -1; neither side repeats a mention."""
        matching = _Matching(np.full(len(key), -1), np.ones(len(response), dtype=np.bool_))
        if self.zeros == "dependent" and key.words is not None:
            zeros = matching.unmatched(_words(key).is_zero, _words(response).is_zero)
            matching.add(*_match_zeros(key, response, *zeros))
        key_rows, response_rows = matching.unmatched()
        one, other = equal_pairs(identity[0][key_rows], identity[1][response_rows])
        matching.add(key_rows[one], response_rows[other])
        if self.how != "exact":
            match_similar = _match_heads if self.how == "head" else _match_parts
            matching.add(*match_similar(key, response, *matching.unmatched()))
        return matching.counterpart


@dataclass(frozen=True)
class _Matching:
    counterpart: Ints
    is_free: Bools

    def add(self, key: Ints, response: Ints) -> None:
        self.counterpart[key] = response
        self.is_free[response] = False

    def unmatched(self, of_key: Bools | bool = True, of_response: Bools | bool = True) -> tuple[Ints, Ints]:
        """The rows of unmatched mentions of either side, among the chosen ones."""
        return np.flatnonzero((self.counterpart < 0) & of_key), np.flatnonzero(self.is_free & of_response)


def _words(side: Chains) -> MentionWords:
    assert side.words is not None
    return side.words


def _match_zeros(key: Chains, response: Chains, key_rows: Ints, response_rows: Ints) -> tuple[Ints, Ints]:
    """Match zeros of the same sentence by the edges of their heads."""
    key_words, words = _words(key), _words(response)
    sentences = pack(
        (key.document[key_rows], response.document[response_rows]),
        (key_words.sentence[key_rows], words.sentence[response_rows]),
    )
    one, other = equal_pairs(*sentences)
    one, other = key_rows[one], response_rows[other]
    width = int(words.depends.max(initial=0)) + 1
    codes, inverse = np.unique(key_words.depends[one] * width + words.depends[other], return_inverse=True)
    edges = key.vocabulary.extras
    similarity = [_edge_similarity(edges[code // width], edges[code % width]) for code in codes.tolist()]
    return _best(key, response, (key_rows, response_rows), (one, other), np.array(similarity)[inverse])


def _edge_similarity(key: object, response: object) -> float:
    assert isinstance(key, tuple)
    assert isinstance(response, tuple)
    parents = [{parent for parent, _ in edges} for edges in (key, response)]
    return _RELATION_WEIGHT * _dice({*key}, {*response}) + _dice(*parents)


def _dice(one: set[object], other: set[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _match_heads(key: Chains, response: Chains, key_rows: Ints, response_rows: Ints) -> tuple[Ints, Ints]:
    heads = pack(
        (key.document[key_rows], response.document[response_rows]),
        (_words(key).head[key_rows], _words(response).head[response_rows]),
    )
    one, other = equal_pairs(*heads)
    one, other = key_rows[one], response_rows[other]
    common = CommonWords(key, response).of(one, other)
    return _best(key, response, (key_rows, response_rows), (one, other), common / _words(key).size[one])


def _match_parts(key: Chains, response: Chains, key_rows: Ints, response_rows: Ints) -> tuple[Ints, Ints]:
    """Match mentions of the response that are parts of one of the key, with its head."""
    unmatched = response.take(response_rows)
    row, word = _words(unmatched).flat()
    heads = pack((key.document[key_rows], unmatched.document[row]), (_words(key).head[key_rows], word))
    one, other = equal_pairs(*heads)
    one, other = key_rows[one], response_rows[row[other]]
    size = _words(response).size[other]
    similarity = np.where(CommonWords(key, response).of(one, other) == size, size / _words(key).size[one], 0.0)
    return _best(key, response, (key_rows, response_rows), (one, other), similarity)


def _best(
    key: Chains, response: Chains, sides: tuple[Ints, Ints], pairs: tuple[Ints, Ints], similarity: Values
) -> tuple[Ints, Ints]:
    """The pairs of a best matching of unmatched mentions; all other pairs have the similarity 0."""
    kept = similarity > 0
    one, other, similarity = pairs[0][kept], pairs[1][kept], similarity[kept]
    matched: list[tuple[Ints, Ints]] = []
    document = key.document[one]
    bounds = np.append(np.flatnonzero(np.diff(document, prepend=-1)), len(document))
    for begin, end in pairwise(bounds.tolist()):
        rows, columns = (
            _rows_of(side, unmatched, int(document[begin]))
            for side, unmatched in zip((key, response), sides, strict=True)
        )
        cells = one[begin:end], other[begin:end], similarity[begin:end]
        if len(rows) * len(columns) > _MAX_CELLS:
            chosen = best_cells(*cells)
            matched.append((cells[0][chosen], cells[1][chosen]))
        else:
            table = np.zeros((len(rows), len(columns)))
            table[np.searchsorted(rows, cells[0]), np.searchsorted(columns, cells[1])] = cells[2]
            row, column = ordered_assignment(table)
            is_similar = table[row, column] > 0
            matched.append((rows[row[is_similar]], columns[column[is_similar]]))
    if not matched:
        return one, other
    return np.concatenate([rows for rows, _ in matched]), np.concatenate([columns for _, columns in matched])


def _rows_of(side: Chains, rows: Ints, document: int) -> Ints:
    """The rows among `rows` that are in a document; mentions are ordered by position."""
    return rows[slice(*np.searchsorted(side.document[rows], (document, document + 1)).tolist())]


@dataclass(frozen=True)
class MentionSide:
    """One side: one row per mention of a chain, in the order of chains. Chains may share mentions."""

    chains: Chains
    mention: Ints
    mentions: Chains
    """The distinct mentions, ordered by position."""
    identity: Ints
    """The number of each distinct mention, equal for equal mentions."""

    @staticmethod
    def of(chains: Chains, identity: Ints, *, singletons: bool) -> MentionSide:
        """A mention that a chain repeats counts once; singletons are removed after that."""
        rows = np.lexsort((identity, chains.chain))
        is_new = np.ones(len(rows), dtype=np.bool_)
        is_new[1:] = (np.diff(identity[rows]) != 0) | (np.diff(chains.chain[rows]) != 0)
        rows = rows[is_new]
        if not singletons:
            rows = rows[in_longer_chains(chains.take(rows))]
        kept, number = chains.take(rows), identity[rows]
        distinct, first, mention = np.unique(number, return_index=True, return_inverse=True)
        mentions = kept.take(first)
        order = _by_position(mentions)
        return MentionSide(kept, np.argsort(order)[mention], mentions.take(order), distinct[order])

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
        """The last chain of each mention, which owns it."""
        owner = np.zeros(len(self.mentions), dtype=np.int64)
        np.maximum.at(owner, self.mention, self.chain)
        return owner


def _by_position(mentions: Chains) -> Ints:
    """The order of mentions by first word, last word and number of words; by spans if words are unknown."""
    words = mentions.words
    if words is None:
        return np.arange(len(mentions))
    return np.lexsort((words.size, words.last, words.begin, mentions.document))


def inverse(counterpart: Ints, size: int) -> Ints:
    """The counterparts of the other side, which has `size` mentions; -1 for none."""
    back = np.full(size, -1)
    is_matched = counterpart >= 0
    back[counterpart[is_matched]] = np.flatnonzero(is_matched)
    return back


def mention_numbers(key: Chains, responses: Sequence[Chains], way: MentionMatch) -> list[Ints]:
    """A number for each mention of all sides: mentions of the key and their counterparts share one.

    Numbers are ordered by position; counterparts have the position of the key's mention. Mentions without a counterpart
    share the number of equal mentions in other responses.
    """
    sides = [key, *responses]
    identity = np.unique(np.concatenate(way.identities(*sides)), return_inverse=True)[1]
    key_identity, *identities = np.split(identity, np.cumsum([len(side) for side in sides])[:-1])
    key_side = MentionSide.of(key, key_identity, singletons=True)
    numbers = [2 * key_identity]
    for response, own_identity in zip(responses, identities, strict=True):
        side = MentionSide.of(response, own_identity, singletons=True)
        both = key_side.identity, side.identity
        back = inverse(way.counterparts(key_side.mentions, side.mentions, both), len(side.mentions))
        number = np.where(back >= 0, 2 * np.append(key_side.identity, 0)[back], 2 * side.identity + 1)
        order = np.argsort(side.identity)
        numbers.append(number[order][np.searchsorted(side.identity[order], own_identity)])
    return numbers


class CommonWords:
    """The number of words that mentions of key and response share.

    All words are ranked. If both mentions have all words of their side from the first to the last one, the shared words
    are counted by differences of cumulative sums; the other pairs are compared word by word.
    """

    def __init__(self, key: Chains, response: Chains) -> None:
        (key_row, key_word), (row, word) = _words(key).flat(), _words(response).flat()
        documents = np.concatenate((key.document[key_row], response.document[row]))
        numbers, _ = pack((documents, empty()), (np.concatenate((key_word, word)), empty()))
        known, rank = np.unique(numbers, return_inverse=True)
        self._ranks = len(known)
        self._key = _RankedWords.of(key, rank[: len(key_word)])
        self._response = _RankedWords.of(response, rank[len(key_word) :])
        self._in_key, self._in_response = self._occurs(self._key), self._occurs(self._response)
        self._before = np.append(0, np.cumsum(self._in_key & self._in_response))
        """The number of words that both sides have before each rank."""

    def of(self, key: Ints, response: Ints) -> Ints:
        """The number of shared words of these pairs of mentions."""
        key_side, side = self._key, self._response
        begin = np.maximum(key_side.begin[key], side.begin[response])
        end = np.minimum(key_side.last[key], side.last[response]) + 1
        common: Ints = np.maximum(self._before[end] - self._before[begin], 0)
        is_whole = self._is_whole(key_side, self._in_key)[key] & self._is_whole(side, self._in_response)[response]
        rows = np.flatnonzero(~is_whole)
        for part in _parts(side.size[response[rows]]):
            common[rows[part]] = self._looked_up(key[rows[part]], response[rows[part]])
        return common

    def all(self) -> tuple[Ints, Ints, Ints]:
        """All pairs of mentions that share words, and the number of these."""
        key, later = _begun_within(self._key, self._response, side="left")
        response, earlier = _begun_within(self._response, self._key, side="right")
        key, response = np.concatenate((key, earlier)), np.concatenate((later, response))
        common = self.of(key, response)
        kept = common > 0
        return key[kept], response[kept], common[kept]

    def _occurs(self, side: _RankedWords) -> Bools:
        occurs = np.zeros(self._ranks, dtype=np.bool_)
        occurs[side.rank] = True
        return occurs

    def _is_whole(self, side: _RankedWords, occurs: Bools) -> Bools:
        """Which mentions have all words of their side from the first to the last one."""
        before = np.append(0, np.cumsum(occurs))
        is_whole: Bools = before[side.last + 1] - before[side.begin] == side.size
        return is_whole

    def _looked_up(self, key: Ints, response: Ints) -> Ints:
        codes = self._key.row * (self._ranks + 1) + self._key.rank
        size = self._response.size[response]
        pair = np.repeat(np.arange(len(key)), size)
        expected = key[pair] * (self._ranks + 1) + self._response.rank[ranges(self._response.first[response], size)]
        index = np.minimum(np.searchsorted(codes, expected), len(codes) - 1)
        return np.bincount(pair[codes[index] == expected], minlength=len(key))


@dataclass(frozen=True)
class _RankedWords:
    """The words of one side's mentions as ranks among the words of both sides; mention i begins at `first[i]`."""

    row: Ints
    rank: Ints
    first: Ints
    size: Ints

    @staticmethod
    def of(side: Chains, rank: Ints) -> _RankedWords:
        size = _words(side).size
        return _RankedWords(np.repeat(np.arange(len(size)), size), rank, np.cumsum(size) - size, size)

    @property
    def begin(self) -> Ints:
        return self.rank[self.first]

    @property
    def last(self) -> Ints:
        last: Ints = self.rank[self.first + self.size - 1]
        return last


def _begun_within(one: _RankedWords, other: _RankedWords, side: Literal["left", "right"]) -> tuple[Ints, Ints]:
    """Pairs of mentions of which the second begins within the first; `left`: or at its beginning."""
    order = np.argsort(other.begin, kind="stable")
    begin = other.begin[order]
    first = np.searchsorted(begin, one.begin, side=side)
    size = np.searchsorted(begin, one.last, side="right") - first
    return np.repeat(np.arange(len(one.size)), size), order[ranges(first, size)]


def _parts(size: Ints) -> Iterator[slice]:
    """Successive rows that are not too large together."""
    part = np.cumsum(size) // _WORDS_AT_ONCE
    bounds = np.append(np.flatnonzero(np.diff(part, prepend=-1)), len(size))
    return (slice(begin, end) for begin, end in pairwise(bounds.tolist()))
