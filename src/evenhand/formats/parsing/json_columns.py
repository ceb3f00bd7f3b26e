"""Uniform JSON lines as columns, without an object per record or span.

Tools write all records in the same way: the same keys in the same order, with the same blanks. Only strings and whole
numbers differ; they fill the *holes* of a *spelling*. One record of a block shows the literal bytes between the holes,
and the whole block is compared with them byte by byte, so everything that passes is JSON of exactly this form. A block
with a single different byte is left to the decoder in `json_records`, which accepts any JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Literal, TypeVar

import msgspec
import numpy as np

from evenhand.arrays import (
    BitRank,
    Bools,
    Bytes,
    Ints,
    Words,
    bit_parity,
    bit_positions,
    bits_ahead,
    bits_at,
    bits_equal,
    bits_where,
    count_bits,
    distinct,
    empty,
    ints,
    ranges,
    windows,
)
from evenhand.data.characters import Texts
from evenhand.data.from_lists import COMMON
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, ListedTokens, Tokens, equal
from evenhand.data.vocabulary import CellCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import LimitError
from evenhand.formats.parsing.cells import leading_numbers, lengths_to_quote
from evenhand.formats.parsing.json_records import (
    DOCUMENT_KEYS,
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    candidates,
    has_one_object_per_line,
    is_simple,
    rivals,
    role_of,
    text_of,
)
from evenhand.formats.parsing.json_spans import SpanError, has_prefix, quotes_same, span_fields
from evenhand.formats.source import LINE_FEED, Block
from evenhand.settings import Offsets

T = TypeVar("T")
ACCEPTED = ("accept", "")
"""The answers of annotators that keep a record; records without an answer are kept, too."""
Cells = tuple[Ints, Ints]
"""The start and end of each string of a column, without its quotes."""


class OddError(Exception):
    """A block is not spelled as expected."""


def _require(conditions: Bools) -> None:
    if not conditions.all():
        raise OddError


# Contents of a block


@dataclass(frozen=True)
class TextBatch:
    """The texts of a block that were not rejected, and their spans."""

    texts: Texts
    spans: Spans
    ids: Tokens | None
    rows: Ints
    """The numbers of these records in the block."""
    rejected: int


@dataclass(frozen=True)
class TokenBatch:
    """The records of a block: their tokens, and their spans or the codes of their tags."""

    tokens: Tokens
    lengths: Ints
    """The number of tokens of each record."""
    ids: Tokens | None
    spans: Spans | None
    tags: SparseCodes | None
    names: list[str]
    """The tags by code."""


class ColumnReader:
    """Reads blocks of uniform records; it remembers their spelling, and the codes of labels and tags."""

    def __init__(self, vocabulary: Vocabulary, offsets: Offsets) -> None:
        self._vocabulary, self._offsets = vocabulary, offsets
        self._spellings: dict[Callable[[Block], Spelling | None], Spelling] = {}
        """The spellings of the last blocks of texts and of tokens, by the functions that found them."""
        self._labels = LabelCodes(vocabulary)
        self._codes = CellCodes()
        self._names: list[str] = []

    def read_texts(self, block: Block) -> TextBatch | None:
        """A block of texts with spans, or None if it needs the decoder or an error message."""
        return self._read(block, learn, self._read_texts)

    def read_tokens(self, block: Block) -> TokenBatch | None:
        """A block of tokens with tags or spans, likewise."""
        return self._read(block, learn_tokens, self._read_tokens)

    def _read(
        self, block: Block, learn: Callable[[Block], Spelling | None], read: Callable[[Block, Spelling], T]
    ) -> T | None:
        # A block with another spelling fails, and the next one shows its own.
        spelling = self._spellings.pop(learn, None) or learn(block)
        if spelling is None:
            return None
        try:
            batch = read(block, spelling)
        except (OddError, LimitError):
            return None
        self._spellings[learn] = spelling
        return batch

    def _read_texts(self, block: Block, spelling: Spelling) -> TextBatch:
        matcher = Matcher(block)
        items = matcher.fill(spelling)
        strings = [matcher.strings[name] for name in ("text", "quote") if name in matcher.strings]
        data, (text, *quotes), quoted = matcher.unescaped(*strings)
        matcher.check_texts(spelling, items, quoted)
        block.has_lines(len(items))
        kept = _are_accepted(matcher.windows.get("answer"), len(items))
        records: Bools | slice = kept
        spans: Bools | slice = np.repeat(kept, items)
        if kept.all():
            records = spans = slice(None)
        texts = Texts.within(data, text[0][records], text[1][records], self._offsets, has_controls=matcher.has_escapes)
        counts = {name: column[spans] for name, column in matcher.counts.items()}
        scope = np.repeat(np.arange(np.count_nonzero(kept)), items[records])
        start, end = (texts.positions(scope, counts[side]) for side in ("start", "end"))
        _require((start >= 0) & (end > start))
        for quote in quotes:
            _check_quotes(data, (quote[0][spans], quote[1][spans]), texts, scope, counts)
        label = matcher.strings["label"]
        code = self._labels(data, (label[0][spans], label[1][spans]), matcher.windows["label"][spans])
        ids = Tokens(data, *(edge[records] for edge in matcher.strings["id"])) if "id" in matcher.strings else None
        rows = np.flatnonzero(kept)
        layer = Spans.of(self._vocabulary, scope, start, end, code, counts.get("level"))
        return TextBatch(texts, layer, ids, rows, len(kept) - len(rows))

    def _read_tokens(self, block: Block, spelling: Spelling) -> TokenBatch:
        matcher = Matcher(block)
        items = matcher.fill(spelling)
        lists, quotes = matcher.lists["tokens"], matcher.all_strings.quotes
        lengths, bounds = lists.sizes, np.append(0, np.cumsum(lists.sizes))
        has_tags = "tags" in matcher.lists
        rows, cells = _rare_tags(matcher) if has_tags else (empty(), (empty(), empty()))
        data, escaped, decode = matcher.data, 0, partial[Tokens](_listed_tokens, matcher.data, lists, quotes)
        if matcher.has_escapes:
            some = lists.around(matcher.backslashes)
            data, (strings, cells), escaped = matcher.unescaped(_bounds(_within(lists.take(some), quotes)), cells)
            decode = partial(_unescaped_tokens, decode, data, ranges(bounds[some], lengths[some]), strings)
        tokens = ListedTokens(matcher.data, lists.first, lists.last, bounds, decode)
        listed = sum(int(each.sizes.sum()) for each in matcher.lists.values())
        matcher.check_texts(spelling, items, escaped + 2 * listed)
        spans, tags = None, None
        if has_tags:
            _require(matcher.lists["tags"].sizes == lengths)
            tags = self._coded_tags(data, len(tokens), rows, cells)
        else:
            spans = self._spans(matcher, items, lengths)
        block.has_lines(len(lengths))
        ids = Tokens(data, *matcher.strings["id"]) if "id" in matcher.strings else None
        return TokenBatch(tokens, lengths, ids, spans, tags, self._names)

    def _coded_tags(self, data: bytes, size: int, rows: Ints, cells: Cells) -> SparseCodes:
        """The codes of `size` tags, of which only those in `rows` are not `O`."""
        codes, new = self._codes(data, *cells, windows(data)[cells[0]])
        self._names += [data[cells[0][row] : cells[1][row]].decode() for row in new]
        if len(rows) == size:
            return SparseCodes.of(codes)
        return SparseCodes(size, self._names.index(COMMON), rows, codes)

    def _spans(self, matcher: Matcher, items: Ints, lengths: Ints) -> Spans:
        scope = np.repeat(np.arange(len(items)), items)
        start, end = matcher.counts["start"], matcher.counts["end"]
        _require((end > start) & (end <= lengths[scope]))
        label = self._labels(matcher.data, matcher.strings["label"], matcher.windows["label"])
        return Spans.of(self._vocabulary, scope, start, end, label, matcher.counts.get("level"))


def _are_accepted(answer: Words | None, size: int) -> Bools:
    """Which records are kept, by the first eight bytes of each answer, if records have answers."""
    if answer is None:
        return np.ones(size, dtype=np.bool_)
    answers = [accepted.encode() + b'"' for accepted in ACCEPTED]
    kept: Bools = np.any([answer & _mask_of(accepted) == _word_of(accepted) for accepted in answers], axis=0)
    return kept


def _check_quotes(data: bytes, quote: Cells, texts: Texts, scope: Ints, counts: dict[str, Ints]) -> None:
    """Leave wrong quotes to the decoder, which finds out how offsets count or reports an error."""
    begin, end = (texts.bytes_before(scope, counts[side]) for side in ("start", "end"))
    same = equal(Tokens(data, begin, end), Tokens(data, *quote))
    for row in np.flatnonzero(~same).tolist():
        held, quoted = data[begin[row] : end[row]], data[quote[0][row] : quote[1][row]]
        if quoted.strip() and not quotes_same(held.decode(), quoted.decode()):
            raise OddError


class LabelCodes:
    """The codes of labels in a vocabulary, by their bytes."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._cells = CellCodes()
        self._codes: list[int] = []
        """The code in the vocabulary, for each distinct cell."""
        self._has_tags = False

    def __call__(self, data: bytes, label: Cells, first: Words) -> Ints:
        """The code of each label; `first` are the windows of their first bytes. Labels must not be empty."""
        cells, new = self._cells(data, *label, first)
        names = [data[label[0][row] : label[1][row]].decode() for row in new]
        # All new labels are coded before one is refused, because their cells have codes already.
        self._codes += [self._vocabulary.labels.code(name) for name in names]
        self._has_tags = self._has_tags or any(map(has_prefix, names))
        if self._has_tags or (label[0] == label[1]).any():
            raise OddError
        return ints(self._codes)[cells]


