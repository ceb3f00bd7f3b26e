"""`evenhand suspects`: where the gold standard is probably wrong."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.help import SCORING, Command, Decorator, option, with_options
from evenhand.cli.options import (
    INPUT,
    NAMES,
    Choice,
    input_arguments,
    reading_options,
    score_options,
    scoring_options,
    sides,
)
from evenhand.cli.output import (
    emit,
    form_option,
    output_option,
    quiet_option,
    say_notes,
    table_options,
    table_style,
    write,
)
from evenhand.cli.process import say
from evenhand.errors import counted

SUSPECTS_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "jsonl", "html")
_NAMES = ("rule", "truth", "leave_out")
voting_options: Decorator = with_options(
    option(
        SCORING,
        "--rule",
        type=Choice(("fit", "plain", "votes")),
        metavar="NAME",
        help="fit, plain (no fitting) or votes [fit, or plain if there are few data].",
    ),
    option(SCORING, "--leave-out", **NAMES, help="Systems that do not vote."),
)


@click.command(cls=Command)
@input_arguments()
@option(SCORING, "--first", type=click.IntRange(1), default=100, help="Number of suspects.")
@option(SCORING, "--verdict", **NAMES, help="Only these verdicts: missing, spurious, label, bounds.")
@voting_options
@option(SCORING, "--truth", type=INPUT, metavar="CORRECTED", help="Compare with a corrected gold standard.")
@reading_options(sided=True)
@scoring_options(without=("match", "beta"))
@form_option(SUSPECTS_OUTPUTS)
@table_options(rare=True)
@output_option
@quiet_option
def suspects(**options: Any) -> None:
    """Rank places where the GOLD standard is probably wrong, because SYSTEM files and its other annotations disagree.

    Two good systems are enough. Each suspect has a proposal and a reason. Write the page (.html), review the proposals
    there, and save the overrides; or write a file of overrides (.jsonl), which --overrides refuses until its proposals
    are reviewed. --labels chooses suspects by their gold label or proposed label.

    \b
    Examples:
      evenhand suspects gold.conll a.conll b.conll
      evenhand suspects gold.conll a.conll b.conll -o suspects.html
      evenhand suspects gold.conll a.conll b.conll --verdict label -o s.jsonl
    """
    import evenhand

    style = table_style(options)
    result = evenhand.suspects(*sides(options), **score_options(options, "first", "verdict", *_NAMES))
    form, output, quiet = options["form"], options["output"], options["quiet"]
    if form not in ("jsonl", "html"):
        emit(result, form, output, quiet=quiet, style=style)
        return
    write(result.to_overrides() if form == "jsonl" else result.to_html(), form, output)
    if not quiet:
        say_notes(result.notes)
        if form == "jsonl":
            say(f"{counted(len(result.suspects), 'proposal')}. --overrides refuses them until they are reviewed.")
