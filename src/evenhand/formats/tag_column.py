"""One column of tags: which encoding it is in, the tags met so far, and the spans they spell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Ints
from evenhand.formats.blocks import Cells
from evenhand.formats.codes import CellCodes
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings
from evenhand.text import encodings
from evenhand.text.annotation import Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tag_table import TagTable, looks_plain

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
    ) -> None:
        self._source = source
        self._place = place
        self._repair = settings.repair
        self._named = settings.encoding is not None
        self._encoding, self._plain = settings.encoding or "iob2", settings.encoding == "plain"
        self._begin(vocabulary)
        if not self._named:
            self._recognise(sample)
            self._begin(vocabulary)

    @property
    def levels(self) -> int:
        """How many levels the tags met so far have."""
        return self._table.levels

    def read(self, cells: Cells, corpus: Corpus) -> tuple[Tags, Spans, Reading]:
        """The tags of these tokens, the spans they spell, and what was repaired."""
        assert corpus.bounds is not None
        code = self._code(cells, corpus)
        decoded = self._table.decode(code, corpus.bounds, self._encoding, self._repair)
        first = None
        if len(decoded.ill_formed):
            first = self._report_ill_formed(corpus, code, decoded.ill_formed)
        reading = Reading(
            encoding=self._encoding,
            column=str(self._place + 1),
            repaired=len(decoded.ill_formed),
            first_repair=first,
        )
        return Tags(code, tuple(self._table.names)), decoded.spans, reading

    def _report_ill_formed(self, corpus: Corpus, code: Ints, tokens: Ints) -> str:
        """Raise or collect the ill-formed spans that begin with these tokens, if they are problems; where the first is."""
        places = [(corpus.line(token), self._table.names[int(code[token])]) for token in np.sort(tokens).tolist()]
        if self._repair == "error" or self._source.problems is not None:
            for line, tag in places:
                finding = f"the span that begins here with {tag!r} is ill-formed in {self._encoding.upper()}"
                remedy = "mend it, or choose --repair begin or discard"
                self._source.report(line, finding, remedy, "ill-formed span")
        return f"line {places[0][0]}, {places[0][1]!r}"

    def _begin(self, vocabulary: Vocabulary) -> None:
        self._codes = CellCodes()
        self._bad: dict[int, tuple[str, str]] = {}
        self._table = TagTable(vocabulary, plain=self._plain)

    def _recognise(self, sample: Sample) -> None:
        """Take the encoding from the first block that has a span; without any span, it does not matter."""
        for cells, corpus in sample:
            start, end = cells.column(self._place)
            names = [cells.text(self._place, row) for row in CellCodes()(cells.data, start, end)[1]]
            self._plain = looks_plain(names)
            self._encoding = "plain" if self._plain else "bioes"
            self._begin(Vocabulary())
            code = self._code(cells, corpus)
            if not self._table.prefixes():
                continue
            if not self._plain:
                assert corpus.bounds is not None
                starts = corpus.bounds[:-1]
                found = [self._table.segments(code, starts, level) for level in range(self._table.levels)]
                self._encoding = encodings.recognise(self._table.prefixes(), found)
            return
        self._encoding, self._plain = "iob2", False

    def _code(self, cells: Cells, corpus: Corpus) -> Ints:
        """The codes of the tags of these tokens; new tags join the table."""
        code, new = self._codes(cells.data, *cells.column(self._place))
        for row in new:
            tag = cells.text(self._place, row)
            remedy = "mend it, or name the encoding (--encoding plain for labels without prefixes)"
            finding = self._table.add(tag)
            if finding is None and self._table.prefixes() - encodings.allowed(self._encoding):
                how = "named" if self._named else "recognised from the first lines"
                finding = f"the tag {tag!r} does not occur in {self._encoding.upper()}, the encoding {how}"
                remedy = "name the file's encoding with --encoding"
            if finding is not None:
                self._bad[int(code[row])] = finding, remedy
        for bad, (finding, remedy) in self._bad.items():
            for row in np.flatnonzero(code == bad).tolist():
                self._source.report(corpus.line(row), finding, remedy, "tag")
        return code
