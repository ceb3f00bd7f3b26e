"""HIPE tables: one token per line, with entity tags and identifiers of a knowledge base in named columns.

The first line names the columns. Lines with an empty first cell and lines that begin with `#` are skipped, even if they
have all cells, as in HIPE-scorer. `# hipe2022:document_id = NAME` and `# document_id = NAME` begin a document. A file
without any such line is divided into documents like its gold standard.

Tags (`NE-COARSE-LIT`) and identifiers (`NEL-LIT`) are compared in upper case. I- and E- of the same type continue a
span; every other tag except for O begins one, as does a token with O and an identifier. A span has the identifiers of
its first token, with `|` between candidates; `_`, `-` and an empty cell mean none. In a system's file, a different
identifier begins another span.

For the task spans, the tags of `NE-COARSE-LIT`, or of the columns that the user names, are read as in column files.

The other formats of entity links, neleval's tables and the JSON lines of ELEVANT, are declared here, too, because
detection needs all of them; `entity_links` reads and writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Link
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import counted
from evenhand.formats.conll2012 import DocumentNames
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.parsing.cells import Lines, split
from evenhand.formats.parsing.tags import listed_tags
from evenhand.formats.partition import records
from evenhand.formats.source import Block, Source, whole_text
from evenhand.registry import lazy
from evenhand.settings import LINKS, NO_TYPE, RESPELLED, ColumnName, Columns, ReadSettings

TAG_COLUMN, LINK_COLUMN = "NE-COARSE-LIT", "NEL-LIT"
"""The columns of a HIPE table that are read by default."""
_HIPE = re.compile(rb"TOKEN\t[^\n]*\tNEL-LIT[\t\r\n]")
_ELEVANT = re.compile(
    rb'"(?:entity_mentions|labels)"\s*:\s*\[\s*\{[^\]]*?"span"\s*:|"entity_mentions"\s*:\s*(?:\[\s*\]|null)'
)
_NELEVAL = re.compile(rb"[^\t\n]+\t[0-9]{1,18}\t[0-9]{1,18}(?:\t[^\t\n]*\t-?[0-9.eE+-]*\t[^\t\n]*)+")
_TWO_NUMBERS = re.compile(rb"\t[0-9]+\t[0-9]")
"""What every line of neleval contains."""
NOTHING = ("_", "-", "")
"""Cells without a tag or identifier."""
_OUTSIDE = ("O", *NOTHING)
SPELLING = "\t"
"""Separates the tokens of a span, because a token cannot contain it."""
_BLOCKS = 8
"""Factor for the size of blocks, which hold whole documents."""
_MARK = re.compile(r"# (?:hipe2022:document_id|document)[^=]*(?:=\s*)?(.*)")
SENTENCE_END = "EndOfSentence"
_HASH = ord("#")
_CONTINUING = ("I-", "E-")
_NO_TAG = {"-": "O", "_": "O"}


def is_hipe(sample: Block) -> float:
    """Whether the first line is the header of a HIPE table."""
    return float(_HIPE.match(sample.data[: sample.size]) is not None)


def is_neleval(sample: Block) -> float:
    """The share of lines with a document, two numbers, and identifier, score and type of candidates."""
    lines = [line.rstrip(b"\r") for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    return sum(map(bool, map(_NELEVAL.fullmatch, lines))) / max(len(lines), 1)


def is_elevant(sample: Block) -> float:
    """Whether the first lines are objects whose labels or mentions have a span; the first article may lack them."""
    lines = sample.data[: sample.size].lstrip()
    return float(lines.startswith(b"{") and _ELEVANT.search(lines) is not None)


@dataclass(frozen=True)
class _Layout:
    tags: int
    links: int
    notes: int | None
    """The column with ends of sentences."""
    named: str

    @property
    def width(self) -> int:
        return max(self.tags, self.links) + 1


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole documents, with links."""
    reader = _HipeReader(source, _layout(source, settings.columns), vocabulary, is_response=settings.side == "system")
    blocks = source.blocks(_BLOCKS * settings.block_size, cut_after="table")
    yield from (batch for batch in map(reader.read, blocks) if batch is not None)


