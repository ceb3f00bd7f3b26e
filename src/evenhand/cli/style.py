"""Options for what tables look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.help import WRITING, Decorator, option, with_options
from evenhand.cli.options import NAMES
from evenhand.cli.output import STYLED

if TYPE_CHECKING:
    from evenhand.table_style import TableStyle

_OPTIONS = {
    "percent": ("--percent and --fractions", STYLED),
    "decimals": ("--decimals", STYLED),
    "show_columns": ("--show-columns", STYLED),
    "caption": ("--caption", ("latex",)),
    "latex_label": ("--latex-label", ("latex",)),
}
"""What users call the options, and the forms of output that they change."""


def table_options(*, rare: bool = False) -> Decorator:
    """What tables look like, with names as `table_style` takes them; `rare` where a command has many others."""
    options = (
        option(
            *(WRITING, "--percent/--fractions"),
            default=None,
            help="Scores as percentages or as fractions [percent].",
            rare=rare,
        ),
        option(
            *(WRITING, "--decimals"),
            type=int,
            metavar="NUMBER",
            help="Decimal places of scores [2; 4 of fractions].",
            rare=rare,
        ),
        option(WRITING, "--show-columns", **NAMES, help="Show only the first column and these.", rare=rare),
        option(WRITING, "--caption", metavar="TEXT", help="Caption of LaTeX tables, which then float.", rare=True),
        option(WRITING, "--latex-label", metavar="TEXT", help="Label of LaTeX tables, for references.", rare=True),
    )
    return lambda command: with_options(command, options)


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
