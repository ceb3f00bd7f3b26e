"""What brackets cannot say of chains: how many mentions would come back otherwise than they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush

from evenhand.formats.parsing.mention_brackets import MentionParts, Ranges
from evenhand.text.chains import Chains


def crossing_in_chain(chains: Chains) -> int:
    """How many mentions have a part that crosses one of another mention of their chain.

    Brackets of one chain close last in, first out, so that such parts would change bounds.
    """
    crossing: set[int] = set()
    open_ends: list[int] = []
    last_chain = -1
    for chain, begin, negative_last, mention in sorted(_parts(chains)):
        if chain != last_chain:
            open_ends, last_chain = [], chain
        while open_ends and open_ends[0] < begin:
            heappop(open_ends)
        if open_ends and open_ends[0] < -negative_last:
            crossing.add(mention)
        heappush(open_ends, -negative_last)
    return len(crossing)


def _parts(chains: Chains) -> Iterator[tuple[int, int, int, int]]:
    """The parts of all mentions: chain, first token, last token as a negative number, and the row of the mention."""
    for row, (_, chain, start, end, gaps) in enumerate(chains.rows()):
        for begin, last in parts_of(start, end, gaps):
            yield chain, begin, -last, row


def mixed_parts(chains: Chains) -> int:
    """How many mentions with gaps would get parts of others: a part belongs to the last mention that misses it."""
    found = 0
    for several in _with_gaps(chains).values():
        parts = [(each, number, ranges) for ranges in several for number, each in enumerate(ranges, 1)]
        joined = MentionParts()
        # In the order of their brackets in the file.
        for part, number, ranges in sorted(parts, key=lambda row: (row[0][0], -row[0][1])):
            joined.add(len(ranges), number, part)
        read = Counter(map(tuple, joined.mentions))
        found += (Counter(map(tuple, several)) - read).total()
    return found


def _with_gaps(chains: Chains) -> dict[int, list[Ranges]]:
    """By chain, the parts of its mentions that have several, where there are several such mentions."""
    found: defaultdict[int, list[Ranges]] = defaultdict(list)
    for _, chain, start, end, gaps in chains.take(chains.shape > 0).rows():
        found[chain].append(list(parts_of(start, end, gaps)))
    return {chain: several for chain, several in found.items() if len(several) > 1}


def parts_of(start: int, end: int, gaps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The first and last tokens of the parts that gaps leave; gaps are sorted, and none is first or last."""
    begin = start
    for gap in gaps:
        if start + gap > begin:
            yield begin, start + gap - 1
        begin = start + gap + 1
    yield begin, end - 1


def other_first_chains(chains: Chains, *, single_first: bool) -> int:
    """How many repeated spans another chain would keep: the first one is told by its first bracket, then.

    Where mentions begin at the same token, those of one token are the first if `single_first` says so.
    """
    by_span: defaultdict[tuple[object, ...], set[int]] = defaultdict(set)
    first_row: dict[int, int] = {}
    first_bracket: dict[int, tuple[int, bool, int]] = {}
    for row, (document, chain, start, end, gaps) in enumerate(chains.rows()):
        by_span[document, start, end, gaps].add(chain)
        first_row.setdefault(chain, row)
        bracket = (start, single_first and end > start + 1, row)
        first_bracket[chain] = min(first_bracket.get(chain, bracket), bracket)
    shared = [each for each in by_span.values() if len(each) > 1]
    return sum(min(each, key=first_row.__getitem__) != min(each, key=first_bracket.__getitem__) for each in shared)
