"""Entity links: match models by hand, against plain loops, and their invariants."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from divided import small_blocks
from evenhand.results.result import Result
from slow_links import Document, hipe, sets, weak

SETS = (
    *("mentions", "typed_mentions", "linked_mentions", "links", "nil", "all"),
    *("typed_links", "typed_nil", "typed_all", "entities"),
)
COUNTS = ("TP", "FP", "FN")
IDENTIFIERS = st.lists(st.sampled_from(["Q1", "Q2", "Q3", "NIL", "NIL7"]), min_size=1, max_size=3, unique=True)
ROWS = st.tuples(st.sampled_from(["LOC", "PER"]), st.integers(0, 8), st.integers(1, 4), IDENTIFIERS)


@st.composite
def documents(draw: st.DrawFn, flat: bool = False) -> list[Document]:
    """Some documents with links; `flat` ones have no two that overlap."""
    all_documents = []
    for _ in range(2):
        rows = [(label, start, start + size, names) for label, start, size, names in draw(st.lists(ROWS, max_size=6))]
        if flat:
            kept: list[Any] = []
            for row in sorted(rows, key=lambda row: row[1:3]):
                if not kept or kept[-1][2] <= row[1]:
                    kept.append(row)
            rows = kept
        all_documents.append(rows)
    return all_documents


def scored(gold: Any, system: Any, match: Any, **options: Any) -> Result:
    return eh.score(eh.links(gold), eh.links(system), match=match, **options)


def counts(result: Result, model: str) -> tuple[float, ...]:
    return tuple(result[model].overall[kind] for kind in COUNTS)


def test_one_link_of_each_kind() -> None:
    gold = [[("LOC", at, at + 2, name) for at, name in ((0, "Q1"), (3, "Q2"), (6, "Q3"), (9, "NIL"), (12, "Q4"))]]
    system = [[("LOC", 0, 2, "Q1"), ("LOC", 3, 5, ["Q9", "Q2"]), ("LOC", 6, 8, "NIL"), ("LOC", 9, 11, "Q8")]]
    system[0] += [("LOC", 20, 22, "Q5")]
    result = scored(gold, system, ["fair", "links", "nil"])
    kinds = {kind: number for kind, number in result["fair"].overall.counts.items() if number}
    assert kinds == {"TP": 1, "LE.other": 1, "LE.missed": 1, "LE.over": 1, "FN": 1, "FP": 1}
    assert result["fair"].further["ranks"] == {"other": {"2": 1}, "missed": {"none": 1}}
    assert result["fair"].precision == pytest.approx(1 / (1 + 3 / 2 + 1))
    assert counts(result, "links") == (1, 3, 3)
    assert counts(result, "nil") == (0, 1, 1)


def test_bounds_with_the_right_identifier_are_boundary_errors() -> None:
    gold = [[("LOC", 0, 3, "Q1"), ("LOC", 5, 7, "Q2"), ("LOC", 10, 13, "Q3"), ("LOC", 20, 22, "Q4")]]
    system = [[("LOC", 1, 3, "Q1"), ("LOC", 5, 8, "Q2"), ("LOC", 12, 15, "Q3"), ("LOC", 21, 23, "Q9")]]
    found = scored(gold, system, "fair")["fair"].overall
    assert [found[kind] for kind in ("BES", "BEL", "BEO", "LBE")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("model", "right"), [("links", 0), ("links@2", 1), ("links@3", 2), ("all@3", 2), ("links@9", 2)]
)
def test_one_of_the_first_candidates_is_right(model: str, right: int) -> None:
    gold = [[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, "Q2")]]
    system = [[("LOC", 0, 1, ["Q5", "Q1"]), ("LOC", 2, 3, ["Q5", "Q6", "Q2"])]]
    assert counts(scored(gold, system, model), model) == (right, 2 - right, 2 - right)


def test_a_link_counts_once_though_two_of_the_gold_standard_are_among_its_candidates() -> None:
    gold = [[("LOC", 0, 1, "Q1"), ("LOC", 0, 1, "Q2")]]
    system = [[("LOC", 0, 1, ["Q2", "Q1"])]]
    assert counts(scored(gold, system, "links@2"), "links@2") == (1, 0, 1)


@pytest.mark.parametrize("model", ["mentions@2", "fair@2", "nil@3"])
def test_models_that_look_at_one_answer_take_no_number(model: str) -> None:
    with pytest.raises(eh.SettingError, match="accepts one answer only; @n can follow links, all, typed_links"):
        scored([[("LOC", 0, 1, "Q1")]], [[]], model)


@pytest.mark.parametrize("number", ["0", "x", "", "-1", "1.5"])
def test_the_number_behind_a_model_is_a_whole_one(number: str) -> None:
    with pytest.raises(eh.SettingError, match=r"write the number of answers after @, such as links@3"):
        scored([[("LOC", 0, 1, "Q1")]], [[]], f"links@{number}")


def test_names_of_neleval_and_families_are_understood() -> None:
    found = scored([[("LOC", 0, 1, "Q1")]], [[]], ["strong_link_match@3", "hipe@5", "hipe_strict@1"])
    assert list(found.scores) == ["links@3", "hipe-strict@5", "hipe-fuzzy@5", "hipe-strict"]


def test_spans_without_links_take_no_part_and_are_noted() -> None:
    found = scored([[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, [])]], [[("LOC", 2, 3, []), ("LOC", 0, 1, "Q1")]], SETS)
    assert {counts(found, model) for model in ("mentions", "all", "typed_all")} == {(1, 0, 0)}
    assert "gold links: ignored 1 span without a link." in found.notes


def test_means_over_documents() -> None:
    """neleval takes documents in which the gold standard has a link; HIPE those where a score has a denominator."""
    gold = [[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, "Q2")], [("LOC", 0, 1, "NIL")], []]
    system = [[("LOC", 0, 1, "Q1")], [], [("LOC", 0, 1, "Q1")]]
    found = scored(gold, system, ["links", "hipe-strict"])
    links, strict = (found[name].further["documents"] for name in ("links", "hipe-strict"))
    assert (links["precision"]["mean"], links["precision"]["documents"]) == (0.5, 2)
    assert (links["recall"]["mean"], links["f1"]["mean"]) == (0.25, pytest.approx(1 / 3))
    assert (strict["precision"]["mean"], strict["precision"]["documents"]) == (0.5, 2)
    assert (strict["recall"]["mean"], strict["recall"]["deviation"]) == (0.25, 0.25)
    assert (strict["f1"]["mean"], strict["f1"]["documents"]) == (pytest.approx(2 / 3), 1)


def test_means_where_no_document_has_one() -> None:
    found = scored([[("LOC", 0, 1, "Q1")]], [[]], "hipe-fuzzy")["hipe-fuzzy"].further["documents"]["precision"]
    assert found == {"mean": None, "deviation": None, "documents": 0}


def test_the_same_identifiers(tmp_path: Path) -> None:
    table = tmp_path / "same.tsv"
    table.write_text("Q11\tQ1\n\nQ12\tQ1\n", encoding="utf-8")
    gold, system = [[("LOC", 0, 1, "Q11"), ("LOC", 2, 3, "Q1")]], [[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, "Q12")]]
    assert counts(scored(gold, system, "links"), "links") == (0, 2, 2)
    assert counts(scored(gold, system, "links", same_ids=f"gold:{table}"), "links") == (1, 1, 1)
    both = scored(gold, system, "links", same_ids=str(table))
    assert counts(both, "links") == (2, 0, 0)
    assert "|same-ids:same.tsv#" in both.signature
    assert eh.Result.from_json(both.to_json()).settings == both.settings


@pytest.mark.parametrize("line", ["Q1", "Q1\t", "Q1\tQ2\tQ3", "Q1 Q2"])
def test_a_table_of_identifiers_with_a_bad_line(tmp_path: Path, line: str) -> None:
    table = tmp_path / "same.tsv"
    table.write_text(f"Q5\tQ6\n{line}\n", encoding="utf-8")
    with pytest.raises(
        eh.InputError, match=r"same.tsv:2: '.*' is not a pair of identifiers; write an identifier, a tab"
    ):
        scored([[("LOC", 0, 1, "Q1")]], [[]], "links", same_ids=str(table))


def test_labels_whose_links_are_nil() -> None:
    gold, system = [[("TIME", 0, 1, "NIL")]], [[("TIME", 0, 1, "Q5")]]
    assert counts(scored(gold, system, "all"), "all") == (0, 1, 1)
    assert counts(scored(gold, system, "all", nil_labels="TIME"), "all") == (1, 0, 0)


def test_labels_are_chosen_and_renamed() -> None:
    gold = [[("LOC", 0, 1, "Q1"), ("PER", 2, 3, "Q2")]]
    system = [[("GPE", 0, 1, "Q1"), ("PER", 2, 3, "Q2")]]
    assert counts(scored(gold, system, "typed_links"), "typed_links") == (1, 1, 1)
    assert counts(scored(gold, system, "typed_links", map={"GPE": "LOC"}), "typed_links") == (2, 0, 0)
    assert counts(scored(gold, system, "links", labels="PER"), "links") == (1, 0, 0)


def test_documents_by_id_in_any_order() -> None:
    gold = {"a": [("LOC", 0, 1, "Q1")], "b": [("LOC", 0, 1, "Q2")], "c": [("LOC", 0, 1, "Q3")]}
    system = {"c": [("LOC", 0, 1, "Q3")], "x": [("LOC", 0, 1, "Q4")], "a": [("LOC", 0, 1, "Q1")]}
    result = scored(gold, system, "links")
    assert counts(result, "links") == (2, 0, 1)
    assert "system links: lacks documents b; they count as empty." in result.notes
    assert "system links: has extra documents, which are ignored: x." in result.notes


def test_a_comparison_counts_corrections_and_new_errors() -> None:
    gold = [[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, "Q2"), ("LOC", 4, 5, "NIL")], [("PER", 0, 1, "Q3")]]
    one = [[("LOC", 0, 1, "Q9"), ("LOC", 2, 3, "Q2"), ("LOC", 4, 5, "Q8")], [("PER", 5, 6, "Q3")]]
    other = [[("LOC", 0, 1, "Q1"), ("LOC", 2, 3, "NIL"), ("LOC", 4, 5, "Q7")], [("PER", 0, 1, "Q3")]]
    systems = {"one": eh.links(one), "other": eh.links(other)}
    pair = eh.compare(eh.links(gold), systems, sequence=True, trials=10, resamples=10).pair("one", "other")
    assert (pair.corrections.count, pair.new_errors.count, pair.changed_errors.count) == (3, 1, 1)
    seen = {(each.before, each.after) for each in pair.corrections.transitions}
    assert seen == {("LE.other Q9 for Q1", "TP Q1"), ("FN", "TP Q3"), ("FP Q3", "TN")}
    assert [(each.before, each.after) for each in pair.changed_errors.transitions] == [
        ("LE.over Q8 for NIL", "LE.over Q7 for NIL")
    ]


@given(documents(), documents())
def test_sets_are_those_of_plain_loops(gold: list[Document], system: list[Document]) -> None:
    found = scored(gold, system, SETS)
    assert {model: counts(found, model) for model in SETS} == {model: sets(gold, system, model) for model in SETS}


@given(documents(), documents(), st.integers(1, 3))
def test_weak_match_is_that_of_plain_loops(gold: list[Document], system: list[Document], depth: int) -> None:
    model = "weak_all" if depth == 1 else f"weak_all@{depth}"
    overall = scored(gold, system, model)[model].overall
    assert (overall["gold_hits"], overall["system_hits"]) == weak(gold, system, depth)


@given(documents(flat=True), documents(flat=True), st.integers(1, 3))
def test_hipe_is_that_of_plain_loops(gold: list[Document], system: list[Document], depth: int) -> None:
    result = scored(gold, system, f"hipe@{depth}")
    right = [score.overall["TP"] for score in result.scores.values()]
    assert tuple(right) == hipe(gold, system, depth)
    for score in result.scores.values():
        assert score.overall["TP"] + score.overall["FP"] == sum(map(len, system))
        assert score.overall["TP"] + score.overall["FN"] == sum(map(len, gold))


@given(documents(flat=True), documents(flat=True))
def test_kinds_of_errors_agree_with_sets(gold: list[Document], system: list[Document]) -> None:
    """Section 9 of the specification: TP is that of `all`, TP + LE that of `mentions`, where no side repeats bounds."""
    result = scored(gold, system, ["fair", "all", "mentions"])
    kinds = result["fair"].overall
    wrong = sum(kinds[kind] for kind in ("LE.other", "LE.missed", "LE.over"))
    assert kinds["TP"] == result["all"].overall["TP"]
    assert kinds["TP"] + wrong == result["mentions"].overall["TP"]
    ranks = result["fair"].further["ranks"]
    assert {name: sum(row.values()) for name, row in ranks.items()} == {
        name: kinds[f"LE.{name}"] for name in ("other", "missed")
    }


@given(documents(), documents())
def test_swapping_the_sides_swaps_precision_and_recall(gold: list[Document], system: list[Document]) -> None:
    gold, system = ([[(*row[:3], row[3][:1]) for row in each] for each in side] for side in (gold, system))
    one, other = scored(gold, system, ["links", "all", "weak_all"]), scored(system, gold, ["links", "all", "weak_all"])
    for model in one.scores if one.gold.units and other.gold.units else ():
        assert (one[model].precision, one[model].recall) == (other[model].recall, other[model].precision)


@given(documents())
def test_a_system_that_is_the_gold_standard_has_no_errors(gold: list[Document]) -> None:
    gold = [[(*row[:3], row[3][:1]) for row in each] for each in gold]
    found = scored(gold, gold, [*SETS, "fair", "hipe-strict@3"])
    assert all(not score.overall[kind] for score in found.scores.values() for kind in ("FP", "FN"))


@given(documents(), documents())
def test_more_candidates_are_never_worse(gold: list[Document], system: list[Document]) -> None:
    models = ["links", "links@2", "links@3"]
    right = [scored(gold, system, models)[model].overall["TP"] for model in models]
    assert right == sorted(right)


# Parts


EXAMPLES = ROOT / "src" / "evenhand" / "examples" / "links"
GOLD, *SYSTEMS = (EXAMPLES / f"{name}.jsonl" for name in ("gold", "popularity", "context", "reranker"))
ALL_MODELS = [*SETS, "weak_links", "weak_all", "hipe", "fair", "links@2"]


def in_small_parts(command: Callable[[], Any]) -> Any:
    """Blocks of one record, each of which is a part."""
    with small_blocks(1) as patch:
        patch.setattr("evenhand.tasks.links.evaluation._MANY_LINKS", 1)
        return command()


def in_order(comparison: Any) -> dict[str, Any]:
    """A comparison with its units sorted, as they are listed part by part."""
    listed = comparison.to_dict()
    return {**listed, "units": sorted(listed["units"], key=str)}


def turned(folder: Path) -> list[Path]:
    """The systems with their documents in the opposite order; the last one lacks the first document."""
    paths = []
    for path in SYSTEMS:
        lines = path.read_text().splitlines(keepends=True)[::-1]
        paths.append(folder / path.name)
        paths[-1].write_text("".join(lines[:-1] if path == SYSTEMS[-1] else lines))
    return paths


@pytest.mark.parametrize("order", ["same", "turned"])
def test_no_figure_depends_on_where_parts_end(order: str, tmp_path: Path) -> None:
    systems = SYSTEMS if order == "same" else turned(tmp_path)
    commands: list[Callable[[], Any]] = [
        lambda: eh.score(GOLD, systems, match=ALL_MODELS, groups="document").to_dict(),
        lambda: eh.score(GOLD, systems, nil_labels="LOC", map={"PER": "person"}).to_dict(),
        lambda: in_order(eh.compare(GOLD, systems, show="new_error", slices="document", trials=50, resamples=50)),
        lambda: eh.evaluate(GOLD, systems),
    ]
    for command in commands:
        assert in_small_parts(command) == command()


def test_identifiers_are_replaced_in_every_part(tmp_path: Path) -> None:
    table, gold, system = (tmp_path / name for name in ("same.tsv", "gold.jsonl", "system.jsonl"))
    table.write_text("Q1\tQ9\n")
    for path, name in ((gold, "Q9"), (system, "Q1")):
        span = {"start": 0, "end": 3, "label": "PER", "links": [name]}
        records = ({"id": f"d{number}", "text": "Ada", "spans": [span]} for number in range(5))
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = in_small_parts(lambda: eh.score(gold, system, match="links", same_ids=str(table)))
    assert counts(found, "links") == (5, 0, 0)
