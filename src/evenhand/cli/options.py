"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.cli.inputs import note_inputs
from evenhand.formats.addresses import place
from evenhand.parameters import Parameter
from evenhand.settings import ENCODINGS, FORMATS, ReadSettings, column_names
from evenhand.tasks.registry import TASKS, all_parameters

Command = TypeVar("Command", bound=Callable[..., Any])
SIDES = ("gold", "system")


class Sided(click.ParamType[tuple[str | None, Any]]):
    """VALUE for all files, or gold:VALUE or system:VALUE for one side."""

    def __init__(self, value: click.ParamType[Any]) -> None:
        self.value = value
        self.name = value.name

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "[SIDE:]" + (self.value.get_metavar(param, ctx) or self.value.name.upper())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str | None, Any]:
        side, colon, rest = str(value).partition(":")
        if colon and side in SIDES:
            return side, self.value.convert(rest, param, ctx)
        return None, self.value.convert(value, param, ctx)


def by_side(values: Sequence[tuple[str | None, Any]]) -> dict[str, Any] | None:
    """The values of a sided option, as the Python functions take them; the last word on a side counts."""
    found: dict[str, Any] = {}
    for side, value in values:
        found.update(dict.fromkeys(SIDES if side is None else (side,), value))
    return found or None


def read_settings(options: Mapping[str, Any]) -> ReadSettings:
    """The reading options of a command that reads one file at a time."""
    return ReadSettings(
        options["formats"],
        column_names(options["columns"]),
        options["encodings"],
        options["repair"],
        options["offsets"],
        options["functions"],
        task=options["task"],
    )


class Names(click.ParamType[tuple[str, ...]]):
    """Names with commas between them, each one of the choices where there are any."""

    name = "names"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self.choices = choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NAME,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(part.strip() for part in str(value).split(",") if part.strip())
        for name in names:
            if self.choices and name not in self.choices:
                self.fail(f"{name!r} is not one of {', '.join(self.choices)}.", param, ctx)
        return names


def reading_options(*, sided: bool) -> Callable[[Command], Command]:
    """How files are read; `sided` where a command has two sides, which may differ."""
    side, multiple = ("[SIDE:]", True) if sided else ("", False)
    both = "; where one file holds both sides gold:-2 and system:-1" if sided else ""

    def typed(value: click.ParamType[Any]) -> click.ParamType[Any]:
        return Sided(value) if sided else value

    options = (
        click.option(
            "--format",
            "formats",
            type=typed(click.Choice(FORMATS)),
            multiple=multiple,
            metavar=f"{side}NAME",
            help=f"Format of the files: {', '.join(FORMATS)} [recognised].",
        ),
        click.option(
            "--column",
            "columns",
            type=typed(click.STRING),
            multiple=multiple,
            metavar=f"{side}COLUMN,...",
            help="Column of the tags: 1 is the first, -1 the last, or a name (xpos in CoNLL-U, or in the header); "
            f"several are levels of nesting [-1{both}; upos]. For trees and chains, columns by name: "
            "form=2,head=7,deprel=8, or word=4,pos=5.",
        ),
        click.option(
            "--encoding",
            "encodings",
            type=typed(click.Choice(ENCODINGS)),
            multiple=multiple,
            metavar=f"{side}NAME",
            help=f"How tags spell spans: {', '.join(ENCODINGS)} [recognised].",
        ),
        *_PLAIN_READING_OPTIONS,
        click.option(
            "--task",
            type=click.Choice(list(TASKS)),
            help="What files are read for [trees for CoNLL-U, chains where there is coreference, else spans].",
        ),
    )
    return lambda command: _with(command, options)


