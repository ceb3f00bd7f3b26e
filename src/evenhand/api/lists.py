"""`models` and `formats`: the measures and the formats of files, as lists that show themselves as tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from evenhand.formats.format import FORMATS
from evenhand.parameters import checked_arguments
from evenhand.tasks.registry import TASKS, models_of, summary_of, task_named

Row = TypeVar("Row", bound="ModelInfo | FormatInfo")


class ModelInfo(NamedTuple):
    """A measure."""

    name: str
    task: str
    summary: str
    title: str
    family: str | None
    aliases: tuple[str, ...]
    parameters: tuple[str, ...]
    is_ranked: bool
    """Whether `name@3` accepts one of the first three answers."""


class FormatInfo(NamedTuple):
    """A format of files."""

    name: str
    help: str
    reads: tuple[str, ...]
    """The tasks that it is read for."""
    writes: tuple[str, ...]
    suffixes: tuple[str, ...]


class Listing(list[Row]):
    """A list that shows its first columns as a table."""

    def __init__(self, rows: Iterable[Row], columns: tuple[str, ...]) -> None:
        super().__init__(rows)
        self._columns = columns

    def __str__(self) -> str:
        cells = [self._columns, *(tuple(map(_text, self._of(row))) for row in self)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
        return "\n".join(lines)

    __repr__ = __str__

    def _of(self, row: Row) -> list[object]:
        return [getattr(row, column) for column in self._columns]

    def _repr_html_(self) -> str:
        from html import escape

        rows = [f"<th>{column}</th>" for column in self._columns]
        body = ["".join(f"<td>{escape(_text(cell))}</td>" for cell in self._of(row)) for row in self]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in ("".join(rows), *body)) + "</table>"


def _text(cell: object) -> str:
    return ", ".join(map(str, cell)) if isinstance(cell, tuple) else str(cell)


@checked_arguments()
def models(task: str | None = None) -> Listing[ModelInfo]:
    """The measures of a task or of all tasks, by name, task and definition in one line.

    >>> print(eh.models("ner"))
    """
    tasks = list(TASKS) if task is None else [task_named(task)]
    rows = (
        ModelInfo(
            measure.name,
            measure.task,
            summary_of(measure),
            measure.title or measure.name,
            measure.family,
            measure.aliases,
            tuple(parameter.name for parameter in measure.parameters),
            measure.scorer.is_ranked,
        )
        for name in tasks
        for measure in models_of(name)
    )
    return Listing(rows, ("name", "task", "summary", "aliases"))


@checked_arguments()
def formats() -> Listing[FormatInfo]:
    """The formats of files, by name, content, and the tasks that they are read and written for.

    >>> print(eh.formats())
    """
    rows = (
        FormatInfo(format.name, format.summary, tuple(format.tasks), tuple(format.writers), tuple(format.suffixes))
        for format in FORMATS.values()
    )
    return Listing(rows, ("name", "help", "reads", "writes", "suffixes"))
