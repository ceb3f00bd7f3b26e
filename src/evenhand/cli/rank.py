"""`evenhand rank`: scores and ranks under several match models."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.engine import chosen_engine, engine_options
from evenhand.cli.help import SCORING, Command, option
from evenhand.cli.inputs import INPUT, manifest_option, note_inputs, sides
from evenhand.cli.options import reading_options, score_options, scoring_options
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style
from evenhand.cli.statistics import INTERVAL_NAMES, interval_options, trials_option
from evenhand.formats.addresses import Place

RANK_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html")


@click.command(cls=Command)
@click.argument("gold", required=False, type=INPUT)
@click.argument("systems", nargs=-1, type=INPUT, metavar="SYSTEM...")
@trials_option("behind the clusters (0: no clusters) [10,000; more for more than 125 pairs]", rare=True)
@interval_options
@reading_options(sided=True)
@scoring_options(effects=("scores", "labels", "gold"))
@manifest_option
@option(SCORING, "--suite", type=INPUT, metavar="FILE", help="TOML file that names several data sets to rank.")
@option(SCORING, "--skip-broken", is_flag=True, help="Rank the systems that can be scored, and list the others.")
@engine_options
@form_option(RANK_OUTPUTS)
@table_options()
@output_option
@quiet_option
def rank(
    gold: Place | None, systems: tuple[Place, ...], manifest: Place | None, suite: Place | None, **options: Any
) -> None:
    """Rank SYSTEM files by their scores under several match models.

    Intervals come from resampling documents, or sentences where there is one document. Systems that share a letter are
    not significantly worse than the best of them under the first match model. --suite ranks systems on several
    data sets and on average; its file has a table for each data set:

    \b
      [[data]]
      name = "english"
      gold = "english/gold.conll"
      systems = "english/systems/*.conll"

    \b
    Examples:
      evenhand rank gold.conll systems/*.conll
      evenhand rank gold.conll a.conll b.conll --match fair,semeval --as latex
      evenhand rank gold.conll submissions/*.conll --skip-broken
      evenhand rank --suite suite.toml -o ranking.json
      evenhand rank --manifest pairs.tsv --engine dask
    """
    import evenhand

    style = table_style(options)
    chosen = score_options(options, "trials", "skip_broken", *INTERVAL_NAMES)
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
