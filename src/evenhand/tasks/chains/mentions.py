"""Zero anaphors: whether zeros that refer back are resolved.

A zero is a mention whose head is an empty node. A zero of the key that is not the first mention of its chain (by first
word, last word and number of words) is an anaphor. With r its counterpart in the response:

- *fn*: there is none, or r is the first mention of its chain.
- *tp*: an earlier mention of the key's chain has a counterpart in the chain of r.
- *wl* (wrong linkage): there is no such mention.
- *fp*: a zero of the response that is not the first mention of its chain, and the counterpart of no zero anaphor.

If a mention of the response is in several chains, its chain is the last one, as for the other scores of CorefUD.

Recall of `zero` = tp / (tp + wl + fn), precision = tp / (tp + wl + fp).

Source: Novák et al. 2024. The scorer of CorefUD looks for a mention in the same place of the response before it takes
the counterpart, which is wrong where `--zeros dependent` has matched zeros in different places; Evenhand does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values, empty, equal_pairs, pack, ranges
from evenhand.data.structures import Chains, MentionWords, spans_of
from evenhand.dataclass import dataclass
from evenhand.settings import ScoreSettings
from evenhand.tasks.chains.assignment import best_cells, ordered_assignment
from evenhand.tasks.chains.measures import ChainSizes, Overlap, Table, numbered, overlap_of_cells
from evenhand.tasks.chains.task import ZERO_KINDS

# == tasks/chains/common_words.py: How many words mentions of key and response share.


_AT_ONCE = 1 << 22
"""How many words are compared at a time, more or less."""


@dataclass(frozen=True)
class _Words:
    """The words of one side's mentions, as ranks among those of both sides: those of mention i begin at `first[i]`."""

    row: Ints
    rank: Ints
    first: Ints
    size: Ints

    @staticmethod
    def of(side: Chains, rank: Ints) -> _Words:
        assert side.words is not None
        size = side.words.size
        return _Words(np.repeat(np.arange(len(size)), size), rank, np.cumsum(size) - size, size)

    @property
    def begin(self) -> Ints:
        found: Ints = self.rank[self.first]
        return found

    @property
    def last(self) -> Ints:
        found: Ints = self.rank[self.first + self.size - 1]
        return found


class CommonWords:
    """The words of all mentions of two sides, numbered alike."""

    def __init__(self, key: Chains, response: Chains) -> None:
        words = [side.document[row] for side, (row, _) in ((key, _flat(key)), (response, _flat(response)))]
        numbers, _ = pack(
            (np.concatenate(words), empty()), (np.concatenate((_flat(key)[1], _flat(response)[1])), empty())
        )
        known, rank = np.unique(numbers, return_inverse=True)
        self._ranks = len(known)
        self._key, self._response = _Words.of(key, rank[: len(words[0])]), _Words.of(response, rank[len(words[0]) :])
        self._in_key, self._in_response = self._occurs(self._key), self._occurs(self._response)
        self._before = np.append(0, np.cumsum(self._in_key & self._in_response))
        """How many words that both sides have stand before each."""

    def of(self, key: Ints, response: Ints) -> Ints:
        """The number of words that these pairs of mentions share."""
        mine, theirs = self._key, self._response
        begin = np.maximum(mine.begin[key], theirs.begin[response])
        end = np.minimum(mine.last[key], theirs.last[response]) + 1
        found: Ints = np.maximum(self._before[end] - self._before[begin], 0)
        is_whole = self._is_whole(mine, self._in_key)[key] & self._is_whole(theirs, self._in_response)[response]
        rows = np.flatnonzero(~is_whole)
        for part in _portions(theirs.size[response[rows]]):
            found[rows[part]] = self._looked_up(key[rows[part]], response[rows[part]])
        return found

    def all(self) -> tuple[Ints, Ints, Ints]:
        """All pairs of mentions that share words, and how many."""
        mine, theirs = self._key, self._response
        key, later = _begun_within(mine, theirs, side="left")
        response, earlier = _begun_within(theirs, mine, side="right")
        key, response = np.concatenate((key, earlier)), np.concatenate((later, response))
        common = self.of(key, response)
        kept = common > 0
        return key[kept], response[kept], common[kept]

    def _occurs(self, side: _Words) -> Bools:
        """Which words a side has."""
        occurs = np.zeros(self._ranks, dtype=np.bool_)
        occurs[side.rank] = True
        return occurs

    def _is_whole(self, side: _Words, occurs: Bools) -> Bools:
        """Which mentions have all words of their side from the first to the last one."""
        before = np.append(0, np.cumsum(occurs))
        found: Bools = before[side.last + 1] - before[side.begin] == side.size
        return found

    def _looked_up(self, key: Ints, response: Ints) -> Ints:
        """The number of words that pairs share, found word by word."""
        codes = self._key.row * (self._ranks + 1) + self._key.rank
        size = self._response.size[response]
        pair = np.repeat(np.arange(len(key)), size)
        wanted = key[pair] * (self._ranks + 1) + self._response.rank[ranges(self._response.first[response], size)]
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.bincount(pair[codes[place] == wanted], minlength=len(key))


