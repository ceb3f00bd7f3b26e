"""The power of real test sets: the figures of `power.json` for CoNLL-2003 and WNUT-17, and of Card et al. 2020."""

from __future__ import annotations

import json
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.statistics.power import (
    InfluenceSpread,
    detectable,
    groups_for_width,
    needed_by_formula,
    power_by_drawing,
    power_by_formula,
    power_of_mcnemar,
)

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "power.json").read_text())
WNUT_HERE = ("arcada", "flytxt", "uh_ritual")


@cache
def conll_file(data: Path, folder: Path, name: str) -> Path:
    """The tags of a participant beside masked words, with the marks of documents."""
    tags = (data / "conll2003" / name).read_text().split("\n")
    words = (data / "gold_errors" / "testb.masked.conll").read_text().split("\n")
    lines = [f"{word.split(' ')[0]} {tag}" if word else "" for word, tag in zip(words, tags, strict=False)]
    path = folder / f"{name.replace('/', '-')}.conll"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conll")


def conll_power(data: Path, folder: Path, setting: dict[str, Any]) -> eh.Power:
    gold = conll_file(data, folder, "gold.testb.tags")
    systems = {name: conll_file(data, folder, f"systems/{name}.testb.tags") for name in (setting["a"], setting["b"])}
    return eh.power(
        gold,
        systems,
        by="exact",
        of=setting["data"].split()[1],
        size=setting["n"],
        method="formula",
        align="position",
    )


CONLL = [setting for setting in FIGURES["settings"] if setting["data"].startswith("conll")]


@pytest.mark.parametrize("setting", CONLL, ids=lambda setting: f"{setting['a']}-{setting['b']}-{setting['n']}")
def test_power_of_conll_2003(data: Path, folder: Path, setting: dict[str, Any]) -> None:
    power = conll_power(data, folder, setting)
    pair, spread = power.pair, power.pair._curve.spread
    assert power.groups == setting["groups"]
    assert pair.observed == pytest.approx(setting["delta"], abs=1e-6)
    assert pair.sd == pytest.approx(setting["sd"], abs=1e-6)
    assert pair.power == pytest.approx(setting["formula"], abs=1e-6)
    assert pair.detectable == pytest.approx(setting["mde80"], abs=1e-6)
    assert needed_by_formula(abs(pair.observed), pair.sd, 0.8) == setting["needed80"]
    assert groups_for_width(pair.sd, 0.01) == setting["width1"]
    drawn = power_by_drawing(pair.observed, spread.drawn(setting["n"], 0), setting["n"])
    assert drawn == pytest.approx(setting["drawn"], abs=0.03)
    assert drawn == pytest.approx(setting["simulated"], abs=0.03)


def test_one_system_of_wnut_17_and_one_of_conll_2003(data: Path, folder: Path) -> None:
    conll = conll_file(data, folder, "gold.testb.tags"), conll_file(data, folder, "systems/florian.testb.tags")
    wnut = data / "wnut17" / "gold.conll", data / "wnut17" / "systems" / "uh_ritual.conll"
    inputs = {
        "conll documents florian": (*conll, "documents"),
        "conll sentences florian": (*conll, "sentences"),
        "wnut sentences uh_ritual": (*wnut, "sentences"),
    }
    for name, (gold, system, of) in inputs.items():
        figures = FIGURES["one system"][name]
        power = eh.power(gold, system, by="exact", delta=1, of=of, worst=True, align="position")
        assert power.half_width == pytest.approx(figures["halfwidth95"], abs=1e-6)
        for row in power.expected:
            assert row.detectable == pytest.approx(figures[f"mde80 rho {row.correlation:g}"], abs=1e-6)


@pytest.mark.parametrize("figures", FIGURES["accuracy"])
def test_power_of_accuracies(figures: dict[str, float]) -> None:
    disagreement, delta, units = 1 - figures["agreement"], figures["delta"], int(figures["n"])
    assert power_by_formula(delta, sqrt(disagreement - delta**2), units) == pytest.approx(figures["power"], abs=1e-9)
    exact = figures["mcnemar_exact_simulated"]
    assert power_of_mcnemar(delta, disagreement, units) == pytest.approx(exact, abs=0.045)


