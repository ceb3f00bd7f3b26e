"""Reading: a file as batches, or whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path

from evenhand.formats import registry
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings, Repair
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    column: int | None = None,
    encoding: str | None = None,
    repair: Repair = "begin",
) -> Annotation:
    """Read a file into an annotation: the text and its layers.

    `format` ("conll" or "spans") and `encoding` ("iob2", "bioes", …) are recognised from the content unless they are
    given. `column` is the column of tags in a column file: 1 is the first, -1 (the default) the last. `repair` says
    what becomes of ill-formed tags: "begin" a span as conlleval does, "discard" it, or raise an "error".
    """
    settings = ReadSettings(format=format, column=column, encoding=encoding, repair=repair)
    return Annotation.concatenate(list(batches(Path(path), settings, Vocabulary())))


def batches(
    path: Path, settings: ReadSettings, vocabulary: Vocabulary, columns: Mapping[str, int] | None = None
) -> Iterator[Annotation]:
    """The file in batches of whole sentences; `columns` names the column of each layer of spans."""
    source = Source(path)
    if columns is None:
        columns = {"spans": -1 if settings.column is None else settings.column}
    return registry.find(source, settings.format).batches(source, settings, vocabulary, columns)
