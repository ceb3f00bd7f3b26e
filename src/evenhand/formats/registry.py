"""The formats that can be read. A new one is a module with `NAME` and `batches`, and a line here.

A module says what it recognises: `recognise_path` by the path alone, `recognise` by the first lines, with a confidence
from 0 to 1: mostly the share of lines that fit, so that one bad line does not turn a file into something else. Modules
are loaded when a file may be theirs: some need libraries that are slow to load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.formats.addresses import Place
from evenhand.formats.refusals import refuse
from evenhand.formats.source import Source
from evenhand.problems import InputError
from evenhand.settings import Columns, ReadSettings, Task
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

Batches = Callable[[Source, ReadSettings, Vocabulary, Columns], Iterator[Annotation]]


@dataclass(frozen=True)
class Format:
    """A format, and what a file must have for its module to be asked: a kind of path, or a first character."""

    name: str
    module: str
    tasks: tuple[Task, ...] = ("spans",)
    """What files of this format are for."""
    by_content: bool = True
    """Whether its first lines show it."""
    has_columns: bool = True
    """Whether a user can choose among its columns, or among layers that have names."""
    paths: Callable[[Place], bool] | None = None
    begins: bytes | None = None

    def load(self) -> Any:
        return import_module(f"evenhand.formats.{self.module}")


def _is_folder(path: Place) -> bool:
    """Whether it is one on this machine; elsewhere, to ask takes time, and datasets cannot be read from there."""
    return isinstance(path, Path) and path.is_dir()


def _is_binary(mark: bytes, *suffixes: str) -> Callable[[Place], bool]:
    """Whether a file has one of these names or, on this machine, begins with bytes that no text begins with."""

    def recognise(path: Place) -> bool:
        if not isinstance(path, Path) or path.is_dir() or path.suffix in suffixes:
            return path.suffix in suffixes and not _is_folder(path)
        try:
            with Source(path).open() as file:
                return file.read(len(mark)) == mark
        except (InputError, OSError, EOFError):  # whoever reads it finds the words
            return False

    return recognise


FORMATS = (
    Format("huggingface", "huggingface", ("spans", "tags"), by_content=False, paths=_is_folder),
    Format("parquet", "parquet", ("spans", "tags"), by_content=False, paths=_is_binary(b"PAR1", ".parquet", ".pq")),
    Format(
        "arrow",
        "arrow_ipc",
        ("spans", "tags"),
        by_content=False,
        paths=_is_binary(b"ARROW1", ".arrow", ".feather", ".ipc", ".arrows"),
    ),
    Format("spacy", "spacy_docs", by_content=False, paths=lambda path: path.suffix == ".spacy"),
    Format("brat", "brat", has_columns=False, paths=lambda path: path.suffix != ".conll", begins=b"TREAMN*#"),
    Format("label-studio", "label_studio", has_columns=False, begins=b"["),
    Format("conll2012", "conll2012", tasks=("chains",), begins=b"#"),
    Format("coref-jsonl", "coref_jsonl", tasks=("chains",), begins=b"{"),
    Format("json", "json_array", has_columns=False, begins=b"["),
    Format("jsonl", "json_lines", has_columns=False, begins=b"{"),
    Format("brackets", "brackets", has_columns=False, begins=b"("),
    Format("corefud", "corefud", tasks=("chains",), paths=lambda path: ".conllu" in path.suffixes[-2:], begins=b"#"),
    Format("conllu", "conllu", tasks=("trees", "tags"), paths=lambda path: ".conllu" in path.suffixes[-2:]),
    Format("conllx", "conllu", tasks=("trees", "tags"), by_content=False),
    Format("conll2009", "conllu", tasks=("trees", "tags"), by_content=False),
    Format("spans", "span_table", has_columns=False),
    Format("germeval", "germeval"),
    Format("conll", "columns", tasks=("spans", "tags")),
)
"""Where two are equally sure of a file, the first one has it."""
SURE = 0.5
"""From which confidence on a format is taken for a file's."""


def find(source: Source, name: str | None, task: Task | None = None) -> Format:
    """The format with this name, or the one that path and content show; for a task, if that is given."""
    return recognise(source, name, task)[0]


def recognise(source: Source, name: str | None, task: Task | None = None) -> tuple[Format, float]:
    """The same, and how much of the content fits: 1 where somebody named the format, or the path shows it.

    A file that no format is sure of is read as columns, unless it looks like something that cannot be read.
    """
    with source.located():
        return _recognised(source, name, task)


def _recognised(source: Source, name: str | None, task: Task | None) -> tuple[Format, float]:
    if name is not None:
        named = _named(name)
        if task in ("spans", "chains") and task not in named.tasks:
            serving = ", ".join(each.name for each in FORMATS if task in each.tasks)
            raise source.error(None, f"files in {name} hold no {task}", f"name one of these with --format: {serving}")
        return named, 1.0
    formats = [each for each in FORMATS if _may_be(each, task)]
    for each in formats:
        if each.paths is not None and each.paths(source.path) and each.load().recognise_path(source.path):
            return each, 1.0
    if task == "trees":  # whose columns a user may name, whatever the file looks like
        return _named("conllu"), 1.0
    if task == "chains" and ".conllu" in source.path.suffixes[-2:]:  # a text without chains, too
        return _named("corefud"), 1.0
    sample = source.sample(1 << 12)
    first = sample.data.lstrip()[:1]
    asked = [each for each in formats if each.by_content and (each.begins is None or first in each.begins)]
    confidence = {each: each.load().recognise(sample) for each in asked}
    best = max(asked, key=lambda each: confidence[each], default=None)
    if best is not None and confidence[best] >= SURE:
        return best, confidence[best]
    refuse(source, sample)
    return _named("conll2012" if task == "chains" else "conll"), 1.0


def _named(name: str) -> Format:
    return next(each for each in FORMATS if each.name == name)


def _may_be(each: Format, task: Task | None) -> bool:
    """Whether a file that is read for a task may be in this format; columns of others can be tags or trees, too."""
    if task in ("spans", "chains"):
        return task in each.tasks
    return task is None or each.tasks != ("chains",)


def batches_of(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """A file in batches, by the reader of its format."""
    found, confidence = recognise(source, settings.format, settings.task)
    if settings.columns and not found.has_columns:
        finding = f"--column is given, but this file is read as {found.name}, which has no columns"
        raise source.error(None, finding, "leave --column out for it, or name its --format")
    read: Batches = found.load().batches
    batches = read(source, settings, vocabulary, columns)
    return batches if confidence == 1 else (batch.recognised(confidence) for batch in batches)
