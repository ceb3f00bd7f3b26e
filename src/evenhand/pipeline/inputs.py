"""The inputs of an evaluation: gold standard and systems as users give them, and the settings of a run.

`sides_of` checks and names the inputs, `prepare` turns user options into a `RunConfig`, and `open_sides` opens the
inputs for an evaluation.
"""

from __future__ import annotations

import os
import stat
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import field, replace
from itertools import chain, islice, tee
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import numpy as np

from evenhand.arrays import Bools
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.from_lists import repaired
from evenhand.data.layers import Spans, Tags, Trees
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, unknown
from evenhand.formats.format import FORMATS, Format, Frame, WrappedObject, format_named, wrap_object
from evenhand.formats.paths import (
    FileList,
    check_same_names,
    check_single_file,
    distinct_names,
    file_name,
    files_of,
    names_in,
    submissions_in,
)
from evenhand.formats.read import OpenFiles
from evenhand.formats.source import notify_observers
from evenhand.formats.storage import AnyPath, to_path
from evenhand.parameters import (
    FUNCTIONS,
    SIDES,
    TRAIN,
    Parameter,
    check_choice,
    parameter_values,
    quote,
    quote_briefly,
    split_names,
)
from evenhand.scoring.measure import Formula
from evenhand.settings import (
    Align,
    ColumnName,
    PickedAnnotator,
    ReadSettings,
    ScoreSettings,
    columns_of_side,
    encoding_named,
    label_maps,
    own_key,
    system_settings,
)
from evenhand.tasks.evaluation import Inputs, uses_confidences
from evenhand.tasks.registry import (
    TASKS,
    all_parameters,
    check_functions,
    model,
    model_names,
    models_of,
    parameters_of,
    task_named,
    tasks_with,
)
from evenhand.tasks.task import GoldProfile, Task

