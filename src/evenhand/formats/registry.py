"""The formats that can be read. A new one is a module with `NAME`, `recognise` and `batches`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evenhand.formats import columns, germeval, span_table
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

Batches = Callable[[Source, ReadSettings, Vocabulary, Columns], Iterator[Annotation]]


@dataclass(frozen=True)
class Format:
    name: str
    recognise: Callable[[Block], bool]
    """Whether the first lines of a file look like this format."""
    batches: Batches
    """The file in batches of whole sentences."""


FORMATS = tuple(
    Format(module.NAME, module.recognise, module.batches)
    for module in (span_table, germeval, columns)  # the first that recognises a file reads it; columns take anything
)


def find(source: Source, name: str | None) -> Format:
    """The format with this name, or the one that the content shows."""
    if name is not None:
        return next(each for each in FORMATS if each.name == name)
    sample = source.sample(1 << 12)
    return next(each for each in FORMATS if each.recognise(sample))
