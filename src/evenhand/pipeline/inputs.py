"""What is scored: files or annotations, by name, as streams of batches with the same atoms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import field, replace
from itertools import islice, tee
from numbers import Integral
from os import PathLike
from typing import Any, TypeVar, get_args

import numpy as np

from evenhand.data.annotation import Annotation
from evenhand.data.characters import peeked
from evenhand.data.from_lists import repaired
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, unknown
from evenhand.formats.objects import WrappedObject, adopted
from evenhand.formats.paths import FileList, check_same_names, files_of, names_in
from evenhand.formats.read import OpenFiles
from evenhand.formats.registry import FORMATS, format_named
from evenhand.formats.source import Source, notify_observers
from evenhand.formats.storage import AnyPath, to_path
from evenhand.parameters import SIDES, Parameter, check_choice, parameter_values, quote, quote_briefly, split_names
from evenhand.scoring.measure import Formula
from evenhand.settings import (
    Align,
    ColumnName,
    PickedAnnotator,
    ReadSettings,
    ScoreSettings,
    column_names,
    label_maps,
    own_key,
    system_settings,
)
from evenhand.tasks.evaluation import Inputs
from evenhand.tasks.registry import TASKS, all_parameters, model, model_names, models_of, parameters_of, tasks_with
from evenhand.tasks.task import GoldProfile, Task

# == pipeline/raw_data.py: Plain Python data where a side should be: which function mak


_MOST = 1000
"""How many members are looked at for one that shows what the data are."""
_OTHERS = "give a path, or what eh.read, eh.tags or eh.spans made"


def remedy_for(value: Any) -> str:
    """What to do with a value that is neither a file nor an annotation."""
    made = wrapping(value)
    return f"give {made}" if made else _OTHERS


def wrapping(value: Any) -> str | None:
    """The call that makes an annotation of plain data, in words; None where the data do not show what they are."""
    if isinstance(value, Mapping):
        is_text = {"text", "tokens", "spans", "tags"} & {key for key in value if isinstance(key, str)}
        inner = [] if is_text else [item for member in _members(value.values()) for item in _members(member)]
        return "eh.spans(…), which takes spans by document" if any(map(_is_span, inner)) else None
    if isinstance(value, np.ndarray) and value.ndim > 1 and value.dtype.kind in "iuf":
        return "eh.tags(ids, names=[…])" + (" with the ids of the best tags" if value.dtype.kind == "f" else "")
    sentences = _members(value)
    items = [item for sentence in sentences for item in _members(sentence)]
    if any(map(_is_span, items)):
        return "eh.spans(…)"
    if any(_is_pair(item, (Integral, str)) for item in items):
        return "eh.trees(…)"
    if any(_is_pair(pair, (Integral, Integral)) for chain in items for pair in _members(chain)):
        return "eh.chains(…)"
    if any(isinstance(item, Integral) for item in items):
        return "eh.tags(ids, names=[…])"
    if any(isinstance(item, str) for item in items):
        return "eh.tags(…)"
    return None


def _members(value: Any) -> list[Any]:
    """The first members of a list, a tuple or an array; nothing else has any here."""
    return list(islice(value, _MOST)) if isinstance(value, list | tuple | ValuesView | np.ndarray) else []


def _is_span(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) in (3, 4) and _is_pair(item[:2], (str, Integral))


def _is_pair(item: Any, kinds: tuple[type, type]) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and all(map(isinstance, item, kinds))


# == pipeline/inputs.py (primary)


File = str | PathLike[str] | FileList
Input = File | Annotation | WrappedObject
"""A file or several (a folder, a pattern, a list), an annotation, or an object that a format adopts."""
Systems = Input | Sequence[Input] | Mapping[str, Input] | None
Stream = Iterator[Annotation]


def open_sides(
    gold: Input,
    systems: Mapping[str, Input] | None,
    task: Task,
    read_as: Mapping[str, ReadSettings],
    vocabulary: Vocabulary,
    files: OpenFiles | None = None,
) -> Inputs:
    """What opens each side; without systems, one file holds both. `files` are the gold standard's, if recognised."""
    if systems is None:
        if not task.is_one_file:
            raise SettingError(f"Gold and prediction of {task.name} stand in two files; name the system's file, too.")
        first, second = _two_columns(gold, read_as, vocabulary, files)
        return Inputs(lambda: first, {name_of(gold): lambda reference=None: second}, ("gold", "system"))
    opened = {name: _Opened(name, side, system_settings(read_as, name), vocabulary) for name, side in systems.items()}
    opened_gold = _Opened(name_of(gold), gold, read_as["gold"], vocabulary, files)
    for side in systems.values():
        if isinstance(gold, Annotation) and isinstance(side, Annotation):
            _check_masks(gold, side)
    for name, side in systems.items() if not task.matches_documents else ():
        if not isinstance(gold, Annotation | WrappedObject) and not isinstance(side, Annotation | WrappedObject):
            _check_same_names(gold, side, opened_gold, opened[name])
    return Inputs(opened_gold, opened)


