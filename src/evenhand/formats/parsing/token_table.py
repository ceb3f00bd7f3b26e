"""Tables of tokens: how the cells of a column file lie, what each line is, and the text and tags they make.

Every format with a token a line is a `Layout`: its columns, where the token is, and which lines are comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import dropwhile, islice
from math import isfinite
from typing import Literal

import numpy as np

from evenhand.arrays import (
    BitRank,
    BitSearch,
    Bools,
    Bytes,
    Ints,
    Values,
    bit_positions,
    bits_ahead,
    bits_equal,
    bits_where,
    distinct,
    ints,
    ranges,
    windows,
    zeros,
)
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS, doubt, parse
from evenhand.data.layers import FEATURES, FeatureSets, Spans, Tags
from evenhand.data.layers import TagColumn as TagColumnLayers
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import CellCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import COLUMNS, LimitError, counted
from evenhand.formats.parsing.cells import (
    CARRIAGE_RETURN,
    SPACE,
    TAB,
    Cells,
    Grid,
    Lines,
    grid,
    is_wide,
    refuse_wide,
    split,
)
from evenhand.formats.parsing.tags import Coded, TagReader, choose_encoding, joined
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.settings import ColumnName, ReadSettings

# == formats/parsing/token_lines.py: What the lines of a block are: tokens, ends of sentences, be


DOCUMENT_START = "-DOCSTART-"
_DOCUMENT_START_HEAD = np.frombuffer(DOCUMENT_START.encode()[:8], dtype="<u8")
_DOCUMENT_START_TAIL = np.frombuffer(DOCUMENT_START.encode()[-8:], dtype="<u8")
_DOCUMENT_COMMENT = re.compile(r"document_id\s*=|newdoc")
_DOCUMENT_WORDS = (b"document_id", b"newdoc")
_COMMENT = re.compile(
    r"# +(?:newdoc|newpar)\b.*"  # CoNLL-U
    r"|# +[\w.:#-]+(?:[ \t]*=.*|:(?:[ \t].*)?)"  # key = value, key: value
    r"|# +(?:id|ids|sent|sent_id|sentence|sentences?|text|doc|doc_id|document|document_id|par|paragraph|source|url|"
    r"title|meta|metadata|domain|language|lang|corpus|file|filename|comment|split|global\.columns)\b(?:[ \t].*)?"
    r"|#(?:begin|end)[ \t]+document\b.*",
    re.IGNORECASE,
)
"""A comment, even if it has as many cells as a line with a token."""
_MAY_FOLLOW = np.isin(np.arange(256), list(b" bBeE"))
"""The bytes after # with which such a comment may begin."""


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
    empty: int = 0
    """How many columns at the end are empty, and count as none."""

    def places(self, source: Source, columns: tuple[ColumnName, ...]) -> tuple[int, ...]:
        """A user's columns (1 is the first, -1 the last, or a name) as indexes."""
        return tuple(self._place(source, column) for column in columns)

    def _place(self, source: Source, column: ColumnName) -> int:
        if isinstance(column, str):
            if column in self.names:
                return self.names.index(column)
            found = f"this line names {', '.join(self.names)}" if self.names else "the file has no header line"
            raise source.error(self.first_line, f"there is no column {column!r}, {found}", "name another column")
        place = column - 1 if column > 0 else self.filled + column
        if not 0 <= place < self.columns:
            finding = f"there is no column {column}, this line has {_columns(self.columns)}"
            raise source.error(self.first_line, finding, "name another column")
        return place

    @property
    def filled(self) -> int:
        """How many columns there are that are not empty in all lines."""
        return self.columns - self.empty

    def has_header(self, first: int, count: int) -> bool:
        """Whether the line with the names is one of so many, from the line `first` on."""
        return bool(self.names) and 0 <= self.first_line - first < count


@dataclass(frozen=True)
class Parsed:
    """A block by what its lines are."""

    first_line: int
    tokens: Cells
    """The lines with a token."""
    bounds: Ints
    """Where sentences begin, in tokens, and where the last one ends."""
    documents: Ints
    """How many tokens stand before each begin of a document."""
    trailing: int = 0
    """How many lines had empty cells at their end that were dropped."""


def parsed(layout: Layout, source: Source, blocks: Iterator[Block]) -> Iterator[Parsed]:
    """The blocks of a file by what their lines are."""
    for block in blocks:
        yield _regular(layout, block) or _classify(source, layout, split(block, tabs=layout.tabs))


