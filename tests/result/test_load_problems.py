"""What a saved result does not have, and files that are none."""

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
from declared import SPAN_MODELS
from example_results import FEW, compared, files, scored


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
        eh.InputError, match=r"is a result of evenhand gate, not of compare; give one of evenhand compare\.$"
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
    sentence = (
        r"^the saved text: is no saved result of evenhand score \(.+\); give what evenhand score --as json or to_json"
    )
    with pytest.raises(eh.InputError, match=sentence):
        eh.Results.from_json(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source in (tmp_path / "nothing.json", tmp_path, "", "x\0y", "[]"):
        with pytest.raises(eh.InputError, match=r"cannot be read \(.+\); give a saved result, or its text\.$"):
            eh.Results.from_json(source)
    (tmp_path / "image.json").write_bytes(b"\x89PNG\xff")
    with pytest.raises(eh.InputError, match=r"image\.json: is no saved result of evenhand rank"):
        eh.Ranking.from_json(tmp_path / "image.json")


def test_what_does_not_fit_together() -> None:
    saved = scored("tags").to_dict()
    saved["systems"][1]["name"] = saved["systems"][0]["name"]
    with pytest.raises(eh.InputError, match="systems need names of their own"):
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
    found = [
        scored("spans", match="exact,fair,ts,accuracy"),
        scored("chains"),
        compared("trees", show="unsolved", limit=2),
    ]
    found += [compared("chains"), eh.rank(*files("tags", 3), task="tags", resamples=10)]
    return [(type(each), each.to_dict(), list(places(each.to_dict()))) for each in found]


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
        ("systems.0.scores.fair.confusion.LOC.PER", -1, "a count of errors is negative"),
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
    start, remedy = "the saved text: is no saved result of evenhand score (", "; give what evenhand score --as json or "
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
    with pytest.raises(eh.InputError, match=re.escape(f"is no saved result of evenhand compare ({detail}")):
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
    with pytest.raises(eh.InputError, match=re.escape(f"is no saved result of evenhand rank ({detail}")):
        eh.Ranking.from_json(changed(saved, path, value))
