"""Bytes that are UTF-8, told without a decoder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tokens import PADDING
from evenhand.formats.source import is_plainly_utf8

PIECES = [bytes([byte]) for byte in (0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xFF)]
CHARACTERS = [text.encode() for text in ("a", "é", "ß", "€", "北", "\ufeff")]


@given(st.lists(st.sampled_from(PIECES + CHARACTERS), max_size=8))
def test_what_is_not_utf8_is_never_taken_for_it(pieces: list[bytes]) -> None:
    data = b"".join(pieces) + PADDING
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_plainly_utf8(data)


@given(st.lists(st.sampled_from(CHARACTERS), max_size=30))
def test_characters_of_up_to_three_bytes_are_told(characters: list[bytes]) -> None:
    assert is_plainly_utf8(b"".join(characters) + PADDING)


@pytest.mark.parametrize("text", ["😀", "ไทย", "퟿"])
def test_other_characters_are_left_to_a_decoder(text: str) -> None:
    assert not is_plainly_utf8(text.encode() + PADDING)
