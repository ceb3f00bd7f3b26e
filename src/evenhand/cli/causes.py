"""`evenhand causes`: where a system fails, or two systems differ."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.help import LISTING, Command, option
from evenhand.cli.options import (
    by_or_match_option,
    input_arguments,
    of_option,
    reading_options,
    score_options,
    scoring_options,
    seed_option,
    sides,
    slice_keywords,
    slice_options,
    units_option,
)
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style

NAMES = ("by", "units", "only", "worse", "of", "seed")


@click.command(cls=Command)
@input_arguments("SYSTEM [SYSTEM2]")
@by_or_match_option
@units_option
@option(LISTING, "--only", is_flag=True, help="Search only the named slices and labels.")
@option(LISTING, "--worse", is_flag=True, help="With SYSTEM2: only slices in which it is worse.")
@slice_options(LISTING)
@of_option("documents, or sentences if there is one document")
@seed_option
@reading_options(sided=True)
@scoring_options(with_match=False)
@form_option(("text", "json", "csv", "markdown", "latex"))
@table_options(rare=True)
@output_option
@quiet_option
def causes(**options: Any) -> None:
    """Find slices of units in which SYSTEM has significantly more errors than in the others.

    With SYSTEM2, slices in which the two differ. Searched are the label, length, sentence length, position and capitals
    of units, with --train whether training data have them, and all pairs. --slice adds further slices, --slice all all
    of them.

    \b
    Examples:
      evenhand causes gold.conll crf.conll
      evenhand causes gold.conll crf.conll --train train.conll --units gold
      evenhand causes gold.conll old.conll new.conll --worse
      evenhand causes gold.conll crf.conll --slices meta.csv
    """
    import evenhand

    style = table_style(options)
    chosen = score_options(options, *NAMES) | slice_keywords(options)
    result = evenhand.causes(*sides(options), **chosen)
    emit(result, options["form"], options["output"], quiet=options["quiet"], style=style)
