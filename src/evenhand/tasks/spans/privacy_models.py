"""Match models of spans for privacy: what leaks, and the scores of shared tasks on de-identification."""

from __future__ import annotations

from dataclasses import replace

from evenhand.registry import late
from evenhand.scores.match_model import MatchModel, Measure, Sum, measured, plus
from evenhand.scores.model import Judge, Model
from evenhand.settings import ScoreSettings
from evenhand.tasks.sentences import SENTENCES
from evenhand.tasks.spans.kinds import STATES
from evenhand.tasks.spans.models import exact_counts

_HOME = "evenhand.tasks.spans"
LEAK = "leak"
_OF_LABELS = ("values", "values_safe", "sensitive", "leaked")
_OVERALL = ("redacted", "over", "documents", "documents_safe")
"""The counts of leakage that labels have beside the states of spans, and those that they do not have."""


def leakage(name: str, settings: ScoreSettings) -> MatchModel:
    """What leaks, what is covered, and what is covered needlessly."""
    kinds = {kind: {kind: 1.0} for kind in (*STATES, *_OF_LABELS, *_OVERALL)}
    spans, outside = plus(*(kinds[state] for state in STATES)), {"atoms": 1.0, "sensitive": -1.0}
    counts = {"spans": spans, **kinds}
    found = measured(
        name,
        name,
        counts,
        (
            Measure("recall", kinds["covered"], spans, "gold spans covered entirely."),
            Measure(
                *("leak_rate", kinds["leaked"], kinds["sensitive"]),
                "atoms of gold spans that are not covered.",
                is_best_low=True,
            ),
            Measure(
                *("over_rate", kinds["over"], kinds["redacted"]),
                "covered atoms that are in no gold span.",
                is_best_low=True,
            ),
            Measure(
                *("over_text", kinds["over"], outside),
                "atoms in no gold span that are covered.",
                is_best_low=True,
            ),
            Measure(
                *("values_safe_share", kinds["values_safe"], kinds["values"]),
                "values all of whose mentions are covered.",
                title="safe values",
            ),
            Measure(
                *("documents_safe_share", kinds["documents_safe"], kinds["documents"]),
                "documents of which nothing leaked.",
                title="safe documents",
            ),
        ),
    )
    worded: Sum = {"worded": 1.0}
    return replace(
        found,
        known={**dict.fromkeys(("values", "values_safe", "values_safe_share"), worded), "over_text": {"atoms": 1.0}},
        overall_only=frozenset((*_OVERALL, "over_rate", "over_text", "values_safe_share", "documents_safe_share")),
    )


def _with_leak(name: str, settings: ScoreSettings) -> MatchModel:
    """Sets of labeled spans, and the missing spans a sentence, where the number of sentences is known."""
    sentences: Sum = {"sentences": 1.0}
    leak = Measure("leak", {"FN": 1.0}, sentences, "missing spans a sentence.", is_share=False, is_best_low=True)
    return replace(
        exact_counts(name, settings),
        measures=(leak,),
        known={"leak": sentences},
        overall_only=frozenset(("leak",)),
        shares_unlabeled=False,
    )


def _bounds(name: str, settings: ScoreSettings) -> MatchModel:
    """Sets of spans without labels."""
    return replace(exact_counts(name, settings), details="overall")


_LEAK = Judge(LEAK, late(f"{_HOME}.leak:leak"), remembers=True)
_TASKS = {
    "meddocan-ner": (
        f"{_HOME}.meddocan:ner",
        f"{_HOME}.meddocan",
        _with_leak,
        "MEDDOCAN, subtask 1: label, start and end are equal.",
    ),
    "meddocan-strict": (
        f"{_HOME}.meddocan:strict",
        f"{_HOME}.meddocan",
        _bounds,
        "MEDDOCAN, subtask 2: start and end are equal.",
    ),
    "meddocan-merged": (
        f"{_HOME}.meddocan:merged",
        f"{_HOME}.meddocan",
        _bounds,
        "MEDDOCAN, subtask 2: neighbouring spans may be written as one.",
    ),
    "i2b2-strict": (f"{_HOME}.i2b2:strict", f"{_HOME}.i2b2", exact_counts, "i2b2: label, start and end are equal."),
    "i2b2-relaxed": (
        f"{_HOME}.i2b2:relaxed",
        f"{_HOME}.i2b2",
        exact_counts,
        "i2b2: as strict, with ends up to two characters apart.",
    ),
    "i2b2-token": (
        f"{_HOME}.i2b2:token",
        f"{_HOME}.i2b2",
        exact_counts,
        "i2b2: letters and digits in spans, by label.",
    ),
    "i2b2-binary-strict": (f"{_HOME}.i2b2:binary_strict", f"{_HOME}.i2b2", _bounds, "i2b2: as strict, without labels."),
    "i2b2-binary-token": (f"{_HOME}.i2b2:binary_token", f"{_HOME}.i2b2", _bounds, "i2b2: as token, without labels."),
}
PRIVACY = (
    Model(
        *(LEAK, "spans", _LEAK, leakage, f"{_HOME}.leak"),
        aliases=("leakage", "privacy"),
        summary="What of gold spans is not covered, whatever labels systems give.",
    ),
    *(
        Model(
            *(name, "spans", Judge(name, late(scorer), takes_texts=True), arithmetic, definition),
            family=name.partition("-")[0],
            parameters=(SENTENCES,) if name == "meddocan-ner" else (),
            summary=summary,
        )
        for name, (scorer, definition, arithmetic, summary) in _TASKS.items()
    ),
)