def _listed_tokens(data: bytes, lists: StringLists, quotes: Words) -> Tokens:
    return Tokens(data, *_bounds(_within(lists, quotes)))


def _unescaped_tokens(decode: Callable[[], Tokens], data: bytes, rows: Ints, strings: Cells) -> Tokens:
    """Tokens in the file, except for some rows with escapes, whose strings are elsewhere in the data."""
    tokens = decode()
    start, end = tokens.start.copy(), tokens.end.copy()
    start[rows], end[rows] = strings
    return Tokens(data, start, end)


def _rare_tags(matcher: Matcher) -> tuple[Ints, Cells]:
    """The rows and bounds of the tags that are not `O`, and of the first one that is."""
    opens = _within(matcher.lists["tags"], matcher.all_strings.opens)
    common = opens & matcher.all_strings.single(ord(COMMON))
    lowest = common[(common != 0).argmax() :][:1]
    lowest &= lowest - np.uint64(1)
    start = bit_positions(opens & ~common) + 1
    return BitRank.of(opens)(start - 1), (start, matcher.string_ends(start, matcher.words[start]))


# Spellings


_TOKEN_KEYS, _TAG_KEYS = ("tokens", "words"), ("ner_tags", "tags")
_OTHER_KEYS = (*TOKEN_KEYS[:4], *_TAG_KEYS)
"""Keys of records of other kinds than a text with spans."""
_READ_KEYS = frozenset((*TEXT_KEYS, *TOKEN_KEYS, *DOCUMENT_KEYS, "answer", "id"))
_KEY_AND_BLANK = re.compile(rb'\{"[^"\\]*": ')
_BLANK = re.compile(rb"""": |["\d], "|[\]}], [\[{]""")
"""A blank after a colon, or after a comma between values."""
_LINES = 100
"""The number of lines that are searched for one with a span."""


