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

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.data.layers import Spans
from evenhand.scoring.scores import MeasureScore, Row
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.constituents.evalb import ERROR, SKIP, Forest, Selection
from evenhand.tasks.constituents.task import BRACKET_KINDS, ERRORS, LEFT_OUT, SENTENCE_KINDS, TAG_KINDS
from evenhand.tasks.spans.matching import Matching, equal_keys
from evenhand.tasks.spans.task import FN, FP, KINDS, LE, TP

if TYPE_CHECKING:
    from evenhand.tasks.constituents.evaluation import BracketPair

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


def count(question: BracketPair, *, short: bool = False, counts_errors: bool = False) -> Tally:
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


# == tasks/constituents/crossing.py: Complete match and crossing brackets, over valid sentences.


_TWO = 2


def count_crossing(question: BracketPair, *, short: bool = False) -> Tally:
    """Complete match and crossing brackets, over valid sentences.

    A sentence is a *complete match* if its labeled brackets are the same on both sides (all of them match; a sentence
    without any bracket does, too). A bracket of the system *crosses* one of the gold standard if they share words and
    each has words that the other lacks. Crossing brackets are counted once each, however many they cross, and whether
    or not they match.

    - `complete` = complete matches / valid sentences
    - `crossing`: its headline is the share of valid sentences without a crossing bracket. Beside it stand the number of
      crossing brackets, their mean over valid sentences, and the sentences with two at most.
    - `complete-short`, `crossing-short`: only sentences up to CUTOFF_LEN words.
    - `complete-all`, `crossing-all` and their `-short` forms: shares of the valid sentences and of those that the
      system failed on, which count as wrong. valid_share = valid / (valid + failed). two_or_less_share of `crossing` is
      the share of sentences with two crossing brackets at most.

    The printed results that come with EVALB have other totals of crossing brackets than its program computes; figures
    here are those of the program.

    Sources: Black et al. 1991 for crossing brackets; Sekine and Collins 1997 for all figures of the summary.
    """
    gold, system, size = question.gold, question.system, len(question.groups)
    found, valid = question.matching, question.sentences.valid
    matched = np.bincount(gold.scope[found.gold_kind == TP], minlength=size)
    brackets = [np.bincount(side.scope, minlength=size) for side in (gold, system)]
    crossings = np.bincount(system.scope[crosses(gold, system)], minlength=size)
    status = question.sentences.status
    columns = (
        *(valid, status == ERROR, status == SKIP, question.sentences.failed),
        valid & (matched == brackets[0]) & (matched == brackets[1]),
        *(crossings, valid & (crossings == 0), valid & (crossings <= _TWO)),
    )
    table = np.column_stack(columns).astype(np.int64)
    if short:
        table[~question.is_short] = 0
    return tally_table(SENTENCE_KINDS, table, question.groups)


def crosses(gold: Spans, system: Spans) -> Bools:
    """Which brackets of the system cross one of the gold standard.

    A bracket [start, end) crosses just if one that begins inside of it ends behind it, or one that ends inside of it
    begins before it: so the latest end and the earliest start of all brackets at each position tell.
    """
    first, size = _places(gold, system)
    latest, earliest = np.full(size, -1), np.full(size, size)
    np.maximum.at(latest, first[gold.scope] + gold.start, gold.end)
    np.minimum.at(earliest, first[gold.scope] + gold.end, gold.start)
    begin, end = first[system.scope] + system.start + 1, first[system.scope] + system.end
    behind = greatest(latest, begin, end) > system.end
    crosses: Bools = behind | (-greatest(-earliest, begin, end) < system.start)
    return crosses


def _places(gold: Spans, system: Spans) -> tuple[Ints, int]:
    """Where the positions of each sentence begin, if all sentences follow each other, and how many there are."""
    scope, end = np.concatenate((gold.scope, system.scope)), np.concatenate((gold.end, system.end))
    width = np.zeros(int(scope.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(width, scope, end + 1)
    behind = np.cumsum(width)
    return behind - width, int(behind[-1]) if len(behind) else 0


def greatest(values: Ints, begin: Ints, end: Ints) -> Ints:
    """The greatest value in each range [begin, end); a very small number where it is empty.

    Ranges are covered by two of the next smaller power of two, whose greatest values are known for all places.
    """
    found = np.full(len(begin), -(1 << 60))
    size, step, table = end - begin, 1, values
    while (size >= step).any():
        rows = np.flatnonzero((size >= step) & (size < 2 * step))
        found[rows] = np.maximum(table[begin[rows]], table[end[rows] - step])
        table = np.maximum(table[:-step], table[step:]) if len(table) > step else table[:0]
        step *= 2
    return found


# == tasks/constituents/tagging.py: Tagging accuracy: the share of words with the right tag.


def count_tagging(question: BracketPair, *, short: bool = False, counts_errors: bool = False) -> Tally:
    """Tagging accuracy: the share of words with the right tag.

    tagging = words with the same tag / words, over the words of valid sentences that are looked at. Tags that EQ_LABEL
    makes the same are the same; they are not cut as labels are. `tagging-short` looks at sentences up to CUTOFF_LEN
    words. `tagging-all` and `tagging-all-short` count the words of sentences that the system failed on as wrong.

    Source: Sekine and Collins 1997.
    """
    sentences, selection = question.sentences, question.selection
    gold, system = sentences.gold, sentences.system
    mine, own = sentences.words
    scope = gold.sentence_of[mine]
    if short:
        rows = np.flatnonzero(question.is_short[scope])
        mine, own, scope = mine[rows], own[rows], scope[rows]
    right = selection.tag_class(gold.tag[mine]) == selection.tag_class(system.tag[own])
    columns: tuple[Ints, ...] = (question.groups[scope], gold.tag[mine], system.tag[own], np.where(right, 0, 1))
    if counts_errors:
        is_counted = sentences.failed & question.is_short if short else sentences.failed
        lost = np.flatnonzero(sentences.keep_gold & is_counted[gold.sentence_of])
        wrong = (question.groups[gold.sentence_of[lost]], gold.tag[lost], np.full(len(lost), -1), np.ones_like(lost))
        columns = tuple(np.concatenate(pair) for pair in zip(columns, wrong, strict=True))
    return Tally.of(selection.tag_names, TAG_KINDS, *columns)


# == tasks/constituents/score_details.py: What follows from the counts of constituents beside the scor


def with_undefined(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score whose figures are no numbers where there is nothing to divide by."""
    _, predicted, expected, *_ = score.model.columns()
    if {*predicted, *expected} & tallies[score.model.scorer].kinds_met:
        return score
    return replace(score, overall=Row(nan, nan, nan, nan, score.overall.counts, score.overall.more))


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with the brackets that are not right by both labels: FN under "", FP in the row ""."""
    kinds = ("LE.gold", "BES.gold", "BEL.gold", "FN", "FP")
    confusion = tallies[score.model.scorer].confusion(lambda kind: kind in kinds)
    return replace(with_undefined(score, tallies), confusion=confusion)


def with_left_out(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with the sentences that are left out, and why."""
    tally = tallies.get(LEFT_OUT)
    cells = () if tally is None else tally.total().cells()
    left_out = {place: f"{kind}: {reason}" for _, place, reason, kind in cells}
    return with_undefined(score, tallies).adding("left_out", left_out)
