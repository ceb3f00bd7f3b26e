"""Annotations from plain lists of entity links, a list a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand.arguments import shown
from evenhand.problems import InputError
from evenhand.text.annotation import LISTS, Annotation, Reading
from evenhand.text.link_names import LAYER
from evenhand.text.links import Link, coded_links
from evenhand.text.list_checks import check_name, is_text, lists
from evenhand.text.lists import parts_of
from evenhand.text.span_lists import spans

LinkTuple = tuple[str, int, int, str | Sequence[str]]
_LINKS = 'give a list of (label, start, end, identifiers) for each document, such as [[("LOC", 0, 1, ["Q90"])]]'


def links(
    documents: Iterable[Iterable[LinkTuple]] | Mapping[str, Iterable[LinkTuple]],
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    first: Literal[0, 1] = 0,
    lengths: Sequence[int] | Mapping[str, int] | None = None,
    tokens: Iterable[Sequence[str]] | Mapping[str, Sequence[str]] | None = None,
    text: Iterable[str] | Mapping[str, str] | None = None,
    name: str = "links",
) -> Annotation:
    """An annotation from entity links: `links([[("LOC", 0, 1, ["Q90", "Q167646"])]])`, a list a document.

    A link is (label, start, end, identifiers): an identifier, or a list of them, the best one first. One that, behind
    its last colon, begins with NIL says that the knowledge base lacks the entity; an empty list is a span without a
    link, which takes no part. A mapping has documents by their ids, by which they are matched. All other arguments are
    those of `spans`, with documents in place of sentences.
    """
    check_name(name)
    by_id = isinstance(documents, Mapping)
    given = lists(list(documents.values()) if isinstance(documents, Mapping) else documents, "document", name, _LINKS)
    rows = [[parts_of(each, (4,), number, name, _LINKS) for each in some] for number, some in enumerate(given, 1)]
    found = [_link(row[3], number, name) for number, some in enumerate(rows, 1) for row in some]
    plain: list[Any] = [[tuple(row[:3]) for row in some] for some in rows]
    named: Any = dict(zip(documents, plain, strict=True)) if by_id else plain
    made = spans(named, end=end, first=first, lengths=lengths, tokens=tokens, text=text, name=name)
    layer = made.spans()
    layer = replace(layer, extra=coded_links(found, layer.vocabulary))
    corpus = replace(made.corpus, documents=np.arange(made.corpus.sentences))
    return Annotation(corpus, {LAYER: layer}, {LAYER: Reading(LISTS)}, name)


def _link(value: Any, document: int, name: str) -> Link:
    """The identifiers of a span."""
    identifiers = [value] if isinstance(value, str) else value
    is_list = isinstance(identifiers, list | tuple)
    if not is_list or not all(is_text(each) and each.strip() for each in identifiers):
        finding = f"document {document} has {shown(value)} where identifiers should be"
        raise InputError(name, None, finding, _LINKS)
    return Link(tuple(identifiers))
