"""The record of a format: how to recognise, read and write its files, what they can carry, how they are divided.

Each format's module holds one record, `FORMAT`, and the registry one line. A package adds a format with an entry point
of the group `evenhand.formats`; it then works in every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from evenhand.dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.data.annotation import Annotation
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.formats.convert import Conversion
    from evenhand.formats.partition import Partitioning
    from evenhand.formats.source import Block, Source
    from evenhand.settings import Columns, ReadSettings

    Batches = Iterator[Annotation]
    Read = Callable[[Source, ReadSettings, Vocabulary, Columns], Batches]
    ReadTogether = Callable[[Sequence[Source], ReadSettings, Vocabulary, Columns], Batches]
    ReadObject = Callable[[Any, Source, ReadSettings, Vocabulary, Columns], Batches]


@dataclass(frozen=True)
class Capabilities:
    """What a format has a place for. What it lacks is a loss, which `convert` reports."""

    characters: bool = True
    """Spans may begin and end inside tokens."""
    tokens: bool = True
    """The tokens are kept, not only the text that they make."""
    text: bool = True
    documents: Literal["kept", "sentence", "none"] = "kept"
    """Documents are kept; or every sentence becomes one; or the file has none."""
    levels: bool = True
    depth: int | None = None
    """How many levels of flat spans there are; None: spans may nest and cross."""
    stacks: bool = False
    """Tags can be stacked, which lifts the limit of `depth`."""
    gaps: bool = True
    tags: bool = False
    """Spans are written as tags, in an encoding."""
    columns: bool = True
    """All columns of words are kept, not only the form and the tags."""
    comments: bool = True
    """Comments, multi-word tokens and empty nodes are kept."""


@dataclass(frozen=True)
class Writer:
    """How a format is written for a task: as text, as a folder of files, or into a file by a library."""

    carry: Capabilities = field(default_factory=Capabilities)
    text: Callable[[Batches, Conversion], Iterator[str]] | None = None
    folder: Callable[[Batches, Conversion], Iterator[tuple[str, str]]] | None = None
    """Names and contents of files."""
    file: Callable[[Path, Callable[[], Batches], Conversion], None] | None = None
    """Takes a path, and a function that gives the batches from the first one on, as often as it is called."""


@dataclass(frozen=True)
class ObjectSupport:
    """Objects of another package that are taken wherever a file is.

    Types are written `package.Type` ("spacy.Doc"), whatever module of the package defines them.
    """

    name: str
    """What results and messages call such an object, unless a user names it."""
    types: tuple[str, ...]
    read: ReadObject
    """As that of a format; the source is for messages."""
    members: tuple[str, ...] = ()
    """The types of which also a list is one object."""
    pairs: tuple[str, ...] = ()
    """The types that hold a gold standard and a prediction."""


def by_batch(write: Callable[[Annotation], Iterator[str]]) -> Callable[[Batches, Conversion], Iterator[str]]:
    """The writer of a text, from a function that writes one batch."""

    def text(batches: Batches, conversion: Conversion) -> Iterator[str]:
        return (line for batch in batches for line in write(batch))

    return text


def _no_traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class Format:
    """A format, declared once."""

    name: str
    help: str
    """The format in one line."""
    tasks: tuple[str, ...]
    """What its files are for; the first task is the default."""
    read: Read
    reads: Mapping[str, Read] = field(default_factory=dict)
    """How it is read for tasks that need more of it, by task."""
    read_together: ReadTogether | None = None
    """How many small files are read in less time than one by one, with an annotation for each."""
    shows: Callable[[Block], str | None] | None = None
    """The task that the first lines of a file show, where that may be another than the first one."""
    writes: Mapping[str, Writer] = field(default_factory=dict)
    """How it is written, by task."""
    suffixes: tuple[str, ...] = ()
    """How names of files end that `convert` writes in it."""
    begins: bytes | None = None
    """The characters that a file may begin with, blanks aside; None: any."""
    certain: Callable[[Source, str | None], bool] | None = None
    """Whether the path of a file (or what stands there) shows the format beyond doubt, for a task or for any."""
    recognise: Callable[[Block], float] | None = None
    """How well the first lines of a file fit, from 0 to 1: mostly the share of lines that do."""
    fallback: tuple[str | None, ...] = ()
    """The tasks for which a file that no format is sure of is read in this one; None: where no task is named."""
    is_table: bool = False
    """Whether a file has a token a line, so that other tasks may read it as plain columns."""
    has_columns: bool = False
    """Whether a user can choose among its columns, or among layers with names."""
    division: Partitioning | None = None
    """How a large file is divided into parts; None: not at all."""
    divisions: Mapping[str, Partitioning] = field(default_factory=dict)
    """How it is divided for tasks that read it in another way, by task."""
    traits: Callable[[Source, ReadSettings], frozenset[str]] = _no_traits
    """What a file has beyond its task: `universal` (the columns of Universal Dependencies), `pos`, `heads` …"""
    own_traits: frozenset[str] = frozenset()
    """Those of all that is read from it, also of annotations in memory."""
    annotators: Callable[[Source, str | None], tuple[str, list[str]] | None] | None = None
    """The field that names annotators, if one is not named, and their names, where a file has several; None where no
    file of the format has."""
    matches_documents: bool = False
    """Whether its documents are matched with those of the other side, so that files need not be the same ones."""
    is_one_text: bool = False
    """Whether a file is one text, so that the files of two folders can be matched by their names."""
    adopts: ObjectSupport | None = None
    """The objects of another package that are read as its files are."""
