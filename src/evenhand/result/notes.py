"""Notes: what a reader of the numbers should know about the files behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.settings import Repair
from evenhand.text.annotation import Reading

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def notes(gold: Gold, name: str, system: Reading, repair: Repair, *, breaks_differ: bool) -> tuple[str, ...]:
    """One sentence for everything that was mended or is worth a look."""
    found = [*_reading("gold", gold.name, gold.reading, repair), *_reading("system", name, system, repair)]
    if breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    return tuple(found)


def _reading(side: str, name: str, reading: Reading, repair: Repair) -> list[str]:
    found = []
    if reading.repaired:
        one = reading.repaired == 1
        policy = "left out" if repair == "discard" else f"taken as {'it stands' if one else 'they stand'}"
        spans = "1 span is" if one else f"{reading.repaired:,} spans are"
        encoding = (reading.encoding or "").upper()
        found.append(
            f"{side} {name}: {spans} ill-formed in {encoding} and {policy} "
            f"(repair: {repair}; the first one: {reading.first_repair})."
        )
    skipped = [f"{side} {name}: skipped {count:,} {what}." for what, count in reading.skipped.items() if count]
    return found + skipped
