"""Spans as JSON formats have them: objects with offsets into a text, or with positions of tokens.

Offsets count from 0 and ends are exclusive. A span with gaps lists what it covers: `parts`, as `[[start, end], …]`.
`level` is the column or the place in a stack of tags that a span comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from operator import attrgetter
from typing import Annotated

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.settings import Offsets
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


def on_texts(texts: Sequence[str], offsets: Offsets) -> tuple[Texts, Ground]:
    """The characters of texts as atoms."""
    atoms = Texts.of(texts, offsets)

    def fault(record: int, span: Span) -> Fault:
        size = _size(texts[record], offsets)
        if span.end <= span.start:
            return f"{span} covers nothing", _COUNT
        if span.end > size:
            fits = offsets == "codepoints" and span.end <= _size(texts[record], "utf16")
            unit = "characters" if offsets == "codepoints" else "UTF-16 units"
            remedy = f"{_COUNT}, or choose --offsets utf16 if its tool counts UTF-16 units" if fits else _COUNT
            return f"{span} ends behind its text, which has {size} {unit}", remedy
        if (atoms.places(ints([record, record]), ints([span.start, span.end])) < 0).any():
            return f"{span} begins or ends within a character", "mend its offsets, or choose --offsets codepoints"
        return f"{span} covers only spaces", "mend its offsets, or remove it"

    return atoms, Ground(atoms.places, fault)


def on_tokens(lengths: Ints) -> Ground:
    """Tokens as atoms, so many in each record."""

    def place(record: Ints, offset: Ints) -> Ints:
        return np.where(offset > lengths[record], -1, offset)

    def fault(record: int, span: Span) -> Fault:
        if span.end <= span.start:
            return f"{span} covers nothing", _COUNT
        return f"{span} ends behind the tokens of its record, which has {lengths[record]}", _COUNT

    return Ground(place, fault)


def spans_of(lists: Sequence[Sequence[Span]], ground: Ground, vocabulary: Vocabulary, report: Report) -> Spans:
    """The spans of records, a list a record, in atoms; one that covers none is a problem, and left out."""
    flat = list(chain.from_iterable(lists))
    scope = np.repeat(np.arange(len(lists)), ints(list(map(len, lists))))
    start = ground.place(scope, np.fromiter(map(_START, flat), dtype=np.int64, count=len(flat)))
    end = ground.place(scope, np.fromiter(map(_END, flat), dtype=np.int64, count=len(flat)))
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
        edges = ground.place(np.full(len(offsets), record), ints(offsets)).tolist()
        atoms = list(zip(edges[::2], edges[1::2], strict=True))
        complete = bool(offsets) and (offsets[0], offsets[-1]) == (span.start, span.end)
        if not complete or offsets != sorted(offsets) or any(begin >= behind for begin, behind in atoms):
            finding = f"the parts of {span} do not run through it from start to end"
            report(record, finding, "list them as [start, end], each behind the one before")
            continue
        gaps = [atom for (_, behind), (begin, _) in pairwise(atoms) for atom in range(behind, begin)]
        shape[row] = spans.vocabulary.shapes.code(tuple(atom - int(spans.start[row]) for atom in gaps))
    return shape


def misquoted(text: str, quotes: Sequence[tuple[int, int, str]], offsets: Offsets) -> Fault | None:
    """What is wrong with quotes of a text, each as (start, end, quoted); None if they stand there, spaces aside."""
    wrong = _first_misquoted(text, quotes, offsets)
    if wrong is None:
        return None
    start, end, quoted = wrong
    (held,) = slices(text, [(start, end)], offsets)
    finding = f"{quoted!r} is quoted at [{start}, {end}], where the text has {held!r}"
    other: Offsets = "utf16" if offsets == "codepoints" else "codepoints"
    fits = _first_misquoted(text, quotes, other) is None
    return finding, f"choose --offsets {other}, which fits" if fits else "mend the offsets"


def _first_misquoted(
    text: str, quotes: Sequence[tuple[int, int, str]], offsets: Offsets
) -> tuple[int, int, str] | None:
    held = slices(text, [(start, end) for start, end, _ in quotes], offsets)
    pairs = zip(held, quotes, strict=True)
    return next((quote for found, quote in pairs if _bare(found) != _bare(quote[2])), None)


def _bare(text: str) -> str:
    r"""A text without spaces and line breaks, also those that a tool spells out as \n."""
    return "".join(text.replace("\\n", " ").split())


def slices(text: str, places: Sequence[tuple[int, int]], offsets: Offsets) -> list[str]:
    """What stands between offsets."""
    if offsets == "codepoints":
        return [text[start:end] for start, end in places]
    units = text.encode("utf-16-le")
    return [units[2 * start : 2 * end].decode("utf-16-le", "replace") for start, end in places]


def _size(text: str, offsets: Offsets) -> int:
    return len(text) if offsets == "codepoints" else len(text.encode("utf-16-le")) // 2


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

    Where there are tokens only, the text has single spaces between them; where there are characters only, it has none.
    """
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.raw is not None and corpus.atoms == "characters":
        text = corpus.text(sentence)
        start = [at for at, character in enumerate(text) if not character.isspace()]
        return text, start, [at + 1 for at in start]
    atoms = [corpus.tokens[at] for at in range(*corpus.bounds[sentence : sentence + 2].tolist())]
    space = "" if corpus.atoms == "characters" else " "
    end = (np.cumsum([len(atom) + len(space) for atom in atoms], dtype=np.int64) - len(space)).tolist()
    return space.join(atoms), [at - len(atom) for at, atom in zip(end, atoms, strict=True)], end


def with_offsets(spans: Sequence[Span], start: Sequence[int], end: Sequence[int]) -> list[Span]:
    """Spans in atoms as spans in a text, where atoms begin and end at these offsets."""
    written = []
    for span in spans:
        parts = None if span.parts is None else [(start[first], end[behind - 1]) for first, behind in span.parts]
        written.append(Span(start[span.start], end[span.end - 1], span.label, parts, span.level))
    return written
