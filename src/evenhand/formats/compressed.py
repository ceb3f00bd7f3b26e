"""Decompression of gzip, bzip2, xz and zstd files, which are recognised by their first bytes.

A file may consist of several compressed parts, such as the output of `cat a.gz b.gz`, with zeros after the last one.
Anything else after a part is an error, as is a truncated part: text must not be lost silently.
"""

from __future__ import annotations

import sys
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
"""Makes zlib expect gzip's header and checksum."""
Fail = Callable[[str, str], InputError]
"""Makes an error of a finding and its remedy."""


class Kind(NamedTuple):
    """A compression format."""

    name: str
    modules: tuple[str, ...]
    """Modules that decompress it; the first one that exists is used."""
    new: Callable[[Any], Any]
    """Makes a decompressor, given the module."""
    error: Callable[[Any], type[Exception]]
    """Exception that the module raises for damaged files."""

    def load(self) -> Any:
        """The module, or an ImportError if this Python has none of them."""
        *others, last = self.modules
        for module in others:
            try:
                return import_module(module)
            except ImportError:
                continue
        return import_module(last)


def compression(file: BufferedReader) -> Kind | None:
    """Compression format of a file that has not been read yet, or None."""
    start = file.peek(_LONGEST)
    if not start.startswith(_MARKS):
        return None
    return next(kind for mark, kind in _KINDS.items() if start.startswith(mark))


def decompressed(file: BinaryIO, kind: Kind, fail: Fail) -> BinaryIO:
    """Return a stream of the decompressed bytes."""
    try:
        module = kind.load()
    except ImportError:
        file.close()
        if kind.name == "zstd" and sys.version_info < (3, 14):
            finding, remedy = (
                "the file is compressed with zstd, which is not installed",
                "run: pip install 'evenhand[zstd]'",
            )
        else:
            finding = f"the file is compressed with {kind.name}, which this Python was built without"
            remedy = "decompress the file first"
        raise fail(finding, remedy) from None
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
    """gzip decompressor with the interface of the other ones, which keep the bytes that are not decompressed yet."""

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
    b"\x1f\x8b": Kind("gzip", ("zlib",), lambda module: _Gzip(), lambda module: module.error),
    b"BZh": Kind("bzip2", ("bz2",), lambda module: module.BZ2Decompressor(), lambda module: OSError),
    b"\xfd7zXZ\x00": Kind("xz", ("lzma",), lambda module: module.LZMADecompressor(), lambda module: module.LZMAError),
    b"\x28\xb5\x2f\xfd": Kind(
        "zstd",
        ("compression.zstd", "backports.zstd"),  # the former is in the standard library from Python 3.14 on
        lambda module: module.ZstdDecompressor(),
        lambda module: module.ZstdError,
    ),
}
"""Compression formats by the first bytes of a file."""
_MARKS = tuple(_KINDS)
_LONGEST = max(map(len, _MARKS))


class _Parts:
    """Decompressed content of all parts of a file, read incrementally."""

    def __init__(self, file: BinaryIO, new: Callable[[], Any]) -> None:
        self._file, self._new = file, new
        self._part, self._left = new(), b""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
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
