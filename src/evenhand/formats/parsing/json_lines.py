"""Records of JSON, as annotation tools, pipelines and other programs write them.

What a record holds, by its keys:

==============================  ==========================================================================
text, spans                     spans as objects, with characters as offsets (Prodigy; tokens and answer too)
text or data, entities          the same, under the names of newer doccano: start_offset, end_offset; or as lists
text or data, label or labels   spans as lists: [start, end, label] (doccano), or as objects (Label Studio's JSON-MIN)
text, ents                      spaCy's Doc.to_json
text, {"entities": …}           a pair, as spaCy 2 is trained with
tokens, spans                   spans as objects, with token positions
tokens, tags or ner_tags        a tag a token; also under label or labels
tokenized_text, ner             GLiNER's training data: [first token, last token, label]
passages                        a document of BioC, with offsets into the document
paragraphs                      a document of spaCy 2, with tags of tokens
entities or a list of spans     offsets without a text: the output of GLiNER, of Hugging Face, of a service
==============================  ==========================================================================

`words` is another name for tokens, `sentence` and others for the text; `json_spans` says how spans may be written. With
an `id`, a string or a whole number, records are matched by it.

A record may have several layers. A name with `pred`, `predicted`, `system` and the like is a prediction's, one with
`gold`, `true` or `reference` a gold standard's. A system is read from its prediction, a gold standard from another
layer; `--column` names a key.
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
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from evenhand.arrays import Ints, bit_positions, bits_equal, empty, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.settings import UNITS, Convention, Offsets, ReadSettings

# == formats/json_spans.py: Spans as JSON formats have them: objects with offsets into a


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
        if (atoms.positions(ints([record, record]), ints([start, end])) < 0).any():
            return f"{span} begins or ends within a character", "mend its offsets, or choose --offsets codepoints"
        return f"{span} covers only spaces", "mend its offsets, or remove it"

    return atoms, Ground(atoms.positions, fault, first, beyond)


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
_WORDS_JSON_SPANS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


@cache
def _form(key: str) -> str:
    """A key without its separators, in small letters: `start_char` and `startChar` are one name."""
    return _UNPREFIXED.sub("", key).lower()


@cache
def looks_like_offset(key: str) -> bool:
    """Whether a field with numbers is called as offsets are, and not as numbers of something else."""
    words = [word.lower() for word in _WORDS_JSON_SPANS.findall(key)]
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
    return [_edges(value, plan) for value, plan in zip(values, plans, strict=True)]


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
        listed = _read_object(span, where)
    elif isinstance(span, list):
        listed = _read_list(span, where)
    else:
        raise SpanError(f"found {name_of_type(span)} for {where}, which takes an object or a list")
    if not 0 <= listed.level <= _LARGEST:
        raise SpanError(f"expected a level of 0 or more for {where}, got {listed.level:.6g}")
    return listed


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
    labels = _labels_json_spans(span, plan, where)
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


def _labels_json_spans(span: dict[str, Any], plan: _Plan, where: str) -> Sequence[str]:
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
        fits = [len(string) in (size, size + 1) for string in strings]
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


# == formats/json_records.py (primary)


T = TypeVar("T")
UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What is raised for JSON that is broken, of other types than expected, or nested too deeply."""
PROBLEM = "record"
"""What a check calls problems of records."""
NUMBERED = (
    "its labels are numbers, as doccano's old JSONL has them, without their names",
    "export the project as JSONL (text label), a file for each user",
)
"""What is wrong with records of old doccano, and what to do."""
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
_NAME = re.compile(r"`(\w+)`")
_NO_FIELD = re.compile(r"Object missing required field `(.+)`")
_PLACE = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_TYPES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a decimal number",
    "bool": "a truth value",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
