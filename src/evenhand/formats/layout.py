"""Tables of tokens: how the cells of a column file lie, what each line is, and the text and tags they make.

Every format with a token a line is a `Layout`: its columns, where the token is, and which lines are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.blocks import Cells, Lines, split
from evenhand.formats.source import Block, Source
from evenhand.formats.tag_column import TagColumn
from evenhand.formats.weight_column import WeightColumn
from evenhand.settings import ColumnName, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading, extra_layer
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags, Written
from evenhand.text.tokens import Tokens

DOCUMENT_START = "-DOCSTART-"
COLUMN_NAMES_OF_TOKENS = frozenset({"token", "tokens", "word", "words", "form"})
TRAILING = "empty cells at the ends of lines"
_DOCUMENT_COMMENT = re.compile(r"document_id\s*=|newdoc")
_SAMPLE = 1 << 14


@dataclass(frozen=True)
class Layout:
    """How the cells of a file lie."""

    tabs: bool
    columns: int
    first_line: int
    """The line whose columns were counted."""
    names: tuple[str, ...] = ()
    """What that line calls the columns, if it is a header."""
    token: int = 0
    hash_comments: bool = False
    """Whether every line that begins with # is a comment, whatever its columns."""

    def places(self, source: Source, columns: tuple[ColumnName, ...]) -> tuple[int, ...]:
        """A user's columns (1 is the first, -1 the last, or a name) as indexes."""
        return tuple(self._place(source, column) for column in columns)

    def _place(self, source: Source, column: ColumnName) -> int:
        if isinstance(column, str):
            if column in self.names:
                return self.names.index(column)
            found = f"this line names {', '.join(self.names)}" if self.names else "the file has no header line"
            raise source.error(self.first_line, f"there is no column {column!r}, {found}", "name another column")
        place = column - 1 if column > 0 else self.columns + column
        if not 0 <= place < self.columns:
            finding = f"there is no column {column}, this line has {_columns(self.columns)}"
            raise source.error(self.first_line, finding, "name another column")
        return place


@dataclass(frozen=True)
class Parsed:
    """A block by what its lines are: tokens, ends of sentences, and (among these) begins of documents."""

    first_line: int
    count: int
    tokens: Cells
    breaks: Ints
    documents: Ints
    trailing: int
    """How many lines had empty cells at their end that were dropped."""

    def tokens_before(self, lines: Ints) -> Ints:
        """How many tokens stand before each of these lines."""
        return np.searchsorted(self.tokens.lines, lines)

    def sentence_bounds(self) -> Ints:
        """Where sentences begin, in tokens, and where the last one ends."""
        only_tokens_and_breaks = len(self.tokens.lines) + len(self.breaks) == self.count
        before = (
            self.breaks - np.arange(len(self.breaks)) if only_tokens_and_breaks else self.tokens_before(self.breaks)
        )
        edges = np.zeros(len(self.tokens.lines) + 1, dtype=np.bool_)
        edges[before] = True
        edges[[0, -1]] = True
        return np.flatnonzero(edges)


