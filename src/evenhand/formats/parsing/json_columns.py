"""Uniform JSON lines as columns, without an object per record or span.

Tools write all records in the same way: the same keys in the same order, with the same blanks. Only strings and whole
numbers differ; they fill the *holes* of a *spelling*. One record of a block shows the literal bytes between the holes,
and the whole block is compared with them byte by byte, so everything that passes is JSON of exactly this form. A block
with a single different byte is left to the decoder in `json_records`, which accepts any JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import msgspec
import numpy as np

from evenhand.arrays import (
    BitRank,
    Bools,
    Bytes,
    Ints,
    Values,
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
from evenhand.data.corpus import Corpus
from evenhand.data.from_lists import COMMON
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, ListedTokens, Tokens, equal
from evenhand.data.vocabulary import CellCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import LimitError
from evenhand.formats.parsing.cells import leading_numbers, lengths_to
from evenhand.formats.parsing.confidences import USUAL, ScoreFields, parse_numbers
from evenhand.formats.parsing.json_records import (
    DOCUMENT_KEYS,
    TAGS,
    TEXT,
    TEXT_KEYS,
    TOKEN_KEYS,
    TOKENS,
    UNREADABLE,
    candidates,
    has_one_object_per_line,
    is_simple,
    rivals,
    role_of,
    text_of,
)
from evenhand.formats.parsing.json_spans import SpanError, has_prefix, quotes_same, span_fields, token_corpus
from evenhand.formats.source import LINE_FEED, Block
from evenhand.settings import Offsets

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
class ColumnBatch:
    """The records of a block that were not rejected: texts or tokens, with spans or codes of tags."""

    kind: str
    corpus: Corpus
    spans: Spans | None
    tags: SparseCodes | None = None
    names: Sequence[str] = ()
    """The tags by code."""
    rejected: int = 0


class ColumnReader:
    """Reads blocks of uniform records; it remembers their spelling, and the codes of labels and tags."""

    def __init__(self, source: str, vocabulary: Vocabulary, offsets: Offsets, scores: ScoreFields = USUAL) -> None:
        self._source, self._vocabulary, self._offsets, self._scores = source, vocabulary, offsets, scores
        self._spelling: Spelling | None = None
        """The spelling of the last block."""
        self._codes = CellCodes()
        self._names: list[str] = []
        """The labels or tags by code."""

    def read(self, block: Block) -> ColumnBatch | None:
        """A block of uniform records, or None if it needs the decoder or an error message."""
        # A block with another spelling fails, and the next one shows its own.
        spelling, self._spelling = self._spelling or learn(block, self._scores), None
        if spelling is None:
            return None
        try:
            batch = (self._read_texts if spelling.kind == TEXT else self._read_tokens)(block, spelling)
        except (OddError, LimitError):
            return None
        self._spelling = spelling
        return batch

    def _read_texts(self, block: Block, spelling: Spelling) -> ColumnBatch:
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
        first, last = matcher.strings["label"]
        code = self._labels(data, (first[spans], last[spans]), matcher.windows["label"][spans])
        ids = Tokens(data, *(edge[records] for edge in matcher.strings["id"])) if "id" in matcher.strings else None
        corpus = texts.corpus(self._source, block.first_line + np.flatnonzero(kept))
        layer = Spans.of(self._vocabulary, scope, start, end, code, counts.get("level"))
        if matcher.scores is not None:
            layer = replace(layer, score=matcher.scores[spans])
        return ColumnBatch(TEXT, replace(corpus, ids=ids), layer, rejected=int(np.count_nonzero(~kept)))

    def _read_tokens(self, block: Block, spelling: Spelling) -> ColumnBatch:
        matcher = Matcher(block)
        items = matcher.fill(spelling)
        lists, quotes = matcher.lists["tokens"], matcher.all_strings.quotes
        lengths, bounds = lists.sizes, np.append(0, np.cumsum(lists.sizes))
        has_tags = spelling.kind == TAGS
        rows, cells = _rare_tags(matcher) if has_tags else (empty(), (empty(), empty()))
        escaped_lists = lists.around(matcher.backslashes)
        strings = _bounds(_within(lists.take(escaped_lists), quotes))
        data, (strings, cells), escaped = matcher.unescaped(strings, cells)

        def decode() -> Tokens:
            start, end = _bounds(_within(lists, quotes))
            unescaped = ranges(bounds[escaped_lists], lengths[escaped_lists])
            start[unescaped], end[unescaped] = strings
            return Tokens(data, start, end)

        tokens = ListedTokens(matcher.data, lists.first, lists.last, bounds, decode)
        listed = sum(int(each.sizes.sum()) for each in matcher.lists.values())
        matcher.check_texts(spelling, items, escaped + 2 * listed)
        spans, tags = None, None
        if has_tags:
            _require(matcher.lists["tags"].sizes == lengths)
            codes = self._coded(data, cells, windows(data)[cells[0]])
            is_full = len(rows) == len(tokens)
            common = 0 if is_full else self._names.index(COMMON)
            tags = SparseCodes.of(codes) if is_full else SparseCodes(len(tokens), common, rows, codes)
        else:
            spans = self._spans(matcher, items, lengths)
        block.has_lines(len(lengths))
        ids = Tokens(data, *matcher.strings["id"]) if "id" in matcher.strings else None
        corpus = token_corpus(self._source, tokens, lengths, block.first_line + np.arange(len(lengths)), ids)
        return ColumnBatch(spelling.kind, corpus, spans, tags, self._names)

    def _coded(self, data: bytes, cells: Cells, first: Words) -> Ints:
        """The codes of labels or tags; `first` are the windows of their first bytes."""
        codes, new = self._codes(data, *cells, first)
        self._names += [data[cells[0][row] : cells[1][row]].decode() for row in new]
        return codes

    def _labels(self, data: bytes, label: Cells, first: Words) -> Ints:
        """The codes of labels in the vocabulary; empty labels and tags of tokens are left to the decoder."""
        cells = self._coded(data, label, first)
        codes = ints([self._vocabulary.labels.code(name) for name in self._names])
        if any(map(has_prefix, self._names)) or (label[0] == label[1]).any():
            raise OddError
        return codes[cells]

    def _spans(self, matcher: Matcher, items: Ints, lengths: Ints) -> Spans:
        scope = np.repeat(np.arange(len(items)), items)
        start, end = matcher.counts["start"], matcher.counts["end"]
        _require((end > start) & (end <= lengths[scope]))
        label = self._labels(matcher.data, matcher.strings["label"], matcher.windows["label"])
        spans = Spans.of(self._vocabulary, scope, start, end, label, matcher.counts.get("level"))
        return spans if matcher.scores is None else replace(spans, score=matcher.scores)


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
_SEPARATOR_BLANK = re.compile(rb"""": |["\d], "|[\]}], [\[{]""")
"""A blank after a colon, or after a comma between values."""
_PART = re.compile(rb'"(?:[^"\\]|\\.)*+"(\s*:)?|[\[\]{}]|(?<![\w.+-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])')
"""A key with its colon, a string, a bracket, or a number."""
_LINES = 100
"""The number of lines that are searched for one with a span."""


