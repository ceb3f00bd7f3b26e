"""Work on files, file by file: each file of the gold standard with those of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.engines.joining import part_groups
from evenhand.formats.addresses import Place
from evenhand.formats.folders import FileList, files_of
from evenhand.formats.pipes import is_pipe
from evenhand.pipeline.inputs import name_of
from evenhand.pipeline.work import Work

Pair = list[FileList]
"""One file of each side, the gold standard's first; or as many of each."""


def file_pairs(work: Work) -> list[Pair] | None:
    """The files that belong together, in their order: those of folders, patterns and lists, or a single one a side.

    None where a side is no file that can be read again, or where the files of two sides do not belong together.
    """
    places = work.places
    if len(places) < len(work.sides):
        return None
    found = [files_of(where) for where in places]
    listed = [files for files in found if files is not None]
    if not listed and not any(map(is_pipe, places)):
        listed = [[where] for where in places if not isinstance(where, FileList)]
    elif len(listed) < len(places) or not _belong_together(places, listed):
        return None
    names = [name_of(side) for side in work.sides]
    return [
        [FileList(name, (file,)) for name, file in zip(names, files, strict=True)]
        for files in zip(*listed, strict=True)
    ]


def _belong_together(places: Sequence[Place | FileList], listed: Sequence[list[Place]]) -> bool:
    """Whether folders and patterns have files of the same names, or lists as many."""
    if any(isinstance(where, FileList) for where in places):
        return len({len(files) for files in listed}) == 1
    return len({tuple(file.name for file in files) for files in listed}) == 1


def together(pairs: Sequence[Pair]) -> Pair:
    """Some pairs that follow each other as one."""
    return [replace(sides[0], files=tuple(side.files[0] for side in sides)) for sides in zip(*pairs, strict=True)]


def part_of(work: Work, pair: Pair) -> Work:
    """The same work on a part of each side, as `Joining` takes its run."""
    systems = None if work.systems is None else dict(zip(work.systems, pair[1:], strict=True))
    return replace(work, gold=pair[0], systems=systems, groups=part_groups(work))
