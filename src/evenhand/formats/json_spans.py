"""Spans as JSON formats have them: objects with offsets into a text, or with positions of tokens.

Offsets count from 0 and ends are exclusive, unless a file has another convention. A span with gaps lists what it
covers: `parts`, as `[[start, end], …]`. `level` is the column or the place in a stack of tags that a span comes from.

Tools name the fields of a span differently. `read_span` understands objects with

- two offsets (`start`/`end`, `begin`/`end`, `start_char`/`end_char`, `startOffset`/`endOffset`, `from`/`to`, …), an
  offset and a `length`, an offset and a quote, or one or several pairs (`span`, `offsets`, `position`, `locations`, …),
- a label (`label`, `type`, `category`, `entity_group`, `entity`, `tag`, `class`, …) or a list of `labels`,
- perhaps a quote (`text`, `word`, `mention`, `surface`, …), which must be what the text has there;

and lists such as `[13, 17, "LOC"]`, `["LOC", 13, 17]` and `["Rome", 13, 17, "LOC"]`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cache
from itertools import chain, pairwise, product
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import numpy as np

from evenhand.arrays import Ints, empty, ints, pack
from evenhand.dataclass import dataclass
from evenhand.settings import UNITS, Convention, Offsets, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans

Offset = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""What every JSON reader can hold exactly."""
Fault = tuple[str, str]
"""What was found, and what to do."""
Report = Callable[[int, str, str], None]
"""Raises or collects a problem of a record: its place in the batch, what was found, what to do."""
_START, _END, _LEVEL, _PARTS = map(attrgetter, ("start", "end", "level", "parts"))
_COUNT = "count from 0, and let the end stand behind the span"
_PLAIN = Convention()
_MEND = "mend its offsets, or choose other --offsets"
_UNIT_NAMES = {"codepoints": "characters", "utf16": "UTF-16 units", "bytes": "bytes"}


class Span(msgspec.Struct, gc=False, omit_defaults=True):
    """One labeled span."""

    start: Offset
    end: Offset
    label: str
    parts: list[tuple[Offset, Offset]] | None = None
    level: Offset = 0

    def __str__(self) -> str:
        return f"the span [{self.start}, {self.end}] {self.label!r}"


@dataclass(frozen=True)
class Ground:
    """What offsets count in."""

    place: Callable[[Ints, Ints], Ints]
    """For records and offsets into them, the atoms there; -1 where there is no such offset."""
    fault: Callable[[int, Span], Fault]
    """What is wrong with a span of a record that covers no atoms."""
    first: int = 0
    """The number of the first character or token."""
    beyond: int = 0
    """1 if a span includes what is at its end."""


def on_texts(texts: Sequence[str], counting: Convention | Offsets) -> tuple[Texts, Ground]:
    """The characters of texts as atoms."""
    convention = counting if isinstance(counting, Convention) else Convention(counting)
    offsets, first, beyond = convention.unit, convention.first, int(convention.inclusive)
    atoms = Texts.of(texts, offsets)

    def fault(record: int, span: Span) -> Fault:
        size = _size(texts[record], offsets)
        start, end = span.start - first, span.end - first + beyond
        if end <= start:
            return f"{span} covers nothing", _COUNT
        if start < 0:
            return f"{span} begins before its text, whose first character has the number 1", _MEND
        if end > size:
            fits = offsets == "codepoints" and end <= _size(texts[record], "utf16")
            unit = _UNIT_NAMES[offsets]
            remedy = f"{_COUNT}, or choose --offsets utf16 if its tool counts UTF-16 units" if fits else _COUNT
            return f"{span} ends behind its text, which has {size} {unit}", remedy
        if (atoms.places(ints([record, record]), ints([start, end])) < 0).any():
            return f"{span} begins or ends within a character", "mend its offsets, or choose --offsets codepoints"
        return f"{span} covers only spaces", "mend its offsets, or remove it"

    return atoms, Ground(atoms.places, fault, first, beyond)


def on_nothing(convention: Convention) -> Ground:
    """Offsets into texts that a file does not have."""

    def fault(record: int, span: Span) -> Fault:
        return f"{span} covers nothing", _COUNT

    return Ground(lambda record, offset: offset, fault, convention.first, int(convention.inclusive))


