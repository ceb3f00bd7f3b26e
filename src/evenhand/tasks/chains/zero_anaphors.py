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

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.tasks.chains.kinds import ZERO_KINDS
from evenhand.tasks.chains.links import Table
from evenhand.tasks.chains.matched_sides import MatchedSides, Side


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
    counts = [*(by_document(of_key[each]) for each in kinds), by_document(response.chains.document[spurious])]
    return {f"zero.{kind}": each for kind, each in zip(ZERO_KINDS, counts, strict=True)}


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
    found = np.empty_like(order)
    found[order] = np.arange(len(order)) - np.searchsorted(chain, chain)
    return found


def _begins(side: Side, place: Ints) -> Bools:
    """Which mentions are the first of the chain that owns them."""
    found = np.zeros(len(side.mentions), dtype=np.bool_)
    found[side.mention[(place == 0) & (side.owner[side.mention] == side.chain)]] = True
    return found


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
