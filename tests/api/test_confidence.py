"""`eh.confidence`, `eh.accept` and the gate of confidences: curves by all measures, messages, guarantees, results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main
from evenhand.results.confidence import FigureName
from evenhand.statistics.precision_recall import scores_of
from evenhand.tasks.registry import models_of

NER = Path(eh.__file__).parent / "examples" / "ner"
GOLD, SCORED = NER / "gold.conll", NER / "scored.jsonl"
Close = pytest.approx


def run(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    return result.output


def filtered(spans: list[list[tuple[Any, ...]]], threshold: float) -> list[list[tuple[Any, ...]]]:
    return [[span[:-1] for span in sentence if span[-1] >= threshold] for sentence in spans]


def random_spans(seed: int, *, scored: bool) -> list[list[tuple[Any, ...]]]:
    """Nested, overlapping and repeated spans in sentences of ten tokens, with tied confidences."""
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(12):
        spans: list[tuple[Any, ...]] = []
        for _ in range(int(random.integers(0, 7 if scored else 4))):
            start = int(random.integers(0, 9))
            span = ("PER", "LOC")[random.integers(2)], start, start + int(random.integers(1, 11 - start))
            spans += [(*span, float(random.integers(1, 9)) / 10)] if scored else [span]
        sentences.append(spans)
    return sentences


MEASURES = (
    *("exact", "fair", "weighted", "ts", "t", "overlap", "contain", "constrained", "iou"),
    *("semeval-strict", "semeval-exact", "semeval-partial", "semeval-type", "germeval-strict", "germeval-loose"),
)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_point_equals_the_score_of_the_filtered_file(measure: str) -> None:
    lengths = [10] * 12
    for seed in range(3):
        spans = random_spans(seed, scored=True)
        gold = eh.spans(random_spans(100 + seed, scored=False), lengths=lengths)
        curve = eh.confidence(gold, eh.spans(spans, lengths=lengths), match=measure, resamples=0).curve
        for threshold, precision, recall in zip(curve.threshold, curve.precision, curve.recall, strict=True):
            score = eh.score(gold, eh.spans(filtered(spans, threshold), lengths=lengths), match=measure)[measure]
            overall = score.overall
            assert (precision, recall) == Close((overall.precision, overall.recall), abs=1e-12)


@pytest.mark.parametrize("measure", ["exact", "fair"])
def test_labels_equal_the_labels_of_the_filtered_file(measure: str) -> None:
    spans = random_spans(7, scored=True)
    gold = eh.spans(random_spans(8, scored=False))
    labels = eh.confidence(gold, eh.spans(spans), match=measure, resamples=0).labels
    for name, label in labels.items():
        assert label.curve is not None
        for point, threshold in enumerate(label.curve.threshold):
            row = eh.score(gold, eh.spans(filtered(spans, threshold)), match=measure)[measure].labels[name]
            figures = label.curve.precision[point], label.curve.recall[point]
            assert figures == Close((row.precision, row.recall), abs=1e-12)


def relations(seed: int, *, scored: bool) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    documents = []
    for _ in range(8):
        spans = [(label, start, start + 1) for start, label in enumerate(random.choice(["PER", "ORG"], 6).tolist())]
        chosen = [(int(a), int(b)) for a in range(6) for b in range(6) if a != b and random.random() < 0.2]
        links = [("works", a, b, *([float(random.integers(1, 6)) / 10] if scored else [])) for a, b in chosen]
        documents.append({"spans": spans, "relations": links})
    return {"documents": documents}


def as_lines(documents: list[dict[str, Any]], path: Path) -> Path:
    rows = []
    for document in documents:
        spans = [
            {"id": f"s{number}", "start": start, "end": end, "label": label}
            for number, (label, start, end) in enumerate(document["spans"])
        ]
        links = [
            {"head": f"s{head}", "tail": f"s{tail}", "label": name, **({"score": score[0]} if score else {})}
            for name, head, tail, *score in document["relations"]
        ]
        rows.append({"tokens": list("abcdef"), "spans": spans, "relations": links})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("measure", ["strict", "boundaries", "relaxed", "fair"])
def test_relations(measure: str, tmp_path: Path) -> None:
    gold = as_lines(relations(1, scored=False)["documents"], tmp_path / "gold.jsonl")
    documents = relations(2, scored=True)["documents"]
    system = as_lines(documents, tmp_path / "system.jsonl")
    curve = eh.confidence(gold, system, task="relations", match=measure, resamples=0).curve
    assert len(curve) == 5
    for point, threshold in enumerate(curve.threshold):
        kept = eh.score(gold, system, task="relations", match=measure, min_score=float(threshold))[measure]
        figures = curve.precision[point], curve.recall[point]
        assert figures == Close((kept.precision, kept.recall), abs=1e-12)


def linked_lines(seed: int, path: Path, *, scored: bool) -> Path:
    """Overlapping spans with several candidates, or none."""
    random, rows = np.random.default_rng(seed), []
    for spans in random_spans(seed, scored=scored):
        fields = [dict(zip(("label", "start", "end", "score"), span, strict=False)) for span in spans]
        links = [random.choice(["NIL", "Q1", "Q2", "Q3"], 2, replace=False).tolist() for _ in spans]
        linked = [{**span, "links": own} for span, own in zip(fields, links, strict=True)]
        rows.append({"tokens": list("abcdefghij"), "spans": linked})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def check_points(gold: Path, system: Path, measure: str, **options: Any) -> None:
    """Every point of a curve, and of the curve of each label, is the score with this least confidence."""
    confidence = eh.confidence(gold, system, match=measure, resamples=0, **options)
    assert len(confidence.curve) > 3
    for point, threshold in enumerate(confidence.curve.threshold):
        score = eh.score(gold, system, match=measure, min_score=float(threshold), **options)[measure]
        figures = confidence.curve.precision[point], confidence.curve.recall[point]
        assert figures == Close((score.overall.precision, score.overall.recall), abs=1e-12)
        for name in confidence.labels.keys() & score.labels.keys():
            label = confidence.labels[name]
            found = scores_of(label.curve.counts_at(float(threshold)))
            expected = score.labels[name]
            assert (found.precision, found.recall) == Close((expected.precision, expected.recall), abs=1e-12)


@pytest.mark.parametrize("measure", [model.name for model in models_of("links")])
def test_links(measure: str, tmp_path: Path) -> None:
    gold = linked_lines(1, tmp_path / "gold.jsonl", scored=False)
    check_points(gold, linked_lines(2, tmp_path / "system.jsonl", scored=True), measure, task="links")


def test_tags(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    rows = [(*random.choice(["N", "V", "A"], 2), random.integers(1, 9) / 10) for _ in range(30)]
    gold.write_text("".join(f"w\t{tag}\n" for tag, _, _ in rows))
    system.write_text("".join(f"w\t{tag}\t{score}\n" for _, tag, score in rows))
    options: dict[str, Any] = {"task": "tags", "score": 3, "column": {"system": 2}}
    curve = eh.confidence(gold, system, resamples=0, **options).curve
    for point, threshold in enumerate(curve.threshold):
        score = eh.score(gold, system, min_score=float(threshold), **options)["accuracy"]
        assert curve.recall[point] == Close(score.headline, abs=1e-12)
        assert curve.predicted[point] == sum(score >= threshold for *_, score in rows)


def test_a_verdict_moves_with_the_threshold() -> None:
    """The example of the definition: at 0.5 the exact span takes the gold span, and the short one is spurious."""
    gold = eh.spans([[("ORG", 0, 4)]])
    system = eh.spans([[("ORG", 0, 2, 0.9), ("ORG", 0, 4, 0.5)]])
    fair, exact = (eh.confidence(gold, system, match=name).curve for name in ("fair", "exact"))
    assert (fair.precision.tolist(), fair.recall.tolist()) == ([0, 0.5], [0, 1])
    assert (exact.precision.tolist(), exact.recall.tolist()) == ([0, 0.5], [0, 1])
    weighted = eh.confidence(gold, system, match="weighted").curve
    assert (weighted.precision.tolist(), weighted.recall.tolist()) == ([1, 0.5], [0.5, 1])


def test_of_equal_units_the_one_with_the_highest_confidence_is_correct() -> None:
    system = eh.spans([[("PER", 0, 2, 0.2), ("PER", 0, 2, 0.8)]])
    confidence = eh.confidence(eh.spans([[("PER", 0, 2)], [("PER", 0, 1)]]), eh.spans([[], []])).curve
    assert len(confidence) == 0
    curve = eh.confidence(eh.spans([[("PER", 0, 2)]]), system).curve
    assert (curve.threshold.tolist(), curve.precision.tolist(), curve.recall.tolist()) == ([0.8, 0.2], [1, 0.5], [1, 1])


def test_equal_confidences_are_one_point_without_threshold() -> None:
    gold = eh.spans([[("PER", 0, 2)], [("PER", 0, 1), ("LOC", 2, 3)]])
    system = eh.spans([[("PER", 0, 2, 0.5)], [("LOC", 0, 1, 0.5)]])
    confidence = eh.confidence(gold, system)
    assert (confidence.ap, confidence.reach) == Close((1 / 2 * 1 / 3, 1 / 3))
    assert confidence.best().threshold is None
    assert "No threshold: all scores are 0.5." in confidence.notes


def test_scores_that_are_not_probabilities_have_curves_but_no_calibration() -> None:
    gold = eh.spans([[("PER", 0, 2)], [("PER", 0, 1)]])
    system = eh.spans([[("PER", 0, 2, 95.0)], [("LOC", 0, 1, 40.0)]])
    confidence = eh.confidence(gold, system)
    assert (confidence.ap, confidence.calibration) == (0.5, None)
    note = "No calibration: scores range from 40 to 95 and are not probabilities; use --score-transform logistic for logits"
    assert any(one.startswith(note) for one in confidence.notes)
    assert any("--score-transform percent" in one for one in confidence.notes if one.startswith("All scores"))
    assert eh.confidence(gold, system, score_transform="percent").calibration is not None


def test_units_without_scores_are_refused() -> None:
    gold = eh.spans([[("PER", 0, 2), ("LOC", 3, 4)]])
    with pytest.raises(eh.InputError, match="no unit has a score"):
        eh.confidence(gold, eh.spans([[("PER", 0, 2)]]))
    some = eh.spans([[("PER", 0, 2, 0.7), ("LOC", 3, 4, None)]])
    with pytest.raises(eh.InputError, match="1 of 2 units have no score"):
        eh.confidence(gold, some)
    assert eh.confidence(gold, some, missing_score="drop").reach == 0.5
    lowest = eh.confidence(gold, some, missing_score="lowest").curve
    assert (lowest.threshold.tolist(), lowest.recall.tolist()) == ([0.7], [1.0])


@pytest.mark.parametrize("measure", ["leak", "accuracy", "string-set"])
def test_measures_without_a_curve_are_refused(measure: str) -> None:
    with pytest.raises(eh.SettingError, match="so it has no curve"):
        eh.confidence(GOLD, SCORED, match=measure)


def test_tasks_without_confidences_are_refused() -> None:
    with pytest.raises(eh.SettingError, match="Units of trees have no confidences"):
        eh.confidence(NER.parent / "trees" / "gold.conllu", NER.parent / "trees" / "gold.conllu")


def test_threshold_from_other_data_is_not_cross_fitted() -> None:
    best = eh.confidence(GOLD, {"crf": SCORED}, threshold_from=(GOLD, SCORED)).best()
    own = eh.confidence(GOLD, SCORED).best()
    assert (best.threshold, best.f, best.cross_fitted, best.chosen_on) == (own.threshold, own.f, None, "scored")
    assert own.cross_fitted is not None
    assert own.cross_fitted <= own.f


def test_saved_results_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "confidence.json"
    run("confidence", GOLD, SCORED, "-o", path, "-q")
    loaded, fresh = eh.Confidence.from_json(path), eh.confidence(GOLD, SCORED)
    assert (loaded.ap, loaded.best(), loaded.calibration) == (fresh.ap, fresh.best(), fresh.calibration)
    assert str(loaded) == str(fresh)
    assert loaded.recall_at(0.8) == fresh.recall_at(0.8)
    with pytest.raises(eh.SettingError, match="needs the units"):
        loaded.plot("risk")


def test_a_long_curve_is_saved_with_the_points_that_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are left out, but neither AP nor the best threshold nor recall at a precision changes."""
    from evenhand.results import confidence as module

    random = np.random.default_rng(4)
    score = random.permutation(400) / 400
    spans = [[("PER", 0, 1 + int(random.random() > value), float(value))] for value in score]
    fresh = eh.confidence(eh.spans([[("PER", 0, 1)]] * 400, lengths=[2] * 400), eh.spans(spans, lengths=[2] * 400))
    monkeypatch.setattr(module, "MOST_POINTS", 5)
    loaded = eh.Confidence.from_json(fresh.to_json())
    assert len(loaded.curve) < len(fresh.curve) / 2
    assert loaded.ap == fresh.ap
    assert str(loaded) == str(fresh)
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        assert loaded.recall_at(level) == fresh.recall_at(level)
        assert loaded.precision_at(level) == fresh.precision_at(level)
    for beta in (0.5, 2):
        assert (loaded.best(beta).threshold, loaded.best(beta).f) == (fresh.best(beta).threshold, fresh.best(beta).f)


