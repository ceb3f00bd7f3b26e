"""The same records written in another way, which can be read as columns."""

from __future__ import annotations

import re

import msgspec

from evenhand.formats.json_records import UNREADABLE, Record, has_a_line_each
from evenhand.formats.source import Block
from evenhand.text.tokens import PADDING

_OTHER_ESCAPES = re.compile(rb"\\u00[0-7]|\\U")
"""Escapes of ASCII, which must stay, and what JSON does not have but a decoder of Python."""
_NOTHING = msgspec.Raw()
_Kept = msgspec.defstruct(
    "_Kept", [(name, msgspec.Raw, _NOTHING) for name in Record.__struct_fields__], omit_defaults=True, gc=False
)
_DECODER, _ENCODER = msgspec.json.Decoder(_Kept), msgspec.json.Encoder()


def respelled(block: Block) -> Block | None:
    """Records without what nobody reads, and with their keys in one order; their values are as they were.

    Tools write notes and scores into records, not all of them into every one. What is left is spelled alike more often.
    None where something is no record, or a line does not hold just one.
    """
    try:
        records = _DECODER.decode_lines(memoryview(block.data)[: block.size])
    except UNREADABLE:
        return None
    if not has_a_line_each(records, block):
        return None
    lines = _ENCODER.encode_lines(records)
    return Block(lines + PADDING, len(lines), block.first_line)


def with_letters(block: Block) -> Block:
    """The block with letters in place of their escapes, if it has nothing but ASCII, as Python's `json` writes it."""
    data = block.data
    if b"\\" not in data or not data.isascii() or b"\\u" not in data or _OTHER_ESCAPES.search(data):
        return block
    try:
        written = _encoded(data[: block.size].decode("raw_unicode_escape"))
    except UnicodeDecodeError:
        return block
    return Block(written + PADDING, len(written), block.first_line)


def _encoded(text: str) -> bytes:
    """A text in UTF-8, with pairs of surrogates joined."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()
