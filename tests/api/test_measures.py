"""Every match model through `score`: SemEval's four measures, the lenient models, settings and what they are called."""

from __future__ import annotations

from math import isnan, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from build import Row, rows

SENTENCES = st.lists(st.tuples(rows(), rows()), min_size=1, max_size=4)
Sentences = list[tuple[list[Row], list[Row]]]
WORDS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
MODELS = (
    "exact",
    "fair",
    "weighted",
    "ts",
    "t",
    "overlap",
    "contain",
    "constrained",
    "iou",
    "semeval-strict",
    "semeval-exact",
    "semeval-partial",
    "semeval-type",
    "accuracy",
)
SEMEVAL = MODELS[9:13]


def scored(sentences: Sentences, match: str, **options: object) -> eh.Result:
    """The spans of both sides as the papers write them: ends are inclusive, tokens are counted from 1."""
    gold, system = (eh.spans([pair[side] for pair in sentences], end="inclusive", first=1) for side in (0, 1))
    return eh.score(gold, system, match=match, **options)  # type: ignore[arg-type]


def is_undefined(result: eh.Result, model: str) -> bool:
    """Whether precision, recall and F1 are undefined; they must be so for a gold standard without spans, and only then."""
    row = result[model].overall
    undefined = {isnan(score) for score in (row.precision, row.recall, row.f1)}
    assert undefined == {not result.gold.units}
    return undefined == {True}


# SemEval

GOLD = [("PER", 0, 2), ("LOC", 3, 4), ("ORG", 5, 8), ("LOC", 9, 11), ("MISC", 12, 13), ("PER", 14, 15)]
SYSTEM = [
    ("PER", 0, 2),  # the same
    ("ORG", 3, 4),  # another label
    ("ORG", 5, 7),  # other bounds
    ("LOC", 10, 11),  # other bounds
    ("PER", 12, 14),  # another label and other bounds; the last gold span is missing
    ("LOC", 15, 17),  # spurious
    ("ORG", 18, 19),  # spurious
]


@pytest.mark.parametrize(
    ("measure", "counts", "right"),
    [
        ("strict", {"COR": 1, "INC": 4, "PAR": 0, "MIS": 1, "SPU": 2}, 1),
        ("exact", {"COR": 2, "INC": 3, "PAR": 0, "MIS": 1, "SPU": 2}, 2),
        ("partial", {"COR": 2, "INC": 0, "PAR": 3, "MIS": 1, "SPU": 2}, 3.5),
        ("type", {"COR": 3, "INC": 2, "PAR": 0, "MIS": 1, "SPU": 2}, 3),
    ],
)
def test_semeval_by_hand(measure: str, counts: dict[str, int], right: float) -> None:
    """Possible = 6, actual = 7; precision = (COR + PAR / 2) / 7, recall = (COR + PAR / 2) / 6, F1 = 2 · right / 13."""
    overall = eh.score(eh.spans([GOLD]), eh.spans([SYSTEM]), match="semeval")[f"semeval-{measure}"].overall
    assert overall.counts == counts
    assert (overall.precision, overall.recall) == (right / 7, right / 6)
    assert overall.f1 == pytest.approx(2 * right / 13)


def test_semeval_counts_a_pair_for_its_gold_label_and_spurious_spans_for_their_own() -> None:
    rows = eh.score(eh.spans([GOLD]), eh.spans([SYSTEM]), match="semeval-type")["semeval-type"].labels
    kinds = ("COR", "INC", "MIS", "SPU")
    assert {label: [row[kind] for kind in kinds] for label, row in rows.items()} == {
        "LOC": [1, 1, 0, 1],
        "MISC": [0, 1, 0, 0],
        "ORG": [1, 0, 0, 1],
        "PER": [1, 0, 1, 0],
    }


def test_semeval_stands_for_its_four_measures() -> None:
    assert tuple(scored([([], [])], "semeval").scores) == SEMEVAL


@given(SENTENCES)
def test_semeval_strict_scores_what_exact_match_scores(sentences: Sentences) -> None:
    """Its INC pairs are an FP and an FN each."""
    result = scored(sentences, "exact,semeval-strict")
    exact, strict = result["exact"].overall, result["semeval-strict"].overall
    if is_undefined(result, "exact"):
        assert is_undefined(result, "semeval-strict")
        return
    assert (strict.precision, strict.recall, strict.f1) == (exact.precision, exact.recall, exact.f1)


