"""Sentences of a corpus and its layers, taken in any order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.arrays import ints
from evenhand.data.annotation import Annotation
from evenhand.data.characters import to_characters

SENTENCES = [["Ada", "Müller", "left"], ["Rome"], [], ["in", "'40s", "Paris"], ["é", "x"]]
SPANS = [[("PER", 0, 2), ("X", 2, 3)], [("LOC", 0, 1)], [], [("LOC", 2, 3)], []]
TEXTS = ["Ada  Müller left ", "Rome", "", " in '40s\tParis", "éx "]
OFFSETS = [[("PER", 0, 11), ("X", 12, 16)], [("LOC", 0, 4)], [], [("LOC", 9, 14)], []]


def with_tokens() -> Annotation:
    return eh.spans(SPANS, tokens=SENTENCES)


def with_characters() -> Annotation:
    return to_characters(with_tokens())


def with_texts() -> Annotation:
    return eh.spans(OFFSETS, text=TEXTS)


def facts(annotation: Annotation, sentence: int) -> tuple[object, ...]:
    """What there is to know of a sentence: its text and spans, with the positions and texts of these."""
    corpus, spans = annotation.corpus, annotation.spans()
    rows = [row for row, scope in enumerate(spans.scope.tolist()) if scope == sentence]
    scope, start, end = (column[rows] for column in (spans.scope, spans.start, spans.end))
    quoted = [corpus.quoted(*row) for row in zip(scope.tolist(), start.tolist(), end.tolist(), strict=True)]
    labels = [spans.vocabulary.labels[label] for label in spans.label[rows].tolist()]
    tags = annotation.tags()
    assert corpus.bounds is not None
    listed = None if tags is None else tags.to_list()[slice(*corpus.bounds[[sentence, sentence + 1]].tolist())]
    return corpus.text(sentence), labels, quoted, corpus.positions(scope, start, end).rows(), listed


@pytest.mark.parametrize("make", [with_tokens, with_characters, with_texts])
@given(rows=st.lists(st.integers(0, len(SENTENCES) - 1), unique=True))
def test_sentences_in_any_order(make: object, rows: list[int]) -> None:
    assert callable(make)
    annotation: Annotation = make()
    taken = annotation.take(ints(rows))
    assert taken.corpus.sentences == len(rows)
    assert [facts(taken, at) for at in range(len(rows))] == [facts(annotation, row) for row in rows]


@given(st.lists(st.integers(0, 2), unique=True))
def test_lines_and_tags_in_any_order(tmp_path_factory: pytest.TempPathFactory, rows: list[int]) -> None:
    path = tmp_path_factory.getbasetemp() / "tags.conll"
    path.write_text("Ada B-PER\nleft O\n\nRome B-LOC\n\nin O\nBad B-LOC\nHall I-LOC\n")
    annotation = eh.read(path)
    taken = annotation.take(ints(rows))
    assert [facts(taken, at) for at in range(len(rows))] == [facts(annotation, row) for row in rows]
    assert taken.corpus.bounds is not None
    lines = [1, 4, 6]
    assert taken.corpus.line_numbers(taken.corpus.bounds[:-1]).tolist() == [lines[row] for row in rows]


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [2, 3, 0, 1], [2, 3], []])
def test_texts_of_several_sentences_are_taken_whole(rows: list[int], tmp_path: Path) -> None:
    """Positions count from the beginning of the file, whose first lines are blank."""
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"\n\nAda {name}.\nRome {name}.\n")
        (tmp_path / f"{name}.ann").write_text("T1\tPER 2 5\tAda\nT2\tLOC 9 13\tRome\n")
    annotation = eh.read(tmp_path, sentences="lines")
    taken = annotation.take(ints(rows))
    assert [facts(taken, at) for at in range(len(rows))] == [facts(annotation, row) for row in rows]
    if rows:
        assert facts(taken, 1)[2:4] == (["Rome"], [(9, 13, None, None)])


def test_sentences_without_lengths() -> None:
    taken = eh.spans([[("A", 0, 1)], [("B", 3, 4)], []]).take(ints([1, 2]))
    assert (taken.spans().rows(), taken.corpus.sentences) == ([("B", 0, 3, 4)], 2)
