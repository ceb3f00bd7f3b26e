"""Work on files, file by file: each file of the gold standard with those of systems."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from evenhand.alignment.mentions import repeated_name
from evenhand.data.annotation import ReadInfo
from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError
from evenhand.formats.partition import CutPoint, Partitioning, Scan
from evenhand.formats.paths import FileList, files_of
from evenhand.formats.read import recognise
from evenhand.formats.source import Part, Source
from evenhand.formats.storage import AnyPath, is_pipe
from evenhand.pipeline.inputs import name_of
from evenhand.pipeline.run import Job, Run, SummedTallies
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups, ReadSettings, ScoreSettings, system_settings

LARGE = 16 << 20
"""How many bytes work must have to be divided: else, processes take longer to start than it takes."""


# == engines/joining.py: Runs over parts that follow each other, as one run: equal to


Key = tuple[str, str | None, str]
"""System, supertag (or none) and judge."""


class CannotPartitionError(EvenhandError):
    """Runs over parts that are not those of one run over the whole, which then has to be made instead."""

    def __init__(self, finding: str) -> None:
        super().__init__(f"The work cannot be divided, as {finding}; do it in one process.")


def part_groups(work: Job) -> Groups:
    """What parts keep apart: fractions depend on the order in which documents are added up."""
    return "document" if work.prepared.task.by_document else work.groups


class Joining:
    """Adds up the runs of parts, which must come in their order; few of them are in memory at once."""

    def __init__(self, work: Job) -> None:
        self._groups, self._part_groups = work.groups, part_groups(work)
        self._takes_tags = any(judge.takes_tags for judge in work.judges)
        self._check_sides, self._refuse_itself = work.prepared.task.check_sides, work.refuse_itself
        self._run: Run | None = None
        self._sums: SummedTallies[Key] = SummedTallies(work.groups, by_document=work.prepared.task.by_document)

    def add(self, run: Run) -> None:
        """Add the run over the next part, or raise an error if it does not continue the others."""
        if self._run is None:
            self._run = run
            self._add_tallies(run, 0)
            return
        joined = self._run
        _check(joined, run, takes_tags=self._takes_tags)
        documents = joined.documents - int(run.begins_inside)
        shift = {"sentence": joined.sentences, "finest": joined.sentences, "document": documents, "total": 0}
        self._add_tallies(run, shift[self._part_groups])
        joined.gold.join(run.gold)
        for name, side in joined.systems.items():
            side.join(run.systems[name])
            joined.levels[name] = max(joined.levels[name], run.levels[name])
        joined.document_of += [of_document + documents for of_document in run.document_of]
        joined.documents = documents + run.documents
        joined.sentences += run.sentences
        joined.size = None if joined.size is None or run.size is None else joined.size + run.size
        joined.labels = tuple(sorted({*joined.labels, *run.labels}))
        joined.names |= run.names
        joined.document_names += run.document_names
        joined.ends_apart = run.ends_apart

    def finish(self) -> Run:
        """The run over all parts."""
        run = self._run
        assert run is not None  # there is a part at least
        for (name, tag, judge), tally in self._sums.finish().items():
            tallies = run.tallies[name] if tag is None else run.supertags[name][tag]
            tallies[judge] = tally
        run.settle_groups(self._groups)
        self._check_sides(run.gold, run.systems)  # one side of each part may be without spans, and the whole not
        self._refuse_itself(run)  # parts are not files
        return run

    def _add_tallies(self, run: Run, shift: int) -> None:
        """Take the tallies of a run; its groups are larger by `shift`."""
        for key, tally in _keyed(run).items():
            self._sums.add(key, tally.shifted(shift))


def _keyed(run: Run) -> dict[Key, Tally]:
    found: dict[Key, Tally] = {}
    for name, tallies in run.tallies.items():
        found |= {(name, None, judge): tally for judge, tally in tallies.items()}
        for tag, others in run.supertags[name].items():
            found |= {(name, tag, judge): tally for judge, tally in others.items()}
    return found


def _check(before: Run, after: Run, *, takes_tags: bool) -> None:
    """Raise an error unless the second part was taken in the same way as the first, and begins where that ends."""
    if before.ends_apart:
        raise CannotPartitionError("a word reaches over the end of a part")
    ways = [_way(run, takes_tags=takes_tags) for run in (before, after)]
    if ways[0] != ways[1]:
        raise CannotPartitionError("its parts are written in different ways")
    for run in (before, after):
        differ = [side.mismatches for side in run.systems.values() if side.mismatches]
        if any(each.missing or each.extra or each.by_order for each in differ):
            raise CannotPartitionError("documents are not in the same parts on both sides")
    for name, source in after.names.items():
        if name in before.names:
            raise repeated_name(source, name)


def _way(run: Run, *, takes_tags: bool) -> list[object]:
    """What the first lines of all sides tell for the whole run; with `takes_tags`, whether tags can be compared."""
    gold, *systems = (side.reading or ReadInfo() for side in (run.gold, *run.systems.values()))
    kinds: list[object] = [(each.format, each.encoding is None) for each in (gold, *systems)]
    same_tags = [system.encoding == gold.encoding for system in systems] if takes_tags else []
    return [run.atoms, run.by_position, kinds, same_tags]


# == engines/file_pairs.py (primary)


Pair = list[FileList]
"""One file of each side, the gold standard's first; or as many of each."""