TEXT, TOKENS, TAGS, OFFSETS = "a text", "tokens and spans", "tokens and tags", "offsets without a text"
"""The kinds of records."""
TEXT_KEYS = ("text", "data", "sentence", "content", "raw_text", "Text", "document_text", "raw", "document", "context")
TOKEN_KEYS = ("tokens", "words", "tokenized_text", "token", "sentence", "text")
_INCLUSIVE_TOKENS = "tokenized_text"
"""The tokens of GLiNER, whose spans include their last token."""
SPAN_LIST = "spans"
"""The layer of a record that is nothing but a list of spans."""
Raw = dict[str, Any]
"""A record as it is decoded."""


class Part(dict[str, Any]):
    """A record that belongs to the document of the one before it."""


class Record(msgspec.Struct, gc=False):
    """What a record holds: a text or tokens, with spans or tags."""

    kind: str
    text: str | None = None
    tokens: Sequence[str] | None = None
    spans: Sequence[Span] | None = None
    tags: Sequence[Any] | None = None
    quotes: Sequence[Quote] = ()
    id: Any = None
    continues: bool = False
    merged: int = 0


_DECODER = msgspec.json.Decoder()
decode_value = _DECODER.decode


def decode(source: Source, block: Block) -> tuple[list[Raw], Ints]:
    """The records of a block and their lines; a line that is not a record is a problem."""
    data = memoryview(block.data)[: block.size]
    try:
        values = _DECODER.decode_lines(data)
    except UNREADABLE:
        return _decode_by_line(source, block)
    if not has_a_line_each(values, block) or not all(type(value) is dict and is_simple(value) for value in values):
        return _decode_by_line(source, block)
    return values, np.arange(block.first_line, block.first_line + len(values))


def has_a_line_each(values: Sequence[Any], block: Block) -> bool:
    """Whether each line of a block has one object: the decoder passes over line ends between and within them."""
    text = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    begins = np.append(0, bit_positions(bits_equal(text[:-1], LINE_FEED)) + 1)
    return len(values) == len(begins) and bool((text[begins] == ord("{")).all())


def _decode_by_line(source: Source, block: Block) -> tuple[list[Raw], Ints]:
    found, lines = list[Raw](), list[int]()
    for number, value in decoded_lines(source, block, decode_value):
        try:
            records = expanded(value)
        except SpanError as error:
            source.report(number, *error.fault, PROBLEM)
            continue
        if records is None:
            finding = f"the line is not a JSON object (it is {name_of_type(value)})"
            source.report(number, finding, "write one JSON object a line", PROBLEM)
            continue
        found += records
        lines += [number] * len(records)
    return found, ints(lines)


