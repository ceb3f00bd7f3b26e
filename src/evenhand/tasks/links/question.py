"""One system against the gold standard in one portion: what the judges of links are asked."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from evenhand.arrays import Ints, concatenate, distinct
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.links.linked import Linked


@dataclass
class Question:
    """What a judge of links looks at."""

    gold: Linked
    system: Linked
    groups: Ints
    """The group of each document."""
    kept: dict[object, object] = field(default_factory=dict)
    """What several judges need, by what it is."""
    more: dict[str, Tally] = field(default_factory=dict)
    """Counts beside those that judges return."""

    @property
    def documents(self) -> int:
        return len(self.groups)

    @property
    def types(self) -> tuple[tuple[str, ...], Ints]:
        """The names of labels that occur, and for each label code its place among them; the last one is -1 for none."""
        labels = self.gold.spans.vocabulary.labels
        used = distinct(concatenate([self.gold.spans.label, self.system.spans.label]))
        place = np.full(len(labels) + 1, -1)
        place[used] = np.arange(len(used))
        return tuple(labels[code] for code in used.tolist()), place

    def per_document(self, scopes: Ints) -> Ints:
        """How many of some units each document has, given the document of each."""
        found: Ints = np.bincount(scopes, minlength=self.documents)
        return found