def file_pairs(work: Job) -> list[Pair] | None:
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


def _belong_together(places: Sequence[AnyPath | FileList], listed: Sequence[list[AnyPath]]) -> bool:
    """Whether folders and patterns have files of the same names, or lists as many."""
    if any(isinstance(where, FileList) for where in places):
        return len({len(files) for files in listed}) == 1
    return len({tuple(file.name for file in files) for files in listed}) == 1


def together(pairs: Sequence[Pair]) -> Pair:
    """Some pairs that follow each other as one."""
    return [replace(sides[0], files=tuple(side.files[0] for side in sides)) for sides in zip(*pairs, strict=True)]


def part_of(work: Job, pair: Pair) -> Job:
    """The same work on a part of each side, as `Joining` takes its run."""
    systems = None if work.systems is None else dict(zip(work.systems, pair[1:], strict=True))
    return replace(work, gold=pair[0], systems=systems, groups=part_groups(work))


# == engines/file_parts.py: Large files in parts, which begin with a sentence, a record


def division_of(source: Source, read_as: ReadSettings, settings: ScoreSettings) -> Partitioning | None:
    """How a file is divided; None if it cannot be."""
    if not source.is_plain:
        return None
    own = recognise(source, read_as.format, read_as.task)[0]
    found = own.readers[settings.task].partitioning if settings.task in own.readers else None
    if found is not None and settings.parameters.get("levels") == "separate" and found.columns(read_as) > 1:
        return replace(found, is_odd=_has_stack)  # levels of a column count from the deepest stack of the one before
    return found


def _has_stack(data: bytes) -> bool:
    return b"|" in data


def file_parts(pair: Pair, divisions: Sequence[Partitioning], size: Callable[[int], int]) -> Iterator[Pair]:
    """The files of a pair in parts; `size` says how large the next one is, all sides together, of what is left."""
    sources = [Source(side.files[0]) for side in pair]
    ends = [source.size for source in sources]
    begin = [CutPoint(0, 1, 0, is_clean=True)] * len(pair)
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


def _between(pair: Pair, begin: Sequence[CutPoint], ends: Sequence[int]) -> Pair:
    """The lines of all sides from a place to another."""
    return [
        replace(side, part=Part(cut.place, end, cut.line)) for side, cut, end in zip(pair, begin, ends, strict=True)
    ]


class _Places:
    """Where all sides can be cut; all files are gone through in step."""

    def __init__(self, scans: Sequence[Scan], divisions: Sequence[Partitioning]) -> None:
        self._scans, self._divisions = scans, divisions
        self._first = self._kinds_of([scan.numbered(0) or CutPoint(0, 1, 0, is_clean=False) for scan in scans])

    def behind(self, place: int) -> list[CutPoint] | None:
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

    def _check(self, found: Sequence[CutPoint]) -> None:
        """Raise an error if the files cannot be divided."""
        if any(scan.is_odd for scan in self._scans) or self._kinds_of(found) != self._first:
            raise CannotPartitionError("what stands at one place says how to read another")
        names = {each.text for each, division in zip(found, self._divisions, strict=True) if division.has_names}
        if len(names) > 1:
            raise CannotPartitionError("documents have other names")

    def _kinds_of(self, found: Sequence[CutPoint]) -> list[object]:
        return [division.kind(cut.text) for division, cut in zip(self._divisions, found, strict=True)]


# == engines/parts.py: Work in parts: some file pairs together, or parts of large f


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


def parts(work: Job, jobs: int, smallest: int = SMALLEST) -> Generator[Job, None, None]:
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
            yield from (part_of(work, part) for part in file_parts(pair, divisions, share))
    if waiting:
        yield part_of(work, together(waiting))


def _divisions(work: Job, pair: Pair) -> list[Partitioning] | None:
    """How the files of a pair are divided; None if one of them cannot be divided."""
    read_as, settings = work.prepared.read_as, work.prepared.settings
    how = [read_as["gold"], *(system_settings(read_as, name) for name in work.systems or ("system",))]
    found = [
        division_of(Source(side.files[0]), each, settings) for side, each in zip(pair, how[: len(pair)], strict=True)
    ]
    divisions = [division for division in found if division is not None]
    return divisions if len(divisions) == len(pair) else None
