"""Signals, exit codes and standard streams of a command.

A stopped command prints no traceback, removes its temporary files, and exits with 128 plus the number of the signal:
130 after Ctrl-C, 143 after `kill`, and 141 if its output is closed.
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
from evenhand.files import is_unread, refusal

INTERRUPTED = 130
UNREAD = 141
SKIPPABLE = "evenhand.skippable"
"""Key under which a context keeps the systems that --skip-broken may leave out."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Errors of standard output; files have separate messages."""
_ENDING = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that end a process by default; by name because not all systems have all."""
_PLAIN = {"─": "-", "█": "#", "–": "-", "—": "-", "→": ">", "±": "~", "³": "3", "…": ".", "≥": ">", "≤": "<", "−": "-"}
"""Replacements, of the same width, for characters of tables that the encoding of a terminal lacks."""
_ESCAPED = "evenhand-plain"
_WIPES: list[Callable[[], None]] = []
"""Functions that wipe progress lines before other output."""


@contextmanager
def wiped_before(wipe: Callable[[], None]) -> Iterator[None]:
    """Call `wipe` before anything else is shown on the terminal."""
    _WIPES.append(wipe)
    try:
        yield
    finally:
        _WIPES.remove(wipe)


def wipe_lines() -> None:
    for wipe in _WIPES:
        wipe()


def say(message: str) -> None:
    """Write a message to standard error, with control characters from data escaped.

    A closed standard error is not an error.
    """
    wipe_lines()
    try:
        click.echo(visible(message), err=True)
    except OSError:
        _discard(sys.stderr)


@contextmanager
def orderly() -> Iterator[None]:
    """Turn interrupts and errors of standard output into exit codes."""
    with _cleaning_up():
        try:
            yield
        except KeyboardInterrupt:
            say("evenhand: interrupted")
            sys.exit(INTERRUPTED)
        except OSError as error:
            if is_unread(error):
                _discard(sys.stdout)
                sys.exit(UNREAD)
            if error.errno not in _FULL:
                raise
            _discard(sys.stdout)
            say(f"evenhand: {refusal('standard output', error)}")
            sys.exit(2)


def _discard(stream: IO[Any]) -> None:
    """Discard further output to a stream, also the buffer that Python flushes at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


@contextmanager
def _cleaning_up() -> Iterator[None]:
    """Let signals raise `SystemExit`, which removes temporary files."""
    taken, received = [], []

    def end(number: int, frame: FrameType | None) -> NoReturn:
        received.append(number)
        sys.exit(128 + number)

    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(ValueError):  # only the main thread may set handlers
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    except Exception:
        if received:  # during the creation of a class, Python replaces the exception of a signal handler
            sys.exit(128 + received[0])
        raise
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def steady_streams() -> None:
    """Open closed standard streams, and escape characters that their encodings lack.

    On Windows, output to files and pipes is UTF-8 with LF, as elsewhere, unless PYTHONIOENCODING is set.
    """
    if sys.stdin is None:
        sys.stdin = _open_null(0, os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _open_null(1, os.O_RDONLY, "w")  # read-only: writing raises
    if sys.stderr is None:
        sys.stderr = _open_null(2, os.O_WRONLY, "w")
    codecs.register_error(_ESCAPED, _escape)
    for stream in (sys.stdout, sys.stderr):
        if not hasattr(stream, "reconfigure"):
            continue
        if sys.platform == "win32" and "PYTHONIOENCODING" not in os.environ and not stream.isatty():
            stream.reconfigure(encoding="utf-8", newline="\n")
        if not codecs.lookup(stream.encoding).name.startswith("utf"):
            stream.reconfigure(errors=_ESCAPED)


def _open_null(number: int, flags: int, mode: str) -> Any:
    """Open the null device as the stream of a closed descriptor."""
    null = os.open(os.devnull, flags)
    if null != number:
        os.dup2(null, number)
        os.close(null)
    return open(number, mode, encoding="utf-8", closefd=False)


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Plain characters for table rules, escapes such as `\\u4eba` for data."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character) or ascii(character)[1:-1] for character in lacking), error.end
