"""`evenhand compare`: what changes from one system to another, who is right, and whether it is significant."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli.comparing import STATISTICS, by_option, statistics_options
from evenhand.cli.inputs import INPUT, OUTPUT
from evenhand.cli.options import Names, reading_options, score_options, scoring_options
from evenhand.cli.style import table_options, table_style
from evenhand.formats.addresses import Place

COMPARE_OUTPUTS = ("text", "json", "csv", "markdown", "latex", "jsonl")
SHOWN = ("correction", "new_error", "changed_error", "unsolved", "solved_once")


@click.command
@click.argument("gold", type=INPUT)
@click.argument("systems", nargs=-1, required=True, type=INPUT, metavar="SYSTEM SYSTEM...")
@by_option
@click.option("--baseline", metavar="NAME", help="Compare each system with this one only.")
@click.option("--sequence", is_flag=True, help="Compare each system with the one before it.")
@click.option("--top", type=int, default=5, show_default=True, help="Transitions of each class that are listed.")
@click.option(
    "--sort",
    type=click.Choice(["frequency", "gain"]),
    help="How labels are listed [the oracle's by frequency, those of pairs by the size of the difference].",
)
@click.option(
    "--slice",
    "slices",
    type=Names(),
    default=(),
    help="Scores on slices: length, sentence-length, vocabulary, document, or a column of GOLD.",
)
@click.option("--vocabulary", type=INPUT, help="A word or phrase a line, for the slice vocabulary.")
@click.option("--show", type=click.Choice(SHOWN), help="List these units with their sentences.")
@click.option("--limit", type=int, help="How many of them.")
@statistics_options
@scoring_options(with_match=False)
@reading_options(sided=True)
@click.option(
    "--as", "form", type=click.Choice(COMPARE_OUTPUTS), default="text", show_default=True, help="Form of the output."
)
@table_options
@click.option("-o", "--output", type=OUTPUT, help="Write to this file instead.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def compare(gold: Place, systems: tuple[Place, ...], **options: Any) -> None:
    """Compare SYSTEM files on the GOLD standard: what changes from one to the other.

    Every difference is a correction, a new error or a changed error. With --show, JSON lines and CSV hold the units.

    \b
    evenhand compare gold.conll old.conll new.conll
    evenhand compare gold.conll old.conll new.conll --show new_error --limit 20
    evenhand compare key.conll old.conll new.conll --by arcs_nom
    evenhand compare gold.conllu v1.conllu v2.conllu v3.conllu --sequence --by uas
    evenhand compare gold.conll systems/*.conll --baseline crf --as json -o comparison.json
    evenhand compare gold.conll a.conll b.conll --show unsolved --as jsonl -o hard.jsonl
    """
    import evenhand
    from evenhand.cli.output import emit

    style = table_style(options)
    plain = ("by", "baseline", "sequence", "top", "sort", "slices", "vocabulary", "show", "limit", *STATISTICS)
    chosen = score_options(options) | {name: options[name] for name in plain}
    comparison = evenhand.compare(gold, list(systems), **chosen)
    emit(comparison, options["form"], options["output"], quiet=options["quiet"], style=style)
