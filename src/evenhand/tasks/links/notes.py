"""What a reader of scores of links should know about the files behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.settings import ReadSettings
from evenhand.tally import Tally
from evenhand.tasks.links.passage import RESPELLED, UNLINKED
from evenhand.tasks.notes import document_notes, label_notes, reading_notes, unit_notes
from evenhand.tasks.side_count import SideCount
from evenhand.text.annotation import Reading
from evenhand.text.document_feed import Mismatches

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Documents, words and links that are not as they should be."""
    mismatches = side.mismatches or Mismatches()
    found = reading_notes("gold", gold.name, gold.reading, read_as.repair)
    found += reading_notes("system", name, side.reading or Reading(), read_as.repair)
    found += document_notes(name, mismatches)
    if mismatches.by_order:
        found.append(f"system {name}: no document has a name of the gold standard's, so that the order counts.")
    if mismatches.words:
        words = "1 token is" if mismatches.words == 1 else f"{mismatches.words:,} tokens are"
        found.append(f"system {name}: {words} spelled otherwise than in the gold standard ({mismatches.first_word}).")
    if respelled := side.noted[RESPELLED]:
        links = "1 link is" if respelled == 1 else f"{respelled:,} links are"
        found.append(f"system {name}: under hipe-strict, {links} wrong only as tokens are spelled otherwise.")
    found += _unlinked("gold", gold.name, gold_count) + _unlinked("system", name, side)
    found += unit_notes(gold, name, side.units, "link", identical=identical)
    return (*found, *label_notes(gold, name, side.labels, "link"))


def _unlinked(which: str, name: str, side: SideCount) -> list[str]:
    count = side.noted[UNLINKED]
    spans = "1 span has no link and takes" if count == 1 else f"{count:,} spans have no link and take"
    return [f"{which} {name}: {spans} no part."] if count else []


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all links are right."""
    judges = [judge for judge in ("fair", "typed_all", "all") if judge in tallies and len(tallies[judge])]
    return bool(judges) and all(tallies[judge].kinds_met <= {"TP"} for judge in judges)