def on_tokens(lengths: Ints, convention: Convention = _PLAIN) -> Ground:
    """Tokens as atoms, so many in each record."""
    first, beyond = convention.first, int(convention.inclusive)

    def place(record: Ints, offset: Ints) -> Ints:
        return np.where(offset > lengths[record], -1, offset)

    def fault(record: int, span: Span) -> Fault:
        if span.end + beyond <= span.start:
            return f"{span} covers nothing", _COUNT
        return f"{span} ends behind the tokens of its record, which has {lengths[record]}", _COUNT

    return Ground(place, fault, first, beyond)


def spans_of(lists: Sequence[Sequence[Span]], ground: Ground, vocabulary: Vocabulary, report: Report) -> Spans:
    """The spans of records, a list a record, in atoms; one that covers none is a problem, and left out."""
    flat = list(chain.from_iterable(lists))
    scope = np.repeat(np.arange(len(lists)), ints(list(map(len, lists))))
    start = np.fromiter(map(_START, flat), dtype=np.int64, count=len(flat)) - ground.first
    end = np.fromiter(map(_END, flat), dtype=np.int64, count=len(flat)) - ground.first + ground.beyond
    start, end = ground.place(scope, start), ground.place(scope, end)
    good = (start >= 0) & (end > start)
    if not good.all():
        for row in np.flatnonzero(~good).tolist():
            report(int(scope[row]), *ground.fault(int(scope[row]), flat[row]))
        flat = [flat[row] for row in np.flatnonzero(good).tolist()]
        scope, start, end = scope[good], start[good], end[good]
    names = [span.label for span in flat]
    codes = {name: vocabulary.labels.code(name) for name in dict.fromkeys(names)}
    if "" in codes:
        for row in [row for row, span in enumerate(flat) if not span.label]:
            report(int(scope[row]), f"{flat[row]} has an empty label", "name its label")
    spans = Spans.of(vocabulary, scope, start, end, ints([codes[name] for name in names]))
    if not any(map(_LEVEL, flat)) and not any(map(_PARTS, flat)):
        return spans
    shape = shapes(flat, spans, ground, report)
    return replace(spans, level=ints([span.level for span in flat]), shape=shape)


