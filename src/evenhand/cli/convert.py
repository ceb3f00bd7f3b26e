"""`evenhand convert`: between formats and encodings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.choices import Choice
from evenhand.cli.ending import say
from evenhand.cli.help import WRITING, Command, option
from evenhand.cli.inputs import INPUT, OUTPUT_OR_FOLDER, STANDARD_OUTPUT, noted_inputs
from evenhand.cli.options import read_settings, reading_options
from evenhand.cli.output import quiet_option
from evenhand.formats.addresses import Place
from evenhand.formats.registry import FORMATS
from evenhand.problems import counted_phrase
from evenhand.settings import ENCODINGS

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion, Read


@click.command(cls=Command)
@click.argument("source", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT_OR_FOLDER)
@option(WRITING, "--to", type=Choice(tuple(FORMATS)), metavar="NAME", help="Format of OUT [from its name].")
@option(WRITING, "--to-encoding", type=Choice(ENCODINGS), metavar="NAME", help="Encoding of OUT [iob2].")
@option(WRITING, "--stacked", is_flag=True, help="Stack the tags of nested spans in one column (B-ORG|B-LOC).")
@option(WRITING, "--lossy", is_flag=True, help="Convert even if OUT cannot hold all of IN.")
@reading_options(sided=False)
@quiet_option
def convert(source: Place, target: Path, **options: Any) -> None:
    """Convert IN to OUT, whose format follows from its name or --to.

    OUT may be - for standard output. If OUT cannot hold all of IN, that is an error; with --lossy, losses are counted
    and reported. Tokens, documents and levels that OUT has no place for are reported, too. For brat, OUT is a folder
    with two files for each text or sentence.

    \b
    Examples:
      evenhand convert export.jsonl gold.conll --to-encoding bioes
      evenhand convert nested.jsonl nested.conll --stacked
      evenhand convert gold.conll gold.tsv --to spans
      evenhand convert gold.conll gold.parquet
      evenhand convert predictions.jsonlines response.conll
      evenhand convert export.jsonl - --to conll | head
      evenhand convert parsed.conllu tagged.conll --task tags --column xpos
    """
    from evenhand.formats.convert import check_target_format, conversion_of
    from evenhand.formats.read import OpenFiles
    from evenhand.text.characters import peeked
    from evenhand.text.labels import Vocabulary

    if target == STANDARD_OUTPUT and options["to"] is None:
        raise click.UsageError("Standard output has no name that shows a format; give one with --to")
    check_target_format(target, options["to"])
    opened = OpenFiles(source, read_settings(options))
    first, batches = peeked(opened.batches(Vocabulary()))
    assert first is not None  # a reader yields one batch at least, or raises
    named = {"encoding": options["to_encoding"], "stacked": options["stacked"], "lossy": options["lossy"]}
    conversion = conversion_of(first, target, options["to"], options["task"], **named)
    streams = iter([batches])  # some formats are written in two passes
    written(conversion, target, lambda: next(streams, None) or opened.batches(Vocabulary()), quiet=options["quiet"])


def written(conversion: Conversion, target: Path, read: Read, *, quiet: bool) -> None:
    """Write what is converted, and say what the target does not hold."""
    from evenhand.formats.overwriting import refuse_overwriting

    if target == STANDARD_OUTPUT and conversion.writing.folder is not None:
        raise click.UsageError(f"{conversion.target.name} takes several files; name a folder for them")
    conversion.write(target, read, lambda path: refuse_overwriting(path, noted_inputs()))
    if not quiet:
        for what, count in conversion.losses.items():
            say(f"Lost: {counted_phrase(count, what)}.")
        if conversion.not_carried:
            say(f"Not carried by {conversion.target.name}: {', '.join(sorted(conversion.not_carried))}.")
        for note in conversion.notes:
            say(f"Note: {note}")
