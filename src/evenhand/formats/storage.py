"""Local, remote, compressed and piped bytes.

Remote files have addresses such as `s3://bucket/gold.conll` or `https://…`, which fsspec opens. An `Address` has the
methods of a `Path` that readers use, so they need not know where a file is. Addresses may be chained, as in fsspec:
`simplecache::s3://…` keeps a copy, `zip://gold.conll::https://….zip` is a file in an archive. Compressed files (gzip,
bzip2, xz, zstd) are recognised by their first bytes; archives are in `archives`. Pipes and standard input can be read
once only, so their bytes are kept, in memory or in a temporary file, to be read again.
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
"""Size of the buffer of streams, and of the first bytes of a file that are kept for format detection."""
STANDARD_INPUT = Path("-")
_DECOMPRESSED_BLOCK = 1 << 17
_ADDRESS = re.compile(
    r"(?P<before>(?:[\w.+-]+::)*(?P<protocol>[\w.+-]{2,})://)(?P<path>.*?)(?P<after>::.*)?", re.DOTALL
)
"""An address. A protocol has two characters or more, because `C://gold.conll` is a path on Windows."""
_ARCHIVE = re.compile(r"(?is)(.+?\.(?:zip|tgz|tar|tar\.(?:gz|bz2|xz|zst)))(?:!/.*)?\Z")
"""An archive, or a member of it after `!/`."""
_LOGIN = re.compile(r"(?<=://)[^/@]*@")
_WEB = ("http", "https")
_LONGEST_NAME = 80
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP)
"""System errors for missing files, for which readers have their own messages."""
_IMPOSSIBLE_NAMES = (123, 1921)
"""Windows's errors for names that no file can have, such as the pattern `*.conll`, and for links in a circle."""
_PACKAGES = {
    **dict.fromkeys(_WEB, "evenhand[remote]"),
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "adlfs"),
    **dict.fromkeys(("ssh", "sftp"), "paramiko"),
    "hf": "huggingface_hub",
}

Read = Callable[[int, int], bytes]
"""Returns up to `size` bytes from an offset, which is the end of the previous bytes; none at the end."""


def stream(read: Read, close: Callable[[], None] = lambda: None) -> BufferedReader:
    """Return a buffered stream of the bytes that `read` returns."""
    return BufferedReader(_Stream(read, close), SIZE)


