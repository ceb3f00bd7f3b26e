"""What a reader of scores of words should know about the files behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.settings import ReadSettings
from evenhand.tasks.notes import label_notes, reading_notes
from evenhand.tasks.side_count import SideCount
from evenhand.text.annotation import Reading

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """One sentence for everything that is worth a look."""
    found = reading_notes("gold", gold.name, gold.reading, "begin")
    found += reading_notes("system", name, side.reading or Reading(), "begin")
    if side.missing:
        found.append(
            f"system {name}: has no word for {side.missing:,} of the {gold.tokens or 0:,} words of the gold standard, "
            "as its tokens differ; these count as wrong."
        )
    if not gold.units:
        found.append(f"gold {gold.name}: has no word that counts.")
    elif identical:
        found.append(f"system {name}: its words are labeled just as those of the gold standard; is it the right file?")
    return (*found, *label_notes(gold, name, side.labels, "word"))
