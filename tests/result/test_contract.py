"""The JSON contract and the signature."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evenhand as eh


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
        "system tagger: 2 spans are ill-formed in IOB2 and taken as they stand "
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
    assert plain.signature.startswith(f"evenhand:{eh.__version__}|task:spans|match:exact,fair|")


def test_json_can_be_written(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    text = eh.score(example / "gold.conll", example / "crf.conll").to_json(path)
    assert path.read_text() == text