@given(SENTENCES, st.randoms(use_true_random=False))
def test_semeval_does_not_depend_on_the_order_of_the_spans(sentences: Sentences, chance) -> None:
    """A known defect of nervaluate."""
    shuffled = [tuple(chance.sample(side, len(side)) for side in pair) for pair in sentences]
    first, second = (scored(each, "semeval").to_dict()["systems"][0]["scores"] for each in (sentences, shuffled))
    assert first == second


@given(SENTENCES)
def test_semeval_counts_every_span_of_both_sides_once(sentences: Sentences) -> None:
    result = scored(sentences, "semeval")
    for measure in SEMEVAL:
        counts = result[measure].overall.counts
        paired = counts["COR"] + counts["INC"] + counts["PAR"]
        assert paired + counts["MIS"] == sum(len(gold) for gold, _ in sentences)
        assert paired + counts["SPU"] == sum(len(system) for _, system in sentences)


# Overlap, contain, constrained, iou

LENIENT_GOLD = [("A", 0, 4), ("A", 5, 6), ("A", 7, 8), ("B", 9, 11)]
LENIENT_SYSTEM = [("A", 0, 1), ("A", 2, 4), ("A", 5, 8), ("B", 9, 12), ("B", 14, 15)]
"""A gold span in two pieces, two gold spans in one, one with a token too many, and one out of nothing."""


@pytest.mark.parametrize(
    ("model", "options", "gold_hits", "system_hits"),
    [
        ("overlap", {}, 4, 4),
        ("contain", {}, 3, 2),
        ("constrained", {}, 1, 1),
        ("constrained", {"spurious": 0}, 0, 0),
        ("constrained", {"missing": 0}, 1, 1),
        ("constrained", {"missing": 2}, 2, 2),
        ("constrained", {"spurious": 2}, 3, 2),
        ("constrained", {"spurious": 2, "missing": 3}, 4, 4),
        ("iou", {}, 2, 2),
        ("iou", {"iou": 0.6}, 1, 1),
        ("iou", {"iou": 0.3}, 4, 3),
        ("iou", {"iou": 1}, 0, 0),
    ],
)
def test_one_to_many_by_hand(model: str, options: dict[str, float], gold_hits: int, system_hits: int) -> None:
    """Recall is the share of the 4 gold spans that are hit, precision that of the 5 system spans that hit."""
    overall = eh.score(eh.spans([LENIENT_GOLD]), eh.spans([LENIENT_SYSTEM]), match=model, **options)[model].overall
    assert overall.counts == {"gold_hits": gold_hits, "gold": 4, "system_hits": system_hits, "system": 5}
    assert (overall.precision, overall.recall) == (system_hits / 5, gold_hits / 4)
    expected = 2 * overall.precision * overall.recall / (overall.precision + overall.recall) if gold_hits else 0
    assert overall.f1 == pytest.approx(expected)


def test_hits_by_label() -> None:
    labels = eh.score(eh.spans([LENIENT_GOLD]), eh.spans([LENIENT_SYSTEM]), match="overlap")["overlap"].labels
    assert labels["A"].counts == {"gold_hits": 3, "gold": 3, "system_hits": 3, "system": 3}
    assert labels["B"].counts == {"gold_hits": 1, "gold": 1, "system_hits": 1, "system": 2}


@given(SENTENCES)
def test_overlap_is_the_most_lenient_and_exact_match_the_least(sentences: Sentences) -> None:
    result = scored(sentences, "exact,overlap,contain,constrained,iou")
    exact, overlap = result["exact"].overall, result["overlap"].overall
    if is_undefined(result, "exact"):
        assert all(is_undefined(result, model) for model in ("overlap", "contain", "constrained", "iou"))
        return
    for model in ("contain", "constrained", "iou"):
        row = result[model].overall
        assert exact.precision <= row.precision <= overlap.precision
        assert exact.recall <= row.recall <= overlap.recall


@given(SENTENCES)
def test_swapping_sides_swaps_precision_and_recall(sentences: Sentences) -> None:
    swapped = [(system, gold) for gold, system in sentences]
    for model in ("overlap", "iou"):
        results = scored(sentences, model), scored(swapped, model)
        if True in {is_undefined(result, model) for result in results}:
            continue
        one, other = (result[model].overall for result in results)
        assert (one.precision, one.recall) == (other.recall, other.precision)


