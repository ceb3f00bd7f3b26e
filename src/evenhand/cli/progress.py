"""How far a command is: a line on a terminal, for work that takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from evenhand.cli.ending import wiped_before
from evenhand.cli.inputs import noted_inputs
from evenhand.cli.output import say_reading

if TYPE_CHECKING:
    from evenhand.formats.addresses import Place
    from evenhand.formats.folders import FileList
    from evenhand.text.annotation import Annotation

_PATIENCE = 1.0
"""For how many seconds nothing is shown."""
_PAUSE = 0.1
"""How many seconds pass before the line is shown anew."""
_BAR = 30
_MEGABYTE = 1e6


class Line:
    """A line of a terminal that is shown anew, and wiped when something else is to be shown."""

    def __init__(self) -> None:
        self._begin, self._last, self._width = monotonic(), 0.0, 0

    @property
    def is_due(self) -> bool:
        """Whether it is time to show it."""
        now = monotonic()
        return now - self._begin >= _PATIENCE and now - self._last >= _PAUSE

    def show(self, text: str) -> None:
        self._write(f"\r{text}{' ' * (self._width - len(text))}")
        self._width, self._last = len(text), monotonic()

    def wipe(self) -> None:
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def _line(*, quiet: bool) -> Iterator[Line | None]:
    """A line on the terminal; None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    line = Line()
    with wiped_before(line.wipe):
        try:
            yield line
        finally:
            line.wipe()


@contextmanager
def counter(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """What takes the number of things that are done and that of all; None where nobody would see it."""
    with _line(quiet=quiet) as line:
        if line is None:
            yield None
            return

        def count(done: int, of: int) -> None:
            if line.is_due:
                line.show(f"{done:,} of {of:,} {what}")

        yield count


class ReadingProgress:
    """Shows how much of all files is read, and says what they are taken for."""

    def __init__(self, line: Line | None, inputs: Sequence[Place | FileList], *, says: bool) -> None:
        self._line, self._inputs, self._says = line, inputs, says
        self._reached: dict[Path, int] = {}

    @cached_property
    def _size(self) -> int | None:
        """The size of all inputs; None where some are not on this machine, or no files."""
        from evenhand.formats.folders import files_of

        files: list[Place | FileList] = []
        for each in self._inputs:
            files += files_of(each) or [each]
        if not all(isinstance(file, Path) and file.is_file() for file in files):
            return None
        return sum(file.stat().st_size for file in files if isinstance(file, Path))

    def taken(self, name: str, batch: Annotation) -> None:
        for reading in batch.readings.values() if self._says else ():
            say_reading(name, reading)

    def reached(self, file: Path, place: int) -> None:
        self._reached[file] = max(place, self._reached.get(file, 0))
        if self._line is not None and self._line.is_due:
            done = sum(self._reached.values())
            self._line.show(f"{done / _MEGABYTE:,.1f} MB read" if self._size is None else _bar(done, self._size))


def _bar(done: int, size: int) -> str:
    """A bar that is full when all is read; of a file that grows, there may be more."""
    full = min(_BAR * done // max(size, 1), _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}] {done / _MEGABYTE:,.1f} of {size / _MEGABYTE:,.1f} MB read"


@contextmanager
def watched_reading(*, quiet: bool, says: bool) -> Iterator[None]:
    """Show how much of the command's files is read; `says` where it is also said what they are taken for."""
    from evenhand.formats.watching import watched_by

    with _line(quiet=quiet) as line, watched_by(ReadingProgress(line, noted_inputs(), says=says and not quiet)):
        yield
