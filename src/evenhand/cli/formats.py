"""`evenhand formats`: the formats of files, those of plug-ins too."""

from __future__ import annotations

import click

from evenhand.cli.help import Command
from evenhand.cli.listing import show_list
from evenhand.cli.output import form_option
from evenhand.formats.format import Format
from evenhand.formats.registry import FORMATS


@click.command(cls=Command)
@form_option(("text", "json"))
def formats(form: str) -> None:
    """List the formats of files: what they hold, and how their names end.

    The names are those of --format and --to. A format is recognised from the content of a file.
    """
    rows = [(each.name, _line(each)) for each in FORMATS.values()]
    records = [
        {
            "name": each.name,
            "help": each.help,
            "reads": list(each.tasks),
            "writes": list(each.writes),
            "suffixes": list(each.suffixes),
        }
        for each in FORMATS.values()
    ]
    show_list({"Formats": rows}, records, form)


def _line(format: Format) -> str:
    """What a format is, the tasks that it is read and written for, and its endings."""
    read, written = ", ".join(format.tasks), ", ".join(format.writes)
    uses = f"read and written for {read}" if read == written else f"read for {read}"
    uses += "" if read == written else f"; written for {written}" if written else "; not written"
    return f"{format.help}; {uses}{'; ' if format.suffixes else ''}{', '.join(format.suffixes)}"