def _check_masks(gold: Annotation, system: Annotation) -> None:
    """Raise an error if ids were left out at other places of a system than of the gold standard."""
    mine, theirs = gold.corpus.mask, system.corpus.mask
    row = None if mine is None or theirs is None else mine.first_difference(theirs)
    if row is not None:
        finding = f"sentence {row + 1} leaves out other places than the gold standard (ids to ignore, such as -100)"
        remedy = "mask both sides alike: predictions[labels == -100] = -100"
        raise InputError(system.name, None, finding, remedy)


def _check_same_names(gold: File, system: File, opened_gold: _Opened, opened: _Opened) -> None:
    """Raise an error if two folders have other files, unless documents are matched by names.

    Such are the names that a format has for them or, where each file is one text, those of files: a system may then
    lack some, as an annotator does who did not see all texts, but has none that the gold standard lacks.
    """
    try:
        check_same_names(place_of(gold), place_of(system))
    except InputError:  # only now, as telling the format opens a file
        if opened.matches_documents:
            return
        known, found = set(opened_gold.names), set(opened.names)
        if not found or found - known:
            raise
        opened_gold.by_file = opened.by_file = True


class _Opened:
    """Opens one side, as often as somebody asks; its files are recognised once."""

    def __init__(
        self, name: str, side: Input, settings: ReadSettings, vocabulary: Vocabulary, files: OpenFiles | None = None
    ) -> None:
        self._name, self._side, self._settings, self._vocabulary = name, side, settings, vocabulary
        if files is None and not isinstance(side, Annotation):
            files = opened(side, settings)
        self._files = files
        self.by_file = False
        """Whether its texts are matched with those of another side by the names of their files."""

    @property
    def names(self) -> list[str]:
        """The names of its files in their folder, where each is one text."""
        if self._files is None or not self._files.first.format.contents.is_one_text or isinstance(self._side, FileList):
            return []
        assert not isinstance(self._side, Annotation | WrappedObject)
        where = to_path(self._side)
        return names_in(where, [source.path for source in self._files.sources])

    @property
    def matches_documents(self) -> bool:
        """Whether its documents are matched with the gold standard's, so that files need not be the same ones."""
        return self._files is not None and self._files.first.format.contents.matches_documents

    def __call__(self, reference: str | None = None) -> Stream:
        """The batches; `reference` is the encoding of a system's gold standard."""
        if isinstance(self._side, Annotation):
            return iter([repaired(self._side, self._settings.repair, reference)])
        assert self._files is not None
        stream = notify_observers(
            self._name, self._files.read_as(self._settings.judged_by(reference)).batches(self._vocabulary)
        )
        return map(_with_id, stream, self.names) if self.by_file else stream


def _with_id(batch: Annotation, name: str) -> Annotation:
    """A text that is identified by the name of its file."""
    return replace(batch, corpus=replace(batch.corpus, ids=Tokens.of([name] * batch.corpus.sentences)))


def content_of(gold: Input, format: str | None, task: str | None, columns: tuple[ColumnName, ...] = ()) -> GoldProfile:
    """The task that is named or that the gold standard shows, and its traits; its format tells, or its layers."""
    if isinstance(gold, Annotation):
        shown = next(layer.name for layer in _by_layers(gold) if layer.shows(gold))
        traits = TASKS[task or shown].traits(gold)
        name = gold.reading.format
        return GoldProfile(task or shown, traits | FORMATS[name].contents.traits if name in FORMATS else traits)
    files = opened(gold, ReadSettings(format, columns, task=task))
    return GoldProfile(files.first.task, files.first.traits, files)


