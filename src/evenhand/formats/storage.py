"""Files elsewhere: addresses such as `s3://bucket/gold.conll` or `https://…`, which fsspec opens.

An `Address` has those methods of a `Path` that readers take, so that they need not know where a file is. Addresses may
be chained, as fsspec has it: `simplecache::s3://…` keeps a copy, `zip://gold.conll::https://….zip` is in an archive.
"""

from __future__ import annotations

import atexit
import errno
import os
import re
import stat
import sys
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from select import select
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, InputError, visible
from evenhand.parameters import check_file, check_path

SIZE = 1 << 17
"""How many bytes are kept."""


# == formats/streams.py: Bytes that come one after the other, from a network, a pipe


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


# == formats/addresses.py (primary)


_ADDRESS = re.compile(r"(?P<before>(?:[\w.+-]+::)*(?P<protocol>[\w.+-]+)://)(?P<path>.*?)(?P<after>::.*)?", re.DOTALL)
_LOGIN = re.compile(r"(?<=://)[^/@]*@")
_WEB = ("http", "https")
_LONGEST_REASON = 200
_LONGEST_NAME = 80
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP)
"""How a system says that there is no such file, for which readers have words of their own."""
_PACKAGES = {
    **dict.fromkeys(_WEB, "evenhand[remote]"),
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "adlfs"),
    **dict.fromkeys(("ssh", "sftp"), "paramiko"),
    "hf": "huggingface_hub",
}
"""What must be installed for a protocol."""


@dataclass(frozen=True, order=True)
class Address(os.PathLike[str]):
    """Where a file, a folder or a pattern of files is, as a user wrote it."""

    text: str

    def __str__(self) -> str:
        """What messages call it: without passwords and without the query, which may be one."""
        before, path, after = self._parts
        return _LOGIN.sub("…@", before + path + ("?…" if after.startswith("?") else after))

    def __fspath__(self) -> str:
        return self.text

    @property
    def _parts(self) -> tuple[str, str, str]:
        """The protocols, the path, and what stands behind it: a query, or the archive that the path is in."""
        found = _ADDRESS.fullmatch(self.text)
        assert found is not None  # `place` looked at it
        path, after = found["path"], found["after"] or ""
        if found["protocol"] in _WEB and "?" in path:
            path, query = path.split("?", 1)
            after = f"?{query}{after}"
        return found["before"], path, after

    @property
    def protocol(self) -> str:
        """The first one, where several are chained."""
        return re.split("::|://", self.text, maxsplit=1)[0]

    @property
    def _pure(self) -> PurePosixPath:
        return PurePosixPath(self._parts[1])

    @property
    def name(self) -> str:
        return self._pure.name

    @property
    def stem(self) -> str:
        return self._pure.stem

    @property
    def suffix(self) -> str:
        return self._pure.suffix

    @property
    def suffixes(self) -> list[str]:
        return self._pure.suffixes

    @property
    def parent(self) -> Address:
        return self._with(str(self._pure.parent))

    @property
    def is_pattern(self) -> bool:
        """Whether it may stand for several files."""
        return bool(frozenset("*?[") & set(self._parts[1]))

    def with_name(self, name: str) -> Address:
        return self._with(str(self._pure.with_name(name)))

    def with_suffix(self, suffix: str) -> Address:
        return self._with(str(self._pure.with_suffix(suffix)))

    def __truediv__(self, name: str) -> Address:
        return self._with(str(self._pure / name))

    def _with(self, path: str) -> Address:
        before, own, after = self._parts
        path = path if own.startswith("/") else path.lstrip("/")
        return Address(before + ("" if path == "." else path) + after)

    def absolute(self) -> Address:
        return self

    def open(self, mode: str = "rb") -> BufferedReader:
        """A file to read bytes from, as a path's; what else than a missing file is wrong is an `InputError`."""
        with _told(self, FileNotFoundError, IsADirectoryError):
            files, path = self._file_system()
            # Not every server gives parts of files, which a block size of 0 does without.
            file = files.open(path, "rb", **({"block_size": 0} if self.protocol in _WEB else {}))

        def read(place: int, size: int) -> bytes:
            with _told(self):
                data: bytes = file.read(size)
            return data

        return stream(read, file.close)

    def read_bytes(self) -> bytes:
        with self.open() as file:
            return file.read()

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def is_dir(self) -> bool:
        """Whether it is a folder; of pages in the web, those whose addresses end with a slash."""
        if self.protocol in _WEB:  # to look for links in a page, all of it would have to be read
            return self._parts[1].endswith("/")
        with _told(self):
            files, path = self._file_system()
            return bool(files.isdir(path))

    def is_file(self) -> bool:
        return self.exists() and not self.is_dir()

    def exists(self) -> bool:
        with _told(self):
            files, path = self._file_system()
            return bool(files.exists(path))

    def files(self) -> list[Address]:
        """The files in a folder."""
        with _told(self):
            files, path = self._file_system()
            found = files.ls(path, detail=True)
        return [self / PurePosixPath(each["name"]).name for each in found if each["type"] == "file"]

    def matches(self) -> list[Address]:
        """The files that a pattern stands for."""
        with _told(self):
            files, path = self._file_system()
            found = files.glob(path)
        return [self._with(each.split("://", 1)[-1]) for each in found]

    def _file_system(self) -> tuple[Any, str]:
        """The file system that the address is of, and the path there."""
        try:
            core = import_module("fsspec.core")
        except ImportError:
            finding = "addresses take fsspec, which is not installed"
            raise InputError(str(self), None, finding, "run: pip install evenhand[remote]") from None
        try:
            found: tuple[Any, str] = core.url_to_fs(self.text)
        except ImportError:
            finding = f"files at {self.protocol}:// take a package that is not installed"
            package = _PACKAGES.get(self.protocol)
            remedy = f"run: pip install {package}" if package else "see fsspec's list of file systems"
            raise InputError(str(self), None, finding, remedy) from None
        return found


