"""What a reader of scores of chains should know about the files behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.settings import ReadSettings
from evenhand.tally import Tally
from evenhand.tasks.notes import document_notes
from evenhand.tasks.side_count import SideCount
from evenhand.text.document_feed import Mismatches

if TYPE_CHECKING:
    from evenhand.result.result import Gold

COPIES = "copies"
"""How many mentions repeat others, where all of them count."""
_NODES = "mentions there are wrong or missing, unless zeros match by what they depend on"


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Documents, words and mentions that are not as they should be."""
    found, mismatches = [], side.mismatches or Mismatches()
    for side_name, count in (("gold " + gold.name, gold_count), ("system " + name, side)):
        if count.noted[COPIES]:
            owned = "the last of their chains owns them, and all copies count"
            found.append(f"{side_name}: {_repeats(count.noted[COPIES])}; {owned}.")
    if gold_count.repeated:
        found.append(f"gold {gold.name}: {_repeats(gold_count.repeated)}; the first chain keeps the span.")
    if side.repeated:
        found.append(f"system {name}: {_repeats(side.repeated)}; where it is in the key, the first chain keeps it.")
    found += document_notes(name, mismatches)
    if mismatches.words:
        words = "1 word is not that" if mismatches.words == 1 else f"{mismatches.words:,} words are not those"
        first = f"the first one: {mismatches.first_word}; --align strict refuses them"
        found.append(f"system {name}: {words} of the gold standard ({first}).")
    if mismatches.nodes:
        nodes = "1 empty node is" if mismatches.nodes == 1 else f"{mismatches.nodes:,} empty nodes are"
        found.append(f"system {name}: {nodes} in one of the two files only; {_NODES}.")
    if not gold.units:
        found.append(f"gold {gold.name}: has no mention at all.")
    elif not gold.labels:
        found.append(f"gold {gold.name}: has no POS, so that there are no types of mentions and no arcs_nom.")
    if not side.units:
        found.append(f"system {name}: has no mention at all.")
    elif identical:
        found.append(f"system {name}: its chains are just those of the gold standard; is it the right file?")
    return tuple(found)


def _repeats(count: int) -> str:
    return "1 mention repeats the span of another" if count == 1 else f"{count:,} mentions repeat spans of others"


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all counts of key and response are those of what is common; or all verdicts are right."""
    if "chains" not in tallies:
        met = [tally for tally in tallies.values() if len(tally)]
        return bool(met) and all(tally.kinds_met <= {"tp", "tn"} for tally in met)
    tally = tallies["chains"]
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    common = [kind.removesuffix(".common") for kind in counts if kind.endswith(".common")]
    kinds = [kind for kind in common if f"{kind}.key" in counts]
    equal = [counts[f"{kind}.common"] == counts[f"{kind}.key"] == counts[f"{kind}.response"] for kind in kinds]
    return all(equal) and counts["mentions.key"] > 0
