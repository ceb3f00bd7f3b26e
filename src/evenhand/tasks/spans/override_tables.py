"""What overrides of the gold standard do to scores: the sentence about them, and scores before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.settings import ScoreSettings
from evenhand.table import Cell, Column, Table
from evenhand.tasks.spans.override_parameters import KIND
from evenhand.text.overrides import OverrideFile

if TYPE_CHECKING:
    from evenhand.result.result import Results

_AS_KIND = "GE: errors on gold spans that are wrong, and FP that should be gold spans. They count as --weights says."


def override_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """How many spans are overridden, by verdict."""
    file: OverrideFile | None = settings["overrides"]
    if file is None:
        return ()
    counted = ", ".join(f"{count:,} {verdict}" for verdict, count in file.verdicts.items() if count)
    number = sum(file.verdicts.values())
    lines = f"{number:,} override{'' if number == 1 else 's'}"
    how = "errors of the gold standard are the kind GE" if settings["overrides_as"] == KIND else "it is corrected"
    return (f"the gold standard has {lines} ({file.name}{f': {counted}' if counted else ''}); {how}.",)


def before_and_after(results: Results) -> Iterator[Table]:
    """The headlines of all systems without and with overrides, where there are some."""
    first = next(iter(results.values()))
    if not first.before:
        return
    columns = [Column("system", "text"), Column("model", "text")]
    columns += [Column(name, "percent") for name in ("before", "after", "change")]
    rows: list[list[Cell]] = []
    for name, result in results.items():
        for place, (model, score) in enumerate(result.scores.items()):
            before, after = result.before[model].headline, score.headline
            rows.append([name if place == 0 else "", model, before, after, after - before])
    remark = _AS_KIND if first.settings["overrides_as"] == KIND else ""
    yield Table("overrides of the gold standard", columns, rows, remark=remark)
