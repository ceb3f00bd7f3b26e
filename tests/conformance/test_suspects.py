"""Suspects of CoNLL-2003 testb against CoNLL++: the figures of `gold_errors.json`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.comparison import suspects as module
from evenhand.comparison.suspects import Candidates, Evidence, SuspectCurve, Words
from evenhand.statistics.logistic import cross_fitted

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "gold_errors.json").read_text())
FIRST_EIGHT = ("bender", "carrerasa", "carrerasb", "chieu", "curran", "demeulder", "florian", "hammerton")
TWO_BEST = ("florian", "chieu")


def conll(data: Path, folder: Path, name: str, tags: list[str]) -> Path:
    """A file of masked words and tags."""
    words = (data / "gold_errors" / "testb.masked.conll").read_text().split("\n")
    lines = [f"{word.split(' ')[0]} {tag}" if word else "" for word, tag in zip(words, tags, strict=False)]
    path = folder / f"{name}.conll"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def files(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The gold standard, CoNLL++ and the systems, with the marks of documents."""
    folder = tmp_path_factory.mktemp("testb")
    masked = (data / "gold_errors" / "testb.masked.conll").read_text().split("\n")
    columns = [line.split(" ") if line else ["", "", ""] for line in masked]
    paths = {
        "gold": conll(data, folder, "gold", [column[1] for column in columns]),
        "truth": conll(data, folder, "truth", [column[2] for column in columns]),
    }
    for path in sorted((data / "conll2003" / "systems").glob("*.tags")):
        name = path.name.split(".")[0]
        paths[name] = conll(data, folder, name, path.read_text().split("\n"))
    assert len(paths) == 18
    return paths


def searched(files: dict[str, Path], rule: Any, systems: tuple[str, ...] = (), **options: Any) -> eh.Suspects:
    chosen = {name: path for name, path in files.items() if name not in ("gold", "truth")}
    chosen = {name: chosen[name] for name in systems or chosen}
    return eh.suspects(files["gold"], chosen, rule=rule, truth=files["truth"], **options)


@pytest.fixture(scope="module")
def fitted(files: dict[str, Path]) -> eh.Suspects:
    return searched(files, "fit")


def truth_of(suspects: eh.Suspects) -> SuspectCurve:
    assert suspects.truth is not None
    return suspects.truth


def assert_figures(truth: SuspectCurve, expected: dict[str, Any], *, tolerance: float = 0.00006) -> None:
    wrong, missing = expected["wrong"], expected["missing"]
    assert (truth.gold_spans, truth.wrong) == (wrong["n"], wrong["errors"])
    assert (truth.others, truth.missing) == (missing["n"], missing["errors"])
    assert truth.places == expected["places"]
    assert truth.rule.ap_wrong == pytest.approx(wrong["ap"], abs=tolerance)
    assert truth.rule.ap_missing == pytest.approx(missing["ap"], abs=tolerance)


@pytest.mark.parametrize("rule", ["fit", "plain"])
def test_sixteen_systems(files: dict[str, Path], fitted: eh.Suspects, rule: str) -> None:
    truth = truth_of(fitted if rule == "fit" else searched(files, rule))
    assert_figures(truth, FIGURES[rule])
    assert {number: truth.rule.found_at(int(number)) for number in FIGURES[rule]["found"]} == FIGURES[rule]["found"]


def test_votes(files: dict[str, Path]) -> None:
    truth = truth_of(searched(files, "votes"))
    assert_figures(truth, FIGURES["votes"])
    found = FIGURES["votes"]["found"]
    assert {number: truth.rule.found_at(int(number)) for number in found} == found


def test_the_promised_figures(fitted: eh.Suspects) -> None:
    truth = truth_of(fitted)
    assert (truth.rule.found_at(282), truth.rule.found_at(565), truth.places) == (99, 131, 212)
    assert round(truth.rule.ap_wrong or 0, 3) == 0.399
    assert round(truth.rule.ap_missing or 0, 3) == 0.397


def test_the_first_eight_systems(files: dict[str, Path]) -> None:
    expected = FIGURES[f"eight systems ({','.join(FIRST_EIGHT)})"]
    truth = truth_of(searched(files, "fit", FIRST_EIGHT))
    assert_figures(truth, expected)
    assert {number: truth.rule.found_at(int(number)) for number in expected["found"]} == expected["found"]


def test_the_other_eight_systems(files: dict[str, Path]) -> None:
    others = tuple(name for name in files if name not in (*FIRST_EIGHT, "gold", "truth"))
    truth = truth_of(searched(files, "fit", others))
    assert [round(ap or 0, 3) for ap in (truth.rule.ap_wrong, truth.rule.ap_missing)] == [0.362, 0.368]
    assert [truth.rule.found_at(number) for number in (25, 50, 100)] == [20, 33, 52]


@pytest.mark.parametrize(
    ("systems", "expected"), [(FIRST_EIGHT[:4], [0.326, 0.397]), (TWO_BEST, [0.378, 0.418])], ids=["four", "two best"]
)
def test_fewer_systems(files: dict[str, Path], systems: tuple[str, ...], expected: list[float]) -> None:
    truth = truth_of(searched(files, "fit", systems))
    assert [round(ap or 0, 3) for ap in (truth.rule.ap_wrong, truth.rule.ap_missing)] == expected


