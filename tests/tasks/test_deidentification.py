"""The scores of shared tasks on de-identification: MEDDOCAN and i2b2 2014."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import SettingError
from evenhand.tasks.spans.deidentification import merge

TEXT = "Dr. Ana Gil, Paseo 4-B, Vigo."
ANA, GIL, BOTH, STREET, CITY = (4, 7), (8, 11), (4, 11), (13, 22), (24, 28)
Listed = list[tuple[str, int, int]]


def counts(match: str, gold: Listed, system: Listed, **options: Any) -> tuple[float, ...]:
    """TP, FP and FN in one text."""
    sides = (eh.spans([side], text=[TEXT]) for side in (gold, system))
    row = eh.score(*sides, match=match, **options)[match].overall
    return row["TP"], row["FP"], row["FN"]


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("meddocan-ner", (1, 2, 2)),
        ("meddocan-strict", (2, 1, 1)),
        ("i2b2-strict", (1, 2, 2)),
        ("i2b2-binary-strict", (2, 1, 1)),
        ("i2b2-relaxed", (2, 1, 1)),
        ("i2b2-token", (4, 1, 2)),
        ("i2b2-binary-token", (5, 0, 1)),
    ],
)
def test_labels_and_bounds(match: str, expected: tuple[int, ...]) -> None:
    """The name is right, the street is short by `-B`, and the city has another label."""
    gold = [("NAME", *BOTH), ("STREET", *STREET), ("CITY", *CITY)]
    system = [("NAME", *BOTH), ("STREET", 13, 20), ("STREET", *CITY)]
    assert counts(match, gold, system) == expected


def test_repeated_spans_count_once() -> None:
    twice = [("NAME", *ANA), ("NAME", *ANA)]
    assert counts("meddocan-ner", twice, [("NAME", *ANA)]) == (1, 0, 0)
    assert counts("meddocan-strict", [("NAME", *ANA), ("CITY", *ANA)], [("X", *ANA)]) == (1, 0, 0)


def test_neighbours_may_be_written_as_one() -> None:
    """Two names against one: the joint span is right, and those in it are neither missing nor spurious."""
    split, whole = [("NAME", *ANA), ("NAME", *GIL)], [("NAME", *BOTH)]
    assert counts("meddocan-merged", split, whole) == (1, 0, 0)
    assert counts("meddocan-merged", whole, split) == (1, 0, 0)
    assert counts("meddocan-merged", [*split, ("CITY", *CITY)], whole) == (1, 0, 1)


def test_letters_and_digits_keep_spans_apart() -> None:
    assert merge([ANA, GIL, STREET, CITY], TEXT) == {(4, 28)}
    assert merge([ANA, STREET], TEXT) == {ANA, STREET}
    assert merge([(4, 11), (6, 9)], TEXT) == {(4, 9)}


def test_relaxed_spans_are_paired_one_to_one() -> None:
    near = [("A", 4, 7), ("A", 4, 9)]
    assert counts("i2b2-relaxed", near, [("A", 4, 8)]) == (1, 0, 1)
    assert counts("i2b2-relaxed", near, [("A", 4, 5), ("A", 4, 11)]) == (2, 0, 0)
    assert counts("i2b2-relaxed", near, [("A", 5, 8), ("B", 4, 8)]) == (0, 2, 2)


def test_documents_of_column_files_are_texts_with_blanks(tmp_path: Any) -> None:
    """A joint span may go over the end of a sentence; the tokens of a span are those of its letters and digits."""
    for name, tags in (("gold", "B B"), ("system", "B I")):
        words = zip(("Ana-B", "Gil"), tags.split(), strict=True)
        lines = [f"{word}\t{tag}-NAME\n" for word, tag in words]
        (tmp_path / f"{name}.conll").write_text("".join(lines))
    result = eh.score(tmp_path / "gold.conll", tmp_path / "system.conll", match="meddocan,i2b2")
    assert [result["meddocan-merged"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 0]
    assert result["i2b2-token"].overall["TP"] == 3


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ("lines", "sentences has no effect on spans"),
        ("text.tsv", "sentences is 'text.tsv'; choose text or lines, or specify a file"),
        ("a\t1\na\t2", "sentences has the document 'a' twice"),
        ("other\t3", "sentences has no document 'doc'; add a line with its name"),
        (" ", "sentences is empty"),
    ],
)
def test_numbers_of_sentences_are_checked(sentences: str, message: str) -> None:
    gold = eh.spans({"doc": [("NAME", *ANA)]}, text={"doc": TEXT})
    with pytest.raises(SettingError, match=message):
        eh.score(gold, gold, match="meddocan", sentences=sentences)


def test_missing_spans_a_sentence() -> None:
    gold = eh.spans({"doc": [("NAME", *ANA), ("NAME", *GIL)]}, text={"doc": TEXT})
    system = eh.spans({"doc": [("NAME", *BOTH)]}, text={"doc": TEXT})
    result = eh.score(gold, system, match="meddocan-ner", sentences="doc\t4\n")
    assert result["meddocan-ner"].overall["leak"] == 0.5
    assert "leak" not in result["meddocan-ner"].labels["NAME"].more
    assert "|sentences:4-in-1" in result.signature
    assert (
        eh.Results.from_json(eh.Results({"system": result}).to_json()).to_dict()["systems"][0]["scores"]
        == (result.to_dict()["systems"][0]["scores"])
    )


spans = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 10), st.integers(1, 8))
    .map(lambda each: (each[0], each[1], each[1] + each[2]))
    .filter(lambda each: TEXT[each[1] : each[2]].strip() != ""),
    max_size=5,
)


@given(spans, spans)
def test_relations_between_the_scores(gold: Listed, system: Listed) -> None:
    """Less is asked for step by step, and swapping the sides swaps FP and FN."""
    one, other = (eh.spans([side], text=[TEXT]) for side in (gold, system))
    actual, swapped = eh.score(one, other, match="meddocan,i2b2"), eh.score(other, one, match="meddocan,i2b2")
    right = {name: score.overall["TP"] for name, score in actual.scores.items()}
    assert right["i2b2-strict"] == right["meddocan-ner"] <= right["i2b2-relaxed"]
    assert right["i2b2-binary-strict"] == right["meddocan-strict"] <= right["meddocan-merged"]
    for name, score in actual.scores.items():
        same = [swapped[name].overall[kind] for kind in ("TP", "FN", "FP")]
        assert [score.overall[kind] for kind in ("TP", "FP", "FN")] == same