def shapes(flat: Sequence[Span], spans: Spans, ground: Ground, report: Report) -> Ints:
    """The codes of the atoms that spans leave out; only those with parts are looked at."""
    shape = np.zeros(len(flat), dtype=np.int64)
    for row in [row for row, span in enumerate(flat) if span.parts is not None]:
        record, span = int(spans.scope[row]), flat[row]
        offsets = list(chain.from_iterable(span.parts or ()))
        atoms: list[tuple[int, int]] = []
        if offsets == sorted(offsets) and offsets and (offsets[0], offsets[-1]) == (span.start, span.end):
            shift = np.tile([-ground.first, ground.beyond - ground.first], len(offsets) // 2)
            edges = ground.place(np.full(len(offsets), record), ints(offsets) + shift).tolist()
            atoms = list(zip(edges[::2], edges[1::2], strict=True))
        if not atoms or any(begin >= end for begin, end in atoms):
            finding = f"the parts of {span} do not run through it from start to end"
            report(record, finding, "list them as [start, end], each after the one before")
            continue
        gaps = [atom for (_, behind), (begin, _) in pairwise(atoms) for atom in range(behind, begin)]
        shape[row] = spans.vocabulary.shapes.code(tuple(atom - int(spans.start[row]) for atom in gaps))
    return shape


class Quote(msgspec.Struct, gc=False):
    """What a span quotes, and where: the offsets of its parts as the file has them."""

    parts: Sequence[tuple[int, int]]
    quoted: str


Words = str | Sequence[str]
"""A text or its tokens."""


class Quoted(msgspec.Struct, gc=False):
    """A text or its tokens, quotes of it, and the smallest and the largest offset of its spans."""

    text: Words
    quotes: Sequence[Quote]
    least: int = 0
    largest: int = 0

    @staticmethod
    def of(text: Words, quotes: Sequence[Quote], spans: Sequence[Span]) -> Quoted:
        edges = [edge for span in spans for edge in (span.start, span.end)]
        edges += [edge for quote in quotes for part in quote.parts for edge in part]
        return Quoted(text, quotes, min(edges, default=1), max(edges, default=0))

    def fits(self, convention: Convention, *, exactly: bool = False) -> bool:
        """Whether all offsets are in the text, and all quotes are what it has there."""
        size = len(self.text) if not isinstance(self.text, str) else _size(self.text, convention.unit)
        last = self.largest - convention.first + convention.inclusive
        if self.least < convention.first or last > size:
            return False
        if exactly:
            return all(_held(self.text, quote, convention) == quote.quoted for quote in self.quotes)
        return _first_misquoted(self.text, self.quotes, convention) is None


_BOUNDS = ((1, True), (0, True), (1, False))
_CONVENTIONS = (
    tuple(map(Convention, UNITS)),
    tuple(Convention(UNITS[0], *bounds) for bounds in _BOUNDS),
    tuple(Convention(unit, *bounds) for bounds, unit in product(_BOUNDS, UNITS[1:])),
)
"""How offsets may count, in tiers: what programs count by themselves, then other bounds, then both."""


def misquoted(text: Words, quotes: Sequence[Quote], convention: Convention) -> Fault | None:
    """What is wrong with quotes of a text or of tokens; None if they are there, apart from blanks and case."""
    wrong = _first_misquoted(text, quotes, convention)
    if wrong is None:
        return None
    (start, _), *_, (_, end) = *wrong.parts, wrong.parts[-1]
    what = "text has" if isinstance(text, str) else "record has the tokens"
    finding = f"{wrong.quoted!r} is quoted at [{start}, {end}], where the {what} {_held(text, wrong, convention)!r}"
    others = fitting([Quoted.of(text, quotes, ())])
    if len(others) == 1:
        return finding, f"choose --offsets {others[0]}, which fits"
    return finding, "mend the offsets"


def misquoting(text: str, spans: Sequence[Span], unit: Offsets) -> Fault | None:
    """What is wrong with the quotes of spans that have a `text`, in formats that count from 0, with exclusive ends."""
    texts = [(span, getattr(span, "text", None)) for span in spans]
    quotes = [Quote(span.parts or [(span.start, span.end)], quoted) for span, quoted in texts if quoted]
    fault = misquoted(text, quotes, Convention(unit)) if quotes else None
    if fault is None or fault[1].startswith(("choose --offsets codepoints", "choose --offsets utf16,")):
        return fault
    return fault[0], "mend the offsets"


def fitting(sample: Sequence[Quoted]) -> list[Convention]:
    """The conventions by which all quotes are what texts have there: those of the first tier that has one."""
    for tier in _CONVENTIONS:
        found = [each for each in tier if all(quoted.fits(each) for quoted in sample)]
        if found[:1] == [Convention()]:
            return found[:1]
        if len(found) > 1:  # blanks next to spans do not tell, unless quotes are taken to the letter
            exact = [each for each in found if all(quoted.fits(each, exactly=True) for quoted in sample)]
            found = exact or found
        if found:
            return found
    return []


def convention_of(settings: ReadSettings | str | None, sample: Sequence[Quoted]) -> Convention:
    """How offsets count: as the user says, or as the quotes of a sample show, if just one other convention fits."""
    given = settings.offsets if isinstance(settings, ReadSettings) else settings
    if given is not None:
        return Convention.of(given)
    if all(misquoted(each.text, each.quotes, _PLAIN) is None for each in sample if each.quotes):
        return _PLAIN
    found = fitting(sample)
    return found[0] if len(found) == 1 else _PLAIN


def _first_misquoted(text: Words, quotes: Sequence[Quote], convention: Convention) -> Quote | None:
    return next((quote for quote in quotes if not quotes_same(_held(text, quote, convention), quote.quoted)), None)


def _held(text: Words, quote: Quote, convention: Convention) -> str:
    """What a text or tokens have where a span quotes them."""
    first, beyond = convention.first, int(convention.inclusive)
    places = [(start - first, end - first + beyond) for start, end in quote.parts]
    if not isinstance(text, str):
        return " ".join(chain.from_iterable(text[max(start, 0) : max(end, 0)] for start, end in places))
    return " ".join(slices(text, places, "codepoints" if text.isascii() else convention.unit))


def quotes_same(held: str, quoted: str) -> bool:
    """Whether a quote is what a text has, apart from what pipelines change: blanks, case, accents and marks of pieces.

    A token that a model does not know is quoted as `[UNK]`, so it fits anything.
    """
    return held == quoted or _bare(held) == _bare(quoted) or _UNKNOWN in quoted or _plain(held) == _plain(quoted)


_UNKNOWN = "[UNK]"
_PIECES = re.compile(r"##|[\u0120\u010a\u2581]|@@(?=\s|$)|</w>")
"""Marks of word pieces: those of BERT, of byte-level BPE, of SentencePiece and of BPE."""


def _bare(text: str) -> str:
    r"""A text without spaces and line breaks, also those that a tool spells out as \n."""
    return "".join(text.replace("\\n", " ").split())


@cache
def _byte_letters() -> dict[int, int]:
    """The letters that byte-level BPE writes for bytes, with these bytes."""
    kept = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in kept]
    return {**{byte: byte for byte in kept}, **{256 + at: byte for at, byte in enumerate(others)}}


