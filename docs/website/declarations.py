"""Tables of declarations: measures with their parameters, formats with their capabilities."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.formats.format import FORMATS, Capabilities, Format
from evenhand.scoring.measure import Measure
from evenhand.tasks.registry import TASKS, help_of, models_of, parameters_of, summary_of
from website.docstrings import table

MODELS = """# Measures at a glance

The names that `--match` and `match=` take, by task. [Definitions](definitions.md) has every formula with its source,
and [Which measure for which question?](../explanation/measures.md) helps you choose.
"""
FORMAT_HEAD = """# Formats at a glance

The names that `--format` and `--to` take. Formats are recognised from the content of a file. [Formats](formats.md)
describes each of them. *Nested* are spans in spans, *gaps* are spans that leave tokens out.
"""


def models_page() -> str:
    """The measures of every task, and the parameters of tasks and measures."""
    parts = [MODELS]
    for task in TASKS.values():
        parts += [
            f"## {task.title[0].upper()}{task.title[1:]} (`{task.name}`)",
            table(("name", "what is right", "also called"), _models(task.name)),
        ]
        rows = [(f"`{each.name}`", help_of(each)) for each in parameters_of(task.name)]
        if rows:
            parts += ["Parameters (on the command line with hyphens):", table(("parameter", ""), rows)]
    return "\n\n".join(parts) + "\n"


def _models(task: str) -> Iterator[tuple[str, str, str]]:
    for each in models_of(task):
        yield f"`{each.name}`", _summary(each), ", ".join(f"`{alias}`" for alias in each.aliases)


def _summary(model: Measure) -> str:
    family = f" One of `{model.family}`." if model.family else ""
    return summary_of(model) + family


def formats_page() -> str:
    """The formats: what they hold, what they can carry, how names of files end."""
    header = ("name", "", "read for", "written for", "nested", "gaps", "text", "file names")
    return f"{FORMAT_HEAD}\n{table(header, map(_row, FORMATS.values()))}\n"


def _row(format: Format) -> tuple[str, ...]:
    carried = [writer.capabilities for writer in format.writers.values()]
    return (
        f"`{format.name}`",
        format.summary,
        ", ".join(format.tasks),
        ", ".join(format.writers),
        _any(carried, [each.depth is None or each.stacks for each in carried]),
        _any(carried, [each.gaps for each in carried]),
        _any(carried, [each.text for each in carried]),
        " ".join(f"`{suffix}`" for suffix in format.suffixes),
    )


def _any(carried: list[Capabilities], answers: list[bool]) -> str:
    return "" if not carried else "yes" if any(answers) else "no"
