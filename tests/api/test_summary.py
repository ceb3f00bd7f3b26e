"""The summary of several systems: one table with intervals and tests, and the verdict of the page."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT, Golden
from declared import EXAMPLES
from evenhand.cli.output import RENDERERS
from evenhand.registry import load
from evenhand.report.document import document
from evenhand.report.text import render
from evenhand.report.verdict import verdict
from evenhand.tables import PLAIN, TableStyle

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
FEW = {"trials": 200, "resamples": 100}


def files(task: str) -> tuple[Path, list[Path]]:
    folder, gold, systems = EXAMPLES[task]
    path = ROOT / "src" / "evenhand" / "examples" / folder
    return path / gold, [path / system for system in systems]


@cache
def summarized(task: str) -> eh.Summary:
    gold, systems = files(task)
    return eh.summarize(gold, systems, task=task, **FEW)


@pytest.mark.parametrize("task", list(EXAMPLES))
def test_the_verdict_is_that_of_the_page(task: str) -> None:
    gold, systems = files(task)
    page = verdict(eh.report(gold, systems, task=task, **FEW))
    (sentences,) = document(summarized(task), PLAIN).verdict
    assert sentences.startswith(page[0])


@pytest.mark.parametrize("task", list(EXAMPLES))
def test_scores_are_those_of_score_and_intervals_those_of_rank(task: str) -> None:
    gold, systems = files(task)
    summary, results = summarized(task), eh.score(gold, systems, task=task)
    assert {name: result.to_dict()["systems"] for name, result in summary.results.items()} == {
        name: result.to_dict()["systems"] for name, result in results.items()
    }
    report = eh.report(gold, systems, task=task, **FEW)
    for measure, by_system in summary.measures.items():
        for name, estimate in by_system.items():
            assert estimate.score == pytest.approx(results[name][measure].headline)
            if measure in report.ranking.models:
                assert estimate.interval == report.ranking[measure][name].interval


@pytest.mark.parametrize("task", list(EXAMPLES))
def test_three_systems_fit_onto_one_screen(task: str) -> None:
    text = render(summarized(task), TableStyle(width=100, signature=False))
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 100
    assert "--full" in text
    assert "evenhand compare" in text


def test_differences_from_the_reference_are_those_of_compare() -> None:
    gold, systems = files("spans")
    summary, comparison = summarized("spans"), eh.compare(gold, systems, **FEW)
    assert (summary.by, summary.against) == ("fair", "tagger")
    for name in ("crf", "gazetteer"):
        change = summary.measures["fair"][name].change
        pair = comparison.pairs.get((name, "tagger")) or comparison.pairs["tagger", name]
        assert change is not None
        assert change.significance == pair.significance
        assert change.delta == pytest.approx(-abs(pair.delta))
    assert summary.measures["fair"]["tagger"].change is None


def test_labels_have_intervals_and_tests() -> None:
    summary = summarized("spans")
    by_label = summary.labels["exact"]
    assert set(by_label) == {"LOC", "MISC", "ORG", "PER"}
    for label, by_system in by_label.items():
        for name, estimate in by_system.items():
            assert estimate.score == summary.results[name]["exact"].labels[label].f1
            low, high = estimate.interval or (1, 0)
            assert low <= estimate.score <= high
            assert (estimate.p is None) == (name == "tagger")


def test_the_reference_is_the_best_the_first_or_a_named_system() -> None:
    gold, systems = files("spans")
    of = {name: eh.summarize(gold, systems, against=name, **FEW).against for name in ("best", "first", "crf")}
    assert of == {"best": "tagger", "first": Path(systems[0]).stem, "crf": "crf"}
    with pytest.raises(eh.SettingError, match="Unknown system 'crff'; did you mean crf"):
        eh.summarize(gold, systems, against="crff", **FEW)
    with pytest.raises(eh.SettingError, match="at least two systems"):
        eh.summarize(gold, systems[:1])


def test_results_summarize_themselves() -> None:
    gold, systems = files("spans")
    results = eh.score(gold, systems)
    assert results.summary(**FEW).measures == summarized("spans").measures
    saved = eh.Results.from_json(results.to_json())
    with pytest.raises(eh.SettingError, match="needs the files"):
        saved.summary()


def test_one_group_has_neither_intervals_nor_tests() -> None:
    gold = eh.spans([[("A", 0, 1), ("B", 2, 3)]])
    systems = {"one": eh.spans([[("A", 0, 1)]]), "two": eh.spans([[("A", 0, 1), ("B", 2, 3)]])}
    text = str(eh.summarize(gold, systems))
    assert text.startswith("two leads one by 33.33 points; no test was made. Nothing can be resampled")
    assert "interval" not in text.splitlines()[3]
    assert "*" not in text


def test_large_files_have_intervals_and_tests_only_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.api.summary.MAX_RESAMPLED", 1_000)
    gold, systems = files("spans")
    plain, requested = eh.summarize(gold, systems), eh.summarize(gold, systems, **FEW)
    assert {name: row["crf"].score for name, row in plain.measures.items()} == {
        name: row["crf"].score for name, row in requested.measures.items()
    }
    assert [row["crf"].interval is None for row in (plain.measures["fair"], requested.measures["fair"])] == [
        True,
        False,
    ]
    assert plain.notes[-1].startswith("No intervals and no tests because the files have more than")
    assert "of:none|trials:0|resamples:0" in plain.signature


def test_csv_has_the_rows_of_score_with_intervals_and_tests() -> None:
    summary = summarized("spans")
    rows = list(csv.DictReader(io.StringIO(load(RENDERERS["csv"])(summary))))
    scores = list(csv.DictReader(io.StringIO(load(RENDERERS["csv"])(summary.results))))
    columns = scores[0].keys() - {"signature"}  # the summary's also has the settings of resampling
    assert [{name: row[name] for name in columns} for row in rows] == [
        {name: row[name] for name in columns} for row in scores
    ]
    (row,) = [r for r in rows if (r["system"], r["model"], r["row"]) == ("crf", "fair", "overall")]
    estimate = summary.measures["fair"]["crf"]
    assert (row["against"], float(row["p_holm"])) == ("tagger", estimate.p)
    assert (float(row["low"]), float(row["high"])) == estimate.interval
    (label,) = [r for r in rows if (r["system"], r["model"], r["label"]) == ("crf", "fair", "PER")]
    assert float(label["p_holm"]) == summary.labels["fair"]["PER"]["crf"].p


def test_json_has_the_scores_and_the_summary() -> None:
    saved = json.loads(summarized("spans").to_json())
    assert set(saved["summary"]["measures"]["fair"]["crf"]) == {"interval", "delta", "p", "p_holm", "labels"}
    assert saved["summary"]["resampling"]["trials"] == FEW["trials"]
    assert list(eh.Results.from_json(json.dumps(saved))) == list(summarized("spans").results)


@pytest.mark.parametrize(
    ("form", "name"),
    [("text", "summary.txt"), ("markdown", "summary.md"), ("latex", "summary.tex"), ("html", "summary.html")],
)
def test_golden_summary(form: str, name: str, golden: Golden) -> None:
    """Rendered output, read by hand; its figures are tested elsewhere."""
    systems = [NER / f"{system}.conll" for system in ("crf", "gazetteer", "tagger")]
    golden(load(RENDERERS[form])(eh.summarize(NER / "gold.conll", systems)), name)
