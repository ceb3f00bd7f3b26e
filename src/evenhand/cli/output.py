"""Where results go: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.ending import say
from evenhand.cli.help import WRITING, Decorator, option
from evenhand.cli.inputs import OUTPUT
from evenhand.files import write_file
from evenhand.problems import announced, visible

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.gate import Gate
    from evenhand.result.ranking import Ranking
    from evenhand.result.result import Results
    from evenhand.table_style import TableStyle

OUTPUTS = ("text", "json", "csv", "markdown", "latex", "value", "conlleval")
STYLED = ("text", "markdown", "latex")
"""The forms whose figures and columns a user may choose."""
output_option = option(WRITING, "-o", "--output", type=OUTPUT, metavar="FILE", help="Write to FILE.")
quiet_option = option(WRITING, "-q", "--quiet", is_flag=True, help="Write only errors to standard error.")
NARROWEST = 80
"""How many columns a terminal is taken to have at least."""


def form_option(forms: tuple[str, ...]) -> Decorator:
    """--as, with the forms of output that a command has."""
    spelled = f"{', '.join(forms[:-1])} or {forms[-1]}"
    settings: dict[str, Any] = {"type": click.Choice(forms), "metavar": "FORM", "default": forms[0]}
    return option(WRITING, "--as", "form", help=f"Form of the output: {spelled}.", **settings)


def emit(
    results: Results | Ranking | Comparison | Gate,
    form: str,
    path: Path | None,
    *,
    quiet: bool,
    style: TableStyle | None = None,
) -> None:
    """Render the results and write them; notes that a form has no place for go to standard error."""
    render = import_module(f"evenhand.report.{form}").render
    text: str = render(results, _fitting(style, form, path)) if form in STYLED else render(results)
    if form in ("csv", "jsonl", "value", "conlleval") and not quiet:
        for note in results.notes:
            say(announced(note))
    if path is None:
        show(text, form)
    else:
        write_file(path, text)


def show(text: str, form: str) -> None:
    """Write to standard output: as it is, or on a terminal with spellings for what would act on it.

    Forms for programs, such as CSV, keep the characters of data.
    """
    if sys.stdout.isatty():
        if form in ("json", "jsonl"):  # where it stays JSON
            text = re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
        text = "\n".join(map(visible, text.split("\n")))
    click.echo(text, nl=False, color=True)  # without the last one, it would leave out escape sequences in data


def _fitting(style: TableStyle | None, form: str, path: Path | None) -> TableStyle:
    """The style; text on a terminal is folded into its width, but not below what tables are made for."""
    import shutil  # slow to load, and --help does without

    from evenhand.table_style import PLAIN

    style = style or PLAIN
    if form != "text" or path is not None or not sys.stdout.isatty():
        return style
    return replace(style, width=max(NARROWEST, shutil.get_terminal_size().columns))


def say_readings(results: Results) -> None:
    """Say on standard error what each file was taken for."""
    for name, reading in [(results.gold.name, results.gold.reading)] + [(r.name, r.reading) for r in results.values()]:
        say(f"{name}: {reading}")
