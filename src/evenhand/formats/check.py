"""Checking files: every problem that reading and aligning would meet, not only the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.formats.read import file_batches
from evenhand.formats.source import Source
from evenhand.problems import InputError, Problem
from evenhand.settings import Align, ReadSettings
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.characters import same_atoms
from evenhand.text.labels import Vocabulary


@dataclass
class Checked:
    """What a check found: the problems by line, and the file in figures as far as it could be read."""

    problems: list[Problem]
    reading: Reading | None = None
    sentences: int = 0
    spans: int = 0

    def add(self, batch: Annotation) -> None:
        self.sentences += batch.corpus.sentences
        self.spans += len(batch.spans())
        reading = batch.readings["spans"]
        self.reading = self.reading.plus(reading) if self.reading else reading


def check(path: Path, settings: ReadSettings, against: Path | None = None, align: Align = "strict") -> Checked:
    """All problems of a file; with `against`, also whether its text is that of another file, which needs no tags."""
    problems: list[Problem] = []
    source = Source(path, problems)
    found = Checked(problems)
    try:
        batches = file_batches(source, settings, Vocabulary(), {"spans": settings.columns})
        watched = _watched(batches, found)
        if against is None:
            for _ in watched:
                pass
        else:
            _compare(watched, against, settings, align)
    except InputError as error:
        problems.append(error.problem)
    # A reader looks at the first lines more than once.
    found.problems = sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
    return found


def _watched(batches: Iterator[Annotation], found: Checked) -> Iterator[Annotation]:
    for batch in batches:
        found.add(batch)
        yield batch


def _compare(batches: Iterator[Annotation], against: Path, settings: ReadSettings, align: Align) -> None:
    """Raise an error where the text of `batches` is not that of the other file; read them to the end in any case."""
    source = Source(against)
    texts = file_batches(source, ReadSettings(offsets=settings.offsets), Vocabulary(), {})
    batches, texts = same_atoms([batches, texts], align)
    feed = Feed(batches, by_position=align == "position")
    try:
        for text in texts:
            feed.take(text.corpus)
        feed.finish(text.corpus)
    finally:
        for _ in batches:
            pass
