"""Gold standard and system in step: parts, positions, and the errors if their texts differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.alignment.parts import Alignment
from evenhand.alignment.spans import SpanFollower
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary

TAGS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
SENTENCES = st.lists(st.lists(TAGS, min_size=1, max_size=5), min_size=1, max_size=8)


def annotation(sentences: list[list[str]]) -> Annotation:
    """Tags with a word a token, numbered through the text."""
    count = iter(range(10_000))
    return eh.tags(sentences, tokens=[[f"word{next(count)}" for _ in tags] for tags in sentences], encoding="iob2")


def cut(sentences: list[list[str]], sizes: list[int]) -> Iterator[Annotation]:
    """The same text in batches of so many sentences."""
    count = iter(range(10_000))
    tokens = [[f"word{next(count)}" for _ in tags] for tags in sentences]
    begin = 0
    for size in [*sizes, len(sentences)]:
        part = slice(begin, begin + size)
        if sentences[part]:
            yield eh.tags(sentences[part], tokens=tokens[part], encoding="iob2")
        begin += size


def aligned(gold: Iterator[Annotation], follower: SpanFollower) -> list[tuple[str, int, int, int]]:
    """The spans of all parts, with sentences numbered through the text."""
    vocabulary, rows, sentence = Vocabulary(), [], 0
    for batches, systems in Alignment(gold, {"system": follower}).parts():
        spans = systems["system"].spans.into(vocabulary).rows()
        rows += [(label, scope + sentence, start, end) for label, scope, start, end in spans]
        sentence += sum(batch.corpus.sentences for batch in batches)
    return rows


@given(SENTENCES, st.lists(st.integers(1, 4)), st.lists(st.integers(1, 4)))
def test_batches_of_any_size_give_the_same_spans(tags: list, gold_sizes: list[int], system_sizes: list[int]) -> None:
    follower = SpanFollower(cut(tags, system_sizes))
    assert aligned(cut(tags, gold_sizes), follower) == annotation(tags).spans().rows()
    assert not follower.breaks_differ


@given(SENTENCES, st.lists(st.integers(1, 4)), st.lists(st.integers(1, 6)))
def test_sentences_are_the_gold_standards(tags: list, gold_sizes: list[int], lengths: list[int]) -> None:
    """A system with other sentence breaks: each of its spans is in the gold sentence in which it begins."""
    flat = [tag for sentence in tags for tag in sentence]
    system, begin = [], 0
    for length in [*lengths, len(flat)]:
        system.append(flat[begin : begin + length])
        begin += length
    system = [sentence for sentence in system if sentence]
    own = annotation(system)
    bounds = annotation(tags).corpus.bounds
    expected = []
    for label, scope, start, end in own.spans().rows():
        first = int(own.corpus.bounds[scope])
        sentence = int(np.searchsorted(bounds, first + start, side="right")) - 1
        expected.append((label, sentence, first + start - int(bounds[sentence]), first + end - int(bounds[sentence])))
    assert aligned(cut(tags, gold_sizes), SpanFollower(cut(system, [1, 2]))) == expected


def test_a_part_ends_where_both_sides_end_a_sentence() -> None:
    """The second gold batch ends inside a sentence of the system, so its last sentence waits for the third batch."""
    gold = cut([["B-A"], ["O"], ["O"], ["B-B"], ["O"]], [1, 2, 2])
    follower = SpanFollower(cut([["B-A"], ["O"], ["O", "B-B"], ["O"]], [1, 3]))
    sizes = [
        [batch.corpus.sentences for batch in batches] for batches, _ in Alignment(gold, {"system": follower}).parts()
    ]
    assert sizes == [[1], [1], [1, 2]]
    assert follower.breaks_differ


def test_other_sentence_breaks_are_noted() -> None:
    result = eh.score(annotation([["B-A", "O"], ["O"]]), annotation([["B-A"], ["O", "O"]]))
    assert result["exact"].f1 == 1.0
    assert "sentences differ" in result.notes[0]


@pytest.mark.parametrize("by_position", [False, True])
def test_a_sentence_that_continues_after_a_batch_is_noted(by_position: bool) -> None:
    """The result does not depend on where batches end."""
    gold = cut([["O"], ["O", "O"], ["O"]], [2])
    follower = SpanFollower(cut([["O"], ["O", "O", "O"]], []), by_position=by_position)
    if by_position:
        with pytest.raises(eh.InputError, match="sentence 2 has 2 tags in the gold standard, 3 in the prediction"):
            aligned(gold, follower)
        return
    aligned(gold, follower)
    assert follower.breaks_differ


def test_without_tokens_sentences_must_have_equal_lengths() -> None:
    with pytest.raises(eh.InputError, match="sentence 2 has 2 tags in the gold standard, 1 in the prediction"):
        eh.score(eh.tags([["O"], ["O", "O"], ["O"]]), eh.tags([["O"], ["O"], ["O", "O"]]))


def test_a_system_that_ends_early() -> None:
    with pytest.raises(eh.InputError, match="the system ends here, but tags has the token 'word2'"):
        eh.score(annotation([["O", "O"], ["O"]]), annotation([["O", "O"]]))


@pytest.fixture(params=["one part", "a part ends where the gold standard ends"])
def part_ends(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "one part":
        monkeypatch.setattr("evenhand.tasks.spans.evaluation.PART_SPANS", 1)


@pytest.mark.usefixtures("part_ends")
def test_a_system_that_goes_on() -> None:
    with pytest.raises(eh.InputError, match="found the token 'word2' after the end of the gold standard"):
        eh.score(annotation([["B-A", "O"]]), annotation([["O", "O"], ["O"]]))


@pytest.mark.usefixtures("part_ends")
def test_a_system_with_another_empty_sentence_is_as_long() -> None:
    assert eh.score(annotation([["B-A", "O"]]), annotation([["B-A", "O"], []]))["exact"].f1 == 1


@pytest.mark.usefixtures("part_ends")
def test_span_tables_must_have_as_many_sentences() -> None:
    one, two = eh.spans([[("A", 0, 1)]]), eh.spans([[("A", 0, 1)], []])
    with pytest.raises(eh.InputError, match="gold standard has 1 sentence, the prediction 2"):
        eh.score(one, two)
    with pytest.raises(eh.InputError, match="gold standard has 2 sentences, the prediction 1"):
        eh.score(two, one)


# Lines of a system's text on the gold standard's: missing, extra and spelled otherwise; several files


LINES = ["Ada left.", "Bob slept.", "Cy ran."]
OPTIONS: Any = {"task": "relations", "sentences": "lines", "match": "strict"}


def write(path: Path, lines: list[str], *, words: int = 2) -> Path:
    """A document with two spans and a relation in every line of several words."""
    path.parent.mkdir(parents=True, exist_ok=True)
    spans, relations, at = [], [], 0
    for number, line in enumerate(lines):
        first, second = line.index(" "), len(line.rstrip("."))
        spans.append(f"T{2 * number}\tA {at} {at + first}\t{line[:first]}\n")
        spans.append(f"T{2 * number + 1}\tB {at + first + 1} {at + second}\t{line[first + 1 : second]}\n")
        relations.append(f"R{number}\tr Arg1:T{2 * number} Arg2:T{2 * number + 1}\n")
        at += len(line) + 1
    path.with_suffix(".txt").write_text("".join(f"{line}\n" for line in lines))
    path.with_suffix(".ann").write_text("".join(spans + relations))
    return path.with_suffix(".ann")


def scored(gold: Path, system: Path) -> tuple[list[float], list[str]]:
    result = eh.score(gold, system, **OPTIONS)
    notes = [note for note in result.notes if "line" in note]
    return [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")], notes


@pytest.mark.parametrize(
    ("lines", "counts", "note"),
    [
        (LINES, [3, 0, 0], None),
        ([LINES[0], LINES[2]], [2, 0, 1], "lacks lines 2; they count as empty"),
        ([*LINES, "Di sang."], [3, 0, 0], "has extra lines, which are ignored: 4"),
        ([LINES[1], LINES[0], LINES[2]], [1, 0, 2], "lacks lines 1, 3; they count as empty"),
        (["Ada left!", LINES[1], LINES[2]], None, "1 line is spelled differently"),
        (["ADA LEFT.", LINES[1], LINES[2]], [3, 0, 0], "1 line is spelled differently"),
    ],
)
def test_lines(tmp_path: Path, lines: list[str], counts: list[float] | None, note: str | None) -> None:
    gold, system = write(tmp_path / "gold" / "doc", LINES), write(tmp_path / "system" / "doc", lines)
    found, notes = scored(gold, system)
    assert counts is None or found == counts
    assert note is None or any(note in each for each in notes)


def test_an_extra_line_stops_the_file_but_not_the_next_one(tmp_path: Path) -> None:
    """A line that is not the gold standard's waits for a later one, to the end of its file."""
    for name in ("a", "b"):
        write(tmp_path / "gold" / name, LINES)
    write(tmp_path / "system" / "a", ["Zoe sang.", *LINES])
    write(tmp_path / "system" / "b", LINES)
    found, notes = scored(tmp_path / "gold", tmp_path / "system")
    assert found == [3, 0, 3]
    assert any("lacks lines 1, 2, 3; they count as empty" in note for note in notes)
    assert any("has extra lines, which are ignored: 1, 2, 3, 4" in note for note in notes)


def test_offsets_count_as_they_stand_where_a_space_is_another_character(tmp_path: Path) -> None:
    """The gold line has a zero-width space where the system's has a blank: what stands behind is at the same place."""
    gold = write(tmp_path / "gold" / "doc", ["Ada \u200b left.", LINES[1]])
    system = write(tmp_path / "system" / "doc", ["Ada   left.", LINES[1]])
    gold.write_text("T0\tA 0 3\tAda\nT1\tB 6 10\tleft\nR0\tr Arg1:T0 Arg2:T1\n")
    system.write_text("T0\tA 0 3\tAda\nT1\tB 6 10\tleft\nR0\tr Arg1:T0 Arg2:T1\n")
    assert scored(gold, system)[0] == [1, 0, 0]


def test_a_system_without_any_line(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold" / "doc", LINES)
    system = write(tmp_path / "system" / "doc", ["Zoe sang."])
    assert scored(gold, system)[0] == [0, 0, 3]
