"""Work in parts: some file pairs together, or parts of large files.

The joined run of the parts is the same as the run over all; and if a part cannot be run for itself, the work was not to
be divided.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand.engines.file_pairs import file_pairs, part_of, sides_of
from evenhand.engines.file_parts import Pair, division_of, file_parts
from evenhand.engines.workers import LARGE
from evenhand.formats.folders import FileList
from evenhand.formats.parsing.scan import Division
from evenhand.formats.source import Source
from evenhand.pipeline.inputs import name_of, place_of
from evenhand.pipeline.work import Work
from evenhand.text.annotation import Annotation

_WORTH = 4
"""How many of the smallest parts work must have to be divided."""
SMALLEST = LARGE // _WORTH
"""How many bytes a part has at least, all sides together: below, there is more ado than work."""
_LARGEST = 32 << 20
_ROUNDS = 4
"""Into how many parts for each process what is left is divided: parts become smaller, so that all end together."""
_MOST_FILES = 200
"""How many files a part has at most, so that it stays small on its way."""


@dataclass(frozen=True)
class Share:
    """How large a part is, of what is left."""

    jobs: int
    smallest: int
    behind: int = 0
    """How much there is behind what is divided."""

    def __call__(self, left: int) -> int:
        return max(self.smallest, min((left + self.behind) // (_ROUNDS * self.jobs), _LARGEST))


def parts(work: Work, jobs: int, smallest: int = SMALLEST) -> Generator[Work, None, None]:
    """The parts of the work in their order, found one after the other; a single one if it is small or indivisible."""
    pairs = _pairs(work)
    sizes = [sum(Source(side.files[0]).size for side in pair) for pair in pairs]
    if sum(sizes) < _WORTH * smallest:
        yield work
        return
    share, waiting, waits = Share(jobs, smallest, sum(sizes)), list[Pair](), 0
    for pair, size in zip(pairs, sizes, strict=True):
        wanted = share(waits)
        divisions = _divisions(work, pair) if size >= 2 * wanted else None
        if waiting and (divisions is not None or waits + size > wanted or len(waiting) * len(pair) >= _MOST_FILES):
            yield part_of(work, _together(waiting))
            waiting, waits = [], 0
        share = replace(share, behind=share.behind - size)
        if divisions is None:
            waiting, waits = [*waiting, pair], waits + size
        else:
            yield from (part_of(work, each) for each in file_parts(pair, divisions, share))
    if waiting:
        yield part_of(work, _together(waiting))


def _pairs(work: Work) -> list[Pair]:
    """The files that belong together; none where some are no files, or are not the same on all sides."""
    found = file_pairs(work)
    if found is not None:
        return [[side for side in sides_of(pair) if isinstance(side, FileList)] for pair in found]
    single = []
    for side in sides_of(work):
        file = None if isinstance(side, Annotation) else place_of(side)
        if not isinstance(file, Path) or not file.is_file():
            return []
        single.append(FileList(name_of(side), (file,)))
    return [single]


def _divisions(work: Work, pair: Pair) -> list[Division] | None:
    """How the files of a pair are divided; None if one of them cannot be divided."""
    read_as, settings = work.prepared.read_as, work.prepared.settings
    found = [
        division_of(Source(side.files[0]), read_as["system" if number else "gold"], settings)
        for number, side in enumerate(pair)
    ]
    divisions = [division for division in found if division is not None]
    return divisions if len(divisions) == len(pair) else None


def _together(pairs: Sequence[Pair]) -> Pair:
    """Some pairs that follow each other as one."""
    return [replace(sides[0], files=tuple(side.files[0] for side in sides)) for sides in zip(*pairs, strict=True)]