def decoded_lines(source: Source, block: Block, decode_line: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """The lines of a block with what they hold; a line that cannot be read is a problem."""
    for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
        if not line.strip():
            continue
        try:
            yield number, decode_line(line)
        except UNREADABLE as error:
            finding, place = explain(error)
            if place is None:
                finding = f"the line is not a JSON object ({finding})"
            remedy = "write one JSON object a line" if place is None else "mend the record"
            source.report(number, finding, remedy, PROBLEM)


def sample_lines(source: Source, size: int) -> Iterator[Raw]:
    """The records among the first lines of a file; lines that cannot be read are left to the reader."""
    block = source.sample(size)
    for line in block.data[: block.size].split(b"\n"):
        try:
            yield from expanded(decode_value(line)) or ()
        except (*UNREADABLE, SpanError):
            continue


def explain(error: Exception) -> tuple[str, str | None]:
    """What is wrong with a JSON value, and at which of its keys; None where it is the value as a whole."""
    matched = _PLACE.fullmatch(str(error))
    assert matched is not None
    message, place = matched.groups()
    if wrong := _WRONG_TYPE.fullmatch(message):
        got = _TYPES.get(wrong[2], wrong[2])
        expected = " or ".join(_TYPES.get(name, name) for name in wrong[1].split(" | ") if name != "null")
        return f"found {got} for {place}, which takes {expected}" if place else f"it is {got}", place
    if missing := _NO_FIELD.fullmatch(message):
        return f"{place or 'it'} has no {missing[1]!r}", place
    message = _NAME.sub(lambda name: _TYPES.get(name[1], name[1]), message.removeprefix("JSON is malformed: "))
    return message[:1].lower() + message[1:] + (f" for {place}" if place else ""), place


# Records in other layouts


DOCUMENT_KEYS = ("passages", "paragraphs", "documents")
"""The keys of objects that hold several records."""


def is_simple(value: Raw) -> bool:
    """Whether an object is a record, and not one that holds several."""
    is_task = "data" in value and isinstance(value["data"], dict)
    return not is_task and "passages" not in value and "paragraphs" not in value and "documents" not in value


def expanded(value: Any) -> list[Raw] | None:
    """The records that a line, or an element of a list, holds; None if it is not a record."""
    if isinstance(value, list):
        return _expanded_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("documents"), list):
        found = [expanded(each) for each in value["documents"] if isinstance(each, dict)]
        if len(found) < len(value["documents"]):
            raise SpanError("some documents are not objects")
        return [record for records in found for record in records or ()]
    if isinstance(value.get("passages"), list):
        return _bioc(value)
    if isinstance(value.get("paragraphs"), list):
        return _paragraphs(value)
    if isinstance(value.get("data"), dict) and ("annotations" in value or "predictions" in value):
        finding = "the record is a task of Label Studio"
        raise SpanError(finding, "write the tasks as one JSON list, as its export does")
    return [value]


def _expanded_list(value: list[Any]) -> list[Raw] | None:
    """A pair of a text and its annotations, or a list of spans."""
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict | list):
        further = value[1] if isinstance(value[1], dict) else {"entities": value[1]}
        return [{**further, "text": value[0]}]
    if all(is_span(each) for each in value):
        return [{SPAN_LIST: value}]
    return None


def is_span(value: Any) -> bool:
    """Whether this is a span with offsets, and not a record that has spans."""
    if not isinstance(value, dict):
        return False
    return has_offsets(value) and not any(isinstance(each, list) and role_of(key) for key, each in value.items())


def _bioc(document: Raw) -> list[Raw]:
    """The passages of a document of BioC, whose offsets count from the begin of the document."""
    found: list[Raw] = []
    begins: list[tuple[int, int]] = []
    for passage in document["passages"]:
        if not isinstance(passage, dict):
            raise SpanError("a passage is not an object")
        sentences = passage.get("sentences")
        has_sentences = not isinstance(passage.get("text"), str) and isinstance(sentences, list)
        for piece in sentences if has_sentences and sentences else [passage]:
            text, annotations = (
                (piece.get(key) for key in ("text", "annotations")) if isinstance(piece, dict) else (0, 0)
            )
            annotations = annotations or []
            if not isinstance(annotations, list) or not isinstance(piece, dict):
                raise SpanError("a passage has no list of annotations")
            if not isinstance(text, str):
                if annotations:
                    raise SpanError("a passage has annotations but no text", "give its text")
                continue
            first = piece.get("offset", 0)
            if type(first) is not int:
                raise SpanError("the offset of a passage is not a whole number")
            found.append(
                (Part if found else dict)(text=text, spans=[_moved(annotation, first) for annotation in annotations])
            )
            begins.append((first, len(found) - 1))
    further = document.get("annotations") or []
    if further and (not found or not isinstance(further, list)):
        raise SpanError("a document has annotations but no text", "give its passages")
    for each in further:
        start = _moved(each, 0)["locations"][0]["offset"]
        at = max((pair for pair in begins if pair[0] <= start), default=begins[0])
        found[at[1]]["spans"].append(_moved(each, at[0]))
    return found


def _moved(annotation: Any, first: int) -> Any:
    """An annotation of BioC with offsets into its passage."""
    places = annotation.get("locations") if isinstance(annotation, dict) else None
    if not isinstance(places, list) or not places or not all(map(_is_location, places)):
        raise SpanError("an annotation of a passage has no locations", "give their offset and length")
    return {**annotation, "locations": [{**each, "offset": each["offset"] - first} for each in places]}


