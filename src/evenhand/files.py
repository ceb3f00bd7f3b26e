"""Atomic writing of files and folders; memory and thread settings of Evenhand's own processes.

New content goes to a hidden file next to the target, which replaces the target at the end. An error or an interrupt
removes the hidden file. Targets that are not regular files (pipes, terminals, devices) are written directly.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import Any, BinaryIO

from evenhand.errors import InputError

_FREE = "free some space or choose another place"
_REFUSALS = {
    errno.ENOSPC: ("cannot be written because the disk is full", _FREE),
    errno.EDQUOT: ("cannot be written because your disk quota is used up", _FREE),
    errno.EISDIR: ("is a folder", "specify a file in it"),
}
_REMEDIES = {
    errno.ENOENT: "check the folder",
    errno.ENOTDIR: "check the folder",
    errno.EACCES: "check the permissions or choose another place",
    errno.EPERM: "check the permissions or choose another place",
}
_OPEN_FILE = re.compile(r"/dev/std(out|err)|/(?:dev|proc/self)/fd/(\d+)")
"""Paths of files that this process has open."""
RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\.|\Z)")
"""Matches names that files cannot have on Windows, with any suffix."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def keep_freed_memory() -> None:
    """Make the C library of Linux keep up to 64 MB of freed memory. Only call this in Evenhand's own processes.

    By default, it returns memory to the system and fetches it again for the next block, which takes longer than the
    work on the block. The amount kept depends on the largest piece ever freed; this piece is never touched. Programs
    that use Evenhand as a library keep their own settings.
    """
    bytes((1 << 25) - (1 << 13))


def search_seldom() -> None:
    """Make Python search for reference cycles rarely and not at exit. Only call this in Evenhand's own processes.

    Evenhand makes almost no cycles, and the searches take a tenth of the time of a small command.
    """
    gc.set_threshold(1_000_000)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


def start_no_threads() -> None:
    """Keep OpenBLAS, which NumPy includes, from starting threads. Only call this in Evenhand's own processes.

    Starting them takes as long as loading the remainder of NumPy, matrix products are a minor part of Evenhand's work,
    and `--jobs` sets the number of processors. A number set in the environment is kept.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def refusal(path: str, error: OSError) -> InputError:
    """Return the error that reports why a path cannot be written."""
    number = error.errno or 0
    if number in _REFUSALS:
        return InputError(path, None, *_REFUSALS[number])
    reason = (error.strerror or "unknown reason").lower()
    return InputError(path, None, f"cannot be written ({reason})", _REMEDIES.get(number, "choose another place"))


def is_unread(error: OSError) -> bool:
    """Whether an error of writing means that the reader has closed the pipe; Windows calls that an invalid argument."""
    if sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None:
        return True
    return isinstance(error, BrokenPipeError)


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8."""
    with whole_file(path) as file:
        file.write(_bytes(content))


