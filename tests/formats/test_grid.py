"""Blocks written alike are read as a matrix: what is found is what the general parser finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.tokens import PADDING
from evenhand.errors import InputError
from evenhand.formats.parsing import token_table as token_lines
from evenhand.formats.parsing.cells import grid, split
from evenhand.formats.source import Block


def block(text: str) -> Block:
    data = text.encode()
    return Block(data + PADDING, len(data), 1)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, int, bool]:
    """Some lines, most of them written alike; their columns, and whether tabs are between them."""
    tabs, columns = draw(st.booleans()), draw(st.integers(1, 3))
    rare = draw(st.sampled_from([0, 0, 1]))
    cells = ["a", "bc", "Zürich", "-DOCSTART-", "#", *(["d e", ""] if tabs else [])]
    lines = draw(st.lists(st.sampled_from(["", "\t", " "]), max_size=1))
    for _ in range(draw(st.integers(1, 8))):
        count = draw(st.sampled_from([columns, columns, *range(1, 5)])) if rare else columns
        row = draw(st.lists(st.sampled_from(cells), min_size=count, max_size=count))
        between = "\t" if tabs else draw(st.sampled_from([" ", "\t", "  ", " \t"]))
        odd = ["", "", " ", "\r", "\x0b", "\t"] if rare else [""]
        lines.append(draw(st.sampled_from(odd[:3])) + between.join(row) + draw(st.sampled_from(odd)))
        lines += draw(st.lists(st.sampled_from(["", *(odd[2:] if rare else [])]), max_size=2))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return end.join(lines) + end, columns, tabs


@settings(max_examples=400)
@given(files())
def test_a_grid_has_the_cells_of_the_general_parser(file: tuple[str, int, bool]) -> None:
    text, columns, tabs = file
    given_block, expected = block(text), split(block(text), tabs=tabs)
    found = grid(given_block, columns, tabs=tabs)
    if found is None:
        return
    assert set(expected.cells.tolist()) <= {0, columns}
    cells = expected.table(np.flatnonzero(expected.cells), columns)
    assert np.asarray(found.lines).tolist() == cells.lines.tolist()
    assert given_block.lines == len(expected.cells)
    for column in range(columns):
        for mine, theirs in zip(found.column(column), cells.column(column), strict=True):
            assert mine.tolist() == theirs.tolist()
        texts = [cells.text(column, row) for row in range(len(cells.lines))]
        assert [found.text(column, row) for row in range(len(cells.lines))] == texts


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.sampled_from(["a", "bc", "Zürich"]), min_size=2, max_size=2), min_size=1),
    st.sampled_from(["\t", " ", "   ", " \t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_plain_files_are_grids(rows: list[list[str]], between: str, end: str) -> None:
    tabs = between == "\t"
    text = (end + end).join(between.join(row) for row in rows) + end
    found = grid(block(text), 2, tabs=tabs)
    assert found is not None
    assert [[found.text(column, row) for column in range(2)] for row in range(len(rows))] == rows
    assert found.bounds.tolist() == list(range(len(rows) + 1))


@pytest.mark.parametrize(
    "text",
    [
        "a b\nc\n",
        "a\nb c\n",
        "a b\n\n c\n",
        "a b\rc\r\n",
        "a\x0bb c\r\n",
        "a\x0bb\n",
        "a b c\nd\n",
    ],
)
def test_anything_else_is_left_to_the_general_parser(text: str) -> None:
    assert grid(block(text), 2, tabs=False) is None


@pytest.mark.parametrize(
    "text",
    [
        "a\tb \n",
        "a\tb\r\n\ta\r\n",
        "a\r\tb\r\n",
        "\t\n",
        "a\t\n",
        "a\t\tb\n",
        "a\n",
        "a\tb\tc\n",
        "\ta\n",
    ],
)
def test_tabs_with_something_at_the_end_are_left_too(text: str) -> None:
    assert grid(block(text), 2, tabs=True) is None


@pytest.mark.parametrize(
    ("text", "tabs"),
    [
        ("a b\n\n c d\n", False),
        ("a b \nc d\t\n", False),
        ("a b\r\nc d\n", False),
        ("a\rb\r\nc d\r\n", False),
        ("a b\n \nc d\n", False),
        (" a b\n", False),
        ("\n\na b\n", False),
        ("\t\n\na\tb\n", True),
        ("a b\n" + 300 * "\n" + "c d\n", False),
        ("a\tb\n\t\nc\td\n", True),
        ("a\tb\r\n\nc\td\r\n", True),
    ],
)
def test_blanks_at_the_ends_of_lines_do_not_count(text: str, tabs: bool) -> None:
    found, expected = grid(block(text), 2, tabs=tabs), split(block(text), tabs=tabs)
    assert found is not None
    rows = np.flatnonzero(expected.cells)
    assert np.asarray(found.lines).tolist() == rows.tolist()
    assert [[found.text(column, row) for column in range(2)] for row in range(len(rows))] in (
        [["a", "b"]],
        [["a", "b"], ["c", "d"]],
    )


def test_lines_count_blank_ones() -> None:
    found = grid(block("a b\nc d\n\n\ne f\n\ng h\n"), 2, tabs=False)
    assert found is not None
    lines = found.lines
    assert np.asarray(lines).tolist() == [0, 1, 4, 6]
    assert (lines + 10).tolist() == [10, 11, 14, 16]
    assert [lines[row] for row in range(4)] == [0, 1, 4, 6]
    assert lines[-1] == 6
    assert len(lines[1:3]) == 2
    assert np.asarray(lines[1:3]).tolist() == [1, 4]
    assert np.asarray(lines[1:][1:]).tolist() == [4, 6]
    assert lines[np.array([3, 0])].tolist() == [6, 0]


@st.composite
def tagged_files(draw: st.DrawFn) -> tuple[str, str]:
    """A file of tokens and tags with comments, marks of documents and odd lines, and its format."""
    is_germeval = draw(st.booleans())
    between = draw(st.sampled_from(["\t", "\t", " ", "  "]))
    comments = ["#\tx", "# newdoc", "# a b", "# a b c", "#\tdocument_id = 1\tb\tc", "#", "#\t", "# \x0b"]
    others = ["", "", "", " ", between, *comments, *(f"\n{comment}" for comment in comments[2:5])]
    lines = draw(st.lists(st.sampled_from(comments[2:4]), max_size=2))
    if not is_germeval and draw(st.booleans()):
        lines.append(f"token{between}tag")
    for number in range(draw(st.integers(1, 12))):
        word, tag = (
            draw(st.sampled_from(["Ada", "#", "Zürich", "-DOCSTART-"])),
            draw(st.sampled_from(["O", "B-X", "I-X"])),
        )
        cells = [str(number), word, tag, "O"] if is_germeval else [word, tag]
        lines.append(between.join(cells) + draw(st.sampled_from(["", "", "", " ", "\t"])))
        lines += draw(st.lists(st.sampled_from(others), max_size=2))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return end.join(lines) + end, "germeval" if is_germeval else "conll"


@pytest.mark.parametrize(
    "text",
    [
        "# id 1 a\nAda B-X\nsees O\n\n# id 2 a\n# text = Bo\nBo O\n",
        "# id 1 a\r\nAda B-X\r\nsees O\r\n\r\n# id 2 a\r\nBo O\r\n",
        "Ada B-X\n\n# id 2 a\n#bo O\n\n\n# id\n# O\n",
        "# a comment\tx\nAda\tB-X\n\n#\nBo\tO\n",
        "token tag\nAda B-X\n\nBo O\n",
        "# id 1 a\n\ntoken\ttag\nAda\tB-X\n\n-DOCSTART-\tO\n\nBo\tO\n",
    ],
)
def test_comments_before_sentences_and_headers_are_no_reason_for_the_general_parser(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.conll"
    path.write_text(text, newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_lines, "grid", lambda *_, **__: None)
        expected = outcome(path, "conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_lines, "split", None)
        assert outcome(path, "conll") == expected


def outcome(path: Path, format: str) -> object:
    """All that a file says, or the message that it gets."""
    try:
        read = eh.read(path, format=format)
    except InputError as error:
        return str(error)
    corpus, spans = read.corpus, read.spans()
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    return (
        [corpus.tokens[place] for place in range(len(corpus.tokens))],
        corpus.bounds.tolist(),
        np.asarray(corpus.lines + corpus.first_line).tolist(),
        corpus.documents.tolist(),
        spans.rows(),
        spans.level.tolist(),
        read.readings,
    )


@settings(max_examples=60)
@given(tagged_files())
def test_files_read_the_same_without_grids(tmp_path_factory: pytest.TempPathFactory, file: tuple[str, str]) -> None:
    path = tmp_path_factory.mktemp("files") / "file.conll"
    path.write_text(file[0], newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_lines, "grid", lambda *_, **__: None)
        expected = outcome(path, file[1])
    assert outcome(path, file[1]) == expected
