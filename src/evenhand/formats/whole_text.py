"""A file that is one text."""

from __future__ import annotations

from codecs import BOM_UTF8

from evenhand.formats.source import Source
from evenhand.formats.utf8 import is_plainly_utf8

_SHORT = 1 << 12
"""Below so many bytes, to decode them is quicker."""


def whole_text(source: Source) -> str:
    """All of a file; it may be empty (an answer, a document without spans), which the blocks of a file may not."""
    return whole_data(source).decode()


def whole_data(source: Source) -> bytes:
    """The same as bytes in UTF-8, without a byte order mark."""
    data = source.read_whole()
    if data in (b"", BOM_UTF8):
        return b""
    if source.delimiter is None and b"\0" not in data and _is_utf8(data):
        return data.removeprefix(BOM_UTF8)
    blocks = source.blocks(len(data), cut_behind="line", of_lines=False)
    text = b"".join(block.data[: block.size] for block in blocks)
    return text if data.endswith(b"\n") else text[:-1]


def _is_utf8(data: bytes) -> bool:
    """Whether this can be decoded; where not, others tell its line."""
    if data.isascii() or (len(data) > _SHORT and data[-1:].isascii() and is_plainly_utf8(data)):
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
