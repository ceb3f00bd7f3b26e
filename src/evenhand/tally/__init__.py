"""Counts that add up: over labels, groups, files, processes and machines."""

from evenhand.tally.counts import NO_LABEL, LabelCounts, Tally
from evenhand.tally.group_types import group_types
from evenhand.tally.judged import (
    SPAN_KINDS,
    tally_accuracy,
    tally_exact,
    tally_hits,
    tally_rest,
    tally_semeval,
    tally_spans,
    tally_units,
)
from evenhand.tally.words import tally_table, tally_words, word_kinds

__all__ = [
    "NO_LABEL",
    "SPAN_KINDS",
    "LabelCounts",
    "Tally",
    "group_types",
    "tally_accuracy",
    "tally_exact",
    "tally_hits",
    "tally_rest",
    "tally_semeval",
    "tally_spans",
    "tally_table",
    "tally_units",
    "tally_words",
    "word_kinds",
]
