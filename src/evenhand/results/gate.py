"""A gate: whether a candidate is good enough, for itself or to replace a baseline, and why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.results.comparison import Comparison, Pair
from evenhand.results.display import Shown, Tabled
from evenhand.results.result import Results, defined
from evenhand.tasks.registry import model as declared_model
from evenhand.version import __version__


@dataclass(frozen=True)
class Criterion:
    """One thing that was asked, what was found, and whether that is good enough."""

    name: str
    limit: float
    value: float
    passed: bool
    sentence: str
    score: str = ""
    """Which score is meant, where a user names one: `PER:recall`."""
    unit: str = "fraction"
    """The unit of limit and value: fraction, ratio, count, points or p-value."""

    @property
    def title(self) -> str:
        """What it is called in tables: `floor PER:recall`."""
        return f"{self.name} {self.score}".rstrip()


@dataclass(frozen=True)
class Unchecked:
    """A criterion that is checked by default, but was not, and why."""

    name: str
    limit: float
    sentence: str


@dataclass(frozen=True, repr=False)
class Gate(Shown, Tabled):
    """The verdict on a candidate: `gate.passed`, `gate.criteria`, and what is behind it."""

    candidate: str
    by: str
    criteria: Sequence[Criterion]
    results: Results | None
    """The scores of the candidate, and of the baseline if there is one, where criteria name scores."""
    compared: Comparison | None
    """The comparison with the baseline, if there is one."""
    few_documents: int | None = None
    """In how many documents the systems differ, where these are too few for the test, which then takes sentences."""
    not_checked: Sequence[Unchecked] = ()
    """The default criteria that were not checked."""

    @property
    def passed(self) -> bool:
        return all(each.passed for each in self.criteria)

    @property
    def failures(self) -> list[Criterion]:
        """The criteria that do not hold."""
        return [each for each in self.criteria if not each.passed]

    @property
    def comparison(self) -> Comparison:
        """The comparison with the baseline; an error if there is none."""
        if self.compared is None:
            raise SettingError("There is no baseline, so nothing is compared; give gate a baseline.")
        return self.compared

    @property
    def pair(self) -> Pair:
        """What changes from the baseline to the candidate; an error if there is no baseline."""
        return next(iter(self.comparison.pairs.values()))

    @property
    def scores(self) -> Mapping[str, float]:
        """What systems are compared by: of the baseline, if there is one, and of the candidate."""
        if self.compared is not None:
            return self.compared.scores
        return {name: result[self.by].headline for name, result in (self.results or {}).items()}

    @property
    def beside(self) -> tuple[str, Mapping[str, float]] | None:
        """The counterpart of the score and its values, where these differ: EVALB's, which leaves errors out."""
        name = declared_model(self.task, self.by).counterpart
        if name is None:
            return None
        if self.compared is not None:
            found = {system: score[name] for system, score in self.compared.further_scores.items() if name in score}
        else:
            found = {system: each[name].headline for system, each in (self.results or {}).items() if name in each}
        differs = any(repr(found[system]) != repr(score) for system, score in self.scores.items() if system in found)
        return (name, found) if differs else None

    @property
    def gold_name(self) -> str:
        return self._source.gold.name

    @property
    def task(self) -> str:
        return self._source.task

    @property
    def signature(self) -> str:
        """That of the comparison and, where criteria name scores, of these with the match models behind them."""
        if self.compared is None or self.results is None:
            return self._source.signature
        _, mark, resampling = self.compared.signature.rpartition("|by:")
        return f"{self.results.signature}{mark}{resampling}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to say of the files, each said once."""
        sources = [each for each in (self.compared, self.results) if each is not None]
        return tuple(dict.fromkeys(note for source in sources for note in source.notes))

    @property
    def _source(self) -> Comparison | Results:
        """What knows the gold standard: the comparison or, without a baseline, the results."""
        found = self.results if self.compared is None else self.compared
        assert found is not None
        return found

    def to_dict(self) -> dict[str, Any]:
        """The gate as plain Python, in the form of its JSON."""
        pair = None if self.compared is None else self.pair
        test = None if pair is None else pair.significance
        return {
            "evenhand": __version__,
            "command": "gate",
            "task": self.task,
            "by": self.by,
            "signature": self.signature,
            "notes": list(self.notes),
            "passed": self.passed,
            "baseline": None if pair is None else self._scored(pair.before),
            "candidate": self._scored(self.candidate),
            "delta": None if pair is None else pair.delta,
            "new_errors": None if pair is None else pair.new_errors.count,
            "corrections": None if pair is None else pair.corrections.count,
            "p": None if test is None else test.p,
            "test": self._test(),
            "criteria": [{**asdict(each), "value": defined(each.value)} for each in self.criteria],
            "not_checked": [asdict(each) for each in self.not_checked],
        }

    def _scored(self, system: str) -> dict[str, Any]:
        """The name of a system and its score, with the counterpart of this where it differs."""
        found: dict[str, Any] = {"name": system, self.by: self.scores[system]}
        if self.beside is not None:
            name, scores = self.beside
            found[name] = scores[system]
        return found

    def _test(self) -> dict[str, Any] | None:
        """How p came about, where there was a test."""
        test = None if self.compared is None else self.pair.significance
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
