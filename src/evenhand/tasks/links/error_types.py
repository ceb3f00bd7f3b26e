"""Kinds of linking errors: fair evaluation with the identifier as label.

Verdicts and matching are those of fair evaluation of spans, with the first identifier of each link as its label, where
all that are NIL are equal. A wrong label (LE) is one of three:

| verdict     | the system's link has the bounds of a gold link, but                   |
| ----------- | ---------------------------------------------------------------------- |
| `LE.other`  | another entry of the knowledge base                                    |
| `LE.missed` | NIL, where the gold standard has an entry                              |
| `LE.over`   | an entry, where the gold standard has NIL                              |

For `LE.other` and `LE.missed`, *ranks* count at which place among the candidates of the system the right identifier
is, or `none`.

With LE = LE.other + LE.missed + LE.over, BE = BES + BEL + BEO and E = LE + BE + LBE:
precision = TP / (TP + E/2 + FP), recall = TP / (TP + E/2 + FN). TP is the TP of `all`, and TP + LE that of `mentions`,
if no side repeats bounds.

By label: everything but FP counts for the label of the gold span, FP for that of the system's.

Source: Ortmann 2022 for verdicts and matching; the three kinds of wrong identifiers are those that InKB and NIL scores
tell apart (Hachey et al. 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.data.layers import Spans
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.tasks.links import task as kinds
from evenhand.tasks.links.matching import NIL_CODE, Linked, LinkPair
from evenhand.tasks.spans import measures as span_kinds
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.matching import SpanMatches

_ERRORS = {"other": kinds.OTHER, "missed": kinds.MISSED}
_KIND_OF = np.array([kinds.TP, kinds.OTHER, kinds.BES, kinds.BEL, kinds.BEO, kinds.LBE, kinds.FN, kinds.FP, kinds.TN])
"""The kind of a link's verdict for that of a span."""


def by_identifier(side: Linked) -> Spans:
    """The spans with their first identifiers as labels."""
    return replace(side.spans, label=side.answer, extra=None)


def link_kinds(kind: Ints, gold: Ints, system: Ints) -> Ints:
    """The verdicts on links for those on spans, given the identifiers of both sides (-1: none)."""
    found: Ints = _KIND_OF[kind]
    wrong = kind == span_kinds.LE
    found = np.where(wrong & (system == NIL_CODE), kinds.MISSED, found)
    return np.where(wrong & (gold == NIL_CODE), kinds.OVER, found)


def verdicts(question: LinkPair) -> SpanMatches:
    """The verdicts on spans, which several need."""
    found = question.kept.get(verdicts)
    if not isinstance(found, SpanMatches):
        found = question.kept[verdicts] = fair(by_identifier(question.gold), by_identifier(question.system))
    return found


def count(question: LinkPair) -> Tally:
    """The counts of all verdicts; those of ranks are kept beside them."""
    gold, system, found = question.gold, question.system, verdicts(question)
    kind = link_kinds(found.kind, np.append(gold.answer, -1)[found.gold], np.append(system.answer, -1)[found.system])
    names, place = question.types
    scope = np.where(
        found.gold >= 0, np.append(gold.spans.scope, 0)[found.gold], np.append(system.spans.scope, 0)[found.system]
    )
    groups = question.groups[scope]
    question.more[kinds.RANKS] = _ranks(question, kind, found, groups)
    gold_label = place[np.append(gold.spans.label, -1)[found.gold]]
    system_label = place[np.append(system.spans.label, -1)[found.system]]
    return Tally.of(names, kinds.KINDS, groups, gold_label, system_label, kind)


def _ranks(question: LinkPair, kind: Ints, found: SpanMatches, groups: Ints) -> Tally:
    """At which rank the right identifier is; the kinds of errors are labels, ranks are kinds."""
    rows = np.flatnonzero((kind == kinds.OTHER) | (kind == kinds.MISSED))
    candidates, right = question.system.same[found.system[rows]], question.gold.answer[found.gold[rows]]
    is_right = candidates == right[:, None]
    place = np.where(is_right.any(axis=1), is_right.argmax(axis=1), 0)  # the first one is wrong, so that 0 is free
    names = (kinds.NO_RANK, *(str(rank + 1) for rank in range(1, candidates.shape[1])))
    error = np.where(kind[rows] == kinds.OTHER, 0, 1)
    return Tally.of(tuple(_ERRORS), names, groups[rows], error, np.full(len(rows), -1), place)


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with the ranks of right identifiers."""
    tally = tallies.get(kinds.RANKS)
    ranks: dict[str, dict[str, float]] = {name: {} for name in _ERRORS}
    if tally is not None:
        for (_, error, _, rank), number in sorted(tally.total().cells().items(), key=lambda each: _order(each[0][3])):
            ranks[error][rank] = number
    return score.adding("ranks", ranks)


def _order(rank: str) -> tuple[bool, int]:
    return rank == kinds.NO_RANK, int(rank) if rank.isdecimal() else 0