@dataclass(frozen=True)
class Hole:
    """A value that differs between records: a string, a list of strings, a count from 0, or another whole number."""

    name: str
    kind: Literal["string", "list", "count", "number"]


Piece = bytes | Hole
_TOKENS = Hole("tokens", "list")
_REQUIRED = {Hole("start", "count"), Hole("end", "count"), Hole("label", "string")}


@dataclass(frozen=True)
class Spelling:
    """A record is its head, its spans with separators between them, and its tail, which includes the line end.

    A record without spans is all head.
    """

    head: tuple[Piece, ...]
    item: tuple[Piece, ...]
    separator: bytes
    tail: tuple[Piece, ...]

    @cached_property
    def has_only_these_braces(self) -> bool:
        """Whether every brace before a quote begins a record or a span."""
        pieces = (*self.head, *self.item, *self.tail)
        braces = sum(piece.count(b"{") for piece in pieces if isinstance(piece, bytes))
        return braces == 2 and _TOKENS not in pieces


def learn(block: Block) -> Spelling | None:
    """The spelling of a block of texts with spans, if one of its first lines shows it."""
    for line, record in _first_records(block):
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
    """The same for tokens with tags, or with spans of tokens."""
    read = _READ_KEYS.difference(DOCUMENT_KEYS, ["id"])
    for line, record in _first_records(block):
        tokens, tags = ([key for key in keys if key in record] for keys in (_TOKEN_KEYS, _TAG_KEYS))
        others = [key for key in record if key not in tokens and key not in tags and (key in read or role_of(key))]
        if len(tokens) != 1 or len(tags) > 1 or others != ([] if tags else ["spans"]):
            return None
        if rivals(record, tags[0] if tags else "spans"):
            return None
        names = {tokens[0]: "tokens"} | ({tags[0]: "tags"} if tags else {})
        if all(_are_several_strings(record[key]) for key in names) and (tags or record["spans"]):
            spelling = _spelling(record, names, None if tags else "spans", *_Style.of(line, tokens[0]))
            # Quotes of tokens are compared one by one, by the decoder.
            return None if spelling is None or Hole("quote", "string") in spelling.item else spelling
    return None


