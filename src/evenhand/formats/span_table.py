"""Span tables: label, first and last token (inclusive, from 1), and maybe the list of tokens; one span per line.

A blank line ends a sentence. `NONE` or `EMPTY` at position 999 represents a sentence without spans. The lengths of
sentences are unknown. `--score 4` or `--score 5` names a further column with confidences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.errors import COLUMNS, GAPS, TOKENS
from evenhand.formats.conll import check_cells
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer, by_batch
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


_SCORE = re.compile(r"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_WIDTHS = (3, 4, 5)
"""Possible numbers of columns; of five, the last one is a confidence."""


def recognise(sample: Block) -> float:
    """The share of lines with a label that is not a number, and two numbers."""
    texts = sample.data[: sample.size].split(b"\n")
    if max(map(len, texts)) > COLUMNS.value and any(map(is_wide, texts)):
        return 0.0
    lines = split(sample, tabs=b"\t" in sample.data)
    rows = np.flatnonzero(lines.cells)
    wide = rows[np.isin(lines.cells[rows], (3, 4))]
    five = rows[lines.cells[rows] == max(_WIDTHS)].tolist()
    wide = np.append(wide, ints([row for row in five if _SCORE.fullmatch(lines.text(row).split()[-1]) is not None]))
    if not len(wide):
        return 0.0
    label, first, last = (numbers(lines.data, *_cells(lines, wide, column))[1] for column in range(3))
    return float(np.count_nonzero(label & ~first & ~last) / len(rows))


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole sentences."""
    labels, score_column = StringCoder(), _score_column(source, settings)
    tabs = b"\t" in source.sample(1 << 12).data
    pending, begun = 0, False
    for block in source.blocks(settings.block_size):
        lines = split(block, tabs=tabs)
        rows, blank = np.flatnonzero(lines.cells), np.flatnonzero(lines.cells == 0)
        # Blank lines after the last span of a file do not end sentences: they count only if a span follows.
        if not len(rows):
            pending += len(blank)
            continue
        spans, dummies = _spans(source, lines, rows, labels, vocabulary, score_column, settings)
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


def _score_column(source: Source, settings: ReadSettings) -> int | None:
    """The index of the column with confidences, if the user names one."""
    from evenhand.formats.parsing.token_table import score_columns  # slow to load

    columns = score_columns(settings)
    if not columns:
        return None
    if columns[0] not in (4, 5):
        finding = f"--score is {columns[0]}, but a span table without a header has scores in column 4 or 5"
        raise source.error(None, finding, "use the number of the column")
    return int(columns[0]) - 1


def _cells(lines: Lines, rows: Ints, column: int) -> tuple[Ints, Ints]:
    """Start and end of the cells of a column, in rows of three to five columns."""
    start, end = np.empty_like(rows), np.empty_like(rows)
    for columns in _WIDTHS:
        has_width = lines.cells[rows] == columns
        start[has_width], end[has_width] = lines.table(rows[has_width], columns).column(column)
    return start, end


def _spans(
    source: Source,
    lines: Lines,
    rows: Ints,
    labels: StringCoder,
    vocabulary: Vocabulary,
    score_column: int | None,
    settings: ReadSettings,
) -> tuple[Spans, int]:
    """The spans of a block, and the number of dummies that were left out."""
    rows, first, last = _good_rows(source, lines, rows, score_column)
    code = labels(Tokens(lines.data, *_cells(lines, rows, 0)))
    keep = np.flatnonzero(~(labels.among(code, DUMMIES) & (first == DUMMY_POSITION) & (last == DUMMY_POSITION)))
    sentence = np.searchsorted(np.flatnonzero(lines.cells == 0), rows)
    listed = np.zeros(len(keep), dtype=np.bool_) if score_column == 3 else lines.cells[rows[keep]] >= 4
    shape = _shapes(source, lines, rows[keep], first[keep], last[keep], listed, vocabulary)
    spans = Spans.of(
        vocabulary, sentence[keep], first[keep] - 1, last[keep], vocabulary.labels_of(labels, code[keep]), shape=shape
    )
    if score_column is not None:
        spans = replace(spans, score=_scores(source, lines, rows[keep], score_column, settings))
    return spans, len(rows) - len(keep)


def _scores(source: Source, lines: Lines, rows: Ints, column: int, settings: ReadSettings) -> Values | None:
    """The confidences of spans, NaN for rows without this column."""
    from evenhand.formats.parsing.confidences import cell_scores, score_column  # rare

    cells = [""] * len(rows)
    scored = np.flatnonzero(lines.cells[rows] > column)
    start, end = lines.table(rows[scored], column + 1).column(column)
    for row, first, last in zip(scored.tolist(), start.tolist(), end.tolist(), strict=True):
        cells[row] = lines.data[first:last].decode()
    numbers = [lines.number(row) for row in rows.tolist()]
    return score_column(cell_scores(source, settings, cells, numbers, "this span"))


def _good_rows(source: Source, lines: Lines, rows: Ints, score_column: int | None) -> tuple[Ints, Ints, Ints]:
    """The rows that are spans, with their first and last tokens; all others are problems."""
    width = lines.cells[rows]
    widest = 4 if score_column is None else score_column + 1
    for row in rows[(width < 3) | (width > widest)].tolist():
        finding = f"expected 3 or 4 columns, got {lines.cells[row]}"
        cell = "".join(lines.text(row).split()[-1:])  # empty if the line has only separators
        is_scored = lines.cells[row] == max(_WIDTHS) and _SCORE.fullmatch(cell) is not None
        remedy = "if the last column has scores, specify it with --score 5" if is_scored else _REMEDY
        source.report(lines.number(row), finding, remedy, "columns")
    rows = rows[(width >= 3) & (width <= widest)]
    first, not_first = numbers(lines.data, *_cells(lines, rows, 1))
    last, not_last = numbers(lines.data, *_cells(lines, rows, 2))
    bad = not_first | not_last | (first == 0) | (last < first)
    far = ~bad & (last > TOKENS.value)
    for row in rows[far].tolist():
        finding = f"{lines.text(row)[:80]!r} is a span that ends after token {TOKENS.value:,}"
        source.report(lines.number(row), finding, TOKENS.remedy, "span")
    for row in rows[bad].tolist():
        finding = f"{lines.text(row)[:80]!r} has no first and last token, counted from 1 and in this order"
        source.report(lines.number(row), finding, _REMEDY, "span")
    good = ~(bad | far)
    return rows[good], first[good], last[good]


def _shapes(
    source: Source, lines: Lines, rows: Ints, first: Ints, last: Ints, has_list: Bools, vocabulary: Vocabulary
) -> Ints:
    """The codes of gaps, from lists of tokens.

    Lists are read one by one, except for single tokens, which are most common and add nothing to the bounds.
    """
    shape = np.zeros(len(rows), dtype=np.int64)
    listed = np.flatnonzero(has_list)
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
            remedy = "list the span's tokens, each once"
            if _SCORE.fullmatch(text) is not None:
                remedy = "if this is a score, specify its column with --score 4"
            source.report(lines.number(int(rows[row])), finding, remedy, "span")
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
    contents=Contents(has_scores=True),
)
