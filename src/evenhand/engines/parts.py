"""Work in parts: some file pairs together, or parts of large files.

The joined run of the parts is the same as the run over all; and if a part cannot be run for itself, the work was not to
be divided.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from evenhand.dataclass import dataclass
from evenhand.engines.file_pairs import Pair, file_pairs, part_of, together
from evenhand.engines.file_parts import division_of, file_parts
from evenhand.engines.workers import LARGE
from evenhand.formats.parsing.scan import Division
from evenhand.formats.source import Source
from evenhand.pipeline.work import Work
from evenhand.settings import system_settings

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
    pairs = file_pairs(work) or []
    sizes = [sum(Source(side.files[0]).size for side in pair) for pair in pairs]
    if sum(sizes) < _WORTH * smallest or work.is_whole:
        yield work
        return
    share, waiting, waits = Share(jobs, smallest, sum(sizes)), list[Pair](), 0
    for pair, size in zip(pairs, sizes, strict=True):
        wanted = share(waits)
        divisions = _divisions(work, pair) if size >= 2 * wanted and not work.keeps_files else None
        if waiting and (divisions is not None or waits + size > wanted or len(waiting) * len(pair) >= _MOST_FILES):
            yield part_of(work, together(waiting))
            waiting, waits = [], 0
        share = replace(share, behind=share.behind - size)
        if divisions is None:
            waiting, waits = [*waiting, pair], waits + size
        else:
            yield from (part_of(work, each) for each in file_parts(pair, divisions, share))
    if waiting:
        yield part_of(work, together(waiting))


def _divisions(work: Work, pair: Pair) -> list[Division] | None:
    """How the files of a pair are divided; None if one of them cannot be divided."""
    read_as, settings = work.prepared.read_as, work.prepared.settings
    how = [read_as["gold"], *(system_settings(read_as, name) for name in work.systems or ("system",))]
    found = [
        division_of(Source(side.files[0]), each, settings) for side, each in zip(pair, how[: len(pair)], strict=True)
    ]
    divisions = [division for division in found if division is not None]
    return divisions if len(divisions) == len(pair) else None
