"""The search for slices on CoNLL-2003 (with masked words): its list for florian, and simulations with real units.

Simulations take the units of the gold standard, 5,648 in 231 documents, with 447 slices: 33 values and their pairs.
Errors are random. Seeds are fixed; a rate of 400 simulations has a standard error of up to 2.5 points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import evenhand as eh
from evenhand.api.compare import ComparisonJob, ResamplingSettings
from evenhand.api.slices import SliceOptions
from evenhand.arrays import Bools, Values
from evenhand.comparison.causes import AttributedUnits
from evenhand.comparison.slices import SliceRequest
from evenhand.statistics.slice_search import Membership, SearchSettings, membership, search, without_shadows

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "causes.json").read_text())
LISTED = FIGURES[
    "search florian (name, units, adjusted p, miss rate inside, outside the slice among units still left)"
]["listed"]
SIMULATED = FIGURES["search simulations"]
SLICES = "seen,frequency,length=1,2,3,4+,sentence-length=q4,density=q3,part,document-length=q4"
SIMULATIONS = 400
ERRORS, OF_DOCUMENTS = 0.12, 0.06
"""The error rate, and the standard deviation of that of documents."""
PLANTED = (150, 900)
"""The sizes of planted slices."""


@pytest.fixture(scope="module")
def files(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The gold standard, florian and the training data."""
    folder = tmp_path_factory.mktemp("conll")
    words = (data / "gold_errors" / "testb.masked.conll").read_text().split("\n")
    files = {"train": data / "causes" / "train.masked.conll"}
    for name, tags in (("gold", "gold.testb.tags"), ("florian", "systems/florian.testb.tags")):
        pairs = zip(words, (data / "conll2003" / tags).read_text().split("\n"), strict=False)
        files[name] = folder / f"{name}.conll"
        files[name].write_text("\n".join(f"{word.split()[0]} {tag}" if word else "" for word, tag in pairs) + "\n")
    return files


@pytest.fixture(scope="module")
def florian(files: dict[str, Path]) -> eh.Causes:
    return eh.causes(files["gold"], files["florian"], units="gold", train=files["train"])


def test_slices_in_which_florian_misses_more_names(florian: eh.Causes) -> None:
    assert [slice.slice for slice in florian.found] == [name for name, *_ in LISTED]
    for slice, (_, units, p, inside, outside) in zip(florian.found, LISTED, strict=True):
        assert slice.units == units
        assert (slice.inside, slice.outside) == pytest.approx((inside, outside), abs=1e-4)
        assert slice.p == pytest.approx(p, abs=0.002)  # of 999 trials with other random numbers


def test_the_misses_of_florian(florian: eh.Causes) -> None:
    assert (florian.size, florian.groups, florian.wrong) == (5648, 231, {"florian": 647})
    units = florian.units("seen=new & label=MISC")
    assert len(units) == round(0.5369 * 203)
    assert {unit.gold for unit in units} == {"MISC"}
    corrected = next(row for row in florian.slices if row.slice == "label=ORG")
    assert corrected.rates == pytest.approx((275 / 1661,))


class Study(NamedTuple):
    """Real units, and which of them each slice has."""

    members: Membership
    inside: Bools
    """(slices, units)."""

    @property
    def sizes(self) -> Values:
        return self.inside.sum(axis=1)

    def planted(self, random: np.random.Generator, number: int) -> Values:
        sizes = self.sizes
        fitting = np.flatnonzero((sizes >= PLANTED[0]) & (sizes <= PLANTED[1]))
        return random.choice(fitting, number, replace=False)

    def lift(self, slices: Values, delta: float) -> Values:
        """By unit: how much its error rate is raised."""
        return delta * self.inside[slices].any(axis=0)

    def is_false(self, lift: Values) -> Bools:
        """Which slices do not have a higher error rate inside than outside."""
        inside = self.inside @ lift
        return inside / self.sizes <= (lift.sum() - inside) / (len(lift) - self.sizes) + 1e-12

    def of_documents(self, random: np.random.Generator, deviation: float) -> Values:
        """By unit: a random effect of its document."""
        return deviation * random.standard_normal(self.members.documents)[self.members.document]


@pytest.fixture(scope="module")
def study(files: dict[str, Path]) -> Study:
    request = SliceRequest.of(SLICES)
    options = SliceOptions.of((), None, files["train"])
    systems = {"florian": files["florian"]}
    job = ComparisonJob(files["gold"], systems, [], "exact", ResamplingSettings(), {}, options, False, searched=request)
    attributes = job(side="gold").attributes
    assert attributes is not None
    units: AttributedUnits = attributes.finish()
    members = membership(list(units.codes.values()), units.document)
    assert members.slices == SIMULATED["slices"]
    assert sum(len(parts) == 1 for parts in members.parts) == 33
    inside = np.zeros((members.slices, len(units.unit)), dtype=np.bool_)
    inside[members.slice, members.unit] = True
    return Study(members, inside)


