"""The declaration of a format: how its files are recognised, read, partitioned and written, and what they contain.

Each format's module declares a `Format`, and `registry.py` lists its address. A package adds a format with an entry
point of the group `evenhand.formats`; it then works in every command.
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
    ReadMany = Callable[[Sequence[Source], ReadSettings, Vocabulary, Columns], Batches]
    ReadObject = Callable[[Any, Source, ReadSettings, Vocabulary, Columns], Batches]


@dataclass(frozen=True)
class Reader:
    """How a format is read for a task."""

    read: Read
    read_many: ReadMany | None = None
    """Reads several small files faster than one by one, with one annotation per file."""
    partitioning: Partitioning | None = None
    """How a large file is cut into parts; None: it is read as a whole."""


@dataclass(frozen=True)
class Detection:
    """How a file is recognised as one of the format."""

    first_bytes: bytes | None = None
    """Bytes that a file may begin with, after white space; None: any."""
    certain: Callable[[Source, str | None], bool] | None = None
    """Whether the path, or the files found there, identify the format. The second argument is the task, if set."""
    confidence: Callable[[Block], float] | None = None
    """How well the first lines fit, from 0 to 1: usually the share of lines that do."""
    fallback_for: tuple[str | None, ...] = ()
    """Tasks for which the format is used if none is recognised; None: if no task is set."""
    task_of: Callable[[Block], str | None] | None = None
    """The task that the first lines show, if it is not the format's first one."""


@dataclass(frozen=True)
class Contents:
    """What the files of a format contain."""

    is_table: bool = False
    """One token per line, so other tasks may read a file as plain columns."""
    has_columns: bool = False
    """A user can choose among columns, or among named layers."""
    is_one_text: bool = False
    """A file is one text, so the files of two folders can be matched by name."""
    matches_documents: bool = False
    """Documents are matched with the other side's by name, so the files need not correspond."""
    traits: frozenset[str] = frozenset()
    """Properties of everything read from the format, such as `heads`; annotations in memory have them, too."""
    file_traits: Callable[[Source, ReadSettings], frozenset[str]] | None = None
    """Properties of one file if they vary: `universal` (the columns of Universal Dependencies), `pos` …"""
    annotators: Callable[[Source, str | None], tuple[str, list[str]] | None] | None = None
    """The field that names annotators and their names, for files with several annotators. The second argument is the
    field, if a user names one."""


@dataclass(frozen=True)
class Capabilities:
    """What a format can represent. `convert` reports everything else as a loss."""

    characters: bool = True
    """Spans may begin and end inside tokens."""
    tokens: bool = True
    """The tokens are kept, not only the text that they make."""
    text: bool = True
    documents: Literal["kept", "sentence", "none"] = "kept"
    """Documents are kept, every sentence becomes a document, or the file has none."""
    levels: bool = True
    depth: int | None = None
    """Number of levels of flat spans; None: spans may nest and cross."""
    stacks: bool = False
    """Tags can be stacked, which removes the limit `depth`."""
    gaps: bool = True
    tags: bool = False
    """Spans are written as tags, in an encoding."""
    columns: bool = True
    """All columns of a word are kept, not only its form and tags."""
    comments: bool = True
    """Comments, multi-word tokens and empty nodes are kept."""


@dataclass(frozen=True)
class Writer:
    """How a format is written for a task: as text, as a folder of files, or into a file by a library."""

    capabilities: Capabilities = field(default_factory=Capabilities)
    text: Callable[[Batches, Conversion], Iterator[str]] | None = None
    folder: Callable[[Batches, Conversion], Iterator[tuple[str, str]]] | None = None
    """Yields names and contents of files."""
    file: Callable[[Path, Callable[[], Batches], Conversion], None] | None = None
    """Takes a path and a function that returns the batches, which may be called several times."""


@dataclass(frozen=True)
class ObjectSupport:
    """Objects of another package that are accepted in place of a file.

    Types are written `package.Type` ("spacy.Doc"), regardless of the module of the package that defines them.
    """

    name: str
    """Name of such an object in results and messages, unless a user names it."""
    types: tuple[str, ...]
    read: ReadObject
    """Like `Reader.read`; the source is for messages."""
    members: tuple[str, ...] = ()
    """Types of which a list is accepted, too."""
    pairs: tuple[str, ...] = ()
    """Types that hold a gold standard and a prediction."""


@dataclass(frozen=True)
class Format:
    """A format, declared once."""

    name: str
    summary: str
    readers: Mapping[str, Reader]
    """Readers by task; the first task is the default."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    suffixes: tuple[str, ...] = ()
    """Suffixes of file names that `convert` writes in this format."""
    detection: Detection = field(default_factory=Detection)
    contents: Contents = field(default_factory=Contents)
    objects: ObjectSupport | None = None

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.readers)


def by_batch(write: Callable[[Annotation], Iterator[str]]) -> Callable[[Batches, Conversion], Iterator[str]]:
    """Return a text writer made from a function that writes one batch."""

    def text(batches: Batches, conversion: Conversion) -> Iterator[str]:
        return (line for batch in batches for line in write(batch))

    return text
