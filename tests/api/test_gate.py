"""`gate`: a test that cannot decide is no reason to pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
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
    data = gate.to_dict()
    assert not gate.passed
    assert only(gate) == (
        "alpha",
        0.05,
        False,
        "The candidate is worse by 21.17 points (p = 0.0001, alpha = 0.05). The systems differ in 5 documents, too few "
        "for any p-value below 0.05, so the test resamples sentences.",
    )
    assert data["test"]["of"] == "sentences"
    assert data["test"]["few_documents"] == 5
    assert data["criteria"][0]["sentence"] == only(gate)[3]
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
    found = judge_by_alpha(gate.comparison, replace(gate.pair, delta=-1e-16), 0.05, by_default=False)
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
    assert sentence == (
        "The candidate is worse by 8.33 points, which may be chance (p = 0.7744, alpha = 0.05); this test set can detect "
        "differences of about 42.6 points or more (rough: only 12 sentences)."
    )


def test_chains_are_never_compared_by_sentence() -> None:
    """The bundled resolvers differ in nine documents: p = 2 / 2⁹ at least."""
    assert only(eh.gate(*CHAINS))[:3] == ("alpha", 0.05, False)
    gate = eh.gate(*CHAINS, alpha=0.001)
    assert (gate.comparison.resampling["of"], gate.few_documents) == ("documents", None)
    assert only(gate)[2:] == (
        False,
        "The candidate is worse by 22.91 points. The systems differ in 9 documents, too few for any p-value below "
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
    with pytest.raises(eh.SettingError, match=r"trials is 19; for p-values below 0.05 the test needs at least 20\."):
        eh.gate(*TREES, trials=19)
    assert not eh.gate(*TREES, trials=20, of="sentences").passed


# `gate` with several criteria: floors and ceilings of scores by name, drops of scores and of labels


GOLD, CRF, TAGGER = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
TREES_GATE_SCORES = [
    ROOT / "src" / "evenhand" / "examples" / "trees" / f"{name}.conllu" for name in ("gold", "neural", "rules")
]
CHAINS_GATE_SCORES = [
    ROOT / "src" / "evenhand" / "examples" / "chains" / f"{name}.conll" for name in ("gold", "neural", "rules")
]


def verdicts(gate: eh.Gate) -> dict[str, tuple[float, bool]]:
    """Value and verdict of every criterion."""
    return {each.title: (round(each.value, 4), each.passed) for each in gate.criteria}


def test_a_candidate_needs_no_baseline_for_floors_and_ceilings() -> None:
    gate = eh.gate(
        GOLD, candidate=CRF, floor={"fair": 0.85, "PER:recall": 0.7}, ceiling={"FP": 3, "exact.macro.f1": 0.7}
    )
    assert verdicts(gate) == {
        "floor fair": (0.765, False),
        "floor PER:recall": (0.7463, True),
        "ceiling FP": (4, False),
        "ceiling exact.macro.f1": (0.6991, True),
    }
    assert [each.title for each in gate.failures] == ["floor fair", "ceiling FP"]
    assert gate.criteria[0].sentence == "fair is 0.7650 (76.50 %); the floor is 0.85 (85 %)."
    assert gate.criteria[2].sentence == "FP is 4 (a count); the ceiling is 3."
    assert str(gate).startswith("failed: crf on the gold standard gold\n")
    data = gate.to_dict()
    assert (data["passed"], data["baseline"], data["delta"], data["test"]) == (False, None, None, None)
    assert data["candidate"] == {"name": "crf", "fair": pytest.approx(0.76496, abs=1e-5)}
    assert data["criteria"][1]["score"] == "PER:recall"
    assert "|match:fair,exact|" in gate.signature


def test_named_scores_are_those_of_score() -> None:
    """Every figure of the JSON of `score` can be named."""
    result = eh.score(GOLD, CRF, match=["fair", "exact", "ts"])
    figures = {
        "": result["fair"].headline,
        "exact": result["exact"].f1,
        "exact.precision": result["exact"].precision,
        "fair.support.recall": result["fair"].weighted.recall,
        "ts.kappa": result["ts"].overall["kappa"],
        "PER:": result["fair"].labels["PER"].f1,
        "ORG:exact.FN": result["exact"].labels["ORG"]["FN"],
        "fair.confusion.PER.": (result["fair"].confusion or {})["PER"][""],
    }
    gate = eh.gate(GOLD, candidate=CRF, floor=figures, ceiling=figures)
    assert gate.passed
    assert {each.score: each.value for each in gate.criteria} == pytest.approx(figures)
    assert not eh.gate(GOLD, candidate=CRF, floor={name: value + 1e-3 for name, value in figures.items()}).passed


def test_by_says_which_score_is_meant_without_a_match_model() -> None:
    exact, fair = (eh.gate(GOLD, candidate=CRF, by=by, floor={"recall": 0.65}) for by in ("exact", "fair"))
    assert (verdicts(exact), verdicts(fair)) == ({"floor recall": (0.6281, False)}, {"floor recall": (0.6717, True)})


def test_a_figure_that_rounds_to_its_limit_shows_the_difference() -> None:
    value = eh.score(GOLD, CRF)["fair"].f1
    gate = eh.gate(GOLD, candidate=CRF, floor={"fair": round(value + 4e-5, 4)})
    assert gate.criteria[0].sentence == "fair is 0.76496 (76.496 %); the floor is 0.765 (76.5 %)."
    assert not gate.passed


def test_criteria_of_both_kinds_are_judged_on_one_comparison() -> None:
    gate = eh.gate(
        GOLD,
        TAGGER,
        CRF,
        floor={"fair": 0.7},
        max_drop={"": 20, "PER:recall": 5, "exact": 15},
        max_label_drop=24,
        max_new_errors=82,
        alpha=0.001,
    )
    assert verdicts(gate) == {
        "floor fair": (0.765, True),
        "max-drop": (14.5155, True),
        "max-drop PER:recall": (9.4311, False),
        "max-drop exact": (15.3779, False),
        "max-label-drop": (24.9076, False),
        "max-new-errors": (82, True),
        "alpha": (0.0001, False),
    }
    sentences = {each.title: each.sentence for each in gate.criteria}
    assert sentences["max-drop PER:recall"] == "PER:recall falls by 9.43 points; the limit is 5 points."
    assert sentences["max-label-drop"] == "Labels fall by too many points: MISC by 24.91; the limit is 24 points."
    assert gate.pair.delta == eh.gate(GOLD, TAGGER, CRF, max_drop=1).pair.delta
    assert gate.signature.endswith(
        "|by:fair|of:sentences|trials:10000|resamples:0|interval:percentile|level:0.95|seed:0"
    )


def test_no_label_falls() -> None:
    gate = eh.gate(GOLD, CRF, CRF, max_label_drop=0, only=True)
    assert gate.passed
    assert gate.criteria[0].sentence.startswith("Of all labels the worst, ")
    assert gate.criteria[0].sentence.endswith(", does not fall (+0.00 points); the limit is 0 points.")


def test_named_criteria_are_added_to_the_test() -> None:
    """A floor that holds must not make a gate pass that fails without it."""
    assert not eh.gate(GOLD, TAGGER, CRF).passed
    for more in ({"floor": {"PER:recall": 0.5}}, {"ceiling": {"FP": 1000}}, {"max_drop": 99}, {"max_new_errors": 1000}):
        gate = eh.gate(GOLD, TAGGER, CRF, **more)
        assert [each.name for each in gate.failures] == ["alpha"]
        assert (len(gate.criteria), gate.not_checked) == (2, ())


def test_only_the_named_criteria() -> None:
    gate = eh.gate(GOLD, TAGGER, CRF, floor={"fair": 0.7}, only=True)
    assert (gate.passed, list(verdicts(gate))) == (True, ["floor fair"])
    assert gate.pair.significance is None
    sentence = (
        "The score must not fall with a p-value below 0.05: skipped because only the specified criteria are checked."
    )
    assert [(each.name, each.limit, each.sentence) for each in gate.not_checked] == [("alpha", 0.05, sentence)]
    assert gate.to_dict()["not_checked"] == [{"name": "alpha", "limit": 0.05, "sentence": sentence}]
    for shown in (str(gate), gate.to_markdown(), gate.to_latex()):
        assert "not checked" in shown
    assert eh.gate(GOLD, TAGGER, CRF, alpha=0.05, only=True).not_checked == ()
    assert eh.gate(GOLD, candidate=CRF, floor={"fair": 0.7}, only=True).passed
    with pytest.raises(eh.SettingError, match="only skips the default criterion, but no other is specified"):
        eh.gate(GOLD, TAGGER, CRF, only=True)


def test_shares_have_names_of_their_own() -> None:
    """One of two documents leaks."""
    words = {"first": ["Ada"], "second": ["Bob"]}
    gold = eh.spans({name: [("PER", 0, 1)] for name in words}, tokens=words)
    half = eh.spans({"first": [("PER", 0, 1)], "second": []}, tokens=words)
    gate = eh.gate(gold, candidate=half, floor={"leak.documents_safe_share": 1, "leak.values_safe_share": "50%"})
    assert verdicts(gate) == {
        "floor leak.documents_safe_share": (0.5, False),
        "floor leak.values_safe_share": (0.5, True),
    }
    assert [each.unit for each in gate.criteria] == ["fraction", "fraction"]


def test_units_of_limits() -> None:
    """Percent and points of texts are the numbers without them."""
    texts = {"floor": {"fair": "85%"}, "ceiling": {"f1": "90.5 pp"}, "max_drop": {"": "1pp", "exact": "2.5%"}}
    numbers = {"floor": {"fair": 0.85}, "ceiling": {"f1": 0.905}, "max_drop": {"": 1, "exact": 2.5}}
    one, other = (
        eh.gate(GOLD, TAGGER, CRF, max_label_drop=drop, alpha=alpha, **item)
        for item, drop, alpha in ((texts, "3pp", "1%"), (numbers, 3, 0.01))
    )
    assert one.to_dict() == other.to_dict()
    assert eh.gate(GOLD, TAGGER, CRF, max_drop="1pp").to_dict() == eh.gate(GOLD, TAGGER, CRF, max_drop=1).to_dict()
    assert [item.unit for item in one.criteria] == ["fraction", "fraction", "points", "points", "points", "p-value"]


def test_a_named_drop_decides_where_the_test_cannot(tmp_path: Path) -> None:
    """Four sentences allow no p-value below 0.05; the default drop of one point gives way to the one that is named."""
    for name, tag in {"gold": "A", "old": "A", "new": "X"}.items():
        (tmp_path / name).write_text(f"w\t{tag}\nw\tA\n\n" * 2 + "w\tA\nw\tA\n\n" * 2)
    sides = [tmp_path / name for name in ("gold", "old", "new")]
    assert verdicts(eh.gate(*sides, task="tags", floor={"accuracy": 0.5})) == {
        "floor accuracy": (0.75, True),
        "max-drop": (25.0, False),
    }
    gate = eh.gate(*sides, task="tags", max_drop=30)
    assert (gate.passed, verdicts(gate)) == (True, {"max-drop": (25.0, True)})
    (left_out,) = gate.not_checked
    assert left_out.sentence == (
        "The systems differ in 2 sentences, too few for any p-value below 0.05, so the test cannot decide; "
        "max-drop decides."
    )


def test_parsers_by_relation() -> None:
    gate = eh.gate(*TREES_GATE_SCORES, floor={"nsubj:las": 0.68, "upos": 0.9}, max_drop={"punct:": 36}, only=True)
    result = eh.score(TREES_GATE_SCORES[0], TREES_GATE_SCORES[2])
    assert verdicts(gate) == {
        "floor nsubj:las": (round(result["las"].labels["nsubj"].recall, 4), False),
        "floor upos": (0.938, True),
        "max-drop punct:": (36.0902, False),
    }


def test_resolvers_by_the_names_people_use() -> None:
    gate = eh.gate(
        CHAINS_GATE_SCORES[0],
        candidate=CHAINS_GATE_SCORES[2],
        floor={"b3": 0.57, "conll": 0.6},
        ceiling={"arcs_any.wl": 26},
    )
    assert verdicts(gate) == {
        "floor b3": (0.5751, True),
        "floor conll": (0.5922, False),
        "ceiling arcs_any.wl": (26, True),
    }


def test_parameters_of_match_models_that_are_named() -> None:
    """They would be refused in a comparison that names no score."""
    strict, loose = (eh.score(GOLD, CRF, match="iou", iou=iou)["iou"].f1 for iou in (0.9, 0.2))
    assert strict < loose
    for baseline in (None, TAGGER):
        gate = eh.gate(GOLD, baseline, CRF, floor={"iou": loose}, iou=0.9, only=True)
        assert verdicts(gate) == {"floor iou": (round(strict, 4), False)}
        assert "|iou:0.9" in gate.signature
    with pytest.raises(eh.SettingError, match="iou has no effect in a comparison"):
        eh.gate(GOLD, TAGGER, CRF, iou=0.9)


def test_annotations_by_keyword() -> None:
    """`baseline` is a name in `compare`, but an input here."""
    gold, old, new = map(eh.read, (GOLD, TAGGER, CRF))
    assert eh.gate(gold, baseline=old, candidate=new, max_drop=20, only=True).passed
    assert eh.gate(GOLD, baseline=TAGGER, candidate=CRF, max_drop=20, only=True).passed


def test_the_json_is_the_same_after_floors_as_before_but_for_what_they_add() -> None:
    plain, more = (eh.gate(GOLD, TAGGER, CRF, max_drop=1, **each).to_dict() for each in ({}, {"floor": {"fair": 0}}))
    del more["criteria"][0]
    assert json.dumps(plain) == json.dumps(more)


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ({"floor": {"PER": 0.8}}, "'PER' is not a score: fair has no figure 'PER', only headline, TP, "),
        ({"floor": {"PER": 0.8}}, "; for a label write PER:f1."),
        ({"floor": {"XX:f1": 0.8}}, "'XX:f1' is not a score: unknown label 'XX', only LOC, MISC, ORG, PER."),
        ({"floor": {"fair": 85}}, "floor fair is 85; scores are fractions from 0 to 1: use 0.85 or 85%."),
        (
            {"ceiling": {"f1": 101}},
            "ceiling f1 is 101; scores are fractions from 0 to 1: use a fraction or a percentage.",
        ),
        (
            {"floor": {"f1": "101%"}},
            "floor f1 is 101%; scores are fractions from 0 to 1: use a fraction or a percentage.",
        ),
        (
            {"floor": {"leak.documents_safe": 1}},
            "floor leak.documents_safe is 1, but documents_safe is a count; for a share, use leak.documents_safe_share; "
            "for a count, use 2 or more.",
        ),
        ({"floor": {"leak.covered": 0.9}}, "covered is a count; for a share, use leak.recall; for a count,"),
        ({"ceiling": {"leak.leaked": 0.1}}, "leaked is a count; for a share, use leak.leak_rate; for a count, use a"),
        ({"floor": {"PER:TP": 1}}, "TP is a count; for a share, use PER:precision or PER:recall or PER:f1;"),
        ({"ceiling": {"FP": "5%"}}, "ceiling FP is 5%, but FP is a count; for a share, use precision or recall or f1;"),
        ({"floor": {"fair": float("nan")}}, "floor fair is nan; it must be a score or a count, at least 0."),
        ({"floor": {"recall": -1}}, "floor recall is -1; it must be a score or a count, at least 0."),
        ({"floor": {"fair": "0.8"}}, "floor is {'fair': '0.8'}; it must be a mapping from names of scores to numbers"),
        ({"floor": 0.8}, "floor is 0.8; it must be a mapping from names of scores to numbers, or None."),
        (
            {"floor": {"fair.macro": 0.8}},
            "'fair.macro' is ambiguous; choose one of fair.macro.precision,",
        ),
        ({"floor": {"FN.x": 0.8}}, "'FN.x' is not a score: a number has no figures such as 'x'."),
        ({"floor": {"PER:accuracy.f1": 1}}, "'PER:accuracy.f1' is not a score: accuracy has no scores by label."),
        ({"max_drop": 1}, "max-drop needs a baseline; specify one, or use floor and ceiling."),
        ({"floor": {"fair": 0}, "alpha": 0.05}, "alpha needs a baseline; specify one"),
        ({}, "Without a baseline there is nothing to compare with; specify one, or a floor or ceiling."),
        ({"floor": {"fair": 0}, "match": "exact,fair"}, "Systems are compared by one measure, got exact and fair"),
        (
            {"baseline": CRF, "max_drop": {"FP": 3}},
            "max-drop FP is in points, but FP is a count; use ceiling or floor.",
        ),
        ({"baseline": CRF, "max_drop": {"f1": -3}}, "max-drop f1 is -3; it must be a number of points from 0 to 100."),
        ({"baseline": CRF, "max_label_drop": 101}, "max-label-drop is 101; it must be a number of points from 0 to"),
        ({"baseline": CRF, "candidate": None}, "The candidate is missing; specify it: gate(gold, candidate=…)"),
    ],
)
def test_what_cannot_be_judged_is_refused(criteria: dict, message: str) -> None:
    with pytest.raises(eh.SettingError) as caught:
        eh.gate(GOLD, **{"candidate": CRF, **criteria})
    assert message in str(caught.value)


def test_without_a_baseline_there_is_no_pair() -> None:
    gate = eh.gate(GOLD, candidate=CRF, floor={"fair": 0})
    with pytest.raises(eh.SettingError, match="The gate has no baseline to compare with"):
        _ = gate.pair


def test_a_gate_may_need_power() -> None:
    """A gate that passes for lack of data fails: 36 texts do not show a drop of one point."""
    systems = [EXAMPLES / "relations" / f"{name}.jsonl" for name in ("gold", "pipeline", "joint")]
    gate = eh.gate(*systems, need_power=0.8, power_for=1)
    assert [(criterion.name, criterion.passed) for criterion in gate.criteria] == [
        ("alpha", True),
        ("need-power", False),
    ]
    assert "A drop of 1 point would be significant " in gate.criteria[1].sentence
    assert gate.criteria[1].value == pytest.approx(0.05, abs=0.02)
    assert eh.gate(*systems, need_power=0.8, power_for="60pp", only=True).passed


def test_too_few_groups_have_no_power_and_equal_outputs_need_none(write) -> None:
    few = eh.gate(*write(gold=[["B-A O"]] * 9, old=[["B-A O"]] * 9, new=[["O O"], *[["B-A O"]] * 8]), need_power=0.8)
    assert few.criteria[-1].sentence == "9 documents are too few to show a drop of 1 point; the minimum is 80 % power."
    assert not few.passed
    same = eh.gate(*write(gold=[["B-A O"]] * 12, old=[["O O"]] * 12, new=[["O O"]] * 12), need_power=0.8)
    assert same.passed
    assert same.criteria[-1].sentence == "The two outputs are identical; there is no difference to detect."
    files = write(gold=[["B-A O"]] * 12, old=[["B-A O"]] * 12, new=[["O O"]] * 12)
    assert not eh.gate(*files, need_power=0.8).criteria[-1].passed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power_for": 1}, "--for has no effect without --need-power"),
        ({"need_power": 1}, "need-power is 1"),
        ({"need_power": 0.8, "power_for": 0}, "--for is 0"),
    ],
)
def test_a_power_that_no_test_can_have_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(eh.SettingError, match=message):
        eh.gate(*TREES, **options)


def test_no_slice_may_be_worse() -> None:
    ner = Path(eh.__file__).parent / "examples" / "ner"
    gold, crf, tagger = (ner / f"{name}.conll" for name in ("gold", "crf", "tagger"))
    worse = eh.gate(gold, tagger, crf, no_worse_slice=True, only=True)
    (criterion,) = worse.failures
    assert (criterion.name, criterion.value) == ("no-worse-slice", len(worse.causes.found))
    assert worse.causes.found[0].slice in criterion.sentence
    better = eh.gate(gold, crf, tagger, no_worse_slice=True, only=True)
    assert better.passed
    (criterion,) = better.criteria
    assert criterion.sentence.startswith(
        "The candidate is not significantly worse in any of 35 slices. Half of them can only"
    )
    assert better.signature.endswith("|units:all|slices:length,sentence-length,position,capitals,label|worse:1")
    with pytest.raises(eh.SettingError, match="no-worse-slice needs a baseline"):
        eh.gate(gold, candidate=crf, no_worse_slice=True)


def test_five_falling_labels_are_named_and_the_others_counted() -> None:
    criterion = eh.gate(*TREES, max_label_drop=1, alpha=0.05, trials=100).criteria[0]
    assert criterion.value == 100
    assert criterion.sentence == (
        "Labels fall by too many points: fixed by 100.00, discourse by 100.00, flat by 85.71, ccomp by 75.00, "
        "acl by 54.55, and 17 more labels; the limit is 1 point."
    )


def test_labels_cannot_fall_if_there_are_none() -> None:
    with pytest.raises(eh.SettingError, match="mela of this gold standard has no labels"):
        eh.gate(*CHAINS, max_label_drop=1, trials=100)


def test_keywords_that_change_no_gate_are_refused() -> None:
    with pytest.raises(eh.SettingError, match=r"^jobs .* in a gate; "):
        eh.gate(GOLD, candidate=CRF, floor={"fair": 0.1}, jobs=2)
