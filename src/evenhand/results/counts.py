"""Counts of a part of a text, with the settings that led to them: what `Metric` collects and `merge` adds up.

Counts of consecutive parts add up to the counts of the whole: bit-identical to one run over the files of all parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

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
from evenhand.registry import lazy
from evenhand.results.result import saved_settings
from evenhand.results.signature import joint_signature, signature
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups
from evenhand.tasks.registry import without_overrides

COMMAND = "score --counts"
"""What writes counts, as their files state."""
SUFFIXES = (".json", ".parquet")
_TOGETHER = "score the files of all parts in one run"
_MAGIC = b"PAR1"
_METADATA = b"evenhand"
"""The metadata key of a Parquet file under which everything but the rows is stored."""
_COLUMNS = {
    **dict.fromkeys(("system", "judge", "supertag"), "string"),
    "group": "int64",
    **dict.fromkeys(("gold_label", "system_label", "kind"), "string"),
}


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
        """Write them as JSON or Parquet, which `evenhand merge` reads."""
        check_saveable(self.job)
        if Path(path).suffix == ".parquet":
            _write_table(self, path)
        else:
            write_file(path, encode(self.saved()) + b"\n")

    def saved(self) -> dict[str, Any]:
        return {
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


def listed_tallies(run: Run) -> Iterator[tuple[str, str | None, str, Tally]]:
    """System, supertag (or None), scorer and tally."""
    for name, by_scorer in run.tallies.items():
        for tag, tallies in [(None, by_scorer), *run.supertags.get(name, {}).items()]:
            for scorer, tally in tallies.items():
                yield name, tag, scorer, tally


def _write_table(counts: Counts, path: str | Path) -> None:
    """Write the rows of all tallies as a table, and everything else as JSON in its metadata."""
    from evenhand.formats.arrow import arrow
    from evenhand.formats.arrow_write import named, table_file

    listed = list(listed_tallies(counts.run))
    header = {**counts.saved(), "run": replace(counts.run, tallies={}, supertags={})}
    header["tallies"] = [
        (system, tag, judge, tally.labels, tally.kinds, len(tally), tally.has_fractions)
        for system, tag, judge, tally in listed
    ]
    has_fractions = any(tally.has_fractions for *_, tally in listed)
    columns = [*_COLUMNS.items(), ("count", "float64" if has_fractions else "int64")]
    with table_file(path, "parquet", arrow.schema(columns, {_METADATA: encode(header)})) as sink:
        for system, tag, judge, tally in listed:
            texts = {"system": system, "judge": judge, "supertag": tag}
            labels = {"gold_label": tally.gold, "system_label": tally.system}
            sink.add(
                {name: arrow.repeat(arrow.scalar(text, arrow.string()), len(tally)) for name, text in texts.items()}
                | {name: named(code, tally.labels) for name, code in labels.items()}
                | {"group": tally.group, "kind": named(tally.kind, tally.kinds), "count": tally.count}
            )


_read_table, _index_in = lazy("pyarrow.parquet:read_table"), lazy("pyarrow.compute:index_in")


def saved_counts(content: bytes) -> Any:
    """What was saved as JSON or Parquet, as plain values and arrays."""
    if not content.startswith(_MAGIC):
        return msgspec.json.decode(content)
    from evenhand.formats.arrow import arrow

    arrow.load()
    table = _read_table(arrow.BufferReader(content))
    if _METADATA not in (table.schema.metadata or {}):
        raise ValueError("it contains a different table")
    saved = msgspec.json.decode(table.schema.metadata[_METADATA])
    tallies: dict[str, Any] = {name: {} for name in saved["run"]["systems"]}
    supertags: dict[str, Any] = {name: {} for name in tallies}
    first = 0
    for system, tag, judge, labels, kinds, size, has_fractions in saved["tallies"]:
        rows = table.slice(first, size)
        first += size
        gold, predicted, kind = (
            _index_in(rows[column], arrow.array(names, arrow.string())).fill_null(-1).to_numpy()
            for column, names in (("gold_label", labels), ("system_label", labels), ("kind", kinds))
        )
        cell = Tally.cell_of(labels, kinds, *(codes.astype(np.int64) for codes in (gold, predicted, kind)))
        count = rows["count"].to_numpy().astype(np.float64 if has_fractions else np.int64)
        kept = tallies[system] if tag is None else supertags[system].setdefault(tag, {})
        kept[judge] = {
            "labels": labels,
            "kinds": kinds,
            "group": rows["group"].to_numpy(),
            "cell": cell,
            "count": count,
        }
    if first != len(table):
        raise ValueError(f"it has {len(table):,} rows instead of {first:,}")
    saved["run"] |= {"tallies": tallies, "supertags": supertags}
    return saved


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
            raise InputError(part.source, None, finding, "list every part only once")
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
        raise InputError(part.source, None, finding, "use the same system names in all parts (NAME=FILE)")
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