def test_the_first_thirty_suspects(files: dict[str, Path], fitted: eh.Suspects) -> None:
    """Sentences of the figures count the marks of documents, which Evenhand does not."""
    lines = files["gold"].read_text().split("\n")
    starts = [number for number, line in enumerate(lines) if line and (number == 0 or not lines[number - 1])]
    for suspect, expected in zip(fitted.suspects, FIGURES["first"], strict=False):
        gold, to = suspect.gold, suspect.to
        assert to is not None
        position = to.start if gold is None else gold.start
        assert suspect.line == starts[expected["sentence"] - 1] + position + 1
        assert suspect.verdict == expected["verdict"]
        assert (None if gold is None else list(gold)) == expected["gold"]
        assert list(to) == expected["to"]
        assert suspect.suspicion == pytest.approx(expected["suspicion"], abs=1e-6)


def test_the_reasons_of_the_first_thirty_suspects(fitted: eh.Suspects) -> None:
    """The counts of a reason, in order; the figures say `none` and leave out the number of systems at times."""
    for suspect, expected in zip(fitted.suspects, FIGURES["first"], strict=False):
        clauses, theirs = suspect.note.split("; "), expected["why"].split("; ")
        assert len(clauses) <= 4
        shared = [clause for clause in clauses if "agree" not in clause]
        counts = [[int(number) for number in re.findall(r"\b\d+\b", clause)] for clause in shared]
        other = [clause for clause in theirs if "gold standard does" not in clause and "none agrees" not in clause]
        other = [clause for clause in other if not clause.startswith("labelled")]
        assert counts == [[int(number) for number in re.findall(r"\b\d+\b", clause)] for clause in other]
        of_gold = next((clause for clause in clauses if "agree" in clause), "")
        labelled = next((clause for clause in theirs if clause.startswith("labelled")), "")
        assert ("no system agrees" in of_gold) == ("none agrees" in expected["why"])
        assert (re.findall(r"labels it \w+ (\d+) time", of_gold)) == re.findall(r"labelled \w+ (\d+) times", labelled)


def test_the_curve_is_that_of_the_option(files: dict[str, Path], fitted: eh.Suspects) -> None:
    assert fitted.curve(files["truth"]) == fitted.truth


def test_overrides_are_proposals_that_change_no_score(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "suspects.jsonl"
    searched(files, "fit", TWO_BEST, first=41).to_overrides(path)
    with pytest.raises(eh.SettingError) as error:
        eh.score(files["gold"], files["florian"], overrides=path)
    message = "41 overrides are unreviewed proposals. Review them on the suspects page, or use --accept-proposed."
    assert str(error.value) == message
    adjudication = eh.adjudicate(files["gold"], path)
    assert (adjudication.problems, adjudication.states) == ([], {"proposed": 41, "accepted": 0, "right": 0})
    assert adjudication.before == adjudication.after
    before, after = (
        eh.score(files["gold"], files["florian"], match="exact", **options)
        for options in ({}, {"overrides": path, "accept_proposed": True})
    )
    assert after["exact"].f1 > before["exact"].f1
    assert "/voters-chieu+florian" in after.signature


WNUT_SYSTEMS = ("arcada", "flytxt", "mic-cis", "uh_ritual")


@pytest.fixture(scope="module")
def planted(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gold standard of WNUT-17, in which 9 % of the spans get the next label."""
    rng = np.random.default_rng(0)
    lines = (data / "wnut17" / "gold.conll").read_text().split("\n")
    labels = sorted({line.split("\t")[-1].split(" ")[-1][2:] for line in lines if line.split()[-1:] != ["O"] and line})
    wrong = ""
    for number, line in enumerate(lines):
        _, _, tag = line.replace("\t", " ").rpartition(" ")
        if tag.startswith("B-"):
            wrong = labels[(labels.index(tag[2:]) + 1) % len(labels)] if rng.random() < 0.09 else ""
        if tag[:2] in ("B-", "I-") and wrong:
            lines[number] = line.replace(tag, f"{tag[:2]}{wrong}")
    path = tmp_path_factory.mktemp("planted") / "gold.conll"
    path.write_text("\n".join(lines))
    return path


def ap_of_planted(data: Path, planted: Path) -> float:
    systems = {name: data / "wnut17" / "systems" / f"{name}.conll" for name in WNUT_SYSTEMS}
    truth = eh.suspects(planted, systems, rule="fit", truth=data / "wnut17" / "gold.conll", align="position").truth
    assert truth is not None
    assert truth.rule.ap_wrong is not None
    return truth.rule.ap_wrong


def test_candidates_without_votes_are_not_learned(data: Path, planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first leak: with weak systems, "no votes" would mean "gold", which inverts the ranking of planted errors."""
    careful = ap_of_planted(data, planted)
    monkeypatch.setattr(
        module,
        "cross_fitted",
        lambda columns, label, target, learned, fold: cross_fitted(columns, label, target, np.ones_like(learned), fold),
    )
    leaking = ap_of_planted(data, planted)
    assert careful > 0.25
    assert leaking < careful / 2


def test_the_gold_span_of_a_candidate_is_not_counted_elsewhere(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second leak: `frame`, `doc` and `all` would say what the gold standard has at this place."""
    evidence_of = module.evidence_of

    def leaking(candidates: Candidates, words: Words) -> Evidence:
        evidence, own = evidence_of(candidates, words), candidates.is_gold.astype(np.int32)
        more = {name: getattr(evidence, name) + own for name in ("elsewhere", "doc_elsewhere", "in_context")}
        counted = candidates.has_gold_bounds.astype(np.int32)
        more |= {name: getattr(evidence, name) + counted for name in ("occurrences", "doc_occurrences", "contexts")}
        return replace(evidence, **more)

    monkeypatch.setattr("evenhand.api.suspects.evidence_of", leaking)
    truth = truth_of(searched(files, "fit", TWO_BEST))
    assert (truth.rule.ap_missing or 0) < 0.418 - 0.03
