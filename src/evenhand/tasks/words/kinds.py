"""The verdicts on words."""

from __future__ import annotations

MISSING, EXTRA, ABSENT = "missing", "extra", "absent"
"""A unit of the gold standard that the system lacks, one that only the system has, and one that other systems add."""
TAG_KINDS = ("right", "wrong")
TREE_KINDS = ("right", "wrong_head", "wrong_relation", "both")
TAG_ERRORS = {"wrong": "wrong tag", MISSING: "missing"}
TREE_ERRORS = {
    "wrong_head": "wrong head",
    "wrong_relation": "wrong relation",
    "both": "wrong head and relation",
    MISSING: "missing",
    EXTRA: "extra",
}
"""What errors are called."""
ENHANCED = ("elas", "eulas")
"""Scores of enhanced dependencies, whose units are edges of words."""
RIGHT = {
    "uas": ("right", "wrong_relation"),
    "ls": ("right", "wrong_head"),
    "las": ("right",),
    "elas": ("right", ABSENT),
    "eulas": ("right", ABSENT),
}
"""The verdicts that are right under each score."""
