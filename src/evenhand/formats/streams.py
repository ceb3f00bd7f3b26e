"""Bytes that come one after the other, from a network, a pipe or a decompressor, as a file."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedReader, RawIOBase
from typing import Any

from evenhand.formats.head import SIZE

Read = Callable[[int, int], bytes]
"""Gives up to so many bytes from a place on, which is where the bytes before ended; none at the end."""


def stream(read: Read, close: Callable[[], None] = lambda: None) -> BufferedReader:
    """A file of these bytes, into which one can look ahead."""
    return BufferedReader(_Stream(read, close), SIZE)


class _Stream(RawIOBase):
    """The same without a buffer."""

    def __init__(self, read: Read, close: Callable[[], None]) -> None:
        super().__init__()
        self._read, self._close, self._place = read, close, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer: where bytes come in small pieces, a look ahead must see more than the first of them."""
        size = 0
        while size < len(buffer) and (data := self._read(self._place, len(buffer) - size)):
            buffer[size : size + len(data)] = data
            size += len(data)
            self._place += len(data)
        return size

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()
