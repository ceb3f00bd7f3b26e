"""What a reader of scores of spans should know about the files behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.settings import ReadSettings
from evenhand.tasks.notes import document_notes, label_notes, reading_notes
from evenhand.tasks.side_count import SideCount
from evenhand.text.annotation import Reading

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """One sentence for everything that was repaired or is worth a look."""
    found = reading_notes("gold", gold.name, gold.reading, read_as.repair)
    found += reading_notes("system", name, side.reading or Reading(), read_as.repair)
    if side.mismatches is not None:
        found += document_notes(name, side.mismatches)
        if side.mismatches.by_order:
            found.append(f"system {name}: none of its ids is in the gold standard, so that the order counts.")
    if side.breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    if not gold.units:
        found.append(f"gold {gold.name}: has no span at all.")
    if not side.units:
        found.append(f"system {name}: has no span at all.")
    elif identical:
        found.append(f"system {name}: its spans are just those of the gold standard; is it the right file?")
    return (*found, *label_notes(gold, name, side.labels))
