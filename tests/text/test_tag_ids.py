"""Tags as ids: arrays and lists, padded, with names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
IDS = [[-100, 1, 2, 0, -100], [3, 0, -100, -100, -100]]
BEST = "take the best tag of each token: logits.argmax(axis=-1)"
BY_ID = "give the tags in the order of their ids, or a mapping from ids to tags (id2label)"
IGNORED = "(ids equal to ignore, -100, are left out)"


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        np.array(IDS),
        np.array(IDS, dtype=np.int32),
        [np.array(row) for row in IDS],
        [[1, 2, 0], [3, 0]],
        ((each for each in row) for row in IDS),
    ],
)
@pytest.mark.parametrize("names", [NAMES, dict(enumerate(NAMES)), {str(at): tag for at, tag in enumerate(NAMES)}])
def test_ids_are_the_tags_that_they_stand_for(ids: Any, names: Any) -> None:
    if not hasattr(ids, "__len__"):  # the first parameter used it up
        ids = ((each for each in row) for row in IDS)
    found, expected = eh.tags(ids, names=names), eh.tags([["B-PER", "I-PER", "O"], ["B-LOC", "O"]])
    assert found.spans().rows() == expected.spans().rows() == [("PER", 0, 0, 2), ("LOC", 1, 0, 1)]
    assert found["tags"].to_list() == expected["tags"].to_list()  # type: ignore[union-attr]
    assert found.reading == expected.reading


def test_two_ids_may_stand_for_one_tag() -> None:
    assert eh.tags([[0, 1, 2, 1]], names=["O", "B-X", "O"])["tags"].to_list() == ["O", "B-X", "O", "B-X"]  # type: ignore[union-attr]


def test_all_names_tell_the_encoding_whatever_occurs() -> None:
    names = ["O", "B-X", "I-X", "E-X", "S-X"]
    assert eh.tags([[1, 2, 0]], names=names).reading.encoding == "bioes"
    assert eh.tags([["B-X", "I-X", "O"]]).reading.encoding == "iob2"


def test_another_id_can_be_ignored_or_none() -> None:
    assert eh.tags([[1, -1]], names=NAMES, ignore=-1).corpus.token_count == 1
    assert eh.tags([[1, 0]], names=NAMES, ignore=None).corpus.token_count == 2
    assert eh.tags([[-100, -100], [1, 0]], names=NAMES).corpus.bounds.tolist() == [0, 0, 2]  # type: ignore[union-attr]


@given(
    st.lists(st.lists(st.sampled_from([-256, -100, 0, 1, 2, 70_000]), max_size=6), max_size=6),
    st.sampled_from([{-256: "I-X", 0: "O", 1: "B-X", 2: "O"}, {-256: "B-X", 0: "I-Y", 1: "O", 2: "B-X", 70_000: "O"}]),
)
def test_ids_are_what_their_names_are(ids: list[list[int]], names: dict[int, str]) -> None:
    known = [[each for each in row if each in names or each == -100] for row in ids]
    found = eh.tags(known, names=names, encoding="iob2")
    spelled = eh.tags([[names[each] for each in row if each != -100] for row in known], encoding="iob2")
    assert found["tags"].to_list() == spelled["tags"].to_list()  # type: ignore[union-attr]
    assert found["tags"].names == spelled["tags"].names  # type: ignore[union-attr]
    assert found.spans().rows() == spelled.spans().rows()
    assert found.corpus.bounds.tolist() == spelled.corpus.bounds.tolist()  # type: ignore[union-attr]


def test_tokens_are_those_that_are_not_ignored() -> None:
    found = eh.tags(IDS, names=NAMES, tokens=[["Ada", "Lovelace", "wrote"], ["Paris", "slept"]])
    assert found.corpus.text(1) == "Paris slept"


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        (np.zeros((2, 3, 5)), f"found logits (an array of shape (2, 3, 5) of float64) in place of ids; {BEST}"),
        ([[[0.5, 0.25]]], f"tokens have lists of numbers (logits) in place of ids; {BEST}"),
        (
            np.zeros((2, 3)),
            "found an array of shape (2, 3) of float64; give whole numbers, with a row for each sentence",
        ),
        (
            np.zeros(3, dtype=int),
            "found an array of shape (3,) of int64; give whole numbers, with a row for each sentence",
        ),
        ([[0.5]], "the id 0.5 is no whole number; give a list of ids for each sentence, such as [[1, 0, -100]]"),
        ([[True]], "the id True is no whole number; give a list of ids for each sentence, such as [[1, 0, -100]]"),
        ([[0], [5]], f"sentence 2 has the id 5, which is none of the 5 in names; {BY_ID} {IGNORED}"),
        ([[], [-1]], f"sentence 2 has the id -1, which is none of the 5 in names; {BY_ID} {IGNORED}"),
    ],
)
def test_what_is_no_array_of_ids_is_refused(given: Any, finding: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.tags(given, names=NAMES)
    assert str(caught.value) == f"tags: {finding}."


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        ({"O": 0}, "names has 0 for the id 'O'"),
        (["O", 3], "names has 3 for the id 1"),
        ("O", "names is 'O', which is no list"),
        ({0: "O", "0": "B-X"}, "names has an id twice"),
    ],
)
def test_names_are_tags_by_id(names: Any, finding: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.tags([[0]], names=names)
    assert str(caught.value) == f"tags: {finding}; {BY_ID}."


@pytest.mark.parametrize(
    ("gold", "predicted", "sentence"),
    [
        ([[1, 2, -100]], [[1, -100, 2]], 1),
        ([[1, 2, -100]], [[1, 2, 0]], 1),
        ([[0, -100], [1, -100]], [[0, -100], [-100, 1]], 2),
        ([[0], [-100, 1]], [[0], [1, 1]], 2),
    ],
)
def test_masks_that_differ_are_refused(gold: list[list[int]], predicted: list[list[int]], sentence: int) -> None:
    sides = [eh.tags(each, names=["O", "B-PER", "I-PER"]) for each in (gold, predicted)]
    with pytest.raises(eh.InputError, match=f"sentence {sentence} leaves out other places .* mask both sides alike"):
        eh.score(*sides)


def test_masks_are_the_same_if_one_side_is_padded_further() -> None:
    names = ["O", "B-PER", "I-PER"]
    gold, predicted = eh.tags([[-100, 1, 2, -100], [0, -100]], names=names), eh.tags([[-100, 1, 2], [0]], names=names)
    assert eh.score(gold, predicted)["exact"].f1 == 1.0