def _regular(layout: Layout, block: Block) -> Parsed | None:
    """A block that has nothing but tokens, blank lines, comments and marks of documents; None for others."""
    found = _grid(layout, block)
    if found is None or (layout.hash_comments and len(_hash_lines(found))):
        return None
    marks = left_out = _document_starts(found)
    if layout.has_header(block.first_line, block.lines):
        left_out = np.sort(np.append(marks, _header(layout, block, found)))
    found = found.without(left_out) if len(left_out) else found
    return Parsed(block.first_line, found, found.bounds, marks - np.searchsorted(left_out, marks))


def _grid(layout: Layout, block: Block) -> Grid | None:
    """The cells of a block, if all lines but blank ones and comments are written alike."""
    has_hash = b"#" in block.data
    # Blocks begin as their sentences do, so that most of those with comments are not tried as they are.
    has_comments = has_hash and (layout.hash_comments or block.data.startswith(b"#"))
    found = None if has_comments else grid(block, layout.columns, tabs=layout.tabs)
    if found is not None and has_hash and len(_comment_rows(found)):
        found = None
    if found is None and has_hash:
        comments = _comments(layout, block)
        found = None if comments is None else grid(block, layout.columns, tabs=layout.tabs, comments=comments)
    return found


def _header(layout: Layout, block: Block, found: Grid) -> int:
    """The row with the names of the columns."""
    begin = 0
    for _ in range(layout.first_line - block.first_line):
        begin = block.data.index(b"\n", begin) + 1
    return int(np.searchsorted(found.column(0)[0], begin))


def is_comment(line: str) -> bool:
    """Whether a line with as many cells as others is a comment: `# newdoc`, `# key = value`, `# id 7f domain=en`.

    The token `#` with a tag is not.
    """
    if _COMMENT.fullmatch(line) is None:
        return False
    last = line.split()[-1]
    return "=" in line or (last not in OUTSIDE_TAGS and parse(last) is None)


@lru_cache(maxsize=1 << 10)
def _is_comment(line: bytes) -> bool:
    """The same for bytes; tokens that begin with # are often repeated."""
    return is_comment(line.decode().rstrip("\r"))


def _comments(layout: Layout, block: Block) -> Ints | None:
    """The places of all bytes of comments; None if one of them may begin a document.

    Where # may begin a token, comments do not end sentences, as blank lines do: None if one is not before a sentence.
    """
    text = np.frombuffer(block.data, dtype=np.uint8)
    begin = bit_positions(bits_equal(text, ord("#")))
    begin = begin[(begin == 0) | (text[begin - 1] == LINE_FEED)]
    end = BitSearch(bits_equal(text, LINE_FEED)).following(begin, [0])[0]
    if not layout.hash_comments:
        is_kept = _cells(text, begin, end, tabs=layout.tabs) != layout.columns
        for row in np.flatnonzero(~is_kept & _MAY_FOLLOW[text[begin + 1]]).tolist():
            is_kept[row] = _is_comment(block.data[begin[row] : end[row]])
        rows = np.flatnonzero(is_kept)
        begin, end = begin[rows], end[rows]
        before = text[begin - 2 - (text[begin - 2] == CARRIAGE_RETURN)]  # a line feed, if the line above is blank
        is_first = (before == LINE_FEED) | (begin == 0)
        if not (is_first | np.append(False, begin[1:] == end[:-1] + 1)[: len(begin)]).all():
            return None
    comments = ranges(begin, end - begin)
    written = text[comments].tobytes()
    return None if any(word in written for word in _DOCUMENT_WORDS) else comments


def _cells(text: Bytes, begin: Ints, end: Ints, *, tabs: bool) -> Ints:
    """How many cells some lines have; control characters count as blanks, as a block with any is no matrix of cells."""
    blanks = bits_where(text, lambda some: some <= SPACE)
    last = BitRank.of(bits_equal(text, TAB) if tabs else ~blanks & bits_ahead(blanks, 1))
    return last(end) - last(begin) + tabs


