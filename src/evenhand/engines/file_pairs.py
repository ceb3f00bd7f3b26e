"""Work on folders, patterns and lists of files, file by file: each file of the gold standard with those of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.engines.joining import part_groups
from evenhand.formats.addresses import Place
from evenhand.formats.folders import FileList, files_of
from evenhand.pipeline.inputs import Input, name_of, place_of
from evenhand.pipeline.work import Work
from evenhand.text.annotation import Annotation


def file_pairs(work: Work) -> list[Work] | None:
    """The parts of the work that have one file a side, in their order; `Joining` puts their runs together.

    None where a side is a single file or an annotation, or where the files of two sides do not belong together.
    """
    sides = sides_of(work)
    listed: list[list[Place]] = []
    for side in sides:
        files = None if isinstance(side, Annotation) else files_of(place_of(side))
        if files is None:
            return None
        listed.append(files)
    by_place = any(isinstance(side, FileList) for side in sides)
    if len({len(files) if by_place else tuple(file.name for file in files) for files in listed}) > 1:
        return None
    names = [name_of(side) for side in sides]
    return [
        part_of(work, [FileList(name, (file,)) for name, file in zip(names, files, strict=True)])
        for files in zip(*listed, strict=True)
    ]


def sides_of(work: Work) -> list[Input]:
    """The gold standard and the systems."""
    return [work.gold, *(work.systems or {}).values()]


def part_of(work: Work, sides: Sequence[Input]) -> Work:
    """The same work on a part of each side, as `Joining` takes its run."""
    systems = None if work.systems is None else dict(zip(work.systems, sides[1:], strict=True))
    return replace(work, gold=sides[0], systems=systems, groups=part_groups(work))
