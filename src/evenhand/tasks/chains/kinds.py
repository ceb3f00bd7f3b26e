"""The verdicts of ARCS on mentions, and the scores that MELA is the mean of."""

from __future__ import annotations

ARCS = ("arcs_any", "arcs_nom")
ARCS_KINDS = ("tp", "wl", "fn", "fp", "tn")
TP, WL, FN, FP, TN = range(5)
NOUNS = "nouns"
MELA = ("muc", "b_cubed", "ceaf_e")
