"""Annotations from plain lists of coreference chains, a list a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.problems import InputError
from evenhand.settings import choose
from evenhand.text.annotation import LISTS, Annotation, Layer, Reading
from evenhand.text.chains import Chains
from evenhand.text.codes import Coder
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Written
from evenhand.text.list_checks import check_name, is_text, listed, lists, numbers
from evenhand.text.lists import bounds_of, tokens_of

Documents = Iterable[Iterable[Iterable[tuple[int, int]]]]
_CHAINS = "give a list of chains for each document, such as [[[(0, 2), (5, 6)]]]"


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
    check_name(name)
    choose("end", end, ("exclusive", "inclusive"))
    size, layer = _layer(documents, name, behind=end == "inclusive")
    unnamed = names is None
    names = [str(number) for number in range(1, size + 1)] if names is None else _names(names, size, name)
    words = None if tokens is None else lists(tokens, "document", name, "give a list of tokens for each document")
    bounds = None if words is None else bounds_of(words)
    _check(layer, size, None if bounds is None else np.diff(bounds), name)
    layers: dict[str, Layer] = {"chains": layer}
    tags = None if bounds is None else tokens_of(pos, bounds, name, "POS", "document")
    if tags is not None:
        layers["pos"] = Written(tags, Coder())
    elif pos is not None:
        raise InputError(name, None, "there are POS but no tokens", "give both")
    corpus = Corpus(
        name,
        size,
        bounds,
        None if bounds is None else tokens_of(words, bounds, name, where="document"),
        documents=np.arange(size),
        names=tuple(names),
        unnamed=unnamed,
    )
    return Annotation(corpus, layers, {"chains": Reading(LISTS)}, name)


def _names(names: Any, size: int, name: str) -> list[str]:
    """The names of documents, if there is a text of its own for each."""
    remedy = "give every document a name of its own"
    given = listed(names, "names", name, remedy)
    wrong = [each for each in given if not is_text(each)]
    if wrong:
        raise InputError(name, None, f"the name {shown(wrong[0])} of a document is no text", remedy)
    if len(given) != size or len(set(given)) < size:
        raise InputError(name, None, "names and documents do not match", remedy)
    return given


def _layer(documents: Any, name: str, *, behind: bool) -> tuple[int, Chains]:
    """How many documents there are, and their chains; `behind` says whether ends must move behind the last token."""
    given = lists(documents, "document", name, _CHAINS)
    rows, number = list[tuple[int, int, Any]](), 0
    for document, each in enumerate(given):
        for chain in lists(each, f"document {document + 1}, chain", name, _CHAINS, sets=True):
            rows += [(document, number, mention) for mention in chain]
            number += 1
    wrong = next((row for row in rows if not isinstance(row[2], list | tuple) or len(row[2]) != 2), None)
    if wrong is not None:
        finding = f"document {wrong[0] + 1} has {shown(wrong[2])} where a mention (start, end) should be"
        raise InputError(name, None, finding, _CHAINS)
    start, end = (numbers([row[2][at] for row in rows], "the position", name, _CHAINS) for at in (0, 1))
    document_of, chain_of = (ints([row[at] for row in rows]) for at in (0, 1))
    return len(given), Chains.of(Vocabulary(), document_of, start, end + behind, chain_of)


def _check(chains: Chains, documents: int, lengths: Ints | None, name: str) -> None:
    wrong = (chains.start < 0) | (chains.start >= chains.end)
    if lengths is not None:
        if len(lengths) != documents:
            raise InputError(name, None, "there are not as many lists of tokens as documents", "give one for each")
        wrong |= chains.end > lengths[chains.document]
    if wrong.any():
        row = int(wrong.argmax())
        finding = f"a mention of document {chains.document[row] + 1} covers [{chains.start[row]}, {chains.end[row]})"
        raise InputError(name, None, finding, "mentions cover tokens of their document, counted from 0")