# Tokens and separators


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12))
def test_separators_without_weight_make_ts_equal_t(tags: list[tuple[str, str]]) -> None:
    sides = (eh.tags([[pair[side] for pair in tags]]) for side in (0, 1))
    result = eh.score(*sides, match="ts,t", separator_weight=0)
    assert (result["ts"].macro, result["ts"].labels) == (result["t"].macro, result["t"].labels)


def test_separator_weights_in_table_1_of_esuli_and_sebastiani_2010() -> None:
    gold, system = eh.spans([[("c", 1, 3), ("c", 7, 9)]]), eh.spans([[("c", 1, 4), ("c", 7, 8), ("c", 8, 9)]])
    f1 = {weight: eh.score(gold, system, match="ts", separator_weight=weight)["ts"].f1 for weight in (1, 0.5, 0)}
    assert f1 == {1: pytest.approx(10 / 13), 0.5: pytest.approx(9 / 11), 0: pytest.approx(8 / 9)}


def test_beta_makes_f_beta_the_headline_of_ts() -> None:
    """One token of three: TP 1, FN 2 tokens and 2 separators; P = 1, R = 1/5, F2 = 5 · .2 / (4 + .2)."""
    score = eh.score(eh.tags([["B-A", "I-A", "I-A"]]), eh.tags([["B-A", "O", "O"]]), match="ts", beta=2)["ts"]
    assert score.f1 == pytest.approx(1 / 3)
    assert score.headline == score.macro.f_beta == pytest.approx(5 / 21)


# Settings


@pytest.mark.parametrize("text", ["", " ", "=LOC", "PLACE=", "PLACE= , "])
def test_a_supertag_that_cannot_be_read(text: str) -> None:
    with pytest.raises(eh.SettingError, match=r"is not a supertag; write NAME, or NAME=LABEL,LABEL\."):
        scored([([], [])], "ts", supertag=[text])


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("iou", 0, "iou is 0; it must be above 0 and at most 1."),
        ("iou", 1.5, "iou is 1.5; it must be above 0 and at most 1."),
        ("iou", float("nan"), "iou is nan; it must be above 0 and at most 1."),
        ("spurious", -1, "constrained_spurious is -1; it must be 0 or more."),
        ("constrained_missing", -1, "constrained_missing is -1; it must be 0 or more."),
        ("separator_weight", -0.5, "separator_weight is -0.5; it must be 0 or more."),
        ("separator_weight", float("inf"), "separator_weight is inf; it must be 0 or more."),
    ],
)
def test_values_out_of_range(option: str, value: float, sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        scored([([], [])], "exact", **{option: value})
    assert str(error.value) == sentence


def signed(match: str, **options: object) -> dict[str, str]:
    nothing = eh.tags([["O"]])
    signature = eh.score(nothing, nothing, match=match, **options).signature  # type: ignore[arg-type]
    return dict(part.split(":", 1) for part in signature.split("|"))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("models", "options", "named"),
    [
        (("ts",), {"separator_weight": 0.5}, {"separators": "0.5"}),
        (("ts", "t"), {}, {"token-weights": "none"}),
        (("constrained",), {"spurious": 2, "missing": 0}, {"spurious": "2", "missing": "0"}),
        (("iou",), {"iou": 0.75}, {"iou": "0.75"}),
        (("weighted",), {}, {"weights": "LE=0.5FP+0.5FN,BES=0.5TP+0.5FN,BEL=0.5TP+0.5FP,BEO=0.5TP+0.25FP+0.25FN,LBE=0.5FP+0.5FN"}),
        (MODELS, {"supertag": ["ENTITY", "PLACE=LOC,GPE"]}, {"supertags": "ENTITY,PLACE=LOC+GPE"}),
    ],
)  # fmt: skip
def test_the_signature_names_settings_where_they_matter(
    models: tuple[str, ...], options: dict[str, object], named: dict[str, str]
) -> None:
    for model in MODELS:
        found = signed(model, **options)
        assert {key: found.get(key) for key in named} == (named if model in models else dict.fromkeys(named))


def test_baselines_change_no_number_and_are_not_in_the_signature() -> None:
    assert signed("ts", baselines=True) == signed("ts")


# All of them


@pytest.fixture(scope="module")
def all_models() -> eh.Result:
    folder = Path(eh.__file__).parent / "examples" / "ner"
    return eh.score(folder / "gold.conll", folder / "tagger.conll", match=MODELS, supertag="ENTITY", baselines=True)


def test_names_under_scores(all_models: eh.Result) -> None:
    """As the design lists them; they stay."""
    assert tuple(all_models.to_dict()["systems"][0]["scores"]) == MODELS


