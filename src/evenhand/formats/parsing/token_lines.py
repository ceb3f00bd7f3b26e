"""What the lines of a block are: tokens, ends of sentences, begins of documents, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, ints, ranges
from evenhand.bits import Rank, behind, equal_to, marked, next_places, places
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import CARRIAGE_RETURN, SPACE, TAB, Lines, split
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.grid import Grid, grid
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.problems import counted
from evenhand.settings import ColumnName
from evenhand.text.encodings import OUTSIDE_TAGS, parse
from evenhand.text.tokens import windows

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
    begin = places(equal_to(text, ord("#")))
    begin = begin[(begin == 0) | (text[begin - 1] == LINE_FEED)]
    end = next_places(equal_to(text, LINE_FEED), begin)
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
    blanks = marked(text, lambda some: some <= SPACE)
    last = Rank.of(equal_to(text, TAB) if tabs else ~blanks & behind(blanks, 1))
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
    found: Bools = text[begins] == ord("#")
    rows = np.flatnonzero(found)
    found[rows] = _MAY_FOLLOW[text[begins[rows] + 1]]
    return found


def _hash_lines(tokens: Cells) -> Ints:
    return np.flatnonzero(np.frombuffer(tokens.data, dtype=np.uint8)[tokens.column(0)[0]] == ord("#"))


def _columns(count: int) -> str:
    return counted(count, "column")
