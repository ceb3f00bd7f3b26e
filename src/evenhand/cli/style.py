"""Options for what tables look like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evenhand.cli.options import Names
from evenhand.cli.output import STYLED

if TYPE_CHECKING:
    from evenhand.table_style import TableStyle

Command = TypeVar("Command", bound=Callable[..., Any])
_OPTIONS = {
    "percent": ("--percent and --fractions", STYLED),
    "decimals": ("--decimals", STYLED),
    "show_columns": ("--show-columns", STYLED),
    "caption": ("--caption", ("latex",)),
    "latex_label": ("--latex-label", ("latex",)),
}
"""What users call the options, and the forms of output that they change."""


def table_options(command: Command) -> Command:
    """What tables look like, with names as `table_style` takes them."""
    options = (
        click.option("--percent/--fractions", default=None, help="Scores as percentages, or as fractions [percent]."),
        click.option("--decimals", type=int, help="Decimals of scores [2; 4 of fractions]."),
        click.option("--show-columns", type=Names(), help="Only these columns of tables, and always the first."),
        click.option("--caption", metavar="TEXT", help="Caption of LaTeX tables, which then float."),
        click.option("--latex-label", metavar="TEXT", help="Label of LaTeX tables, for references to them."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def table_style(options: Mapping[str, Any]) -> TableStyle:
    """The style that was asked for; options that the form of output has no use for are errors."""
    from evenhand.table_style import TableStyle

    for name, (shown, forms) in _OPTIONS.items():
        if options[name] is not None and options["form"] not in forms:
            raise click.UsageError(f"{shown} can only be used with --as {' or '.join(forms)}")
    return TableStyle(
        percent=options["percent"] is not False,
        decimals=options["decimals"],
        columns=options["show_columns"] or (),
        caption=options["caption"] or "",
        label=options["latex_label"] or "",
    )
