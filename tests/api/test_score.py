"""`score`: labels, averages, levels, groups, names, and what changes nothing."""

from __future__ import annotations

import tracemalloc
from importlib import import_module
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from declared import run_of, score_settings
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings

GOLD = [[("PER", 0, 2), ("LOC", 4, 5)], [("PER", 0, 1), ("ORG", 2, 3)]]
SYSTEM = [[("PER", 0, 2), ("ORG", 4, 5)], [("PER", 0, 1), ("MISC", 5, 6)]]


@pytest.fixture
def sides() -> tuple[eh.Annotation, eh.Annotation]:
    return eh.spans(GOLD), eh.spans(SYSTEM, name="system")


def test_macro_is_the_mean_over_the_gold_standards_labels(sides) -> None:
    """F1 of PER 1, LOC 0, ORG 0; MISC is the system's alone and does not enter, nor does it vanish."""
    result = eh.score(*sides)
    assert result["exact"].macro.f1 == pytest.approx(1 / 3)
    assert result["exact"].labels["MISC"]["FP"] == 1


def test_support_average_weighs_by_gold_spans(sides) -> None:
    assert eh.score(*sides)["exact"].weighted.f1 == pytest.approx((2 * 1 + 0 + 0) / 4)


def test_overall_sums_before_it_divides(sides) -> None:
    overall = eh.score(*sides)["exact"].overall
    assert (overall["TP"], overall["FP"], overall["FN"], overall.f1) == (2, 2, 2, 0.5)


def test_only_some_labels(sides) -> None:
    result = eh.score(*sides, labels="PER,LOC")
    assert list(result["exact"].labels) == ["LOC", "PER"]
    assert result["fair"].overall["FN"] == 1, "what was an LE to an excluded label is a miss"
    assert eh.score(*sides, exclude=["ORG", "MISC"])["fair"].overall.counts == result["fair"].overall.counts


def test_map_acts_on_both_sides_or_on_one(sides) -> None:
    both = eh.score(*sides, map={"LOC": "PLACE"})
    assert both.gold.labels == {"ORG": 1, "PER": 2, "PLACE": 1}
    one = eh.score(*sides, map=["system:ORG=LOC"])
    assert one["exact"].labels["LOC"]["TP"] == 1
    assert eh.score(*sides, map=["gold:LOC=ORG"])["exact"].labels["ORG"]["TP"] == 1
    named = eh.score(sides[0], {"a": sides[1], "b": sides[1]}, map=["a:ORG=LOC"])
    assert [named[name]["exact"].overall["TP"] for name in ("a", "b")] == [3, 2]


def test_a_label_that_occurs_nowhere_is_noted(sides) -> None:
    notes = eh.score(*sides, labels="PER,L0C", map={"ORGA": "ORG"}).notes
    assert notes[:2] == (
        "the label 'L0C' of --labels occurs nowhere; the nearest one is 'LOC'.",
        "the label 'ORGA' of --map occurs nowhere; the nearest one is 'ORG'.",
    )


def test_a_colon_belongs_to_the_label_unless_a_side_stands_before_it() -> None:
    gold, system = eh.spans([[("ns:PER", 0, 1)]]), eh.spans([[("PER", 0, 1)]])
    assert eh.score(gold, system, map=["ns:PER=PER"])["exact"].f1 == 1.0


@pytest.mark.parametrize("text", ["PER", "=PER", "PER=", ""])
def test_a_map_that_cannot_be_read(sides, text: str) -> None:
    with pytest.raises(eh.SettingError, match="OLD=NEW"):
        eh.score(*sides, map=[text])


def test_focus_moves_labeling_errors(sides) -> None:
    target, system = (eh.score(*sides, focus=focus)["fair"].labels for focus in ("target", "system"))
    assert (target["LOC"]["LE"], target["ORG"]["LE"]) == (1, 0)
    assert (system["LOC"]["LE"], system["ORG"]["LE"]) == (0, 1)


def test_beta_is_shown_beside_f1_and_is_the_headline(sides) -> None:
    score = eh.score(eh.spans([[("A", 0, 1), ("A", 2, 3)]]), eh.spans([[("A", 0, 1)]]), beta=2)["exact"]
    assert score.f1 == pytest.approx(2 / 3)
    assert score.headline == score.overall.f_beta == pytest.approx(5 / 9)


