"""Span tables: positions, gaps, sentences, dummies."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

TABLE = "PER\t2\t3\t2, 3\nLOC\t1\t3\t1, 3\n\nNONE\t999\t999\t999\n\nORG\t1\t1\n\n"


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "spans.tsv"
        path.write_text(text)
        return path

    return write


def test_a_table(file) -> None:
    annotation = eh.read(file(TABLE))
    assert annotation.readings["spans"].format == "spans"
    assert annotation.spans().rows() == [("PER", 0, 1, 3), ("LOC", 0, 0, 3), ("ORG", 2, 0, 1)]
    assert annotation.spans().token_sets() == [{1, 2}, {0, 2}, {0}]
    assert annotation.corpus.sentences == 3
    assert annotation.readings["spans"].skipped == {"dummies for sentences without spans": 1}


def test_dummies_count_only_at_position_999(file) -> None:
    annotation = eh.read(file("NONE\t1\t1\nEMPTY\t999\t999\nPER\t999\t999\n"))
    assert annotation.spans().rows() == [("NONE", 0, 0, 1), ("PER", 0, 998, 999)]


def test_blank_lines_are_empty_sentences_but_for_the_last_ones(file) -> None:
    annotation = eh.read(file("PER\t1\t1\n\n\nLOC\t1\t1\n\n\n\n"))
    assert annotation.corpus.sentences == 3
    assert annotation.spans().rows() == [("PER", 0, 0, 1), ("LOC", 2, 0, 1)]


@pytest.mark.parametrize("size", [1, 9, 30, 1000])
@pytest.mark.parametrize("text", [TABLE, "PER\t1\t1\n\n\nLOC\t1\t1\n\n\n\n", "\nPER 1 2\n\n\n\n\nLOC 3 3\nLOC 4 4"])
def test_batches_of_any_size_read_the_same(file, text: str, size: int) -> None:
    path = file(text)
    whole = eh.read(path)
    parts = Annotation.concatenate(list(batches(path, ReadSettings(block_size=size), Vocabulary())))
    assert parts.spans().rows() == whole.spans().rows()
    assert parts.corpus.sentences == whole.corpus.sentences
    assert [parts.corpus.line(i) for i in (0, parts.corpus.sentences - 1)] == [
        whole.corpus.line(i) for i in (0, whole.corpus.sentences - 1)
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("PER\t1\t2\n\nLOC\t3\t1\n", "spans.tsv:3: 'LOC\\t3\\t1' has no first and last token"),
        ("PER\t1\t2\nLOC\tx\t1\n", "spans.tsv:2: 'LOC\\tx\\t1' has no first and last token"),
        ("PER\t1\t2\nLOC\t0\t1\n", "spans.tsv:2: 'LOC\\t0\\t1' has no first and last token"),
        ("PER\t1\t2\nLOC\t1\n", "spans.tsv:2: expected 3 or 4 columns, got 2"),
        ("PER\t1\t2\t1, 2\nLOC\t1\t3\t1, 2\n", "spans.tsv:2: the tokens '1, 2' do not run from 1 to 3"),
        ("PER\t1\t2\t1, 1, 2\n", "spans.tsv:1: the tokens '1, 1, 2' do not run from 1 to 2"),
        ("\n\n\n", "the file has no spans"),
    ],
)
def test_bad_tables(file, text: str, sentence: str) -> None:
    with pytest.raises(eh.InputError) as error:
        eh.read(file(text), format="spans")
    assert sentence in str(error.value)
