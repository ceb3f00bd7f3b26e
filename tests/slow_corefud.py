"""The measures of the CorefUD scorer written straight from their definitions, with no thought of speed.

A word is (sentence, number, decimal), where words that are written have the decimal 0. `scores` takes the documents of
key and response, as `read_corefud` reads them from files whose brackets are in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from slow_chains import Counts, Prf, prf, total

Word = tuple[int, int, int]


@dataclass(frozen=True)
class Mention:
    words: tuple[Word, ...]
    head: Word
    depends: frozenset[tuple[Word, str]] = field(default=frozenset(), compare=False)
    """Parent and relation in DEPS of the head, where that is an empty node."""

    @property
    def is_zero(self) -> bool:
        return self.head[2] > 0

    @property
    def order(self) -> tuple[Word, Word, int]:
        return self.words[0], self.words[-1], len(self.words)


@dataclass(frozen=True)
class Way:
    """What counts as the same mention."""

    match: str = "head"
    zeros: str = "dependent"
    singletons: bool = False


Chains = list[list[Mention]]
Pairs = dict[Mention, Mention]


# Reading


def _word(sentence: int, number: str) -> Word:
    whole, _, decimal = number.partition(".")
    return sentence, int(whole), int(decimal or 0)


def read_corefud(text: str) -> list[Chains]:
    """The chains of each document, in the order of their first mentions: first word, longer first, words, id."""
    documents: list[list[list[tuple[Word, str, str]]]] = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if not documents or any(line.startswith("# newdoc") for line in lines):
            documents.append([])
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        words = [row for row in rows if "-" not in row[0]]
        if words:
            at = len(documents[-1])
            documents[-1].append([(_word(at, row[0]), row[8], row[9]) for row in words])
    return [_chains_of(document) for document in documents]


def _chains_of(sentences: list[list[tuple[Word, str, str]]]) -> Chains:
    chains: dict[str, list[Mention]] = {}
    for rows in sentences:
        words = [word for word, _, _ in rows]
        for name, parts, head in _brackets(rows):
            inside = tuple(word for word in words if any(words[a] <= word <= words[b] for a, b in parts))
            top = inside[min(head, len(inside)) - 1]
            deps = next(deps for word, deps, _ in rows if word == top)
            chains.setdefault(name, []).append(Mention(inside, top, _depends(top, deps)))
    ordered = {name: sorted(found, key=_in_file) for name, found in chains.items()}
    return [chain for _, chain in sorted(ordered.items(), key=lambda item: (_in_file(item[1][0]), item[0]))]


def _in_file(mention: Mention) -> tuple[Word, int, tuple[Word, ...]]:
    return mention.words[0], -len(mention.words), mention.words


def _depends(head: Word, deps: str) -> frozenset[tuple[Word, str]]:
    if not head[2] or deps == "_":
        return frozenset()
    edges = (edge.split(":", 1) for edge in deps.split("|"))
    return frozenset((_word(head[0], parent), relation) for parent, relation in edges)


def _brackets(rows: list[tuple[Word, str, str]]) -> list[tuple[str, list[tuple[int, int]], int]]:
    """Mentions of a sentence: entity, the first and last place of each part, and the number of the head."""
    all_brackets: list[tuple[str, list[tuple[int, int]], int]] = []
    opened: dict[str, list[tuple[int, int]]] = {}
    for index, (_, _, misc) in enumerate(rows):
        entity = next((each[7:] for each in misc.split("|") if each.startswith("Entity=")), "")
        for piece in re.findall(r"\([^()]+\)?|[^()]+\)", entity):
            fields = piece.strip("()").split("-")
            if piece.startswith("("):
                head = int(fields[2]) if len(fields) > 2 and fields[2] else 1
                opened.setdefault(fields[0], []).append((index, head))
            if piece.endswith(")"):
                begin, head = opened[fields[0]].pop()
                _close(all_brackets, fields[0], (begin, index), head)
    return all_brackets


def _close(actual: list[tuple[str, list[tuple[int, int]], int]], name: str, part: tuple[int, int], head: int) -> None:
    parted = re.fullmatch(r"(.*)\[(\d+)/(\d+)\]", name)
    if parted is None or parted[2] == "1":
        actual.append((name if parted is None else parted[1], [part], head))
        return
    at = max(at for at, each in enumerate(actual) if each[0] == parted[1] and len(each[1]) == int(parted[2]) - 1)
    actual[at] = (parted[1], [*actual[at][1], part], head)


# Matching


def clean(chains: Chains, way: Way) -> Chains:
    """Mentions of a chain once each, by their words and, in head mode, their heads; maybe without singletons."""

    def identity(mention: Mention) -> tuple[object, ...]:
        return (mention.words, mention.head) if way.match == "head" else (mention.words,)

    kept = [list({identity(item): item for item in reversed(chain)}.values())[::-1] for chain in chains]
    if way.match != "head":  # the same words are the same mention, whatever their heads
        first: dict[tuple[object, ...], Mention] = {}
        kept = [[first.setdefault(identity(item), item) for item in chain] for chain in kept]
    return [sorted(chain, key=_in_file) for chain in kept if way.singletons or len(chain) > 1]


def distinct(chains: Chains) -> list[Mention]:
    return sorted({mention for chain in chains for mention in chain}, key=lambda each: each.order)


def _similar(one: frozenset, other: frozenset) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _zero_score(key: Mention, response: Mention) -> float:
    if not (key.is_zero and response.is_zero and key.head[0] == response.head[0]):
        return 0.0
    parents = [frozenset(parent for parent, _ in each.depends) for each in (key, response)]
    return 10 * _similar(key.depends, response.depends) + _similar(*parents)


def _head_score(key: Mention, response: Mention) -> Fraction:
    common = len({*key.words} & {*response.words})
    return Fraction(common, len(key.words)) if key.head == response.head else Fraction()


def _partial_score(key: Mention, response: Mention) -> Fraction:
    is_part = {*response.words} <= {*key.words} and key.head in response.words
    return Fraction(len(response.words), len(key.words)) if is_part else Fraction()


def _common_words(key: Mention, response: Mention) -> Fraction:
    return Fraction(len({*key.words} & {*response.words}))


def best(
    keys: Sequence[Mention], responses: Sequence[Mention], score: Callable[[Mention, Mention], Any]
) -> list[tuple[Mention, Mention, Any]]:
    """The pairs of an assignment with the largest sum, without those that score nothing."""
    table = [[score(key, response) for response in responses] for key in keys]
    dense = np.array(table, dtype=float).reshape(len(keys), len(responses))
    rows, columns = linear_sum_assignment(dense, maximize=True)
    cells = ((keys[i], responses[j], table[i][j]) for i, j in zip(rows, columns, strict=True))
    return [cell for cell in cells if cell[2]]


def matched(keys: Sequence[Mention], responses: Sequence[Mention], way: Way) -> Pairs:
    """Key mentions and their counterparts: zeros by what they depend on, equal mentions, then similar ones."""
    by_name: Pairs = {}

    def left() -> tuple[list[Mention], list[Mention]]:
        taken = list(by_name.values())
        return [item for item in keys if item not in by_name], [item for item in responses if item not in taken]

    if way.zeros == "dependent":
        zeros = ([item for item in side if item.is_zero] for side in (keys, responses))
        by_name |= {key: response for key, response, _ in best(*zeros, _zero_score)}
    for key in left()[0]:
        same = [
            item for item in left()[1] if item.words == key.words and (way.match != "head" or item.head == key.head)
        ]
        if same:
            by_name[key] = same[0]
    if way.match != "exact":
        score = _head_score if way.match == "head" else _partial_score
        by_name |= {key: response for key, response, _ in best(*left(), score)}
    return by_name


# Measures


def _owners(chains: Chains) -> dict[Mention, int]:
    """The last chain that has each mention."""
    return {mention: number for number, chain in enumerate(chains) for mention in chain}


def _meetings(chains: Chains, others: Chains, pairs: Pairs) -> list[list[int]]:
    """For each chain, the chains of the other side that own the counterparts of its mentions."""
    owner = _owners(others)
    return [[owner[pairs[each]] for each in chain if each in pairs] for chain in chains]


def _muc(chains: Chains, others: Chains, pairs: Pairs) -> tuple[Fraction, Fraction]:
    met = _meetings(chains, others, pairs)
    return Fraction(sum(len(each) - len({*each}) for each in met)), Fraction(sum(len(each) - 1 for each in chains))


def _b_cubed(chains: Chains, others: Chains, pairs: Pairs) -> tuple[Fraction, Fraction]:
    met = _meetings(chains, others, pairs)
    shares = [
        Fraction(sum(each.count(j) ** 2 for j in {*each}), len(chain)) for chain, each in zip(chains, met, strict=True)
    ]
    return sum(shares, Fraction()), Fraction(sum(map(len, chains)))


def _lea(chains: Chains, others: Chains, pairs: Pairs) -> tuple[Fraction, Fraction]:
    value = Fraction()
    for chain, met in zip(chains, _meetings(chains, others, pairs), strict=True):
        if len(chain) == 1:
            value += sum(len(others[j]) == 1 for j in met)
        else:
            links = sum(one == other for one, other in combinations(met, 2))
            value += Fraction(links * len(chain) * 2, len(chain) * (len(chain) - 1))
    return value, Fraction(sum(map(len, chains)))


def _links(chains: Chains, others: Chains, pairs: Pairs, *, same: bool) -> tuple[Fraction, Fraction]:
    """Links within chains, or between them: all, and those that the other side has."""
    owner = _owners(others)
    copies = [(number, each) for number, chain in enumerate(chains) for each in chain]
    links = [(one, other) for (i, one), (j, other) in combinations(copies, 2) if (i == j) == same]
    common = [
        (one, other)
        for one, other in links
        if one in pairs and other in pairs and (owner[pairs[one]] == owner[pairs[other]]) == same
    ]
    return Fraction(len(common)), Fraction(len(links))


def _ceaf(key: Chains, response: Chains, pairs: Pairs, *, by_chain: bool) -> Counts:
    def similarity(ours: list[Mention], theirs: list[Mention]) -> Fraction:
        common = len({pairs[each] for each in ours if each in pairs} & {*theirs})
        return Fraction(2 * common, len(ours) + len(theirs)) if by_chain else Fraction(common)

    table = [[similarity(ours, theirs) for theirs in response] for ours in key]
    dense = np.array(table, dtype=float).reshape(len(key), len(response))
    value = sum((table[i][j] for i, j in zip(*linear_sum_assignment(dense, maximize=True), strict=True)), Fraction())
    sizes = [Fraction(len(side) if by_chain else sum(map(len, side))) for side in (key, response)]
    return Counts(value, sizes[0], value, sizes[1])


def _mor(key: Chains, response: Chains) -> Counts:
    """Words of mentions that are matched one to one, whatever else; a mention of several chains is there as often."""
    ours, theirs = ([mention for chain in side for mention in chain] for side in (key, response))
    common = sum((score for _, _, score in best(ours, theirs, _common_words)), Fraction())
    sizes = [Fraction(sum(len(each.words) for each in side)) for side in (ours, theirs)]
    return Counts(common, sizes[0], common, sizes[1])


def _zeros(key: Chains, response: Chains, pairs: Pairs) -> Counts:
    """Zeros of the key that are not the first of their chain, and of the response, by tp, wl, fn and fp."""
    owner = _owners(response)
    ordered = [sorted(chain, key=lambda item: item.order) for chain in response]
    tp = fp = fn = wl = 0
    resolved: set[Mention] = set()
    for chain in key:
        in_order = sorted(chain, key=lambda item: item.order)
        for index, mention in enumerate(in_order):
            if not index or not mention.is_zero:
                continue
            counterpart = pairs.get(mention)
            if counterpart is not None:
                resolved.add(counterpart)
            if counterpart is None or ordered[owner[counterpart]][0] == counterpart:
                fn += 1
                continue
            is_right = owner[counterpart] in {owner[pairs[item]] for item in in_order[:index] if item in pairs}
            tp, wl = tp + is_right, wl + (not is_right)
    first = {item for item, number in owner.items() if ordered[number][0] == item}
    fp = sum(item.is_zero and item not in resolved | first for chain in ordered for item in chain[1:])
    return Counts(*map(Fraction, (tp, tp + fn + wl, tp, tp + fp + wl)))


def count(key: Chains, response: Chains, way: Way) -> dict[str, Counts]:
    """What the measures divide, of one document."""
    key, response = clean(key, way), clean(response, way)
    ours, theirs = distinct(key), distinct(response)
    pairs = matched(ours, theirs, way)
    back = {other: one for one, other in pairs.items()}

    def both(part: Callable[[Chains, Chains, Pairs], tuple[Fraction, Fraction]]) -> Counts:
        return Counts(*part(key, response, pairs), *part(response, key, back))

    def blanc(*, same: bool) -> Counts:
        """What is common are the key's links that the response has, for precision, too."""
        common, links = _links(key, response, pairs, same=same)
        return Counts(common, links, common, _links(response, key, back, same=same)[1])

    sizes = [Fraction(len(each)) for each in (pairs, ours, pairs, theirs)]
    return {
        "mentions": Counts(*sizes),
        "muc": both(_muc),
        "b_cubed": both(_b_cubed),
        "ceaf_m": _ceaf(key, response, pairs, by_chain=False),
        "ceaf_e": _ceaf(key, response, pairs, by_chain=True),
        "lea": both(_lea),
        "coreference": blanc(same=True),
        "non-coreference": blanc(same=False),
        "mor": _mor(key, response),
        "zero": _zeros(key, response, pairs),
    }


def scores(keys: Iterable[Chains], responses: Iterable[Chains], way: Way) -> dict[str, Prf]:
    """From the sums over documents; a half of BLANC counts if one of the sides has links of that kind."""
    counts = [count(key, response, way) for key, response in zip(keys, responses, strict=True)]
    sums = {name: total(each[name] for each in counts) for name in counts[0]}
    halves = [sums.pop(name) for name in ("coreference", "non-coreference")]
    all_scores = {name: prf(each) for name, each in sums.items()}
    kept = [prf(half) for half in halves if half.key or half.response]
    all_scores["blanc"] = (
        Prf(*(sum(column) / len(kept) for column in zip(*kept, strict=True))) if kept else Prf(0, 0, 0)
    )
    three = [all_scores[name] for name in ("muc", "b_cubed", "ceaf_e")]
    all_scores["mela"] = Prf(*(sum(column) / 3 for column in zip(*three, strict=True)))
    return all_scores