@dataclass(frozen=True)
class Hole:
    """A value that differs between records: a string, a list of strings, a count from 0, or another whole number.

    The confidence of a span may be any number.
    """

    name: str
    kind: Literal["string", "list", "count", "number", "score"]


Segment = bytes | Hole
"""Bytes that are the same in all records, or a value."""
_SPANS, _TOKENS = Hole("spans", "list"), Hole("tokens", "list")
_REQUIRED = {Hole("start", "count"), Hole("end", "count"), Hole("label", "string")}


@dataclass(frozen=True)
class Spelling:
    """A record is its head, its spans with separators between them, and its tail, which includes the line end.

    A record without spans is all head.
    """

    kind: str
    head: tuple[Segment, ...]
    item: tuple[Segment, ...]
    separator: bytes
    tail: tuple[Segment, ...]

    @cached_property
    def has_only_these_braces(self) -> bool:
        """Whether every brace before a quote begins a record or a span."""
        pieces = (*self.head, *self.item, *self.tail)
        braces = sum(piece.count(b"{") for piece in pieces if isinstance(piece, bytes))
        return braces == 2 and _TOKENS not in pieces


def learn(block: Block, scores: ScoreFields = USUAL) -> Spelling | None:
    """The spelling of a block of texts or tokens, if one of its first lines shows it."""
    for line, record in _first_records(block):
        names = _hole_names(record)
        if names is None:
            return None
        lists = {key: name for key, name in names.items() if name in ("tokens", "tags", "spans")}
        if all(record[key] if name == "spans" else _are_several_strings(record[key]) for key, name in lists.items()):
            return _spelling(line, names, next(iter(lists)), scores)
    return None


