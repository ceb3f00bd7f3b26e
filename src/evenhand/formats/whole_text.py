"""A file that is one text."""

from __future__ import annotations

from codecs import BOM_UTF8
from contextlib import suppress

from evenhand.formats.source import BYTE_ORDER_MARK, Source


def whole_text(source: Source) -> str:
    """All of a file; it may be empty (an answer, a document without spans), which the blocks of a file may not."""
    data = source.read_whole()
    if data in (b"", BOM_UTF8):
        return ""
    if source.delimiter is None and b"\0" not in data:
        with suppress(UnicodeDecodeError):  # which others tell with its line
            return data.decode().removeprefix(BYTE_ORDER_MARK)
    blocks = source.blocks(len(data), cut_behind="line", of_lines=False)
    text = b"".join(block.data[: block.size] for block in blocks).decode()
    return text if data.endswith(b"\n") else text[:-1]
