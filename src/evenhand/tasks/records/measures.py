"""Measures of records: what each counts.

With G and S the leaves of the gold standard and of the system (sums of the weights of their fields), and E the sum of
FE, VE, HE, KE and RE on a side:

| measure | right | precision, recall, F1 |
| --- | --- | --- |
| `exact` | TP | TP/S, TP/G, 2 TP/(G + S) |
| `relaxed` | TP + FE | the same |
| `fair` | TP | TP/(TP + E/2 + FP + RP + HP), TP/(TP + E/2 + FN + RN), and their harmonic mean |
| `soft` | the similarities of pairs in place, by the field's `anls` or `token-f1`, else 1 or 0 | as `exact` |
| `records` | aligned pairs of records whose leaves are all TP | right/records of the system, right/gold records |
| `documents` | documents without an error and without a wrapped value | right/documents |

Undefined scores are null: precision if S is 0, recall if G is 0, F1 if both are. KE counts for the gold field in
recall, and for the system's field in precision. `macro` is the mean over the fields of the gold standard;
`per_document` the mean F1 over the documents that have one.

Sources: Ortmann 2022 for `fair`, adapted; the others are Evenhand's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import ScoreSettings
from evenhand.tasks.records.fields import parse_path
from evenhand.tasks.records.task import DOCUMENT_KINDS, RECORD_KINDS, SOFT_KINDS, TALLY_KINDS, WEIGHTED, is_weighted
from evenhand.tasks.records.trees import text_of
from evenhand.tasks.records.values import similarity
from evenhand.tasks.records.verdicts import Compared
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.units import Locations, Predictions

_CODE = {kind: code for code, kind in enumerate(TALLY_KINDS)}


@dataclass
class RecordPair:
    """The documents of a part, compared with one system."""

    documents: Sequence[Compared]
    values: Sequence[tuple[Any, Any]]
    """The values of gold standard and system."""
    groups: Ints
    labels: StringIndex[str]
    """The names of fields, which all files share."""
    settings: ScoreSettings
    texts: Sequence[str | None] = ()
    statuses: Sequence[str] = ()
    """How the answers were read."""


def count_verdicts(pair: RecordPair) -> Tally:
    """Verdicts by gold field and system field; with weights, also their sums of weights."""
    groups = pair.groups.tolist()
    texts = zip(groups, pair.texts, strict=True)
    rows = [(number, -1, -1, _CODE["text"], 0.0) for number, text in texts if text is not None]
    for number, document in zip(groups, pair.documents, strict=True):
        for _, leaf, gold, system in document.units():
            label = other = -1 if gold is None else gold.field.label
            if gold is None or system is None or leaf.verdict == "KE":
                other = -1 if system is None else system.field.label
            rows.append((number, label, other, _CODE[leaf.verdict], leaf.field.options.weight))
            if leaf.verdict == "KE" and system is not None:
                rows.append((number, -1, other, _CODE["KE.system"], system.field.options.weight))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    cells, labels = list(map(ints, columns[:4])), tuple(pair.labels.values)
    if not is_weighted(pair.settings):
        return Tally.of(labels, TALLY_KINDS, *cells)
    names = (*TALLY_KINDS, *(WEIGHTED + kind for kind in TALLY_KINDS))
    group, gold_label, system_label, kinds = (np.append(column, column) for column in cells)
    kinds[len(rows) :] += len(TALLY_KINDS)
    counts = np.append(np.ones(len(rows)), columns[4])
    return Tally.of(labels, names, group, gold_label, system_label, kinds, counts)


def list_verdicts(pair: RecordPair) -> UnitRows:
    """The values of both sides; positions are numbers of leaves in their document."""
    rows: list[tuple[int, int, int, int, int]] = []
    strings, matched = dict[int, str](), dict[int, str]()
    for at, document in enumerate(pair.documents):
        for number, leaf, gold, system in document.units():
            if system is not None:
                (strings if gold is None else matched)[len(rows)] = text_of(system)
            label, other = (-1 if side is None else side.field.label for side in (gold, system))
            rows.append((_CODE[leaf.verdict], at, number, label, other))
    kinds, document_of, start, gold_label, predicted = ints(rows).reshape(-1, 5).T
    place = Places.of(document_of, start, np.where(start < 0, -1, start + 1))
    units = UnitRows.of(TALLY_KINDS, kinds, place, gold_label, predicted, start < 0)
    return replace(units, strings=strings, matched_strings=matched)


def by_depth(answers: Predictions | UnitRows, locations: Locations, names: StringIndex[str], labels: Any) -> Ints:
    """The slice `depth`: the number of keys and lists in the path of a value."""
    codes, inverse = np.unique(answers.label, return_inverse=True)
    depths = [names.code(str(len(parse_path(labels.values[code])))) for code in codes.tolist()]
    return ints(depths)[inverse]


def count_soft(pair: RecordPair) -> Tally:
    """Similarities of pairs in place, and the leaves of both sides, with the weights of their fields."""
    rows: list[tuple[float, ...]] = []
    for group, document in zip(pair.groups.tolist(), pair.documents, strict=True):
        for kind, leaves in ((1, document.gold_leaves), (2, document.system_leaves)):
            rows += [(group, leaf.field.label, kind, leaf.field.options.weight) for leaf in leaves]
        for gold, system in document.pairs:
            if gold.verdict in ("TP", "FE", "VE", "HE"):
                options = gold.field.options
                is_graded = options.compare in ("anls", "token-f1")
                value = similarity(gold.value, system.value, options) if is_graded else float(gold.verdict == "TP")
                if value:
                    rows.append((group, gold.field.label, 0, value * options.weight))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    groups, labels, kinds = map(ints, columns[:3])
    return Tally.of(tuple(pair.labels.values), SOFT_KINDS, groups, labels, np.full(len(labels), -1), kinds, columns[3])


def count_records(pair: RecordPair) -> Tally:
    """Records of both sides, aligned records, and right ones."""
    return count_table(RECORD_KINDS, [document.record_counts() for document in pair.documents], pair.groups)


def count_documents(pair: RecordPair) -> Tally:
    """Right, wrong and empty documents, and the sum of their F1 under `exact`."""
    counts = []
    for document in pair.documents:
        correct = sum(leaf.field.options.weight for leaf, _ in document.pairs if leaf.verdict == "TP")
        size = sum(leaf.field.options.weight for leaf in (*document.gold_leaves, *document.system_leaves))
        f1 = {"scored": 1.0, "f1": 2 * correct / size} if size else {"empty": 1.0}
        counts.append({"right" if document.is_right else "wrong": 1.0, **f1})
    return count_table(DOCUMENT_KINDS, counts, pair.groups)


def count_table(kinds: Sequence[str], counts: Sequence[Mapping[str, float]], groups: Ints) -> Tally:
    """A tally of counts by kind, one mapping per document."""
    table = np.array([[row.get(kind, 0) for kind in kinds] for row in counts]).reshape(-1, len(kinds))
    return tally_table(kinds, table, groups)


def with_documents(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the mean F1 over documents, if documents are scored."""
    counts = totals(tallies, "documents")
    scored = counts["scored"]
    return score.adding("per_document", {"f1": counts["f1"] / scored, "documents": int(scored)}) if scored else score


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the confusion of fields (KE)."""
    return replace(score, confusion=tallies["verdicts"].confusion(lambda kind: kind == "KE"))


def totals(tallies: Mapping[str, Tally], name: str) -> defaultdict[str, float]:
    """The sums of a tally of counts by kind; 0 for all kinds if there is no such tally."""
    cells = tallies[name].total().cells() if name in tallies else {}
    return defaultdict(float, {kind: count for (_, _, _, kind), count in cells.items()})