def _is_location(value: Any) -> bool:
    return isinstance(value, dict) and type(value.get("offset")) is int and type(value.get("length")) is int


def _paragraphs(document: Raw) -> list[Raw]:
    """The sentences of a document of spaCy 2, whose tokens have their tags."""
    paragraphs: list[Raw] = []
    for sentence in _members(document["paragraphs"], "sentences"):
        tokens = list(_members([sentence], "tokens"))
        if not all(isinstance(token, dict) and isinstance(token.get("orth"), str) for token in tokens):
            raise SpanError("a token of a paragraph has no 'orth'")
        tags = [token.get("ner", "O") for token in tokens]
        words = [token["orth"] for token in tokens]
        paragraphs.append(
            (Part if paragraphs else dict)(tokens=words, ner_tags=["O" if tag == "-" else tag for tag in tags])
        )
    return paragraphs


def _members(objects: Sequence[Any], key: str) -> Iterator[Any]:
    """What objects list under a key."""
    for each in objects:
        listed = each.get(key) if isinstance(each, dict) else None
        yield from listed if isinstance(listed, list) else ()


# Layers


_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PREDICTED = frozenset(
    [
        "pred",
        "preds",
        "predicted",
        "prediction",
        "predictions",
        "predict",
        "hyp",
        "hypothesis",
        "hypotheses",
        "system",
        "sys",
        "output",
        "outputs",
        "model",
        "response",
        "guess",
        "auto",
    ]
)
_GOLD = frozenset(("gold", "golden", "true", "truth", "ground", "reference", "ref", "target", "targets", "expected"))
_LAYER = frozenset(
    [
        "spans",
        "span",
        "entities",
        "entity",
        "ents",
        "labels",
        "label",
        "tags",
        "tag",
        "ner",
        "annotations",
        "annotation",
        "mentions",
        "named",
        "bio",
        "iob",
        "bioes",
        "iobes",
        "bilou",
        "seq",
        "sequence",
        "list",
        "y",
        "data",
        "layer",
    ]
)
_ALONE = frozenset(("data", "list", "layer", "y", "entity", "span", "named", "seq", "sequence", "tag", "model", "auto"))
"""Words that do not name a layer without others."""


@cache
def role_of(key: str) -> str | None:
    """Whose layer a key names: `gold`, `system`, or `any`; None where it does not name a layer."""
    words = [word.lower() for word in _WORDS.findall(key)]
    rest = [word for word in words if word not in _PREDICTED and word not in _GOLD]
    if not words or not all(word in _LAYER for word in rest) or (len(words) == 1 and words[0] in _ALONE):
        return None
    if not _PREDICTED.isdisjoint(words):
        return "system"
    return "any" if _GOLD.isdisjoint(words) else "gold"


_TAGGED = frozenset(("tags", "bio", "iob", "bioes", "iobes", "bilou"))


@cache
def _names_tags(key: str) -> bool:
    """Whether a key names tags, so an empty list under it has no tags rather than no spans."""
    return not _TAGGED.isdisjoint(word.lower() for word in _WORDS.findall(key))


def _kind_of_layer(value: Any, tokens: Sequence[Any] | None) -> str | None:
    """Whether a value is a list of `spans` or of `tags`, `empty`, or `null`; None: it is none of these."""
    if value is None:
        return "null"
    if not isinstance(value, list):
        return None
    if not value:
        return "empty"
    first = value[0]
    if isinstance(first, dict | list):
        return "spans"
    if tokens is None or not isinstance(first, str | int) or isinstance(first, bool):
        return None
    return "tags"


