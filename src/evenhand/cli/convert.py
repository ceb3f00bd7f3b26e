"""`evenhand convert`: between formats and encodings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.ending import say
from evenhand.cli.help import WRITING, Command, option
from evenhand.cli.inputs import INPUT, OUTPUT, STANDARD_OUTPUT, noted_inputs
from evenhand.cli.options import read_settings, reading_options
from evenhand.cli.output import quiet_option
from evenhand.files import whole_file, whole_folder
from evenhand.formats.addresses import Place
from evenhand.settings import ENCODINGS, WRITABLE

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion
    from evenhand.formats.convert_chains import ChainConversion
    from evenhand.formats.convert_words import WordConversion
    from evenhand.text.annotation import Annotation


@click.command(cls=Command)
@click.argument("source", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT)
@option(
    WRITING,
    "--to",
    type=click.Choice(WRITABLE),
    metavar="NAME",
    help=f"Format of OUT: {', '.join(WRITABLE)} [from its name].",
)
@option(WRITING, "--to-encoding", type=click.Choice(ENCODINGS), metavar="NAME", help="Encoding of OUT [iob2].")
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
    from evenhand.formats.arrow_sink import TABLES
    from evenhand.formats.arrow_write import write_annotations
    from evenhand.formats.convert import Conversion
    from evenhand.formats.convert_chains import ChainConversion
    from evenhand.formats.read import batches
    from evenhand.text.characters import peeked
    from evenhand.text.labels import Vocabulary

    first, read = peeked(batches(source, read_settings(options), Vocabulary()))
    assert first is not None  # a reader yields one batch at least, or raises
    conversion = _conversion(first, target, options)
    if isinstance(conversion, Conversion) and conversion.target == "brat":
        if target == STANDARD_OUTPUT:
            raise click.UsageError("brat takes two files a text; name a folder for them")
        _write_folder(target.with_suffix("") if target.suffix == ".ann" else target, map(conversion.fit, read))
    elif not isinstance(conversion, ChainConversion) and conversion.target in TABLES:
        has_tags = write_annotations(
            target,
            conversion.target,
            lambda: map(conversion.fit, batches(source, read_settings(options), Vocabulary())),
            options["to_encoding"] or "iob2",
            is_stacked=options["stacked"],
        )
        if options["to_encoding"] and not has_tags and not options["quiet"]:
            say("Not used: --to-encoding. Spans are lists, as flat tags cannot spell them all (--stacked can).")
    else:
        _write_file(target, conversion.write(read))
    if not options["quiet"]:
        for what, count in conversion.losses.items():
            say(f"Lost: {count:,} {what}.")
        if conversion.not_carried:
            say(f"Not carried by {conversion.target}: {', '.join(sorted(conversion.not_carried))}.")
        if isinstance(conversion, ChainConversion):
            for note in conversion.notes:
                say(f"Note: {note}")


def _conversion(
    first: Annotation, target: Path, options: Mapping[str, Any]
) -> Conversion | ChainConversion | WordConversion:
    """What converts an annotation like the first batch of a file."""
    from evenhand.formats.convert import Conversion, target_of
    from evenhand.formats.convert_chains import ChainConversion
    from evenhand.formats.convert_words import WordConversion

    if target == STANDARD_OUTPUT and options["to"] is None:
        raise click.UsageError("Standard output has no name that shows a format; give one with --to")
    form = target_of(target, options["to"], of_chains=first.is_of_chains)
    if not (first.is_of_chains or first.is_of_words):
        conversion = Conversion(form, options["to_encoding"] or "iob2", options["stacked"], options["lossy"])
        if options["to_encoding"] and not conversion.may_have_tags:
            raise click.UsageError(f"--to-encoding is for spans that are written as tags, which {form} has none of")
        return conversion
    for name in ("to_encoding", "stacked"):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} is for spans, which {first.corpus.source} has none of")
    if first.is_of_chains:
        return ChainConversion(form, lossy=options["lossy"])
    return WordConversion(form, options["task"], lossy=options["lossy"])


def _write_file(path: Path, pieces: Iterable[str]) -> None:
    with whole_file(path) as file:
        for piece in pieces:
            file.write(piece.encode())


def _write_folder(folder: Path, batches: Iterable[Annotation]) -> None:
    """A text and its annotation in two files each, none of which may be an input."""
    from evenhand.formats import brat
    from evenhand.formats.overwriting import refuse_overwriting

    documents = (each for batch in batches for each in brat.documents(batch))
    with whole_folder(folder) as write:
        for number, (text, standoff) in enumerate(documents, 1):
            for name, content in ((f"{number:05}.txt", text), (f"{number:05}.ann", standoff)):
                refuse_overwriting(folder / name, noted_inputs())
                write(name, content)
