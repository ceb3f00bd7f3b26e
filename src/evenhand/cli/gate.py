"""`evenhand gate`: exit status 1 on a regression."""

from __future__ import annotations

import sys
from typing import Any

import click

from evenhand.cli.help import CRITERIA, Command, option
from evenhand.cli.inputs import INPUT
from evenhand.cli.options import by_option, reading_options, score_options, scoring_options
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style
from evenhand.cli.statistics import of_option, seed_option, trials_option
from evenhand.formats.addresses import Place

GATE_OUTPUTS = ("text", "json", "markdown", "latex")


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("baseline", type=INPUT)
@click.argument("candidate", type=INPUT)
@option(CRITERIA, "--max-drop", type=float, metavar="POINTS", help="Fail if the score falls by more points (of 100).")
@option(
    CRITERIA,
    "--max-new-errors",
    type=int,
    help="Fail if the candidate has more units wrong that the baseline has right.",
)
@option(
    CRITERIA,
    "--alpha",
    type=float,
    help="Fail if the score falls with a p-value below this [0.05 if no criterion is given].",
)
@by_option
@trials_option("[10,000; more for a small alpha]")
@seed_option
@of_option("documents, or sentences where these are too few for the test")
@reading_options(sided=True)
@scoring_options(with_match=False)
@form_option(GATE_OUTPUTS)
@table_options()
@output_option
@quiet_option
def gate(gold: Place, baseline: Place, candidate: Place, **options: Any) -> None:
    """Check whether CANDIDATE may replace BASELINE; if not, the exit status is 1.

    Every criterion that is given must hold. Without one, the gate fails if the score falls with a p-value below 0.05.
    Where the systems differ in too few documents and sentences for such a p-value, it fails if the score falls by more
    than one point.

    \b
    Examples:
      evenhand gate gold.conll old.conll new.conll --max-drop 0.5
      evenhand gate gold.conll old.conll new.conll --max-new-errors 40
      evenhand gate gold.conllu old.conllu new.conllu --by las --alpha 0.01
    """
    import evenhand

    style = table_style(options)
    plain = ("max_drop", "max_new_errors", "alpha", "by", "trials", "seed", "of")
    found = evenhand.gate(gold, baseline, candidate, **score_options(options, *plain))
    emit(found, options["form"], options["output"], quiet=options["quiet"], style=style)
    sys.exit(0 if found.passed else 1)
