"""What a user can choose, as the settings of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeVar, get_args

from evenhand.arguments import SIDES
from evenhand.dataclass import dataclass
from evenhand.formats.registry import format_named
from evenhand.parameters import Parameter, names, values
from evenhand.pipeline.inputs import Input, content_of
from evenhand.problems import SettingError
from evenhand.relabeling import label_maps
from evenhand.scores.match_model import MatchModel
from evenhand.settings import (
    Align,
    ColumnName,
    PickedAnnotator,
    ReadSettings,
    ScoreSettings,
    choose,
    column_names,
    own_key,
)
from evenhand.suggestion import unknown
from evenhand.tasks.registry import TASKS, all_parameters, model, model_names, models_of, parameters_of, tasks_with
from evenhand.tasks.task import Content, Task

T = TypeVar("T")
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName]] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one for each side: {"gold": …, "system": …}."""
READING = ("format", "column", "encoding", "repair", "offsets", "functions", "annotator")
"""The options that say how files are read."""
COMMON = ("match", "task", "labels", "exclude", "map", "align", "beta", *READING)
"""The options of all tasks."""


@dataclass(frozen=True)
class Prepared:
    """All settings of a run."""

    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    """How each side is read: `gold`, `system`, and under `own_key` each system with its own format."""
    content: Content
    gold: Input | None = field(default=None, compare=False, repr=False)
    """The gold standard that the content is told of."""

    @property
    def task(self) -> Task:
        return TASKS[self.settings.task]

    @property
    def models(self) -> list[MatchModel]:
        """The match models, with their settings."""
        return [model(self.settings.task, name).prepare(self.settings) for name in self.settings.match]


def known_options() -> set[str]:
    """The keywords of `score`: those of all tasks, and what tasks and match models declare."""
    parameters = all_parameters().values()
    declared = {name for each in parameters for name in (each.name, *each.former)}
    return {*COMMON, "groups", "jobs", "engine", *declared}


def content_for(gold: Input, options: Mapping[str, Any]) -> Content:
    """What a gold standard is for, read as options say; these are checked before."""
    choose("task", options.get("task"), tuple(TASKS), optional=True)
    choose("align", options.get("align"), get_args(Align), optional=True)
    given = options.get("format")
    for name in given.values() if isinstance(given, Mapping) else (given,):
        if name is not None:
            format_named(name)
    columns = _columns_of(options.get("column"), "gold")
    return content_of(gold, by_side(options.get("format"), "gold"), options.get("task"), columns)


def prepare(
    gold: Input,
    systems: Mapping[str, Input] | None,
    options: Mapping[str, Any],
    content: Content | None = None,
) -> Prepared:
    """The settings that options ask for; what is not among them has its default."""
    content = content or content_for(gold, options)
    task = TASKS[content.task]
    match = options.get("match")
    chosen = values(parameters_of(task.name), options)
    settings = ScoreSettings(
        match=_models(task, names(default_match(task, content, options) if match is None else match), options),
        task=task.name,
        labels=names(options.get("labels", ())),
        exclude=names(options.get("exclude", ())),
        maps=label_maps(options.get("map", ()), list(systems or ())),
        align=options.get("align") or task.align(content),
        beta=options.get("beta", 1.0),
        parameters=chosen,
    )
    _check(task, settings, options)
    task.adjust(chosen, content)
    task.check(settings, content)
    read_as = {side: _read_settings(side, options, content, chosen) for side in SIDES}
    for name in _own_formats(options.get("format"), systems or {}):
        read_as[own_key(name)] = _read_settings(name, options, content, chosen)
    return Prepared(settings, read_as, content, gold)


def default_match(task: Task, content: Content, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The match models of `score` unless others are named."""
    return tuple(name for name in task.match(content) if not task.leaves_out(name, options))


def _own_formats(given: Choice, systems: Mapping[str, Input]) -> list[str]:
    """The systems whose format is named for them alone."""
    names = [name for name in given if name not in SIDES] if isinstance(given, Mapping) else []
    for name in names:
        if name not in systems:
            remedy = f"the sides are {' and '.join(SIDES)}, and the systems {', '.join(systems) or 'none'}"
            raise SettingError(unknown(f"format has no side {name!r}", name, [*SIDES, *systems], remedy))
    return names


def _models(task: Task, named: Sequence[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The match models: those named, and the ones that a parameter of theirs asks for."""
    asked = [
        each.name
        for each in models_of(task.name)
        if any(parameter.adds_model and options.get(parameter.name) is not None for parameter in each.parameters)
    ]
    return model_names(task.name, (*named, *asked))


def _check(task: Task, settings: ScoreSettings, options: Mapping[str, Any]) -> None:
    """Refuse settings that would change nothing."""
    own = {each.name for each in parameters_of(task.name)}
    for parameter in all_parameters().values():
        if parameter.name not in own:
            _refuse(parameter, task, options)
    if settings.align not in task.aligns:
        raise SettingError(f"align is {settings.align!r}; for {task.name}, choose {' or '.join(task.aligns)}.")
    others: dict[str, Any] = (
        {} if task.has_labels else {"labels": settings.labels, "exclude": settings.exclude, "map": settings.maps}
    )
    others |= {} if task.has_encoding else {"encoding": options.get("encoding")}
    for name, value in others.items():
        if value:
            raise SettingError(f"{name} does nothing for {task.name}; leave it out.")


def _refuse(parameter: Parameter, task: Task, options: Mapping[str, Any]) -> None:
    """Refuse a parameter of another task, unless it has its default."""
    for name in (parameter.name, *parameter.former):
        if name in options and parameter.value(options[name]) != parameter.default:
            shown, tasks = name.replace("_", "-"), " or ".join(tasks_with(parameter))
            raise SettingError(f"{shown} does nothing for {task.name}; leave it out, or choose the task {tasks}.")


def _read_settings(side: str, options: Mapping[str, Any], content: Content, chosen: Mapping[str, Any]) -> ReadSettings:
    return ReadSettings(
        by_side(options.get("format"), side),
        _columns_of(options.get("column"), side),
        by_side(options.get("encoding"), side),
        options.get("repair", "begin"),
        by_side(options.get("offsets"), side),
        options.get("functions", False),
        weight=chosen.get("token_weight") if side == "gold" else None,
        task=content.task,
        side="gold" if side == "gold" else "system",
        parameters={each.name: chosen[each.name] for each in parameters_of(content.task) if each.reads},
        annotator=PickedAnnotator.of(by_side(options.get("annotator"), side)),
    )


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    if isinstance(choice, Mapping):
        choice = choice.get(side, None if side == "gold" else choice.get("system"))
    return column_names(choice)


def by_side(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    """The value for one side, or for both; a system without one of its own has that of all systems."""
    if not isinstance(choice, Mapping):
        return choice
    return choice.get(side, None if side == "gold" else choice.get("system"))
