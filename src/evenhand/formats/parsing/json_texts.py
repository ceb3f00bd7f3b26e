"""Texts with spans from JSON lines that are all spelled alike: from columns to layers."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.json_columns import Columns, Matcher, OddError
from evenhand.formats.parsing.json_spelling import Spelling, learn
from evenhand.formats.source import Block
from evenhand.settings import Offsets
from evenhand.text.characters import Texts
from evenhand.text.codes import CellCodes
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.tokens import Tokens


@dataclass(frozen=True)
class AlikeBatch:
    """The texts of a block that were not rejected, and their spans."""

    texts: Texts
    spans: Spans
    ids: Tokens | None
    rows: Ints
    """Which records of the block these are."""
    rejected: int


class AlikeTexts:
    """Reads blocks of records that are spelled alike; it remembers how, and the codes of labels."""

    def __init__(self, vocabulary: Vocabulary, offsets: Offsets) -> None:
        self._vocabulary, self._offsets = vocabulary, offsets
        self._spelling: Spelling | None = None
        self._scratch = np.empty(0, dtype=np.uint8)
        self._cells = CellCodes()
        self._labels: list[int] = []
        """For each cell of a label, its code in the vocabulary."""

    def read(self, block: Block) -> AlikeBatch | None:
        """What a block holds, or None if it has anything for which the decoder is needed, or a message."""
        if len(self._scratch) < block.size:
            self._scratch = np.empty(block.size, dtype=np.uint8)
        self._spelling = self._spelling or learn(block)
        if self._spelling is None:
            return None
        try:
            columns = Matcher(block, self._scratch).columns(self._spelling)
            block.has_lines(len(columns.items))
            return self._batch(columns)
        except OddError:
            # The next block may be spelled in another way.
            self._spelling = None
            return None

    def _batch(self, columns: Columns) -> AlikeBatch:
        kept = columns.is_accepted
        columns = columns if kept.all() else columns.of_records(kept)
        texts = Texts.within(columns.data, *columns.text, self._offsets, has_controls=columns.has_escapes)
        scope = np.repeat(np.arange(len(columns.items)), columns.items)
        start, end = (texts.places(scope, columns.counts[side]) for side in ("start", "end"))
        if not ((start >= 0) & (end > start)).all():
            raise OddError
        spans = Spans.of(self._vocabulary, scope, start, end, self._codes(columns), columns.counts.get("level"))
        rows = np.flatnonzero(kept)
        ids = None if columns.id is None else Tokens(columns.data, *columns.id)
        return AlikeBatch(texts, spans, ids, rows, len(kept) - len(rows))

    def _codes(self, columns: Columns) -> Ints:
        data, label = columns.data, columns.label
        cells, new = self._cells(data, *label, columns.label_window)
        names = [data[label[0][row] : label[1][row]].decode() for row in new]
        # All of them are noted before anything is refused: their cells have their codes already.
        self._labels += [self._vocabulary.labels.code(name) for name in names]
        if (label[0] == label[1]).any():
            raise OddError
        return ints(self._labels)[cells]
