"""`evenhand check`: every problem of a file, with its place and a remedy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from evenhand.cli.inputs import INPUT
from evenhand.cli.options import read_settings, reading_options
from evenhand.formats.addresses import Place


@click.command
@click.argument("files", nargs=-1, required=True, type=INPUT, metavar="FILE...")
@click.option("--against", type=INPUT, help="A file with the text that FILE must have, tags or no tags.")
@click.option(
    "--align",
    type=click.Choice(["strict", "position", "characters"]),
    help="How the two texts must agree [strict; characters for words in CoNLL-U].",
)
@reading_options(sided=False)
@click.option(
    "--as", "form", type=click.Choice(["text", "jsonl"]), default="text", show_default=True, help="Form of the output."
)
def check(files: tuple[Place, ...], against: Place | None, align: Any, form: str, **options: Any) -> None:
    """Check FILEs: report every problem with its line and a remedy.

    The exit status is 1 if there is any.

    \b
    evenhand check system.conll
    evenhand check submission.conll --against test-without-tags.conll
    evenhand check parsed.conllu --against gold.conllu
    """
    import sys

    import msgspec

    from evenhand.formats.check import check as check_file
    from evenhand.problems import visible

    settings = read_settings(options)
    failed = False
    for path in files:
        found = check_file(path, settings, against, align)
        failed |= bool(found.problems)
        for problem in found.problems:
            row = {"file": problem.source, "line": problem.line, "kind": problem.kind}
            row |= {"finding": problem.finding, "remedy": problem.remedy}
            click.echo(visible(str(problem)) if form == "text" else msgspec.json.encode(row).decode())
        if form == "text":
            kinds = Counter(problem.kind for problem in found.problems)
            counted = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
            click.echo(visible(f"{path}: {_summary(found)}; {'problems: ' + counted if kinds else 'no problems'}"))
    sys.exit(1 if failed else 0)


def _summary(found: Any) -> str:
    if found.reading is None:
        return "could not be read"
    return f"{found.reading}; {found.sentences:,} sentences, {found.units:,} {found.unit}"
