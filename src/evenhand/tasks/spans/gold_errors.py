"""Errors of the gold standard as a kind of error: GE.

Where a file of overrides says that a gold span is wrong (`spurious`, `label` or `bounds`), every LE, BE or LBE in which
this span is matched, and its FN, are a GE instead. So is every FP that equals a span which the gold standard should
have (`to`). A TP stays one, as the system agrees with the gold standard as it stands. Exact match has the kind, too:
its FN of such gold spans, and its FP that equal such a `to`.

A GE counts for nothing in precision and recall, unless `--weights` says what it counts for (`GE = 1 TP`). Unclear spans
are left out beforehand.

Source: Ortmann 2022, footnote 1, which proposes the kind.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, pack
from evenhand.tasks.spans.kinds import FP, GE, NO_EDGE, TP
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.text.layers import Spans


def with_gold_errors(verdicts: Verdicts, gold: Spans, system: Spans, targets: Spans) -> Verdicts:
    """Verdicts with GE; gold spans that are wrong have an extra, and `targets` is what there should be."""
    assert gold.extra is not None
    is_wrong = np.append(gold.extra, 0)[verdicts.gold] != 0
    should_be = np.append(are_among(system, targets), False)[verdicts.system]
    found = np.where(verdicts.kind == FP, should_be, is_wrong & (verdicts.kind != TP))
    kind, edge = np.where(found, GE, verdicts.kind), np.where(found, NO_EDGE, verdicts.edge)
    return replace(verdicts, kind=kind, edge=edge)


def are_among(spans: Spans, others: Spans) -> Bools:
    """Which spans equal one of the others, by sentence, bounds, label and gaps."""
    columns = ("scope", "start", "end", "label", "shape")
    left, right = pack(*((getattr(spans, name), getattr(others, name)) for name in columns))
    return np.isin(left, right)
