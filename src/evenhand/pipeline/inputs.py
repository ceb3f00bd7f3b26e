"""What is scored: files or annotations, by name, as streams of batches with the same atoms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import tee
from os import PathLike
from typing import Any

from evenhand.arguments import shown
from evenhand.formats.addresses import Place, place
from evenhand.formats.folders import FileList, check_same_names, files_of
from evenhand.formats.read import batches, open_file
from evenhand.formats.source import Source
from evenhand.problems import SettingError
from evenhand.settings import UNIVERSAL_LAYERS, Align, ColumnName, ReadSettings, Task
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.chain_feed import Open
from evenhand.text.characters import peeked, same_atoms
from evenhand.text.labels import Vocabulary

Side = str | PathLike[str] | FileList | Annotation
"""A file or several (a folder, a pattern, a list), or an annotation."""
Systems = Side | Sequence[Side] | Mapping[str, Side] | None
Stream = Iterator[Annotation]


@dataclass(frozen=True)
class Inputs:
    """The gold standard's batches and, in step with them, those of every system."""

    gold: Stream
    gold_layer: str
    feeds: Mapping[str, Feed]


def open_inputs(
    gold: Side,
    systems: Mapping[str, Side] | None,
    read_as: Mapping[str, ReadSettings],
    align: Align,
    vocabulary: Vocabulary,
) -> Inputs:
    """Open all sides; without systems, gold and prediction are columns of one file."""
    if systems is None:
        first, second = _two_columns(gold, read_as, vocabulary)
        streams, layers = {name_of(gold): second}, ("gold", "system")
    else:
        for side in systems.values():
            if not isinstance(gold, Annotation) and not isinstance(side, Annotation):
                check_same_names(place_of(gold), place_of(side))
        batch, first = peeked(_batches(gold, read_as["gold"], vocabulary))
        layers = ("spans", "spans")
        system_as = read_as["system"].judged_by(None if batch is None else batch.reading.encoding)
        streams = {name: _batches(side, system_as, vocabulary) for name, side in systems.items()}
    golds, *others = same_atoms([first, *streams.values()], align)
    feeds = {
        name: Feed(stream, layers[1], by_position=align == "position")
        for name, stream in zip(streams, others, strict=True)
    }
    return Inputs(golds, layers[0], feeds)


def open_words(
    gold: Side, systems: Mapping[str, Side] | None, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary
) -> tuple[Stream, dict[str, Stream]]:
    """Open all sides for tags or trees, which have a file each."""
    if systems is None:
        raise SettingError("Gold and prediction of words stand in two files; give the system's file beside it.")
    for side in systems.values():
        if not isinstance(gold, Annotation) and not isinstance(side, Annotation):
            check_same_names(place_of(gold), place_of(side))
    streams = {name: _batches(side, read_as["system"], vocabulary) for name, side in systems.items()}
    return _batches(gold, read_as["gold"], vocabulary), streams


def same_positions(gold: Stream, systems: Mapping[str, Stream], align: Align) -> tuple[Stream, dict[str, Stream], bool]:
    """The streams, and whether words are compared by position: if a user asks for it, or one side has no words."""
    firsts, (golds, *others) = zip(*map(peeked, (gold, *systems.values())), strict=True)
    without = any(first is not None and first.corpus.tokens is None for first in firsts)
    return golds, dict(zip(systems, others, strict=True)), align == "position" or without


def open_chains(
    gold: Side, systems: Mapping[str, Side] | None, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary
) -> tuple[Open, dict[str, Open]]:
    """What opens each side for chains; files are matched by their documents, whatever they are called."""
    if systems is None:
        raise SettingError("Key and response of chains stand in two files; give the system's file beside it.")
    opened: dict[str, Open] = {
        name: partial(_batches, side, read_as["system"], vocabulary) for name, side in systems.items()
    }
    return partial(_batches, gold, read_as["gold"], vocabulary), opened


@dataclass(frozen=True)
class Content:
    """What a gold standard is for."""

    task: Task
    is_universal: bool
    """Whether it has the columns of Universal Dependencies."""
    is_conllu: bool
    """Whether it is in CoNLL-U, whose relations may have subtypes."""
    has_pos: bool = False
    """Whether there are POS beside chains."""


