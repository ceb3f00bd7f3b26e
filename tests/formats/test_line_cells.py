"""The first cells and the last cell of lines, against Python's own splitting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.data.tokens import PADDING
from evenhand.formats.parsing.cells import LineCells
from evenhand.formats.source import Block

CELL = st.one_of(
    st.text(st.sampled_from("ab#(|)-é世🜨"), min_size=1, max_size=4),
    st.integers(1, 200).map(lambda size: "x" * size),
)
BLANKS = st.text(st.sampled_from(" \t\r\x0b"), max_size=3)
WIDE = st.integers(1, 90).map(lambda size: " " * size)
PLACES = st.sets(st.integers(0, 7), max_size=4).map(sorted)


@st.composite
def blank_separated(draw: st.DrawFn) -> str:
    """Runs of blanks between cells, before and behind them."""
    cells = draw(st.lists(CELL, max_size=9))
    text = draw(BLANKS)
    for place, cell in enumerate(cells):
        text += (draw(st.one_of(WIDE, st.sampled_from([" ", "\t", " \t "]))) if place else "") + cell
    return text + draw(BLANKS)


def tab_separated() -> st.SearchStrategy[str]:
    """Single tabs between cells, which may be empty, and blanks behind the line."""
    with_blanks = st.one_of(CELL, st.just(""), st.just("a b"))
    cells = st.lists(with_blanks, max_size=9).map("\t".join)
    return st.builds(str.__add__, cells, st.sampled_from(["", " ", "\r", " \r", "   "]))


def lines_of(texts: list[str], *, tabs: bool) -> LineCells:
    data = "".join(f"{text}\n" for text in texts).encode()
    return LineCells.of(Block(data + PADDING, len(data), 11), tabs=tabs)


def shown(lines: LineCells, cell: tuple[np.ndarray, np.ndarray]) -> list[str]:
    return [lines.data[start:end].decode() for start, end in zip(*(each.tolist() for each in cell), strict=True)]


def split(text: str, *, tabs: bool) -> list[str]:
    """The cells of a line; one of separators only is blank."""
    if not tabs:
        return text.split()
    return text.rstrip(" \r").split("\t") if text.strip() else [""]


def check(texts: list[str], places: list[int], *, tabs: bool) -> None:
    """The cells at some places, where the last of them ends, and the last cells."""
    lines = lines_of(texts, tabs=tabs)
    expected = [split(text, tabs=tabs) for text in texts]
    assert len(lines) == len(texts)
    assert [lines.number(row) for row in range(len(lines))] == list(range(11, 11 + len(texts)))
    assert [lines.split(row) for row in range(len(lines))] == expected
    assert list(lines.texts()) == [text.rstrip(" \r") if tabs and text.strip() else text.strip() for text in texts]
    assert lines.is_blank.tolist() == [not text.strip() for text in texts]
    found, stop = lines.cells(places)
    assert sorted(found) == places
    for place in places:
        assert shown(lines, found[place]) == [cells[place] if place < len(cells) else "" for cells in expected]
        missing = np.array([place >= len(cells) for cells in expected])
        assert (found[place][0] == lines.end)[missing].all()
    assert np.array_equal(stop, found[places[-1]][1] if places else lines.begin)
    assert shown(lines, lines.last(99)) == [cells[-1] if cells else "" for cells in expected]


@settings(max_examples=100)
@given(st.lists(blank_separated(), min_size=1, max_size=6), PLACES)
def test_runs_of_blanks(texts: list[str], places: list[int]) -> None:
    check(texts, places, tabs=False)


@settings(max_examples=100)
@given(st.lists(tab_separated(), min_size=1, max_size=6), PLACES)
def test_single_tabs(texts: list[str], places: list[int]) -> None:
    check(texts, places, tabs=True)


@settings(max_examples=100)
@given(st.lists(tab_separated(), min_size=1, max_size=6), st.integers(1, 9))
@example(["a\tb\t(1)\t\t", "\t\t", "a\tb\t\t", "é\t\t"], 3)
def test_empty_cells_behind_the_least_are_passed_over(texts: list[str], least: int) -> None:
    lines = lines_of(texts, tabs=True)
    expected = [split(text, tabs=True) for text in texts]
    for cells in expected:
        while len(cells) > least and not cells[-1]:
            cells.pop()
    end = lines.end.copy()
    assert shown(lines, lines.last(least)) == [cells[-1] for cells in expected]
    assert np.array_equal(lines.end, end)


@pytest.mark.parametrize("size", [*range(1, 20), *range(50, 70), 1000])
@pytest.mark.parametrize("tabs", [True, False])
def test_cells_of_any_length_at_the_begin_of_the_data(size: int, tabs: bool) -> None:
    """They end before a word of sixty-four bits does, with it, or behind it."""
    separator = "\t" if tabs else "  "
    cell, other = "x" * size, "é" * size
    for texts in ([cell], [f"{cell}{separator}{other}"], [f"a{separator}{cell}", f"{other}{separator}b"]):
        check(texts, [0, 1], tabs=tabs)


@settings(max_examples=50)
@given(st.lists(blank_separated(), min_size=2, max_size=8), st.data())
def test_some_lines_keep_their_numbers(texts: list[str], data: st.DataObject) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1))))
    lines = lines_of(texts, tabs=False).take(np.array(rows, dtype=np.int64))
    assert [lines.number(row) for row in range(len(lines))] == [row + 11 for row in rows]
    assert [lines.split(row) for row in range(len(lines))] == [texts[row].split() for row in rows]
    assert shown(lines, lines.cells([1])[0][1]) == [(texts[row].split()[1:2] or [""])[0] for row in rows]
    assert shown(lines, lines.last(1)) == [(texts[row].split()[-1:] or [""])[0] for row in rows]


def test_the_first_byte_of_lines() -> None:
    lines = lines_of(["#begin", "  #end", "a b"], tabs=False)
    assert bytes(lines.first_byte) == b"##a"
