"""Where systems fail: what `causes` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from evenhand.arrays import Count, Difference, Share
from evenhand.comparison.causes import JOINT
from evenhand.comparison.units import Unit
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.results.display import Displayed, WithRows, WithTables
from evenhand.results.result import GoldSummary
from evenhand.results.table import Kind, Table

Against = Literal["rest", "zero"]
"""What a slice is compared with: all other units or, for the difference of two systems, no difference."""
ALPHA = 0.05
"""The level of a search."""
COLUMNS: Mapping[str, Kind] = {
    "against": "text",
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


@dataclass(frozen=True)
class SliceSearch:
    """One search: all slices, and those of the list."""

    against: Against
    two_sided: bool
    slices: tuple[SearchedSlice, ...]
    found: tuple[FoundSlice, ...]

    @property
    def significant(self) -> int:
        """Number of slices that the first search rejects; the others of them are shadows of the list."""
        return sum(row.p <= ALPHA for row in self.slices)

    @cached_property
    def detectable(self) -> float | None:
        """The median of the smallest differences that the tests of the slices show."""
        known = sorted(row.detectable for row in self.slices if row.detectable is not None)
        return known[len(known) // 2] if 2 * len(known) > len(self.slices) else None


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
    searches: tuple[SliceSearch, ...]
    """One system: against the rest. Two systems: against 0, then against the rest."""
    seed: int
    signature: str
    notes: tuple[str, ...] = ()
    read_units: Callable[[str, int | None], list[Unit]] | None = field(default=None, repr=False, compare=False)

    @property
    def found(self) -> tuple[FoundSlice, ...]:
        """The slices of the list; of two systems, against 0. See `searches` for the list against the rest."""
        return self.searches[0].found

    @property
    def table(self) -> Table:
        """All slices that were searched, with their tests."""
        columns = zip(*self.rows(), strict=True) if any(search.slices for search in self.searches) else [()] * len(COLUMNS)
        return Table(COLUMNS, [list(column) for column in columns], signature=self.signature)

    def rows(self) -> list[list[Any]]:
        """The rows of the table, most significant first."""
        rows = []
        for search in self.searches:
            place = {slice.slice: number for number, slice in enumerate(search.found, 1)}
            for row in sorted(search.slices, key=lambda row: -abs(row.statistic) if search.two_sided else -row.statistic):
                values = (getattr(row, name) for name in COLUMNS if name not in ("against", "found"))
                rows.append([search.against, *values, place.get(row.slice)])
        return rows

    def units(self, slice: FoundSlice | SearchedSlice | str, limit: int | None = None) -> list[Unit]:
        """The wrong units of a slice or, of two systems, those that only one system has wrong."""
        name = slice if isinstance(slice, str) else slice.slice
        known = dict.fromkeys(row.slice for search in self.searches for row in search.slices)
        if name not in known:
            listed = [found.slice for search in self.searches for found in search.found]
            remedy = f"there are {', '.join(listed or list(known)[:20])}"
            raise SettingError(unknown(f"No slice {name!r} was searched", name, list(known), remedy))
        if self.read_units is None:
            raise SettingError("A saved result has no units. Call eh.causes on the files again.")
        return self.read_units(name, limit)

    def plot(
        self, kind: str = "slices", path: str | Path | None = None, *, width: float | None = None, height: float | None = None
    ) -> Any:
        """Draw the error rates of slices as a Matplotlib figure.

        kind     "slices" (dots with intervals) or "heat" (attributes by system)
        path     write it to this file, as SVG, PDF or PNG
        width    in inches, likewise height
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.causes import plot

        return plot(self, kind, path, Size(width, height))

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
            "searches": [
                {
                    "against": search.against,
                    "two_sided": search.two_sided,
                    "detectable": search.detectable,
                    "found": search.found,
                    "slices": search.slices,
                }
                for search in self.searches
            ],
        }
