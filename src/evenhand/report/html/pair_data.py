"""What a page knows of pairs of systems beside their units: how scores change, overall and by label."""

from __future__ import annotations

from typing import Any

from evenhand.result.comparison import Comparison
from evenhand.result.pairs import Pair
from evenhand.result.report import Report


def pair_data(report: Report) -> dict[str, Any]:
    """Pairs as rows of both systems, the difference, its interval and p; labels as rows of units and scores."""
    comparison = report.comparison
    if comparison is None:
        return {"pairs": [], "label_scores": [], "labels_are_compared": False, "has_parts": False}
    names = list(report.results)
    compared = {label: bound.units for label, bound in comparison.oracle.labels.items()}
    return {
        "pairs": [[names.index(pair.before), names.index(pair.after), *_figures(pair)] for pair in _pairs(comparison)],
        "label_scores": [
            [label, each.units, *(each.scores[name] for name in names)] for label, each in comparison.labels.items()
        ],
        "labels_are_compared": all(each.units == compared.get(name, 0) for name, each in comparison.labels.items()),
        "has_parts": any(
            each.change for pair in _pairs(comparison) for found in pair.classes.values() for each in found.transitions
        ),
    }


def _pairs(comparison: Comparison) -> list[Pair]:
    return list(comparison.pairs.values())


def _figures(pair: Pair) -> list[float | None]:
    low, high = pair.interval or (None, None)
    return [pair.delta, low, high, None if pair.significance is None else pair.significance.p_holm]
