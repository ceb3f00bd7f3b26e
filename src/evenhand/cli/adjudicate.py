"""`evenhand adjudicate`: overrides of a gold standard, checked, merged and applied."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.help import WRITING, Command, option
from evenhand.cli.inputs import INPUT, OUTPUT, OUTPUT_OR_FOLDER, STANDARD_OUTPUT
from evenhand.cli.options import file_options
from evenhand.cli.output import check_suffix, emit, form_option, output_option, quiet_option, show
from evenhand.formats.addresses import Place
from evenhand.formats.registry import FORMATS
from evenhand.settings import ENCODINGS

if TYPE_CHECKING:
    from evenhand.result.adjudication import Adjudication


@click.command(cls=Command)
@click.argument("gold", type=INPUT)
@click.argument("overrides", nargs=-1, required=True, type=INPUT, metavar="OVERRIDES...")
@option(WRITING, "--merge", type=OUTPUT, metavar="FILE", help="Write all overrides to FILE, in the order of the text.")
@option(
    WRITING,
    "--apply",
    type=OUTPUT_OR_FOLDER,
    metavar="FILE",
    help="Write the corrected gold standard, as convert does.",
)
@option(WRITING, "--to", type=Choice(tuple(FORMATS)), metavar="NAME", help="Format of --apply [from its name].")
@option(WRITING, "--to-encoding", type=Choice(ENCODINGS), metavar="NAME", help="Encoding of --apply [that of GOLD].")
@file_options(sided=False)
@form_option(("text", "json", "markdown", "latex"))
@output_option
@quiet_option
def adjudicate(
    gold: Place, overrides: tuple[Place, ...], merge: Path | None, apply: Path | None, **options: Any
) -> None:
    """Check OVERRIDES of the GOLD standard, merge several files, and apply them.

    An override says that one span is spurious, missing, unclear or right, or has another label or other bounds. It is a
    problem if the gold standard does not have the span, if a missing one is there, or if two overrides of one span
    differ; every problem is reported with its line, and the exit status is then 1. What two files say alike counts
    once. Other commands take the file as --overrides.

    \b
    Examples:
      evenhand adjudicate gold.conll overrides.jsonl
      evenhand adjudicate gold.conll ana.jsonl ben.jsonl --merge overrides.jsonl
      evenhand adjudicate gold.conll overrides.jsonl --apply corrected.conll
    """
    import evenhand
    from evenhand.formats.convert import check_target_format

    if apply is None and (options["to"] or options["to_encoding"]):
        raise click.UsageError("--to and --to-encoding are for --apply; name its file")
    if merge is not None:
        check_suffix(merge, "jsonl")
    if apply is not None:
        check_target_format(apply, options["to"])
    found = evenhand.adjudicate(
        gold,
        list(overrides),
        format=options["formats"],
        column=options["columns"],
        encoding=options["encodings"],
        annotator=options["annotators"],
        repair=options["repair"],
        offsets=options["offsets"],
        functions=options["functions"],
    )
    if found.problems:
        show(_problems(found), "text")
        sys.exit(1)
    if merge is not None:
        found.merge(merge)
    if apply is not None:
        found.apply(apply, options["to"], options["to_encoding"])
    if options["output"] is not None or STANDARD_OUTPUT not in (merge, apply):
        emit(found, options["form"], options["output"], quiet=options["quiet"])


def _problems(found: Adjudication) -> str:
    """A line for each problem, and how many there are."""
    from evenhand.problems import visible

    lines = [visible(str(problem)) for problem in found.problems]
    number = len(lines)
    return "\n".join([*lines, f"{number:,} problem{'' if number == 1 else 's'}", ""])
