"""The verdicts on mentions, and which scores there are of what."""

from __future__ import annotations

ARCS = ("arcs_any", "arcs_nom")
ARCS_KINDS = ("tp", "wl", "fn", "fp", "tn")
TP, WL, FN, FP, TN = range(5)
NOUNS = "nouns"
MELA = ("muc", "b_cubed", "ceaf_e")
ZERO_KINDS = ("tp", "wl", "fn", "fp")
"""The verdicts on zero anaphors."""
OF_HEADS = ("mor", "zero")
"""The scores of files that know the heads of mentions."""
HEADS = "heads"
"""The trait of these files."""
ERROR_NAMES = {"wl": "wrong antecedent", "fn": "missing antecedent", "fp": "spurious antecedent"}
"""What errors are called."""
