"""Cells as codes: equal cells have equal codes, whether most of them are the same or not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.layers import SparseTags, Tags
from evenhand.data.tokens import Tokens, windows
from evenhand.data.vocabulary import CellCodes, SparseCodes

CELLS = st.lists(
    st.sampled_from(["O", "O", "O", "X", "B-PER", "I-PER", "B-a-long-label", "B-a-long-labels"]), min_size=1
)


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
        assert [names[each] for each in code.tolist()] == batch
        known = windowed(cells.data, cells.start, cells.end, windows(cells.data)[cells.start])
        assert (known[0].tolist(), known[1]) == (code.tolist(), new)
        found, new = mostly.mostly(cells.data, cells.start, cells.end)
        others += [batch[row] for row in new]
        assert [others[each] for each in found.column().tolist()] == batch
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
