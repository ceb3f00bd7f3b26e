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

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.names import LINKS, NO_TYPE, RESPELLED
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
from evenhand.settings import ColumnName, Columns, ReadSettings

# == formats/hipe_spans.py: The spans that the cells of a table of HIPE spell: where the


NOTHING = ("_", "-", "")
"""What stands for no tag and for no identifier."""
SPELLING = "\t"
"""What stands between the tokens of a span, as no token can have it."""
_OUTSIDE = ("O", *NOTHING)
_GOING_ON_HIPE_SPANS = ("I-", "E-")


class SpanCells:
    """Reads cells of tags and identifiers, batch by batch."""

    def __init__(self, vocabulary: Vocabulary, *, is_response: bool) -> None:
        """In a response, another identifier begins another span."""
        self._vocabulary, self._is_response = vocabulary, is_response
        self._tags = StringCoder(str.upper)
        self._candidates: list[tuple[str, ...]] = []
        """The identifiers of each code."""
        self._codes: dict[bytes, int] = {}
        self._places: dict[str, int] = {}

    def spans(self, tags: Tokens, links: Tokens, tokens: Tokens, first: Ints) -> Spans:
        """The spans in one scope, counted from the first token; `first` are the first tokens of documents."""
        label, is_begin = self._labels(tags)
        link = self._link_codes(links)
        goes_on = ~is_begin & (label >= 0)
        goes_on[1:] &= label[1:] == label[:-1]
        goes_on[first[:-1][first[:-1] < len(label)]] = False
        if self._is_response:
            goes_on[1:] &= link[1:] == link[:-1]
        start = np.flatnonzero(((label >= 0) | (link >= 0)) & ~goes_on)
        ends = np.append(np.flatnonzero(~goes_on), len(label))
        end = ends[np.searchsorted(ends, start, side="right")]
        label = label[start]
        if (label < 0).any():
            label = np.where(label < 0, self._vocabulary.labels.code(NO_TYPE), label)
        extra = self._extras(link[start], start, end, tokens)
        nothing = np.zeros_like(start)
        return Spans(self._vocabulary, nothing, start, end, label, nothing, nothing, extra)

    def _labels(self, tags: Tokens) -> tuple[Ints, Bools]:
        """The label of each tag, -1 outside of spans, and whether it begins a span in any case."""
        rows = _longer(tags)
        code = self._tags(tags.take(rows))
        labels, begins = self._kinds()
        label, is_begin = np.full(len(tags), -1), np.ones(len(tags), dtype=np.bool_)
        if len(rows):
            label[rows], is_begin[rows] = labels[code], begins[code]
        return label, is_begin

    def _link_codes(self, links: Tokens) -> Ints:
        """The codes of identifiers, the same for cells that differ in case only; -1 for none.

        Few tokens have some, and most of these cells differ, so that they are looked up one by one.
        """
        rows, data, codes = _longer(links), links.data, self._codes
        link_codes = np.full(len(links), -1)
        places = zip(links.start[rows].tolist(), links.end[rows].tolist(), strict=True)
        cells = [data[start:end] for start, end in places]
        for cell in cells:
            if cell not in codes:
                codes[cell] = self._code(cell.decode().upper())
        link_codes[rows] = [codes[cell] for cell in cells]
        return link_codes

    def _code(self, cell: str) -> int:
        """The code of a cell in capitals."""
        candidates = tuple(part.strip() for part in cell.split("|") if part.strip())
        if not candidates:
            return -1
        place = self._places.setdefault(cell, len(self._candidates))
        if place == len(self._candidates):
            self._candidates.append(candidates)
        return place

    def _kinds(self) -> tuple[Ints, Bools]:
        """For each tag so far its label, -1 outside of spans, and whether it begins a span in any case."""
        labels = self._vocabulary.labels
        label = ints([-1 if name in _OUTSIDE else labels.code(_type(name)) for name in self._tags.names])
        begins = np.array([not name.startswith(_GOING_ON_HIPE_SPANS) for name in self._tags.names], dtype=np.bool_)
        return label, begins

    def _extras(self, link: Ints, start: Ints, end: Ints, tokens: Tokens) -> Ints:
        """The codes of the links of spans."""
        code = self._vocabulary.extras.code
        found = np.zeros(len(start), dtype=np.int64)
        rows = np.flatnonzero(link >= 0)
        columns = (link[rows], tokens.start[start[rows]], tokens.end[end[rows] - 1], start[rows], end[rows])
        data, extras = tokens.data, list[int]()
        for each, begin, behind, first, last in zip(*(column.tolist() for column in columns), strict=True):
            single = last - first == 1
            spelled = data[begin:behind].decode() if single else SPELLING.join(tokens.texts(first, last))
            extras.append(code(Link(self._candidates[each], spelled)))
        found[rows] = extras
        return found


