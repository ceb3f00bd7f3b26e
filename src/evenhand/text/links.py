"""Entity links: spans with ranked identifiers of a knowledge base.

A link belongs to a span. It is a ranked list of identifiers, the first of which is the answer. An identifier that,
behind its last colon, begins with `NIL` says that the knowledge base lacks the entity. A span without a link takes no
part in scores. Links are the `extra` of spans in a layer of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans


class Link(NamedTuple):
    """The identifiers of a span, the best one first."""

    candidates: tuple[str, ...]
    spelling: str = ""
    """The tokens of the span as its file spells them, where the two sides may spell tokens differently."""


def coded_links(links: Sequence[Link | None], vocabulary: Vocabulary) -> Ints:
    """The codes of links, 0 where a span has none."""
    return ints([0 if link is None or not link.candidates else vocabulary.extras.code(link) for link in links])


def links_of(spans: Spans) -> list[Link | None]:
    """The link of every span, None where it has none."""
    if spans.extra is None:
        return [None] * len(spans)
    found = [spans.vocabulary.extras[code] for code in spans.extra.tolist()]
    return [link if isinstance(link, Link) else None for link in found]


def in_documents(spans: Spans, documents: Ints, bounds: Ints | None) -> Spans:
    """Spans of sentences as spans of documents, whose first sentences these are; without bounds, both are the same."""
    document = np.searchsorted(documents, spans.scope, side="right") - 1
    if bounds is None:
        return replace(spans, scope=document)
    shift = bounds[spans.scope] - bounds[documents[document]]
    return replace(spans, scope=document, start=spans.start + shift, end=spans.end + shift)


def no_spans(vocabulary: Vocabulary) -> Spans:
    nothing = ints([])
    return Spans(vocabulary, nothing, nothing, nothing, nothing, nothing, nothing, nothing)
