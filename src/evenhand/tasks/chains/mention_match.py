"""Which mention of the response is which of the key (`--mention-match`, `--zeros`).

A mention is its words; under `head` it is its words and its head. A *zero* is a mention whose head is an empty node.
Mentions are matched one to one in each document, in three steps, each among those that the steps before have left:

1. **Zeros by what they depend on** (`--zeros dependent`). With D the parents and relations of the head in DEPS, P the
   parents alone, and F(A, B) = 2 |A ∩ B| / (|A| + |B|), a zero k of the key and a zero r of the response in the same
   sentence have the similarity 10 F(D_k, D_r) + F(P_k, P_r), wherever they stand. A head without DEPS has no edges, so
   that F = 0. `--zeros linear` leaves this step out: zeros are the same if they stand in the same place.
2. **Equal mentions.**
3. **Similar mentions.** `head`: |k ∩ r| / |k| if both have the same head. `partial`: |r| / |k| if all words of r are in
   k and the head of k is among them. `exact` leaves this step out. Zeros that are left may match mentions that are
   none.

In steps 1 and 3 the matching has the largest sum of similarities, and nothing is matched whose similarity is 0. Under
`head`, any r with all words of k has the similarity 1. Where several matchings are best, it is the one that shortest
augmenting paths find (Crouse 2016) with the mentions of a document in the order of first word, last word and number of
words, as in the scorer of CorefUD; only in documents with millions of pairs another one may be found.

Sources: Žabokrtský et al. 2022 for `partial`; Žabokrtský et al. 2023 for `head`; Novák et al. 2024 for zeros; the
scorer of CorefUD, version 1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from evenhand.arrays import Bools, Ints, Values, empty, equal_pairs, pack
from evenhand.dataclass import dataclass
from evenhand.settings import ScoreSettings
from evenhand.tasks.chains.assignment import best_cells
from evenhand.tasks.chains.common_words import CommonWords
from evenhand.tasks.chains.ordered_assignment import ordered_assignment
from evenhand.text.chains import Chains, spans_of
from evenhand.text.mention_words import MentionWords

_MOST_CELLS = 1 << 22
"""How many pairs of mentions a document may have to be matched as a whole."""
_RELATIONS = 10
"""What parents and relations weigh, where parents alone weigh 1."""


@dataclass(frozen=True)
class MentionMatch:
    """What counts as the same mention."""

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