File = str | PathLike[str] | FileList
Input = File | Annotation | WrappedObject
"""A file or several (a folder, a pattern, a list), an annotation, or an object of another library."""
Side = Input | Frame
"""A gold standard or a system as users give it."""
NamedInput = Side | Mapping[str, Side]
"""A side, or its name and the side: {"crf": "crf.conll"}."""
Systems = Side | Sequence[NamedInput] | Mapping[str, Side] | None
Stream = Iterator[Annotation]
T = TypeVar("T")
NamedColumns = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName]
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, NamedColumns] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one per side: {"gold": …, "system": …}."""
READING = ("format", "column", "layer", "encoding", "repair", "offsets", "functions", "annotator")
"""Options that specify how files are read."""
COMMON = ("match", "task", "labels", "exclude", "map", "align", "beta", *READING)
"""Options of all tasks."""
_MAX_MEMBERS = 1000
"""Maximum number of list members that are examined to guess what plain data contain."""


def wrapping_call(value: Any) -> str | None:
    """The call that turns plain data into an annotation, for messages; None if the data do not show what they are."""
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
    """The first members of a list, a tuple or an array; none of any other value."""
    return list(islice(value, _MAX_MEMBERS)) if isinstance(value, list | tuple | ValuesView | np.ndarray) else []


def _is_span(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) in (3, 4, 5) and _is_pair(item[:2], (str, Integral))


def _is_pair(item: Any, kinds: tuple[type, type]) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and all(map(isinstance, item, kinds))


_DIVISIBLE = (Spans, Tags, Trees)
"""Layers of which some sentences can be taken."""


@dataclass(frozen=True)
class DroppedSentences:
    """Sentences of the gold standard that are left out, with the same sentences of every system."""

    is_dropped: Bools
    """By sentence of the gold standard."""
    ids: frozenset[str] | None = None
    """Their ids, if the gold standard has any; systems may have other orders."""

    def remaining(self, batches: Stream) -> Stream:
        """The batches of a side without these sentences.

        Without ids, sentences are identified by their numbers, so another number of sentences is an error.
        """
        before, source = 0, ""
        for batch in batches:
            corpus, source = batch.corpus, batch.corpus.source
            other = next((name for name, layer in batch.layers.items() if not isinstance(layer, _DIVISIBLE)), None)
            if other is not None:
                remedy = "remove --drop-leaked"
                raise InputError(source, None, f"has the layer {other!r}, of which no sentence can be left out", remedy)
            dropped = self.is_dropped[before : before + corpus.sentences]
            before += corpus.sentences
            if self.ids is not None and corpus.ids is not None:
                names = corpus.ids.texts(0, corpus.sentences)
                dropped = np.array([name in self.ids for name in names], dtype=np.bool_)
            elif before > len(self.is_dropped):
                break
            edges = np.flatnonzero(np.diff(np.concatenate(([1], dropped, [1])).astype(np.int8)))
            for first, last in edges.reshape(-1, 2).tolist():
                yield batch.within(first, last)
        if before != len(self.is_dropped) and self.ids is None:
            size = len(self.is_dropped)
            finding = f"expected {size:,} sentences, as in the gold standard, to leave some out, got {before:,}"
            raise InputError(source, None, finding, "remove --drop-leaked")


def open_sides(
    gold: Input,
    systems: Mapping[str, Input] | None,
    task: Task,
    read_as: Mapping[str, ReadSettings],
    vocabulary: Vocabulary,
    files: OpenFiles | None = None,
    dropped: DroppedSentences | None = None,
) -> Inputs:
    """Return functions that open each side. Without systems, one file holds both.

    `files` are the gold standard's, if they are already recognised. `dropped` sentences are left out on all sides.
    """
    if dropped is None:
        return _open_sides(gold, systems, task, read_as, vocabulary, files)
    sides = _open_sides(gold, systems, task, read_as, vocabulary, files)

    def opened(open_side: Callable[..., Stream]) -> Callable[..., Stream]:
        return lambda *arguments, **options: dropped.remaining(open_side(*arguments, **options))

    return replace(sides, gold=opened(sides.gold), systems={name: opened(side) for name, side in sides.systems.items()})


def _open_sides(
    gold: Input,
    systems: Mapping[str, Input] | None,
    task: Task,
    read_as: Mapping[str, ReadSettings],
    vocabulary: Vocabulary,
    files: OpenFiles | None,
) -> Inputs:
    if systems is None:
        if not task.input.single_file:
            raise SettingError(f"Gold and prediction of {task.name} are in two files; add the system's file.")
        first, second = _two_columns(gold, read_as, vocabulary, files)
        return Inputs(lambda: first, {name_of(gold): lambda reference=None: second}, ("gold", "system"))
    opened = {name: _Opened(name, side, system_settings(read_as, name), vocabulary) for name, side in systems.items()}
    opened_gold = _Opened(name_of(gold), gold, read_as["gold"], vocabulary, files)
    for side in systems.values():
        if isinstance(gold, Annotation) and isinstance(side, Annotation):
            _check_masks(gold, side)
    for name, side in systems.items() if not task.input.matches_documents else ():
        if not isinstance(gold, Annotation | WrappedObject) and not isinstance(side, Annotation | WrappedObject):
            _check_same_names(gold, side, opened_gold, opened[name])
    return Inputs(opened_gold, opened)


def _check_masks(gold: Annotation, system: Annotation) -> None:
    """Raise an error if gold standard and system leave out ids at different positions."""
    gold_mask, system_mask = gold.corpus.mask, system.corpus.mask
    row = None if gold_mask is None or system_mask is None else gold_mask.first_difference(system_mask)
    if row is not None:
        finding = f"sentence {row + 1} leaves out other positions than the gold standard (ids to ignore, such as -100)"
        remedy = "mask both sides alike: predictions[labels == -100] = -100"
        raise InputError(system.name, None, finding, remedy)


def _check_same_names(gold: File, system: File, opened_gold: _Opened, opened: _Opened) -> None:
    """Raise an error if two folders have different files, unless documents are matched by name.

    The names come from the format or, if each file is one text, from the files. A system may then lack files, like an
    annotator who did not see all texts, but may not have files that the gold standard lacks.
    """
    check_single_file(path_of(gold), path_of(system))
    try:
        check_same_names(path_of(gold), path_of(system))
    except InputError:  # checked only now because recognising the format opens a file
        if opened.matches_documents:
            return
        gold_names, system_names = set(opened_gold.names), set(opened.names)
        if not system_names or system_names - gold_names:
            raise
        opened_gold.by_file = opened.by_file = True


class _Opened:
    """Opens one side as often as requested; its files are recognised once."""

    def __init__(
        self, name: str, side: Input, settings: ReadSettings, vocabulary: Vocabulary, files: OpenFiles | None = None
    ) -> None:
        self._name, self._side, self._settings, self._vocabulary = name, side, settings, vocabulary
        if files is None and not isinstance(side, Annotation):
            files = open_files(side, settings)
        self._files = files
        self.by_file = False
        """Whether its texts are matched with another side's by file name."""

    @property
    def names(self) -> list[str]:
        """The names of its files in their folder, if each file is one text."""
        if self._files is None or not self._files.first.format.contents.is_one_text or isinstance(self._side, FileList):
            return []
        assert not isinstance(self._side, Annotation | WrappedObject)
        return names_in(to_path(self._side), self._files.paths)

    @property
    def matches_documents(self) -> bool:
        """Whether documents are matched with the gold standard's, so file names may differ."""
        return self._files is not None and self._files.first.format.contents.matches_documents

    def __call__(self, reference: str | None = None) -> Stream:
        """Return the batches; `reference` is the encoding of the gold standard."""
        if isinstance(self._side, Annotation):
            return iter([repaired(self._side, self._settings.repair, reference)])
        assert self._files is not None
        stream = notify_observers(
            self._name, self._files.read_as(self._settings.judged_by(reference)).batches(self._vocabulary)
        )
        return map(_identified_by, stream, self.names) if self.by_file else stream


