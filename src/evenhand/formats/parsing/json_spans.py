"""Spans with offsets into a text or its tokens, as annotation tools write them.

The first part holds spans with known fields (`Span`), maps their offsets to positions (tokens, or characters that are
not spaces), and finds out how offsets count if spans quote their text. The second part reads spans from arbitrary JSON
objects and lists by the names and types of their fields. The third part turns annotations back into spans to write.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise, product
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import msgspec
import numpy as np

from evenhand.arrays import Bools, Ints, empty, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, score_keys
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.parsing.confidences import (
    MISSING,
    USUAL,
    ScoreError,
    ScoreFields,
    of_spans,
    score_column,
    scores_to_write,
)
from evenhand.settings import IN_TOKENS, UNITS, Convention, Offsets

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_LARGEST = 2**53
"""The largest integer that every JSON reader can represent exactly."""
Offset = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
Fault = tuple[str, str]
"""A finding and its remedy."""
Report = Callable[[int, str, str], None]
"""Raises or collects a problem, given the index of a record, the finding and the remedy."""
Words = str | Sequence[str]
"""A text or its tokens."""
COUNT = "count from 0, with exclusive ends"
_PLAIN = Convention()
_MEND = "fix its offsets, or choose other --offsets"
_FIX_OFFSETS = "fix the offsets"
_UNIT_NAMES = {"codepoints": "characters", "utf16": "UTF-16 units", "bytes": "bytes"}


class JsonSpan(msgspec.Struct, gc=False, omit_defaults=True):
    """One labeled span."""

    start: Offset
    end: Offset
    label: str
    parts: list[tuple[Offset, Offset]] | None = None
    level: Offset = 0
    score: Any = None
    """Its confidence: a number where it was read or is to be written, any value where it was decoded."""

    def __str__(self) -> str:
        return f"the span [{self.start}, {self.end}] {self.label!r}"


# Offsets and positions


@dataclass(frozen=True)
class OffsetMap:
    """Maps the offsets of records to positions."""

    positions: Callable[[Ints, Ints], Ints]
    """The positions for records and offsets into them; -1 for offsets outside their record."""
    fault: Callable[[int, JsonSpan], Fault]
    """Explains why a span of a record covers no positions."""
    first: int = 0
    """The offset of the first character or token."""
    beyond: int = 0
    """1 if ends are inclusive."""

    def bounds(self, record: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The positions of the starts and ends of spans."""
        return self.positions(record, start - self.first), self.positions(record, end - self.first + self.beyond)


def on_texts(texts: Sequence[str], counting: Convention | Offsets) -> tuple[Texts, OffsetMap]:
    """Texts as positions, and the map from offsets into them."""
    convention = counting if isinstance(counting, Convention) else Convention(counting)
    offsets, first, beyond = convention.unit, convention.first, int(convention.inclusive)
    if offsets == IN_TOKENS:
        raise SettingError("offsets is 'tokens', but these spans are of texts, which have no tokens to count.")
    characters = Texts.of(texts, offsets)

    def fault(record: int, span: JsonSpan) -> Fault:
        size = _size(texts[record], offsets)
        start, end = span.start - first, span.end - first + beyond
        if end <= start:
            return f"{span} covers nothing", COUNT
        if start < 0:
            return f"{span} begins before its text, whose first character has the number 1", _MEND
        if end > size:
            fits = offsets == "codepoints" and end <= _size(texts[record], "utf16")
            remedy = f"{COUNT}, or choose --offsets utf16 if its tool counts UTF-16 units" if fits else COUNT
            return f"{span} ends after its text, which has {size} {_UNIT_NAMES[offsets]}", remedy
        if (characters.positions(ints([record, record]), ints([start, end])) < 0).any():
            return f"{span} begins or ends within a character", "fix its offsets, or choose --offsets codepoints"
        return f"{span} covers only spaces", "fix its offsets, or remove it"

    return characters, OffsetMap(characters.positions, fault, first, beyond)


def on_tokens(lengths: Ints, convention: Convention = _PLAIN) -> OffsetMap:
    """The map from token offsets, for records with these numbers of tokens."""
    beyond = int(convention.inclusive)

    def positions(record: Ints, offset: Ints) -> Ints:
        return np.where(offset > lengths[record], -1, offset)

    def fault(record: int, span: JsonSpan) -> Fault:
        if span.end + beyond <= span.start:
            return f"{span} covers nothing", COUNT
        return f"{span} ends after the tokens of its record, which has {lengths[record]}", COUNT

    return OffsetMap(positions, fault, convention.first, beyond)


