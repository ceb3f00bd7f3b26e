"""CoNLL-style column files: one token a line, a blank line between sentences, tags in one of the columns.

The number of columns is that of the first line with a token. A line that begins with `#` and has another number of
columns is a comment; a line that begins with `-DOCSTART-` begins a document. One column means tags without tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.blocks import Cells, Lines, split
from evenhand.formats.source import Block, Source
from evenhand.formats.tag_column import TagColumn
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import Tokens

NAME = "conll"
DOCUMENT_START = "-DOCSTART-"
_SAMPLE = 1 << 14


@dataclass(frozen=True)
class Layout:
    """How the cells of a file lie."""

    tabs: bool
    columns: int
    first_line: int
    """The line that was counted."""

    def place(self, source: Source, column: int) -> int:
        """A user's column (1 is the first, -1 the last) as an index."""
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


def recognise(sample: Block) -> bool:
    """Any text can be a column file: this format is asked last."""
    return True


def batches(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Mapping[str, int]
) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of spans for each of `columns` (as users count them)."""
    layout = _layout(source)
    readers = {layer: _tag_column(source, layout, settings, vocabulary, column) for layer, column in columns.items()}
    new_document = True
    for parsed in _parsed(source, layout, settings.block_size):
        corpus, next_is_new = _corpus(source, parsed, new_document)
        if corpus.sentences:
            layers: dict[str, Spans | Tags] = {}
            readings: dict[str, Reading] = {}
            for layer, reader in readers.items():
                tags, layers[layer], readings[layer] = reader.read(parsed.tokens, corpus)
                layers["tags" if layer == "spans" else f"{layer}-tags"] = tags
            yield Annotation(corpus, layers, readings, source.path.stem)
        new_document = next_is_new


def _layout(source: Source) -> Layout:
    """Separator and number of columns, from the first line with a token."""
    comment = None
    for block in source.blocks(_SAMPLE):
        for number, line in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
            line = line.rstrip(" \r")
            tabs = "\t" in line
            cells = line.split("\t") if tabs else line.split()
            if not any(cells) or line.startswith(DOCUMENT_START):
                continue
            layout = Layout(tabs, len(cells), number)
            if not line.startswith("#"):
                return layout
            comment = comment or layout
    if comment is None:
        raise source.error(None, "the file has no tokens", "check how it was written")
    return comment


def _tag_column(
    source: Source, layout: Layout, settings: ReadSettings, vocabulary: Vocabulary, column: int
) -> TagColumn:
    place = layout.place(source, column)
    parts = _parsed(source, layout, _SAMPLE)
    sample = ((each.tokens, _corpus(source, each, True)[0]) for each in parts)
    return TagColumn(source, place, settings, vocabulary, sample)


def _parsed(source: Source, layout: Layout, size: int) -> Iterator[Parsed]:
    for block in source.blocks(size):
        yield _classify(source, layout, split(block, tabs=layout.tabs))


def _classify(source: Source, layout: Layout, lines: Lines) -> Parsed:
    """What each line of a block is; a line that is nothing is an error."""
    is_token, is_break = lines.cells == layout.columns, lines.cells == 0
    documents = []
    odd = len(lines.cells) - np.count_nonzero(is_token) - np.count_nonzero(is_break)
    for line in np.flatnonzero(~(is_token | is_break)).tolist() if odd else ():
        text = lines.text(line)
        if text.startswith(DOCUMENT_START):
            documents.append(line)
        elif not text.startswith("#"):
            finding = f"found {_columns(int(lines.cells[line]))} where line {layout.first_line} has {layout.columns}"
            raise source.error(lines.number(line), finding, "mend the line, or begin it with # if it is a comment")
    tokens = lines.table(np.flatnonzero(is_token), layout.columns)
    marks = _document_starts(tokens)
    if len(marks):
        documents += tokens.lines[marks].tolist()
        tokens = lines.table(np.delete(tokens.lines, marks), layout.columns)
    is_break[documents] = True
    return Parsed(lines.first_line, len(lines.cells), tokens, np.flatnonzero(is_break), ints(sorted(documents)))


def _document_starts(tokens: Cells) -> Ints:
    """Which tokens are marks of documents."""
    start, end = tokens.column(0)
    maybe = np.flatnonzero(end - start == len(DOCUMENT_START))
    hyphen = maybe[np.frombuffer(tokens.data, dtype=np.uint8)[start[maybe]] == ord("-")]
    return ints([row for row in hyphen.tolist() if tokens.text(0, row) == DOCUMENT_START])


def _columns(count: int) -> str:
    return f"{count} column" if count == 1 else f"{count} columns"


def _corpus(source: Source, parsed: Parsed, new_document: bool) -> tuple[Corpus, bool]:
    """The text of a block, and whether what follows begins a document."""
    tokens = parsed.tokens
    bounds = parsed.sentence_bounds()
    sentences = len(bounds) - 1
    begin = np.unique(np.searchsorted(bounds, parsed.tokens_before(parsed.documents)))
    corpus = Corpus(
        source=source.shown,
        sentences=sentences,
        bounds=bounds,
        tokens=Tokens(tokens.data, *tokens.column(0)) if tokens.columns > 1 else None,
        lines=tokens.lines,
        first_line=parsed.first_line,
        documents=np.append(0, begin[(begin > 0) & (begin < sentences)]),
        continues=not (new_document or 0 in begin),
    )
    return corpus, sentences in begin or (new_document and not sentences)
