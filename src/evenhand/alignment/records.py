"""Match the answers of a system to the documents of a gold standard of records: by id, else by order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evenhand.alignment.documents import AlignmentIssues, DocumentsByName, Naming, Open, names_of
from evenhand.alignment.parts import Batches, Follower
from evenhand.data.annotation import Annotation
from evenhand.data.structures import Records
from evenhand.errors import InputError, SettingError, counted
from evenhand.settings import RECORDS

NO_ANSWER = object()
"""In place of the answer to a document that a system lacks."""


class RecordFollower(Follower):
    """Reads the answers of a system; those that come too early wait."""

    issues: AlignmentIssues

    def __init__(self, batches: Iterator[Annotation], sides: tuple[Open, Open]) -> None:
        """`sides` open system and gold standard again, if their order differs."""
        self.issues, self._source, self._size = AlignmentIssues(), "", 0
        naming = Naming(
            names_of, lambda corpus: corpus.ids is None, may_repeat=False, remedy="", mismatch=self._mismatch
        )
        self._documents = DocumentsByName(map(self._receive, batches), sides, naming, self.issues)

    def take(self, gold: Batches) -> list[object]:
        """The answers to the next documents."""
        answers: list[object] = []
        for batch in gold:
            for piece in self._documents.pieces(names_of(batch.corpus)):
                if isinstance(piece, str):
                    answers.append(NO_ANSWER)
                else:
                    answers += records_of(piece.batch).values[piece.first : piece.first + piece.size]
        self._size += len(answers)
        return answers

    def finish(self) -> None:
        self._documents.finish()
        if "" in self.issues.missing or "" in self.issues.extra:
            raise self._wrong_number(self._size, self._size - len(self.issues.missing) + len(self.issues.extra))

    def _mismatch(self, system: Counter[str], gold: Counter[str]) -> InputError:
        """The error for documents of which no id is shared."""
        if "" in system or "" in gold:
            return self._wrong_number(gold.total(), system.total())
        return InputError(self._source, None, "no id matches gold", "check that this is the right file", "document")

    def _wrong_number(self, expected: int, number: int) -> InputError:
        finding = f"expected {counted(expected, 'document')} as in gold, got {number:,}"
        return InputError(self._source, None, finding, "without ids, the numbers must be equal", "document")

    def _receive(self, batch: Annotation) -> Annotation:
        records_of(batch)
        reading, self._source = batch.readings[RECORDS], batch.corpus.source
        self.reading = self.reading.plus(reading) if self.reading else reading
        return batch


def records_of(batch: Annotation) -> Records:
    """The records of a batch."""
    layer = batch.layers.get(RECORDS)
    if not isinstance(layer, Records):
        raise SettingError(f"{batch.corpus.source} has no records; use a file that has some.")
    return layer
