"""Scores as a flat dictionary for trackers of experiments."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
ACCEPTED = re.compile(r"[\w.-]+")
"""What MLflow, TensorBoard and Weights & Biases take without changing it, slashes and spaces aside."""


def metrics(labels: list[str], **options: str) -> dict[str, float]:
    gold = eh.spans([[(label, at, at + 1) for at, label in enumerate(labels)]])
    return eh.score(gold, eh.spans([[(labels[0], 0, 1)]]), **options).metrics()  # type: ignore[arg-type]


def test_the_first_model_has_bare_names_and_labels() -> None:
    found = metrics(["PER", "LOC"], match="exact,fair")
    assert list(found) == [
        *("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1"),
        *("fair_precision", "fair_recall", "fair_f1"),
        *("fair_macro_precision", "fair_macro_recall", "fair_macro_f1"),
        *("LOC_precision", "LOC_recall", "LOC_f1", "PER_precision", "PER_recall", "PER_f1"),
    ]
    assert (found["f1"], found["recall"], found["PER_f1"], found["LOC_f1"]) == (2 / 3, 0.5, 1.0, 0.0)


def test_values_are_plain_floats_also_of_saved_results() -> None:
    result = eh.score(EXAMPLES / "ner" / "gold.conll", EXAMPLES / "ner" / "crf.conll", match="ts,exact,accuracy")
    found = result.metrics()
    assert {type(value) for value in found.values()} == {float}
    assert found["f1"] == result["ts"].f1 == result["ts"].macro.f1
    assert (found["exact_f1"], found["accuracy"]) == (result["exact"].f1, result["accuracy"].headline)
    assert eh.Result.from_json(result.to_json()).metrics() == found


def test_other_tasks_name_their_scores_after_the_models() -> None:
    trees = eh.score(EXAMPLES / "trees" / "gold.conllu", EXAMPLES / "trees" / "neural.conllu")
    found = trees.metrics()
    assert (found["uas"], found["las"]) == (trees["uas"].headline, trees["las"].headline)
    assert found["conll18-las_f1"] == trees["conll18-las"].f1
    assert found["nsubj_f1"] == trees["uas"].labels["nsubj"].f1
    chains = eh.score(EXAMPLES / "chains" / "gold.conll", EXAMPLES / "chains" / "neural.conll").metrics()
    assert chains["mela_f1"] == pytest.approx(0.8212, abs=1e-4)
    assert all(map(ACCEPTED.fullmatch, (*found, *chains)))


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
    found = metrics([*labels, "macro", "fair"] if not {"macro", "fair"} & {*labels} else labels, match="exact,fair")
    count = len({*labels, "macro", "fair"}) if not {"macro", "fair"} & {*labels} else len(labels)
    assert len(found) == 12 + 3 * count
    assert all(map(ACCEPTED.fullmatch, found))
