"""Annotations from plain lists of coreference chains, a list a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.problems import InputError
from evenhand.settings import choose
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.chains import Chains
from evenhand.text.codes import Coder
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Written
from evenhand.text.lists import bounds_of, tokens_of

Documents = Iterable[Iterable[Iterable[tuple[int, int]]]]


def chains(
    documents: Documents,
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    tokens: Iterable[Sequence[str]] | None = None,
    pos: Iterable[Sequence[str]] | None = None,
    names: Sequence[str] | None = None,
    name: str = "chains",
) -> Annotation:
    """An annotation from coreference chains: `chains([[[(0, 2), (5, 6)], [(3, 4)]]])`, a list of chains a document.

    A mention is (start, end), in tokens of its document; `end` says whether the end is its last token or the one behind
    it. `tokens` and `pos` are lists of words and their POS, one a document: with them, the two sides of a comparison
    are checked for equal words, and nominal mentions are known. Documents are matched by `names`, or by their order.
    """
    choose("end", end, ("exclusive", "inclusive"))
    size, layer = _layer(documents, behind=end == "inclusive")
    unnamed = names is None
    names = [str(number) for number in range(1, size + 1)] if names is None else names
    if len(names) != size or len(set(names)) < size:
        raise InputError(name, None, "names and documents do not match", "give every document a name of its own")
    words = None if tokens is None else [list(each) for each in tokens]
    bounds = None if words is None else bounds_of(words)
    _check(layer, size, None if bounds is None else np.diff(bounds), name)
    layers: dict[str, Layer] = {"chains": layer}
    tags = None if bounds is None else tokens_of(pos, bounds, name)
    if tags is not None:
        layers["pos"] = Written(tags, Coder())
    elif pos is not None:
        raise InputError(name, None, "there are POS but no tokens", "give both")
    corpus = Corpus(
        name,
        size,
        bounds,
        None if bounds is None else tokens_of(words, bounds, name),
        documents=np.arange(size),
        names=tuple(names),
        unnamed=unnamed,
    )
    return Annotation(corpus, layers, {"chains": Reading("lists")}, name)


def _layer(documents: Documents, *, behind: bool) -> tuple[int, Chains]:
    """How many documents there are, and their chains; `behind` says whether ends must move behind the last token."""
    rows, count, number = list[tuple[int, int, int, int]](), 0, 0
    for document, listed in enumerate(documents):
        for chain in listed:
            rows += [(document, start, end + behind, number) for start, end in chain]
            number += 1
        count += 1
    return count, Chains.of(Vocabulary(), *ints(rows).reshape(-1, 4).T)


def _check(chains: Chains, documents: int, lengths: Ints | None, name: str) -> None:
    wrong = (chains.start < 0) | (chains.start >= chains.end)
    if lengths is not None:
        if len(lengths) != documents:
            raise InputError(name, None, "there are not as many lists of tokens as documents", "give one for each")
        wrong |= chains.end > lengths[chains.document]
    if wrong.any():
        row = int(wrong.argmax())
        finding = f"a mention of document {chains.document[row]} covers [{chains.start[row]}, {chains.end[row]})"
        raise InputError(name, None, finding, "mentions cover tokens of their document, counted from 0")