def _plain(text: str) -> str:
    """A text without blanks, marks of pieces, accents and differences of case."""
    letters = _byte_letters()
    if not text.isascii() and all(ord(each) in letters for each in text):
        with suppress(UnicodeDecodeError):  # these are letters, not bytes
            text = bytes(letters[ord(each)] for each in text).decode()
    spread = unicodedata.normalize("NFKD", _bare(_PIECES.sub("", text)).casefold())
    return "".join(each for each in spread if not unicodedata.combining(each))


def occurs(quoted: str, text: str) -> bool:
    """Whether a text has a quote anywhere, apart from what pipelines change."""
    return _plain(quoted) in _plain(text)


def slices(text: str, places: Sequence[tuple[int, int]], offsets: str) -> list[str]:
    """The text between offsets; empty where these are not in it."""
    if offsets == "codepoints":
        return [text[start:end] if start >= 0 else "" for start, end in places]
    encoding, size = ("utf-16-le", 2) if offsets == "utf16" else ("utf-8", 1)
    units = text.encode(encoding)
    return [units[size * start : size * end].decode(encoding, "replace") if start >= 0 else "" for start, end in places]


def _size(text: str, offsets: str) -> int:
    if offsets == "codepoints":
        return len(text)
    return len(text.encode("utf-16-le")) // 2 if offsets == "utf16" else len(text.encode())


def repeated(spans: Spans) -> int:
    """How many spans are listed once more, with the same label and bounds."""
    if len(spans) < 2 or ((spans.scope[1:] > spans.scope[:-1]) | (spans.start[1:] > spans.start[:-1])).all():
        return 0
    columns = (spans.scope, spans.start, spans.end, spans.label, spans.level, spans.shape)
    keys = np.sort(pack(*((column, empty()) for column in columns))[0])
    return int((keys[1:] == keys[:-1]).sum())


def to_write(annotation: Annotation, layer: str = "spans") -> Iterator[tuple[int, list[Span]]]:
    """The sentences (or texts) of an annotation, with their spans in the given order, in atoms."""
    spans = annotation.spans(layer)
    written: list[list[Span]] = [[] for _ in range(annotation.corpus.sentences)]
    parts = {row: _parts(spans, row) for row in np.flatnonzero(spans.shape).tolist()}
    for row, ((label, scope, start, end), level) in enumerate(zip(spans.rows(), spans.level.tolist(), strict=True)):
        written[scope].append(Span(start, end, label, parts.get(row), level))
    return enumerate(written)


def _parts(spans: Spans, row: int) -> list[tuple[int, int]]:
    """What a span with gaps covers."""
    (atoms,) = spans.take(slice(row, row + 1)).token_sets()
    begins = sorted(atom for atom in atoms if atom - 1 not in atoms)
    ends = sorted(atom + 1 for atom in atoms if atom + 1 not in atoms)
    return list(zip(begins, ends, strict=True))