def _only_layer(record: dict[str, object]) -> str | None:
    """The key of the spans of a record that has no other layer, if its name does not mention a side."""
    layers = candidates(record)
    key = next(iter(layers), "")
    is_plain = len(layers) == 1 and {"gold", "system"}.isdisjoint(map(role_of, record))
    is_plain = is_plain and role_of(key) == "any" and layers[key] in ("spans", "empty")
    return key if is_plain and not rivals(record, key) else None


def _are_several_strings(value: object) -> bool:
    """Whether this is a list of two or more strings, which shows the separator between them."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(item, str) for item in value)


def _first_records(block: Block) -> Iterator[tuple[bytes, dict[str, object]]]:
    """The first lines of a block with their records, up to a line without one."""
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
    """The bytes that a tool writes after values, after keys, and at the end of a line."""

    comma: bytes
    colon: bytes
    end: bytes

    @staticmethod
    def of(line: bytes, key: str) -> tuple[_Style, _Style]:
        """The style of a record, and of the list under a key, which may have blanks when the record has none."""
        end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        values = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        blanks = [b" " if match else b"" for match in (_KEY_AND_BLANK.match(line), _BLANK.search(values[key]))]
        return _Style(b"," + blanks[0], b":" + blanks[0], end), _Style(b"," + blanks[1], b":" + blanks[1], end)

    def pieces(self, value: object, names: Mapping[str, str], name: str = "") -> Iterator[Piece]:
        """A value with holes for strings and whole numbers, called `name`; its children are called `names`."""
        if isinstance(value, str):
            yield from (b'"', Hole(name, "string"), b'"')
        elif isinstance(value, int) and not isinstance(value, bool):
            yield Hole(name, "count" if name not in ("", "id") else "number")
        elif isinstance(value, dict | list):
            keys = [str(key) for key in (value if isinstance(value, dict) else range(len(value)))]
            values = value.values() if isinstance(value, dict) else value
            yield b"{" if isinstance(value, dict) else b"["
            for index, (key, child) in enumerate(zip(keys, values, strict=True)):
                yield self.key(key, index) if isinstance(value, dict) else self.comma if index else b""
                yield from self.pieces(child, {}, names.get(key, ""))
            yield b"}" if isinstance(value, dict) else b"]"
        else:
            yield msgspec.json.encode(value)

    def key(self, key: str, index: int) -> bytes:
        return (self.comma if index else b"") + msgspec.json.encode(key) + self.colon


def _spelling(
    record: dict[str, object], names: Mapping[str, str], spans: str | None, style: _Style, inner: _Style
) -> Spelling | None:
    """The spelling of a record; `names` are the names of holes by their keys, in addition to ids."""
    head: list[Piece] = [b"{"]
    tail: list[Piece] = []
    part = head
    for index, (key, value) in enumerate(record.items()):
        part.append(style.key(key, index))
        if key == spans:
            head.append(b"[")
            part = tail = [b"]"]
        elif names.get(key) in ("tokens", "tags"):
            part.extend((b"[", Hole(names[key], "list"), b"]"))
        else:
            part.extend(style.pieces(value, {}, {**names, "id": "id"}.get(key, "")))
    part.append(b"}" + style.end)
    item = () if spans is None else _item(record[spans], inner)
    return None if item is None else Spelling(_joined(head), item, inner.comma, _joined(tail))


def _item(spans: object, style: _Style) -> tuple[Piece, ...] | None:
    assert isinstance(spans, list)
    span = spans[0]
    names: dict[str, str] = {}
    if isinstance(span, dict):
        fields = span_fields(span)
        named = ((fields.start, "start"), (fields.end, "end"), (fields.label, "label"), (fields.level, "level"))
        names = {key: name for key, name in (*named, (fields.quoted, "quote")) if key is not None}
        is_odd = "parts" in span or fields.length is not None or "start" not in names.values() or len(names) < 3
    else:
        types = [type(value) for value in span] if isinstance(span, list) else []
        is_odd = types not in ([int, int, str], [str, int, int])
        order = ("start", "end", "label") if types[:1] == [int] else ("label", "start", "end")
        names = {str(index): name for index, name in enumerate(order)}
    item = () if is_odd else _joined(style.pieces(span, names))
    return item if set(item) >= _REQUIRED else None


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same pieces, with consecutive literals as one."""
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)


