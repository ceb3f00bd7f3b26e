"""A report: what `report` returns, all that one page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.comparison.collection import Collection
from evenhand.dataclass import dataclass
from evenhand.result.comparison import Comparison
from evenhand.result.display import Shown, written
from evenhand.result.ranking import Ranking
from evenhand.result.result import Results
from evenhand.tasks.recoverable import ErrorGroup
from evenhand.tasks.registry import model


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """Scores, ranks, differences, and the units behind them."""

    title: str
    results: Results
    ranking: Ranking
    comparison: Comparison | None
    """What changes between systems, where there are several."""
    by: str
    """What units are compared by."""
    units: Collection
    labels: tuple[str, ...]
    """The names of labels, by their codes in the units."""

    @property
    def task(self) -> str:
        return self.results.task

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found and mended, each said once."""
        further = self.comparison.notes if self.comparison is not None else ()
        return tuple(dict.fromkeys((*self.results.notes, *self.ranking.notes, *further)))

    @property
    def signature(self) -> str:
        return self.comparison.signature if self.comparison is not None else self.ranking.signature

    @property
    def ordered(self) -> Results:
        """The results, the best system first; equal ones in their own order."""
        names = sorted(self.results, key=lambda name: -self.scores[name])
        return Results({name: self.results[name] for name in names})

    @property
    def primary(self) -> str:
        """The match model that comes first: what units are compared by."""
        return self.by

    @property
    def scores(self) -> Mapping[str, float]:
        """The score of each system that systems are ordered by."""
        if self.comparison is not None:
            return self.comparison.scores
        return {name: standing.score for name, standing in self.ranking[self.primary].items()}

    @cached_property
    def fix_first(self) -> dict[str, list[ErrorGroup]]:
        """For every system the groups of errors from which most points can be gained; none where errors of another
        score are counted than units are compared by.
        """
        is_counted = model(self.task, self.by).judge.name in next(iter(self.results.values())).tallies
        return {name: result.fix_first(self.by) if is_counted else [] for name, result in self.ordered.items()}

    def to_dict(self) -> dict[str, Any]:
        """The parts in the form of their JSON; units are in the page alone."""
        found: dict[str, Any] = {"score": self.results.to_dict(), "rank": self.ranking.to_dict()}
        found["fix_first"] = {name: list(map(asdict, groups)) for name, groups in self.fix_first.items()}
        if self.comparison is not None:
            found["compare"] = self.comparison.to_dict()
        return found

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, written to `path` too, where one is given."""
        from evenhand.report.html import render

        return written(render(self), path)

    @property
    def shown(self) -> Results | Comparison:
        """What a report says as text: the scores of one system, or the comparison of several."""
        return self.results if self.comparison is None else self.comparison

    def __str__(self) -> str:
        return str(self.shown)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page."""
        from evenhand.report.html.frame import framed

        return framed(self)
