"""Where systems fail: what `causes` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.arrays import Count, Difference, Share
from evenhand.comparison.causes import JOINT
from evenhand.comparison.units import Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.results.display import Displayed, WithRows, WithTables
from evenhand.results.result import GoldSummary
from evenhand.results.table import Kind, Table

ALPHA = 0.05
"""The level of a search."""
COLUMNS: Mapping[str, Kind] = {
    "slice": "text",
    **dict.fromkeys(("units", "documents"), "count"),
    **dict.fromkeys(("inside", "outside", "points", "statistic", "p", "detectable"), "number"),
    "found": "count",
}
"""The columns of the table of all slices; `found` is the place of a slice in the list, from 1."""


@dataclass(frozen=True)
class SearchedSlice:
    """A slice and its test among all units."""

    slice: str
    """`label=ORG`, `seen=new & label=MISC`."""
    units: Count
    documents: Count
    """The documents (or sentences) that its units are in."""
    inside: Difference
    """The error rate; of two systems, that of the second minus that of the first."""
    outside: Difference
    points: float | None
    """What the score would gain without its errors, as a fraction; None if the score is a mean of other scores."""
    statistic: float
    p: Share
    """Adjusted for all slices."""
    detectable: float | None
    """The smallest difference of inside and outside that its test shows with 80 % power."""
    rates: tuple[Share, ...]
    """The error rate of each system inside."""
    intervals: tuple[tuple[float, float], ...]
    """Their 95 % intervals: normal, with errors clustered by document."""

    @property
    def is_single(self) -> bool:
        """Whether it is one value of one attribute."""
        return JOINT not in self.slice


@dataclass(frozen=True)
class FoundSlice:
    """A slice of the list: significantly different, and not the shadow of a slice before it."""

    slice: str
    units: Count
    documents: Count
    left: Count
    """Its units that no slice before it in the list has; `inside`, `outside`, `statistic` and `p` refer to these."""
    inside: Difference
    outside: Difference
    points: float | None
    """Of all its units."""
    statistic: float
    p: Share
    examples: tuple[Unit, ...]
    parts: tuple[tuple[str, str], ...]
    """Its attributes and their values."""


@dataclass(frozen=True, repr=False)
class Causes(Displayed, WithTables, WithRows):
    """The slices in which a system has significantly more errors, or in which two systems differ."""

    gold: GoldSummary
    task: str
    by: str
    unit: str
    systems: tuple[str, ...]
    of: str
    """What is resampled: documents or sentences."""
    groups: Count
    size: Count
    """Number of units."""
    wrong: Mapping[str, Count]
    """Number of wrong units, by system."""
    side: str
    attributes: tuple[str, ...]
    """The attributes whose slices are searched."""
    slices: tuple[SearchedSlice, ...]
    """All slices that were searched."""
    found: tuple[FoundSlice, ...]
    """The list without shadows."""
    two_sided: bool
    """Of two systems: whether slices in which the second is better are found, too."""
    seed: int
    signature: str
    notes: tuple[str, ...] = ()
    read_units: Callable[[str, int | None], list[Unit]] | None = field(default=None, repr=False, compare=False)

    @property
    def significant(self) -> int:
        """Number of slices that the search rejects, with shadows."""
        return sum(row.p <= ALPHA for row in self.slices)

    @cached_property
    def detectable(self) -> float | None:
        """The median of the smallest differences that the tests of the slices show."""
        known = sorted(row.detectable for row in self.slices if row.detectable is not None)
        return known[len(known) // 2] if 2 * len(known) > len(self.slices) else None

    @cached_property
    def ordered(self) -> list[SearchedSlice]:
        """All slices, the most significant first."""
        return sorted(self.slices, key=lambda row: -abs(row.statistic) if self.two_sided else -row.statistic)

    @property
    def table(self) -> Table:
        """All slices that were searched, with their tests."""
        rows = self.rows()
        return Table(
            COLUMNS, [[row[column] for row in rows] for column in range(len(COLUMNS))], signature=self.signature
        )

    def rows(self) -> list[list[Any]]:
        """The rows of the table."""
        place = {slice.slice: number for number, slice in enumerate(self.found, 1)}
        names = [name for name in COLUMNS if name != "found"]
        return [[*(getattr(row, name) for name in names), place.get(row.slice)] for row in self.ordered]

    def units(self, slice: FoundSlice | SearchedSlice | str, limit: int | None = None) -> list[Unit]:
        """The wrong units of a slice or, of two systems, those that only one system has wrong."""
        name = slice if isinstance(slice, str) else slice.slice
        known = [row.slice for row in self.slices]
        if name not in known:
            remedy = f"there are {', '.join([found.slice for found in self.found] or known[:20])}"
            raise SettingError(unknown(f"No slice {name!r} was searched", name, known, remedy))
        if self.read_units is None:
            raise SettingError("A saved result has no units. Call eh.causes on the files again.")
        return self.read_units(name, limit)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
    ) -> Any:
        """Draw the error rates of slices as a Matplotlib figure: dots with intervals or, for two systems, slopes.

        path     write it to this file, as SVG, PDF or PNG
        width    in inches, likewise height
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.causes import plot

        return plot(self, path, Size(width, height))

    @staticmethod
    def from_json(source: str | Path) -> Causes:
        """Load a saved result; it has no units other than examples."""
        from evenhand.results.json import load_causes

        return load_causes(source)

    def saved(self) -> dict[str, Any]:
        names = ("task", "by", "unit", "signature", "notes", "systems", "of", "groups", "size", "wrong", "side", "seed")
        return {
            "command": "causes",
            **{name: getattr(self, name) for name in names},
            "gold": {"name": self.gold.name, **self.gold.sizes(), "labels": self.gold.labels},
            "reading": self.gold.reading,
            "attributes": self.attributes,
            "two_sided": self.two_sided,
            "detectable": self.detectable,
            "found": self.found,
            "slices": self.slices,
        }
