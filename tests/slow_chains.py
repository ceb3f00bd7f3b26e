"""Coreference scores written straight from their definitions, one document at a time, with no thought of speed.

A document is a list of chains, a chain a list of mentions, a mention a span (start, end) of tokens with an
**inclusive** end. The scores take cleaned chains; `scores` and `mela` clean by themselves. ARCS is in `slow_arcs`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

Mention = tuple[int, ...]
"""(start, end), and after `clean` (start, end, number of the copy)."""
Chains = Sequence[Sequence[Mention]]


class Document(NamedTuple):
    key: Chains
    response: Chains


class Counts(NamedTuple):
    """Recall is covered / key, precision is right / response; counts of documents add up."""

    covered: Fraction
    key: Fraction
    right: Fraction
    response: Fraction


class Prf(NamedTuple):
    precision: float
    recall: float
    f1: float


def read_columns(text: str) -> dict[str, list[list[Mention]]]:
    """The chains of every document of CoNLL columns, by what follows `#begin document`; chains by first bracket."""
    documents: dict[str, list[list[Mention]]] = {}
    name, cells = "", list[str]()
    for line in text.splitlines():
        if line.startswith("#begin document"):
            name, cells = " ".join(line.split()[2:]), []
        elif line.startswith("#end document"):
            documents[name] = _chains(cells)
        elif line.strip() and not line.startswith("#"):
            cells.append(line.split("\t")[-1].strip() if "\t" in line else line.split()[-1])
    return documents


def _chains(cells: list[str]) -> list[list[Mention]]:
    """Brackets from left to right; a closing bracket ends the chain's mention that was opened last.

    Chains are numbered as the official scorer does: in each cell, brackets of one token (`(5)`) come first.
    """
    chains: dict[str, list[Mention]] = {}
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for token, cell in enumerate(cells):
        for name in [*re.findall(r"\((\d+)\)", cell), *re.findall(r"\((\d+)", cell)]:
            chains.setdefault(name, [])
        for opening, name, closing in re.findall(r"(\(?)(\d+)(\)?)", cell):
            if opening:
                opened[name].append(token)
            if closing:
                chains[name].append((opened[name].pop(), token))
    assert not any(opened.values()), "a bracket is never closed"
    return list(chains.values())


def paired(key: dict[str, list[list[Mention]]], response: dict[str, list[list[Mention]]]) -> list[Document]:
    return [Document(chains, response.get(name, [])) for name, chains in key.items()]


class Cleaned(NamedTuple):
    key: list[list[Mention]]
    response: list[list[Mention]]
    key_repeats: int
    response_repeats: int
    """How often a span of the response had occurred before in it, dropped or not."""
    dropped: int
    """How many of these were dropped: those whose span is in the key."""


def first_only(chains: Chains) -> tuple[list[list[Mention]], int]:
    """Every span in the first chain that has it, once; and the number of repeats. For the key, and for ARCS."""
    seen: set[Mention] = set()
    kept: list[list[Mention]] = []
    for chain in chains:
        kept.append([])
        for mention in chain:
            if mention not in seen:
                seen.add(mention)
                kept[-1].append(mention)
    return [chain for chain in kept if chain], sum(map(len, chains)) - len(seen)


def clean(key: Chains, response: Chains) -> Cleaned:
    """For all scores but ARCS: a repeat of a key's span is dropped, a repeat of any other span is one more mention."""
    first_key, key_repeats = first_only(key)
    in_key = _mentions(first_key)
    seen: Counter[Mention] = Counter()
    kept: list[list[Mention]] = []
    for chain in response:
        kept.append([])
        for span in chain:
            if not (span in in_key and seen[span]):
                kept[-1].append((*span, seen[span]))
            seen[span] += 1
    repeats = sum(n - 1 for n in seen.values())
    dropped = sum(n - 1 for span, n in seen.items() if span in in_key)
    numbered = [[(*span, 0) for span in chain] for chain in first_key]
    return Cleaned(numbered, [chain for chain in kept if chain], key_repeats, repeats, dropped)


def without_singletons(chains: Chains) -> list[list[Mention]]:
    return [list(chain) for chain in chains if len(chain) > 1]


def _mentions(chains: Chains) -> set[Mention]:
    return {mention for chain in chains for mention in chain}


def _chain_of(mention: Mention, chains: Chains) -> set[Mention]:
    return next((set(chain) for chain in chains if mention in chain), set())


def _both_ways(
    part_and_whole: Callable[[Chains, Chains], tuple[Fraction, int]], key: Chains, response: Chains
) -> Counts:
    found, in_key = part_and_whole(key, response)
    right, in_response = part_and_whole(response, key)
    return Counts(Fraction(found), Fraction(in_key), Fraction(right), Fraction(in_response))


def _same_ways(common: Fraction | int, key: int, response: int) -> Counts:
    return Counts(Fraction(common), Fraction(key), Fraction(common), Fraction(response))


def mentions(key: Chains, response: Chains) -> Counts:
    """Spans that key and response share."""
    ours, theirs = _mentions(key), _mentions(response)
    return _same_ways(len(ours & theirs), len(ours), len(theirs))


