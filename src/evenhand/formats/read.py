"""Reading: files that are recognised once and read as batches, or whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from os import PathLike
from typing import Any

from evenhand.arguments import checked_arguments
from evenhand.dataclass import dataclass
from evenhand.formats.addresses import Place, place
from evenhand.formats.adoption import Adopted
from evenhand.formats.folders import FileList, files_of, folder_name
from evenhand.formats.format import Format
from evenhand.formats.recognition import recognise, serving_format
from evenhand.formats.registry import FORMATS, format_named
from evenhand.formats.source import Source
from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.settings import (
    ColumnName,
    Columns,
    PickedAnnotator,
    ReadSettings,
    Repair,
    Task,
    choose,
    column_names,
)
from evenhand.text.annotation import LISTS, Annotation
from evenhand.text.characters import peeked
from evenhand.text.labels import Vocabulary

_TOGETHER, _BYTES = 256, 1 << 20
"""How many files are opened at a time, at most, and from how many bytes on no further one is."""


def _read_parameters() -> dict[str, Parameter]:
    """What tasks declare and readers look at, by name."""
    from evenhand.tasks.registry import all_parameters  # tasks stand on formats, but users set both at once

    return {name: each for name, each in all_parameters().items() if each.reads}


@checked_arguments(_read_parameters)
def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    column: ColumnName | Sequence[ColumnName] | None = None,
    encoding: str | None = None,
    repair: Repair | None = None,
    offsets: str | None = None,
    functions: bool = False,
    task: Task | None = None,
    annotator: str | None = None,
    **parameters: Any,
) -> Annotation:
    """Read a file into an annotation: the text and its layers.

    `format` ("conll", "spans", …) and `encoding` ("iob2", "bioes", …) are recognised from the content unless they are
    given. `column` is the column of tags in a column file: its number (1 is the first, -1 the last), its
    name in the header, or several of these as levels of nesting. `repair` decides about ill-formed tags: "begin" a span
    as conlleval does (the default), "discard" it, or raise an "error"; without it, the `repair` of `score` applies.
    `offsets` states how texts are counted: "codepoints", "utf16" units or "bytes", and "1-based" or "inclusive" after a
    comma; without it, quotes in JSON show it, else they are code points from 0 with exclusive ends. `functions` states
    whether the labels of bracketed trees keep theirs (NP-SBJ). `task` ("tags", "trees", "spans") says what a file is
    read for, if its content does not show it: columns of tags that spell no spans, or trees in columns that `column`
    names ("form=2,head=7,deprel=8"). `annotator`, such as "annotator=ana", picks one of several annotators of a file by
    a field of its records. Tasks have further keywords, such as `sentences="lines"` of relations in brat's files.
    """
    for name, value in (("format", format), ("column", column), ("encoding", encoding), ("offsets", offsets)):
        if isinstance(value, Mapping):
            raise SettingError(f"A file that is read alone has no sides; give its {name}.")
    choose("task", task, sorted({name for each in FORMATS.values() for name in each.tasks}), optional=True)
    if format is not None:
        format_named(format)
    settings = ReadSettings(
        format, column_names(column), encoding, "begin" if repair is None else repair, offsets, functions, task=task
    )
    settings = replace(settings, annotator=PickedAnnotator.of(annotator))
    if parameters:
        declared = _read_parameters()
        values = {name: declared[name].value(given) for name, given in parameters.items()}
        settings = replace(settings, parameters=values)
    found = Annotation.concatenate(list(batches(place(path), settings, Vocabulary())))
    readings = {name: replace(each, repair=repair) for name, each in found.readings.items()}
    return found if repair is None else replace(found, readings=readings)


@dataclass(frozen=True)
class OpenFile:
    """A file whose format is known."""

    source: Source
    settings: ReadSettings
    format: Format
    confidence: float
    """Which share of its first lines fits the format."""
    value: Any = None
    """The object of another package that is read instead of a file, if it is one."""

    @cached_property
    def task(self) -> str:
        """What the file is read for: the task that is named, that its first lines show, or the format's default."""
        if self.settings.task is not None or self.value is not None or self.format.shows is None:
            return self.settings.task or self.format.tasks[0]
        with self.source.located():
            return self.format.shows(self.source.sample(1 << 12)) or self.format.tasks[0]

    @cached_property
    def traits(self) -> frozenset[str]:
        """What the file has beyond its task."""
        with self.source.located():
            return self.format.traits(self.source, self.settings)

    def read_as(self, settings: ReadSettings) -> OpenFile:
        """The same file, read with other settings for the same format and task."""
        return replace(self, settings=settings)

    def batches(
        self, vocabulary: Vocabulary, columns: Columns | None = None, read: Iterator[Annotation] | None = None
    ) -> Iterator[Annotation]:
        """The file in batches of whole sentences, one at least; `columns` names the columns of each layer of spans.

        The next batch of `read` is the file, where it is read together with others.
        """
        first, stream = peeked(self._batches(vocabulary, columns, read))
        if first is None:
            finding = "the file has no sentences"
            raise self.source.error(None, finding, "check how it was written, or name its --format")
        return stream

    def _batches(
        self, vocabulary: Vocabulary, columns: Columns | None, together: Iterator[Annotation] | None
    ) -> Iterator[Annotation]:
        settings, source = self.settings, self.source
        if settings.columns and not self.format.has_columns:
            finding = f"--column is given, but this file is read as {self.format.name}, which has no columns"
            raise source.error(None, finding, "leave --column out for it, or name its --format")
        if settings.annotator is not None and self.format.annotators is None:
            finding = f"--annotator is given, but this file is read as {self.format.name}, which names no annotators"
            raise source.error(None, finding, "leave --annotator out for it, or name a side: gold:FIELD=NAME")
        wanted = {"spans": settings.columns} if columns is None else columns
        adoption = self.format.adopts
        own = self.format.reads.get(self.task, self.format.read)
        read = own if self.value is None or adoption is None else partial(adoption.read, self.value)
        with source.located():
            for batch in read(source, settings, vocabulary, wanted) if together is None else islice(together, 1):
                if any(each.format == LISTS for each in batch.readings.values()):  # a reader that makes lists of lines
                    readings = {name: replace(each, format=self.format.name) for name, each in batch.readings.items()}
                    batch = replace(batch, readings=readings)
                if settings.annotator is not None:
                    name = settings.annotator.name
                    batch = replace(
                        batch, readings={key: replace(each, annotator=name) for key, each in batch.readings.items()}
                    )
                yield batch if self.confidence == 1 else batch.recognised(self.confidence)


