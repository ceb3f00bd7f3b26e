"""The tasks and their match models: those of this package, and what others add through entry points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    },
)
_AT = "@"
"""What stands between a match model and how many ranked answers it looks at."""
MODELS: Registry[Measure] = Registry("evenhand.models", Measure, {})
"""Match models that other packages add to a task."""


@cache
def models_of(task: str) -> tuple[Measure, ...]:
    """The match models of a task."""
    return (*TASKS[task].measures, *(model for model in MODELS.values() if model.task == task))


@cache
def parameters_of(task: str) -> tuple[Parameter, ...]:
    """All that a user can set of a task and its match models."""
    own = (*TASKS[task].parameters, *(parameter for model in models_of(task) for parameter in model.parameters))
    return tuple({parameter.name: parameter for parameter in own}.values())


def without_overrides(settings: ScoreSettings) -> ScoreSettings:
    """The same settings for the gold standard as it was read."""
    others = {
        parameter.name: parameter.default for parameter in parameters_of(settings.task) if parameter.effect.on == "gold"
    }
    return replace(settings, parameters={**settings.parameters, **others})


def all_parameters() -> dict[str, Parameter]:
    """The parameters of all tasks, by name."""
    return {parameter.name: parameter for task in TASKS for parameter in parameters_of(task)}


def tasks_with(parameter: Parameter) -> tuple[str, ...]:
    """The tasks that a parameter is for."""
    return tuple(task for task in TASKS if any(each.name == parameter.name for each in parameters_of(task)))


def help_of(parameter: Parameter) -> str:
    """What a parameter is, after the match models that it is for, and with its default."""
    models = (model for task in TASKS for model in models_of(task))
    owners = [model.name for model in models if any(each.name == parameter.name for each in model.parameters)]
    prefix = f"{', '.join(owners)}: " if owners else ""
    default = "" if parameter.shown_default is None else f" [{parameter.shown_default}]"
    return f"{prefix}{parameter.help.rstrip('.')}{default}."


def model(task: str, name: str) -> Measure:
    """The match model of a task by its own name, or one that looks at the first n answers (`name@n`)."""
    base, _, depth = name.partition(_AT)
    found = next(model for model in models_of(task) if model.name == base)
    return found.at(int(depth)) if depth else found


def summary_of(model: Measure) -> str:
    """The definition of a match model in one line."""
    if model.summary:
        return model.summary
    from pkgutil import resolve_name

    try:
        docstring = resolve_name(model.definition).__doc__ or ""
    except (AttributeError, ImportError, ValueError):  # of a plug-in, which works all the same
        docstring = ""
    return " ".join(docstring.split("\n\n")[0].split())


def model_title(task: str, name: str) -> str:
    """What the literature calls a match model."""
    return next((model.title for model in models_of(task) if model.name == name), "") or name


def model_names(task: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of match models for what a user calls them; a family stands for all of its models."""
    found = [name for given in names for name in _named(task, given)]
    if not found:
        raise SettingError(f"No match model is named; {_choices(task)}.")
    return tuple(dict.fromkeys(found))


def name_among(task: str, given: str, names: Sequence[str]) -> str | None:
    """That of some match models of a task which a user means, if it is one of them, or one of them with a depth."""
    base, _, depth = given.partition(_AT)
    wanted = _plain(base)
    found = [name for name in names if wanted in map(_plain, (name, *model(task, name).aliases))]
    if not depth or not found:
        return found[0] if found else None
    return model_names(task, [f"{found[0]}{_AT}{depth}"])[0]


def _named(task: str, given: str) -> list[str]:
    base, at, depth = given.partition(_AT)
    if not at:
        return _without_depth(task, given)
    names = _without_depth(task, base)
    unranked = next((name for name in names if not model(task, name).scorer.is_ranked), None)
    if unranked is not None:
        ranked = ", ".join(model.name for model in models_of(task) if model.scorer.is_ranked) or "no model"
        raise SettingError(f"match is {given!r}, but {unranked} looks at one answer; {ranked} can have {_AT}n behind.")
    if not (depth.isdecimal() and depth.isascii() and 0 < len(depth) <= 6 and int(depth)):
        raise SettingError(f"match is {given!r}; write the number of answers behind {_AT}, such as {base}{_AT}3.")
    return [name if int(depth) == 1 else f"{name}{_AT}{int(depth)}" for name in names]


def _without_depth(task: str, given: str) -> list[str]:
    wanted, models = _plain(given), models_of(task)
    exact = [model.name for model in models if _plain(model.name) == wanted]
    family = [model.name for model in models if model.family is not None and _plain(model.family) == wanted]
    other = [model.name for model in models if wanted in map(_plain, model.aliases)]
    found = exact or family or other
    if not found:
        raise SettingError(_unknown(task, given))
    return found


@lru_cache(maxsize=256)
def _plain(name: str) -> str:
    """A name without what people write differently."""
    return name.lower().replace("³", "3").translate(str.maketrans("", "", " -_."))


def _unknown(task: str, given: str) -> str:
    finding = f"match is {given!r}, which is no match model of {task}"
    option = next((parameter.option for parameter in parameters_of(task) if given in parameter.allowed.choices), None)
    if option is not None:
        return f"{finding}; did you mean {option} {given}? C{_choices(task)[1:]}."
    owner = next((each for each in TASKS if _plain(given) in _all_names(each)), None)
    if owner is not None:
        return f"{finding}; it is a model of {owner}; {_choices(task)}."
    return unknown(finding, _plain(given), _all_names(task), _choices(task))


def _all_names(task: str) -> dict[str, str]:
    """All names of match models and families, each with the one that users are shown."""
    models = models_of(task)
    families = {_plain(model.family): model.family for model in models if model.family is not None}
    return families | {_plain(name): model.name for model in models for name in (model.name, *model.aliases)}


def _choices(task: str) -> str:
    return f"choose from {', '.join(model.name for model in models_of(task))}"