def _identified_by(batch: Annotation, name: str) -> Annotation:
    return replace(batch, corpus=replace(batch.corpus, ids=Tokens.of([name] * batch.corpus.sentences)))


def batches_of(side: Input, settings: ReadSettings, vocabulary: Vocabulary) -> Stream:
    """The batches of an input that is neither gold standard nor system, such as training data."""
    return _Opened(name_of(side), side, settings, vocabulary)()


def content_of(gold: Input, format: str | None, task: str | None, columns: tuple[ColumnName, ...] = ()) -> GoldProfile:
    """Return the named task, or the one that the gold standard's format or layers show, and its traits."""
    if isinstance(gold, Annotation):
        # Tasks that it was read for come first. Tags come last: they are recognised by the lack of other layers.
        order = {name: number for number, name in enumerate(gold.readings)}
        tasks = sorted(TASKS.values(), key=lambda each: (order.get(each.name, len(order)), each.input.detects_any))
        task = task or next(each.name for each in tasks if each.input.detects(gold))
        traits, name = TASKS[task].input.traits(gold), gold.reading.format
        return GoldProfile(task, traits | FORMATS[name].contents.traits if name in FORMATS else traits)
    files = open_files(gold, ReadSettings(format, columns, task=task, side="gold"))
    return GoldProfile(files.first.task, files.first.traits, files)


def path_of(side: File) -> AnyPath | FileList:
    """The path of a side's file, or its list of files."""
    return side if isinstance(side, FileList | Path) else to_path(side)


def paths_of(sides: Iterable[Input]) -> list[AnyPath | FileList]:
    """The paths of all sides that are not in memory."""
    files = (side for side in sides if not isinstance(side, Annotation | WrappedObject))
    return list(map(path_of, files))


def is_same_file(one: Input, other: Input) -> bool:
    """Whether two sides are one file or folder; objects in memory and lists of files never are."""
    in_memory = (Annotation, WrappedObject, FileList)
    if isinstance(one, in_memory) or isinstance(other, in_memory):
        return False
    return os.path.realpath(os.fspath(one)) == os.path.realpath(os.fspath(other))


def open_files(side: File | WrappedObject, settings: ReadSettings) -> OpenFiles:
    """The files of a side; their formats are recognised lazily."""
    return OpenFiles(side if isinstance(side, WrappedObject) else path_of(side), settings)


def _is_known(side: object) -> bool:
    return isinstance(side, str | PathLike | FileList | Annotation | WrappedObject)


def is_single_system(systems: Any) -> bool:
    """Whether this is one system rather than a sequence or mapping of them."""
    return _is_known(systems) or wrap_object(systems) is not None


