"""What to fix first: groups of errors, and how far the score would rise if a group were right.

- A *group* is all errors with the same verdict, gold label and system label: LE from PER to ORG, FN of PER.
- An error is put right as its side demands: a unit of the gold standard becomes right (TP), and a unit that only the
  system has is gone.
- *recoverable* = score if the errors of the group were right - score, under the headline of the match model; 100 times
  that are points. Where the headline is an accuracy over N units, a group of n errors has n / N.
- Each group is put right for itself. Two groups together may recover more or less than the sum of both.
- Groups are ordered by what is recoverable, then by their number of errors.

Source: Bolya et al. 2020, section 2, who fix one type of error at a time and report how far the score rises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.arrays import Values
from evenhand.dataclass import dataclass
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import headlines
from evenhand.table import Query
from evenhand.tally import NO_LABEL, Tally

if TYPE_CHECKING:
    from evenhand.tasks.task import Task

_GOLD, _SYSTEM = "gold", "system"
"""Parts of kinds that count one unit once for either side."""
_WANTED = 2
"""Where the sums that a model divides have what the gold standard has."""


class Errors(NamedTuple):
    """What the errors of a group have in common; the empty string stands for no label."""

    verdict: str
    gold: str
    predicted: str


@dataclass(frozen=True)
class ErrorGroup:
    """Errors of one kind, how many there are, and what the score would gain without them."""

    verdict: str
    gold: str
    """The gold label; empty where only the system has the units."""
    predicted: str
    """The system's label; empty where it has none."""
    count: int
    recoverable: float
    """How much higher the score would be, as a fraction."""

    def query(self, task: Task, system: str) -> Query:
        """The query for these errors of a system."""
        if task.display.has_label_answers:
            return Query(system, kind=self.verdict, gold=self.gold, predicted=self.predicted)
        if self.gold:
            return Query(system, kind=self.verdict, gold=self.gold)
        return Query(system, kind=self.verdict, label=self.predicted)

    def title(self, task: Task) -> str:
        """The group in words: `wrong label: PER → ORG`, `missing: PER`."""
        verdict = task.display.verdict_names.get(self.verdict, self.verdict.replace("_", " "))
        labels = list(dict.fromkeys(filter(None, (self.gold, self.predicted))))
        return f"{verdict}: {' → '.join(labels)}" if labels else verdict


def error_groups(task: Task, model: MatchModel, tally: Tally) -> list[ErrorGroup]:
    """The groups of errors from which something can be gained; none where the headline is a mean of others."""
    if model.parts or model.headline == "macro":
        return []
    weights = {kind: _weights(model, kind) for kind in tally.kinds}
    right, counts, gains = task.right(model.name), dict[Errors, int](), dict[Errors, Values]()
    total = np.zeros(len(model.divided()))
    for (_, gold, predicted, kind), count in tally.total().cells().items():
        total += count * weights[kind]
        verdict = _verdict(task, kind)
        if verdict is None or verdict in right:
            continue
        known = predicted if task.display.has_label_answers or gold == NO_LABEL else NO_LABEL
        group = Errors(verdict, gold, known)
        counts[group] = counts.get(group, 0) + int(count)
        gains[group] = gains.get(group, 0.0) + count * _corrected(model, kind, weights, right[0])
    return _ordered(model, total, counts, gains)


def _ordered(
    model: MatchModel, total: Values, counts: Mapping[Errors, int], gains: Mapping[Errors, Values]
) -> list[ErrorGroup]:
    if not counts:
        return []
    sums = total + np.array([gains[group] for group in counts])
    scores = headlines(model, sums[:, None, :]) - headlines(model, total[None, None, :])
    found = [
        ErrorGroup(*group, count, float(gain))
        for (group, count), gain in zip(counts.items(), scores.tolist(), strict=True)
    ]
    gainful = [each for each in found if each.recoverable > 0]
    return sorted(gainful, key=lambda each: (-each.recoverable, -each.count, each.verdict, each.gold, each.predicted))


def _weights(model: MatchModel, kind: str) -> Values:
    """What one count of a kind adds to the sums that a model divides."""
    return np.array([parts.get(kind, 0.0) for parts in model.divided()])


def _verdict(task: Task, kind: str) -> str | None:
    """The verdict that a kind of a tally counts; None where another kind counts the same units."""
    parts = kind.split(".")
    if _SYSTEM in parts:
        return None
    name = ".".join(part for part in parts if part != _GOLD)
    found = name if name in task.kinds else name.partition(".")[0]
    return found if found in task.kinds and found not in task.display.unscored else None


def _corrected(model: MatchModel, kind: str, weights: Mapping[str, Values], right: str) -> Values:
    """How the sums change if a unit is right that a kind counts, for its gold label and for the system's alike."""
    other = ".".join(_SYSTEM if part == _GOLD else part for part in kind.split("."))
    counted = weights[kind] + (weights[other] if other != kind and other in weights else 0.0)
    return (_weights(model, right) if counted[_WANTED] else 0.0) - counted
