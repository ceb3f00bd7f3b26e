"""Options of tables for queries: tallies and verdicts as Parquet or Arrow files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.help import WRITING, option, with_options
from evenhand.cli.inputs import OUTPUT

if TYPE_CHECKING:
    from evenhand.pipeline.work import Engine

query_options = with_options(
    option(
        WRITING,
        "--tallies",
        type=OUTPUT,
        metavar="FILE",
        help="Write the counts behind the scores to this .parquet or .arrow file.",
    ),
    option(
        WRITING,
        "--groups",
        type=Choice(["total", "document", "sentence"]),
        metavar="UNIT",
        help="Count --tallies in total, by document or by sentence [total].",
        rare=True,
    ),
    option(
        WRITING,
        "--verdicts",
        type=OUTPUT,
        metavar="FILE",
        help="Write the verdict on every unit to this .parquet or .arrow file.",
    ),
)


def query_choices(options: Mapping[str, Any], engine: Engine | None) -> dict[str, Any]:
    """What the options ask of `score`, which some engine runs; names of files are looked at before anything is read."""
    if options["groups"] and options["tallies"] is None:
        raise click.UsageError("--groups says what --tallies keeps apart; name a file for these, too")
    chosen: dict[str, Any] = {"engine": engine} | ({"groups": options["groups"]} if options["groups"] else {})
    if options["tallies"] is None and options["verdicts"] is None:
        return chosen
    from evenhand.formats.arrow import arrow
    from evenhand.formats.arrow_sink import table_format

    arrow.load()
    for name in ("tallies", "verdicts"):
        if options[name] is not None:
            table_format(options[name])
    if options["verdicts"] is not None:
        if engine is not None:
            raise click.UsageError("Verdicts are written by one process; leave out --jobs and --engine")
        from evenhand.engines.recording import recording

        chosen["engine"] = recording(options["verdicts"])
    return chosen
