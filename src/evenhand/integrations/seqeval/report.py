"""seqeval's report: a table, or a dictionary, of scores by type and of their averages."""

from __future__ import annotations

from typing import Any

from evenhand.integrations.seqeval.counts import count
from evenhand.integrations.seqeval.schemes import Scheme
from evenhand.integrations.seqeval.scores import AVERAGES, Sentences, ZeroDivision, averaged, refuse_weights

_COLUMNS = ("precision", "recall", "f1-score", "support")


def classification_report(
    y_true: Sentences,
    y_pred: Sentences,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Scheme | None = None,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each type, and their micro, macro and weighted averages.

    With `mode="strict"` and no scheme, the scheme is recognised by the prefixes in `y_true`.
    """
    refuse_weights(sample_weight)
    counts = count(y_true, y_pred, mode, scheme, suffix=suffix)
    by_type = averaged(counts, None, 1.0, zero_division)
    rows = {name: row for name, *row in zip(counts.types, *by_type, strict=True)}
    averages = {f"{average} avg": averaged(counts, average, 1.0, zero_division) for average in AVERAGES}
    if output_dict:
        return {name: dict(zip(_COLUMNS, row, strict=True)) for name, row in {**rows, **averages}.items()}
    if not rows:
        raise ValueError("Neither y_true nor y_pred has an entity, so that there is nothing to report.")
    width = max(digits, *map(len, [*rows, *averages]))
    lines = [f"{'':>{width}} " + "".join(f" {column:>9}" for column in _COLUMNS), ""]
    for part in (rows, averages):
        for name, (*scores, support) in part.items():
            lines.append(f"{name:>{width}} " + "".join(f" {each:>9.{digits}f}" for each in scores) + f" {support:>9}")
        lines.append("")
    return "\n".join(lines)