@dataclass(frozen=True)
class Layers:
    """Which layer of records is read, by the side that a file is on and by its first records."""

    side: str | None
    column: str | None
    predicted: str | None = None
    """The key of the prediction in the first records, if they have one beside other layers or a system is read."""
    several: bool = False
    """Whether records have several layers, so that the one that is read should be named."""
    inclusive: bool = False

    @staticmethod
    def of(settings: ReadSettings, records: Sequence[Raw]) -> Layers:
        """From the first records of a file."""
        if settings.columns:
            return Layers(settings.side, column_key(settings))
        roles: dict[str, set[str]] = {"system": set(), "gold": set(), "any": set()}
        for record in records:
            for key, kind in candidates(record).items():
                if kind != "null" or role_of(key) == "system":
                    roles[role_of(key) or "any"].add(key)
        several = sum(map(len, roles.values())) > 1 and bool(roles["system"] or roles["gold"])
        predicted = next(iter(roles["system"])) if len(roles["system"]) == 1 and settings.side == "system" else None
        return Layers(settings.side, None, predicted, several)

    def choose(self, record: Raw) -> tuple[str, str] | None:
        """The key and the kind of the layer that counts; None where there is none. An error where several could be."""
        found = candidates(record)
        if self.column is not None:
            if self.column not in record:
                raise SpanError(f"the record has no {self.column!r}", _name_one(found))
            kind = _kind_of_layer(record[self.column], tokens_of(record)[1])
            if kind is None:
                raise SpanError(
                    f"{self.column!r} is neither a list of spans nor one tag for each token", _name_one(found)
                )
            return self.column, kind
        if len(found) == 1 and self.predicted is None:  # as in most files
            ((key, kind),) = found.items()
            if role_of(key) in ("any", None):
                self._check_alone(record, key)
                return key, kind
        by_role = {
            role: [key for key in found if (role_of(key) or "any") == role] for role in ("gold", "system", "any")
        }
        if self.side == "system":
            if by_role["system"] or self.predicted is not None:
                return self._prediction(by_role["system"], found)
            if by_role["gold"] and not by_role["any"]:
                raise SpanError(f"the record of a system has {by_role['gold'][0]!r} only", _NAME_IT)
            keys = by_role["any"]
        else:
            keys = by_role["gold"] or by_role["any"]
            if not keys and by_role["system"]:
                return None
        keys = _preferred(record, {key: found[key] for key in keys})
        if len(keys) > 1:
            names = " and ".join(map(repr, keys))
            raise SpanError(f"the record has {names}, and either could be meant", _name_one(found))
        return (keys[0], found[keys[0]]) if keys else None

    def _check_alone(self, record: Raw, layer: str) -> None:
        """Refuse the record of a system whose own output may be another layer than the one whose name is known."""
        if self.side != "system":
            return
        for key, value in record.items():
            if role_of(key) == "system" and _is_unread(key, value):
                finding = f"the record has {key!r}, which is {name_of_type(value)}, beside {layer!r}"
                raise SpanError(finding, f"write spans or tags under {key!r}, {_NAME_IT}")
        if others := rivals(record, layer):
            finding = f"the record has {layer!r} and {others[0]!r}, and either could be meant"
            raise SpanError(finding, f"name the layer with --column, such as --column system:{others[0]}")

    def _prediction(self, keys: Sequence[str], found: dict[str, str]) -> tuple[str, str]:
        """The prediction of a system's record."""
        others = [key for key in found if key not in keys]
        if len(keys) > 1:
            names = " and ".join(map(repr, keys))
            raise SpanError(f"the record has {names}, and either could be meant", _name_one(found))
        if not keys:
            finding = f"the record has no {self.predicted!r}, which the first records have"
            raise SpanError(finding, f"write an empty list for no predictions, {_NAME_IT}")
        if self.predicted is None and others:
            finding = f"the record has {keys[0]!r} beside {others[0]!r}, and the first records have not"
            raise SpanError(finding, _name_one(found))
        return keys[0], found[keys[0]]


_NAME_IT = "or name the layer with --column"


