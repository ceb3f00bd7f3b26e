"""`evenhand plot`: figures for papers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import WRITING, Command, option, with_options
from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.cli.options import pair_options, reading_options, score_options, scoring_options
from evenhand.cli.output import quiet_option, say_notes
from evenhand.cli.statistics import INTERVAL_NAMES, STATISTICS_NAMES, interval_options, statistics_options
from evenhand.cli.usage import Group
from evenhand.formats.addresses import Place
from evenhand.tasks.registry import TASKS

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.ranking import Ranking
    from evenhand.result.result import Result, Results


figure_options = with_options(
    option(
        WRITING,
        "-o",
        "--output",
        required=True,
        type=OUTPUT,
        metavar="FILE",
        help="Write the figure to FILE, which ends with .svg, .pdf or .png.",
    ),
    option(WRITING, "--width", type=float, metavar="INCHES", help="Width of the figure [6.3]."),
    option(WRITING, "--height", type=float, metavar="INCHES", help="Height of the figure [depends on the content]."),
    quiet_option,
)
"""Where a figure goes, and how large it is."""

_CONFUSED = [task.name for task in TASKS.values() if task.display.confusion is not None]
"""The tasks whose labels can be confused."""


@click.group(cls=Group, no_args_is_help=False, subcommand_metavar="KIND GOLD SYSTEM...")
def plot() -> None:
    """Draw a figure for a paper, as SVG, PDF or PNG.

    \b
    Examples:
      evenhand plot errors gold.conll flair.conll elmo.conll -o errors.pdf
      evenhand plot confusion gold.conll flair.conll -o confusion.svg
      evenhand plot comparison gold.conll old.conll new.conll -o comparison.pdf
      evenhand plot ranks gold.conll systems/*.conll -o ranks.pdf
    """


@plot.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM]...")
@option(WRITING, "--counts", is_flag=True, help="Draw numbers of errors, not shares.")
@figure_options
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold"), without=("beta",))
def errors(gold: Place, systems: tuple[Place, ...], counts: bool, **options: Any) -> None:
    """Kinds of errors of each system.

    Spans: the error types of fair evaluation beside the FN and FP of exact match. Tags: the tags with the most errors.
    Trees: wrong heads and relations. Chains: wrong, missing and spurious antecedents.
    """
    import evenhand

    check(options)
    results = evenhand.score(gold, list(systems) or None, **score_options(options))
    write_figure(results, "errors", options, counts=counts)


@plot.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM]...")
@option(WRITING, "--system", "chosen", multiple=True, metavar="NAME", help="Draw only this system. Repeatable.")
@figure_options
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold"), without=("beta",), tasks=_CONFUSED)
def confusion(gold: Place, systems: tuple[Place, ...], chosen: tuple[str, ...], **options: Any) -> None:
    """Labels that are confused with each other.

    One heat map for each of up to four systems, with the 15 labels that have the most errors.
    """
    import evenhand

    check(options)
    results = evenhand.score(gold, list(systems) or None, **score_options(options))
    write_figure(results, "confusion", options, systems=chosen)


@plot.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM SYSTEM...")
@pair_options
@figure_options
@statistics_options
@reading_options(sided=True)
@scoring_options(with_match=False, effects=("scores", "gold"))
def comparison(gold: Place, systems: tuple[Place, ...], **options: Any) -> None:
    """Changes between systems.

    For each pair of systems: corrections, new errors, changed errors, and the change of the score.
    """
    import evenhand

    check(options)
    chosen = score_options(options, "by", "baseline", "sequence", *STATISTICS_NAMES)
    write_figure(evenhand.compare(gold, list(systems), **chosen), "comparison", options)


@plot.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM...")
@interval_options
@figure_options
@reading_options(sided=True)
@scoring_options(effects=("scores", "gold"))
def ranks(gold: Place, systems: tuple[Place, ...], **options: Any) -> None:
    """Scores with intervals and ranks under several match models."""
    import evenhand

    check(options)
    chosen = score_options(options, *INTERVAL_NAMES)
    write_figure(evenhand.rank(gold, list(systems), trials=0, **chosen), "ranks", options)


def check(options: dict[str, Any]) -> None:
    """Refuse what cannot be drawn or written before files are read."""
    from evenhand.report.figures.canvas import Size, check_matplotlib
    from evenhand.report.figures.file import form_of

    form_of(options["output"])
    Size(options["width"], options["height"])
    check_matplotlib()


def write_figure(
    result: Result | Results | Comparison | Ranking, kind: str, options: dict[str, Any], **choices: Any
) -> None:
    """Draw and write it whole or not at all; notes go to standard error."""
    from evenhand.files import write_file
    from evenhand.report.figures.file import form_of, render

    figure = result.plot(kind, width=options["width"], height=options["height"], **choices)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        content = render(figure, form_of(options["output"]), result.signature)
    write_file(options["output"], content)
    if not options["quiet"]:
        say_notes((*result.notes, *(str(warning.message) for warning in found)))
