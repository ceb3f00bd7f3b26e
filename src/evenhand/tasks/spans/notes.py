"""What a reader of scores of spans should know about the files behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.grounding.counts import GroundingCounts
from evenhand.problems import WARNING, counted, plural
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tasks.notes import document_notes, label_notes, reading_notes, unit_notes
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.spans.override_tables import override_notes
from evenhand.text.annotation import Reading

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def grounding_notes(name: str, grounding: GroundingCounts) -> list[str]:
    """What of a language model's answers could not be used."""
    reasons = {
        "not in it": grounding["absent"],
        "named more often than they occur": grounding["repeated"],
        "not whole tokens": grounding["outside"],
    }
    why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
    places = f"in the text ({why}); see --unplaced"
    rest = (
        (grounding.unplaced, f"of {counted(grounding['items'], 'item')}", "has", "have", f"no place {places}"),
        (grounding["unparsable"], "answer could not be read and", "counts", "count", "as empty"),
        (grounding["several"], "answer", "has", "have", "several lists, of which the last complete one counts"),
        (grounding["missing"], "document without an answer", "counts", "count", "as empty"),
        (grounding["unused_ids"], "answer", "has", "have", "ids and the gold standard has none, so the order counts"),
        (grounding["malformed"], "item without a string or a label", "is", "are", "left out"),
        (grounding["capped"], "search", "has", "have", "reached a limit, so some places may be others"),
    )
    found = []
    for count, what, one, several, ending in rest:
        noun, _, others = what.partition(" ")
        nouns = noun if count == 1 or noun == "of" else "searches" if noun == "search" else plural(noun)
        subject = f"{nouns} {others}".strip()
        found += [f"system {name}: {count:,} {subject} {one if count == 1 else several} {ending}."] * (count > 0)
    answered = grounding["documents"] - grounding["missing"]
    hint = "if they are written in another way, name it with --shape"
    if grounding.has_nothing:
        found.insert(0, f"{WARNING}system {name}: no answer has a span that can be read; {hint}.")
    elif 2 * grounding["unparsable"] > answered:
        found.insert(0, f"{WARNING}system {name}: most answers could not be read; {hint}.")
    return found


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What a reader should know about the settings."""
    found = override_notes(settings)
    if settings["unplaced"] != "drop":
        return found
    return (*found, "items without a place in the text are left out (--unplaced drop), which flatters precision.")


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
    if side.grounding is not None:
        found += grounding_notes(name, side.grounding)
    if side.breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    found += unit_notes(gold, name, side.units, "span", identical=identical)
    return (*found, *label_notes(gold, name, side.labels))
