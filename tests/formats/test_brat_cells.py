"""The lines of brat that are cut all at once have the cells that a pattern finds in each; quotations likewise."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.brat_lines import IDENTIFIER, TEXT_BOUND, Lines, Placed, standoff
from evenhand.formats.parsing.json_lines import slices
from evenhand.formats.source import Source
from evenhand.settings import Offsets

SOURCE = Source(Path("doc.ann"))
PIECES = [
    "T",
    "1",
    "22",
    "12345678",
    "123456789",
    "\t",
    " ",
    ";",
    "X",
    "é",
    "\u2028",
    "\r",
    "0 3",
    "#",
    "*",
    "R",
    "Tx1",
]
LINE = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.builds(
        "{}\t{} {}\t{}".format,
        st.sampled_from(["T1", "T23", "T999999999", "Ta1b", "T", "T1;", "#1", "*"]),
        st.sampled_from(["X", "LABEL-of-many", "Ü;x", "a\u00a0b", ""]),
        st.sampled_from(["0 3", "1 3;5 9", "0 1;2 3;4 5", "123456789 1234567890", "0  3", "0 3;", "a 3", "0 1 2"]),
        st.sampled_from(["", "quoted", "with; a\ttab", "人 \r"]),
    ),
)


def cells(line: str) -> tuple[str, str, list[tuple[int, int]], str] | None:
    """Identifier, label, parts and quotation, by the pattern."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None or not re.match(IDENTIFIER, line):
        return None
    identifier, label, offsets, quoted = match.groups()
    return identifier, label, [(int(a), int(b)) for a, b in (part.split(" ") for part in offsets.split(";"))], quoted


@pytest.mark.property
@given(st.lists(LINE, max_size=6), st.sampled_from(["\n", "\r\n", "\r\r\n"]))
def test_lines_have_the_cells_that_the_pattern_finds(given_lines: list[str], ending: str) -> None:
    content = ending.join(given_lines)
    lines = Lines.of(content.encode())
    plain = re.sub(r"\r+$", "", content, flags=re.MULTILINE).split("\n")
    rows = np.arange(len(plain))
    assert lines.texts(rows) == plain
    assert lines.are_identified.tolist() == [re.match(IDENTIFIER, line) is not None for line in plain]
    spans = [row for row, line in enumerate(plain) if line.startswith("T") and lines.are_identified[row]]
    found = lines.text_bounds(np.array(spans, dtype=np.int64))
    expected = [cells(plain[row]) for row in spans]
    if found is None:
        assert any(each is None or ";" in each[0] + each[1] for each in expected)
        return
    parts = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    for at, each in enumerate(expected):
        if found.label[at].split() == [found.label[at]]:  # others are odd, as the distinct labels tell
            mine = parts[found.first[at] : found.first[at + 1]]
            assert (found.identifier[at], found.label[at], mine, found.quoted[at]) == each
        else:
            assert each is None


@st.composite
def texts_and_lines(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and spans that quote it as it stands, with other spaces, or not at all."""
    text = draw(st.text(st.sampled_from("ab é人𝔸\n\t\u2028"), min_size=1, max_size=24))
    lines = []
    for number in range(draw(st.integers(1, 4))):
        bounds = sorted(draw(st.sets(st.integers(0, len(text) + 1), min_size=2, max_size=6)))
        parts = list(zip(bounds[0::2], bounds[1::2], strict=False))
        parts = draw(st.permutations(parts))
        quoted = " ".join(text[start:end] for start, end in parts)
        quoted = draw(st.sampled_from([quoted, " ".join(quoted.split()), quoted.replace(" ", "x"), quoted[1:], "a b"]))
        quoted = quoted.replace("\n", " ")
        lines.append(f"T{number + 1}\tX {';'.join(f'{start} {end}' for start, end in parts)}\t{quoted}")
    return text, "\n".join(lines)


@pytest.mark.property
@given(st.lists(texts_and_lines(), min_size=1, max_size=3), st.sampled_from(["codepoints", "utf16"]))
def test_quotations_are_those_of_the_text(documents: list[tuple[str, str]], offsets: Offsets) -> None:
    """A span quotes its parts with blanks between, and spaces may be of any kind."""
    spans = standoff(SOURCE, "\n".join(lines for _, lines in documents).encode()).spans
    texts = [text for text, _ in documents]
    text_of = np.repeat(np.arange(len(documents)), [lines.count("\n") + 1 for _, lines in documents])
    placed = Placed.of(spans, [text.encode() for text in texts], text_of, offsets)
    if len(documents) > 1 and placed.is_outside.any():
        return  # such documents are read one by one
    held = [" ".join(slices(texts[each], spans.parts(row), offsets)) for row, each in enumerate(text_of.tolist())]
    expected = [row for row in range(len(spans)) if held[row].split() != spans.quoted[row].split()]
    assert placed.misquoted() == expected


def test_many_returns_at_the_end_of_a_line_are_no_part_of_it() -> None:
    lines = Lines.of(b"T1\tX 0 1\ta" + b"\r" * 100_000 + b"\n\r\r\n")
    assert lines.texts(np.arange(3)) == ["T1\tX 0 1\ta", "", ""]


def test_the_first_wrong_line_is_told() -> None:
    with pytest.raises(InputError, match=r"doc\.ann:2: 'T2 x' is no annotation of brat"):
        standoff(SOURCE, b"T1\tX 0 1\ta\nT2 x\nwhat is this\n")
