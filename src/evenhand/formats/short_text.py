"""Short files that say what to do: suites, weights, lists of words. They are read whole, as UTF-8."""

from __future__ import annotations

import codecs
from pathlib import Path

from evenhand.formats.addresses import Place
from evenhand.problems import InputError

LIMIT = 1 << 24
"""How many bytes such a file may have."""


def short_text(path: Place, what: str) -> str:
    """The text of a file; `what` says what it is for, in messages."""
    return decoded(short_data(path, what), path)


def short_data(path: Place, what: str) -> bytes:
    """The bytes of a file."""
    shown = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path of a file"
        raise InputError(shown, None, f"cannot be read ({reason.lower()})", f"check the path of the {what}") from None
    if len(data) > LIMIT:
        finding = f"has more than {LIMIT >> 20} MB, which is too much for a {what}"
        raise InputError(shown, None, finding, "check which file it is")
    return data


def decoded(data: bytes, path: Place) -> str:
    """Bytes as a text, without the mark that a file may begin with."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        finding = f"the byte 0x{data[error.start]:02x} is not valid UTF-8"
        raise InputError(str(path), line, finding, "save the file as UTF-8", "characters") from None


def names_a_file(path: Path) -> bool:
    """Whether a text that may be something else is the path of a file or a pipe that is there."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a path, or with characters that none has
        return False
