"""Models that declare measures of their own: every output, and what a saved result keeps, come from the declaration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.scoring.measure import Formula, Ratio, measured
from evenhand.scoring.scores import MeasureScore, headline, score_tally
from evenhand.scoring.tally import Tally
from example_results import files, scored

SHARE = Ratio("share", {"good": 1.0}, {"good": 1.0, "bad": 1.0}, "good ones.")
COST = Ratio("cost", {"bad": 2.0}, {"seen": 1.0}, "what bad ones cost.", is_share=False, is_best_low=True)
COUNTS = {"good": {"good": 1.0}, "seen": {"seen": 1.0}}


def model(**changes: object) -> Formula:
    return replace(measured("shares", "judge", COUNTS, (SHARE, COST)), **changes)  # type: ignore[arg-type]


def tally() -> Tally:
    """Label A: 3 good, 1 bad; label B: 1 bad; seen: 2, of no label."""
    gold, kind = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 2])
    nothing, count = np.full(4, -1), np.array([3, 1, 1, 2])
    return Tally.of(("A", "B"), ("good", "bad", "seen"), np.zeros(4, dtype=np.int64), gold, nothing, kind, count)


def score(**changes: object) -> MeasureScore:
    return score_tally(model(**changes), tally(), {"A": 4, "B": 1})


def test_the_first_measure_is_the_headline() -> None:
    found = score()
    assert found.headline == found.overall["share"] == 3 / 5
    assert headline(model(), tally(), ["A", "B"]) == 3 / 5
    assert repr(found) == "ModelScore('shares', share=0.6000, cost=2.0000, labels=2)"


def test_what_has_no_label_counts_once_overall() -> None:
    found = score()
    assert found.overall.counts == {"good": 3, "seen": 2}
    assert {label: row.counts for label, row in found.labels.items()} == {
        "A": {"good": 3, "seen": 0},
        "B": {"good": 0, "seen": 0},
    }
    assert found.labels["A"]["share"] == 3 / 4
    assert found.labels["B"]["cost"] == 0


def test_labels_lack_what_is_declared_for_the_sum_only() -> None:
    row = score(overall_only=frozenset(("seen", "cost"))).labels["A"]
    assert (dict(row.counts), dict(row.more)) == ({"good": 3}, {"share": 3 / 4})


def test_what_files_do_not_tell_is_null() -> None:
    found = score(known={"cost": {"never": 1.0}, "good": {"seen": 1.0}})
    assert (found.overall.more["cost"], found.overall.counts["good"]) == (None, 3)
    with pytest.raises(KeyError, match="what the files do not have"):
        found.overall["cost"]


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
    found = results()["crf"].metrics()
    names = ("recall", "leak_rate", "over_rate", "over_text", "exact_f1", "PER_recall", "PER_leak_rate")
    assert set(names) <= set(found)
    assert not {"precision", "f1", "leak_f1", "PER_f1", "PER_over_rate"} & set(found)


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
    found = scored("spans", systems=3, match="leak")
    rates = {name: each["leak"].overall["leak_rate"] for name, each in found.items()}
    best = min(rates, key=rates.__getitem__)
    line = next(line for line in found.to_latex().splitlines() if line.startswith(best))
    assert f"\\textbf{{{100 * rates[best]:.2f}}}" in line


def test_systems_are_ranked_by_the_headline() -> None:
    found = eh.rank(*files("spans"), match="leak,exact", resamples=50)
    scores = results()
    assert {name: found["leak"][name].score for name in scores} == {
        name: each["leak"].overall["recall"] for name, each in scores.items()
    }
