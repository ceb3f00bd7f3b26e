"""`errors` and `units`: one row per unit, as many as the score counts, under every measure of every task."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from divided import small_blocks
from evenhand.tasks.registry import TASKS, models_of
from unit_counts import check_counts

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
MEASURES = [
    (task, measure.name)
    for task in TASKS
    for measure in models_of(task)
    if not measure.instead_of_units and measure.name not in ("zero",)
]


def files(task: str) -> tuple[Path, list[Path]]:
    example = TASKS[task].example
    folder = EXAMPLES / example.folder
    return folder / example.gold, [folder / name for name in example.systems]


@pytest.mark.parametrize(("task", "match"), MEASURES)
def test_rows_are_as_many_as_the_score_counts(task: str, match: str) -> None:
    gold, systems = files(task)
    for result in eh.score(gold, systems, task=task, match=match).values():
        check_counts(result, match)


# Positions, strings and contexts


def test_strings_and_contexts_of_texts() -> None:
    texts = ["Ada met  Bob\nin Paris.", "Zoë left Rome."]
    gold = eh.spans([[("PER", 0, 3), ("PER", 9, 12), ("LOC", 16, 21)], [("LOC", 9, 13)]], text=texts, end="exclusive")
    system = eh.spans([[("PER", 4, 12)], [("PER", 0, 3)]], text=texts, end="exclusive")
    units = eh.score(gold, {"model": system}).errors(context=2)
    assert [(unit.string, unit.left, unit.right, unit.type) for unit in units] == [
        ("Ada", "", "met Bob", "FN"),
        ("Bob", "Ada met", "in Paris.", "BEL"),
        ("Paris", "Bob in", ".", "FN"),
        ("Zoë", "", "left Rome.", "FP"),
        ("Rome", "Zoë left", ".", "FN"),
    ]
    for unit in units:
        text = texts[unit.sentence - 1]
        assert text[unit.start : unit.end] == unit.string
        if unit.matched is not None:
            assert text[unit.matched_start : unit.matched_end] == unit.matched == "met  Bob"


def test_contexts_of_tokens_stay_in_the_sentence() -> None:
    gold = eh.tags([["O", "B-X", "O"], ["B-X", "O"]], tokens=[["a", "b", "c"], ["d", "e"]])
    system = eh.tags([["O", "O", "O"], ["O", "B-X"]], tokens=[["a", "b", "c"], ["d", "e"]])
    units = eh.errors(gold, system, context=9)
    assert [(unit.left, unit.string, unit.right) for unit in units] == [("a", "b", "c"), ("", "d", "e"), ("d", "e", "")]
    assert [(unit.start, unit.end) for unit in units] == [(1, 2), (0, 1), (1, 2)]
    assert eh.errors(gold, system, context=0)["left"] == ["", "", ""]


def test_scripts_without_spaces_have_contexts_of_limited_length() -> None:
    text = "東京" * 200
    gold, system = (eh.spans([spans], text=[text], end="exclusive") for spans in ([("LOC", 200, 202)], []))
    (unit,) = eh.errors(gold, system, context=2)
    assert (unit.string, unit.left, unit.right) == ("東京", "東京" * 25, "東京" * 25)


def test_units_with_gaps_have_parts() -> None:
    gold = eh.spans([[("X", 0, 2, [0, 2])]], tokens=[["left", "and", "right"]], end="inclusive")
    (unit,) = eh.errors(gold, eh.spans([[]], tokens=[["left", "and", "right"]]))
    assert (unit.string, unit.start, unit.end, unit.parts) == ("left right", 0, 3, "0-1 2-3")


def test_words_that_only_a_parser_has_are_listed_without_a_position() -> None:
    gold, systems = files("trees")
    extra = list(eh.errors(gold, systems, type="extra"))
    assert extra
    assert all(unit.start is None and unit.string and unit.side == "system" for unit in extra)


def test_relations_have_arguments_and_mentions_antecedents() -> None:
    gold, systems = files("relations")
    first = eh.errors(gold, systems[0])[0]
    assert (first.head, first.tail) == ("Mira Okafor", "Lumen Works")
    gold, systems = files("chains")
    assert any(unit.gold_antecedent for unit in eh.errors(gold, systems[0], match="arcs_any", type="fn"))


# Which rows


def test_filters(example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "tagger.conll")
    errors = result.errors()
    assert len(errors) == 48
    assert len(result.errors(type="FN")) == result["fair"].overall["FN"] == 18
    assert len(result.errors(type="be")) == result["fair"].overall["BE"] == 14
    assert {unit.type for unit in result.errors(type=["FN", "LE"])} == {"FN", "LE"}
    assert all("ORG" in (unit.gold, unit.predicted) for unit in result.errors(label="ORG"))
    assert len(result.errors(label="ORG")) == sum("ORG" in (unit.gold, unit.predicted) for unit in errors)
    assert result.errors(text="(?i)^univ")["string"] == ["University of Bochum"]
    assert all(unit.end - unit.start == 2 for unit in result.errors(slice="length=2"))
    by_length = [len(result.errors(slice=f"length={length}")) for length in ("1", "2", "3", "4", "5+")]
    assert sum(by_length) == 48
    assert {unit.document for unit in result.errors(slice="document=7")} == {"7"}
    assert len(result.units(type="TP")) == 243


def test_errors_of_some_systems(example: Path) -> None:
    results = eh.score(example / "gold.conll", [example / "crf.conll", example / "tagger.conll"])
    assert set(results.errors()["system"]) == {"crf", "tagger"}
    assert set(results.errors(system="crf")["system"]) == set(results["crf"].errors()["system"]) == {"crf"}
    with pytest.raises(eh.SettingError, match="did you mean crf"):
        results.errors(system="crff")


def test_a_column_of_the_gold_standard_is_a_slice(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada NNP B-PER\nran VBD O\nup RP B-X\n")
    (tmp_path / "system.conll").write_text("Ada NNP O\nran VBD O\nup RP O\n")
    found = eh.errors(tmp_path / "gold.conll", tmp_path / "system.conll", slice="2=RP")
    assert found["string"] == ["up"]


@pytest.mark.parametrize("count", [1, 7, 100])
def test_samples_do_not_depend_on_parts(example: Path, count: int) -> None:
    sides = example / "gold.conll", [example / "crf.conll", example / "tagger.conll"]
    sample = eh.errors(*sides, sample=count, seed=3)
    assert [row for row in eh.errors(*sides) if row in set(sample)] == list(sample)
    assert [sample["system"].count(name) for name in ("crf", "tagger")] == [min(count, 110), min(count, 48)]
    with small_blocks(300):
        assert list(eh.errors(*sides, sample=count, seed=3)) == list(sample)
    if count == 7:
        assert list(eh.errors(*sides, sample=count, seed=4)) != list(sample)


@pytest.mark.parametrize("task", list(TASKS))
def test_rows_do_not_depend_on_parts(task: str) -> None:
    gold, systems = files(task)
    whole = list(eh.errors(gold, systems, task=task, all=True))
    with small_blocks(400):
        assert list(eh.errors(gold, systems, task=task, all=True)) == whole


TAGS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
SENTENCES = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=9), min_size=1, max_size=5)
OF_TAGS = [measure.name for measure in models_of("spans") if not {"strings", "document_text"} & measure.scorer.needs]


@pytest.mark.property
@given(SENTENCES, st.sampled_from(OF_TAGS))
def test_random_spans(sentences: list[list[tuple[str, str]]], match: str) -> None:
    gold, system = (eh.tags([[pair[side] for pair in sentence] for sentence in sentences]) for side in (0, 1))
    check_counts(eh.score(gold, system, match=match), match)


SPANS = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 6), st.integers(1, 4)).map(
        lambda row: (row[0], row[1], row[1] + row[2])
    ),
    max_size=5,
)


@pytest.mark.property
@given(
    st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=3),
    st.sampled_from([measure.name for measure in models_of("spans")]),
)
def test_random_nested_spans_of_texts(documents: list[tuple[list[tuple[str, int, int]], ...]], match: str) -> None:
    texts = ["ab, c d-ef"] * len(documents)
    if match == "accuracy":
        return
    gold, system = (
        eh.spans(
            [[row for row in document[side] if texts[0][row[1] : row[2]].strip()] for document in documents],
            text=texts,
            end="exclusive",
        )
        for side in (0, 1)
    )
    result = eh.score(gold, system, match=match)
    check_counts(result, match)
    for unit in result.units():
        assert unit.start is None or texts[0][unit.start : unit.end] == unit.string


# Refusals


@pytest.mark.parametrize("match", ["ceaf_m", "blanc"])
def test_measures_that_are_not_sums_over_units(match: str) -> None:
    gold, systems = files("chains")
    with pytest.raises(
        eh.SettingError,
        match=f"{match} has no units to list; choose mela for errors by entity, muc for links, arcs_any",
    ):
        eh.errors(gold, systems, match=match)
    with pytest.raises(eh.SettingError, match="has no units to list"):
        eh.score(gold, systems[0], match=match).errors()


def test_bad_queries(example: Path) -> None:
    sides = example / "gold.conll", example / "crf.conll"
    for query, message in (
        ({"type": "FNN"}, "fair has no error type 'FNN'; did you mean FN"),
        ({"slice": "length"}, "slice is 'length'; write NAME=VALUE"),
        ({"slice": "length=9"}, "The slice 'length' has no value '9'; there are 1, 2, 3, 4, 5"),
        ({"text": "("}, "is not a regular expression"),
        ({"sample": 0}, "sample is 0"),
        ({"context": -1}, "context is -1"),
        ({"match": "exact,fair"}, "errors are listed by one measure"),
        ({"labl": "PER"}, "did you mean label"),
    ):
        with pytest.raises(eh.SettingError, match=message):
            eh.errors(*sides, **query)


def test_a_loaded_result_has_no_units(example: Path) -> None:
    loaded = eh.Result.from_json(eh.score(example / "gold.conll", example / "crf.conll").to_json())
    with pytest.raises(eh.SettingError, match="The result of crf was loaded, and has no units; score the files again"):
        loaded.errors()


def test_a_changed_file_has_no_units(tmp_path: Path) -> None:
    for name in ("gold", "system"):
        (tmp_path / f"{name}.conll").write_text("Ada B-PER\n")
    result = eh.score(tmp_path / "gold.conll", tmp_path / "system.conll")
    assert len(result.units()) == 1
    (tmp_path / "system.conll").write_text("Ada O\nx O\n")
    with pytest.raises(eh.InputError, match=r"system\.conll: has changed since it was scored; score the files again"):
        result.units()


def test_annotations_in_memory_keep_their_units() -> None:
    result = eh.score(eh.tags([["B-X", "O"]]), eh.tags([["O", "B-X"]]))
    assert [(unit.type, unit.line) for unit in result.errors()] == [("FN", None), ("FP", None)]