def test_levels_pooled_or_separate() -> None:
    """The same span on another level: right where levels are pooled, wrong where they are separate (GermEval)."""
    gold, system = eh.tags([["B-ORG|B-LOC", "I-ORG"]]), eh.tags([["B-LOC|B-ORG", "O|I-ORG"]])
    assert eh.score(gold, system)["exact"].f1 == 1.0
    assert eh.score(gold, system, levels="separate")["exact"].f1 == 0.0
    assert eh.score(gold, gold, levels="separate")["exact"].f1 == 1.0


def test_groups_keep_documents_or_sentences_apart(example: Path) -> None:
    paths = example / "gold.conll", example / "tagger.conll"
    total, documents, sentences = (
        eh.score(*paths, groups=groups).tallies["fair"] for groups in ("total", "document", "sentence")
    )
    assert documents.total() == sentences.total() == total
    assert {group for group, *_ in documents.cells()} == set(range(8))
    assert len({group for group, *_ in sentences.cells()}) > 60


@pytest.mark.parametrize("groups", ["document", "sentence"])
@pytest.mark.parametrize("portion", [1, 50, 1 << 14])
@pytest.mark.parametrize("sizes", [(1, 1), (100, 3000), (1 << 18, 64)])
def test_batch_sizes_change_nothing(
    example: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int], portion: int, groups
) -> None:
    """Whatever is read at a time on either side, and whatever is judged at a time."""

    def tallies(gold_size: int, system_size: int) -> dict[str, Tally]:
        vocabulary = Vocabulary()
        gold = batches(example / "gold.conll", ReadSettings(block_size=gold_size), vocabulary)
        system = batches(example / "tagger.conll", ReadSettings(block_size=system_size), vocabulary)
        chosen = score_settings("spans", ("exact", "fair", "ts", "overlap", "semeval-type", "accuracy"))
        run = run_of(lambda: gold, {"tagger": lambda reference: system}, chosen, vocabulary, groups)
        return run.tallies["tagger"]

    whole = tallies(1 << 20, 1 << 20)
    monkeypatch.setattr(import_module("evenhand.tasks.spans.evaluation"), "PART_SPANS", portion)
    assert tallies(*sizes) == whole


SENTENCES = st.lists(
    st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B"]), min_size=1, max_size=6), min_size=1, max_size=6
)


@given(SENTENCES, st.randoms(use_true_random=False))
def test_the_order_of_sentences_changes_nothing(tags: list, chance) -> None:
    other = [[chance.choice(["O", "B-A", "I-A", "B-B"]) for _ in sentence] for sentence in tags]
    order = list(range(len(tags)))
    chance.shuffle(order)
    first = eh.score(eh.tags(tags, encoding="iob2"), eh.tags(other, encoding="iob2"))
    second = eh.score(
        eh.tags([tags[i] for i in order], encoding="iob2"), eh.tags([other[i] for i in order], encoding="iob2")
    )
    assert first.to_dict()["systems"][0]["scores"] == second.to_dict()["systems"][0]["scores"]


@given(SENTENCES)
def test_a_perfect_system(tags: list) -> None:
    result = eh.score(eh.tags(tags, encoding="iob2"), eh.tags(tags, encoding="iob2"))
    expected = 1.0 if result.gold.units else nan
    assert [result[model].f1 for model in ("exact", "fair")] == pytest.approx([expected, expected], nan_ok=True)


def test_the_same_spans_in_another_encoding_score_the_same() -> None:
    gold = eh.tags([["B-PER", "I-PER", "B-PER", "O", "B-LOC"]])
    system = eh.tags([["B-PER", "L-PER", "U-PER", "O", "U-LOC"]])
    assert eh.score(gold, system)["exact"].f1 == 1.0


def test_many_systems_by_list_or_mapping(example: Path) -> None:
    paths = [example / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
    listed = eh.score(example / "gold.conll", paths)
    assert list(listed) == ["gazetteer", "crf", "tagger"]
    named = eh.score(example / "gold.conll", {"best": paths[2]})
    assert named["best"]["fair"].f1 == listed["tagger"]["fair"].f1


def test_gold_and_prediction_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("Ada NNP B-PER B-PER\nsees VBZ O B-LOC\nBo NNP B-PER O\n")
    result = eh.score(path)
    assert (result.name, result["exact"].overall.counts) == ("both", {"TP": 1, "FP": 1, "FN": 1})
    swapped = eh.score(path, column={"gold": 4, "system": 3})
    assert swapped["exact"].overall.counts == result["exact"].overall.counts
    assert swapped["fair"].labels["LOC"]["FN"] == 1


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Ada B-PER\nsees O\n", "but the first of them has tokens"),
        ("Ada NNP B-PER\nsees VBZ O\n", "but the first of them has labels without prefixes"),
        ("B-PER\nO\n", "expected two columns for gold and prediction, got one"),
    ],
)
def test_a_single_file_must_have_two_columns_of_tags(tmp_path: Path, text: str, finding: str) -> None:
    """A forgotten second file must not score words or parts of speech as if they were entities."""
    path = tmp_path / "system.conll"
    path.write_text(text)
    with pytest.raises(eh.InputError, match=rf"system\.conll:1: .*{finding}; add the system's file"):
        eh.score(path)


