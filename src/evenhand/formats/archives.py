"""Members of archives (zip, tar, tgz, tar.zst, …), read in memory; nothing is unpacked to disk.

`team.zip` is a folder, `team.zip!/en/test.conll` a file in it. A single top-level folder is left out of the paths.
Files that operating systems add (`__MACOSX/`, `.DS_Store`, `Thumbs.db`) and hidden files are ignored.

The list of members is checked before any of them is read. An archive is refused if a member leaves it (absolute path or
`..`), is a link or a device, is encrypted or an archive itself, or occurs twice; or if it has more than 10,000 members,
or unpacks to more than 4 GB or to more than 100 times its packed size.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple

from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.formats.storage import Address, compression, decompressed, stream

MAX_MEMBERS = 10_000
MAX_BYTES = 4 << 30
MAX_RATIO = 100
_ZIP = ".zip"
_NESTED = re.compile(r"(?i)\.(zip|tar|tgz|tbz2?|txz|7z|rar|gz|bz2|xz|zst)$")
_PACKED = (
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
)
_TAR_MARK, _TAR_MARK_OFFSET = b"ustar", 257
_DRIVE = re.compile(r"[A-Za-z]:")
_ADDED = ("__MACOSX", "Thumbs.db")
_ENCRYPTED = 1
_PACK_AGAIN = "pack the files again"


class _Entry(NamedTuple):
    """A file of an archive: its name there and its size; in a tar, also where its bytes begin."""

    name: str
    size: int
    offset: int = -1


@dataclass(frozen=True, order=True)
class Member(Address):
    """A file or folder of an archive; the archive itself without `!/`. It has the methods of an address."""

    @property
    def archive(self) -> Path:
        return Path(self.text.partition("!/")[0])

    @property
    def inner(self) -> str:
        """The path in the archive; empty for the archive itself."""
        return self.text.partition("!/")[2]

    @property
    def whole_name(self) -> str:
        """The path in the archive with the single top-level folder, if there is one."""
        return _entries(self.archive)[self.inner].name

    def __str__(self) -> str:
        return self.text

    @property
    def local(self) -> Path:
        return Path(self.text if "!/" in self.text else f"{self.text}!")

    @property
    def _parts(self) -> tuple[str, str, str]:
        return "", self.text, ""

    @property
    def protocol(self) -> str:
        return "archive"

    @property
    def is_pattern(self) -> bool:
        return bool(frozenset("*?[") & set(self.inner))

    def _with(self, path: str) -> Member:
        return Member(path)

    def __truediv__(self, name: str) -> Member:
        return Member(f"{self.text}/{name}" if self.inner else f"{self.archive.as_posix()}!/{name}")

    def open(self, mode: str = "rb") -> BufferedReader:
        """Open the file; its bytes are read from the archive as they are needed."""
        entry = _entries(self.archive).get(self.inner)
        if entry is None:
            if self.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with _as_input_error(self.archive):
            file, close = _opened(self.archive, entry)

        def read(offset: int, size: int) -> bytes:
            with _as_input_error(self.archive):
                return file.read(min(size, entry.size - offset)) if offset < entry.size else b""

        opened = stream(read, close)
        try:
            start = opened.peek(_TAR_MARK_OFFSET + len(_TAR_MARK))
        except InputError:
            opened.close()  # on Windows, open files cannot be removed
            raise
        if start.startswith(_PACKED) or start[_TAR_MARK_OFFSET:].startswith(_TAR_MARK):
            opened.close()
            raise _nested(self.archive, self.inner)
        return opened

    def is_dir(self) -> bool:
        return not self.inner or any(name.startswith(f"{self.inner.rstrip('/')}/") for name in _entries(self.archive))

    def exists(self) -> bool:
        return self.inner in _entries(self.archive) or self.is_dir()

    def files(self) -> list[Address]:
        """All files below this folder."""
        below = f"{self.inner.rstrip('/')}/" if self.inner else ""
        return [
            Member(f"{self.archive.as_posix()}!/{name}") for name in _entries(self.archive) if name.startswith(below)
        ]

    def matches(self) -> list[Address]:
        names = (name for name in _entries(self.archive) if fnmatchcase(name, self.inner))
        return [Member(f"{self.archive.as_posix()}!/{name}") for name in names]

    def name_below(self, folder: Address) -> str:
        below = folder.inner.rstrip("/") if isinstance(folder, Member) else ""
        return self.inner.removeprefix(f"{below}/") if below else self.inner


def _entries(archive: Path) -> Mapping[str, _Entry]:
    """The files of an archive by path, after all checks."""
    status = archive.stat()
    return _checked_entries(archive, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _checked_entries(archive: Path, changed: int, packed: int) -> Mapping[str, _Entry]:
    listed = _zip_entries if archive.suffix.lower() == _ZIP else _tar_entries
    entries: dict[str, _Entry] = {}
    total = 0
    with _as_input_error(archive), closing(listed(archive, packed)) as members:
        for number, entry in enumerate(members, 1):
            if number > MAX_MEMBERS:
                raise _refused(archive, f"has more than {MAX_MEMBERS:,} members", "pack only the files to be scored")
            total += entry.size
            _check_total(archive, total, packed)
            path = _checked_path(archive, entry.name)
            if entry.name.endswith("/") or _is_ignored(path):
                continue
            if _NESTED.search(path.name):
                raise _nested(archive, entry.name)
            if str(path) in entries:
                raise _refused(archive, f"has two members {str(path)!r}", "keep only one")
            entries[str(path)] = entry
    if not entries:
        raise _refused(archive, "contains no file", "check how it was packed")
    tops = {path.partition("/")[0] for path in entries}
    if len(tops) == 1 and all("/" in path for path in entries):
        entries = {path.partition("/")[2]: entry for path, entry in entries.items()}
    return dict(sorted(entries.items()))


def _checked_path(archive: Path, name: str) -> PurePosixPath:
    """The normalised path of a member, which must stay in the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or _DRIVE.match(name) or "\0" in name:
        raise _refused(
            archive, f"the path of the member {name!r} points outside the archive", f"{_PACK_AGAIN} with relative paths"
        )
    return path


