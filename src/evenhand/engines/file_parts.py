"""Large files in parts, which begin with a sentence, a record or, for chains, a document.

On all sides a part begins with the unit of the same number. Any place will do where the parts can be aligned,
since those that fit together one by one do so as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from evenhand.engines.file_pairs import Pair
from evenhand.engines.joining import IndivisibleError
from evenhand.formats.parsing.scan import Cut, Division, Scan
from evenhand.formats.recognition import recognise
from evenhand.formats.source import Part, Source
from evenhand.settings import ReadSettings, ScoreSettings


def division_of(source: Source, read_as: ReadSettings, settings: ScoreSettings) -> Division | None:
    """How a file is divided; None if it cannot be."""
    if not source.is_plain:
        return None
    own = recognise(source, read_as.format, read_as.task)[0]
    found = own.divisions.get(settings.task, own.division)
    if found is not None and settings.parameters.get("levels") == "separate" and found.columns(read_as) > 1:
        return replace(found, is_odd=_has_stack)  # levels of a column count from the deepest stack of the one before
    return found


def _has_stack(data: bytes) -> bool:
    return b"|" in data


def file_parts(pair: Pair, divisions: Sequence[Division], size: Callable[[int], int]) -> Iterator[Pair]:
    """The files of a pair in parts; `size` says how large the next one is, all sides together, of what is left."""
    sources = [Source(side.files[0]) for side in pair]
    ends = [source.size for source in sources]
    begin = [Cut(0, 1, 0, is_clean=True)] * len(pair)
    with ExitStack() as stack:
        scans = [
            Scan(stack.enter_context(source.open()), division)
            for source, division in zip(sources, divisions, strict=True)
        ]
        places = _Places(scans, divisions)
        while True:
            left = sum(ends) - sum(cut.place for cut in begin)
            cuts = places.behind(begin[0].place + max(1, size(left) * ends[0] // sum(ends)))
            if cuts is None:
                break
            yield _between(pair, begin, [cut.place for cut in cuts])
            begin = cuts
    yield _between(pair, begin, ends)


def _between(pair: Pair, begin: Sequence[Cut], ends: Sequence[int]) -> Pair:
    """The lines of all sides from a place to another."""
    return [
        replace(side, part=Part(cut.place, end, cut.line)) for side, cut, end in zip(pair, begin, ends, strict=True)
    ]


class _Places:
    """Where all sides can be cut; all files are gone through in step."""

    def __init__(self, scans: Sequence[Scan], divisions: Sequence[Division]) -> None:
        self._scans, self._divisions = scans, divisions
        self._first = self._kinds_of([scan.numbered(0) or Cut(0, 1, 0, is_clean=False) for scan in scans])

    def behind(self, place: int) -> list[Cut] | None:
        """The first place at a byte of the gold standard or behind it; None where there is none any more."""
        gold, *systems = self._scans
        while (cut := gold.behind(place)) is not None:
            found = [cut, *(other for scan in systems if (other := scan.numbered(cut.number)) is not None)]
            if len(found) < len(self._scans):
                return None
            self._check(found)
            if cut.number > 1 and all(each.is_clean for each in found):  # a header may stand alone before the first
                return found
            place = cut.place + 1
        return None

    def _check(self, found: Sequence[Cut]) -> None:
        """Raise an error if the files cannot be divided."""
        if any(scan.is_odd for scan in self._scans) or self._kinds_of(found) != self._first:
            raise IndivisibleError("what stands at one place says how to read another")
        names = {each.text for each, division in zip(found, self._divisions, strict=True) if division.has_names}
        if len(names) > 1:
            raise IndivisibleError("documents have other names")

    def _kinds_of(self, found: Sequence[Cut]) -> list[object]:
        return [division.kind(cut.text) for division, cut in zip(self._divisions, found, strict=True)]
