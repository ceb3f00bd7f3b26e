"""GermEval 2014: index, token, outer and inner tag; with six columns also predicted outer and inner tag.

Tabs or blanks separate columns. A line that begins with `#` tells where the next sentence is from. The two columns of
tags are two levels. A file with six columns holds gold standard and prediction: as the gold standard its first two
columns of tags are read, else the last two, unless others are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.parsing.layout import TableBatches
from evenhand.formats.parsing.scan import SENTENCES
from evenhand.formats.parsing.table_head import CHUNKS, numbered_rows, rows_of, rows_of_sample
from evenhand.formats.parsing.token_lines import Layout
from evenhand.formats.source import Block, Source
from evenhand.formats.write_table import level_tags, sentence_rows
from evenhand.problems import counted
from evenhand.settings import ColumnName, Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.encodings import OUTSIDE_TAGS, parse
from evenhand.text.labels import Vocabulary

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_WIDTHS = (4, 6)
_DEFAULTS: dict[int, dict[str, tuple[ColumnName, ...]]] = {
    4: {"spans": (3, 4), "gold": (3, 4), "system": (3, 4)},
    6: {"spans": (5, 6), "gold": (3, 4), "system": (5, 6)},
}


def recognise(sample: Block) -> float:
    """The share of lines with a number, a word and two or four tags; none if either tag is one of chunks.

    Number, word, chunk and entity are as many columns, and so are number, word, gold and predicted tag: the labels tell
    which table it is, and tags that are mostly the same in both columns.
    """
    numbered = [_without_empty_end(cells) for _, _, cells in numbered_rows(sample)]
    good = list(filter(_is_row, numbered))
    if not good or _has_chunks(good) or _are_repeated(good) or _are_other_values(numbered):
        return 0.0
    return len(good) / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample))


def _without_empty_end(cells: list[str]) -> list[str]:
    while len(cells) > _WIDTHS[0] and not cells[-1]:
        cells = cells[:-1]
    return cells


def _is_row(cells: list[str]) -> bool:
    is_numbered = len(cells) in _WIDTHS and cells[0].isdecimal()
    return is_numbered and all(cell in OUTSIDE_TAGS or parse(cell) for cell in cells[2:])


def _has_chunks(rows: list[list[str]]) -> bool:
    return any(part is not None and part[1].upper() in CHUNKS for cells in rows for part in map(parse, cells[2:4]))


def _are_other_values(rows: list[list[str]]) -> bool:
    """Whether the last of four columns has values, but no tag among them, such as SpaceAfter=No."""
    values = {cells[3] for cells in rows if len(cells) == _WIDTHS[0]} - OUTSIDE_TAGS
    return bool(values) and not any(map(parse, values))


def _are_repeated(rows: list[list[str]]) -> bool:
    """Whether most inner tags are the outer ones again."""
    inner = [cells for cells in rows if len(cells) == _WIDTHS[0] and cells[3] not in OUTSIDE_TAGS]
    return 2 * sum(cells[2] == cells[3] for cells in inner) > len(inner)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of two levels for each entry of `columns`."""
    number, tabs, width = _first_row(source)
    layout = Layout(tabs, width, number, token=1, hash_comments=True)
    if width == 4 and len(columns) > 1:
        raise source.error(
            number, "found 4 columns where gold and prediction need 6", "give the prediction as a second file"
        )
    defaults = _DEFAULTS[width] | ({"spans": _DEFAULTS[width]["gold"]} if settings.side == "gold" else {})
    places = {layer: layout.places(source, wanted or defaults[layer]) for layer, wanted in columns.items()}
    return TableBatches(FORMAT.name, source, layout, places, settings, vocabulary)


def _first_row(source: Source) -> tuple[int, bool, int]:
    """The line of the first token, whether it has tabs, and how many columns, empty ones at its end aside."""
    rows = (row for row in rows_of(source, passes_comments=True) if not row[2][0].startswith("#"))
    number, tabs, cells = next(rows, (None, False, []))
    if number is None:
        raise source.error(None, "the file has no tokens", "check how it was written")
    if source.delimiter is not None and not tabs:
        finding = f"there is no {source.delimiter!r} between columns"
        raise source.error(number, finding, "name another --delimiter, or leave it out for tabs and blanks", "columns")
    width = _WIDTHS[1] if len(cells) >= _WIDTHS[1] else _WIDTHS[0]
    if len(cells) < width or any(cells[width:]):
        remedy = "give the columns index, token, outer and inner tag, or these and the predicted two"
        raise source.error(
            number, f"found {counted(len(cells), 'column')} where GermEval has 4 or 6", remedy, "columns"
        )
    return number, tabs, width


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Number, token, outer and inner tag, with tabs between."""
    for number, batch in enumerate(batches):
        columns = [tags.to_list() for tags in level_tags(batch, conversion.encoding, 2)]
        yield from sentence_rows(batch, columns, first=not number, numbered=True)


FORMAT = Format(
    "germeval",
    "number, token, outer and inner tag; with the predicted two, six columns",
    tasks=("spans", "tags"),
    read=read,
    writes={"spans": Writing(Carry(characters=False, gaps=False, tags=True, depth=2, documents="none"), write)},
    recognise=recognise,
    is_table=True,
    has_columns=True,
    division=replace(SENTENCES, columns=lambda settings: len(settings.columns) or 2),
)
