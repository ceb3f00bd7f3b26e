"""Errors by entity: why chains of key and response differ, in seven types of errors, and what each of them costs.

K and R are all mentions of the key and of the response; chains of one mention are left out on both sides first.
Mentions are ordered by sentence, first and last token.

**Span errors** come first. They pair mentions that only one side has, one to one, regardless of their chains: first
those with the same *core*, which is what is left without `the` and single characters other than letters at the
beginning, and without `'s` and such characters at the end (at least one token is left); then, among the remaining
ones of a sentence, those that share a head token with exactly one mention of the other side, which also shares it with
no other. In all further steps, the response has the key's span.

**The other six** come from dividing each chain by the chains of the other side. A chain A of the response consists of
one part A ∩ G for each chain G of the key that it shares mentions with, and of its mentions outside K. The piece with
the *anchor* of the chain, its first mention that is not a pronoun, or else its first mention, stays. The others are:

| | chain of the response | chain of the key |
| --- | --- | --- |
| several mentions that the other side lacks, while all others are pronouns: one error | extra entity | missing entity |
| otherwise, each mention that the other side lacks | extra mention | missing mention |
| each part, also beside an extra or a missing entity | conflated entities | divided entity |

So swapping the sides swaps the columns. An invented mention that begins a chain is not an extra mention: the part after
it counts as conflated with it. If the first mention of a chain is missing, the rest counts as divided. The analyser of
Kummerfeld and Klein derives the same errors from operations: *split* (pieces of the chains of the response that have
several), *merge* (of the key), *remove* (mentions outside K) and *introduce* (mentions outside R).

**Repairs.** `alone` is F1 with span errors and those of one type repaired, minus F1 with span errors repaired; for span
errors, minus F1. `in order` repairs the types one after the other, and ends at 100 %. `share` is the mean gain over all
5,040 orders (the Shapley value), so shares add up to 1 - F1. Conflated parts become chains, and extra mentions
vanish; what is left of a conflated chain vanishes, too, if it is a single mention outside K. The chains of a divided
part join the chain of the anchor. A missing mention joins the chain of the first mention of its entity that is present;
a missing entity becomes a chain. Chains of one mention are then left out again.

**By entity**: F1 with this entity of the key as a chain of its own, and its mentions in no other chain, minus F1, both
with corrected spans. For a chain of the response without mentions of the key, F1 without it. Gains overlap.

Source: Kummerfeld and Klein 2013, and their analyser; the repair of single entities is this project's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import factorial

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.measures import (
    CountTable,
    Overlap,
    count_b_cubed,
    count_ceaf_e,
    count_lea,
    count_muc,
    overlap_of_cells,
)
from evenhand.tasks.chains.mentions import ChainSizes
from evenhand.tasks.chains.task import ENTITY_ERRORS

MENTION_TYPES = ("name", "nominal", "pronoun")
NAME, NOMINAL, PRONOUN = range(3)
ERROR_TYPES = ENTITY_ERRORS
SPAN = "span"
OF_RESPONSE = ERROR_TYPES[1:4]
"""The types that come from chains of the response; the others come from the key."""
REPAIRED = ("mela", "muc", "b_cubed", "ceaf_e", "lea")
"""The measures whose gains are computed."""
COUNTS = (
    *("muc.common", "muc.key", "muc.response", "b_cubed.key", "b_cubed.response", "mentions.key", "mentions.response"),
    *("ceaf_e.common", "chains.key", "chains.response", "lea.key", "lea.response"),
)
"""The count types of these measures."""
_DIVIDED = {
    "muc": (0, 1, 0, 2),
    "b_cubed": (3, 5, 4, 6),
    "ceaf_e": (7, 8, 7, 9),
    "lea": (10, 5, 11, 6),
}
"""The counts that recall and precision divide."""


@dataclass(frozen=True)
class EntityMentions:
    """The mentions of both sides in the order of their positions, without chains of one mention.

    A mention that both sides have is one row. A span of several chains of the response that is not in the key has one
    row for each of them.
    """

    document: Ints
    sentence: Ints
    start: Ints
    end: Ints
    """First token and the token after the last one, counted in the document."""
    key: Ints
    """The chain of each mention in the key, numbered by first mentions; -1: none."""
    response: Ints
    head: Ints
    """The head token of each mention, counted in the document."""
    type: Ints
    """Index in `MENTION_TYPES`."""
    core_start: Ints
    core_end: Ints

    def __len__(self) -> int:
        return len(self.key)

    @staticmethod
    def of(
        spans: tuple[Ints, Ints, Ints, Ints],
        key: Ints,
        response: Ints,
        head: Ints,
        type: Ints,
        cores: tuple[Ints, Ints],
    ) -> EntityMentions:
        """Mentions in any order, with any numbers of chains; chains of one mention are left out.

        `spans` are documents, sentences, first tokens and ends.
        """
        key, response = (without_single(side) for side in (key, response))
        rows = np.flatnonzero((key >= 0) | (response >= 0))
        document, sentence, start, end = (column[rows] for column in spans)
        order = np.lexsort((response[rows], end, start, sentence, document))
        rows = rows[order]
        return EntityMentions(
            document[order],
            sentence[order],
            start[order],
            end[order],
            _renumbered(key[rows]),
            _renumbered(response[rows]),
            head[rows],
            type[rows],
            cores[0][rows],
            cores[1][rows],
        )


def without_single(chain: Ints) -> Ints:
    """The chains of mentions, with -1 for chains of one mention."""
    size = np.bincount(chain[chain >= 0], minlength=1)
    return np.where((chain >= 0) & (size[chain] > 1), chain, -1)


def _renumbered(chain: Ints) -> Ints:
    """Number chains by their first mentions."""
    rows = np.flatnonzero(chain >= 0)
    _, first, number = np.unique(chain[rows], return_index=True, return_inverse=True)
    renumbered = np.full(len(chain), -1)
    renumbered[rows] = np.argsort(np.argsort(first))[number]
    return renumbered


def cores(start: Ints, end: Ints, strips_left: Bools, strips_right: Bools) -> tuple[Ints, Ints]:
    """The cores of spans, given which tokens are removed at the beginning and at the end."""
    tokens = np.arange(len(strips_left))
    following = np.minimum.accumulate(np.where(strips_left, len(tokens), tokens)[::-1])[::-1]
    begin = np.minimum(np.append(following, len(tokens))[start], end - 1)
    preceding = np.maximum.accumulate(np.where(strips_right, -1, tokens))
    return begin, np.maximum(preceding[end - 1], begin) + 1


def is_stripped(word: str, also: str) -> bool:
    """Whether a token is removed from the edge of a span: a certain word, or a single character, but not a letter."""
    return word == also or (len(word) == 1 and not word.isalpha())


def span_pairs(mentions: EntityMentions) -> list[tuple[int, int]]:
    """The span errors: mentions of the response, and those of the key that they are corrected to."""
    missing = np.flatnonzero((mentions.key >= 0) & (mentions.response < 0)).tolist()
    extra = np.flatnonzero((mentions.response >= 0) & (mentions.key < 0)).tolist()
    columns = (mentions.document, mentions.core_start, mentions.core_end, mentions.sentence, mentions.head)
    document, core_start, core_end, sentence, head = (column.tolist() for column in columns)
    free: dict[tuple[int, int, int], list[int]] = {}
    for row in reversed(missing):
        free.setdefault((document[row], core_start[row], core_end[row]), []).append(row)
    pairs, paired = [], set[int]()
    for row in extra:
        rows = free.get((document[row], core_start[row], core_end[row]))
        if rows:
            pairs.append((row, rows.pop()))
            paired.update(pairs[-1])
    by_head: dict[tuple[int, int, int], tuple[list[int], list[int]]] = {}
    for side, side_rows in enumerate((extra, missing)):
        for row in side_rows:
            if row not in paired:
                by_head.setdefault((document[row], sentence[row], head[row]), ([], []))[side].append(row)
    pairs += [(own[0], other[0]) for own, other in by_head.values() if len(own) == len(other) == 1]
    return sorted(pairs)


@dataclass(frozen=True)
class EntityError:
    """One error: its type, its mentions, and the chains that it is about."""

    type: str
    mentions: tuple[int, ...]
    """Rows of mentions; for a span error, the response's and the key's; for a missing entity, all of its mentions."""
    whole: tuple[int, ...]
    """The mentions of the chain that it comes from, with corrected spans."""
    key: int = -1
    """The chain of the key that the mentions belong to; -1: none."""
    response: int = -1


class EntityErrors:
    """The errors of a response against a key, and the effect of repairs."""

    def __init__(self, mentions: EntityMentions, documents: int, singletons: Mapping[str, int] | None = None) -> None:
        """`singletons` are the numbers of chains of one mention, which are left out."""
        self.mentions, self.documents, self.singletons = mentions, documents, dict(singletons or {})
        self.spans = span_pairs(mentions)
        self.response = mentions.response.copy()
        """The chain of each mention in the response with corrected spans; -1: none."""
        for own, correct in self.spans:
            self.response[correct], self.response[own] = self.response[own], -1
        self._is_pronoun = (mentions.type == PRONOUN).tolist()
        self.key_chains, self.response_chains = members(mentions.key), members(self.response)

    @cached_property
    def errors(self) -> tuple[EntityError, ...]:
        """All errors by type, in the order of their chains."""
        key, response = self.mentions.key.tolist(), self.response.tolist()
        found: dict[str, list[EntityError]] = {name: [] for name in ERROR_TYPES}
        for own, correct in self.spans:
            whole = self.response_chains[response[correct]]
            found[SPAN].append(EntityError(SPAN, (own, correct), whole, key[correct], response[correct]))
        for chains, other, types in (
            (self.response_chains, key, OF_RESPONSE),
            (self.key_chains, response, ERROR_TYPES[4:]),
        ):
            for number, chain in enumerate(chains):
                for name, rows, counterpart in self._divided(chain, other, types):
                    pair = (counterpart, number) if chains is self.response_chains else (number, counterpart)
                    found[name].append(EntityError(name, rows, chain, *pair))
        return tuple(error for errors in found.values() for error in errors)

    def _divided(
        self, chain: tuple[int, ...], other: Sequence[int], types: Sequence[str]
    ) -> Iterator[tuple[str, tuple[int, ...], int]]:
        """The errors of one chain; `other` is the chain of each mention on the other side."""
        part, single, whole = types
        parts: dict[int, list[int]] = {}
        for row in chain:
            parts.setdefault(other[row], []).append(row)
        if len(parts) == 1 and -1 not in parts:
            return
        anchor, alone = self.anchor(chain), parts.pop(-1, [])
        if len(alone) > 1 and all(self._is_pronoun[row] for rows in parts.values() for row in rows):
            yield whole, chain if whole == "missing_entity" else tuple(alone), -1
        else:
            yield from ((single, (row,), -1) for row in alone if row != anchor)
        yield from ((part, tuple(rows), number) for number, rows in parts.items() if anchor not in rows)

    def anchor(self, chain: Sequence[int]) -> int:
        """The first mention that is not a pronoun; else the first one."""
        return next((row for row in chain if not self._is_pronoun[row]), chain[0])

    @cached_property
    def counts(self) -> dict[str, Ints]:
        """The number of errors of each type by document."""
        document = self.mentions.document
        by_type: dict[str, list[int]] = {name: [] for name in ERROR_TYPES}
        for error in self.errors:
            by_type[error.type].append(int(document[error.mentions[0]]))
        return {name: np.bincount(ints(rows), minlength=self.documents) for name, rows in by_type.items()}

    @cached_property
    def counts_by_type(self) -> dict[str, dict[str, int]]:
        """The number of errors by type of mention, then by type of error; span errors have that of the key's span."""
        types = self.mentions.type.tolist()
        table = {name: dict.fromkeys(ERROR_TYPES, 0) for name in MENTION_TYPES}
        for error in self.errors:
            rows = error.mentions[1:] if error.type == SPAN else error.mentions
            table[MENTION_TYPES[min(types[row] for row in rows)]][error.type] += 1
        return table

    @cached_property
    def operations(self) -> dict[str, int]:
        """The operations of the analyser of Kummerfeld and Klein."""
        key, response = self.mentions.key, self.response
        return {
            "correct_span": len(self.spans),
            "introduce": int(np.count_nonzero((key >= 0) & (response < 0))),
            "split": _pieces(self.response_chains, key.tolist()),
            "merge": _pieces(self.key_chains, response.tolist()),
            "remove": int(np.count_nonzero((response >= 0) & (key < 0))),
        }

    # Verdicts on entities

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict on each chain of the key."""
        key, response = self.mentions.key.tolist(), self.response.tolist()
        corrected = {correct for _, correct in self.spans}
        return tuple(self._verdict(chain, key, response, corrected) for chain in self.key_chains)

    def _verdict(self, chain: tuple[int, ...], key: Sequence[int], response: Sequence[int], corrected: set[int]) -> str:
        partners = {response[row] for row in chain}
        is_incomplete = -1 in partners
        partners.discard(-1)
        if not partners:
            return "missing"
        around = {key[row] for partner in partners for row in self.response_chains[partner]}
        holds = {
            "divided": len(partners) > 1,
            "conflated": len(around - {-1}) > 1,
            "extra": -1 in around,
            "incomplete": is_incomplete,
            "span": not corrected.isdisjoint(chain),
        }
        return "+".join(name for name, is_true in holds.items() if is_true) or "exact"

    @cached_property
    def invented(self) -> list[int]:
        """The chains of the response without mentions of the key."""
        shared = set(self.response[self.mentions.key >= 0].tolist())
        return [number for number in range(len(self.response_chains)) if number not in shared]

    # Repairs

    def repaired(self, types: Iterable[str]) -> Ints:
        """The chains of mentions after repairing some types, always in the same order; -1: none."""
        chosen = set(types)
        chains = _Repair(self)
        for error in self.errors:
            if error.type in chosen and error.type != SPAN:
                chains.repair(error)
        chain = chains.done()
        return chain if SPAN in chosen else self._with_own_spans(chain)

    def _with_own_spans(self, chain: Ints) -> Ints:
        chain = chain.copy()
        for own, correct in self.spans:
            chain[own], chain[correct] = chain[correct], -1
        return chain

    def count(self, chain: Ints) -> Values:
        """The counts of all measures by document, if the response had these chains."""
        return count_table(overlap_of_rows(self.mentions, without_single(chain), self.documents))

    @cached_property
    def stages(self) -> dict[tuple[str, ...], Values]:
        """Counts by document, by the types that are repaired: for the gains alone and in order."""
        singles = [(SPAN, name) for name in ERROR_TYPES[1:]]
        orders = [ERROR_TYPES[:size] for size in range(len(ERROR_TYPES) + 1)]
        return {types: self.count(self.repaired(types)) for types in dict.fromkeys((*orders, *singles))}

    @cached_property
    def subsets(self) -> dict[tuple[str, ...], Values]:
        """Counts by document for all subsets of types."""
        sizes = range(len(ERROR_TYPES) + 1)
        return {types: self.count(self.repaired(types)) for size in sizes for types in combinations(ERROR_TYPES, size)}


def members(chain: Ints) -> list[tuple[int, ...]]:
    """The rows of each chain."""
    rows: list[list[int]] = [[] for _ in range(int(chain.max(initial=-1)) + 1)]
    for row, number in enumerate(chain.tolist()):
        if number >= 0:
            rows[number].append(row)
    return [tuple(chain) for chain in rows]


def _pieces(chains: Sequence[tuple[int, ...]], other: Sequence[int]) -> int:
    """The number of pieces of all chains that have several."""
    pieces = 0
    for chain in chains:
        numbers = [other[row] for row in chain]
        size = len(set(numbers) - {-1}) + numbers.count(-1)
        pieces += size if size > 1 else 0
    return pieces


class _Repair:
    """Chains of the response, which repairs change."""

    def __init__(self, errors: EntityErrors) -> None:
        self._errors, self._key = errors, errors.mentions.key.tolist()
        self._chain = errors.response.tolist()
        self._members = [set(chain) for chain in errors.response_chains]
        self._conflated: dict[int, None] = {}
        """The chains of the response from which parts were separated."""

    def repair(self, error: EntityError) -> None:
        if error.type == "conflated":
            self._conflated[error.response] = None
            self._new(error.mentions)
            return
        self._finish_conflated()
        if error.type in ("extra_mention", "extra_entity"):
            for row in error.mentions:
                self._move(row, -1)
        elif error.type == "missing_entity":
            self._new(error.whole)
        elif error.type == "missing_mention":
            first = next((row for row in error.whole if self._chain[row] >= 0), None)
            if first is None:
                self._new({error.whole[0], *error.mentions})
            else:
                self._move(error.mentions[0], self._chain[first])
        else:
            anchor = self._errors.anchor(error.whole)
            if self._chain[anchor] < 0:
                self._new((anchor,))
            for row in error.mentions:
                self._join(self._chain[row], self._chain[anchor])

    def _finish_conflated(self) -> None:
        """Remove what is left of conflated chains if it is a single mention outside of the key."""
        for number in self._conflated:
            rest = self._members[number]
            if len(rest) == 1 and self._key[next(iter(rest))] < 0:
                self._move(next(iter(rest)), -1)
        self._conflated.clear()

    def done(self) -> Ints:
        self._finish_conflated()
        return ints(self._chain)

    def _new(self, rows: Iterable[int]) -> None:
        self._members.append(set())
        for row in rows:
            self._move(row, len(self._members) - 1)

    def _move(self, row: int, chain: int) -> None:
        if self._chain[row] >= 0:
            self._members[self._chain[row]].discard(row)
        self._chain[row] = chain
        if chain >= 0:
            self._members[chain].add(row)

    def _join(self, chain: int, other: int) -> None:
        if chain == other:
            return
        for row in self._members[chain]:
            self._chain[row] = other
        self._members[other] |= self._members[chain]
        self._members[chain] = set()


# Scores


def overlap_of_rows(mentions: EntityMentions, response: Ints, documents: int) -> Overlap:
    """The overlap of the chains of the key with others, given the chain of each mention, or -1."""
    sides, numbers = [], []
    for chain in (mentions.key, response):
        rows = np.flatnonzero(chain >= 0)
        _, first, number = np.unique(chain[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)  # chains are numbered by first mentions
        rank = np.argsort(order)
        numbered = np.full(len(chain), -1)
        numbered[rows] = rank[number]
        size = np.bincount(rank[number], minlength=len(first))
        sides.append(ChainSizes(size, mentions.document[rows[first[order]]]))
        numbers.append(numbered)
    both = (numbers[0] >= 0) & (numbers[1] >= 0)
    return overlap_of_cells(documents, sides[0], sides[1], numbers[0][both], numbers[1][both])


def count_table(overlap: Overlap) -> Values:
    """The counts of `COUNTS` by document."""
    table: CountTable = {}
    for count in (count_muc, count_b_cubed, count_ceaf_e, count_lea):
        table |= count(overlap)
    for name, side in (("key", overlap.key), ("response", overlap.response)):
        table[f"mentions.{name}"] = overlap.by_document(side.document, side.size)
        table[f"chains.{name}"] = overlap.by_document(side.document)
    return np.stack([table[name] for name in COUNTS], axis=1)


def scores_of(counts: Values) -> dict[str, Values]:
    """Recall, precision and F1 of each measure, from sums of counts in the last dimension."""
    scores = {name: prf(*(counts[..., index] for index in columns)) for name, columns in _DIVIDED.items()}
    return {"mela": np.mean([scores[name] for name in ("muc", "b_cubed", "ceaf_e")], axis=0), **scores}


def prf(matched: Values, key: Values, correct: Values, response: Values) -> Values:
    """Recall, precision and F1 in the last dimension; 0/0 is 0."""
    recall, precision = (
        np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) != 0)
        for part, whole in ((matched, key), (correct, response))
    )
    total = recall + precision
    f1 = np.divide(2 * recall * precision, total, out=np.zeros_like(total), where=total != 0)
    return np.stack((recall, precision, f1), axis=-1)


def f1_of(counts: Values) -> dict[str, Values]:
    """F1 of each measure of `REPAIRED`, from sums of counts in the last dimension."""
    return {name: values[..., 2] for name, values in scores_of(counts).items()}


def gains(totals: Mapping[tuple[str, ...], Values]) -> dict[str, dict[str, dict[str, float]]]:
    """The gains of repairs, by type of error, way of counting (`alone`, `in order`, `share`) and measure.

    `totals` are the counts of all documents by the types that are repaired. Shares need all subsets.
    """
    f1 = {types: {name: float(value) for name, value in f1_of(counts).items()} for types, counts in totals.items()}

    def gain(types: tuple[str, ...], before: tuple[str, ...]) -> dict[str, float]:
        return {name: f1[types][name] - f1[before][name] for name in REPAIRED}

    table = {}
    for index, name in enumerate(ERROR_TYPES):
        is_span = name == SPAN
        table[name] = {
            "alone": gain((SPAN,) if is_span else (SPAN, name), () if is_span else (SPAN,)),
            "in order": gain(ERROR_TYPES[: index + 1], ERROR_TYPES[:index]),
        }
    if len(totals) == 2 ** len(ERROR_TYPES):
        for name in ERROR_TYPES:
            table[name]["share"] = {measure: _share(f1, name, measure) for measure in REPAIRED}
    return table


def _share(f1: Mapping[tuple[str, ...], Mapping[str, float]], name: str, measure: str) -> float:
    """The Shapley value of repairing a type."""
    size, share = len(ERROR_TYPES), 0.0
    for types, scores in f1.items():
        if name not in types:
            weight = factorial(len(types)) * factorial(size - len(types) - 1) / factorial(size)
            with_it = tuple(other for other in ERROR_TYPES if other == name or other in types)
            share += weight * (f1[with_it][measure] - scores[measure])
    return share