def test_headlines(all_models: eh.Result) -> None:
    """`ts` and `t`: macro F1; else overall F1, or accuracy. `.f1` is the headline's."""
    scores = all_models.to_dict()["systems"][0]["scores"]
    for model in MODELS[:-1]:
        average = "macro" if model in ("ts", "t") else "overall"
        assert scores[model]["headline"] == scores[model][average]["f1"] == all_models[model].f1
        assert all_models[model].precision == scores[model][average]["precision"]
    assert scores["accuracy"]["headline"] == scores["accuracy"]["overall"]["accuracy"] == all_models["accuracy"].f1


def test_what_each_model_counts(all_models: eh.Result) -> None:
    counts = {model: tuple(all_models[model].overall.counts) for model in MODELS}
    assert counts["exact"] == ("TP", "FP", "FN")
    assert set(counts["fair"]) == set(counts["weighted"]) == {"TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP", "BE"}
    assert counts["ts"] == counts["t"] == ("TP", "FP", "FN", "TN", "close", "missed")
    for model in ("overlap", "contain", "constrained", "iou"):
        assert counts[model] == ("gold_hits", "gold", "system_hits", "system")
    for model in SEMEVAL:
        assert counts[model] == ("COR", "INC", "PAR", "MIS", "SPU")
    assert counts["accuracy"] == ("correct", "tokens")


def test_contract_of_models_with_true_negatives_supertags_and_baselines(all_models: eh.Result) -> None:
    scores = all_models.to_dict()["systems"][0]["scores"]
    for model in ("ts", "t"):
        assert {"accuracy", "specificity", "false_positive_rate", "kappa", "positive"} <= set(scores[model]["overall"])
        assert set(scores[model]["baselines"]) == {"rejector", "acceptor"}
    assert [model for model in MODELS if "baselines" in scores[model]] == ["ts", "t"]
    assert [model for model in MODELS if "supertags" not in scores[model]] == ["accuracy"]


@pytest.mark.parametrize("model", MODELS)
def test_every_model_scores_a_perfect_system_with_1(model: str) -> None:
    tags = eh.tags([["B-A", "I-A", "O", "B-B"], ["O", "B-A"]])
    result = eh.score(tags, tags, match=model)
    assert (result[model].headline, result[model].f1) == (1, 1)


@pytest.mark.parametrize("model", MODELS[:-1])
def test_every_model_scores_nothing_at_all_with_0(model: str) -> None:
    """Without any gold span, scores are undefined."""
    gold, nothing = eh.tags([["B-A", "O"]]), eh.tags([["O", "O"]])
    sides = (gold, nothing), (nothing, gold), (nothing, nothing)
    headlines = [eh.score(*each, match=model)[model].headline for each in sides]
    assert headlines == pytest.approx([0, nan, nan], nan_ok=True)


def test_every_model_shows_itself_beside_the_others_with_another_beta() -> None:
    """Token accuracy has no beta, but a column for it like the others."""
    tags = eh.tags([["B-A", "O"]])
    lines = str(eh.score(tags, tags, match=MODELS, beta=2)).splitlines()
    summary = [line.split() for line in lines[2 : 4 + len(MODELS)]]
    assert summary[0] == ["model", "prec.", "recall", "F1", "F2"]
    assert [line[-1] for line in summary[2:]] == ["100.00"] * len(MODELS)


def test_two_supertags_of_one_name_are_refused() -> None:
    tags = eh.tags([["B-A", "B-B"]])
    with pytest.raises(eh.SettingError, match="same name"):
        eh.score(tags, tags, match="exact", supertag=["X=A", "X=B"])


def test_the_true_negatives_of_a_system_do_not_depend_on_the_others() -> None:
    gold, flat, nested = eh.tags([["B-A", "O"]]), eh.tags([["B-A", "O"]]), eh.tags([["B-A|B-A", "O|O"]])
    alone = eh.score(gold, {"flat": flat}, match="t", levels="separate")["flat"]["t"].labels["A"]
    beside = eh.score(gold, {"flat": flat, "nested": nested}, match="t", levels="separate")["flat"]["t"].labels["A"]
    assert alone["TN"] == beside["TN"] == 1


def test_the_finest_groups_count_no_close_and_missed_spans() -> None:
    tags = eh.tags([["B-A", "B-B"]])
    assert "close" not in eh.score(tags, tags, match="ts", groups="finest")["ts"].overall.counts
    assert eh.score(tags, tags, match="ts", groups="sentence")["ts"].overall["close"] == 0