def _longer(cells: Tokens) -> Ints:
    """The cells that are not one of the short ones that stand for nothing, which most are."""
    text = np.frombuffer(cells.data, dtype=np.uint8)
    first = text[cells.start]
    is_short = (cells.lengths == 1) & ((first == ord("O")) | (first == ord("_")) | (first == ord("-")))
    return np.flatnonzero(~(is_short | (cells.lengths == 0)))


def _type(tag: str) -> str:
    """What stands behind the prefix of a tag."""
    return tag[2:] if tag[1:2] == "-" and len(tag) > 2 else tag


# == formats/link_formats.py: The formats of entity links: tables of HIPE and of neleval,


TAG_COLUMN, LINK_COLUMN = "NE-COARSE-LIT", "NEL-LIT"
"""The columns of a table of HIPE that are read, unless others are named."""
_HIPE = re.compile(rb"TOKEN\t[^\n]*\tNEL-LIT[\t\r\n]")
_ELEVANT = re.compile(
    rb'"(?:entity_mentions|labels)"\s*:\s*\[\s*\{[^\]]*?"span"\s*:|"entity_mentions"\s*:\s*(?:\[\s*\]|null)'
)
_NELEVAL = re.compile(rb"[^\t\n]+\t[0-9]{1,18}\t[0-9]{1,18}(?:\t[^\t\n]*\t-?[0-9.eE+-]*\t[^\t\n]*)+")
_TWO_NUMBERS = re.compile(rb"\t[0-9]+\t[0-9]")
"""What a line of neleval has, and few others."""


def is_hipe(sample: Block) -> float:
    """Whether the first line is the header of a table of HIPE."""
    return float(_HIPE.match(sample.data[: sample.size]) is not None)


def is_neleval(sample: Block) -> float:
    """The share of lines with a document, two numbers, and identifier, score and type of candidates."""
    if _TWO_NUMBERS.search(sample.data) is None:
        return 0.0
    lines = [line.rstrip(b"\r") for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    return sum(map(bool, map(_NELEVAL.fullmatch, lines))) / max(len(lines), 1)


def is_elevant(sample: Block) -> float:
    """Whether the first lines are objects whose labels or mentions have a span; a first article may have none."""
    lines = sample.data[: sample.size].lstrip()
    return float(lines.startswith(b"{") and _ELEVANT.search(lines) is not None)


HIPE = Format(
    "hipe",
    "tables of HIPE: a token a line, with tags and links in columns that have names",
    readers={
        "links": Reader(lazy("evenhand.formats.hipe:read")),
        "spans": Reader(lazy("evenhand.formats.hipe:read_spans")),
    },
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
    "tables of neleval: document, start, end, and identifier, score and type of candidates; a link a line",
    readers={"links": Reader(lazy("evenhand.formats.entity_links:read"))},
    writers={
        "links": Writer(
            Capabilities(tokens=False, text=False, levels=False, gaps=False),
            lazy("evenhand.formats.entity_links:write_neleval"),
        )
    },
    detection=Detection(confidence=is_neleval),
)
ELEVANT = Format(
    "elevant",
    "JSON lines of ELEVANT: a text with labels, or with mentions of entities and their candidates",
    readers={
        "links": Reader(lazy("evenhand.formats.entity_links:read_elevant"), partitioning=records(lambda line: None))
    },
    detection=Detection(b"{", confidence=is_elevant),
)


# == formats/hipe.py (primary)


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
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="table"):
        batch = reader.read(block)
        if batch is not None:
            yield batch


def read_spans(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The table as one batch, with the spans that its tags spell."""
    header = _header(source)
    places = {
        layer: [_column(source, header, name) for name in wanted or (TAG_COLUMN,)] for layer, wanted in columns.items()
    }
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
        source.display_name,
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
        remedy = f"name two, such as --column {TAG_COLUMN},{LINK_COLUMN}, or choose --task spans for the tags alone"
        raise source.error(1, f"found {len(named)} column, where tags and links are read", remedy)
    tags, links = (_column(source, header, name) for name in named or (TAG_COLUMN, LINK_COLUMN))
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
    raise source.error(1, f"column {name!r} does not exist", remedy)


class _Reader:
    """Reads blocks of whole documents; it knows the tags, links and documents of all blocks before."""

    def __init__(self, source: Source, layout: _Layout, vocabulary: Vocabulary, *, is_response: bool) -> None:
        self._source, self._layout = source, layout
        self._cells = SpanCells(vocabulary, is_response=is_response)
        self._notes = StringCoder()
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
