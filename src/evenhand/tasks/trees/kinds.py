"""The verdicts on heads and relations, and what the metrics of CoNLL 2018 count."""

from __future__ import annotations

DISTANCES = ("root", "1", "2", "3-6", "7+")
"""Distances between words and their heads."""
OF_WORDS = ("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las")
OF_CONTENT = ("clas", "mlas", "blex")