def _classify(source: Source, layout: Layout, lines: Lines) -> Parsed:
    """What each line of a block is; a line that is nothing is a problem."""
    is_token, is_break = lines.cells == layout.columns, lines.cells == 0
    documents, trailing = list[int](), 0
    if b"#" in lines.data and not layout.hash_comments:
        whole = np.flatnonzero(is_token)
        maybe = whole[_may_be_comments(lines.data, lines.begins[whole])]
        is_token[[line for line in maybe.tolist() if is_comment(lines.text(line))]] = False
    if np.count_nonzero(is_token) + np.count_nonzero(is_break) < len(lines.cells):
        odd = np.flatnonzero(~(is_token | is_break))
        is_hash = np.frombuffer(lines.data, dtype=np.uint8)[lines.begins[odd]] == ord("#")
        documents, shortened = _odd_lines(source, layout, lines, odd[~is_hash].tolist())
        documents += _document_comments(lines, odd[is_hash].tolist())
        is_token[shortened], trailing = True, len(shortened)
        is_break[odd[is_hash]] |= layout.hash_comments
    if layout.has_header(lines.first_line, len(is_token)):
        is_token[layout.first_line - lines.first_line] = False
    tokens = lines.table(np.flatnonzero(is_token), layout.columns)
    marks, comments = _document_starts(tokens), _hash_lines(tokens) if layout.hash_comments else ints([])
    if len(marks) or len(comments):
        documents += tokens.lines[marks].tolist()
        is_break[tokens.lines[comments]] = True
        tokens = lines.table(np.delete(tokens.lines, np.concatenate((marks, comments))), layout.columns)
    is_break[documents] = True
    bounds = _bounds(tokens.lines, np.flatnonzero(is_break), len(is_break))
    return Parsed(lines.first_line, tokens, bounds, np.searchsorted(tokens.lines, sorted(documents)), trailing)


def _bounds(tokens: Ints, breaks: Ints, lines: int) -> Ints:
    """Where sentences begin, in tokens, and where the last one ends."""
    only_tokens_and_breaks = len(tokens) + len(breaks) == lines
    before = breaks - np.arange(len(breaks)) if only_tokens_and_breaks else np.searchsorted(tokens, breaks)
    edges = np.zeros(len(tokens) + 1, dtype=np.bool_)
    edges[before] = True
    edges[[0, -1]] = True
    return np.flatnonzero(edges)


def _document_comments(lines: Lines, comments: list[int]) -> list[int]:
    """Which comments begin documents."""
    if not any(word in lines.data for word in _DOCUMENT_WORDS):
        return []
    return [line for line in comments if _DOCUMENT_COMMENT.search(lines.text(line))]


def _odd_lines(source: Source, layout: Layout, lines: Lines, odd: list[int]) -> tuple[list[int], list[int]]:
    """Of lines with another number of cells, those that begin documents, and those that are tokens nevertheless.

    The others are problems.
    """
    documents, shortened = [], []
    for line in odd:
        text = lines.text(line)
        if text.startswith(DOCUMENT_START):
            documents.append(line)
        elif lines.drop_empty_end(line, layout.columns):
            shortened.append(line)
        else:
            finding = f"found {_columns(int(lines.cells[line]))} where line {layout.first_line} has {layout.columns}"
            remedy = "mend the line, or begin it with # if it is a comment"
            source.report(lines.number(line), finding, remedy, "columns")
    return documents, shortened


def _document_starts(tokens: Cells) -> Ints:
    """Which tokens are marks of documents."""
    mark = DOCUMENT_START.encode()
    if tokens.columns == 1 and not (all(byte in tokens.data for byte in mark) and mark in tokens.data):
        return ints([])  # of other columns, somebody asks for the first bytes anyway
    cells = tokens.tokens(0)
    maybe = np.flatnonzero(cells.heads == _DOCUMENT_START_HEAD)
    if not len(maybe):
        return maybe
    start, end = cells.start[maybe], cells.end[maybe]
    plain = (end - start == len(DOCUMENT_START)) & (windows(cells.data)[end - 8] == _DOCUMENT_START_TAIL)
    named = [row for row in maybe[~plain].tolist() if is_document_mark(cells[row])]
    return np.sort(np.append(maybe[plain], ints(named)))


def is_document_mark(cell: str) -> bool:
    """Whether a first cell begins a document: `-DOCSTART-`, or the same with a name in brackets behind it."""
    named = cell.startswith(DOCUMENT_START + "(") and cell.endswith(")")
    return cell == DOCUMENT_START or named


def _comment_rows(tokens: Grid) -> Ints:
    """Which lines of a matrix of cells are comments that have as many cells as the others."""
    begins = tokens.column(0)[0]
    rows = np.flatnonzero(_may_be_comments(tokens.data, begins))
    if not len(rows):
        return rows
    ends = tokens.column(tokens.columns - 1)[1]
    return ints([row for row in rows.tolist() if _is_comment(tokens.data[begins[row] : ends[row]])])


def _may_be_comments(data: bytes, begins: Ints) -> Bools:
    """Which lines begin with # and what may follow it in a comment; most tokens that begin with # do not."""
    text = np.frombuffer(data, dtype=np.uint8)
    comments: Bools = text[begins] == ord("#")
    rows = np.flatnonzero(comments)
    comments[rows] = _MAY_FOLLOW[text[begins[rows] + 1]]
    return comments


