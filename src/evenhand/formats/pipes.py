"""What can be read once only, as files that can be read again: standard input, named pipes and devices.

Files are looked at more than once: to recognise the format, its columns and its encoding. So what comes through a pipe
is kept: the first 16 MB in memory, all of it in a temporary file when it is more. Nothing is fetched before a reader
asks for it.
"""

from __future__ import annotations

import atexit
import errno
import os
import stat
import sys
import weakref
from io import BufferedReader
from pathlib import Path
from select import select
from threading import Lock
from typing import Any

from evenhand.formats.streams import stream

STANDARD_INPUT = Path("-")
_IN_MEMORY = 1 << 24
_BLOCK = 1 << 18


class Kept:
    """What was read from a pipe so far, and the pipe."""

    def __init__(self, file: BufferedReader) -> None:
        self._file, self._is_read, self._lock = file, False, Lock()
        from tempfile import SpooledTemporaryFile  # slow to load, and files are no pipes

        self._kept = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        self._size = 0
        weakref.finalize(self, self._kept.close)

    def read(self, place: int, size: int) -> bytes:
        """Up to so many bytes from a place on; none at the end."""
        with self._lock:
            while place >= self._size and not self._is_read:
                more = self._file.read1(_BLOCK)
                self._is_read = not more
                self._kept.seek(self._size)
                self._kept.write(more)
                self._size += len(more)
            self._kept.seek(place)
            return self._kept.read(size)

    def renewed(self) -> Kept:
        """This, or what comes next, where all was read and somebody has begun to write to the pipe again."""
        is_over = self._is_read and bool(select([self._file], [], [], 0)[0]) and bool(self._file.peek(1))
        return Kept(self._file) if is_over else self


def is_pipe(path: Any) -> bool:
    """Whether what is there is neither a file nor a folder on a disk, so that it can be read once only."""
    if path == STANDARD_INPUT:
        return True
    found = status_at(path)
    return found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def status_at(path: Any) -> os.stat_result | None:
    """What the system says of a path; None where nothing is there, or it is not on this machine."""
    try:
        return os.stat(path) if isinstance(path, Path) else None
    except (OSError, ValueError):
        return None


def open_pipe(path: Path) -> BufferedReader:
    """What comes through a pipe, from its first byte on, however often it is opened."""
    return stream(_kept(path).read)


_KEPT: dict[Path, tuple[Any, Kept]] = {}
"""The pipes that were opened, by their paths, each with what tells it from another one at the same path."""


def _kept(path: Path) -> Kept:
    identity: Any = sys.stdin
    if path != STANDARD_INPUT:
        status = path.stat()
        identity = (status.st_dev, status.st_ino, status.st_rdev)
    known, kept = _KEPT.get(path, (None, None))
    if kept is None or known != identity:
        kept = Kept(_opened(path))
    elif path != STANDARD_INPUT:
        kept = kept.renewed()
    _KEPT[path] = identity, kept
    return kept


def _opened(path: Path) -> BufferedReader:
    if path != STANDARD_INPUT:
        file = path.open("rb")
        atexit.register(file.close)
        return file
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    opened: BufferedReader = sys.stdin.buffer  # type: ignore[assignment]
    return opened