class _Stream(RawIOBase):
    def __init__(self, read: Read, close: Callable[[], None]) -> None:
        super().__init__()
        self._read, self._close, self._offset = read, close, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer: if bytes come in small pieces, peeking must see more than the first of them."""
        size = 0
        while size < len(buffer) and (data := self._read(self._offset, len(buffer) - size)):
            buffer[size : size + len(data)] = data
            size += len(data)
            self._offset += len(data)
        return size

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()


@dataclass(frozen=True, order=True)
class Address(os.PathLike[str]):
    """The address of a file, a folder or a pattern of files, as the user wrote it."""

    text: str

    def __str__(self) -> str:
        """Text for messages, without passwords and without the query, which may contain one."""
        before, path, after = self._parts
        return _LOGIN.sub("…@", before + path + ("?…" if after.startswith("?") else after))

    def __fspath__(self) -> str:
        return self.text

    @property
    def _parts(self) -> tuple[str, str, str]:
        """The protocols, the path, and the query or the archive that contains the path."""
        match = _ADDRESS.fullmatch(self.text)
        assert match is not None  # `to_path` checked it
        path, after = match["path"], match["after"] or ""
        if match["protocol"] in _WEB and "?" in path:
            path, query = path.split("?", 1)
            after = f"?{query}{after}"
        return match["before"], path, after

    @property
    def protocol(self) -> str:
        """The first protocol of a chain."""
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
    def parts(self) -> tuple[str, ...]:
        return self._pure.parts

    @property
    def parent(self) -> Address:
        return self._with(str(self._pure.parent))

    @property
    def is_pattern(self) -> bool:
        return bool(frozenset("*?[") & set(self._parts[1]))

    def with_name(self, name: str) -> Address:
        return self._with(str(self._pure.with_name(name)))

    def with_suffix(self, suffix: str) -> Address:
        return self._with(str(self._pure.with_suffix(suffix)))

    def __truediv__(self, name: str) -> Address:
        return self._with(str(self._pure / name))

    def _with(self, path: str) -> Address:
        before, old_path, after = self._parts
        path = path if old_path.startswith("/") else path.lstrip("/")
        return Address(before + ("" if path == "." else path) + after)

    def name_below(self, folder: Address) -> str:
        """The name of this file in a folder, by which it is matched with the gold standard's."""
        return self.name

    def absolute(self) -> Address:
        return self

    @property
    def local(self) -> Path | None:
        """The local path that the address stands for in the names of systems; None for a remote file."""
        return None

    def open(self, mode: str = "rb") -> BufferedReader:
        """Open the file like `Path.open`; all errors except for missing files become an `InputError`."""
        with _as_input_error(self, FileNotFoundError, IsADirectoryError):
            files, path = self._file_system()
            # A block size of 0 avoids range requests, which not every server supports.
            file = files.open(path, "rb", **({"block_size": 0} if self.protocol in _WEB else {}))

        def read(offset: int, size: int) -> bytes:
            with _as_input_error(self):
                data: bytes = file.read(size)
            return data

        return stream(read, file.close)

    def read_bytes(self) -> bytes:
        with self.open() as file:
            return file.read()

    def is_dir(self) -> bool:
        """Whether it is a folder; on the web, whether the address ends with a slash."""
        if self.protocol in _WEB:  # looking for links in a page would mean to read all of it
            return self._parts[1].endswith("/")
        return bool(self._call("isdir"))

    def is_file(self) -> bool:
        return self.exists() and not self.is_dir()

    def exists(self) -> bool:
        return bool(self._call("exists"))

    def files(self) -> list[Address]:
        """The files in a folder."""
        entries = self._call("ls", detail=True)
        return [self / PurePosixPath(entry["name"]).name for entry in entries if entry["type"] == "file"]

    def matches(self) -> list[Address]:
        """The files that match a pattern."""
        return [self._with(name.split("://", 1)[-1]) for name in self._call("glob")]

    def _call(self, method: str, **options: Any) -> Any:
        with _as_input_error(self):
            files, path = self._file_system()
            return getattr(files, method)(path, **options)

    def _file_system(self) -> tuple[Any, str]:
        try:
            core = import_module("fsspec.core")
        except ImportError:
            finding = "remote files need fsspec, which is not installed"
            raise InputError(str(self), None, finding, "run: pip install evenhand[remote]") from None
        try:
            file_system: tuple[Any, str] = core.url_to_fs(self.text)
        except ImportError:
            finding = f"files at {self.protocol}:// need a package that is not installed"
            package = _PACKAGES.get(self.protocol)
            remedy = f"run: pip install {package}" if package else "see fsspec's list of file systems"
            raise InputError(str(self), None, finding, remedy) from None
        return file_system


AnyPath = Path | Address


def to_path(value: str | os.PathLike[str], *, may_be_text: bool = False) -> AnyPath:
    """Return a path or an address; refuse other strings, unless the caller also accepts text."""
    if isinstance(value, Address):
        return value
    check_file(value)
    text = os.fspath(value)
    if _is_address(text):
        return Address(text)
    if not may_be_text:
        check_path(text)
    return _member(text) or _check_possible(Path(value))


def _member(text: str) -> Address | None:
    """The address of an archive, or of a member of one; None for any other path."""
    text = text.replace(os.sep, "/")
    match = _ARCHIVE.match(text)
    if match is None or not os.path.isfile(match[1]):
        return None
    from evenhand.formats.archives import Member  # rare

    return Member(text)


def _is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None and "\n" not in text


def beside(file: AnyPath, name: str) -> AnyPath:
    """Return an address, or a path relative to the folder of the file that names it."""
    if _is_address(name):
        return to_path(name)
    path = file.parent / name
    if isinstance(path, Path) and (member := _member(str(path))) is not None:
        return member
    if isinstance(path, Path) and "\0" not in name and not os.path.lexists(path):
        check_path(name)
    return _check_possible(path) if isinstance(path, Path) else path


