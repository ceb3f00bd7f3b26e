"""Lists of what there is: rows in two columns that fit the terminal, or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from evenhand.cli.help import write_rows
from evenhand.cli.output import show

Rows = Sequence[tuple[str, str]]


def show_list(sections: Mapping[str, Rows], records: Sequence[Mapping[str, Any]], form: str) -> None:
    """The rows under their headings; as JSON, the records."""
    if form == "json":
        import msgspec

        text = msgspec.json.format(msgspec.json.encode(records), indent=2).decode() + "\n"
    else:
        formatter = click.get_current_context().make_formatter()
        for heading, rows in sections.items():
            write_rows(formatter, heading, list(rows))
        text = formatter.getvalue().lstrip("\n")
    show(text, form)
