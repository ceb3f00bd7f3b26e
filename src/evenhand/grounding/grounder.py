"""Grounding: read the answers about a document, locate their strings in its text, and count the outcomes.

Only the text and the known labels of the gold standard are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple

from evenhand.data.structures import Answer
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL
from evenhand.grounding.items import Item, KnownLabels, MarkedText, Shape

if TYPE_CHECKING:
    from evenhand.grounding.placement import Occurrences, PlacedItems, Placement
    from evenhand.grounding.search import AnswerDocument

STEPS = ("given", "aligned", "exact", "spaces", "case", "tokens", "punctuation", "part", "fuzzy")
"""The steps that locate an item, in the order in which they are tried."""
NOWHERE = ("absent", "repeated")
"""Why an item was not located."""
AMBIGUOUS, UNKNOWN = "ambiguous", "unknown label"
"""Why an item should be checked although it was located."""
COUNTS = {
    "documents": "documents",
    "missing": "documents without an answer",
    "unused_ids": "answers matched by order, because the gold standard does not have their ids",
    "ok": "answers read without repair",
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
"""All counts, with their descriptions."""
BOUND = ("TP", "found", "wanted")
"""Counts of the upper bound: correct items, all items of the system, all gold spans."""
MAX_LISTED = 1000


class Listed(NamedTuple):
    """An item that a user should check."""

    document: str
    text: str
    label: str
    status: str


@dataclass
class GroundingCounts(Mapping[str, int]):
    """Counts by name, for all names of `COUNTS`."""

    counts: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    """Unknown labels, with their numbers of items."""
    listed: list[Listed] = field(default_factory=list)
    """The first items that were not located, have an unknown label, or are ambiguous, in the order of the text."""
    bound: Counter[str] = field(default_factory=Counter)
    """The counts of `BOUND` for the best occurrences, chosen by the gold standard."""

    def __getitem__(self, name: str) -> int:
        if name not in COUNTS:
            raise KeyError(f"unknown count {name!r}; expected one of {', '.join(COUNTS)}")
        return self.counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COUNTS)

    def __len__(self) -> int:
        return len(COUNTS)

    @property
    def unplaced(self) -> int:
        """Number of items that were not located."""
        return self["absent"] + self["repeated"] + self["outside"]

    @property
    def upper_bound(self) -> float | None:
        """The F1 of exact match with the best occurrence of every string; None without a count."""
        total = self.bound["found"] + self.bound["wanted"]
        return 2 * self.bound["TP"] / total if total else None

    @property
    def has_nothing(self) -> bool:
        """Whether there are documents but no items."""
        return self["documents"] > 0 and not self["items"]

    def add(self, other: GroundingCounts) -> None:
        self.counts.update(other.counts)
        self.labels.update(other.labels)
        self.bound.update(other.bound)
        self.listed += other.listed[: max(0, MAX_LISTED - len(self.listed))]


@dataclass(frozen=True)
class Rules:
    """How answers are read and strings are located."""

    shape: Shape
    occurrences: Occurrences = "in-order"
    fuzzy: int | None = 15
    """Maximum number of edits, in percent of the characters."""
    unknown_labels: Literal["keep", "drop"] = "keep"


@dataclass(frozen=True)
class Grounded:
    """The located items of one document."""

    document: AnswerDocument
    marked: tuple[Placement, ...]
    """Items that the model marked in the text."""
    placed: tuple[Placement, ...]
    """Items whose strings were searched."""
    sought: tuple[Item, ...]
    """The items of `placed`, before merging."""
    is_forced: bool = False
    """Whether positions follow from the text alone: each string is named once and occurs at most once."""

    @property
    def placements(self) -> tuple[Placement, ...]:
        return (*self.marked, *self.placed)

    @property
    def items(self) -> tuple[Item, ...]:
        """All items as written."""
        return (*(placement.item for placement in self.marked), *self.sought)


class Grounder:
    """Grounds documents by the same rules, and counts the outcomes."""

    def __init__(self, rules: Rules, labels: KnownLabels) -> None:
        self.rules, self._labels = rules, labels
        self.counts = GroundingCounts()
        self._label_problems: dict[str, str | None] = {}

    def __call__(self, document: AnswerDocument, answers: Sequence[Answer], name: str = "") -> Grounded:
        """Locate the items of a document; `name` identifies it in lists: its id or location."""
        from evenhand.grounding.answers import read_answer  # slow to load, and only needed for answers
        from evenhand.grounding.placement import place_items

        counts = self.counts.counts
        counts["documents"] += 1
        items: list[Item] = []
        marked: list[PlacedItems] = []
        for answer in answers:
            read = read_answer(answer.content, self.rules.shape, self._labels, answer.label, document.text)
            counts[read.how] += 1
            counts["several"] += read.has_several
            counts["malformed"] += read.malformed
            counts["skipped_lines"] += read.skipped_lines
            counts["respelled"] += read.respelled
            items += read.items
            if read.marked is not None:
                marked.append(self._place_marked(document, read.marked))
        items = [item for item in items if self._keeps(item.label)]
        placed = place_items(document, items, self.rules.occurrences, self.rules.fuzzy)
        for part in (*marked, placed):
            self._count(part, name)
        in_text = tuple(placement for part in marked for placement in part.placements)
        is_forced = not placed.uncertain and len({item.text for item in items}) == len(items)
        return Grounded(document, in_text, placed.placements, tuple(items), is_forced)

    def _place_marked(self, document: AnswerDocument, marked: MarkedText) -> PlacedItems:
        from evenhand.grounding.placement import place_marked

        counts = self.counts.counts
        counts["unclosed_tags"] += marked.unclosed
        counts["unopened_tags"] += marked.unopened
        spans = tuple(span for span in marked.spans if self._keeps(span[2]))
        placed = place_marked(document, MarkedText(marked.text, spans), self.rules.fuzzy)
        counts["text_differs"] += placed.differs
        return placed

    def _label_problem(self, label: str) -> str | None:
        """Return the problem of a label that is too long or not in the gold standard."""
        if label not in self._label_problems:
            is_long, is_unknown = len(label) > LABEL.value, self._labels.find(label) is None
            self._label_problems[label] = "malformed" if is_long else UNKNOWN if is_unknown else None
        return self._label_problems[label]

    def _keeps(self, label: str) -> bool:
        """Whether an item with this label is kept; problems of the label are counted."""
        problem = self._label_problem(label)
        if problem is None:
            return True
        if problem != UNKNOWN:
            self.counts.counts["malformed"] += 1
            return False
        self.counts.counts["unknown_labels"] += 1
        self.counts.labels[label] += 1
        return self.rules.unknown_labels == "keep"

    def _count(self, placed: PlacedItems, name: str) -> None:
        counts, listed = self.counts.counts, self.counts.listed
        counts["items"] += len(placed.placements)
        counts["ambiguous"] += placed.ambiguous
        counts["capped"] += sum(placed.capped.values())
        uncertain = set(placed.uncertain)
        for row, placement in enumerate(placed.placements):
            counts[placement.status] += 1
            reason = placement.status if placement.status in NOWHERE else AMBIGUOUS if row in uncertain else None
            reason = reason or self._label_problem(placement.item.label)
            if reason is not None and len(listed) < MAX_LISTED:
                listed.append(Listed(name, placement.item.text, placement.item.label, reason))
