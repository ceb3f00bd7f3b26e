"""`evenhand report`: one page with scores, differences and the errors themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.help import WRITING, Command, option
from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.cli.options import by_option, reading_options, score_options, scoring_options
from evenhand.cli.output import check_suffix, quiet_option, say_notes
from evenhand.cli.statistics import STATISTICS_NAMES, statistics_options
from evenhand.formats.addresses import Place
from evenhand.problems import counted


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM...")
@option(WRITING, "-o", "--output", type=OUTPUT, metavar="FILE", required=True, help="Write the page to FILE.")
@option(WRITING, "--title", metavar="TEXT", help="Title of the page [the names of the files].")
@option(WRITING, "--limit", type=int, default=50_000, help="Most units that the page holds.")
@by_option
@statistics_options
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "gold"))
@quiet_option
def report(gold: Place, systems: tuple[Place, ...], output: Path, quiet: bool, **options: Any) -> None:
    """Write a page on SYSTEM files: scores, differences, and every error in its sentence.

    The page is one file that needs no network. Counts link to their units.

    \b
    Examples:
      evenhand report gold.conll old.conll new.conll -o report.html
      evenhand report gold.conllu parser.conllu -o parser.html --by uas
    """
    import evenhand
    from evenhand.cli.ending import say
    from evenhand.files import write_file

    check_suffix(output, "html")
    chosen = score_options(options, "title", "by", "limit", *STATISTICS_NAMES)
    found = evenhand.report(gold, list(systems), **chosen)
    write_file(output, found.to_html())
    if not quiet:
        say_notes(found.notes)
        say(f"{output}: {found.units.carried:,} of {counted(found.units.met, 'unit')}.")