def _hash_lines(tokens: Cells) -> Ints:
    return np.flatnonzero(np.frombuffer(tokens.data, dtype=np.uint8)[tokens.column(0)[0]] == ord("#"))


def _columns(count: int) -> str:
    return counted(count, "column")


# == formats/parsing/tag_column.py: One column of tags, coded cell by cell.


Sample = Iterator[tuple[Cells, Corpus]]
"""The first tokens of a file, block by block: their cells, and the text they make."""


class TagColumn:
    """Reads the tags of one column, batch by batch."""

    def __init__(
        self,
        source: Source,
        place: int,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        sample: Sample,
        *,
        is_one_of_many: bool = False,
        elsewhere: Callable[[], str] = str,
    ) -> None:
        """`elsewhere` says where other tags are, for those who did not mean these."""
        self._place = place
        parts = (_coded(CellCodes(), cells, place, corpus) for cells, corpus in sample)
        where = f" in column {place + 1}"
        self.encoding = choose_encoding(source, settings, parts, where=where, remedy=elsewhere)
        self._codes = CellCodes()
        self._reader = TagReader(source, settings, vocabulary, self.encoding, where if is_one_of_many else "")

    @property
    def levels(self) -> int:
        """How many levels the tags met so far have."""
        return self._reader.levels

    def read(self, cells: Cells, corpus: Corpus) -> tuple[Tags, Spans, ReadInfo]:
        """The tags of these tokens, the spans they spell, and what was repaired."""
        tags, spans, reading = self._reader.read(_coded(self._codes, cells, self._place, corpus))
        return tags, spans, replace(reading, column=str(self._place + 1))


def _coded(codes: CellCodes, cells: Cells, place: int, corpus: Corpus) -> Coded:
    start, end = cells.column(place)
    try:
        code, new = codes.mostly(cells.data, start, end)
    except LimitError as error:
        raise error.on_line(corpus.first_line, cells.data) from None
    return Coded([cells.data[start[row] : end[row]].decode() for row in new], code, corpus)


# == formats/parsing/weight_column.py: A column of numbers that say what tokens weigh.


class WeightColumn:
    """Reads the weights of one column, batch by batch; each spelling is looked at once."""

    def __init__(self, source: Source, place: int) -> None:
        self._source, self._place = source, place
        self._codes = CellCodes()
        self._numbers: list[float] = []

    def read(self, cells: Cells, corpus: Corpus) -> Values:
        codes, new = self._codes(cells.data, *cells.column(self._place))
        for row in new:
            self._numbers.append(self._number(cells.text(self._place, row), corpus.line(row)))
        return np.array(self._numbers, dtype=np.float64)[codes]

    def _number(self, text: str, line: int | None) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            finding = f"the weight {text!r} in column {self._place + 1} is no number of 0 or more"
            self._source.report(line, finding, "mend it, or name another column", "weight")
            return 0.0
        return number


# == formats/parsing/layout.py (primary)


