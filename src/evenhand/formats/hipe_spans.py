"""The spans that the cells of a table of HIPE spell: where they begin and end, their types and their identifiers."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.text.codes import Coder
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.link_names import NO_TYPE
from evenhand.text.links import Link
from evenhand.text.tokens import Tokens

NOTHING = ("_", "-", "")
"""What stands for no tag and for no identifier."""
SPELLING = "\t"
"""What stands between the tokens of a span, as no token can have it."""
_OUTSIDE = ("O", *NOTHING)
_GOING_ON = ("I-", "E-")


class SpanCells:
    """Reads cells of tags and identifiers, batch by batch."""

    def __init__(self, vocabulary: Vocabulary, *, is_response: bool) -> None:
        """In a response, another identifier begins another span."""
        self._vocabulary, self._is_response = vocabulary, is_response
        self._tags = Coder(str.upper)
        self._candidates: list[tuple[str, ...]] = []
        """The identifiers of each code."""
        self._codes: dict[bytes, int] = {}
        self._places: dict[str, int] = {}

    def spans(self, tags: Tokens, links: Tokens, tokens: Tokens, first: Ints) -> Spans:
        """The spans in one scope, counted from the first token; `first` are the first tokens of documents."""
        label, is_begin = self._labels(tags)
        link = self._link_codes(links)
        goes_on = ~is_begin & (label >= 0)
        goes_on[1:] &= label[1:] == label[:-1]
        goes_on[first[:-1][first[:-1] < len(label)]] = False
        if self._is_response:
            goes_on[1:] &= link[1:] == link[:-1]
        start = np.flatnonzero(((label >= 0) | (link >= 0)) & ~goes_on)
        ends = np.append(np.flatnonzero(~goes_on), len(label))
        end = ends[np.searchsorted(ends, start, side="right")]
        label = label[start]
        if (label < 0).any():
            label = np.where(label < 0, self._vocabulary.labels.code(NO_TYPE), label)
        extra = self._extras(link[start], start, end, tokens)
        nothing = np.zeros_like(start)
        return Spans(self._vocabulary, nothing, start, end, label, nothing, nothing, extra)

    def _labels(self, tags: Tokens) -> tuple[Ints, Bools]:
        """The label of each tag, -1 outside of spans, and whether it begins a span in any case."""
        rows = _longer(tags)
        code = self._tags(tags.take(rows))
        labels, begins = self._kinds()
        label, is_begin = np.full(len(tags), -1), np.ones(len(tags), dtype=np.bool_)
        if len(rows):
            label[rows], is_begin[rows] = labels[code], begins[code]
        return label, is_begin

    def _link_codes(self, links: Tokens) -> Ints:
        """The codes of identifiers, the same for cells that differ in case only; -1 for none.

        Few tokens have some, and most of these cells differ, so that they are looked up one by one.
        """
        rows, data, codes = _longer(links), links.data, self._codes
        found = np.full(len(links), -1)
        places = zip(links.start[rows].tolist(), links.end[rows].tolist(), strict=True)
        cells = [data[start:end] for start, end in places]
        for cell in cells:
            if cell not in codes:
                codes[cell] = self._code(cell.decode().upper())
        found[rows] = [codes[cell] for cell in cells]
        return found

    def _code(self, cell: str) -> int:
        """The code of a cell in capitals."""
        candidates = tuple(part.strip() for part in cell.split("|") if part.strip())
        if not candidates:
            return -1
        place = self._places.setdefault(cell, len(self._candidates))
        if place == len(self._candidates):
            self._candidates.append(candidates)
        return place

    def _kinds(self) -> tuple[Ints, Bools]:
        """For each tag so far its label, -1 outside of spans, and whether it begins a span in any case."""
        labels = self._vocabulary.labels
        label = ints([-1 if name in _OUTSIDE else labels.code(_type(name)) for name in self._tags.names])
        begins = np.array([not name.startswith(_GOING_ON) for name in self._tags.names], dtype=np.bool_)
        return label, begins

    def _extras(self, link: Ints, start: Ints, end: Ints, tokens: Tokens) -> Ints:
        """The codes of the links of spans."""
        code = self._vocabulary.extras.code
        found = np.zeros(len(start), dtype=np.int64)
        rows = np.flatnonzero(link >= 0)
        columns = (link[rows], tokens.start[start[rows]], tokens.end[end[rows] - 1], start[rows], end[rows])
        data, extras = tokens.data, list[int]()
        for each, begin, behind, first, last in zip(*(column.tolist() for column in columns), strict=True):
            single = last - first == 1
            spelled = data[begin:behind].decode() if single else SPELLING.join(tokens.texts(first, last))
            extras.append(code(Link(self._candidates[each], spelled)))
        found[rows] = extras
        return found


def _longer(cells: Tokens) -> Ints:
    """The cells that are not one of the short ones that stand for nothing, which most are."""
    text = np.frombuffer(cells.data, dtype=np.uint8)
    first = text[cells.start]
    is_short = (cells.lengths == 1) & ((first == ord("O")) | (first == ord("_")) | (first == ord("-")))
    return np.flatnonzero(~(is_short | (cells.lengths == 0)))


def _type(tag: str) -> str:
    """What stands behind the prefix of a tag."""
    return tag[2:] if tag[1:2] == "-" and len(tag) > 2 else tag
