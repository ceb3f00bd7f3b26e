"""What brackets cannot say of chains: how many mentions would come back otherwise than they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from evenhand.text.chains import Chains


def crossing_in_chain(chains: Chains) -> int:
    """How many mentions cross another one of their chain: brackets of one chain close last in, first out."""
    found, last_chain = 0, -1
    open_ends: list[int] = []
    ordered = chains.take(np.lexsort((-chains.end, chains.start, chains.chain)))
    columns = (ordered.chain, ordered.start, ordered.end)
    for chain, start, end in zip(*(column.tolist() for column in columns), strict=True):
        open_ends = [each for each in open_ends if each > start] if chain == last_chain else []
        found += any(each < end for each in open_ends)
        open_ends.append(end)
        last_chain = chain
    return found


def mixed_parts(chains: Chains) -> int:
    """How many mentions with gaps would get parts of others: a part belongs to the last mention that misses it."""
    found = 0
    for several in _with_gaps(chains).values():
        parts = [
            (begin, -last, number, len(ranges), mention)
            for mention, ranges in enumerate(several)
            for number, (begin, last) in enumerate(ranges)
        ]
        begun: defaultdict[int, list[list[int]]] = defaultdict(list)
        for _, _, number, size, mention in sorted(parts):
            owner = next((each for each in reversed(begun[size]) if len(each) == number), None)
            if owner is None:
                begun[size].append([mention])
            else:
                owner.append(mention)
        found += sum(len(set(each)) > 1 for groups in begun.values() for each in groups)
    return found


def _with_gaps(chains: Chains) -> dict[int, list[list[tuple[int, int]]]]:
    """By chain, the parts of its mentions that have several, where there are several such mentions."""
    found: defaultdict[int, list[list[tuple[int, int]]]] = defaultdict(list)
    for row in np.flatnonzero(chains.shape).tolist():
        gaps = chains.vocabulary.shapes[int(chains.shape[row])]
        found[int(chains.chain[row])].append(list(parts_of(int(chains.start[row]), int(chains.end[row]), gaps)))
    return {chain: several for chain, several in found.items() if len(several) > 1}


def parts_of(start: int, end: int, gaps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The first and last tokens of the parts that gaps leave."""
    tokens = [token for token in range(start, end) if token - start not in gaps]
    breaks = [at for at in range(1, len(tokens)) if tokens[at] > tokens[at - 1] + 1]
    for begin, behind in zip([0, *breaks], [*breaks, len(tokens)], strict=True):
        yield tokens[begin], tokens[behind - 1]


def other_first_chains(chains: Chains) -> int:
    """How many repeated spans another chain would keep: the first one is told by its first bracket, then."""
    by_span: defaultdict[tuple[int, int, int, int], set[int]] = defaultdict(set)
    first_row: dict[int, int] = {}
    first_bracket: dict[int, tuple[int, int]] = {}
    columns = (chains.document, chains.start, chains.end, chains.shape, chains.chain)
    for row, (*span, chain) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        by_span[span[0], span[1], span[2], span[3]].add(chain)
        first_row.setdefault(chain, row)
        first_bracket[chain] = min(first_bracket.get(chain, (span[1], row)), (span[1], row))
    shared = [each for each in by_span.values() if len(each) > 1]
    return sum(min(each, key=first_row.__getitem__) != min(each, key=first_bracket.__getitem__) for each in shared)