TRAILING = "empty cells at the ends of lines"
_SAMPLE = 1 << 14
_BLOCKS = 4
"""How many times larger than elsewhere blocks are, unless lines are as short as a tag: more of them share a call."""


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
        elsewhere: Callable[[], str] = str,
    ) -> None:
        """`elsewhere` says where other tags are, for those who did not mean these."""
        many = sum(map(len, places.values())) > 1
        self._name, self._source, self._layout = name, source, layout
        self._tags = None
        if settings.task == "tags":  # as they stand: they spell no spans
            if len(places["spans"]) != 1:
                finding = f"there are {len(places['spans'])} columns of tags, where a task of tags has one"
                raise source.error(None, finding, "name it with --column")
            (self._tags,), places = places["spans"], {}
            self._written = FeatureSets if settings.columns == (FEATURES,) else TagColumnLayers
            self._coder = vocabulary.columns["tags"]
        self._readers: dict[str, list[TagColumn]] = {}
        for layer, columns in places.items():
            gold = self._readers.get("gold")
            read_as = settings.of_layer(layer, gold[0].encoding.name if gold else None)
            self._readers[layer] = [
                TagColumn(
                    source,
                    place,
                    read_as,
                    vocabulary,
                    _sample(source, layout),
                    is_one_of_many=many,
                    elsewhere=elsewhere,
                )
                for place in columns
            ]
        self._extra = {
            extra_layer(column): (place, vocabulary.columns[extra_layer(column)])
            for column, place in zip(settings.extra, layout.places(source, settings.extra), strict=True)
        }
        self._weights = None
        if settings.weight is not None:
            self._weights = WeightColumn(source, *layout.places(source, (settings.weight,)))
        size = settings.block_size * (1 if layout.columns == 1 else _BLOCKS)
        self._parsed = parsed(layout, source, source.blocks(size))
        self._new_document = not source.begins_inside

    def __next__(self) -> Annotation:
        while True:
            batch = self._batch(next(self._parsed))
            if batch is not None:
                return batch

    def _batch(self, block: Parsed) -> Annotation | None:
        """What a block holds; nothing where it has no sentence."""
        has_tokens = self._layout.columns > 1 or (not self._readers and self._tags is None)
        corpus, self._new_document = _corpus(
            self._source, self._layout, block, self._new_document, has_tokens=has_tokens
        )
        if not corpus.sentences:
            return None
        if self._weights is not None:
            corpus = replace(corpus, weights=self._weights.read(block.tokens, corpus))
        layers: dict[str, Layer] = {}
        readings: dict[str, ReadInfo] = {}
        skipped = {TRAILING: block.trailing} if block.trailing else {}
        for name, (place, coder) in self._extra.items():
            layers[name] = TagColumnLayers(block.tokens.tokens(place), coder)
        if self._tags is not None:
            layers["tags"] = self._written(block.tokens.tokens(self._tags), self._coder)
            readings["words"] = ReadInfo(self._name, column=str(self._tags + 1), skipped=skipped)
        for layer, columns in self._readers.items():
            tags, layers[layer], reading = _levels(columns, block.tokens, corpus)
            readings[layer] = replace(reading, format=self._name, skipped=skipped)
            stem = "tags" if layer == "spans" else f"{layer}-tags"
            for level, tag in enumerate(tags, 1):
                layers[stem if len(tags) == 1 else f"{stem}-{level}"] = tag
        return Annotation(corpus, layers, readings, self._source.name)


def _sample(source: Source, layout: Layout) -> Iterator[tuple[Cells, Corpus]]:
    for block in parsed(layout, source, source.first_blocks(_SAMPLE)):
        yield block.tokens, _corpus(source, layout, block, True, has_tokens=False)[0]


def _levels(columns: list[TagColumn], cells: Cells, corpus: Corpus) -> tuple[list[Tags], Spans, ReadInfo]:
    """The tags of one or several columns, and their spans."""
    found = [column.read(cells, corpus) for column in columns]
    _, spans, reading = joined(found, [column.levels for column in columns])
    return [tags for tags, _, _ in found], spans, reading


def _corpus(
    source: Source, layout: Layout, block: Parsed, new_document: bool, *, has_tokens: bool
) -> tuple[Corpus, bool]:
    """The text of a block, and whether what follows begins a document."""
    tokens, bounds = block.tokens, block.bounds
    sentences = len(bounds) - 1
    begin = distinct(np.searchsorted(bounds, block.documents)) if len(block.documents) else block.documents
    corpus = Corpus(
        source=source.display_name,
        sentences=sentences,
        bounds=bounds,
        tokens=_tokens(tokens, layout) if has_tokens else None,
        lines=tokens.lines,
        first_line=block.first_line,
        documents=np.append(0, begin[(begin > 0) & (begin < sentences)]) if len(begin) else zeros(1),
        continues=not (new_document or 0 in begin),
    )
    return corpus, sentences in begin or (new_document and not sentences)


def _tokens(cells: Cells, layout: Layout) -> Tokens:
    """The tokens; in a file with a header, four quotation marks are one, as CSV writers quote it."""
    if not layout.names:
        return cells.tokens(layout.token)
    start, end = (column.copy() for column in cells.column(layout.token))
    maybe = np.flatnonzero(end - start == 4)
    maybe = maybe[np.frombuffer(cells.data, dtype=np.uint8)[start[maybe]] == ord('"')]
    quoted = ints([row for row in maybe.tolist() if cells.text(layout.token, row) == '""""'])
    start[quoted] += 1
    end[quoted] = start[quoted] + 1
    return Tokens(cells.data, start, end)


# == formats/parsing/table_head.py: What the first lines of a column file show: separator, numbe


