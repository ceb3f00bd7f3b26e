"""Annotations from plain lists."""

from __future__ import annotations

from math import isnan

import pytest

import evenhand as eh


def test_inclusive_and_exclusive_ends() -> None:
    half_open = eh.spans([[("PER", 0, 2)]], end="exclusive")
    assert half_open.spans().rows() == eh.spans([[("PER", 0, 1)]], end="inclusive").spans().rows()
    assert half_open.spans().rows() == eh.spans([[("PER", 1, 2)]], end="inclusive", first=1).spans().rows()


def test_gaps() -> None:
    found = eh.spans([[("PER", 0, 3, [0, 2])]]).spans()
    assert found.token_sets() == [{0, 2}]


@pytest.mark.parametrize("span", [("PER", 2, 2), ("PER", 2, 1), ("PER", -1, 1)])
def test_a_span_must_cover_something(span: tuple[str, int, int]) -> None:
    with pytest.raises(eh.InputError, match="covers no tokens"):
        eh.spans([[span]], end="exclusive")


def test_tokens_must_be_as_many_as_tags() -> None:
    with pytest.raises(
        eh.InputError,
        match="sentence 1 has the length 2, but a list of tokens of length 1; give lists of the same lengths",
    ):
        eh.tags([["O", "O"]], tokens=[["a"]])


def test_tokens_are_compared() -> None:
    gold, system = eh.tags([["O", "B-A"]], tokens=[["a", "b"]]), eh.tags([["O", "B-A"]], tokens=[["a", "c"]])
    with pytest.raises(eh.InputError, match="found the token 'c' where tags has 'b'"):
        eh.score(gold, system)


def test_empty_sentences_are_sentences() -> None:
    result = eh.score(eh.tags([["B-A"], [], ["B-A"]]), eh.spans([[("A", 0, 1)], [], [("A", 0, 1)]]))
    assert (result.gold.sentences, result["exact"].f1) == (3, 1.0)


def test_nothing_at_all_is_undefined_without_a_warning() -> None:
    result = eh.score(eh.tags([["O", "O"]]), eh.tags([["O", "O"]]))
    for model in ("exact", "fair"):
        score = result[model]
        assert all(map(isnan, (score.precision, score.recall, score.f1, score.macro.f1, score.support.f1)))


def test_lists_and_spans_can_be_mixed() -> None:
    result = eh.score(eh.tags([["B-PER", "I-PER", "O"]]), eh.spans([[("PER", 0, 2)]]))
    assert result["exact"].f1 == 1.0


def test_a_span_beyond_its_sentence_is_an_error() -> None:
    with pytest.raises(eh.InputError, match="ends at token 4, but the sentence has 3 tokens"):
        eh.score(eh.tags([["B-PER", "I-PER", "O"]]), eh.spans([[("PER", 0, 4)]]))