def records(annotation: Annotation) -> Iterator[tuple[str | list[str], list[Span]]]:
    """A text, or tokens where these are the atoms, and its spans, for each sentence (or text).

    Offsets are code points in the text, or positions of tokens.
    """
    corpus = annotation.corpus
    for sentence, spans in to_write(annotation):
        text, start, end = edges(corpus, sentence)
        if corpus.atoms == "characters":
            yield text, with_offsets(spans, start, end)
        else:
            yield [text[begin:behind] for begin, behind in zip(start, end, strict=True)], spans


def edges(corpus: Corpus, sentence: int) -> tuple[str, list[int], list[int]]:
    """The text of a sentence, and where each of its atoms begins and ends in it, in code points.

    Where there are tokens only, the text has single spaces between them.
    """
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.atoms == "characters":
        text = corpus.text(sentence)
        start = [at for at, character in enumerate(text) if not character.isspace()]
        return text, start, [at + 1 for at in start]
    atoms = [corpus.tokens[at] for at in range(*corpus.bounds[sentence : sentence + 2].tolist())]
    end = (np.cumsum([len(atom) + 1 for atom in atoms], dtype=np.int64) - 1).tolist()
    return " ".join(atoms), [at - len(atom) for at, atom in zip(end, atoms, strict=True)], end


def with_offsets(spans: Sequence[Span], start: Sequence[int], end: Sequence[int]) -> list[Span]:
    """Spans in atoms as spans in a text, where atoms begin and end at these offsets."""
    written = []
    for span in spans:
        parts = None if span.parts is None else [(start[first], end[behind - 1]) for first, behind in span.parts]
        written.append(Span(start[span.start], end[span.end - 1], span.label, parts, span.level))
    return written


class SpanError(ValueError):
    """A span that cannot be read: what was found, and what to do."""

    def __init__(self, finding: str, remedy: str = "mend the record") -> None:
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

    @property
    def quote(self) -> Quote:
        """What it quotes, and where."""
        return Quote(self.parts or [(self.start, self.end)], self.quoted or "")


@dataclass(frozen=True)
class _Plan:
    """Which fields of an object are what."""

    start: str | None = None
    end: str | None = None
    length: str | None = None
    pair: str | None = None
    label: str | None = None
    quoted: str | None = None
    level: str | None = None
    parts: str | None = None
    index: str | None = None
    fault: Fault | None = field(default=None, compare=False)


def _forms(*names: str) -> dict[str, int]:
    """Names as `_form` writes them, with their ranks."""
    return {name: rank for rank, name in enumerate(names)}


