"""Saved results load again, as they were."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES as EXAMPLES_EARLIER_VERSIONS
from declared import SPAN_MODELS
from evenhand.cli.output import RENDERERS
from evenhand.comparison.differences import Bound
from evenhand.registry import load
from evenhand.results.json import bound_from_shares
from example_results import EXAMPLES, FEW, FILES, compared, files, scored

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
    saved = {"units": units, "systems": {"a": share}, "upper_bound": share}
    assert bound_from_shares(saved, ["a"]) == Bound(units, (right,), right)


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


# What a saved result does not have, and files that are none


def test_tallies_are_not_saved() -> None:
    loaded = eh.Result.from_json(scored("spans")["crf"].to_json())
    for ask in (lambda: loaded.tallies["exact"], lambda: dict(loaded.tallies), lambda: len(loaded.tallies)):
        with pytest.raises(eh.SettingError, match="has no tallies, which are counts by group; score the files again"):
            ask()
    assert loaded == eh.Result.from_json(loaded.to_json())


def test_units_are_not_saved_unless_asked_for() -> None:
    loaded = eh.Comparison.from_json(compared("tags").to_json())
    pair = loaded.pair("hmm", "lexicon")
    with pytest.raises(
        eh.SettingError, match=f"^0 of these {pair.new_errors.count} units were saved; compare the files"
    ):
        pair.units("new_error")


def test_units_that_were_all_saved_are_there() -> None:
    comparison = compared("tags", 3, show="new_error")
    loaded = eh.Comparison.from_json(comparison.to_json())
    for names, pair in loaded.pairs.items():
        assert pair.units("new_error") == comparison.pairs[names].units("new_error")
        with pytest.raises(eh.SettingError, match=r"^0 of these"):
            pair.corrections.units()
    some = eh.Comparison.from_json(compared("tags", show="new_error", limit=1).to_json())
    with pytest.raises(eh.SettingError, match=r"^1 of these"):
        some.pair("hmm", "lexicon").units("new_error")


def test_a_class_without_units_has_none() -> None:
    side = eh.tags([["B-A", "O"]])
    loaded = eh.Comparison.from_json(eh.compare(side, {"a": side, "b": side}, **FEW).to_json())
    assert loaded.pair("a", "b").corrections.units() == []


# Files, and what is wrong with them


def test_a_file_or_its_text(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    result = scored("spans")["crf"]
    text = result.to_json(path)
    for source in (path, str(path), text, f"\n  {text}"):
        assert eh.Result.from_json(source).to_dict() == result.to_dict()


def test_sorted_keys_change_nothing() -> None:
    for saved in (scored("spans", match=SPAN_MODELS), scored("trees"), compared("chains")):
        text = json.dumps(json.loads(saved.to_json()), sort_keys=True)
        assert type(saved).from_json(text).to_dict() == saved.to_dict()


def test_results_of_many_systems_are_no_result() -> None:
    with pytest.raises(
        eh.SettingError, match=r"2 systems \(crf, gazetteer\) in it; load them with Results\.from_json\.$"
    ):
        eh.Result.from_json(scored("spans").to_json())


def test_results_of_other_commands() -> None:
    side = eh.tags([["B-A", "O"]])
    gate = eh.gate(side, side, side).to_json()
    comparison = compared("tags").to_json()
    with pytest.raises(
        eh.InputError, match=r"is a result of evenhand compare, not of score; load it with Comparison\.from_"
    ):
        eh.Results.from_json(comparison)
    with pytest.raises(
        eh.InputError, match=r"is a result of evenhand compare, not of rank; load it with Comparison\.from_"
    ):
        eh.Ranking.from_json(comparison)
    with pytest.raises(
        eh.InputError, match=r"is a result of evenhand gate, not of compare; use a result of evenhand compare\.$"
    ):
        eh.Comparison.from_json(gate)


@pytest.mark.parametrize("kind", [eh.Results, eh.Comparison, eh.Ranking])
def test_results_of_tasks_that_are_not_installed(kind: Any) -> None:
    saved: Any = scored("tags") if kind is eh.Results else compared("tags")
    if kind is eh.Ranking:
        saved = eh.rank(*files("tags"), task="tags", resamples=0)
    text = json.dumps(saved.to_dict() | {"task": "moods"})
    with pytest.raises(
        eh.InputError, match=r"has the task 'moods', which is not known here \(spans, tags.*install the"
    ):
        kind.from_json(text)


@pytest.mark.parametrize("version", [f"{eh.__version__}.1", f"1{eh.__version__}", f"9{eh.__version__}rc1"])
def test_results_of_newer_versions(version: str) -> None:
    saved = scored("tags").to_dict() | {"evenhand": version}
    with pytest.raises(
        eh.InputError, match=rf"was saved by Evenhand {version}, which is newer than this one \(.*update Ev"
    ):
        eh.Results.from_json(json.dumps(saved))


@pytest.mark.parametrize("version", [eh.__version__, f"{eh.__version__}.0", "0.1", "0.0.9"])
def test_results_of_this_and_older_versions(version: str) -> None:
    results = scored("tags")
    assert eh.Results.from_json(json.dumps(results.to_dict() | {"evenhand": version})).to_dict() == results.to_dict()


BROKEN = {
    "no JSON": "{",
    "something else": '{"a": 1}',
    "no version": '{"evenhand": "new", "command": "score"}',
    "a version alone": '{"evenhand": "0.1.0", "command": "score"}',
    "half of a character": '{"evenhand": "\udc80"}',
    "too deep": '{"evenhand": "0.1.0", "command": "score", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_texts(text: str) -> None:
    sentence = r"^the saved text: is not a saved result of evenhand score \(.+\); use a file written by evenhand score --as json or to_json"
    with pytest.raises(eh.InputError, match=sentence):
        eh.Results.from_json(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source in (tmp_path / "nothing.json", tmp_path, "", "x\0y", "[]"):
        with pytest.raises(eh.InputError, match=r"cannot be read \(.+\); pass a saved result, or its text\.$"):
            eh.Results.from_json(source)
    (tmp_path / "image.json").write_bytes(b"\x89PNG\xff")
    with pytest.raises(eh.InputError, match=r"image\.json: is not a saved result of evenhand rank"):
        eh.Ranking.from_json(tmp_path / "image.json")


def test_what_does_not_fit_together() -> None:
    saved = scored("tags").to_dict()
    saved["systems"][1]["name"] = saved["systems"][0]["name"]
    with pytest.raises(eh.InputError, match="systems need different names"):
        eh.Results.from_json(json.dumps(saved))
    saved = compared("tags").to_dict()
    saved["pairs"][0]["from"] = "nobody"
    with pytest.raises(eh.InputError, match="'nobody' is missing"):
        eh.Comparison.from_json(json.dumps(saved))
    saved = compared("tags").to_dict()
    saved["agreement"]["all"].pop()
    with pytest.raises(eh.InputError, match="cannot reshape"):
        eh.Comparison.from_json(json.dumps(saved))


def places(saved: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places of a saved result, to which keys and indexes lead."""
    children = saved.items() if isinstance(saved, dict) else enumerate(saved) if isinstance(saved, list) else ()
    for key, value in children:
        yield (*at, key)
        yield from places(value, (*at, key))


