"""A comparison: what `compare` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenhand.arrays import Values
from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import Unit
from evenhand.problems import SettingError
from evenhand.result.contract import plain
from evenhand.result.display import Framed, Plotted, Shown, Tabled
from evenhand.result.pairs import Differences, Pair, Significance
from evenhand.result.result import Gold
from evenhand.tasks.registry import TASKS
from evenhand.version import __version__


@dataclass(frozen=True)
class OracleResult:
    """How far the systems together could get."""

    overall: Bound
    labels: Mapping[str, Bound]
    """By gold label, the most frequent first."""
    sentences: Bound
    best: int
    """The number of the system that is best overall."""
    exact: Mapping[str, float] | None = None
    """Of spans, the bounds of precision, recall and F1 under exact match."""


@dataclass(frozen=True)
class Slice:
    """Some units: how many of them the gold standard has, and each system's score."""

    units: int
    scores: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Comparison(Shown, Framed, Plotted, Tabled):
    """Several systems on the same units: `comparison.pair("elmo", "flair").corrections`."""

    gold: Gold
    task: str
    by: str
    """What is compared: `accuracy`, `las`, `uas`, `ls`, `fair`, `exact`, `arcs_any` or `arcs_nom`."""
    systems: tuple[str, ...]
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], Pair]
    oracle: OracleResult
    difficulty: Mapping[int, int]
    """How many units so many systems have right."""
    all_answers: Values
    """The score of each system with each other as the key."""
    correct_answers: Values
    labels: Mapping[str, Slice]
    slices: Mapping[str, Mapping[str, Slice]]
    left_out: int
    """Of words: how many of the gold standard's are not compared, as not all systems have them."""
    resampling: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    show: str | None = None
    """What units were asked for."""
    shown_units: Sequence[Unit] = ()
    top: int = 5
    """How many transitions of each class a report lists."""
    sort: str | None = None
    """How a report lists labels: by `frequency`, or by `gain`; without it, bounds by frequency, differences by size."""
    further_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of chains: all scores of each system."""
    paired: Mapping[str, Values] = field(default_factory=dict)
    """Of chains: by score, that of each response with each other as the key."""
    page: Callable[[str | Path | None], str] | None = field(default=None, repr=False, compare=False)
    """Makes a page of the same files; none for a comparison that was loaded."""

    def to_html(self, path: str | Path | None = None) -> str:
        """A page with all of it and the units themselves, written to `path` too; the files are read again."""
        if self.page is None:
            raise SettingError("A page takes the files themselves; make it with evenhand.report(gold, systems).")
        return self.page(path)

    def pair(self, before: str, after: str) -> Pair:
        try:
            return self.pairs[before, after]
        except KeyError:
            pairs = ", ".join(f"{a} and {b}" for a, b in self.pairs)
            raise KeyError(f"{before} and {after} were not compared in this order; there are {pairs}") from None

    @property
    def alike(self) -> Iterator[tuple[str, str, float]]:
        """Pairs of systems by how much they agree, the most alike first."""
        size = len(self.systems)
        rows = [(float(self.all_answers[a, b]), a, b) for a in range(size) for b in range(a + 1, size)]
        return ((self.systems[a], self.systems[b], share) for share, a, b in sorted(rows, key=lambda row: -row[0]))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        return {
            "evenhand": __version__,
            "command": "compare",
            "task": self.task,
            "by": self.by,
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": self._gold(),
            "systems": list(self.systems),
            "scores": {
                name: {self.by: score, **self.further_scores.get(name, {})} for name, score in self.scores.items()
            },
            "pairs": [self._pair(pair) for pair in self.pairs.values()],
            "oracle": self._oracle(),
            "difficulty": {str(number): units for number, units in self.difficulty.items()},
            "agreement": {
                "all": self.all_answers.tolist(),
                "correct": self.correct_answers.tolist(),
                **({"paired": {name: table.tolist() for name, table in self.paired.items()}} if self.paired else {}),
            },
            "labels": {label: _slice(each) for label, each in self.labels.items()},
            "slices": {
                name: {value: _slice(each) for value, each in found.items()} for name, found in self.slices.items()
            },
            "units": [unit.to_dict() for unit in self.shown_units],
            "resampling": dict(self.resampling),
            "report": {"show": self.show, "top": self.top, "sort": self.sort},
            "reading": plain(self.gold.reading),
        }

    @staticmethod
    def from_json(source: str | Path) -> Comparison:
        """A comparison as `to_json` or `evenhand compare --as json` saved it: from a file, or from the text itself."""
        from evenhand.result.load import load_comparison

        return load_comparison(source)

    def _gold(self) -> dict[str, Any]:
        gold = self.gold
        return {
            "name": gold.name,
            "documents": gold.documents,
            "sentences": gold.sentences,
            "tokens": gold.tokens,
            "characters": gold.characters,
            "units": gold.units,
            "left_out": self.left_out,
            "labels": dict(gold.labels),
            **({} if gold.chains is None else {"chains": gold.chains}),
        }

    def _pair(self, pair: Pair) -> dict[str, Any]:
        found: dict[str, Any] = {
            "from": pair.before,
            "to": pair.after,
            "units": pair.size,
            "different": pair.different,
            "difference": pair.difference,
            "delta": pair.delta,
            "classes": {name: _class(each) for name, each in pair.classes.items()},
        }
        if not TASKS[self.task].compares_shared:
            found["moved"] = pair.moved
        found |= self._tested(pair.significance, pair.interval)
        if pair.mcnemar is not None:
            found["mcnemar"] = {"p": pair.mcnemar}
        if pair.further:
            found["further"] = {
                name: {"delta": each.delta, **self._tested(each.significance, each.interval)}
                for name, each in pair.further.items()
            }
        return found

    def _tested(self, test: Significance | None, interval: tuple[float, float] | None) -> dict[str, Any]:
        """The test and the interval of a difference, as far as they were made."""
        found: dict[str, Any] = {}
        if test is not None:
            found["significance"] = {
                "test": test.test,
                "p": test.p,
                "p_holm": test.p_holm,
                "trials": test.trials,
                "seed": test.seed,
                "groups": test.groups,
                "least": test.least,
                "exact": test.exact,
            }
        if interval is not None:
            low, high = interval
            level, kind = self.resampling["level"], self.resampling["interval"]
            found["interval"] = {"of": "delta", "kind": kind, "level": level, "low": low, "high": high}
        return found

    def _oracle(self) -> dict[str, Any]:
        oracle = self.oracle
        found: dict[str, Any] = {
            "overall": self._bound(oracle.overall),
            "sentences": self._bound(oracle.sentences),
            "labels": {label: self._bound(bound) for label, bound in oracle.labels.items()},
        }
        if oracle.exact is not None:
            found["exact"] = dict(oracle.exact)
        return found

    def _bound(self, bound: Bound) -> dict[str, Any]:
        return {
            "units": bound.units,
            "systems": dict(zip(self.systems, bound.scores, strict=True)),
            "upper_bound": bound.upper_bound,
            "gain": bound.gain(self.oracle.best),
            "gain_over_best": bound.gain_over_best,
        }


def _class(found: Differences) -> dict[str, Any]:
    return {
        "count": found.count,
        "share": found.share,
        "transitions": [
            {
                "gold": each.gold,
                "from": each.before,
                "to": each.after,
                **({"change": each.change} if each.change else {}),
                "count": each.count,
                "share_of_class": each.share_of_class,
                "share_of_differences": each.share_of_differences,
            }
            for each in found.transitions
        ],
    }


def _slice(found: Slice) -> dict[str, Any]:
    return {"units": found.units, "systems": dict(found.scores)}
