"""What is scored: files or annotations, by name, as streams of batches with the same atoms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import tee
from os import PathLike
from typing import Any

from evenhand.arguments import briefly, shown
from evenhand.formats.addresses import Place, place
from evenhand.formats.adoption import Adopted, adopted
from evenhand.formats.folders import FileList, check_same_names, files_of, names_in
from evenhand.formats.read import OpenFiles
from evenhand.formats.registry import FORMATS
from evenhand.formats.source import Source
from evenhand.formats.watching import told
from evenhand.pipeline.raw_data import remedy_for, wrapping
from evenhand.problems import InputError, SettingError
from evenhand.settings import ColumnName, ReadSettings, system_settings
from evenhand.tasks.passage import Sides
from evenhand.tasks.registry import TASKS
from evenhand.tasks.task import Content, Task
from evenhand.text.annotation import Annotation
from evenhand.text.characters import peeked
from evenhand.text.labels import Vocabulary
from evenhand.text.lists import repaired
from evenhand.text.tokens import Tokens

File = str | PathLike[str] | FileList
Input = File | Annotation | Adopted
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
) -> Sides:
    """What opens each side; without systems, one file holds both. `files` are the gold standard's, if recognised."""
    if systems is None:
        if not task.is_one_file:
            raise SettingError(f"Gold and prediction of {task.name} stand in two files; name the system's file, too.")
        first, second = _two_columns(gold, read_as, vocabulary, files)
        return Sides(lambda: first, {name_of(gold): lambda reference=None: second}, ("gold", "system"))
    opened = {name: _Opened(name, side, system_settings(read_as, name), vocabulary) for name, side in systems.items()}
    opened_gold = _Opened(name_of(gold), gold, read_as["gold"], vocabulary, files)
    for side in systems.values():
        if isinstance(gold, Annotation) and isinstance(side, Annotation):
            _check_masks(gold, side)
    for name, side in systems.items() if not task.matches_documents else ():
        if not isinstance(gold, Annotation | Adopted) and not isinstance(side, Annotation | Adopted):
            _check_same_names(gold, side, opened_gold, opened[name])
    return Sides(opened_gold, opened)


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
        if self._files is None or not self._files.first.format.is_one_text or isinstance(self._side, FileList):
            return []
        assert not isinstance(self._side, Annotation | Adopted)
        where = place(self._side)
        return names_in(where, [source.path for source in self._files.sources])

    @property
    def matches_documents(self) -> bool:
        """Whether its documents are matched with the gold standard's, so that files need not be the same ones."""
        return self._files is not None and self._files.first.format.matches_documents

    def __call__(self, reference: str | None = None) -> Stream:
        """The batches; `reference` is the encoding of a system's gold standard."""
        if isinstance(self._side, Annotation):
            return iter([repaired(self._side, self._settings.repair, reference)])
        assert self._files is not None
        stream = told(self._name, self._files.read_as(self._settings.judged_by(reference)).batches(self._vocabulary))
        return map(_with_id, stream, self.names) if self.by_file else stream


def _with_id(batch: Annotation, name: str) -> Annotation:
    """A text that is identified by the name of its file."""
    return replace(batch, corpus=replace(batch.corpus, ids=Tokens.of([name] * batch.corpus.sentences)))


def content_of(gold: Input, format: str | None, task: str | None, columns: tuple[ColumnName, ...] = ()) -> Content:
    """The task that is named or that the gold standard shows, and its traits; its format tells, or its layers."""
    if isinstance(gold, Annotation):
        shown = next(each.name for each in _by_layers(gold) if each.shows(gold))
        traits = TASKS[task or shown].traits(gold)
        name = gold.reading.format
        return Content(task or shown, traits | FORMATS[name].own_traits if name in FORMATS else traits)
    files = opened(gold, ReadSettings(format, columns, task=task))
    return Content(files.first.task, files.first.traits, files)


