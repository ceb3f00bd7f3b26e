"""Means over documents: precision, recall and F1 of each document for itself, and the mean of each.

neleval's macro average is over the documents in which the gold standard has a link, NIL included. HIPE's `macro_doc`
takes the precision of documents where the system has links, the recall of those where the gold standard has some, and
the F1 of those where both have; and it has the standard deviation of each, of the population. Any 0/0 is 0.

Sources: neleval 3.1.1 (`--by-doc`); HIPE-scorer (Ehrmann et al. 2022).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Bools, Ints, Values
from evenhand.scores.model_score import ModelScore
from evenhand.scores.prf import prf_of_rows
from evenhand.tally import Tally, tally_table
from evenhand.tasks.links.kinds import by_document

MEASURES = ("precision", "recall", "f1")
_KINDS = tuple(f"{measure}.{part}" for measure in MEASURES for part in ("sum", "squares", "documents"))


def tally_documents(
    right: Ints, found: Ints, met: Ints, wanted: Ints, counted: tuple[Bools, Bools, Bools], groups: Ints
) -> Tally:
    """The sums that means are made of; `counted` says for each measure which documents have one."""
    right_sum, found_sum, met_sum, wanted_sum = (each.astype(np.float64) for each in (right, found, met, wanted))
    scores = prf_of_rows(right_sum, found_sum, met_sum, wanted_sum, beta=1.0)
    columns: list[Values] = []
    for score, is_counted in zip(scores[:3], counted, strict=True):
        value = np.where(is_counted, score, 0.0)
        columns += [value, value**2, is_counted.astype(np.float64)]
    return tally_table(_KINDS, np.stack(columns, axis=1), groups)


def with_documents(score: ModelScore, tallies: Mapping[str, Tally]) -> ModelScore:
    """A score with its means over documents."""
    tally = tallies.get(by_document(score.model.judge))
    if tally is None:
        return score
    sums = dict.fromkeys(_KINDS, 0.0)
    for (*_, kind), count in tally.total().cells().items():
        sums[kind] += count
    return score.adding("documents", {measure: _spread(sums, measure) for measure in MEASURES})


def _spread(sums: Mapping[str, float], measure: str) -> dict[str, float | None]:
    """The mean and the standard deviation over documents; None where no document has a score."""
    total, squares, documents = (sums[f"{measure}.{part}"] for part in ("sum", "squares", "documents"))
    if not documents:
        return {"mean": None, "deviation": None, "documents": 0}
    mean = total / documents
    deviation = float(np.sqrt(max(0.0, squares / documents - mean**2)))
    return {"mean": mean, "deviation": deviation, "documents": int(documents)}
