"""CSV with a header, and lines of tags: annotations that are not plain columns.

CSV has one token per line, with commas or semicolons between cells, which may be quoted. The header names the columns:
one is `Word`, `Token` or `Form`. A column of sentences (`Sentence #`, `sentence_id`) has a new value in the first line
of each sentence, and the same or nothing in the others. Without such a column, blank lines end sentences. A column of
documents (`document`, `doc_id`) works in the same way.

CSV or TSV with columns `sentence` or `document`, `start`, `end` and `label` has one span per line. `frames` reads it.

Lines of tags, such as a `seq.out`, have one sentence per line, and no tokens.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS, parse
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import counted
from evenhand.formats.conll import choose_column
from evenhand.formats.format import Contents, Detection, Format, Reader
from evenhand.formats.parsing.tags import listed_tags
from evenhand.formats.parsing.token_table import (
    ROWS,
    TOKEN_NAMES,
    Layout,
    is_header,
    kind_of,
    score_columns,
    short_lines,
)
from evenhand.formats.source import Block, Source, whole_text
from evenhand.settings import Columns, ReadSettings

DELIMITERS = {",": "commas", ";": "semicolons"}
"""Delimiters of CSV, and their names in messages."""
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_THREE_WORDS = re.compile(rb"\S[^\S\n]+\S+[^\S\n]+\S")
"""A line with three words."""
_BARE_TAGS = OUTSIDE_TAGS | {"B", "I"}
NAME_PART = re.compile(r"[^\W\d_]+")
SENTENCE_WORDS = frozenset({"sentence", "sentences", "sent"})
DOCUMENT_WORDS = frozenset({"document", "documents", "doc"})
_GROUPS = "|".join(sorted(SENTENCE_WORDS | DOCUMENT_WORDS))
_HEADER = re.compile(rf"(?i)\A\s*\S[^\n]*[,;]|\A(?=[^\n]*(?<![a-z])(?:{_GROUPS})(?![a-z]))[^\n]*\t".encode())
"""A first line with a comma or semicolon, or with a tab and a column of sentences or documents."""


def _delimiter(sample: Block) -> str | None:
    """The delimiter of CSV whose header names a column of tokens; None for other files."""
    lines = short_lines(sample)
    if not lines or "\t" in lines[0]:
        return None
    for delimiter in DELIMITERS:
        if delimiter not in lines[0]:
            continue
        try:
            first, *below = filter(None, csv.reader(lines, delimiter=delimiter))
        except (csv.Error, ValueError):  # a cell that is too long for a table; not a single line
            continue
        below = [cells for cells in below if any(cells)]
        if (names := _names(first)) and is_header(names, below, ()):
            return delimiter if sum(len(cells) == len(first) for cells in below) >= 0.8 * len(below) else None
    return None


def _span_delimiter(sample: Block) -> str | None:
    """The delimiter of a table whose header names start, end and label of spans, and their sentence or document."""
    lines = short_lines(sample)
    delimiter = next((delimiter for delimiter in ("\t", *DELIMITERS) if lines and delimiter in lines[0]), None)
    if delimiter is None:
        return None
    try:
        header, *below = filter(any, csv.reader(lines, delimiter=delimiter))
    except (csv.Error, ValueError):  # a cell that is too long for a table; no lines
        return None
    names = _names(header)
    words = {part for name in names for part in NAME_PART.findall(name.lower())}
    if not words & (SENTENCE_WORDS | DOCUMENT_WORDS) or {name.lower() for name in names} & TOKEN_NAMES:
        return None
    from evenhand.formats.parsing.json_spans import span_fields  # slow to load

    rows = [cells for cells in below if len(cells) == len(names)]
    columns = zip(*rows, strict=True) if rows else [("0",)] * len(names)
    examples = [0 if all(map(_WHOLE.fullmatch, filter(None, column))) else "a" for column in columns]
    row = dict(zip(names, examples, strict=True))
    fields = span_fields(row if rows else row | dict.fromkeys(names[-1:], "a"))
    is_complete = None not in (fields.start, fields.end, fields.label) and 2 * len(rows) >= len(below)
    return delimiter if is_complete else None


def _names(cells: list[str]) -> list[str]:
    """The names of columns; pandas leaves the first one empty for its index."""
    names = [cell.strip().removeprefix("\ufeff") for cell in cells]
    return [names[0] or "index", *names[1:]] if names else []


def _is_tag_lines(sample: Block) -> float:
    """Whether all words are tags, and some lines have three or more."""
    lines = [line.split() for line in short_lines(sample)]
    if max(map(len, lines), default=0) < 3:
        return 0.0
    words = {word for line in lines for word in line}
    return float(all(word in _BARE_TAGS or (len(word) > 2 and parse(word) is not None) for word in words))


@dataclass(frozen=True)
class _TokenLines:
    """The lines with a token."""

    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    breaks: list[int]
    """Indices of rows after blank lines."""

    def column_of(self, words: frozenset[str]) -> int | None:
        """The first column whose name contains one of these words."""
        parts = [set(NAME_PART.findall(name.lower())) for name in self.names]
        return next((column for column, part in enumerate(parts) if part & words), None)

    def starts(self, column: int | None) -> list[int]:
        """The rows in which a column has a new value, and the first row."""
        if column is None:
            return [0]
        starts, last = [0], self.rows[0][column].strip()
        for index, row in enumerate(self.rows):
            value = row[column].strip()
            if value and value != last:
                last = value
                starts.append(index)
        return starts


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Read a CSV table as one batch."""
    sample = source.sample(1 << 12)
    delimiter = _delimiter(sample)
    if delimiter is None and (of_spans := _span_delimiter(sample)) is not None and settings.task != "tags":
        yield from _read_spans(source, settings, vocabulary, columns, of_spans)
        return
    if delimiter is None:
        remedy = "begin the file with names of columns, such as Sentence,Word,Tag or sentence,start,end,label"
        raise source.error(1, "found no header with commas or semicolons that names a column of tokens", remedy)
    table = _table(source, delimiter)
    token = next(column for column, name in enumerate(table.names) if name.lower() in TOKEN_NAMES)
    sentence, document = table.column_of(SENTENCE_WORDS), table.column_of(DOCUMENT_WORDS)
    layout = Layout(tabs=True, columns=len(table.names), first_line=1, names=tuple(table.names), token=token)
    tokens = [row[token] for row in table.rows]
    score, scores = layout.indices(source, score_columns(settings)), None
    if score:
        from evenhand.formats.parsing.confidences import cell_scores  # rare

        scores = cell_scores(source, settings, [row[score[0]] for row in table.rows], table.lines)
    others = [column for column in range(len(table.names)) if column not in (token, sentence, document, *score)]
    kinds = {column: kind_of(tokens[:ROWS], [row[column] for row in table.rows[:ROWS]]) for column in others}
    tag_columns = dict[str, tuple[int, ...]]()
    for layer, named in columns.items():
        side: Literal["gold", "system"] | None = settings.side
        if len(columns) > 1:
            side = "gold" if layer == "gold" else "system"
        read_as = replace(settings, side=side)
        tag_columns[layer] = layout.indices(source, named) or (choose_column(source, 1, kinds, table.names, read_as),)
    documents = table.starts(document)
    sentences = sorted({*table.starts(sentence), *documents, *([] if sentence is not None else table.breaks)})
    corpus = Corpus(
        source.display_name,
        len(sentences),
        ints([*sentences, len(table.rows)]),
        Tokens.of(tokens),
        ints(table.lines),
        documents=ints([sentences.index(row) for row in documents]),
    )
    tags = {
        layer: [[row[column] for row in table.rows] for column in numbers] for layer, numbers in tag_columns.items()
    }
    yield listed_tags(CSV.name, source, settings, vocabulary, corpus, tags, tag_columns, scores)


