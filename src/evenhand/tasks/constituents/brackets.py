"""Labeled and unlabeled brackets: a bracket is right if the other side has one over the same words.

Brackets are those of valid sentences that cover a word that is looked at. Labels are cut at the first `-` or `=`
(`NP-SBJ` is NP; `--functions` keeps them), and brackets go whose label is a DELETE_LABEL. What covers the same words
under the same label (or one that EQ_LABEL makes the same) is matched, one to one: repeated brackets count as often as
both sides have them.

- *labeled*: precision = matched / brackets of the system, recall = matched / brackets of the gold standard,
  F1 = 2 · precision · recall / (precision + recall). Counts are summed over sentences before the division. Under
  LABELED 0 labels do not count.
- *unlabeled*: the same, whatever the labels.
- `labeled-short`, `unlabeled-short`: only sentences whose length is at most CUTOFF_LEN, or `--cutoff`.
- `labeled-all`, `unlabeled-all` and their `-short` forms: sentences with errors count, too. All of their brackets in
  the gold standard are FN, all in the system FP.

Brackets that are not matched are errors of five kinds. They are paired in this order, one to one:

- LE: a bracket of the system has the same words, and another label;
- BES, BEL: one has the same label and begins or ends with the same word, but is too narrow (BES) or too wide (BEL).
  Mostly something is attached too high or too low;
- FN, FP: what is left of the gold standard's is missing, what is left of the system's is spurious.

So unlabeled brackets match where labeled ones are TP or LE.

Where no bracket is on either side, the scores are undefined, and no figure is given for them.

Sources: Black et al. 1991 for precision and recall of brackets (PARSEVAL); Sekine and Collins 1997 (EVALB) for labels,
deletions and sentences; Kummerfeld et al. 2012 for errors of attachment behind wrong brackets; the kinds are ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, empty, pack
from evenhand.tally import Tally
from evenhand.tasks.constituents.forest import Forest, Selection
from evenhand.tasks.constituents.kinds import BRACKET_KINDS, ERRORS
from evenhand.tasks.spans.exact import equal_keys
from evenhand.tasks.spans.kinds import FN, FP, KINDS, LE, TP
from evenhand.tasks.spans.verdicts import Matching
from evenhand.text.layers import Spans

if TYPE_CHECKING:
    from evenhand.tasks.constituents.question import Question

_GOLD, _SYSTEM = (
    np.array(
        [BRACKET_KINDS.index(f"{kind}.{side}" if kind in ERRORS else kind) if kind in known else -1 for kind in KINDS]
    )
    for side in ("gold", "system")
    for known in [("TP", *ERRORS, "FN", "FP")]
)
"""What verdicts count as on either side."""


def kept(forest: Forest, spans: Spans, keep: Bools, valid: Bools, selection: Selection) -> Spans:
    """The brackets of valid sentences that are looked at; positions count the words that are."""
    before = np.append(0, np.cumsum(keep))
    first = forest.bounds[spans.scope]
    begin = before[first]
    start, end = before[first + spans.start] - begin, before[first + spans.end] - begin
    rows = np.flatnonzero((start < end) & valid[spans.scope] & selection.keeps_brackets(spans))
    return replace(spans.take(rows), start=start[rows], end=end[rows])


def matching(gold: Spans, system: Spans, selection: Selection) -> Matching:
    """What every bracket of the two sides is matched with."""
    found = Matching(gold, system)
    classes = selection.label_class(gold.label), selection.label_class(system.label)
    scope, start, end = ((getattr(gold, name), getattr(system, name)) for name in ("scope", "start", "end"))
    same_words = TP if not selection.rules.labeled else LE
    steps = (((start, end, classes), TP), ((start, end), same_words), ((start, classes), None), ((end, classes), None))
    for columns, kind in steps:
        mine, own = np.flatnonzero(found.gold_partner < 0), np.flatnonzero(found.system_partner < 0)
        left, right = equal_keys(*pack(*((one[mine], other[own]) for one, other in (scope, *columns))))
        left, right = mine[left], own[right]
        found.pair(left, right, found.boundary_kind(left, right) if kind is None else kind)
    return found


def count(question: Question, *, short: bool = False, counts_errors: bool = False) -> Tally:
    """The verdicts by label: errors count for the gold label and for the system's.

    With `counts_errors`, the brackets of sentences with errors are missing and spurious.
    """
    gold, system, found = question.gold, question.system, question.matching
    partner_label = np.append(system.label, -1)[found.gold_partner]
    wrong = np.flatnonzero(found.system_kind != TP)
    missing, spurious = question.failed if counts_errors else (gold.take(empty()), system.take(empty()))
    scope = np.concatenate((gold.scope, system.scope[wrong], missing.scope, spurious.scope))
    columns = (
        question.groups[scope],
        np.concatenate((gold.label, np.full(len(wrong), -1), missing.label, np.full(len(spurious), -1))),
        np.concatenate((partner_label, system.label[wrong], np.full(len(missing), -1), spurious.label)),
        np.concatenate(
            (
                *(_GOLD[found.gold_kind], _SYSTEM[found.system_kind[wrong]]),
                *(np.full(len(missing), _GOLD[FN]), np.full(len(spurious), _SYSTEM[FP])),
            )
        ),
    )
    rows = np.flatnonzero(question.is_short[scope]) if short else slice(None)
    return Tally.of(question.labels, BRACKET_KINDS, *(column[rows] for column in columns))
