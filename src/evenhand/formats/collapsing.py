"""Collapsing of empty nodes: paths over them become edges between words, in the column DEPS of CoNLL-U.

An edge from an empty node to a word is replaced: every path back over empty nodes to a word, or to the root, becomes an
edge, whose label is the labels on the path with `>` between them (`2:conj:and>nsubj`). Numbers of empty nodes are left
out, and equal edges of such a word count once. A path visits no empty node twice. Empty nodes without parents or
children vanish.

Sources: Bouma et al. 2020; the script enhanced_collapse_empty_nodes.pl of Universal Dependencies, which in its last
step lets some paths visit a node twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.text.tokens import PADDING, Tokens

Edge = tuple[str, str]
"""The number of the parent, and the label."""
Report = Callable[[int, str], Exception]
"""The error for a line, and what was found there."""
NOTHING = "_"
MOST_PATHS = 10_000
"""How many paths a word may have."""


def edges_of(cell: str) -> list[Edge]:
    """The edges of a cell of DEPS."""
    parts = (each.partition(":") for each in cell.split("|")) if cell not in (NOTHING, "") else ()
    return [(head, label) for head, _, label in parts]


def collapsed(edges: Sequence[Edge], parents: Mapping[str, Sequence[Edge]]) -> list[Edge] | None:
    """The edges of a word without empty nodes, whose parents these are; None where there are too many."""
    found: dict[Edge, None] = {}
    for head, label in edges:
        for place, (top, path) in enumerate(_paths(head, parents)):
            if place == MOST_PATHS:
                return None
            found[top, ">".join((*path, label))] = None
    return list(found)


def _paths(head: str, parents: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words, or the root, that lead to a node, each with the labels on the way."""
    waiting: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(head, (), frozenset())]
    while waiting:
        node, path, seen = waiting.pop()
        if "." not in node:
            yield node, path
        elif node not in seen:
            above = reversed(parents.get(node, ()))
            waiting += [(parent, (label, *path), seen | {node}) for parent, label in above]


def collapsed_cells(
    cells: Tokens, sentence: Ints, ids: Tokens, nodes: Tokens, node_sentence: Ints, report: Report
) -> Tokens:
    """The cells of DEPS of all words without empty nodes, whose numbers and cells are `ids` and `nodes`."""
    parents: dict[int, dict[str, list[Edge]]] = {}
    for row, each in enumerate(node_sentence.tolist()):
        parents.setdefault(each, {})[ids[row]] = edges_of(nodes[row])
    extra, size = list[bytes](), cells.size
    start, end = cells.start.copy(), cells.end.copy()
    for word in np.flatnonzero(np.isin(sentence, list(parents))).tolist():
        edges = edges_of(cells[word])
        if not any("." in head for head, _ in edges):
            continue
        found = collapsed(edges, parents[int(sentence[word])])
        if found is None:
            raise report(word, f"more than {MOST_PATHS:,} paths over empty nodes lead to this word")
        text = ("|".join(f"{head}:{label}" for head, label in found) or NOTHING).encode()
        extra.append(text)
        start[word], end[word] = size, size + len(text)
        size += len(text)
    return Tokens(b"".join((cells.data[: cells.size], *extra, PADDING)), start, end) if extra else cells
