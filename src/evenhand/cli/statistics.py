"""Options of tests and confidence intervals."""

from __future__ import annotations

from typing import Any, get_args

from evenhand.cli.choices import Choice
from evenhand.cli.help import STATISTICS, Decorator, option, with_options
from evenhand.settings import Resampled

INTERVAL_NAMES = ("resamples", "level", "seed", "of")
STATISTICS_NAMES = ("trials", "interval", *INTERVAL_NAMES)
"""What commands hand over to the Python functions."""
seed_option = option(STATISTICS, "--seed", type=int, default=0, help="Seed of the random numbers.")


def trials_option(default: str, *, rare: bool = False) -> Decorator:
    """How many trials a test takes."""
    return option(STATISTICS, "--trials", type=int, help=f"Trials of each test {default}.", rare=rare)


def of_option(default: str) -> Decorator:
    """What is resampled."""
    settings: dict[str, Any] = {"type": Choice(get_args(Resampled)), "metavar": "UNITS", "rare": True}
    return option(STATISTICS, "--of", help=f"What to resample: documents or sentences [{default}].", **settings)


interval_options = with_options(
    option(
        STATISTICS, "--resamples", type=int, default=1_000, help="Bootstrap resamples for intervals; 0: no intervals."
    ),
    option(STATISTICS, "--level", type=float, default=0.95, help="Confidence level of intervals."),
    seed_option,
    of_option("documents, or sentences if documents are too few to test"),
)
"""How the intervals of scores are made."""
statistics_options = with_options(
    trials_option("(0: no tests) [10,000; more for more than 125 pairs]"),
    interval_options,
    option(
        STATISTICS,
        "--interval",
        type=Choice(["percentile", "bca"]),
        metavar="KIND",
        default="percentile",
        help="Kind of bootstrap intervals: percentile or bca.",
        rare=True,
    ),
)
"""How tests, and the intervals of differences, are made."""
