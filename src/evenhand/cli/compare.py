"""`evenhand compare`: what changes from one system to another, who is right, and whether it is significant."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.choices import Choice, Names
from evenhand.cli.help import COMPARING, WRITING, Command, option
from evenhand.cli.inputs import INPUT
from evenhand.cli.options import pair_options, reading_options, score_options, scoring_options
from evenhand.cli.output import emit, form_option, output_option, quiet_option, table_options, table_style
from evenhand.cli.statistics import STATISTICS_NAMES, statistics_options
from evenhand.formats.addresses import Place
from evenhand.tasks.registry import TASKS

COMPARE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "html", "jsonl")
SLICES = (
    "length",
    "sentence-length",
    "vocabulary",
    "document",
    *(name for task in TASKS.values() for name in task.slices),
)
SHOWN = ("correction", "new_error", "changed_error", "unsolved", "solved_once")


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM SYSTEM...")
@pair_options
@option(
    COMPARING,
    "--slice",
    "slices",
    type=Names(lambda ctx: SLICES),
    metavar="NAME,...",
    default=(),
    help=f"Slices to score: {', '.join(SLICES)}, or a column of GOLD.",
)
@option(
    COMPARING,
    "--vocabulary",
    type=INPUT,
    metavar="FILE",
    help="For the slice vocabulary: a file with a word or phrase in each line.",
    rare=True,
)
@statistics_options
@reading_options(sided=True)
@scoring_options(with_match=False)
@form_option(COMPARE_OUTPUTS)
@option(
    WRITING,
    "--show",
    type=Choice(SHOWN),
    metavar="CLASS",
    help=f"List units with their sentences: {', '.join(SHOWN)}.",
)
@option(WRITING, "--limit", type=int, help="Most units that --show lists [all].")
@option(WRITING, "--top", type=int, default=5, help="Transitions to list for each class.")
@option(
    WRITING,
    "--sort",
    type=Choice(["frequency", "gain"]),
    metavar="ORDER",
    help="Order of labels: frequency or gain [frequency for the oracle, size of the difference for pairs].",
    rare=True,
)
@table_options(rare=True)
@output_option
@quiet_option
def compare(gold: Place, systems: tuple[Place, ...], **options: Any) -> None:
    """Compare SYSTEM files on the GOLD standard.

    Every difference between two systems is a correction, a new error or a changed error. With --show, JSON lines and
    CSV hold the units themselves.

    \b
    Examples:
      evenhand compare gold.conll old.conll new.conll
      evenhand compare gold.conll old.conll new.conll --show new_error
      evenhand compare key.conll old.conll new.conll --by arcs_nom
      evenhand compare gold.conllu v1.conllu v2.conllu --sequence --by uas
      evenhand compare gold.conll systems/*.conll --baseline crf --as json
      evenhand compare gold.conll a.conll b.conll --show unsolved --as jsonl
    """
    import evenhand

    style = table_style(options)
    if options["form"] == "jsonl" and options["show"] is None:
        raise click.UsageError("JSON lines hold units; ask for them with --show")
    plain = ("by", "baseline", "sequence", "top", "sort", "slices", "vocabulary", "show", "limit", *STATISTICS_NAMES)
    comparison = evenhand.compare(gold, list(systems), **score_options(options, *plain))
    emit(comparison, options["form"], options["output"], quiet=options["quiet"], style=style)
