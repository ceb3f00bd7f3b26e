"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evenhand.arguments import SIDES
from evenhand.cli.choices import Choice, Name, Names, Sided
from evenhand.cli.ending import say
from evenhand.cli.help import COMPARING, READING, SCORING, Decorator, families, option, with_options
from evenhand.cli.inputs import INPUT, note_inputs
from evenhand.formats.addresses import place
from evenhand.formats.registry import FORMATS
from evenhand.parameters import Parameter
from evenhand.settings import ENCODINGS, Align, PickedAnnotator, ReadSettings, Repair, column_names
from evenhand.tasks.registry import TASKS, all_parameters, help_of, models_of, tasks_with

if TYPE_CHECKING:
    from evenhand.tasks.task import Task


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
        annotator=PickedAnnotator.of(options["annotators"]),
        parameters={
            each.name: each.value(options[each.name]) for each in _read_parameters() if options[each.name] is not None
        },
    )


NAMES: Any = {"type": Names(), "metavar": "NAME,..."}


def reading_options(*, sided: bool) -> Decorator:
    """How files are read, and for which task; `sided` where a command has two sides, which may differ."""
    task = task_option(SCORING, "GOLD") if sided else task_option(READING, "the file")
    declared = () if sided else (each for parameter in _read_parameters() for each in parameter_options(parameter))
    return with_options(task, file_options(sided=sided), *declared)


def task_option(group: str, source: str, tasks: Sequence[str] = tuple(TASKS)) -> Decorator:
    """What files are read for; `source` tells it, unless a user does."""
    help = f"What the files are read for: {', '.join(tasks)} [recognised from {source}]."
    return option(group, "--task", type=Choice(tasks), metavar="NAME", help=help)


def file_options(*, sided: bool, of_annotators: bool = False) -> Decorator:
    """How files are read, where a command has one task, or tells of annotators in place of gold and system."""
    return with_options(*_by_side_options(sided, of_annotators), *_OTHER_READING_OPTIONS)


def _read_parameters() -> list[Parameter]:
    """What tasks declare and readers look at. Commands with two sides have it among their scoring options."""
    return [each for each in all_parameters().values() if each.reads]


def _by_side_options(has_sides: bool, of_annotators: bool = False) -> Iterator[Decorator]:
    """The options that may differ between gold standard and systems, or between annotators."""
    is_paired = has_sides and not of_annotators
    side, both = ("[SIDE:]", "; in one file for both, gold:-2 and system:-1") if is_paired else ("", "")
    names = " SIDE is gold, system, or the name of a system." if is_paired else ""
    names = " ANNOTATOR:FORMAT is for one of them." if of_annotators else names

    def sided_option(name: str, metavar: str, convert: Any, help: str, *, rare: bool = False) -> Decorator:
        kind = Sided(convert, has_names=name == "format") if has_sides else convert
        settings: dict[str, Any] = {"type": kind, "multiple": has_sides}
        plural = name if name.endswith("s") else f"{name}s"
        return option(READING, f"--{name}", plural, metavar=f"{side}{metavar}", help=help, rare=rare, **settings)

    yield sided_option("format", "NAME", Choice(tuple(FORMATS)), f"Format of the files [recognised].{names}")
    yield sided_option(
        "column",
        "COLUMN,...",
        click.STRING,
        "Column of the tags: a number (1 is the first, -1 the last), a name from the header, or a key of JSON; "
        f"several are levels of nesting [-1{both}; upos in CoNLL-U]. For trees and chains, columns by name: "
        "form=2,head=7,deprel=8 or word=4,pos=5.",
    )
    encodings = f"How tags encode spans: {', '.join(ENCODINGS)} [recognised]."
    yield sided_option("encoding", "NAME", Choice(ENCODINGS), encodings)
    yield sided_option(
        "offsets",
        "HOW,...",
        click.STRING,
        "How offsets in texts count: codepoints, utf16 or bytes; 1-based; inclusive [codepoints from 0 with exclusive "
        "ends; in JSON, quotes may show another way].",
        rare=True,
    )
    yield sided_option(
        "annotator",
        "FIELD=NAME",
        click.STRING,
        "Whose records to read of a file with several annotators: annotator=ana, completed_by=1.",
        rare=True,
    )


def repair_option(help: str) -> Decorator:
    """What becomes of ill-formed spans."""
    return option(READING, "--repair", type=Choice(get_args(Repair)), metavar="HOW", default="begin", help=help)


def align_option(group: str, help: str) -> Decorator:
    """How texts must agree."""
    return option(group, "--align", type=Choice(get_args(Align)), metavar="HOW", help=help)


def _scores(ctx: click.Context) -> Iterator[str]:
    """What systems can be compared by, in the task that is named or in any."""
    return (name for task in _tasks(ctx) for name in task.compared_by)


def _models(ctx: click.Context) -> Iterator[str]:
    """The match models and their families, of the task that is named or of all."""
    return (name for task in _tasks(ctx) for name in families(models_of(task.name)))


def _tasks(ctx: click.Context) -> list[Task]:
    named = ctx.params.get("task")
    return TASKS.values() if named is None else [TASKS[named]]


