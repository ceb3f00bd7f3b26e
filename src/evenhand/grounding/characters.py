"""What a character is to the search for strings: part of a word, or a letter, digit or mark."""

from __future__ import annotations

from bisect import bisect_right
from unicodedata import category

_WITHOUT_BLANKS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029)),
    *((0x3031, 0x3035), (0x3038, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF)),
    *((0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFD)),
)
"""First and last characters of scripts that put no blanks between words: Thai, Lao, Myanmar, Khmer, kana and Han."""
_FIRST, _LAST = zip(*_WITHOUT_BLANKS, strict=True)


class _Letters(dict[str, bool]):
    """Whether a character is a letter, a digit or a mark; looked up once each."""

    def __missing__(self, character: str) -> bool:
        self[character] = found = character.isalnum() or category(character)[0] == "M"
        return found


class _Joining(dict[str, bool]):
    """Whether no word ends between a character and another such one; looked up once each."""

    def __missing__(self, character: str) -> bool:
        is_part = character == "_" or IS_LETTER[character]
        self[character] = found = is_part and not _is_without_blanks(character)
        return found


IS_LETTER = _Letters()
IS_JOINING = _Joining()
"""Letters, digits, marks and underscores, but for those of scripts that put no blanks between words."""


def _is_without_blanks(character: str) -> bool:
    code = ord(character)
    at = bisect_right(_FIRST, code) - 1
    return at >= 0 and code <= _LAST[at]
