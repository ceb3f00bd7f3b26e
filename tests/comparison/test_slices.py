"""Slices: scores on units of some length, sentence, document, vocabulary or column."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import Row
from build import rows as spans_of_a_sentence
from conftest import EXAMPLE, ROOT
from evenhand.results.comparison import Slice

TREES = ROOT / "src" / "evenhand" / "examples" / "trees"
PARSERS = [TREES / f"{name}.conllu" for name in ("rules", "transition", "neural")]
TAGGERS = [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")]

NEWS = """word\tgenre\tner
Ada\tnews\tB-PER
Byron\tnews\tI-PER
slept\tnews\tO

Rome\tblog\tB-LOC
and\tblog\tO
Kyiv\tnews\tB-LOC
"""
ONE = "Ada\tB-PER\nByron\tI-PER\nslept\tB-LOC\n\nRome\tO\nand\tO\nKyiv\tB-LOC\n"
TWO = "Ada\tB-PER\nByron\tO\nslept\tO\n\nRome\tB-LOC\nand\tO\nKyiv\tB-LOC\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gold standard with a header, and two systems: one misses Rome and finds `slept`, two cuts Ada Byron."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", NEWS), ("one", ONE), ("two", TWO)):
        Path(f"{name}.conll").write_text(text)


def sliced(name: str, **options: object) -> dict[str, Slice]:
    options = {"column": {"gold": "ner"}, **options}
    found = eh.compare("gold.conll", ["one.conll", "two.conll"], slices=name, trials=0, resamples=0, **options)  # type: ignore[arg-type]
    return dict(found.slices[name])


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["genre", "2", "-2"])
def test_a_column_by_its_name_or_number(name: str) -> None:
    """By the first token of a unit. News: one has 2 TP and 1 FP, two has 1 TP and the boundary error, F1 = 2 / 3."""
    assert sliced(name) == {
        "blog": Slice(1, {"one": 0, "two": 1}),
        "news": Slice(2, {"one": pytest.approx(4 / 5), "two": pytest.approx(2 / 3)}),
    }


@pytest.mark.usefixtures("files")
def test_the_column_of_the_tags_can_be_a_slice_too() -> None:
    found = sliced("ner")
    assert {value: each.units for value, each in found.items()} == {"B-PER": 1, "B-LOC": 2, "O": 0}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["2", "-1"])
def test_a_slice_never_changes_what_is_compared(name: str) -> None:
    """Also where the column of the tags is not named, and is the one to slice by."""
    Path("same.conll").write_text(ONE)
    whole = eh.compare("one.conll", ["same.conll", "two.conll"], trials=0, resamples=0)
    found = eh.compare("one.conll", ["same.conll", "two.conll"], slices=name, trials=0, resamples=0)
    assert (found.scores, found.gold.labels) == (whole.scores, whole.gold.labels)
    assert set(found.slices[name]) == {"B-PER", "B-LOC", "O"}


@pytest.mark.usefixtures("files")
def test_a_column_may_have_any_name() -> None:
    Path("gold.conll").write_text(NEWS.replace("genre", "tags"))
    assert set(sliced("tags")) == {"blog", "news"}


@pytest.mark.usefixtures("files")
def test_spans_by_their_length() -> None:
    """Only the second cuts Ada Byron; `slept` is surplus of length 1."""
    assert sliced("length") == {
        "2": Slice(1, {"one": 1, "two": 0}),
        "1": Slice(2, {"one": pytest.approx(0.5), "two": 1}),
    }


def test_lengths_from_five_on_are_one_slice() -> None:
    sentence = [("A", start, start + length) for start, length in ((0, 1), (1, 2), (3, 3), (6, 4), (10, 5), (15, 6))]
    gold = eh.spans([sentence], end="exclusive", lengths=[25])
    found = eh.compare(gold, {"a": gold, "b": gold}, slices="length", trials=0, resamples=0).slices["length"]
    assert {value: each.units for value, each in found.items()} == {"1": 1, "2": 1, "3": 1, "4": 1, "5+": 2}


def test_sentences_by_their_length() -> None:
    sizes = [1, 10, 11, 20, 21, 40, 41, 90]
    gold = eh.tags([["X"] * size for size in sizes])
    found = eh.compare(gold, {"a": gold, "b": gold}, task="tags", slices="sentence-length", trials=0, resamples=0)
    assert {value: each.units for value, each in found.slices["sentence-length"].items()} == {
        "1-10": 11,
        "11-20": 31,
        "21-40": 61,
        "41+": 131,
    }


def test_sentences_of_unknown_length_are_refused() -> None:
    gold = eh.spans([[("A", 0, 1)]], end="exclusive")
    with pytest.raises(eh.SettingError, match="does not have the lengths of sentences"):
        eh.compare(gold, {"a": gold, "b": gold}, slices="sentence-length")


@pytest.mark.usefixtures("files")
def test_units_by_their_documents() -> None:
    for name, text in (("gold", NEWS), ("one", ONE), ("two", TWO)):
        body = text.removeprefix("word\tgenre\tner\n")
        empty = "-DOCSTART-\t" + ("-\tO" if name == "gold" else "O")
        Path(f"{name}.conll").write_text(
            "\n\n".join(f"{empty}\n\n{part}" for part in body.strip().split("\n\n")) + "\n"
        )
    assert sliced("document", column=-1) == {
        "1": Slice(1, {"one": pytest.approx(2 / 3), "two": 0}),
        "2": Slice(2, {"one": pytest.approx(2 / 3), "two": 1}),
    }


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "vocabulary", [["Ada Byron", "slept"], "words.txt", Path("words.txt")], ids=["list", "str", "path"]
)
def test_units_by_what_was_seen(vocabulary: object) -> None:
    """Words and phrases, a line each; two only cuts what was seen, one misses Rome and adds `slept`."""
    Path("words.txt").write_text("Ada Byron\n\n  slept \nnothing\n")
    assert sliced("vocabulary", vocabulary=vocabulary) == {
        "seen": Slice(1, {"one": pytest.approx(2 / 3), "two": 0}),
        "unseen": Slice(2, {"one": pytest.approx(2 / 3), "two": 1}),
    }


@pytest.mark.usefixtures("files")
def test_a_vocabulary_must_be_there() -> None:
    with pytest.raises(eh.SettingError, match="needs a word list; specify it with --vocabulary FILE"):
        sliced("vocabulary")
    with pytest.raises(eh.InputError, match=r"missing.txt: cannot be read .*; check the path of the word list\."):
        sliced("vocabulary", vocabulary="missing.txt")


def test_a_vocabulary_takes_words_to_look_for() -> None:
    """Lists without tokens have none, so that nothing could be seen."""
    gold = eh.tags([["DET", "NOUN"]])
    with pytest.raises(eh.SettingError, match="words"):
        eh.compare(gold, {"a": gold, "b": gold}, task="tags", slices="vocabulary", vocabulary=["the"])


@pytest.mark.usefixtures("files")
def test_a_column_that_is_not_there() -> None:
    with pytest.raises(
        eh.InputError, match=r"gold.conll:1: column 'mood' does not exist, this line names word, genre, ner"
    ):
        sliced("mood")
    with pytest.raises(eh.InputError, match=r"gold.conll:1: column 9 does not exist, this line has 3 columns"):
        sliced("9")
    plain = eh.tags([["DET"]])
    with pytest.raises(eh.SettingError, match="has no column 'mood' to slice by"):
        eh.compare(plain, {"a": plain, "b": plain}, task="tags", slices="mood")


@pytest.mark.parametrize("task", ["trees", "tags"])
def test_columns_of_conllu_by_name_and_number(task: str) -> None:
    options = {"task": task, "trials": 0, "resamples": 0}
    comparison = eh.compare(TREES / "gold.conllu", PARSERS, slices="upos,4,deprel", **options)  # type: ignore[arg-type]
    assert comparison.slices["upos"] == comparison.slices["4"]
    assert comparison.slices["upos"]["INTJ"].units == 3
    assert {"nsubj", "punct"} <= set(comparison.slices["deprel"])
    for each in comparison.slices.values():
        assert sum(part.units for part in each.values()) == comparison.gold.units
    with pytest.raises(eh.InputError, match="column 'mood' does not exist; choose one of id, form, lemma, upos"):
        eh.compare(TREES / "gold.conllu", PARSERS, slices="mood", **options)  # type: ignore[arg-type]


def test_accuracy_by_gold_tag_is_that_of_the_labels() -> None:
    found = eh.compare(TREES / "gold.conllu", PARSERS, task="tags", slices="upos", trials=0, resamples=0)
    assert dict(found.slices["upos"]) == dict(found.labels)


def test_slices_are_in_natural_order() -> None:
    comparison = eh.compare(EXAMPLE / "gold.conll", TAGGERS, slices=["length", "document"], trials=0, resamples=0)
    assert list(comparison.slices) == ["length", "document"]
    assert list(comparison.slices["length"]) == ["1", "2", "3", "4", "5+"]
    assert list(comparison.slices["document"]) == [str(number) for number in range(1, 9)]
    for each in comparison.slices.values():
        assert sum(part.units for part in each.values()) == comparison.gold.units == 285


def test_slices_add_figures_and_change_none() -> None:
    plain = eh.compare(EXAMPLE / "gold.conll", TAGGERS, trials=0, resamples=0).to_dict()
    sliced = eh.compare(EXAMPLE / "gold.conll", TAGGERS, slices="length", trials=0, resamples=0).to_dict()
    assert plain["slices"] == {}
    assert {key: value for key, value in sliced.items() if key != "slices"} == {
        key: value for key, value in plain.items() if key != "slices"
    }


SENTENCES = st.lists(st.tuples(*[spans_of_a_sentence(length=6, most=4)] * 3), min_size=1, max_size=3)


@settings(max_examples=40)
@given(SENTENCES)
def test_one_slice_of_all_is_the_whole(sentences: list[tuple[list[Row], ...]]) -> None:
    """All sentences are of one document and have one length; slices of lengths add up to all gold spans.

    A gold standard without spans has no score, but its slices have 0, as rows of single labels do.
    """
    gold, a, b = (
        eh.spans([row[side] for row in sentences], end="inclusive", first=1, lengths=[6] * len(sentences))  # type: ignore[misc]
        for side in range(3)
    )
    names = "length,sentence-length,document"
    comparison = eh.compare(gold, {"a": a, "b": b}, slices=names, trials=0, resamples=0)
    assert comparison.gold.units or all(map(isnan, comparison.scores.values()))
    expected = dict(comparison.scores) if comparison.gold.units else {"a": 0, "b": 0}
    for name in ("sentence-length", "document"):
        for each in comparison.slices[name].values():
            assert (each.units, each.scores) == (comparison.gold.units, pytest.approx(expected))
    assert sum(each.units for each in comparison.slices["length"].values()) == comparison.gold.units
