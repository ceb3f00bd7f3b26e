"""Lenient match: a system span with the label of a gold span is a hit even if their bounds differ.

A gold span g and a system span s are compared if they have the same label and share at least one token. With their
sizes |g| and |s| in tokens and `shared` tokens, s has |s| - shared spurious tokens and |g| - shared missing ones.

- `overlap`: every such pair is a hit.
- `contain`: missing = 0, so s covers g; any number of spurious tokens.
- `constrained`: spurious <= k1 and missing <= k2, both 1 by default (`--spurious`, `--missing`).
- `iou`: shared / (|g| + |s| - shared) >= threshold, 0.5 by default (`--iou`); intersection over union.

One span may hit or be hit by several:

- recall R = `gold_hits` / `gold`, the share of gold spans that at least one system span hits
- precision P = `system_hits` / `system`, the share of system spans that hit at least one gold span

The two numerators may differ, so all four numbers are shown instead of a TP.

The quotient of iou is rounded once, like the threshold it is compared with: 1/3 of the tokens reach the threshold 1/3,
and 11 of 20 reach 0.55, although 0.55 times 20 is above 11 in floating point. No quotient below such a fraction rounds
up to it, as long as union times denominator is below `2**52`.

Sources: Esuli and Sebastiani 2010, section 3, which takes overlap and contain from Freitag 1997 and constrained
overlap from De Sitter and Daelemans 2003; Jaccard 1912 for iou, as in object detection.
"""

# The plain versions of these measures and of `semeval` are in tests/tasks/test_overlap.py.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally, tally_by_hit
from evenhand.tasks.spans.matching import Pairs, SpanPair, equal_spans, sizes, taken, tally_pairs
from evenhand.tasks.unit_rows import UnitRows

HIT_MEASURES = ("overlap", "contain", "constrained", "iou")
PAIR_KINDS = ("exact_same", "exact_other", "overlap_same", "overlap_other", "missing", "spurious")
EXACT_SAME, EXACT_OTHER, OVERLAP_SAME, OVERLAP_OTHER, MISSING, SPURIOUS = range(len(PAIR_KINDS))


@dataclass(frozen=True)
class Hits:
    """Which gold spans are hit by a system span, and which system spans hit a gold span."""

    gold: Bools
    system: Bools


def hits(measure: str, gold: Spans, system: Spans, pairs: Iterable[Pairs], **limits: Any) -> Hits:
    """The hits among `pairs`, which are all pairs that share a token; for `limits` see `hit_pairs`."""
    hits = Hits(np.zeros(len(gold), dtype=np.bool_), np.zeros(len(system), dtype=np.bool_))
    for some in hit_pairs(measure, gold, system, pairs, **limits):
        hits.gold[some.left] = True
        hits.system[some.right] = True
    return hits


def hit_pairs(
    measure: str,
    gold: Spans,
    system: Spans,
    pairs: Iterable[Pairs],
    *,
    spurious: int = 1,
    missing: int = 1,
    threshold: float = 0.5,
) -> Iterator[Pairs]:
    """The pairs that are hits.

    `spurious` (k1) and `missing` (k2) are the bounds of constrained overlap, `threshold` is the minimum of iou.
    """
    if measure not in HIT_MEASURES:
        raise SettingError(f"{measure!r} does not define hits; use one of {', '.join(HIT_MEASURES)}.")
    gold_sizes, system_sizes = sizes(gold), sizes(system)
    for some in pairs:
        same = some.take(gold.label[some.left] == system.label[some.right])
        gold_size, spurious_tokens = gold_sizes[same.left], system_sizes[same.right] - same.shared
        missing_tokens = gold_size - same.shared
        if measure == "overlap":
            is_hit = same.shared >= 1
        elif measure == "contain":
            is_hit = missing_tokens == 0
        elif measure == "constrained":
            is_hit = (spurious_tokens <= spurious) & (missing_tokens <= missing)
        else:
            is_hit = same.shared / (gold_size + spurious_tokens) >= threshold
        yield same.take(is_hit)


def count_overlap(pair: SpanPair) -> Tally:
    return _count_hits(pair, "overlap")


def count_contain(pair: SpanPair) -> Tally:
    return _count_hits(pair, "contain")


def count_constrained(pair: SpanPair) -> Tally:
    return _count_hits(pair, "constrained")


def count_iou(pair: SpanPair) -> Tally:
    return _count_hits(pair, "iou")


def _count_hits(pair: SpanPair, measure: str) -> Tally:
    found = hits(measure, pair.gold, pair.system, pair.pairs, **_limits(pair, measure))
    return tally_hits(found, *pair.original, pair.groups)


def _limits(pair: SpanPair, measure: str) -> dict[str, Any]:
    if measure == "constrained":
        return {name: pair.settings[f"constrained_{name}"] for name in ("spurious", "missing")}
    return {"threshold": pair.settings["iou"]} if measure == "iou" else {}


def hit_units(pair: SpanPair, measure: str) -> UnitRows:
    """The spans of both sides, each with the first span of the other side that it hits."""
    return units_of_hits(pair, hit_pairs(measure, pair.gold, pair.system, pair.pairs, **_limits(pair, measure)))


def units_of_hits(pair: SpanPair, hits: Iterable[Pairs]) -> UnitRows:
    """The same for any pairs that are hits."""
    partners = np.full(len(pair.gold), -1), np.full(len(pair.system), -1)
    for some in hits:
        for partner, rows, others in zip(partners, (some.left, some.right), (some.right, some.left), strict=True):
            free = np.flatnonzero(partner[rows] < 0)[::-1]  # of several, the first is assigned last
            partner[rows[free]] = others[free]
    return UnitRows.of_hits(*pair.original, *partners)


