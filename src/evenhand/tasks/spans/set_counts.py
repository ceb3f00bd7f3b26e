"""Counts of sets of spans, document by document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

import numpy as np

from evenhand.arrays import ints
from evenhand.tally import NO_LABEL, Tally
from evenhand.tasks.spans.document_spans import DocumentSpans
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.unit_texts import LabeledOffsets

Bounds = tuple[int, int]
"""Start and end, regardless of label."""
Counts = Counter[tuple[str, str]]
"""How many spans there are of a kind and a label."""
KINDS = ("TP", "FP", "FN", "sentences")


def bounds_of(spans: Iterable[LabeledOffsets]) -> frozenset[Bounds]:
    return frozenset((start, end) for start, end, _ in spans)


def set_counts(gold: Collection[LabeledOffsets], system: Collection[LabeledOffsets]) -> Counts:
    """TP are spans that both sides have, FP and FN those of one side, by label."""
    mine, other = set(gold), set(system)
    found = {"TP": mine & other, "FP": other - mine, "FN": mine - other}
    return Counter((kind, label) for kind, spans in found.items() for _, _, label in spans)


def unlabeled(**counts: int) -> Counts:
    """Counts that belong to no label."""
    return Counter({(kind, NO_LABEL): count for kind, count in counts.items()})


def tally_documents(question: Question, count: Callable[[DocumentSpans], Counts]) -> Tally:
    """The counts of all documents."""
    labels, rows = question.gold.vocabulary.labels, list[tuple[int, int, int, int]]()
    for document in question.documents:
        for (kind, label), count_of_kind in count(document).items():
            code = -1 if label == NO_LABEL else labels.code(label)
            rows.append((document.scope, code, KINDS.index(kind), count_of_kind))
    scope, labeled, kinds, counts = ints(rows).reshape(-1, 4).T
    gold, system = (np.where(kinds == KINDS.index(absent), -1, labeled) for absent in ("FP", "FN"))
    return Tally.of(labels.values, KINDS, question.groups[scope], gold, system, kinds, counts)
