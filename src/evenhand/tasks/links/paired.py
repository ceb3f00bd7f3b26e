"""Identifiers of equal spans, as spaCy scores its entity linker: mistakes of the entity recogniser are left out.

A pair is a span of the gold standard and a span of the system with equal bounds, regardless of their labels. Spans
without a partner do not count. NIL is the identifier of an entity that the knowledge base lacks.

| gold standard | system        | counts       |
| ------------- | ------------- | ------------ |
| NIL           | NIL           | nothing      |
| NIL           | an identifier | one FP       |
| an identifier | NIL           | one FN       |
| an identifier | the same      | one TP       |
| an identifier | another       | one FP, one FN |

precision = TP / (TP + FP), recall = TP / (TP + FN), …; all counts are for the gold standard's label. In files of spaCy,
the empty identifier is one like any other here (two empty ones are a TP); all other measures take it for the lack of a
link.

`further["pairs"]` has the means over the labels that have a pair, as spaCy's `nel_macro_p`, `nel_macro_r` and
`nel_macro_f`; `macro` is the mean over all labels of the gold standard.

Source: Honnibal et al. 2020, `Scorer.score_links` of spaCy 3.8.18.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Ints
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.links.matching import Linked, LinkPair, link_units
from evenhand.tasks.links.neleval import KEYS, match_keys
from evenhand.tasks.links.task import PAIRED, SET_KINDS
from evenhand.tasks.unit_rows import UnitRows

_TP, _FP, _FN, _PAIRS = range(4)
_KINDS = (*SET_KINDS, "pairs")


def count(pair: LinkPair) -> Tally:
    """Counts of the identifiers of all pairs, by the label of the gold standard."""
    gold, _, kind, row = _judged(pair)
    kind, row = np.append(kind, np.full(len(gold), _PAIRS)), np.append(row, np.arange(len(gold)))
    names, label_of = pair.types
    label = label_of[gold.spans.label[row]]
    on_gold, on_system = np.where(kind == _FP, -1, label), np.where(kind == _FN, -1, label)
    return Tally.of(names, _KINDS, pair.groups[gold.spans.scope[row]], on_gold, on_system, kind)


def units(pair: LinkPair) -> UnitRows:
    """The pairs that count; a wrong identifier has two rows."""
    gold, system, kind, row = _judged(pair)
    gold_row, system_row = np.where(kind == _FP, -1, row), np.where(kind == _FN, -1, row)
    return link_units(SET_KINDS, kind, gold_row, system_row, gold, system)


def _judged(pair: LinkPair) -> tuple[Linked, Linked, Ints, Ints]:
    """The pairs on both sides, the kinds of their counts, and the pair of each count."""
    gold, system = pair.mentions or (pair.gold, pair.system)
    gold_rows, rows = match_keys(gold, system, KEYS["mentions"], 1)
    gold, system = gold.take(gold_rows), system.take(rows)
    is_same = (gold.answer == system.answer) & ~gold.is_nil
    is_wrong = gold.answer != system.answer
    counts = [
        np.flatnonzero(is_same),
        np.flatnonzero(is_wrong & ~system.is_nil),
        np.flatnonzero(is_wrong & ~gold.is_nil),
    ]
    return gold, system, np.repeat((_TP, _FP, _FN), list(map(len, counts))), np.concatenate(counts)


def with_label_means(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the means over the labels that have a pair."""
    tally = tallies.get(PAIRED)
    if tally is None or "pairs" not in tally.kinds:
        return score
    rows = tally.by_label().rows
    pairs = tally.kinds.index("pairs")
    labels = [name for name, counts in rows.items() if counts[pairs] > 0 and name in score.labels]
    means = {
        f"macro_{name}": float(np.mean([getattr(score.labels[label], name) for label in labels])) if labels else 0.0
        for name in ("precision", "recall", "f1")
    }
    return score.adding("pairs", {"labels": labels, **means})
