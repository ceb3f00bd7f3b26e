"""Texts with spans from JSON lines that are all spelled alike: from columns to layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, Words, ints
from evenhand.dataclass import dataclass
from evenhand.formats.json_spans import has_prefix, quotes_same
from evenhand.formats.parsing.json_columns import Cells, Matcher, mask_of, word_of
from evenhand.formats.parsing.json_spelling import ACCEPTED, Spelling, learn
from evenhand.formats.parsing.json_strings import OddError
from evenhand.formats.source import Block
from evenhand.settings import Offsets
from evenhand.text.characters import Texts
from evenhand.text.codes import CellCodes
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.tokens import Tokens, equal


@dataclass(frozen=True)
class Columns:
    """The records of a block and their spans; a span's parts are in the order of all spans."""

    data: bytes
    text: Cells
    has_escapes: bool
    answer: Words | None
    """The first eight bytes from each answer on, where records have one."""
    items: Ints
    """How many spans each record has."""
    label: Cells
    label_window: Words
    """The first eight bytes from each label on."""
    quote: Cells | None
    """What spans quote, where they do."""
    id: Cells | None
    """The ids of records, where they have some."""
    counts: dict[str, Ints]
    """Where spans start and end, and maybe their levels."""

    @property
    def is_accepted(self) -> Bools:
        """Which records have an answer that keeps them, or none."""
        if self.answer is None:
            return np.ones(len(self.items), dtype=np.bool_)
        answers = [answer.encode() + b'"' for answer in ACCEPTED]
        found: Bools = np.any([self.answer & mask_of(each) == word_of(each) for each in answers], axis=0)
        return found

    def of_records(self, kept: Bools) -> Columns:
        """The same columns of some records only."""
        spans = np.repeat(kept, self.items)
        return replace(
            self,
            text=(self.text[0][kept], self.text[1][kept]),
            answer=None,
            items=self.items[kept],
            label=(self.label[0][spans], self.label[1][spans]),
            label_window=self.label_window[spans],
            quote=None if self.quote is None else (self.quote[0][spans], self.quote[1][spans]),
            id=None if self.id is None else (self.id[0][kept], self.id[1][kept]),
            counts={name: column[spans] for name, column in self.counts.items()},
        )

    @staticmethod
    def of(matcher: Matcher, spelling: Spelling) -> Columns:
        """The columns of a block."""
        items = matcher.fill(spelling)
        strings = [matcher.strings["text"], *([matcher.strings["quote"]] if "quote" in matcher.strings else ())]
        data, (text, *quotes), quoted = matcher.unescaped(*strings)
        matcher.check_texts(spelling, items, quoted)
        return Columns(
            data=data,
            text=text,
            has_escapes=matcher.has_escapes,
            answer=matcher.windows.get("answer"),
            items=items,
            label=matcher.strings["label"],
            label_window=matcher.windows["label"],
            quote=next(iter(quotes), None),
            id=matcher.strings.get("id"),
            counts=matcher.counts,
        )


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
        self._labels = LabelCodes(vocabulary)

    def read(self, block: Block) -> AlikeBatch | None:
        """What a block holds, or None if it has anything for which the decoder is needed, or a message."""
        self._spelling = self._spelling or learn(block)
        if self._spelling is None:
            return None
        try:
            columns = Columns.of(Matcher(block), self._spelling)
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
        if columns.quote is not None:
            _check_quotes(columns.data, columns.quote, texts, scope, columns.counts)
        label = self._labels(columns.data, columns.label, columns.label_window)
        spans = Spans.of(self._vocabulary, scope, start, end, label, columns.counts.get("level"))
        rows = np.flatnonzero(kept)
        ids = None if columns.id is None else Tokens(columns.data, *columns.id)
        return AlikeBatch(texts, spans, ids, rows, len(kept) - len(rows))


def _check_quotes(data: bytes, quote: Cells, texts: Texts, scope: Ints, counts: dict[str, Ints]) -> None:
    """Leave to the decoder what is not quoted as the text has it; it finds out how offsets count, or says it."""
    begin, end = (texts.bytes_before(scope, counts[side]) for side in ("start", "end"))
    same = equal(Tokens(data, begin, end), Tokens(data, *quote))
    for row in np.flatnonzero(~same).tolist():
        held, quoted = data[begin[row] : end[row]], data[quote[0][row] : quote[1][row]]
        if quoted.strip() and not quotes_same(held.decode(), quoted.decode()):
            raise OddError


class LabelCodes:
    """The codes of labels in a vocabulary, by their bytes."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._cells = CellCodes()
        self._codes: list[int] = []
        """For each cell of a label, its code in the vocabulary."""
        self._are_tags = False
        """Whether a label looks like a tag of a token."""

    def __call__(self, data: bytes, label: Cells, first: Words) -> Ints:
        """The code of each label; `first` are the windows of their first bytes. None may be empty."""
        cells, new = self._cells(data, *label, first)
        names = [data[label[0][row] : label[1][row]].decode() for row in new]
        # All of them are noted before anything is refused: their cells have their codes already.
        self._codes += [self._vocabulary.labels.code(name) for name in names]
        self._are_tags = self._are_tags or any(map(has_prefix, names))
        if self._are_tags or (label[0] == label[1]).any():
            raise OddError
        return ints(self._codes)[cells]
