"""Verdicts that are written to a file while systems are judged: an engine in this process that looks at every portion.

Units are those that are compared: spans of the gold standard and surplus, words, mentions. Here each system is by
itself, so that its rows add up to its tallies.
"""

from __future__ import annotations

from functools import partial
from os import PathLike, fspath

from evenhand.arguments import check_file
from evenhand.formats.arrow_sink import table_file, table_format
from evenhand.formats.overwriting import refuse_overwriting
from evenhand.pipeline.run import Run
from evenhand.pipeline.verdict_table import VerdictTable, verdict_schema
from evenhand.pipeline.work import Engine, Work
from evenhand.problems import SettingError
from evenhand.tasks.passage import Judgement
from evenhand.tasks.registry import models_of
from evenhand.text.labels import Vocabulary


def recording(path: str | PathLike[str]) -> Engine:
    """An engine that also writes all verdicts to a Parquet or Arrow file, as its name says."""
    check_file(path)
    return partial(_recorded, fspath(path))


def _recorded(path: str, work: Work) -> Run:
    form, schema = table_format(path), verdict_schema(work.prepared.task)
    refuse_overwriting(path, work.places)
    task, asked = work.prepared.task, [judge.name for judge in work.judges]
    judge = next((judge for judge in task.verdict_judges if judge in asked), None)
    if judge is None:
        names = [model.name for model in models_of(task.name) if model.judge.name in task.verdict_judges]
        raise SettingError(f"Verdicts on {task.name} are those of {', '.join(names)}; name one of these match models.")
    vocabulary = Vocabulary()
    with table_file(path, form, schema) as sink:
        table = VerdictTable(sink, judge, task.verdict_kinds, vocabulary.labels)
        run = work.run([partial(_record, table, judge)], vocabulary)
        run.settle_groups(work.groups)
        return run


def _record(table: VerdictTable, judge: str, judgement: Judgement) -> None:
    """Write the verdicts of one portion, system by system."""
    for name in judgement.tallies:
        for rows, before in judgement.rows(name, judge):
            table.add(name, rows, before)
