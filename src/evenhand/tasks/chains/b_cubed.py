"""B³: how much of its own chain each mention finds in the other one.

With K a chain of the key, R one of the response, and n = |K ∩ R|, summed over all documents before the division:
recall of `b_cubed` = Σ n² / |K| over all K and R that share mentions, divided by the mentions of the key; precision =
Σ n² / |R|, divided by those of the response. Mentions of the response that are not in the key count as wrong.

Sources: Bagga and Baldwin 1998; Pradhan et al. 2014 for mentions that only one side has.
"""

from __future__ import annotations

from evenhand.tasks.chains.links import Table
from evenhand.tasks.chains.overlap import Overlap


def count_b_cubed(found: Overlap) -> Table:
    square = found.common**2
    return {
        "b_cubed.key": found.by_document(found.document, square / found.key_size),
        "b_cubed.response": found.by_document(found.document, square / found.response_size),
    }
