"""What two annotators both take for units: cu-alpha and (k)u-alpha of a pair."""

from __future__ import annotations

import numpy as np

from evenhand.agreement.codes import Codebook
from evenhand.agreement.coefficients import defined
from evenhand.agreement.counts import Counts
from evenhand.agreement.patterns import Patterns
from evenhand.agreement.statistics import Statistics
from evenhand.agreement.unitizing import cu_alpha_of, ku_alpha_of, shared_rows


def cu_alphas(counts: Counts, book: Codebook, pair: int) -> tuple[float | None, dict[int, float | None]]:
    """cu-alpha of a pair, and (k)u-alpha by the code of the label, of those that either annotator uses."""
    labels = sorted({label for key in book.members for label in key if label >= 0})
    if not labels:
        return None, {}
    found = Statistics(counts, counts.pairs[pair], _by_label(counts.patterns, book, labels))
    sums = found.totals @ shared_rows(found.patterns)
    width = max(labels) + 1
    crossing = counts.crossing.table(pair, counts.documents, width)[found.common].sum(axis=0)
    sums[2 * len(labels) :] += crossing[labels]
    values = ku_alpha_of(sums)
    used = np.bincount(found.patterns.codes[found.totals > 0].ravel() + 1, minlength=len(labels) + 2)[2:] > 0
    met = [(label, value) for label, value, is_used in zip(labels, values, used, strict=True) if is_used]
    return defined(cu_alpha_of(sums)), {label: defined(value) for label, value in met}


def _by_label(patterns: Patterns, book: Codebook, labels: list[int]) -> Patterns:
    """Patterns whose codes are places of labels, from 1, whatever the coding; no atom has two labels."""
    place = {label: at for at, label in enumerate(labels, 1)}
    new = np.array([*(place[key[0]] if key else 0 for key in book.members), -1])
    return Patterns(new[patterns.codes], len(labels) + 1)
