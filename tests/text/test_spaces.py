"""The spaces of Unicode."""

from __future__ import annotations

from unicodedata import category

import numpy as np

from evenhand.arrays import places
from evenhand.data.tokens import atoms, in_separator

ALL = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000]


def begins(characters: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each of some characters begins in their bytes."""
    return np.cumsum([0, *(len(each.encode()) for each in characters[:-1])])


def test_atoms_are_the_characters_that_are_no_spaces() -> None:
    text = np.frombuffer("".join(ALL).encode(), dtype=np.uint8)
    visible = begins(ALL)[[not each.isspace() for each in ALL]]
    assert places(atoms(text)).tolist() == visible.tolist()


def test_separators_are_those_of_unicode() -> None:
    text = np.frombuffer("".join(ALL).encode(), dtype=np.uint8)
    assert in_separator(text)[begins(ALL)].tolist() == [category(each) == "Zs" for each in ALL]