def _by_layers(annotation: Annotation) -> list[Task]:
    """The tasks, those that it was read for first, tags last: they can be told by having no other layer."""
    places = {name: place for place, name in enumerate(annotation.readings)}
    return sorted(TASKS.values(), key=lambda task: (places.get(task.name, len(places)), task.shows_any))


def place_of(side: File) -> Place | FileList:
    """Where the file or files of a side are."""
    return side if isinstance(side, FileList) else place(side)


def is_same_file(one: Input, other: Input) -> bool:
    """Whether two sides are one file or folder; what is in memory is not, nor is a list of files."""
    in_memory = (Annotation, Adopted, FileList)
    if isinstance(one, in_memory) or isinstance(other, in_memory):
        return False
    paths = [os.fspath(each) for each in (one, other)]
    return os.path.realpath(paths[0]) == os.path.realpath(paths[1])


def opened(side: File | Adopted, settings: ReadSettings) -> OpenFiles:
    """What a side has to read, whose formats are recognised when somebody asks."""
    return OpenFiles(side if isinstance(side, Adopted) else place_of(side), settings)


def _is_known(side: object) -> bool:
    return isinstance(side, str | PathLike | FileList | Annotation | Adopted)


def is_one(systems: Any) -> bool:
    """Whether this is a single system, and no sequence or mapping of them."""
    return _is_known(systems) or adopted(systems) is not None


def _is_own(value: object) -> bool:
    """Whether this is an object of Evenhand, such as a result."""
    return type(value).__module__.partition(".")[0] == __name__.partition(".")[0]


def named(systems: Systems) -> dict[str, Input] | None:
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
            raise SettingError(f"{shown(systems)} gives its parts one by one; make a list of them: list(…).")
        listed = list(map(side_of, many))
        found = dict(zip(unique_names(listed), listed, strict=True))
    if not found:
        raise SettingError("There is no system to score; give one at least.")
    wrong = [name for name in found if not isinstance(name, str) or not name.strip()]
    if wrong:  # elsewhere the empty name stands for the gold standard
        raise SettingError(f"The name of a system is {shown(wrong[0])}; give a text that can be read.")
    return found


def side_of(given: Any, name: str | None = None) -> Input:
    """The side that is given, if it is something that can be read; `name` is what a user calls it."""
    if _is_known(given):
        side: Input = given
        return side
    if (found := adopted(given, name)) is None:
        finding = f"{briefly(given)} is neither a file nor an annotation"
        raise SettingError(f"{finding}; {remedy_for(given)}.")
    return found


def sides_of(gold: Any, systems: Any) -> tuple[Input, dict[str, Input] | None]:
    """The gold standard and the systems by name; None where one file holds both.

    An object that holds a gold standard and a prediction is its own system.
    """
    others, first = named(systems), side_of(gold)
    if others is None and isinstance(first, Adopted) and first.is_pair:
        others = {first.name: first}
    return first, others


def name_of(side: Input) -> str:
    if isinstance(side, Annotation | FileList | Adopted):
        return side.name
    where = place(side)
    return where.name if where.is_dir() else Source(where).name


def folder_of(side: Input) -> str | None:
    """The folder of a side with several files, whose names are those of documents."""
    if isinstance(side, Annotation | Adopted | FileList):
        return None
    where = place(side)
    return None if files_of(where) is None else str(where)


def unique_names(sides: Sequence[Input]) -> list[str]:
    """Names of files without their last extension; with the folder where two are equal, and a number if need be."""
    names = [name_of(side) for side in sides]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    for i, side in enumerate(sides):
        if names[i] in repeated and not isinstance(side, Annotation | FileList | Adopted):
            names[i] = os.path.join(place(side).absolute().parent.name, names[i])
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
        shown = side.name if isinstance(side, FileList | Adopted) else place(side)
        raise SettingError(f"{shown} ({kind}) holds one annotation only; give a system beside it.")
    first, second = tee(told(name_of(side), stream))
    return first, second