def systems_by_name(systems: Systems) -> dict[str, Input] | None:
    """The systems under the names of a mapping, or of their files or annotations."""
    if systems is None:
        return None
    if wrapping_call(systems):
        side_of(systems)
    # A result is a mapping, too, but its measures are not systems.
    is_result = type(systems).__module__.partition(".")[0] == __name__.partition(".")[0]
    is_single = is_single_system(systems) or is_result
    if isinstance(systems, Mapping) and not is_single:
        named = {name: side_of(side, name) for name, side in systems.items()}
    else:
        sides = list(systems) if isinstance(systems, Iterable) and not is_single else [systems]
        sides = [submission for side in sides for submission in _submissions(side)]
        if isinstance(systems, Iterator) and wrap_object(sides) is not None:  # one system, and it can be read once
            raise SettingError(f"{quote(systems)} yields its parts one by one; make a list of them: list(…).")
        named = _named_in_list(sides)
    if not named:
        raise SettingError("Nothing to score: give at least one system.")
    wrong = [name for name in named if not isinstance(name, str) or not name.strip()]
    if wrong:  # elsewhere the empty name denotes the gold standard
        raise SettingError(f"The name of a system is {quote(wrong[0])}; expected a non-empty string.")
    return named


def _submissions(side: Any) -> list[Any]:
    """The submissions of a folder that has only folders and archives; any other side is one submission."""
    return (submissions_in(to_path(side)) if isinstance(side, str | PathLike) else None) or [side]


def _named_in_list(listed: Sequence[Any]) -> dict[str, Input]:
    """The systems of a list, in order. A system may have its name, as a mapping: [{"crf": "a.conll"}, "b.conll"]."""
    named = [next(iter(side)) if _is_named(side) else None for side in listed]
    sides = [side_of(side if name is None else side[name], name) for name, side in zip(named, listed, strict=True)]
    others = iter(unique_names([side for name, side in zip(named, sides, strict=True) if name is None]))
    names = [next(others) if name is None else name for name in named]
    repeated = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if repeated is not None:
        raise SettingError(f"Two systems have the name {quote(repeated)}; give each a different name.")
    return dict(zip(names, sides, strict=True))


def _is_named(side: Any) -> bool:
    """Whether this is one system under its name."""
    is_mapping = isinstance(side, Mapping) and len(side) == 1 and not is_single_system(side)
    return is_mapping and all(isinstance(name, str) and is_single_system(value) for name, value in side.items())


def side_of(value: Any, name: str | None = None) -> Input:
    """Check that a value can be read as a side, and wrap objects of other libraries; `name` is the user's name."""
    if _is_known(value):
        side: Input = to_path(value) if isinstance(value, str | PathLike) else value
        return side
    if (wrapped := wrap_object(value, name)) is None:
        remedy = wrapping_call(value) or "a path, or the result of eh.read, eh.tags or eh.spans"
        raise SettingError(f"{quote_briefly(value)} is neither a file nor an annotation; pass {remedy}.")
    return wrapped


def sides_of(gold: Any, systems: Any) -> tuple[Input, dict[str, Input] | None]:
    """The gold standard and the systems by name; None if one file holds both.

    An object that holds a gold standard and a prediction is its own system.
    """
    others, first = systems_by_name(systems), side_of(gold)
    if others is None and isinstance(first, WrappedObject) and first.is_pair:
        others = {first.name: first}
    return first, others


def name_of(side: Input) -> str:
    if isinstance(side, Annotation | FileList | WrappedObject):
        return side.name
    return file_name(side if isinstance(side, Path) else to_path(side))


def folder_of(side: Input) -> str | None:
    """The folder of a side with several files, which name documents."""
    if isinstance(side, Annotation | WrappedObject | FileList):
        return None
    path = to_path(side)
    return None if files_of(path) is None else str(path)


def unique_names(sides: Sequence[Input]) -> list[str]:
    """The names of listed sides: of files the part of the paths that differs, of other objects their own names.

    Objects with equal names get a number, and so does a file that is listed twice.
    """
    paths = [None if isinstance(side, Annotation | FileList | WrappedObject) else to_path(side) for side in sides]
    of_files = iter(distinct_names([path for path in paths if path is not None]))
    seen: Counter[str] = Counter()
    names = []
    for side, path in zip(sides, paths, strict=True):
        name = name_of(side) if path is None else next(of_files)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _two_columns(
    side: Input, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary, files: OpenFiles | None
) -> tuple[Stream, Stream]:
    """Gold and system columns of one file, which is read once."""
    if isinstance(side, Annotation):
        raise SettingError(
            "A single annotation cannot be scored; add a system, or use a file with two columns of tags."
        )
    columns = {name: settings.columns for name, settings in read_as.items()}
    settings = replace(read_as["gold"], system_encoding=read_as["system"].encoding)
    files = open_files(side, settings) if files is None else files.read_as(settings)
    batch, stream = peek(files.batches(vocabulary, columns))
    if batch is not None and "gold" not in batch.layers:
        format = next(iter(batch.readings.values())).format
        name = side.name if isinstance(side, FileList | WrappedObject) else to_path(side)
        raise SettingError(f"{name} ({format}) contains only one annotation; add the system's file.")
    first, second = tee(notify_observers(name_of(side), stream))
    return first, second