def on_words(
    words: Sequence[Words | None], convention: Convention, source: str, lines: Ints, ids: Tokens | None = None
) -> tuple[Corpus, OffsetMap]:
    """Records as documents, and the map from their offsets.

    They are all texts or all tokens. Of texts that the file does not contain (None), offsets are kept as positions.
    """
    texts = [text for text in words if isinstance(text, str)]
    tokens = [listed for listed in words if isinstance(listed, list)]
    if texts:
        characters, offsets = on_texts(texts, convention)
        corpus = characters.corpus(source, lines)
    elif tokens:
        lengths = ints(list(map(len, tokens)))
        corpus = token_corpus(source, Tokens.of(list(chain.from_iterable(tokens))), lengths, lines)
        offsets = on_tokens(lengths, convention)
    else:
        documents = np.arange(len(words))
        corpus = Corpus(source, len(words), lines=lines, atoms="characters", documents=documents)
        first, beyond = convention.first, int(convention.inclusive)
        offsets = OffsetMap(
            lambda record, offset: offset, lambda record, span: (f"{span} covers nothing", COUNT), first, beyond
        )
    return replace(corpus, ids=ids), offsets


def token_corpus(source: str, tokens: Tokens, lengths: Ints, lines: Ints, ids: Tokens | None = None) -> Corpus:
    """Records with these numbers of tokens as documents, given the line of each record."""
    return Corpus(
        source,
        len(lengths),
        np.append(0, np.cumsum(lengths)),
        tokens,
        lines if lengths.all() else np.repeat(lines, lengths),
        documents=np.arange(len(lengths)),
        ids=ids,
    )


def spans_in_positions(
    lists: Sequence[Sequence[JsonSpan]], offsets: OffsetMap
) -> tuple[list[JsonSpan], Ints, Ints, Ints, Bools]:
    """The spans of records, their records, the positions of their bounds, and whether they cover any."""
    flat = list(chain.from_iterable(lists))
    scope = np.repeat(np.arange(len(lists)), ints(list(map(len, lists))))
    start, end = (np.fromiter(map(attrgetter(side), flat), np.int64, len(flat)) for side in ("start", "end"))
    start, end = offsets.bounds(scope, start, end)
    return flat, scope, start, end, (start >= 0) & (end > start)


def spans_of(lists: Sequence[Sequence[JsonSpan]], offsets: OffsetMap, vocabulary: Vocabulary, report: Report) -> Spans:
    """The spans of records, one list per record. Spans that cover no positions are reported and left out."""
    flat, scope, start, end, good = spans_in_positions(lists, offsets)
    if not good.all():
        for row in np.flatnonzero(~good).tolist():
            report(int(scope[row]), *offsets.fault(int(scope[row]), flat[row]))
        flat = [flat[row] for row in np.flatnonzero(good).tolist()]
        scope, start, end = scope[good], start[good], end[good]
    names = [span.label for span in flat]
    codes = {name: vocabulary.labels.code(name) for name in dict.fromkeys(names)}
    for row in [row for row, name in enumerate(names) if not name] if "" in codes else ():
        report(int(scope[row]), f"{flat[row]} has an empty label", "add its label")
    spans = Spans.of(vocabulary, scope, start, end, ints([codes[name] for name in names]))
    if any(span.score is not None for span in flat):
        spans = replace(spans, score=score_column([MISSING if span.score is None else span.score for span in flat]))
    if not any(span.level or span.parts for span in flat):
        return spans
    level = ints([span.level for span in flat])
    return replace(spans, level=level, shape=shapes(flat, spans, offsets, report))


