"""The verdicts on relations."""

from __future__ import annotations

KINDS = ("TP", "AL", "AB", "ALB", "DE", "TE", "XE", "AM", "FN", "AS", "FP")
TP, AL, AB, ALB, DE, TE, XE, AM, FN, AS, FP = range(len(KINDS))
TN = len(KINDS)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
PAIRED = ("AL", "AB", "ALB", "DE", "TE", "XE")
"""Errors of a gold relation and a system relation that are a pair."""
IN_ORDER = (TP, AL, DE, TE, AB, ALB, XE)
"""The verdicts on pairs in the order in which they are given."""
FAULTS = {
    "AL": "entities",
    "AB": "entities",
    "ALB": "entities",
    "AM": "entities",
    "AS": "entities",
    "DE": "relation",
    "TE": "relation",
    "FN": "relation",
    "FP": "relation",
    "XE": "both",
}
"""Whose fault each error is."""
EQUIVALENCE = "same-as"
"""The type whose closure makes classes of entities in eHealth-KD."""
ERROR_NAMES = {
    "AL": "label of an argument",
    "AB": "bounds of an argument",
    "ALB": "labels and bounds of arguments",
    "AM": "argument missing",
    "AS": "argument spurious",
    "DE": "direction",
    "TE": "type",
    "FN": "missing",
    "FP": "spurious",
    "XE": "direction or type, and arguments",
}
"""What errors are called."""
