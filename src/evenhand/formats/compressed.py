"""Compressed files as plain bytes: gzip, bzip2, xz and zstd, told by their first bytes.

A file may consist of several compressed parts, as `cat a.gz b.gz` writes it, and of zeros behind the last one. Anything
else behind a part is an error, as is an end that comes too early: text must not be lost silently.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import BufferedReader
from typing import Any, BinaryIO, NamedTuple

from evenhand.formats.streams import stream
from evenhand.problems import InputError

_BLOCK = 1 << 17
_GZIP = 16 + zlib.MAX_WBITS
"""What tells zlib to expect gzip's header and checksum."""
Fail = Callable[[str, str], InputError]
"""Makes an error of a finding and its remedy."""


class Kind(NamedTuple):
    """How files are compressed."""

    module: str
    new: Callable[[Any], Any]
    """Makes a decompressor, of the module."""
    error: Callable[[Any], type[Exception]]
    """What it raises where something is wrong."""


def compression(file: BufferedReader) -> Kind | None:
    """How a file is compressed, of which nothing was read yet; None where it is not."""
    start = file.peek(_LONGEST)
    if not start.startswith(_MARKS):
        return None
    return next(kind for mark, kind in _KINDS.items() if start.startswith(mark))


def decompressed(file: BinaryIO, kind: Kind, fail: Fail) -> BinaryIO:
    """A compressed file as plain bytes."""
    try:
        module = import_module(kind.module)
    except ModuleNotFoundError:
        file.close()
        finding = "the file is compressed with zstd, which is not installed"
        raise fail(finding, "run: pip install evenhand[zstd]") from None
    parts = _Parts(file, partial(kind.new, module))
    errors: tuple[type[Exception], ...] = (kind.error(module), EOFError, MemoryError)

    def read(place: int, size: int) -> bytes:
        try:
            return parts.read(size)
        except errors as error:
            reason = str(error).split(": ")[-1].lower().rstrip(".") or type(error).__name__
            raise fail(f"the compressed file is broken ({reason})", "write it again") from None

    return stream(read, file.close)


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


_KINDS = {
    b"\x1f\x8b": Kind("zlib", lambda module: _Gzip(), lambda module: module.error),
    b"BZh": Kind("bz2", lambda module: module.BZ2Decompressor(), lambda module: OSError),
    b"\xfd7zXZ\x00": Kind("lzma", lambda module: module.LZMADecompressor(), lambda module: module.LZMAError),
    b"\x28\xb5\x2f\xfd": Kind(
        "backports.zstd", lambda module: module.ZstdDecompressor(), lambda module: module.ZstdError
    ),
}
"""By the first bytes of files."""
_MARKS = tuple(_KINDS)
_LONGEST = max(map(len, _MARKS))


class _Parts:
    """What the compressed parts of a file hold, of which no more is in memory than somebody asks for."""

    def __init__(self, file: BinaryIO, new: Callable[[], Any]) -> None:
        self._file, self._new = file, new
        self._part, self._left = new(), b""

    def read(self, size: int) -> bytes:
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
