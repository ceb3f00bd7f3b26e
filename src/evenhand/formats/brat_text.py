"""The text of a brat document, as one scope or a scope a line, and the spans on it, which must quote it."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from evenhand.arrays import Ints, empty, ints, ranges, zeros
from evenhand.dataclass import dataclass
from evenhand.formats.brat_lines import TextBounds, by_place
from evenhand.formats.json_spans import Span, on_texts, slices
from evenhand.formats.source import Source
from evenhand.settings import Offsets, ReadSettings
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.listed_parts import ListedParts

LINES = "lines"
"""The value of `sentences` under which every line that is not blank is a scope."""


@dataclass(frozen=True)
class Document:
    """A text and its spans."""

    corpus: Corpus
    spans: Spans
    parts: ListedParts
    misquoted: int
    """How many spans quote another text than they cover."""


def document(
    sources: tuple[Source, Source, Source], found: TextBounds, text: str, settings: ReadSettings, vocabulary: Vocabulary
) -> Document:
    """The text of a document and its spans; `sources` are the file that a user named, the annotations and the text."""
    source, annotations, written = sources
    if settings.parameters.get("newlines") == "one":
        text = text.replace("\r\n", "\n")
    texts = Texts.of([text], settings.offsets)
    misquoted = _misquoted(found, text, settings.offsets)
    if misquoted and written.head.data.startswith(BOM_UTF8):
        found = _without_mark(found, text, settings.offsets)
        misquoted = _misquoted(found, text, settings.offsets)
    if misquoted and settings.parameters.get("quotes") != "note":
        raise _misquoted_error(annotations, found, misquoted[0], text, settings.offsets)
    fault = partial(_fault, annotations, found, text, settings.offsets)
    start, end, shape = _atoms(fault, found, zeros(len(found)), texts, vocabulary)
    label = vocabulary.labels.codes(found.label)
    # The lines of the text are left out: messages name the file that the user named, which mostly is the .ann.
    corpus = texts.corpus(source.shown)
    if settings.parameters.get("sentences") == LINES:
        begins, corpus = _in_lines(text, texts, corpus, settings.offsets)
    else:
        begins = ints([0])
    assert corpus.bounds is not None
    scope = np.maximum(np.searchsorted(corpus.bounds[:-1], start, side="right") - 1, 0)
    _check_lines(annotations, found, end, corpus.bounds, scope)
    spans = Spans.of(vocabulary, scope, start, end, label, shape=shape).in_scopes(scope, corpus.bounds)
    begin = begins[scope] if len(begins) else empty()
    parts = ListedParts.of(text, found.first, found.start, found.end, begin)
    return Document(corpus, spans, parts, len(misquoted))


def documents(
    found: TextBounds, sizes: Sequence[int], texts: Sequence[str], sources: Sequence[Source], vocabulary: Vocabulary
) -> Iterator[tuple[Corpus, Spans]]:
    """Several texts, each as one scope, and their spans, which must quote them and count code points.

    `sizes` says how many lines of annotations each text has. An error does not tell which of them it is in.
    """
    text_of = np.searchsorted(np.cumsum(sizes), ints(found.line) - 1, side="right")
    length = ints(list(map(len, texts)))
    part_of = np.repeat(text_of, np.diff(found.first))
    before = (np.cumsum(length) - length)[part_of]
    moved = replace(found, start=found.start + before, end=found.end + before)

    def fault(row: int) -> Exception:
        return sources[0].error(None, "a span does not fit its text", "read one file after the other")

    if (found.end > length[part_of]).any() or _misquoted(moved, "".join(texts), "codepoints"):
        raise fault(0)
    joined = Texts.of(texts)
    start, end, shape = _atoms(fault, found, text_of, joined, vocabulary)
    spans = Spans.of(vocabulary, zeros(len(found)), start, end, vocabulary.labels.codes(found.label), shape=shape)
    rows = np.searchsorted(text_of, np.arange(len(texts) + 1)).tolist()
    corpora = joined.corpora([source.shown for source in sources])
    return ((corpus, spans.take(slice(*bounds))) for corpus, bounds in zip(corpora, pairwise(rows), strict=True))


def _misquoted(found: TextBounds, text: str, offsets: Offsets) -> list[int]:
    """The rows of spans that do not quote what the text has there."""
    other: Sequence[int] = range(len(found))
    if offsets == "codepoints":  # most spans quote their parts as they stand, with blanks between
        parts = [text[begin:end] for begin, end in zip(found.start.tolist(), found.end.tolist(), strict=True)]
        first = found.first.tolist()
        held = parts if len(parts) == len(found) else [parts[at] for at in first[:-1]]
        for row in np.flatnonzero(np.diff(found.first) > 1).tolist():
            held[row] = " ".join(parts[first[row] : first[row + 1]])
        if held == found.quoted:
            return []
        other = [row for row, (mine, quoted) in enumerate(zip(held, found.quoted, strict=True)) if mine != quoted]
    return [row for row in other if not _quotes(found, row, slices(text, found.parts(row), offsets))]


def _without_mark(found: TextBounds, text: str, offsets: Offsets) -> TextBounds:
    """Offsets that count the byte order mark before the text, where quotations fit only so, as the text counts them."""
    moved = replace(found, start=np.maximum(found.start - 1, 0), end=found.end - 1)
    return found if _misquoted(moved, text, offsets) else moved


def _atoms(
    fault: Callable[[int], Exception], found: TextBounds, text_of: Ints, texts: Texts, vocabulary: Vocabulary
) -> tuple[Ints, Ints, Ints]:
    """The first atom of each span, the one behind its last, and its shape; parts without atoms do not count.

    `fault` tells what is wrong with the span in a row that is not in its text.
    """
    span_of = np.repeat(np.arange(len(found)), np.diff(found.first))
    begin, behind = texts.places(text_of[span_of], found.start), texts.places(text_of[span_of], found.end)
    kept = np.flatnonzero((begin >= 0) & (behind > begin))
    order = kept[by_place(span_of[kept], begin[kept])]
    begin_of, behind_of, span_of_part = begin[order], behind[order], span_of[order]
    whole = np.bincount(span_of_part, minlength=len(found))
    outside = np.bincount(span_of, (begin < 0) | (behind < 0), minlength=len(found))
    for row in np.flatnonzero((whole == 0) | (outside > 0)).tolist():
        raise fault(row)
    first = np.cumsum(whole) - whole
    start, end = (begin_of[first], behind_of[first + whole - 1]) if len(found) else (empty(), empty())
    shape = np.zeros(len(found), dtype=np.int64)
    for row in np.flatnonzero(_have_gaps(span_of_part, begin_of, behind_of, len(found))).tolist():
        mine = slice(int(first[row]), int(first[row] + whole[row]))
        gaps = ranges(behind_of[mine][:-1], begin_of[mine][1:] - behind_of[mine][:-1]) - start[row]
        shape[row] = vocabulary.shapes.code(tuple(gaps.tolist()))
    return start, end, shape


def _fault(source: Source, found: TextBounds, text: str, offsets: Offsets, row: int) -> Exception:
    parts = found.parts(row)
    span = Span(parts[0][0], parts[-1][1], found.label[row])
    return source.error(found.line[row], *on_texts([text], offsets)[1].fault(0, span))


def _have_gaps(span: Ints, begin: Ints, behind: Ints, size: int) -> Ints:
    """How many atoms spans leave out between their parts, which are sorted by span and place."""
    same = np.flatnonzero(span[1:] == span[:-1])
    left_out = begin[same + 1] - behind[same]
    return ints(np.bincount(span[same], left_out, minlength=size))


def _in_lines(text: str, texts: Texts, corpus: Corpus, offsets: Offsets) -> tuple[Ints, Corpus]:
    """Where each line that is not blank begins, in characters; and the corpus with a sentence a line."""
    lines = text.split("\n")
    kept = np.flatnonzero([not line.isspace() and line != "" for line in lines])
    sizes = list(map(len, lines)) if text.isascii() else [len(line.encode()) for line in lines]
    begins, raw = (_before(each)[kept] for each in (list(map(len, lines)), sizes))
    in_units = begins if offsets == "codepoints" else _before(list(map(_units, lines)))[kept]
    bounds = np.append(texts.places(np.zeros_like(in_units), in_units), texts.bounds[-1])
    raw = np.append(raw, texts.raw[-1])
    return begins, replace(corpus, sentences=len(begins), bounds=bounds, raw=raw, documents=ints([0]))


def _before(sizes: Sequence[int]) -> Ints:
    """Where lines of these sizes begin."""
    return np.append(0, np.cumsum(ints(sizes) + 1))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _check_lines(source: Source, found: TextBounds, end: Ints, bounds: Ints, scope: Ints) -> None:
    beyond = np.flatnonzero(end > bounds[scope + 1]) if len(scope) else empty()
    if len(beyond):
        row = int(beyond[0])
        finding = f"the span at {found.offsets(row)} reaches over the end of its line"
        raise source.error(found.line[row], finding, "mend its offsets, or leave out --sentences lines")


def _joined(texts: Sequence[str]) -> str:
    """What the parts of a span hold, joined as brat does; runs of spaces and line breaks are one space."""
    return " ".join(" ".join(texts).split())


def _quotes(found: TextBounds, row: int, texts: Sequence[str]) -> bool:
    """Whether a span quotes what the text has there; spaces are no atoms, so that their kind does not matter."""
    return _joined(texts) == " ".join(found.quoted[row].split())


def _misquoted_error(source: Source, found: TextBounds, row: int, text: str, offsets: Offsets) -> Exception:
    held = _joined(slices(text, found.parts(row), offsets))
    finding = f"the text has {held!r} at {found.offsets(row)}, but {found.quoted[row]!r} is quoted"
    return source.error(found.line[row], finding, _remedy(found, row, text, offsets))


def _remedy(found: TextBounds, row: int, text: str, offsets: Offsets) -> str:
    """How to read the text so that a span fits, if there is a way."""
    other: Offsets = "utf16" if offsets == "codepoints" else "codepoints"
    parts = found.parts(row)
    if _quotes(found, row, slices(text, parts, other)):
        return f"read it with --offsets {other}, where they agree"
    if _quotes(found, row, slices(text.replace("\r\n", "\n"), parts, offsets)):
        return "save the text with LF instead of CRLF at line ends, where they agree"
    return "mend the offsets, or check that this is the text that was annotated"