def check_target(path: str | Path) -> None:
    """Raise the error that writing to this path would raise: for a folder, or a file in a missing folder."""
    name = str(path)
    if _open_file(name) is not None:  # on Windows, nothing is there
        return
    with _refuse_errors(name):
        if os.path.isdir(name):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        folder = os.path.dirname(os.path.realpath(name))
        if not os.path.exists(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.path.isdir(folder):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(name if os.path.exists(name) else folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def append_to_file(path: str | Path, text: str) -> None:
    """Append text as UTF-8 to a file, which is created if it does not exist."""
    with _refuse_errors(str(path)), open(path, "ab") as file:
        file.write(_bytes(text))


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file that replaces the file at `path` if the block succeeds.

    The new file has the permissions of the replaced file. A link is followed. An `OSError` of the disk becomes an
    `InputError`; a `BrokenPipeError` is passed on.
    """
    name = str(path)
    with _refuse_errors(name):
        mode, direct = _inspect_target(name)
    if direct is not None:
        with _open_descriptor(direct, name) as file:
            yield file
        return
    target = os.path.realpath(name)
    with _temporary(target) as temporary:
        with _refuse_errors(name):
            descriptor = os.open(temporary, _NEW, 0o666)
        with _open_descriptor(descriptor, name) as file:
            yield file
        with _refuse_errors(name):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, target)


@contextmanager
def whole_folder(path: str | Path, replacing: str | None = None) -> Iterator[Callable[[str, str | bytes], None]]:
    """Yield a function that writes files of a folder by their relative paths; either all are written, or none.

    An existing folder keeps its other files. With `replacing`, the name of a file that such folders have, an existing
    folder is replaced as a whole; a folder with other content is refused. An interrupt waits until the new files have
    been moved into the folder.
    """
    folder = str(path)
    target = os.path.realpath(folder)
    with _refuse_errors(folder):
        if os.path.exists(target) and not os.path.isdir(target):
            raise FileExistsError(errno.EEXIST, "a file is there")
    if (
        replacing
        and os.path.isdir(target)
        and os.listdir(target)
        and not os.path.exists(os.path.join(target, replacing))
    ):
        finding = f"is a folder with other files (it has no {replacing}), which would be deleted"
        raise InputError(folder, None, finding, "choose an empty or a new folder")
    with _parents(target), _temporary(target) as temporary:
        with _refuse_errors(folder):
            os.mkdir(temporary)

        def write(name: str, content: str | bytes) -> None:
            with _refuse_errors(os.path.join(folder, name)):
                os.makedirs(os.path.dirname(os.path.join(temporary, name)), exist_ok=True)
                with open(os.path.join(temporary, name), "wb") as file:
                    file.write(_bytes(content))

        yield write
        with _refuse_errors(folder):
            if replacing and os.path.isdir(target):
                with _temporary(target) as old:
                    os.rename(target, old)
                    try:
                        os.rename(temporary, target)
                    except OSError:  # on Windows, if another program has opened one of the files
                        os.rename(old, target)
                        raise
            else:
                _move(temporary, target)


class _Target(FileIO):
    """A file whose errors name it, to distinguish them from errors of files that are read meanwhile."""

    display_name = ""
    abandoned = False
    """Whether unwritten data is dropped."""

    def write(self, data: Any, /) -> int:
        if self.abandoned:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            if is_unread(error):
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from None
            raise refusal(self.display_name, error) from None


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


@contextmanager
def _refuse_errors(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise refusal(path, error) from None


def _inspect_target(path: str) -> tuple[int | None, int | None]:
    """Return the mode of an existing file, and a descriptor if the target is written directly."""
    number = _open_file(path)
    if number is not None:
        return None, os.dup(number)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None, None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if not stat.S_ISREG(mode):
        return mode, os.open(path, os.O_WRONLY)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode, None


def _open_file(path: str) -> int | None:
    """The descriptor that a path names, also on Windows, which has no such paths; None for any other path."""
    match = _OPEN_FILE.fullmatch(Path(path).as_posix())
    if match is None:
        return None
    return int(match[2]) if match[2] else ("out", "err").index(match[1]) + 1


@contextmanager
def _open_descriptor(descriptor: int, name: str) -> Iterator[BinaryIO]:
    """Open a descriptor as a file. After an error, unwritten data is dropped."""
    raw = _Target(descriptor, "wb")
    raw.display_name = name
    with BufferedWriter(raw, 1 << 16) as file:
        try:
            yield file
        except BaseException:
            raw.abandoned = True
            raise


@contextmanager
def _temporary(target: str) -> Iterator[str]:
    """Yield a hidden path next to the target; a file or folder that is there at the end is removed."""
    path = os.path.join(os.path.dirname(target), f".evenhand-{os.getpid()}-{os.urandom(6).hex()}")
    try:
        yield path
    finally:
        with suppress(OSError):
            _remove(path)


def _remove(path: str) -> None:
    if not os.path.isdir(path):
        os.unlink(path)
        return
    for name in os.listdir(path):
        _remove(os.path.join(path, name))
    os.rmdir(path)


@contextmanager
def _parents(target: str) -> Iterator[None]:
    """Create the missing parents of a folder, and remove them after an error."""
    missing = [str(parent) for parent in Path(target).parents if not parent.exists()]
    try:
        for folder in reversed(missing):
            with _refuse_errors(target):
                os.mkdir(folder)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _move(source: str, target: str) -> None:
    """Rename a folder, or move its files into the existing folder."""
    if not os.path.isdir(target):
        os.rename(source, target)
        return
    try:
        _move_files(source, target)
    except (KeyboardInterrupt, SystemExit):
        _move_files(source, target)
        raise


def _move_files(source: str, target: str) -> None:
    for name in sorted(os.listdir(source)):
        old, new = os.path.join(source, name), os.path.join(target, name)
        if os.path.isdir(old) and os.path.isdir(new):
            _move_files(old, new)
        else:
            os.replace(old, new)