@pytest.mark.parametrize("figures", FIGURES["squad2 dev pairs"])
def test_power_of_squad_pairs(figures: dict[str, float]) -> None:
    units = int(figures["n"])
    delta, disagreement = figures["difference"] / units, figures["disagree"] / units
    sd = sqrt(disagreement - delta**2)
    assert power_by_formula(delta, sd, units) == pytest.approx(figures["formula"], abs=1e-9)
    assert power_of_mcnemar(delta, disagreement, units) == pytest.approx(figures["mcnemar_exact_simulated"], abs=0.02)
    found = detectable(lambda other: power_by_formula(other, sd, units), 0.8)
    assert found == pytest.approx(figures["mde80"], abs=1e-6)


@pytest.mark.parametrize("figures", FIGURES["card2020 notebook"])
def test_power_printed_by_card_et_al_2020(figures: dict[str, float]) -> None:
    delta, disagreement = figures["only_b"] - figures["only_a"], figures["only_a"] + figures["only_b"]
    formula = power_by_formula(delta, sqrt(disagreement - delta**2), figures["n"])
    assert formula == pytest.approx(figures["formula"], abs=1e-9)
    assert power_of_mcnemar(delta, disagreement, int(figures["n"])) == pytest.approx(figures["printed"], abs=0.015)


def test_draws_depend_only_on_the_values_of_groups() -> None:
    values = np.array([0.5, -0.25, 0.0, 0.0, 0.5])
    merged = InfluenceSpread.of(values, np.ones(5, dtype=np.int64))
    assert sorted(merged.values.tolist()) == [-0.25, 0.0, 0.5]
    assert merged.groups == 5
    assert merged.sd == pytest.approx(sqrt((0.25 + 0.0625 + 0.25) / 4))


SIMULATED = [
    *(
        ("documents", a, b, groups)
        for a, b, groups in [
            ("florian", "chieu", 231),
            ("florian", "klein", 231),
            ("zhang", "mayfield", 400),
            ("curran", "munro", 60),
            ("hendrickx", "demeulder", 80),
            ("zhang", "bender", 231),
            ("bender", "munro", 100),
            ("bender", "munro", 231),
            ("carrerasa", "carrerasb", 231),
            ("klein", "zhang", 150),
            ("wu", "whitelaw", 60),
            ("mccallum", "mayfield", 300),
        ]
    ),
    *(
        ("sentences", a, b, groups)
        for a, b, groups in [
            ("florian", "chieu", 3453),
            ("chieu", "zhang", 500),
            ("klein", "mayfield", 1000),
            ("munro", "bender", 2000),
            ("curran", "carrerasa", 1500),
        ]
    ),
    ("wnut", "arcada", "flytxt", 1287),
    ("wnut", "flytxt", "mic-cis", 1287),
    ("wnut", "uh_ritual", "arcada", 600),
]
"""Groups, both systems, and the number of groups that are drawn."""


@pytest.mark.long
@pytest.mark.parametrize("setting", SIMULATED, ids=lambda setting: "-".join(map(str, setting)))
def test_predicted_and_simulated_power_differ_by_at_most_three_points(
    data: Path, folder: Path, setting: tuple[str, str, str, int]
) -> None:
    """10,000 full simulations: groups are drawn with replacement, and the test of the draw has 299 trials."""
    kind, *names, groups = setting
    if kind == "wnut":
        gold: Path = data / "wnut17" / "gold.conll"
        systems = {name: data / "wnut17" / "systems" / f"{name}.conll" for name in names}
    else:
        gold = conll_file(data, folder, "gold.testb.tags")
        systems = {name: conll_file(data, folder, f"systems/{name}.testb.tags") for name in names}
    of = "sentences" if kind == "wnut" else kind
    power = eh.power(gold, systems, by="exact", of=of, size=groups, simulate=10_000, align="position")
    assert power.power is not None
    assert power.pair.simulated == pytest.approx(power.power, abs=0.03)