# Blocks compared with a spelling


_QUOTE, _BRACE, _BRACKET, _BACKSLASH = ord('"'), ord("{"), ord("]"), ord("\\")
_MINUS, _ZERO, _FIRST_BYTE = np.uint64(ord("-")), np.uint64(ord("0")), np.uint64(255)
_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_NUL = rb"\u0000"


class Matcher:
    """Compares a block with a spelling; raises an `OddError` unless all records are spelled this way."""

    def __init__(self, block: Block) -> None:
        self.data = block.data
        self.text: Bytes = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
        self.words: Words = windows(block.data)
        self.has_escapes = b"\\" in block.data
        self.backslashes = bit_positions(bits_equal(self.text, _BACKSLASH)) if self.has_escapes else empty()
        if len(self._matching(_NUL, self.backslashes)):
            raise OddError
        # The contents of the holes, by name.
        self.strings: dict[str, Cells] = {}
        self.windows: dict[str, Words] = {}
        self.counts: dict[str, Ints] = {}
        self.lists: dict[str, StringLists] = {}

    @cached_property
    def all_strings(self) -> Strings:
        return Strings(self.text, self._separator, self.backslashes)

    def fill(self, spelling: Spelling) -> Ints:
        """Fill the holes of all records; returns the number of spans of each record."""
        self._separator = spelling.separator
        begin, at, first = self._begins(spelling)
        items = np.diff(first)
        some = np.flatnonzero(items)
        # The first span shows where the head ends, which saves a search for the end of the text.
        head_ends = np.full(len(begin), -1)
        head_ends[some] = at[first[some]]
        tail, _ = self._match(spelling.head, begin, head_ends)
        _require(tail[some] == head_ends[some])
        if not spelling.item:
            _require(tail == np.append(begin[1:], len(self.text)))
            return items
        end, window = self._match(spelling.item, at)
        # A separator must be before every span except the first one of a record.
        mask, separator = _mask_of(spelling.separator), _word_of(spelling.separator)
        good = (at[1:] - end[:-1] == len(spelling.separator)) & (window[:-1] & mask == separator)
        good[first[some][1:] - 1] = True
        _require(good)
        tail[some] = end[first[some + 1] - 1]
        end, _ = self._match(spelling.tail, tail)
        _require(end == np.append(begin[1:], len(self.text)))
        return items

    def _begins(self, spelling: Spelling) -> tuple[Ints, Ints, Ints]:
        """The starts of records and of spans, and the first span of each record, with the number of spans at the end.

        Records begin lines. Objects begin with a brace and a quote, which texts have only at their ends.
        """
        braces = bit_positions(bits_equal(self.text, _BRACE))
        quoted = self.text[braces + 1] == _QUOTE
        braces = braces if quoted.all() else braces.compress(quoted)
        begins_line = self.text[braces - 1] == LINE_FEED
        record = np.flatnonzero(begins_line)
        begin, at = braces[record], braces.compress(~begins_line)
        if not len(begin) or begin[0] != 0:
            raise OddError
        if not spelling.item:
            return begin, empty(), np.zeros(len(begin) + 1, dtype=np.int64)
        if spelling.has_only_these_braces:
            return begin, at, np.append(record, len(braces)) - np.arange(len(record) + 1)
        opening = _literal(spelling.item[0])
        at = self._matching(opening, at) if opening.startswith(b"{") else self._brackets(spelling)
        return begin, at, np.searchsorted(at, np.append(begin, len(self.text)))

    def _brackets(self, spelling: Spelling) -> Ints:
        """The starts of spans that are lists: texts can have brackets, but not after the same literals."""
        literals = (_literal(spelling.head[-1])[-8:], (_literal(spelling.item[-1]) + spelling.separator)[-8:])
        brackets = bit_positions(bits_equal(self.text, _literal(spelling.item[0])[0]))
        brackets = brackets[brackets >= 8]
        starts = [self._matching(literal, brackets - len(literal)) + len(literal) for literal in literals]
        return np.sort(np.concatenate(starts))

    def _matching(self, literal: bytes, at: Ints) -> Ints:
        """The offsets at which the block has the first eight bytes of a literal."""
        return at.compress(self.words[at] & _mask_of(literal) == _word_of(literal))

    def _match(self, pieces: tuple[Piece, ...], at: Ints, ends: Ints | None = None) -> tuple[Ints, Words]:
        """Match rows that begin at these offsets, and fill their holes; returns their ends and the windows there.

        Literals and holes alternate. `ends` are known ends of rows, negative if unknown.
        """
        for index in range(0, len(pieces) - 1, 2):
            literal, hole, following = _literal(pieces[index]), pieces[index + 1], _literal(pieces[index + 2])
            assert isinstance(hole, Hole)
            window = self._windows_after(literal, at)
            at = at + len(literal)
            if hole.kind == "list":
                self.lists[hole.name] = lists = self.all_strings.lists(at)
                at = lists.last + 1
            elif hole.kind == "count":  # up to seven digits
                self.counts[hole.name], size = leading_numbers(window)
                _require((size == 1) | ((size > 1) & (size < 8) & (window & _FIRST_BYTE != _ZERO)))
                at = at + size
            elif hole.kind == "number":
                begin, at = at, self._number_ends(at, window)
                self.strings[hole.name] = begin, at
            else:
                is_last = index + 3 == len(pieces)
                known = ends - len(following) if is_last and ends is not None else None
                if hole.name != "text":
                    end = self.string_ends(at, window)
                elif known is None:
                    end = self._search_ends(at)
                else:
                    unknown, end = np.flatnonzero(known < at), known
                    end[unknown] = self._search_ends(at[unknown])
                self.windows[hole.name], self.strings[hole.name], at = window, (at, end), end
        closing = _literal(pieces[-1])
        return at + len(closing), self._windows_after(closing, at)

    def _windows_after(self, literal: bytes, at: Ints) -> Words:
        """The windows after a literal, which must be at these offsets."""
        size, more = divmod(len(literal), 8)
        width = size + 1 + (more > 0)
        view = np.ndarray((len(self.data) - 8 * width + 1,), dtype=f"V{8 * width}", buffer=self.data, strides=(1,))
        if not len(at):
            return np.zeros(0, dtype=np.uint64)
        if at.max() >= len(view):
            raise OddError
        rows = view[at].view("<u8").reshape(-1, width)
        differences = (rows[:, size] ^ _word_of(literal[8 * size :])) & _mask_of(literal[8 * size :])
        for column in range(size):
            differences |= rows[:, column] ^ _word_of(literal[8 * column :])
        _require(differences == 0)
        if not more:
            return rows[:, size]
        return np.ndarray(len(at), dtype="<u8", buffer=rows, offset=len(literal), strides=(8 * width,)).copy()

    def _number_ends(self, at: Ints, window: Words) -> Ints:
        """The ends of whole numbers, possibly negative, with up to 23 digits."""
        begin: Ints = at + (window & _FIRST_BYTE == _MINUS)
        end, rows = begin.copy(), np.arange(len(begin))
        for _ in range(3):
            _, length = leading_numbers(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
        _require((end == begin + 1) | ((end > begin) & (self.text[begin] != _ZERO)))
        return end

    def string_ends(self, at: Ints, window: Words) -> Ints:
        """The next quote after each of these offsets, which have these windows."""
        end: Ints = at + lengths_to_quote(window)
        rows = np.flatnonzero(end - at == 8)
        while len(rows):
            length = lengths_to_quote(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
            if len(rows) and end[rows].max() >= len(self.text):
                raise OddError
        return end

    def _search_ends(self, at: Ints) -> Ints:
        if not self.has_escapes:
            return ints([self.data.find(b'"', begin) for begin in at.tolist()])
        matches = (_STRING.match(self.data, begin) for begin in at.tolist())
        return ints([match.end() for match in matches if match is not None])

    def check_texts(self, spelling: Spelling, items: Ints, quoted: int) -> None:
        """Require that strings contain nothing that must be escaped: control characters and quotes surround them.

        `quoted` is the number of quotes that are escaped, or that surround strings of lists.
        """
        records, spans = len(items), int(items.sum())
        at_ends = records * (2 if _literal((spelling.tail or spelling.head)[-1]).endswith(b"\r\n") else 1)
        around = records * (_quotes(spelling.head) + _quotes(spelling.tail)) + spans * _quotes(spelling.item)
        # All of these were matched, so there are others only if the total is larger. The expression is true for
        # quotes and control characters only.
        total = count_bits(bits_where(self.text, lambda some: some ^ np.uint8(2) <= _QUOTE ^ 2))
        if total != at_ends + around + quoted:
            raise OddError

    def unescaped(self, *columns: Cells) -> tuple[bytes, list[Cells], int]:
        """Data with unescaped strings, the bounds of all strings in it, and the number of escaped quotes.

        Only these columns may have escapes.
        """
        if not self.has_escapes:
            return self.data, list(columns), 0
        escapes = self.backslashes
        parts, cells, quotes = list[bytes](), list[Cells](), 0
        size, left = len(self.text), len(escapes)
        for start, end in columns:
            row = np.searchsorted(start, escapes, side="right") - 1
            row = row[(row >= 0) & (escapes < np.append(end, -1)[row])]
            rows, left = distinct(row), left - len(row)
            bounds = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
            encoded = _NUL.join([self.data[begin:stop] for begin, stop in bounds])
            decoded, sizes = _decode_strings(encoded, len(rows))
            start, end = start.copy(), end.copy()
            end[rows] = size + np.cumsum(sizes)
            start[rows] = end[rows] - sizes
            size, quotes = size + len(decoded), quotes + encoded.count(b'"')
            parts.append(decoded)
            cells.append((start, end))
        if left:
            raise OddError
        return b"".join([memoryview(self.data)[: len(self.text)], *parts, PADDING]), cells, quotes


def _decode_strings(encoded: bytes, size: int) -> tuple[bytes, Ints]:
    """The contents of `size` JSON strings, joined by escaped NULs, and their lengths."""
    try:
        text: Bytes = np.frombuffer(msgspec.json.decode(b'"' + encoded + b'"', type=str).encode(), dtype=np.uint8)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise OddError from None
    separators = np.flatnonzero(text == 0)
    if len(separators) != max(size - 1, 0):
        raise OddError
    edges = np.concatenate(([-1], separators, [len(text)]))[: size + 1]
    return text[text != 0].tobytes(), np.diff(edges) - 1


def _literal(piece: Piece) -> bytes:
    assert isinstance(piece, bytes)
    return piece


def _quotes(pieces: tuple[Piece, ...]) -> int:
    return sum(piece.count(b'"') for piece in pieces if isinstance(piece, bytes))


def _word_of(literal: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(literal[:8], "little"))


def _mask_of(literal: bytes) -> np.uint64:
    """The mask for the same number of bytes of a window."""
    return np.uint64((1 << 8 * min(len(literal), 8)) - 1)


# Strings, by their quotes


@dataclass(frozen=True)
class StringLists:
    """Lists of strings: the offsets of the first and the last quote of each, and the number of strings."""

    first: Ints
    last: Ints
    sizes: Ints

    def take(self, rows: Ints) -> StringLists:
        return StringLists(self.first[rows], self.last[rows], self.sizes[rows])

    def around(self, at: Ints) -> Ints:
        """The lists that contain one of these offsets."""
        row = np.searchsorted(self.first, at, side="right") - 1
        return distinct(row[(row >= 0) & (at < self.last[row])])


class Strings:
    """The strings of a block, given the separator between strings of a list and the offsets of backslashes."""

    def __init__(self, text: Bytes, separator: bytes, backslashes: Ints) -> None:
        self._text, self._separator = text, separator
        self.quotes = bits_equal(text, _QUOTE)
        """The quotes around strings."""
        if len(backslashes):
            self.quotes &= ~bits_at(_escapes(backslashes) + 1, len(text))
        inside = bit_parity(self.quotes)
        if inside[-1] >> np.uint64(63):
            raise OddError
        self.opens = self.quotes & inside
        """The quotes before strings."""
        self._closes = self.quotes & ~inside

    @cached_property
    def _lasts(self) -> Ints:
        """The ends of strings that are not followed by another one in a list."""
        is_followed = bits_ahead(self.quotes, len(self._separator) + 1)
        for distance, byte in enumerate(self._separator, 1):
            is_followed &= bits_ahead(bits_equal(self._text, byte), distance)
        return bit_positions(self._closes & ~is_followed)

    @cached_property
    def _before(self) -> BitRank:
        return BitRank.of(self.opens)

    def lists(self, at: Ints) -> StringLists:
        """The lists whose first quotes must be at these offsets."""
        number = np.searchsorted(self._lasts, at)
        if number.max(initial=-1) >= len(self._lasts):
            raise OddError
        last, before = self._lasts[number], self._before(at)
        _require((self._before(at + 1) > before) & (self._text[last + 1] == _BRACKET))
        return StringLists(at, last, self._before(last) - before)

    def single(self, byte: int) -> Words:
        """The starts of strings that are only this byte, or of a quote, the byte and a quote between strings."""
        return self.quotes & bits_ahead(bits_equal(self._text, byte), 1) & bits_ahead(self.quotes, 2)


def _within(lists: StringLists, marks: Words) -> Words:
    edges = bits_at(np.concatenate((lists.first, lists.last + 1)), 64 * len(marks) - 1)
    return marks & bit_parity(edges)


def _bounds(quotes: Words) -> Cells:
    edges = bit_positions(quotes)
    edges[::2] += 1
    return edges[::2], edges[1::2]


def _escapes(backslashes: Ints) -> Ints:
    """The backslashes that are not escaped themselves."""
    number = np.arange(len(backslashes))
    begins_run = np.append(True, np.diff(backslashes) > 1)[: len(number)]
    first = np.maximum.accumulate(np.where(begins_run, number, 0))
    return backslashes.compress((number - first) % 2 == 0)


# Blocks made uniform


_DIGITS = np.full(256, -(1 << 20))
"""The value of each byte as a hexadecimal digit; very negative for other bytes."""
for _value, _digit in enumerate(b"0123456789abcdef"):
    _DIGITS[[_digit, ord(chr(_digit).upper())]] = _value
_LEADING = {2: 0xC0, 3: 0xE0, 4: 0xF0}
"""The bits of the first byte of a UTF-8 character, by its number of bytes."""
_DECODER, _ENCODER = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Encoder()


def respell(block: Block) -> Block | None:
    """Records without the keys that are not read, and with their keys in one order; values are unchanged.

    Tools write notes and scores into some records but not into others. Without these, more records are spelled alike.
    None if a line does not hold exactly one record, or a key names the layer of one side.
    """
    try:
        records = _DECODER.decode_lines(memoryview(block.data)[: block.size])
    except UNREADABLE:
        return None
    if not has_one_object_per_line(records, block):
        return None
    kept: dict[tuple[str, ...], list[str]] = {}
    for keys, first in {tuple(record): record for record in reversed(records)}.items():
        if not {"gold", "system"}.isdisjoint(map(role_of, keys)) or _has_rivals(first):
            return None
        kept[keys] = sorted(key for key in keys if key in _READ_KEYS or role_of(key) is not None)
    lines = _ENCODER.encode_lines([{key: record[key] for key in kept[tuple(record)]} for record in records])
    return Block(lines + PADDING, len(lines), block.first_line)


def _has_rivals(record: dict[str, msgspec.Raw]) -> bool:
    others = [key for key, value in record.items() if bytes(value)[:1] == b"["]
    if all(key in _READ_KEYS or role_of(key) for key in others):
        return False
    values = {key: msgspec.json.decode(record[key]) for key in others}
    return any(rivals(values, key) for key in others if role_of(key))


def with_letters(block: Block) -> Block:
    """An ASCII block, as Python's `json` writes it, with letters instead of their escapes.

    It is unchanged if an escape stands for an ASCII character or is not a letter.
    """
    data = block.data
    if b"\\" not in data or not data.isascii():
        return block
    text: Bytes = np.frombuffer(data, dtype=np.uint8)
    at = _escapes(bit_positions(bits_equal(text[: block.size], _BACKSLASH)))
    at = at[text[at + 1] == ord("u")]
    if not len(at):
        return block
    code = sum(_DIGITS[text[at + 2 + digit]] << (12 - 4 * digit) for digit in range(4))
    high, low = (np.flatnonzero(code >> 10 == surrogate >> 10) for surrogate in (0xD800, 0xDC00))
    if code.min() < 0x80 or not np.array_equal(high + 1, low) or (at[low] != at[high] + 6).any():
        return block
    code[high] = 0x10000 + ((code[high] & 0x3FF) << 10) + (code[low] & 0x3FF)
    sizes = 2 + (code >= 0x800) + (code >= 0x10000)
    sizes[low] = 0
    replaced = _replace_escapes(text[: block.size].copy(), at, code, sizes)
    return Block(replaced + PADDING, len(replaced), block.first_line)


def _replace_escapes(text: Bytes, at: Ints, code: Ints, sizes: Ints) -> bytes:
    """A text with UTF-8 letters of these sizes instead of the escapes at some offsets."""
    is_kept = np.ones(len(text), dtype=np.bool_)
    for size in (0, 2, 3, 4):
        rows = np.flatnonzero(sizes == size)
        begin, letter = at[rows], code[rows]
        for index in range(6):
            if index >= size:
                is_kept[begin + index] = False
            else:
                bits = letter >> 6 * (size - 1 - index)
                text[begin + index] = bits & 0x3F | 0x80 if index else bits | _LEADING[size]
    return text[is_kept].tobytes()