def _flat(side: Chains) -> tuple[Ints, Ints]:
    assert side.words is not None
    return side.words.flat()


def _begun_within(one: _Words, other: _Words, side: Literal["left", "right"]) -> tuple[Ints, Ints]:
    """Pairs of mentions of which the second begins within the first; `left`: or where the first begins."""
    order = np.argsort(other.begin, kind="stable")
    begin = other.begin[order]
    first = np.searchsorted(begin, one.begin, side=side)
    size = np.searchsorted(begin, one.last, side="right") - first
    return np.repeat(np.arange(len(one.size)), size), order[ranges(first, size)]


def _portions(size: Ints) -> Iterator[slice]:
    """Successive rows that are not too large together."""
    portion = np.cumsum(size) // _AT_ONCE
    bounds = np.append(np.flatnonzero(np.diff(portion, prepend=-1)), len(size))
    return (slice(begin, end) for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


# == tasks/chains/mention_match.py: Which mention of the response is which of the key (`--mentio


_MOST_CELLS = 1 << 22
"""How many pairs of mentions a document may have to be matched as a whole."""
_RELATIONS = 10
"""What parents and relations weigh, where parents alone weigh 1."""


@dataclass(frozen=True)
class MentionMatch:
    """Which mention of the response is which of the key (`--mention-match`, `--zeros`).

    A mention is its words; under `head` it is its words and its head. A *zero* is a mention whose head is an empty
    node. Mentions are matched one to one in each document, in three steps, each among those that the steps before have
    left:

    1. **Zeros by what they depend on** (`--zeros dependent`). With D the parents and relations of the head in DEPS, P
       the parents alone, and F(A, B) = 2 |A ∩ B| / (|A| + |B|), a zero k of the key and a zero r of the response in the
       same sentence have the similarity 10 F(D_k, D_r) + F(P_k, P_r), wherever they stand. A head without DEPS has no
       edges, so that F = 0. `--zeros linear` leaves this step out: zeros are the same if they stand in the same place.
    2. **Equal mentions.**
    3. **Similar mentions.** `head`: |k ∩ r| / |k| if both have the same head. `partial`: |r| / |k| if all words of r
       are in k and the head of k is among them. `exact` leaves this step out. Zeros that are left may match mentions
       that are none.

    In steps 1 and 3 the matching has the largest sum of similarities, and nothing is matched whose similarity is 0.
    Under `head`, any r with all words of k has the similarity 1. Where several matchings are best, it is the one that
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
        """Whether mentions are the same just where their tokens are."""
        return self.how == "exact" and self.zeros is None

    def identities(self, *sides: Chains) -> list[Ints]:
        """A number for each mention of every side, equal for equal ones, and sorted as their places are."""
        spans = spans_of(*sides)
        if self.how != "head":
            return spans
        heads = np.concatenate([_words(side).head for side in sides])
        number, _ = pack((np.concatenate(spans), empty()), (heads, empty()))
        return np.split(number, np.cumsum([len(side) for side in sides])[:-1])

    def counterparts(self, key: Chains, response: Chains, identity: Sequence[Ints]) -> Ints:
        """For each mention of the key the row of its counterpart, or -1; no side has a mention twice."""
        found = _Pairs(key, response)
        if self.zeros == "dependent" and key.words is not None:
            found.add(*_zeros(key, response, *found.left(_words(key).is_zero, _words(response).is_zero)))
        mine, theirs = found.left()
        one, other = equal_pairs(identity[0][mine], identity[1][theirs])
        found.add(mine[one], theirs[other])
        if self.how != "exact":
            similar = _heads if self.how == "head" else _parts
            found.add(*similar(key, response, *found.left()))
        return found.counterpart


class _Pairs:
    """The pairs that are matched so far."""

    def __init__(self, key: Chains, response: Chains) -> None:
        self.counterpart = np.full(len(key), -1)
        self._is_free = np.ones(len(response), dtype=np.bool_)

    def add(self, key: Ints, response: Ints) -> None:
        self.counterpart[key] = response
        self._is_free[response] = False

    def left(self, of_key: Bools | None = None, of_response: Bools | None = None) -> tuple[Ints, Ints]:
        """The rows of mentions that are not matched; of some, where these are told."""
        mine, theirs = self.counterpart < 0, self._is_free
        mine = mine if of_key is None else mine & of_key
        return np.flatnonzero(mine), np.flatnonzero(theirs if of_response is None else theirs & of_response)


def _words(side: Chains) -> MentionWords:
    assert side.words is not None
    return side.words


def _zeros(key: Chains, response: Chains, mine: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Zeros of the same sentence, by what their heads depend on."""
    ours, others = _words(key), _words(response)
    places = pack((key.document[mine], response.document[theirs]), (ours.sentence[mine], others.sentence[theirs]))
    one, other = equal_pairs(*places)
    one, other = mine[one], theirs[other]
    width = int(others.depends.max(initial=0)) + 1
    codes, inverse = np.unique(ours.depends[one] * width + others.depends[other], return_inverse=True)
    edges = key.vocabulary.extras
    score = [_dependence(edges[code // width], edges[code % width]) for code in codes.tolist()]
    return _best(key, response, (mine, theirs), (one, other), np.array(score)[inverse])


def _dependence(key: object, response: object) -> float:
    """How similar two sets of edges are."""
    assert isinstance(key, tuple)
    assert isinstance(response, tuple)
    parents = [{parent for parent, _ in edges} for edges in (key, response)]
    return _RELATIONS * _shared({*key}, {*response}) + _shared(*parents)


def _shared(one: set[object], other: set[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _heads(key: Chains, response: Chains, mine: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Mentions with the same head."""
    heads = pack(
        (key.document[mine], response.document[theirs]), (_words(key).head[mine], _words(response).head[theirs])
    )
    one, other = equal_pairs(*heads)
    one, other = mine[one], theirs[other]
    common = CommonWords(key, response).of(one, other)
    return _best(key, response, (mine, theirs), (one, other), common / _words(key).size[one])


def _parts(key: Chains, response: Chains, mine: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Mentions of the response that are parts of one of the key, with its head."""
    left = response.take(theirs)
    row, word = _words(left).flat()
    heads = pack((key.document[mine], left.document[row]), (_words(key).head[mine], word))
    one, other = equal_pairs(*heads)
    one, other = mine[one], theirs[row[other]]
    size = _words(response).size[other]
    is_part = CommonWords(key, response).of(one, other) == size
    return _best(key, response, (mine, theirs), (one, other), np.where(is_part, size / _words(key).size[one], 0.0))


def _best(
    key: Chains, response: Chains, sides: tuple[Ints, Ints], pairs: tuple[Ints, Ints], similarity: Values
) -> tuple[Ints, Ints]:
    """The pairs of a best matching of the mentions that are left; all pairs but these have the similarity 0."""
    kept = similarity > 0
    one, other, similarity = pairs[0][kept], pairs[1][kept], similarity[kept]
    found: list[tuple[Ints, Ints]] = []
    document = key.document[one]
    bounds = np.append(np.flatnonzero(np.diff(document, prepend=-1)), len(document))
    for begin, end in pairwise(bounds.tolist()):
        rows, columns = (
            _rows_of(side, left, int(document[begin])) for side, left in zip((key, response), sides, strict=True)
        )
        part = one[begin:end], other[begin:end], similarity[begin:end]
        is_large = len(rows) * len(columns) > _MOST_CELLS
        found.append(_by_parts(*part) if is_large else _in_order(rows, columns, *part))
    if not found:
        return one, other
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def _rows_of(side: Chains, left: Ints, document: int) -> Ints:
    """The rows of a document among those that are left; mentions are in the order of their places."""
    return left[slice(*np.searchsorted(side.document[left], (document, document + 1)).tolist())]


def _in_order(rows: Ints, columns: Ints, key: Ints, response: Ints, similarity: Values) -> tuple[Ints, Ints]:
    """The best matching of a document as a whole."""
    table = np.zeros((len(rows), len(columns)))
    table[np.searchsorted(rows, key), np.searchsorted(columns, response)] = similarity
    one, other = ordered_assignment(table)
    kept = table[one, other] > 0
    return rows[one[kept]], columns[other[kept]]


def _by_parts(key: Ints, response: Ints, similarity: Values) -> tuple[Ints, Ints]:
    """A best matching of a document that is too large for a matrix."""
    chosen = best_cells(key, response, similarity)
    return key[chosen], response[chosen]


# == tasks/chains/repeats.py: Repeated mentions and singletons: which mentions of key and


def repeats(chains: Chains, span: Ints) -> Bools:
    """Repeated mentions and singletons: which mentions of key and response count (`--repeats`, `--no-singletons`).

    **The first chain has it** (`first`). The same span twice in the key: the first chain keeps it, which is the one
    whose first mention begins first in the file; in a cell of CoNLL-2012, mentions of one token, `(5)`, come before
    those that open there, as the official scorer has it. In the response: of a span that occurs in the key, the first
    chain keeps one mention, the others are dropped, and chains that are empty then vanish; repeats of a span that is
    not in the key stay, as distinct mentions. ARCS keeps the first only, in the key or not.

    **The last chain owns it** (`last`, for CorefUD). A mention that its own chain repeats counts once. A mention of
    several chains stays in all of them, and all of its copies count in numerators and denominators. Where the other
    side meets it, `muc`, `b_cubed`, `blanc` and `lea` look at the last of its chains alone, while CEAF looks at all of
    them; `mentions` counts it once. The common links of `blanc` are those of the key's copies, for precision, too. The
    order of chains is that of their first mentions: by first word, longer ones first, last word, and the name of the
    entity.

    In either case, repeats go before singletons do, which are chains of one mention.

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
    (span,) = spans_of(chains)
    again = repeats(chains, span)
    return chains.take(~again) if again.any() else chains


def without_repeats(key: Chains, response: Chains) -> Chains:
    """The response without its repeats of spans of the key."""
    key_span, span = spans_of(key, response)
    again = repeats(response, span)
    if not again.any():
        return response
    return response.take(~(again & np.isin(span, key_span)))


def in_longer_chains(chains: Chains) -> Bools:
    """Which mentions are not alone in their chain."""
    in_longer_chains: Bools = np.bincount(chains.chain)[chains.chain] > 1
    return in_longer_chains


def without_singletons(chains: Chains) -> Chains:
    kept = in_longer_chains(chains)
    return chains if kept.all() else chains.take(kept)


# == tasks/chains/matched_sides.py: Key and response whose mentions are matched, and which of th


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
    numbers = [2 * mine]
    for response, number in zip(responses, others, strict=True):
        side = Side.of(response, number, singletons=True)
        matched = MatchedSides(
            0, of_key, side, way.counterparts(of_key.mentions, side.mentions, (of_key.identity, side.identity))
        )
        new = 2 * side.identity + 1
        is_met = matched.back >= 0
        new[is_met] = 2 * of_key.identity[matched.back[is_met]]
        order = np.argsort(side.identity)
        numbers.append(new[order][np.searchsorted(side.identity[order], number)])
    return numbers


# == tasks/chains/zero_anaphors.py (primary)


def count_zeros(found: MatchedSides) -> Table:
    key, response = found.key, found.response
    place, of_response = _places(key), _places(response)
    anaphors = np.flatnonzero(_is_zero(key) & (place > 0))
    counterpart = found.counterpart[key.mention[anaphors]]
    is_matched = counterpart >= 0
    owner = np.append(response.owner, -1)[counterpart]
    begins = _begins(response, of_response)
    resolved = is_matched & ~np.append(begins, False)[counterpart]
    right = resolved & (_first_meeting(found, place, key.chain[anaphors], owner) < place[anaphors])
    taken = np.zeros(len(response.mentions), dtype=np.bool_)
    taken[counterpart[is_matched]] = True
    spurious = _is_zero(response) & (of_response > 0) & ~(taken | begins)[response.mention]

    def by_document(document: Ints) -> Values:
        return np.bincount(document, minlength=found.documents).astype(np.float64)

    of_key = key.chains.document[anaphors]
    kinds = (right, resolved & ~right, ~resolved)
    counts = [*(by_document(of_key[kind]) for kind in kinds), by_document(response.chains.document[spurious])]
    return {f"zero.{kind}": count for kind, count in zip(ZERO_KINDS, counts, strict=True)}


def _is_zero(side: Side) -> Bools:
    """Which rows are zeros."""
    assert side.chains.words is not None
    return side.chains.words.is_zero


def _places(side: Side) -> Ints:
    """The place of each row in its chain, from 0."""
    words = side.chains.words
    assert words is not None
    order = np.lexsort((words.size, words.last, words.begin, side.chain))
    chain = side.chain[order]
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - np.searchsorted(chain, chain)
    return places


def _begins(side: Side, place: Ints) -> Bools:
    """Which mentions are the first of the chain that owns them."""
    begins = np.zeros(len(side.mentions), dtype=np.bool_)
    begins[side.mention[(place == 0) & (side.owner[side.mention] == side.chain)]] = True
    return begins


def _first_meeting(found: MatchedSides, place: Ints, chain: Ints, other: Ints) -> Ints:
    """The place in each chain of the key of its first mention whose counterpart the other chain owns."""
    counterpart = found.counterpart[found.key.mention]
    one = np.flatnonzero(counterpart >= 0)
    width = len(found.response.sizes.size) + 1
    cells = found.key.chain[one] * width + found.response.owner[counterpart[one]]
    order = np.lexsort((place[one], cells))
    ordered = np.append(cells[order], -1)
    at = np.searchsorted(cells[order], chain * width + other)
    is_met = ordered[at] == chain * width + other
    far = len(place)
    return np.where(is_met, np.append(place[one][order], far)[at], far)


# == tasks/chains/mention_overlap.py: MOR, the mention overlap ratio: how many words of mentions a


_MANY_CELLS = 10_000
_DENSE = 8
"""Documents with many pairs of mentions that share words, of which at least one in so many does, are dense."""


def count_mor(found: MatchedSides) -> Table:
    """MOR, the mention overlap ratio: how many words of mentions are found, whatever chains they are in.

    Mentions of key and response are paired one to one in each document so that they share as many words as possible: O.
    Recall of `mor` = O / words of all mentions of the key, precision = O / words of all mentions of the response,
    summed over all documents before the division. Words are counted as often as mentions have them. `--mention-match`
    has no part in it; a mention that several chains have is there as often.

    Source: Žabokrtský et al. 2022.
    """
    key, response = found.key.chains, found.response.chains
    one, other, common = CommonWords(key, response).all()
    chosen = _best_mention_overlap(one, other, common.astype(np.float64), key.document[one])
    words = np.bincount(key.document[one[chosen]], common[chosen], minlength=found.documents)
    sides = {
        "mor.key": _words_mention_overlap(found.key, found.documents),
        "mor.response": _words_mention_overlap(found.response, found.documents),
    }
    return {"mor.common": words.astype(np.float64), **sides}


def _best_mention_overlap(one: Ints, other: Ints, common: Values, document: Ints) -> Ints:
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


def _words_mention_overlap(side: Side, documents: int) -> Values:
    """The words of all mentions, by document."""
    assert side.chains.words is not None
    found: Values = np.bincount(side.chains.document, side.chains.words.size, minlength=documents).astype(np.float64)
    return found
