"""What passes over the files of annotators leave behind: counts, and what is known of texts and files."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.agreement.codes import Codebook
from evenhand.agreement.counts import Counts
from evenhand.dataclass import dataclass
from evenhand.settings import Atoms
from evenhand.text.annotation import Reading


@dataclass(frozen=True)
class Counted:
    """All that figures are made of."""

    counts: Counts
    book: Codebook
    """What codes stand for."""
    labels: Sequence[str]
    """All labels, by code."""
    names: Sequence[str]
    """What documents are called, by number; empty where they have no names."""
    readings: Sequence[Reading]
    """How the files of each annotator were read."""
    atoms: Atoms = "tokens"
    by_name: bool = True
    """Whether documents were matched by name, else by their order."""

    def notes(self) -> list[str]:
        """What a reader of the figures should know."""
        found, has = [], self.counts.has
        alone = int((has.sum(axis=1) < 2).sum())
        if alone:
            what = "1 document has" if alone == 1 else f"{alone:,} documents have"
            found.append(f"{what} one annotator only, and no part in any figure but the coverage.")
        if self.book.stacked:
            stacked = self.book.stacked
            codes = "1 code is a set of labels" if stacked == 1 else f"{stacked:,} codes are sets of labels"
            found.append(f"{codes}, as an annotator has spans of several labels there.")
        for name, reading in zip(self.counts.names, self.readings, strict=True):
            skipped = ", ".join(f"{what} ({count:,})" for what, count in reading.skipped.items())
            found += [f"left out of {name}: {skipped}."] if skipped else []
        if not self.by_name and len(has) > 1:
            found.append("documents have no names on all sides, so that texts are matched by their order.")
        return found