def _name_one(found: dict[str, str]) -> str:
    names = ", ".join(found) or "none of this record"
    return f"name the layer with --column, such as --column system:{next(reversed(found), 'KEY')} (layers: {names})"


def column_key(settings: ReadSettings) -> str:
    """The key that a user names in place of a column."""
    if len(settings.columns) > 1 or isinstance(settings.columns[0], int):
        given = ",".join(map(str, settings.columns))
        raise SettingError(f"column is {given}; for JSON, name the key of one layer, such as labels or predictions.")
    return str(settings.columns[0])


def _is_unread(key: str, value: Any) -> bool:
    """Whether this is a prediction in a form that is not read: an object, or JSON in a string."""
    if isinstance(value, dict):
        return bool(value)
    if not isinstance(value, str) or not value.strip():
        return False
    return value.lstrip()[:1] in "[{" or key.lower().startswith(("pred", "hyp"))


def candidates(record: Raw) -> dict[str, str]:
    """The layers of a record, by key, with what they are: `spans`, `tags`, `empty` or `null`."""
    found: dict[str, str] = {}
    tokens: Sequence[Any] | None = None
    for key, value in record.items():
        if role_of(key) is None:
            continue
        if tokens is None:
            tokens = tokens_of(record)[1] or ()
        kind = _kind_of_layer(value, tokens or None)
        if kind is not None and (kind != "null" or role_of(key) == "system"):
            found[key] = kind
    return found or _unnamed(record)


_NOT_LAYERS = frozenset(["tokens", "sents", "sentences", "relations", "meta", "tokenized_text", "words"])


def _unnamed(record: Raw) -> dict[str, str]:
    """The only list of a record that has spans with offsets and labels, under a name that no layer has."""
    found = [
        key
        for key, value in record.items()
        if isinstance(value, list) and value and key not in _NOT_LAYERS and all(map(_is_labeled, value))
    ]
    return {found[0]: "spans"} if len(found) == 1 else {}


def _is_labeled(span: Any) -> bool:
    return isinstance(span, dict) and has_offsets(span) and plan_of(span).label is not None


def rivals(record: Raw, layer: str) -> list[str]:
    """Further layers of a record, under names that do not say it: the output of another system, or of this one."""
    own = record.get(layer)
    if not isinstance(own, list) or not own:
        return []
    tokens = tokens_of(record)[1]
    rivals = []
    for key, value in record.items():
        if key == layer or role_of(key) or key in _NOT_LAYERS or not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], str):
            is_layer = (
                tokens is not None and value is not tokens and len(value) == len(tokens) and _spell_entities(value)
            )
        else:
            is_layer = all(map(_is_labeled, value)) and not _labels(value).isdisjoint(_labels(own))
        rivals += [key] * is_layer
    return rivals


def _labels(spans: list[Any]) -> set[str]:
    labels = set[str]()
    for span in spans:
        if isinstance(span, dict) and isinstance(value := span.get(plan_of(span).label or ""), str):
            labels.add(value)
    return labels


_ORDER = ("spans", "entities", "ents", "label", "labels", "annotations")


def _preferred(record: Raw, found: dict[str, str]) -> list[str]:
    """The layer that is meant where several could be: the one that is not empty, or all that differ."""
    full = [key for key, kind in found.items() if kind in ("spans", "tags")]
    keys = full or list(found)
    if len(keys) < 2:
        return keys
    if not full:
        return sorted(keys, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))[:1]
    if isinstance(record.get("text"), str) and any(found[key] == "spans" for key in keys):
        keys = [key for key in keys if found[key] == "spans"]
    entities = [key for key in keys if found[key] == "tags" and _spell_entities(record[key])]
    if entities and all(found[key] == "tags" for key in keys):
        keys = entities
    kept = [key for at, key in enumerate(keys) if not any(record[key] == record[other] for other in keys[:at])]
    return ["ner_tags"] if "ner_tags" in kept and set(kept) <= {"ner_tags", "tags"} else kept


