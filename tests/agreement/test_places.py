"""Votes on places: what a majority of flat annotations accepts is flat."""

from __future__ import annotations

import random

import pytest

import evenhand as eh
from evenhand.agreement.annotators import Annotators
from evenhand.agreement.disagreements import Vote, Voting
from evenhand.data.layers import Spans, is_flat
from evenhand.data.vocabulary import Vocabulary
from evenhand.settings import ScoreSettings


def flat_spans(chance: random.Random, length: int) -> list[tuple[str, int, int]]:
    """Spans that do not overlap."""
    found, start = [], 0
    while start < length:
        end = start + chance.randint(1, 3)
        if end <= length and chance.random() < 0.6:
            found.append((chance.choice("AB"), start, end))
        start = end
    return found


def voted(sides: dict[str, eh.Annotation]) -> list[Spans]:
    """What a majority accepts, portion by portion."""
    streams = {name: iter([side]) for name, side in sides.items()}
    shared = Annotators(streams, [None] * len(sides), ScoreSettings(("exact",), "spans"), Vocabulary())
    voting = Voting(list(sides), Vote())
    return [batch.spans() for text in shared.portions() for batch in voting.annotations(text)]


@pytest.mark.parametrize("studies", [50, pytest.param(500, marks=pytest.mark.long)])
def test_flat_annotations_give_a_flat_majority(studies: int) -> None:
    """Random studies of two to five annotators, some of whom lack a document."""
    chance, spans = random.Random(0), 0
    for _ in range(studies):
        documents = {f"d{number}": chance.randint(1, 9) for number in range(3)}
        sides = {}
        for name in "vwxyz"[: chance.randint(2, 5)]:
            has = {each: length for each, length in documents.items() if each == "d0" or chance.random() < 0.7}
            given = {each: flat_spans(chance, length) for each, length in has.items()}
            sides[name] = eh.spans(given, lengths=has, name=name)
        for found in voted(sides):
            assert is_flat(found)
            spans += len(found)
    assert spans > studies / 2


def test_spans_keep_their_gaps() -> None:
    side = eh.spans([[("A", 0, 3, [0, 2])]], lengths=[3])
    found = eh.agree({"x": side, "y": side}, resamples=0).adjudicated.spans()
    assert found.token_sets() == [{0, 2}]


def test_documents_of_one_annotator_are_taken_over_whatever_the_vote() -> None:
    sides = {
        "x": eh.spans({"a": [("A", 0, 1)], "b": [("A", 0, 1)]}, lengths={"a": 1, "b": 1}),
        "y": eh.spans({"a": [("A", 0, 1)]}, lengths={"a": 1}),
        "z": eh.spans({"a": []}, lengths={"a": 1}),
    }
    found = eh.agree(sides, resamples=0)
    assert found.adjudicate(2).spans().rows() == [("A", 0, 0, 1), ("A", 1, 0, 1)]
    assert found.adjudicate(3).spans().rows() == [("A", 1, 0, 1)]
    assert [place.accepted for place in found.conflicts(3)] == [[]]
    with pytest.raises(eh.SettingError, match="vote is 4, but there are only 3 annotators; choose fewer"):
        found.conflicts(4)


def test_spans_that_differ_in_their_gaps_are_a_conflict() -> None:
    gapped, whole = (eh.spans([[("A", 0, 5, atoms)]], lengths=[5]) for atoms in ([0, 3, 4], [0, 1, 2, 3, 4]))
    found = eh.agree({"x": whole, "y": gapped, "z": gapped}, resamples=0)
    (place,) = found.conflicts()
    parts = ((0, 1), (3, 5))
    assert place.answers == {"x": [(0, 5, "A")], "y": [(0, 5, "A", parts)], "z": [(0, 5, "A", parts)]}
    assert place.decided
    assert found.adjudicated.spans().token_sets() == [{0, 3, 4}]
    assert "A 0-1+3-5" in str(found.listing_conflicts())