def test_a_label_has_the_figures_of_a_system_with_this_label_only() -> None:
    """Under exact match, spans of other labels do not matter."""
    everything, alone = eh.confidence(GOLD, SCORED, by_label=True), eh.confidence(GOLD, SCORED, labels="PER")
    label, system = everything.labels["PER"], alone.system
    assert label.best() == system.best()
    assert label.calibration == system.calibration
    figures = ("ap", "reach", "aurc", "eaurc", "units", "gold", "best_f", "threshold", "ece", "overconfidence")
    assert [getattr(label, name) for name in figures] == [getattr(system, name) for name in figures]
    assert label.recall_at(0.9) == system.recall_at(0.9)
    assert label.best().cross_fitted is not None
    assert label.best().interval is not None
    assert eh.confidence(GOLD, SCORED).labels["PER"].best().interval is None
    for name in ("ap", "aurc", "brier", "risk@coverage-0.5", "precision@recall-0.5"):
        figure = FigureName.of(name)
        assert figure is not None
        assert label.figure(figure) == system.figure(figure)
        assert label.interval(figure, 20, 0, 0.95) == system.interval(figure, 20, 0, 0.95)


def test_other_data_chooses_the_thresholds_of_labels() -> None:
    """PER has 78 spans there, and its own threshold; a label that is missing there uses the common one."""
    other = eh.confidence(GOLD, SCORED)
    found = eh.confidence(GOLD, SCORED, threshold_from=(GOLD, SCORED)).labels["PER"]
    assert (found.threshold, found.best_threshold.chosen_on) == (other.labels["PER"].threshold, "scored")
    few = eh.spans([[("LOC", 0, 1, 0.8), ("PER", 2, 3, 0.3)], [("PER", 0, 1, 0.6)]])
    gold = eh.spans([[("LOC", 0, 1)], [("PER", 0, 1)]])
    label = eh.confidence(gold, few, threshold_from=(gold, few)).labels["PER"]
    assert (label.threshold, label.shares_threshold, label.best_threshold.threshold, label.best_f) == (
        None,
        True,
        0.6,
        1,
    )


