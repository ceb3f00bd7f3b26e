"""`gate`: a test that cannot decide is no reason to pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.api.gate import judge_by_alpha

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "neural", "rules")]
CHAINS = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "neural", "rules")]


@pytest.fixture
def write(tmp_path: Path):
    """Files with a list of documents each, a document a list of sentences, a tag a word."""

    def files(**sides: list[list[str]]) -> list[Path]:
        for name, documents in sides.items():
            bodies = ["\n".join("".join(f"w\t{tag}\n" for tag in s.split()) for s in d) for d in documents]
            text = "".join(f"-DOCSTART-\tO\n\n{body}\n" for body in bodies)
            (tmp_path / f"{name}.conll").write_text(text)
        return [tmp_path / f"{name}.conll" for name in sides]

    return files


def only(gate: eh.Gate) -> tuple[str, float, bool, str]:
    """The criterion, where there is one."""
    (criterion,) = gate.criteria
    return criterion.name, criterion.limit, criterion.passed, criterion.sentence


def test_all_is_lost_on_four_documents(write) -> None:
    """F1 falls from 100 to 0, and p = 2 / 2⁴: no test of four groups can say less."""
    gate = eh.gate(*write(gold=[["B-A O"]] * 4, old=[["B-A O"]] * 4, new=[["O O"]] * 4))
    assert not gate.passed
    assert only(gate) == (
        "max-drop",
        1.0,
        False,
        "The score falls by 100.00 points; the limit is 1 point. The systems differ in 4 documents, too few for any p-value "
        "below 0.05, so the test cannot decide.",
    )


def test_five_documents_of_trees_are_compared_by_sentence() -> None:
    """From 90.64 to 69.47: five documents allow no p-value below 2 / 2⁵, their sentences do."""
    gate = eh.gate(*TREES)
    found = gate.to_dict()
    assert not gate.passed
    assert only(gate) == (
        "alpha",
        0.05,
        False,
        "The candidate is worse by 21.17 points (p = 0.0001, alpha = 0.05). The systems differ in 5 documents, too few "
        "for any p-value below 0.05, so the test resamples sentences.",
    )
    assert found["test"]["of"] == "sentences"
    assert found["test"]["few_documents"] == 5
    assert found["criteria"][0]["sentence"] == only(gate)[3]
    assert "|of:sentences|" in gate.signature
    assert gate.pair.delta == pytest.approx(-0.2117, abs=5e-5)


def test_a_better_candidate_passes_whatever_the_test_can_say(write) -> None:
    gold, old, new = write(gold=[["B-A O"]] * 4, old=[["O O"]] * 4, new=[["B-A O"]] * 4)
    for alpha in (None, 0.05):
        name, _, passed, sentence = only(eh.gate(gold, old, new, alpha=alpha))
        assert (name, passed) == ("alpha", True)
        assert sentence.startswith("The candidate is not worse (p = 0.1250, alpha = 0.05).")


def test_the_rounding_of_a_score_is_no_drop(write) -> None:
    """A score that is lower by less than numbers can tell is not worse, though one sentence cannot decide anything."""
    gold, old, new = write(gold=[["A A"]], old=[["A X"]], new=[["A X"]])
    gate = eh.gate(gold, old, new, task="tags", alpha=0.05)
    found = judge_by_alpha(gate.comparison, replace(gate.pair, delta=-1e-16), 0.05, None, by_default=False)
    assert (found.passed, found.sentence) == (True, "The candidate is not worse (alpha = 0.05).")


def test_an_identical_candidate_passes(write) -> None:
    gold, old = write(gold=[["B-A O"]] * 4, old=[["O O"]] * 4)
    gate = eh.gate(gold, old, old, alpha=0.05)
    assert only(gate) == ("alpha", 0.05, True, "The candidate is not worse (p = 1.0000, alpha = 0.05).")
    assert gate.to_dict()["test"]["of"] == "documents"


def test_an_alpha_that_is_named_and_out_of_reach_fails_a_worse_candidate(write) -> None:
    """One document of four sentences, three of which are worse."""
    gold, old, new = write(gold=[["B-A O"] * 4], old=[["B-A O"] * 4], new=[["O O", "O O", "O O", "B-A O"]])
    gate = eh.gate(gold, old, new, alpha=0.05)
    assert only(gate) == (
        "alpha",
        0.05,
        False,
        "The candidate is worse by 60.00 points. The systems differ in 3 sentences, too few for any p-value below "
        "0.05, so the test cannot decide; use --max-drop.",
    )
    assert eh.gate(gold, old, new, max_drop=70, only=True).passed


def test_without_a_criterion_a_point_may_be_lost_where_the_test_cannot_decide(write) -> None:
    """One word of 200, and then three of them, which are in as many documents of one sentence."""
    sides = {"gold": [["A"] * 1] * 3 + [["A " * 197]]}
    once = [["X"], ["A"], ["A"], ["A " * 197]]
    thrice = [["X"], ["X"], ["X"], ["A " * 197]]
    gold, old, new, worse = write(**sides, old=sides["gold"], new=once, worse=thrice)
    small, large = (eh.gate(gold, old, each, task="tags") for each in (new, worse))
    assert only(small)[:3] == ("max-drop", 1.0, True)
    assert only(small)[3].startswith(
        "The score falls by 0.50 points; the limit is 1 point. The systems differ in 1 document,"
    )
    assert only(large)[:3] == ("max-drop", 1.0, False)


def test_a_worse_candidate_within_chance_passes(write) -> None:
    """Of twelve sentences in one document, seven are worse and five better: p is exact, and far from 0.05."""
    gold, right, wrong = ["A A"], "A A", "A X"
    old = [right] * 7 + [wrong] * 5
    new = [wrong] * 7 + [right] * 5
    gate = eh.gate(*write(gold=[gold * 12], old=[old], new=[new]), task="tags")
    name, _, passed, sentence = only(gate)
    assert (name, passed) == ("alpha", True)
    assert sentence == "The candidate is worse by 8.33 points, which may be chance (p = 0.7744, alpha = 0.05)."


def test_chains_are_never_compared_by_sentence() -> None:
    """The bundled resolvers differ in nine documents: p = 2 / 2⁹ at least."""
    assert only(eh.gate(*CHAINS))[:3] == ("alpha", 0.05, False)
    gate = eh.gate(*CHAINS, alpha=0.001)
    assert (gate.comparison.resampling["of"], gate.few_documents) == ("documents", None)
    assert only(gate)[2:] == (
        False,
        "The candidate is worse by 22.92 points. The systems differ in 9 documents, too few for any p-value below "
        "0.001, so the test cannot decide; use --max-drop.",
    )


def test_documents_stay_what_is_resampled_where_a_user_says_so() -> None:
    gate = eh.gate(*TREES, of="documents", alpha=0.05)
    assert only(gate)[2:] == (
        False,
        "The candidate is worse by 21.17 points. The systems differ in 5 documents, too few for any p-value below "
        "0.05, so the test cannot decide; use --max-drop.",
    )
    assert gate.to_dict()["test"] == {
        "of": "documents", "groups": 5, "least": 2 / 2**5, "trials": 32, "seed": 0, "few_documents": None
    }  # fmt: skip


def test_sentences_that_a_user_asks_for() -> None:
    gate = eh.gate(*TREES, of="sentences")
    assert only(gate)[2:] == (False, "The candidate is worse by 21.17 points (p = 0.0001, alpha = 0.05).")


def test_too_few_trials_for_alpha_are_refused() -> None:
    with pytest.raises(eh.SettingError, match=r"trials is 19; for p-values below 0.05 the test takes 20 at least\."):
        eh.gate(*TREES, trials=19)
    assert not eh.gate(*TREES, trials=20, of="sentences").passed
