"""`evenhand gate`: exit status 1 if a candidate is not good enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from evenhand.cli.help import CRITERIA, Command, Decorator, option
from evenhand.cli.options import (
    Choice,
    by_or_match_option,
    input_arguments,
    of_option,
    reading_options,
    score_options,
    scoring_options,
    seed_option,
    sides,
    slice_keywords,
    slice_options,
    trials_option,
)
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style
from evenhand.files import append_to_file
from evenhand.parameters import parse_unit

Limit = float | str
GATE_OUTPUTS = ("text", "json", "markdown", "latex", "html", "junit", "github")
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The environment variable with the file whose Markdown GitHub shows on the page of a run."""


def limit(value: str) -> Limit:
    """A number, or a string with its unit: 0.85, 85%, 1pp."""
    if parse_unit(value, 1) != value:
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number, such as 0.85, 85% or 1pp.") from None


def named_limit(value: str) -> tuple[str, Limit]:
    """The name of a score and its limit: PER:recall=0.9."""
    name, equals, number = value.rpartition("=")
    try:
        if equals:
            return name, limit(number)
    except click.BadParameter:
        pass
    raise click.BadParameter(f"{value!r} is not SCORE=NUMBER, such as PER:recall=0.9 or PER:recall=90%.")


def points(value: str) -> tuple[str, Limit]:
    """A named limit, or a number alone for the score that systems are compared by."""
    try:
        return "", limit(value)
    except click.BadParameter:
        return named_limit(value)


def _bound_option(name: str, help: str) -> Decorator:
    return option(CRITERIA, name, type=named_limit, multiple=True, metavar="SCORE=NUMBER", help=help)


