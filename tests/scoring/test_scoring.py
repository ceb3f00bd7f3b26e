"""Precision, recall and F-beta."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from build import pairs, rows
from evenhand.arrays import ints
from evenhand.scoring.prf import PRF, prf
from evenhand.scoring.scores import SentenceCounts
from evenhand.scoring.tally import Tally
from evenhand.tasks.spans.fair import exact, fair, tally_equal_and_unequal, tally_spans
from evenhand.tasks.spans.matching import equal_spans
from evenhand.tasks.spans.measures import ERRORS, PRESETS, parse_weights

counts = st.integers(0, 1000)


def outcomes(tp: Any, fp: Any, fn: Any, beta: float = 1.0) -> PRF:
    return prf(tp, tp + fp, tp, tp + fn, beta)


def test_by_hand() -> None:
    """8 found of 10, 12 predicted: P = 2/3, R = 4/5, F1 = 16/22, F2 = 5·8 / (5·8 + 4·2 + 4)."""
    precision, recall, f1, f2 = outcomes(8, 4, 2, beta=2)
    assert (precision, recall, f1, f2) == pytest.approx((2 / 3, 4 / 5, 16 / 22, 40 / 52))


def test_zero_by_zero_is_zero() -> None:
    assert [float(value) for value in outcomes(0, 0, 0)] == [0, 0, 0, 0]
    assert [float(value) for value in outcomes(0, 3, 0)] == [0, 0, 0, 0]


@given(st.integers(1, 1000), counts, counts, st.floats(0.1, 10))
def test_f_beta_is_the_weighted_harmonic_mean(tp: int, fp: int, fn: int, beta: float) -> None:
    precision, recall, f1, f_beta = outcomes(tp, fp, fn, beta)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert f_beta == pytest.approx((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


def test_arrays_in_arrays_out() -> None:
    found = outcomes(np.array([1, 0]), np.array([1, 0]), np.array([0, 0]))
    assert found.precision.tolist() == [0.5, 0.0]
    assert found.recall.tolist() == [1.0, 0.0]


def test_precision_and_recall_may_count_different_things() -> None:
    """3 of 4 system spans hit, 2 of 5 gold spans are hit: P = 3/4, R = 2/5, F1 = 2 · 3/10 / (23/20)."""
    assert prf(3, 4, 2, 5) == pytest.approx((3 / 4, 2 / 5, 12 / 23, 12 / 23))


# Weight tables: presets, formulas, and what cannot be read


EQUATION_7 = "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, BEO = 0.5 TP + 0.25 FP + 0.25 FN, LBE = 0.5 FP + 0.5 FN"
LONG = 2_000_000
"""So many characters that a pattern which tries every start at every place would not end."""


def test_presets_are_the_equations_of_ortmann_2022() -> None:
    assert [PRESETS["fair"][kind] for kind in ERRORS] == [(0, 0.5, 0.5)] * 5
    assert [PRESETS["lenient"][kind] for kind in ("BES", "BEL", "BEO")] == [(0.5, 0.25, 0.25)] * 3
    assert PRESETS["lenient"]["LE"] == (0, 0.5, 0.5)
    assert [PRESETS["boundaries"][kind] for kind in ("BES", "BEL", "BEO")] == [
        (0.5, 0, 0.5),
        (0.5, 0.5, 0),
        (0.5, 0.25, 0.25),
    ]
    assert [PRESETS["as-fp"][kind] for kind in ERRORS] == [(0, 1, 0)] * 5
    assert [PRESETS["as-fn"][kind] for kind in ERRORS] == [(0, 0, 1)] * 5


@pytest.mark.parametrize(
    "text",
    [
        EQUATION_7,
        EQUATION_7.replace(" ", ""),
        EQUATION_7.replace(".5 ", ".5 * "),
        EQUATION_7.replace(",", "\n"),
        EQUATION_7.replace(",", " # why\n"),
        "boundaries",
    ],
)
def test_the_formula_however_it_is_written(text: str) -> None:
    assert str(parse_weights(text)) == str(PRESETS["boundaries"])


def test_what_is_not_named_keeps_equation_5() -> None:
    weights = parse_weights("BES = TP")
    assert weights["BES"] == (1, 0, 0)
    assert weights["BEL"] == weights["LE"] == (0, 0.5, 0.5)


def test_be_covers_the_kinds_that_are_not_named() -> None:
    weights = parse_weights("BEO = FN, BE = 0.5 TP + 0.5 FP")
    assert [weights[kind] for kind in ("BES", "BEL", "BEO")] == [(0.5, 0.5, 0), (0.5, 0.5, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    "text", ["", "BEX = TP", "LE", "LE = 0.5", "LE = 0.5 XX", "LE = -1 TP", "LE = TP, LE = FP", "nonsense"]
)
def test_what_cannot_be_read_is_an_error_with_an_example(text: str) -> None:
    with pytest.raises(eh.SettingError, match=r"LE = 0\.5 FP"):
        parse_weights(text)


def test_a_user_s_formula_scores_as_its_own_model() -> None:
    gold, system = eh.spans([[("A", 0, 3), ("B", 5, 6)]]), eh.spans([[("A", 0, 2), ("B", 5, 6)]])
    result = eh.score(gold, system, weights="BES = 0.8 TP + 0.2 FN")
    assert list(result.scores) == ["exact", "fair", "weighted"]
    assert result["weighted"].recall == pytest.approx(1.8 / 2)
    assert result["weighted"].precision == 1.0
    assert "weights:LE=0.5FP+0.5FN,BES=0.8TP+0.2FN" in result.signature


@pytest.mark.parametrize(
    "formula",
    [
        "LE = 1" + " " * LONG + "XX",
        "LE = " + "1" * LONG,
        "LE = " + " " * LONG,
        "LE = 1" + " " * LONG + "*" + " " * LONG,
    ],
    ids=["blanks", "digits", "nothing", "an asterisk"],
)
def test_long_formulas_are_refused_at_once_and_quoted_in_part(formula: str) -> None:
    with pytest.raises(eh.SettingError) as raised:
        parse_weights(formula)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("number", ["9" * 400, "1000001", "999999 TP + 2"])
def test_numbers_that_no_count_can_be_multiplied_with(number: str) -> None:
    with pytest.raises(eh.SettingError, match="in the weights: write numbers of at most 1,000,000, as in"):
        parse_weights(f"LE = {number} TP")


@pytest.mark.parametrize("number", ["nan", "inf", "1e5", "0x1", "1_000"])
def test_other_spellings_of_numbers(number: str) -> None:
    with pytest.raises(eh.SettingError, match="write numbers of TP, FP and FN with plus signs between them"):
        parse_weights(f"LE = {number} TP")


def test_weights_of_nothing_give_scores_of_0() -> None:
    gold, system = eh.spans([[("A", 0, 3)]]), eh.spans([[("B", 0, 3)]])
    result = eh.score(gold, system, match="weighted", weights="LE = 0 TP, BE = 0 TP, LBE = 0 TP")
    assert (result["weighted"].precision, result["weighted"].recall, result["weighted"].f1) == (0.0, 0.0, 0.0)


# Tallies: counts that add up, in any order and from any number of parts


SENTENCES = st.lists(st.tuples(rows(), rows()), min_size=1, max_size=6)


def tally(sentences: list, first: int = 0) -> Tally:
    """A tally with a group a sentence, numbered from `first`."""
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    return tally_spans(fair(gold, system), gold, system, np.arange(len(sentences)) + first)


@given(SENTENCES, st.data())
def test_parts_add_up_to_the_whole(sentences: list, data: st.DataObject) -> None:
    """Any cut into shards, merged in any order; the parts have vocabularies of their own."""
    cut = data.draw(st.integers(0, len(sentences)))
    parts = [tally(sentences[:cut]), tally(sentences[cut:], first=cut)]
    assert Tally.merge(data.draw(st.permutations(parts))) == tally(sentences)


@given(SENTENCES)
def test_groups_add_up_to_the_total(sentences: list) -> None:
    whole = tally(sentences)
    groups = [whole.choose(ints([group])).shifted(group) for group in range(len(sentences))]
    assert Tally.merge(groups) == whole
    assert Tally.merge([group.total() for group in groups]) == whole.total()


@given(SENTENCES, SENTENCES)
def test_tallies_beside_each_other_keep_their_groups(left: list, right: list) -> None:
    """Each tally has a vocabulary of its own."""
    groups = max(len(left), len(right))
    assert Tally.concatenate([tally(left), tally(right)], groups) == tally(left) + tally(right).shifted(groups)


@given(SENTENCES)
def test_groups_may_be_repeated(sentences: list) -> None:
    times = np.arange(len(sentences)) % 3
    repeated = [sentence for sentence, number in zip(sentences, times, strict=True) for _ in range(number)]
    assert tally(sentences).repeated(times).total() == tally(repeated).total()


def test_rows_that_agree_are_one_row() -> None:
    whole = tally([([("A", 1, 1)], [("A", 1, 1)])] * 3).total()
    assert whole.cells() == {(0, "A", "A", "TP"): 3}


def test_no_label_is_the_empty_string() -> None:
    assert tally([([("A", 1, 1)], [("B", 3, 3)])]).cells() == {(0, "A", "", "FN"): 1, (0, "", "B", "FP"): 1}


def test_fractions_stay_fractions() -> None:
    one = np.array([0])
    half = Tally.of(["A"], ["TP"], one, one, one, one, np.array([0.5]))
    assert (half + half).cells() == {(0, "A", "A", "TP"): 1.0}
    assert (half + half).count.dtype == np.float64


def test_many_labels_take_no_more_room_than_they_need() -> None:
    labels = [f"label-{i}" for i in range(10_000)]
    code = np.arange(10_000)
    whole = Tally.of(labels, ["TP"], np.zeros_like(code), code, code, np.zeros_like(code))
    assert len(whole) == 10_000
    assert whole.count.tolist() == [1] * 10_000


@given(SENTENCES, st.booleans())
def test_counts_without_verdicts_on_equal_spans_are_the_same(sentences: list, in_total: bool) -> None:
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    groups = np.zeros(len(sentences), dtype=np.int64) if in_total else np.arange(len(sentences))
    equal, others = equal_spans(gold, system)
    missing, surplus = np.delete(np.arange(len(gold)), equal), np.delete(np.arange(len(system)), others)
    for judge in (exact, fair):
        rest = judge(gold.take(missing), system.take(surplus))
        found = tally_equal_and_unequal(equal, rest, (missing, surplus), gold, system, groups)
        assert found == tally_spans(judge(gold, system), gold, system, groups)


# Rows and counts of sentences


def test_more_correct_sentences_than_sentences_are_a_mistake() -> None:
    assert SentenceCounts(2, 3).share == 2 / 3
    with pytest.raises(ValueError, match="4 of 3 sentences are correct"):
        SentenceCounts(4, 3)


def test_a_row_names_counts_and_further_scores() -> None:
    row = eh.score(eh.tags([["B-PER"]]), eh.tags([["O"]]), match="fair")["fair"].overall
    assert "LE" in row
    assert row["FN"] == 1
    assert [name for name in row if name in ("TP", "FN", "BE")] == ["TP", "FN", "BE"]


def test_an_empty_tally_has_no_groups_and_no_sums() -> None:
    empty = Tally.of(["PER"], ("TP",), *(ints([]),) * 4)
    assert len(empty) == 0
    assert empty.by_group(2, [{"TP": 1}]).tolist() == [[[0.0]], [[0.0]]]
    assert empty.by_group(2, [{"TP": 1}], []).shape == (2, 0, 1)
