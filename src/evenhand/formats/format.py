"""The declaration of a format: how its files are recognised, read, partitioned and written, and what they contain.

Each format's module declares a `Format`, and `FORMATS` lists its address, in order of precedence: if two formats are
equally sure of a file, the first one is used. A package adds a format with an entry point of the group
`evenhand.formats`; it then works in every command. Objects of other libraries are recognised by their type, without
importing the library: a user who has such an object has loaded it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from re import Pattern
from typing import TYPE_CHECKING, Any, Literal, Protocol

from evenhand.dataclass import dataclass
from evenhand.parameters import check_choice
from evenhand.registry import Registry

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.formats.convert import Conversion
    from evenhand.formats.partition import Partitioning
    from evenhand.formats.source import Block, Source
    from evenhand.settings import Columns, ReadSettings

    Batches = Iterator[Annotation]
    Read = Callable[[Source, ReadSettings, Vocabulary, Columns], Batches]
    ReadMany = Callable[[Sequence[Source], ReadSettings, Vocabulary, Columns], Batches]
    ChooseLayers = Callable[..., tuple[dict[str, Any], tuple[str, ...]]]
    ReadObject = Callable[[Any, Source, ReadSettings, Vocabulary, Columns], Batches]


Fit = Literal["equal", "expand", "disjoint"]


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
    pattern: Pattern[bytes] | None = None
    """What the first lines contain in every file of the format; `confidence` is not called for files without it."""
    confidence: Callable[[Block], float] | None = None
    """How well the first lines fit, from 0 to 1: usually the share of lines that do."""
    suffixes: tuple[str, ...] | None = None
    """Suffixes of paths for which `certain` is called (the last two of a path count); None: any."""
    is_folder: bool = False
    """Whether `certain` is called for local folders only."""
    certain: Callable[[Source, str | None], bool] | None = None
    """Whether the path, or the files found there, identify the format. The second argument is the task, if set."""
    magic: bytes | None = None
    """Bytes at the beginning of a local file that identify the format, regardless of its name."""
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
    has_scores: bool = False
    """Confidences of units are read, from the field or column that a user names."""
    is_one_text: bool = False
    """A file is one text, so the files of two folders can be matched by name."""
    matches_documents: bool = False
    """Documents are matched with the other side's by name, so the files need not correspond."""
    has_missing: bool = False
    """A gold standard may leave tokens and documents unannotated; they are left out of the score."""
    fits: Mapping[str, Fit] = field(default_factory=dict)
    """How the spans of a layer fit longer tokens of the gold standard, if not `equal` (`alignment.words`)."""
    choose: ChooseLayers | None = None
    """Chooses what is read from both sides if a file has several named layers; see `formats/spacy`."""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Options whose defaults differ for gold standards of the format, by task."""
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
    scores: bool = False
    """Confidences of units are kept."""


@dataclass(frozen=True)
class Writer:
    """How a format is written for a task: as text, as a folder of files, or into a file by a library."""

    capabilities: Capabilities = field(default_factory=Capabilities)
    text: Callable[[Batches, Conversion], Iterator[str]] | None = None
    folder: Callable[[Batches, Conversion], Iterator[tuple[str, str]]] | None = None
    """Yields names and contents of files."""
    file: Callable[[Path, Callable[[], Batches], Conversion], None] | None = None
    """Takes a path and a function that returns the batches, which may be called several times."""


class Frame(Protocol):
    """A data frame of pandas or polars, or an Arrow table, as type checkers see it."""

    @property
    def columns(self) -> Any: ...


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
    interface: str | None = None
    """A method by which objects of further types are recognised."""


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


_BUILT_IN = {
    "huggingface": "evenhand.formats.arrow:HUGGINGFACE",
    "parquet": "evenhand.formats.arrow:PARQUET",
    "arrow": "evenhand.formats.arrow:ARROW",
    "spacy": "evenhand.formats.spacy:FORMAT",
    "brat": "evenhand.formats.brat:FORMAT",
    "label-studio": "evenhand.formats.jsonl:LABEL_STUDIO",
    "conll2012": "evenhand.formats.conll2012:CONLL2012",
    "coref-jsonl": "evenhand.formats.jsonl:COREFERENCE",
    "spert": "evenhand.formats.jsonl:SPERT",
    "dygie": "evenhand.formats.jsonl:DYGIE",
    "relation-jsonl": "evenhand.formats.jsonl:RELATION_LINES",
    "elevant": "evenhand.formats.hipe:ELEVANT",
    "records": "evenhand.formats.jsonl:RECORDS",
    "extractions": "evenhand.formats.jsonl:EXTRACTIONS",
    "json": "evenhand.formats.jsonl:JSON",
    "jsonl": "evenhand.formats.jsonl:JSON_LINES",
    "webanno": "evenhand.formats.webanno:FORMAT",
    "pubtator": "evenhand.formats.pubtator:FORMAT",
    "csv": "evenhand.formats.csv_table:CSV",
    "tag-lines": "evenhand.formats.csv_table:TAG_LINES",
    "hipe": "evenhand.formats.hipe:HIPE",
    "neleval": "evenhand.formats.hipe:NELEVAL",
    "brackets": "evenhand.formats.penn_trees:FORMAT",
    "corefud": "evenhand.formats.conll2012:COREFUD",
    "conllu": "evenhand.formats.conllu:FORMAT",
    "conllx": "evenhand.formats.conllu:CONLLX",
    "conll2009": "evenhand.formats.conllu:CONLL2009",
    "spans": "evenhand.formats.span_table:FORMAT",
    "germeval": "evenhand.formats.conll:GERMEVAL",
    "conll": "evenhand.formats.conll:FORMAT",
}
FORMATS: Registry[Format] = Registry("evenhand.formats", "evenhand.formats.format:Format", _BUILT_IN)


def format_named(name: str) -> Format:
    """Return the format of this name; the error for an unknown name lists all."""
    check_choice("format", name, tuple(FORMATS))
    return FORMATS[name]


def serving(*tasks: str, written: bool = False) -> list[str]:
    """Return the names of the formats that are read (or written) for one of these tasks."""
    return [
        format.name
        for format in FORMATS.values()
        if not {*tasks}.isdisjoint(format.writers if written else format.readers)
    ]


@dataclass(frozen=True, eq=False)
class WrappedObject:
    """An object of another library, and the format that reads it."""

    value: Any
    format_name: str
    name: str
    is_pair: bool
    """Whether it holds a gold standard and a prediction."""

    @property
    def format(self) -> Format:
        return FORMATS[self.format_name]

    @property
    def source(self) -> Source:
        from evenhand.formats.source import Source  # slow to load, and rare

        return Source(Path(self.name), alias=self.name)


def wrap_object(value: object, name: str | None = None) -> WrappedObject | None:
    """Return the object with the format that reads it, or None. `name` is the user's name for it."""
    is_list = isinstance(value, list | tuple)
    types = type_names(value[0] if isinstance(value, list | tuple) and value else value)
    for format in FORMATS.values():
        support = format.objects
        if support is None:
            continue
        is_typed = not types.isdisjoint(support.members if is_list else support.types)
        if is_typed or (support.interface is not None and hasattr(value, support.interface)):
            return WrappedObject(value, format.name, name or support.name, not types.isdisjoint(support.pairs))
    return None


def type_names(value: object) -> frozenset[str]:
    """Return the type of an object and its base classes, each as `package.Type`."""
    return frozenset(f"{cls.__module__.partition('.')[0]}.{cls.__name__}" for cls in type(value).__mro__)


def by_batch(write: Callable[[Annotation], Iterator[str]]) -> Callable[[Batches, Conversion], Iterator[str]]:
    """Return a text writer made from a function that writes one batch."""

    def text(batches: Batches, conversion: Conversion) -> Iterator[str]:
        return (line for batch in batches for line in write(batch))

    return text
