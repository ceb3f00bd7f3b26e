"""The formats by name, in order of precedence, and the objects of other libraries that formats read.

If two formats are equally sure of a file, the first one is used. Objects are recognised by their type, without
importing their library: a user who has such an object has loaded it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass
from evenhand.parameters import check_choice
from evenhand.registry import Registry

if TYPE_CHECKING:
    from evenhand.formats.format import Format
    from evenhand.formats.source import Source

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


def by_precedence() -> Iterator[Format]:
    """Yield the formats in the order in which they are tried: plug-ins first. Each is loaded when it is reached."""
    plugins = [name for name in FORMATS if name not in _BUILT_IN]
    return (FORMATS[name] for name in (*plugins, *_BUILT_IN))


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
        from evenhand.formats.source import Source

        return Source(Path(self.name), alias=self.name)


def wrap_object(value: object, name: str | None = None) -> WrappedObject | None:
    """Return the object with the format that reads it, or None. `name` is the user's name for it."""
    is_list = isinstance(value, list | tuple)
    types = type_names(value[0] if isinstance(value, list | tuple) and value else value)
    for format in FORMATS.values():
        support = format.objects
        if support is not None and not types.isdisjoint(support.members if is_list else support.types):
            return WrappedObject(value, format.name, name or support.name, not types.isdisjoint(support.pairs))
    return None


def type_names(value: object) -> frozenset[str]:
    """Return the type of an object and its base classes, each as `package.Type`."""
    return frozenset(f"{cls.__module__.partition('.')[0]}.{cls.__name__}" for cls in type(value).__mro__)
