"""Saved results load again, as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from declared import SPAN_MODELS
from evenhand.cli.output import RENDERERS
from evenhand.comparison.differences import Bound
from evenhand.registry import load
from evenhand.results.json import SavedBound
from example_results import EXAMPLES, FILES, compared, files, scored

FORMS = ("text", "markdown", "csv", "latex", "json")


def loads_again(saved: Any) -> Any:
    """Check that a saved result is the same in plain Python and in all outputs; the loaded one."""
    loaded = type(saved).from_json(saved.to_json())
    assert loaded.to_dict() == saved.to_dict()
    for form in FORMS:
        render = load(RENDERERS[form])
        assert render(loaded) == render(saved), form
    assert loaded._repr_html_() == saved._repr_html_()
    return loaded


# Scores


@pytest.mark.parametrize("beta", [1.0, 0.5])
@pytest.mark.parametrize("task", FILES)
def test_scores_of_every_task(task: str, beta: float) -> None:
    saved = scored(task, beta=beta)
    assert loads_again(saved) == saved


@pytest.mark.parametrize("beta", [1.0, 3.0])
def test_all_match_models_of_spans_with_supertags_and_baselines(beta: float) -> None:
    options = {"supertag": ["ENTITY", "NAME=PER,ORG"], "baselines": True, "beta": beta}
    loaded = loads_again(scored("spans", match=SPAN_MODELS, **options))
    assert loaded["crf"]["ts"].baselines["rejector"] == 0
    assert (
        loaded["crf"]["accuracy"].headline == scored("spans", match="accuracy", beta=beta)["crf"]["accuracy"].headline
    )


def test_every_setting_that_counts_is_saved() -> None:
    labels = {"map": {"system:MISC": "OTH", "LOC": "GPE"}, "exclude": "ORG", "focus": "system", "levels": "separate"}
    models = {"match": "ts,constrained,iou", "separator_weight": 0.25, "spurious": 2, "missing": 0, "iou": 0.75}
    result = scored("spans", **labels, **models)["crf"]
    assert eh.Result.from_json(result.to_json()).settings == result.settings
    result = scored("trees", punctuation="pos:PUNCT,SYM", subtypes=True)["rules"]
    assert eh.Result.from_json(result.to_json()).settings == result.settings
    result = scored("chains", singletons=False, nominal="NN,NE")["rules"]
    assert eh.Result.from_json(result.to_json()).settings == result.settings


def test_weights_of_any_precision_are_saved() -> None:
    result = scored("spans", weights="BE = 0.123456789 TP + 0.7 FP")["crf"]
    loaded = eh.Result.from_json(result.to_json())
    assert loaded.settings["weights"]["BES"] == (0.123456789, 0.7, 0)
    assert loaded.models == result.models


def test_one_result_and_one_of_many() -> None:
    results = scored("spans")
    loaded = eh.Results.from_json(results.to_json())
    for name, result in results.items():
        assert str(loaded[name]) == str(result)
        assert loaded[name].notes == result.notes
        assert str(eh.Result.from_json(result.to_json())) == str(result)


def test_what_files_were_read_as_is_saved() -> None:
    result = scored("spans", 3)["tagger"]
    loaded = eh.Result.from_json(result.to_json())
    assert (loaded.reading, loaded.gold.reading) == (result.reading, result.gold.reading)
    assert loaded.reading.repaired == 2


def test_parts_of_scores_of_chains() -> None:
    result = scored("chains")["rules"]
    loaded = eh.Result.from_json(result.to_json())
    for model in ("blanc", "mela"):
        assert loaded[model].overall.parts == result[model].overall.parts
        assert loaded[model].overall.parts
    assert loaded["arcs_any"].macro == result["arcs_any"].macro, "which JSON does not have"


def test_files_without_lengths_of_sentences() -> None:
    """True negatives are unknown, and stay so."""
    gold, system = eh.spans([[("A", 0, 1), ("B", 2, 4)]]), eh.spans([[("A", 0, 2)]])
    loaded = loads_again(eh.score(gold, {"a": system}, match="ts,t,exact", baselines=True))
    assert loaded["a"]["ts"].overall.counts["TN"] is None


def test_counts_by_group_have_no_close_and_missed_spans() -> None:
    loads_again(scored("spans", match="ts", groups="finest"))


def test_labels_that_look_like_scores_or_markup() -> None:
    names = ["precision", "f1", "TP", "", "accuracy", 'a"b', "\\", "人名", "|", "<b>"]
    names = [name for name in names if name]
    gold = eh.spans([[(name, place, place + 1) for place, name in enumerate(names)]])
    system = eh.spans([[(name, place, place + 1) for place, name in enumerate(reversed(names))]])
    loads_again(eh.score(gold, {"gold": system, "system": gold}, match="exact,fair,ts"))


def test_systems_that_find_nothing() -> None:
    gold, nothing = eh.spans([[("A", 0, 1)]], tokens=[["a"]]), eh.spans([[]], tokens=[["a"]])
    loads_again(eh.score(gold, [nothing], match=[each for each in SPAN_MODELS if each != "accuracy"]))
    loads_again(eh.score(nothing, [gold]))
    loads_again(eh.score(nothing, [nothing]))


# Comparisons and rankings


@pytest.mark.parametrize(
    ("task", "by"),
    [
        *(("spans", by) for by in ("fair", "exact", "leak")),
        *(("trees", by) for by in ("las", "uas", "ls")),
        *(("chains", by) for by in ("arcs_any", "arcs_nom")),
        ("tags", "accuracy"),
    ],
)
def test_comparisons(task: str, by: str) -> None:
    loads_again(compared(task, 3, by=by, slices="document,sentence-length", top=2, sort="gain", interval="bca"))


@pytest.mark.parametrize("show", ["new_error", "unsolved", "solved_once"])
@pytest.mark.parametrize("task", FILES)
def test_units_that_were_asked_for(task: str, show: str) -> None:
    comparison = compared(task, show=show, limit=7)
    loaded = loads_again(comparison)
    assert loaded.shown_units == comparison.shown_units


def test_a_sequence_without_tests_and_intervals() -> None:
    loaded = loads_again(compared("tags", 3, sequence=True, trials=0, resamples=0))
    assert [pair.significance for pair in loaded.pairs.values()] == [None, None]


def test_a_comparison_is_the_same_object_by_object() -> None:
    for task in FILES:
        comparison = compared(task, 3, slices="document")
        loaded = eh.Comparison.from_json(comparison.to_json())
        assert loaded.pairs == comparison.pairs, "differences, tests, intervals, further scores"
        assert (loaded.oracle, loaded.difficulty) == (comparison.oracle, comparison.difficulty)
        assert (loaded.gold, loaded.labels, loaded.slices) == (comparison.gold, comparison.labels, comparison.slices)
        assert loaded.resampling == comparison.resampling
        assert list(map(list, loaded.further_scores.values())) == list(map(list, comparison.further_scores.values()))


@given(units=st.integers(1, 10**12), data=st.data())
def test_bounds_are_counts_again(units: int, data: st.DataObject) -> None:
    """JSON has shares of units, from which the counts follow."""
    right = data.draw(st.integers(0, units))
    share = right / units
    assert SavedBound(units, {"a": share}, share).bound(["a"]) == Bound(units, (right,), right)


@pytest.mark.parametrize("task", FILES)
def test_rankings(task: str) -> None:
    loads_again(eh.rank(*files(task, 3), task=task, resamples=20))
    loads_again(eh.rank(*files(task, 1), task=task, resamples=0))


def test_a_suite(tmp_path: Path) -> None:
    folder = EXAMPLES / "ner"
    for name in ("north", "south"):
        (tmp_path / name).mkdir()
        for file in ("gold", "crf", "tagger"):
            (tmp_path / name / f"{file}.conll").write_text((folder / f"{file}.conll").read_text())
    data = '[[data]]\nname = "{0}"\ngold = "{0}/gold.conll"\nsystems = "{0}/*.conll"\n'
    (tmp_path / "suite.toml").write_text(data.format("north") + data.format("south"))
    suite = eh.rank_suite(tmp_path / "suite.toml", resamples=20)
    loaded = loads_again(suite)
    assert suite.data_sets is not None
    for name, ranking in suite.data_sets.items():
        assert str(loaded.data_sets[name]) == str(ranking)
        assert loaded.data_sets[name].notes == ranking.notes
