"""Tables of counts as tallies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, Numbers
from evenhand.tally.counts import Tally


def tally_table(kinds: Sequence[str], table: Numbers, groups: Ints) -> Tally:
    """The counts of a table, a row a sentence (or document) and a column a kind, which belong to no label."""
    row, kind = np.nonzero(table)
    nothing = np.full(len(row), -1)
    return Tally.of((), kinds, groups[row], nothing, nothing, kind, table[row, kind])
