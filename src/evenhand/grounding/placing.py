"""Placing the items of an answer in the document: which occurrence of a string each item means.

- `in-order`: items with offsets that fit stay where these say (`given`). The others get the longest chain of
  occurrences in the order of the output (see `chain`). An item outside the chain gets, by the first step that finds its
  string, the first occurrence that overlaps no placed span; else that equals none; else that equals none of its label;
  else the same by the later steps to `punctuation`; else it is `repeated`: named more often than it occurs.
- `first`, `all`: a document's items are a set of (string, label), which get the first occurrence, or every one. Offsets
  that the answer gives are not looked at. An item that was named before is `merged`.

A string that no step finds is `absent`. An item is *ambiguous* if its string occurs more often than items name it.
Answers that are texts with tags are placed by `marking`.

Source: Evenhand's own rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from evenhand.grounding.chain import MOST_CANDIDATES, greedy_chain, longest_chain
from evenhand.grounding.document import Document
from evenhand.grounding.forms import Span
from evenhand.grounding.items import Item
from evenhand.grounding.occupancy import Occupancy
from evenhand.grounding.placement import FUZZY_PERCENT, GIVEN, MERGED, REPEATED, Placed, Placement
from evenhand.grounding.search import ABSENT, Found, Search

Occurrences = Literal["in-order", "first", "all"]
CANDIDATES = "candidates"
"""What the limit of chains counts, where it is reached."""


def place(
    document: Document,
    items: Sequence[Item],
    occurrences: Occurrences = "in-order",
    fuzzy: int | None = FUZZY_PERCENT,
) -> Placed:
    """Place the items of an answer; `fuzzy` is the percentage of characters that may be edited, None for no edits."""
    search = Search(document, fuzzy)
    found = [search.first(item.text.strip()) for item in items]
    ambiguous = _ambiguous(items, found)
    if occurrences == "in-order":
        placements = _in_order(search, items, found, _given(document, items))
        return Placed(tuple(placements), ambiguous, capped=search.capped)
    placements = _each_once(items, found, every=occurrences == "all")
    merged = sum(placement.status == MERGED for placement in placements)
    return Placed(tuple(placements), ambiguous, merged, capped=search.capped)


def place_best(
    document: Document,
    items: Sequence[Item],
    gold: Collection[tuple[int, int, str]],
    fuzzy: int | None = FUZZY_PERCENT,
) -> Placed:
    """Place items with regard to gold spans (start, end, label), for an upper bound only; never a score.

    Items first take occurrences that are gold spans of their label, the others are placed in order.
    """
    search = Search(document, fuzzy)
    found = [search.first(item.text.strip()) for item in items]
    fixed = _given(document, items)
    fixed |= _on_gold(items, found, fixed, gold)
    placements = _in_order(search, items, found, fixed)
    return Placed(tuple(placements), _ambiguous(items, found), capped=search.capped)


def _ambiguous(items: Sequence[Item], found: Sequence[Found]) -> tuple[int, ...]:
    """The places of items whose string occurs more often than items name it."""
    rows = [row for row, each in enumerate(found) if len(each.spans) > 1]
    names = Counter([items[row].text.strip() for row in rows])
    return tuple([row for row in rows if len(found[row].spans) > names[items[row].text.strip()]])


def _given(document: Document, items: Sequence[Item]) -> dict[int, Placement]:
    """Items whose offsets fit, by their numbers; a second one of the same place and label is `repeated`."""
    fixed = dict[int, Placement]()
    seen = set[tuple[int, int, str]]()
    for number, item in enumerate(items):
        start, end = item.start, item.end
        if start is None or end is None or not 0 <= start < end or document.text[start:end] != item.text:
            continue
        place = (start, end, item.label)
        fixed[number] = Placement(item, REPEATED) if place in seen else Placement(item, GIVEN, ((start, end),))
        seen.add(place)
    return fixed


def _on_gold(
    items: Sequence[Item],
    found: Sequence[Found],
    fixed: Mapping[int, Placement],
    gold: Collection[tuple[int, int, str]],
) -> dict[int, Placement]:
    """Items that can stand on a gold span of their label that no fixed item has, by their numbers."""
    wanted = set(gold) - {(*span, each.item.label) for each in fixed.values() for span in each.spans}
    left = dict[tuple[str, str], Iterator[Span]]()
    placed = dict[int, Placement]()
    for number, (item, each) in enumerate(zip(items, found, strict=True)):
        if number in fixed:
            continue
        spans = left.setdefault((item.text.strip(), item.label), iter(each.spans))
        span = next((span for span in spans if (*span, item.label) in wanted), None)
        if span:
            wanted.remove((*span, item.label))
            placed[number] = Placement(item, each.step, (span,))
    return placed


def _each_once(items: Sequence[Item], found: Sequence[Found], *, every: bool) -> list[Placement]:
    """The first or every occurrence of each string and label."""
    placements = list[Placement]()
    seen = set[tuple[str, str]]()
    for item, each in zip(items, found, strict=True):
        key = (item.text.strip(), item.label)
        if key in seen:
            placements.append(Placement(item, MERGED))
        else:
            placements.append(Placement(item, each.step, tuple(each.spans if every else each.spans[:1])))
            seen.add(key)
    return placements


def _in_order(
    search: Search, items: Sequence[Item], found: Sequence[Found], fixed: Mapping[int, Placement]
) -> list[Placement]:
    """The longest chain, then the others in output order, beside items that have a place already."""
    placed = dict(fixed)
    for number, span in _chain(search, found, fixed).items():
        placed[number] = Placement(items[number], found[number].step, (span,))
    if len(placed) < len(items):
        occupancy = _occupancy(placed)
        for number, item in enumerate(items):
            if number not in placed:
                placed[number] = _other(search, item, found[number], occupancy)
    return [placed[number] for number in range(len(items))]


def _occupancy(placed: Mapping[int, Placement]) -> Occupancy:
    return Occupancy([(span, each.item.label) for each in placed.values() for span in each.spans])


def _chain(search: Search, found: Sequence[Found], fixed: Mapping[int, Placement]) -> dict[int, Span]:
    """The occurrences of the chain, which overlap no item that has a place already, by the items' numbers."""
    candidates = [each.spans for each in found]
    if fixed:
        overlaps = _occupancy(fixed).overlaps
        free = {id(spans): [span for span in spans if not overlaps(span)] for spans in candidates}
        candidates = [[] if number in fixed else free[id(spans)] for number, spans in enumerate(candidates)]
    if sum(map(len, candidates)) > MOST_CANDIDATES:
        search.capped[CANDIDATES] += 1
        return greedy_chain(candidates)
    return longest_chain(candidates)


def _other(search: Search, item: Item, found: Found, occupancy: Occupancy) -> Placement:
    """An item outside the chain: the first free occurrence, by the first step or a later one."""
    if not found.spans:
        return Placement(item, ABSENT)
    string = item.text.strip()
    for step, spans in chain([found], search.later(string, found.step)):
        span = occupancy.choose(spans, item.label, (string, step))
        if span:
            occupancy.add(span, item.label)
            return Placement(item, step, (span,))
    return Placement(item, REPEATED)
