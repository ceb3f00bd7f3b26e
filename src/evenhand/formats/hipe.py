"""Tables of HIPE: a token a line, with tags of entities and identifiers of a knowledge base in columns with names.

The first line names the columns. Lines with an empty first cell are skipped, and all that begin with `#`, even with all
cells: so does HIPE-scorer. `# hipe2022:document_id = NAME` and `# document_id = NAME` begin a document. A file without
any such line is cut into documents as its gold standard is.

Tags (`NE-COARSE-LIT`) and identifiers (`NEL-LIT`) count in upper case. I- and E- of the same type go on with a span;
everything else but O begins one, and so does a token with O and an identifier. A span has the identifiers of its first
token, with `|` between candidates; `_`, `-` and an empty cell are none. In a system's file another identifier begins
another span.

For the task spans, the tags of `NE-COARSE-LIT`, or of the columns that the user names, are read as in column files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.chain_formats import DocumentNames
from evenhand.formats.hipe_spans import SpanCells
from evenhand.formats.link_formats import HIPE, LINKS, TAGS
from evenhand.formats.parsing.blocks import Lines, split
from evenhand.formats.parsing.tag_reader import listed_tags
from evenhand.formats.source import Block, Source
from evenhand.formats.whole_text import whole_text
from evenhand.problems import counted
from evenhand.settings import ColumnName, Columns, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.codes import Coder
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.link_names import LAYER
from evenhand.text.tokens import Tokens

_BLOCKS = 8
"""How many times larger than elsewhere blocks are: they hold whole documents."""
_MARK = re.compile(r"# (?:hipe2022:document_id|document)[^=]*(?:=\s*)?(.*)")
_SENTENCE_END = "EndOfSentence"
_HASH = ord("#")
_GOING_ON = ("I-", "E-")
_NO_TAG = {"-": "O", "_": "O"}
"""Cells without a tag."""


@dataclass(frozen=True)
class _Layout:
    """The places of columns."""

    tags: int
    links: int
    notes: int | None
    """Where the ends of sentences are."""
    named: str

    @property
    def width(self) -> int:
        return max(self.tags, self.links) + 1


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The table in batches of whole documents."""
    layout = _layout(source, settings.columns)
    reader = _Reader(source, layout, vocabulary, is_response=settings.side == "system")
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="table"):
        batch = reader.read(block)
        if batch is not None:
            yield batch


