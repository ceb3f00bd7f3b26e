"""The columns of CoNLL-U and its relatives: how files are recognised by them, and where they are.

CoNLL-U has ten columns, with tabs between: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC. CoNLL-X has the same,
under other names; CoNLL-U Plus names its columns in the first line; for other files a user does.
"""

from __future__ import annotations

import re
from dataclasses import replace

from evenhand.formats.addresses import Place
from evenhand.formats.parsing.table_head import numbered_rows, rows_of, rows_of_sample
from evenhand.formats.parsing.word_lines import WordLayout
from evenhand.formats.source import Block, Source
from evenhand.problems import SettingError
from evenhand.settings import ReadSettings

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_PLUS = "# global.columns ="
_CONLL_2009 = {"id": 0, "form": 1, "lemma": 2, "upos": 4, "feats": 6, "head": 8, "deprel": 10}
NAME_THEM = "name the columns, such as --column form=2,head=7,deprel=8"
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_HEAD = re.compile(r"[0-9]+|_")


def recognise(sample: Block) -> float:
    """The share of words with ten columns, a number in the first and a head in the seventh; 1 if columns are named."""
    if sample.data.startswith(_PLUS.encode()):
        return 1.0
    return share_of_words(sample, tabs=True)


def share_of_words(sample: Block, *, tabs: bool) -> float:
    """The share of lines that are words of CoNLL-U, with tabs or blanks between the columns."""
    words = sum(has_tabs == tabs and _is_word(cells) for _, has_tabs, cells in numbered_rows(sample))
    return words / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample)) if words else 0.0


def _is_word(cells: list[str]) -> bool:
    return len(cells) == len(COLUMNS) and _ID.fullmatch(cells[0]) is not None and _HEAD.fullmatch(cells[6]) is not None


def has_suffix(path: Place) -> bool:
    return ".conllu" in path.suffixes[-2:]


def layout_of(source: Source, settings: ReadSettings) -> tuple[WordLayout, int | None]:
    """Where the columns of a file are, and which of them holds the tags that a user asks for."""
    given = [column for column in settings.columns if isinstance(column, str) and "=" in column]
    asked = [column for column in settings.columns if column not in given]
    if len(asked) > 1:
        raise SettingError("Tags of words are scored one column at a time; name a single --column.")
    layout = _plain_layout(source, settings.format, named=bool(given))
    columns = dict(layout.columns) | dict(map(_named, given))
    at_least = layout.at_least or layout.name == "columns"
    width = max(layout.width, *(place + 1 for place in columns.values())) if columns else layout.width
    layout = replace(layout, columns=columns, width=width, at_least=at_least)
    if "form" not in columns:
        raise source.error(None, "the columns of the file are not those of CoNLL-U", NAME_THEM)
    return layout, asked_column(source, layout, asked[0]) if asked else None


def _plain_layout(source: Source, name: str | None, *, named: bool) -> WordLayout:
    """The columns of a format or, where no format is named, of CoNLL-U Plus or CoNLL-U; none of other files."""
    if name == "conll2009":
        return WordLayout(name, _CONLL_2009, len(_CONLL_2009), _has_tabs(source), at_least=True)
    sample = source.sample(1 << 12)
    if sample.data.startswith(_PLUS.encode()):
        first = sample.data.decode(errors="replace").partition("\n")[0].removeprefix(_PLUS)
        names = [each.lower().rpartition(":")[2] for each in first.split()]
        return WordLayout("conllu", {each: place for place, each in enumerate(names)}, len(names))
    by_name = has_suffix(source.path) and not named
    if name is not None or by_name or recognise(sample):
        tabs = name != "conllx" or _has_tabs(source)
        return WordLayout(name or "conllu", {each: place for place, each in enumerate(COLUMNS)}, len(COLUMNS), tabs)
    return WordLayout("columns", {}, 1, _has_tabs(source))


def _has_tabs(source: Source) -> bool:
    return next(
        (tabs for _, tabs, cells in rows_of(source, passes_comments=True) if not cells[0].startswith("#")), True
    )


def _named(column: str) -> tuple[str, int]:
    name, _, number = column.partition("=")
    if not number.strip().isdecimal() or int(number) < 1:
        raise SettingError(f"{column!r} names no column; write its name and its number, such as head=7.")
    return name.strip().lower(), int(number) - 1


def asked_column(source: Source, layout: WordLayout, column: int | str) -> int:
    """The place of the column that a user asks for."""
    if isinstance(column, int):
        place = column - 1 if column > 0 else layout.width + column
        if 0 <= place < layout.width:
            return place
    elif column.lower() in layout.columns:
        return layout.columns[column.lower()]
    raise source.error(None, f"there is no column {column!r}", f"choose one of {', '.join(layout.columns)}")


def has_heads(source: Source, layout: WordLayout) -> bool:
    """Whether the first word of a file has a head, or none is expected."""
    lines = rows_of(source, passes_comments=True)
    rows = (cells for _, _, cells in lines if not cells[0].startswith("#") and len(cells) >= layout.width)
    words = (cells for cells in rows if not layout.has("id") or cells[layout.columns["id"]].isdecimal())
    first = next(words, None)
    return first is None or first[layout.columns["head"]] != "_"


def has_enhanced(source: Source, layout: WordLayout) -> bool:
    """Whether most of the first words of a file have enhanced dependencies."""
    if not layout.has("id", "deps"):
        return False
    rows = [cells for _, _, cells in rows_of_sample(source.sample(1 << 14)) if len(cells) >= layout.width]
    words = [cells for cells in rows if cells[layout.columns["id"]].isdecimal()]
    return sum(cells[layout.columns["deps"]] != "_" for cells in words) * 2 > len(words)
