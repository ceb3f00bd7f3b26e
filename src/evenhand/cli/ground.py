"""`evenhand ground`: the strings of a language model, with their places in the text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.ending import say
from evenhand.cli.help import SCORING, WRITING, Command, option, with_options
from evenhand.cli.inputs import INPUT, OUTPUT, STANDARD_OUTPUT
from evenhand.cli.options import NAMES, by_side, file_options, parameter_options
from evenhand.cli.output import check_suffix, quiet_option
from evenhand.formats.addresses import Place
from evenhand.tasks.spans.grounding_parameters import GROUNDING

if TYPE_CHECKING:
    from evenhand.grounding.counts import GroundingCounts

_PLACING = [each for each in GROUNDING if each.name in ("shape", "occurrences", "fuzzy", "unknown_labels")]
"""The parameters that change what is written; others change scores only."""
_OF_TOKENS = ("widened", "outside")
"""Counts of what scores make of places."""


@click.command(cls=Command)
@click.argument("texts", metavar="TEXTS", type=INPUT)
@click.argument("answers", metavar="OUTPUT", type=INPUT)
@option(WRITING, "-o", "--output", type=OUTPUT, default=None, metavar="FILE", help="Write to FILE.")
@option(SCORING, "--labels", **NAMES, default=(), help="Labels that are known beside those of TEXTS.")
@with_options(*(each for parameter in _PLACING for each in parameter_options(parameter)))
@file_options(sided=True)
@quiet_option
def ground(texts: Place, answers: Place, output: Path | None, quiet: bool, **options: Any) -> None:
    """Find the strings of OUTPUT, answers of a language model, in the documents of TEXTS.

    Written are JSON lines, a record a document: its text, `spans` with offsets, and `unplaced` strings, each with the
    step that found it or the reason why none did. Of TEXTS, a gold standard or any other file, only the texts and the
    names of labels are looked at.

    \b
    Examples:
      evenhand ground gold.conll gpt.jsonl -o grounded.jsonl
      evenhand ground texts.jsonl answers/ --format system:extractions
    """
    import msgspec

    from evenhand.api.ground import ground_file
    from evenhand.files import whole_file

    if output is not None:
        check_suffix(output, "jsonl")
    names = [each.name for each in _PLACING if options[each.name] is not None]
    found = ground_file(
        texts,
        answers,
        labels=options["labels"],
        format=by_side(options["formats"]),
        column=by_side(options["columns"]),
        encoding=by_side(options["encodings"]),
        annotator=by_side(options["annotators"]),
        repair=options["repair"],
        offsets=by_side(options["offsets"]),
        functions=options["functions"],
        **{name: options[name] for name in names},
    )
    with whole_file(output or STANDARD_OUTPUT) as file:
        for document in found:
            file.write(msgspec.json.encode(document.to_dict()) + b"\n")
    if not quiet:
        _say(found.counts)


def _say(counts: GroundingCounts) -> None:
    """What became of the items, in a line each."""
    from evenhand.grounding.counts import COUNTS

    for name, meaning in COUNTS.items():
        if counts[name] and name not in _OF_TOKENS:
            say(f"{meaning}: {counts[name]:,}")
    for label, count in counts.labels.most_common():
        say(f"items with the unknown label {label!r}: {count:,}")
