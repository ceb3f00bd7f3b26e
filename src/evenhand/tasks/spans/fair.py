"""Fair evaluation: every span counts once, and errors have kinds.

| verdict | the pair                                                               |
| ------- | ---------------------------------------------------------------------- |
| TP      | equal label, bounds and tokens                                         |
| LE      | equal bounds, different labels                                         |
| BES     | equal labels, other bounds: the system's span lies inside the gold one |
| BEL     | equal labels, other bounds: the system's span contains the gold one    |
| BEO     | equal labels, other bounds: the two cross                              |
| LBE     | different labels, overlapping but not equal bounds                     |
| FN, FP  | a gold span, a system span without any of these                        |

BE = BES + BEL + BEO. *Matching* goes as follows, within each scope:

1. TP: each gold span in input order takes the first equal system span that is free.
2. LE: each gold span left, in input order, takes the first free system span with equal bounds and another label. Spans
   matched so far take no further part.
3. What is left is ordered by last - first token, ties as in the input.
4. BE, in three passes over pairs with equal labels that overlap and whose bounds are not equal. Each match uses up the
   tokens that the two share, on both sides at once.
   1. Each gold span takes the most similar free system span.
   2. Each gold span still free takes the most similar system span that was matched in these passes and shares a token
      that is not used up.
   3. Each system span still free takes the most similar gold span, in the same way.
5. LBE: the same three passes for pairs with different labels; used tokens and matched spans carry over.
6. Gold spans left over are FN, system spans FP.

*Most similar*: most shared tokens, then fewest tokens of the candidate alone, then the shorter candidate, by
last - first token, then the order of the list (in passes 2 and 3: of matching). Tokens that are used up do not count.
Ties follow the order of the file: by first token, then by level.

So max(n, m) <= TP + errors <= n + m for n gold and m system spans. Spans with equal label and bounds, but other tokens
(gaps), are no pair.

*Edges*: BE and LBE by the boundary that agrees: left, right or none (`edges` in the JSON).

*Focus*: by label, everything but FP counts for the gold label (`--focus target`); with `--focus system`, LE and LBE
count for the system's label. FP always count for the system's.

*Confusion matrix*: errors by gold label (rows) and system label (columns): LE and LBE off the diagonal, BE on it, FN in
the column and FP in the row of the empty label.

Source: Ortmann 2022, section 2.1 with footnote 2 (kinds and edges) and section 3 with Algorithm 2 (matching, focus,
confusion). Where the paper leaves a choice open, the counts are those of its reference implementation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from sys import maxsize

import numpy as np

from evenhand.arrays import Bools, Ints, ints, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.spans.matching import (
    Matching,
    Pairs,
    Ranges,
    SpanMatches,
    crossing_pairs,
    equal_spans,
    shared_count,
    shared_ranges,
    sizes,
    taken,
    token_ranges,
)
from evenhand.tasks.spans.task import BOUNDARY_KINDS, FN, FP, GE, LBE, LE, NO_EDGE, TP

# == tasks/spans/exact.py: Exact match: a span is right if the other side has the same


def exact(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> SpanMatches:
    """Exact match: a span is right if the other side has the same one.

    A gold span and a system span with equal label, bounds and tokens are one TP. They are paired one to one, so a span
    that one side repeats counts only as often as the other side has it. Every other gold span is an FN, every other
    system span an FP.

    Sources: Ortmann 2022, Algorithm 1; the counts are those of conlleval (Tjong Kim Sang and Buchholz 2000).
    """
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    return matching.verdicts()


# == tasks/spans/walk.py: The three passes of fair evaluation for the spans whose over


@dataclass
class WalkedSpans:
    """The spans of one side in the order of the walk: shortest first, then as in the input."""

    rows: Ints
    spans: Spans
    size: Ints
    """How many tokens each span has."""
    length: list[int]
    tokens: list[Ranges]
    """The tokens of each span that no match has used up. A match adds few ranges, regardless of length."""
    left: list[int]
    """How many these are."""
    turn: list[int]
    """When each span was matched for the first time; -1 for free ones."""
    turns: int = 0

    @staticmethod
    def of(spans: Spans, rows: Ints) -> WalkedSpans:
        rows = np.sort(rows)
        rows = rows[np.argsort((spans.end - spans.start)[rows], kind="stable")]
        spans = spans.take(rows)
        size, length = sizes(spans), spans.end - spans.start
        free = [-1] * len(rows)
        return WalkedSpans(rows, spans, size, length.tolist(), token_ranges(spans), size.tolist(), free)

    def is_free(self, spans: Ints) -> Bools:
        free: Bools = (ints(self.turn) < 0)[spans]
        return free

    def use(self, span: int, shared: Ranges) -> None:
        """Note a match, which uses up some tokens."""
        ranges = self.tokens[span]
        for first, stop in shared:
            at = bisect_right(ranges, (first, maxsize)) - 1
            start, end = ranges[at]
            rest = (start, first), (stop, end)
            ranges[at : at + 1] = [each for each in rest if each[0] < each[1]]
            self.left[span] -= stop - first
        if self.turn[span] < 0:
            self.turn[span] = self.turns
            self.turns += 1


def match_overlapping(matching: Matching, gold_rows: Ints, system_rows: Ints) -> None:
    """Match the given spans, which are free, by the three passes for BE and then the three for LBE."""
    gold, system = WalkedSpans.of(matching.gold, gold_rows), WalkedSpans.of(matching.system, system_rows)
    for pairs in crossing_pairs(gold.spans, system.spans):
        pairs = pairs.take(matching.overlap(gold.rows[pairs.left], system.rows[pairs.right]))
        same_label = gold.spans.label[pairs.left] == system.spans.label[pairs.right]
        for same in (True, False):
            chosen = pairs.take(same_label == same)
            for step, (left, right) in enumerate(_passes(gold, system, chosen), 1):
                t, s = gold.rows[left], system.rows[right]
                matching.pair(t, s, matching.boundary_kind(t, s) if same else LBE, step)


def _passes(gold: WalkedSpans, system: WalkedSpans, pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """What each of the three passes matches."""
    yield _free_with_free(gold, system, pairs)
    yield _free_with_matched(gold, system, pairs.left, pairs.right)
    right, left = _free_with_matched(system, gold, pairs.right, pairs.left)
    yield left, right


def _free_with_free(gold: WalkedSpans, system: WalkedSpans, pairs: Pairs) -> tuple[Ints, Ints]:
    """Pass 1. Free spans have all their tokens, so that it is known beforehand which are the most similar.

    Shared tokens are not asked for: spans with gaps may overlap without any.
    """
    pairs = pairs.take(gold.is_free(pairs.left) & system.is_free(pairs.right))
    alone = system.size[pairs.right] - pairs.shared
    order = np.lexsort((pairs.right, alone, -pairs.shared, pairs.left))
    best = order[taken(pairs.left[order], pairs.right[order])]
    left, right = pairs.left[best], pairs.right[best]
    for span, partner in zip(left.tolist(), right.tolist(), strict=True):
        _match_walk(gold, span, system, partner)
    return left, right


def _free_with_matched(side: WalkedSpans, other: WalkedSpans, spans: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """Passes 2 and 3: with a span that has a partner already, if the two still share a token that is not used up."""
    rows = np.flatnonzero(side.is_free(spans) & ~other.is_free(candidates))
    rows = rows[np.argsort(spans[rows], kind="stable")]
    spans, candidates = spans[rows], candidates[rows]
    matches = []
    for first, behind in pairwise([*np.flatnonzero(np.diff(spans, prepend=-1)).tolist(), len(spans)]):
        span = int(spans[first])
        partner = _most_similar(side, span, other, candidates[first:behind].tolist())
        if partner >= 0:
            _match_walk(side, span, other, partner)
            matches.append((span, partner))
    found = ints(matches).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _most_similar(side: WalkedSpans, span: int, other: WalkedSpans, candidates: list[int]) -> int:
    """The candidate with most shared tokens, then fewest of its own, then the shortest, then the first matched.

    Tokens that are used up do not count; -1 where none is left to share.
    """
    tokens = side.tokens[span]
    most_similar, partner = (0, 0, 0, 0), -1
    for candidate in candidates:
        shared = shared_count(tokens, other.tokens[candidate])
        if shared:
            key = (-shared, other.left[candidate] - shared, other.length[candidate], other.turn[candidate])
            if key < most_similar:
                most_similar, partner = key, candidate
    return partner


def _match_walk(side: WalkedSpans, span: int, other: WalkedSpans, partner: int) -> None:
    """Match two spans: the tokens they share are used up on both sides."""
    shared = shared_ranges(side.tokens[span], other.tokens[partner])
    side.use(span, shared)
    other.use(partner, shared)


# == tasks/spans/stars.py: Components of overlapping spans with a single span on one si


@dataclass(frozen=True)
class UnmatchedSpans:
    """The free spans of one side, with the component of overlapping spans that each is in; by component."""

    rows: Ints
    component: Ints
    count: Ints
    """How many of them each component has."""


def match_stars(matching: Matching, gold: UnmatchedSpans, system: UnmatchedSpans) -> Bools:
    """Match the components with a single span on one side, where the others are apart; which components these are."""
    done = np.zeros(len(gold.count), dtype=np.bool_)
    for one, many, step in ((gold, system, 3), (system, gold, 2)):
        chosen = (one.count == 1) & (many.count > 1)
        single = np.full(len(chosen), -1)
        single[one.component] = one.rows
        places = np.flatnonzero(chosen[many.component])
        component = many.component[places]
        pairs = single[component], many.rows[places]
        left, right = pairs if one is gold else pairs[::-1]
        chosen &= ~_with_odd_ones(matching, component, left, right, len(chosen), step)
        _match(matching, component, left, right, chosen, step)
        done |= chosen
    return done


def _with_odd_ones(matching: Matching, component: Ints, left: Ints, right: Ints, count: int, step: int) -> Bools:
    """Which components have spans with gaps, pairs with equal bounds, or overlaps within their larger side."""
    gold, system = matching.gold, matching.system
    odd = (gold.shape[left] != 0) | (system.shape[right] != 0)
    odd |= (gold.start[left] == system.start[right]) & (gold.end[left] == system.end[right])
    start, end = (gold.start[left], gold.end[left]) if step == 2 else (system.start[right], system.end[right])
    order = np.lexsort((start, component))
    meets = (component[order][1:] == component[order][:-1]) & (start[order][1:] < end[order][:-1])
    ones = np.zeros(count, dtype=np.bool_)
    ones[component[odd]] = True
    ones[component[order][1:][meets]] = True
    return ones


def _match(matching: Matching, component: Ints, left: Ints, right: Ints, chosen: Bools, step: int) -> None:
    """Match the spans of the chosen components: the first pair of each in pass 1, the others in the pass `step`."""
    gold, system = matching.gold, matching.system
    rows = np.flatnonzero(chosen[component])
    component, left, right = component[rows], left[rows], right[rows]
    same = gold.label[left] == system.label[right]
    if step == 3:
        length = system.end[right] - system.start[right]
        shared = np.minimum(gold.end[left], system.end[right]) - np.maximum(gold.start[left], system.start[right])
        keys: tuple[Ints, ...] = (right, length, length - shared, -shared)
    else:
        keys = (left, gold.end[left] - gold.start[left])
    order = np.lexsort((*keys, ~same, component))
    component, left, right = component[order], left[order], right[order]
    kind = np.where(same[order], matching.boundary_kind(left, right), LBE)
    first = np.append(True, component[1:] != component[:-1])[: len(component)]
    matching.pair(left[first], right[first], kind[first], step=1)
    matching.pair(left[~first], right[~first], kind[~first], step=step)


# == tasks/spans/fair_details.py: What follows from fair verdicts beside the scores: which lab


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with boundary errors by edge, and its confusion matrix: errors but GE, FN under "", FP in the row ""."""
    tally = tallies[score.model.scorer].total()
    return replace(score, confusion=tally.confusion(lambda kind: kind not in ("TP", "GE")), edges=_edges(tally))


