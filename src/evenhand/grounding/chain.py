"""The longest chain of occurrences in the order of the output: which occurrence of a repeated string an item means.

A model mostly lists what it finds in the order of the text. So items are given occurrences, at most one each, such that
as many items as possible have one and each begins at or after the end of the one before; of such chains, the one whose
ends are earliest counts. Above 200,000 occurrences in a document, each item takes the first one at or after the end of
the one before.

Source: Evenhand's own rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from evenhand.grounding.forms import Span

MOST_CANDIDATES = 200_000
"""Above so many occurrences of all items of a document, chains are made greedily."""

_Link = tuple[int, Span, "_Link | None"]
"""An item's number, its occurrence, and the link before it."""


def longest_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """The occurrences that items get, by their numbers; `candidates` are the occurrences of each, from the left.

    `ends[k]` is the earliest end of a chain of k + 1 items; only a strictly earlier end replaces it. An item's
    occurrences are tried from the right, so that it extends only chains that were made before it.
    """
    ends, links = list[int](), list[_Link]()
    for number, spans in enumerate(candidates):
        for span in reversed(spans):
            length = bisect_right(ends, span[0])
            if length == len(ends):
                ends.append(span[1])
                links.append((number, span, links[length - 1] if length else None))
            elif span[1] < ends[length]:
                ends[length] = span[1]
                links[length] = (number, span, links[length - 1] if length else None)
    chain = dict[int, Span]()
    link = links[-1] if links else None
    while link:
        chain[link[0]] = link[1]
        link = link[2]
    return chain


def greedy_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """Each item gets its first occurrence at or after the end of the last one, if there is any."""
    chain = dict[int, Span]()
    cursor = 0
    for number, spans in enumerate(candidates):
        at = bisect_left(spans, (cursor, 0))
        if at < len(spans):
            chain[number] = spans[at]
            cursor = spans[at][1]
    return chain
