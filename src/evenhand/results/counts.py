"""Counts of a part of a text, with the settings that led to them: what `Metric` collects and `merge` adds up.

Counts of consecutive parts add up to the counts of the whole: bit-identical to one run over the files of all parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evenhand import __version__
from evenhand.data.annotation import ReadInfo
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.files import write_file
from evenhand.formats.paths import FileList
from evenhand.pipeline.inputs import RunConfig, name_of
from evenhand.pipeline.partition import CannotPartitionError, Joining, part_groups
from evenhand.pipeline.run import Job, Run
from evenhand.pipeline.saved_runs import copy_of, encode, unsettled
from evenhand.results.result import saved_settings
from evenhand.results.signature import joint_signature, signature
from evenhand.settings import Groups
from evenhand.tasks.registry import without_overrides

COMMAND = "score --counts"
"""What writes counts, as their files state."""
_TOGETHER = "score the files of all parts in one run"


@dataclass(frozen=True)
class Counts:
    """The counts of one part. They are not settled: documents or sentences become the groups when all parts are known.

    `source` names the part in messages.
    """

    gold: str
    config: RunConfig
    groups: Groups
    run: Run
    source: str = "the part"
    files: tuple[str, ...] = ()
    """The SHA-256 of each gold file, to detect repeated parts."""

    @staticmethod
    def of(job: Job, run: Run, source: str = "the part") -> Counts:
        """The counts of a finished run."""
        check_adds_up(job)
        config = replace(job.prepared, gold=None, content=replace(job.prepared.content, files=None))
        run = unsettled(run)
        return Counts(name_of(job.gold), config, part_groups(job), replace(run, before=None), source)

    @property
    def job(self) -> Job:
        """A job with the same settings, without files."""
        gold, systems = FileList(self.gold, ()), {name: FileList(name, ()) for name in self.run.systems}
        return Job(gold, systems, self.config, self.config.settings.match, self.groups, with_totals=True)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each system."""
        settings, read_as = self.config.settings, self.config.read_as["gold"]
        reading, atoms = self.run.gold.reading or ReadInfo(), self.run.atoms
        return {
            name: signature(settings, read_as, atoms, reading, side.reading or ReadInfo())
            for name, side in self.run.systems.items()
        }

    def save(self, path: str | Path) -> None:
        """Write them as JSON, which `evenhand merge` reads."""
        check_saveable(self.job)
        saved = {
            "evenhand": __version__,
            "command": COMMAND,
            "task": self.config.settings.task,
            "signature": joint_signature(self.signatures.values()),
            "gold": self.gold,
            "settings": saved_settings(self.config.settings),
            "read_as": self.config.read_as,
            "traits": sorted(self.config.content.traits),
            "groups": self.groups,
            "files": self.files,
            "run": self.run,
        }
        write_file(path, encode(saved) + b"\n")


def check_saveable(job: Job) -> None:
    """Raise an error if the counts of a job cannot be saved."""
    check_adds_up(job)
    if job.prepared.settings.functions:
        function = next(iter(job.prepared.settings.functions))
        raise SettingError(f"The function {function} cannot be saved with the counts; score all files in one run.")


def check_adds_up(job: Job) -> None:
    """Raise an error if the counts of the parts of a job do not add up."""
    settings = job.prepared.settings
    if job.has_fractions:
        raise SettingError("Sums of token weights depend on the order of additions; score all files in one run.")
    if settings.parameters != without_overrides(settings).parameters:
        raise SettingError("Overrides refer to the whole gold standard; score all files in one run.")


def add_up(parts: Sequence[Counts]) -> Counts:
    """Add up the counts of consecutive parts. Raise an error unless they fit together."""
    first = parts[0]
    if len(parts) == 1:
        return first
    sources: dict[str, str] = {}
    joining = Joining(first.job, separate=True)
    for part in parts:
        _check_settings(first, part)
        repeated = next((sources[file] for file in part.files if file in sources), None)
        if repeated is not None:
            finding = f"has the same gold standard as {repeated}"
            raise InputError(part.source, None, finding, "name every part once")
        sources |= dict.fromkeys(part.files, part.source)
        try:
            joining.add(copy_of(part.run) if part is first else part.run)
        except CannotPartitionError as error:
            raise InputError(part.source, None, f"cannot be merged because {error.reason}", _TOGETHER) from None
    return replace(first, run=joining.sum(), files=tuple(sources))


def _check_settings(first: Counts, part: Counts) -> None:
    """Raise an error unless two parts have the same systems and the same settings."""
    if [*part.run.systems] != [*first.run.systems]:
        names, others = (", ".join(counts.run.systems) for counts in (part, first))
        finding = f"has the systems {names}, but {first.source} has {others}"
        raise InputError(part.source, None, finding, "name the systems alike in all parts (NAME=FILE)")
    pairs = [(part.signatures[name], first.signatures[name]) for name in part.run.systems]
    pairs.append((f"groups:{part.groups}", f"groups:{first.groups}"))
    for own, other in pairs:
        if own == other:
            continue
        values, expected = (dict(pair.partition(":")[::2] for pair in text.split("|")) for text in (own, other))
        keys = [key for key in {**expected, **values} if values.get(key) != expected.get(key)]
        here, there = (" and ".join(f"{key}:{side.get(key, 'none')}" for key in keys) for side in (values, expected))
        remedy = "score all parts with the same settings; --encoding and --format set what is recognised otherwise"
        raise InputError(part.source, None, f"expected {there} as in {first.source}, got {here}", remedy)