def _by_layers(annotation: Annotation) -> list[Task]:
    """The tasks, those that it was read for first, tags last: they can be told by having no other layer."""
    places = {name: place for place, name in enumerate(annotation.readings)}
    return sorted(TASKS.values(), key=lambda task: (places.get(task.name, len(places)), task.shows_any))


def place_of(side: File) -> AnyPath | FileList:
    """Where the file or files of a side are."""
    return side if isinstance(side, FileList) else to_path(side)


def is_same_file(one: Input, other: Input) -> bool:
    """Whether two sides are one file or folder; what is in memory is not, nor is a list of files."""
    in_memory = (Annotation, WrappedObject, FileList)
    if isinstance(one, in_memory) or isinstance(other, in_memory):
        return False
    paths = [os.fspath(each) for each in (one, other)]
    return os.path.realpath(paths[0]) == os.path.realpath(paths[1])


def opened(side: File | WrappedObject, settings: ReadSettings) -> OpenFiles:
    """What a side has to read, whose formats are recognised when somebody asks."""
    return OpenFiles(side if isinstance(side, WrappedObject) else place_of(side), settings)


def _is_known(side: object) -> bool:
    return isinstance(side, str | PathLike | FileList | Annotation | WrappedObject)


def is_one(systems: Any) -> bool:
    """Whether this is a single system, and no sequence or mapping of them."""
    return _is_known(systems) or adopted(systems) is not None


def _is_own(value: object) -> bool:
    """Whether this is an object of Evenhand, such as a result."""
    return type(value).__module__.partition(".")[0] == __name__.partition(".")[0]


def systems_by_name(systems: Systems) -> dict[str, Input] | None:
    """The systems by name: a mapping's own names, or those of files and annotations."""
    if systems is None:
        return None
    if wrapping(systems):
        side_of(systems)
    if isinstance(systems, Mapping) and not is_one(systems):
        found = {name: side_of(side, name) for name, side in systems.items()}
    else:
        # A result is iterable, too: its match models are not systems.
        is_single = is_one(systems) or _is_own(systems)
        many = list(systems) if isinstance(systems, Iterable) and not is_single else [systems]
        if isinstance(systems, Iterator) and adopted(many) is not None:  # one system, and this can be read only once
            raise SettingError(f"{quote(systems)} gives its parts one by one; make a list of them: list(…).")
        listed = list(map(side_of, many))
        found = dict(zip(unique_names(listed), listed, strict=True))
    if not found:
        raise SettingError("There is no system to score; give one at least.")
    wrong = [name for name in found if not isinstance(name, str) or not name.strip()]
    if wrong:  # elsewhere the empty name stands for the gold standard
        raise SettingError(f"The name of a system is {quote(wrong[0])}; give a text that can be read.")
    return found


def side_of(given: Any, name: str | None = None) -> Input:
    """The side that is given, if it is something that can be read; `name` is what a user calls it."""
    if _is_known(given):
        side: Input = given
        return side
    if (found := adopted(given, name)) is None:
        finding = f"{quote_briefly(given)} is neither a file nor an annotation"
        raise SettingError(f"{finding}; {remedy_for(given)}.")
    return found


def sides_of(gold: Any, systems: Any) -> tuple[Input, dict[str, Input] | None]:
    """The gold standard and the systems by name; None where one file holds both.

    An object that holds a gold standard and a prediction is its own system.
    """
    others, first = systems_by_name(systems), side_of(gold)
    if others is None and isinstance(first, WrappedObject) and first.is_pair:
        others = {first.name: first}
    return first, others


def name_of(side: Input) -> str:
    if isinstance(side, Annotation | FileList | WrappedObject):
        return side.name
    where = to_path(side)
    return where.name if where.is_dir() else Source(where).name


def folder_of(side: Input) -> str | None:
    """The folder of a side with several files, whose names are those of documents."""
    if isinstance(side, Annotation | WrappedObject | FileList):
        return None
    where = to_path(side)
    return None if files_of(where) is None else str(where)


