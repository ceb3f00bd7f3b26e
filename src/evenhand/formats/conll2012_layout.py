"""The columns of CoNLL-2012 and its relatives, by the first lines of a file and by what a user names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise

from evenhand.dataclass import dataclass
from evenhand.formats.parsing.table_head import rows_of
from evenhand.formats.source import Source
from evenhand.problems import SettingError
from evenhand.settings import ReadSettings

SAMPLE = 1000
"""How many lines tell which columns a file has."""
_NAMED = ("word", "pos", "coref")
_NO_POS = ("-", "_", "*")
LONGEST_NUMBER = 12
"""How many digits the position of a word may have; numbers of thousands are none."""
_WITH_POS = 10
"""From how many columns on the one behind the word is its POS."""


@dataclass(frozen=True)
class ChainLayout:
    """Where the columns of a file are, counted from 0."""

    tabs: bool
    columns: int
    """How many columns a line has at least."""
    word: int | None
    pos: int | None
    coref: int | None = None
    """The column of the brackets, where it is not the last."""

    @property
    def wanted(self) -> list[int]:
        """The places of the columns that are read, the last one aside."""
        return [place for place in (self.word, self.pos, self.coref) if place is not None]


def layout_of(source: Source, settings: ReadSettings) -> ChainLayout:
    """The columns of a file, by its first lines and by what a user names."""
    rows = [(tabs, cells) for _, tabs, cells in islice(rows_of(source), SAMPLE) if not cells[0].startswith("#")]
    if not rows:
        return ChainLayout(tabs=False, columns=2, word=None, pos=None)
    tabs = all(tabs for tabs, _ in rows)
    cells = [row if tabs else " ".join(row).split() for _, row in rows]
    columns = _width(cells)
    cells = [row for row in cells if len(row) >= columns]
    named = dict(map(_named, settings.columns))
    word = named.get("word", word_column(cells, columns))
    pos = named.get("pos", _pos_column(cells, word, columns))
    coref = named.get("coref", -1)
    if coref < -1:
        raise SettingError("The coreference column is the last one (-1), or counted from the first: coref=7.")
    places = {"word": word, "pos": pos, "coref": None if coref == -1 else coref}
    for name, place in places.items():
        if place is not None and not 0 <= place < columns:
            raise source.error(None, f"there is no column for {name} in lines of {columns}", "name another column")
    return ChainLayout(tabs, columns, **places)


def _width(cells: Sequence[Sequence[str]]) -> int:
    """How many columns lines have at least, without those that are empty in all of them, as separators stand behind."""
    columns = sorted(map(len, cells))[len(cells) // 10]  # a few lines may be cut off
    while columns > 1 and all(len(row) == columns and not row[-1] and _is_brackets(row[-2]) for row in cells):
        cells, columns = [row[:-1] for row in cells], columns - 1
    return columns


def _is_brackets(cell: str) -> bool:
    return cell in ("", "-", "_") or "(" in cell or ")" in cell


def _named(column: int | str) -> tuple[str, int]:
    name, equals, number = str(column).partition("=")
    if name not in _NAMED or not equals or not number.lstrip("-").isdecimal():
        raise SettingError(f"{column!r} names no column of chains; write word=4, pos=5 or coref=-1.")
    return name, int(number) - 1 if int(number) > 0 else int(number)


def word_column(cells: Sequence[Sequence[str]], columns: int) -> int | None:
    """The column of words: the first one behind those that say where a word is."""
    if columns < 3:
        return None
    if _counts(cells, 0, (1,)) and any(_number(row[0]) == 2 for row in cells):
        return 1
    if columns >= _WITH_POS and _counts(cells, 2) and not _counts(cells, 3):
        return 3  # words that are all numbers are words all the same, behind their positions
    for place in range(3, columns - 1) if columns > 4 else (columns - 2,):
        if not all(row[place].isdecimal() for row in cells):
            return place
    return None


def _number(cell: str) -> int:
    """The position that a cell gives; -1 where it gives none."""
    return int(cell) if cell.isdecimal() and len(cell) <= LONGEST_NUMBER else -1


def _counts(cells: Sequence[Sequence[str]], place: int, first: Sequence[int] = (0, 1)) -> bool:
    """Whether a column counts words from 0 or 1 on in each sentence, or in all together."""
    numbers = [_number(row[place]) for row in cells]
    return numbers[0] in first and all(number in (numbers[0], before + 1) for before, number in pairwise(numbers))


def _pos_column(cells: Sequence[Sequence[str]], word: int | None, columns: int) -> int | None:
    """The column of POS, where there is one that is not empty."""
    if word not in (1, 3) or columns < _WITH_POS or all(row[4] in _NO_POS for row in cells):
        return None
    return 4