def shapes(flat: Sequence[JsonSpan], spans: Spans, offset_map: OffsetMap, report: Report) -> Ints:
    """The codes of the gaps in spans; 0 for spans without parts."""
    shape = np.zeros(len(flat), dtype=np.int64)
    for row, span in enumerate(flat):
        if span.parts is None:
            continue
        record, offsets = int(spans.scope[row]), list(chain.from_iterable(span.parts))
        parts: list[tuple[int, int]] = []
        if offsets == sorted(offsets) and offsets and (offsets[0], offsets[-1]) == (span.start, span.end):
            scope = np.full(len(offsets) // 2, record)
            starts, ends = offset_map.bounds(scope, ints(offsets[::2]), ints(offsets[1::2]))
            parts = list(zip(starts.tolist(), ends.tolist(), strict=True))
        if not parts or any(start >= end for start, end in parts):
            finding = f"the parts of {span} do not run through it from start to end"
            report(record, finding, "list them as [start, end], in ascending order")
            continue
        gaps = [position for (_, end), (start, _) in pairwise(parts) for position in range(end, start)]
        shape[row] = spans.vocabulary.shapes.code(tuple(position - int(spans.start[row]) for position in gaps))
    return shape


def repeated(spans: Spans) -> int:
    """The number of spans that repeat another one, with the same label and bounds."""
    if len(spans) < 2 or ((spans.scope[1:] > spans.scope[:-1]) | (spans.start[1:] > spans.start[:-1])).all():
        return 0
    columns = (spans.scope, spans.start, spans.end, spans.label, spans.level, spans.shape)
    keys = np.sort(pack(*((column, empty()) for column in columns))[0])
    return int((keys[1:] == keys[:-1]).sum())


# Quotes


class Quote(msgspec.Struct, gc=False):
    """The text that a span quotes, and the offsets of its parts as in the file."""

    parts: Sequence[tuple[int, int]]
    quoted: str


class Quoted(msgspec.Struct, gc=False):
    """A text or its tokens, the quotes of it, and the smallest and the largest offset of its spans."""

    text: Words
    quotes: Sequence[Quote]
    smallest: int = 0
    largest: int = 0

    @staticmethod
    def of(text: Words, quotes: Sequence[Quote], spans: Sequence[JsonSpan]) -> Quoted:
        edges = [edge for span in spans for edge in (span.start, span.end)]
        edges += [edge for quote in quotes for part in quote.parts for edge in part]
        return Quoted(text, quotes, min(edges, default=1), max(edges, default=0))

    def fits(self, convention: Convention, *, exactly: bool = False) -> bool:
        """Whether all offsets are inside the text, and the text there is equal to the quotes."""
        size = len(self.text) if not isinstance(self.text, str) else _size(self.text, convention.unit)
        last = self.largest - convention.first + convention.inclusive
        if self.smallest < convention.first or last > size:
            return False
        if exactly:
            return all(_quoted_text(self.text, quote, convention) == quote.quoted for quote in self.quotes)
        return _first_misquoted(self.text, self.quotes, convention) is None


_BOUNDS = ((1, True), (0, True), (1, False))
_CONVENTIONS = (
    tuple(map(Convention, UNITS)),
    tuple(Convention(UNITS[0], *bounds) for bounds in _BOUNDS),
    tuple(Convention(unit, *bounds) for bounds, unit in product(_BOUNDS, UNITS[1:])),
)
"""Possible conventions, most likely first: the units of programming languages, then other bounds, then both."""


def misquoted(text: Words, quotes: Sequence[Quote], convention: Convention) -> Fault | None:
    """The first quote that the text or the tokens do not have at its offsets, up to blanks and case."""
    wrong = _first_misquoted(text, quotes, convention)
    if wrong is None:
        return None
    (start, _), *_, (_, end) = *wrong.parts, wrong.parts[-1]
    what = "text has" if isinstance(text, str) else "record has the tokens"
    held = _quoted_text(text, wrong, convention)
    finding = f"{wrong.quoted!r} is quoted at [{start}, {end}], where the {what} {held!r}"
    others = _fitting([Quoted.of(text, quotes, ())])
    return finding, f"choose --offsets {others[0]}, which fits" if len(others) == 1 else _FIX_OFFSETS


def check_quotes(
    words: Sequence[Words | None],
    quotes: Sequence[Sequence[Quote]],
    convention: Convention,
    report: Report,
    remedies: tuple[str, ...] = ("",),
) -> None:
    """Report records that do not have their quotes at their offsets; `remedies` are the beginnings of possible ones."""
    for record, (text, listed) in enumerate(zip(words, quotes, strict=True)):
        fault = misquoted(text, listed, convention) if text is not None and listed else None
        if fault is not None:
            report(record, fault[0], fault[1] if fault[1].startswith(remedies) else _FIX_OFFSETS)


def convention_of(offsets: str | None, sample: Sequence[Quoted]) -> Convention:
    """How offsets count: as specified, or as quotes show if exactly one other convention fits all of them."""
    if offsets is not None:
        return Convention.of(offsets)
    if all(misquoted(quoted.text, quoted.quotes, _PLAIN) is None for quoted in sample if quoted.quotes):
        return _PLAIN
    fitting = _fitting(sample)
    return fitting[0] if len(fitting) == 1 else _PLAIN


def _fitting(sample: Sequence[Quoted]) -> list[Convention]:
    """The conventions that fit all quotes, from the first tier that has one."""
    for tier in _CONVENTIONS:
        fitting = [convention for convention in tier if all(quoted.fits(convention) for quoted in sample)]
        if fitting[:1] == [_PLAIN]:
            return fitting[:1]
        if len(fitting) > 1:  # blanks next to spans are ambiguous unless quotes are taken literally
            exact = [each for each in fitting if all(quoted.fits(each, exactly=True) for quoted in sample)]
            fitting = exact or fitting
        if fitting:
            return fitting
    return []


def _first_misquoted(text: Words, quotes: Sequence[Quote], convention: Convention) -> Quote | None:
    wrong = (quote for quote in quotes if not quotes_same(_quoted_text(text, quote, convention), quote.quoted))
    return next(wrong, None)


def _quoted_text(text: Words, quote: Quote, convention: Convention) -> str:
    first, beyond = convention.first, int(convention.inclusive)
    bounds = [(start - first, end - first + beyond) for start, end in quote.parts]
    if not isinstance(text, str):
        return " ".join(chain.from_iterable(text[max(start, 0) : max(end, 0)] for start, end in bounds))
    return " ".join(slices(text, bounds, "codepoints" if text.isascii() else convention.unit))


def slices(text: str, bounds: Sequence[tuple[int, int]], offsets: str) -> list[str]:
    """The text between offsets; empty for offsets outside the text."""
    if offsets == "codepoints":
        return [text[start:end] if start >= 0 else "" for start, end in bounds]
    encoding, size = ("utf-16-le", 2) if offsets == "utf16" else ("utf-8", 1)
    units = text.encode(encoding)
    return [units[size * start : size * end].decode(encoding, "replace") if start >= 0 else "" for start, end in bounds]


def _size(text: str, offsets: str) -> int:
    if offsets == "codepoints":
        return len(text)
    return len(text.encode("utf-16-le")) // 2 if offsets == "utf16" else len(text.encode())


_PIECES = re.compile(r"##|[\u0120\u010a\u2581]|@@(?=\s|$)|</w>")
"""Marks of word pieces in BERT, byte-level BPE, SentencePiece and BPE."""


def quotes_same(held: str, quoted: str) -> bool:
    """Whether a quote is equal to the text, up to changes by pipelines: blanks, case, accents, marks of word pieces.

    A token unknown to a model is quoted as `[UNK]`, which matches anything.
    """
    return held == quoted or _bare(held) == _bare(quoted) or "[UNK]" in quoted or _plain(held) == _plain(quoted)


def occurs(quoted: str, text: str) -> bool:
    """Whether a quote occurs anywhere in a text, up to changes by pipelines."""
    return _plain(quoted) in _plain(text)


def _bare(text: str) -> str:
    r"""A text without spaces and line breaks, including those that a tool writes as \n."""
    return "".join(text.replace("\\n", " ").split())


@cache
def _byte_letters() -> dict[int, int]:
    """The bytes that byte-level BPE writes as letters, by letter."""
    kept = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in kept]
    return {**{byte: byte for byte in kept}, **{256 + at: byte for at, byte in enumerate(others)}}


