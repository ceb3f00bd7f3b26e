"""The verdicts on links, and the kinds of counts."""

from __future__ import annotations

KINDS = ("TP", "LE.other", "LE.missed", "LE.over", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, OTHER, MISSED, OVER, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
SET_KINDS = ("TP", "FP", "FN")
HIT_KINDS = ("gold_hits", "gold_others", "system_hits", "system_others")
NO_RANK = "none"
"""Where the right identifier is not among the candidates."""
RANKS = "ranks"
"""The tally of the ranks of right identifiers."""


def by_document(judge: str) -> str:
    """What the tally of a judge's scores by document is called."""
    return f"{judge} by document"


ERROR_NAMES = {
    "LE.other": "another entry",
    "LE.missed": "NIL for an entry",
    "LE.over": "an entry for NIL",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong identifier and boundaries",
    "FN": "missing",
    "FP": "spurious",
}
"""What errors are called."""
