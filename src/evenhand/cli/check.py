"""`evenhand check`: every problem of a file, with its place and a remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import CHECKING, Command, option
from evenhand.cli.inputs import INPUT
from evenhand.cli.options import align_option, read_settings, reading_options
from evenhand.cli.output import form_option, show
from evenhand.formats.addresses import Place
from evenhand.problems import NOTED, counted

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

    A FILE may be a folder, whose files are checked one by one. An error is a problem for which `score` with the same
    options would refuse the file; the exit status is then 1. A warning is a problem with which it would score the file,
    because of --repair or with a note. With several files, the last line says how many can be scored.

    \b
    Examples:
      evenhand check system.conll
      evenhand check submissions/
      evenhand check submission.conll --against test-without-tags.conll
      evenhand check parsed.conllu --against gold.conllu
    """
    import sys

    from evenhand.formats.check import check as check_file
    from evenhand.formats.folders import files_of

    settings = read_settings(options)
    checked = [file for each in files for file in files_of(each) or [each]]
    refused = 0
    for path in checked:
        found = check_file(path, settings, against, align)
        refused += bool(found.errors)
        show("".join(f"{line}\n" for line in _lines(path, found, form)), form)
    if form == "text" and len(checked) > 1:
        show(f"{len(checked) - refused:,} of {counted(len(checked), 'file')} can be scored\n", form)
    sys.exit(1 if refused else 0)


def _lines(path: Place, found: Checked, form: str) -> Iterator[str]:
    """Every problem with its severity, and a summary; or the problems as JSON."""
    import msgspec

    from evenhand.problems import visible

    for problem in found.problems:
        if form == "text":
            yield visible(f"{problem.place}: {found.severity(problem)}: {problem.finding}; {problem.remedy}.")
        else:
            row = {"file": problem.source, "line": problem.line, "kind": problem.kind, "finding": problem.finding}
            row |= {"remedy": problem.remedy, "error": found.is_error(problem), "severity": found.severity(problem)}
            yield msgspec.json.encode(row).decode()
    if form == "text":
        yield visible(f"{path}: {_summary(found)}")


def _summary(found: Checked) -> str:
    """The file in figures, and its problems by kind: those that a score refuses, and those that it takes."""
    parts = ["could not be read"]
    if found.reading is not None:
        parts = [str(found.reading), counted(found.sentences, "sentence")]
        parts[1] += f", {counted(found.units, found.unit.removesuffix('s'))}"
    errors = Counter(problem.kind for problem in found.errors)
    others = Counter(problem.kind for problem in found.problems if not found.is_error(problem))
    noted = Counter({kind: count for kind, count in others.items() if kind in NOTED})
    taken = others - noted
    parts.append(f"problems: {_counted(errors)}" if errors else "no problems")
    parts += [f"accepted with --repair {found.repair}: {_counted(taken)}"] if taken else []
    parts += [f"scored with a note: {_counted(noted)}"] if noted else []
    return "; ".join(parts)


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())