def _hole_names(record: dict[str, object]) -> dict[str, str] | None:
    """The names of holes by their keys: of a text with spans, or of tokens with tags or spans."""
    names = {"id": "id", "answer": "answer"}
    tokens, tags = ([key for key in keys if key in record] for keys in (_TOKEN_KEYS, _TAG_KEYS))
    if not tokens:
        layer, texts = _only_layer(record), [key for key in TEXT_KEYS if key in record]
        is_odd = not isinstance(record.get("answer", ""), str) or not record.keys().isdisjoint(_OTHER_KEYS)
        return None if layer is None or len(texts) != 1 or is_odd else {layer: "spans", texts[0]: "text", **names}
    read = _READ_KEYS.difference(DOCUMENT_KEYS, ["id"])
    others = [key for key in record if key not in tokens and key not in tags and (key in read or role_of(key))]
    if len(tokens) != 1 or len(tags) > 1 or others != ([] if tags else ["spans"]):
        return None
    layer = tags[0] if tags else "spans"
    is_odd = not isinstance(record[layer], list) or bool(rivals(record, layer))
    return None if is_odd else {tokens[0]: "tokens", layer: "tags" if tags else "spans", **names}


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


def _spelling(line: bytes, names: Mapping[str, str], sample: str, scores: ScoreFields) -> Spelling | None:
    """The spelling of a line; the list under the key `sample` shows how values of lists are separated."""
    values = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    lists = {key: len(bytes(values[key])) for key, name in names.items() if name in ("tokens", "tags", "spans")}
    head, tail, item = tuple(_pieces(line, names, lists)), tuple[Segment, ...](), tuple[Segment, ...]()
    separator = b", " if _SEPARATOR_BLANK.search(bytes(values[sample])) else b","
    if _SPANS in head:
        spans = head.index(_SPANS)
        head, tail = head[:spans], head[spans + 1 :]
        layer = next(key for key, name in names.items() if name == "spans")
        item = _item(msgspec.json.decode(values[layer], type=list[msgspec.Raw])[0], scores)
        if not set(item) >= _REQUIRED:
            return None
    holes = {hole.name: hole for hole in (*head, *tail) if isinstance(hole, Hole)}
    if "tokens" not in holes:
        return Spelling(TEXT, head, item, separator, tail) if Hole("text", "string") in holes.values() else None
    # Quotes of tokens are compared one by one, by the decoder.
    is_quoted = Hole("quote", "string") in item
    return None if is_quoted else Spelling(TOKENS if item else TAGS, head, item, separator, tail)


def _pieces(text: bytes, names: Mapping[Any, str], lists: Mapping[Any, int]) -> Iterator[Segment]:
    """The bytes of an object or list, with holes for its strings, its whole numbers and the confidence of a span.

    `names` are the names of holes, by their key or index; `lists` are the sizes of the values that are one hole.
    """
    depth, end = 0, 0
    key: Any = 0
    for match in _PART.finditer(text):
        begin, token = match.start(), match[0]
        if begin < end:  # inside a hole
            continue
        if token in (b"[", b"{"):
            if depth == 1 and key in lists:
                yield from (text[end : begin + 1], Hole(names[key], "list"))
                end = begin + lists[key] - 1
            depth += 1
        elif token in (b"]", b"}"):
            depth -= 1
        elif match[1] is not None:
            key = msgspec.json.decode(token[: -len(match[1])]) if depth == 1 else key
        else:
            name = names.get(key, "") if depth == 1 else ""
            edge = int(token.startswith(b'"'))
            number: Literal["count", "number", "score"] = _NUMBERS.get(name, "number")
            if edge or number == "score" or token.removeprefix(b"-").isdigit():
                yield from (text[end : begin + edge], Hole(name, "string" if edge else number))
                end = match.end() - edge
            key = key + 1 if isinstance(key, int) else key
    yield text[end:]


_NUMBERS: Mapping[str, Literal["count", "score"]] = {
    **dict.fromkeys(("start", "end", "level"), "count"),
    "score": "score",
}
"""The kinds of holes of numbers by name."""


def _item(raw: msgspec.Raw, scores: ScoreFields) -> tuple[Segment, ...]:
    """A span with its holes; empty if it is odd."""
    span, names = msgspec.json.decode(raw), dict[Any, str]()
    if isinstance(span, dict):
        fields = span_fields(span)
        named = ((fields.start, "start"), (fields.end, "end"), (fields.label, "label"), (fields.level, "level"))
        names = {key: name for key, name in (*named, (fields.quoted, "quote")) if key is not None}
        keys = scores.among(span, fields.scores)
        names |= {key: "score" for key in keys if type(span[key]) in (int, float)}
        is_odd = "parts" in span or fields.length is not None or len(keys) > 1
        is_odd = is_odd or (scores.is_needed and any(key not in names for key in keys))
    else:
        types = [type(value) for value in span] if isinstance(span, list) else []
        is_odd = types[:3] not in ([int, int, str], [str, int, int]) or types[3:] not in ([], [float])
        order = ("start", "end", "label") if types[:1] == [int] else ("label", "start", "end")
        names = dict(enumerate((*order, "score")))
    return () if is_odd else tuple(_pieces(bytes(raw), names, {}))


