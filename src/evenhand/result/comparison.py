"""A comparison: what `compare` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from evenhand.arrays import Values
from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import Unit
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.result.display import Framed, Plotted, Shown, Tabled
from evenhand.result.pairs import Pair
from evenhand.result.result import Gold


@dataclass(frozen=True)
class OracleResult:
    """How far the systems together could get."""

    overall: Bound
    labels: Mapping[str, Bound]
    """By gold label, the most frequent first."""
    sentences: Bound
    best: int
    """The number of the system that is best overall."""
    exact: Mapping[str, float] | None = None
    """Of spans, the bounds of precision, recall and F1 under exact match."""


@dataclass(frozen=True)
class Slice:
    """Some units: how many of them the gold standard has, and each system's score."""

    units: int
    scores: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Comparison(Shown, Framed, Plotted, Tabled):
    """Several systems on the same units: `comparison.pair("elmo", "flair").corrections`."""

    gold: Gold
    task: str
    by: str
    """What is compared: `accuracy`, `las`, `uas`, `ls`, `fair`, `exact`, `arcs_any` or `arcs_nom`."""
    systems: tuple[str, ...]
    scores: Mapping[str, float]
    pairs: Mapping[tuple[str, str], Pair]
    oracle: OracleResult
    difficulty: Mapping[int, int]
    """How many units so many systems have right."""
    all_answers: Values
    """The score of each system with each other as the key."""
    correct_answers: Values
    labels: Mapping[str, Slice]
    slices: Mapping[str, Mapping[str, Slice]]
    left_out: int
    """How many units of the gold standard are not compared, because not all systems are scored on them."""
    resampling: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    show: str | None = None
    """What units were asked for."""
    shown_units: Sequence[Unit] = ()
    top: int = 5
    """How many transitions of each class a report lists."""
    sort: str | None = None
    """How a report lists labels: by `frequency`, or by `gain`; without it, bounds by frequency, differences by size."""
    further_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of chains: all scores of each system."""
    paired: Mapping[str, Values] = field(default_factory=dict)
    """Of chains: by score, that of each response with each other as the key."""
    before: Mapping[str, float] = field(default_factory=dict)
    """The scores of systems on the gold standard as it was read, where it has overrides."""
    shared: Slice | None = None
    """Of words: how many all systems have, and the scores on these; None where no system lacks a word."""
    page: Callable[[str | Path | None], str] | None = field(default=None, repr=False, compare=False)
    """Makes a page of the same files; none for a comparison that was loaded."""

    def to_html(self, path: str | Path | None = None) -> str:
        """A page with all of it and the units themselves, written to `path` too; the files are read again."""
        if self.page is None:
            raise SettingError("A page takes the files themselves; make it with evenhand.report(gold, systems).")
        return self.page(path)

    def pair(self, before: str, after: str) -> Pair:
        try:
            return self.pairs[before, after]
        except KeyError:
            pairs = ", ".join(f"{a} and {b}" for a, b in self.pairs)
            raise KeyError(f"{before} and {after} were not compared in this order; there are {pairs}") from None

    @property
    def alike(self) -> Iterator[tuple[str, str, float]]:
        """Pairs of systems by how much they agree, the most alike first."""
        size = len(self.systems)
        rows = [(float(self.all_answers[a, b]), a, b) for a in range(size) for b in range(a + 1, size)]
        return ((self.systems[a], self.systems[b], share) for share, a, b in sorted(rows, key=lambda row: -row[0]))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        from evenhand.result.saved_comparison import plain_comparison

        return plain_comparison(self)

    @staticmethod
    def from_json(source: str | Path) -> Comparison:
        """A comparison as `to_json` or `evenhand compare --as json` saved it: from a file, or from the text itself."""
        from evenhand.result.load import load_comparison

        return load_comparison(source)