def _edges(tally: Tally) -> dict[str, dict[str, float]]:
    """BE and LBE by the boundary that agrees (Ortmann 2022, footnote 2)."""
    found = {kind: dict.fromkeys(("left", "right", "none"), 0.0) for kind in ("BE", "LBE")}
    for (*_, kind), count in tally.cells().items():
        base, _, edge = kind.partition(".")
        if base in BOUNDARY_KINDS or base == "LBE":
            found["LBE" if base == "LBE" else "BE"][edge or "none"] += count
    return {kind: {edge: int(count) for edge, count in row.items()} for kind, row in found.items()}


# == tasks/spans/gold_errors.py: Errors of the gold standard as a kind of error: GE.


def with_gold_errors(verdicts: SpanMatches, gold: Spans, system: Spans, targets: Spans) -> SpanMatches:
    """Errors of the gold standard as a kind of error: GE.

    Where a file of overrides says that a gold span is wrong (`spurious`, `label` or `bounds`), every LE, BE or LBE in
    which this span is matched, and its FN, are a GE instead. So is every FP that equals a span which the gold standard
    should have (`to`). A TP stays one, as the system agrees with the gold standard as it stands. Exact match has the
    kind, too: its FN of such gold spans, and its FP that equal such a `to`.

    A GE counts for nothing in precision and recall, unless `--weights` says what it counts for (`GE = 1 TP`). Unclear
    spans are left out beforehand.

    Source: Ortmann 2022, footnote 1, which proposes the kind.
    """
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


