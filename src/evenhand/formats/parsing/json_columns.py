"""JSON lines whose records are all spelled alike, as columns: no object is made for a record or a span.

Tools write each record in the same way: the same keys in the same order, with the same blanks. What differs is in
*holes*: strings and whole numbers. One record of a block shows the literal bytes between the holes, and the whole
block is compared with these, byte by byte, so that what passes is JSON of just this form. A block in which one byte
does not fit is left to the decoder in `json_records`, which knows all spellings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

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
    windows,
)
from evenhand.data.tokens import PADDING
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.cells import leading_numbers, lengths_to_quote
from evenhand.formats.parsing.json_lines import (
    DOCUMENT_KEYS,
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    SpanError,
    candidates,
    has_a_line_each,
    is_simple,
    plan_of,
    rivals,
    role_of,
    text_of,
)
from evenhand.formats.source import LINE_FEED, Block

# == formats/parsing/json_spelling.py: How a tool spells its records: literal bytes with holes betw


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


# == formats/parsing/json_strings.py: The strings of some JSON, found by their quotes, and the lis


_QUOTE_JSON_STRINGS, _BRACKET = ord('"'), ord("]")


class OddError(Exception):
    """A block is not spelled as expected."""


def demand(met: Bools) -> None:
    """Raise an `OddError` where something is not as expected."""
    if not met.all():
        raise OddError


@dataclass(frozen=True)
class StringLists:
    """Lists of strings: where the first and the last quote of each are, and how many strings there are."""

    first: Ints
    last: Ints
    sizes: Ints

    def take(self, rows: Ints) -> StringLists:
        return StringLists(self.first[rows], self.last[rows], self.sizes[rows])

    def around(self, at: Ints) -> Ints:
        """Which of them have one of these places within."""
        row = np.searchsorted(self.first, at, side="right") - 1
        return distinct(row[(row >= 0) & (at < self.last[row])])


class Strings:
    """The strings of a block."""

    def __init__(self, text: Bytes, separator: bytes, backslashes: Ints) -> None:
        """`separator` stands between the strings of a list; `backslashes` are where they stand in the block."""
        self._text, self._separator = text, separator
        self.quotes = bits_equal(text, _QUOTE_JSON_STRINGS)
        """Those around strings."""
        if len(backslashes):
            self.quotes &= ~bits_at(escapes(backslashes) + 1, len(text))
        inside = bit_parity(self.quotes)
        if inside[-1] >> np.uint64(63):
            raise OddError
        self.opens = self.quotes & inside
        """The quotes before strings."""
        self._closes = self.quotes & ~inside

    @cached_property
    def _lasts(self) -> Ints:
        """Where strings end that no other one follows in a list."""
        is_followed = bits_ahead(self.quotes, len(self._separator) + 1)
        for place, byte in enumerate(self._separator, 1):
            is_followed &= bits_ahead(bits_equal(self._text, byte), place)
        return bit_positions(self._closes & ~is_followed)

    @cached_property
    def _before(self) -> BitRank:
        return BitRank.of(self.opens)

    def lists(self, at: Ints) -> StringLists:
        """The lists whose first quotes must be at these places."""
        number = np.searchsorted(self._lasts, at)
        if number.max(initial=-1) >= len(self._lasts):
            raise OddError
        last, before = self._lasts[number], self._before(at)
        demand((self._before(at + 1) > before) & (self._text[last + 1] == _BRACKET))
        return StringLists(at, last, self._before(last) - before)

    def single(self, byte: int) -> Words:
        """Where a string of this byte alone begins, or a quote, a byte and a quote between strings."""
        return self.quotes & bits_ahead(bits_equal(self._text, byte), 1) & bits_ahead(self.quotes, 2)


def within(lists: StringLists, marks: Words) -> Words:
    """The marks that stand in some lists."""
    edges = bits_at(np.concatenate((lists.first, lists.last + 1)), 64 * len(marks) - 1)
    return marks & bit_parity(edges)


def quoted(quotes: Words) -> tuple[Ints, Ints]:
    """Where the strings with these quotes around them begin and end."""
    edges = bit_positions(quotes)
    edges[::2] += 1
    return edges[::2], edges[1::2]


def escapes(backslashes: Ints) -> Ints:
    """The backslashes that are not escaped themselves."""
    number = np.arange(len(backslashes))
    begins_run = np.append(True, np.diff(backslashes) > 1)[: len(number)]
    first = np.maximum.accumulate(np.where(begins_run, number, 0))
    escapes: Ints = backslashes[(number - first) % 2 == 0]
    return escapes


# == formats/parsing/json_respelling.py: The same records written in another way, which can be read a


_DIGITS = np.full(256, -(1 << 20))
"""What each byte is worth as a hexadecimal digit; very little where it is none."""
for _value, _digit in enumerate(b"0123456789abcdef"):
    _DIGITS[[_digit, ord(chr(_digit).upper())]] = _value
_HIGH, _LOW = 0xD800 >> 10, 0xDC00 >> 10
"""What the two halves begin with that write a letter for which four digits are too few."""
_FIRST = {2: 0xC0, 3: 0xE0, 4: 0xF0}
"""What the first byte of a letter says of how many it has, in UTF-8."""
_OTHERS = frozenset((*TEXT_KEYS, *TOKEN_KEYS, *DOCUMENT_KEYS, "answer", "id"))
"""The keys that are looked at beside those of layers."""
_DECODER, _ENCODER = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Encoder()


def respelled(block: Block) -> Block | None:
    """Records without what nobody reads, and with their keys in one order; their values are as they were.

    Tools write notes and scores into records, not all of them into every one. What is left is spelled alike more often.
    None where something is not a record, a line does not hold just one, or a key names the layer of one side.
    """
    try:
        records = _DECODER.decode_lines(memoryview(block.data)[: block.size])
    except UNREADABLE:
        return None
    if not has_a_line_each(records, block):
        return None
    kept: dict[tuple[str, ...], list[str]] = {}
    for keys, first in {tuple(record): record for record in reversed(records)}.items():
        if not {"gold", "system"}.isdisjoint(map(role_of, keys)) or _has_rivals(first):
            return None
        kept[keys] = sorted(key for key in keys if key in _OTHERS or role_of(key) is not None)
    lines = _ENCODER.encode_lines([{key: record[key] for key in kept[tuple(record)]} for record in records])
    return Block(lines + PADDING, len(lines), block.first_line)


def _has_rivals(record: dict[str, msgspec.Raw]) -> bool:
    """Whether a record has further layers, under names that do not say it."""
    others = [key for key, value in record.items() if bytes(value)[:1] == b"["]
    if all(key in _OTHERS or role_of(key) for key in others):
        return False
    values = {key: msgspec.json.decode(record[key]) for key in others}
    return any(rivals(values, key) for key in others if role_of(key))


def with_letters(block: Block) -> Block:
    """The block with letters in place of their escapes, if it has nothing but ASCII, as Python's `json` writes it.

    It stays as it is where an escape stands for ASCII or for no letter.
    """
    data = block.data
    if b"\\" not in data or not data.isascii():
        return block
    text: Bytes = np.frombuffer(data, dtype=np.uint8)
    at = escapes(bit_positions(bits_equal(text[: block.size], ord("\\"))))
    at = at[text[at + 1] == ord("u")]
    if not len(at):
        return block
    code = sum(_DIGITS[text[at + 2 + place]] << (12 - 4 * place) for place in range(4))
    high, low = (np.flatnonzero(code >> 10 == half) for half in (_HIGH, _LOW))
    if code.min() < 0x80 or not np.array_equal(high + 1, low) or (at[low] != at[high] + 6).any():
        return block
    code[high] = 0x10000 + ((code[high] & 0x3FF) << 10) + (code[low] & 0x3FF)
    sizes = 2 + (code >= 0x800) + (code >= 0x10000)
    sizes[low] = 0
    written = _written(text[: block.size].copy(), at, code, sizes)
    return Block(written + PADDING, len(written), block.first_line)


def _written(text: Bytes, at: Ints, code: Ints, sizes: Ints) -> bytes:
    """A text in which escapes at some places are letters of so many bytes, in UTF-8."""
    is_kept = np.ones(len(text), dtype=np.bool_)
    for size in (0, 2, 3, 4):
        rows = np.flatnonzero(sizes == size)
        begin, letter = at[rows], code[rows]
        for place in range(6):
            if place >= size:
                is_kept[begin + place] = False
            else:
                bits = letter >> 6 * (size - 1 - place)
                text[begin + place] = bits & 0x3F | 0x80 if place else bits | _FIRST[size]
    return text[is_kept].tobytes()


# == formats/parsing/json_columns.py (primary)


_QUOTE, _BRACE, _BACKSLASH = ord('"'), ord("{"), ord("\\")
_MINUS, _ZERO, _FIRST_BYTE = np.uint64(ord("-")), np.uint64(ord("0")), np.uint64(255)
_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_NUL = rb"\u0000"
Cells = tuple[Ints, Ints]
"""Where each string of a column begins and ends, without its quotes."""


class Matcher:
    """Compares a block with a spelling: with an `OddError` if its records are not all spelled like this."""

    def __init__(self, block: Block) -> None:
        self.data = block.data
        self.text: Bytes = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
        self.words: Words = windows(block.data)
        self.has_escapes = b"\\" in block.data
        self.backslashes = bit_positions(bits_equal(self.text, _BACKSLASH)) if self.has_escapes else empty()
        if len(self._standing(_NUL, self.backslashes)):
            raise OddError
        # What is in the named holes.
        self.strings: dict[str, Cells] = {}
        self.windows: dict[str, Words] = {}
        self.counts: dict[str, Ints] = {}
        self.lists: dict[str, StringLists] = {}

    @cached_property
    def all_strings(self) -> Strings:
        return Strings(self.text, self._separator, self.backslashes)

    def fill(self, spelling: Spelling) -> Ints:
        """Fill in the holes of all records; how many spans each has."""
        self._separator = spelling.separator
        begin, at, first = self._places(spelling)
        items = np.diff(first)
        some = np.flatnonzero(items)
        # Where there are spans, the first one tells where the head ends: that saves looking for the end of its text.
        behind = np.full(len(begin), -1)
        behind[some] = at[first[some]]
        tail, _ = self._walk(spelling.head, begin, behind)
        demand(tail[some] == behind[some])
        if not spelling.item:
            demand(tail == np.append(begin[1:], len(self.text)))
            return items
        end, window = self._walk(spelling.item, at)
        self._check_separators(spelling.separator, first[some], at, end, window)
        tail[some] = end[first[some + 1] - 1]
        end, _ = self._walk(spelling.tail, tail)
        demand(end == np.append(begin[1:], len(self.text)))
        return items

    def _places(self, spelling: Spelling) -> tuple[Ints, Ints, Ints]:
        """Where records and spans may begin, and the first span of each record, with their number behind.

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
        if spelling.has_braces_of_its_own:
            return begin, at, np.append(record, len(braces)) - np.arange(len(record) + 1)
        opening = _literal(spelling.item[0])
        at = self._standing(opening, at) if opening.startswith(b"{") else self._brackets(spelling)
        return begin, at, np.searchsorted(at, np.append(begin, len(self.text)))

    def _brackets(self, spelling: Spelling) -> Ints:
        """Where spans that are lists begin: texts can have brackets, but not with what stands before these."""
        before = (_literal(spelling.head[-1])[-8:], (_literal(spelling.item[-1]) + spelling.separator)[-8:])
        brackets = bit_positions(bits_equal(self.text, _literal(spelling.item[0])[0]))
        brackets = brackets[brackets >= 8]
        return np.sort(np.concatenate([self._standing(each, brackets - len(each)) + len(each) for each in before]))

    def _standing(self, literal: bytes, at: Ints) -> Ints:
        """The places at which the first eight bytes of a literal stand."""
        return at.compress(self.words[at] & mask_of(literal) == word_of(literal))

    def _walk(self, pieces: tuple[Piece, ...], at: Ints, behind: Ints | None = None) -> tuple[Ints, Words]:
        """Go through rows that begin at these places, and fill in their holes; where they end, and what follows there.

        Literals and holes take turns. `behind` tells the ends of some rows beforehand, and is negative for others.
        """
        for place in range(0, len(pieces) - 1, 2):
            literal, hole, following = _literal(pieces[place]), pieces[place + 1], _literal(pieces[place + 2])
            assert isinstance(hole, Hole)
            window = self._behind(literal, at)
            at = at + len(literal)
            if hole.kind == "list":
                self.lists[hole.name] = found = self.all_strings.lists(at)
                at = found.last + 1
            elif hole.kind == "count":
                self.counts[hole.name], at = _count(at, window)
            elif hole.kind == "number":
                begin, at = at, self._number_ends(at, window)
                self.strings[hole.name] = begin, at
            else:
                is_last = place + 3 == len(pieces)
                known = behind - len(following) if is_last and behind is not None else None
                end = self._text_ends(at, known) if hole.name == "text" else self.string_ends(at, window)
                self.windows[hole.name], self.strings[hole.name], at = window, (at, end), end
        closing = _literal(pieces[-1])
        return at + len(closing), self._behind(closing, at)

    def _behind(self, literal: bytes, at: Ints) -> Words:
        """The windows behind a literal, which must stand at these places."""
        size, more = divmod(len(literal), 8)
        count = size + 1 + (more > 0)
        view = np.ndarray((len(self.data) - 8 * count + 1,), dtype=f"V{8 * count}", buffer=self.data, strides=(1,))
        if not len(at):
            return np.zeros(0, dtype=np.uint64)
        if at.max() >= len(view):
            raise OddError
        rows = view[at].view("<u8").reshape(-1, count)
        other = (rows[:, size] ^ word_of(literal[8 * size :])) & mask_of(literal[8 * size :])
        for column in range(size):
            other |= rows[:, column] ^ word_of(literal[8 * column :])
        demand(other == 0)
        if not more:
            return rows[:, size]
        return np.ndarray(len(at), dtype="<u8", buffer=rows, offset=len(literal), strides=(8 * count,)).copy()

    def _number_ends(self, at: Ints, window: Words) -> Ints:
        """The ends of whole numbers, maybe negative, of up to 23 digits."""
        begin: Ints = at + (window & _FIRST_BYTE == _MINUS)
        end, rows = begin.copy(), np.arange(len(begin))
        for _ in range(3):
            _, length = leading_numbers(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
        demand((end == begin + 1) | ((end > begin) & (self.text[begin] != _ZERO)))
        return end

    def string_ends(self, at: Ints, window: Words) -> Ints:
        """The next quotes; `window` is what is at these places."""
        end: Ints = at + lengths_to_quote(window)
        rows = np.flatnonzero(end - at == 8)
        while len(rows):
            length = lengths_to_quote(self.words[end[rows]])
            end[rows] += length
            rows = rows[length == 8]
            if len(rows) and end[rows].max() >= len(self.text):
                raise OddError
        return end

    def _text_ends(self, at: Ints, known: Ints | None) -> Ints:
        if known is None:
            return self._searched_ends(at)
        unknown = np.flatnonzero(known < at)
        known[unknown] = self._searched_ends(at[unknown])
        return known

    def _searched_ends(self, at: Ints) -> Ints:
        if not self.has_escapes:
            return ints([self.data.find(b'"', begin) for begin in at.tolist()])
        matches = (_STRING.match(self.data, begin) for begin in at.tolist())
        return ints([match.end() for match in matches if match is not None])

    def _check_separators(self, separator: bytes, first: Ints, at: Ints, end: Ints, window: Words) -> None:
        """Spans that are not the first ones of their records must follow the one before, with a separator between."""
        good = (at[1:] - end[:-1] == len(separator)) & (window[:-1] & mask_of(separator) == word_of(separator))
        good[first[1:] - 1] = True
        demand(good)

    def check_texts(self, spelling: Spelling, items: Ints, quoted: int) -> None:
        """Nothing is in strings that must be escaped: all control characters and quotes are around them.

        `quoted` is the number of quotes that are escaped, or around strings of lists.
        """
        records, spans = len(items), int(items.sum())
        at_ends = records * (2 if _literal((spelling.tail or spelling.head)[-1]).endswith(b"\r\n") else 1)
        around = records * (_quotes(spelling.head) + _quotes(spelling.tail)) + spans * _quotes(spelling.item)
        # Those were seen, so that there are others just if there are more. The two kinds differ from all others here.
        if (
            count_bits(bits_where(self.text, lambda some: some ^ np.uint8(2) <= _QUOTE ^ 2))
            != at_ends + around + quoted
        ):
            raise OddError

    def unescaped(self, *columns: Cells) -> tuple[bytes, list[Cells], int]:
        """Data that has strings as they read, where these are in it, and how many quotes are escaped; only in these."""
        if not self.has_escapes:
            return self.data, list(columns), 0
        escapes = self.backslashes
        parts, found, quotes = list[bytes](), list[Cells](), 0
        size, left = len(self.text), len(escapes)
        for start, end in columns:
            row = np.searchsorted(start, escapes, side="right") - 1
            row = row[(row >= 0) & (escapes < np.append(end, -1)[row])]
            rows, left = distinct(row), left - len(row)
            bounds = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
            written = _NUL.join([self.data[first:behind] for first, behind in bounds])
            read, sizes = _unescaped(written, len(rows))
            start, end = start.copy(), end.copy()
            end[rows] = size + np.cumsum(sizes)
            start[rows] = end[rows] - sizes
            size, quotes = size + len(read), quotes + written.count(b'"')
            parts, found = [*parts, read], [*found, (start, end)]
        if left:
            raise OddError
        return b"".join([memoryview(self.data)[: len(self.text)], *parts, PADDING]), found, quotes


def _unescaped(written: bytes, count: int) -> tuple[bytes, Ints]:
    """What so many strings of JSON say, with escaped NULs between, one behind the other, and their lengths."""
    try:
        text: Bytes = np.frombuffer(msgspec.json.decode(b'"' + written + b'"', type=str).encode(), dtype=np.uint8)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise OddError from None
    between = np.flatnonzero(text == 0)
    if len(between) != max(count - 1, 0):
        raise OddError
    edges = np.concatenate(([-1], between, [len(text)]))[: count + 1]
    return text[text != 0].tobytes(), np.diff(edges) - 1


def _count(at: Ints, window: Words) -> tuple[Ints, Ints]:
    """Numbers of up to seven digits, and where they end."""
    value, length = leading_numbers(window)
    demand((length == 1) | ((length > 1) & (length < 8) & (window & _FIRST_BYTE != _ZERO)))
    return value, at + length


def _literal(piece: Piece) -> bytes:
    assert isinstance(piece, bytes)
    return piece


def _quotes(pieces: tuple[Piece, ...]) -> int:
    return sum(piece.count(b'"') for piece in pieces if isinstance(piece, bytes))


def word_of(literal: bytes) -> np.uint64:
    """The first eight bytes of a literal as a window."""
    return np.uint64(int.from_bytes(literal[:8], "little"))


def mask_of(literal: bytes) -> np.uint64:
    """What keeps as many bytes of a window."""
    return np.uint64((1 << 8 * min(len(literal), 8)) - 1)
