"""What became of the items of a system: how answers were read, where strings were found, and what has no place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from evenhand.dataclass import dataclass

STEPS = ("given", "aligned", "exact", "spaces", "case", "tokens", "punctuation", "part", "fuzzy")
"""How an item got its place."""
NOWHERE = ("absent", "repeated")
"""Why an item has none."""
AMBIGUOUS, UNKNOWN = "ambiguous", "unknown label"
"""Why an item with a place is worth a look."""
READINGS = ("ok", "repaired", "salvaged", "unparsable")
"""How answers were read."""
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
