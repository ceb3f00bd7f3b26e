"""The byte-block parser against Python's own splitting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tokens import PADDING
from evenhand.data.vocabulary import CellCodes
from evenhand.formats.parsing.cells import numbers, split
from evenhand.formats.source import Block, Source

TEXT = st.text(st.sampled_from("ab#é世\t \r\n\x0b"), min_size=1, max_size=60)


def block(text: str) -> Block:
    data = text.encode() + b"\n"
    return Block(data + PADDING, len(data), 1)


def cells_of(text: str, tabs: bool) -> list[list[str]]:
    """The cells of every line, as the parser finds them."""
    lines = split(block(text), tabs=tabs)
    found = []
    for line, count in enumerate(lines.cells.tolist()):
        table = lines.table(np.array([line]), count)
        found.append([table.text(column, 0) for column in range(count)])
    return found


@given(TEXT)
def test_runs_of_blanks_separate_cells(text: str) -> None:
    expected = [
        [cell for cell in line.replace("\t", " ").replace("\r", " ").split(" ") if cell] for line in text.split("\n")
    ]
    assert cells_of(text, tabs=False) == expected


@given(TEXT)
def test_single_tabs_separate_cells(text: str) -> None:
    expected = []
    for line in text.split("\n"):
        cells = line.rstrip(" \r").split("\t")
        expected.append(cells if any(cells) else [])
    assert cells_of(text, tabs=True) == expected


@given(TEXT)
def test_lines_keep_their_numbers_and_text(text: str) -> None:
    lines = split(block(text), tabs=True)
    assert [lines.number(i) for i in range(len(lines.cells))] == list(range(1, text.count("\n") + 2))
    for number, (line, count) in enumerate(zip(text.split("\n"), lines.cells.tolist(), strict=True)):
        if count:
            assert lines.text(number) == line.rstrip(" \r")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30), min_size=1, max_size=30))
def test_equal_cells_get_equal_codes(cells: list[str]) -> None:
    encoded = [cell.encode() for cell in cells]
    end = np.cumsum([len(cell) for cell in encoded])
    start = end - [len(cell) for cell in encoded]
    coder, half = CellCodes(), len(cells) // 2
    data = b"".join(encoded) + PADDING
    codes, names = [], []
    for part in (slice(0, half), slice(half, None)):
        found, new = coder(data, start[part], end[part])
        names += [encoded[part][row] for row in new]
        codes += found.tolist()
    assert [names[code] for code in codes] == encoded
    assert names == list(dict.fromkeys(encoded))


def test_thousands_of_distinct_cells() -> None:
    cells = [f"label-{i}-{i * i}".encode() for i in range(5000)] * 2
    end = np.cumsum([len(cell) for cell in cells])
    codes, new = CellCodes()(b"".join(cells) + PADDING, end - [len(cell) for cell in cells], end)
    assert codes.tolist() == [*range(5000)] * 2
    assert new == list(range(5000))


@given(st.lists(st.sampled_from(["0", "7", "12", "999", "x1", "1x", "", "-3", "123456789012345678", "٣"]), min_size=1))
def test_whole_numbers(cells: list[str]) -> None:
    encoded = [cell.encode() for cell in cells]
    end = np.cumsum([len(cell) for cell in encoded])
    values, bad = numbers(b"".join(encoded) + PADDING, end - [len(cell) for cell in encoded], end)
    for cell, value, wrong in zip(cells, values.tolist(), bad.tolist(), strict=True):
        assert wrong == (not (cell.isascii() and cell.isdigit()))
        assert wrong or value == int(cell)


@given(st.lists(st.sampled_from(["a O\n", "b B-X\n", "\n", "\r\n", " \n", "ü O\r\n"]), min_size=1), st.integers(1, 40))
def test_blocks_hold_whole_sentences(lines: list[str], size: int) -> None:
    text = "".join(lines).encode()
    path = Path("unused")
    blocks = list(_Memory(path, text).blocks(size))
    assert b"".join(each.data[: each.size] for each in blocks) == text
    number = 1
    for each in blocks:
        assert each.first_line == number
        number += each.data.count(b"\n")
        if each is not blocks[-1]:
            assert each.data[: each.size].splitlines()[-1].strip() == b""


class _Memory(Source):
    """A source whose bytes are given."""

    def __init__(self, path: Path, text: bytes) -> None:
        super().__init__(path)
        object.__setattr__(self, "text", text)

    def open(self):
        import io

        return io.BytesIO(self.text)
