"""GermEval 2014: index, token, outer and inner tag; with six columns also predicted outer and inner tag.

Tabs separate columns. A line that begins with `#` tells where the next sentence is from. The two columns of tags are
two levels; in a file with six columns the last two are read unless others are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from evenhand.formats.layout import TableBatches, rows_of, rows_of_block
from evenhand.formats.source import Block, Source
from evenhand.formats.token_lines import Layout
from evenhand.formats.write_table import level_tags, sentence_rows
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.encodings import OUTSIDE_TAGS, parse
from evenhand.text.labels import Vocabulary

NAME = "germeval"
_WIDTHS = (4, 6)
_DEFAULTS: dict[int, Columns] = {
    4: {"spans": (3, 4), "gold": (3, 4), "system": (3, 4)},
    6: {"spans": (5, 6), "gold": (3, 4), "system": (5, 6)},
}


def recognise(sample: Block) -> bool:
    """Whether the first tokens have a number, a word and two or four tags, with tabs between."""
    if b"\t" not in sample.data:
        return False
    rows = (cells for _, tabs, cells in rows_of_block(sample) if tabs and not cells[0].startswith("#"))
    first = list(islice(rows, 20))
    return bool(first) and all(map(_is_row, first))


def _is_row(cells: list[str]) -> bool:
    while len(cells) > _WIDTHS[0] and not cells[-1]:
        cells = cells[:-1]
    tags = [cell for cell in cells[2:] if cell in OUTSIDE_TAGS or parse(cell)]
    return len(cells) in _WIDTHS and cells[0].isdecimal() and len(tags) == len(cells) - 2


def batches(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of two levels for each entry of `columns`."""
    number, width = _first_row(source)
    layout = Layout(True, width, number, token=1, hash_comments=True)
    if width == 4 and len(columns) > 1:
        raise source.error(
            number, "found 4 columns where gold and prediction need 6", "give the prediction as a second file"
        )
    places = {layer: layout.places(source, wanted or _DEFAULTS[width][layer]) for layer, wanted in columns.items()}
    return TableBatches(NAME, source, layout, places, settings, vocabulary)


def _first_row(source: Source) -> tuple[int, int]:
    """The line of the first token, and how many columns it has, empty ones at its end aside."""
    rows = (row for row in rows_of(source) if not row[2][0].startswith("#"))
    number, tabs, cells = next(rows, (None, False, []))
    if number is None:
        raise source.error(None, "the file has no tokens", "check how it was written")
    if not tabs:
        mark = "tab" if source.delimiter is None else repr(source.delimiter)
        remedy = "separate them with tabs, or name their --delimiter (evenhand germeval)"
        raise source.error(number, f"there is no {mark} between columns", remedy, "columns")
    width = _WIDTHS[1] if len(cells) >= _WIDTHS[1] else _WIDTHS[0]
    if len(cells) < width or any(cells[width:]):
        remedy = "give the columns index, token, outer and inner tag, or these and the predicted two"
        raise source.error(number, f"found {len(cells)} columns where GermEval has 4 or 6", remedy, "columns")
    return number, width


def write(annotation: Annotation, encoding: str, *, first: bool = True) -> Iterator[str]:
    """Number, token, outer and inner tag, with tabs between."""
    return sentence_rows(annotation, level_tags(annotation, encoding, 2), first=first, numbered=True)
