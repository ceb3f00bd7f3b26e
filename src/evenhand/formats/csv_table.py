"""CSV with a header: one token per line, with commas or semicolons between cells, which may be quoted.

The header names the columns: one is `Word`, `Token` or `Form`. A column of sentences (`Sentence #`, `sentence_id`) has
a new value in the first line of each sentence, and the same or nothing in the others. Without such a column, blank
lines end sentences. A column of documents (`document`, `doc_id`) works in the same way.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import counted
from evenhand.formats.conll import chosen
from evenhand.formats.extractions import whole_text
from evenhand.formats.parsing.tags import listed_tags
from evenhand.formats.parsing.token_table import ROWS, TOKEN_NAMES, Layout, kind_of
from evenhand.formats.source import Source
from evenhand.formats.text_formats import CSV, TAG_LINES, csv_delimiter, header_of
from evenhand.settings import Columns, ReadSettings

# == formats/tag_lines.py: Lines of tags without tokens, one sentence per line, as `seq


def read_tag_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file as one batch; blank lines do not count."""
    lines = enumerate(whole_text(source).split("\n"), 1)
    found = [(number, line.split()) for number, line in lines if line.strip()]
    lengths = ints([len(tags) for _, tags in found])
    corpus = Corpus(
        source.display_name,
        len(found),
        np.append(0, np.cumsum(lengths)),
        lines=np.repeat(ints([number for number, _ in found]), lengths),
    )
    tags = [tag for _, sentence in found for tag in sentence]
    layers = {layer: [tags] for layer in columns}
    yield listed_tags(TAG_LINES.name, source, settings, vocabulary, corpus, layers, {})


# == formats/csv_table.py (primary)


_PART = re.compile(r"[^\W\d_]+")
_SENTENCES = frozenset({"sentence", "sentences", "sent"})
_DOCUMENTS = frozenset({"document", "documents", "doc"})


@dataclass(frozen=True)
class _Table:
    """The lines with a token."""

    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    breaks: list[int]
    """The numbers of rows before which blank lines are."""

    def place(self, words: frozenset[str]) -> int | None:
        """The column that one of some words names."""
        parts = [set(_PART.findall(name.lower())) for name in self.names]
        return next((place for place, part in enumerate(parts) if part & words), None)

    def begins(self, place: int | None) -> list[int]:
        """The rows in which the value of a column is new; the first one always."""
        begins, last = [0], self.rows[0][place].strip() if place is not None else ""
        for number, row in enumerate(self.rows if place is not None else ()):
            value = row[place or 0].strip()
            if value and value != last:
                last = value
                begins += [number] if number else []
        return begins


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The table as one batch."""
    delimiter = csv_delimiter(source.sample(1 << 12))
    if delimiter is None:
        remedy = "begin the file with names of columns, such as Sentence,Word,Tag"
        raise source.error(1, "found no header with commas or semicolons that names a column of tokens", remedy)
    table = _table(source, delimiter)
    token = next(place for place, name in enumerate(table.names) if name.lower() in TOKEN_NAMES)
    sentence, document = table.place(_SENTENCES), table.place(_DOCUMENTS)
    layout = Layout(tabs=True, columns=len(table.names), first_line=1, names=tuple(table.names), token=token)
    tokens = [row[token] for row in table.rows]
    free = [place for place in range(len(table.names)) if place not in (token, sentence, document)]
    kinds = {place: kind_of(tokens[:ROWS], [row[place] for row in table.rows[:ROWS]]) for place in free}
    wanted = dict[str, tuple[int, ...]]()
    for layer, named in columns.items():
        side: Literal["gold", "system"] | None = settings.side
        if len(columns) > 1:
            side = "gold" if layer == "gold" else "system"
        read_as = replace(settings, side=side)
        wanted[layer] = layout.places(source, named) or (chosen(source, 1, kinds, table.names, read_as),)
    documents = table.begins(document)
    begins = sorted({*table.begins(sentence), *documents, *([] if sentence is not None else table.breaks)})
    corpus = Corpus(
        source.display_name,
        len(begins),
        ints([*begins, len(table.rows)]),
        Tokens.of(tokens),
        ints(table.lines),
        documents=ints([begins.index(row) for row in documents]),
    )
    values = {layer: [[row[place] for row in table.rows] for place in places] for layer, places in wanted.items()}
    yield listed_tags(CSV.name, source, settings, vocabulary, corpus, values, wanted)


def _table(source: Source, delimiter: str) -> _Table:
    """The names of columns, and the lines with a token."""
    lines = whole_text(source).split("\n")
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    names, rows, numbers, breaks = list[str](), list[list[str]](), list[int](), list[int]()
    before = 0
    try:
        for cells in reader:
            first, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                breaks.append(len(rows))
            elif not names:
                names = header_of(cells)
            elif _is_whole(source, first, cells, names):
                rows.append(cells)
                numbers.append(first)
    except csv.Error as error:
        raise source.error(reader.line_num, f"the line is not CSV ({error})", "check its quotation marks") from None
    if not rows:
        raise source.error(None, "the file has no tokens", "check how it was written")
    return _Table(names, rows, numbers, [row for row in breaks if 0 < row < len(rows)])


def _is_whole(source: Source, line: int, cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a line has all cells; it is a problem if not."""
    if len(cells) == len(names):
        return True
    finding = f"found {counted(len(cells), 'cell')} where the header names {len(names)}"
    source.report(line, finding, "mend the line, and quote cells with a delimiter in them", "columns")
    return False
