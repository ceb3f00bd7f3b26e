"""How a command ends when it is stopped: no traceback, nothing left behind, and the status that shells know.

A signal ends it with 128 and the signal's number: 130 after Ctrl-C, 143 after `kill`, and 141 if nobody reads its
output any more.
"""

from __future__ import annotations

import codecs
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, Any, NoReturn

import click

from evenhand.errors import visible
from evenhand.files import refusal

INTERRUPTED = 130
UNREAD = 141
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What standard output says; files that are written have sentences of their own."""
_ENDING = ("SIGTERM", "SIGHUP")
"""Signals that end a process at once, if it does not say otherwise; by name, as not all systems have all."""


_WIPES: list[Callable[[], None]] = []
"""What wipes lines of progress, which may stand where something else is to be shown."""


@contextmanager
def wiped_before(wipe: Callable[[], None]) -> Iterator[None]:
    """Let something that is shown on the terminal be wiped before anything else is shown."""
    _WIPES.append(wipe)
    try:
        yield
    finally:
        _WIPES.remove(wipe)


def wipe_lines() -> None:
    for wipe in _WIPES:
        wipe()


def say(message: str) -> None:
    """Say something on standard error, where control characters from data are spelled out.

    If nobody can listen, nothing else suffers.
    """
    wipe_lines()
    try:
        click.echo(visible(message), err=True)
    except OSError:
        _let_go(sys.stderr)


@contextmanager
def orderly() -> Iterator[None]:
    """Turn what stops a command into its exit status."""
    with _cleaning_up():
        try:
            yield
        except KeyboardInterrupt:
            say("evenhand: interrupted")
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            _let_go(sys.stdout)
            sys.exit(UNREAD)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            _let_go(sys.stdout)
            say(f"evenhand: {refusal('standard output', error)}")
            sys.exit(2)


def _let_go(stream: IO[Any]) -> None:
    """Let nothing more come to a stream, not even at the end of the process, when Python writes what is left."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def _cleaning_up() -> Iterator[None]:
    """Let other signals than that of Ctrl-C raise too, so that temporary files are removed."""
    taken, received = [], []

    def end(number: int, frame: FrameType | None) -> NoReturn:
        received.append(number)
        sys.exit(128 + number)

    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(ValueError):  # another thread than the main one has no say
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    except Exception:
        if received:  # while a class is made, Python turns what a signal raises into an error of its own
            sys.exit(128 + received[0])
        raise
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


# == cli/streams.py: Standard streams that a command can rely on, whatever they w


_PLAIN = {"─": "-", "█": "#", "–": "-", "—": "-", "→": ">", "±": "~", "³": "3", "…": ".", "≥": ">", "≤": "<", "−": "-"}
"""What stands for characters of tables where the encoding of a terminal has none; as wide as they are."""
_ESCAPED = "evenhand-plain"


def steady_streams() -> None:
    """Open standard streams that are closed, and let others show what their encodings lack."""
    if sys.stdin is None:
        sys.stdin = _opened(0, os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _opened(1, os.O_RDONLY, "w")  # so that what is written raises
    if sys.stderr is None:
        sys.stderr = _opened(2, os.O_WRONLY, "w")
    codecs.register_error(_ESCAPED, _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not _is_unicode(stream.encoding):
            stream.reconfigure(errors=_ESCAPED)


def _opened(number: int, flags: int, mode: str) -> Any:
    """The stream of a descriptor that is closed, on nothing."""
    nowhere = os.open(os.devnull, flags)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
    return open(number, mode, encoding="utf-8", closefd=False)


def _is_unicode(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith("utf")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Plain characters for those of tables, escapes such as `\\u4eba` for those of data."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each) or ascii(each)[1:-1] for each in lacking), error.end
