"""What a gate asks of a candidate: limits of scores, drops, new errors and the p-value, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from evenhand.arguments import number_that, whole_number
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError

DEFAULT_ALPHA = 0.05
LEAST_ALPHA = 1e-6


@dataclass(frozen=True)
class Limits:
    """The limits that a user names; by default none."""

    floor: Mapping[str, float]
    """By the name of a score, what it must be at least."""
    ceiling: Mapping[str, float]
    drop: Mapping[str, float]
    """By how many points scores may fall; the empty name is the score that systems are compared by."""
    label_drop: float | None
    new_errors: int | None
    alpha: float | None
    is_default: bool = False
    """Whether the alpha is ours, as a user names no limit."""

    @staticmethod
    def checked(
        floor: Mapping[str, float] | None,
        ceiling: Mapping[str, float] | None,
        max_drop: object,
        max_label_drop: object,
        max_new_errors: object,
        alpha: object,
    ) -> Limits:
        """From what a user gives; what cannot be is refused."""
        drops = {} if max_drop is None else max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
        if alpha is not None:
            fits = f"a number below 1, and {LEAST_ALPHA:f} at least"
            alpha = number_that("alpha", alpha, lambda value: LEAST_ALPHA <= value < 1, fits)
        return Limits(
            {name: _bound("floor", name, value) for name, value in (floor or {}).items()},
            {name: _bound("ceiling", name, value) for name, value in (ceiling or {}).items()},
            {name: _points(f"max-drop {name}".rstrip(), value) for name, value in drops.items()},
            None if max_label_drop is None else _points("max-label-drop", max_label_drop),
            None if max_new_errors is None else whole_number("max-new-errors", max_new_errors, 0),
            alpha,
        )

    @property
    def score_names(self) -> list[str]:
        """The scores that are named."""
        return list(dict.fromkeys((*self.floor, *self.ceiling, *(name for name in self.drop if name))))

    @property
    def of_changes(self) -> list[str]:
        """What of it takes a baseline."""
        named = {"max-drop": self.drop, "max-label-drop": self.label_drop is not None}
        named |= {"max-new-errors": self.new_errors is not None, "alpha": self.alpha is not None}
        return [name for name, value in named.items() if value]

    def without_baseline(self) -> Limits:
        """The same, where there is no baseline: some limit that needs none, and no other."""
        if self.of_changes:
            name = self.of_changes[0]
            raise SettingError(f"{name} takes a baseline; name one beside the candidate, or use floor and ceiling.")
        if not self.floor and not self.ceiling:
            raise SettingError("Without a baseline there is nothing to compare with; give one, or a floor or ceiling.")
        return self

    def with_baseline(self) -> Limits:
        """The same, where there is a baseline; an alpha if no limit is named."""
        is_default = not (self.floor or self.ceiling or self.of_changes)
        return replace(self, alpha=DEFAULT_ALPHA, is_default=True) if is_default else self


def _bound(kind: str, name: str, value: object) -> float:
    return number_that(
        f"{kind} {name}".rstrip(), value, lambda value: 0 <= value < inf, "a score or a count, 0 at least"
    )


def _points(name: str, value: object) -> float:
    return number_that(name, value, lambda value: 0 <= value <= 100, "a number of points from 0 to 100")