# Blocks compared with a spelling


_QUOTE, _BRACE, _BRACKET, _BACKSLASH, _POINT = ord('"'), ord("{"), ord("]"), ord("\\"), ord(".")
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
        self.scores: Values | None = None

    @cached_property
    def all_strings(self) -> JsonStrings:
        return JsonStrings(self.text, self._separator, self.backslashes)

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

    def _match(self, pieces: tuple[Segment, ...], at: Ints, ends: Ints | None = None) -> tuple[Ints, Words]:
        """Match rows that begin at these offsets, and fill their holes; returns their ends and the windows there.

        Literals and holes alternate. `ends` are known ends of rows, negative if unknown.
        """
        for index in range(0, len(pieces) - 1, 2):
            literal, hole = _literal(pieces[index]), pieces[index + 1]
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
            elif hole.kind == "score":
                self.scores, at = self._scores(at, window, _literal(pieces[index + 2])[0])
            else:
                is_last = index + 3 == len(pieces)
                end = ends - len(_literal(pieces[-1])) if is_last and ends is not None else np.full(len(at), -1)
                if hole.name == "text":
                    unknown = np.flatnonzero(end < at)
                    end[unknown] = self._search_ends(at[unknown])
                else:
                    end = self.string_ends(at, window)
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

    def _scores(self, at: Ints, window: Words, byte: int) -> tuple[Values, Ints]:
        """The numbers at these offsets and their ends, before a byte that no number has.

        Decimals with up to seven digits before and after the point are exact quotients of whole numbers.
        """
        whole, size = leading_numbers(window)
        point = at + size
        if len(point) and point.max() + 10 > len(self.data):  # a record ends after its last number
            raise OddError
        decimals, places = leading_numbers(self.words[point + 1])
        end = point + 1 + places
        is_short = (size > 0) & (size < 8) & (places > 0) & (places < 8)
        is_short &= (self.text[point] == _POINT) & ((size == 1) | (window & _FIRST_BYTE != _ZERO))
        is_short &= self.text[np.minimum(end, len(self.text) - 1)] == byte
        power = 10**places
        scores = (whole * power + decimals) / power
        others = np.flatnonzero(~is_short)
        if len(others):
            end[others] = self.string_ends(at[others], window[others], byte)
            values = parse_numbers(self.data, at[others], end[others])
            if values is None:
                raise OddError
            scores[others] = values
        return scores, end

    def string_ends(self, at: Ints, window: Words, byte: int = _QUOTE) -> Ints:
        """The next quote (or other byte) after each of these offsets, which have these windows."""
        end: Ints = at + lengths_to(byte, window)
        rows = np.flatnonzero(end - at == 8)
        while len(rows):
            length = lengths_to(byte, self.words[end[rows]])
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


def _literal(piece: Segment) -> bytes:
    assert isinstance(piece, bytes)
    return piece


def _quotes(pieces: tuple[Segment, ...]) -> int:
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


class JsonStrings:
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


_OTHER_ESCAPES = re.compile(rb"\\u00[0-7]|\\U")
"""Escapes of ASCII characters, and those that Python knows but JSON does not."""
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
    try:
        values = {key: msgspec.json.decode(record[key]) for key in others}
    except UNREADABLE:
        return True  # such as a number that is too large; each record is read alone then
    return any(rivals(values, key) for key in others if role_of(key))


def with_letters(block: Block) -> Block:
    """An ASCII block, as Python's `json` writes it, with letters instead of their escapes.

    It is unchanged if an escape encodes an ASCII character or is not a letter.
    """
    data = block.data
    if b"\\" not in data or not data.isascii() or _OTHER_ESCAPES.search(data):
        return block
    try:
        text = data[: block.size].decode("raw_unicode_escape")
        try:
            letters = text.encode()
        except UnicodeEncodeError:  # two surrogates are one letter
            letters = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()
    except UnicodeDecodeError:
        return block
    return Block(letters + PADDING, len(letters), block.first_line)
