"""Divide a job into parts, and add up the runs of parts to the run of the whole.

A part is a few file pairs (a gold file and the system files that belong to it), or a range of lines of one large file
pair. The merged run is bit-identical to a run in one process; if that cannot be guaranteed, `CannotPartitionError` is
raised.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from evenhand.alignment.documents import AlignmentIssues
from evenhand.alignment.mentions import repeated_name
from evenhand.data.annotation import ReadInfo
from evenhand.errors import EvenhandError
from evenhand.formats.partition import CutPoint, Partitioning, Scan
from evenhand.formats.paths import FileList, files_of
from evenhand.formats.read import recognise
from evenhand.formats.source import FilePart, Source
from evenhand.formats.storage import AnyPath, is_pipe
from evenhand.pipeline.inputs import name_of
from evenhand.pipeline.run import Job, Run, RunAccumulator
from evenhand.settings import Groups, ReadSettings, ScoreSettings, system_settings

Pair = list[FileList]
"""One file of each side, the gold standard's first; or several files of each."""
WORTH = 4
"""Minimum number of smallest parts in a job that is divided."""
SMALLEST = 8 << 20
"""Minimum size of a part in bytes, all sides together, if processes are copies of this one."""
SMALLEST_IF_SPAWNED = 16 << 20
"""The same if processes must load all modules first."""
_LARGEST = 64 << 20
_SHARE = 1 / 2
"""Share of the remainder that the next parts of all processes have: parts become smaller, so all end together."""
_MAX_FILES = 200
"""Maximum number of files of a part, which keeps its pickle small."""


