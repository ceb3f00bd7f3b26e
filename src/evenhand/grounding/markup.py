"""Markup in a text that a model wrote: where it is cut out, and which spans it stands around."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import field

from evenhand.dataclass import dataclass
from evenhand.grounding.items import MarkedText

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TOKENIZED_ENTITY = re.compile(r"& ?(#?[0-9A-Za-z]{1,32}) ?;")
"""In documents, whose tokens may be joined by blanks: `& quot ;`."""
_WORD = re.compile(r"\S+")


@dataclass(slots=True)
class Markup:
    """Markup in an answer, in offsets of the answer.

    `cuts` are (start, end, what stands in its place), `spans` (end of the opening mark, start of the closing one,
    label). `malformed` counts pairs of marks that say no label.
    """

    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    unclosed: int = 0
    unopened: int = 0
    malformed: int = 0


def without_markup(answer: str, markup: Markup, document: str) -> MarkedText:
    """The answer's text with its spans, which are stripped of white space; empty ones count as malformed.

    Entities such as `&amp;` are decoded, unless the document has some itself.
    """
    text, moved = _cut(answer, sorted(markup.cuts), _decoder(document))
    words = [match.span() for match in _WORD.finditer(text)] if markup.spans else []
    starts, ends = [start for start, _ in words], [end for _, end in words]
    spans = []
    for start, end, label in sorted(markup.spans, key=lambda span: span[0]):
        first, last = bisect_right(ends, moved[start]), bisect_left(starts, moved[end]) - 1
        if first <= last and moved[start] < moved[end]:
            spans.append((max(moved[start], starts[first]), min(moved[end], ends[last]), label))
        else:
            markup.malformed += 1
    return MarkedText(text, tuple(spans), markup.unclosed, markup.unopened)


def _cut(answer: str, cuts: list[tuple[int, int, str]], decode: Callable[[str], str]) -> tuple[str, dict[int, int]]:
    """The answer without its cuts, and where the ends of these have moved."""
    pieces: list[str] = []
    moved: dict[int, int] = {}
    length = place = 0
    for start, end, instead in cuts:
        piece = decode(answer[place:start])
        pieces += piece, instead
        moved[start] = length + len(piece)
        length += len(piece) + len(instead)
        moved[end] = length
        place = end
    return "".join((*pieces, decode(answer[place:]))), moved


def _decoder(document: str) -> Callable[[str], str]:
    if "&" in document and any(_is_entity(f"&{match[1]};") for match in _TOKENIZED_ENTITY.finditer(document)):
        return str
    return lambda piece: _ENTITY.sub(lambda entity: html.unescape(entity[0]), piece) if "&" in piece else piece


def _is_entity(written: str) -> bool:
    return html.unescape(written) != written
