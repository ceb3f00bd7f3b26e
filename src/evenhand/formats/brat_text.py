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
from evenhand.formats.brat_quotations import Placed
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
    misquoted: int
    """How many spans quote another text than they cover."""
    _placed: Placed
    _begin: Ints
    """Where the sentence of each span begins in the text."""

    @property
    def parts(self) -> ListedParts:
        """The parts of spans as they are listed."""
        found = self._placed.spans
        return ListedParts.of(self._placed.text, found.first, found.start, found.end, self._begin)


def document(
    sources: tuple[Source, Source, Source],
    found: TextBounds,
    text: bytes,
    settings: ReadSettings,
    vocabulary: Vocabulary,
) -> Document:
    """The text of a document and its spans; `sources` are the file that a user named, the annotations and the text."""
    source, annotations, written = sources
    if settings.parameters.get("newlines") == "one":
        text = text.replace(b"\r\n", b"\n")
    placed = Placed.of(found, [text], zeros(len(found)), settings.unit)
    misquoted = placed.misquoted()
    if misquoted and written.head.data.startswith(BOM_UTF8):
        placed = placed.without_mark()
        misquoted = placed.misquoted()
    if misquoted and settings.parameters.get("quotes") != "note":
        raise placed.misquoted_error(annotations, misquoted[0])
    start, end, shape = _atoms(partial(placed.fault, annotations), placed, vocabulary)
    label = found.names.into(vocabulary.labels)[found.label]
    # The lines of the text are left out: messages name the file that the user named, which mostly is the .ann.
    corpus = replace(placed.texts.corpus(source.shown), is_file=True)
    if settings.parameters.get("sentences") == LINES:
        begins, corpus = _in_lines(placed.text, placed.texts, corpus, settings.unit)
    else:
        begins = ints([0])
    assert corpus.bounds is not None
    scope = np.maximum(np.searchsorted(corpus.bounds[:-1], start, side="right") - 1, 0)
    _check_lines(annotations, placed.spans, end, corpus.bounds, scope)
    spans = Spans.of(vocabulary, scope, start, end, label, shape=shape).in_scopes(scope, corpus.bounds)
    return Document(corpus, spans, len(misquoted), placed, begins[scope] if len(begins) else empty())


def documents(
    found: TextBounds, sizes: Sequence[int], texts: Sequence[bytes], sources: Sequence[Source], vocabulary: Vocabulary
) -> Iterator[tuple[Corpus, Spans]]:
    """Several texts, each as one scope, and their spans, which must quote them and count code points.

    `sizes` says how many lines of annotations each text has. An error does not tell which of them it is in.
    """
    text_of = np.searchsorted(np.cumsum(sizes), found.line - 1, side="right")
    placed = Placed.of(found, texts, text_of)

    def fault(row: int) -> Exception:
        return sources[0].error(None, "a span does not fit its text", "read one file after the other")

    if placed.is_outside.any() or placed.misquoted():
        raise fault(0)
    start, end, shape = _atoms(fault, placed, vocabulary)
    label = found.names.into(vocabulary.labels)[found.label]
    spans = Spans.of(vocabulary, zeros(len(found)), start, end, label, shape=shape)
    rows = np.searchsorted(text_of, np.arange(len(texts) + 1)).tolist()
    corpora = placed.texts.corpora([source.shown for source in sources])
    return ((corpus, spans.take(slice(*bounds))) for corpus, bounds in zip(corpora, pairwise(rows), strict=True))


def _atoms(fault: Callable[[int], Exception], placed: Placed, vocabulary: Vocabulary) -> tuple[Ints, Ints, Ints]:
    """The first atom of each span, the one behind its last, and its shape; parts without atoms do not count.

    `fault` tells what is wrong with the span in a row that is not in its text.
    """
    size, span_of = len(placed.spans), placed.span_of
    begin, behind = (placed.texts.atoms_before(placed.text_of, place) for place in (placed.begin, placed.behind))
    kept = np.flatnonzero((begin >= 0) & (behind > begin))
    order = kept[by_place(span_of[kept], begin[kept])]
    begin_of, behind_of, span_of_part = begin[order], behind[order], span_of[order]
    whole = np.bincount(span_of_part, minlength=size)
    outside = np.bincount(span_of, placed.is_outside, minlength=size)
    for row in np.flatnonzero((whole == 0) | (outside > 0)).tolist():
        raise fault(row)
    first = np.cumsum(whole) - whole
    start, end = (begin_of[first], behind_of[first + whole - 1]) if size else (empty(), empty())
    return start, end, _shapes(vocabulary, span_of_part, begin_of, behind_of, start)


def _shapes(vocabulary: Vocabulary, span_of: Ints, begin: Ints, behind: Ints, start: Ints) -> Ints:
    """The codes of what spans leave out between their parts, which are sorted by span and place."""
    found = np.zeros(len(start), dtype=np.int64)
    gap = np.flatnonzero((span_of[1:] == span_of[:-1]) & (begin[1:] > behind[:-1]))
    size = begin[gap + 1] - behind[gap]
    left_out = (ranges(behind[gap], size) - np.repeat(start[span_of[gap]], size)).tolist()
    count = np.bincount(span_of[gap], size, minlength=len(start)).astype(np.int64)
    rows = np.flatnonzero(count)
    for row, bounds in zip(rows.tolist(), pairwise(np.append(0, np.cumsum(count[rows])).tolist()), strict=True):
        found[row] = vocabulary.shapes.code(tuple(left_out[slice(*bounds)]))
    return found


def _in_lines(text: str, texts: Texts, corpus: Corpus, offsets: Offsets) -> tuple[Ints, Corpus]:
    """Where each line that is not blank begins, in characters; and the corpus with a sentence a line."""
    lines = text.split("\n")
    kept = np.flatnonzero([not line.isspace() and line != "" for line in lines])
    sizes = list(map(len, lines)) if text.isascii() else [len(line.encode()) for line in lines]
    begins, raw = (_before(each)[kept] for each in (list(map(len, lines)), sizes))
    in_units = begins if offsets == "codepoints" else _before(list(map(_units, lines)))[kept]
    bounds = np.append(texts.places(np.zeros_like(in_units), in_units), texts.bounds[-1])
    raw = np.append(raw, texts.raw[-1])
    changed = replace(corpus, sentences=len(begins), bounds=bounds, raw=raw, texts=texts.raw, documents=ints([0]))
    return begins, changed


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
        raise source.error(int(found.line[row]), finding, "mend its offsets, or leave out --sentences lines")