def _read_spans(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns, delimiter: str
) -> Iterator[Annotation]:
    """Read one span per line as a data frame, with whole numbers, confidences and texts as columns."""
    from evenhand.data.layers import score_keys
    from evenhand.formats.arrow import arrow, check_pyarrow  # slow to load, and rare
    from evenhand.formats.frames import UnreadableColumn, read_flat

    check_pyarrow(source, "tables of spans")
    table = _table(source, delimiter)
    repeated = next((name for number, name in enumerate(table.names) if name in table.names[:number]), None)
    if repeated is not None:
        raise source.error(1, f"several columns are called {repeated!r}", "rename all but one of them")
    named, arrays = settings.parameters.get("score"), dict[str, Any]()
    scores = {named} if named is not None else {*score_keys(dict.fromkeys(table.names))}
    for number, name in enumerate(table.names):
        cells = [row[number].strip() or None for row in table.rows]
        if name in scores:
            values = list(map(_as_number, cells))
            has_texts = any(isinstance(value, str) for value in values)
            arrays[name] = UnreadableColumn(values) if has_texts else arrow.array(values, arrow.float64())
        elif all(cell is None or _WHOLE.fullmatch(cell) for cell in cells):
            arrays[name] = arrow.array([None if cell is None else int(cell) for cell in cells], arrow.int64())
        else:
            arrays[name] = arrow.array(cells, arrow.string())
    for annotation in read_flat(arrays, source, settings, vocabulary, columns, table.lines):
        readings = {layer: replace(reading, format=CSV.name) for layer, reading in annotation.readings.items()}
        yield replace(annotation, readings=readings)