def unique_names(sides: Sequence[Input]) -> list[str]:
    """Names of files without their last extension; with the folder where two are equal, and a number if need be."""
    names = [name_of(side) for side in sides]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    for i, side in enumerate(sides):
        if names[i] in repeated and not isinstance(side, Annotation | FileList | WrappedObject):
            names[i] = os.path.join(to_path(side).absolute().parent.name, names[i])
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def _two_columns(
    side: Input, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary, files: OpenFiles | None
) -> tuple[Stream, Stream]:
    """Gold and system from columns of one file, which is read once."""
    if isinstance(side, Annotation):
        raise SettingError("One annotation cannot be scored alone; give a system, or a file with two columns of tags.")
    columns = {name: settings.columns for name, settings in read_as.items()}
    settings = replace(read_as["gold"], system_encoding=read_as["system"].encoding)
    files = opened(side, settings) if files is None else files.read_as(settings)
    batch, stream = peeked(files.batches(vocabulary, columns))
    if batch is not None and "gold" not in batch.layers:
        kind = next(iter(batch.readings.values())).format
        shown = side.name if isinstance(side, FileList | WrappedObject) else to_path(side)
        raise SettingError(f"{shown} ({kind}) holds one annotation only; give a system beside it.")
    first, second = tee(notify_observers(name_of(side), stream))
    return first, second


# == pipeline/options.py: What a user can choose, as the settings of a run.


T = TypeVar("T")
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName]] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one for each side: {"gold": …, "system": …}."""
READING = ("format", "column", "encoding", "repair", "offsets", "functions", "annotator")
"""The options that say how files are read."""
COMMON = ("match", "task", "labels", "exclude", "map", "align", "beta", *READING)
"""The options of all tasks."""


@dataclass(frozen=True)
class RunConfig:
    """All settings of a run."""

    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    """How each side is read: `gold`, `system`, and under `own_key` each system with its own format."""
    content: GoldProfile
    gold: Input | None = field(default=None, compare=False, repr=False)
    """The gold standard that the content is told of."""

    @property
    def task(self) -> Task:
        return TASKS[self.settings.task]

    @property
    def models(self) -> list[Formula]:
        """The match models, with their settings."""
        return [model(self.settings.task, name).prepare(self.settings) for name in self.settings.match]


def known_options() -> set[str]:
    """The keywords of `score`: those of all tasks, and what tasks and match models declare."""
    parameters = all_parameters().values()
    declared = {name for parameter in parameters for name in parameter.names}
    return {*COMMON, "groups", "jobs", "engine", *declared}


def content_for(gold: Input, options: Mapping[str, Any]) -> GoldProfile:
    """What a gold standard is for, read as options say; these are checked before."""
    check_choice("task", options.get("task"), tuple(TASKS), optional=True)
    check_choice("align", options.get("align"), get_args(Align), optional=True)
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
    content: GoldProfile | None = None,
) -> RunConfig:
    """The settings that options ask for; what is not among them has its default."""
    content = content or content_for(gold, options)
    task = TASKS[content.task]
    match = options.get("match")
    chosen = parameter_values(parameters_of(task.name), options)
    settings = ScoreSettings(
        match=_models(task, split_names(default_match(task, content, options) if match is None else match), options),
        task=task.name,
        labels=split_names(options.get("labels", ())),
        exclude=split_names(options.get("exclude", ())),
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
    return RunConfig(settings, read_as, content, gold)


def default_match(task: Task, content: GoldProfile, options: Mapping[str, Any]) -> tuple[str, ...]:
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
        if any(
            parameter.effect.adds_measure and options.get(parameter.name) is not None for parameter in each.parameters
        )
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
    for name in parameter.names:
        if name in options and parameter.value(options[name]) != parameter.default:
            shown, tasks = name.replace("_", "-"), " or ".join(tasks_with(parameter))
            raise SettingError(f"{shown} does nothing for {task.name}; leave it out, or choose the task {tasks}.")


def _read_settings(
    side: str, options: Mapping[str, Any], content: GoldProfile, chosen: Mapping[str, Any]
) -> ReadSettings:
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
        parameters={
            parameter.name: chosen[parameter.name]
            for parameter in parameters_of(content.task)
            if parameter.effect.reads
        },
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
