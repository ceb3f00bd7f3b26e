"""`evenhand convert`: between formats and encodings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evenhand.cli.options import read_settings, reading_options
from evenhand.settings import ENCODINGS, WRITABLE


@click.command
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--to", type=click.Choice(WRITABLE), help="Format of OUT [from its name].")
@click.option("--to-encoding", type=click.Choice(ENCODINGS), default="iob2", show_default=True, help="Encoding of OUT.")
@click.option("--stacked", is_flag=True, help="Stack the tags of nested spans in one column (B-ORG|B-LOC).")
@click.option("--lossy", is_flag=True, help="Convert even where OUT cannot carry all of IN.")
@reading_options(sided=False)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def convert(source: Path, target: Path, to: str | None, to_encoding: str, **options: Any) -> None:
    """Convert IN to OUT, whose format is taken from its name or from --to.

    What OUT cannot carry is an error, unless --lossy is given: then it is counted and said. What is not
    annotation (tokens, documents, levels) is named where OUT has no place for it. For brat, OUT is a folder,
    and each text (or sentence) a pair of files in it.

    \b
    evenhand convert export.jsonl gold.conll --to-encoding bioes
    evenhand convert nested.jsonl nested.conll --stacked
    evenhand convert gold.conll gold.tsv --to spans
    evenhand convert predictions.jsonlines response.conll
    evenhand convert parsed.conllu tagged.conll --task tags --column xpos
    """
    from evenhand.cli.output import write
    from evenhand.formats import brat
    from evenhand.formats.convert import Conversion, target_of
    from evenhand.formats.convert_chains import ChainConversion
    from evenhand.formats.convert_words import WordConversion
    from evenhand.formats.read import batches
    from evenhand.text.characters import peeked
    from evenhand.text.labels import Vocabulary

    settings = read_settings(options)
    first, read = peeked(batches(source, settings, Vocabulary()))
    format_of_target = target_of(target, to, of_chains=first is not None and first.is_of_chains)
    if first is not None and first.is_of_chains:
        of_chains = ChainConversion(format_of_target, lossy=options["lossy"])
        write(target, "".join(of_chains.write(read)))
        if not options["quiet"]:
            _say(format_of_target, of_chains.losses, of_chains.not_carried)
        return
    if first is not None and first.is_of_words:
        of_words = WordConversion(format_of_target, settings.task, lossy=options["lossy"])
        write(target, "".join(of_words.write(read)))
        if not options["quiet"]:
            _say(format_of_target, {}, of_words.not_carried)
        return
    conversion = Conversion(format_of_target, to_encoding, options["stacked"], options["lossy"])
    if conversion.target == "brat":
        folder = target.with_suffix("") if target.suffix == ".ann" else target
        folder.mkdir(parents=True, exist_ok=True)
        documents = (each for batch in read for each in brat.documents(conversion.fit(batch)))
        for number, (text, annotations) in enumerate(documents, 1):
            write(folder / f"{number:05}.txt", text)
            write(folder / f"{number:05}.ann", annotations)
    else:
        write(target, "".join(conversion.write(read)))
    if not options["quiet"]:
        _say(conversion.target, conversion.losses, conversion.not_carried)


def _say(target: str, losses: Mapping[str, int], not_carried: set[str]) -> None:
    from evenhand.cli.output import say

    for what, count in losses.items():
        say(f"Lost: {count:,} {what}.")
    if not_carried:
        say(f"Not carried by {target}: {', '.join(sorted(not_carried))}.")
