"""Lenient match: when a system span with the label of a gold span is a hit, though their bounds may differ.

A gold span g and a system span s are looked at if they have the same label and share at least one token. With their
sizes |g| and |s| in tokens and `shared` tokens, s has |s| - shared spurious tokens and |g| - shared missing ones.

- `overlap`: any such pair is a hit.
- `contain`: missing = 0, so that s covers g; any number of spurious tokens.
- `constrained`: spurious <= k1 and missing <= k2, both 1 unless they are set (`--spurious`, `--missing`).
- `iou`: shared / (|g| + |s| - shared) >= threshold, 0.5 unless it is set (`--iou`); intersection over union.

One span may hit or be hit by several:

- recall R = `gold_hits` / `gold`, the share of gold spans that at least one system span hits
- precision P = `system_hits` / `system`, the share of system spans that hit at least one gold span

The two numerators may differ, so these four numbers are shown, and no TP.

The quotient of iou is compared as it is, rounded once, because a threshold is a rounded number too: 1/3 of the
tokens meet the threshold 1/3, and 11 of 20 meet 0.55, though 0.55 times 20 is above 11 in floating point. No quotient
below such a fraction rounds up to it, as long as union times denominator stays under `2**52`.

Sources: Esuli and Sebastiani 2010, section 3, which takes overlap and contain from Freitag 1997 and constrained
overlap from De Sitter and Daelemans 2003; Jaccard 1912 for iou, as in object detection.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.spans.matching import Pairs, equal_spans, sizes, taken

# == tasks/spans/semeval.py: SemEval match: every span goes with at most one span of the


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


def semeval(gold: Spans, system: Spans, pairs: Iterable[Pairs]) -> Paired:
    """SemEval match: every span goes with at most one span of the other side, and labels and bounds are judged apart.

    Spans are paired greedily, the best pairs first:
    1. equal bounds and gaps and the same label, then equal bounds and gaps and another label;
    2. pairs that share a token, by most shared tokens, then the same label before another one, then by start, end,
       label name and gaps of the gold span, and then of the system span.

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

    Sources: Segura-Bedmar et al. 2013 (SemEval-2013, task 9.1) for the four measures; Chinchor and Sundheim 1993
    (MUC-5) for the categories. Neither says which spans go together where several overlap; the order above is ours.
    """
    partner = np.full(len(gold), -1, dtype=np.int64)
    alone = np.ones(len(system), dtype=np.bool_)
    kind = np.full(len(gold), MISSING, dtype=np.int64)

    left, right = equal_spans(gold, system)
    partner[left], alone[right], kind[left] = right, False, EXACT_SAME

    for some in pairs:
        free = some.take((partner[some.left] < 0) & alone[some.right])
        left, right = _best_pairs(gold, system, free)
        partner[left], alone[right], kind[left] = right, False, _kinds(gold, system, left, right)

    spurious = np.flatnonzero(alone)
    return Paired(
        np.concatenate((kind, np.full(len(spurious), SPURIOUS))),
        np.concatenate((np.arange(len(gold)), np.full(len(spurious), -1))),
        np.concatenate((partner, spurious)),
    )


def _best_pairs(gold: Spans, system: Spans, pairs: Pairs) -> tuple[Ints, Ints]:
    """The rows of the pairs that are taken; where two spans have no other pair, theirs is."""
    single = _once(pairs.left) & _once(pairs.right)
    hard = pairs.take(~single)
    order = _best_first(gold, system, hard)
    best = order[taken(hard.left[order], hard.right[order])]
    return (
        np.concatenate((hard.left[best], pairs.left[single])),
        np.concatenate((hard.right[best], pairs.right[single])),
    )


def _best_first(gold: Spans, system: Spans, pairs: Pairs) -> Ints:
    """The order in which pairs are taken; spans that are equal in every respect keep the order of the input."""
    kind = _kinds(gold, system, pairs.left, pairs.right)
    ranks = _ranks(gold, pairs.left), _ranks(system, pairs.right)
    return np.lexsort((ranks[1], ranks[0], kind, -pairs.shared, kind >= OVERLAP_SAME))


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


def _ranks(spans: Spans, rows: Ints) -> Ints:
    """The rank of each of these spans by start, end, label name and gaps; equal spans share theirs."""
    label = _by_value(spans.label[rows], spans.vocabulary.labels.values)
    shape = _by_value(spans.shape[rows], spans.vocabulary.shapes.values)
    return pack(*((column, empty()) for column in (spans.start[rows], spans.end[rows], label, shape)))[0]


def _by_value(codes: Ints, values: Sequence[Any]) -> Ints:
    """The rank of each code's value among those that occur: codes themselves depend on the order of reading."""
    occurring, place = np.unique(codes, return_inverse=True)
    ordered = sorted(range(len(occurring)), key=[values[code] for code in occurring.tolist()].__getitem__)
    ranks: Ints = np.argsort(ordered)[place]
    return ranks


def _once(rows: Ints) -> Bools:
    """Which rows occur in one place only."""
    once: Bools = np.bincount(rows)[rows] == 1
    return once


# == tasks/spans/overlap.py (primary)


HIT_MODELS = ("overlap", "contain", "constrained", "iou")


@dataclass(frozen=True)
class Hits:
    """Which gold spans are hit by a system span, and which system spans hit a gold span."""

    gold: Bools
    system: Bools


def hits(
    model: str,
    gold: Spans,
    system: Spans,
    pairs: Iterable[Pairs],
    *,
    spurious: int = 1,
    missing: int = 1,
    threshold: float = 0.5,
) -> Hits:
    """The hits among `pairs`, which are all pairs that share a token.

    `spurious` (k1) and `missing` (k2) are the bounds of constrained overlap, `threshold` is that of iou.
    """
    if model not in HIT_MODELS:
        raise SettingError(f"{model!r} does not say when a span is a hit; name one of {', '.join(HIT_MODELS)}.")
    gold_sizes, system_sizes = sizes(gold), sizes(system)
    hits = Hits(np.zeros(len(gold), dtype=np.bool_), np.zeros(len(system), dtype=np.bool_))
    for some in pairs:
        same = some.take(gold.label[some.left] == system.label[some.right])
        gold_size, spurious_tokens = gold_sizes[same.left], system_sizes[same.right] - same.shared
        missing_tokens = gold_size - same.shared
        if model == "overlap":
            is_hit = same.shared >= 1
        elif model == "contain":
            is_hit = missing_tokens == 0
        elif model == "constrained":
            is_hit = (spurious_tokens <= spurious) & (missing_tokens <= missing)
        else:
            is_hit = same.shared / (gold_size + spurious_tokens) >= threshold
        hits.gold[same.left[is_hit]] = True
        hits.system[same.right[is_hit]] = True
    return hits
