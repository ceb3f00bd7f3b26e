"""Help in groups: every option stands under a heading, and --help-all shows those that few people need.

Options of tasks and match models are in --help-all only, so that no plug-in makes the short help long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from evenhand.errors import SettingError, brief, unknown
from evenhand.tasks.registry import all_parameters

if TYPE_CHECKING:
    from evenhand.scoring.measure import Measure

# == cli/usage.py: What is wrong with a command line, in one sentence, with the


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
        options = (param for param in error.ctx.command.get_params(error.ctx) if not getattr(param, "hidden", False))
        names = (
            name
            for option in options
            if isinstance(option, click.Option)
            for name in option.opts + option.secondary_opts
        )
        words = {name.lstrip("-"): name for name in names}
        return unknown(f"No such option {error.option_name}", error.option_name.lstrip("-"), words, _help(error.ctx))
    return f"{brief(error.format_message().rstrip('.'))}; {_help(error.ctx)}."


def _hint(option: str) -> str | None:
    """What to write instead of an option of another tool."""
    hints = (parameter.cli.hints for parameter in all_parameters().values() if option in parameter.cli.hints)
    return next((hint[option] for hint in hints), None)


def _help(ctx: click.Context | None) -> str:
    return f"see {ctx.command_path if ctx else 'evenhand'} --help"


# == cli/help.py (primary)


Decorator = Callable[[Any], Any]
CRITERIA, CHECKING, COMPARING, SCORING = "Criteria", "What to check", "What to compare", "What to score"
READING, STATISTICS, WRITING, RUNNING = "Reading files", "Statistics", "Output", "Where it runs"
_FIRST = (CRITERIA, CHECKING, COMPARING, SCORING, READING, STATISTICS, WRITING, RUNNING)
"""The headings, in their order; those of tasks follow, then the last one."""
_HELP = "Help"
_WIDTH = 26
"""The width of the first column, the same under all headings."""
_ALL = "evenhand.help-all"


class Option(click.Option):
    """An option with a heading; a rare one is in --help-all only."""

    def __init__(self, *arguments: Any, group: str = _HELP, is_rare: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group, self.is_rare = group, is_rare

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], record[1].replace("  [", " ["))


class Command(click.Command):
    """A command whose help has groups, and lists what its options can name.

    Some say what files are taken for (`says_readings`).
    """

    def __init__(self, *arguments: Any, says_readings: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._says_readings = says_readings
        has_rare = any(isinstance(param, Option) and param.is_rare for param in self.params)
        flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_all}
        shown = "Show all options, also of tasks and match models, and exit."
        self.params.append(Option(["--help-all"], help=shown, hidden=not has_rare, **flag))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it reads files, with a line on the terminal that says how much is read."""
        from evenhand.cli.options import noted_inputs

        with ctx:
            if not noted_inputs():
                return super().invoke(ctx)
            from evenhand.cli.output import watched_reading

            with watched_reading(quiet=bool(ctx.params.get("quiet")), says=self._says_readings):
                return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        is_whole = bool(ctx.meta.get(_ALL))
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _FIRST}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None and (is_whole or not getattr(param, "is_rare", False)):
                groups.setdefault(getattr(param, "group", _HELP), []).append(record)
        last = {_HELP: groups.pop(_HELP)}
        names = {each.name for each in self.params if each.name}
        for sections in (groups.items(), _lists(names, is_whole=is_whole), last.items()):
            for heading, rows in sections:
                write_rows(formatter, heading, rows)


def option(group: str, *names: str, help: str, default: Any = ..., rare: bool = False, **settings: Any) -> Decorator:
    """An option under a heading; its help ends with the default, if there is one."""
    if default is not ...:
        settings["default"] = default
        help = help if default in (None, ()) else f"{help.rstrip('.')} [{default}]."
    if settings.get("type") in (int, float):
        settings.setdefault("metavar", "NUMBER")
    return click.option(*names, cls=Option, group=group, is_rare=rare, help=help, **settings)


def with_options(*options: Decorator) -> Decorator:
    """These options, in this order in the help of a command."""

    def decorated(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def _show_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def write_rows(formatter: click.HelpFormatter, heading: str, rows: list[tuple[str, str]]) -> None:
    """Two columns under a heading, without breaks in names that have hyphens."""
    if not rows:
        return
    width = _WIDTH if rows[0][0].startswith("-") else max(len(first) for first, _ in rows)
    margin = " " * (width + 4)
    with formatter.section(heading):
        for first, second in rows:
            lines = wrap(second, formatter.width - len(margin), break_on_hyphens=False) or [""]
            begin = f"  {first:<{width}}  {lines.pop(0)}".rstrip() if len(first) <= width else f"  {first}"
            formatter.write("".join(f"{line}\n" for line in (begin, *(margin + line for line in lines))))


def _lists(options: set[str], *, is_whole: bool) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """What options can name: match models by task and, in the whole help, all of their names, tasks and formats."""
    from evenhand.formats.registry import FORMATS
    from evenhand.tasks.registry import TASKS, models_of

    if "by" in options:
        yield "Scores for --by", [(task.name, ", ".join(task.selection.compared)) for task in TASKS.values()]
    if "match" in options and not is_whole:
        yield "Match models", [(task, ", ".join(families(models_of(task)))) for task in TASKS]
    if is_whole and "match" in options:
        for task in TASKS:
            yield f"Match models of {task}, with other names", list(_named(models_of(task)))
    if is_whole and "task" in options:
        yield "Tasks", [(task.name, task.title) for task in TASKS.values()]
    if is_whole and "formats" in options:
        yield "Formats", [(each.name, each.summary) for each in FORMATS.values()]


def families(models: Iterable[Measure]) -> list[str]:
    """The names of models, and one for each family."""
    return list(dict.fromkeys(model.family or model.name for model in models))


def _named(models: tuple[Measure, ...]) -> Iterator[tuple[str, str]]:
    """Each model or family with the other names that are understood."""
    for name in families(models):
        own = [model for model in models if name in (model.name, model.family)]
        if own[0].name == name:
            yield name, ", ".join(own[0].aliases)
        else:
            yield name, f"all of {', '.join(each.name for each in own)}"
