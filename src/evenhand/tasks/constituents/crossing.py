"""Complete match and crossing brackets, over valid sentences.

A sentence is a *complete match* if its labeled brackets are the same on both sides (all of them match; a sentence
without any bracket does, too). A bracket of the system *crosses* one of the gold standard if they share words and each
has words that the other lacks. Crossing brackets are counted once each, however many they cross, and whether or not
they match.

- `complete` = complete matches / valid sentences
- `crossing`: its headline is the share of valid sentences without a crossing bracket. Beside it stand the number of
  crossing brackets, their mean over valid sentences, and the sentences with two at most.
- `complete-short`, `crossing-short`: only sentences up to CUTOFF_LEN words.
- `complete-all`, `crossing-all` and their `-short` forms: shares of the valid sentences and of those that the system
  failed on, which count as wrong. valid_share = valid / (valid + failed). two_or_less_share of `crossing` is the share
  of sentences with two crossing brackets at most.

The printed results that come with EVALB have other totals of crossing brackets than its program computes; figures here
are those of the program.

Sources: Black et al. 1991 for crossing brackets; Sekine and Collins 1997 for all figures of the summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tally import Tally
from evenhand.tally.counts import tally_table
from evenhand.tasks.constituents.kinds import SENTENCE_KINDS
from evenhand.tasks.constituents.sentences import ERROR, SKIP
from evenhand.tasks.spans.kinds import TP
from evenhand.text.layers import Spans

if TYPE_CHECKING:
    from evenhand.tasks.constituents.question import Question

_TWO = 2


def count(question: Question, *, short: bool = False) -> Tally:
    """Sentences by status, complete matches and crossing brackets."""
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
    found: Bools = behind | (-greatest(-earliest, begin, end) < system.start)
    return found


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
