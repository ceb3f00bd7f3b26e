"""The verdicts on spans, and the kinds of counts that come from them."""

from __future__ import annotations

KINDS = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")
TP, LE, BES, BEL, BEO, LBE, FN, FP = range(len(KINDS))
TN, GE = len(KINDS), len(KINDS) + 1
CLASS_KINDS = (*KINDS, "TN", "GE")
"""In a comparison, surplus of one system is TN under the others. GE is an error of the gold standard."""
STATES = ("covered", "partial", "exposed")
"""What becomes of a gold span under leakage."""
COVERED, PARTIAL, EXPOSED = range(len(STATES))
ANSWER_KINDS = (*CLASS_KINDS, *STATES)
"""All that a system may have of a span."""
BOUNDARY_KINDS = ("BES", "BEL", "BEO")

EDGES = ("none", "left", "right")
NO_EDGE, LEFT, RIGHT = range(len(EDGES))
SPAN_KINDS = tuple(kind if edge == "none" else f"{kind}.{edge}" for kind in CLASS_KINDS for edge in EDGES)
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong label and boundaries",
    "FN": "missing",
    "FP": "spurious",
    "GE": "error of the gold standard",
}
"""What errors are called."""
