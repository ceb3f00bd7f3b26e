"""Match the answers of a system to the documents of a gold standard of records: by id, else by order."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.alignment.documents import AlignmentIssues, Open
from evenhand.alignment.parts import Batches, Follower
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Records
from evenhand.errors import InputError, SettingError, counted
from evenhand.settings import RECORDS

NO_ANSWER = object()
"""In place of the answer to a document that a system lacks."""


class RecordFollower(Follower):
    """Reads the answers of a system; those that come too early wait."""

    issues: AlignmentIssues

    def __init__(self, batches: Iterator[Annotation], sides: tuple[Open, Open]) -> None:
        """`sides` open system and gold standard again, to count documents for messages."""
        self._batches, self._sides, self.issues = batches, sides, AlignmentIssues()
        self._waiting: dict[str, object] = {}
        self._rows: list[object] = []
        """Answers in order, if documents have no ids."""
        self._source, self._matched, self._by_order = "", 0, False

    def take(self, gold: Batches) -> list[object]:
        """The answers to the next documents."""
        answers: list[object] = []
        for batch in gold:
            ids = document_ids(batch.corpus)
            if ids is None or self._is_without_ids():
                self._by_order = True
                answers += self._next_rows(batch.corpus.sentences)
            else:
                answers += map(self._answer, ids)
        return answers

    def finish(self) -> None:
        while self._read():
            pass
        if self._rows and self._by_order:
            raise self._wrong_number()
        if self._waiting and not self._matched and not self._by_order:
            raise InputError(self._source, None, "no id matches gold", "check that this is the right file", "document")
        self.issues.extra += self._waiting

    def _is_without_ids(self) -> bool:
        if not self._rows and not self._waiting and not self._matched:
            self._read()
        return bool(self._rows)

    def _answer(self, identifier: str) -> object:
        while identifier not in self._waiting and self._read():
            pass
        if identifier not in self._waiting:
            self.issues.missing.append(identifier)
            return NO_ANSWER
        self._matched += 1
        return self._waiting.pop(identifier)

    def _next_rows(self, size: int) -> list[object]:
        while len(self._rows) < size and self._read():
            self._rows += self._waiting.values()
            self._waiting.clear()
        self._rows += self._waiting.values()
        self._waiting.clear()
        if len(self._rows) < size:
            raise self._wrong_number()
        taken, self._rows = self._rows[:size], self._rows[size:]
        return taken

    def _wrong_number(self) -> InputError:
        number, expected = (sum(batch.corpus.sentences for batch in open_side()) for open_side in self._sides)
        finding = f"expected {counted(expected, 'document')} as in gold, got {number:,}"
        return InputError(self._source, None, finding, "without ids, the numbers must be equal", "document")

    def _read(self) -> bool:
        """Read the next batch, if there is one."""
        batch = next(self._batches, None)
        if batch is None:
            return False
        layer, reading = records_of(batch), batch.readings.get(RECORDS)
        if reading is not None:
            self.reading = self.reading.plus(reading) if self.reading else reading
        self._source = batch.corpus.source
        ids = document_ids(batch.corpus)
        if ids is None:
            self._rows += layer.values
        else:
            self._waiting.update(zip(ids, layer.values, strict=True))
        return True


def records_of(batch: Annotation) -> Records:
    """The records of a batch."""
    layer = batch.layers.get(RECORDS)
    if not isinstance(layer, Records):
        raise SettingError(f"{batch.corpus.source} has no records; give a file that has some.")
    return layer


def document_ids(corpus: Corpus) -> list[str] | None:
    """The ids of documents, if they have any."""
    return None if corpus.ids is None else corpus.ids.texts(0, corpus.sentences)
