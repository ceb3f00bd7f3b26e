"""Files elsewhere: addresses such as `s3://bucket/gold.conll` or `https://…`, which fsspec opens.

An `Address` has those methods of a `Path` that readers take, so that they need not know where a file is. Addresses may
be chained, as fsspec has it: `simplecache::s3://…` keeps a copy, `zip://gold.conll::https://….zip` is in an archive.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import Any

from evenhand.arguments import check_file, check_path
from evenhand.dataclass import dataclass
from evenhand.formats.streams import stream
from evenhand.problems import EvenhandError, InputError, visible

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


Place = Path | Address
"""Where a file is."""


def place(given: str | os.PathLike[str], *, may_be_text: bool = False) -> Place:
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


def beside(file: Place, given: str) -> Place:
    """A place that a file names: an address, or a path that counts from the file's folder."""
    if _is_address(given):
        return place(given)
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
