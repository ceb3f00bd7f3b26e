"""CSV with a header, and lines of tags: token annotations that are not plain columns.

CSV has one token per line, with commas or semicolons between cells, which may be quoted. The header names the columns:
one is `Word`, `Token` or `Form`. A column of sentences (`Sentence #`, `sentence_id`) has a new value in the first line
of each sentence, and the same or nothing in the others. Without such a column, blank lines end sentences. A column of
documents (`document`, `doc_id`) works in the same way.

Lines of tags, such as a `seq.out`, have one sentence per line, and no tokens.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

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
_HEADER = re.compile(rb"\A\s*\S[^\n]*[,;]")
"""A first line with a delimiter."""
_THREE_WORDS = re.compile(rb"\S[^\S\n]+\S+[^\S\n]+\S")
"""A line with three words."""
_BARE_TAGS = OUTSIDE_TAGS | {"B", "I"}
NAME_PART = re.compile(r"[^\W\d_]+")
SENTENCE_WORDS = frozenset({"sentence", "sentences", "sent"})
DOCUMENT_WORDS = frozenset({"document", "documents", "doc"})


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
    delimiter = _delimiter(source.sample(1 << 12))
    if delimiter is None:
        remedy = "begin the file with names of columns, such as Sentence,Word,Tag"
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
                finding = f"found {counted(len(cells), 'cell')} where the header names {len(names)}"
                source.report(first, finding, "mend the line, and quote cells with a delimiter in them", "columns")
    except csv.Error as error:
        raise source.error(reader.line_num, f"the line is not CSV ({error})", "check its quotation marks") from None
    if not rows:
        raise source.error(None, "the file has no tokens", "check how it was written")
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


CSV = Format(
    "csv",
    "CSV with a header: one token per line, maybe with quotation marks and a column of sentences",
    readers=dict.fromkeys(("spans", "tags"), Reader(read)),
    detection=Detection(pattern=_HEADER, confidence=lambda sample: float(_delimiter(sample) is not None)),
    contents=Contents(is_table=True, has_columns=True),
)
TAG_LINES = Format(
    "tag-lines",
    "tags without tokens, one sentence per line (seq.out)",
    readers={"spans": Reader(read_tag_lines)},
    detection=Detection(pattern=_THREE_WORDS, confidence=_is_tag_lines),
)
