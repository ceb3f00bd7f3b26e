"""Notes that several tasks share: what a reader of the numbers should know about the files behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.problems import WARNING, counted, plural
from evenhand.suggestion import nearest
from evenhand.tally import Tally
from evenhand.text.annotation import Reading
from evenhand.text.document_feed import Mismatches
from evenhand.text.label_names import MOST, foreign_labels, listed

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def label_notes(gold: Gold, name: str, labels: Mapping[str, int], unit: str = "span") -> list[str]:
    """What labels only one side has; a warning if the two have none in common."""
    if not gold.units or not labels or not sum(labels.values()):
        return []
    if foreign := foreign_labels(labels, gold.labels):
        return [f"{WARNING}system {name}: {'; '.join(foreign)}."]
    return [
        *_one_sided(f"gold {gold.name}", "the system", gold.labels, labels, unit),
        *_one_sided(f"system {name}", "the gold standard", labels, gold.labels, unit),
    ]


def reading_notes(side: str, name: str, reading: Reading, repair: str) -> list[str]:
    found = []
    repair = reading.repair or repair
    if reading.repaired:
        one = reading.repaired == 1
        policy = "left out" if repair == "discard" else f"taken as {'it stands' if one else 'they stand'}"
        spans = f"{counted(reading.repaired, 'span')} {'is' if one else 'are'}"
        encoding = (reading.encoding or "").upper()
        found.append(
            f"{side} {name}: {spans} ill-formed in {encoding} and {policy} "
            f"(repair: {repair}; the first one: {reading.first_repair})."
        )
    if reading.looks_like is not None:
        found.append(f"{side} {name}: {_judged_as(reading.looks_like, reading.encoding or '')}.")
    if reading.quotes_show:
        found.append(
            f"{side} {name}: its quotes match its offsets only as {reading.offsets}, so they are read like this "
            f"(--offsets {side}:{reading.offsets} confirms it)."
        )
    if reading.merged:
        spans = "1 span has a label" if reading.merged == 1 else f"{reading.merged:,} spans have labels"
        found.append(f"{side} {name}: {spans} of tokens, such as B-PER and I-PER, and were merged into entities.")
    if reading.repeated:
        spans = "1 span is" if reading.repeated == 1 else f"{reading.repeated:,} spans are"
        found.append(f"{side} {name}: {spans} listed more than once, and each listing counts.")
    skipped = [f"{side} {name}: skipped {what} ({count:,})." for what, count in reading.skipped.items() if count]
    kept = [
        f"{side} {name}: took {what} as they stand ({count:,}; --repair error refuses them)."
        for what, count in reading.kept.items()
    ]
    return found + skipped + kept


def unit_notes(gold: Gold, name: str, units: int, unit: str, *, identical: bool) -> list[str]:
    """What is suspicious about how many units there are."""
    found = []
    if not units:
        found.append(f"system {name}: has no {unit} at all.")
    elif identical:
        found.append(f"system {name}: its {plural(unit)} are just those of the gold standard; is it the right file?")
    return found


def document_notes(name: str, mismatches: Mismatches, unit: str = "documents") -> list[str]:
    """Which documents only one side has."""
    found = []
    if mismatches.missing:
        found.append(f"system {name}: lacks {unit} {listed(mismatches.missing)}; they count as empty.")
    if mismatches.extra:
        found.append(f"system {name}: has more {unit}, which are ignored: {listed(mismatches.extra)}.")
    return found


def _judged_as(looks_like: str, encoding: str) -> str:
    """By which encoding a system's tags are judged that look like another one than the gold standard's."""
    if looks_like == encoding:
        return f"its tags are judged as {encoding.upper()}, since the gold standard's encoding has no such tags"
    judged = f"judged as {encoding.upper()}, the gold standard's encoding"
    return f"its tags look like {looks_like.upper()} but are {judged} (--encoding system:{looks_like} overrides)"


def _one_sided(
    side: str, other: str, labels: Mapping[str, int], others: Mapping[str, int], unit: str = "span"
) -> list[str]:
    """The labels that only one side has, with the nearest one of the other side; of words, rare ones go unsaid."""
    least = sum(labels.values()) / 1000 if unit == "word" else 0
    only = [label for label in labels if label not in others and labels[label] >= least]
    found = []
    for label in only[:MOST]:
        near = nearest(label, [each for each in others if each not in labels] or list(others))
        hint = f"; the nearest one there is {near!r}" if near else ""
        found.append(f"{side}: the label {label!r} ({counted(labels[label], unit)}) does not occur in {other}{hint}.")
    if len(only) > MOST:
        more = counted(len(only) - MOST, "more label")
        found.append(f"{side}: {more} {'does' if len(only) == MOST + 1 else 'do'} not occur in {other}.")
    return found


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all spans or words are right."""
    judges = ("exact", "fair", "tags", "trees")
    met = [tallies[judge] for judge in judges if judge in tallies and len(tallies[judge])]
    return bool(met) and all(tally.kinds_met <= {"TP", "right"} for tally in met)
