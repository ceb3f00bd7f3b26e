"""The verdicts on brackets, and the kinds of counts."""

from __future__ import annotations

from evenhand.tasks.spans.kinds import KINDS as SPAN_KINDS

ERRORS = ("LE", "BES", "BEL")
"""Wrong brackets that were matched with one of the other side."""
BRACKET_KINDS = ("TP", *(f"{kind}.{side}" for kind in ERRORS for side in ("gold", "system")), "FN", "FP")
"""An error counts once for the label of the gold standard and once for that of the system."""
CLASS_KINDS = (*SPAN_KINDS, "TN", "unscored")
"""In a comparison, surplus of one system is TN under the others; brackets of sentences left out are unscored."""
UNSCORED = CLASS_KINDS.index("unscored")
SENTENCE_KINDS = ("valid", "error", "skip", "failed", "complete", "crossings", "no_crossing", "two_or_less")
TAG_KINDS = ("right", "wrong")
SHORT = "-short"
"""How names of judges and models end that look at short sentences only."""
ALL = "-all"
"""How names of judges and models end, before `-short`, that count sentences with errors as wrong."""
LEFT_OUT = "left out"
"""The tally of sentences that are left out, with their reasons."""
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "too narrow",
    "BEL": "too wide",
    "FN": "missing",
    "FP": "spurious",
}
"""What errors are called."""


def counts_errors(name: str) -> bool:
    """Whether a judge or a model counts sentences with errors as wrong, by its name."""
    return name.removesuffix(SHORT).endswith(ALL)
