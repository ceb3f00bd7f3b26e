"""Reading: a file as batches, or whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike

from evenhand.arguments import checked_arguments
from evenhand.formats.addresses import Place, place
from evenhand.formats.folders import FileList, files_of, folder_name
from evenhand.formats.registry import batches_of
from evenhand.formats.source import Source
from evenhand.problems import SettingError
from evenhand.settings import ColumnName, Columns, Offsets, ReadSettings, Repair, Task, column_names
from evenhand.text.annotation import Annotation
from evenhand.text.characters import peeked
from evenhand.text.labels import Vocabulary


@checked_arguments()
def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    column: ColumnName | Sequence[ColumnName] | None = None,
    encoding: str | None = None,
    repair: Repair = "begin",
    offsets: Offsets = "codepoints",
    functions: bool = False,
    task: Task | None = None,
) -> Annotation:
    """Read a file into an annotation: the text and its layers.

    `format` ("conll", "spans", …) and `encoding` ("iob2", "bioes", …) are recognised from the content unless they are
    given. `column` is the column of tags in a column file: its number (1 is the first, -1, the default, the last), its
    name in the header, or several of these as levels of nesting. `repair` says what becomes of ill-formed tags: "begin"
    a span as conlleval does, "discard" it, or raise an "error". `offsets` says whether files that count characters
    count code points or "utf16" units; `functions` whether the labels of bracketed trees keep theirs (NP-SBJ). `task`
    ("tags", "trees", "spans") says what a file is read for, where its content does not: columns of tags that spell no
    spans, or trees in columns that `column` names ("form=2,head=7,deprel=8").
    """
    for name, value in (("format", format), ("column", column), ("encoding", encoding)):
        if isinstance(value, Mapping):
            raise SettingError(f"A file that is read alone has no sides; give its {name}.")
    settings = ReadSettings(format, column_names(column), encoding, repair, offsets, functions, task=task)
    return Annotation.concatenate(list(batches(place(path), settings, Vocabulary())))


def batches(
    path: Place | FileList, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """The file in batches of whole sentences; `columns` names the columns of each layer of spans.

    The files of a folder, pattern or list follow each other as one text, in which each begins a document.
    """
    wanted = {"spans": settings.columns} if columns is None else columns
    files = files_of(path)
    if files is None:
        assert not isinstance(path, FileList)
        return file_batches(Source(path), settings, vocabulary, wanted)
    name = folder_name(path) or ""
    sources = path.sources() if isinstance(path, FileList) else map(Source, files)
    return (
        replace(batch, name=name) for source in sources for batch in file_batches(source, settings, vocabulary, wanted)
    )


def file_batches(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """One file in batches; one at least, or an error."""
    first, stream = peeked(_located(source, partial(batches_of, source, settings, vocabulary, columns)))
    if first is None:
        raise source.error(None, "the file has no sentences", "check how it was written, or name its --format")
    if settings.task is not None and not _serves(first, settings.task):
        finding = f"is read as {next(iter(first.readings.values())).format}, which has no {settings.task}"
        raise source.error(None, finding, "leave out the task, or name another format")
    return stream


def _located(source: Source, batches: Callable[[], Iterator[Annotation]]) -> Iterator[Annotation]:
    """The batches; what is above a limit is told with the file that it is in."""
    with source.located():
        yield from batches()


def _serves(annotation: Annotation, task: Task) -> bool:
    """Whether an annotation is of the kind that a task takes."""
    if task == "chains" or annotation.is_of_chains:
        return task == "chains" and annotation.is_of_chains
    return annotation.is_of_words if task in ("tags", "trees") else not annotation.is_of_words
