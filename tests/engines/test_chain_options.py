"""Scores of chains: what a user can set, the JSON contract, the signature, and the bundled example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import annotation, columns
from conftest import ROOT
from declared import CHAIN_MODELS
from evenhand.tasks.chains.task import MODELS

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
CHAINS = EXAMPLES / "chains"
GOLD, SYSTEMS = CHAINS / "gold.conll", ("neural", "pairs", "rules")
REFUSED: dict[str, dict[str, Any]] = {
    "labels": {"labels": "nouns"},
    "exclude": {"exclude": "PRP"},
    "map": {"map": {"PRP": "pronoun"}},
    "punctuation": {"punctuation": "form"},
    "subtypes": {"subtypes": True},
    "levels": {"levels": "separate"},
    "focus": {"focus": "system"},
    "separator-weight": {"separator_weight": 2.0},
    "token-weight": {"token_weight": 3},
    "supertag": {"supertag": "ALL"},
    "baselines": {"baselines": True},
    "spurious": {"spurious": 2},
    "missing": {"missing": 2},
    "iou": {"iou": 0.7},
    "encoding": {"encoding": "iob2"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_would_do_nothing_are_refused(name: str) -> None:
    with pytest.raises(eh.SettingError, match=f"^{name} does nothing for chains; leave it out[,.]"):
        eh.score(GOLD, CHAINS / "rules.conll", **REFUSED[name])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"align": "characters"}, "align is 'characters'; for chains, choose strict or position."),
        (
            {"match": "exact"},
            "match is 'exact', which is no match model of chains; did you mean --mention-match exact? "
            f"Choose from {', '.join(model.name for model in MODELS)}.",
        ),
        ({"weights": "lenient"}, "weights does nothing for chains; leave it out, or choose the task spans."),
        (
            {"beta": 0.0},
            "beta is 0.0; it must be above 0, from 0.000001 to 1,000,000 (at 1, precision and recall weigh alike).",
        ),
    ],
    ids=["characters", "a model of spans", "weights", "beta"],
)
def test_values_that_chains_do_not_know(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score(GOLD, CHAINS / "rules.conll", **options)
    assert str(error.value) == sentence


@pytest.mark.parametrize(("name", "value"), [("singletons", False), ("nominal", "NN")])
@pytest.mark.parametrize(
    ("gold", "task"),
    [("ner/gold.conll", "spans"), ("trees/gold.conllu", "trees"), ("tags/gold.tsv", "tags")],
    ids=["spans", "trees", "tags"],
)
def test_settings_of_chains_do_nothing_elsewhere(name: str, value: object, gold: str, task: Any) -> None:
    options: Any = {name: value}
    with pytest.raises(eh.SettingError, match=f"^{name} does nothing for {task}; leave it out[,.]"):
        eh.score(EXAMPLES / gold, EXAMPLES / gold, task=task, **options)


def test_arcs_nom_takes_pos(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text(columns([["(1)", "(1)"]]))
    for match in ("arcs_nom", "arcs"):
        with pytest.raises(eh.SettingError) as error:
            eh.score(path, path, match=match)
        expected = "arcs_nom takes the POS of words, which the gold standard does not have; leave it out."
        assert str(error.value) == expected
    result = eh.score(path, path)
    assert list(result.scores) == [model for model in CHAIN_MODELS if model != "arcs_nom"]
    assert "gold key: has no POS, so that there are no types of mentions and no arcs_nom." in result.notes
    lines = [line.split("\t") for line in GOLD.read_text().splitlines()]
    path.write_text(
        "".join("\t".join([*cells[:4], "-", *cells[5:]]) + "\n" if cells[4:] else cells[0] + "\n" for cells in lines)
    )
    assert list(eh.score(GOLD, path).scores) == list(CHAIN_MODELS)  # the response needs none


def test_pos_in_a_column_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text("#begin document (a)\na w0 NN (1)\na w1 PRP (1)\n")
    assert "arcs_nom" not in eh.score(path, path).scores
    found = eh.score(path, path, column="word=2,pos=3")["arcs_nom"]
    assert {kind: row["tp"] for kind, row in found.labels.items()} == {"PRP": 1, "nouns": 0}


def test_key_and_response_stand_in_two_files() -> None:
    with pytest.raises(eh.SettingError, match="Gold and prediction of chains stand in two files"):
        eh.score(GOLD)


def test_a_side_without_chains() -> None:
    spans = eh.spans([[("PER", 0, 1)]])
    with pytest.raises(eh.SettingError, match="has no coreference chains; give a file that has some"):
        eh.score(annotation([[(0, 0, 0)]]), spans)


def test_keys_of_the_contract() -> None:
    saved = json.loads(eh.score(GOLD, [CHAINS / f"{name}.conll" for name in SYSTEMS]).to_json())
    assert {"evenhand", "command", "task", "signature", "notes", "gold", "systems"} <= set(saved)
    assert (saved["command"], saved["task"]) == ("score", "chains")
    assert {"name", "format", "documents", "sentences", "tokens", "units", "chains", "labels"} <= set(saved["gold"])
    assert [system["name"] for system in saved["systems"]] == list(SYSTEMS)
    for system in saved["systems"]:
        assert {"name", "format", "units", "chains", "labels", "scores"} <= set(system)
        assert list(system["scores"]) == list(CHAIN_MODELS)
        for name, score in system["scores"].items():
            assert {"headline", "overall"} <= set(score)
            assert {"precision", "recall", "f1"} <= set(score["overall"])
            assert score["headline"] == score["overall"]["f1"]
            assert ("parts" in score) == (name in ("blanc", "mela"))
            assert ("labels" in score) == name.startswith("arcs")
        scores = system["scores"]
        for name in ("mentions", "muc", "ceaf_m", "ceaf_e"):
            assert {"key", "response", "common"} <= set(scores[name]["overall"])
        for name in ("b_cubed", "lea"):
            assert {"key", "response", "common_key", "common_response"} <= set(scores[name]["overall"])
        assert list(scores["blanc"]["parts"]) == ["coreference", "non-coreference"]
        assert list(scores["mela"]["parts"]) == ["muc", "b_cubed", "ceaf_e"]
        for name in ("muc", "b_cubed", "ceaf_e"):
            assert scores["mela"]["parts"][name] == scores[name]["overall"]
        for name in ("arcs_any", "arcs_nom"):
            assert {"tp", "wl", "fn", "fp", "tn", "precision", "recall", "f1"} == set(scores[name]["overall"])
            assert {"nouns", "PRP", "PRP$"} <= set(scores[name]["labels"])


def test_counts_are_whole_numbers_where_they_can_be() -> None:
    scores = eh.score(GOLD, CHAINS / "rules.conll").to_dict()["systems"][0]["scores"]
    for name in ("mentions", "muc", "ceaf_m", "arcs_any"):
        counts = {kind: n for kind, n in scores[name]["overall"].items() if kind not in ("precision", "recall", "f1")}
        assert all(isinstance(n, int) for n in counts.values())


@pytest.mark.parametrize(
    "options",
    [
        {"match": "muc"},
        {"singletons": False},
        {"nominal": "NN"},
        {"beta": 2.0},
        {"align": "strict"},
        {"column": "pos=6"},
    ],
    ids=["match", "singletons", "nominal", "beta", "align", "column"],
)
def test_every_setting_shows_in_the_signature(options: dict[str, Any]) -> None:
    plain, other = (eh.score(GOLD, CHAINS / "rules.conll", **each).signature for each in ({}, options))
    assert plain != other


def test_the_signature_has_singletons_and_nouns() -> None:
    plain = eh.score(GOLD, CHAINS / "rules.conll").signature
    assert plain.startswith(f"evenhand:{eh.__version__}|task:chains|match:{','.join(CHAIN_MODELS)}|align:position|")
    assert "|singletons:kept|" in plain
    assert "|nominal:NN+NNS+NNP+NNPS+NE" in plain
    other = eh.score(GOLD, CHAINS / "rules.conll", singletons=False, nominal=["NN", "PRP"]).signature
    assert "|singletons:removed|" in other
    assert "|nominal:NN+PRP|" in other


def test_f_beta_of_means_is_the_mean_of_f_beta() -> None:
    scores = eh.score(GOLD, CHAINS / "rules.conll", beta=2.0).to_dict()["systems"][0]["scores"]
    plain = eh.score(GOLD, CHAINS / "rules.conll").to_dict()["systems"][0]["scores"]
    for name in ("mela", "blanc"):
        parts = [part["f_beta"] for part in scores[name]["parts"].values()]
        assert scores[name]["headline"] == scores[name]["overall"]["f_beta"] == pytest.approx(sum(parts) / len(parts))
        assert scores[name]["overall"]["f1"] == plain[name]["overall"]["f1"]
    precision, recall = (scores["b_cubed"]["overall"][name] for name in ("precision", "recall"))
    assert scores["b_cubed"]["headline"] == pytest.approx(5 * precision * recall / (4 * precision + recall))


def _pos(document: str) -> list[str]:
    """The fifth column, without the lines that are no words."""
    return [line.split()[4] for line in document.splitlines()[1:] if line and not line.startswith("#")]


@pytest.mark.parametrize("singletons", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_example_scores_as_the_definitions_say(name: str, singletons: bool) -> None:
    texts = [(CHAINS / f"{side}.conll").read_text() for side in ("gold", name)]
    pairs = slow_chains.paired(*map(slow_chains.read_columns, texts))
    expected = {score: tuple(row) for score, row in slow_chains.scores(pairs, singletons).items()}
    tags = [_pos(text) for text in texts[0].split("#begin document")[1:]]
    for mode in ("any", "nom"):
        cleaned = [[slow_chains.first_only(side)[0] for side in pair] for pair in pairs]
        counts = [slow_arcs.arcs_counts(*pair, mode, pos) for pair, pos in zip(cleaned, tags, strict=True)]
        expected[f"arcs_{mode}"] = tuple(slow_arcs.arcs_prf(counts))
    result = eh.score(GOLD, CHAINS / f"{name}.conll", singletons=singletons)
    found = {score: (each.precision, each.recall, each.f1) for score, each in result.scores.items() if score != "mela"}
    assert found == {score: pytest.approx(values) for score, values in expected.items()}
    assert result["mela"].f1 == pytest.approx(slow_chains.mela(pairs, singletons))


def test_annotations_score_as_files_do() -> None:
    files = eh.score(GOLD, CHAINS / "neural.conll")
    read = eh.score(eh.read(GOLD), eh.read(CHAINS / "neural.conll"))
    assert read.tallies == files.tallies
    assert read.to_dict() == files.to_dict()