# == tasks/spans/fair.py (primary)


def fair(gold: Spans, system: Spans, equal: tuple[Ints, Ints] | None = None) -> SpanMatches:
    """The verdict on every span; `equal` are the rows of equal spans, where they are known already."""
    matching = Matching(gold, system)
    matching.pair(*(equal or equal_spans(gold, system)), TP)
    _labeling_errors(matching)
    _overlaps(matching)
    return matching.verdicts()


def _labeling_errors(matching: Matching) -> None:
    """Match what is left and has equal bounds but another label."""
    gold, system = matching.gold, matching.system
    free_gold, free_system = np.flatnonzero(matching.gold_kind == FN), np.flatnonzero(matching.system_kind == FP)
    left, right = gold.take(free_gold), system.take(free_system)
    keys, other_keys = pack((left.scope, right.scope), (left.start, right.start), (left.end, right.end))
    order = np.argsort(other_keys, kind="stable")
    first = np.searchsorted(other_keys[order], keys, side="left")
    behind = np.searchsorted(other_keys[order], keys, side="right")
    candidates = np.flatnonzero(behind > first)
    candidates = candidates[np.argsort(first[candidates], kind="stable")]

    # Without gaps, spans with the same label and bounds are TP by now, so that the first goes with the first and so on.
    odd = _with_gaps(first[candidates], behind[candidates], left.shape[candidates], right.shape[order])
    plain = candidates[~odd]
    place = first[plain] + np.arange(len(plain)) - np.searchsorted(first[plain], first[plain])
    fits = place < behind[plain]
    matching.pair(free_gold[plain[fits]], free_system[order[place[fits]]], LE)

    # With gaps, each gold span in turn takes the first one with another label.
    taken: set[int] = set()
    for row in candidates[odd].tolist():
        for other in order[first[row] : behind[row]].tolist():
            if other not in taken and left.label[row] != right.label[other]:
                taken.add(other)
                matching.pair(free_gold[[row]], free_system[[other]], LE)
                break


