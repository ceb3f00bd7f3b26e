"""`evenhand report`: one page with scores, differences and the errors themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.comparing import STATISTICS, by_option, statistics_options
from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.cli.options import reading_options, score_options, scoring_options
from evenhand.formats.addresses import Place


@click.command
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM...")
@click.option("-o", "--output", type=OUTPUT, required=True, help="The page that is written.")
@click.option("--title", help="Title of the page [the names of the files].")
@by_option
@click.option("--limit", type=int, default=50_000, show_default=True, help="How many units the page carries.")
@statistics_options
@scoring_options(without=("supertag", "baselines"))
@reading_options(sided=True)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def report(gold: Place, systems: tuple[Place, ...], output: Path, quiet: bool, **options: Any) -> None:
    """Write a page on SYSTEM files and the GOLD standard: scores, differences, and every error in its sentence.

    The page is one file that needs no network. Counts lead to the units behind them.

    \b
    evenhand report gold.conll old.conll new.conll -o report.html
    evenhand report gold.conllu parser.conllu -o parser.html --by uas
    """
    import evenhand
    from evenhand.cli.ending import say
    from evenhand.files import write_file
    from evenhand.problems import announced

    plain = ("title", "by", "limit", *STATISTICS)
    chosen = score_options(options) | {name: options[name] for name in plain}
    found = evenhand.report(gold, list(systems), **chosen)
    write_file(output, found.to_html())
    if not quiet:
        for note in found.notes:
            say(announced(note))
        carried = found.units.carried
        say(f"{output}: {carried:,} of {found.units.met:,} units.")