def test_two_columns_of_tags_alone(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("B-PER B-PER\nO B-LOC\n")
    assert eh.score(path)["exact"].overall.counts == {"TP": 1, "FP": 1, "FN": 0}
    path.write_text("B-PER O\nO O\n")
    assert eh.score(path)["exact"].overall.counts == {"TP": 0, "FP": 0, "FN": 1}


def test_a_file_that_holds_one_side_only(tmp_path: Path) -> None:
    path = tmp_path / "spans.tsv"
    path.write_text("PER\t1\t2\n")
    with pytest.raises(
        eh.SettingError, match=r"spans\.tsv \(spans\) contains only one annotation; add the system's file"
    ):
        eh.score(path)


def test_no_system(sides) -> None:
    with pytest.raises(eh.SettingError, match="Nothing to score"):
        eh.score(sides[0], [])
    with pytest.raises(eh.SettingError, match="A single annotation cannot be scored"):
        eh.score(sides[0])


def test_an_unknown_model(sides) -> None:
    with pytest.raises(
        eh.SettingError,
        match="match is 'fairy', which is not a measure of spans; did you mean fair\\? Choose from exact, fair, weighted",
    ):
        eh.score(*sides, match="exact,fairy")
    with pytest.raises(KeyError, match="no measure 'weighted' was scored"):
        eh.score(*sides)["weighted"]


def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    """Three times the text takes no more memory at its peak (a little, for counts).

    The peak is reached with three blocks of two megabytes of each file. The smaller files have more than that (10 MB).
    """

    def peak(sentences: int) -> int:
        gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
        gold.write_text("Ada B-PER\nsees O\nLondon B-LOC\n\n" * sentences)
        system.write_text("Ada B-PER\nsees B-ORG\nLondon O\n\n" * sentences)
        tracemalloc.start()
        result = eh.score(gold, system)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert result["exact"].overall["TP"] == sentences
        return memory

    peak(100)  # what is loaded on first use does not count
    assert peak(960_000) < 1.1 * peak(320_000)


@pytest.mark.parametrize("name", ["", " ", None, 3, ("a",)])
@pytest.mark.parametrize("command", [eh.score, eh.compare, eh.rank])
def test_systems_need_names_that_can_be_read(command: Any, name: Any) -> None:
    gold = eh.tags([["B-X", "O"]])
    with pytest.raises(eh.SettingError, match=r"^The name of a system is .+; expected a non-empty string\.$"):
        command(gold, {name: eh.tags([["O", "B-Y"]]), "other": gold})


@pytest.mark.parametrize("name", ["gold", "system", "a\nb", "\x1b[31m", "a:b"])
def test_other_names_change_nothing(name: str) -> None:
    """The gold standard's counts are its own, whatever a system is called."""
    results = eh.score(eh.tags([["B-X", "O"]]), {name: eh.tags([["O", "B-Y"]])})
    assert (results.gold.labels, results[name].predicted_labels) == ({"X": 1}, {"Y": 1})
    assert eh.Results.from_json(results.to_json())[name].predicted_labels == {"Y": 1}


@pytest.mark.parametrize(
    ("side", "remedy"),
    [
        ([["B-PER", "O"]], "eh.tags(…)"),
        ([[], ("O",)], "eh.tags(…)"),
        ([[1, 0, -100]], "eh.tags(ids, names=[…])"),
        (np.array([[1, 0]]), "eh.tags(ids, names=[…])"),
        (np.zeros((1, 2, 3)), "eh.tags(ids, names=[…]) with the ids of the best tags"),
        ([[("PER", 0, 2)], []], "eh.spans(…)"),
        ([[["PER", 0, 3, [0, 2]]]], "eh.spans(…)"),
        ({"doc1": [("PER", 0, 2)]}, "eh.spans(…), which takes spans by document"),
        ([[(2, "nsubj"), (0, "root")]], "eh.trees(…)"),
        ([[[(0, 2), (5, 6)]]], "eh.chains(…)"),
    ],
)
def test_plain_data_are_refused_with_what_to_wrap_them_in(side: Any, remedy: str) -> None:
    gold = eh.tags([["B-PER", "O"]])
    for arguments in ((side, gold), (gold, side), (gold, [gold, side])):
        with pytest.raises(eh.SettingError) as caught:
            eh.score(*arguments)
        assert str(caught.value).endswith(f" is neither a file nor an annotation; pass {remedy}.")


@pytest.mark.parametrize("side", [None, 3, [[None]], b"gold.conll", {"a": 1}])
def test_sides_are_files_or_annotations(side: Any) -> None:
    gold = eh.tags([["B-X", "O"]])
    sentence = r"is neither a file nor an annotation; pass a path, or the result of eh\.read, eh\.tags or eh\.spans\.$"
    with pytest.raises(eh.SettingError, match=sentence):
        eh.score(gold, {"a": side})
    with pytest.raises(eh.SettingError, match=sentence):
        eh.score(gold, [side])
    with pytest.raises(eh.SettingError, match=sentence):
        eh.score(side, gold)


# Token accuracy through `score`: tags as they stand, or spelled in IOB2 where the two sides differ


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


def test_gold_and_prediction_in_one_file_accuracy(tmp_path: Path) -> None:
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


# A column of the gold file that says what tokens weigh in `ts` and `t`


GOLD_TOKEN_WEIGHTS = "Ada B-PER 2\nLovelace I-PER 1\nsees O 1\nBo B-PER 0.5\n"
SYSTEM_TOKEN_WEIGHTS = "Ada B-PER\nLovelace O\nsees O\nBo B-PER\n"
COLUMN = {"gold": 2}
KINDS = ("TP", "FP", "FN", "TN")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return written(tmp_path, "system.conll", SYSTEM_TOKEN_WEIGHTS)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_tokens_by_hand(tmp_path: Path, system: Path) -> None:
    """TP 2 + .5, FN 1, TN 1: P = 1, R = 2.5 / 3.5, F1 = 5 / 6; and accuracy = 3.5 / 4.5, as all tokens weigh."""
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    row = eh.score(gold, system, match="t", token_weight=3, column=COLUMN)["t"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2.5, 0, 1, 1]
    assert (row.precision, row.recall, row.f1) == (1, pytest.approx(5 / 7), pytest.approx(5 / 6))
    assert row["accuracy"] == pytest.approx(3.5 / 4.5)
    assert row["positive"] == pytest.approx(3.5 / 4.5)


def test_separators_weigh_1_beside_them(tmp_path: Path, system: Path) -> None:
    """The separator between the names is missed, the other two are TN: TP 2.5, FN 2, TN 3, F1 = 5 / 7."""
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    row = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN)["ts"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2.5, 0, 2, 3]
    assert row.f1 == pytest.approx(5 / 7)
    half = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN, separator_weight=0.5)["ts"].labels["PER"]
    assert [half[kind] for kind in KINDS] == [2.5, 0, 1.5, 2]


