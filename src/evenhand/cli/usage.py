"""What is wrong with a command line, in one sentence, with the command or option that may have been meant."""

from __future__ import annotations

import click

from evenhand.problems import SettingError, brief
from evenhand.suggestion import unknown
from evenhand.tasks.registry import all_parameters


class Group(click.Group):
    """Commands of which one may be misspelt."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise SettingError(unknown(f"No such command {name!r}", name, self.list_commands(ctx), _help(ctx)))
        return super().resolve_command(ctx, args)


def sentence(error: click.UsageError) -> str:
    """An error of click, as all others are told."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        hint = _hint(error.option_name)
        if hint is not None:
            return f"No such option {error.option_name}; did you mean {hint}? S{_help(error.ctx)[1:]}."
        options = (each for each in error.ctx.command.get_params(error.ctx) if not getattr(each, "hidden", False))
        names = (name for each in options if isinstance(each, click.Option) for name in each.opts + each.secondary_opts)
        words = {name.lstrip("-"): name for name in names}
        return unknown(f"No such option {error.option_name}", error.option_name.lstrip("-"), words, _help(error.ctx))
    return f"{brief(error.format_message().rstrip('.'))}; {_help(error.ctx)}."


def _hint(option: str) -> str | None:
    """What to write instead of an option of another tool."""
    hints = (each.hints for each in all_parameters().values() if option in each.hints)
    return next((each[option] for each in hints), None)


def _help(ctx: click.Context | None) -> str:
    return f"see {ctx.command_path if ctx else 'evenhand'} --help"
