"""Who is told how files are read: what each was taken for, and how many of its bytes are read.

Nobody is, unless somebody asks: a command that shows its progress does. Other processes that read parts of files have
nobody to tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any, Protocol

from evenhand.formats.addresses import Place
from evenhand.text.annotation import Annotation


class Watcher(Protocol):
    def taken(self, name: str, batch: Annotation) -> None:
        """The first batch of a side says what its files were taken for."""

    def reached(self, file: Path, place: int) -> None:
        """So many bytes of a file are read, as it stands on the disk."""


_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let somebody know of all that is read."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def open_watched(place: Place) -> BufferedReader:
    """A file to read bytes from."""
    watcher = _WATCHER.get()
    if watcher is None or not isinstance(place, Path):
        return place.open("rb")
    return BufferedReader(_Followed(place, watcher))


class _Followed(FileIO):
    """A file that tells how far it is read."""

    def __init__(self, path: Path, watcher: Watcher) -> None:
        super().__init__(path)
        self._path, self._watcher = path, watcher

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._watcher.reached(self._path, self.tell())
        return count


def told(name: str, batches: Iterator[Annotation]) -> Iterator[Annotation]:
    """The batches of a side; the first is shown to whoever watches."""
    is_first = True
    for batch in batches:
        watcher = _WATCHER.get()
        if is_first and watcher is not None:
            watcher.taken(name, batch)
        is_first = False
        yield batch
