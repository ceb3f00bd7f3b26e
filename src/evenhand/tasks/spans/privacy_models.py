"""Match models of spans for privacy: what leaks, and the scores of shared tasks on de-identification."""

from __future__ import annotations

from dataclasses import replace

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Measure, Sum, measured, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings

_HOME = "evenhand.tasks.spans"
_STATES = ("covered", "partial", "exposed")
_OF_LABELS = ("values", "values_safe", "sensitive", "leaked")
_OVERALL = ("redacted", "over", "documents", "documents_safe")
"""The counts of leakage: what becomes of gold spans, what labels have, and what they do not have."""


def _leak(name: str, settings: ScoreSettings) -> MatchModel:
    """What leaks, what is covered, and what is covered needlessly."""
    kinds = {kind: {kind: 1.0} for kind in (*_STATES, *_OF_LABELS, *_OVERALL)}
    spans, outside = plus(*(kinds[state] for state in _STATES)), {"atoms": 1.0, "sensitive": -1.0}
    counts = {"spans": spans, **kinds}
    found = measured(
        name,
        name,
        counts,
        (
            Measure("recall", kinds["covered"], spans, "gold spans that are covered entirely."),
            Measure(
                *("leak_rate", kinds["leaked"], kinds["sensitive"]),
                "atoms of gold spans that are not covered.",
                is_best_low=True,
            ),
            Measure(
                *("over_rate", kinds["over"], kinds["redacted"]),
                "atoms of the system's spans that are in no gold span.",
                is_best_low=True,
            ),
            Measure(
                *("over_text", kinds["over"], outside),
                "atoms in no gold span that the system covers.",
                is_best_low=True,
            ),
        ),
    )
    worded: Sum = {"worded": 1.0}
    return replace(
        found,
        known={"values": worded, "values_safe": worded, "over_text": {"atoms": 1.0}},
        overall_only=frozenset((*_OVERALL, "over_rate", "over_text")),
    )


PRIVACY = (
    Model(
        *("leak", "spans", Judge("leak", late(f"{_HOME}.leak:leak"), remembers=True), _leak, f"{_HOME}.leak"),
        aliases=("leakage", "privacy"),
        summary="What of gold spans is not covered, whatever labels systems give.",
    ),
)