def read_spans(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Read the table as one batch, with the spans of its tags."""
    header = _header(source)
    tag_columns = {
        layer: [_column(source, header, name) for name in names or (TAG_COLUMN,)] for layer, names in columns.items()
    }
    all_columns = [column for numbers in tag_columns.values() for column in numbers]
    notes = header.index("MISC") if "MISC" in header else len(header)
    rows, lines, begins, documents = list[list[str]](), list[int](), {0}, {0}
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        cells = line.rstrip("\r ").split("\t")
        if line.startswith("#"):
            documents |= {len(rows)} if _MARK.fullmatch(line.rstrip("\r")) else set()
        elif number > 1 and cells[0]:
            if len(cells) <= max(all_columns):
                finding = f"found {len(cells)} columns, but the tags are in column {max(all_columns) + 1}"
                source.report(number, finding, "separate the columns with tabs", "columns")
                continue
            continues = cells[all_columns[0]][:2].upper() in _CONTINUING  # a sentence does not end within a span
            if rows and not continues and SENTENCE_END in "".join(rows[-1][notes : notes + 1]).split("|"):
                begins.add(len(rows))
            rows.append(cells)
            lines.append(number)
    documents -= {len(rows)}
    bounds = sorted({*begins, *documents})
    corpus = Corpus(
        source.display_name,
        len(bounds),
        ints([*bounds, len(rows)]),
        Tokens.of([cells[0] for cells in rows]),
        ints(lines),
        documents=ints([bounds.index(row) for row in sorted(documents)]),
    )
    values = {
        layer: [[_NO_TAG.get(cells[column], cells[column]) for cells in rows] for column in numbers]
        for layer, numbers in tag_columns.items()
    }
    if rows:
        yield listed_tags(HIPE.name, source, settings, vocabulary, corpus, values, tag_columns)


def _layout(source: Source, named: tuple[ColumnName, ...]) -> _Layout:
    header = _header(source)
    if named and len(named) != 2:
        remedy = f"specify two, such as --column {TAG_COLUMN},{LINK_COLUMN}, or choose --task spans for the tags alone"
        raise source.error(1, f"expected one column of tags and one of links, got {len(named)}", remedy)
    tags, links = (_column(source, header, name) for name in named or (TAG_COLUMN, LINK_COLUMN))
    return _Layout(tags, links, header.index("MISC") if "MISC" in header else None, f"{header[tags]}+{header[links]}")


def _header(source: Source) -> list[str]:
    return source.sample(1 << 12).data.split(b"\n", 1)[0].decode().rstrip("\r ").split("\t")


def _column(source: Source, header: list[str], name: ColumnName) -> int:
    if isinstance(name, str) and name in header:
        return header.index(name)
    if isinstance(name, int) and 0 < abs(name) <= len(header):
        return name - 1 if name > 0 else len(header) + name
    raise source.error(1, f"column {name!r} does not exist", f"specify one of these with --column: {', '.join(header)}")


class _HipeReader:
    """Reads blocks of whole documents, and remembers the tags, links and documents of all blocks."""

    def __init__(self, source: Source, layout: _Layout, vocabulary: Vocabulary, *, is_response: bool) -> None:
        self._source, self._layout = source, layout
        self._decoder = SpanDecoder(vocabulary, is_response=is_response)
        self._notes = StringCoder()
        self._names = DocumentNames(source, vocabulary)

    def read(self, block: Block) -> Annotation | None:
        """Return the documents of a block, if it has any."""
        lines = split(block, tabs=True)
        rows = self._tokens(lines)
        marks, names = self._documents(lines)
        if not len(rows) and not names:
            return None
        before = np.searchsorted(rows, marks)
        if names and len(rows) and before[0] > 0:
            finding, remedy = "found a token before the first document", "begin each document with its mark"
            raise self._source.error(lines.number(int(rows[0])), finding, remedy, "document")
        first = np.append(before, len(rows)) if names else ints([0, len(rows)])
        table = lines.table(rows, self._layout.width)
        columns = (0, self._layout.tags, self._layout.links)
        tokens, tags, links = (Tokens(lines.data, *table.column(column)) for column in columns)
        spans = self._decoder.spans(tags, links, tokens, first)
        bounds, documents = _sentences(first, self._sentence_ends(lines, rows), spans)
        corpus = Corpus(
            *(self._source.display_name, len(bounds) - 1, bounds, tokens, rows, lines.first_line),
            documents=documents,
            names=tuple(names),
            unnamed=not names,
            marks=marks,
        )
        layer = spans.in_scopes(np.searchsorted(bounds, spans.start, side="right") - 1, bounds)
        reading = ReadInfo(HIPE.name, column=self._layout.named)
        return Annotation(corpus, {LINKS: layer}, {LINKS: reading}, self._source.name)

    def _tokens(self, lines: Lines) -> Ints:
        data = np.frombuffer(lines.data, dtype=np.uint8)
        rows = np.flatnonzero(lines.cells)
        rows = rows[data[lines.begins[rows]] != _HASH]
        start, end = lines.table(rows, 1).column(0)
        rows = rows[end > start]
        rows = rows[1:] if lines.first_line == 1 and len(rows) and rows[0] == 0 else rows
        for row in rows[lines.cells[rows] < self._layout.width].tolist():
            columns = counted(lines.cells[row], "column")
            finding = f"found {columns}, but {self._layout.named} are up to {self._layout.width}"
            self._source.report(lines.number(row), finding, "separate the columns with tabs", "columns")
        wide: Ints = rows[lines.cells[rows] >= self._layout.width]
        return wide

    def _documents(self, lines: Lines) -> tuple[Ints, list[str]]:
        data = np.frombuffer(lines.data, dtype=np.uint8)
        rows = np.flatnonzero(lines.cells)
        marks, names = [], []
        for row in rows[data[lines.begins[rows]] == _HASH].tolist():
            mark = _MARK.fullmatch(lines.text(row))
            if mark is not None:
                marks.append(row)
                names.append(self._names.once(mark[1].strip() or None, lines.number(row)))
        return ints(marks), names

    def _sentence_ends(self, lines: Lines, rows: Ints) -> Ints:
        """The tokens after which sentences end, if the table has them."""
        column = self._layout.notes
        if column is None or not len(rows) or (lines.cells[rows] <= column).any():
            return ints([])
        code = self._notes(Tokens(lines.data, *lines.table(rows, column + 1).column(column)))
        ends = np.array([SENTENCE_END in name.split("|") for name in self._notes.names], dtype=np.bool_)
        return np.flatnonzero(ends[code]) + 1


def _sentences(first: Ints, breaks: Ints, spans: Spans) -> tuple[Ints, Ints]:
    """Starts of sentences with the end of the last one, and the first sentence of each document.

    `first` are the first tokens of documents. Breaks inside spans and at ends of documents are ignored.
    """
    before = np.searchsorted(spans.start, breaks) - 1
    inside = (before >= 0) & (np.append(spans.end, 0)[before] > breaks)
    breaks = breaks[~inside & ~np.isin(breaks, first)]
    starts = np.concatenate((first[:-1], breaks))
    order = np.argsort(starts, kind="stable")
    return np.append(starts[order], first[-1]), np.flatnonzero(order < len(first) - 1)


class SpanDecoder:
    """Decodes cells of tags and identifiers to spans, batch by batch."""

    def __init__(self, vocabulary: Vocabulary, *, is_response: bool) -> None:
        """In a response, a different identifier begins another span."""
        self._vocabulary, self._is_response = vocabulary, is_response
        self._tags = StringCoder(str.upper)
        self._candidates: list[tuple[str, ...]] = []
        """Identifiers by code."""
        self._codes: dict[bytes, int] = {}
        """Codes of cells, in any case."""

    def spans(self, tags: Tokens, links: Tokens, tokens: Tokens, first: Ints) -> Spans:
        """Return the spans in one scope, counted from the first token; `first` are the first tokens of documents."""
        label, is_begin = self._labels(tags)
        link = self._link_codes(links)
        continues = ~is_begin & (label >= 0)
        continues[1:] &= label[1:] == label[:-1]
        continues[first[:-1][first[:-1] < len(label)]] = False
        if self._is_response:
            continues[1:] &= link[1:] == link[:-1]
        start = np.flatnonzero(((label >= 0) | (link >= 0)) & ~continues)
        ends = np.append(np.flatnonzero(~continues), len(label))
        end = ends[np.searchsorted(ends, start, side="right")]
        label = label[start]
        if (label < 0).any():
            label = np.where(label < 0, self._vocabulary.labels.code(NO_TYPE), label)
        extra = self._extras(link[start], start, end, tokens)
        nothing = np.zeros_like(start)
        return Spans(self._vocabulary, nothing, start, end, label, nothing, nothing, extra)

    def _labels(self, tags: Tokens) -> tuple[Ints, Bools]:
        """The label of each tag, -1 outside of spans, and whether it always begins a span."""
        label, is_begin = np.full(len(tags), -1), np.ones(len(tags), dtype=np.bool_)
        rows = _filled(tags)
        if len(rows):
            code, labels = self._tags(tags.take(rows)), self._vocabulary.labels
            names = self._tags.names
            label[rows] = ints([-1 if name in _OUTSIDE else labels.code(_type(name)) for name in names])[code]
            is_begin[rows] = np.array([not name.startswith(_CONTINUING) for name in names], dtype=np.bool_)[code]
        return label, is_begin

    def _link_codes(self, links: Tokens) -> Ints:
        """The codes of identifiers, regardless of case; -1 for none.

        Cells are looked up one by one, because few tokens have identifiers, and most of these differ.
        """
        rows, data, codes = _filled(links), links.data, self._codes
        link_codes = np.full(len(links), -1)
        bounds = zip(links.start[rows].tolist(), links.end[rows].tolist(), strict=True)
        cells = [data[start:end] for start, end in bounds]
        for cell in cells:
            if cell not in codes:
                codes[cell] = self._new_code(cell.decode().upper())
        link_codes[rows] = [codes[cell] for cell in cells]
        return link_codes

    def _new_code(self, cell: str) -> int:
        candidates = tuple(part.strip() for part in cell.split("|") if part.strip())
        if not candidates:
            return -1
        code = self._codes.setdefault(cell.encode(), len(self._candidates))
        if code == len(self._candidates):
            self._candidates.append(candidates)
        return code

    def _extras(self, link: Ints, start: Ints, end: Ints, tokens: Tokens) -> Ints:
        code = self._vocabulary.extras.code
        extras = np.zeros(len(start), dtype=np.int64)
        rows = np.flatnonzero(link >= 0)
        columns = (link[rows], tokens.start[start[rows]], tokens.end[end[rows] - 1], start[rows], end[rows])
        data, codes = tokens.data, list[int]()
        for number, begin, after, first, last in zip(*(column.tolist() for column in columns), strict=True):
            is_single = last - first == 1
            spelling = data[begin:after].decode() if is_single else SPELLING.join(tokens.texts(first, last))
            codes.append(code(Link(self._candidates[number], spelling)))
        extras[rows] = codes
        return extras


def _filled(cells: Tokens) -> Ints:
    """The cells with a tag or an identifier; most have none."""
    first = np.frombuffer(cells.data, dtype=np.uint8)[cells.start]
    is_short = (cells.lengths == 1) & ((first == ord("O")) | (first == ord("_")) | (first == ord("-")))
    return np.flatnonzero(~(is_short | (cells.lengths == 0)))


def _type(tag: str) -> str:
    """A tag without its prefix."""
    return tag[2:] if tag[1:2] == "-" and len(tag) > 2 else tag


HIPE = Format(
    "hipe",
    "HIPE tables: one token per line, with tags and links in named columns",
    readers={"links": Reader(read), "spans": Reader(read_spans)},
    writers={
        "links": Writer(
            Capabilities(characters=False, levels=False, depth=1, gaps=False),
            lazy("evenhand.formats.entity_links:write_hipe"),
        )
    },
    detection=Detection(b"T", confidence=is_hipe),
    contents=Contents(has_columns=True, traits=frozenset({RESPELLED})),
)
NELEVAL = Format(
    "neleval",
    "neleval tables: document, start, end, and identifier, score and type of candidates; one link per line",
    readers={"links": Reader(lazy("evenhand.formats.entity_links:read"))},
    writers={
        "links": Writer(
            Capabilities(tokens=False, text=False, levels=False, gaps=False),
            lazy("evenhand.formats.entity_links:write_neleval"),
        )
    },
    detection=Detection(pattern=_TWO_NUMBERS, confidence=is_neleval),
)
ELEVANT = Format(
    "elevant",
    "JSON lines of ELEVANT: a text with labels, or with mentions of entities and their candidates",
    readers={
        "links": Reader(lazy("evenhand.formats.entity_links:read_elevant"), partitioning=records(lambda line: None))
    },
    detection=Detection(b"{", confidence=is_elevant),
)