def read_spans(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The table as one batch, with the spans that its tags spell."""
    header = _header(source)
    places = {layer: [_column(source, header, name) for name in wanted or (TAGS,)] for layer, wanted in columns.items()}
    every = [place for each in places.values() for place in each]
    notes = header.index("MISC") if "MISC" in header else len(header)
    rows, lines, begins, documents = list[list[str]](), list[int](), {0}, {0}
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        cells = line.rstrip("\r ").split("\t")
        if line.startswith("#"):
            documents |= {len(rows)} if _MARK.fullmatch(line.rstrip("\r")) else set()
        elif number > 1 and cells[0]:
            if len(cells) <= max(every):
                finding = f"found {len(cells)} columns, but the tags are in column {max(every) + 1}"
                source.report(number, finding, "separate the columns by tabs", "columns")
                continue
            goes_on = cells[every[0]][:2].upper() in _GOING_ON  # a sentence does not end within a span
            if rows and not goes_on and _SENTENCE_END in "".join(rows[-1][notes : notes + 1]).split("|"):
                begins.add(len(rows))
            rows.append(cells)
            lines.append(number)
    documents -= {len(rows)}
    bounds = sorted({*begins, *documents})
    corpus = Corpus(
        source.shown,
        len(bounds),
        ints([*bounds, len(rows)]),
        Tokens.of([cells[0] for cells in rows]),
        ints(lines),
        documents=ints([bounds.index(row) for row in sorted(documents)]),
    )
    values = {
        layer: [[_NO_TAG.get(cells[at], cells[at]) for cells in rows] for at in places[layer]] for layer in places
    }
    if rows:
        yield listed_tags(HIPE.name, source, settings, vocabulary, corpus, values, places)


def _layout(source: Source, named: tuple[ColumnName, ...]) -> _Layout:
    header = _header(source)
    if named and len(named) != 2:
        remedy = f"name two, such as --column {TAGS},{LINKS}, or choose --task spans for the tags alone"
        raise source.error(1, f"found {len(named)} column, where tags and links are read", remedy)
    tags, links = (_column(source, header, name) for name in named or (TAGS, LINKS))
    notes = header.index("MISC") if "MISC" in header else None
    return _Layout(tags, links, notes, f"{header[tags]}+{header[links]}")


def _header(source: Source) -> list[str]:
    """The names of the columns."""
    line = source.sample(1 << 12).data.split(b"\n", 1)[0]
    return line.decode().rstrip("\r ").split("\t")


def _column(source: Source, header: list[str], name: ColumnName) -> int:
    if isinstance(name, str) and name in header:
        return header.index(name)
    if isinstance(name, int) and 0 < abs(name) <= len(header):
        return name - 1 if name > 0 else len(header) + name
    remedy = f"name one of these with --column: {', '.join(header)}"
    raise source.error(1, f"there is no column {name!r}", remedy)


class _Reader:
    """Reads blocks of whole documents; it knows the tags, links and documents of all blocks before."""

    def __init__(self, source: Source, layout: _Layout, vocabulary: Vocabulary, *, is_response: bool) -> None:
        self._source, self._layout = source, layout
        self._cells = SpanCells(vocabulary, is_response=is_response)
        self._notes = Coder()
        self._names = DocumentNames(source)

    def read(self, block: Block) -> Annotation | None:
        """The documents of a block, if it has any."""
        lines = split(block, tabs=True)
        rows = self._tokens(lines)
        marks, names = self._documents(lines)
        if not len(rows) and not names:
            return None
        before = np.searchsorted(rows, marks)
        if names and len(rows) and before[0] > 0:
            finding, remedy = "a token stands before the first document", "begin each document with its mark"
            raise self._source.error(lines.number(int(rows[0])), finding, remedy, "document")
        first = np.append(before, len(rows)) if names else ints([0, len(rows)])
        table = lines.table(rows, self._layout.width)
        tokens = Tokens(lines.data, *table.column(0))
        tags, links = (Tokens(lines.data, *table.column(at)) for at in (self._layout.tags, self._layout.links))
        spans = self._cells.spans(tags, links, tokens, first)
        bounds, documents = _sentences(first, self._sentence_ends(lines, rows), spans)
        corpus = Corpus(
            *(self._source.shown, len(bounds) - 1, bounds, tokens, rows, lines.first_line),
            documents=documents,
            names=tuple(names),
            unnamed=not names,
            marks=marks,
        )
        layer = spans.in_scopes(np.searchsorted(bounds, spans.start, side="right") - 1, bounds)
        reading = Reading(HIPE.name, column=self._layout.named)
        return Annotation(corpus, {LAYER: layer}, {LAYER: reading}, self._source.name)

    def _tokens(self, lines: Lines) -> Ints:
        """The lines that hold tokens."""
        data = np.frombuffer(lines.data, dtype=np.uint8)
        rows = np.flatnonzero(lines.cells)
        rows = rows[data[lines.begins[rows]] != _HASH]
        start, end = lines.table(rows, 1).column(0)
        rows = rows[end > start]
        rows = rows[1:] if lines.first_line == 1 and len(rows) and rows[0] == 0 else rows
        for row in rows[lines.cells[rows] < self._layout.width].tolist():
            finding = (
                f"found {counted(lines.cells[row], 'column')}, but {self._layout.named} are up to {self._layout.width}"
            )
            self._source.report(lines.number(row), finding, "separate the columns by tabs", "columns")
        wide: Ints = rows[lines.cells[rows] >= self._layout.width]
        return wide

    def _documents(self, lines: Lines) -> tuple[Ints, list[str]]:
        """The lines that begin documents, and their names."""
        data = np.frombuffer(lines.data, dtype=np.uint8)
        rows = np.flatnonzero(lines.cells)
        marks, names = [], []
        for row in rows[data[lines.begins[rows]] == _HASH].tolist():
            found = _MARK.fullmatch(lines.text(row))
            if found is not None:
                marks.append(row)
                names.append(self._names.once(found[1].strip() or None, lines.number(row)))
        return ints(marks), names

    def _sentence_ends(self, lines: Lines, rows: Ints) -> Ints:
        """Behind which tokens sentences end, where the table says so."""
        column = self._layout.notes
        if column is None or not len(rows) or (lines.cells[rows] <= column).any():
            return ints([])
        code = self._notes(Tokens(lines.data, *lines.table(rows, column + 1).column(column)))
        ends = np.array([_SENTENCE_END in name.split("|") for name in self._notes.names], dtype=np.bool_)
        return np.flatnonzero(ends[code]) + 1


def _sentences(first: Ints, breaks: Ints, spans: Spans) -> tuple[Ints, Ints]:
    """Where sentences begin, with the end of the last one behind, and the first sentence of each document.

    `first` are the first tokens of documents. A break inside a span is none, and neither is the end of a document.
    """
    before = np.searchsorted(spans.start, breaks) - 1
    inside = (before >= 0) & (np.append(spans.end, 0)[before] > breaks)
    breaks = breaks[~inside & ~np.isin(breaks, first)]
    places = np.concatenate((first[:-1], breaks))
    order = np.argsort(places, kind="stable")
    return np.append(places[order], first[-1]), np.flatnonzero(order < len(first) - 1)
