"""Files with one token per line: detection of the columns, types of lines, and the text and tags they make.

A `Layout` describes such a file: its columns, the column of tokens, and which lines are comments. `layout_of` detects
it from the first lines, `parse_blocks` finds the lines with tokens, and `TableBatches` makes annotations of them.
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
from evenhand.data.layers import FEATURES, FeatureSets, TagColumn
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
from evenhand.formats.parsing.tags import (
    Coded,
    TagReader,
    TagsAndSpans,
    choose_encoding,
    join_columns,
    tag_layers,
    with_token_scores,
)
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.settings import ColumnName, ReadSettings

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
"""A comment, even if it has the number of cells of a line with a token."""
_MAY_FOLLOW = np.isin(np.arange(256), list(b" bBeE"))
"""Bytes that may follow # in such a comment."""
Kind = Literal["tags", "chunks", "outside", "empty", "numbers", "identifiers", "features", "lemmas", "labels", "words"]
"""Tags and chunks have prefixes, labels have none; words are all other values, such as POS."""
ROWS = 200
"""Number of lines that detection examines."""
_LONGEST_LINE = 1 << 14
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
    *(
        "weight",
        "weights",
        "probability",
        "prob",
        "confidence",
        "score",
        "type",
        "value",
        "annotation",
        "class",
        "category",
        "named",
    ),
    *("etiqueta", "etikett", "étiquette", "etichetta", "klasse", "тег", "метка", "offset", "start", "end", "unnamed"),
}
_INDEX = re.compile(r"[0-9]{1,9}")
_BEGINS_WITH_DIGIT = re.compile(r"\n[ \r]*\d")
_COMMENTS = re.compile(rb"(?:(?:#[^\n]*+|[ \t\r]*+)(?:\n|\Z))*+")
_PART = re.compile(r"[^\W\d_]+")
Row = tuple[int, bool, list[str]]
"""Line number, whether it has tabs, and its cells."""
CHUNKS = frozenset({"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "NC", "VC", "PC"})
_MORE_ROWS = 20_000
"""Number of lines that detection examines if a column has only O in the first ones."""
_MOST = 0.8
"""Minimum share of cells with tags in a column of tags: a single bad cell is an error in its line."""
_OTHERS: dict[Kind, re.Pattern[str]] = {
    "numbers": re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?%?"),
    "identifiers": re.compile(r"(?:[A-Za-z]{1,8}:)?[A-Z]{0,4}[0-9]+|NIL[\w-]*|https?://\S+"),
    "features": re.compile(r"[^=\s]+=\S*"),
}
_NO_LOWERCASE = re.compile(r"[^a-zß-öø-ÿа-я]+")
_LONGEST_EXAMPLE = 80
TRAILING = "empty cells at the ends of lines"
_SAMPLE = 1 << 14


@dataclass(frozen=True)
class Layout:
    """The columns of a file."""

    tabs: bool
    columns: int
    first_line: int
    """The line whose columns were counted."""
    names: tuple[str, ...] = ()
    """Names of the columns, if that line is a header."""
    token: int = 0
    hash_comments: bool = False
    """Whether every line that begins with # is a comment, regardless of its columns."""
    empty: int = 0
    """Number of empty columns at the end, which do not count."""

    def indices(self, source: Source, columns: tuple[ColumnName, ...]) -> tuple[int, ...]:
        """Return the indices of a user's columns: 1 is the first, -1 the last, or a name."""
        return tuple(self._index(source, column) for column in columns)

    def _index(self, source: Source, column: ColumnName) -> int:
        if isinstance(column, str):
            if column in self.names:
                return self.names.index(column)
            names = f"this line names {', '.join(self.names)}" if self.names else "the file has no header line"
            raise source.error(self.first_line, f"column {column!r} does not exist, {names}", "specify another column")
        index = column - 1 if column > 0 else self.filled + column
        if not 0 <= index < self.columns:
            finding = f"column {column} does not exist, this line has {counted(self.columns, 'column')}"
            raise source.error(self.first_line, finding, "specify another column")
        return index

    @property
    def filled(self) -> int:
        """Number of columns, without the empty ones at the end."""
        return self.columns - self.empty

    def has_header(self, first: int, count: int) -> bool:
        """Whether the header is one of `count` lines, from the line `first`."""
        return bool(self.names) and 0 <= self.first_line - first < count


def rows_of(source: Source, *, skip_comments: bool = False) -> Iterator[Row]:
    """Yield the lines that are not blank; `skip_comments` quickly skips blocks in which all lines begin with #."""
    for block in source.first_blocks(1 << 12):
        if not skip_comments or _COMMENTS.fullmatch(block.data, 0, block.size) is None:
            yield from _rows(block, is_table=True)


@lru_cache(maxsize=1)
def rows_of_sample(sample: Block) -> list[Row]:
    """Return the first lines of the sample that all formats examine; cached, because several of them need it.

    Very wide lines are left out: they may be long texts of formats without columns.
    """
    return list(islice(_rows(sample, is_table=False), ROWS))


def short_lines(sample: Block) -> list[str]:
    """Return the first lines that are not blank; none if one of them is too long for a table."""
    lines = list(islice(filter(None, map(bytes.strip, sample.data[: sample.size].split(b"\n"))), ROWS))
    return [] if max(map(len, lines), default=0) > _LONGEST_LINE else [line.decode() for line in lines]


@lru_cache(maxsize=1)
def numbered_rows(sample: Block) -> list[Row]:
    """Return the first lines that begin with a digit; most files have none, and then the cells need not be found."""
    if _BEGINS_WITH_DIGIT.search("\n" + sample.data[: sample.size].decode()) is None:
        return []
    return [row for row in rows_of_sample(sample) if row[2][0][:1].isdecimal()]


def _rows(block: Block, *, is_table: bool) -> Iterator[Row]:
    """The cells of each line, between tabs or runs of blanks; other Unicode spaces are part of a cell.

    Lines that are wider than the limit are refused in a table, otherwise left out.
    """
    if not block.data[: block.size].strip(b" \t\r\n"):
        return
    limit = COLUMNS.value
    for number, text in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
        line = text.rstrip(" \r")
        if len(line) > limit and is_wide(line):
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
    """Detect the columns of a file from its first lines; `named` are columns that the user names."""
    rows = _first_rows(source, named)
    number, tabs, first = rows[0]
    below = [cells for _, _, cells in rows[1:]]
    width = _width(first, below)
    names = first[:width]
    if is_header(names, below, named):
        token = next((index for index, name in enumerate(names) if name.lower() in TOKEN_NAMES), 0)
        return Layout(tabs, width, number, names=tuple(names), token=token)
    is_numbered = width > 2 and _is_numbered(row for row in rows if len(row[2]) == width)
    empty = _empty_columns([cells for _, _, cells in rows if len(cells) == width])
    return Layout(tabs, width, number, token=int(is_numbered), empty=empty)


@dataclass(frozen=True)
class ColumnKind:
    """The kind of values in a column, by its first cells."""

    name: Kind
    labels: frozenset[str] = frozenset()
    """The labels of tags, or the distinct values that are not outside."""
    has_o: bool = False

    @property
    def examples(self) -> str:
        labels = sorted(self.labels)[:3]
        return ", ".join(
            label if len(label) <= _LONGEST_EXAMPLE else f"{label[:_LONGEST_EXAMPLE]}…" for label in labels
        )


def column_kinds(source: Source, layout: Layout, *, rows: int = ROWS) -> dict[int, ColumnKind]:
    """Return the kinds of all columns except for the tokens, by the first rows.

    More rows are examined if a column has only O there: the first sentences may have no spans.
    """
    lines = [cells for _, cells in _token_rows(source, layout, rows)]
    others = [column for column in range(layout.filled) if column != layout.token]
    tokens = [cells[layout.token] for cells in lines]
    kinds = {column: kind_of(tokens, [cells[column] for cells in lines]) for column in others}
    is_silent = len(others) > 1 and any(kind.name == "outside" for kind in kinds.values())
    is_silent &= len(lines) == rows < _MORE_ROWS
    return column_kinds(source, layout, rows=_MORE_ROWS) if is_silent else kinds


def _token_rows(source: Source, layout: Layout, count: int) -> list[tuple[int, list[str]]]:
    first = layout.first_line + bool(layout.names)
    rows = ((number, cells) for number, _, cells in rows_of(source) if len(cells) == layout.columns)
    return list(islice((row for row in rows if row[0] >= first and not _is_mark(row[1])), count))


def _is_mark(cells: Sequence[str]) -> bool:
    """Whether a line that has all columns begins a document, or is a comment."""
    return is_document_mark(cells[0]) or (cells[0][:1] == "#" and is_comment(" ".join(cells)))


def kind_of(tokens: Sequence[str], cells: Sequence[str]) -> ColumnKind:
    """Return the kind of these cells of these tokens."""
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
    """Whether cells are lemmas: many are equal to their tokens, or most differ from each other."""
    words = [(token, cell) for token, cell in zip(tokens, cells, strict=True) if token.isalpha()]
    same = sum(token.casefold() == cell.casefold() for token, cell in words)
    return same > 0.3 * len(words) or (len(cells) >= 40 and len(values) > len(cells) / 2)


def holds_tags(source: Source, layout: Layout, column: int) -> bool:
    """Return whether all first cells of a column are tags, some of them with a prefix and a label."""
    tags = [cells[column] for _, cells in _token_rows(source, layout, ROWS)]
    return _are_tags(tags) and any(len(tag) > 2 for tag in tags)


def unlike_tags(source: Source, layout: Layout, column: int) -> tuple[int, str, str] | None:
    """Return a line whose value in a column of plain tags is unlike all others: number, text, what it looks like.

    The first line may name columns with unknown words, and a line that begins with `#` and a blank may be a comment.
    All other values have no lowercase letters, like POS and labels, and none is the same.
    """
    rows = _token_rows(source, layout, ROWS)
    candidates = [row for index, row in enumerate(rows) if row[1][0] == "#" or (index == 0 and not layout.names)]
    for number, cells in candidates:
        value, others = cells[column], {others[column] for line, others in rows if line != number} - OUTSIDE_TAGS
        is_word = len(value) > 2 and value.isalpha() and _NO_LOWERCASE.fullmatch(value) is None
        if is_word and value not in others and len(others) > 1 and all(map(_NO_LOWERCASE.fullmatch, others)):
            return number, " ".join(cells)[:80], "a comment" if cells[0] == "#" else "a header"
    return None


def _first_rows(source: Source, named: Sequence[ColumnName]) -> list[Row]:
    """The first lines after leading comments; from the first line, if all begin with #."""

    def lines(*, skip_comments: bool = False) -> Iterator[Row]:
        rows = rows_of(source, skip_comments=skip_comments)
        return (row for row in rows if row[2][0][:1] != "-" or not is_document_mark(row[2][0]))

    def tokens(rows: Iterable[Row]) -> list[Row]:
        return list(islice((row for row in rows if row[2][0][:1] != "#" or not _is_mark(row[2])), ROWS))

    is_named = any(isinstance(column, str) for column in named)
    first = lines(skip_comments=not is_named)
    first = dropwhile(lambda row: row[2][0].startswith("#") and not _names_one(row[2], named), first)
    rows = tokens(first) or tokens(islice(lines(), _MORE_ROWS))
    if not rows:
        raise source.error(None, "the file has no tokens", "check how it was written")
    return rows


def _width(cells: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """The number of columns; empty cells at the end of the first line do not count if a line below lacks them."""
    filled = len(cells)
    while filled > 1 and not cells[filled - 1]:
        filled -= 1
    return filled if any(len(row) == filled for row in below) else len(cells)


def is_header(cells: Sequence[str], below: Sequence[Sequence[str]], named: Sequence[ColumnName]) -> bool:
    """Return whether a line names columns: one that the user names, or a column of tokens and all others."""
    if _names_one(cells, named):
        return True
    has_tokens = any(cell.lower() in TOKEN_NAMES for cell in cells)
    columns = ([row[index] for row in below if len(row) == len(cells)] for index in range(len(cells)))
    return len(cells) > 1 and has_tokens and all(map(_is_name, cells, columns))


def _names_one(cells: Sequence[str], named: Sequence[ColumnName]) -> bool:
    return any(isinstance(column, str) and column in cells for column in named)


def _is_name(cell: str, below: list[str]) -> bool:
    """Whether a cell names its column: it is not a value, and either a known word or the only cell without a tag."""
    if cell in OUTSIDE_TAGS or parse(cell) or cell in below:
        return False
    return any(part in _NAMES for part in _PART.findall(cell.lower())) or _are_tags(below)


def _are_tags(cells: Sequence[str]) -> bool:
    """Whether all cells are tags with prefixes or outside."""
    return bool(cells) and all(cell in OUTSIDE_TAGS or parse(cell.split("|")[0]) is not None for cell in cells)


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
    """The number of columns at the end that are empty in all lines, if a column of tags precedes them."""
    width = len(rows[0])
    empty = next((count for count in range(width) if any(row[width - 1 - count] for row in rows)), width)
    has_tags = empty and width - empty > 1 and _are_tags([row[width - 1 - empty] for row in rows])
    return empty if has_tags else 0


@dataclass(frozen=True)
class TokenLines:
    """The lines of a block that have tokens."""

    first_line: int
    cells: Cells
    bounds: Ints
    """Starts of sentences, counted in tokens, and the end of the last one."""
    documents: Ints
    """Number of tokens before each start of a document."""
    trailing: int = 0
    """Number of lines from which empty cells at the end were dropped."""


def parse_blocks(layout: Layout, source: Source, blocks: Iterator[Block]) -> Iterator[TokenLines]:
    """Yield the lines with tokens of each block."""
    for block in blocks:
        yield _regular(layout, block) or _classify(source, layout, split(block, tabs=layout.tabs))


def _regular(layout: Layout, block: Block) -> TokenLines | None:
    """The lines of a block that has only tokens, blank lines, comments and document marks; None for other blocks."""
    cells = _grid(layout, block)
    if cells is None or (layout.hash_comments and len(_hash_lines(cells))):
        return None
    marks = left_out = _document_starts(cells)
    if layout.has_header(block.first_line, block.lines):
        begin = 0
        for _ in range(layout.first_line - block.first_line):
            begin = block.data.index(b"\n", begin) + 1
        left_out = np.sort(np.append(marks, np.searchsorted(cells.column(0)[0], begin)))
    cells = cells.without(left_out) if len(left_out) else cells
    return TokenLines(block.first_line, cells, cells.bounds, marks - np.searchsorted(left_out, marks))


def _grid(layout: Layout, block: Block) -> Grid | None:
    """The cells of a block, if all lines except for blank ones and comments have the same number of them."""
    has_hash = b"#" in block.data
    # Blocks begin like their sentences, so most blocks with comments are recognised before they are parsed.
    has_comments = has_hash and (layout.hash_comments or block.data.startswith(b"#"))
    cells = None if has_comments else grid(block, layout.columns, tabs=layout.tabs)
    if cells is not None and has_hash and len(_comment_rows(cells)):
        cells = None
    if cells is None and has_hash:
        comments = _comments(layout, block)
        cells = None if comments is None else grid(block, layout.columns, tabs=layout.tabs, comments=comments)
    return cells


def is_comment(line: str) -> bool:
    """Return whether a line that has all columns is a comment: `# newdoc`, `# key = value`, `# id 7f domain=en`.

    The token `#` with a tag is not one.
    """
    if _COMMENT.fullmatch(line) is None:
        return False
    last = line.split()[-1]
    return "=" in line or (last not in OUTSIDE_TAGS and parse(last) is None)


@lru_cache(maxsize=1 << 10)
def _is_comment(line: bytes) -> bool:
    """Cached, because tokens that begin with # are often repeated."""
    return is_comment(line.decode().rstrip("\r"))


def _comments(layout: Layout, block: Block) -> Ints | None:
    """The offsets of all bytes of comments; None if one of them may begin a document.

    If # may begin a token, comments do not end sentences: None if one is not before a sentence.
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
    """The number of cells of some lines. Control characters count as blanks: a block with any is not a grid."""
    blanks = bits_where(text, lambda some: some <= SPACE)
    last = BitRank.of(bits_equal(text, TAB) if tabs else ~blanks & bits_ahead(blanks, 1))
    return last(end) - last(begin) + tabs


def _classify(source: Source, layout: Layout, lines: Lines) -> TokenLines:
    """The lines with tokens of any block; a line of no type is a problem."""
    is_token, is_break = lines.cells == layout.columns, lines.cells == 0
    documents, trailing = list[int](), 0
    if b"#" in lines.data and not layout.hash_comments:
        rows = np.flatnonzero(is_token)
        candidates = rows[_may_be_comments(lines.data, lines.begins[rows])]
        is_token[[line for line in candidates.tolist() if is_comment(lines.text(line))]] = False
    if np.count_nonzero(is_token) + np.count_nonzero(is_break) < len(lines.cells):
        odd = np.flatnonzero(~(is_token | is_break))
        is_hash = np.frombuffer(lines.data, dtype=np.uint8)[lines.begins[odd]] == ord("#")
        documents, shortened = _odd_lines(source, layout, lines, odd[~is_hash].tolist())
        if any(word in lines.data for word in _DOCUMENT_WORDS):
            documents += [line for line in odd[is_hash].tolist() if _DOCUMENT_COMMENT.search(lines.text(line))]
        is_token[shortened], trailing = True, len(shortened)
        is_break[odd[is_hash]] |= layout.hash_comments
    if layout.has_header(lines.first_line, len(is_token)):
        is_token[layout.first_line - lines.first_line] = False
    cells = lines.table(np.flatnonzero(is_token), layout.columns)
    marks, hash_rows = _document_starts(cells), _hash_lines(cells) if layout.hash_comments else ints([])
    if len(marks) or len(hash_rows):
        documents += cells.lines[marks].tolist()
        is_break[cells.lines[hash_rows]] = True
        cells = lines.table(np.delete(cells.lines, np.concatenate((marks, hash_rows))), layout.columns)
    is_break[documents] = True
    bounds = _bounds(cells.lines, np.flatnonzero(is_break), len(is_break))
    return TokenLines(lines.first_line, cells, bounds, np.searchsorted(cells.lines, sorted(documents)), trailing)


def _bounds(tokens: Ints, breaks: Ints, lines: int) -> Ints:
    """Starts of sentences, counted in tokens, and the end of the last one."""
    only_tokens_and_breaks = len(tokens) + len(breaks) == lines
    before = breaks - np.arange(len(breaks)) if only_tokens_and_breaks else np.searchsorted(tokens, breaks)
    edges = np.zeros(len(tokens) + 1, dtype=np.bool_)
    edges[before] = True
    edges[[0, -1]] = True
    return np.flatnonzero(edges)


def _odd_lines(source: Source, layout: Layout, lines: Lines, odd: list[int]) -> tuple[list[int], list[int]]:
    """Of lines with another number of cells, those that begin documents, and those with tokens; others are problems."""
    documents, shortened = [], []
    for line in odd:
        if lines.text(line).startswith(DOCUMENT_START):
            documents.append(line)
        elif lines.drop_empty_end(line, layout.columns):
            shortened.append(line)
        else:
            finding = (
                f"expected {counted(layout.columns, 'column')} as in line {layout.first_line}, got {lines.cells[line]}"
            )
            remedy = "fix the line, or start it with # if it is a comment"
            source.report(lines.number(line), finding, remedy, "columns")
    return documents, shortened


def _document_starts(tokens: Cells) -> Ints:
    mark = DOCUMENT_START.encode()
    if tokens.columns == 1 and not (all(byte in tokens.data for byte in mark) and mark in tokens.data):
        return ints([])  # with several columns, the heads of tokens are needed anyway
    cells = tokens.tokens(0)
    rows = np.flatnonzero(cells.heads == _DOCUMENT_START_HEAD)
    if not len(rows):
        return rows
    start, end = cells.start[rows], cells.end[rows]
    plain = (end - start == len(DOCUMENT_START)) & (windows(cells.data)[end - 8] == _DOCUMENT_START_TAIL)
    return np.sort(np.append(rows[plain], ints([row for row in rows[~plain].tolist() if is_document_mark(cells[row])])))


def is_document_mark(cell: str) -> bool:
    """Return whether a first cell begins a document: `-DOCSTART-`, or the same with a name in brackets after it."""
    return cell == DOCUMENT_START or (cell.startswith(DOCUMENT_START + "(") and cell.endswith(")"))


def _comment_rows(tokens: Grid) -> Ints:
    """Which lines of a grid are comments that have all columns."""
    begins = tokens.column(0)[0]
    rows = np.flatnonzero(_may_be_comments(tokens.data, begins))
    if not len(rows):
        return rows
    ends = tokens.column(tokens.columns - 1)[1]
    return ints([row for row in rows.tolist() if _is_comment(tokens.data[begins[row] : ends[row]])])


def _may_be_comments(data: bytes, begins: Ints) -> Bools:
    """Which lines begin with # and a byte that may follow it in a comment; most tokens that begin with # do not."""
    text = np.frombuffer(data, dtype=np.uint8)
    comments: Bools = text[begins] == ord("#")
    rows = np.flatnonzero(comments)
    comments[rows] = _MAY_FOLLOW[text[begins[rows] + 1]]
    return comments


def _hash_lines(tokens: Cells) -> Ints:
    return np.flatnonzero(np.frombuffer(tokens.data, dtype=np.uint8)[tokens.column(0)[0]] == ord("#"))


class _TagColumnReader:
    """Reads the tags of one column, batch by batch."""

    def __init__(
        self,
        source: Source,
        column: int,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        sample: Iterator[tuple[Cells, Corpus]],
        *,
        is_one_of_several: bool,
        elsewhere: Callable[[], str],
    ) -> None:
        self._column = column
        coded = (_coded(CellCodes(), cells, column, corpus) for cells, corpus in sample)
        location = f" in column {column + 1}"
        self.encoding = choose_encoding(source, settings, coded, location=location, remedy=elsewhere)
        self._codes = CellCodes()
        self._reader = TagReader(source, settings, vocabulary, self.encoding, location if is_one_of_several else "")

    @property
    def levels(self) -> int:
        return self._reader.levels

    def read(self, cells: Cells, corpus: Corpus) -> TagsAndSpans:
        tags, spans, reading = self._reader.read(_coded(self._codes, cells, self._column, corpus))
        return tags, spans, replace(reading, column=str(self._column + 1))


def _coded(codes: CellCodes, cells: Cells, column: int, corpus: Corpus) -> Coded:
    start, end = cells.column(column)
    try:
        code, new = codes.mostly(cells.data, start, end)
    except LimitError as error:
        raise error.on_line(corpus.first_line, cells.data) from None
    return Coded([cells.data[start[row] : end[row]].decode() for row in new], code, corpus)


class _WeightColumnReader:
    """Reads the weights of tokens from one column, batch by batch; each distinct cell is parsed once."""

    def __init__(self, source: Source, column: int) -> None:
        self._source, self._column = source, column
        self._codes = CellCodes()
        self._numbers: list[float] = []

    def read(self, cells: Cells, corpus: Corpus) -> Values:
        codes, new = self._codes(cells.data, *cells.column(self._column))
        self._numbers += [self._number(cells.text(self._column, row), corpus.line(row)) for row in new]
        return np.array(self._numbers, dtype=np.float64)[codes]

    def _number(self, text: str, line: int | None) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            finding = f"the weight {text!r} in column {self._column + 1} is not a number of 0 or more"
            self._source.report(line, finding, "fix it, or specify another column", "weight")
            return 0.0
        return number


def score_columns(settings: ReadSettings) -> tuple[ColumnName, ...]:
    """The column with the confidences of tokens that the user names, unless the file is the gold standard."""
    named = settings.parameters.get("score")
    return () if named is None or settings.side == "gold" else (named,)


def _token_scores(source: Source, column: int, settings: ReadSettings, cells: Cells, corpus: Corpus) -> Values:
    """The confidence of each token, NaN without one."""
    from evenhand.formats.parsing.confidences import cell_scores  # rare

    start, end = cells.column(column)
    texts = [cells.data[begin:stop].decode() for begin, stop in zip(start.tolist(), end.tolist(), strict=True)]
    return cell_scores(source, settings, texts, corpus.line_numbers(np.arange(len(texts))).tolist())


class TableBatches(Iterator[Annotation]):
    """A file in batches of whole sentences; `columns` are the columns of each layer, one per level.

    Without layers it is text alone, and a single column has the tokens. This is not a generator, because that would
    keep the data of a batch until the next one, while fifty systems may be read side by side.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        layout: Layout,
        columns: Mapping[str, tuple[int, ...]],
        settings: ReadSettings,
        vocabulary: Vocabulary,
        elsewhere: Callable[[], str] = str,
    ) -> None:
        """`elsewhere` describes where other tags are, for messages."""
        self._name, self._source, self._layout = name, source, layout
        self._tags = None
        if settings.task == "tags":  # tags are not decoded to spans
            if len(columns["spans"]) != 1:
                finding = f"expected one column of tags, got {len(columns['spans'])}"
                raise source.error(None, finding, "specify it with --column")
            (self._tags,), columns = columns["spans"], {}
            self._tag_class = FeatureSets if settings.columns == (FEATURES,) else TagColumn
            self._coder = vocabulary.columns["tags"]
        are_several = sum(map(len, columns.values())) > 1
        self._readers: dict[str, list[_TagColumnReader]] = {}
        for layer, numbers in columns.items():
            gold = self._readers.get("gold")
            read_as = settings.of_layer(layer, gold[0].encoding.name if gold else None)
            self._readers[layer] = [
                _TagColumnReader(
                    source,
                    column,
                    read_as,
                    vocabulary,
                    _sample(source, layout),
                    is_one_of_several=are_several,
                    elsewhere=elsewhere,
                )
                for column in numbers
            ]
        self._extra = {
            extra_layer(name): (column, vocabulary.columns[extra_layer(name)])
            for name, column in zip(settings.extra, layout.indices(source, settings.extra), strict=True)
        }
        self._weights = None
        if settings.weight is not None:
            self._weights = _WeightColumnReader(source, *layout.indices(source, (settings.weight,)))
        self._settings, self._score_columns = settings, layout.indices(source, score_columns(settings))
        self._blocks = parse_blocks(layout, source, source.blocks(settings.block_size))
        self._new_document = not source.begins_inside

    def __next__(self) -> Annotation:
        batch = None
        while batch is None:
            batch = self._batch(next(self._blocks))
        return batch

    def _batch(self, lines: TokenLines) -> Annotation | None:
        has_tokens = self._layout.columns > 1 or (not self._readers and self._tags is None)
        corpus, self._new_document = _corpus(
            self._source, self._layout, lines, self._new_document, has_tokens=has_tokens
        )
        if not corpus.sentences:
            return None
        cells = lines.cells
        if self._weights is not None:
            corpus = replace(corpus, weights=self._weights.read(cells, corpus))
        layers: dict[str, Layer] = {
            name: TagColumn(cells.tokens(column), coder) for name, (column, coder) in self._extra.items()
        }
        readings: dict[str, ReadInfo] = {}
        skipped = {TRAILING: lines.trailing} if lines.trailing else {}
        if self._tags is not None:
            layers["tags"] = self._tag_class(cells.tokens(self._tags), self._coder)
            readings["words"] = ReadInfo(self._name, column=str(self._tags + 1), skipped=skipped)
        scores = None
        for column in self._score_columns:
            scores = _token_scores(self._source, column, self._settings, cells, corpus)
        if self._tags is not None and scores is not None:
            layers["tags"] = layers["tags"].with_score(scores)  # type: ignore[union-attr]  # tags
        for layer, readers in self._readers.items():
            columns = [reader.read(cells, corpus) for reader in readers]
            _, spans, reading = join_columns(columns, [reader.levels for reader in readers])
            if scores is not None and layer != "gold":
                spans = with_token_scores(spans, scores, corpus, self._settings)
            layers[layer] = spans
            readings[layer] = replace(reading, format=self._name, skipped=skipped)
            layers |= tag_layers(layer, columns)
        return Annotation(corpus, layers, readings, self._source.name)


def _sample(source: Source, layout: Layout) -> Iterator[tuple[Cells, Corpus]]:
    for lines in parse_blocks(layout, source, source.first_blocks(_SAMPLE)):
        yield lines.cells, _corpus(source, layout, lines, True, has_tokens=False)[0]


def _corpus(
    source: Source, layout: Layout, lines: TokenLines, new_document: bool, *, has_tokens: bool
) -> tuple[Corpus, bool]:
    """The text of a block, and whether the next block begins a document."""
    cells, bounds = lines.cells, lines.bounds
    sentences = len(bounds) - 1
    begin = distinct(np.searchsorted(bounds, lines.documents)) if len(lines.documents) else lines.documents
    corpus = Corpus(
        source=source.display_name,
        sentences=sentences,
        bounds=bounds,
        tokens=_tokens(cells, layout) if has_tokens else None,
        lines=cells.lines,
        first_line=lines.first_line,
        documents=np.append(0, begin[(begin > 0) & (begin < sentences)]) if len(begin) else zeros(1),
        continues=not (new_document or 0 in begin),
    )
    return corpus, sentences in begin or (new_document and not sentences)


def _tokens(cells: Cells, layout: Layout) -> Tokens:
    """The tokens; in a file with a header, four quotation marks are a quoted one, as in CSV."""
    if not layout.names:
        return cells.tokens(layout.token)
    start, end = (column.copy() for column in cells.column(layout.token))
    rows = np.flatnonzero(end - start == 4)
    rows = rows[np.frombuffer(cells.data, dtype=np.uint8)[start[rows]] == ord('"')]
    quoted = ints([row for row in rows.tolist() if cells.text(layout.token, row) == '""""'])
    start[quoted] += 1
    end[quoted] = start[quoted] + 1
    return Tokens(cells.data, start, end)