_STARTS = _forms(
    *("start", "begin", "startoffset", "beginoffset", "startchar", "charstart", "startpos", "startposition"),
    *("startindex", "startidx", "beginchar", "charbegin", "beginpos", "beginindex", "beginposition", "beginidx"),
    *("spanstart", "spanbegin", "offsetstart", "offsetbegin", "startcharacter", "startcharoffset", "charstartoffset"),
    *("charoffsetbegin", "characteroffsetbegin", "charoffsetstart", "textstart", "entitystart", "mentionstart"),
    *("from", "left", "s"),
)
_ENDS = _forms(
    *("end", "stop", "endoffset", "stopoffset", "endchar", "charend", "endpos", "endposition"),
    *("endindex", "endidx", "spanend", "offsetend", "endcharacter", "endcharoffset", "charendoffset", "stopchar"),
    *("charoffsetend", "characteroffsetend", "textend", "entityend", "mentionend", "finish", "to", "right", "e"),
)
_OFFSETS = _forms("offset", "charoffset", "position", "pos")
"""Offsets that need a length or a quote."""
_LENGTHS = _forms("length", "len", "spanlength", "matchlength", "size")
_PAIRS = _forms(
    *(
        "span",
        "spans",
        "offsets",
        "offset",
        "position",
        "positions",
        "charspan",
        "charoffsets",
        "charoffset",
        "indices",
    ),
    *("range", "ranges", "bounds", "boundaries", "location", "locations", "loc", "extent", "interval", "charrange"),
    *("startend", "pos", "index", "indexes", "charindices", "charinterval", "fragments"),
)
"""Fields with a pair of offsets, several pairs, or objects with offsets."""
_LABELS = _forms(
    *("label", "type", "category", "entitygroup", "entitytype", "entitylabel", "tag", "class", "kind", "nertag"),
    *("nerlabel", "ner", "nertype", "labelname", "classname", "labels", "types", "infons", "entity"),
)
_QUOTES = _forms(
    *("text", "word", "mention", "surface", "surfaceform", "string", "value", "span", "phrase", "quote", "form"),
    *("spantext", "entitytext", "mentiontext", "coveredtext", "matchedtext", "entity", "chunk", "content"),
)
_VALUES = frozenset(("value", "entity", "form", "content", "chunk"))
"""Names of quotes that other values may have, too."""
_UNPREFIXED = re.compile(r"[^A-Za-z0-9]+")
_LOOKS_LIKE_OFFSET = re.compile(
    r"start|begin|end|stop|finish|offset|pos(ition)?s?|span|loc(ation)?s?|range|bounds?|from|to|char|idx|ind(ex|ices)"
    r"|left|right|first|last|fragments|interval|extent"
)
_NUMBERS_OF_TOKENS = re.compile(r"tok(en)?s?|word|sent(ence)?|line|page|id|paragraph|para")
"""What positions and numbers are of that are not offsets into a text."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@cache
def _form(key: str) -> str:
    """A key without its separators, in small letters: `start_char` and `startChar` are one name."""
    return _UNPREFIXED.sub("", key).lower()


@cache
def looks_like_offset(key: str) -> bool:
    """Whether a field with numbers is called as offsets are, and not as numbers of something else."""
    words = [word.lower() for word in _WORDS.findall(key)]
    return any(map(_LOOKS_LIKE_OFFSET.fullmatch, words)) and not any(map(_NUMBERS_OF_TOKENS.fullmatch, words))


_PLANS: dict[tuple[Any, ...], _Plan] = {}


def plan_of(span: dict[str, Any]) -> _Plan:
    """Which fields of an object are its offsets, its label and its quote."""
    key = (*span, *map(type, span.values()))
    found = _PLANS.get(key)
    if found is None:
        if len(_PLANS) > 10_000:  # objects that have no layout
            _PLANS.clear()
        found = _PLANS[key] = _plan(span)
    return found


def _named(span: dict[str, Any], names: dict[str, int], *types: type) -> list[str]:
    """The fields that have one of these names and types, by rank."""
    found = [key for key, value in span.items() if type(value) in types and _form(key) in names]
    return sorted(found, key=lambda key: names[_form(key)])


def _plan(span: dict[str, Any]) -> _Plan:
    labels = [
        *(key for key in _named(span, _LABELS, str) if _form(key) != "entity"),
        *_named(span, _LABELS, list, dict),
        *(key for key in _named(span, _LABELS, str) if _form(key) == "entity"),
    ]
    label = next(iter(labels), None)
    quotes = [key for key in _named(span, _QUOTES, str) if key != label]
    quoted = next(iter(quotes), None)
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
    return _Plan(start, end, length, pair, label, quoted, level, parts, index)


def has_offsets(span: Any) -> bool:
    """Whether an object or a list has offsets that are understood."""
    if isinstance(span, dict):
        found = plan_of(span)
        return found.start is not None or (found.pair is not None and _parts_of(span[found.pair]) is not None)
    return isinstance(span, list) and sum(type(each) is int for each in span[:4]) >= 2


def odd_offsets(span: dict[str, Any]) -> list[str]:
    """The fields of an object that look like offsets, where none is understood."""
    if has_offsets(span):
        return []
    named = [key for key, value in span.items() if looks_like_offset(key) and _is_numeric(value)]
    pairs = [key for key, value in span.items() if _is_pair(value)]
    nested = [key for key, value in span.items() if isinstance(value, list) and any(map(_is_placed, value))]
    return list(dict.fromkeys([*named, *pairs, *nested, *_as_long_as_quotes(span)]))


def _is_placed(value: object) -> bool:
    """Whether an object has offsets, itself or in an object within it."""
    if not isinstance(value, dict):
        return False
    inner = (each for each in value.values() if isinstance(each, dict))
    return has_offsets(value) or bool(odd_offsets(value)) or any(map(_is_placed, inner))


def _is_numeric(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"\d+(?:\s*[-:,]\s*\d+)?", value.strip()) is not None
    return (
        type(value) is int or _is_pair(value) or (isinstance(value, list) and bool(value) and all(map(_is_pair, value)))
    )


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(each) is int for each in value)
        and 0 <= value[0] < value[1]
    )


def _as_long_as_quotes(span: dict[str, Any]) -> list[str]:
    """Two numbers that differ by the length of a string beside them."""
    sizes = {len(value) for value in span.values() if isinstance(value, str) and value}
    numbers = [(key, value) for key, value in span.items() if type(value) is int and value >= 0]
    for (first, low), (second, high) in pairwise(numbers):
        if high - low in sizes and high - low > 1:
            return [first, second]
    return []


def _parts_of(value: Any) -> list[tuple[int, int]] | None:
    """The pairs of offsets under a key: a pair, a list of pairs, or objects with offsets."""
    if isinstance(value, dict):
        return _object_parts([value])
    if not isinstance(value, list) or not value:
        return None
    if all(type(each) is int for each in value):
        return [(value[0], value[1])] if len(value) == 2 else None
    if all(isinstance(each, list) and len(each) == 2 and all(type(edge) is int for edge in each) for each in value):
        return [(start, end) for start, end in value]
    return _object_parts(value) if all(isinstance(each, dict) for each in value) else None


def _object_parts(values: Sequence[dict[str, Any]]) -> list[tuple[int, int]] | None:
    plans = list(map(plan_of, values))
    if not all(plan.start is not None and (plan.end or plan.length) for plan in plans):
        return None
    return [_edges(each, plan) for each, plan in zip(values, plans, strict=True)]


def _edges(span: dict[str, Any], plan: _Plan) -> tuple[int, int]:
    """The offsets of an object whose end follows from a second offset, a length or a quote."""
    assert plan.start is not None
    start: int = span[plan.start]
    if plan.end is not None:
        return start, span[plan.end]
    return start, start + (span[plan.length] if plan.length is not None else len(span[plan.quoted or ""]))


def read_span(span: Any, where: str) -> ListedSpan:
    """A span as a record lists it; `where` it is listed is for messages."""
    if isinstance(span, dict):
        return _read_object(span, where)
    if isinstance(span, list):
        return _read_list(span, where)
    raise SpanError(f"found {name_of_type(span)} for {where}, which takes an object or a list")


def _read_object(span: dict[str, Any], where: str) -> ListedSpan:
    plan, parts = plan_of(span), None
    if plan.start is not None:
        start, end = _edges(span, plan)
        parts = None if plan.parts is None else _parts_of(span[plan.parts]) or []
    else:
        pairs = _parts_of(span[plan.pair]) if plan.pair is not None else None
        if pairs is None:
            raise _no_offsets(span, where)
        pairs.sort()
        start, end = pairs[0][0], pairs[-1][1]
        parts = pairs if len(pairs) > 1 else None
    if start < 0 or not 0 <= end <= _LARGEST or start > _LARGEST:
        raise _bad_offset(start, end, where, plan)
    labels = _labels(span, plan, where)
    quoted = span[plan.quoted] if plan.quoted is not None else None
    index = span[plan.index] if plan.index is not None else None
    level = span[plan.level] if plan.level is not None else 0
    quoted = quoted if quoted and not quoted.isspace() else None
    is_value = plan.quoted is not None and _form(plan.quoted) in _VALUES
    return ListedSpan(start, end, labels, quoted, parts, level, index, is_value)


def _no_offsets(span: dict[str, Any], where: str) -> SpanError:
    known = [key for key in span if _form(key) in _STARTS or _form(key) in _ENDS]
    for key in known:
        if not isinstance(span[key], int | list | dict):
            return SpanError(f"found {name_of_type(span[key])} for {where}.{key}, which takes a whole number")
    odd = [key for key in odd_offsets(span) if key not in known]
    if odd:
        fields = " and ".join(map(repr, odd[:3]))
        finding = f"{where} has {fields}, which look{'s' * (len(odd) == 1)} like offsets but cannot be read"
        return SpanError(finding, "name the offsets start and end")
    for key in known:
        old, new = ("start", "end") if _form(key) in _STARTS else ("end", "start")
        return SpanError(f"{where} has no {(key.replace(old, new) if old in key else new)!r}")
    return SpanError(f"{where} has no offsets, such as 'start' and 'end'")


def _bad_offset(start: int, end: int, where: str, plan: _Plan) -> SpanError:
    key = plan.start if not 0 <= start <= _LARGEST else plan.end or plan.length
    bound = ">= 0" if min(start, end) < 0 else f"<= {_LARGEST}"
    return SpanError(f"expected a whole number {bound} for {where}.{key or plan.pair}")


_LARGEST = 2**53


def _labels(span: dict[str, Any], plan: _Plan, where: str) -> Sequence[str]:
    if plan.label is None:
        key = next((key for key in span if _form(key) in _LABELS), None)
        if key is not None:
            raise SpanError(f"found {name_of_type(span[key])} for {where}.{key}, which takes a string")
        raise SpanError(f"{where} has no 'label'")
    value = span[plan.label]
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):  # the infons of BioC
        kinds = _named(value, _LABELS, str)
        if not kinds:
            raise SpanError(f"{where}.{plan.label} has no 'type'")
        return (value[kinds[0]],)
    if not value or not all(isinstance(each, str) for each in value):
        raise SpanError(f"expected strings for {where}.{plan.label}, got {value!r:.60}", "name its label")
    return list(value)


def _read_list(span: list[Any], where: str) -> ListedSpan:
    """A span as a list: two offsets, a label, and perhaps a quote; a score may follow."""
    numbers = [each for each in span[:4] if type(each) is int]
    strings = [each for each in span[:4] if isinstance(each, str)]
    if len(numbers) < 2 or not 1 <= len(strings) <= 2:
        raise SpanError(f"expected [start, end, label] for {where}, got {span!r:.60}")
    start, end = numbers[:2]
    if start < 0 or not 0 <= end <= _LARGEST or start > _LARGEST:
        raise SpanError(f"expected offsets >= 0 for {where}, got {span!r:.60}")
    label, quoted = strings[0], None
    if len(strings) == 2:
        size = end - start
        fits = [len(each) in (size, size + 1) for each in strings]
        is_first = fits[0] if fits[0] != fits[1] else isinstance(span[0], str)
        quoted, label = strings if is_first else strings[::-1]
    parts = _parts_of(span[3]) if len(span) > 3 and isinstance(span[3], list) else None
    level = span[4] if len(span) > 4 and type(span[4]) is int else 0
    return ListedSpan(start, end, (label,), quoted, parts, level)


_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a decimal number",
    bool: "a truth value",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def name_of_type(value: object) -> str:
    """What messages call the type of a JSON value."""
    return _KINDS.get(type(value), "a value")


_PREFIX = re.compile(r"([BIESLUM])-(?=\S)")


def has_prefix(label: str) -> bool:
    """Whether a label looks like a tag of a token, such as `B-PER`."""
    return _PREFIX.match(label) is not None


def are_prefixed(labels: Iterable[str]) -> bool:
    """Whether labels are tags of tokens, with prefixes such as `B-` and `I-`.

    An error where only some are: no such file can be read without a guess.
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


