"""A gate: whether a candidate may replace a baseline, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.result.comparison import Comparison
from evenhand.result.display import Shown, Tabled
from evenhand.result.pairs import Pair
from evenhand.version import __version__


@dataclass(frozen=True)
class Criterion:
    """One thing that was asked, what was found, and whether that is good enough."""

    name: str
    limit: float
    value: float
    passed: bool
    sentence: str


@dataclass(frozen=True, repr=False)
class Gate(Shown, Tabled):
    """The verdict on a candidate: `gate.passed`, `gate.criteria`, and the comparison behind it."""

    comparison: Comparison
    pair: Pair
    criteria: Sequence[Criterion]
    few_documents: int | None = None
    """In how many documents the systems differ, where these are too few for the test, which then takes sentences."""

    @property
    def passed(self) -> bool:
        return all(each.passed for each in self.criteria)

    @property
    def signature(self) -> str:
        return self.comparison.signature

    @property
    def notes(self) -> tuple[str, ...]:
        return self.comparison.notes

    def to_dict(self) -> dict[str, Any]:
        """The gate as plain Python, in the form of its JSON."""
        pair, by = self.pair, self.comparison.by
        return {
            "evenhand": __version__,
            "command": "gate",
            "task": self.comparison.task,
            "by": by,
            "signature": self.signature,
            "notes": list(self.notes),
            "passed": self.passed,
            "baseline": {"name": pair.before, by: self.comparison.scores[pair.before]},
            "candidate": {"name": pair.after, by: self.comparison.scores[pair.after]},
            "delta": pair.delta,
            "new_errors": pair.new_errors.count,
            "corrections": pair.corrections.count,
            "p": None if pair.significance is None else pair.significance.p,
            "test": self._test(),
            "criteria": [asdict(each) for each in self.criteria],
        }

    def _test(self) -> dict[str, Any] | None:
        """How p came about, where there was a test."""
        test = self.pair.significance
        if test is None:
            return None
        return {
            "of": self.comparison.resampling["of"],
            "groups": test.groups,
            "least": test.least,
            "trials": test.trials,
            "seed": test.seed,
            "few_documents": self.few_documents,
        }