def _check_possible(path: Path) -> Path:
    """Refuse paths where no file can be, with one message instead of a different error for every use."""
    try:
        os.stat(path)
        return path
    except ValueError:
        reason = "it holds a NUL"
    except OSError as error:
        if error.errno in _MISSING or getattr(error, "winerror", None) in _IMPOSSIBLE_NAMES:
            return path
        reason = (error.strerror or "unknown reason").lower()
    text = str(path) if len(str(path)) <= _LONGEST_NAME else f"{str(path)[:_LONGEST_NAME]}…"
    raise InputError(text, None, f"cannot be opened ({reason})", "check the path and the permissions")


@contextmanager
def _as_input_error(address: Address, *others: type[Exception]) -> Iterator[None]:
    """Turn errors of file systems and networks into an `InputError`, except for `others`."""
    passed: tuple[type[Exception], ...] = (EvenhandError, *others)
    try:
        yield
    except passed as error:
        # fsspec also raises this if a server cannot be reached.
        cause = error.__cause__ or error.__context__
        if isinstance(error, FileNotFoundError) and isinstance(cause, OSError) and cause.errno not in _MISSING:
            finding = f"cannot connect to the server ({_reason(cause)})"
            raise InputError(str(address), None, finding, "check the address and the network") from None
        raise
    except Exception as error:  # every file system has different errors
        finding = f"cannot be read ({_reason(error)})"
        raise InputError(str(address), None, finding, "check the address, the network and your permissions") from None


def _reason(error: Exception) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return visible(lines[0]).rstrip(".")[:200]


class Compression(NamedTuple):
    """A compression format."""

    name: str
    modules: tuple[str, ...]
    """Modules that decompress it; the first one that exists is used."""
    new: Callable[[Any], Any]
    """Makes a decompressor, given the module."""
    error: Callable[[Any], type[Exception]]
    """Exception that the module raises for damaged files."""

    def load(self) -> Any:
        *others, last = self.modules
        for module in others:
            try:
                return import_module(module)
            except ImportError:
                continue
        return import_module(last)


def compression(file: BufferedReader) -> Compression | None:
    """Return the compression format of a file that has not been read yet, or None."""
    start = file.peek(max(map(len, _COMPRESSIONS)))
    return next((kind for mark, kind in _COMPRESSIONS.items() if start.startswith(mark)), None)


def decompressed(file: BinaryIO, kind: Compression, error_of: Callable[[str, str], InputError]) -> BinaryIO:
    """Return a stream of the decompressed bytes; `error_of` makes an error from a finding and its remedy."""
    try:
        module = kind.load()
    except ImportError:
        file.close()
        if kind.name == "zstd" and sys.version_info < (3, 14):
            finding = "the file is compressed with zstd, which is not installed"
            remedy = "run: pip install 'evenhand[zstd]'"
        else:
            finding = f"the file is compressed with {kind.name}, which this Python does not support"
            remedy = "decompress the file first"
        raise error_of(finding, remedy) from None
    parts = _Parts(file, partial(kind.new, module))
    errors: tuple[type[Exception], ...] = (kind.error(module), EOFError, MemoryError)

    def read(offset: int, size: int) -> bytes:
        try:
            return parts.read(size)
        except errors as error:
            reason = str(error).split(": ")[-1].lower().rstrip(".") or type(error).__name__
            raise error_of(f"the compressed file is broken ({reason})", "write it again") from None

    return stream(read, file.close)