AnyPath = Path | Address
"""Where a file is."""


def to_path(given: str | os.PathLike[str], *, may_be_text: bool = False) -> AnyPath:
    """A path, or an address; a text that is neither is refused, unless the caller takes texts, too."""
    if isinstance(given, Address):
        return given
    check_file(given)
    text = os.fspath(given)
    if _is_address(text):
        return Address(text)
    if not may_be_text:
        check_path(text)
    return _checked(Path(given))


def _is_address(text: str) -> bool:
    """Whether this is an address, and not a text that begins with one."""
    return _ADDRESS.fullmatch(text) is not None and "\n" not in text


def beside(file: AnyPath, given: str) -> AnyPath:
    """A place that a file names: an address, or a path that counts from the file's folder."""
    if _is_address(given):
        return to_path(given)
    found = file.parent / given
    if isinstance(found, Path) and "\0" not in given and not os.path.lexists(found):
        check_path(given)
    return _checked(found) if isinstance(found, Path) else found


def _checked(path: Path) -> Path:
    """The path, if there can be a file; otherwise every look at it would raise another error."""
    try:
        os.stat(path)
    except ValueError:
        raise _no_path(path, "it holds a NUL") from None
    except OSError as error:
        if error.errno not in _MISSING:
            raise _no_path(path, (error.strerror or "unknown reason").lower()) from None
    return path


def _no_path(path: Path, reason: str) -> InputError:
    shown = str(path) if len(str(path)) <= _LONGEST_NAME else f"{str(path)[:_LONGEST_NAME]}…"
    return InputError(shown, None, f"cannot be opened ({reason})", "check the path and the permissions")


@contextmanager
def _told(address: Address, *others: type[Exception]) -> Iterator[None]:
    """Turn what a file system or a network raises into a sentence; for others, readers have words of their own."""
    passed: tuple[type[Exception], ...] = (EvenhandError, *others)
    try:
        yield
    except passed as error:
        # fsspec raises this, too, where a server cannot be reached.
        cause = error.__cause__ or error.__context__
        if isinstance(error, FileNotFoundError) and isinstance(cause, OSError) and cause.errno not in _MISSING:
            finding = f"cannot connect to the server ({_reason(cause)})"
            raise InputError(str(address), None, finding, "check the address and the network") from None
        raise
    except Exception as error:  # each file system has errors of its own
        finding = f"cannot be read ({_reason(error)})"
        raise InputError(str(address), None, finding, "check the address, the network and your rights") from None


def _reason(error: Exception) -> str:
    """The first line of what an error says."""
    lines = str(error).splitlines() or [type(error).__name__]
    return visible(lines[0]).rstrip(".")[:_LONGEST_REASON]


# == formats/compressed.py: Decompression of gzip, bzip2, xz and zstd files, which are r


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


# == formats/pipes.py: What can be read once only, as files that can be read again:


STANDARD_INPUT = Path("-")
_IN_MEMORY = 1 << 24
_BLOCK_PIPES = 1 << 18


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
                more = self._file.read1(_BLOCK_PIPES)
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
