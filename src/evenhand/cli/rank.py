"""`evenhand rank`: scores and ranks under several match models."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.comparing import INTERVALS, interval_options
from evenhand.cli.engine import chosen_engine, engine_options
from evenhand.cli.inputs import INPUT, OUTPUT, manifest_option, note_inputs, sides
from evenhand.cli.options import reading_options, score_options, scoring_options
from evenhand.cli.style import table_options, table_style
from evenhand.formats.addresses import Place

RANK_OUTPUTS = ("text", "json", "csv", "markdown", "latex")


@click.command
@click.argument("gold", required=False, type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="SYSTEM...")
@manifest_option
@click.option("--suite", type=INPUT, help="A TOML file that names several data sets, instead.")
@interval_options
@scoring_options(without=("supertag", "baselines"))
@reading_options(sided=True)
@engine_options
@click.option(
    "--as", "form", type=click.Choice(RANK_OUTPUTS), default="text", show_default=True, help="Form of the output."
)
@table_options
@click.option("-o", "--output", type=OUTPUT, help="Write to this file instead.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def rank(
    gold: Place | None, systems: tuple[Place, ...], manifest: Place | None, suite: Place | None, **options: Any
) -> None:
    """Rank SYSTEM files by their scores against the GOLD standard, under several match models.

    Intervals come from resampling documents, or sentences where there is one document. With --suite, several data
    sets are ranked, each for itself and on average; the file has a table for each:

    \b
    [[data]]
    name = "english"
    gold = "english/gold.conll"
    systems = "english/systems/*.conll"

    \b
    evenhand rank gold.conll systems/*.conll
    evenhand rank gold.conll a.conll b.conll --match exact,fair,semeval --as latex
    evenhand rank --suite suite.toml --as json -o ranking.json
    evenhand rank --manifest pairs.tsv --engine dask
    """
    import evenhand
    from evenhand.cli.output import emit

    style = table_style(options)
    chosen = score_options(options) | {name: options[name] for name in INTERVALS}
    if suite is not None and (gold is not None or manifest is not None):
        raise click.UsageError("Name GOLD and SYSTEM files, a --manifest or a --suite, but not two of them")
    if suite is None and manifest is None and not systems:
        raise click.UsageError("Name a GOLD file and SYSTEM files, a --manifest or a --suite")
    with chosen_engine(options, (gold, *systems)) as engine:
        if suite is not None:
            note_inputs(_files(suite))
            ranking = evenhand.rank_suite(suite, **chosen, engine=engine)
        else:
            ranking = evenhand.rank(*sides(gold, systems, manifest), **chosen, engine=engine)
    emit(ranking, options["form"], options["output"], quiet=options["quiet"], style=style)


def _files(suite: Place) -> list[Place]:
    """The files that a suite names."""
    from evenhand.api.suites import suite as read_suite

    return [file for each in read_suite(suite) for file in (each.gold, *each.systems.values())]