def test_spurious_tokens_weigh_too(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", "Ada O 4\nLovelace O 1\nsees O 1\nBo B-PER 2\n")
    row = eh.score(gold, system, match="t", token_weight=3, column=COLUMN)["t"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2, 4, 0, 2]


@pytest.mark.parametrize("column", [3, -1, "WEIGHT"])
def test_the_column_by_number_and_by_name(tmp_path: Path, system: Path, column: int | str) -> None:
    gold = written(tmp_path, "gold.conll", "TOKEN NER WEIGHT\n" + GOLD_TOKEN_WEIGHTS)
    result = eh.score(gold, system, match="t", token_weight=column, column={"gold": "NER"})
    assert result["t"].f1 == pytest.approx(5 / 6)
    assert f"|token-weights:column-{column}" in result.signature


def test_equal_weights_change_no_score(tmp_path: Path, example: Path) -> None:
    weighed = written(tmp_path, "gold.conll", _with_weights(example / "gold.conll", "1.0"))
    plain = eh.score(example / "gold.conll", example / "tagger.conll", match="ts,t")
    same = eh.score(weighed, example / "tagger.conll", match="ts,t", token_weight=3, column=COLUMN)
    for model in ("ts", "t"):
        assert (same[model].macro, same[model].labels) == (plain[model].macro, plain[model].labels)


def _with_weights(path: Path, weight: str) -> str:
    return "".join(f"{line}\t{weight}\n" if line else "\n" for line in path.read_text().splitlines())


def test_weights_concern_no_other_model(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    match = "exact,fair,overlap,semeval,accuracy"
    plain, weighed = (eh.score(gold, system, match=match, token_weight=w, column=COLUMN) for w in (None, 3))
    assert plain.to_dict() == weighed.to_dict()


def test_separate_levels_have_the_weights_each(tmp_path: Path) -> None:
    """LOC is on the second level only: 2 missed of 2 + 3 there, and 2 + 3 units on the first level that are none."""
    gold = written(tmp_path, "gold.conll", "York B-ORG|B-LOC 2\nTimes I-ORG|O 3\n")
    system = written(tmp_path, "system.conll", "York B-ORG\nTimes I-ORG\n")
    labels = eh.score(gold, system, match="t", token_weight=3, column=COLUMN, levels="separate")["t"].labels
    assert [labels["LOC"][kind] for kind in KINDS] == [0, 0, 2, 8]
    assert [labels["ORG"][kind] for kind in KINDS] == [5, 0, 0, 5]


def test_a_long_file_has_the_weights_of_its_own_tokens(tmp_path: Path) -> None:
    """More than one batch and more than one portion."""
    gold = written(tmp_path, "gold.conll", (GOLD_TOKEN_WEIGHTS + "\n") * 12_000)
    system = written(tmp_path, "system.conll", (SYSTEM_TOKEN_WEIGHTS + "\n") * 12_000)
    row = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN)["ts"].labels["PER"]
    assert [row[kind] / 12_000 for kind in KINDS] == [2.5, 0, 2, 3]


def test_supertags_and_baselines_weigh_too(tmp_path: Path, system: Path) -> None:
    """The acceptor's F1 is 2 f / (1 + f) with f = 3.5 / 4.5 positive units."""
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    score = eh.score(gold, system, match="t", token_weight=3, column=COLUMN, supertag="ENTITY", baselines=True)["t"]
    assert score.supertags["ENTITY"].f1 == pytest.approx(5 / 6)
    assert score.baselines["acceptor"] == pytest.approx(2 * 3.5 / (4.5 + 3.5))


@pytest.mark.parametrize("weight", ["x", "-1", "nan", "inf", "1,5"])
def test_a_weight_that_is_no_number_of_0_or_more(tmp_path: Path, system: Path, weight: str) -> None:
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS.replace("sees O 1", f"sees O {weight}"))
    with pytest.raises(eh.InputError) as error:
        eh.score(gold, system, match="t", token_weight=3, column=COLUMN)
    assert str(error.value) == (
        f"{gold}:3: the weight {weight!r} in column 3 is not a number of 0 or more; fix it, or specify another column."
    )


