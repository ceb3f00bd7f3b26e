"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from evenhand.cli.main import COMMANDS, main
from website.docstrings import markdown, table

HEAD = """# Commands

Every command with all of its options, as `evenhand COMMAND --help-all` lists them.
[On the command line](../commands.md) is about what commands share.
"""


def command_pages() -> dict[str, str]:
    """A page per command with its options by heading, and an index, by file name."""
    context = click.Context(main, info_name="evenhand")
    rows = ((f"[`{name}`]({name}.md)", summary) for name, (_, summary) in COMMANDS.items())
    all_pages = {"index.md": f"{HEAD}\n{table(('command', 'purpose'), rows)}\n"}
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        parts = _described(command, click.Context(command, context, info_name=name), "#")
        all_pages[f"{name}.md"] = "\n\n".join(parts) + "\n"
    return all_pages


def _described(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"{level} {context.command_path}"
    yield f"```text\n{context.command_path} {usage}\n```"
    yield markdown(command.help)
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            part = command.get_command(context, name)
            assert part is not None
            yield from _described(part, click.Context(part, context, info_name=name), f"{level}#")


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for param in command.params:
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            groups.setdefault(getattr(param, "group", "Help"), []).append((f"`{record[0]}`", record[1]))
    for heading, rows in groups.items():
        if heading != "Help":
            yield table((heading, "meaning"), rows)
