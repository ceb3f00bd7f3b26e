"""What the first lines of a column file show: separator, number of columns, a header, numbers before the tokens.

They also show what each column holds (`column_kinds`), by which `columns` chooses the column of tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile, islice
from typing import Literal

from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import is_wide, refuse_wide
from evenhand.formats.parsing.token_lines import Layout, is_comment, is_document_mark
from evenhand.formats.source import Block, Source
from evenhand.limits import COLUMNS
from evenhand.settings import ColumnName
from evenhand.text.encodings import OUTSIDE_TAGS, parse
from evenhand.text.plain_labels import doubt

Kind = Literal["tags", "chunks", "outside", "empty", "numbers", "identifiers", "features", "lemmas", "labels", "words"]
"""Tags have prefixes (those of chunks aside), labels have none; words are all other values, such as POS."""
_SAMPLE = 1 << 12
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
    for block in source.first_blocks(_SAMPLE):
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
    tokens = [each[layout.token] for each in cells]
    kinds = {place: kind_of(tokens, [each[place] for each in cells]) for place in free}
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