def merged(spans: Sequence[ListedSpan], text: str | Sequence[str] | None) -> list[ListedSpan]:
    """Spans of tokens with tags for labels as entities: `B-PER` begins one, and `I-PER` next to it continues it."""
    found: list[ListedSpan] = []
    last: ListedSpan | None = None
    ends = True
    for each in sorted(spans, key=lambda span: (span.start, span.end)):
        if list(each.labels) == ["O"]:
            last = None
            continue
        prefix, label = (each.labels[0][0], each.labels[0][2:]) if has_prefix(each.labels[0]) else ("B", each.labels[0])
        continues = last is not None and not ends and prefix in "IELM" and list(last.labels) == [label]
        if continues and last is not None and _is_next(last, each, text):
            last.end, last.index = each.end, each.index
        else:
            last = ListedSpan(each.start, each.end, [label], level=each.level, index=each.index)
            found.append(last)
        ends = prefix in "ESLU"
    return found


def _is_next(last: ListedSpan, span: ListedSpan, text: str | Sequence[str] | None) -> bool:
    """Whether a token follows the last one of an entity, by their numbers or by what is between them."""
    if last.index is not None and span.index is not None:
        return span.index == last.index + 1
    end, start = last.end, span.start
    if isinstance(text, str):
        return not text[end:start].strip()
    return start - end <= (1 if text is None else 0)
