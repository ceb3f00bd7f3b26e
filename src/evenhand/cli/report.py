"""`evenhand report`: one page with scores, differences and the errors themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.options import reading_options, score_options, scoring_options


@click.command
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("systems", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SYSTEM...")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The page that is written.")
@click.option("--title", help="Title of the page [the names of the files].")
@click.option(
    "--by",
    type=click.Choice(["fair", "exact", "accuracy", "las", "uas", "ls", "arcs_any", "arcs_nom"]),
    help="What systems are compared by, as in compare [spans always by fair].",
)
@click.option("--limit", type=int, default=50_000, show_default=True, help="How many units the page carries.")
@click.option("--trials", type=int, default=10_000, show_default=True, help="Trials of the tests; 0: no tests.")
@click.option("--resamples", type=int, default=1_000, show_default=True, help="Resamples for the intervals; 0: none.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
@scoring_options("as score")
@reading_options(sided=True)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def report(gold: Path, systems: tuple[Path, ...], output: Path, quiet: bool, **options: Any) -> None:
    """Write a page on SYSTEM files and the GOLD standard: scores, differences, and every error in its sentence.

    The page is one file that needs no network. Every number leads to the units behind it.

    \b
    evenhand report gold.conll old.conll new.conll -o report.html
    evenhand report gold.conllu parser.conllu -o parser.html --by uas
    """
    import evenhand
    from evenhand.cli.output import say, write

    plain = ("title", "by", "limit", "trials", "resamples", "seed")
    chosen = score_options(options) | {name: options[name] for name in plain}
    found = evenhand.report(gold, list(systems), **chosen)
    write(output, found.to_html())
    if not quiet:
        for note in found.notes:
            say(f"Note: {note}")
        carried = len(found.units.units())
        say(f"{output}: {carried:,} of {found.units.met:,} units.")