def _is_ignored(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part in _ADDED for part in path.parts)


def _check_total(archive: Path, total: int, packed: int) -> None:
    if total > MAX_BYTES:
        raise _refused(archive, "unpacks to more than 4 GB", "pack only the files to be scored")
    if total > MAX_RATIO * packed:
        finding = f"unpacks to more than {MAX_RATIO} times its size of {packed:,} bytes"
        raise _refused(archive, finding, "check its content, or use the unpacked files")


def _zip_entries(archive: Path, packed: int) -> Generator[_Entry, None, None]:
    from zipfile import ZipFile  # slow to load, and archives are rare

    with ZipFile(archive) as file:
        for info in file.infolist():
            if info.flag_bits & _ENCRYPTED:
                raise _refused(
                    archive, f"the member {info.filename!r} is encrypted", f"{_PACK_AGAIN} without a password"
                )
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _special(archive, info.filename, is_link=kind == stat.S_IFLNK)
            # zipfile replaces the backslashes of Windows, and cuts names at a NUL, so the original is checked.
            yield _Entry(info.orig_filename.replace("\\", "/"), info.file_size)


def _tar_entries(archive: Path, packed: int) -> Generator[_Entry, None, None]:
    import tarfile

    with _unpacked(archive) as stream, tarfile.open(fileobj=_Limited(stream, archive, packed), mode="r|") as file:  # type: ignore[call-overload]
        for info in file:
            if not (info.isreg() or info.isdir()) or info.issparse():
                raise _special(archive, info.name, is_link=info.issym() or info.islnk())
            yield _Entry(f"{info.name}/" if info.isdir() else info.name, info.size, info.offset_data)


class _Limited:
    """A stream that stops at the maximum size of an unpacked archive, even within a header."""

    def __init__(self, file: IO[bytes], archive: Path, packed: int) -> None:
        self._file, self._archive, self._packed, self._read = file, archive, packed, 0

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._read += len(data)
        # The headers and the padding of members take at most 1.5 KB each, the end of a tar 10 KB or more.
        _check_total(self._archive, max(self._read - (MAX_MEMBERS << 11), 0), self._packed)
        return data


@contextmanager
def _unpacked(archive: Path) -> Iterator[BinaryIO]:
    """The bytes of a tar without its compression."""
    with archive.open("rb") as file:
        kind = compression(file)
        yield file if kind is None else decompressed(file, kind, lambda *problem: _refused(archive, *problem))


def _opened(archive: Path, entry: _Entry) -> tuple[IO[bytes], Callable[[], None]]:
    """A stream of a member's bytes, and the function that closes it."""
    with ExitStack() as stack:
        file: IO[bytes]
        if entry.offset < 0:
            from zipfile import ZipFile

            opened = stack.enter_context(ZipFile(archive))
            info = next(info for info in opened.infolist() if info.orig_filename.replace("\\", "/") == entry.name)
            file = stack.enter_context(opened.open(info))
        else:
            file = stack.enter_context(_unpacked(archive))
            left = entry.offset
            while left and (data := file.read(min(left, 1 << 20))):
                left -= len(data)
        return file, stack.pop_all().close


@contextmanager
def _as_input_error(archive: Path) -> Iterator[None]:
    """Turn the errors of zipfile and tarfile into an `InputError`."""
    import tarfile
    import zlib
    from zipfile import BadZipFile

    try:
        yield
    except (BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        reason = str(error).splitlines()[0].rstrip(".").lower() if str(error) else "it ends too early"
        raise _refused(archive, f"the archive is broken ({reason})", _PACK_AGAIN) from None
    except NotImplementedError:
        raise _refused(
            archive, "is compressed with a method that Python does not support", f"{_PACK_AGAIN} with deflate"
        ) from None


def _refused(archive: Path, finding: str, remedy: str) -> InputError:
    return InputError(str(archive), None, finding, remedy)


def _nested(archive: Path, name: str) -> InputError:
    finding = f"the member {name!r} is an archive or a compressed file itself"
    return _refused(archive, finding, f"{_PACK_AGAIN} without packing them twice")


def _special(archive: Path, name: str, *, is_link: bool) -> InputError:
    finding = f"the member {name!r} is {'a link' if is_link else 'not a regular file'}"
    return _refused(archive, finding, "pack the files themselves")
