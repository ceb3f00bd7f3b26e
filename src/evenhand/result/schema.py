"""What saved scores look like: the JSON contract as types, by which files are checked as they are read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct, convert

from evenhand.grounding.counts import BOUND, COUNTS, GroundingCounts, Listed
from evenhand.ranges import Count, Difference, Share
from evenhand.result.result import Gold
from evenhand.scores.model_score import Sentences
from evenhand.text.annotation import Reading

Number = int | float
"""A count, which stays whole where it was."""
SavedRow = dict[str, Number | None]
"""Counts and scores of one row, by name."""


class Head(Struct):
    """What all saved results begin with."""

    evenhand: str
    command: str
    task: str | None = None


class SavedGold(Struct):
    name: str
    documents: Count
    sentences: Count
    tokens: Count | None
    characters: Count | None
    units: Count
    labels: dict[str, Count]
    chains: Count | None = None
    left_out: Count = 0

    def gold(self, reading: Reading) -> Gold:
        sizes = self.documents, self.sentences, self.tokens, self.characters, self.units
        return Gold(self.name, *sizes, self.labels, reading, self.chains)


class SavedScore(Struct):
    """One match model of one system. What a model does not have is not there."""

    overall: SavedRow
    macro: SavedRow | None = None
    support: SavedRow | None = None
    labels: dict[str, SavedRow] = {}
    parts: dict[str, SavedRow] = {}
    supertags: dict[str, SavedRow] = {}
    distances: dict[str, SavedRow] = {}
    baselines: dict[str, Share | None] = {}
    sentences: Sentences | None = None
    confusion: dict[str, dict[str, Number]] | None = None
    edges: dict[str, dict[str, Number]] | None = None
    further: dict[str, dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for table in (self.confusion, self.edges):
            if any(count < 0 for row in (table or {}).values() for count in row.values()):
                raise ValueError("a count of errors is negative")


class SavedGrounding(Struct):
    """What became of the strings of a language model; counts that an earlier version lacks are 0."""

    labels: dict[str, Count]
    upper_bound: dict[str, Number | str | None]
    listed: list[dict[str, str]]


class SavedSystem(Struct):
    name: str
    units: Count
    labels: dict[str, Count]
    scores: dict[str, SavedScore]
    signature: str
    notes: tuple[str, ...]
    reading: Reading
    chains: Count | None = None
    grounding: dict[str, Any] | None = None
    before: dict[str, SavedScore] = {}

    def grounded(self) -> GroundingCounts | None:
        """What became of the strings of a language model, if it is one."""
        if self.grounding is None:
            return None
        found = convert(self.grounding, SavedGrounding)
        counts = convert({name: self.grounding.get(name, 0) for name in COUNTS}, dict[str, Count])
        bound = convert({name: found.upper_bound[name] for name in BOUND}, dict[str, Count])
        listed = [Listed(**each) for each in found.listed]
        return GroundingCounts(Counter(counts), Counter(found.labels), listed, Counter(bound))


class SavedResults(Struct):
    settings: dict[str, Any]
    gold: SavedGold
    reading: Reading
    systems: list[SavedSystem]
    weights: dict[str, tuple[Number, Number, Number]] = {}
    """Where earlier versions saved those of the model `weighted`."""


class SavedInterval(Struct):
    low: Difference
    high: Difference

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"an interval runs from {self.low:g} down to {self.high:g}")


def bounds(saved: SavedInterval | None) -> tuple[float, float] | None:
    return None if saved is None else (saved.low, saved.high)