def test_only_thresholds_of_the_other_folds_are_chosen() -> None:
    """The other group has one wrong unit with .3: the best of its thresholds is .3, not the .9 of the group itself."""
    gold = eh.spans({"a": [("PER", 0, 1)], "b": [("PER", 0, 1)]}, lengths={"a": 4, "b": 4})
    system = eh.spans(
        {"a": [("PER", 0, 1, 0.9), ("PER", 2, 3, 0.5)], "b": [("PER", 2, 3, 0.3)]}, lengths={"a": 4, "b": 4}
    )
    changes = eh.confidence(gold, system).system.changes
    assert changes is not None
    assert changes.cross_fitted(1)[1].tolist() == [0.3, 0.9]


def test_folds_without_units_choose_no_threshold() -> None:
    """All units are in one of two documents: nothing is accepted there."""
    gold = eh.spans({"a": [("PER", 0, 1)], "b": [("PER", 0, 1)]}, lengths={"a": 4, "b": 4})
    system = eh.spans({"a": [("PER", 0, 1, 0.9), ("PER", 2, 3, 0.5)], "b": []}, lengths={"a": 4, "b": 4})
    found = eh.confidence(gold, system)
    assert (found.best().f, found.best().cross_fitted, found.best().folds) == (2 / 3, 0, (0.9, 0.9))
    assert eh.Confidence.from_json(found.to_json()).best() == found.best()


