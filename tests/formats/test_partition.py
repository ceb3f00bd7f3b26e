"""Where the units of a file begin, found without reading it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.formats import partition as scan
from evenhand.formats.format import FORMATS
from evenhand.formats.partition import CutPoint, Partitioning, Scan


def slow_sentences(data: bytes) -> list[int]:
    all_sentences, position, behind_blank = [], 0, True
    for line in data.splitlines(keepends=True):
        if line.strip() and behind_blank:
            all_sentences.append(position)
        position, behind_blank = position + len(line), not line.strip()
    return all_sentences


def partitioning(name: str) -> Partitioning:
    reader = next(iter(FORMATS[name].readers.values()))
    assert reader.partitioning is not None
    return reader.partitioning


def all_cuts(data: bytes, name: str) -> list[CutPoint]:
    all_cuts, scanned = [], Scan(io.BytesIO(data), partitioning(name))
    while (cut := scanned.unit(len(all_cuts))) is not None:
        all_cuts.append(cut)
    return all_cuts


def places(data: bytes, name: str) -> list[int]:
    return [cut.offset for cut in all_cuts(data, name)]


@pytest.fixture(params=[1, 3, 16, 1 << 16])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much is looked at in one go."""
    monkeypatch.setattr(scan, "_BLOCK", request.param)
    size: int = request.param
    return size


@pytest.mark.parametrize("size", [1, 5, 1 << 16])
@given(text=st.lists(st.sampled_from(["a", "bb O", "", "", "x y"]), max_size=12), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=50, deadline=None)
def test_sentences_are_groups_of_lines(size: int, text: list[str], end: str) -> None:
    data = end.join(text).encode()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scan, "_BLOCK", size)
        cuts = all_cuts(data, "conll")
    assert [cut.offset for cut in cuts] == slow_sentences(data)
    assert [cut.line for cut in cuts] == [data.count(b"\n", 0, cut.offset) + 1 for cut in cuts]


def test_the_first_unit_behind_a_byte(block: int) -> None:
    data = b"a O\n\nb O\n\nc O\n"
    for place, expected in ((0, 0), (1, 5), (5, 5), (6, 10), (10, 10)):
        found = Scan(io.BytesIO(data), partitioning("conll")).unit_from(place)
        assert found is not None
        assert found.offset == expected
    assert Scan(io.BytesIO(data), partitioning("conll")).unit_from(11) is None


def test_a_mark_that_stands_alone_is_no_sentence() -> None:
    """Systems often do without."""
    with_marks = b"-DOCSTART- O\n\na O\n\n-DOCSTART- O\n\nb O\n\n-DOCSTART- O\nc O\n"
    assert [cut.line for cut in all_cuts(with_marks, "conll")] == [3, 7, 9]


@pytest.mark.parametrize(
    ("before", "is_clean"), [("a O", True), ("# note", False), ("-DOCSTART- O", False), ("x # y", True)]
)
def test_nothing_is_cut_behind_what_may_begin_a_document(before: str, is_clean: bool) -> None:
    data = f"x O\n\nz O\n{before}\n\n\nb O\n".encode()
    assert all_cuts(data, "conll")[-1].is_clean is is_clean


def test_sentences_of_span_tables_may_be_empty() -> None:
    cuts = all_cuts(b"PER\t1\t1\n\n\nPER\t1\t1\n\nLOC\t1\t1\n", "spans")
    assert [(cut.line, cut.is_clean) for cut in cuts] == [(1, False), (3, False), (4, False), (6, True)]


def test_records_are_lines(block: int) -> None:
    assert places(b'{"a": 1}\n{}\n{}', "jsonl") == [0, 9, 12]


def test_documents_begin_with_marks(block: int) -> None:
    data = b"#begin document (a); part 000\nx -\n\n#begin document (b)\ny -\n"
    cuts = all_cuts(data, "conll2012")
    assert [cut.line for cut in cuts] == [1, 4]
    assert cuts[1].text == b"#begin document (b)"


def test_documents_of_corefud_are_cut_behind_blank_lines() -> None:
    data = b"# newdoc id = a\n1\tx\n\n# newdoc id = b\n1\ty\n\n# sent_id = 1\n# newdoc id = c\n1\tz\n"
    assert [(cut.line, cut.is_clean) for cut in all_cuts(data, "corefud")] == [(1, False), (4, True), (8, False)]


@pytest.mark.parametrize(
    ("fields", "is_odd"),
    [("eid-etype-head", False), ("eid", False), ("GRP-head", True), ("eid-etype-minspan", True), ("etype-eid", True)],
)
def test_declarations_that_later_documents_depend_on(fields: str, is_odd: bool) -> None:
    found = Scan(io.BytesIO(f"# newdoc id = a\n# global.Entity = {fields}\n".encode()), partitioning("corefud"))
    found.unit(9)
    assert found.is_odd is is_odd
