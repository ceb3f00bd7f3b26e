"""Cells and names as codes: equal ones have equal codes."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import windows
from evenhand.data.from_lists import code_lines, code_tags, code_texts
from evenhand.data.layers import SparseTags, Tags
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import CellCodes, NameIndex, NameTable, SparseCodes

CELLS = st.lists(
    st.sampled_from(["O", "O", "O", "X", "B-PER", "I-PER", "B-a-long-label", "B-a-long-labels"]), min_size=1
)


@given(st.lists(st.text(st.characters(), max_size=3), max_size=300))
def test_codes_of_names_are_those_of_a_dictionary(names: list[str]) -> None:
    """With lone surrogates, and enough names to make the table grow."""
    index, known = NameIndex(), dict[str, int]()
    for name in names:
        assert index.find(name) == known.get(name, -1)
        assert index.code(name) == known.setdefault(name, len(known))
    assert [index[code] for code in range(len(index))] == list(known)


def test_tables_with_the_same_index_have_different_names() -> None:
    index = NameIndex()
    gold, system = NameTable(index), NameTable(index)
    assert [gold.add("a", 7), gold.add("b", 8), system.add("b", 1), system.add("c", 2)] == [0, 0, 0, 0]
    assert [gold.add("a", 9), system.add("b", 9)] == [7, 1]
    assert [gold.number(index.find(name)) for name in ("a", "b", "c", "d")] == [7, 8, 0, 0]
    assert (len(gold), len(system)) == (2, 2)


@given(st.lists(CELLS, min_size=1, max_size=4), st.integers(0, 600))
def test_codes_name_their_cells(batches: list[list[str]], more: int) -> None:
    """Several batches, the first of which may be longer than the sample in which a common cell is looked for."""
    batches[0] = batches[0] + ["O", "B-PER"] * more
    whole, windowed, mostly = CellCodes(), CellCodes(), CellCodes()
    names: list[str] = []
    others: list[str] = []
    for batch in batches:
        cells = Tokens.of(batch)
        code, new = whole(cells.data, cells.start, cells.end)
        names += [batch[row] for row in new]
        assert [names[item] for item in code.tolist()] == batch
        known = windowed(cells.data, cells.start, cells.end, windows(cells.data)[cells.start])
        assert (known[0].tolist(), known[1]) == (code.tolist(), new)
        found, new = mostly.mostly(cells.data, cells.start, cells.end)
        others += [batch[row] for row in new]
        assert [others[item] for item in found.column().tolist()] == batch
    assert len(set(names)) == len(names)
    assert sorted(names) == sorted(others)


@given(CELLS, st.data())
def test_a_part_of_mostly_equal_tags(batch: list[str], data: st.DataObject) -> None:
    codes, cells = CellCodes(), Tokens.of(["O", *batch])
    codes(cells.data, cells.start[:1], cells.end[:1])
    found, new = codes.mostly(cells.data, cells.start[1:], cells.end[1:])
    tags = SparseTags(found, ("O", *(batch[row] for row in new)))
    assert tags.to_list() == batch
    begin = data.draw(st.integers(0, len(batch)))
    end = data.draw(st.integers(begin, len(batch)))
    assert tags.slice(begin, end).to_list() == batch[begin:end]
    before, after = tags.slice(0, begin), tags.slice(begin, len(batch))
    assert (before.to_list(), after.to_list()) == (batch[:begin], batch[begin:])


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12), min_size=1, max_size=4))
def test_sparse_tags_behind_each_other_are_those_of_all(parts: list[list[int]]) -> None:
    joined = Tags.concatenate([SparseTags(SparseCodes.of(np.array(part)), ("O", "A", "B", "C")) for part in parts])
    assert joined.code.tolist() == [code for part in parts for code in part]
    assert len(joined) == sum(map(len, parts))


# Tags of lists as codes: all tags in one text give the codes that a dictionary gives


TAGS = st.sampled_from(["O", "O", "O", "O", "B-PER", "I-PER", "OO", "B", "", "B-Ort-und-Straße", "B-Ort-und-Straßen"])
ODD_TAGS = st.text(st.sampled_from("\n\0O-Bß"), max_size=3)


@given(st.lists(st.lists(TAGS | ODD_TAGS | st.text(max_size=20)), max_size=8))
def test_codes_are_those_of_a_dictionary(sentences: list[list[str]]) -> None:
    same_codes(sentences)


@given(st.lists(st.lists(TAGS), max_size=20), st.integers(0, 5000))
def test_codes_of_few_tags_are_those_of_a_dictionary(sentences: list[list[str]], more: int) -> None:
    """More tags than the first ones, from which different ones are learned."""
    same_codes([["O", "B-PER", "I-PER", "O"] * more, *sentences])


@pytest.mark.parametrize("different", [1, 500, 513, 5000])
@pytest.mark.parametrize("first", [[], ["O"], ["B-a"] * 5000])
def test_codes_of_many_tags_are_those_of_a_dictionary(different: int, first: list[str]) -> None:
    same_codes([first, [f"B-{number * 7 % different}" for number in range(6000)], ["O"]])


def same_codes(sentences: list[list[str]]) -> None:
    count = sum(map(len, sentences))
    expected, known = code_texts(sentences, count, "tag", "tags")
    in_one_text = code_lines(sentences, count)
    needs_dictionary = not known or len(known) > 500 or any({"\n", "\0"} & set(name) for name in known)
    assert in_one_text is not None or needs_dictionary
    for item, names in filter(None, (in_one_text, code_tags(sentences, count, "tags"))):
        assert names == known
        assert item.column().tolist() == expected.tolist()
        assert item.common in range(max(len(names), 1))


class Tag(str, Enum):  # noqa: UP042 (StrEnum shows the text)
    """Tags as some programs keep them; each is shown as its name, not as its text."""

    BEGIN, OUTSIDE, BROKEN = "B-X", "O", "B-X\n"


@pytest.mark.parametrize("sentence", [[Tag.BEGIN, Tag.OUTSIDE], [np.str_("B-X"), np.str_("O")], [Tag.BROKEN, "O"]])
def test_the_text_of_a_tag_counts_whatever_its_type(sentence: list[str]) -> None:
    for found in filter(None, (code_lines([sentence], 2), code_tags([sentence], 2, "tags"))):
        assert found[1] == [sentence[0][:], "O"]
        assert set(map(type, found[1])) == {str}
