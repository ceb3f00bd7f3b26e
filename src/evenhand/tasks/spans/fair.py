"""Exact match and fair evaluation: every span counts once, and errors have types.

| error type | the pair                                                                  |
| ---------- | ------------------------------------------------------------------------- |
| TP         | equal label, bounds and tokens                                            |
| LE         | equal bounds, different labels                                            |
| BES        | equal labels, different bounds: the system span is inside the gold span   |
| BEL        | equal labels, different bounds: the system span contains the gold span    |
| BEO        | equal labels, different bounds: the spans cross                           |
| LBE        | different labels, bounds that overlap but are not equal                   |
| FN, FP     | a gold span, a system span without any of these                           |

BE = BES + BEL + BEO. *Matching*, within each scope:

1. TP: each gold span in input order takes the first free system span that is equal.
2. LE: each remaining gold span, in input order, takes the first free system span with equal bounds and another label.
   Spans matched so far take no further part.
3. The remaining spans are ordered by last - first token, ties by input order.
4. BE, in three passes over pairs with equal labels that overlap and have different bounds. Each match uses up the
   tokens that the two spans share, on both sides.
   1. Each gold span takes the most similar free system span.
   2. Each gold span still free takes the most similar system span that was matched in these passes and shares a token
      that is not used up.
   3. Each system span still free takes the most similar gold span in the same way.
5. LBE: the same three passes for pairs with different labels; used tokens and matched spans carry over.
6. The remaining gold spans are FN, the remaining system spans FP.

*Most similar*: most shared tokens, then fewest unshared tokens of the candidate, then the shorter candidate (by
last - first token), then the order of the list (in passes 2 and 3: the order of matching). Used tokens do not count.
Ties follow the order of the file: by first token, then by level.

It follows that max(n, m) <= TP + errors <= n + m for n gold and m system spans. Spans with equal labels and bounds but
different tokens (gaps) are not a pair.

*Edges*: BE and LBE by the boundary that agrees: left, right or none (`edges` in the JSON).

*Focus*: by label, everything except FP counts for the gold label (`--focus target`); with `--focus system`, LE and LBE
count for the label of the system. FP always count for the label of the system.

*Confusion matrix*: errors by gold label (rows) and system label (columns): LE and LBE off the diagonal, BE on it, FN in
the column and FP in the row of the empty label.

Source: Ortmann 2022, section 2.1 with footnote 2 (error types and edges) and section 3 with Algorithm 2 (matching,
focus, confusion). Where the paper leaves a choice open, the counts follow its reference implementation.
"""

# The plain version of this algorithm is tests/slow_fair.py. Here, equal spans and spans with equal bounds are matched
# at once. Overlapping spans fall into components: single pairs (`_match_overlaps`) and components with a single span on
# one side (`_match_one_to_many`) have closed forms; the few others go through the three passes (`_match_in_passes`).

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from sys import maxsize

import numpy as np

from evenhand.arrays import Bools, Ints, concatenate, empty, ints, ones, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.spans.matching import (
    Matching,
    Pairs,
    Ranges,
    SpanMatches,
    SpanPair,
    crossing_pairs,
    equal_spans,
    groups_and_labels,
    shared_count,
    shared_ranges,
    sizes,
    taken,
    tally_pairs,
    token_ranges,
)
from evenhand.tasks.spans.measures import (
    BOUNDARY_KINDS,
    CLASS_KINDS,
    EDGES,
    FN,
    FP,
    GE,
    LBE,
    LE,
    NO_EDGE,
    SPAN_KINDS,
    TP,
)
from evenhand.tasks.unit_rows import UnitRows


