"""Counts that add up: over labels, groups, files, processes and machines."""

from evenhand.tally.counts import NO_LABEL, LabelCounts, Tally, tally_table

__all__ = ["NO_LABEL", "LabelCounts", "Tally", "tally_table"]
