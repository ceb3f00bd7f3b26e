"""The beginning of a file: read once, for all who look at it to recognise the format, the columns, the encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

SIZE = 1 << 17
"""How many bytes are kept."""


class Head:
    """The first bytes of a file, decompressed."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Become one that was not read yet."""
        self.data = b""
        self.is_read = self.is_whole = self.is_compressed = False


class Look:
    """A file for those who look at its beginning: its head and, only if that is not enough, the file itself."""

    def __init__(self, head: Head, open_file: Callable[[], BinaryIO]) -> None:
        self._head, self._open, self._place = head, open_file, 0
        self._file: BinaryIO | None = None

    def tell(self) -> int:
        return self._place

    def read(self, size: int) -> bytes:
        if self._place < len(self._head.data) or self._head.is_whole:
            found = self._head.data[self._place : self._place + size]
            self._place += len(found)
            return found
        if self._file is None:
            self._file = self._open()
            self._file.read(self._place)
        return self._file.read(size)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
