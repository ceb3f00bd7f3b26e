"""Recognition: which share of the first lines fits a table."""

from __future__ import annotations

import pytest

from evenhand.formats import conll as germeval
from evenhand.formats import conllu as conllu_layout
from evenhand.formats import span_table
from evenhand.formats.hipe import is_neleval
from evenhand.formats.source import Block

WORD = "\t".join(("1", "A", "a", "DET", "DT", "_", "2", "det", "_", "_"))


def block(*lines: str) -> Block:
    data = "\n".join((*lines, "")).encode()
    return Block(data + bytes(8), len(data), 1)


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["PER\t1\t2", "", "LOC\t3\t3\t3"], 1.0),
        (["PER 1  2\r", "LOC   3 3\r"], 1.0),
        (["\t1\t2"], 1.0),
        (["PER\t1\t2", "PER\t1\tx", "1\t2\t3", "a\tb"], 0.25),
        (["PER 1 2", "a b c 4 5", "Page 4"], 1 / 3),
        (["A\tDT\tO", "12\tCD\tO"], 0.0),
    ],
)
def test_the_share_of_lines_with_a_label_and_two_numbers(lines: list[str], share: float) -> None:
    assert span_table.recognise(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["d\t0\t4\tQ1\t0.9\tPER\r", ""], 1.0),
        (["d\t0\t4\tQ1\t\t", "d\t0\tx\tQ1\t1\tPER"], 0.5),
        (["d 0 4 Q1 1 PER"], 0.0),
        (["1\ta\t2\tb"], 0.0),
    ],
)
def test_the_share_of_lines_with_candidates(lines: list[str], share: float) -> None:
    assert is_neleval(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["#\tsource", "1\tA\tB-PER\tO", "2\tb\tI-PER\tO\t\t"], 1.0),
        (["  1 A B-PER O", "\r 2  b O O", "٣\tc\tO\tO"], 1.0),
        (["1 A B-PER O O O", "2 b O O", "3 c O", "x d O O"], 0.5),
        (["1\tA\tB-PER\tO", "2\tb\tnoun\tO"], 0.5),
        (["1\tA\tB-NP\tB-PER", "2\tb\tI-NP\tO"], 0.0),
        (["A\tB-PER\tO\tO", "b\tO\tO\tO"], 0.0),
    ],
)
def test_the_share_of_lines_with_a_number_and_two_or_four_tags(lines: list[str], share: float) -> None:
    assert germeval.recognise(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "tabs", "share"),
    [
        (["# text = A b", WORD, WORD.replace("1", "2", 1)], True, 1.0),
        ([WORD, "1-2" + WORD[1:], "A\tb"], True, 2 / 3),
        ([WORD], False, 0.0),
        ([WORD.replace("\t", "  "), "a b"], False, 0.5),
        (["# only comments"], True, 0.0),
    ],
)
def test_the_share_of_words_of_conllu(lines: list[str], tabs: bool, share: float) -> None:
    assert conllu_layout.share_of_words(block(*lines), tabs=tabs) == share