def test_settings_of_other_data_are_in_the_signature() -> None:
    assert eh.confidence(GOLD, SCORED, threshold_from=(GOLD, SCORED)).signature.endswith("|threshold-from:scored")
    system = eh.spans([[("PER", 0, 1, 0.5)]])
    found = eh.accept(eh.spans([[("PER", 0, 1)]]), system, risk=0.1, thresholds_from=SCORED)
    assert found.signature.endswith("|thresholds-from:scored")


def test_a_gold_standard_without_units_is_refused() -> None:
    gold, system = eh.spans([[], []], lengths=[2, 2]), eh.spans([[("PER", 0, 1, 0.5)], []], lengths=[2, 2])
    for function in (eh.confidence, lambda *sides: eh.accept(*sides, miss=0.1)):
        with pytest.raises(eh.InputError, match="the gold standard has no span that counts, so recall is undefined"):
            function(gold, system)


def test_two_units_are_tied_but_one_is_not() -> None:
    gold = eh.spans([[("PER", 0, 1), ("LOC", 2, 3)]])
    notes = eh.confidence(gold, eh.spans([[("PER", 0, 1, 0.5), ("LOC", 2, 3, 0.4)]])).notes
    assert not any("enter the curve together" in note for note in notes)
    tied = eh.spans([[("PER", 0, 1, 0.5), ("LOC", 2, 3, 0.5), ("LOC", 3, 4, 0.2)]])
    assert "2 of 3 units have the score 0.5; they enter the curve together." in eh.confidence(gold, tied).notes


