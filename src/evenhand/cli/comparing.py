"""Options of the commands that compare systems: by what, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from evenhand.settings import Resampled
from evenhand.tasks.registry import TASKS

Command = TypeVar("Command", bound=Callable[..., Any])
STATISTICS = ("trials", "resamples", "interval", "level", "seed", "of")
INTERVALS = ("resamples", "level", "seed", "of")
_RESAMPLES = click.option(
    "--resamples", type=int, default=1_000, show_default=True, help="Resamples for the intervals; 0: none."
)
_LEVEL = click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level of intervals.")
_SEED = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")


def by_option(command: Command) -> Command:
    """What systems are compared by."""
    models = [model for task in TASKS.values() for model in task.compared_by]
    defaults = ", ".join(f"{task.compared_by[0]} for {task.name}" for task in TASKS.values())
    return click.option("--by", type=click.Choice(models), help=f"What is compared [{defaults}].")(command)


def of_option(default: str) -> Callable[[Command], Command]:
    """What is resampled."""
    return click.option("--of", type=click.Choice(get_args(Resampled)), help=f"What is resampled [{default}].")


_OF = of_option("documents, or sentences where there is one document")


def interval_options(command: Command) -> Command:
    """How the intervals of scores are made."""
    return _RESAMPLES(_LEVEL(_SEED(_OF(command))))


def statistics_options(command: Command) -> Command:
    """How tests, and the intervals of differences, are made."""
    trials = click.option(
        "--trials", type=int, help="Trials of the tests; 0: no tests [10,000; more for more than 125 pairs]."
    )
    interval = click.option(
        "--interval",
        type=click.Choice(["percentile", "bca"]),
        default="percentile",
        show_default=True,
        help="Kind of the bootstrap's intervals.",
    )
    return trials(_RESAMPLES(interval(_LEVEL(_SEED(_OF(command))))))