@dataclass(frozen=True)
class RunConfig:
    """All settings of a run."""

    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    """Read settings of `gold`, of `system`, and under `own_key` of each system with a separate format."""
    content: GoldProfile
    gold: Input | None = field(default=None, compare=False, repr=False)
    """The gold standard that `content` describes."""
    dropped: DroppedSentences | None = field(default=None, compare=False, repr=False)
    """Sentences that are left out."""

    @property
    def task(self) -> Task:
        return TASKS[self.settings.task]

    @property
    def models(self) -> list[Formula]:
        """The measures, with their settings."""
        measures = [model(self.settings.task, name) for name in self.settings.match]
        return [measure.prepare(self.settings) for measure in measures]


@dataclass(frozen=True)
class ScoredInputs:
    """The inputs of a score, from which its units can be read again."""

    gold: Input
    systems: Mapping[str, Input] | None
    """None if one file holds gold standard and prediction."""
    config: RunConfig
    stamps: Sequence[array[int]] = ()
    """Time of change and size of the files of each side, when it was scored."""

    @staticmethod
    def of(gold: Input, systems: Mapping[str, Input] | None, config: RunConfig) -> ScoredInputs:
        """Store the inputs with the time of change and the size of their files."""
        stamps = [_stamps(_files(side)) for side in (gold, *(systems or {}).values())]
        return ScoredInputs(gold, systems, config, stamps)

    @property
    def size(self) -> int:
        """The number of bytes of all local files; pipes and annotations count 0."""
        return sum(max(size, 0) for side in self.stamps for size in side[1::2])

    def check_unchanged(self) -> None:
        """Raise an error if a file has changed since it was scored, or can be read only once."""
        for side, before in zip((self.gold, *(self.systems or {}).values()), self.stamps, strict=True):
            files = _files(side)
            if 2 * len(files) != len(before):
                raise _changed(side)
            for path, *stamp in zip(files, before[0::2], before[1::2], strict=True):
                if tuple(stamp) == _UNREPEATABLE:
                    raise InputError(str(path), None, "can be read only once", "save it to a file, and score that")
                if tuple(stamp) not in (_UNKNOWN, _stamp(path)):
                    raise _changed(path)


def _changed(path: object) -> InputError:
    return InputError(str(path), None, "has changed since it was scored", "score the files again")


_UNREPEATABLE, _UNKNOWN = (-1, -1), (-2, -2)
"""The stamps of a pipe, and of something else that is not a local file."""


def _files(side: Input) -> Sequence[AnyPath]:
    """The files of a side; none of an annotation or an object."""
    if isinstance(side, Annotation | WrappedObject):
        return ()
    path = path_of(side)
    files = None if isinstance(path, Path) and path.is_file() else files_of(path)
    return (cast("AnyPath", path),) if files is None else files


def _stamps(files: Sequence[AnyPath]) -> array[int]:
    """The stamps of files, in an array because a folder may have many of them."""
    return array("q", chain.from_iterable(map(_stamp, files)))


def _stamp(path: AnyPath) -> tuple[int, int]:
    if not isinstance(path, Path):
        return _UNKNOWN
    try:
        status = path.stat()
    except (OSError, ValueError):
        return _UNKNOWN
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else _UNREPEATABLE


def known_options() -> set[str]:
    """The keywords of `score`: the common ones, and those that tasks and measures declare."""
    parameters = all_parameters().values()
    declared = {name for parameter in parameters for name in parameter.names}
    return {*COMMON, "groups", "jobs", "engine", "numbers", *declared}


