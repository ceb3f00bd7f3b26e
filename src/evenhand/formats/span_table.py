"""Span tables: label, first and last token (inclusive, from 1), and maybe the list of tokens; one span per line.

A blank line ends a sentence. `NONE` or `EMPTY` at position 999 represents a sentence without spans. The lengths of
sentences are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.errors import COLUMNS, GAPS, TOKENS, counted
from evenhand.formats.conll import check_cells
from evenhand.formats.format import Capabilities, Detection, Format, Reader, Writer, by_batch
from evenhand.formats.parsing.cells import MAX_DIGITS, Lines, is_wide, numbers, split
from evenhand.formats.partition import Partitioning, has_text
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings

DUMMIES = ("NONE", "EMPTY")
DUMMY_POSITION = 999
DUMMIES_SKIPPED = "dummies for sentences without spans"
_TWO_NUMBERS = re.compile(rb"[ \t\r][0-9]+[ \t\r]+[0-9]")
"""What every line of spans contains."""
_REMEDY = "write label, first token, last token and maybe the tokens, separated by tabs"


def recognise(sample: Block) -> float:
    """The share of lines with a label that is not a number, and two numbers."""
    texts = sample.data[: sample.size].split(b"\n")
    if max(map(len, texts)) > COLUMNS.value and any(map(is_wide, texts)):
        return 0.0
    lines = split(sample, tabs=b"\t" in sample.data)
    rows = np.flatnonzero(lines.cells)
    wide = rows[np.isin(lines.cells[rows], (3, 4))]
    if not len(wide):
        return 0.0
    label, first, last = (numbers(lines.data, *_cells(lines, wide, column))[1] for column in range(3))
    return float(np.count_nonzero(label & ~first & ~last) / len(rows))


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole sentences."""
    labels = StringCoder()
    tabs = b"\t" in source.sample(1 << 12).data
    pending, begun = 0, False
    for block in source.blocks(settings.block_size):
        lines = split(block, tabs=tabs)
        rows, blank = np.flatnonzero(lines.cells), np.flatnonzero(lines.cells == 0)
        # Blank lines after the last span of a file do not end sentences: they count only if a span follows.
        if not len(rows):
            pending += len(blank)
            continue
        spans, dummies = _spans(source, lines, rows, labels, vocabulary)
        sentences = int(np.searchsorted(blank, rows[-1])) + 1
        first_lines = lines.first_line + np.append(0, blank + 1)[:sentences]
        corpus = Corpus(
            source=source.display_name,
            sentences=pending + sentences,
            lines=np.append(np.full(pending, lines.first_line), first_lines),
            continues=begun or source.begins_inside,
        )
        spans = Spans.concatenate([spans], [pending])
        reading = ReadInfo(FORMAT.name, skipped={DUMMIES_SKIPPED: dummies} if dummies else {})
        yield Annotation(corpus, {"spans": spans}, {"spans": reading}, source.name)
        pending, begun = max(len(lines.cells) - int(rows[-1]) - 2, 0), True
    if not begun:
        raise source.error(None, "the file has no spans", "check how it was written")


def _cells(lines: Lines, rows: Ints, column: int) -> tuple[Ints, Ints]:
    """Start and end of the cells of a column, in rows of three or four columns."""
    start, end = np.empty_like(rows), np.empty_like(rows)
    for columns in (3, 4):
        has_width = lines.cells[rows] == columns
        start[has_width], end[has_width] = lines.table(rows[has_width], columns).column(column)
    return start, end


def _spans(source: Source, lines: Lines, rows: Ints, labels: StringCoder, vocabulary: Vocabulary) -> tuple[Spans, int]:
    """The spans of a block, and the number of dummies that were left out."""
    rows, first, last = _good_rows(source, lines, rows)
    code = labels(Tokens(lines.data, *_cells(lines, rows, 0)))
    keep = np.flatnonzero(~(labels.among(code, DUMMIES) & (first == DUMMY_POSITION) & (last == DUMMY_POSITION)))
    sentence = np.searchsorted(np.flatnonzero(lines.cells == 0), rows)
    shape = _shapes(source, lines, rows[keep], first[keep], last[keep], vocabulary)
    spans = Spans.of(
        vocabulary, sentence[keep], first[keep] - 1, last[keep], vocabulary.labels_of(labels, code[keep]), shape=shape
    )
    return spans, len(rows) - len(keep)