def _plain(text: str) -> str:
    letters = _byte_letters()
    if not text.isascii() and all(ord(letter) in letters for letter in text):
        with suppress(UnicodeDecodeError):  # these are letters, not bytes
            text = bytes(letters[ord(letter)] for letter in text).decode()
    decomposed = unicodedata.normalize("NFKD", _bare(_PIECES.sub("", text)).casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


# Spans in arbitrary JSON


class SpanError(ValueError):
    """A span or record that cannot be read, with the finding and its remedy."""

    def __init__(self, finding: str, remedy: str = "fix the record") -> None:
        super().__init__(finding)
        self.fault: Fault = finding, remedy


class ListedSpan(msgspec.Struct, gc=False):
    """A span as a record lists it: its bounds, its labels, its quote, its parts, and the number of its token."""

    start: int
    end: int
    labels: Sequence[str]
    quoted: str | None = None
    parts: list[tuple[int, int]] | None = None
    level: int = 0
    index: int | None = None
    is_value: bool = False
    """Whether the quote may be a value instead, such as a date in another notation."""
    score: float | None = None

    @property
    def quote(self) -> Quote:
        return Quote(self.parts or [(self.start, self.end)], self.quoted or "")


@dataclass(frozen=True)
class SpanFields:
    """The fields of an object that hold the parts of a span."""

    start: str | None = None
    end: str | None = None
    length: str | None = None
    pair: str | None = None
    label: str | None = None
    quoted: str | None = None
    level: str | None = None
    parts: str | None = None
    index: str | None = None
    scores: tuple[str, ...] = ()
    """Fields with usual names of confidences."""


def _ranks(*names: str) -> dict[str, int]:
    """Names in the form of `_normalized`, separated by blanks, with their ranks."""
    return {name: rank for rank, name in enumerate(" ".join(names).split())}


_STARTS = _ranks(
    "start begin startoffset beginoffset startchar charstart startpos startposition startindex startidx beginchar",
    "charbegin beginpos beginindex beginposition beginidx spanstart spanbegin offsetstart offsetbegin startcharacter",
    "startcharoffset charstartoffset charoffsetbegin characteroffsetbegin charoffsetstart textstart entitystart",
    "mentionstart from left s",
)
_ENDS = _ranks(
    "end stop endoffset stopoffset endchar charend endpos endposition endindex endidx spanend offsetend endcharacter",
    "endcharoffset charendoffset stopchar charoffsetend characteroffsetend textend entityend mentionend finish to",
    "right e",
)
_OFFSETS = _ranks("offset charoffset position pos")
"""Offsets that need a length or a quote."""
_LENGTHS = _ranks("length len spanlength matchlength size")
_PAIRS = _ranks(
    "span spans offsets offset position positions charspan charoffsets charoffset indices range ranges bounds",
    "boundaries location locations loc extent interval charrange startend pos index indexes charindices charinterval",
    "fragments",
)
"""Fields with a pair of offsets, several pairs, or objects with offsets."""
_LABELS = _ranks(
    "label type category entitygroup entitytype entitylabel tag class kind nertag nerlabel ner nertype labelname",
    "classname labels types infons entity",
)
_QUOTES = _ranks(
    "text word mention surface surfaceform string value span phrase quote form spantext entitytext mentiontext",
    "coveredtext matchedtext entity chunk content",
)
_VALUES = frozenset(("value", "entity", "form", "content", "chunk"))
"""Fields of quotes that may also hold other values."""
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
KEY_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
"""The words of a key: `predicted_spans` and `predictedSpans` have two."""
_LOOKS_LIKE_OFFSET = re.compile(
    r"start|begin|end|stop|finish|offset|pos(ition)?s?|span|loc(ation)?s?|range|bounds?|from|to|char|idx|ind(ex|ices)"
    r"|left|right|first|last|fragments|interval|extent"
)
_COUNTS_OTHER_UNITS = re.compile(r"tok(en)?s?|word|sent(ence)?|line|page|id|paragraph|para")
"""Words of keys whose positions and numbers are not offsets into a text."""


@cache
def _normalized(key: str) -> str:
    """A key without separators, in lower case: `start_char` and `startChar` are one name."""
    return _SEPARATORS.sub("", key).lower()


@cache
def _looks_like_offset(key: str) -> bool:
    words = [word.lower() for word in KEY_WORDS.findall(key)]
    return any(map(_LOOKS_LIKE_OFFSET.fullmatch, words)) and not any(map(_COUNTS_OTHER_UNITS.fullmatch, words))


_FIELDS: dict[tuple[Any, ...], SpanFields] = {}


def span_fields(span: dict[str, Any]) -> SpanFields:
    """The fields of an object that are its offsets, its label, its quote and so on."""
    key = (*span, *map(type, span.values()))
    fields = _FIELDS.get(key)
    if fields is None:
        if len(_FIELDS) > 10_000:  # objects without a common layout
            _FIELDS.clear()
        fields = _FIELDS[key] = _find_fields(span)
    return fields


def _named(span: dict[str, Any], names: dict[str, int], *types: type) -> list[str]:
    """The fields that have one of these names and types, by rank."""
    keys = [key for key, value in span.items() if type(value) in types and _normalized(key) in names]
    return sorted(keys, key=lambda key: names[_normalized(key)])


def _find_fields(span: dict[str, Any]) -> SpanFields:
    strings = _named(span, _LABELS, str)
    others = [key for key in strings if _normalized(key) != "entity"]
    label = next(iter([*others, *_named(span, _LABELS, list, dict), *strings]), None)
    quoted = next((key for key in _named(span, _QUOTES, str) if key != label), None)
    starts, ends, lengths = (_named(span, names, int) for names in (_STARTS, _ENDS, _LENGTHS))
    pairs, single = _named(span, _PAIRS, list, dict), _named(span, _OFFSETS, int)
    start = end = length = pair = None
    if starts and ends:
        start, end = starts[0], ends[0]
    elif (starts or single) and lengths:
        start, length = (starts or single)[0], lengths[0]
    elif pairs:
        pair = pairs[0]
    elif single and ends:
        start, end = single[0], ends[0]
    elif (starts or single) and quoted and not ends:
        start = (starts or single)[0]
    level = "level" if type(span.get("level")) is int else None
    parts = "parts" if isinstance(span.get("parts"), list) else None
    index = "index" if type(span.get("index")) is int else None
    return SpanFields(start, end, length, pair, label, quoted, level, parts, index, score_keys(span))


def has_offsets(span: Any) -> bool:
    """Whether an object or a list has offsets that can be read."""
    if isinstance(span, dict):
        fields = span_fields(span)
        return fields.start is not None or (fields.pair is not None and _read_parts(span[fields.pair]) is not None)
    return isinstance(span, list) and sum(type(value) is int for value in span[:4]) >= 2


def odd_offsets(span: dict[str, Any]) -> list[str]:
    """The fields that look like offsets, for an object without offsets that can be read."""
    if has_offsets(span):
        return []
    named = [key for key, value in span.items() if _looks_like_offset(key) and _is_numeric(value)]
    pairs = [key for key, value in span.items() if _is_pair(value)]
    nested = [key for key, value in span.items() if isinstance(value, list) and any(map(_contains_offsets, value))]
    return list(dict.fromkeys([*named, *pairs, *nested, *_as_long_as_quotes(span)]))


def _contains_offsets(value: object) -> bool:
    """Whether an object has offsets, directly or in an object inside it."""
    if not isinstance(value, dict):
        return False
    inner = (child for child in value.values() if isinstance(child, dict))
    return has_offsets(value) or bool(odd_offsets(value)) or any(map(_contains_offsets, inner))


def _is_numeric(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\d+(?:\s*[-:,]\s*\d+)?", value.strip()) is not None
    is_list_of_pairs = isinstance(value, list) and bool(value) and all(map(_is_pair, value))
    return type(value) is int or _is_pair(value) or is_list_of_pairs


def _is_pair(value: object) -> bool:
    return _are_two_integers(value) and 0 <= value[0] < value[1]


def _are_two_integers(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and len(value) == 2 and all(type(item) is int for item in value)


def _as_long_as_quotes(span: dict[str, Any]) -> list[str]:
    """Two numbers that differ by the length of a string next to them."""
    sizes = {len(value) for value in span.values() if isinstance(value, str) and value}
    numbers = [(key, value) for key, value in span.items() if type(value) is int and value >= 0]
    for (first, low), (second, high) in pairwise(numbers):
        if high - low in sizes and high - low > 1:
            return [first, second]
    return []


def _read_parts(value: Any) -> list[tuple[int, int]] | None:
    """The pairs of offsets in a value: a pair, a list of pairs, or objects with offsets."""
    if isinstance(value, dict):
        return _read_object_parts([value])
    if not isinstance(value, list) or not value:
        return None
    if all(type(item) is int for item in value):
        return [(value[0], value[1])] if len(value) == 2 else None
    if all(_are_two_integers(item) for item in value):
        return [(start, end) for start, end in value]
    return _read_object_parts(value) if all(isinstance(item, dict) for item in value) else None


def _read_object_parts(values: Sequence[dict[str, Any]]) -> list[tuple[int, int]] | None:
    fields = list(map(span_fields, values))
    if not all(each.start is not None and (each.end or each.length) for each in fields):
        return None
    return [_read_bounds(value, each) for value, each in zip(values, fields, strict=True)]


def _read_bounds(span: dict[str, Any], fields: SpanFields) -> tuple[int, int]:
    """The offsets of an object whose end follows from a second offset, a length or a quote."""
    assert fields.start is not None
    start: int = span[fields.start]
    if fields.end is not None:
        return start, span[fields.end]
    return start, start + (span[fields.length] if fields.length is not None else len(span[fields.quoted or ""]))


def read_span(span: Any, path: str, scores: ScoreFields = USUAL, number: int = 0) -> ListedSpan:
    """A span from an object or a list; messages name its `path` in the record, or its number."""
    if isinstance(span, dict):
        listed = _read_object(span, path)
        if keys := scores.among(span, span_fields(span).scores):
            try:
                listed.score = scores.read(span, f"span {number}", keys)
            except ScoreError as error:
                raise SpanError(str(error), "") from None
    elif isinstance(span, list):
        listed = _read_list(span, path)
    else:
        raise SpanError(f"expected an object or a list for {path}, got {name_of_type(span)}")
    if not 0 <= listed.level <= _LARGEST:
        raise SpanError(f"expected a level of 0 or more for {path}, got {listed.level:.6g}")
    return listed


def _read_object(span: dict[str, Any], path: str) -> ListedSpan:
    fields, parts = span_fields(span), None
    if fields.start is not None:
        start, end = _read_bounds(span, fields)
        parts = None if fields.parts is None else _read_parts(span[fields.parts]) or []
    else:
        pairs = _read_parts(span[fields.pair]) if fields.pair is not None else None
        if pairs is None:
            raise _no_offsets(span, path)
        pairs.sort()
        start, end = pairs[0][0], pairs[-1][1]
        parts = pairs if len(pairs) > 1 else None
    if not _are_in_range(start, end):
        key = fields.start if not 0 <= start <= _LARGEST else fields.end or fields.length
        bound = ">= 0" if min(start, end) < 0 else f"<= {_LARGEST}"
        raise SpanError(f"expected a whole number {bound} for {path}.{key or fields.pair}")
    labels = _read_labels(span, fields, path)
    quoted = span[fields.quoted] if fields.quoted is not None else None
    index = span[fields.index] if fields.index is not None else None
    level = span[fields.level] if fields.level is not None else 0
    quoted = quoted if quoted and not quoted.isspace() else None
    is_value = fields.quoted is not None and _normalized(fields.quoted) in _VALUES
    return ListedSpan(start, end, labels, quoted, parts, level, index, is_value)


def _are_in_range(start: int, end: int) -> bool:
    return 0 <= start <= _LARGEST and 0 <= end <= _LARGEST


def _no_offsets(span: dict[str, Any], path: str) -> SpanError:
    known = [key for key in span if _normalized(key) in _STARTS or _normalized(key) in _ENDS]
    for key in known:
        if not isinstance(span[key], int | list | dict):
            return SpanError(f"expected a whole number for {path}.{key}, got {name_of_type(span[key])}")
    odd = [key for key in odd_offsets(span) if key not in known]
    if odd:
        fields = " and ".join(map(repr, odd[:3]))
        finding = f"{path} has {fields}, which look{'s' * (len(odd) == 1)} like offsets but cannot be read"
        return SpanError(finding, "name the offsets start and end")
    for key in known:
        old, new = ("start", "end") if _normalized(key) in _STARTS else ("end", "start")
        return SpanError(f"{path} has no {(key.replace(old, new) if old in key else new)!r}")
    return SpanError(f"{path} has no offsets, such as 'start' and 'end'")


def _read_labels(span: dict[str, Any], fields: SpanFields, path: str) -> Sequence[str]:
    if fields.label is None:
        for key in (key for key in span if _normalized(key) in _LABELS):
            raise SpanError(f"expected a string for {path}.{key}, got {name_of_type(span[key])}")
        raise SpanError(f"{path} has no 'label'")
    value = span[fields.label]
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):  # the infons of BioC
        keys = _named(value, _LABELS, str)
        if not keys:
            raise SpanError(f"{path}.{fields.label} has no 'type'")
        return (value[keys[0]],)
    if not value or not all(isinstance(label, str) for label in value):
        raise SpanError(f"expected strings for {path}.{fields.label}, got {value!r:.60}", "add its label")
    return list(value)


def _read_list(span: list[Any], path: str) -> ListedSpan:
    """A span as a list: two offsets, a label, and perhaps a quote; a score may follow."""
    numbers = [value for value in span[:4] if type(value) is int]
    strings = [value for value in span[:4] if isinstance(value, str)]
    if len(numbers) < 2 or not 1 <= len(strings) <= 2:
        raise SpanError(f"expected [start, end, label] for {path}, got {span!r:.60}")
    start, end = numbers[:2]
    if not _are_in_range(start, end):
        raise SpanError(f"expected offsets >= 0 for {path}, got {span!r:.60}")
    label, quoted = strings[0], None
    if len(strings) == 2:
        size = end - start
        fits = [len(string) in (size, size + 1) for string in strings]
        is_first = fits[0] if fits[0] != fits[1] else isinstance(span[0], str)
        quoted, label = strings if is_first else strings[::-1]
    parts = _read_parts(span[3]) if len(span) > 3 and isinstance(span[3], list) else None
    level = span[4] if len(span) > 4 and type(span[4]) is int else 0
    score = next((value for value in span[3:] if type(value) is float), None)
    return ListedSpan(start, end, (label,), quoted, parts, level, score=score)


TYPE_NAMES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a decimal number",
    "bool": "a truth value",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""The types of JSON in messages, by msgspec's names for them."""
_NAMES_OF_TYPES = dict(zip((str, int, float, bool, list, dict, type(None)), TYPE_NAMES.values(), strict=True))


def name_of_type(value: object) -> str:
    """The type of a JSON value, for messages."""
    return _NAMES_OF_TYPES.get(type(value), "a value")


# Tags of tokens as labels


_PREFIX = re.compile(r"([BIESLUM])-(?=\S)")


def has_prefix(label: str) -> bool:
    """Whether a label looks like the tag of a token, such as `B-PER`."""
    return _PREFIX.match(label) is not None


def are_prefixed(labels: Iterable[str]) -> bool:
    """Whether labels are tags of tokens, with prefixes such as `B-` and `I-`.

    It is an error if only some are, because such a file cannot be read without a guess.
    """
    names = {label for label in labels if label != "O"}
    tags = {name for name in names if has_prefix(name)}
    inside = sorted(name for name in tags if name[0] in "IELM")
    plain = sorted(names - tags)
    if plain and inside:
        finding = f"the label {inside[0]!r} has a prefix of a tag, and the label {plain[0]!r} has none"
        raise SpanError(finding, "merge tokens into entities first, such as with aggregation_strategy='simple'")
    if not tags or plain:
        return False
    return bool(inside) or all(name[2:].upper() == name[2:] for name in tags)


def merge_tokens(spans: Sequence[ListedSpan], text: Words | None, score_of_span: str = "min") -> list[ListedSpan]:
    """Entities from spans of tokens with tags as labels: `B-PER` begins one, and `I-PER` next to it continues it."""
    entities: list[ListedSpan] = []
    scores: list[list[float]] = []
    last: ListedSpan | None = None
    ends = True
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if list(span.labels) == ["O"]:
            last = None
            continue
        prefix, label = (span.labels[0][0], span.labels[0][2:]) if has_prefix(span.labels[0]) else ("B", span.labels[0])
        continues = last is not None and not ends and prefix in "IELM" and list(last.labels) == [label]
        if continues and last is not None and _is_next(last, span, text):
            last.end, last.index = span.end, span.index
        else:
            last = ListedSpan(span.start, span.end, [label], level=span.level, index=span.index)
            entities.append(last)
            scores.append([])
        scores[-1].append(MISSING if span.score is None else span.score)
        ends = prefix in "ESLU"
    if any(span.score is not None for span in spans):
        ends_of = np.cumsum(list(map(len, scores)))
        of_tokens = np.array(list(chain.from_iterable(scores)))
        reduced = of_spans(of_tokens, np.append(0, ends_of)[:-1], ends_of, score_of_span)
        for entity, score in zip(entities, reduced.tolist(), strict=True):
            entity.score = score
    return entities


def _is_next(last: ListedSpan, span: ListedSpan, text: Words | None) -> bool:
    """Whether a token follows the last one of an entity, by their numbers or by the text between them."""
    if last.index is not None and span.index is not None:
        return span.index == last.index + 1
    if isinstance(text, str):
        return not text[last.end : span.start].strip()
    return span.start - last.end <= (1 if text is None else 0)


# Spans to write


def to_write(annotation: Annotation, layer: str = "spans") -> Iterator[tuple[int, list[JsonSpan]]]:
    """The sentences (or texts) of an annotation with their spans, in the order of the file, counted in positions."""
    spans = annotation.spans(layer)
    lists: list[list[JsonSpan]] = [[] for _ in range(annotation.corpus.sentences)]
    parts = {row: _parts(spans, row) for row in np.flatnonzero(spans.shape).tolist()}
    scores = [None] * len(spans) if spans.score is None else scores_to_write(spans.score)
    rows = zip(spans.rows(), spans.level.tolist(), scores, strict=True)
    for row, ((label, scope, start, end), level, score) in enumerate(rows):
        lists[scope].append(JsonSpan(start, end, label, parts.get(row), level, score))
    return enumerate(lists)


def _parts(spans: Spans, row: int) -> list[tuple[int, int]]:
    (positions,) = spans.take(slice(row, row + 1)).token_sets()
    starts = sorted(position for position in positions if position - 1 not in positions)
    ends = sorted(position + 1 for position in positions if position + 1 not in positions)
    return list(zip(starts, ends, strict=True))


def text_records(annotation: Annotation) -> Iterator[tuple[str, list[JsonSpan]]]:
    """The text of each sentence (or text), and its spans with offsets in code points; tokens are joined by spaces."""
    for sentence, spans in to_write(annotation):
        text, starts, ends = edges(annotation.corpus, sentence)
        yield text, with_offsets(spans, starts, ends)


def records(annotation: Annotation) -> Iterator[tuple[str | list[str], list[JsonSpan]]]:
    """The same with tokens instead of the text, and with token offsets, if spans count tokens."""
    corpus = annotation.corpus
    if corpus.atoms == "characters":
        yield from text_records(annotation)
        return
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    for (_, spans), bounds in zip(to_write(annotation), pairwise(corpus.bounds.tolist()), strict=True):
        yield corpus.tokens.texts(*bounds), spans


def span_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, Any]]:
    """JSON records to write: one per sentence (or text), with its id."""
    for batch in batches:
        ids = batch.corpus.ids
        for number, (text, spans) in enumerate(records(batch)):
            identifier = {} if ids is None or not ids[number] else {"id": ids[number]}
            yield {**identifier, "text" if isinstance(text, str) else "tokens": text, "spans": spans}


def edges(corpus: Corpus, sentence: int) -> tuple[str, list[int], list[int]]:
    """The text of a sentence, and the start and end of each position in it, in code points.

    If there are only tokens, they are joined by single spaces.
    """
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.atoms == "characters":
        text = corpus.text(sentence)
        starts = [at for at, character in enumerate(text) if not character.isspace()]
        return text, starts, [at + 1 for at in starts]
    tokens = [corpus.tokens[at] for at in range(*corpus.bounds[sentence : sentence + 2].tolist())]
    ends = (np.cumsum([len(token) + 1 for token in tokens], dtype=np.int64) - 1).tolist()
    return " ".join(tokens), [end - len(token) for end, token in zip(ends, tokens, strict=True)], ends


def with_offsets(spans: Sequence[JsonSpan], starts: Sequence[int], ends: Sequence[int]) -> list[JsonSpan]:
    """Spans with text offsets instead of positions; `starts` and `ends` are the offsets of the positions."""
    moved = []
    for span in spans:
        parts = None if span.parts is None else [(starts[start], ends[end - 1]) for start, end in span.parts]
        moved.append(JsonSpan(starts[span.start], ends[span.end - 1], span.label, parts, span.level, span.score))
    return moved