def content_for(gold: Input, options: Mapping[str, Any], systems: Mapping[str, Input] | None = None) -> GoldProfile:
    """Check the options that affect reading, and return the profile of the gold standard.

    If its files have named layers, one layer is chosen for both sides.
    """
    task = options.get("task")
    check_choice("align", options.get("align"), get_args(Align), optional=True)
    format = options.get("format")
    for name in format.values() if isinstance(format, Mapping) else (format,):
        if name is not None:
            format_named(name)
    task = None if task is None else task_named(task)
    column = _named_layer(options)
    content = content_of(gold, by_side(format, "gold"), task, columns_of_side(column, "gold"))
    format_of_gold = _format_of(gold, content)
    contents = None if format_of_gold is None else format_of_gold.contents
    if contents is None or contents.choose is None:
        if options.get("layer") is not None:
            raise SettingError("layer chooses among the layers of spaCy's documents; use column for other formats.")
        return content
    chosen: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    if isinstance(gold, Annotation):
        chosen = {"column": column or {"system": gold.reading.column}}
    elif content.files is not None and (systems or column is not None):
        opened = _opened_systems(systems or {}, options, task)
        chosen, notes = contents.choose(content.files, opened, task, column, options.get("align"))
    task = chosen.get("task", content.task)
    return replace(content, task=task, options={**contents.defaults.get(task, {}), **chosen}, notes=notes)


def has_layers(gold: Input) -> bool:
    """Whether the files of the gold standard have named layers."""
    if isinstance(gold, Annotation):
        return False
    return open_files(gold, ReadSettings(side="gold")).first.format.contents.choose is not None


