"""Curves, calibration and guarantees on WNUT-17 and CoNLL-2003, checked against scikit-learn's figures."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.arrays import Values
from evenhand.statistics.calibration import BinnedUnits, mass_edges, width_edges
from evenhand.statistics.precision_recall import Changes, aurc

from ..conftest import DATA

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "confidences.json").read_text())
CASES = FIGURES["cases"]
CONLL, WNUT = "conll2003.rich.one", "wnut17.rich.many"
Close = pytest.approx


@pytest.fixture(autouse=True)
def _needs_data(data: Path) -> None:
    assert (data / "confidences").is_dir()


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (DATA / "confidences" / name).read_text().splitlines()[1:]]


@cache
def _conll_gold() -> tuple[eh.Annotation, dict[int, tuple[str, int]]]:
    """The gold standard by document, and the document and first token of each sentence."""
    sentences: list[list[str]] = [[]]
    for line in (DATA / "conll2003" / "gold.testb.tags").read_text().splitlines():
        if line.strip():
            sentences[-1].append(line.strip())
        elif sentences[-1]:
            sentences.append([])
    sentences = list(filter(None, sentences))
    document_of = {int(sentence): document for sentence, document in _rows("documents.tsv")}
    first: dict[int, tuple[str, int]] = {}
    spans: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    length: dict[str, int] = defaultdict(int)
    gold = eh.tags(sentences).spans()
    for number, tags in enumerate(sentences, 1):
        document = document_of[number]
        first[number] = document, length[document]
        length[document] += len(tags)
        spans[document] += []
    for label, scope, start, end in gold.rows():
        document, begin = first[scope + 1]
        spans[document].append((label, begin + start, begin + end))
    return eh.spans(spans, lengths=dict(length)), first


@cache
def _conll_inputs(system: str) -> tuple[eh.Annotation, eh.Annotation]:
    gold, first = _conll_gold()
    spans: dict[str, list[Any]] = {document: [] for document in gold.corpus.names}
    for sentence, start, end, label, score in _rows(f"{system}.tsv"):
        document, begin = first[int(sentence)]
        spans[document].append((label, begin + int(start), begin + int(end), float(score)))
    lengths = dict(zip(gold.corpus.names, gold.corpus.lengths.tolist(), strict=True))
    return gold, eh.spans(spans, lengths=lengths)


@cache
def _confidence(system: str, match: str = "exact") -> eh.Confidence:
    if system.startswith("conll"):
        return eh.confidence(*_conll_inputs(system), match=match, resamples=100)
    folder = DATA / "confidences"
    return eh.confidence(folder / "wnut17.gold.jsonl", folder / f"{system}.jsonl", match=match, resamples=100)


@pytest.mark.parametrize("system", [CONLL, WNUT])
def test_exact_match_equals_the_figures_of_scikit_learn(system: str) -> None:
    figures, confidence = FIGURES[system], _confidence(system)
    curve = confidence.curve
    assert (confidence.system.units, curve.expected, curve.counts[-1, 0], len(curve)) == (
        *(figures["units"], figures["gold"], figures["hits"]),
        figures["distinct"],
    )
    assert confidence.ap == Close(figures["ap"], abs=1e-9)
    assert confidence.ap == Close(figures["sklearn_ap_of_scored_units"] * figures["hits"] / figures["gold"], abs=1e-9)
    for beta in (0.5, 1, 2):
        best = confidence.best(beta)
        assert (best.threshold, best.f) == Close(tuple(figures[f"best_f{beta:g}"]), abs=1e-9)
    for precision in (0.8, 0.9, 0.95):
        assert confidence.recall_at(precision) == Close(figures[f"recall@precision-{precision:g}"], abs=1e-9)
    assert (confidence.aurc, confidence.system.eaurc) == Close((figures["aurc"], figures["eaurc"]), abs=1e-9)


@pytest.mark.parametrize("system", [CONLL, WNUT])
def test_calibration(system: str) -> None:
    figures, calibration = FIGURES[system]["calibration15"], _confidence(system).calibration
    assert calibration is not None
    for name in ("ece", "over", "under", "mce", "overconfidence", "brier"):
        assert getattr(calibration, name) == Close(figures[name], abs=1e-9)
    assert np.array(calibration.bins) == Close(np.array(figures["bins"]), abs=1e-9)
    answers = _confidence(system).system.answers
    assert answers is not None
    wide = BinnedUnits.of(answers.score, answers.hit, answers.group, answers.groups, width_edges(10))
    assert float(wide.figures(wide.sums()).ece) == Close(FIGURES[system]["ece10_equal_width"], abs=1e-9)


@pytest.mark.parametrize("system", [CONLL, WNUT])
def test_labels(system: str) -> None:
    for name, figures in FIGURES[system]["labels"].items():
        label = _confidence(system).labels[name]
        assert label.curve is not None
        best = label.curve.best(1)
        assert best is not None
        assert (label.ap, label.ece) == Close((figures["ap"], figures["ece"]), abs=1e-9)
        assert (label.curve.threshold[best], label.best_f) == Close(tuple(figures["best_f1"]), abs=1e-9)


@pytest.mark.parametrize("system", [CONLL, WNUT])
def test_overlap_is_matched_anew_at_every_threshold(system: str) -> None:
    figures, confidence = FIGURES[system]["overlap_plain"], _confidence(system, "overlap")
    curve, best = confidence.curve, confidence.best()
    assert confidence.ap == Close(figures["ap"], abs=1e-9)
    assert (best.threshold, best.f) == Close(tuple(figures["best_f1"]), abs=1e-9)
    assert [curve.precision[-1], curve.recall[-1]] == Close(figures["last"], abs=1e-9)
    assert int(np.count_nonzero(np.diff(curve.recall) < 0)) == figures["recall_falls"]


POINTS = "points by evenhand 0.1.0+ (threshold, exact, fair, overlap: P R F1), wnut17.rich.many"


@pytest.mark.parametrize(("column", "match"), [(1, "exact"), (2, "fair"), (3, "overlap")])
def test_points_equal_scores_of_filtered_files(column: int, match: str) -> None:
    curve = _confidence(WNUT, match).curve
    for threshold, *scores in FIGURES[POINTS]:
        point = curve.point_at(threshold)
        figures = curve.precision[point], curve.recall[point], curve.f1[point]
        assert figures == Close(tuple(scores[column - 1]), abs=1e-8)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_cases(number: int) -> None:
    case = CASES[number]
    score, hit, units = np.array(case["scores"], float), np.array(case["hits"], bool), len(case["scores"])
    nothing = np.zeros(units, int)
    change = np.stack((hit, np.ones(units), np.zeros(units)), axis=-1).astype(float)
    curve = Changes.of(score, nothing, change, np.array([[0.0, 0.0, case["gold"]]])).curve()
    best = curve.best(1)
    assert best is not None
    figures: dict[str, Values | float | list[float]] = {
        "thresholds": curve.threshold,
        "precision": curve.precision,
        "recall": curve.recall,
        "ap": curve.ap,
        "best_f1": [float(curve.threshold[best]), float(curve.f1[best])],
        "recall@precision-0.9": curve.recall_at(0.9),
        "aurc": aurc(score, hit)[0],
        "eaurc": aurc(score, hit)[1],
    }
    for name, value in figures.items():
        assert np.asarray(value) == Close(np.asarray(case[name]), abs=1e-9), name
    binned = BinnedUnits.of(score, hit, nothing, 1, mass_edges(score, 5))
    expected = dict(case["calibration5"])
    assert np.array(binned.rows(binned.sums())) == Close(np.array(expected.pop("bins")), abs=1e-9)
    calibration = binned.figures(binned.sums())
    assert {name: float(getattr(calibration, name)) for name in expected} == Close(expected, abs=1e-9)


@pytest.mark.parametrize("system", FIGURES["thresholds and guarantees"])
def test_cross_fitted_threshold(system: str) -> None:
    figures = FIGURES["thresholds and guarantees"][system]["cross_fit (documents in order, fold = index mod 10)"]
    confidence = _confidence(system)
    best, changes = confidence.best(), confidence.system.changes
    assert changes is not None
    assert (best.threshold, best.f, best.cross_fitted) == Close(
        (figures["threshold"], figures["f1_same_data"], figures["f1_cross_fitted"]), abs=1e-9
    )
    assert best.folds == Close(tuple(figures["thresholds_of_folds"]), abs=1e-9)
    correct, accepted, _ = changes.cross_fitted(1)[0].sum(axis=0)
    assert (correct, accepted) == (figures["tp"], figures["accepted"])


@pytest.mark.parametrize("system", FIGURES["thresholds and guarantees"])
def test_thresholds_with_guarantees(system: str) -> None:
    figures = FIGURES["thresholds and guarantees"][system]
    inputs = _conll_inputs(system)
    for risk, thresholds in figures["accept delta 0.1"].items():
        assert eh.accept(*inputs, risk=float(risk)).threshold == thresholds["cluster"]
        assert eh.accept(*inputs, risk=float(risk), independent=True).threshold == thresholds["unit"]
    for miss, threshold in figures["crc miss"].items():
        assert eh.accept(*inputs, miss=float(miss)).threshold == threshold
