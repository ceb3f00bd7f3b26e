"""Names of formats on the command line; plug-ins are looked for when somebody asks, as that takes a while."""

from __future__ import annotations

from typing import Any

import click


def format_names(*, written: bool = False) -> list[str]:
    """The formats that are read, or those that are written."""
    from evenhand.formats.registry import FORMATS

    return [each.name for each in FORMATS.values() if each.writes] if written else list(FORMATS)


class FormatName(click.ParamType[str]):
    """The name of a format that is read or written."""

    name = "format"

    def __init__(self, *, written: bool = False) -> None:
        self.written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = format_names(written=self.written)
        if value not in names:
            self.fail(f"{value!r} is not one of {', '.join(map(repr, names))}.", param, ctx)
        return str(value)


class FormatOption(click.Option):
    """An option whose help lists the formats, where it says NAMES."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        names = format_names(written=getattr(self.type, "written", False))
        return None if record is None else (record[0], record[1].replace("NAMES", ", ".join(names)))