@pytest.fixture(scope="module")
def saved_results() -> list[tuple[Any, dict[str, Any], list[tuple[Any, ...]]]]:
    all_results = [
        scored("spans", match="exact,fair,ts,accuracy"),
        scored("chains"),
        compared("trees", show="unsolved", limit=2),
    ]
    all_results += [compared("chains"), eh.rank(*files("tags", 3), task="tags", resamples=10)]
    return [(type(each), each.to_dict(), list(places(each.to_dict()))) for each in all_results]


@settings(max_examples=300)
@given(st.data())
def test_a_file_that_somebody_changed_loads_or_is_refused(saved_results: list[Any], data: st.DataObject) -> None:
    """Nothing but an error for users, whatever is missing or of another type."""
    kind, whole, found = data.draw(st.sampled_from(saved_results))
    *path, last = data.draw(st.sampled_from(found))
    changed = copy.deepcopy(whole)
    parent = changed
    for key in path:
        parent = parent[key]
    if data.draw(st.booleans()):
        del parent[last]
    else:
        parent[last] = data.draw(st.sampled_from([None, "x", -1, 2**70, 0.5, [], {}, [[]], True]))
    with suppress(eh.EvenhandError):
        kind.from_json(json.dumps(changed))


def changed(saved: dict[str, Any], path: str, value: Any) -> str:
    """The saved text with another value at one place: `systems.0.units`."""
    saved = copy.deepcopy(saved)
    *before, last = [int(key) if key.isdecimal() else key for key in path.split(".")]
    parent: Any = saved
    for key in before:
        parent = parent[key]
    assert last in parent or isinstance(last, int), path
    parent[last] = value
    return json.dumps(saved)


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        ("systems.0.scores.exact.overall.f1", 5.0, "f1 is 5"),
        ("systems.0.scores.exact.overall.precision", -0.1, "precision is -0.1"),
        ("systems.0.scores.exact.overall.TP", -1, "TP is -1"),
        ("systems.0.scores.exact.labels.LOC.recall", 1.5, "recall is 1.5"),
        ("systems.0.scores.exact.macro.f1", 2, "f1 is 2"),
        ("systems.0.scores.exact.overall.f1", None, "f1 is null"),
        ("systems.0.scores.exact.overall.f1", "0.5", "Expected `int | float | null`, got `str`"),
        ("systems.0.scores.exact.overall.f1", float("nan"), "JSON is malformed: invalid character"),
        ("systems.0.scores.ts.overall.kappa", -2, "kappa is -2"),
        ("systems.0.scores.ts.overall.TN", -2, "TN is -2"),
        ("systems.0.scores.fair.confusion.LOC.PER", -1, "Expected `int` >= 0"),
        ("systems.0.scores.accuracy.overall.correct", 10**9, "1e+09 of "),
        ("systems.0.units", -1, "Expected `int` >= 0 - at `$.systems[0].units`"),
        ("systems.0.labels.LOC", -1, "Expected `int` >= 0 - at `$.systems[0].labels[...]`"),
        ("gold.tokens", -1, "Expected `int` >= 0 - at `$.gold.tokens`"),
        ("gold.units", 1.5, "Expected `int`, got `float` - at `$.gold.units`"),
    ],
)
def test_scores_and_counts_out_of_range(path: str, value: Any, detail: str) -> None:
    saved = scored("spans", match="exact,fair,ts,accuracy").to_dict()
    with pytest.raises(eh.InputError) as caught:
        eh.Results.from_json(changed(saved, path, value))
    start, remedy = (
        "the saved text: is not a saved result of evenhand score (",
        "; use a file written by evenhand score --as json or ",
    )
    assert str(caught.value).startswith(start + detail)
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        ("pairs.0.delta", -2, "Expected `float` >= -1"),
        ("pairs.0.significance.p", 1.5, "Expected `float` <= 1"),
        ("pairs.0.significance.trials", -1, "Expected `int` >= 0"),
        ("pairs.0.interval.low", 0.9, "an interval runs from 0.9 down to "),
        ("pairs.0.classes.correction.count", -1, "Expected `int` >= 0"),
        ("oracle.overall.upper_bound", 1.1, "Expected `float` <= 1"),
        ("agreement.all.0", [7.0, 7.0, 7.0], "Expected `float` <= 1"),
        ("difficulty", {"-1": 2}, "Expected `int` >= 0"),
    ],
)
def test_comparisons_out_of_range(path: str, value: Any, detail: str) -> None:
    saved = compared("tags").to_dict()
    assert eh.Comparison.from_json(json.dumps(saved)).to_dict() == saved
    with pytest.raises(eh.InputError, match=re.escape(f"is not a saved result of evenhand compare ({detail}")):
        eh.Comparison.from_json(changed(saved, path, value))


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        ("systems.0.standings.accuracy.score", 5.0, "Expected `float` <= 1"),
        ("systems.0.standings.accuracy.rank", 0, "Expected `int` >= 1"),
        ("resampling.level", 95, "Expected `float` <= 1"),
    ],
)
def test_rankings_out_of_range(path: str, value: Any, detail: str) -> None:
    saved = eh.rank(*files("tags", 3), task="tags", resamples=10).to_dict()
    with pytest.raises(eh.InputError, match=re.escape(f"is not a saved result of evenhand rank ({detail}")):
        eh.Ranking.from_json(changed(saved, path, value))


