"""The JSON contract and the signature."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from evenhand.scoring.measure import Breakdown, Formula, Ratio, ratios_only
from evenhand.scoring.scores import MeasureScore, headline, score_tally
from evenhand.scoring.tally import Tally
from example_results import files, scored


@pytest.fixture
def saved(example: Path) -> dict:
    return json.loads(eh.score(example / "gold.conll", example / "tagger.conll", match="exact,fair,weighted").to_json())


def test_keys_that_stay(saved: dict) -> None:
    assert {"evenhand", "command", "task", "signature", "notes", "gold", "systems"} <= set(saved)
    assert (saved["command"], saved["task"]) == ("score", "spans")
    assert {"name", "documents", "sentences", "tokens", "units", "labels"} <= set(saved["gold"])
    (system,) = saved["systems"]
    assert {"name", "units", "scores"} <= set(system)
    assert list(system["scores"]) == ["exact", "fair", "weighted"]
    for score in system["scores"].values():
        assert {"headline", "overall", "macro", "labels"} <= set(score)
    assert {"TP", "FP", "FN", "precision", "recall", "f1"} <= set(system["scores"]["exact"]["overall"])
    fair = system["scores"]["fair"]
    assert {"TP", "FP", "FN", "LE", "BE", "BES", "BEL", "BEO", "LBE", "precision"} <= set(fair["overall"])
    assert {"", "LOC", "MISC", "ORG", "PER"} == set(fair["confusion"])


def test_figures_of_the_example(saved: dict) -> None:
    """Counted by another program when the example was written."""
    assert saved["gold"] == {
        "name": "gold",
        "format": "conll",
        "encoding": "iob2",
        "documents": 8,
        "sentences": 87,
        "tokens": 1449,
        "characters": None,
        "units": 285,
        "labels": {"LOC": 102, "MISC": 57, "ORG": 54, "PER": 72},
    }
    overall = saved["systems"][0]["scores"]["exact"]["overall"]
    assert (overall["TP"], overall["FP"], overall["FN"]) == (243, 28, 42)


def test_counts_are_integers_and_scores_are_fractions(saved: dict) -> None:
    overall = saved["systems"][0]["scores"]["fair"]["overall"]
    assert all(isinstance(overall[kind], int) for kind in ("TP", "FP", "FN", "LE", "BE"))
    assert overall["f1"] == pytest.approx(
        2 * overall["TP"] / (2 * overall["TP"] + sum(overall[k] for k in ("LE", "BE", "LBE", "FN", "FP")))
    )


def test_edges_add_up_to_boundary_errors(saved: dict) -> None:
    fair = saved["systems"][0]["scores"]["fair"]
    assert sum(fair["edges"]["BE"].values()) == fair["overall"]["BE"]
    assert sum(fair["edges"]["LBE"].values()) == fair["overall"]["LBE"]


def test_f_beta_appears_when_asked_for(example: Path) -> None:
    paths = example / "gold.conll", example / "crf.conll"
    plain, weighed = (eh.score(*paths, beta=beta).to_dict()["systems"][0]["scores"]["exact"] for beta in (1.0, 0.5))
    assert "f_beta" not in plain["overall"]
    assert weighed["headline"] == weighed["overall"]["f_beta"] != weighed["overall"]["f1"] == plain["overall"]["f1"]


def test_notes_say_what_was_repaired(saved: dict) -> None:
    assert saved["notes"] == [
        "system tagger: 2 spans are ill-formed in IOB2 and kept: an I- that continues nothing begins a span, as in conlleval "
        "(repair: begin; the first one: line 111, 'I-PER')."
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"match": "exact"},
        {"labels": "PER"},
        {"exclude": "PER"},
        {"map": {"PER": "P"}},
        {"levels": "separate"},
        {"focus": "system"},
        {"beta": 2.0},
        {"weights": "lenient"},
        {"repair": "discard"},
        {"align": "characters"},
        {"offsets": "utf16"},
        {"functions": True},
        {"column": -1, "encoding": "bioes"},
    ],
)
def test_every_setting_shows_in_the_signature(example: Path, options: dict) -> None:
    paths = example / "gold.conll", example / "tagger.conll"
    plain, other = eh.score(*paths), eh.score(*paths, **options)
    assert plain.signature != other.signature
    assert plain.signature.startswith(f"evenhand:{eh.__version__}|numbers:1|task:spans|match:exact,fair|")


def test_json_can_be_written(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    text = eh.score(example / "gold.conll", example / "crf.conll").to_json(path)
    assert path.read_text() == text


# Models that declare measures of their own: every output, and what a saved result keeps, come from the dec


SHARE = Ratio("share", {"good": 1.0}, {"good": 1.0, "bad": 1.0}, "good ones.")
COST = Ratio("cost", {"bad": 2.0}, {"seen": 1.0}, "what bad ones cost.", is_share=False, is_best_low=True)
COUNTS = {"good": {"good": 1.0}, "seen": {"seen": 1.0}}


def model(**changes: object) -> Formula:
    breakdown = replace(Breakdown("labels", shares_unlabeled=False), **changes)  # type: ignore[arg-type]
    return ratios_only("shares", "judge", COUNTS, (SHARE, COST), breakdown)


def tally() -> Tally:
    """Label A: 3 good, 1 bad; label B: 1 bad; seen: 2, of no label."""
    gold, kind = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 2])
    nothing, count = np.full(4, -1), np.array([3, 1, 1, 2])
    return Tally.of(("A", "B"), ("good", "bad", "seen"), np.zeros(4, dtype=np.int64), gold, nothing, kind, count)


def score(**changes: object) -> MeasureScore:
    return score_tally(model(**changes), tally(), {"A": 4, "B": 1})


def test_the_first_measure_is_the_headline() -> None:
    result = score()
    assert result.headline == result.overall["share"] == 3 / 5
    assert headline(model(), tally(), ["A", "B"]) == 3 / 5
    assert repr(result) == "ModelScore('shares', share=0.6000, cost=2.0000, labels=2)"


def test_what_has_no_label_counts_once_overall() -> None:
    result = score()
    assert result.overall.counts == {"good": 3, "seen": 2}
    assert {label: row.counts for label, row in result.labels.items()} == {
        "A": {"good": 3, "seen": 0},
        "B": {"good": 0, "seen": 0},
    }
    assert result.labels["A"]["share"] == 3 / 4
    assert result.labels["B"]["cost"] == 0


def test_labels_lack_what_is_declared_for_the_sum_only() -> None:
    row = score(overall_only=frozenset(("seen", "cost"))).labels["A"]
    assert (dict(row.counts), dict(row.more)) == ({"good": 3}, {"share": 3 / 4})


def test_what_files_do_not_tell_is_null() -> None:
    result = score(known={"cost": {"never": 1.0}, "good": {"seen": 1.0}})
    assert (result.overall.more["cost"], result.overall.counts["good"]) == (None, 3)
    with pytest.raises(KeyError, match="which the files do not have"):
        result.overall["cost"]


def results(**options: object) -> eh.Results:
    return scored("spans", match="leak,exact", **options)


def test_a_saved_result_keeps_measures(tmp_path: Path) -> None:
    before = results()
    path = tmp_path / "scores.json"
    before.to_json(path)
    after = eh.Results.from_json(path)
    assert after.to_dict() == before.to_dict()
    assert str(after) == str(before)
    assert after["crf"]["leak"].recall == before["crf"]["leak"].recall


def test_metrics_have_the_names_of_measures() -> None:
    scores = results()["crf"].metrics()
    names = ("recall", "leak_rate", "over_rate", "over_text", "exact_f1", "PER_recall", "PER_leak_rate")
    assert set(names) <= set(scores)
    assert not {"precision", "f1", "leak_f1", "PER_f1", "PER_over_rate"} & set(scores)


def test_data_frames_have_columns_of_measures() -> None:
    frame = results().to_pandas()
    row = frame[(frame["model"] == "leak") & (frame["row"] == "overall") & (frame["system"] == "crf")].iloc[0]
    score = results()["crf"]["leak"].overall
    assert row["leak_rate"] == score["leak_rate"]
    assert row["recall"] == score["recall"]
    assert row["exposed"] == score["exposed"]
    assert row[["precision", "f1", "f_beta"]].isna().all()
    assert not (frame["row"][frame["model"] == "leak"] == "macro").any()


def test_of_a_rate_that_should_be_low_the_lowest_is_best() -> None:
    result = scored("spans", systems=3, match="leak")
    rates = {name: each["leak"].overall["leak_rate"] for name, each in result.items()}
    best = min(rates, key=rates.__getitem__)
    line = next(line for line in result.to_latex().splitlines() if line.startswith(best))
    assert f"\\textbf{{{100 * rates[best]:.2f}}}" in line


def test_systems_are_ranked_by_the_headline() -> None:
    found = eh.rank(*files("spans"), match="leak,exact", resamples=50)
    scores = results()
    assert {name: found["leak"][name].score for name in scores} == {
        name: each["leak"].overall["recall"] for name, each in scores.items()
    }


# Scores as a flat dictionary for trackers of experiments


EXAMPLES = ROOT / "src" / "evenhand" / "examples"
ACCEPTED = re.compile(r"[\w.-]+")
"""What MLflow, TensorBoard and Weights & Biases take without changing it, slashes and spaces aside."""


def metrics(labels: list[str], **options: str) -> dict[str, float]:
    gold = eh.spans([[(label, at, at + 1) for at, label in enumerate(labels)]])
    return eh.score(gold, eh.spans([[(labels[0], 0, 1)]]), **options).metrics()  # type: ignore[arg-type]


def test_the_first_model_has_bare_names_and_labels() -> None:
    scores = metrics(["PER", "LOC"], match="exact,fair")
    assert list(scores) == [
        *("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1"),
        *("fair_precision", "fair_recall", "fair_f1"),
        *("fair_macro_precision", "fair_macro_recall", "fair_macro_f1"),
        *("fair_TP", "fair_LE", "fair_BES", "fair_BEL", "fair_BEO", "fair_LBE", "fair_FN", "fair_FP"),
        *("LOC_precision", "LOC_recall", "LOC_f1", "PER_precision", "PER_recall", "PER_f1"),
    ]
    assert (scores["f1"], scores["recall"], scores["PER_f1"], scores["LOC_f1"]) == (2 / 3, 0.5, 1.0, 0.0)
    assert (scores["fair_TP"], scores["fair_FN"], scores["fair_LE"]) == (1.0, 1.0, 0.0)


def test_values_are_plain_floats_also_of_saved_results() -> None:
    result = eh.score(EXAMPLES / "ner" / "gold.conll", EXAMPLES / "ner" / "crf.conll", match="ts,exact,accuracy")
    scores = result.metrics()
    assert {type(value) for value in scores.values()} == {float}
    assert scores["f1"] == result["ts"].f1 == result["ts"].macro.f1
    assert (scores["exact_f1"], scores["accuracy"]) == (result["exact"].f1, result["accuracy"].headline)
    assert eh.Result.from_json(result.to_json()).metrics() == scores


def test_other_tasks_name_their_scores_after_the_models() -> None:
    trees = eh.score(EXAMPLES / "trees" / "gold.conllu", EXAMPLES / "trees" / "neural.conllu")
    scores = trees.metrics()
    assert (scores["uas"], scores["las"]) == (trees["uas"].headline, trees["las"].headline)
    assert scores["conll18-las_f1"] == trees["conll18-las"].f1
    assert scores["nsubj_f1"] == trees["uas"].labels["nsubj"].f1
    chains = eh.score(EXAMPLES / "chains" / "gold.conll", EXAMPLES / "chains" / "neural.conll").metrics()
    assert chains["mela_f1"] == pytest.approx(0.8212, abs=1e-4)
    assert all(map(ACCEPTED.fullmatch, (*scores, *chains)))


def test_with_beta_there_is_f_beta() -> None:
    gold, system = eh.tags([["B-X", "B-X"]]), eh.tags([["B-X", "O"]])
    result = eh.score(gold, system, beta=2)
    assert result.metrics()["f_beta"] == result["exact"].headline
    assert result.metrics()["X_f_beta"] == result["exact"].labels["X"].f_beta


def test_other_characters_become_their_codes() -> None:
    found = metrics(["PRP$", "a/b c", ".", "人物", "B-x_1"], match="exact")
    names = [name.removesuffix("_f1") for name in found if name.endswith("_f1")]
    assert names == ["macro", ".2E.", "B-x_1", "PRP.24.", "a.2F.b.20.c", "人物"]


def test_labels_do_not_take_the_names_of_other_metrics() -> None:
    found = metrics(["macro", "fair", "exact"], match="exact,fair")
    assert (found["macro_recall"], found["fair_recall"]) == (1 / 3, 1 / 3)
    assert (found[".6D.acro_recall"], found[".66.air_recall"], found["exact_recall"]) == (1.0, 0.0, 0.0)


@pytest.mark.property
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5), min_size=1, unique=True))
def test_every_label_has_a_name_of_its_own(labels: list[str]) -> None:
    scores = metrics([*labels, "macro", "fair"] if not {"macro", "fair"} & {*labels} else labels, match="exact,fair")
    count = len({*labels, "macro", "fair"}) if not {"macro", "fair"} & {*labels} else len(labels)
    assert len(scores) == 12 + 8 + 3 * count
    assert all(map(ACCEPTED.fullmatch, scores))
