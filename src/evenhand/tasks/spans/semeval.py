"""SemEval match: every span goes with at most one span of the other side, and labels and bounds are judged apart.

Spans are paired greedily, the best pairs first:
1. equal bounds and gaps and the same label, then equal bounds and gaps and another label;
2. pairs that share a token, by most shared tokens, then the same label before another one, then by start, end, label
   name and gaps of the gold span, and then of the system span.

So the result does not depend on the order of either side: spans that are alike in all of these can stand for each
other. Each of the four measures reads the kind of a pair in its own way:

| kind            | strict | exact | partial | type |
| --------------- | ------ | ----- | ------- | ---- |
| `exact_same`    | COR    | COR   | COR     | COR  |
| `exact_other`   | INC    | COR   | COR     | INC  |
| `overlap_same`  | INC    | INC   | PAR     | COR  |
| `overlap_other` | INC    | INC   | PAR     | INC  |
| `missing`       | MIS    | MIS   | MIS     | MIS  |
| `spurious`      | SPU    | SPU   | SPU     | SPU  |

- possible = COR + INC + PAR + MIS, which is the number of gold spans
- actual = COR + INC + PAR + SPU, which is the number of system spans
- precision P = (COR + 0.5 PAR) / actual, recall R = (COR + 0.5 PAR) / possible; PAR are in `partial` only

By label, a pair counts for the label of its gold span, a spurious span for its own.

Sources: Segura-Bedmar et al. 2013 (SemEval-2013, task 9.1) for the four measures; Chinchor and Sundheim 1993 (MUC-5)
for the categories. Neither says which spans go together where several overlap; the order above is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.tasks.spans.crowded_pairs import pair_up
from evenhand.tasks.spans.exact import equal_spans
from evenhand.tasks.spans.pairs import Pairs, overlapping
from evenhand.text.layers import Spans

PAIR_KINDS = ("exact_same", "exact_other", "overlap_same", "overlap_other", "missing", "spurious")
EXACT_SAME, EXACT_OTHER, OVERLAP_SAME, OVERLAP_OTHER, MISSING, SPURIOUS = range(len(PAIR_KINDS))


@dataclass(frozen=True)
class Paired:
    """One row a gold span, in order, then one for every system span without a partner.

    `kind` is a place in PAIR_KINDS; `gold` and `system` are rows of the two layers, -1 where there is none.
    """

    kind: Ints
    gold: Ints
    system: Ints

    def __len__(self) -> int:
        return len(self.kind)


def semeval(gold: Spans, system: Spans, pairs: Pairs | None) -> Paired:
    """The kind of every span, and its partner; `pairs` are all pairs that share a token, or None if too many."""
    partner = np.full(len(gold), -1, dtype=np.int64)
    alone = np.ones(len(system), dtype=np.bool_)
    kind = np.full(len(gold), MISSING, dtype=np.int64)

    left, right = equal_spans(gold, system)
    partner[left], alone[right], kind[left] = right, False, EXACT_SAME

    left, right = _overlapping(gold, system, pairs, partner < 0, alone)
    partner[left], alone[right], kind[left] = right, False, _kinds(gold, system, left, right)

    spurious = np.flatnonzero(alone)
    return Paired(
        np.concatenate((kind, np.full(len(spurious), SPURIOUS))),
        np.concatenate((np.arange(len(gold)), np.full(len(spurious), -1))),
        np.concatenate((partner, spurious)),
    )


def _overlapping(
    gold: Spans, system: Spans, pairs: Pairs | None, free_gold: Bools, free_system: Bools
) -> tuple[Ints, Ints]:
    """The pairs of rows that are taken among the spans that are free."""
    if pairs is None and not (gold.shape.any() or system.shape.any()):
        left, right = _in_order(gold, free_gold), _in_order(system, free_system)
        partner = pair_up(gold.take(left), system.take(right))
        return left[partner >= 0], right[partner[partner >= 0]]
    if pairs is None:
        pairs = overlapping(gold, system)
    free = pairs.take(free_gold[pairs.left] & free_system[pairs.right])
    single = _once(free.left) & _once(free.right)
    hard = free.take(~single)
    left, right = _greedy(hard.take(_best_first(gold, system, hard)))
    return np.concatenate((left, free.left[single])), np.concatenate((right, free.right[single]))


def _in_order(spans: Spans, chosen: Bools) -> Ints:
    """Rows of spans that have a token, by start, end and label name."""
    rows = np.flatnonzero(chosen & (spans.start < spans.end))
    label = _ranks(spans.label[rows], spans.vocabulary.labels.values)
    return rows[np.lexsort((label, spans.end[rows], spans.start[rows]))]


def _greedy(pairs: Pairs) -> tuple[Ints, Ints]:
    """Take each pair in turn whose spans are both free. A loop, because each pair taken rules out later ones."""
    of_gold: dict[int, int] = {}
    taken: set[int] = set()
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        if left not in of_gold and right not in taken:
            of_gold[left] = right
            taken.add(right)
    return ints(list(of_gold)), ints(list(of_gold.values()))


def _best_first(gold: Spans, system: Spans, pairs: Pairs) -> Ints:
    """The order in which pairs are taken; spans that are equal in every respect keep the order of the input."""
    kind = _kinds(gold, system, pairs.left, pairs.right)
    columns = [kind >= OVERLAP_SAME, -pairs.shared, kind]
    for spans, rows in ((gold, pairs.left), (system, pairs.right)):
        labels, shapes = spans.vocabulary.labels.values, spans.vocabulary.shapes.values
        columns += [spans.start[rows], spans.end[rows]]
        columns += [_ranks(spans.label[rows], labels), _ranks(spans.shape[rows], shapes)]
    return np.lexsort(columns[::-1])


def _kinds(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """The kinds of pairs of rows that are in the same scope and share a token."""
    same_label = gold.label[left] == system.label[right]
    same_bounds = (gold.start[left] == system.start[right]) & (gold.end[left] == system.end[right])
    exact = same_bounds & (gold.shape[left] == system.shape[right])
    return np.where(
        exact,
        np.where(same_label, EXACT_SAME, EXACT_OTHER),
        np.where(same_label, OVERLAP_SAME, OVERLAP_OTHER),
    )


def _ranks(codes: Ints, values: Sequence[Any]) -> Ints:
    """The rank of each code's value among those that occur: codes themselves depend on the order of reading."""
    distinct, place = np.unique(codes, return_inverse=True)
    occurring = [values[code] for code in distinct.tolist()]
    ordered = sorted(range(len(occurring)), key=occurring.__getitem__)
    ranks: Ints = np.argsort(ordered)[place]
    return ranks


def _once(rows: Ints) -> Bools:
    """Which rows occur in one place only."""
    once: Bools = np.bincount(rows)[rows] == 1
    return once
