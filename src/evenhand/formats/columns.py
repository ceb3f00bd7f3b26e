"""CoNLL-style column files: one token a line, a blank line between sentences, tags in one or several columns.

The number of columns is that of the first line with a token. A line that begins with `#` and has another number of
columns is a comment; a line whose first cell is `-DOCSTART-`, or that with a name, begins a document. One column means
tags without tokens. See `table_head` for what else the first lines show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.parsing.layout import TableBatches
from evenhand.formats.parsing.scan import SENTENCES
from evenhand.formats.parsing.table_head import layout_of, rows_of, tag_columns
from evenhand.formats.parsing.token_lines import Layout
from evenhand.formats.source import Source
from evenhand.formats.write_table import sentence_rows, stacked_tags
from evenhand.problems import SettingError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.tag_table import looks_plain

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_GIVE_SYSTEM = "give the system's file beside it, or name both columns with --column"
_DEFAULTS = {"spans": -1, "gold": -2, "system": -1}


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of spans for each entry of `columns`."""
    named = [column for wanted in columns.values() for column in wanted]
    weights = () if settings.weight is None else (settings.weight,)
    layout = layout_of(source, [*named, *weights, *settings.extra])
    if settings.task == "tags" and len(named) > 1:
        raise SettingError("Tags of words are scored one column at a time; name a single --column.")
    if len(columns) > 1 and not named:
        _check_two_columns_of_tags(source, layout)
    weighed = layout.places(source, weights)
    places = {
        layer: layout.places(source, wanted) if wanted else (_default(source, layout, layer, weighed),)
        for layer, wanted in columns.items()
    }
    elsewhere = partial(_elsewhere, source, layout, places)
    return TableBatches(FORMAT.name, source, layout, places, settings, vocabulary, elsewhere)


def _elsewhere(source: Source, layout: Layout, places: Mapping[str, tuple[int, ...]]) -> str:
    """Which other columns look like tags, for a user whose tags are not where they were looked for."""
    chosen = {place for each in places.values() for place in each}
    others = [place + 1 for place in tag_columns(source, layout) if place not in chosen]
    return f"choose the column of tags, such as --column {others[-1]}" if others else ""


def _default(source: Source, layout: Layout, layer: str, taken: tuple[int, ...]) -> int:
    """The column of a layer that the user did not name: one of the last that are not taken for something else.

    It is an error if a header has several to choose from.
    """
    free = [place for place in range(layout.filled) if place not in taken]
    names = [layout.names[place] for place in free if place != layout.token] if layout.names else []
    if len(names) > 1:
        finding = f"the header names several columns: {', '.join(names)}"
        raise source.error(layout.first_line, finding, "name the one with the tags with --column")
    if len(free) < -_DEFAULTS[layer]:
        finding = f"there is no column {_DEFAULTS[layer]}, this line has {len(free)} for tokens and tags"
        raise source.error(layout.first_line, finding, "name another column")
    return free[_DEFAULTS[layer]]


def _check_two_columns_of_tags(source: Source, layout: Layout) -> None:
    """Raise an error if the columns for gold and prediction hold something else: tokens, or labels beside tags."""
    if layout.filled < 2:
        raise source.error(layout.first_line, "found 1 column where gold and prediction need two", _GIVE_SYSTEM)
    rows = [cells for _, _, cells in islice(rows_of(source), 200) if len(cells) == layout.columns]
    gold, system = (looks_plain([cells[layout.filled - back] for cells in rows]) for back in (2, 1))
    if gold and (layout.filled == 2 or not system):
        what = "tokens" if layout.filled == 2 else "labels without prefixes"
        finding = f"the last two columns are for gold and prediction, but the first of them has {what}"
        raise source.error(layout.first_line, finding, _GIVE_SYSTEM)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Token and tag, with a tab between; the levels of nested spans stacked in one tag."""
    for number, batch in enumerate(batches):
        yield from sentence_rows(batch, [stacked_tags(batch, conversion.encoding)], first=not number)


def write_tags(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Word and tag."""
    for number, batch in enumerate(batches):
        yield from sentence_rows(batch, [batch.word_tags().to_list()], first=not number)


FORMAT = Format(
    "conll",
    "a token a line, tags in one or several columns",
    tasks=("spans", "tags"),
    read=read,
    writes={
        "spans": Writing(Carry(characters=False, gaps=False, tags=True, depth=1, stacks=True), write),
        "tags": Writing(Carry(columns=False, comments=False), write_tags),
    },
    suffixes=(".conll", ".bio", ".iob"),
    fallback=(None, "spans", "tags"),
    is_table=True,
    has_columns=True,
    division=SENTENCES,
)