def muc(key: Chains, response: Chains) -> Counts:
    """Vilain et al. 1995: sum |K| - |p(K)| over sum |K| - 1, p(K) being K cut up by the response's chains."""

    def links(ours: Chains, theirs: Chains) -> tuple[Fraction, int]:
        kept = 0
        for chain in map(set, ours):
            parts = [chain & set(other) for other in theirs if chain & set(other)]
            alone = [{mention} for mention in chain - _mentions(theirs)]
            kept += len(chain) - len(parts + alone)
        return Fraction(kept), sum(len(chain) - 1 for chain in ours)

    return _both_ways(links, key, response)


def b_cubed(key: Chains, response: Chains) -> Counts:
    """Bagga and Baldwin 1998: for every mention |K_m & R_m| / |K_m|; a mention that is missing has an empty R_m."""

    def shares(ours: Chains, theirs: Chains) -> tuple[Fraction, int]:
        values = [Fraction(len(set(c) & _chain_of(m, theirs)), len(c)) for c in ours for m in c]
        return sum(values, Fraction()), len(values)

    return _both_ways(shares, key, response)


def _best_alignment(
    key: Chains, response: Chains, similarity: Callable[[set[Mention], set[Mention]], Fraction]
) -> Fraction:
    """Luo 2005: the largest sum of similarities of a one-to-one alignment of chains."""
    table = [[similarity(set(k), set(r)) for r in response] for k in key]
    dense = np.array(table, dtype=float).reshape(len(key), len(response))
    rows, columns = linear_sum_assignment(dense, maximize=True)
    return sum((table[i][j] for i, j in zip(rows, columns, strict=True)), Fraction())


def ceaf_m(key: Chains, response: Chains) -> Counts:
    """Luo 2005, phi_3 = |K & R|, over the number of mentions."""
    best = _best_alignment(key, response, lambda k, r: Fraction(len(k & r)))
    return _same_ways(best, sum(map(len, key)), sum(map(len, response)))


def ceaf_e(key: Chains, response: Chains) -> Counts:
    """Luo 2005, phi_4 = 2 |K & R| / (|K| + |R|), over the number of chains."""
    best = _best_alignment(key, response, lambda k, r: Fraction(2 * len(k & r), len(k) + len(r)))
    return _same_ways(best, len(key), len(response))


def blanc(key: Chains, response: Chains) -> tuple[Counts, Counts]:
    """Luo et al. 2014: coreference links and non-coreference links, each side over its own mentions."""

    def links(chains: Chains) -> tuple[set[tuple[Mention, Mention]], set[tuple[Mention, Mention]]]:
        chain_of = {mention: i for i, chain in enumerate(chains) for mention in chain}
        pairs = set(combinations(sorted(chain_of), 2))
        same = {(one, other) for one, other in pairs if chain_of[one] == chain_of[other]}
        return same, pairs - same

    (same, apart), (their_same, their_apart) = links(key), links(response)
    return (
        _same_ways(len(same & their_same), len(same), len(their_same)),
        _same_ways(len(apart & their_apart), len(apart), len(their_apart)),
    )


def lea(key: Chains, response: Chains) -> Counts:
    """Moosavi and Strube 2016: per chain |K| times the share of its links that exist; a singleton links to itself."""

    def links(chain: Iterable[Mention]) -> set[tuple[Mention, Mention]]:
        ordered = sorted(chain)
        return set(combinations(ordered, 2)) if len(ordered) > 1 else {(ordered[0], ordered[0])}

    def resolved(ours: Chains, theirs: Chains) -> tuple[Fraction, int]:
        existing = set().union(*map(links, theirs))
        values = [len(c) * Fraction(len(links(c) & existing), len(links(c))) for c in ours]
        return sum(values, Fraction()), sum(map(len, ours))

    return _both_ways(resolved, key, response)


CLUSTER_SCORES: dict[str, Callable[[Chains, Chains], Counts]] = {
    "mentions": mentions,
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "lea": lea,
}


def total(counts: Iterable[Counts]) -> Counts:
    zero = (Fraction(),) * 4
    return Counts(*(sum(column, Fraction()) for column in zip(zero, *counts, strict=True)))


def _ratio(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole if whole else Fraction()


def prf(counts: Counts) -> Prf:
    """Zero over zero is zero."""
    recall, precision = _ratio(counts.covered, counts.key), _ratio(counts.right, counts.response)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return Prf(float(precision), float(recall), float(f1))


def blanc_prf(same: Counts, apart: Counts) -> Prf:
    """The mean of the halves, F1 too; only the other half where the key of all documents has no link of a kind."""
    halves = [prf(half) for half in (same, apart) if half.key]
    if not halves:
        return Prf(0.0, 0.0, 0.0)
    return Prf(*(sum(column) / len(halves) for column in zip(*halves, strict=True)))


def scores(documents: Sequence[Document], singletons: bool = True) -> dict[str, Prf]:
    """From the sums over documents; repeated spans are cleaned against the full key before singletons are removed."""
    pairs = [clean(document.key, document.response)[:2] for document in documents]
    if not singletons:
        pairs = [(without_singletons(key), without_singletons(response)) for key, response in pairs]
    result = {name: prf(total(score(*pair) for pair in pairs)) for name, score in CLUSTER_SCORES.items()}
    links = [blanc(*pair) for pair in pairs]
    result["blanc"] = blanc_prf(total(same for same, _ in links), total(apart for _, apart in links))
    return result


def mela(documents: Sequence[Document], singletons: bool = True) -> float:
    """The mean of the F1 of MUC, B³ and CEAFe."""
    result = scores(documents, singletons)
    return (result["muc"].f1 + result["b_cubed"].f1 + result["ceaf_e"].f1) / 3
