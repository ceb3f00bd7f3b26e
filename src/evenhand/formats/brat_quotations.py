"""Whether the spans of brat's files quote what their texts have where they are; spaces may be of any kind there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.formats.brat_lines import TextBounds
from evenhand.formats.json_spans import Span, on_texts, slices
from evenhand.formats.source import Source
from evenhand.settings import Offsets
from evenhand.text.characters import Texts
from evenhand.text.tokens import PADDING, Tokens, equal


@dataclass(frozen=True)
class Placed:
    """Spans with the places of their parts in the bytes of texts."""

    spans: TextBounds
    texts: Texts
    data: bytes
    """What the texts are in, one behind the other."""
    offsets: Offsets
    text_of: Ints
    """The text of each part."""
    span_of: Ints
    """The span of each part."""
    begin: Ints
    """Where each part begins, in bytes; -1 where that is not in its text."""
    behind: Ints

    @staticmethod
    def of(spans: TextBounds, texts: Sequence[bytes], text_of: Ints, offsets: Offsets = "codepoints") -> Placed:
        """`text_of` has the text of each span."""
        data = b"".join([*texts, PADDING])
        end = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        return _placed(spans, Texts.within(data, np.append(0, end[:-1]), end, offsets), data, offsets, text_of)

    @cached_property
    def text(self) -> str:
        """All texts."""
        return self.data[: -len(PADDING)].decode()

    @cached_property
    def is_outside(self) -> Bools:
        """Which parts are not in their texts."""
        return np.minimum(self.begin, self.behind) < 0

    def misquoted(self) -> list[int]:
        """The rows of spans that do not quote what the text has there."""
        return [row for row in np.flatnonzero(~self._are_literal()).tolist() if not self._quotes(row, self._held(row))]

    def _are_literal(self) -> Bools:
        """Which spans quote their parts as they stand, with blanks between them; most do."""
        quoted, first = self.spans.quoted, self.spans.first
        size = np.where(self.is_outside, -1, self.behind - self.begin)
        before = np.append(0, np.cumsum(size + 1))
        begin = before[first[:-1]]
        found: Bools = before[first[1:]] - begin - 1 == quoted.lengths
        found[self.span_of[size < 0]] = False
        # Of the spans that are as long as their quotations, the parts are where these have them.
        parts = np.flatnonzero(found[self.span_of])
        span = self.span_of[parts]
        place = quoted.start[span] + before[parts] - begin[span]
        mine = Tokens(self.data, self.begin[parts], self.behind[parts])
        is_other = ~equal(mine, Tokens(quoted.data, place, place + size[parts]))
        if len(self.span_of) > len(self.spans):
            separator = np.frombuffer(quoted.data, dtype=np.uint8)[place - 1]
            is_other |= (separator != ord(" ")) & (place > quoted.start[span])
        found[span[is_other]] = False
        return found

    def _held(self, row: int) -> list[str]:
        """What the text has where the parts of a span are."""
        mine = slice(*self.spans.first[row : row + 2].tolist())
        if self.is_outside[mine].any():
            return slices(self.text, self.spans.parts(row), self.offsets)
        bounds = zip(self.begin[mine].tolist(), self.behind[mine].tolist(), strict=True)
        return [self.data[begin:behind].decode() for begin, behind in bounds]

    def _quotes(self, row: int, texts: Sequence[str]) -> bool:
        """Whether a span quotes these texts; spaces are no atoms, so that their kind does not matter."""
        return _joined(texts) == " ".join(self.spans.quoted[row].split())

    def without_mark(self) -> Placed:
        """Offsets that count the byte order mark before the text, where quotations fit only so, as the text counts."""
        moved = replace(self.spans, start=np.maximum(self.spans.start - 1, 0), end=self.spans.end - 1)
        found = _placed(moved, self.texts, self.data, self.offsets, self.text_of[moved.first[:-1]])
        return self if found.misquoted() else found

    def misquoted_error(self, source: Source, row: int) -> Exception:
        held, found = _joined(self._held(row)), self.spans
        finding = f"the text has {held!r} at {found.offsets(row)}, but {found.quoted[row]!r} is quoted"
        return source.error(int(found.line[row]), finding, self._remedy(row))

    def _remedy(self, row: int) -> str:
        """How to read the text so that a span fits, if there is a way."""
        other: Offsets = "utf16" if self.offsets == "codepoints" else "codepoints"
        parts = self.spans.parts(row)
        if self._quotes(row, slices(self.text, parts, other)):
            return f"read it with --offsets {other}, where they agree"
        if self._quotes(row, slices(self.text.replace("\r\n", "\n"), parts, self.offsets)):
            return "save the text with LF instead of CRLF at line ends, where they agree"
        return "mend the offsets, or check that this is the text that was annotated"

    def fault(self, source: Source, row: int) -> Exception:
        """What is wrong with a span that covers no atoms, or is not in the text."""
        parts = self.spans.parts(row)
        span = Span(parts[0][0], parts[-1][1], self.spans.names[int(self.spans.label[row])])
        return source.error(int(self.spans.line[row]), *on_texts([self.text], self.offsets)[1].fault(0, span))


def _placed(spans: TextBounds, texts: Texts, data: bytes, offsets: Offsets, text_of: Ints) -> Placed:
    span_of = np.repeat(np.arange(len(spans)), np.diff(spans.first))
    mine = text_of[span_of]
    begin, behind = (texts.bytes_before(mine, offset) for offset in (spans.start, spans.end))
    return Placed(spans, texts, data, offsets, mine, span_of, begin, behind)


def _joined(texts: Sequence[str]) -> str:
    """What the parts of a span hold, joined as brat does; runs of spaces and line breaks are one space."""
    return " ".join(" ".join(texts).split())