def exact(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> SpanMatches:
    """Exact match: a span is correct if the other side has the same one.

    A gold span and a system span with equal label, bounds and tokens are one TP. They are paired one to one, so a span
    that one side repeats counts only as often as the other side has it. Every other gold span is an FN, every other
    system span an FP.

    Sources: Ortmann 2022, Algorithm 1; the counts equal conlleval's (Tjong Kim Sang and Buchholz 2000).
    """
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    return matching.matches()


def fair(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> SpanMatches:
    """The error type of every span; `equal` are the rows of equal spans, if known."""
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    _match_labeling_errors(matching)
    _match_overlaps(matching)
    return matching.matches()


def count_exact(pair: SpanPair) -> Tally:
    if pair.targets is not None:
        return tally_spans(matches(pair, "exact"), *pair.original, pair.groups)
    return _count_unequal(pair, exact)


def count_fair(pair: SpanPair) -> Tally:
    """If only counts are needed, only unequal spans are matched, which are few."""
    if pair.keep_units or pair.targets is not None:
        return tally_spans(matches(pair, "fair"), *pair.original, pair.groups)
    return _count_unequal(pair, fair)


def matches(pair: SpanPair, scorer: str) -> SpanMatches:
    """The error types of all spans under the scorer `exact` or `fair`."""
    return pair.cached(_matches, scorer)


def exact_units(pair: SpanPair) -> UnitRows:
    return _units(pair, "exact")


def fair_units(pair: SpanPair) -> UnitRows:
    return _units(pair, "fair")


def _units(pair: SpanPair, scorer: str) -> UnitRows:
    found = matches(pair, scorer)
    is_extra = np.arange(len(found)) >= len(pair.gold)
    return UnitRows.of_pairs(CLASS_KINDS, found.kind, found.gold, found.system, *pair.original, is_extra)


def _matches(pair: SpanPair, scorer: str) -> SpanMatches:
    match = fair if scorer == "fair" else exact
    matches = match(pair.gold, pair.system, pair.equal)
    return matches if pair.targets is None else with_gold_errors(matches, *pair.original, pair.targets)


def _count_unequal(pair: SpanPair, match: Callable[[Spans, Spans, tuple[Ints, Ints]], SpanMatches]) -> Tally:
    """Count equal spans as correct, and match the others."""
    gold, system = pair.gold.take(pair.unequal[0]), pair.system.take(pair.unequal[1])
    unequal = match(gold, system, (empty(), empty()))
    return tally_equal_and_unequal(pair.equal[0], unequal, pair.unequal, *pair.original, pair.groups)


def tally_spans(matches: SpanMatches, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """Count error types; `groups` is the group of each scope (default: one group)."""
    kind = matches.kind * len(EDGES) + matches.edge
    return tally_pairs(SPAN_KINDS, kind, matches.gold, matches.system, gold, system, groups)


def tally_equal_and_unequal(
    equal: Ints, unequal: SpanMatches, rows: tuple[Ints, Ints], gold: Spans, system: Spans, groups: Ints
) -> Tally:
    """Count equal gold spans, by label only if there is a single group, and the matches of the unequal `rows`."""
    labels, correct = gold.vocabulary.labels.values, SPAN_KINDS.index("TP")
    if groups.any():
        label, group, count = gold.label[equal], groups[gold.scope[equal]], ones(len(equal))
    else:
        by_label = np.bincount(gold.label[equal], minlength=1)
        label = np.flatnonzero(by_label)
        group, count = np.zeros_like(label), by_label[label]
    gold_row, system_row = np.append(rows[0], -1)[unequal.gold], np.append(rows[1], -1)[unequal.system]
    unequal_group, gold_label, system_label = groups_and_labels(gold_row, system_row, gold, system, groups)
    kind = unequal.kind * len(EDGES) + unequal.edge
    all_labels = np.arange(len(labels))
    cell = Tally.cell_of(labels, SPAN_KINDS, all_labels, all_labels, correct).take(label)
    return Tally.of_cells(
        labels,
        SPAN_KINDS,
        np.concatenate((group, unequal_group)),
        np.concatenate((cell, Tally.cell_of(labels, SPAN_KINDS, gold_label, system_label, kind))),
        concatenate((count, ones(len(kind)))),
    )


def _match_labeling_errors(matching: Matching) -> None:
    """Match free spans with equal bounds and different labels."""
    gold, system = matching.gold, matching.system
    free_gold, free_system = np.flatnonzero(matching.gold_kind == FN), np.flatnonzero(matching.system_kind == FP)
    left, right = gold.take(free_gold), system.take(free_system)
    keys, other_keys = pack((left.scope, right.scope), (left.start, right.start), (left.end, right.end))
    order = np.argsort(other_keys, kind="stable")
    first = np.searchsorted(other_keys[order], keys, side="left")
    end = np.searchsorted(other_keys[order], keys, side="right")
    candidates = np.flatnonzero(end > first)
    candidates = candidates[np.argsort(first[candidates], kind="stable")]

    # Without gaps, spans with the same label and bounds are TP by now, so the n-th is matched with the n-th.
    gapped = _share_bounds_with_gaps(first[candidates], end[candidates], left.shape[candidates], right.shape[order])
    plain = candidates[~gapped]
    index = first[plain] + np.arange(len(plain)) - np.searchsorted(first[plain], first[plain])
    fits = index < end[plain]
    matching.pair(free_gold[plain[fits]], free_system[order[index[fits]]], LE)

    # With gaps, each gold span in turn takes the first one with another label.
    used: set[int] = set()
    for row in candidates[gapped].tolist():
        for other in order[first[row] : end[row]].tolist():
            if other not in used and left.label[row] != right.label[other]:
                used.add(other)
                matching.pair(free_gold[[row]], free_system[[other]], LE)
                break


def _share_bounds_with_gaps(first: Ints, end: Ints, shape: Ints, other_shape: Ints) -> Bools:
    """Which spans have the bounds of a span with gaps; `first` to `end` are the candidates of the other side."""
    before = np.append(0, np.cumsum(other_shape != 0))
    gaps: Bools = (before[end] > before[first]) | np.isin(first, first[shape != 0])
    return gaps


def _match_overlaps(matching: Matching) -> None:
    """Match free spans that overlap: BE and LBE.

    Free spans fall into components of overlapping spans. Components with spans of one side only are FN or FP.
    """
    gold, system = matching.gold, matching.system
    free_gold, free_system = _components(matching)
    single = (free_gold.count == 1) & (free_system.count == 1)
    left, right = (side.rows[single[side.component]] for side in (free_gold, free_system))
    overlaps = matching.overlap(left, right)
    left, right = left[overlaps], right[overlaps]
    same_label = gold.label[left] == system.label[right]
    matching.pair(left, right, np.where(same_label, matching.boundary_kind(left, right), LBE), step=1)

    both = (free_gold.count > 0) & (free_system.count > 0)
    hard = both & ~single & ~_match_one_to_many(matching, free_gold, free_system)
    if hard.any():
        _match_in_passes(matching, *(side.rows[hard[side.component]] for side in (free_gold, free_system)))


@dataclass(frozen=True)
class UnmatchedSpans:
    """The free spans of one side with their components of overlapping spans, by component."""

    rows: Ints
    component: Ints
    count: Ints
    """The number of these spans in each component."""


def _components(matching: Matching) -> tuple[UnmatchedSpans, UnmatchedSpans]:
    """Sweep over the free spans of both sides; components are numbered from left to right."""
    gold, system = matching.gold, matching.system
    free_gold, free_system = np.flatnonzero(matching.gold_kind == FN), np.flatnonzero(matching.system_kind == FP)
    scope = np.concatenate((gold.scope[free_gold], system.scope[free_system]))
    end = np.concatenate((gold.end[free_gold], system.end[free_system]))
    width = int(end.max(initial=0)) + 1
    start = np.concatenate((gold.start[free_gold], system.start[free_system])) + scope * width
    end += scope * width
    order = np.argsort(start, kind="stable")
    reach = np.maximum.accumulate(end[order])
    component = np.empty(len(order), dtype=np.int64)
    component[order] = np.cumsum(np.append(0, start[order][1:] >= reach[:-1])[: len(order)])
    count = int(component.max(initial=-1)) + 1

    def by_component(rows: Ints, component: Ints) -> UnmatchedSpans:
        """Sorted, so the n-th gold span of one-to-one components belongs to the n-th system span."""
        order = np.argsort(component, kind="stable")
        return UnmatchedSpans(rows[order], component[order], np.bincount(component, minlength=count))

    return by_component(free_gold, component[: len(free_gold)]), by_component(free_system, component[len(free_gold) :])


def _match_one_to_many(matching: Matching, gold: UnmatchedSpans, system: UnmatchedSpans) -> Bools:
    """Match components with one span on one side and disjoint spans on the other. Return which components these are."""
    done = np.zeros(len(gold.count), dtype=np.bool_)
    for one, several, step in ((gold, system, 3), (system, gold, 2)):
        chosen = (one.count == 1) & (several.count > 1)
        single = np.full(len(chosen), -1)
        single[one.component] = one.rows
        rows = np.flatnonzero(chosen[several.component])
        component = several.component[rows]
        pairs = single[component], several.rows[rows]
        left, right = pairs if one is gold else pairs[::-1]
        chosen &= ~_irregular_components(matching, component, left, right, len(chosen), step)
        _match_components(matching, component, left, right, chosen, step)
        done |= chosen
    return done


def _irregular_components(matching: Matching, component: Ints, left: Ints, right: Ints, count: int, step: int) -> Bools:
    """Which components have spans with gaps, pairs with equal bounds, or overlaps within their larger side."""
    gold, system = matching.gold, matching.system
    irregular = (gold.shape[left] != 0) | (system.shape[right] != 0)
    irregular |= (gold.start[left] == system.start[right]) & (gold.end[left] == system.end[right])
    start, end = (gold.start[left], gold.end[left]) if step == 2 else (system.start[right], system.end[right])
    order = np.lexsort((start, component))
    overlaps = (component[order][1:] == component[order][:-1]) & (start[order][1:] < end[order][:-1])
    components = np.zeros(count, dtype=np.bool_)
    components[component[irregular]] = True
    components[component[order][1:][overlaps]] = True
    return components


def _match_components(matching: Matching, component: Ints, left: Ints, right: Ints, chosen: Bools, step: int) -> None:
    """Match the spans of the chosen components: the most similar pair in pass 1, the others in pass `step`."""
    gold, system = matching.gold, matching.system
    rows = np.flatnonzero(chosen[component])
    component, left, right = component[rows], left[rows], right[rows]
    same_label = gold.label[left] == system.label[right]
    if step == 3:
        length = system.end[right] - system.start[right]
        shared = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
        keys: tuple[Ints, ...] = (right, length, length - shared, -shared)
    else:
        keys = (left, gold.end[left] - gold.start[left])
    order = np.lexsort((*keys, ~same_label, component))
    component, left, right = component[order], left[order], right[order]
    kind = np.where(same_label[order], matching.boundary_kind(left, right), LBE)
    first = np.append(True, component[1:] != component[:-1])[: len(component)]
    matching.pair(left[first], right[first], kind[first], step=1)
    matching.pair(left[~first], right[~first], kind[~first], step=step)


@dataclass
class _Side:
    """The spans of one side in the order of the passes: shortest first, then by input order."""

    rows: Ints
    spans: Spans
    size: Ints
    """The number of tokens of each span."""
    length: list[int]
    tokens: list[Ranges]
    """The tokens of each span that are not used up. A match adds few ranges, regardless of length."""
    left: list[int]
    """The number of these tokens."""
    turn: list[int]
    """When each span was first matched; -1 if it is free."""
    turns: int = 0

    @staticmethod
    def of(spans: Spans, rows: Ints) -> _Side:
        rows = np.sort(rows)
        rows = rows[np.argsort((spans.end - spans.start)[rows], kind="stable")]
        spans = spans.take(rows)
        size, length = sizes(spans), spans.end - spans.start
        free = [-1] * len(rows)
        return _Side(rows, spans, size, length.tolist(), token_ranges(spans), size.tolist(), free)

    def is_free(self, spans: Ints) -> Bools:
        free: Bools = (ints(self.turn) < 0)[spans]
        return free

    def use(self, span: int, shared: Ranges) -> None:
        """Record a match, which uses up the shared tokens."""
        ranges = self.tokens[span]
        for first, stop in shared:
            at = bisect_right(ranges, (first, maxsize)) - 1
            start, end = ranges[at]
            ranges[at : at + 1] = [part for part in ((start, first), (stop, end)) if part[0] < part[1]]
            self.left[span] -= stop - first
        if self.turn[span] < 0:
            self.turn[span] = self.turns
            self.turns += 1


def _match_in_passes(matching: Matching, gold_rows: Ints, system_rows: Ints) -> None:
    """Match free spans by the three passes for BE and then the three passes for LBE."""
    gold, system = _Side.of(matching.gold, gold_rows), _Side.of(matching.system, system_rows)
    for pairs in crossing_pairs(gold.spans, system.spans):
        pairs = pairs.take(matching.overlap(gold.rows[pairs.left], system.rows[pairs.right]))
        same_label = gold.spans.label[pairs.left] == system.spans.label[pairs.right]
        for same in (True, False):
            candidates = pairs.take(same_label == same)
            for step, (left, right) in enumerate(_passes(gold, system, candidates), 1):
                t, s = gold.rows[left], system.rows[right]
                matching.pair(t, s, matching.boundary_kind(t, s) if same else LBE, step)


def _passes(gold: _Side, system: _Side, pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """The matches of each of the three passes."""
    yield _match_free_with_free(gold, system, pairs)
    yield _match_free_with_matched(gold, system, pairs.left, pairs.right)
    right, left = _match_free_with_matched(system, gold, pairs.right, pairs.left)
    yield left, right


def _match_free_with_free(gold: _Side, system: _Side, pairs: Pairs) -> tuple[Ints, Ints]:
    """Pass 1. No token of a free span is used up, so similarities are known beforehand.

    Shared tokens are not required: spans with gaps may overlap without any.
    """
    pairs = pairs.take(gold.is_free(pairs.left) & system.is_free(pairs.right))
    unshared = system.size[pairs.right] - pairs.shared
    order = np.lexsort((pairs.right, unshared, -pairs.shared, pairs.left))
    best = order[taken(pairs.left[order], pairs.right[order])]
    left, right = pairs.left[best], pairs.right[best]
    for span, partner in zip(left.tolist(), right.tolist(), strict=True):
        _use_shared_tokens(gold, span, system, partner)
    return left, right


def _match_free_with_matched(side: _Side, other: _Side, spans: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """Passes 2 and 3: with a span that has a partner, if the two share a token that is not used up."""
    rows = np.flatnonzero(side.is_free(spans) & ~other.is_free(candidates))
    rows = rows[np.argsort(spans[rows], kind="stable")]
    spans, candidates = spans[rows], candidates[rows]
    pairs = []
    for first, end in pairwise([*np.flatnonzero(np.diff(spans, prepend=-1)).tolist(), len(spans)]):
        span = int(spans[first])
        partner = _most_similar(side, span, other, candidates[first:end].tolist())
        if partner >= 0:
            _use_shared_tokens(side, span, other, partner)
            pairs.append((span, partner))
    columns = ints(pairs).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _most_similar(side: _Side, span: int, other: _Side, candidates: list[int]) -> int:
    """The most similar candidate by the tokens that are not used up, or -1 if there are none to share."""
    tokens = side.tokens[span]
    best, partner = (0, 0, 0, 0), -1
    for candidate in candidates:
        shared = shared_count(tokens, other.tokens[candidate])
        if shared:
            key = (-shared, other.left[candidate] - shared, other.length[candidate], other.turn[candidate])
            if key < best:
                best, partner = key, candidate
    return partner


def _use_shared_tokens(side: _Side, span: int, other: _Side, partner: int) -> None:
    shared = shared_ranges(side.tokens[span], other.tokens[partner])
    side.use(span, shared)
    other.use(partner, shared)


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add boundary errors by edge, and the confusion of all errors except GE; FN are under "", FP in the row ""."""
    tally = tallies[score.model.scorer].total()
    edges = {kind: dict.fromkeys(("left", "right", "none"), 0.0) for kind in ("BE", "LBE")}
    for (*_, kind), count in tally.cells().items():
        base, _, edge = kind.partition(".")
        if base in BOUNDARY_KINDS or base == "LBE":
            edges["LBE" if base == "LBE" else "BE"][edge or "none"] += count
    return replace(
        score,
        confusion=tally.confusion(lambda kind: kind not in ("TP", "GE")),
        edges={kind: {edge: int(count) for edge, count in row.items()} for kind, row in edges.items()},
    )


def with_gold_errors(matches: SpanMatches, gold: Spans, system: Spans, targets: Spans) -> SpanMatches:
    """Errors of the gold standard as an error type: GE.

    If a file of overrides marks a gold span as wrong (`spurious`, `label` or `bounds`), every LE, BE or LBE in which
    this span is matched, and its FN, are a GE instead. So is every FP that equals a span that the gold standard should
    have (`to`). A TP remains a TP because the system agrees with the gold standard. Exact match has the type, too: its
    FN of such gold spans, and its FP that equal such a `to`.

    A GE counts for nothing in precision and recall, unless `--weights` gives it a weight (`GE = 1 TP`). Unclear spans
    are left out beforehand.

    Source: Ortmann 2022, footnote 1, which proposes the type.
    """
    assert gold.extra is not None
    is_wrong = np.append(gold.extra, 0)[matches.gold] != 0
    should_be = np.append(are_among(system, targets), False)[matches.system]
    is_gold_error = np.where(matches.kind == FP, should_be, is_wrong & (matches.kind != TP))
    kind, edge = np.where(is_gold_error, GE, matches.kind), np.where(is_gold_error, NO_EDGE, matches.edge)
    return replace(matches, kind=kind, edge=edge)


def are_among(spans: Spans, others: Spans) -> Bools:
    """Which spans equal one of the others, by sentence, bounds, label and gaps."""
    columns = ("scope", "start", "end", "label", "shape")
    left, right = pack(*((getattr(spans, name), getattr(others, name)) for name in columns))
    return np.isin(left, right)