class TableBatches(Iterator[Annotation]):
    """A file in batches of whole sentences; `places` are the columns of each layer, one a level.

    Without any layer it is text alone, and a single column is the tokens. This is no generator, so that what a batch
    was made from is let go before the next file has its turn: fifty systems are read side by side.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        layout: Layout,
        places: Mapping[str, tuple[int, ...]],
        settings: ReadSettings,
        vocabulary: Vocabulary,
    ) -> None:
        many = sum(map(len, places.values())) > 1
        self._name, self._source, self._layout = name, source, layout
        self._tags = None
        if settings.task == "tags":  # as they stand: they spell no spans
            (self._tags,), places = places["spans"], {}
            self._coder = vocabulary.columns["tags"]
        self._readers = {
            layer: [
                TagColumn(source, place, settings, vocabulary, _sample(source, layout), is_one_of_many=many)
                for place in columns
            ]
            for layer, columns in places.items()
        }
        self._extra = {
            extra_layer(column): (place, vocabulary.columns[extra_layer(column)])
            for column, place in zip(settings.extra, layout.places(source, settings.extra), strict=True)
        }
        self._weights = None
        if settings.weight is not None:
            self._weights = WeightColumn(source, *layout.places(source, (settings.weight,)))
        self._parsed = _parsed(source, layout, settings.block_size)
        self._new_document = True

    def __next__(self) -> Annotation:
        while True:
            batch = self._batch(next(self._parsed))
            if batch is not None:
                return batch

    def _batch(self, parsed: Parsed) -> Annotation | None:
        """What a block holds; nothing where it has no sentence."""
        has_tokens = self._layout.columns > 1 or (not self._readers and self._tags is None)
        corpus, self._new_document = _corpus(
            self._source, self._layout, parsed, self._new_document, has_tokens=has_tokens
        )
        if not corpus.sentences:
            return None
        if self._weights is not None:
            corpus = replace(corpus, weights=self._weights.read(parsed.tokens, corpus))
        layers: dict[str, Layer] = {}
        readings: dict[str, Reading] = {}
        skipped = {TRAILING: parsed.trailing} if parsed.trailing else {}
        for name, (place, coder) in self._extra.items():
            layers[name] = Written(Tokens(parsed.tokens.data, *parsed.tokens.column(place)), coder)
        if self._tags is not None:
            layers["tags"] = Written(Tokens(parsed.tokens.data, *parsed.tokens.column(self._tags)), self._coder)
            readings["words"] = Reading(self._name, column=str(self._tags + 1), skipped=skipped)
        for layer, columns in self._readers.items():
            tags, layers[layer], reading = _levels(columns, parsed.tokens, corpus)
            readings[layer] = replace(reading, format=self._name, skipped=skipped)
            stem = "tags" if layer == "spans" else f"{layer}-tags"
            for level, each in enumerate(tags, 1):
                layers[stem if len(tags) == 1 else f"{stem}-{level}"] = each
        return Annotation(corpus, layers, readings, self._source.name)


def rows_of(source: Source) -> Iterator[tuple[int, bool, list[str]]]:
    """The lines that are not blank: their number, whether they have tabs, their cells."""
    for block in source.blocks(_SAMPLE):
        yield from rows_of_block(block)


def rows_of_block(block: Block) -> Iterator[tuple[int, bool, list[str]]]:
    for number, line in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
        line = line.rstrip(" \r")
        tabs = "\t" in line
        cells = line.split("\t") if tabs else line.split()
        if any(cells):
            yield number, tabs, cells


def _sample(source: Source, layout: Layout) -> Iterator[tuple[Cells, Corpus]]:
    for parsed in _parsed(source, layout, _SAMPLE):
        yield parsed.tokens, _corpus(source, layout, parsed, True, has_tokens=False)[0]


def _levels(columns: list[TagColumn], cells: Cells, corpus: Corpus) -> tuple[list[Tags], Spans, Reading]:
    """The tags of one or several columns and their spans, each column on levels of its own behind the one before."""
    found = [column.read(cells, corpus) for column in columns]
    tags = [each for each, _, _ in found]
    if len(found) == 1:
        return tags, *found[0][1:]
    parts, level = [], 0
    for column, (_, spans, _) in zip(columns, found, strict=True):
        parts.append(replace(spans, level=spans.level + level))
        level += column.levels
    joined = Spans.concatenate(parts, [0] * len(parts))
    reading = found[0][2]
    for _, _, other in found[1:]:
        reading = replace(reading.plus(other), column=f"{reading.column}+{other.column}")
    return tags, joined.take(np.lexsort((joined.level, joined.start, joined.scope))), reading


def _parsed(source: Source, layout: Layout, size: int) -> Iterator[Parsed]:
    for block in source.blocks(size):
        yield _classify(source, layout, split(block, tabs=layout.tabs))


def _classify(source: Source, layout: Layout, lines: Lines) -> Parsed:
    """What each line of a block is; a line that is nothing is a problem."""
    is_token, is_break = lines.cells == layout.columns, lines.cells == 0
    documents, trailing = list[int](), 0
    if np.count_nonzero(is_token) + np.count_nonzero(is_break) < len(lines.cells):
        odd = np.flatnonzero(~(is_token | is_break))
        documents, shortened, hashes = _odd_lines(source, layout, lines, odd.tolist())
        is_token[shortened], trailing = True, len(shortened)
        is_break[hashes] |= layout.hash_comments
    if layout.names and 0 <= layout.first_line - lines.first_line < len(is_token):
        is_token[layout.first_line - lines.first_line] = False
    tokens = lines.table(np.flatnonzero(is_token), layout.columns)
    marks, comments = _document_starts(tokens), _hash_lines(tokens) if layout.hash_comments else ints([])
    if len(marks) or len(comments):
        documents += tokens.lines[marks].tolist()
        is_break[tokens.lines[comments]] = True
        tokens = lines.table(np.delete(tokens.lines, np.concatenate((marks, comments))), layout.columns)
    is_break[documents] = True
    breaks = np.flatnonzero(is_break)
    return Parsed(lines.first_line, len(lines.cells), tokens, breaks, ints(sorted(documents)), trailing)


def _odd_lines(source: Source, layout: Layout, lines: Lines, odd: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Of the lines with another number of cells, those that begin documents, are tokens nevertheless, or comments.

    The others are problems.
    """
    documents, shortened, comments = [], [], []
    for line in odd:
        text = lines.text(line)
        if text.startswith(DOCUMENT_START) or (text.startswith("#") and _DOCUMENT_COMMENT.search(text)):
            documents.append(line)
        elif text.startswith("#"):
            comments.append(line)
        elif lines.drop_empty_end(line, layout.columns):
            shortened.append(line)
        else:
            finding = f"found {_columns(int(lines.cells[line]))} where line {layout.first_line} has {layout.columns}"
            remedy = "mend the line, or begin it with # if it is a comment"
            source.report(lines.number(line), finding, remedy, "columns")
    return documents, shortened, comments


