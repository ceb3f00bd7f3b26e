"""The limits of a gate: scores, drops, new errors and the p-value, as a user specifies them.

Floors, ceilings and alpha are fractions, drops are points (of 100). Texts name their unit: "85%" and "85pp" are 0.85 of
a fraction and 85 points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from evenhand.arguments import number_that, whole_number, with_unit
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError

DEFAULT_ALPHA = 0.05
LEAST_ALPHA = 1e-6
Limit = float | str
"""A number, or a text with its unit: `85%`, `1pp`."""


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
    """Whether the alpha is the default, which no user named."""
    only: bool = False
    """Whether the default criteria are left out."""
    percents: frozenset[str] = frozenset()
    """The floors and ceilings with the unit of a share, such as `floor PER:recall`; a count has none."""

    @staticmethod
    def checked(
        floor: Mapping[str, Limit] | None,
        ceiling: Mapping[str, Limit] | None,
        max_drop: object,
        max_label_drop: object,
        max_new_errors: object,
        alpha: object,
        only: bool,
    ) -> Limits:
        """Check the limits that a user specifies."""
        drops = {} if max_drop is None else max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
        if alpha is not None:
            fits = f"a number below 1, and {LEAST_ALPHA:f} at least"
            alpha = number_that("alpha", with_unit(alpha, 1), lambda value: LEAST_ALPHA <= value < 1, fits)
        bounds = {"floor": floor or {}, "ceiling": ceiling or {}}
        return Limits(
            {name: _bound("floor", name, value) for name, value in bounds["floor"].items()},
            {name: _bound("ceiling", name, value) for name, value in bounds["ceiling"].items()},
            {name: _points(f"max-drop {name}".rstrip(), value) for name, value in drops.items()},
            None if max_label_drop is None else _points("max-label-drop", max_label_drop),
            None if max_new_errors is None else whole_number("max-new-errors", max_new_errors, 0),
            alpha,
            only=bool(only),
            percents=frozenset(
                f"{kind} {name}" for kind, each in bounds.items() for name in each if isinstance(each[name], str)
            ),
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
        """Return the same limits if none needs a baseline, and at least one is named."""
        if self.of_changes:
            name = self.of_changes[0]
            raise SettingError(f"{name} takes a baseline; name one beside the candidate, or use floor and ceiling.")
        if not self.floor and not self.ceiling:
            raise SettingError("Without a baseline there is nothing to compare with; give one, or a floor or ceiling.")
        return self

    def with_baseline(self) -> Limits:
        """Return the limits with the default criterion, the test, unless only the named ones are wanted."""
        if self.only and not (self.floor or self.ceiling or self.of_changes):
            raise SettingError("only leaves out the default criterion, and no other is named; name one or omit only.")
        return self if self.only or self.alpha is not None else replace(self, alpha=DEFAULT_ALPHA, is_default=True)


def _bound(kind: str, name: str, value: object) -> float:
    return number_that(
        f"{kind} {name}".rstrip(), with_unit(value, 1), lambda value: 0 <= value < inf, "a score or a count, 0 at least"
    )


def _points(name: str, value: object) -> float:
    return number_that(name, with_unit(value, 100), lambda value: 0 <= value <= 100, "a number of points from 0 to 100")
