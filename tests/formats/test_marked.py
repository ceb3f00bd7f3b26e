"""Lines that end with `O` are not looked at one by one: what is found is what the matrix of cells has."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.formats.parsing import token_lines
from evenhand.formats.parsing.blocks import split
from evenhand.formats.parsing.grid import grid
from evenhand.formats.parsing.marked import Marked, marked
from evenhand.formats.parsing.token_lines import Layout
from evenhand.formats.source import Block, Source
from evenhand.problems import InputError
from evenhand.text.tagged_lines import LineTokens, same_but_for_tags
from evenhand.text.tokens import PADDING

TAGS = ["O"] * 12 + ["B-PER", "I-PER", "B-MISCELLANEOUS", "I-MISCELLANEOUS", "OO", "B-LOC"]
WORDS = ["a", "O", "bc", "Zürich", "-", "--", "#", "Donaudampfschifffahrt"]
Row = list[str]
SOURCE = Source(Path("file.conll"))


def block(text: str) -> Block:
    data = text.encode()
    return Block(data + PADDING, len(data), 1)


def lines_of(text: str, columns: int, tabs: bool) -> Marked | None:
    return marked(block(text), columns, tabs=tabs, mark=b"-DOCSTART-")


@st.composite
def rows(draw: st.DrawFn, columns: int) -> list[list[Row]]:
    """Sentences of rows with a tag at the end."""
    cells = st.lists(st.sampled_from(WORDS), min_size=columns - 1, max_size=columns - 1)
    row = st.tuples(cells, st.sampled_from(TAGS)).map(lambda both: [*both[0], both[1]])
    return draw(st.lists(st.lists(row, min_size=1, max_size=12), min_size=1, max_size=12))


def written(sentences: list[list[Row]], between: str, blank: str = "\n") -> str:
    return blank.join("".join(between.join(row) + "\n" for row in rows) for rows in sentences)


@settings(max_examples=150)
@given(st.sampled_from([1, 2, 4]).flatmap(lambda columns: st.tuples(rows(columns), st.just(columns))), st.booleans())
def test_marked_lines_have_the_cells_of_the_grid(given_rows: tuple[list[list[Row]], int], tabs: bool) -> None:
    sentences, columns = given_rows
    text = written(sentences, "\t" if tabs else " ", "\n\n")
    found, matrix = lines_of(text, columns, tabs), grid(block(text), columns, tabs=tabs)
    tags = [row[-1] for sentence in sentences for row in sentence]
    if 2 * sum(tag != "O" for tag in tags) > len(tags):
        assert found is None
        return
    assert found is not None
    assert matrix is not None
    assert found.bounds.tolist() == matrix.bounds.tolist()
    tagged = found.tagged
    listed = [
        (row, tagged.data[start:end].decode())
        for row, start, end in zip(tagged.rows.tolist(), tagged.start.tolist(), tagged.end.tolist(), strict=True)
    ]
    assert listed == [(row, tag) for row, tag in enumerate(tags) if tag != "O"]
    assert tagged.size == len(tags)
    assert np.asarray(found.lines).tolist() == np.asarray(matrix.lines).tolist()
    assert [found.first[row] for row in range(len(tags))] == [row[0] for sentence in sentences for row in sentence]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a O\nc\n", 2),
        ("a\nb O O\n", 2),
        ("a b O O\n", 2),
        ("a  O\n", 2),
        ("a O \n", 2),
        (" a O\n", 2),
        ("\na O\n", 2),
        ("a O\n\n b O\n", 2),
        ("a O\n \nb O\n", 2),
        ("a O\r\n", 2),
        ("a\x0bO\n", 2),
        ("a b O\n", 3),
        (f"a O\nb O\nc {'B-' + 'x' * 40}\n", 2),
    ],
)
def test_what_is_written_otherwise_is_left_to_others(text: str, columns: int) -> None:
    assert lines_of(text, columns, tabs=False) is None


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[str, str]:
    """Two files with the same tokens, but for one of them in some; tags differ, and rarely the blank lines."""
    sentences = draw(rows(2))
    others = [[[word, draw(st.sampled_from([tag, tag, tag, *TAGS]))] for word, tag in rows] for rows in sentences]
    if draw(st.booleans()):
        sentence = draw(st.integers(0, len(others) - 1))
        others[sentence][draw(st.integers(0, len(others[sentence]) - 1))][0] = draw(st.sampled_from(WORDS))
    blank = draw(st.sampled_from(["\n", "\n", "\n\n"]))
    return written(sentences, " "), written(others, " ", blank)


@settings(max_examples=200)
@given(two_sides(), st.integers(0, 200), st.integers(0, 200))
def test_lines_are_the_same_only_where_tokens_are(sides: tuple[str, str], one: int, two: int) -> None:
    found = [lines_of(text, 2, tabs=False) for text in sides]
    if found[0] is None or found[1] is None:
        return
    size = len(found[0].first)
    begin, end = sorted((one % (size + 1), two % (size + 1)))
    left, right = (lines.first.slice(begin, end) for lines in found if lines is not None)
    tokens = [[part[row] for row in range(len(part))] for part in (left, right)]
    assert len(tokens[0]) == end - begin
    if same_but_for_tags(left, right):
        assert tokens[0] == tokens[1]
    elif tokens[0] == tokens[1]:
        lines = [text.split("\n") for text in sides]
        many = sum(left_line != right_line for left_line, right_line in zip(*lines, strict=False)) * 4 > end - begin
        assert many or sides[0].count("\n") != sides[1].count("\n")


@settings(max_examples=150)
@given(
    rows(2),
    st.lists(st.integers(0, 12), max_size=4),
    st.sampled_from(["-DOCSTART-", "-DOCSTART-", "-DOCSTART- x", "-DOCSTART-x"]),
    st.sampled_from(["O", "-X-"]),
    st.booleans(),
)
def test_marks_of_documents_are_found_among_the_lines(
    sentences: list[list[Row]], before: list[int], mark: str, tag: str, tabs: bool
) -> None:
    """What is found is what the general parser finds, by whichever way."""
    for place in sorted(before, reverse=True):
        sentences.insert(place, [[mark if tabs else mark.replace(" ", "_"), tag]])
    layout = Layout(tabs=tabs, columns=2, first_line=1)
    text = written(sentences, "\t" if tabs else " ")
    expected = token_lines._classify(SOURCE, layout, split(block(text), tabs=tabs))
    for found in (token_lines._marked(layout, block(text)), token_lines._regular(layout, block(text))):
        if found is None:
            continue
        assert found.bounds.tolist() == expected.bounds.tolist()
        assert found.documents.tolist() == expected.documents.tolist()
        assert np.asarray(found.tokens.lines).tolist() == expected.tokens.lines.tolist()
        for column in (0, 1):
            for mine, theirs in zip(found.tokens.column(column), expected.tokens.column(column), strict=True):
                assert mine.tolist() == theirs.tolist()


SENTENCES = [[["Anna", "B-PER"], ["saw", "O"], ["the", "O"], ["sea", "O"], ["and", "O"], ["slept", "O"]]] * 400


def scored(gold: Path, system: Path) -> str:
    return eh.score(gold, [system]).to_json()


@pytest.mark.parametrize(("before", "end"), [("", "\n"), ("-DOCSTART- O\n\n", "\n"), ("", "\r\n")])
def test_scores_are_those_of_the_general_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, end: str
) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text(before + written(SENTENCES, " "), newline=end)
    others = [[list(row) for row in rows] for rows in SENTENCES]
    for number in range(0, 400, 7):
        others[number][0][1], others[number][3][1] = "B-LOC", "I-MISC"
    system.write_text(before + written(others, " "), newline=end)
    fast = scored(gold, system)
    for name in ("marked", "grid"):
        monkeypatch.setattr(token_lines, name, lambda *_, **__: None)
    monkeypatch.setattr(token_lines, "_with_plain_ends", lambda block: block)
    assert fast == scored(gold, system)


@pytest.mark.parametrize("row", [0, 1199, 2399])
def test_another_token_is_named_with_its_lines(tmp_path: Path, row: int) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text(written(SENTENCES, " "))
    others = [[list(row) for row in rows] for rows in SENTENCES]
    sentence, token = divmod(row, 6)
    word, others[sentence][token][0] = others[sentence][token][0], "another"
    system.write_text(written(others, " "))
    line = row + sentence + 1
    with pytest.raises(InputError, match=rf"system.conll:{line}: .*'another' where .*gold.conll:{line} has '{word}'"):
        eh.score(gold, [system])


def test_tokens_of_marked_lines_can_be_sent_to_other_processes() -> None:
    found = lines_of("a O\nb O\n\nc B-X\n", 2, tabs=False)
    assert found is not None
    part = pickle.loads(pickle.dumps(found.first.slice(1, 3)))
    assert isinstance(part, LineTokens)
    assert [part[row] for row in range(len(part))] == ["b", "c"]
