"""The byte-block parser against Python's own splitting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand import arrays as bits
from evenhand.arrays import BitSearch, bit_changes, bits_equal
from evenhand.data.tokens import PADDING
from evenhand.data.vocabulary import CellCodes
from evenhand.errors import InputError
from evenhand.formats.parsing import token_table as token_lines
from evenhand.formats.parsing.cells import LineCells, grid, numbers, split
from evenhand.formats.source import Block, Source

TEXT = st.text(st.sampled_from("ab#é世\t \r\n\x0b"), min_size=1, max_size=60)


def block(text: str) -> Block:
    data = text.encode() + b"\n"
    return Block(data + PADDING, len(data), 1)


def cells_of(text: str, tabs: bool) -> list[list[str]]:
    """The cells of every line, as the parser finds them."""
    lines = split(block(text), tabs=tabs)
    items = []
    for line, count in enumerate(lines.cells.tolist()):
        table = lines.table(np.array([line]), count)
        items.append([table.text(column, 0) for column in range(count)])
    return items


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
    assert b"".join(block.data[: block.size] for block in blocks) == text
    number = 1
    for block in blocks:
        assert block.first_line == number
        number += block.data.count(b"\n")
        if block is not blocks[-1]:
            assert block.data[: block.size].splitlines()[-1].strip() == b""


class _Memory(Source):
    """A source whose bytes are given."""

    def __init__(self, path: Path, text: bytes) -> None:
        super().__init__(path)
        object.__setattr__(self, "text", text)

    def open(self):
        import io

        return io.BytesIO(self.text)


# Blocks written alike are read as a matrix: what is found is what the general parser finds


def block_grid(text: str) -> Block:
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
    given_block, expected = block_grid(text), split(block_grid(text), tabs=tabs)
    outcome = grid(given_block, columns, tabs=tabs)
    if outcome is None:
        return
    assert set(expected.cells.tolist()) <= {0, columns}
    cells = expected.table(np.flatnonzero(expected.cells), columns)
    assert np.asarray(outcome.lines).tolist() == cells.lines.tolist()
    assert given_block.lines == len(expected.cells)
    for column in range(columns):
        for mine, theirs in zip(outcome.column(column), cells.column(column), strict=True):
            assert mine.tolist() == theirs.tolist()
        texts = [cells.text(column, row) for row in range(len(cells.lines))]
        assert [outcome.text(column, row) for row in range(len(cells.lines))] == texts


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.sampled_from(["a", "bc", "Zürich"]), min_size=2, max_size=2), min_size=1),
    st.sampled_from(["\t", " ", "   ", " \t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_plain_files_are_grids(rows: list[list[str]], between: str, end: str) -> None:
    tabs = between == "\t"
    text = (end + end).join(between.join(row) for row in rows) + end
    cells = grid(block_grid(text), 2, tabs=tabs)
    assert cells is not None
    assert [[cells.text(column, row) for column in range(2)] for row in range(len(rows))] == rows
    assert cells.bounds.tolist() == list(range(len(rows) + 1))


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
    assert grid(block_grid(text), 2, tabs=False) is None


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
    assert grid(block_grid(text), 2, tabs=True) is None


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
    actual, expected = grid(block_grid(text), 2, tabs=tabs), split(block_grid(text), tabs=tabs)
    assert actual is not None
    rows = np.flatnonzero(expected.cells)
    assert np.asarray(actual.lines).tolist() == rows.tolist()
    assert [[actual.text(column, row) for column in range(2)] for row in range(len(rows))] in (
        [["a", "b"]],
        [["a", "b"], ["c", "d"]],
    )


def test_lines_count_blank_ones() -> None:
    found = grid(block_grid("a b\nc d\n\n\ne f\n\ng h\n"), 2, tabs=False)
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


# The first cells and the last cell of lines, against Python's own splitting


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


def split_line_cells(text: str, *, tabs: bool) -> list[str]:
    """The cells of a line; one of separators only is blank."""
    if not tabs:
        return text.split()
    return text.rstrip(" \r").split("\t") if text.strip() else [""]


def check(texts: list[str], places: list[int], *, tabs: bool) -> None:
    """The cells at some places, where the last of them ends, and the last cells."""
    lines = lines_of(texts, tabs=tabs)
    expected = [split_line_cells(text, tabs=tabs) for text in texts]
    assert len(lines) == len(texts)
    assert [lines.number(row) for row in range(len(lines))] == list(range(11, 11 + len(texts)))
    assert [lines.split(row) for row in range(len(lines))] == expected
    assert list(lines.texts()) == [text.rstrip(" \r") if tabs and text.strip() else text.strip() for text in texts]
    assert lines.is_blank.tolist() == [not text.strip() for text in texts]
    actual, stop = lines.cells(places)
    assert sorted(actual) == places
    for item in places:
        assert shown(lines, actual[item]) == [cells[item] if item < len(cells) else "" for cells in expected]
        missing = np.array([item >= len(cells) for cells in expected])
        assert (actual[item][0] == lines.end)[missing].all()
    assert np.array_equal(stop, actual[places[-1]][1] if places else lines.begin)
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
    expected = [split_line_cells(text, tabs=True) for text in texts]
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


# Marked bytes, against a look at one byte after the other


TEXT_MARKS = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 150)), min_size=1, max_size=12).map(
    lambda runs: b"".join(bytes([byte]) * size for byte, size in runs)
)


def check_marks(marks: BitSearch, marked: list[int], size: int) -> None:
    """From every place of the text on, and before it."""
    places = np.arange(size)
    numbers = (0, 1, 3)
    for number, found in marks.following(places, numbers).items():
        for index, mark in enumerate(found.tolist()):
            expected = [item for item in marked if item >= index][number:]
            assert mark == expected[0] if expected else mark >= size
    for index, mark in enumerate(marks.preceding(places).tolist()):
        expected = [item for item in marked if item < index]
        assert mark == expected[-1] if expected else mark < 0


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that texts have several."""
    monkeypatch.setattr(bits, "_STEP", 64)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT_MARKS)
def test_marked_bytes(data: bytes) -> None:
    text = np.frombuffer(data, dtype=np.uint8)
    check_marks(BitSearch(bits_equal(text, 1)), [place for place, byte in enumerate(data) if byte], len(data))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT_MARKS)
def test_changes(data: bytes) -> None:
    text = np.frombuffer(data, dtype=np.uint8)
    changes = [place for place, byte in enumerate(data) if byte != (data[place - 1] if place else 0)]
    check_marks(BitSearch(bit_changes(bits_equal(text, 1))), changes, len(data))
