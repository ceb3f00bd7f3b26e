"""Linking error types: fair evaluation with the identifier as label.

Error types and matching are the same as in fair evaluation of spans, with the first identifier of each link as its
label; all that are NIL are equal. A wrong label (LE) is one of three:

| type        | the system's link has the bounds of a gold link, but                   |
| ----------- | ---------------------------------------------------------------------- |
| `LE.other`  | another entry of the knowledge base                                    |
| `LE.missed` | NIL, where the gold standard has an entry                              |
| `LE.over`   | an entry, where the gold standard has NIL                              |

For `LE.other` and `LE.missed`, *ranks* count the rank of the right identifier among the candidates of the system, or
`none`.

With LE = LE.other + LE.missed + LE.over, BE = BES + BEL + BEO and E = LE + BE + LBE:
precision = TP / (TP + E/2 + FP), recall = TP / (TP + E/2 + FN). If no side repeats bounds, TP is the TP of `all`, and
TP + LE is the TP of `mentions`.

By label: FP counts for the label of the system's span, everything else for the label of the gold span.

Source: Ortmann 2022 for error types and matching; the three kinds of wrong identifiers are those that InKB and NIL
scores distinguish (Hachey et al. 2014).
"""

# The literal definition, which the tests compare with, is in tests/slow_links.py.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.data.layers import Spans
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.links import task as kinds
from evenhand.tasks.links.matching import NIL_CODE, Linked, LinkPair, link_units
from evenhand.tasks.spans import measures as span_kinds
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.matching import SpanMatches, groups_and_labels
from evenhand.tasks.unit_rows import UnitRows

_RANKED_ERRORS = {"other": kinds.OTHER, "missed": kinds.MISSED}
_KIND_OF = np.array(
    [kinds.CLASS_KINDS.index("LE.other" if kind == "LE" else kind) for kind in (*span_kinds.KINDS, "TN")]
)
"""The error type of a link for the error type of its span."""


def by_identifier(side: Linked) -> Spans:
    """The spans with their first identifiers as labels."""
    return replace(side.spans, label=side.answer, extra=None)


def link_kinds(kind: Ints, gold: Ints, system: Ints) -> Ints:
    """The error types of links, given the error types of their spans and the identifiers of both sides (-1: none)."""
    link_kind: Ints = _KIND_OF[kind]
    wrong = kind == span_kinds.LE
    link_kind = np.where(wrong & (system == NIL_CODE), kinds.MISSED, link_kind)
    return np.where(wrong & (gold == NIL_CODE), kinds.OVER, link_kind)


def match_links(pair: LinkPair) -> SpanMatches:
    return fair(by_identifier(pair.gold), by_identifier(pair.system))


def _kinds(pair: LinkPair, matches: SpanMatches) -> Ints:
    identifiers = np.append(pair.gold.answer, -1)[matches.gold], np.append(pair.system.answer, -1)[matches.system]
    return link_kinds(matches.kind, *identifiers)


def units(pair: LinkPair) -> UnitRows:
    matches = pair.cached(match_links)
    rows, is_extra = (matches.gold, matches.system), np.arange(len(matches)) >= len(pair.gold)
    return link_units(kinds.KINDS, _kinds(pair, matches), *rows, pair.gold, pair.system, is_extra)


def count(pair: LinkPair) -> Tally:
    """Counts of error types; the tally of ranks is added to the pair."""
    gold, system, matches = pair.gold, pair.system, pair.cached(match_links)
    kind = _kinds(pair, matches)
    rows = matches.gold, matches.system
    groups, gold_label, system_label = groups_and_labels(*rows, gold.spans, system.spans, pair.groups)
    pair.extra_tallies[kinds.RANKS] = _count_ranks(pair, kind, matches, groups)
    names, label_of = pair.types
    return Tally.of(names, kinds.KINDS, groups, label_of[gold_label], label_of[system_label], kind)


def _count_ranks(pair: LinkPair, kind: Ints, matches: SpanMatches, groups: Ints) -> Tally:
    """The ranks of right identifiers: labels are error types, count types are ranks."""
    rows = np.flatnonzero((kind == kinds.OTHER) | (kind == kinds.MISSED))
    candidates, expected = pair.system.same[matches.system[rows]], pair.gold.answer[matches.gold[rows]]
    is_right = candidates == expected[:, None]
    rank = np.where(is_right.any(axis=1), is_right.argmax(axis=1), 0)  # the first one is wrong, so 0 means none
    names = (kinds.NO_RANK, *(str(rank + 1) for rank in range(1, candidates.shape[1])))
    error = np.where(kind[rows] == kinds.OTHER, 0, 1)
    return Tally.of(tuple(_RANKED_ERRORS), names, groups[rows], error, np.full(len(rows), -1), rank)


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the ranks of right identifiers."""
    ranks: dict[str, dict[str, float]] = {name: {} for name in _RANKED_ERRORS}
    cells = tallies[kinds.RANKS].total().cells() if kinds.RANKS in tallies else {}
    for (_, error, _, rank), count in sorted(cells.items(), key=lambda cell: kinds.rank_order(cell[0][3])):
        ranks[error][rank] = count
    return score.adding("ranks", ranks)
