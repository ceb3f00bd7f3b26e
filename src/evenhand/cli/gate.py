"""`evenhand gate`: exit status 1 on a regression."""

from __future__ import annotations

import sys
from typing import Any

import click

from evenhand.cli.comparing import by_option, of_option
from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.cli.options import reading_options, score_options, scoring_options
from evenhand.cli.style import table_options, table_style
from evenhand.formats.addresses import Place

GATE_OUTPUTS = ("text", "json", "markdown", "latex")


@click.command
@click.argument("gold", type=INPUT)
@click.argument("baseline", type=INPUT)
@click.argument("candidate", type=INPUT)
@click.option("--max-drop", type=float, metavar="POINTS", help="By how many points (of 100) the score may fall.")
@click.option("--max-new-errors", type=int, help="How many units may be wrong that the baseline has right.")
@click.option("--alpha", type=float, help="No worse score with a p-value below this [0.05 if no criterion is named].")
@by_option
@click.option("--trials", type=int, help="Trials of the test [10,000; more for a small alpha].")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
@of_option("documents, or sentences where these are too few for the test")
@scoring_options(with_match=False)
@reading_options(sided=True)
@click.option(
    "--as", "form", type=click.Choice(GATE_OUTPUTS), default="text", show_default=True, help="Form of the output."
)
@table_options
@click.option("-o", "--output", type=OUTPUT, help="Write to this file instead.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def gate(gold: Place, baseline: Place, candidate: Place, **options: Any) -> None:
    """Whether CANDIDATE may replace BASELINE on the GOLD standard; the exit status is 1 if it may not.

    Every criterion that is named must hold. Without any, the score must not be lower with a p-value below 0.05; where
    the systems differ in too few documents and sentences for such a p-value, it must not fall by more than one point.

    \b
    evenhand gate gold.conll old.conll new.conll --max-drop 0.5 --max-new-errors 40 --alpha 0.05
    evenhand gate gold.conllu old.conllu new.conllu --by las --max-drop 0
    """
    import evenhand
    from evenhand.cli.output import emit

    style = table_style(options)
    plain = ("max_drop", "max_new_errors", "alpha", "by", "trials", "seed", "of")
    chosen = score_options(options) | {name: options[name] for name in plain}
    found = evenhand.gate(gold, baseline, candidate, **chosen)
    emit(found, options["form"], options["output"], quiet=options["quiet"], style=style)
    sys.exit(0 if found.passed else 1)
