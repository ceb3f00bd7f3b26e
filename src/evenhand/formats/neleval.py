"""Tables of neleval: a link a line, with document, start and end, and identifier, score and type of each candidate.

`doc⇥0⇥4⇥Q90⇥0.9⇥LOC⇥Q167646⇥0.1⇥LOC`: offsets count from 0, and the end is the last character. Candidates are ranked
by their scores; where these are equal, as they stand. The type is that of the first one. Score and type may be missing
of a single candidate. A line without candidates is NIL, as in neleval. Lines of a document need not stand together. The
text is not in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.arrays import ints
from evenhand.formats.link_formats import NELEVAL
from evenhand.formats.source import Source
from evenhand.problems import counted
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.link_names import LAYER, NIL, NO_TYPE
from evenhand.text.links import Link

_NUMBER = re.compile(r"[0-9]{1,15}")
_REMEDY = "write document, start, last character, and identifier, score and type of candidates, with tabs between"
Row = tuple[int, str, int, int, str, Link]
"""Line, document, start, end behind the last character, label and link."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The table as one batch, as the lines of a document may stand anywhere."""
    rows = list(_rows(source, settings.block_size))
    if not rows:
        raise source.error(None, "the file has no links", "check how it was written")
    first: dict[str, int] = {}
    for line, document, *_ in rows:
        first.setdefault(document, line)
    number = {name: at for at, name in enumerate(first)}
    corpus = Corpus(
        source=source.shown,
        sentences=len(first),
        lines=ints(list(first.values())),
        atoms="characters",
        documents=np.arange(len(first)),
        names=tuple(first),
    )
    rows.sort(key=lambda row: number[row[1]])
    _, documents, start, end, labels, links = zip(*rows, strict=True)
    spans = Spans(
        vocabulary,
        ints([number[name] for name in documents]),
        ints(start),
        ints(end),
        ints([vocabulary.labels.code(name) for name in labels]),
        *(np.zeros(len(rows), dtype=np.int64),) * 2,
        ints([vocabulary.extras.code(link) for link in links]),
    )
    yield Annotation(corpus, {LAYER: spans}, {LAYER: Reading(NELEVAL.name)}, source.name)


def _rows(source: Source, size: int) -> Iterator[Row]:
    for block in source.blocks(size, cut_behind="line"):
        lines = block.data[: block.size].decode().split("\n")
        for number, line in enumerate(lines, block.first_line):
            cells = line.rstrip("\r\n\t ").split("\t")
            if cells == [""]:
                continue
            row = _row(number, cells)
            if isinstance(row, str):
                source.report(number, row, _REMEDY, "columns")
            else:
                yield row


def _row(number: int, cells: Sequence[str]) -> Row | str:
    """A line taken apart, or what is wrong with it."""
    document, *bounds = cells[:3]
    if len(cells) < 3 or not document or not all(_NUMBER.fullmatch(cell) for cell in bounds):
        return f"{' '.join(cells)[:80]!r} has no document with start and end"
    start, last = map(int, bounds)
    if last < start:
        return f"the link from {start} to {last} ends before it begins"
    candidates = cells[3:]
    if len(candidates) > 2 and len(candidates) % 3:
        return f"found {counted(len(candidates), 'cell')} behind the end, where each candidate has three"
    triples = [candidates[at : at + 3] for at in range(0, len(candidates), 3)]
    try:
        ranked = sorted(triples, key=lambda cell: -float(cell[1]) if len(cell) > 1 and cell[1] else 0.0)
    except ValueError:
        return f"found a score that is no number in {' '.join(candidates)[:80]!r}"
    if not all(cell[0].strip() for cell in ranked):
        return "a candidate has no identifier"
    label = ranked[0][2].strip() if ranked and len(ranked[0]) > 2 else ""
    names = tuple(cell[0].strip() for cell in ranked) or (NIL,)
    return number, document, start, last + 1, label or NO_TYPE, Link(names)