def _spell_entities(tags: Sequence[Any]) -> bool:
    """Whether tags are those of entities, by their prefixes."""
    return any(isinstance(tag, str) and re.match(r"[BIESLU]-", tag) for tag in tags)


def text_of(record: Raw) -> tuple[str | None, str | None]:
    """The key of the text of a record, and the text."""
    for key in TEXT_KEYS:
        value = record.get(key)
        if isinstance(value, str):
            return key, value
        if key == "text" and value is not None and not _are_words(value):
            raise SpanError(f"found {name_of_type(value)} for text, which takes a string")
    others = [key for key, value in record.items() if isinstance(value, str) and len(value.split()) > 1]
    return (others[0], record[others[0]]) if len(others) == 1 else (None, None)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def tokens_of(record: Raw) -> tuple[str | None, list[Any] | None]:
    """The key of the tokens of a record, and the tokens: strings, or objects with offsets."""
    for key in TOKEN_KEYS:
        value = record.get(key)
        if isinstance(value, list) and (key == TOKEN_KEYS[0] or _are_words(value)):
            return key, value
    return None, None


# Reading one record


def settle(record: Raw, layers: Layers, *, prefixed: bool = False, plain: bool = False) -> Record:
    """What a record holds; a `SpanError` where that cannot be read. With `prefixed` labels, tokens are merged.

    Where offsets are `plain` code points from 0 with exclusive ends, quotes that the text has there are left out.
    """
    _, text = text_of(record)
    _, tokens = tokens_of(record)
    if tokens is None and record.get("tokens") is not None:
        raise SpanError(f"found {name_of_type(record['tokens'])} for tokens, which takes a list")
    words = tokens is not None and all(isinstance(token, str) for token in tokens)
    chosen = layers.choose(record)
    if isinstance(record.get("spans"), list) and not record["spans"] and chosen is not None:
        key, kind = chosen
        if kind == "spans" and key != "spans" and role_of(key) == "any" and layers.column is None:
            finding = "the record has an empty list of spans beside another key that lists some"
            raise SpanError(finding, "leave one of the two out")
    key, kind = chosen or ("", "")
    groups = record.get("spans")
    if kind == "empty" and isinstance(groups, dict) and any(groups.values()):
        names = ", ".join(map(repr, groups))
        raise SpanError(f"the record has no entities, but span groups ({names})", "write the group under the key spans")
    if key == "annotations" and has_numbers_for_labels(record[key]):
        raise SpanError(*NUMBERED)
    own, continues = record.get("id"), type(record) is Part
    if words and (kind == "tags" or (kind == "empty" and _names_tags(key))):
        return Record(TAGS, tokens=tokens, tags=record[key], id=own, continues=continues)
    if text is None and not words:
        if tokens is not None:
            raise SpanError("the record has tokens with offsets but no text", "give its text")
        return _textless(record, key, kind, prefixed)
    if kind in ("", "tags"):
        spans = _no_layer(record, text, layers)
    else:
        spans = record[key] or []
        if not isinstance(spans, list):
            raise SpanError(f"found {_TYPES['object']} for {key}, which takes a list")
    listed = [read_span(span, f"{key}[{at}]") for at, span in enumerate(spans)]
    quotes = [
        each.quote
        for each in listed
        if each.quoted is not None and not (plain and text is not None and text[each.start : each.end] == each.quoted)
        if not each.is_value or text is None or occurs(each.quoted, text)
    ]
    count = len(listed)
    if prefixed:
        listed = merged(listed, text if text is not None else tokens)
    found = Record(TEXT if text is not None else TOKENS, text, None, _spans(listed), None, quotes, own, continues)
    found.merged = count if prefixed else 0
    if text is None:
        found.tokens = tokens
    elif tokens and not words and not (plain and _have_their_places(tokens, text)):
        found.quotes = [*_token_quotes(tokens), *quotes]
    return found


