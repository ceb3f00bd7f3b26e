"""How a tool spells its records: literal bytes with holes between, learnt from one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from evenhand.dataclass import dataclass
from evenhand.formats.json_records import (
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    candidates,
    is_simple,
    rivals,
    role_of,
    text_of,
)
from evenhand.formats.json_spans import SpanError, plan_of
from evenhand.formats.source import Block

ACCEPTED = ("accept", "")
"""The answers that keep a record; none at all is as good."""
_TOKEN_KEYS, _TAG_KEYS = ("tokens", "words"), ("ner_tags", "tags")
_OTHER_KEYS = (*TOKEN_KEYS[:4], *_TAG_KEYS)
"""With one of these, a record may be of another kind."""
_KEY_AND_BLANK = re.compile(rb'\{"[^"\\]*": ')
_BLANK = re.compile(rb"""": |["\d], "|[\]}], [\[{]""")
"""A blank behind a colon, or behind a comma between values."""
_LINES = 100
"""How many lines are looked at for one that has a span."""


@dataclass(frozen=True)
class Hole:
    """What differs between records: a string, a list of strings, a count from 0, or another whole number."""

    name: str
    kind: Literal["string", "list", "count", "number"]


Piece = bytes | Hole
_TOKENS, _TAGS = Hole("tokens", "list"), Hole("tags", "list")
_WANTED = {Hole("start", "count"), Hole("end", "count"), Hole("label", "string")}


@dataclass(frozen=True)
class Spelling:
    """A record is its head, its spans with separators between, and its tail, the line end included.

    One without spans is all head.
    """

    head: tuple[Piece, ...]
    item: tuple[Piece, ...]
    separator: bytes
    tail: tuple[Piece, ...]

    @cached_property
    def has_braces_of_its_own(self) -> bool:
        """Whether a brace before a quote begins a record or a span, and nothing else."""
        pieces = (*self.head, *self.item, *self.tail)
        braces = sum(piece.count(b"{") for piece in pieces if isinstance(piece, bytes))
        return braces == 2 and _TOKENS not in pieces


def learn(block: Block) -> Spelling | None:
    """How the records of a block are spelled, if one of its first lines is a text with spans and can show it."""
    for line, record in _records(block):
        layer, texts = _only_layer(record), [key for key in TEXT_KEYS if key in record]
        is_odd = not isinstance(record.get("answer", ""), str) or not record.keys().isdisjoint(_OTHER_KEYS)
        if layer is None or len(texts) != 1 or is_odd:
            return None
        if record[layer]:
            spelling = _spelling(record, {texts[0]: "text", "answer": "answer"}, layer, *_Style.of(line, layer))
            holes = () if spelling is None else spelling.head + spelling.tail
            return spelling if Hole("text", "string") in holes else None
    return None


def learn_tokens(block: Block) -> Spelling | None:
    """The same for tokens with tags, or with spans of them."""
    for line, record in _records(block):
        tokens, tags = ([key for key in keys if key in record] for keys in (_TOKEN_KEYS, _TAG_KEYS))
        others = [key for key in record if key not in tokens and key not in tags and (key in _KEPT or role_of(key))]
        if len(tokens) != 1 or len(tags) > 1 or others != ([] if tags else ["spans"]):
            return None
        if rivals(record, tags[0] if tags else "spans"):
            return None
        names = {tokens[0]: "tokens"} | ({tags[0]: "tags"} if tags else {})
        if all(_are_strings(record[key]) for key in names) and (tags or record["spans"]):
            found = _spelling(record, names, None if tags else "spans", *_Style.of(line, tokens[0]))
            # Quotes of tokens are compared one by one.
            return None if found is None or Hole("quote", "string") in found.item else found
    return None


_KEPT = frozenset((*TEXT_KEYS, *TOKEN_KEYS, "answer"))


def _only_layer(record: dict[str, object]) -> str | None:
    """The key of the spans of a record that has no other layer, and whose name does not say whose it is."""
    layers = candidates(record)
    key = next(iter(layers), "")
    is_plain = len(layers) == 1 and {"gold", "system"}.isdisjoint(map(role_of, record))
    is_plain = is_plain and role_of(key) == "any" and layers[key] in ("spans", "empty")
    return key if is_plain and not rivals(record, key) else None


def _are_strings(value: object) -> bool:
    """Whether this is a list of several strings, which shows what stands between them."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, str) for each in value)


def _records(block: Block) -> Iterator[tuple[bytes, dict[str, object]]]:
    """The first lines of a block with their records, up to one that is none."""
    begin = 0
    for _ in range(_LINES):
        end = block.data.find(b"\n", begin, block.size) + 1
        line, begin = block.data[begin:end], end
        try:
            record = msgspec.json.decode(line)
            if not isinstance(record, dict) or not is_simple(record):
                return
            text_of(record)
        except (*UNREADABLE, SpanError):
            return
        yield line, record


@dataclass(frozen=True)
class _Style:
    """What a tool writes behind values and behind keys, and at the end of a line."""

    comma: bytes
    colon: bytes
    end: bytes

    @staticmethod
    def of(line: bytes, key: str) -> tuple[_Style, _Style]:
        """That of a record, and that of the list under a key, which may have blanks where the record has none."""
        end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        values = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        blanks = [b" " if found else b"" for found in (_KEY_AND_BLANK.match(line), _BLANK.search(values[key]))]
        outer, inner = (_Style(b"," + blank, b":" + blank, end) for blank in blanks)
        return outer, inner

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


def _spelling(
    record: dict[str, object], names: Mapping[str, str], spans: str | None, style: _Style, inner: _Style
) -> Spelling | None:
    """How a record is written; `names` are those of holes by their keys, beside that of ids."""
    head: list[Piece] = [b"{"]
    tail: list[Piece] = []
    part = head
    for place, (key, value) in enumerate(record.items()):
        part.append(style.key(key, place))
        if key == spans:
            part.append(b"[")
            part = tail
            part.append(b"]")
        elif names.get(key) in (_TOKENS.name, _TAGS.name):
            part.extend((b"[", Hole(names[key], "list"), b"]"))
        else:
            part.extend(style.pieces(value, {}, {**names, "id": "id"}.get(key, "")))
    part.append(b"}" + style.end)
    item = () if spans is None else _item(record[spans], inner)
    return None if item is None else Spelling(_joined(head), item, inner.comma, _joined(tail))


def _item(spans: object, style: _Style) -> tuple[Piece, ...] | None:
    """How the first of some spans is written."""
    assert isinstance(spans, list)
    span = spans[0]
    keys: dict[str, str] = {}
    if isinstance(span, dict):
        plan = plan_of(span)
        named = ((plan.start, "start"), (plan.end, "end"), (plan.label, "label"), (plan.level, "level"))
        keys = {key: name for key, name in (*named, (plan.quoted, "quote")) if key is not None}
        odd = "parts" in span or plan.length is not None or "start" not in keys.values() or len(keys) < 3
    else:
        kinds = [type(each) for each in span] if isinstance(span, list) else []
        odd = kinds not in ([int, int, str], [str, int, int])
        keys = (
            {"0": "start", "1": "end", "2": "label"} if kinds[:1] == [int] else {"0": "label", "1": "start", "2": "end"}
        )
    item = () if odd else _joined(style.pieces(span, keys))
    return None if odd or not set(item) >= _WANTED else item


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same pieces, with literals that follow each other as one."""
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)
