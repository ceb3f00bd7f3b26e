"""Results whose tallies become tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Tallied:
    """A result with tallies, the counts behind its scores."""

    def tallies_to_arrow(self) -> Any:
        """The tallies as a `pyarrow.Table`: a row a system, judge, group, gold label, system label and kind."""
        from evenhand.report.tally_table import tally_table

        return tally_table(self)

    def tallies_to_parquet(self, path: str | Path) -> None:
        """The same rows in a file, whole or not at all; Parquet or Arrow, as its name says."""
        from evenhand.report.tally_table import write_tallies

        write_tallies(self, path)
