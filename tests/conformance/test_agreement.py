"""Agreement over codes and units: figures of papers, and of krippendorff, irrCAC, scikit-learn, DKPro and others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.agreement import unitizing
from evenhand.agreement.coefficients import (
    AC1,
    ALPHA,
    FLEISS,
    KAPPA,
    MISSING,
    OBSERVED,
    AnnotatorSpans,
    Codebook,
    Patterns,
    ac1_expected,
    defined,
    fleiss_expected,
    kappa_expected,
    mean_defined,
    ratio,
)
from evenhand.agreement.unitizing import alpha_u, disagreement, disorder, gamma
from evenhand.arrays import Values

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "agreement.json").read_text())


def flat(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float | None]]:
    """Figures by their path: `labels.1.fleiss`."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def patterns_of(items: Sequence[Sequence[str | None]], names: Sequence[str]) -> Patterns:
    """Patterns of named codes, one row per item; None is a missing code."""
    table = np.full((len(items), max(map(len, items))), MISSING)
    for row, item in enumerate(items):
        table[row, : len(item)] = [MISSING if name is None else names.index(name) for name in item]
    return Patterns(table, len(names))


def light(patterns: Patterns, counts: Values) -> float | None:
    """Light's kappa: the mean of the defined Cohen's kappas of all pairs of annotators."""
    pairs = combinations(range(patterns.annotators), 2)
    return defined(mean_defined(np.array([KAPPA.value(counts @ KAPPA.rows(patterns.only(pair))) for pair in pairs])))


def coded(example: Mapping[str, Any]) -> dict[str, float | None]:
    """All coefficients of an example of codes, by path."""
    rows = [(1, item) for item in example["items"]] if "items" in example else example["counts"]
    names = sorted({code for _, item in rows for code in item if code is not None})
    patterns, counts = patterns_of([item for _, item in rows], names), np.array([float(count) for count, _ in rows])
    by_name = {entry.name: entry.of(patterns, counts) for entry in (OBSERVED, FLEISS, ALPHA, AC1)}
    by_name["kappa"] = light(patterns, counts)
    for entry, expected in ((FLEISS, fleiss_expected), (AC1, ac1_expected)):
        by_name[f"{entry.name}.expected"] = defined(expected(counts @ entry.rows(patterns)))
    if patterns.annotators == 2:
        by_name["kappa.expected"] = defined(kappa_expected(counts @ KAPPA.rows(patterns)))
    equal, *codes = counts @ ALPHA.rows(patterns)
    by_name["observed_coincidences"] = defined(ratio(equal, np.sum(codes)))
    for place, name in enumerate(names):
        binary = patterns.about(lambda code, place=place: code == place)  # type: ignore[misc]
        by_name[f"labels.{name}.kappa"] = light(binary, counts)
        by_name |= {f"labels.{name}.{entry.name}": entry.of(binary, counts) for entry in (FLEISS, ALPHA)}
    return by_name


def unitized(example: Mapping[str, Any]) -> dict[str, float | None]:
    """All coefficients of an example of units, by path."""
    begin, length, settings = example["begin"], example["length"], example["units"]
    labels, size = sorted({unit[3] for unit in settings}), max(unit[0] for unit in settings) + 1
    sides = [
        AnnotatorSpans.of(
            [(start - begin, end - begin, labels.index(label)) for at, start, end, label in settings if at == side]
        )
        for side in range(size)
    ]
    by_name: dict[str, float | None] = {}
    each_label = [
        disagreement([side.take(side.label == code) for side in sides], length) for code in range(len(labels))
    ]
    for label, each in zip(labels, each_label, strict=True):
        by_name |= {f"labels.{label}.D_o": each.observed, f"labels.{label}.D_e": each.expected}
        by_name[f"labels.{label}.alpha_U"] = each.alpha
    by_name["alpha_U"] = alpha_u(each_label)
    if any(side.overlapping() for side in sides):
        return by_name | {"u_alpha": None, "u_alpha_binary": None}
    if length > 10_000:
        return by_name
    return by_name | _u_alphas(sides, length, labels)


