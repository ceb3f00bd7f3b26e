"""Tasks and measures by name: from this package, and from others through entry points."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from evenhand.errors import SettingError, unknown
from evenhand.parameters import Parameter
from evenhand.registry import Registry
from evenhand.scoring.measure import Measure
from evenhand.settings import ScoreSettings
from evenhand.tasks.task import Task

TASKS: Registry[Task] = Registry(
    "evenhand.tasks",
    Task,
    {
        "spans": "evenhand.tasks.spans.task:TASK",
        "tags": "evenhand.tasks.tags:TASK",
        "trees": "evenhand.tasks.trees.task:TASK",
        "chains": "evenhand.tasks.chains.task:TASK",
        "relations": "evenhand.tasks.relations.task:TASK",
        "links": "evenhand.tasks.links.task:TASK",
        "constituents": "evenhand.tasks.constituents.task:TASK",
        "records": "evenhand.tasks.records.task:TASK",
    },
)
_AT = "@"
"""Separates a measure from the number of ranked predictions that it accepts: `links@3`."""
MODELS: Registry[Measure] = Registry("evenhand.models", Measure, {})
"""Measures that other packages add to a task."""


@cache
def models_of(task: str) -> tuple[Measure, ...]:
    """The measures of a task."""
    return (*TASKS[task].measures, *(model for model in MODELS.values() if model.task == task))


@cache
def parameters_of(task: str) -> tuple[Parameter, ...]:
    """The parameters of a task and its measures."""
    declared = (*TASKS[task].parameters, *(parameter for model in models_of(task) for parameter in model.parameters))
    return tuple({parameter.name: parameter for parameter in declared}.values())


def without_overrides(settings: ScoreSettings) -> ScoreSettings:
    """The settings without corrections of the gold standard."""
    others = {
        parameter.name: parameter.default for parameter in parameters_of(settings.task) if parameter.effect.on == "gold"
    }
    return replace(settings, parameters={**settings.parameters, **others})


def all_parameters() -> dict[str, Parameter]:
    """The parameters of all tasks, by name; tasks may have different choices for one name."""
    declared: dict[str, Parameter] = {}
    for parameter in (parameter for task in TASKS for parameter in parameters_of(task)):
        known = declared.setdefault(parameter.name, parameter)
        if known != parameter and known.allowed.choices != parameter.allowed.choices:
            choices = tuple(dict.fromkeys((*known.allowed.choices, *parameter.allowed.choices)))
            allowed = replace(known.allowed, choices=choices)
            declared[parameter.name] = replace(known, help=f"{known.help} {parameter.help}", allowed=allowed)
    return declared


def tasks_with(parameter: Parameter) -> tuple[str, ...]:
    """The tasks with a parameter."""
    return tuple(task for task in TASKS if parameter.name in {declared.name for declared in parameters_of(task)})


def help_of(parameter: Parameter) -> str:
    """The help of a parameter, with its measures and its default."""
    models = (model for task in TASKS for model in models_of(task))
    owners = [model.name for model in models if parameter.name in {declared.name for declared in model.parameters}]
    prefix = f"{', '.join(owners)}: " if owners else ""
    default = "" if parameter.shown_default is None else f" [{parameter.shown_default}]"
    return f"{prefix}{parameter.help.rstrip('.')}{default}."


def task_aliases() -> dict[str, str]:
    """The other names of tasks, with the names of the tasks."""
    return {alias: task.name for task in TASKS.values() for alias in task.aliases}


def task_named(text: str, among: Collection[str] | None = None) -> str:
    """The task that a user names, by its name or an alias, if it is one of these (default: all)."""
    names = list(TASKS) if among is None else list(among)
    spellings = {alias: task for alias, task in task_aliases().items() if task in names}
    spellings |= {name: name for name in names}
    task = {_plain(spelling): name for spelling, name in spellings.items()}.get(_plain(text))
    if task is None:
        raise SettingError(unknown(f"task is {text!r}", text, spellings, f"choose one of {', '.join(names)}"))
    return task


def model(task: str, name: str) -> Measure:
    """The measure of a task by its name, the one that accepts the first n predictions (`name@n`), or a function's."""
    base, _, depth = name.partition(_AT)
    measure = next((model for model in models_of(task) if model.name == base), None)
    if measure is None:  # users' names are checked by `model_names`, so it is the name of a function
        custom = TASKS[task].custom
        assert custom is not None
        return custom(name)
    return measure.at(int(depth)) if depth else measure