def open_file(source: Source, settings: ReadSettings) -> OpenFile:
    """Recognise a file."""
    return OpenFile(source, settings, *recognise(source, settings.format, settings.task))


def open_object(found: Adopted, settings: ReadSettings) -> OpenFile:
    """An object that a format adopts, as a file of this format."""
    source, own = found.source, found.format
    if settings.format not in (None, own.name):
        remedy = "leave the format out for this side"
        raise source.error(None, f"is read as {own.name}, not as {settings.format}", remedy)
    return OpenFile(source, settings, serving_format(source, own, settings.task), 1.0, found.value)


class OpenFiles:
    """A file, or the files of a folder, pattern or list, which follow each other as one text; or an adopted object.

    Each is recognised once, when it is first asked about or read, however often it is read.
    """

    def __init__(self, where: Place | FileList | Adopted, settings: ReadSettings) -> None:
        files = None if isinstance(where, Adopted) else files_of(where)
        self.name = None if files is None or isinstance(where, Adopted) else folder_name(where) or ""
        """What several files are called together; None for a single one."""
        self._object = where if isinstance(where, Adopted) else None
        if isinstance(where, Adopted):
            self.sources = [where.source]
        elif isinstance(where, FileList):
            self.sources = list(where.sources())
        else:
            self.sources = [Source(where)] if files is None else list(map(Source, files))
        self._settings = settings
        self._opened: dict[int, OpenFile] = {}

    @property
    def first(self) -> OpenFile:
        return self._file(0)

    def _file(self, number: int) -> OpenFile:
        if number not in self._opened:
            found, source = self._object, self.sources[number]
            opened = open_file(source, self._settings) if found is None else open_object(found, self._settings)
            self._opened[number] = opened
        return self._opened[number]

    def read_as(self, settings: ReadSettings) -> OpenFiles:
        """The same files, read with other settings for the same format and task."""
        found = copy(self)
        found._settings = settings
        found._opened = {number: each.read_as(settings) for number, each in self._opened.items()}
        return found

    def batches(self, vocabulary: Vocabulary, columns: Columns | None = None) -> Iterator[Annotation]:
        """The files in batches of whole sentences; `columns` names the columns of each layer of spans."""
        if self.name is None:
            return self.first.batches(vocabulary, columns)
        return (
            Annotation(batch.corpus, batch.layers, batch.readings, self.name)
            for files in self._groups()
            for batch in _together(files, vocabulary, columns)
        )

    def _groups(self) -> Iterator[list[OpenFile]]:
        """The files, as many together as are read together at most."""
        most = 1 if self.first.format.read_together is None else _TOGETHER
        group, size = list[OpenFile](), 0
        for number in range(len(self.sources)):
            group.append(self._file(number))
            size += self.sources[number].size
            if len(group) == most or size > _BYTES:
                yield group
                group, size = [], 0
        if group:
            yield group


def _together(files: list[OpenFile], vocabulary: Vocabulary, columns: Columns | None) -> Iterator[Annotation]:
    """The batches of some files, which are read together if they have one format that can do that."""
    together, read = files[0].format.read_together, None
    if together is not None and all(file.format is files[0].format for file in files):
        read = together([file.source for file in files], files[0].settings, vocabulary, columns or {})
    for file in files:
        yield from file.batches(vocabulary, columns, read)
        file.source.forget()


def batches(
    path: Place | FileList, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """The file or files in batches of whole sentences."""
    return OpenFiles(path, settings).batches(vocabulary, columns)


def file_batches(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """One file in batches; one at least, or an error."""
    return open_file(source, settings).batches(vocabulary, columns)