class CannotPartitionError(EvenhandError):
    """The parts of a job are not the parts of one run, so the job must run in one process."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This job cannot be split for --jobs because {reason}. Run it without --jobs.")


def _share(jobs: int, smallest: int, after: int, remainder: int) -> int:
    """Size of the next part of files with `remainder` bytes, which `after` bytes of other files follow."""
    return max(smallest, min(int(_SHARE * (remainder + after) / jobs), _LARGEST))


def size_of(job: Job) -> int | None:
    """The number of bytes of all inputs; None if they cannot be divided."""
    pairs = None if job.is_whole else file_pairs(job)
    return None if pairs is None else sum(map(_pair_size, pairs))


def _pair_size(pair: Pair) -> int:
    return sum(Source(side.files[0]).size for side in pair)


def parts(job: Job, jobs: int, smallest: int = SMALLEST) -> Generator[Job, None, None]:
    """Generate the parts of a job in order; only one part if the job is small or cannot be divided."""
    pairs = file_pairs(job) or []
    sizes = list(map(_pair_size, pairs))
    if sum(sizes) < WORTH * smallest or job.is_whole:
        yield job
        return
    after, waiting, waiting_size = sum(sizes), list[Pair](), 0
    for pair, size in zip(pairs, sizes, strict=True):
        limit = _share(jobs, smallest, after, waiting_size)
        partitionings = _partitionings(job, pair) if size >= 2 * limit and not job.keeps_files else None
        is_full = waiting_size + size > limit or len(waiting) * len(pair) >= _MAX_FILES
        if waiting and (partitionings is not None or is_full):
            yield part_of(job, together(waiting))
            waiting, waiting_size = [], 0
        after -= size
        if partitionings is None:
            waiting, waiting_size = [*waiting, pair], waiting_size + size
        else:
            size_of_part = partial(_share, jobs, smallest, after)
            yield from (part_of(job, part) for part in file_parts(pair, partitionings, size_of_part))
    if waiting:
        yield part_of(job, together(waiting))


def pieces_of(job: Job, pairs: Sequence[Pair], size: int) -> list[Pair]:
    """The same file pairs, with large ones cut into pieces of about this size; uncut if their sides cannot be cut."""
    pieces: list[Pair] = []
    for pair in pairs:
        is_large = all(isinstance(side.files[0], Path) for side in pair) and _pair_size(pair) >= 2 * size
        may_cut = is_large and not job.is_whole and not job.keeps_files and not job.has_fractions
        partitionings = _partitionings(job, pair) if may_cut else None
        try:
            pieces += [pair] if partitionings is None else file_parts(pair, partitionings, lambda remainder: size)
        except CannotPartitionError:
            return list(pairs)
    return pieces


def part_of(job: Job, pair: Pair) -> Job:
    """The same job on a part of each side; `Joining` adds up its runs."""
    systems = None if job.systems is None else dict(zip(job.systems, pair[1:], strict=True))
    return replace(job, gold=pair[0], systems=systems, groups=part_groups(job))


def part_groups(job: Job) -> Groups:
    """The groups of the parts: sums of fractions depend on the order in which documents are added up."""
    return "document" if job.prepared.task.evaluation.by_document else job.groups


def file_pairs(job: Job) -> list[Pair] | None:
    """The files that belong together, in order: from folders, patterns and lists, or one file per side.

    None if a side is not a file that can be read again, or if the files of two sides do not belong together.
    """
    paths = job.paths
    if len(paths) < len(job.sides):
        return None
    listed = [files for files in map(files_of, paths) if files is not None]
    if not listed and not any(map(is_pipe, paths)):
        listed = [(path,) for path in paths if not isinstance(path, FileList)]
    elif len(listed) < len(paths) or not _belong_together(paths, listed):
        return None
    names = [name_of(side) for side in job.sides]
    return [
        [FileList(name, (file,)) for name, file in zip(names, files, strict=True)]
        for files in zip(*listed, strict=True)
    ]


def _belong_together(paths: Sequence[AnyPath | FileList], listed: Sequence[Sequence[AnyPath]]) -> bool:
    """Whether folders and patterns have files of the same names, or lists of the same length."""
    if any(isinstance(path, FileList) for path in paths):
        return len({len(files) for files in listed}) == 1
    return len({tuple(file.name for file in files) for files in listed}) == 1


def together(pairs: Sequence[Pair]) -> Pair:
    """Consecutive pairs as one."""
    return [replace(sides[0], files=tuple(side.files[0] for side in sides)) for sides in zip(*pairs, strict=True)]


def _partitionings(job: Job, pair: Pair) -> list[Partitioning] | None:
    """How to divide the files of a pair; None if one of them cannot be divided."""
    read_as, settings = job.prepared.read_as, job.prepared.settings
    sides = [read_as["gold"], *(system_settings(read_as, name) for name in job.systems or ("system",))]
    partitionings = []
    for file, side in zip(pair, sides[: len(pair)], strict=True):
        partitioning = partitioning_of(Source(file.files[0]), side, settings)
        if partitioning is None:
            return None
        partitionings.append(partitioning)
    return partitionings


def partitioning_of(source: Source, read_as: ReadSettings, settings: ScoreSettings) -> Partitioning | None:
    """How to divide a file; None if it cannot be divided."""
    if not source.is_plain:
        return None
    format = recognise(source, read_as.format, read_as.task)[0]
    partitioning = format.readers[settings.task].partitioning if settings.task in format.readers else None
    if partitioning is None or settings.parameters.get("levels") != "separate" or partitioning.columns(read_as) == 1:
        return partitioning
    # Levels of a column count from the deepest stack of the column before it.
    return replace(partitioning, is_odd=lambda data: b"|" in data)


def file_parts(pair: Pair, partitionings: Sequence[Partitioning], size: Callable[[int], int]) -> Iterator[Pair]:
    """Generate the parts of a file pair; `size` returns the next part's size, all sides together, of a remainder."""
    sources = [Source(side.files[0]) for side in pair]
    ends = [source.size for source in sources]
    begins = [CutPoint(0, 1, 0, is_clean=True)] * len(pair)
    with ExitStack() as stack:
        scans = [
            Scan(stack.enter_context(source.open()), partitioning)
            for source, partitioning in zip(sources, partitionings, strict=True)
        ]
        cutter = _Cutter(scans, partitionings)
        while True:
            remainder = sum(ends) - sum(cut.offset for cut in begins)
            cuts = cutter.cuts_from(begins[0].offset + max(1, size(remainder) * ends[0] // sum(ends)))
            if cuts is None:
                break
            yield _between(pair, begins, [cut.offset for cut in cuts])
            begins = cuts
    yield _between(pair, begins, ends)


def _between(pair: Pair, begins: Sequence[CutPoint], ends: Sequence[int]) -> Pair:
    return [
        replace(side, part=FilePart(cut.offset, end, cut.line))
        for side, cut, end in zip(pair, begins, ends, strict=True)
    ]


class _Cutter:
    """Finds offsets at which all sides can be cut, scanning all files in step."""

    def __init__(self, scans: Sequence[Scan], partitionings: Sequence[Partitioning]) -> None:
        self._scans, self._partitionings = scans, partitionings
        self._first = self._kinds([scan.unit(0) or CutPoint(0, 1, 0, is_clean=False) for scan in scans])

    def cuts_from(self, offset: int) -> list[CutPoint] | None:
        """The first cut points at or after a byte of the gold standard; None if there are none."""
        gold, *systems = self._scans
        while (cut := gold.unit_from(offset)) is not None:
            cuts = [cut, *(other for scan in systems if (other := scan.unit(cut.number)) is not None)]
            if len(cuts) < len(self._scans):
                return None
            self._check(cuts)
            if cut.number > 1 and all(other.is_clean for other in cuts):  # a header may precede the first
                return cuts
            offset = cut.offset + 1
        return None

    def _check(self, cuts: Sequence[CutPoint]) -> None:
        if any(scan.is_odd for scan in self._scans) or self._kinds(cuts) != self._first:
            raise CannotPartitionError("its layout varies")
        names = {
            cut.text for cut, partitioning in zip(cuts, self._partitionings, strict=True) if partitioning.has_names
        }
        if len(names) > 1:
            raise CannotPartitionError("documents have different names")

    def _kinds(self, cuts: Sequence[CutPoint]) -> list[object]:
        return [partitioning.kind(cut.text) for partitioning, cut in zip(self._partitionings, cuts, strict=True)]


class Joining:
    """Adds up the runs of parts, which must come in order; only a few are in memory at once."""

    def __init__(self, job: Job, *, separate: bool = False) -> None:
        """`separate` parts are complete inputs, in which a system may lack documents."""
        self._job, self._sum, self._separate = job, RunAccumulator(job.prepared.task, (), job.groups), separate
        self._takes_tags = any("token_tags" in scorer.needs for scorer in job.scorers)
        self.parts = 0
        """The number of parts added."""

    def add(self, run: Run) -> None:
        """Add the run of the next part. Raise an error if it does not continue the others."""
        self.parts += 1
        if self.parts == 1:
            self._sum.run = run
            self._sum.add_tallies(run)
            return
        joined = self._sum.run
        _check_continues(joined, run, takes_tags=self._takes_tags, separate=self._separate)
        documents = joined.documents - int(run.begins_inside)
        shift = {"sentence": joined.sentences, "finest": joined.sentences, "document": documents, "total": 0}
        self._sum.add_tallies(run, shift[part_groups(self._job)])
        self._sum.add_sides(run.gold, run.systems, run.levels)
        joined.document_of += [of_document + documents for of_document in run.document_of]
        joined.documents = documents + run.documents
        joined.sentences += run.sentences
        joined.size = None if joined.size is None or run.size is None else joined.size + run.size
        joined.labels = tuple(sorted({*joined.labels, *run.labels}))
        joined.names = {**joined.names, **run.names}
        joined.document_names += run.document_names
        joined.ends_apart = run.ends_apart

    def sum(self) -> Run:
        """Return the sum of all runs, whose groups are not settled."""
        return self._sum.sum_tallies()

    def finish(self) -> Run:
        """Return the run of all parts."""
        job, run = self._job, self.sum()
        run.settle_groups(job.groups)
        # A part may have a side without spans even if the whole does not.
        job.prepared.task.evaluation.check_inputs(run.gold, run.systems)
        job.refuse_itself(run)  # parts are not files
        return run


def _check_continues(before: Run, after: Run, *, takes_tags: bool, separate: bool) -> None:
    """Raise an error unless the second part was read like the first one and begins where that ends."""
    if before.ends_apart:
        raise CannotPartitionError("a word crosses the end of a part")
    if _read_info(before, takes_tags=takes_tags) != _read_info(after, takes_tags=takes_tags):
        raise CannotPartitionError("its parts have different formats")
    for name, side in after.systems.items():
        one, other = (run.mismatches or AlignmentIssues() for run in (before.systems[name], side))
        is_split = bool({*one.missing} & {*other.extra} or {*one.extra} & {*other.missing})
        if is_split or (not separate and any(part.missing or part.extra or part.by_order for part in (one, other))):
            raise CannotPartitionError("the two sides have different documents in the same part")
    for name, source in after.names.items():
        if name in before.names:
            raise repeated_name(source, name)


def _read_info(run: Run, *, takes_tags: bool) -> list[object]:
    """How all sides were read; with `takes_tags`, including whether tags can be compared."""
    gold, *systems = (side.reading or ReadInfo() for side in (run.gold, *run.systems.values()))
    formats: list[object] = [(info.format, info.encoding is None) for info in (gold, *systems)]
    same_tags = [system.encoding == gold.encoding for system in systems] if takes_tags else []
    return [run.atoms, run.by_position, formats, same_tags]
