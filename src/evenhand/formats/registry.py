"""The formats by their names, in order of precedence: where two are equally sure of a file, the first one has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.parameters import check_choice
from evenhand.registry import Registry

if TYPE_CHECKING:
    from evenhand.formats.format import Format

_BUILT_IN = {
    "huggingface": "evenhand.formats.arrow:HUGGINGFACE",
    "parquet": "evenhand.formats.arrow:PARQUET",
    "arrow": "evenhand.formats.arrow:ARROW",
    "spacy": "evenhand.formats.spacy:FORMAT",
    "brat": "evenhand.formats.brat:FORMAT",
    "label-studio": "evenhand.formats.jsonl:LABEL_STUDIO",
    "conll2012": "evenhand.formats.conll2012:CONLL2012",
    "coref-jsonl": "evenhand.formats.jsonl:COREFERENCE",
    "spert": "evenhand.formats.relations:SPERT",
    "dygie": "evenhand.formats.relations:DYGIE",
    "relation-jsonl": "evenhand.formats.relations:RELATION_LINES",
    "elevant": "evenhand.formats.hipe:ELEVANT",
    "extractions": "evenhand.formats.extractions:FORMAT",
    "json": "evenhand.formats.jsonl:JSON",
    "jsonl": "evenhand.formats.jsonl:JSON_LINES",
    "webanno": "evenhand.formats.text_formats:WEBANNO",
    "pubtator": "evenhand.formats.text_formats:PUBTATOR",
    "csv": "evenhand.formats.text_formats:CSV",
    "tag-lines": "evenhand.formats.text_formats:TAG_LINES",
    "hipe": "evenhand.formats.hipe:HIPE",
    "neleval": "evenhand.formats.hipe:NELEVAL",
    "brackets": "evenhand.formats.penn_trees:FORMAT",
    "corefud": "evenhand.formats.conll2012:COREFUD",
    "conllu": "evenhand.formats.conllu:FORMAT",
    "conllx": "evenhand.formats.conllu:CONLLX",
    "conll2009": "evenhand.formats.conllu:CONLL2009",
    "spans": "evenhand.formats.span_table:FORMAT",
    "germeval": "evenhand.formats.conll:FORMAT_GERMEVAL",
    "conll": "evenhand.formats.conll:FORMAT",
}
FORMATS: Registry[Format] = Registry("evenhand.formats", "evenhand.formats.format:Format", _BUILT_IN)


def in_order() -> Iterator[Format]:
    """The formats in the order in which they are asked about a file: plug-ins first, as somebody wants them.

    Each is loaded when its turn comes.
    """
    plugins = [name for name in FORMATS if name not in _BUILT_IN]
    return (FORMATS[name] for name in (*plugins, *_BUILT_IN))


def by_precedence() -> list[Format]:
    """All formats in this order."""
    return list(in_order())


def format_named(name: str) -> Format:
    """The format of this name; else an error that lists all."""
    check_choice("format", name, tuple(FORMATS))
    return FORMATS[name]


def serving(*tasks: str, written: bool = False) -> list[str]:
    """The names of the formats that are read (or written) for one of some tasks."""
    return [each.name for each in FORMATS.values() if not {*tasks}.isdisjoint(each.writers if written else each.tasks)]
