"""`evenhand germeval`: the metrics of a shared task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.help import READING, SCORING, WRITING, Command, option
from evenhand.cli.inputs import INPUT
from evenhand.cli.options import repair_option
from evenhand.cli.output import check_suffix, form_option, output_option, quiet_option, write
from evenhand.formats.addresses import Place


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("prediction", required=False, type=INPUT)
@option(SCORING, "--as-script", is_flag=True, help="Reproduce the task's own script, with its known defects.")
@option(READING, "-d", "--delimiter", metavar="TEXT", help="What separates columns [tab].")
@repair_option("Entities that begin with I-: keep them (begin), drop them (discard), or stop (error).")
@form_option(("text", "json", "latex"))
@option(WRITING, "-l", "--latex", is_flag=True, help="The same as --as latex.")
@option(WRITING, "-v", "--verbose", is_flag=True, help="Also count entities by label and level.")
@output_option
@quiet_option
def germeval(gold: Place, prediction: Place | None, form: str, output: Path | None, **options: Any) -> None:
    """Score a PREDICTION with the metrics of GermEval 2014.

    GOLD alone has six columns: index, token, gold outer and inner tag, predicted outer and inner tag. With a
    PREDICTION, both files have four. Ill-formed files are errors: exit status 2 and no scores.

    \b
    Examples:
      evenhand germeval both.tsv
      evenhand germeval gold.tsv prediction.tsv -o scores.json
    """
    import evenhand
    from evenhand.cli.ending import say
    from evenhand.report import germeval as report

    if options["latex"] and form == "json":
        raise click.UsageError("--latex and --as json exclude each other")
    form = "latex" if options["latex"] else form
    if output is not None:
        check_suffix(output, form)
    delimiter = options["delimiter"] and options["delimiter"].replace(r"\t", "\t")
    settings = {"repair": options["repair"], "as_script": options["as_script"]}
    result = evenhand.germeval(gold, prediction, delimiter=delimiter, **settings)
    if form == "json":
        shown = result.to_json()
    else:
        shown = (report.latex if form == "latex" else report.text)(result, verbose=options["verbose"])
    if form == "latex" and not options["quiet"]:
        for line in report.remarks(result):
            say(line)
    write(shown, form, output)
