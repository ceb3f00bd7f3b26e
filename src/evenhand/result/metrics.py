"""Scores as one flat dictionary of plain floats, as trackers of experiments take them.

- The first match model has bare names: `precision`, `recall`, `f1` (`f_beta` where beta is set), and `macro_f1` and the
  like where it has averages. Others stand before their measures: `fair_f1`, `fair_macro_f1`.
- A model that is one share has its own name alone: `accuracy`, `uas`, `las`.
- A model with measures of its own has these: `recall`, `leak_rate`.
- The labels are those of the first model: `PER_precision`, `PER_recall`, `PER_f1`.

Names hold letters, digits, `_`, `-` and `.` only, which all trackers accept. Any other character of a label, and the
full stop, becomes its code between full stops (`PRP$` is `PRP.24.`), so that two labels never share a name. A label
whose names would be those of another metric (a label `macro`) has its first character spelled in this way, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import Average, Row


def flat_metrics(scores: Mapping[str, ModelScore]) -> dict[str, float]:
    found: dict[str, float] = {}
    for place, (name, score) in enumerate(scores.items()):
        found |= _of_model(_spelled(name), score, f"{_spelled(name)}_" if place else "")
    first = next(iter(scores.values()))
    for label, row in first.labels.items() if first.model.details in ("all", "labels") else ():
        of_label = _row(first.model, f"{_spelled(label)}_", row)
        if not found.keys().isdisjoint(of_label):
            of_label = _row(first.model, f"{_code(label[0])}{_spelled(label[1:])}_", row)
        found |= of_label
    return found


def _of_model(name: str, score: ModelScore, prefix: str) -> dict[str, float]:
    """The scores of a model over all labels."""
    model = score.model
    if model.details == "accuracy":
        return {name: float(score.headline)}
    if model.is_measured:
        return _row(model, prefix, score.overall)
    if model.headline == "accuracy":
        found = {name: float(score.headline)}
    else:
        head = Average(score.precision, score.recall, score.f1, score.headline)
        found = _measures(prefix, head, model.beta)
    return found | (_measures(f"{prefix}macro_", score.macro, model.beta) if model.details == "all" else {})


def _row(model: MatchModel, prefix: str, row: Row) -> dict[str, float]:
    """The scores of a row; those that are unknown are left out."""
    if not model.is_measured:
        return _measures(prefix, row, model.beta)
    return {f"{prefix}{name}": float(value) for name, value in row.more.items() if value is not None}


def _measures(prefix: str, average: Average, beta: float) -> dict[str, float]:
    names = ("precision", "recall", "f1") if beta == 1 else ("precision", "recall", "f1", "f_beta")
    return {f"{prefix}{name}": float(getattr(average, name)) for name in names}


def _spelled(text: str) -> str:
    return "".join(each if each.isalnum() or each in "_-" else _code(each) for each in text)


def _code(character: str) -> str:
    return f".{ord(character):X}."
