"""Token accuracy through `score`: tags as they stand, or spelled in IOB2 where the two sides differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

IOB1_GOLD, IOB1_SYSTEM = [["O", "I-PER"]], [["I-PER", "I-PER"]]
"""The second tags are equal; in IOB2 they would be B-PER and I-PER."""


def accuracy(gold: eh.Annotation | Path, system: eh.Annotation | Path, **options: object) -> float:
    return eh.score(gold, system, match="accuracy", **options)["accuracy"].headline  # type: ignore[arg-type]


def test_by_hand() -> None:
    """Of five tokens, three have the same prefix and the same label."""
    gold = eh.tags([["B-PER", "I-PER", "O"], ["B-LOC", "O"]])
    system = eh.tags([["B-PER", "B-PER", "O"], ["B-ORG", "O"]])
    score = eh.score(gold, system, match="accuracy")["accuracy"]
    assert (score.overall.counts, score.headline) == ({"correct": 3, "tokens": 5}, 0.6)
    assert (score.labels, score.confusion) == ({}, None)


def test_tags_in_the_same_encoding_are_compared_as_they_stand() -> None:
    """As conlleval does it."""
    assert accuracy(eh.tags(IOB1_GOLD, encoding="iob1"), eh.tags(IOB1_SYSTEM, encoding="iob1")) == 0.5


def test_tags_in_different_encodings_are_compared_in_iob2() -> None:
    assert accuracy(eh.tags(IOB1_GOLD, encoding="iob1"), eh.tags([["B-PER", "I-PER"]], encoding="iob2")) == 0.0


@pytest.mark.parametrize(
    ("encoding", "tags"),
    [
        ("iob1", ["I-PER", "I-PER", "B-PER", "O", "I-LOC"]),
        ("iob2", ["B-PER", "I-PER", "B-PER", "O", "B-LOC"]),
        ("ioe1", ["I-PER", "E-PER", "I-PER", "O", "I-LOC"]),
        ("ioe2", ["I-PER", "E-PER", "E-PER", "O", "E-LOC"]),
        ("bioes", ["B-PER", "E-PER", "S-PER", "O", "S-LOC"]),
        ("bilou", ["B-PER", "L-PER", "U-PER", "O", "U-LOC"]),
    ],
)
def test_the_same_spans_in_any_encoding_are_all_right(encoding: str, tags: list[str]) -> None:
    gold = eh.tags([["B-PER", "I-PER", "B-PER", "O", "B-LOC"]])
    assert accuracy(gold, eh.tags([tags], encoding=encoding)) == 1.0


@pytest.mark.parametrize("options", [{"map": {"PER": "P"}}, {"labels": "PER"}, {"exclude": "LOC"}])
def test_where_labels_are_renamed_or_left_out_tags_are_spelled_anew(options: dict[str, object]) -> None:
    gold, system = eh.tags(IOB1_GOLD, encoding="iob1"), eh.tags(IOB1_SYSTEM, encoding="iob1")
    assert accuracy(gold, system, **options) == 0.0


def test_labels_that_are_left_out_or_become_one_do_not_count() -> None:
    gold, system = eh.tags([["B-PER", "B-LOC", "B-GPE"]]), eh.tags([["B-PER", "O", "B-LOC"]])
    assert accuracy(gold, system) == 1 / 3
    assert accuracy(gold, system, exclude="LOC") == 2 / 3, "nothing is left of LOC, and GPE is missing"
    assert accuracy(gold, system, labels="PER") == 1.0
    assert accuracy(gold, system, map={"GPE": "LOC"}) == 2 / 3


def test_a_token_with_stacked_tags_is_right_if_all_of_them_are() -> None:
    gold = eh.tags([["B-ORG|B-LOC", "I-ORG|O", "O|O"]])
    system = eh.tags([["B-ORG|O", "I-ORG|O", "O|O"]])
    assert accuracy(gold, system) == 2 / 3
    assert accuracy(gold, system, map={"LOC": "GPE"}) == 2 / 3, "spelled anew, a tag a level"
    assert accuracy(gold, system, exclude="LOC") == 1.0


def test_levels_in_columns_of_their_own(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("New B-ORG B-LOC\nYork I-ORG I-LOC\nTimes I-ORG O\n")
    system.write_text("New B-ORG B-LOC\nYork I-ORG O\nTimes I-ORG O\n")
    assert accuracy(gold, system, column="2,3") == 2 / 3
    assert accuracy(gold, system, column="2") == 1.0


def test_gold_and_prediction_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("Ada B-PER B-PER\nsees O B-LOC\n\nBo B-PER O\nsees O O\n")
    assert eh.score(path, match="accuracy")["accuracy"].headline == 0.5


def test_sentences_that_break_elsewhere_change_nothing(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("Ada B-PER\nsees O\nBo B-PER\n")
    system.write_text("Ada B-PER\nsees B-PER\n\nBo B-PER\n")
    assert accuracy(gold, system) == 2 / 3


def test_a_long_file_is_compared_token_by_token(tmp_path: Path) -> None:
    """More than one batch and more than one portion of each side, in lines of different lengths."""
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("Ada B-PER\nsees O\nLondon B-LOC\n\n" * 12_000)
    system.write_text("Ada B-PER\nsees B-MISCELLANEOUS\nLondon B-LOC\n\n" * 12_000)
    score = eh.score(gold, system, match="accuracy")["accuracy"]
    assert score.overall.counts == {"correct": 24_000, "tokens": 36_000}


def test_spans_of_texts_with_known_lengths_are_spelled_in_iob2() -> None:
    gold = eh.spans([[("A", 0, 2)], []], lengths=[3, 2])
    assert accuracy(gold, eh.spans([[("A", 0, 1), ("A", 1, 2)], []], lengths=[3, 2])) == 0.8


@pytest.mark.parametrize("match", ["accuracy", "exact,accuracy"])
def test_files_that_do_not_know_how_long_sentences_are_have_none(match: str) -> None:
    spans = eh.spans([[("A", 0, 2)]])
    for asked in (eh.score, eh.rank):
        with pytest.raises(eh.SettingError) as error:
            asked(spans, [spans], match=match)
        assert str(error.value) == "The accuracy of tags counts tokens, which spans and its systems do not share."


# Spellings that mean the same


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (["B-A", "O"], ["B-A", "_"]),
        (["B-A|B-B", "I-A|O"], ["B-A|B-B", "I-A"]),
        (["B-A", "O|O"], ["B-A", "O"]),
        (["B-A", "L-A", "U-A"], ["B-A", "E-A", "S-A"]),
        (["B-A", "I-A", "L-A"], ["B-A", "M-A", "E-A"]),
    ],
    ids=["outside", "a level that ends", "levels of nothing", "BILOU and BIOES", "BILOU and BMES"],
)
def test_tags_that_mean_the_same_are_equal_however_they_are_spelled(gold: list[str], system: list[str]) -> None:
    result = eh.score(eh.tags([gold]), eh.tags([system]), match="exact,accuracy")
    assert (result["exact"].f1, result["accuracy"].headline) == (1, 1)