def _with_gaps(first: Ints, behind: Ints, shape: Ints, other_shape: Ints) -> Bools:
    """Which spans have the bounds of one with gaps; those of the other side with their bounds are first to behind."""
    before = np.append(0, np.cumsum(other_shape != 0))
    gaps: Bools = (before[behind] > before[first]) | np.isin(first, first[shape != 0])
    return gaps


def _overlaps(matching: Matching) -> None:
    """Match what is left and overlaps: BE and LBE.

    Nothing overlaps across a gap, so that what is left falls into components of overlapping spans. Those of one gold
    and one system span are pairs, those of one side alone FN or FP, and `match_stars` takes those with one span on one
    side: all of them at once. The others are the few hard cases, which `walk` matches pass by pass.
    """
    gold, system = matching.gold, matching.system
    free_gold, free_system = _components(matching)
    single = (free_gold.count == 1) & (free_system.count == 1)
    left, right = (side.rows[single[side.component]] for side in (free_gold, free_system))
    comparable = matching.overlap(left, right)
    left, right = left[comparable], right[comparable]
    same_label = gold.label[left] == system.label[right]
    matching.pair(left, right, np.where(same_label, matching.boundary_kind(left, right), LBE), step=1)

    both = (free_gold.count > 0) & (free_system.count > 0)
    hard = both & ~single & ~match_stars(matching, free_gold, free_system)
    if hard.any():
        match_overlapping(matching, *(side.rows[hard[side.component]] for side in (free_gold, free_system)))


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
        """In this order, the n-th gold span of a list of pairs belongs to the n-th system span."""
        order = np.argsort(component, kind="stable")
        return UnmatchedSpans(rows[order], component[order], np.bincount(component, minlength=count))

    return by_component(free_gold, component[: len(free_gold)]), by_component(free_system, component[len(free_gold) :])
