"""`evenhand errors`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from evenhand.cli.help import LISTING, WRITING, Command, option, with_options
from evenhand.cli.options import (
    INPUT,
    NAMES,
    OUTPUT,
    Choice,
    input_arguments,
    reading_options,
    score_options,
    scoring_options,
    sides,
    training_keywords,
    training_options,
)
from evenhand.cli.output import quiet_option, say_notes, show

_QUERY = ("all", "type", "label", "system", "text", "slice", "slices", "sample", "seed", "context")


@click.command(cls=Command)
@input_arguments("[SYSTEM]...")
@option(LISTING, "--type", "--show", **NAMES, default=(), help="List only these error types, such as FN,LE.")
@option(LISTING, "--label", **NAMES, default=(), help="List only units with these labels, on either side.")
@option(LISTING, "--system", **NAMES, default=(), help="List only the errors of these systems.")
@option(LISTING, "--text", metavar="REGEX", help="List only units whose string contains this regular expression.")
@option(
    LISTING,
    "--slice",
    metavar="NAME=VALUE",
    help="List only units of a slice: length=2, document=d1, a column or JSON field of GOLD, a column of --slices.",
)
@option(
    LISTING,
    "--slices",
    "slices",
    type=INPUT,
    multiple=True,
    metavar="TABLE",
    help="CSV, TSV or JSON lines with a column of document ids; the other columns are added to every row. Repeatable.",
)
@with_options(*training_options(LISTING))
@option(LISTING, "--sample", type=int, metavar="NUMBER", help="Draw a random sample of each system's units.")
@option(LISTING, "--seed", type=int, default=0, help="Seed of the sample.", rare=True)
@option(LISTING, "--context", type=int, default=5, help="Words of context on each side of a unit.")
@option(LISTING, "--all", is_flag=True, help="Also list correct units.")
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "errors", "gold", "systems"), without=("beta",))
@option(
    WRITING,
    "-o",
    "--output",
    type=OUTPUT,
    metavar="FILE",
    help="Write all rows to FILE: .csv, .tsv, .xlsx, .jsonl, .parquet, .arrow or .html.",
)
@option(
    WRITING,
    "--as",
    "form",
    type=Choice(["text", "csv", "jsonl"]),
    metavar="FORM",
    default="text",
    help="Format of standard output: text (the first rows), csv or jsonl (all rows).",
)
@option(WRITING, "--limit", type=int, default=20, help="Maximum number of rows in the text.", rare=True)
@quiet_option
def errors(**options: Any) -> None:
    """List the errors of SYSTEM files, one row per unit.

    The number of rows of each error type is the count of `evenhand score`. --match names the measure whose errors are
    listed [fair for spans, links and relations, accuracy for tags, las for trees, mela for chains].

    \b
    Examples:
      evenhand errors gold.conll flair.conll
      evenhand errors gold.conll flair.conll --type FN --label ORG -o missed.xlsx
      evenhand errors gold.conll flair.conll elmo.conll --sample 100 -o a.csv
      evenhand errors gold.conllu parser.conllu --match uas --text '(?i)^that$'
      evenhand errors gold.conll flair.conll --all -o units.parquet
      evenhand errors gold.conll flair.conll --slices meta.csv --slice genre=chat
    """
    import evenhand
    from evenhand.cli.process import say
    from evenhand.report.table_files import TEXT_WIDTH, standard_output, text, writer_of

    output: Path | None = options["output"]
    if output is not None:
        writer_of(output)
    gold, systems = sides(options, least=0)
    table = evenhand.errors(gold, systems or None, **score_options(options, *_QUERY), **training_keywords(options))
    if output is not None:
        table.write(output)
        if not options["quiet"]:
            say(f"{output}: {len(table):,} rows. {table.caption}")
    elif options["form"] == "text":
        import shutil

        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else TEXT_WIDTH
        show(text(table, max(width, 80), options["limit"], "-o FILE writes all rows"), "text")
    else:
        show(standard_output(table, options["form"]), options["form"])
    if not options["quiet"]:
        say_notes(table.notes)
