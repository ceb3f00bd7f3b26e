"""Compressed files as plain bytes: gzip, bzip2, xz and zstd, told by their first bytes.

A file may consist of several compressed parts, as `cat a.gz b.gz` writes it, and of zeros behind the last one. Anything
else behind a part is an error, as is an end that comes too early: text must not be lost silently.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from evenhand.problems import InputError

_MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma", b"\x28\xb5\x2f\xfd": "backports.zstd"}
MARK_SIZE = max(map(len, _MARKS))
_BLOCK = 1 << 17
_GZIP = 16 + zlib.MAX_WBITS
"""What tells zlib to expect gzip's header and checksum."""
Fail = Callable[[str, str], InputError]
"""Makes an error of a finding and its remedy."""


def compression(start: bytes) -> str | None:
    """The module that decompresses a file with these first bytes; None where it is not compressed."""
    return next((module for mark, module in _MARKS.items() if start.startswith(mark)), None)


def decompressed(file: BinaryIO, module: str, fail: Fail) -> BinaryIO:
    """A compressed file as plain bytes."""
    try:
        loaded = import_module(module)
    except ModuleNotFoundError:
        file.close()
        finding = "the file is compressed with zstd, which is not installed"
        raise fail(finding, "run: pip install evenhand[zstd]") from None
    return BufferedReader(_Decompressed(file, loaded, fail), _BLOCK)


def is_decompressed(file: BinaryIO) -> bool:
    """Whether a file is what a compressed one holds."""
    return isinstance(file, BufferedReader) and isinstance(file.raw, _Decompressed)


class _Gzip:
    """gzip in the manner of the other decompressors, which keep what they have not yet decompressed."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP)
        self._tail = b""

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._tail

    def decompress(self, data: bytes, size: int) -> bytes:
        found = self._zlib.decompress(self._tail + data, size)
        self._tail = self._zlib.unconsumed_tail
        return found


_NEW: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda module: _Gzip(),
    "bz2": lambda module: module.BZ2Decompressor(),
    "lzma": lambda module: module.LZMADecompressor(),
    "backports.zstd": lambda module: module.ZstdDecompressor(),
}
_ERRORS: dict[str, Callable[[Any], type[Exception]]] = {
    "gzip": lambda module: zlib.error,
    "bz2": lambda module: OSError,
    "lzma": lambda module: module.LZMAError,
    "backports.zstd": lambda module: module.ZstdError,
}


class _Decompressed(RawIOBase):
    """What a compressed file holds, of which no more is in memory than somebody asks for."""

    def __init__(self, file: BinaryIO, module: Any, fail: Fail) -> None:
        super().__init__()
        self._file, self._fail = file, fail
        self._new: Callable[[], Any] = partial(_NEW[module.__name__], module)
        self._errors: tuple[type[Exception], ...] = (_ERRORS[module.__name__](module), EOFError, MemoryError)
        self._part, self._left = self._new(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._next(len(buffer))
        except self._errors as error:
            reason = str(error).split(": ")[-1].lower().rstrip(".") or type(error).__name__
            raise self._fail(f"the compressed file is broken ({reason})", "write it again") from None
        buffer[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        """Up to so many bytes; none at the end."""
        while True:
            if self._part.eof:
                left = self._part.unused_data.lstrip(b"\0")
                while not left:
                    left = self._file.read(_BLOCK)
                    if not left:
                        return b""
                    left = left.lstrip(b"\0")
                self._part, self._left = self._new(), left
            more = b""
            if self._part.needs_input:
                more, self._left = self._left or self._file.read(_BLOCK), b""
            found: bytes = self._part.decompress(more, size)
            if found:
                return found
            if not more and self._part.needs_input and not self._part.eof:
                raise EOFError("it ends too early")

    def close(self) -> None:
        self._file.close()
        super().close()
