"""The formats that can be read. A new one is a module with `NAME` and `batches`, and a line here.

A module says what it recognises: `recognise_path` by the path alone, `recognise` by the first lines. Modules are loaded
when a file may be theirs: some need libraries that are slow to load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

Batches = Callable[[Source, ReadSettings, Vocabulary, Columns], Iterator[Annotation]]


@dataclass(frozen=True)
class Format:
    """A format, and what a file must have for its module to be asked: a kind of path, or a first character."""

    name: str
    module: str
    paths: Callable[[Path], bool] | None = None
    begins: bytes | None = None

    def load(self) -> Any:
        return import_module(f"evenhand.formats.{self.module}")


FORMATS = (
    Format("huggingface", "huggingface", paths=Path.is_dir),
    Format("spacy", "spacy_docs", paths=lambda path: path.suffix == ".spacy"),
    Format("brat", "brat", paths=lambda path: path.suffix != ".conll", begins=b"TREAMN*#"),
    Format("label-studio", "label_studio", begins=b"["),
    Format("jsonl", "json_lines", begins=b"{"),
    Format("brackets", "brackets", begins=b"("),
    Format("spans", "span_table"),
    Format("germeval", "germeval"),
    Format("conll", "columns"),
)
"""In the order in which they are asked; columns take anything."""


def find(source: Source, name: str | None) -> Batches:
    """The reader of the format with this name, or of the one that path and content show."""
    if name is not None:
        named: Batches = next(each for each in FORMATS if each.name == name).load().batches
        return named
    for each in FORMATS:
        if each.paths is not None and each.paths(source.path) and each.load().recognise_path(source.path):
            by_path: Batches = each.load().batches
            return by_path
    sample = source.sample(1 << 12)
    first = sample.data.lstrip()[:1]
    for each in FORMATS:
        if each.begins is None and each.paths is not None:
            continue
        if (each.begins is None or first in each.begins) and each.load().recognise(sample):
            break
    by_content: Batches = each.load().batches
    return by_content
