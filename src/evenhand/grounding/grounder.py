"""From the answers about a document to items with places: answers are read, and their strings are looked for.

The text and the known labels are all that is taken from the gold standard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, NamedTuple

from evenhand.data.structures import Answer
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL
from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import Item, KnownLabels, MarkedText, Shape
from evenhand.grounding.placement import Occurrences, Placed, Placement, place, place_marked
from evenhand.grounding.search import AnswerDocument

# == grounding/counts.py: What became of the items of a system: how answers were read,


STEPS = ("given", "aligned", "exact", "spaces", "case", "tokens", "punctuation", "part", "fuzzy")
"""How an item got its place."""
NOWHERE = ("absent", "repeated")
"""Why an item has none."""
AMBIGUOUS, UNKNOWN = "ambiguous", "unknown label"
"""Why an item with a place is worth a look."""
COUNTS = {
    "documents": "documents",
    "missing": "documents without an answer",
    "unused_ids": "answers matched by order, as the gold standard has no ids for theirs",
    "ok": "answers read as they stand",
    "repaired": "answers read after a repair",
    "salvaged": "answers of which a part was read",
    "unparsable": "answers that could not be read",
    "several": "answers with several lists, of which the last complete one counts",
    "malformed": "items without a text or a label",
    "skipped_lines": "lines without a known label",
    "unclosed_tags": "tags that are not closed",
    "unopened_tags": "tags that are not opened",
    "text_differs": "answers whose text is not the document's",
    "items": "items",
    **{step: f"items found by the step {step}" for step in STEPS},
    "absent": "items that are not in the text",
    "repeated": "items named more often than they occur",
    "outside": "items that begin or end inside a token (snap strict)",
    "ambiguous": "items whose string occurs more often than it is named",
    "merged": "items that repeat another one",
    "widened": "spans widened to whole tokens",
    "respelled": "labels respelled as the gold standard's",
    "unknown_labels": "items with a label that the gold standard does not have",
    "capped": "searches that reached a limit",
}
"""The names of all counts, and what they count."""
BOUND = ("TP", "found", "wanted")
"""What an upper bound divides: what is right, all that the system has, all that the gold standard has."""
MOST_LISTED = 1000


class Listed(NamedTuple):
    """An item that a reader should look at."""

    document: str
    text: str
    label: str
    status: str


@dataclass
class GroundingCounts(Mapping[str, int]):
    """Counts by name; all names of `COUNTS` are there."""

    counts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    """The unknown labels, with their items."""
    listed: list[Listed] = field(default_factory=list)
    """Items without a place, with an unknown label or with several places, in the order of the text; the first ones."""
    bound: Counter[str] = field(default_factory=Counter)
    """Under the best occurrences, that is with a look at the gold standard: those of `BOUND`."""

    def __getitem__(self, name: str) -> int:
        if name not in COUNTS:
            raise KeyError(f"there is no count {name!r}; there are {', '.join(COUNTS)}")
        return self.counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COUNTS)

    def __len__(self) -> int:
        return len(COUNTS)

    @property
    def unplaced(self) -> int:
        """How many items have no place."""
        return self["absent"] + self["repeated"] + self["outside"]

    @property
    def upper_bound(self) -> float | None:
        """The F1 of exact match if every string stood where it is right, as far as it occurs; None without a count."""
        total = self.bound["found"] + self.bound["wanted"]
        return 2 * self.bound["TP"] / total if total else None

    @property
    def has_nothing(self) -> bool:
        """Whether there are documents, but not a single item."""
        return self["documents"] > 0 and not self["items"]

    def add(self, other: GroundingCounts) -> None:
        self.counts.update(other.counts)
        self.labels.update(other.labels)
        self.bound.update(other.bound)
        self.listed += other.listed[: max(0, MOST_LISTED - len(self.listed))]


# == grounding/grounder.py (primary)


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

    document: AnswerDocument
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

    def __call__(self, document: AnswerDocument, answers: Sequence[Answer], name: str = "") -> Grounded:
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
        in_text = tuple(placement for some in marked for placement in some.placements)
        is_forced = not placed.uncertain and len({item.text for item in items}) == len(items)
        return Grounded(document, in_text, placed.placements, tuple(items), is_forced)

    def _marked(self, document: AnswerDocument, marked: MarkedText) -> Placed:
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
        for row, placement in enumerate(placed.placements):
            counts[placement.status] += 1
            why = placement.status if placement.status in NOWHERE else AMBIGUOUS if row in uncertain else None
            why = why or self._standing(placement.item.label)
            if why is not None and len(listed) < MOST_LISTED:
                listed.append(Listed(name, placement.item.text, placement.item.label, why))
