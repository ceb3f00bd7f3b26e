"""Files that are written whole or not at all, and what is said where they cannot be.

New content goes to a hidden file beside the target, which takes the target's place at the end. Whatever comes between,
an error or an interrupt, removes it. What is no regular file (a pipe, a terminal, a device) is simply written to.
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

# == memory.py: What a process does with memory that it no longer needs.


_LARGEST = (1 << 25) - (1 << 13)
_OBJECTS = 1_000_000
"""How many new objects make a search worth it."""


def keep_freed_memory() -> None:
    """Have the C library of Linux keep up to 64 MB of freed memory, for processes that only Evenhand works in.

    Else it gives memory back to the system, to fetch it again for the next block, which takes longer than to work on
    it. How much it keeps follows the largest piece that was ever freed; this one is never touched. Programs that use
    Evenhand as a library are left as they are: it is their memory.
    """
    bytes(_LARGEST)


def search_seldom() -> None:
    """Have Python seldom search for objects that only refer to each other, and not at its end, for the same processes.

    There are next to none: what blocks hold is freed at once. The searches take a tenth of the time of a small command.
    """
    gc.set_threshold(_OBJECTS)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


# == threads.py: How many threads NumPy has.


_NUMBER = "OPENBLAS_NUM_THREADS"


def start_no_threads() -> None:
    """Have OpenBLAS, which NumPy comes with, start no threads, for processes that only Evenhand works in.

    To start them takes as long as to load all else of NumPy. Matrix products are the smallest part of what Evenhand
    does, and `--jobs` says how many processors it may use. If the environment names a number, it stays.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault(_NUMBER, "1")


# == files.py (primary)


_FREE = "free some space or choose another place"
_REFUSALS = {
    errno.ENOSPC: ("cannot be written, as the disk is full", _FREE),
    errno.EDQUOT: ("cannot be written, as your share of the disk is full", _FREE),
    errno.EISDIR: ("is a folder", "name a file in it"),
}
_REMEDIES = {
    errno.ENOENT: "check the folder",
    errno.ENOTDIR: "check the folder",
    errno.EACCES: "check the permissions or choose another place",
    errno.EPERM: "check the permissions or choose another place",
}
_OWN = re.compile(r"/dev/std(out|err)|/(?:dev|proc/self)/fd/(\d+)")
"""Files of this process that are open already."""
_BUFFER = 1 << 16
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def refusal(shown: str, error: OSError) -> InputError:
    """Why something cannot be written, in one sentence."""
    number = error.errno or 0
    if number in _REFUSALS:
        return InputError(shown, None, *_REFUSALS[number])
    reason = (error.strerror or "unknown reason").lower()
    return InputError(shown, None, f"cannot be written ({reason})", _REMEDIES.get(number, "choose another place"))


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8."""
    with whole_file(path) as file:
        file.write(_bytes(content))


def check_target(path: str | Path) -> None:
    """Refuse a path that no file can be written to, as writing it would: a folder, or a file in a missing folder."""
    shown = str(path)
    with _refused(shown):
        if os.path.isdir(shown):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        folder = os.path.dirname(os.path.realpath(shown))
        if not os.path.exists(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.path.isdir(folder):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(shown if os.path.exists(shown) else folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def append_to_file(path: str | Path, text: str) -> None:
    """Add text to the end of a file, as UTF-8; a file that is not there is made."""
    with _refused(str(path)), open(path, "ab") as file:
        file.write(_bytes(text))


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which becomes the file at `path` at the end, if all goes well.

    The new file has the permissions of the one that it replaces. A link stays, and what it leads to is written. An
    `OSError` of the disk is an `InputError`; one of a pipe that nobody reads any more stays what it is.
    """
    shown = str(path)
    with _refused(shown):
        mode, direct = _found(shown)
    if direct is not None:
        with _opened(direct, shown) as file:
            yield file
        return
    target = os.path.realpath(shown)
    with _temporary(target) as temporary:
        with _refused(shown):
            descriptor = os.open(temporary, _NEW, 0o666)
        with _opened(descriptor, shown) as file:
            yield file
        with _refused(shown):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, target)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Callable[[str, str | bytes], None]]:
    """What writes the files of a folder, by name or path in it; all are there at the end, or none is.

    A folder that is there keeps its other files. What is left at the end is moving the new ones, and an interrupt waits
    for that.
    """
    shown = str(path)
    target = os.path.realpath(shown)
    with _refused(shown):
        if os.path.exists(target) and not os.path.isdir(target):
            raise FileExistsError(errno.EEXIST, "a file is there")
    with _parents(target), _temporary(target) as temporary:
        with _refused(shown):
            os.mkdir(temporary)

        def write(name: str, content: str | bytes) -> None:
            with _refused(os.path.join(shown, name)):
                os.makedirs(os.path.dirname(os.path.join(temporary, name)), exist_ok=True)
                with open(os.path.join(temporary, name), "wb") as file:
                    file.write(_bytes(content))

        yield write
        with _refused(shown):
            _move(temporary, target)


class _Target(FileIO):
    """A file whose troubles are told from those of others that are read meanwhile."""

    shown = ""
    given_up = False
    """Whether what is still to be written is dropped."""

    def write(self, data: Any, /) -> int:
        if self.given_up:
            return len(data)
        with _refused(self.shown):
            return super().write(data)


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


@contextmanager
def _refused(shown: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise refusal(shown, error) from None


def _found(path: str) -> tuple[int | None, int | None]:
    """The mode of the file that is there, if any, and a descriptor if it is to be written to as it stands."""
    own = _OWN.fullmatch(Path(path).as_posix())
    if own is not None:
        return None, os.dup(int(own[2]) if own[2] else ("out", "err").index(own[1]) + 1)
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


@contextmanager
def _opened(descriptor: int, shown: str) -> Iterator[BinaryIO]:
    """A descriptor as a file. If something goes wrong, what is not yet written is given up."""
    raw = _Target(descriptor, "wb")
    raw.shown = shown
    with BufferedWriter(raw, _BUFFER) as file:
        try:
            yield file
        except BaseException:
            raw.given_up = True
            raise


@contextmanager
def _temporary(target: str) -> Iterator[str]:
    """A hidden name beside the target. What is there at the end under this name is removed."""
    path = os.path.join(os.path.dirname(target), f".evenhand-{os.getpid()}-{os.urandom(6).hex()}")
    try:
        yield path
    finally:
        with suppress(OSError):
            if os.path.isdir(path):
                for name in os.listdir(path):
                    os.unlink(os.path.join(path, name))
                os.rmdir(path)
            else:
                os.unlink(path)


@contextmanager
def _parents(target: str) -> Iterator[None]:
    """The folders that a folder stands in; those that are made for it go again if it does not come."""
    missing = [str(parent) for parent in Path(target).parents if not parent.exists()]
    try:
        for folder in reversed(missing):
            with _refused(target):
                os.mkdir(folder)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _move(source: str, target: str) -> None:
    """A folder to its place, or its files into the folder that is there."""
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
