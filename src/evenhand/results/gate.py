"""A gate: whether a candidate meets all criteria, with or without a baseline to compare it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.results.causes import Causes
from evenhand.results.comparison import Comparison, Pair
from evenhand.results.display import Displayed, WithTables
from evenhand.results.result import Result, Results
from evenhand.tasks.registry import model as declared_model


@dataclass(frozen=True)
class Criterion:
    """One requirement: its limit, the value, and whether the value meets it."""

    name: str
    limit: float
    value: float
    passed: bool
    sentence: str
    score: str = ""
    """The score that the user names, such as `PER:recall`."""
    unit: str = "fraction"
    """The unit of limit and value: fraction, ratio, count, points or p-value."""

    @property
    def title(self) -> str:
        """The name in tables: `floor PER:recall`."""
        return f"{self.name} {self.score}".rstrip()


@dataclass(frozen=True)
class Unchecked:
    """A default criterion that was not checked, and the reason."""

    name: str
    limit: float
    sentence: str


@dataclass(frozen=True, repr=False)
class Gate(Displayed, WithTables):
    """The verdict on a candidate: `gate.passed`, `gate.criteria`, and the scores and comparison that it is based on."""

    candidate: str
    by: str
    criteria: Sequence[Criterion]
    results: Results | None
    """The scores of the candidate, and of the baseline if there is one; None if no criterion names a score."""
    compared: Comparison | None
    """The comparison with the baseline, if there is one."""
    few_documents: int | None = None
    """The number of documents in which systems differ, if it is too small for a test and sentences are resampled."""
    not_checked: Sequence[Unchecked] = ()
    """The default criteria that were not checked."""
    causes: Causes | None = None
    """The search for slices in which the candidate is worse, if this is a criterion."""

    @property
    def passed(self) -> bool:
        return all(criterion.passed for criterion in self.criteria)

    @property
    def failures(self) -> list[Criterion]:
        return [criterion for criterion in self.criteria if not criterion.passed]

    @property
    def comparison(self) -> Comparison:
        """The comparison with the baseline; an error without a baseline."""
        if self.compared is None:
            raise SettingError("The gate has no baseline to compare with; specify a baseline.")
        return self.compared

    @property
    def pair(self) -> Pair:
        """The changes from the baseline to the candidate; an error without a baseline."""
        return next(iter(self.comparison.pairs.values()))

    @property
    def scores(self) -> Mapping[str, float]:
        """The compared score, for the baseline, if there is one, and for the candidate."""
        if self.compared is not None:
            return self.compared.scores
        return {name: result[self.by].headline for name, result in (self.results or {}).items()}

    @property
    def beside(self) -> tuple[str, Mapping[str, float]] | None:
        """The counterpart of the score and its values, if they differ: EVALB's, which leaves errors out."""
        name = declared_model(self.task, self.by).counterpart
        if name is None:
            return None
        if self.compared is not None:
            values = {system: scores[name] for system, scores in self.compared.further_scores.items() if name in scores}
        else:
            results: Mapping[str, Result] = self.results or {}
            values = {system: result[name].headline for system, result in results.items() if name in result}
        differs = any(repr(values[system]) != repr(score) for system, score in self.scores.items() if system in values)
        return (name, values) if differs else None

    @property
    def gold_name(self) -> str:
        return self._source.gold.name

    @property
    def task(self) -> str:
        return self._source.task

    @property
    def signature(self) -> str:
        """The signature of the comparison; if criteria name scores, with the measures of these scores."""
        _, mark, search = ("", "", "") if self.causes is None else self.causes.signature.rpartition("|units:")
        if self.compared is None or self.results is None:
            return f"{self._source.signature}{mark}{search}"
        _, by, resampling = self.compared.signature.rpartition("|by:")
        return f"{self.results.signature}{by}{resampling}{mark}{search}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the files, each once."""
        sources = [source for source in (self.compared, self.results) if source is not None]
        return tuple(dict.fromkeys(note for source in sources for note in source.notes))

    @property
    def _source(self) -> Comparison | Results:
        source = self.results if self.compared is None else self.compared
        assert source is not None
        return source

    def saved(self) -> dict[str, Any]:
        pair = None if self.compared is None else self.pair
        test = None if pair is None else pair.significance
        method = None
        if test is not None:
            figures = {name: getattr(test, name) for name in ("groups", "least", "trials", "seed")}
            method = {"of": self.comparison.resampling["of"], **figures, "few_documents": self.few_documents}
        return {
            "command": "gate",
            "task": self.task,
            "by": self.by,
            "signature": self.signature,
            "notes": self.notes,
            "passed": self.passed,
            "baseline": None if pair is None else self._scored(pair.before),
            "candidate": self._scored(self.candidate),
            "delta": None if pair is None else pair.delta,
            "new_errors": None if pair is None else pair.new_errors.count,
            "corrections": None if pair is None else pair.corrections.count,
            "p": None if test is None else test.p,
            "test": method,
            "criteria": self.criteria,
            "not_checked": self.not_checked,
        }

    def _scored(self, system: str) -> dict[str, Any]:
        """The name of a system, its score, and the counterpart of the score if it differs."""
        saved: dict[str, Any] = {"name": system, self.by: self.scores[system]}
        if self.beside is not None:
            name, scores = self.beside
            saved[name] = scores[system]
        return saved