def _no_layer(record: Raw, text: str | None, layers: Layers) -> list[Any]:
    """The spans of a record without a layer: none, if Prodigy wrote it; else an error."""
    for key, value in record.items():
        if role_of(key) == "any" and isinstance(value, dict) and key in ("spans", "entities", "ents"):
            raise SpanError(f"found an object for {key}, which takes a list")
    if text is None:
        finding = "the record has tokens but no spans, tags or ner_tags"
        raise SpanError(finding, "list its spans or tags under one of these keys")
    if has_numbers_for_labels(record.get("annotations")):
        raise SpanError(*NUMBERED)
    if record.get("answer") is not None:  # Prodigy leaves the key out where nothing was marked
        return []
    predicted = [key for key, kind in candidates(record).items() if role_of(key) == "system" and kind != "null"]
    if predicted:
        finding = f"the record has {predicted[0]!r} only, which is the layer of a system"
        raise SpanError(finding, f"name it with --column {predicted[0]}")
    finding = "the record has a text but no spans, entities, label or labels"
    raise SpanError(finding, "list its spans under one of these keys")


def _textless(record: Raw, key: str, kind: str, prefixed: bool) -> Record:
    """Spans with offsets into a text that the record does not have."""
    if kind not in ("spans", "empty", "null") or (kind != "spans" and not _is_output(record, key)):
        finding = "the record has no text, data, tokens or words"
        raise SpanError(finding, "give a text and spans, or tokens and spans or tags")
    listed = [read_span(each, f"{key}[{at}]") for at, each in enumerate(record[key] or [])]
    quotes = [each.quote for each in listed if each.quoted is not None]
    count = len(listed)
    listed = merged(listed, None) if prefixed else listed
    own = record.get("id")
    if own is None and type(record.get("Line")) is int:  # Comprehend, whose lines may be in any order
        own = f"{record.get('File', '')}:{record['Line']}"
    spans = _spans(listed)
    return Record(OFFSETS, spans=spans, quotes=quotes, id=own, merged=count if prefixed else 0)


def _is_output(record: Raw, key: str) -> bool:
    """Whether an empty list is the output for a text."""
    return key == SPAN_LIST or key.lower() in ("entities", "ents", "spans")


def _spans(listed: Sequence[ListedSpan]) -> list[Span]:
    return [Span(each.start, each.end, label, each.parts, each.level) for each in listed for label in each.labels]


def _have_their_places(tokens: Sequence[Any], text: str) -> bool:
    """Whether all tokens are what the text has at their offsets; what is odd about them is found elsewhere."""
    try:
        quoted = [token["text"] for token in tokens]
        return [text[token["start"] : token["end"]] for token in tokens] == quoted
    except (TypeError, KeyError):
        return False


def _token_quotes(tokens: Sequence[Any]) -> list[Quote]:
    """What tokens with offsets quote."""
    quotes = []
    for at, token in enumerate(tokens):
        if not isinstance(token, dict) or type(token.get("start")) is not int or type(token.get("end")) is not int:
            raise SpanError(f"tokens[{at}] has no 'start' and 'end'")
        if isinstance(token.get("text"), str):
            quotes.append(Quote([(token["start"], token["end"])], token["text"]))
    return quotes


def labels_of(records: Sequence[Raw], layers: Layers) -> set[str]:
    """The labels of spans in those of the first records that can be read."""
    labels: set[str] = set()
    for record in records:
        try:
            chosen = layers.choose(record)
            if chosen is not None and chosen[1] == "spans":
                labels.update(label for each in record[chosen[0]] for label in read_span(each, "").labels)
        except SpanError:
            continue
    return labels


def has_numbers_for_labels(annotations: Any) -> bool:
    """Whether these are annotations of old doccano, which does not say what the numbers of labels stand for."""
    listed = annotations if isinstance(annotations, list) else []
    return any(isinstance(each, dict) and isinstance(each.get("label"), int) and "user" in each for each in listed)
