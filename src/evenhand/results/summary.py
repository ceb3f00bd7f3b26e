"""The summary of several systems in one table: scores with intervals, and tests against one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.results.comparison import ResamplingInfo, ScoreChange
from evenhand.results.display import Displayed, WithRows, WithTables, present, written
from evenhand.results.result import Results


@dataclass(frozen=True)
class Estimate:
    """A score, its interval, and how it differs from the score of the reference system."""

    score: float
    """NaN if it is undefined."""
    interval: tuple[float, float] | None = None
    change: ScoreChange | None = None
    """From the reference system to this one; None for the reference system, and without a test."""

    @property
    def p(self) -> float | None:
        """The p-value of the difference, corrected for the number of pairs."""
        test = None if self.change is None else self.change.significance
        return None if test is None else test.p_holm

    def saved(self) -> dict[str, Any]:
        interval, change = self.interval, self.change
        test = None if change is None else change.significance
        return present(
            interval=None if interval is None else {"low": interval[0], "high": interval[1]},
            delta=None if change is None else change.delta,
            p=None if test is None else test.p,
            p_holm=None if test is None else test.p_holm,
        )


Estimates = Mapping[str, Estimate]
"""By system."""


@dataclass(frozen=True, repr=False)
class Summary(Displayed, WithRows, WithTables):
    """Several systems under several measures, with intervals and tests: `summary.measures["fair"]["tagger"].interval`.

    `to_latex`, `to_markdown`, `to_html` and `to_csv` have the table; `str` has the verdict first.
    """

    results: Results
    by: str
    """The measure of the verdict."""
    against: str
    """The reference system, which the others are tested against."""
    measures: Mapping[str, Estimates]
    labels: Mapping[str, Mapping[str, Estimates]]
    """By measure and label."""
    pairs: Mapping[tuple[str, str], ScoreChange]
    """The differences of all pairs under the measure `by`."""
    resampling: ResamplingInfo
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        return self.results.task

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores of the measure `by`."""
        return {name: estimate.score for name, estimate in self.measures[self.by].items()}

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the tables as an HTML fragment without scripts, and write it to `path`, if given."""
        return written(self._repr_html_(), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows of `to_pandas` as CSV, and write it to `path`, if given."""
        from evenhand.report.data import render

        return written(render(self), path)

    def saved(self) -> dict[str, Any]:
        """The JSON of the scores, and `summary`: intervals and tests by measure, system and label."""
        estimates = {
            measure: {
                name: {
                    **estimate.saved(),
                    **present(
                        labels=present(
                            **{
                                label: by_system[name].saved()
                                for label, by_system in self.labels.get(measure, {}).items()
                            }
                        )
                    ),
                }
                for name, estimate in by_system.items()
            }
            for measure, by_system in self.measures.items()
        }
        summary = {"by": self.by, "against": self.against, "resampling": self.resampling, "measures": estimates}
        return {**self.results.saved(), "signature": self.signature, "notes": self.notes, "summary": summary}