def summary_of(model: Measure) -> str:
    """The definition of a measure in one line."""
    if model.summary:
        return model.summary
    from pkgutil import resolve_name

    try:
        docstring = resolve_name(model.definition).__doc__ or ""
    except (AttributeError, ImportError, ValueError):  # a plug-in works without a definition
        docstring = ""
    return " ".join(docstring.split("\n\n")[0].split())


def model_title(task: str, name: str) -> str:
    """The name of a measure in the literature."""
    return next((model.title for model in models_of(task) if model.name == name), "") or name


def model_names(task: str, names: Iterable[str], functions: Collection[str] = ()) -> tuple[str, ...]:
    """The names of measures from names, aliases and families as users write them, and from names of functions."""
    measures = [measure for name in names for measure in ([name] if name in functions else _resolve(task, name))]
    if not measures:
        raise SettingError(f"No measure is specified; {_choices(task)}.")
    return tuple(dict.fromkeys(measures))


def check_functions(task: str, functions: Iterable[str]) -> None:
    """Refuse functions of the user as measures if the task has none, or a measure of the same name."""
    for name in functions:
        if TASKS[task].custom is None:
            known = " and ".join(other.name for other in TASKS.values() if other.custom is not None)
            raise SettingError(
                f"match is the function {name}, but functions are measures of {known} only, not of {task}."
            )
        if _plain(name) in _all_names(task):
            other = _all_names(task)[_plain(name)]
            raise SettingError(f"The function {name} has the name of the measure {other}; rename it.")


def name_among(task: str, text: str, names: Sequence[str]) -> str | None:
    """The measure among `names` that a user's text refers to, maybe with a depth; None if it is another one."""
    base, _, depth = text.partition(_AT)
    matching = [name for name in names if _plain(base) in map(_plain, (name, *model(task, name).aliases))]
    if not depth or not matching:
        return matching[0] if matching else None
    return model_names(task, [f"{matching[0]}{_AT}{depth}"])[0]


def _resolve(task: str, text: str) -> list[str]:
    base, at, depth = text.partition(_AT)
    if not at:
        return _without_depth(task, text)
    names = _without_depth(task, base)
    unranked = next((name for name in names if not model(task, name).scorer.is_ranked), None)
    if unranked is not None:
        ranked = ", ".join(model.name for model in models_of(task) if model.scorer.is_ranked) or "no model"
        raise SettingError(f"match is {text!r}, but {unranked} accepts one answer only; {_AT}n can follow {ranked}.")
    if not (depth.isdecimal() and depth.isascii() and 0 < len(depth) <= 6 and int(depth)):
        raise SettingError(f"match is {text!r}; write the number of answers after {_AT}, such as {base}{_AT}3.")
    return [name if int(depth) == 1 else f"{name}{_AT}{int(depth)}" for name in names]


def _without_depth(task: str, text: str) -> list[str]:
    plain, models = _plain(text), models_of(task)
    exact = [model.name for model in models if _plain(model.name) == plain]
    family = [model.name for model in models if model.family is not None and _plain(model.family) == plain]
    names = exact or family or [model.name for model in models if plain in map(_plain, model.aliases)]
    if not names:
        raise SettingError(_unknown(task, text))
    return names


@lru_cache(maxsize=256)
def _plain(name: str) -> str:
    """A name without case, hyphens, underscores, dots and blanks."""
    return name.lower().replace("³", "3").translate(str.maketrans("", "", " -_."))


def _unknown(task: str, text: str) -> str:
    finding = f"match is {text!r}, which is not a measure of {task}"
    option = next((parameter.option for parameter in parameters_of(task) if text in parameter.allowed.choices), None)
    if option is not None:
        return f"{finding}; did you mean {option} {text}? C{_choices(task)[1:]}."
    owner = next((other for other in TASKS if _plain(text) in _all_names(other)), None)
    if owner is not None:
        return f"{finding}; it is a measure of {owner}; {_choices(task)}."
    return unknown(finding, _plain(text), _all_names(task), _choices(task))


def _all_names(task: str) -> dict[str, str]:
    """All names of measures and families, with the name to display."""
    models = models_of(task)
    families = {_plain(model.family): model.family for model in models if model.family is not None}
    return families | {_plain(name): model.name for model in models for name in (model.name, *model.aliases)}


def _choices(task: str) -> str:
    return f"choose from {', '.join(model.name for model in models_of(task))}"