class Trial(NamedTuple):
    """One simulation: the planted slices, the rejected ones, and whether one of these, or of the list, is false."""

    is_found: Bools
    """By planted slice."""
    is_covered: Bools
    false: float
    """The share of rejected slices that are false."""
    listed: int
    lists_false: bool


def simulated(study: Study, planted: int, delta: float) -> Iterator[Trial]:
    for seed in range(SIMULATIONS):
        random = np.random.default_rng((1, planted, seed))
        slices = study.planted(random, planted)
        lift = study.lift(slices, delta)
        rate = np.clip(ERRORS + study.of_documents(random, OF_DOCUMENTS) + lift, 0, 1)
        error = (random.random(len(rate)) < rate).astype(np.float64)
        settings = SearchSettings(seed=seed)
        tests = search(study.members, error, settings)
        listed = without_shadows(study.members, error, tests, settings)
        rejected, is_false = np.flatnonzero(tests.p <= settings.alpha), study.is_false(lift)
        yield Trial(
            np.isin(slices, rejected),
            np.array([any(_alike(study.inside[one], study.inside[row.slice]) for row in listed) for one in slices]),
            is_false[rejected].mean() if len(rejected) else 0.0,
            len(listed),
            any(is_false[row.slice] for row in listed),
        )
        assert {row.slice for row in listed} <= set(rejected.tolist())


def _alike(one: Bools, other: Bools) -> bool:
    """Whether the Jaccard index of two slices is above one half."""
    return bool((one & other).sum() / (one | other).sum() > 0.5)


@pytest.mark.long
@pytest.mark.parametrize(("planted", "delta"), [(0, 0.0), (1, 0.15), (2, 0.15), (3, 0.10)])
def test_false_discoveries_and_detection_of_one_system(planted: int, delta: float, study: Study) -> None:
    trials = list(simulated(study, planted, delta))
    expected = SIMULATED[f"{planted} planted, +{delta:g}"]["maxT"]
    assert np.mean([trial.false for trial in trials]) <= 0.05
    assert np.mean([trial.false > 0 for trial in trials]) <= 0.05
    assert np.mean([trial.lists_false for trial in trials]) <= 0.05
    if planted:
        assert np.mean([trial.is_found.mean() for trial in trials]) >= expected["planted_found"] - 0.025
    list_figures = SIMULATED["explain, 150 each"].get(f"{planted} planted, +{delta:g}")
    if list_figures is not None:
        covered = np.mean([trial.is_covered.mean() for trial in trials])
        assert covered >= list_figures["planted_covered"] - 0.04
        assert np.mean([trial.listed for trial in trials]) == pytest.approx(list_figures["listed"], abs=0.3)


def differences(study: Study, seed: int, deviation: float, shared: float, lift: Values) -> Values:
    """e(B) - e(A): B's error rate is A's, with a random effect of documents; some units are equally hard for both."""
    random = np.random.default_rng((5, seed))
    rate = np.clip(0.15 + study.of_documents(random, OF_DOCUMENTS), 0, 1)
    hard = random.random(len(rate))
    others = np.where(random.random(len(rate)) < shared, hard, random.random(len(rate)))
    of_b = rate + study.of_documents(random, deviation) + lift
    return (others < of_b).astype(np.float64) - (hard < rate)


@pytest.mark.long
@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("deviation", "shared"), [(0.0, 0.6), (0.05, 0.6), (0.0, 0.9)])
def test_equally_good_systems_seldom_differ_in_a_slice(
    deviation: float, shared: float, two_sided: bool, study: Study
) -> None:
    """The rate of false discoveries is at most 5 %, up to the random error of the simulations."""
    found = []
    for seed in range(SIMULATIONS):
        error = differences(study, seed, deviation, shared, np.zeros(study.inside.shape[1]))
        found.append((search(study.members, error, SearchSettings("zero", two_sided, seed=seed)).p <= 0.05).any())
    assert np.mean(found) <= 0.05 + 2 * 0.011


@pytest.mark.long
@pytest.mark.parametrize("two_sided", [True, False])
def test_a_slice_in_which_the_second_system_is_worse_is_found(two_sided: bool, study: Study) -> None:
    false, found = [], []
    for seed in range(SIMULATIONS):
        slices = study.planted(np.random.default_rng((6, seed)), 1)
        lift = study.lift(slices, 0.10)
        error = differences(study, seed, 0.0, 0.6, lift)
        tests = search(study.members, error, SearchSettings("zero", two_sided, seed=seed))
        rejected = tests.p <= 0.05
        found.append(rejected[slices[0]])
        false.append((rejected & (np.sign(tests.statistic) * (study.inside @ lift) <= 0)).any())
    assert np.mean(false) <= 0.05
    assert np.mean(found) >= 0.55