Kind = Literal["tags", "chunks", "outside", "empty", "numbers", "identifiers", "features", "lemmas", "labels", "words"]
"""Tags have prefixes (those of chunks aside), labels have none; words are all other values, such as POS."""
_SAMPLE_TABLE_HEAD = 1 << 12
ROWS = 200
"""How many lines are looked at."""
TOKEN_NAMES = frozenset(
    {
        *("token", "tokens", "tok", "word", "words", "form", "forms", "wordform", "surface"),
        *("wort", "mot", "palabra", "palavra", "parola", "woord", "ord", "słowo", "слово", "token_text"),
    }
)
_NAMES = TOKEN_NAMES | {
    *("id", "ids", "index", "number", "sentence", "sent", "doc", "document", "text", "lemma", "head", "deprel"),
    *("pos", "upos", "xpos", "feats", "chunk", "chunks", "tag", "tags", "label", "labels", "ner", "ne", "nel"),
    *("entity", "entities", "iob", "bio", "gold", "true", "pred", "predicted", "prediction", "system", "misc"),
    *("weight", "weights", "probability", "score", "type", "value", "annotation", "class", "category", "named"),
    *("etiqueta", "etikett", "étiquette", "etichetta", "klasse", "тег", "метка", "offset", "start", "end", "unnamed"),
}
"""Words that headers are made of."""
_INDEX = re.compile(r"[0-9]{1,9}")
_BEGINS_WITH_DIGIT = re.compile(r"\n[ \r]*\d")
_COMMENTS = re.compile(rb"(?:(?:#[^\n]*+|[ \t\r]*+)(?:\n|\Z))*+")
_PART = re.compile(r"[^\W\d_]+")
Row = tuple[int, bool, list[str]]
CHUNKS = frozenset({"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "NC", "VC", "PC"})
"""Labels of chunks, in capitals."""
_MORE_ROWS = 20_000
"""How many lines are looked at if a column has only O in the first ones."""
_MOST = 0.8
"""The share of cells that make a column what it is: one bad cell is an error of its line, not another column."""
_IDENTIFIER = re.compile(r"(?:[A-Za-z]{1,8}:)?[A-Z]{0,4}[0-9]+|NIL[\w-]*|https?://\S+")
_FEATURE = re.compile(r"[^=\s]+=\S*")
_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?%?")
_OTHERS: dict[Kind, re.Pattern[str]] = {"numbers": _NUMBER, "identifiers": _IDENTIFIER, "features": _FEATURE}
_NO_SMALL_LETTER = re.compile(r"[^a-zß-öø-ÿа-я]+")
_FEW_ROWS = 20
_LEMMAS = 0.3
"""The share of tokens that are their own lemma, at least."""


def rows_of(source: Source, *, passes_comments: bool = False) -> Iterator[Row]:
    """The lines that are not blank: their number, whether they have tabs, their cells.

    With `passes_comments`, blocks in which all lines begin with # are left out, which takes no time to speak of.
    """
    for block in source.first_blocks(_SAMPLE_TABLE_HEAD):
        if not passes_comments or _COMMENTS.fullmatch(block.data, 0, block.size) is None:
            yield from _rows(block, is_table=True)


@lru_cache(maxsize=1)
def rows_of_sample(sample: Block) -> list[Row]:
    """The first of these lines in the sample that formats are asked about, one after the other.

    Lines that are wider than any table are left out: they may be long texts of formats that have no columns.
    """
    return list(islice(_rows(sample, is_table=False), ROWS))


@lru_cache(maxsize=1)
def numbered_rows(sample: Block) -> list[Row]:
    """Those of these lines that begin with a digit: most files have none, of which the cells need not be found."""
    if _BEGINS_WITH_DIGIT.search("\n" + sample.data[: sample.size].decode()) is None:
        return []
    return [row for row in rows_of_sample(sample) if row[2][0][:1].isdecimal()]


def _rows(block: Block, *, is_table: bool) -> Iterator[Row]:
    """The cells of each line between tabs or runs of blanks; spaces other than those of ASCII are part of a cell.

    Lines that are wider than the limit are refused in a table, and else left out.
    """
    if not block.data[: block.size].strip(b" \t\r\n"):
        return
    most = COLUMNS.value
    for number, text in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
        line = text.rstrip(" \r")
        if len(line) > most and is_wide(line):
            if is_table:
                refuse_wide(line, number)
            continue
        tabs = "\t" in line
        cells = line.split("\t") if tabs else line.replace("\r", " ").split(" ")
        if all(cells):
            yield number, tabs, cells
        elif any(cells):
            yield number, tabs, cells if tabs else list(filter(None, cells))


def layout_of(source: Source, named: Sequence[ColumnName]) -> Layout:
    """How the cells of a file lie, from its first lines; `named` are columns that the user names."""
    rows = _first_rows(source, named)
    number, tabs, cells = rows[0]
    below = [each for _, _, each in rows[1:]]
    width = _width(cells, below)
    cells = cells[:width]
    if is_header(cells, below, named):
        token = next((place for place, cell in enumerate(cells) if cell.lower() in TOKEN_NAMES), 0)
        return Layout(tabs, width, number, names=tuple(cells), token=token)
    is_numbered = width > 2 and _is_numbered(row for row in rows if len(row[2]) == width)
    empty = _empty_columns([each for _, _, each in rows if len(each) == width])
    return Layout(tabs, width, number, token=int(is_numbered), empty=empty)


@dataclass(frozen=True)
class ColumnKind:
    """What a column holds, by its first cells."""

    name: Kind
    labels: frozenset[str] = frozenset()
    """The labels of tags, or the different values that are not outside."""
    has_o: bool = False
    """Whether O is among its cells."""

    @property
    def shown(self) -> str:
        """Some of its values."""
        return ", ".join(sorted(self.labels)[:3])


def column_kinds(source: Source, layout: Layout, *, rows: int = ROWS) -> dict[int, ColumnKind]:
    """What each column but that of the tokens holds, by the first rows.

    More rows are looked at if a column has only O there: the first sentences may have no span.
    """
    cells = [each for _, each in _token_rows(source, layout, rows)]
    free = [place for place in range(layout.filled) if place != layout.token]
    tokens = [cell[layout.token] for cell in cells]
    kinds = {place: kind_of(tokens, [cell[place] for cell in cells]) for place in free}
    is_silent = len(free) > 1 and any(kind.name == "outside" for kind in kinds.values())
    is_silent &= len(cells) == rows < _MORE_ROWS
    return column_kinds(source, layout, rows=_MORE_ROWS) if is_silent else kinds


def _token_rows(source: Source, layout: Layout, count: int) -> list[tuple[int, list[str]]]:
    """The first lines with a token: their numbers and cells."""
    first = layout.first_line + bool(layout.names)
    rows = ((number, cells) for number, _, cells in rows_of(source) if len(cells) == layout.columns)
    return list(islice((row for row in rows if row[0] >= first and not _is_mark(row[1])), count))


def _is_mark(cells: Sequence[str]) -> bool:
    """Whether a line with as many cells as others begins a document, or is a comment."""
    return is_document_mark(cells[0]) or (cells[0][:1] == "#" and is_comment(" ".join(cells)))


def kind_of(tokens: Sequence[str], cells: Sequence[str]) -> ColumnKind:
    """What these cells are, beside these tokens."""
    counts = Counter(cells)
    has_o = "O" in counts or "o" in counts
    values = frozenset(counts.keys() - OUTSIDE_TAGS)
    outside = len(cells) - sum(counts[value] for value in values)
    prefixed = {value: part for value in values if (part := parse(value.split("|")[0])) is not None}
    if prefixed and sum(counts[value] for value in prefixed) + outside >= _MOST * len(cells):
        labels = frozenset(label for _, label in prefixed.values())
        return ColumnKind("chunks" if {label.upper() for label in labels} <= CHUNKS else "tags", labels, has_o)
    if not values - {"-", "*"}:
        return ColumnKind("outside" if has_o else "empty", values, has_o)
    if not has_o:
        for name, pattern in _OTHERS.items():
            if all(value == "-" or all(map(pattern.fullmatch, value.split("|"))) for value in values):
                return ColumnKind(name, values)
    if _are_lemmas(tokens, cells, values):
        return ColumnKind("lemmas", values, has_o)
    is_labels = doubt(sorted(values), len(cells), outside) is None
    return ColumnKind("labels" if is_labels else "words", values, has_o)


def _are_lemmas(tokens: Sequence[str], cells: Sequence[str], values: frozenset[str]) -> bool:
    """Whether cells are forms of their tokens: many are the same, or most differ from each other."""
    words = [(token, cell) for token, cell in zip(tokens, cells, strict=True) if token.isalpha()]
    same = sum(token.casefold() == cell.casefold() for token, cell in words)
    return same > _LEMMAS * len(words) or (len(cells) >= 2 * _FEW_ROWS and len(values) > len(cells) / 2)


def holds_tags(source: Source, layout: Layout, place: int) -> bool:
    """Whether all first cells of a column are tags, some of them with a prefix and a label."""
    cells = [each[place] for _, each in _token_rows(source, layout, ROWS)]
    return _are_tags(cells) and any(len(cell) > 2 for cell in cells)


def unlike_tags(source: Source, layout: Layout, place: int) -> tuple[int, str, str] | None:
    """A line whose value in a column of plain tags is unlike all others: its number, its text, what it looks like.

    The first line may name columns in words that are not known, and a line that begins with `#` and a blank may be a
    comment. All other values are written without small letters, as POS and labels are, and none is the same.
    """
    rows = _token_rows(source, layout, ROWS)
    maybe = [row for place, row in enumerate(rows) if row[1][0] == "#" or (place == 0 and not layout.names)]
    for number, cells in maybe:
        value, others = cells[place], {each[place] for line, each in rows if line != number} - OUTSIDE_TAGS
        is_word = len(value) > 2 and value.isalpha() and _NO_SMALL_LETTER.fullmatch(value) is None
        if is_word and value not in others and len(others) > 1 and all(map(_NO_SMALL_LETTER.fullmatch, others)):
            return number, " ".join(cells)[:80], "a comment" if cells[0] == "#" else "a header"
    return None


def _first_rows(source: Source, named: Sequence[ColumnName]) -> list[Row]:
    """The first lines from the first one on that is no comment; from the first one, if all begin with #."""

    def lines(*, passes_comments: bool = False) -> Iterator[Row]:
        found = rows_of(source, passes_comments=passes_comments)
        return (row for row in found if row[2][0][:1] != "-" or not is_document_mark(row[2][0]))

    def may_be_comment(row: Row) -> bool:
        return row[2][0].startswith("#") and not _names_one(row[2], named)

    def tokens(rows: Iterable[Row]) -> list[Row]:
        return list(islice((row for row in rows if row[2][0][:1] != "#" or not _is_mark(row[2])), ROWS))

    is_named = any(isinstance(column, str) for column in named)
    rows = tokens(dropwhile(may_be_comment, lines(passes_comments=not is_named))) or tokens(islice(lines(), _MORE_ROWS))
    if not rows:
        raise source.error(None, "the file has no tokens", "check how it was written")
    return rows


def _width(cells: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """The number of columns; empty cells at the end of the first line count if others have as many cells."""
    full = len(cells)
    while full > 1 and not cells[full - 1]:
        full -= 1
    return full if any(len(each) == full for each in below) else len(cells)


def is_header(cells: Sequence[str], below: Sequence[Sequence[str]], named: Sequence[ColumnName]) -> bool:
    """Whether a line names columns: one that the user names, or tokens and others, in every cell."""
    if _names_one(cells, named):
        return True
    has_tokens = any(cell.lower() in TOKEN_NAMES for cell in cells)
    columns = ([row[place] for row in below if len(row) == len(cells)] for place in range(len(cells)))
    return len(cells) > 1 and has_tokens and all(map(_is_name, cells, columns))


def _names_one(cells: Sequence[str], named: Sequence[ColumnName]) -> bool:
    return any(isinstance(column, str) and column in cells for column in named)


def _is_name(cell: str, below: list[str]) -> bool:
    """Whether a cell names its column: it is no value there, and is a word for it or the only one that is no tag."""
    if cell in OUTSIDE_TAGS or parse(cell) or cell in below:
        return False
    return any(part in _NAMES for part in _PART.findall(cell.lower())) or _are_tags(below)


def _are_tags(cells: Sequence[str], *, some: bool = False) -> bool:
    """Whether all cells are tags with prefixes or outside; with `some`, one at least has a prefix."""
    prefixed = sum(parse(cell.split("|")[0]) is not None for cell in cells)
    outside = sum(cell in OUTSIDE_TAGS for cell in cells)
    return bool(cells) and prefixed + outside == len(cells) and (prefixed > 0 or not some)


def _is_numbered(rows: Iterable[Row]) -> bool:
    """Whether the first column counts the tokens of each sentence from 1 or 0."""
    number_before, line_before, count = 0, 0, 0
    for line, _, cells in rows:
        if _INDEX.fullmatch(cells[0]) is None:
            return False
        number = int(cells[0])
        begins = line > line_before + 1 or not count
        if not (number == number_before + 1 and count) and not (number in (0, 1) and begins):
            return False
        number_before, line_before, count = number, line, count + 1
    return count > 1


def _empty_columns(rows: Sequence[Sequence[str]]) -> int:
    """How many columns at the end are empty in all lines, if those before them end with a column of tags."""
    width = len(rows[0])
    empty = next((count for count in range(width) if any(row[width - 1 - count] for row in rows)), width)
    has_tags = empty and width - empty > 1 and _are_tags([row[width - 1 - empty] for row in rows])
    return empty if has_tags else 0
