"""The engine that keeps counts in a folder, and runs only the files that are new or have changed.

The counts of a gold file and a system file are kept under the SHA-256 of both files, of all settings and of the
versions of Evenhand and of its numbers. The runs of files add up like parts (`pipeline.partition`), so results are
bit-identical to a run without the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from evenhand.errors import InputError, counted
from evenhand.files import write_file
from evenhand.formats.paths import files_of
from evenhand.parameters import check_file
from evenhand.pipeline.inputs import Input
from evenhand.pipeline.partition import CannotPartitionError, Joining, file_pairs, part_groups
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.pipeline.saved_runs import decode, digests, encode, identity, in_groups, unsettled
from evenhand.settings import system_settings
from evenhand.tasks.registry import without_overrides
from evenhand.versions import signed


def cached(folder: str | Path, engine: Engine | None = None, report: Callable[[str], None] | None = None) -> Engine:
    """An engine that keeps the counts of each pair of files in a folder, and runs another engine if they are new.

    folder     where counts are kept; it is made if it does not exist, and may be deleted at any time
    engine     runs the files that are new or have changed [this process]
    report     receives a sentence on the number of files that were scored

    Other jobs run as usual: pipes, remote files, annotations in memory, token weights, overrides, functions as measures
    and, in folders, measures of strings and answers of language models.
    """
    check_file(folder)
    inner, place, tell = engine or serial, Path(folder), report or (lambda sentence: None)

    def run(job: Job) -> Run:
        settings, kept = job.prepared.settings, replace(job, groups="finest", with_totals=True)
        has_overrides = settings.parameters != without_overrides(settings).parameters
        may_divide = not (job.has_fractions or settings.functions or has_overrides)
        pairs: Sequence[Sequence[Input]] | None = file_pairs(job) if may_divide else None
        if pairs is not None and len(pairs) == 1:
            pairs = [job.sides]  # some formats read one file of a list in another way
        keys = None if pairs is None or (job.is_whole and len(pairs) > 1) else _keys(kept, pairs)
        if pairs is None or keys is None:
            tell("Nothing was taken from the cache: the files of this job cannot be scored one by one.")
            return inner(job)
        _make(place)
        try:
            return in_groups(_sum(kept, pairs, keys, place, inner, tell), job.groups)
        except CannotPartitionError as error:
            tell(f"Nothing was taken from the cache because {error.reason}.")
            return inner(job)

    return run


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(str(folder), None, f"cannot be created ({reason})", "choose another folder") from None


def _sum(
    job: Job,
    pairs: Sequence[Sequence[Input]],
    keys: Sequence[Sequence[str]],
    folder: Path,
    inner: Engine,
    tell: Callable[[str], None],
) -> Run:
    joining, scored = Joining(job), 0
    for pair, of_systems in zip(pairs, keys, strict=True):
        runs = []
        for part, key in zip(_parts(job, pair), of_systems, strict=True):
            path = folder / f"{key}.json"
            run = _kept(path)
            if run is None:
                run, scored = unsettled(inner(part)), scored + 1
                write_file(path, encode(run))
            runs.append(run)
        joining.add(_side_by_side(runs))
    tell(f"Cache: scored {scored:,} of {counted(sum(map(len, keys)), 'pair')} of files; the others have not changed.")
    return unsettled(joining.finish())


def _parts(job: Job, pair: Sequence[Input]) -> list[Job]:
    """The job on a file of each system; one job if gold standard and system are in one file."""
    gold, *sides = pair
    part = replace(job, gold=gold, groups=part_groups(job), prepared=replace(job.prepared, gold=None))
    names = job.systems or {}
    return [replace(part, systems={name: side}) for name, side in zip(names, sides, strict=True)] or [part]


def _kept(path: Path) -> Run | None:
    """The run in a file of the cache; None if there is none, or if it is damaged."""
    try:
        return decode(path.read_bytes(), Run)
    except (OSError, msgspec.MsgspecError, ValueError):
        return None


def _keys(job: Job, pairs: Sequence[Sequence[Input]]) -> list[list[str]] | None:
    """For each pair, the key of each system's counts; None if a file or a setting has no digest."""
    files = [
        value
        for value in job.prepared.settings.parameters.values()
        if isinstance(value, str | Path) and _is_file(value)
    ]
    keys = []
    try:
        named = [digests(file) for file in files]
        for pair in pairs:
            known = [digests(side) for side in pair]
            if None in known:
                return None
            sides = known[1:] or known
            keys.append(
                [_key(part, [known[0], side, *named]) for part, side in zip(_parts(job, pair), sides, strict=True)]
            )
    except (NotImplementedError, TypeError):
        return None
    return keys


def _is_file(value: str | Path) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):
        return False


def _key(part: Job, contents: Sequence[object]) -> str:
    """The SHA-256 of everything that a run depends on; files may give documents their names."""
    config, names = part.prepared, list(part.systems or {})
    read_as = {"gold": config.read_as["gold"], **{name: system_settings(config.read_as, name) for name in names}}
    read_as = {name: replace(settings, block_size=0) for name, settings in read_as.items()}
    settings = (config.settings, read_as, sorted(config.content.traits), config.read_as["system"].encoding)
    scorers = [scorer.name for scorer in part.scorers]
    paths = [list(map(str, files_of(path) or (path,))) for path in part.paths]
    return hashlib.sha256(identity([signed({}), names, settings, scorers, part.groups, paths, contents])).hexdigest()


def _side_by_side(runs: Sequence[Run]) -> Run:
    """The runs of several systems on one gold standard as one run."""
    first = runs[0]
    if len(runs) == 1:
        return first
    shared = [identity(_text_of(run)) for run in runs]
    tallies = [tally for run in runs for by_scorer in run.tallies.values() for tally in by_scorer.values()]
    if len(set(shared)) > 1:
        raise CannotPartitionError("a system changes how the gold standard is read")
    if any(tally.has_fractions and tally.labels for tally in tallies):
        raise CannotPartitionError("its sums of fractions depend on the labels of all systems")
    joined = replace(first, systems={}, tallies={}, supertags={}, levels={}, labels=())
    for run in runs:
        joined.systems |= run.systems
        joined.tallies |= run.tallies
        joined.supertags |= run.supertags
        joined.levels |= run.levels
    return replace(
        joined,
        labels=tuple(sorted({label for run in runs for label in run.labels})),
        ends_apart=any(run.ends_apart for run in runs),
    )


def _text_of(run: Run) -> Run:
    """What runs of several systems must share: the gold standard and its text."""
    return replace(run, systems={}, tallies={}, supertags={}, levels={}, labels=(), ends_apart=False)
