"""One system against the gold standard in one portion: what the judges of constituents are asked."""

from __future__ import annotations

from functools import cached_property

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.constituents.brackets import kept, matching
from evenhand.tasks.constituents.forest import Selection
from evenhand.tasks.constituents.sentences import Sentences
from evenhand.tasks.spans.verdicts import Matching
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Question:
    """Two sides, of which it is known what sentences can be scored."""

    sentences: Sentences
    spans: tuple[Spans, Spans]
    """All brackets of both sides, with their labels renamed and chosen."""
    selection: Selection
    groups: Ints
    """The group of each sentence."""
    cutoff: int
    """Up to how many words a sentence is short."""

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.spans[0].vocabulary.labels.values)

    @cached_property
    def gold(self) -> Spans:
        """The gold standard's brackets that are looked at; positions count the words that are."""
        found = self.sentences
        return kept(found.gold, self.spans[0], found.keep_gold, found.valid, self.selection)

    @cached_property
    def system(self) -> Spans:
        found = self.sentences
        return kept(found.system, self.spans[1], found.keep_system, found.valid, self.selection)

    @cached_property
    def matching(self) -> Matching:
        return matching(self.gold, self.system, self.selection)

    @cached_property
    def failed(self) -> tuple[Spans, Spans]:
        """The brackets of both sides in sentences that the system failed on."""
        found = self.sentences
        return (
            kept(found.gold, self.spans[0], found.keep_gold, found.failed, self.selection),
            kept(found.system, self.spans[1], found.keep_system, found.failed, self.selection),
        )

    @cached_property
    def is_short(self) -> Bools:
        """Which sentences are short."""
        found: Bools = self.selection.lengths(self.sentences.gold) <= self.cutoff
        return found