def _as_number(cell: str | None) -> float | str | None:
    """The number in a cell of confidences, or its text; None for `_`, `-` and empty cells."""
    if cell is None or cell in ("_", "-"):
        return None
    try:
        return float(cell)
    except ValueError:
        return cell


def _table(source: Source, delimiter: str) -> _TokenLines:
    reader = csv.reader((line + "\n" for line in whole_text(source).split("\n")), delimiter=delimiter)
    names, rows, numbers, breaks = list[str](), list[list[str]](), list[int](), list[int]()
    before = 0
    try:
        for cells in reader:
            first, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                breaks.append(len(rows))
            elif not names:
                names = _names(cells)
            elif len(cells) == len(names):
                rows.append(cells)
                numbers.append(first)
            else:
                finding = f"expected {counted(len(names), 'cell')} as in the header, got {len(cells)}"
                source.report(first, finding, "fix the line, and quote cells that contain a delimiter", "columns")
    except csv.Error as error:
        raise source.error(reader.line_num, f"the line is not CSV ({error})", "check its quotation marks") from None
    if not rows:
        raise source.error(None, "the file has no rows below its header", "check how it was written")
    return _TokenLines(names, rows, numbers, [row for row in breaks if 0 < row < len(rows)])


def read_tag_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Read lines of tags as one batch; blank lines do not count."""
    sentences = {number: line.split() for number, line in enumerate(whole_text(source).split("\n"), 1) if line.strip()}
    lengths = ints(list(map(len, sentences.values())))
    corpus = Corpus(
        source.display_name,
        len(sentences),
        np.append(0, np.cumsum(lengths)),
        lines=np.repeat(ints(list(sentences)), lengths),
    )
    tags = [tag for sentence in sentences.values() for tag in sentence]
    yield listed_tags(TAG_LINES.name, source, settings, vocabulary, corpus, {layer: [tags] for layer in columns}, {})


def _confidence(sample: Block) -> float:
    return float(_delimiter(sample) is not None or _span_delimiter(sample) is not None)


CSV = Format(
    "csv",
    "CSV with a header: one token per line, or one span per line (also TSV)",
    readers=dict.fromkeys(("spans", "tags"), Reader(read)),
    detection=Detection(pattern=_HEADER, confidence=_confidence),
    contents=Contents(is_table=True, has_columns=True, has_scores=True),
)
TAG_LINES = Format(
    "tag-lines",
    "tags without tokens, one sentence per line (seq.out)",
    readers={"spans": Reader(read_tag_lines)},
    detection=Detection(pattern=_THREE_WORDS, confidence=_is_tag_lines),
)
