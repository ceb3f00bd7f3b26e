"""`evenhand check`: every problem of a file, with its place and a remedy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import CHECKING, Command, option
from evenhand.cli.inputs import INPUT
from evenhand.cli.options import align_option, read_settings, reading_options
from evenhand.cli.output import form_option
from evenhand.formats.addresses import Place

if TYPE_CHECKING:
    from evenhand.formats.check import Checked


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=INPUT, metavar="FILE...")
@option(
    CHECKING, "--against", type=INPUT, metavar="FILE", help="File with the text that FILE must have, tagged or not."
)
@align_option(CHECKING, "How the texts must agree: strict, position or characters [strict; characters for CoNLL-U].")
@reading_options(sided=False)
@form_option(("text", "jsonl"))
def check(files: tuple[Place, ...], against: Place | None, align: Any, form: str, **options: Any) -> None:
    """Check FILEs: report every problem with its line and a remedy.

    The exit status is 1 if `score` with the same options would refuse a FILE. Problems that it would accept, because of
    --repair or with a note, are listed, too.

    \b
    Examples:
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
        failed |= bool(found.errors)
        for problem in found.problems:
            row = {"file": problem.source, "line": problem.line, "kind": problem.kind}
            row |= {"finding": problem.finding, "remedy": problem.remedy, "error": found.is_error(problem)}
            click.echo(visible(str(problem)) if form == "text" else msgspec.json.encode(row).decode())
        if form == "text":
            click.echo(visible(f"{path}: {_summary(found)}"))
    sys.exit(1 if failed else 0)


def _summary(found: Checked) -> str:
    """The file in figures, and its problems by kind: those that a score refuses, and those that it takes."""
    from evenhand.problems import NOTED

    parts = ["could not be read"]
    if found.reading is not None:
        parts = [str(found.reading), f"{found.sentences:,} sentences, {found.units:,} {found.unit}"]
    errors = Counter(problem.kind for problem in found.errors)
    others = Counter(problem.kind for problem in found.problems if not found.is_error(problem))
    noted = Counter({kind: count for kind, count in others.items() if kind in NOTED})
    taken = others - noted
    parts.append(f"problems: {_counted(errors)}" if errors else "no problems")
    parts += [f"accepted with --repair {found.repair}: {_counted(taken)}"] if taken else []
    parts += [f"scored with a note: {_counted(noted)}"] if noted else []
    return "; ".join(parts)


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