_PLAIN_READING_OPTIONS = (
    click.option(
        "--repair",
        type=click.Choice(["begin", "discard", "error"]),
        default="begin",
        show_default=True,
        help="An ill-formed span: take it as conlleval does, leave it out, or stop.",
    ),
    click.option(
        "--offsets",
        type=click.Choice(["codepoints", "utf16"]),
        default="codepoints",
        show_default=True,
        help="What offsets in texts count.",
    ),
    click.option("--functions", is_flag=True, help="Keep the functions in the labels of bracketed trees (NP-SBJ)."),
)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """A command with these options, in this order in its help."""
    for option in reversed(options):
        command = option(command)
    return command


def scoring_options(*, with_match: bool = True, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """What is scored and how: the options of all tasks, and what tasks and match models declare.

    Without `with_match`, options are left out that a comparison does not look at, and so are those named in `without`.
    """
    common = [
        option for name, option in _COMMON_OPTIONS.items() if name not in without and (with_match or name != "match")
    ]
    declared = [
        parameter_option(each)
        for each in all_parameters().values()
        if each.name not in without and (with_match or each.compares)
    ]
    return lambda command: _with(command, (*common, *declared))


def parameter_option(parameter: Parameter) -> Callable[[Command], Command]:
    """The option of a parameter; what is not given stays None, so that the declaration has the last word."""
    name = parameter.option
    former = [f"--{each.replace('_', '-')}" for each in parameter.former]
    if parameter.kind == "flag":
        names = [f"{name}/--no-{name.removeprefix('--')}"] if parameter.default is True else [name]
        return click.option(*names, parameter.name, default=None, is_flag=True, help=parameter.help)
    default = "" if parameter.optional or parameter.parse or parameter.kind == "names" else f" [{parameter.default}]"
    return click.option(
        name,
        *former,
        parameter.name,
        type=click.Choice(parameter.choices) if parameter.choices else _TYPES[parameter.kind],
        multiple=parameter.is_repeated,
        metavar=parameter.metavar,
        help=f"{parameter.help.rstrip('.')}{default}.",
    )


_TYPES: Mapping[str, Any] = {
    "number": click.FLOAT,
    "whole": click.INT,
    "text": click.STRING,
    "names": click.STRING,
    "column": click.STRING,
}
_COMMON_OPTIONS = {
    "match": click.option("--match", metavar="NAME,...", help="Match models; evenhand score --help-all lists them."),
    "labels": click.option("--labels", type=Names(), default=(), help="Only these labels."),
    "exclude": click.option("--exclude", type=Names(), default=(), help="All labels but these."),
    "map": click.option(
        "--map",
        "maps",
        multiple=True,
        metavar="[SIDE:]OLD=NEW",
        help="Another name for a label, on both sides; SIDE is gold, system, or a system's name.",
    ),
    "align": click.option(
        "--align",
        type=click.Choice(["strict", "position", "characters"]),
        help="strict: identical tokens; position: same number of tokens; characters: same text, any tokenisation "
        "[strict; characters for words in CoNLL-U, position for chains].",
    ),
    "beta": click.option("--beta", type=float, default=1.0, show_default=True, help="Weight of recall in F-beta."),
}


def score_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The scoring and reading options of a command, as the Python functions take them."""
    common = ("match", "task", "labels", "exclude", "align", "beta", "repair", "offsets", "functions")
    found = {name: options[name] for name in common if name in options}
    for parameter in all_parameters().values():
        value = options.get(parameter.name)
        if value is not None and value != ():
            found[parameter.name] = column_names(value)[0] if parameter.kind == "column" else value
    if found.get("weights") is not None:
        found["weights"] = read_weights(found["weights"])
    return found | {
        "map": options["maps"],
        "format": by_side(options["formats"]),
        "column": by_side(options["columns"]),
        "encoding": by_side(options["encodings"]),
    }


def read_weights(given: str | None) -> str | None:
    """A preset or formula as it is; otherwise the content of the file that it names."""
    if given is None or "=" in given:
        return given
    from evenhand.formats.short_text import names_a_file, short_text

    path = place(given)
    if isinstance(path, Path) and not names_a_file(path):
        return given
    note_inputs([path])
    return short_text(path, "formula of weights")
