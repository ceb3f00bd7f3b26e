"""What the first lines of a column file show: separator, number of columns, a header, numbers before the tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile, islice

from evenhand.formats.parsing.blocks import is_wide, refuse_wide
from evenhand.formats.parsing.token_lines import Layout, is_document_mark
from evenhand.formats.source import Block, Source
from evenhand.limits import COLUMNS
from evenhand.settings import ColumnName
from evenhand.text.encodings import OUTSIDE_TAGS, parse

_SAMPLE = 1 << 12
ROWS = 200
"""How many lines are looked at."""
_TOKEN_NAMES = frozenset({"token", "tokens", "word", "words", "form"})
_NAMES = _TOKEN_NAMES | {
    *("id", "ids", "index", "number", "sentence", "sent", "doc", "document", "text", "lemma", "head", "deprel"),
    *("pos", "upos", "xpos", "feats", "chunk", "chunks", "tag", "tags", "label", "labels", "ner", "ne", "nel"),
    *("entity", "entities", "iob", "bio", "gold", "true", "pred", "predicted", "prediction", "system", "misc"),
    *("weight", "weights", "probability", "score", "type", "value", "annotation"),
}
"""Words that headers are made of."""
_INDEX = re.compile(r"[0-9]{1,9}")
_BEGINS_WITH_DIGIT = re.compile(r"\n[ \r]*\d")
_PART = re.compile(r"[^\W\d_]+")
Row = tuple[int, bool, list[str]]


def rows_of(source: Source) -> Iterator[Row]:
    """The lines that are not blank: their number, whether they have tabs, their cells."""
    for block in source.first_blocks(_SAMPLE):
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
    if _is_header(cells, below, named):
        token = next((place for place, cell in enumerate(cells) if cell.lower() in _TOKEN_NAMES), 0)
        return Layout(tabs, width, number, names=tuple(cells), token=token)
    is_numbered = width > 2 and _is_numbered(row for row in rows if len(row[2]) == width)
    empty = _empty_columns([each for _, _, each in rows if len(each) == width])
    return Layout(tabs, width, number, token=int(is_numbered), empty=empty)


def tag_columns(source: Source, layout: Layout) -> list[int]:
    """The columns that look like tags with prefixes: some have one, and all others are outside."""
    rows = [cells for _, _, cells in islice(rows_of(source), ROWS) if len(cells) == layout.columns]
    rows = rows[1:] if layout.names else rows
    return [place for place in range(layout.columns) if _are_tags([cells[place] for cells in rows], some=True)]


def _first_rows(source: Source, named: Sequence[ColumnName]) -> list[Row]:
    """The first lines from the first one on that is no comment; from the first one, if all begin with #."""

    def lines() -> Iterator[Row]:
        return (row for row in rows_of(source) if row[2][0][:1] != "-" or not is_document_mark(row[2][0]))

    def is_comment(row: Row) -> bool:
        return row[2][0].startswith("#") and not _names_one(row[2], named)

    rows = list(islice(dropwhile(is_comment, lines()), ROWS)) or list(islice(lines(), ROWS))
    if not rows:
        raise source.error(None, "the file has no tokens", "check how it was written")
    return rows


def _width(cells: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """The number of columns; empty cells at the end of the first line count if others have as many cells."""
    full = len(cells)
    while full > 1 and not cells[full - 1]:
        full -= 1
    return full if any(len(each) == full for each in below) else len(cells)


def _is_header(cells: Sequence[str], below: Sequence[Sequence[str]], named: Sequence[ColumnName]) -> bool:
    """Whether a line names columns: one that the user names, or tokens and others, in every cell."""
    if _names_one(cells, named):
        return True
    has_tokens = any(cell.lower() in _TOKEN_NAMES for cell in cells)
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