def _u_alphas(sides: list[AnnotatorSpans], length: int, labels: list[str]) -> dict[str, float | None]:
    book, rank = Codebook(), np.arange(length)
    codes = np.stack([book.of(side, rank, length) for side in sides], axis=1)
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    patterns = Patterns(distinct, len(book))
    sums = counts @ unitizing.continuum_rows(patterns)
    sums[unitizing.SQUARES] += sum((side.length**2).sum() for side in sides)
    all_alphas = {
        "u_alpha": defined(unitizing.u_alpha_of(sums)),
        "u_alpha_binary": defined(unitizing.u_alpha_binary_of(sums)),
    }
    if len(sides) > 2:
        return all_alphas
    shared, codes_met = counts @ unitizing.shared_rows(patterns), len(book) - 1
    for one, other in (sides, sides[::-1]):
        (crossing,) = unitizing.overlaps(one, [other], rank, length)
        np.add.at(
            shared, 2 * codes_met + np.array([book.code((label,)) - 1 for label in one.label.tolist()], int), crossing
        )
    all_alphas["cu_alpha"] = defined(unitizing.cu_alpha_of(shared))
    for code, value in enumerate(unitizing.ku_alpha_of(shared), 1):
        all_alphas[f"ku_alpha.{labels[book.members[code][0]]}"] = defined(value)
    return all_alphas


EXAMPLES = [(each, coded) for each in FIGURES["coding"]] + [(each, unitized) for each in FIGURES["unitizing"]]
PRINTED = [
    pytest.param(example, found, name, *figure, id=f"{example['id']}-{name}")
    for example, found in EXAMPLES
    for name, figure in example["published"].items()
]


def test_there_are_all_examples_and_published_figures() -> None:
    assert (len(FIGURES["coding"]), len(FIGURES["unitizing"]), len(PRINTED)) == (75, 46, 59)


@pytest.mark.parametrize(("example", "found", "name", "figure", "tolerance"), PRINTED)
def test_published_figures(example: Any, found: Any, name: str, figure: float, tolerance: float) -> None:
    assert found(example)[name] == pytest.approx(figure, abs=tolerance)


@pytest.mark.parametrize("example", FIGURES["coding"], ids=lambda each: each["id"])
def test_coefficients_over_codes_are_those_of_other_packages(example: Any) -> None:
    found = coded(example)
    for name, value in flat(example["expected"]):
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-8)), name


@pytest.mark.parametrize("example", FIGURES["unitizing"], ids=lambda each: each["id"])
def test_coefficients_over_units_are_those_of_other_packages(example: Any) -> None:
    found = unitized(example)
    for name, value in flat(example["expected"]):
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-9, rel=1e-9)), name


def test_how_many_figures_are_compared() -> None:
    counts = [sum(1 for each in FIGURES[kind] for _ in flat(each["expected"])) for kind in ("coding", "unitizing")]
    assert counts == [861, 416]


def test_light_is_the_mean_over_pairs() -> None:
    patterns, counts = patterns_of([("a", "a", "b"), ("b", "b", "b"), ("a", "b", "a")], ["a", "b"]), np.ones(3)
    kappas = [KAPPA.of(patterns.only(pair), counts) for pair in combinations(range(3), 2)]
    assert light(patterns, counts) == pytest.approx(sum(filter(None, kappas)) / 3)


def two_sides(units: list[list[Any]]) -> tuple[AnnotatorSpans, AnnotatorSpans]:
    """The units of two annotators, from rows of annotator, start, end and label."""
    labels = sorted({unit[3] for unit in units})
    rows = [[(start, end, labels.index(label)) for at, start, end, label in units if at == side] for side in (0, 1)]
    return AnnotatorSpans.of(rows[0]), AnnotatorSpans.of(rows[1])


DISORDERS = [disorders for example in FIGURES["gamma"] for disorders in example.get("disorders", ())]


def test_disorders_of_pygamma() -> None:
    """Those of small fixtures; `2by1000` and the documents of brat4 are tested with the data."""
    assert len(DISORDERS) == 33
    for units, expected in DISORDERS:
        assert disorder(*two_sides(units)) == pytest.approx(expected, abs=1e-5)


def test_gamma_of_units_in_unequal_numbers() -> None:
    example = FIGURES["gamma"][1]
    sides = two_sides(example["disorders"][0][0])
    found = gamma([(*sides, example["length"])], 3000, (0,))
    assert found == pytest.approx(0.496, abs=0.02)
    assert found == gamma([(*sides, example["length"])], 3000, (0,))


def test_gamma_of_a_thousand_units(data: Path) -> None:
    example = FIGURES["gamma"][3]
    sides = two_sides(json.loads((data / "agreement" / example["file"]).read_text()))
    assert disorder(*sides) == pytest.approx(example["disorder"], abs=1e-5)
    assert gamma([(*sides, example["length"])], 100, (0,)) == pytest.approx(0.462, abs=0.045)


def test_gamma_of_nothing_is_undefined_and_of_equal_units_one() -> None:
    nothing, something = AnnotatorSpans.of([]), AnnotatorSpans.of([(0, 1, 0)])
    assert gamma([(nothing, nothing, 5)], 10, (0,)) is None
    assert gamma([(something, something, 1)], 10, (0,)) == 1
