"""From the answers about a document to items with places: answers are read, and their strings are looked for.

The text and the known labels are all that is taken from the gold standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evenhand.dataclass import dataclass
from evenhand.grounding.answers import read_answer
from evenhand.grounding.counts import AMBIGUOUS, MOST_LISTED, NOWHERE, UNKNOWN, GroundingCounts, Listed
from evenhand.grounding.document import Document
from evenhand.grounding.items import Item, MarkedText, Shape
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.marking import place_marked
from evenhand.grounding.placement import Placed, Placement
from evenhand.grounding.placing import Occurrences, place
from evenhand.limits import LABEL
from evenhand.text.extractions import Answer


@dataclass(frozen=True)
class Rules:
    """How answers are read, and how strings are placed."""

    shape: Shape
    occurrences: Occurrences = "in-order"
    fuzzy: int | None = 15
    """How many edits are allowed, in percent of the characters."""
    unknown_labels: Literal["keep", "drop"] = "keep"


@dataclass(frozen=True)
class Grounded:
    """The items of one document, with their places."""

    document: Document
    marked: tuple[Placement, ...]
    """Those that the model marked in the text itself."""
    placed: tuple[Placement, ...]
    """Those whose strings were looked for."""
    sought: tuple[Item, ...]
    """The items of these; several may have become one."""
    is_forced: bool = False
    """Whether no string had a choice: each is named once, and occurs once at most."""

    @property
    def placements(self) -> tuple[Placement, ...]:
        return (*self.marked, *self.placed)

    @property
    def items(self) -> tuple[Item, ...]:
        """All items as they were written."""
        return (*(each.item for each in self.marked), *self.sought)


class Grounder:
    """Grounds documents by the same rules, and counts what becomes of their items."""

    def __init__(self, rules: Rules, labels: KnownLabels) -> None:
        self.rules, self._labels = rules, labels
        self.counts = GroundingCounts()
        self._standings: dict[str, str | None] = {}

    def __call__(self, document: Document, answers: Sequence[Answer], name: str = "") -> Grounded:
        """The items of a document with their places; `name` is what lists call it: its id, or where it begins."""
        counts = self.counts.counts
        counts["documents"] += 1
        items, marked = list[Item](), list[Placed]()
        for answer in answers:
            found = read_answer(answer.content, self.rules.shape, self._labels, answer.label, document.text)
            counts[found.how] += 1
            counts["several"] += found.has_several
            counts["malformed"] += found.malformed
            counts["skipped_lines"] += found.skipped_lines
            counts["respelled"] += found.respelled
            items += found.items
            if found.marked is not None:
                marked.append(self._marked(document, found.marked))
        items = [item for item in items if self._standing(item.label) is None or self._keeps(item.label)]
        placed = place(document, items, self.rules.occurrences, self.rules.fuzzy)
        for some in (*marked, placed):
            self._count(some, name)
        in_text = tuple(each for some in marked for each in some.placements)
        is_forced = not placed.uncertain and len({item.text for item in items}) == len(items)
        return Grounded(document, in_text, placed.placements, tuple(items), is_forced)

    def _marked(self, document: Document, marked: MarkedText) -> Placed:
        counts = self.counts.counts
        counts["unclosed_tags"] += marked.unclosed
        counts["unopened_tags"] += marked.unopened
        spans = tuple(span for span in marked.spans if self._standing(span[2]) is None or self._keeps(span[2]))
        found = place_marked(document, MarkedText(marked.text, spans), self.rules.fuzzy)
        counts["text_differs"] += found.differs
        return found

    def _standing(self, label: str) -> str | None:
        """What is wrong with a label: nobody could read it, or the gold standard does not have it."""
        if label not in self._standings:
            too_long = len(label) > LABEL.value
            unknown = self._labels.find(label) is None
            self._standings[label] = "malformed" if too_long else UNKNOWN if unknown else None
        return self._standings[label]

    def _keeps(self, label: str) -> bool:
        """Count an item with something wrong about its label; whether it stays one."""
        if self._standing(label) != UNKNOWN:
            self.counts.counts["malformed"] += 1
            return False
        self.counts.counts["unknown_labels"] += 1
        self.counts.labels[label] += 1
        return self.rules.unknown_labels == "keep"

    def _count(self, placed: Placed, name: str) -> None:
        counts, listed = self.counts.counts, self.counts.listed
        counts["items"] += len(placed.placements)
        counts["ambiguous"] += placed.ambiguous
        counts["capped"] += sum(placed.capped.values())
        uncertain = set(placed.uncertain)
        for row, each in enumerate(placed.placements):
            counts[each.status] += 1
            why = each.status if each.status in NOWHERE else AMBIGUOUS if row in uncertain else None
            why = why or self._standing(each.item.label)
            if why is not None and len(listed) < MOST_LISTED:
                listed.append(Listed(name, each.item.text, each.item.label, why))
