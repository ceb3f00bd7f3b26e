"""How a tool spells its records: literal bytes with holes between, learnt from one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from evenhand.dataclass import dataclass
from evenhand.formats.json_records import UNREADABLE, decode_line
from evenhand.formats.source import Block

_TEXT_KEYS = ("text", "data")
_SPAN_KEYS: Mapping[str, Mapping[str, str]] = {
    "spans": {"start": "start", "end": "end", "label": "label", "level": "level"},
    "entities": {"start_offset": "start", "end_offset": "end", "label": "label", "level": "level"},
    "label": {"0": "start", "1": "end", "2": "label"},
    "labels": {"0": "start", "1": "end", "2": "label"},
}
"""Under which keys spans are listed, and what their parts are called there."""
ACCEPTED = ("accept", "")
"""The answers that keep a record; none at all is as good."""
_OTHER_KEYS = ("tokens", "words", "tags", "ner_tags")
"""With one of these, a record may be of another kind."""
_LINES = 100
"""How many lines are looked at for one that has a span."""


@dataclass(frozen=True)
class Hole:
    """What differs between records: a string, a count from 0, or another whole number."""

    name: str
    kind: Literal["string", "count", "number"]


Piece = bytes | Hole
_WANTED = {Hole("start", "count"), Hole("end", "count"), Hole("label", "string")}


@dataclass(frozen=True)
class Spelling:
    """A record is its head, its spans with separators between, and its tail, the line end included."""

    head: tuple[Piece, ...]
    item: tuple[Piece, ...]
    separator: bytes
    tail: tuple[Piece, ...]

    @cached_property
    def braces(self) -> int:
        """How many opening braces a record with one span has."""
        pieces = (*self.head, *self.item, *self.tail)
        return sum(piece.count(b"{") for piece in pieces if isinstance(piece, bytes))


def learn(block: Block) -> Spelling | None:
    """How the records of a block are spelled, if one of its first lines is a text with spans and can show it."""
    begin = 0
    for _ in range(_LINES):
        end = block.data.find(b"\n", begin, block.size) + 1
        if not end:
            return None
        line, begin = block.data[begin:end], end
        try:
            decode_line(line)
            record = msgspec.json.decode(line)
        except UNREADABLE:
            return None
        lists = [key for key in _SPAN_KEYS if key in record] if isinstance(record, dict) else []
        texts = [key for key in _TEXT_KEYS if key in record]
        if len(lists) != 1 or len(texts) != 1 or not record.keys().isdisjoint(_OTHER_KEYS):
            return None
        if isinstance(record[lists[0]], list) and record[lists[0]]:
            return _spelling(record, texts[0], lists[0], _Style.of(line))
    return None


@dataclass(frozen=True)
class _Style:
    """What a tool writes behind values and behind keys, and at the end of a line."""

    comma: bytes
    colon: bytes
    end: bytes

    @staticmethod
    def of(line: bytes) -> _Style:
        blank = b" " if b'": ' in line else b""
        return _Style(b"," + blank, b":" + blank, b"\r\n" if line.endswith(b"\r\n") else b"\n")

    def pieces(self, value: object, names: Mapping[str, str], name: str = "") -> Iterator[Piece]:
        """A value with holes for strings and whole numbers; `name` is its own, `names` those of what is in it."""
        if isinstance(value, str):
            yield from (b'"', Hole(name, "string"), b'"')
        elif isinstance(value, int) and not isinstance(value, bool):
            yield Hole(name, "count" if name not in ("", "id") else "number")
        elif isinstance(value, dict | list):
            keys = [str(key) for key in (value if isinstance(value, dict) else range(len(value)))]
            values = value.values() if isinstance(value, dict) else value
            yield b"{" if isinstance(value, dict) else b"["
            for place, (key, each) in enumerate(zip(keys, values, strict=True)):
                yield self.key(key, place) if isinstance(value, dict) else self.comma if place else b""
                yield from self.pieces(each, {}, names.get(key, ""))
            yield b"}" if isinstance(value, dict) else b"]"
        else:
            yield msgspec.json.encode(value)

    def key(self, key: str, place: int) -> bytes:
        return (self.comma if place else b"") + msgspec.json.encode(key) + self.colon


def _spelling(record: dict[str, object], text: str, spans: str, style: _Style) -> Spelling | None:
    items = record[spans]
    assert isinstance(items, list)
    item = _joined(style.pieces(items[0], _SPAN_KEYS[spans]))
    odd = "parts" in items[0] if isinstance(items[0], dict) else len(items[0]) != len(_SPAN_KEYS[spans])
    if odd or not set(item) >= _WANTED:
        return None
    head: list[Piece] = [b"{"]
    tail: list[Piece] = [b"]"]
    part = head
    for place, (key, value) in enumerate(record.items()):
        part.append(style.key(key, place))
        if key == spans:
            part.append(b"[")
            part = tail
        else:
            part.extend(style.pieces(value, {}, {text: "text", "answer": "answer", "id": "id"}.get(key, "")))
    spelling = Spelling(_joined(head), item, style.comma, _joined([*tail, b"}" + style.end]))
    return spelling if Hole("text", "string") in spelling.head + spelling.tail else None


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same pieces, with literals that follow each other as one."""
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)
