"""What a reader of scores of relations should know about the files behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.settings import ReadSettings
from evenhand.tally import Tally
from evenhand.tasks.notes import document_notes, label_notes, reading_notes, unit_notes
from evenhand.tasks.side_count import SideCount
from evenhand.text.annotation import Reading

if TYPE_CHECKING:
    from evenhand.result.result import Gold

_QUOTES = "wrong quotations"


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """One sentence for everything that was left out, mended or is worth a look."""
    found = [
        *_of_side(f"gold {gold.name}", gold.reading, gold_count.repeated),
        *_of_side(f"system {name}", side.reading or Reading(), side.repeated),
    ]
    if side.mismatches is not None:
        is_line = read_as.parameters.get("sentences") == "lines"
        found += document_notes(name, side.mismatches, "lines" if is_line else "documents")
        if side.mismatches.words:
            lines = "1 line is" if side.mismatches.words == 1 else f"{side.mismatches.words:,} lines are"
            found.append(f"system {name}: {lines} spelled otherwise than in the gold standard; offsets count as given.")
    if side.breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    found += unit_notes(gold, name, side.units, "relation", identical=identical)
    return (*found, *label_notes(gold, name, side.labels, "relation"))


def _of_side(side: str, reading: Reading, repeated: int) -> list[str]:
    kind, _, name = side.partition(" ")
    others = {what: count for what, count in reading.kept.items() if what != _QUOTES}
    found = reading_notes(kind, name, replace(reading, kept=others), "begin")
    if quotes := reading.kept.get(_QUOTES):
        spans = "1 span quotes another text than it covers" if quotes == 1 else f"{quotes:,} spans quote other texts"
        found.append(f"{side}: {spans}; offsets count (--quotes note).")
    if repeated:
        relations = "1 relation repeats another" if repeated == 1 else f"{repeated:,} relations repeat others"
        found.append(f"{side}: {relations} and {'counts' if repeated == 1 else 'count'} once.")
    return found


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all relations are right."""
    met = [tallies[judge] for judge in ("strict", "fair") if judge in tallies and len(tallies[judge])]
    return bool(met) and all(tally.kinds_met <= {"TP"} for tally in met)