def test_the_page_has_a_slider_over_at_most_200_points(tmp_path: Path) -> None:
    from evenhand.report.html.confidence import _data

    system = eh.spans([[("PER", 0, 1, number / 1000)] for number in range(500)])
    gold = eh.spans([[("PER", 0, 1 + number % 2)] for number in range(500)])
    data = _data(eh.confidence(gold, system, resamples=0).system)
    assert 190 < len(data["threshold"]) <= 200
    page = tmp_path / "page.html"
    run("confidence", GOLD, SCORED, "-o", page, "-q")
    assert '<input id="points" type="range"' in page.read_text()
    assert "http://" not in page.read_text().replace("http://www.w3.org/", "")


def test_rows_of_the_csv(tmp_path: Path) -> None:
    lines = run("confidence", GOLD, SCORED, "--as", "csv", "-q").splitlines()
    assert lines[0].startswith("system,row,label,gold,units,ap,reach,f,cross_fitted")
    assert {line.split(",")[1] for line in lines[1:]} == {"overall", "label", "point", "bin"}


@pytest.mark.parametrize("kind", ["pr", "threshold", "calibration", "risk"])
def test_figures(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    run("plot", kind, GOLD, SCORED, "-o", path, "-q")
    assert path.read_text().startswith("<?xml")


# Guarantees


def independent(units: int, wrong: int) -> tuple[eh.Annotation, eh.Annotation]:
    """One unit per sentence; the least confident ones are wrong."""
    gold = eh.spans([[("PER", 0, 1)] for _ in range(units)])
    system = [[("LOC" if row < wrong else "PER", 0, 1, 0.2 if row < wrong else 0.9)] for row in range(units)]
    return gold, eh.spans(system)


def test_a_risk_needs_enough_units_without_an_error() -> None:
    assert eh.accept(*independent(230, 0), risk=0.01).threshold == 0.0
    refused = eh.accept(*independent(229, 0), risk=0.01)
    assert (refused.threshold, refused.needed) == (None, 230)
    text = "A risk of 1 % at 90 % confidence needs at least 230 accepted units without an error."
    assert text in str(refused)


def test_the_threshold_is_above_the_wrong_units() -> None:
    acceptance = eh.accept(*independent(300, 40), risk=0.02)
    assert (acceptance.threshold, acceptance.accepted, acceptance.wrong) == (0.21, 260, 0)
    assert "With 90 % confidence, at most 2 % of the accepted spans are wrong." in str(acceptance)
    assert "exact finite-sample validity holds for independent units only" in str(acceptance)


def test_scores_outside_the_thresholds_need_other_data() -> None:
    gold, system = eh.spans([[("PER", 0, 1)]]), eh.spans([[("PER", 0, 1, 7.5)]])
    with pytest.raises(eh.SettingError, match=r"Scores range from 7.5 to 7.5, so thresholds from 1.00 to 0.00"):
        eh.accept(gold, system, risk=0.1)
    assert eh.accept(gold, system, risk=0.1, thresholds_from=system).threshold is None


def test_accepted_units_are_written(tmp_path: Path) -> None:
    path = tmp_path / "accepted.jsonl"
    run("accept", GOLD, SCORED, "--miss", "0.6", "-o", path)
    acceptance = eh.accept(GOLD, SCORED, miss=0.6)
    score = eh.read(path).spans().score
    assert score is not None
    assert len(score) == acceptance.accepted
    assert acceptance.threshold is not None
    assert score.min() >= acceptance.threshold
    assert "No threshold found." in run("accept", GOLD, SCORED, "--risk", "0.001", status=1)


def test_options_that_a_guarantee_cannot_use_are_refused(tmp_path: Path) -> None:
    for option in ({"independent": True}, {"confidence": 0.95}):
        with pytest.raises(
            eh.SettingError, match="is for risk; the guarantee of miss needs exchangeable documents only"
        ):
            eh.accept(GOLD, SCORED, miss=0.4, **option)  # type: ignore[arg-type]
    with pytest.raises(eh.SettingError, match="remove min_score"):
        eh.accept(GOLD, SCORED, risk=0.1, min_score=0.5)
    with pytest.raises(eh.SettingError, match="thresholds_from is the system itself"):
        eh.accept(GOLD, SCORED, risk=0.1, thresholds_from=SCORED)
    assert "does not indicate a format" in run("accept", GOLD, SCORED, "--risk", "0.1", "-o", "accepted.csv", status=2)
    output = run("accept", GOLD, SCORED, "--risk", "0.1", "--labels", "PER", "-o", tmp_path / "a.jsonl", status=2)
    assert "remove --labels" in output


def test_quantiles_are_read_like_the_system(tmp_path: Path) -> None:
    """Columns with percentages: the thresholds are the quantiles of .2, .4 and .9."""
    gold, system, other = (tmp_path / f"{name}.conll" for name in ("gold", "system", "other"))
    gold.write_text("a B-PER\n\nb B-LOC\n")
    system.write_text("a B-PER 90\n\nb B-LOC 40\n")
    other.write_text("a B-PER 90\nb B-LOC 40\nc B-LOC 20\n")
    options: dict[str, Any] = {"column": {"system": 2}, "score": 3, "score_transform": "percent"}
    found = eh.accept(gold, system, risk=0.5, confidence=0.4, thresholds_from=other, **options)
    assert (found.threshold, found.accepted) == (0.2, 2)
    assert "errors cluster in sentences" in str(found).lower()


# Gate


def test_gate_checks_figures_of_confidences() -> None:
    confidence = eh.confidence(GOLD, SCORED)
    calibration = confidence.calibration
    assert calibration is not None
    floors = {"ap": 0.5, "recall@precision-0.9": 0.1, "PER:exact.ap": 0.99, "fair": 0.1}
    gate = eh.gate(GOLD, candidate=SCORED, floor=floors, ceiling={"ece": 0.9, "risk@coverage-0.5": 0.5})
    values = {criterion.score: criterion.value for criterion in gate.criteria}
    assert values["ap"] == confidence.ap
    assert values["recall@precision-0.9"] == confidence.recall_at(0.9)
    assert values["PER:exact.ap"] == confidence.labels["PER"].ap
    assert values["ece"] == calibration.ece
    assert [criterion.score for criterion in gate.failures] == ["PER:exact.ap"]
    output = run("gate", GOLD, SCORED, "--floor", "recall@precision-0.9=0.1", "--ceiling", "ece=0.9")
    assert "recall@precision-0.9" in output


def test_gate_compares_the_lower_end_of_the_interval() -> None:
    plain, lower = (
        eh.gate(GOLD, candidate=SCORED, floor={"ap": 0.01}, floor_at=at).criteria[0].value  # type: ignore[arg-type]
        for at in ("value", "lower")
    )
    assert lower < plain
    with pytest.raises(eh.SettingError, match="floor_at has no effect"):
        eh.gate(GOLD, candidate=SCORED, floor={"fair": 0.1}, floor_at="lower")


def test_gate_has_intervals_of_labels() -> None:
    values = [
        eh.gate(GOLD, candidate=SCORED, floor={"PER:ap": 0.01}, ceiling={"PER:ece": 0.9}, floor_at=at).criteria
        for at in ("value", "lower")
    ]
    (ap, ece), (low, high) = ([one.value for one in criteria] for criteria in values)
    assert low < ap
    assert high > ece


def test_gate_names_the_figures_that_it_knows() -> None:
    for name in ("recal@precision-0.9", "recall@precision", "recall@recall-0.5", "ap@threshold-0.5"):
        assert "expected one of recall@precision-NUMBER" in run(
            "gate", GOLD, SCORED, "--floor", f"{name}=0.1", status=2
        )
    assert "remove PER, or use ap" in run("gate", GOLD, SCORED, "--floor", "PER:macro_ap=0.1", status=2)
    output = run("gate", GOLD, SCORED, SCORED, "--max-drop", "ap=1", status=2)
    assert "ap is a figure of confidences, which has no drop; use floor or ceiling" in output
    output = run("gate", GOLD, SCORED, "--floor", "ap=0.1")
    assert "which are not used" not in output


def test_gate_without_scores_is_an_error() -> None:
    assert "no unit has a score" in run("gate", GOLD, NER / "crf.conll", "--floor", "ap=0.1", status=2)
