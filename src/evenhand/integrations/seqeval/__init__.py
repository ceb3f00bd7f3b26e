"""seqeval's names, with seqeval's values: change the import, and nothing else.

    from evenhand.integrations.seqeval import classification_report, f1_score, IOB2

Every function takes what seqeval 1.2.2 takes and returns what it returns, also where Evenhand itself would say
something else; `docs/how-to/coming-from/seqeval.md` lists these places.
"""

from __future__ import annotations

from evenhand.integrations.seqeval.entities import get_entities
from evenhand.integrations.seqeval.report import classification_report
from evenhand.integrations.seqeval.schemes import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2
from evenhand.integrations.seqeval.scores import (
    UndefinedMetricWarning,
    f1_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from evenhand.integrations.seqeval.tokens import accuracy_score, performance_measure

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]
