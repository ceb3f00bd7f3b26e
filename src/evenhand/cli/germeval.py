"""`evenhand germeval`: the metrics of a shared task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.formats.addresses import Place


@click.command
@click.argument("gold", type=INPUT)
@click.argument("prediction", required=False, type=INPUT)
@click.option("-l", "--latex", is_flag=True, help="The metrics as a LaTeX table (booktabs).")
@click.option("-d", "--delimiter", metavar="TEXT", help="What separates columns [tab].")
@click.option("-v", "--verbose", is_flag=True, help="Gold, found and correct entities by label and level, too.")
@click.option(
    "--repair",
    type=click.Choice(["begin", "discard", "error"]),
    default="begin",
    show_default=True,
    help="An entity that begins with I-: take it as it stands, leave it out, or stop.",
)
@click.option("--as-script", is_flag=True, help="Figures of the task's own script, its known defects included.")
@click.option(
    "--as", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Form of the output."
)
@click.option("-o", "--output", type=OUTPUT, help="Write to this file instead.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def germeval(gold: Place, prediction: Place | None, form: str, output: Path | None, **options: Any) -> None:
    """Score a PREDICTION with the metrics of GermEval 2014.

    With GOLD alone it has six columns: index, token, gold outer and inner tag, predicted outer and inner tag.
    With a PREDICTION both have four. Ill-formed files are errors, with status 2 and no scores.

    \b
    evenhand germeval both.tsv
    evenhand germeval gold.tsv prediction.tsv --as json -o scores.json
    """
    import evenhand
    from evenhand.cli.ending import say
    from evenhand.cli.output import show
    from evenhand.files import write_file
    from evenhand.report import germeval as report

    if options["latex"] and form == "json":
        raise click.UsageError("--latex and --as json exclude each other")
    delimiter = options["delimiter"] and options["delimiter"].replace(r"\t", "\t")
    settings = {"repair": options["repair"], "as_script": options["as_script"]}
    result = evenhand.germeval(gold, prediction, delimiter=delimiter, **settings)
    if form == "json":
        shown = result.to_json()
    else:
        shown = (report.latex if options["latex"] else report.text)(result, verbose=options["verbose"])
    if options["latex"] and not options["quiet"]:
        for line in report.remarks(result):
            say(line)
    if output is None:
        show(shown, form)
    else:
        write_file(output, shown)
