"""`evenhand power`: what a test set can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import STATISTICS, Command, option, with_options
from evenhand.cli.options import (
    INPUT,
    Choice,
    by_or_match_option,
    input_arguments,
    of_option,
    reading_options,
    score_options,
    scoring_options,
    seed_option,
    sides,
)
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style

if TYPE_CHECKING:
    from evenhand.results.power import Power

NAMES = ("by", "delta", "target", "alpha", "size", "of", "like", "worst", "method", "seed")
power_options = with_options(
    by_or_match_option,
    option(STATISTICS, "--delta", type=float, metavar="POINTS", help="True difference [the observed one]."),
    option(STATISTICS, "--power", "target", type=float, default=0.8, help="Target power."),
    option(STATISTICS, "--alpha", type=float, default=0.05, help="Level of the test; divided by the number of pairs."),
    option(
        STATISTICS, "--groups", "size", type=int, metavar="NUMBER", help="What-if: number of documents or sentences."
    ),
    of_option("documents, or sentences if there is one document"),
    option(STATISTICS, "--by-sentence", is_flag=True, help="The same as --of sentences."),
    option(
        STATISTICS,
        "--like",
        type=INPUT,
        metavar="FILE",
        help="With one SYSTEM: assume that the next one is as similar as FILE.",
    ),
    option(STATISTICS, "--worst", is_flag=True, help="With one SYSTEM: add the worst case.", rare=True),
    option(
        STATISTICS,
        "--method",
        type=Choice(["drawing", "formula"]),
        metavar="NAME",
        default="drawing",
        help="drawing (of the groups) or formula (normal approximation).",
        rare=True,
    ),
    seed_option,
    reading_options(sided=True),
    scoring_options(with_match=False),
)
"""What the command and its figure share."""


@click.command(cls=Command)
@input_arguments()
@power_options
@option(
    STATISTICS,
    "--width",
    type=float,
    metavar="POINTS",
    help="Also compute how much text an interval of ± POINTS needs.",
)
@option(STATISTICS, "--simulate", type=int, default=0, metavar="NUMBER", help="Check with full simulations.", rare=True)
@form_option(("text", "json", "markdown"))
@table_options(rare=True)
@output_option
@quiet_option
def power(**options: Any) -> None:
    """Estimate what the test set GOLD can show: the power of a test, the detectable difference, the size needed.

    With two or more SYSTEM files, the difference of each pair. With one and --delta, a system that does not exist yet.

    \b
    Examples:
      evenhand power gold.conll crf.conll tagger.conll
      evenhand power gold.conll crf.conll --delta 1
      evenhand power gold.conll crf.conll tagger.conll --groups 400 --width 0.5
    """
    style = table_style(options)
    result = power_of(options, "width", "simulate")
    emit(result, options["form"], options["output"], quiet=options["quiet"], style=style)


def power_of(options: dict[str, Any], *names: str) -> Power:
    """The power that the options ask for; `names` are further keywords."""
    import evenhand

    if options.pop("by_sentence"):
        if options["of"] == "documents":
            raise click.UsageError("--by-sentence contradicts --of documents")
        options["of"] = "sentences"
    return evenhand.power(*sides(options), **score_options(options, *NAMES, *names))