by_option = option(
    COMPARING,
    "--by",
    type=Name(_scores),
    metavar="NAME",
    help="Score to compare by, listed below [the first of the task].",
)
pair_options = with_options(
    by_option,
    option(COMPARING, "--baseline", metavar="NAME", help="Compare each system with this one only."),
    option(COMPARING, "--sequence", is_flag=True, help="Compare each system with the one before it."),
)
_OTHER_READING_OPTIONS = (
    repair_option("Ill-formed spans: read them as conlleval does (begin), drop them (discard), or stop (error)."),
    option(READING, "--functions", is_flag=True, help="Keep functions in labels of brackets (NP-SBJ).", rare=True),
)


def _map_option(side: str, explained: str) -> Decorator:
    """New names of labels, on all sides or on one."""
    help = f"Rename a label before scoring; {side} is {explained}. Repeatable."
    return option(SCORING, "--map", "maps", multiple=True, metavar=f"[{side}:]OLD=NEW", help=help)


_SCORING_OPTIONS = {
    "match": option(
        SCORING,
        "--match",
        type=Names(_models),
        metavar="NAME,...",
        help="Match models, listed below [depends on the task].",
    ),
    "labels": option(SCORING, "--labels", **NAMES, default=(), help="Score only these labels."),
    "exclude": option(SCORING, "--exclude", **NAMES, default=(), help="Score all labels but these."),
    "map": _map_option("SIDE", "gold, system, or a system's name [both sides]"),
    "align": align_option(
        SCORING,
        "strict: identical tokens; position: same number of tokens; characters: same text, any tokenisation "
        "[strict; characters for CoNLL-U, position for tables of HIPE and chains but CorefUD].",
    ),
    "beta": option(SCORING, "--beta", type=float, default=1.0, help="Weight of recall in F-beta.", rare=True),
}


def scoring_options(
    *,
    with_match: bool = True,
    effects: Sequence[str] = ("scores", "labels", "rows", "gold"),
    without: Sequence[str] = (),
    tasks: Container[str] = TASKS,
    of_annotators: bool = False,
) -> Decorator:
    """What is scored and how: the options of all tasks, and what tasks and match models declare.

    Where a command is `of_annotators`, these are the sides. Without `with_match`, parameters are left out that a
    comparison does not look at; so are those whose effect is none of `effects`, those that are for none of `tasks`, and
    the common options `without`.
    """
    known = _SCORING_OPTIONS | ({"map": _map_option("ANNOTATOR", "one of them [all]")} if of_annotators else {})
    common = [each for name, each in known.items() if name not in without and (with_match or name != "match")]
    declared = [
        each
        for parameter in all_parameters().values()
        if parameter.effect in effects and (with_match or parameter.compares)
        if any(task in tasks for task in tasks_with(parameter))
        for each in parameter_options(parameter)
    ]
    return with_options(*common, *declared)


def parameter_options(parameter: Parameter) -> Iterator[Decorator]:
    """The option of a parameter, and a hidden one for each former name.

    What is not given stays None, so that the declaration has the last word.
    """
    settings: dict[str, Any] = {"help": help_of(parameter), "rare": True}
    if parameter.kind == "flag":
        settings |= {"is_flag": True, "default": None}
    elif parameter.choices:
        settings |= {"type": Choice(parameter.choices), "metavar": parameter.metavar}
    else:
        metavar = parameter.metavar or _METAVARS.get(parameter.kind, "NUMBER")
        settings |= {"type": _TYPES[parameter.kind], "metavar": metavar}
    heading = " and ".join(tasks_with(parameter)).capitalize()
    for name in (parameter.name, *parameter.former):
        spelled = name.replace("_", "-")
        has_opposite = parameter.default is True or parameter.has_opposite
        spelled = f"--{spelled}/--no-{spelled}" if has_opposite else f"--{spelled}"
        settings |= {"multiple": parameter.is_repeated, "hidden": name != parameter.name}
        yield option(heading, spelled, name, **settings)


_TYPES: Mapping[str, Any] = {
    "number": float,
    "whole": int,
    "text": str,
    "names": str,
    "column": str,
    "percent": str,
    "file": INPUT,
}
_METAVARS = {"text": "TEXT", "names": "NAME,...", "column": "COLUMN"}


def score_options(options: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """The scoring and reading options of a command and its own ones, as the Python functions take them."""
    common = ("match", "task", "labels", "exclude", "align", "beta", "repair", "functions")
    found = {name: options[name] for name in (*common, *own) if name in options}
    for parameter in all_parameters().values():
        for name in (parameter.name, *parameter.former):
            value = options.get(name)
            if value is None or value == ():
                continue
            found[name] = _value(parameter, value)
            if name != parameter.name and not options.get("quiet"):
                say(f"--{name.replace('_', '-')} is now {parameter.option}.")
    return found | {
        "map": options["maps"],
        "format": by_side(options["formats"]),
        "column": by_side(options["columns"]),
        "encoding": by_side(options["encodings"]),
        "offsets": by_side(options["offsets"]),
        "annotator": by_side(options["annotators"]),
    }


def _value(parameter: Parameter, given: Any) -> Any:
    """The value of a parameter as the Python functions take it."""
    if parameter.kind == "column":
        return column_names(given)[0]
    return given if parameter.file_of is None else _text(given, parameter.file_of)


def _text(given: str, what: str) -> str:
    """The text of the file that is named; if there is no such file, the name itself is the text."""
    from evenhand.formats.short_text import names_a_file, short_text

    path = place(given, may_be_text=True)
    if isinstance(path, Path) and not names_a_file(path):
        return given
    note_inputs([path])
    return short_text(path, what)