def tally_hits(hits: Hits, gold: Spans, system: Spans, groups: Ints) -> Tally:
    """Count the spans of each side with and without a hit on the other side."""
    sides = ((groups[gold.scope], gold.label, hits.gold), (groups[system.scope], system.label, hits.system))
    return tally_by_hit(gold.vocabulary.labels.values, *sides)


@dataclass(frozen=True)
class Paired:
    """One row per gold span, in order, then one per system span without a partner.

    `kind` is an index of PAIR_KINDS; `gold` and `system` are rows of the two layers, or -1.
    """

    kind: Ints
    gold: Ints
    system: Ints

    def __len__(self) -> int:
        return len(self.kind)


def semeval(gold: Spans, system: Spans, pairs: Iterable[Pairs]) -> Paired:
    """SemEval match: every span has at most one partner; labels and bounds are evaluated separately.

    Spans are paired greedily, the best pairs first:
    1. equal bounds and gaps and the same label, then equal bounds and gaps and another label;
    2. pairs that share a token, by most shared tokens, then the same label before another one, then by start, end,
       label name and gaps of the gold span, and then of the system span.

    The result does not depend on the order of either side: spans that are equal in all of these are interchangeable.
    Each of the four measures interprets the pairs differently:

    | pair            | strict | exact | partial | type |
    | --------------- | ------ | ----- | ------- | ---- |
    | `exact_same`    | COR    | COR   | COR     | COR  |
    | `exact_other`   | INC    | COR   | COR     | INC  |
    | `overlap_same`  | INC    | INC   | PAR     | COR  |
    | `overlap_other` | INC    | INC   | PAR     | INC  |
    | `missing`       | MIS    | MIS   | MIS     | MIS  |
    | `spurious`      | SPU    | SPU   | SPU     | SPU  |

    - possible = COR + INC + PAR + MIS, the number of gold spans
    - actual = COR + INC + PAR + SPU, the number of system spans
    - precision P = (COR + 0.5 PAR) / actual, recall R = (COR + 0.5 PAR) / possible; only `partial` has PAR

    By label, a pair counts for the label of its gold span, a spurious span for its label.

    Sources: Segura-Bedmar et al. 2013 (SemEval-2013, task 9.1) for the four measures; Chinchor and Sundheim 1993
    (MUC-5) for the categories. Neither defines which spans are paired if several overlap; the order above is ours.
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


def semeval_units(pair: SpanPair) -> UnitRows:
    paired = semeval(pair.gold, pair.system, pair.pairs)
    return UnitRows.of_pairs(PAIR_KINDS, paired.kind, paired.gold, paired.system, *pair.original)


def count_semeval(pair: SpanPair) -> Tally:
    paired = semeval(pair.gold, pair.system, pair.pairs)
    return tally_pairs(PAIR_KINDS, paired.kind, paired.gold, paired.system, *pair.original, pair.groups)


def _best_pairs(gold: Spans, system: Spans, pairs: Pairs) -> tuple[Ints, Ints]:
    """The rows of the chosen pairs; a pair of spans without any other pair is always chosen."""
    single = _occur_once(pairs.left) & _occur_once(pairs.right)
    hard = pairs.take(~single)
    order = _best_first(gold, system, hard)
    best = order[taken(hard.left[order], hard.right[order])]
    return (
        np.concatenate((hard.left[best], pairs.left[single])),
        np.concatenate((hard.right[best], pairs.right[single])),
    )


def _best_first(gold: Spans, system: Spans, pairs: Pairs) -> Ints:
    """The order in which pairs are chosen; ties keep the input order."""
    kind = _kinds(gold, system, pairs.left, pairs.right)
    ranks = span_ranks(gold, pairs.left), span_ranks(system, pairs.right)
    return np.lexsort((ranks[1], ranks[0], kind, -pairs.shared, kind >= OVERLAP_SAME))


def _kinds(gold: Spans, system: Spans, left: Ints, right: Ints) -> Ints:
    """The kinds of pairs in the same scope that share a token."""
    same_label = gold.label[left] == system.label[right]
    same_bounds = (gold.start[left] == system.start[right]) & (gold.end[left] == system.end[right])
    exact = same_bounds & (gold.shape[left] == system.shape[right])
    return np.where(
        exact,
        np.where(same_label, EXACT_SAME, EXACT_OTHER),
        np.where(same_label, OVERLAP_SAME, OVERLAP_OTHER),
    )


def span_ranks(spans: Spans, rows: Ints) -> Ints:
    """The rank of each span by start, end, label name and gaps; equal spans have equal ranks."""
    label = _by_value(spans.label[rows], spans.vocabulary.labels.values)
    shape = _by_value(spans.shape[rows], spans.vocabulary.shapes.values)
    return pack(*((column, empty()) for column in (spans.start[rows], spans.end[rows], label, shape)))[0]


def _by_value(codes: Ints, values: Sequence[Any]) -> Ints:
    """The rank of the value of each code, because codes depend on the order of reading."""
    occurring, index = np.unique(codes, return_inverse=True)
    ordered = sorted(range(len(occurring)), key=[values[code] for code in occurring.tolist()].__getitem__)
    ranks: Ints = np.argsort(ordered)[index]
    return ranks


def _occur_once(rows: Ints) -> Bools:
    once: Bools = np.bincount(rows)[rows] == 1
    return once