def layers_of(
    gold: Input, options: Mapping[str, Any], systems: Mapping[str, Input] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The layers that all sides have, if their files have named layers, and notes."""
    task = None if options.get("task") is None else task_named(options["task"])
    files = None if isinstance(gold, Annotation) else open_files(gold, ReadSettings(side="gold"))
    choose = None if files is None else files.first.format.contents.choose
    if files is None or choose is None or not systems:
        raise SettingError('layer="all" scores the layers of spaCy\'s documents; pass documents on both sides.')
    chosen, notes = choose(files, _opened_systems(systems, options, task), task, "all", None)
    return chosen["layers"], notes


def _opened_systems(
    systems: Mapping[str, Input], options: Mapping[str, Any], task: str | None
) -> dict[str, OpenFiles | Annotation]:
    return {
        name: side if isinstance(side, Annotation) else open_files(side, _side_settings(options, name, task))
        for name, side in systems.items()
    }


def _named_layer(options: Mapping[str, Any]) -> ColumnChoice:
    """The layer or column that the user names."""
    layer, column = options.get("layer"), options.get("column")
    if layer is not None and column is not None:
        raise SettingError("layer and column specify the same thing; use only one.")
    if layer == "all":
        raise SettingError('layer="all" works only in score; specify one layer.')
    return column if layer is None else layer


def _format_of(gold: Input, content: GoldProfile) -> Format | None:
    """The format of a gold standard; None if it was not read from a file."""
    if isinstance(gold, Annotation):
        return FORMATS[gold.reading.format] if gold.readings and gold.reading.format in FORMATS else None
    return None if content.files is None else content.files.first.format


def _side_settings(options: Mapping[str, Any], name: str, task: str | None) -> ReadSettings:
    format = options.get("format")
    named = format.get(name, by_side(format, "system")) if isinstance(format, Mapping) else format
    return ReadSettings(named, task=task, side="system")


def prepare(
    gold: Input,
    systems: Mapping[str, Input] | None,
    options: Mapping[str, Any],
    content: GoldProfile | None = None,
) -> RunConfig:
    """Turn user options into the settings of a run; other settings have their defaults."""
    content = content or content_for(gold, options, systems)
    options = _with_defaults(options, content)
    task = TASKS[content.task]
    match, functions = options.get("match"), options.get(FUNCTIONS, {})
    check_functions(task.name, functions)
    chosen = parameter_values(parameters_of(task.name), options)
    has_training = options.get(TRAIN) is not None
    settings = ScoreSettings(
        match=_models(task, split_names(default_match(task, content, options) if match is None else match), options),
        task=task.name,
        labels=split_names(options.get("labels", ())),
        exclude=split_names(options.get("exclude", ())),
        maps=label_maps(options.get("map", ()), [*(systems or ()), *[TRAIN] * has_training]),
        align=options.get("align") or task.input.default_alignment(content),
        beta=options.get("beta", 1.0),
        parameters=chosen,
        functions=functions,
    )
    _check(task, settings, options)
    task.rules.resolve(chosen, content)
    task.rules.check(settings, content)
    names = {side: side for side in SIDES}
    names |= {own_key(name): name for name in _systems_with_format(options.get("format"), systems or {})}
    read_as = {key: _read_settings(side, options, content, chosen) for key, side in names.items()}
    if has_training:
        read_as[TRAIN] = replace(_read_settings(TRAIN, options, content, chosen), side=None, needs_scores=False)
    # A block of every system is in memory at once, so blocks are smaller, down to half the size.
    block_size = max(6 * ReadSettings().block_size // (5 + min(len(systems or ("system",)), 8)), 1)
    read_as = {key: replace(side, block_size=block_size) for key, side in read_as.items()}
    return RunConfig(settings, read_as, content, gold)


def _with_defaults(options: Mapping[str, Any], content: GoldProfile) -> Mapping[str, Any]:
    """The options of the user, with the layer that was chosen, and defaults of the gold standard's format."""
    if not content.options:
        return options
    options = {name: value for name, value in options.items() if value is not None and name != "layer"}
    layer = {"column": content.options["column"]} if "column" in content.options else {}
    return {**content.options, **options, **layer}


def default_match(task: Task, content: GoldProfile, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The default measures of `score`."""
    return tuple(name for name in task.selection.scored(content) if not task.selection.leaves_out(name, options))


def _systems_with_format(format: Choice, systems: Mapping[str, Input]) -> list[str]:
    names = [name for name in format if name not in (*SIDES, TRAIN)] if isinstance(format, Mapping) else []
    for name in names:
        if name not in systems:
            remedy = f"the sides are {' and '.join(SIDES)}, and the systems {', '.join(systems) or 'none'}"
            raise SettingError(unknown(f"format has no side {name!r}", name, [*SIDES, *systems], remedy))
    return names


def _models(task: Task, named: Sequence[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The named measures, and those that one of their parameters implies."""
    implied = [
        measure.name
        for measure in models_of(task.name)
        if any(
            parameter.effect.adds_measure and options.get(parameter.name) is not None
            for parameter in measure.parameters
        )
    ]
    return model_names(task.name, (*named, *implied), options.get(FUNCTIONS, ()))


def _check(task: Task, settings: ScoreSettings, options: Mapping[str, Any]) -> None:
    """Refuse settings that would change nothing."""
    declared = {parameter.name for parameter in parameters_of(task.name)}
    for parameter in all_parameters().values():
        if parameter.name not in declared:
            _refuse(parameter, task, options)
    if settings.align not in task.input.alignments:
        raise SettingError(
            f"align is {settings.align!r}; for {task.name}, choose {' or '.join(task.input.alignments)}."
        )
    others: dict[str, Any] = (
        {} if task.input.has_labels else {"labels": settings.labels, "exclude": settings.exclude, "map": settings.maps}
    )
    others |= {} if task.input.has_encoding else {"encoding": options.get("encoding")}
    for name, value in others.items():
        if value:
            raise SettingError(f"{name} has no effect on {task.name}; remove it.")


def _refuse(parameter: Parameter, task: Task, options: Mapping[str, Any]) -> None:
    """Refuse a parameter of another task, unless it has its default."""
    for name in parameter.names:
        if name in options and parameter.value(options[name]) != parameter.default:
            option, tasks = name.replace("_", "-"), " or ".join(tasks_with(parameter))
            raise SettingError(f"{option} has no effect on {task.name}; remove it, or choose the task {tasks}.")


def _read_settings(
    side: str, options: Mapping[str, Any], content: GoldProfile, chosen: Mapping[str, Any]
) -> ReadSettings:
    return ReadSettings(
        by_side(options.get("format"), side),
        columns_of_side(options.get("column"), side),
        encoding_named(by_side(options.get("encoding"), side)),
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
        needs_scores=side != "gold" and uses_confidences(chosen),
    )


def by_side(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    """The value of a choice for one side; for a system, its own value or, without one, that of all systems.

    A value of all sides is also that of training data.
    """
    if not isinstance(choice, Mapping):
        return choice
    if side == TRAIN and TRAIN not in choice:
        return choice.get("gold") if choice.get("gold") == choice.get("system") else None
    return choice.get(side, None if side == "gold" else choice.get("system"))
