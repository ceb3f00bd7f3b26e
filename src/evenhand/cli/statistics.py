"""Options of tests and confidence intervals."""

from __future__ import annotations

from typing import Any, get_args

import click

from evenhand.cli.help import STATISTICS, Decorated, Decorator, option, with_options
from evenhand.settings import Resampled

INTERVAL_NAMES = ("resamples", "level", "seed", "of")
STATISTICS_NAMES = ("trials", "interval", *INTERVAL_NAMES)
"""What commands hand over to the Python functions."""
seed_option = option(STATISTICS, "--seed", type=int, metavar="NUMBER", default=0, help="Seed of the random numbers.")
_INTERVAL_KIND = option(
    STATISTICS,
    "--interval",
    type=click.Choice(["percentile", "bca"]),
    metavar="KIND",
    default="percentile",
    help="Kind of bootstrap intervals: percentile or bca.",
    rare=True,
)
_LEVEL = option(
    STATISTICS, "--level", type=float, metavar="NUMBER", default=0.95, help="Confidence level of intervals."
)


def trials_option(default: str) -> Decorator:
    """How many trials a test takes."""
    return option(STATISTICS, "--trials", type=int, metavar="NUMBER", help=f"Trials of each test {default}.")


def of_option(default: str) -> Decorator:
    """What is resampled."""
    settings: dict[str, Any] = {"type": click.Choice(get_args(Resampled)), "metavar": "UNITS", "rare": True}
    return option(STATISTICS, "--of", help=f"What to resample: documents or sentences [{default}].", **settings)


def interval_options(command: Decorated) -> Decorated:
    """How the intervals of scores are made."""
    return with_options(command, _INTERVALS)


def statistics_options(command: Decorated) -> Decorated:
    """How tests, and the intervals of differences, are made."""
    return with_options(command, (_TRIALS, *_INTERVALS, _INTERVAL_KIND))


_TRIALS = trials_option("(0: no tests) [10,000; more for more than 125 pairs]")
_INTERVALS = (
    option(
        STATISTICS,
        "--resamples",
        type=int,
        metavar="NUMBER",
        default=1_000,
        help="Bootstrap resamples for intervals; 0: no intervals.",
    ),
    _LEVEL,
    seed_option,
    of_option("documents, or sentences where there is one document"),
)
