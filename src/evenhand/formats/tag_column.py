"""One column of tags, coded cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.formats.blocks import Cells
from evenhand.formats.grid import Grid
from evenhand.formats.marked import Marked
from evenhand.formats.source import Source
from evenhand.formats.tag_reader import Coded, TagReader, recognise_encoding
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Reading
from evenhand.text.codes import CellCodes
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags

Table = Cells | Grid | Marked
Sample = Iterator[tuple[Table, Corpus]]
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
    ) -> None:
        self._place = place
        parts = (_coded(CellCodes(), cells, place, corpus) for cells, corpus in sample)
        encoding = settings.encoding or recognise_encoding(parts)
        self._codes = CellCodes()
        named = f" in column {place + 1}" if is_one_of_many else ""
        self._reader = TagReader(source, settings, vocabulary, encoding, named)

    @property
    def levels(self) -> int:
        """How many levels the tags met so far have."""
        return self._reader.levels

    def read(self, cells: Table, corpus: Corpus) -> tuple[Tags, Spans, Reading]:
        """The tags of these tokens, the spans they spell, and what was repaired."""
        tags, spans, reading = self._reader.read(_coded(self._codes, cells, self._place, corpus))
        return tags, spans, replace(reading, column=str(self._place + 1))


def _coded(codes: CellCodes, cells: Table, place: int, corpus: Corpus) -> Coded:
    if isinstance(cells, Marked) and place == cells.columns - 1:
        found, names = codes.of_lines(cells.tagged)
        return Coded(names, found, corpus)
    start, end = cells.column(place)
    code, new = codes.mostly(cells.data, start, end)
    return Coded([cells.data[start[row] : end[row]].decode() for row in new], code, corpus)