def test_a_column_that_is_not_there(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    with pytest.raises(eh.InputError, match=r"gold\.conll:1: column 4 does not exist, this line has 3 columns"):
        eh.score(gold, system, match="t", token_weight=4, column=COLUMN)
    with pytest.raises(eh.InputError, match=r"column 'WEIGHT' does not exist, the file has no header line"):
        eh.score(gold, system, match="t", token_weight="WEIGHT", column=COLUMN)


@pytest.mark.parametrize(
    ("name", "text"),
    [("gold.tsv", "PER\t1\t2\n"), ("gold.jsonl", '{"tokens": ["Ada"], "tags": ["B-PER"]}\n')],
)
def test_a_format_without_columns_has_no_weights(tmp_path: Path, name: str, text: str) -> None:
    gold = written(tmp_path, name, text)
    with pytest.raises(eh.SettingError, match=rf"{name} has no columns and therefore no token weights\."):
        eh.score(gold, gold, match="t", token_weight=3)


def test_characters_have_no_weights(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    with pytest.raises(eh.SettingError):
        eh.score(gold, system, match="t", token_weight=3, column=COLUMN, align="characters")


def test_a_line_that_names_the_column_of_weights_is_a_header(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", "TEXT NER WEIGHT\n" + GOLD_TOKEN_WEIGHTS)
    result = eh.score(gold, system, match="t", token_weight="WEIGHT", column=COLUMN)
    assert result["t"].f1 == pytest.approx(5 / 6)


def test_the_column_of_weights_is_not_taken_for_the_tags(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD_TOKEN_WEIGHTS)
    assert eh.score(gold, system, match="t", token_weight=3)["t"].f1 == pytest.approx(5 / 6)