@click.command(cls=Command)
@input_arguments("[BASELINE] CANDIDATE")
@_bound_option("--floor", "Fail if this score is lower: fair=0.85, PER:recall=0.9. Needs no BASELINE. Repeatable.")
@_bound_option("--ceiling", "Fail if this score or count is higher: FP=20. Needs no BASELINE. Repeatable.")
@option(
    CRITERIA,
    "--max-drop",
    type=points,
    multiple=True,
    metavar="[SCORE=]POINTS",
    help="Fail if the score (or the named score) falls by more than this many points (of 100): 0.5, 1pp. Repeatable.",
)
@option(
    CRITERIA,
    "--max-label-drop",
    type=limit,
    metavar="POINTS",
    help="Fail if the score of any label falls by more than this many points.",
)
@option(
    CRITERIA,
    "--max-new-errors",
    type=int,
    help="Fail if the candidate gets more than this many units wrong that the baseline gets right.",
)
@option(
    CRITERIA,
    "--no-worse-slice",
    is_flag=True,
    help="Fail if `evenhand causes` finds a slice with more errors.",
    rare=True,
)
@option(
    CRITERIA,
    "--alpha",
    type=limit,
    metavar="NUMBER",
    help="Fail if the score falls with a p-value below this [0.05; none without BASELINE].",
)
@option(
    CRITERIA,
    "--need-power",
    type=limit,
    metavar="NUMBER",
    help="Fail if the power to detect a drop of --for points is lower: 0.8. Prevents passing for lack of data.",
    rare=True,
)
@option(
    CRITERIA,
    "--for",
    "power_for",
    type=limit,
    metavar="POINTS",
    help="Drop for --need-power [1].",
    rare=True,
)
@option(CRITERIA, "--only", is_flag=True, help="Check only the specified criteria, not the default --alpha.")
@slice_options(CRITERIA, are_rare=True)
@option(
    CRITERIA,
    "--slice-min",
    type=int,
    default=20,
    help="Minimum number of gold units of a slice with a limit; fewer are an error.",
    rare=True,
)
@option(
    CRITERIA,
    "--floor-at",
    type=Choice(["value", "lower"]),
    default="value",
    metavar="WHAT",
    help="Compare limits of confidences with the value, or with the lower end of its interval (upper for a ceiling).",
    rare=True,
)
@by_or_match_option
@trials_option("[10,000; more for a small alpha]", rare=True)
@seed_option
@of_option("documents, or sentences if documents are too few for the test")
@reading_options(sided=True)
@scoring_options(without=("match",))
@form_option(GATE_OUTPUTS)
@table_options(rare=True)
@output_option
@quiet_option
def gate(**options: Any) -> None:
    """Check whether CANDIDATE may replace BASELINE, or is good enough; if not, the exit status is 1.

    All specified criteria must hold. With BASELINE, the gate also fails if the score falls with a p-value below
    0.05. If the systems differ in too few documents and sentences for such a p-value, it fails if the score falls by
    more than --max-drop or, without that, one point. --only leaves this test out; the output lists it as not checked.

    Floors, ceilings and alpha are fractions from 0 to 1, or counts; drops are points of 100. 85% and 1pp name the unit.

    SCORE is LABEL:MEASURE.FIGURE. The default LABEL is all labels, the default MEASURE is --by, and the default FIGURE
    is the headline. Figures are named as in `evenhand score --as json`: precision, recall, f1, FN, macro.f1 and so on.
    A figure that only one measure declares (leak_rate) makes it the default MEASURE. SLICE=VALUE/ before MEASURE is the
    score on a slice: PER:genre=chat/fair.f1=0.7; / and : in VALUE are percent-encoded.

    Systems with confidences have further scores: ap, ece, recall@precision-0.95, precision@recall-0.8,
    f1@threshold-0.5, coverage@risk-0.05, risk@coverage-0.9; see `evenhand confidence`.

    With --as github, the tables are also added to the summary of the step (GITHUB_STEP_SUMMARY).

    \b
    Examples:
      evenhand gate gold.conll new.conll --floor fair=85% --floor PER:recall=0.9
      evenhand gate gold.conll new.conll --floor recall=0.99 --ceiling leak_rate=0
      evenhand gate gold.conll old.conll new.conll --max-drop 0.5 --alpha 0.01
      evenhand gate gold.conll old.conll new.conll --only --max-drop 0.5
      evenhand gate gold.conll old.conll new.conll --need-power 0.8 --for 1
      evenhand gate gold.conll old.conll new.conll --as junit -o gate.xml
      evenhand gate gold.conllu old.conllu new.conllu --by las
      evenhand gate gold.jsonl new.jsonl --floor recall@precision-0.95=0.8
      evenhand gate gold.conll new.conll --slices m.csv --floor genre=chat/f1=80%
    """
    import evenhand

    style = table_style(options)
    gold, systems = sides(options, least=0)
    baseline, candidate = _pair(systems, has_bounds=bool(options["floor"] or options["ceiling"]))
    for name in ("floor", "ceiling", "max_drop"):
        options[name] = dict(options[name]) or None
    criteria = (
        "floor",
        "ceiling",
        "max_drop",
        "max_label_drop",
        "max_new_errors",
        "no_worse_slice",
        "alpha",
        "need_power",
        "power_for",
        "only",
    )
    plain = (*criteria, "by", "trials", "seed", "of", "slice_min", "floor_at")
    result = evenhand.gate(gold, baseline, candidate, **score_options(options, *plain), **slice_keywords(options))
    emit(result, options["form"], options["output"], quiet=options["quiet"], style=style)
    if options["form"] == "github" and os.environ.get(SUMMARY):
        append_to_file(os.environ[SUMMARY], result.to_markdown() + "\n")
    sys.exit(0 if result.passed else 1)


def _pair(systems: Sequence[Any] | Mapping[str, Any], *, has_bounds: bool) -> tuple[Any, Any]:
    """The baseline, if present, and the candidate."""
    listed = [{name: side} for name, side in systems.items()] if isinstance(systems, Mapping) else list(systems)
    if len(listed) > 2:
        raise click.UsageError(f"Expected a baseline and a candidate, got {len(listed)} systems")
    if len(listed) == 2:
        return listed[0], listed[1]
    if not listed or not has_bounds:
        without = "; only --floor and --ceiling need no BASELINE" if listed else ""
        raise click.UsageError(f"Missing argument 'CANDIDATE'{without}")
    return None, listed[0]
