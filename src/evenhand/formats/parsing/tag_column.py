"""One column of tags, coded cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.tag_reader import Coded, TagReader, choose_encoding
from evenhand.formats.source import Source
from evenhand.limits import LimitError
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Reading
from evenhand.text.codes import CellCodes
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags

Sample = Iterator[tuple[Cells, Corpus]]
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
        elsewhere: Callable[[], str] = str,
    ) -> None:
        """`elsewhere` says where other tags are, for those who did not mean these."""
        self._place = place
        parts = (_coded(CellCodes(), cells, place, corpus) for cells, corpus in sample)
        where = f" in column {place + 1}"
        self.encoding = choose_encoding(source, settings, parts, where=where, remedy=elsewhere)
        self._codes = CellCodes()
        self._reader = TagReader(source, settings, vocabulary, self.encoding, where if is_one_of_many else "")

    @property
    def levels(self) -> int:
        """How many levels the tags met so far have."""
        return self._reader.levels

    def read(self, cells: Cells, corpus: Corpus) -> tuple[Tags, Spans, Reading]:
        """The tags of these tokens, the spans they spell, and what was repaired."""
        tags, spans, reading = self._reader.read(_coded(self._codes, cells, self._place, corpus))
        return tags, spans, replace(reading, column=str(self._place + 1))


def _coded(codes: CellCodes, cells: Cells, place: int, corpus: Corpus) -> Coded:
    start, end = cells.column(place)
    try:
        code, new = codes.mostly(cells.data, start, end)
    except LimitError as error:
        raise error.on_line(corpus.first_line, cells.data) from None
    return Coded([cells.data[start[row] : end[row]].decode() for row in new], code, corpus)
