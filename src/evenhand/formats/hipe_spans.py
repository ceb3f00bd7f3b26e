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
        self._tags, self._links = Coder(str.upper), Coder(str.upper)

    def spans(self, tags: Tokens, links: Tokens, tokens: Tokens, first: Ints) -> Spans:
        """The spans in one scope, counted from the first token; `first` are the first tokens of documents."""
        tag, link = self._tags(tags), self._link_codes(links)
        kind, is_begin = self._kinds()
        linked = np.array([bool(_candidates(name)) for name in self._links.names], dtype=np.bool_)
        label = kind[tag] if len(tag) else tag
        goes_on = ~is_begin[tag] & (label >= 0)
        goes_on[1:] &= label[1:] == label[:-1]
        goes_on[first[:-1][first[:-1] < len(tag)]] = False
        if self._is_response:
            goes_on[1:] &= link[1:] == link[:-1]
        start = np.flatnonzero(((label >= 0) | linked[link]) & ~goes_on)
        ends = np.append(np.flatnonzero(~goes_on), len(tag))
        end = ends[np.searchsorted(ends, start, side="right")]
        label = label[start]
        if (label < 0).any():
            label = np.where(label < 0, self._vocabulary.labels.code(NO_TYPE), label)
        extra = self._extras(link, linked, start, end, tokens)
        nothing = np.zeros_like(start)
        return Spans(self._vocabulary, nothing, start, end, label, nothing, nothing, extra)

    def _link_codes(self, links: Tokens) -> Ints:
        """The codes of identifiers, which are the same for cells that differ in case only."""
        code = self._links(links)
        names: dict[str, int] = {}
        same = ints([names.setdefault(name, at) for at, name in enumerate(self._links.names)])
        return same[code] if len(code) else code

    def _kinds(self) -> tuple[Ints, Bools]:
        """For each tag so far its label, -1 outside of spans, and whether it begins a span in any case."""
        labels = self._vocabulary.labels
        label = ints([-1 if name in _OUTSIDE else labels.code(_type(name)) for name in self._tags.names])
        begins = np.array([not name.startswith(_GOING_ON) for name in self._tags.names], dtype=np.bool_)
        return label, begins

    def _extras(self, link: Ints, linked: Bools, start: Ints, end: Ints, tokens: Tokens) -> Ints:
        """The codes of the links of spans."""
        extras, names = self._vocabulary.extras, self._links.names
        found = np.zeros(len(start), dtype=np.int64)
        rows = np.flatnonzero(linked[link[start]]) if len(start) else start
        columns = (rows, link[start[rows]], start[rows], end[rows])
        candidates = {code: _candidates(names[code]) for code in set(columns[1].tolist())}
        for row, code, begin, behind in zip(*(column.tolist() for column in columns), strict=True):
            found[row] = extras.code(Link(candidates[code], SPELLING.join(tokens.texts(begin, behind))))
        return found


def _type(tag: str) -> str:
    """What stands behind the prefix of a tag."""
    return tag[2:] if tag[1:2] == "-" and len(tag) > 2 else tag


def _candidates(cell: str) -> tuple[str, ...]:
    return () if cell in NOTHING else tuple(part.strip() for part in cell.split("|") if part.strip())
