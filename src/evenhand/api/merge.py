"""`merge`: the result of one run from saved counts of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.api.score import score_inputs
from evenhand.api.summary import summarize_inputs
from evenhand.errors import SettingError
from evenhand.formats.arrow import arrow
from evenhand.formats.paths import files_of
from evenhand.formats.storage import Address, AnyPath, to_path
from evenhand.parameters import checked_arguments
from evenhand.pipeline.inputs import ScoredInputs
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.pipeline.saved_runs import digests, in_groups
from evenhand.results.counts import SUFFIXES, Counts, add_up, check_saveable
from evenhand.results.json import load_counts
from evenhand.results.result import Result, Results
from evenhand.results.summary import Summary
from evenhand.settings import Resampled


@checked_arguments(inputs=("parts",))
def merge(
    parts: AnyPath | str | Sequence[AnyPath | str],
    *,
    against: str = "best",
    trials: int | None = None,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    numbers: int | None = None,
) -> Summary | Result:
    """Merge the counts of parts, which `evenhand score --counts` or `recording_counts` saved.

    Returns what one run over the files of all parts returns, to the last bit: the summary of several systems, with
    intervals and tests, or the result of one system.

    parts      files, in order, or a folder or pattern of such files
    against, trials, resamples, level, seed, of
               of tests and intervals, as in `summarize`
    numbers    the numbers version that the figures must have
    """
    listed = [parts] if isinstance(parts, str | Path | Address) else list(parts)
    files = [str(file) for part in map(to_path, listed) for file in files_of(part) or [part]]
    if not files:
        raise SettingError("Nothing to merge: give at least one file written by evenhand score --counts.")
    resampling: dict[str, Any] = {"trials": trials, "resamples": resamples, "level": level, "seed": seed, "of": of}
    counts = add_up([load_counts(file) for file in files])
    job = counts.job
    assert job.systems is not None
    engine = engine_of(counts)
    if len(job.systems) == 1:
        return next(iter(without_inputs(score_inputs(job.gold, job.systems, job.prepared, "total", engine)).values()))
    summary = summarize_inputs(ScoredInputs(job.gold, job.systems, job.prepared), against, engine=engine, **resampling)
    return replace(summary, results=without_inputs(summary.results))


def engine_of(counts: Counts) -> Engine:
    """An engine that runs nothing: it returns these counts, in the groups of the job."""

    def engine(job: Job) -> Run:
        run = in_groups(counts.run, job.groups)
        job.prepared.task.evaluation.check_inputs(run.gold, run.systems)
        return run

    return engine


def without_inputs(results: Results) -> Results:
    """The same results without files, so nothing is read again."""
    return Results({name: replace(result, inputs=None) for name, result in results.items()})


def recording_counts(path: str | Path, engine: Engine | None = None) -> Engine:
    """An engine that also saves the counts of a job, for `merge`.

    The name of the file ends in .json or .parquet.

    >>> eh.score("gold.conll", "crf.conll", engine=eh.engines.recording_counts("part.json"))
    """
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise SettingError(f"Counts are saved as JSON or Parquet. {path} must end in {' or '.join(SUFFIXES)}.")
    if suffix == ".parquet":
        arrow.load()

    def run(job: Job) -> Run:
        check_saveable(job)
        kept = replace(job, groups="finest", with_totals=True)
        counts = Counts.of(kept, (engine or serial)(kept))
        replace(counts, files=digests(job.gold) or ()).save(path)
        return in_groups(counts.run, job.groups)

    return run
