"""Placing the items of an answer in the document: which occurrence of a string each item means.

- `in-order`: items with offsets that fit stay where these say (`given`). The others get the longest chain of
  occurrences in the order of the output (see `chain`). An item outside the chain gets, by the first step that finds its
  string, the first occurrence that overlaps no placed span; else that equals none; else that equals none of its label;
  else the same by the later steps to `punctuation`; else it is `repeated`: named more often than it occurs.
- `first`, `all`: a document's items are a set of (string, label), which get the first occurrence, or every one. Offsets
  that the answer gives are not looked at. An item that was named before is `merged`.

A string that no step finds is `absent`. An item is *ambiguous* if its string occurs more often than items name it.
Answers that are texts with tags are placed by `marking`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
    found = [search.first(item.text) for item in items]
    if occurrences == "in-order":
        placements = _in_order(search, items, found, _given(document, items))
    else:
        placements = _each_once(items, found, every=occurrences == "all")
    return _placed(items, found, placements, search)


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
    found = [search.first(item.text) for item in items]
    fixed = _given(document, items)
    taken = {(*placement.spans[0], placement.item.label) for placement in fixed.values() if placement.spans}
    wanted = set(gold) - taken
    for number, item in enumerate(items):
        spans = found[number].spans if number not in fixed else []
        span = next((span for span in spans if (*span, item.label) in wanted), None)
        if span:
            wanted.remove((*span, item.label))
            fixed[number] = Placement(item, found[number].step, (span,))
    return _placed(items, found, _in_order(search, items, found, fixed), search)


def _placed(items: Sequence[Item], found: Sequence[Found], placements: list[Placement], search: Search) -> Placed:
    names = Counter([item.text.strip() for item in items])
    ambiguous = sum(len(each.spans) > names[item.text.strip()] for item, each in zip(items, found, strict=True))
    merged = sum(placement.status == MERGED for placement in placements)
    return Placed(tuple(placements), ambiguous, merged, capped=search.capped)


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
    chain = _chain(search, found, fixed)
    if len(chain) == len(items):
        return [Placement(item, found[number].step, (chain[number],)) for number, item in enumerate(items)]
    occupancy = Occupancy()
    for placement in fixed.values():
        for span in placement.spans:
            occupancy.add(span, placement.item.label)
    for number, span in chain.items():
        occupancy.add(span, items[number].label)
    placements = list[Placement]()
    for number, item in enumerate(items):
        if number in fixed:
            placements.append(fixed[number])
        elif number in chain:
            placements.append(Placement(item, found[number].step, (chain[number],)))
        else:
            placements.append(_other(search, item, found[number], occupancy))
    return placements


def _chain(search: Search, found: Sequence[Found], fixed: Mapping[int, Placement]) -> dict[int, Span]:
    """The occurrences of the chain, which overlap no item that has a place already, by the items' numbers."""
    candidates = [each.spans for each in found]
    if fixed:
        occupancy = Occupancy()
        for placement in fixed.values():
            for span in placement.spans:
                occupancy.add(span, placement.item.label)
        free = {id(spans): [span for span in spans if not occupancy.overlaps(span)] for spans in candidates}
        candidates = [[] if number in fixed else free[id(spans)] for number, spans in enumerate(candidates)]
    if sum(map(len, candidates)) > MOST_CANDIDATES:
        search.capped[CANDIDATES] += 1
        return greedy_chain(candidates)
    return longest_chain(candidates)


def _other(search: Search, item: Item, found: Found, occupancy: Occupancy) -> Placement:
    """An item outside the chain: the first free occurrence, by the first step or a later one."""
    if not found.spans:
        return Placement(item, ABSENT)
    span = occupancy.choose(found.spans, item.label, (item.text, found.step))
    step = found.step
    if span is None:
        for later in search.later(item.text, found.step):
            span = occupancy.choose(later.spans, item.label, (item.text, later.step))
            step = later.step
            if span:
                break
    if span is None:
        return Placement(item, REPEATED)
    occupancy.add(span, item.label)
    return Placement(item, step, (span,))