def _document_starts(tokens: Cells) -> Ints:
    """Which tokens are marks of documents."""
    if tokens.data.find(DOCUMENT_START.encode()) < 0:
        return ints([])
    start, end = tokens.column(0)
    maybe = np.flatnonzero(end - start == len(DOCUMENT_START))
    hyphen = maybe[np.frombuffer(tokens.data, dtype=np.uint8)[start[maybe]] == ord("-")]
    return ints([row for row in hyphen.tolist() if tokens.text(0, row) == DOCUMENT_START])


def _hash_lines(tokens: Cells) -> Ints:
    return np.flatnonzero(np.frombuffer(tokens.data, dtype=np.uint8)[tokens.column(0)[0]] == ord("#"))


def _columns(count: int) -> str:
    return f"{count} column" if count == 1 else f"{count} columns"


def _corpus(
    source: Source, layout: Layout, parsed: Parsed, new_document: bool, *, has_tokens: bool
) -> tuple[Corpus, bool]:
    """The text of a block, and whether what follows begins a document."""
    tokens = parsed.tokens
    bounds = parsed.sentence_bounds()
    sentences = len(bounds) - 1
    begin = np.unique(np.searchsorted(bounds, parsed.tokens_before(parsed.documents)))
    corpus = Corpus(
        source=source.shown,
        sentences=sentences,
        bounds=bounds,
        tokens=_tokens(tokens, layout) if has_tokens else None,
        lines=tokens.lines,
        first_line=parsed.first_line,
        documents=np.append(0, begin[(begin > 0) & (begin < sentences)]),
        continues=not (new_document or 0 in begin),
    )
    return corpus, sentences in begin or (new_document and not sentences)


def _tokens(cells: Cells, layout: Layout) -> Tokens:
    """The tokens; in a file with a header, four quotation marks are one, as CSV writers quote it."""
    start, end = cells.column(layout.token)
    if layout.names:
        maybe = np.flatnonzero(end - start == 4)
        maybe = maybe[np.frombuffer(cells.data, dtype=np.uint8)[start[maybe]] == ord('"')]
        quoted = ints([row for row in maybe.tolist() if cells.text(layout.token, row) == '""""'])
        start, end = start.copy(), end.copy()
        start[quoted] += 1
        end[quoted] = start[quoted] + 1
    return Tokens(cells.data, start, end)
