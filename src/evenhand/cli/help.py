"""Grouped help and usage errors: every option has a heading, and --help-all also shows rarely used options.

Options of tasks and measures are in --help-all only, so plug-ins do not lengthen the short help.
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
    from evenhand.tasks.task import Task


Decorator = Callable[[Any], Any]
CRITERIA, CHECKING, LISTING, COMPARING = "Criteria", "What to check", "What to list", "What to compare"
SCORING = "What to score"
READING, STATISTICS, WRITING, RUNNING = "Reading files", "Statistics", "Output", "Where it runs"
_FIRST = (CRITERIA, CHECKING, LISTING, COMPARING, SCORING, READING, STATISTICS, WRITING, RUNNING)
"""The headings, in order; the headings of tasks follow, then the last one."""
_HELP = "Help"
_WIDTH = 26
"""The width of the first column, the same under all headings."""
_ALL = "evenhand.help-all"
_FOREIGN = {
    "average": "the tables have all averages, micro, macro and weighted",
    "scheme": "specify the tag encoding with --encoding, such as iob2 or bilou",
    "mode": "for seqeval's strict mode use --encoding and --repair discard; --match chooses the measures",
    "digits": "use --decimals",
}
"""What replaces options of other tools, by their names."""


class Group(click.Group):
    """A group of commands that suggests the nearest name for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise SettingError(unknown(f"No such command {name!r}", name, self.list_commands(ctx), _help(ctx)))
        return super().resolve_command(ctx, args)


def sentence(error: click.UsageError) -> str:
    """The message of a click error, in the style of all others."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        hint = _hint(error.option_name)
        if hint is not None:
            return f"No such option {error.option_name}; did you mean {hint}? S{_help(error.ctx)[1:]}."
        foreign = _FOREIGN.get(error.option_name.lstrip("-").replace("-", "_"))
        if foreign is not None:
            return f"No such option {error.option_name}; {foreign}."
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
    """The option that replaces an option of another tool."""
    hints = (parameter.cli.hints for parameter in all_parameters().values() if option in parameter.cli.hints)
    return next((hint[option] for hint in hints), None)


def _help(ctx: click.Context | None) -> str:
    return f"see {ctx.command_path if ctx else 'evenhand'} --help"


class Option(click.Option):
    """An option with a heading; a rare option is in --help-all only."""

    def __init__(self, *arguments: Any, group: str = _HELP, is_rare: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.group, self.is_rare = group, is_rare

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], record[1].replace("  [", " ["))


class Command(click.Command):
    """A command with grouped help, which also lists the names that its options accept.

    With `reports_readings`, it reports the recognised format of each file.
    """

    def __init__(self, *arguments: Any, reports_readings: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._reports_readings = reports_readings
        has_rare = any(isinstance(param, Option) and param.is_rare for param in self.params)
        flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_all}
        help = "Show all options, including those of tasks and measures, and exit."
        self.params.append(Option(["--help-all"], help=help, hidden=not has_rare, **flag))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it reads files, show the progress on the terminal."""
        from evenhand.cli.options import noted_inputs

        with ctx:
            if not noted_inputs():
                return super().invoke(ctx)
            from evenhand.cli.output import show_reading_progress

            with show_reading_progress(quiet=bool(ctx.params.get("quiet")), reports=self._reports_readings):
                return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        is_whole = bool(ctx.meta.get(_ALL))
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _FIRST}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None and (is_whole or not getattr(param, "is_rare", False)):
                groups.setdefault(getattr(param, "group", _HELP), []).append(record)
        last = {_HELP: groups.pop(_HELP)}
        names = {param.name for param in self.params if param.name}
        for sections in (groups.items(), _lists(names, is_whole=is_whole), last.items()):
            for heading, rows in sections:
                write_rows(formatter, heading, rows)


def option(group: str, *names: str, help: str, default: Any = ..., rare: bool = False, **settings: Any) -> Decorator:
    """An option under a heading; its help ends with the default, if present."""
    if default is not ...:
        settings["default"] = default
        help = help if default in (None, ()) else f"{help.rstrip('.')} [{default}]."
    if settings.get("type") in (int, float):
        settings.setdefault("metavar", "NUMBER")
    return click.option(*names, cls=Option, group=group, is_rare=rare, help=help, **settings)


def with_options(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order of the help."""

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
    """Write two columns under a heading, without breaks at hyphens."""
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
    """The names that options accept: measures by task and, in the whole help, their other names, tasks and formats."""
    from evenhand.formats.format import FORMATS
    from evenhand.tasks.registry import TASKS, models_of

    if "by" in options:
        yield "Scores for --by", [(task.name, ", ".join(task.selection.compared)) for task in TASKS.values()]
    if "match" in options and not is_whole:
        yield "Measures", [(task, ", ".join(families(models_of(task)))) for task in TASKS]
    if is_whole and "match" in options:
        for task in TASKS:
            yield f"Measures of {task}, with other names", list(_with_aliases(models_of(task)))
    if is_whole and "task" in options:
        yield "Tasks, with other names", [(task.name, _with_other_names(task)) for task in TASKS.values()]
    if is_whole and "formats" in options:
        yield "Formats", [(format.name, format.summary) for format in FORMATS.values()]


def _with_other_names(task: Task) -> str:
    return f"{task.title}; {', '.join(task.aliases)}" if task.aliases else task.title


def families(measures: Iterable[Measure]) -> list[str]:
    """The names of measures, with one name per family."""
    return list(dict.fromkeys(measure.family or measure.name for measure in measures))


def _with_aliases(measures: tuple[Measure, ...]) -> Iterator[tuple[str, str]]:
    """Each measure with its other names, and each family with its members."""
    for name in families(measures):
        members = [measure for measure in measures if name in (measure.name, measure.family)]
        if members[0].name == name:
            yield name, ", ".join(members[0].aliases)
        else:
            yield name, f"all of {', '.join(_with_alias(member, members) for member in members)}"
            shared = [alias for alias in members[0].aliases if all(alias in member.aliases for member in members)]
            yield from ((alias, name) for alias in shared)


def _with_alias(member: Measure, members: list[Measure]) -> str:
    """A member of a family with the other names that are its own."""
    own = [alias for alias in member.aliases if not all(alias in other.aliases for other in members)]
    return f"{member.name} ({', '.join(own)})" if own else member.name
