"""Weight tables: presets, formulas, and what cannot be read."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.scoring.weights import ERRORS, PRESETS, parse_weights

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