def content_of(gold: Side, format: str | None, task: Task | None, columns: tuple[ColumnName, ...] = ()) -> Content:
    """The task that is named or that the gold standard shows; its format tells, or its layers."""
    if isinstance(gold, Annotation):
        layers: tuple[Task, ...] = ("chains", "trees", "spans")
        shown: Task = next((layer for layer in layers if layer in gold.layers), "tags")
        is_universal = all(layer in gold.layers for layer in UNIVERSAL_LAYERS)
        return Content(task or shown, is_universal, gold.reading.format == "conllu", "pos" in gold.layers)
    source = Source(first_file(gold))
    traits = (opened := open_file(source, ReadSettings(format, columns, task=task))).traits
    return Content(opened.task, "universal" in traits, "conllu" in traits, "pos" in traits)  # type: ignore[arg-type]


def place_of(side: str | PathLike[str] | FileList) -> Place | FileList:
    """Where the file or files of a side are."""
    return side if isinstance(side, FileList) else place(_checked(side))


def first_file(side: str | PathLike[str] | FileList) -> Place:
    """The file of a side, or the first one of several."""
    where = place_of(side)
    files = files_of(where)
    if files is not None:
        return files[0]
    assert not isinstance(where, FileList)
    return where


def is_one(systems: Systems) -> bool:
    """Whether this is a single system, and no sequence or mapping of them."""
    return isinstance(systems, str | PathLike | FileList | Annotation)


def named(systems: Systems) -> dict[str, Side] | None:
    """The systems by name: a mapping's own names, or those of files and annotations."""
    if systems is None:
        return None
    if isinstance(systems, Mapping):
        found = {name: _checked(side) for name, side in systems.items()}
    else:
        many = list(systems) if isinstance(systems, Iterable) and not is_one(systems) else [systems]
        listed = list(map(_checked, many))
        found = dict(zip(unique_names(listed), listed, strict=True))
    if not found:
        raise SettingError("There is no system to score; give one at least.")
    wrong = [name for name in found if not isinstance(name, str) or not name.strip()]
    if wrong:  # elsewhere the empty name stands for the gold standard
        raise SettingError(f"The name of a system is {shown(wrong[0])}; give a text that can be read.")
    return found


def _checked(side: Any) -> Any:
    """The side, if it is something that can be read."""
    if not is_one(side):
        finding = f"{shown(side)} is neither a file nor an annotation"
        raise SettingError(f"{finding}; give a path, or what eh.read, eh.tags or eh.spans made.")
    return side


def name_of(side: Side) -> str:
    if isinstance(side, Annotation | FileList):
        return side.name
    where = place(side)
    return where.name if where.is_dir() else Source(where).name


def unique_names(sides: Sequence[Side]) -> list[str]:
    """Names of files without their last extension; with the folder where two are equal, and a number if need be."""
    names = [name_of(side) for side in sides]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    for i, side in enumerate(sides):
        if names[i] in repeated and not isinstance(side, Annotation | FileList):
            names[i] = os.path.join(place(side).absolute().parent.name, names[i])
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def _batches(side: Side, settings: ReadSettings, vocabulary: Vocabulary) -> Stream:
    return iter([side]) if isinstance(side, Annotation) else batches(place_of(side), settings, vocabulary)


def _two_columns(side: Side, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary) -> tuple[Stream, Stream]:
    """Gold and system from columns of one file, which is read once."""
    if isinstance(side, Annotation):
        raise SettingError("One annotation cannot be scored alone; give a system, or a file with two columns of tags.")
    columns = {name: settings.columns for name, settings in read_as.items()}
    settings = replace(read_as["gold"], system_encoding=read_as["system"].encoding)
    batch, stream = peeked(batches(place_of(side), settings, vocabulary, columns))
    if batch is not None and "gold" not in batch.layers:
        kind = next(iter(batch.readings.values())).format
        shown = side.name if isinstance(side, FileList) else place(side)
        raise SettingError(f"{shown} ({kind}) holds one annotation only; give a system beside it.")
    first, second = tee(stream)
    return first, second