# Results that Evenhand saved before tasks and match models were declared: they load, and their figures sti


SAVED = Path(__file__).with_name("saved")
FOLDER = ROOT / "src" / "evenhand" / "examples"
SCORED: dict[str, dict[str, Any]] = {
    "spans": {
        "match": "exact,fair,weighted,ts,constrained,iou",
        "supertag": "ENTITY",
        "baselines": True,
        "weights": "lenient",
        "missing": 2,
    },
    "tags": {"task": "tags", "punctuation": "form"},
    "trees": {"match": "uas,las,conll18-mlas", "subtypes": True},
    "chains": {"singletons": False},
}
"""The options of the saved scores."""
TASKS = list(SCORED)


def saved(command: str, task: str) -> dict[str, Any]:
    return json.loads((SAVED / f"{command}-{task}.json").read_text())


def files_earlier_versions(task: str, names: list[str]) -> tuple[Path, list[Path]]:
    folder, gold, systems = EXAMPLES_EARLIER_VERSIONS[task]
    found = {Path(name).stem: FOLDER / folder / name for name in systems}
    return FOLDER / folder / gold, [found[name] for name in names]


def forced(before: dict[str, Any]) -> Any:
    """Documents were resampled even if they were too few to decide."""
    return "documents" if before["resampling"]["of"] == "documents" else None