class _Gzip:
    """gzip decompressor with the interface of the others, which keep bytes that are not decompressed yet."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(16 + zlib.MAX_WBITS)  # expects gzip's header and checksum
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
        result = self._zlib.decompress(self._tail + data, size)
        self._tail = self._zlib.unconsumed_tail
        return result


_COMPRESSIONS = {
    b"\x1f\x8b": Compression("gzip", ("zlib",), lambda module: _Gzip(), lambda module: module.error),
    b"BZh": Compression("bzip2", ("bz2",), lambda module: module.BZ2Decompressor(), lambda module: OSError),
    b"\xfd7zXZ\x00": Compression(
        "xz", ("lzma",), lambda module: module.LZMADecompressor(), lambda module: module.LZMAError
    ),
    b"\x28\xb5\x2f\xfd": Compression(
        "zstd",
        ("compression.zstd", "backports.zstd"),  # the former is in the standard library from Python 3.14 on
        lambda module: module.ZstdDecompressor(),
        lambda module: module.ZstdError,
    ),
}
"""Compression formats by the first bytes of a file."""


class _Parts:
    """Decompressed content of a file that may have several compressed parts in sequence."""

    def __init__(self, file: BinaryIO, new: Callable[[], Any]) -> None:
        self._file, self._new = file, new
        self._part, self._left = new(), b""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        while True:
            if self._part.eof:
                left = self._part.unused_data.lstrip(b"\0")
                while not left:
                    left = self._file.read(_DECOMPRESSED_BLOCK)
                    if not left:
                        return b""
                    left = left.lstrip(b"\0")
                self._part, self._left = self._new(), left
            more = b""
            if self._part.needs_input:
                more, self._left = self._left or self._file.read(_DECOMPRESSED_BLOCK), b""
            data: bytes = self._part.decompress(more, size)
            if data:
                return data
            if not more and self._part.needs_input and not self._part.eof:
                raise EOFError("it ends too early")


class _PipeBuffer:
    """The bytes read from a pipe so far, and the pipe."""

    def __init__(self, pipe: BufferedReader) -> None:
        from tempfile import SpooledTemporaryFile  # slow to load, and pipes are rare

        self._pipe, self._is_read, self._lock = pipe, False, Lock()
        self._buffer, self._size = SpooledTemporaryFile(1 << 20), 0  # noqa: SIM115
        weakref.finalize(self, self._buffer.close)

    def read(self, offset: int, size: int) -> bytes:
        with self._lock:
            while offset >= self._size and not self._is_read:
                more = self._pipe.read1(1 << 18)
                self._is_read = not more
                self._buffer.seek(self._size)
                self._buffer.write(more)
                self._size += len(more)
            self._buffer.seek(offset)
            return self._buffer.read(size)

    def renewed(self) -> _PipeBuffer:
        """Return a new buffer if everything was read and the pipe has new content, else this one."""
        try:
            is_over = self._is_read and bool(select([self._pipe], [], [], 0)[0]) and bool(self._pipe.peek(1))
        except OSError:  # Windows can wait for sockets only; a pipe is read once there
            is_over = False
        return _PipeBuffer(self._pipe) if is_over else self


def is_pipe(path: Any) -> bool:
    """Return whether a path can be read once only: it is neither a regular file nor a folder."""
    if path == STANDARD_INPUT:
        return True
    status = status_at(path)
    return status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)


def status_at(path: Any) -> os.stat_result | None:
    """Return the status of a local path; None for missing and remote files."""
    try:
        return os.stat(path) if isinstance(path, Path) else None
    except (OSError, ValueError):
        return None


_PIPES: dict[Path, tuple[Any, _PipeBuffer]] = {}
"""Buffers of opened pipes by path, each with the identity of its pipe: a path may later be another pipe."""


def open_pipe(path: Path) -> BufferedReader:
    """Open a pipe, or standard input, from its first byte, even if it was read before."""
    identity: Any = sys.stdin
    if path != STANDARD_INPUT:
        status = path.stat()
        identity = (status.st_dev, status.st_ino, status.st_rdev)
    known, buffer = _PIPES.get(path, (None, None))
    if buffer is None or known != identity:
        buffer = _PipeBuffer(_open_once(path))
    elif path != STANDARD_INPUT:
        buffer = buffer.renewed()
    _PIPES[path] = identity, buffer
    return stream(buffer.read)


def _open_once(path: Path) -> BufferedReader:
    if path != STANDARD_INPUT:
        file = path.open("rb")
        atexit.register(file.close)
        return file
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer  # type: ignore[return-value]