def _good_rows(source: Source, lines: Lines, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """The rows that are spans, with their first and last tokens; all others are problems."""
    width = lines.cells[rows]
    for row in rows[(width < 3) | (width > 4)].tolist():
        finding = f"found {counted(lines.cells[row], 'column')} where a span table has 3 or 4"
        source.report(lines.number(row), finding, _REMEDY, "columns")
    rows = rows[(width == 3) | (width == 4)]
    first, not_first = numbers(lines.data, *_cells(lines, rows, 1))
    last, not_last = numbers(lines.data, *_cells(lines, rows, 2))
    bad = not_first | not_last | (first == 0) | (last < first)
    far = ~bad & (last > TOKENS.value)
    for row in rows[far].tolist():
        finding = f"{lines.text(row)[:80]!r} is a span up to a token above {TOKENS.value:,}"
        source.report(lines.number(row), finding, TOKENS.remedy, "span")
    for row in rows[bad].tolist():
        finding = f"{lines.text(row)[:80]!r} has no first and last token, counted from 1 and in this order"
        source.report(lines.number(row), finding, _REMEDY, "span")
    good = ~(bad | far)
    return rows[good], first[good], last[good]


def _shapes(source: Source, lines: Lines, rows: Ints, first: Ints, last: Ints, vocabulary: Vocabulary) -> Ints:
    """The codes of gaps, from lists of tokens.

    Lists are read one by one, except for single tokens, which are most common and add nothing to the bounds.
    """
    shape = np.zeros(len(rows), dtype=np.int64)
    listed = np.flatnonzero(lines.cells[rows] == 4)
    start, end = lines.table(rows[listed], 4).column(3)
    only, bad = numbers(lines.data, start, end)
    for index in np.flatnonzero(bad | (only != first[listed]) | (only != last[listed])).tolist():
        row = listed[index]
        text, begin, after = lines.data[start[index] : end[index]].decode(), int(first[row]), int(last[row]) + 1
        parts = text.replace(",", " ").split()
        tokens = {int(part) for part in parts if part.isdecimal() and len(part) <= MAX_DIGITS}
        is_whole = len(tokens) == len(parts) and {begin, after - 1} <= tokens
        if not is_whole or min(tokens) < begin or max(tokens) >= after:
            finding = f"the tokens {text[:80]!r} do not run from {begin} to {after - 1}"
            source.report(lines.number(int(rows[row])), finding, "list the span's tokens, each once", "span")
        elif after - begin - len(tokens) > GAPS.value:
            finding = f"the span from {begin} to {after - 1} leaves out more than {GAPS.value:,} tokens"
            source.report(lines.number(int(rows[row])), finding, GAPS.remedy, "span")
        elif len(tokens) < after - begin:
            gaps = tuple(token - begin for token in range(begin, after) if token not in tokens)
            shape[row] = vocabulary.shapes.code(gaps)
    return shape


def _is_between_rows(data: bytes, start: int) -> bool:
    """Whether there are lines on both sides of a single blank one."""
    before = data[:start].removesuffix(b"\n").removesuffix(b"\r").removesuffix(b"\n").removesuffix(b"\r")
    return bool(before) and not before.endswith(b"\n") and has_text(data, start)


def write(annotation: Annotation) -> Iterator[str]:
    """Write the spans sentence by sentence; a sentence without spans gets a dummy."""
    from evenhand.formats.parsing.json_spans import to_write

    for _, spans in to_write(annotation):
        check_cells(span.label for span in spans)
        for span in spans:
            parts = span.parts or [(span.start, span.end)]
            tokens = ", ".join(str(token + 1) for part in parts for token in range(*part))
            yield f"{span.label}\t{span.start + 1}\t{span.end}\t{tokens}\n"
        if not spans:
            yield f"{DUMMIES[0]}\t{DUMMY_POSITION}\t{DUMMY_POSITION}\t{DUMMY_POSITION}\n"
        yield "\n"


FORMAT = Format(
    "spans",
    "label, first and last token, maybe the tokens; one span per line",
    # A blank line ends a sentence, even one without spans.
    readers={
        "spans": Reader(read, partitioning=Partitioning(lambda block: block.starts_after_blank, _is_between_rows))
    },
    writers={
        "spans": Writer(Capabilities(characters=False, text=False, levels=False, documents="none"), by_batch(write))
    },
    detection=Detection(pattern=_TWO_NUMBERS, confidence=recognise),
)