def with_numbers(signature: str) -> str:
    """A signature of an earlier version, which had no numbers version yet, as one of today."""
    version, _, settings = signature.partition("|")
    return f"{version}|numbers:1|{settings}"


@pytest.mark.parametrize("task", TASKS)
def test_scores_load_and_hold(task: str) -> None:
    before = saved("score", task)
    loaded = eh.Results.from_json(SAVED / f"score-{task}.json").to_dict()
    gold, systems = files_earlier_versions(task, [system["name"] for system in before["systems"]])
    now = eh.score(gold, systems, **SCORED[task]).to_dict()
    assert loaded["signature"] == before["signature"]
    assert now["signature"] == with_numbers(before["signature"])
    for other in (loaded, now):
        assert other["gold"] == before["gold"]
        assert [each["scores"] for each in other["systems"]] == [each["scores"] for each in before["systems"]]


def _without_parts(saved: Any) -> Any:
    """Pairs without the parts of differences, which earlier versions did not have."""
    is_pairs = isinstance(saved, list) and saved and isinstance(saved[0], dict)
    return [{name: value for name, value in row.items() if name != "parts"} for row in saved] if is_pairs else saved


@pytest.mark.parametrize("task", TASKS)
def test_comparisons_load_and_hold(task: str) -> None:
    before = saved("compare", task)
    loaded = eh.Comparison.from_json(SAVED / f"compare-{task}.json").to_dict()
    gold, systems = files_earlier_versions(task, before["systems"])
    by = before["by"] if task == "chains" else None  # whose default was arcs_any
    options = {"task": task, "by": by, "trials": 200, "resamples": 50, "show": "new_error", "limit": 3}
    now = eh.compare(gold, systems, of=forced(before), **options).to_dict()
    for other in (loaded, now) if "shared" not in now else (loaded,):
        signature = before["signature"] if other is loaded else with_numbers(before["signature"])
        assert other["signature"] == signature
        for key in ("scores", "pairs", "oracle", "difficulty", "agreement", "labels", "slices"):
            assert _without_parts(other.get(key)) == before.get(key), key
    if "shared" in now:  # words that a system lacks were left out; they count as wrong now
        assert now["shared"]["units"] == before["gold"]["units"]
        assert now["shared"]["systems"] == {name: each[before["by"]] for name, each in before["scores"].items()}
    else:
        assert [unit["words"] for unit in now["units"]] == [unit["words"] for unit in before["units"]]


@pytest.mark.parametrize("task", TASKS)
def test_rankings_load_and_hold(task: str) -> None:
    before = saved("rank", task)
    loaded = eh.Ranking.from_json(SAVED / f"rank-{task}.json").to_dict()
    gold, systems = files_earlier_versions(task, [system["name"] for system in before["systems"]])
    ordered = sorted(systems, key=lambda path: path.name)
    now = eh.rank(gold, ordered, task=task, resamples=50, of=forced(before)).to_dict()
    for other in (loaded, now):
        assert {each["name"]: each["standings"] for each in other["systems"]} == {
            each["name"]: each["standings"] for each in before["systems"]
        }
