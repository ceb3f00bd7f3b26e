"""Labeled and unlabeled brackets: a bracket is right if the other side has one over the same words.

Brackets of valid sentences count if they cover a word that is not deleted. Labels are cut at the first `-` or `=`
(`NP-SBJ` is NP; `--functions` keeps them), and brackets whose label is a DELETE_LABEL are removed. Brackets over the
same words with the same label (or one that EQ_LABEL makes the same) are matched, one to one, so repeated brackets count
as often as both sides have them.

- *labeled*: precision = matched / brackets of the system, recall = matched / brackets of the gold standard,
  F1 = 2 · precision · recall / (precision + recall). Counts are summed over sentences before the division. Under
  LABELED 0 labels do not count.
- *unlabeled*: the same, regardless of labels.
- `labeled-short`, `unlabeled-short`: only sentences whose length is at most CUTOFF_LEN, or `--cutoff`.
- `labeled-all`, `unlabeled-all` and their `-short` forms: sentences with errors count, too. All of their brackets in
  the gold standard are FN, all in the system FP.

Unmatched brackets have one of five error types. They are paired in this order, one to one:

- LE: a bracket of the system has the same words, and another label;
- BES, BEL: one has the same label and begins or ends with the same word, but is too narrow (BES) or too wide (BEL).
  Mostly something is attached too high or too low;
- FN, FP: the remaining brackets of the gold standard are missing, the remaining ones of the system spurious.

So unlabeled brackets match if labeled ones are TP or LE.

If neither side has a bracket, the scores are undefined, and no figure is given for them.

Sources: Black et al. 1991 for precision and recall of brackets (PARSEVAL); Sekine and Collins 1997 (EVALB) for labels,
deletions and sentences; Kummerfeld et al. 2012 for attachment errors that cause wrong brackets; the types are ours.
"""

# The literal definitions, which the tests compare with, are in tests/slow_constituents.py.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import nan

import numpy as np

from evenhand.arrays import Bools, Ints, empty, pack
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.scores import MeasureScore, Row
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.constituents.evalb import ERROR, SKIP, EvalbSentences, Forest, Selection
from evenhand.tasks.constituents.task import BRACKET_KINDS, ERRORS, LEFT_OUT, SENTENCE_KINDS, TAG_KINDS
from evenhand.tasks.spans.matching import Matching, equal_keys, tally_pairs
from evenhand.tasks.spans.measures import FN, FP, KINDS, LE, TP
from evenhand.tasks.unit_rows import Places, UnitRows

_GOLD, _SYSTEM = (
    np.array(
        [BRACKET_KINDS.index(f"{kind}.{side}" if kind in ERRORS else kind) if kind in known else -1 for kind in KINDS]
    )
    for side in ("gold", "system")
    for known in [("TP", *ERRORS, "FN", "FP")]
)
"""The count type of each error type, on either side."""
_IS_SYSTEM = np.array([kind.endswith(".system") or kind == "FP" for kind in BRACKET_KINDS])
"""Which count types are of brackets of the system."""


@dataclass(frozen=True)
class BracketPair:
    """Gold standard and one system side by side."""

    sentences: EvalbSentences
    spans: tuple[Spans, Spans]
    """All brackets of both sides, with their labels renamed and chosen."""
    selection: Selection
    groups: Ints
    """The group of each sentence."""
    cutoff: int
    """The maximum length of short sentences."""

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.spans[0].vocabulary.labels.values)

    @cached_property
    def gold(self) -> Spans:
        """The kept brackets of the gold standard in valid sentences; positions count kept words."""
        return self._kept(self.sentences.valid)[0]

    @cached_property
    def system(self) -> Spans:
        return self._kept(self.sentences.valid)[1]

    @cached_property
    def failed(self) -> tuple[Spans, Spans]:
        """The brackets of both sides in sentences that the system failed on."""
        return self._kept(self.sentences.failed)

    def _kept(self, chosen: Bools) -> tuple[Spans, Spans]:
        sentences, (gold, system) = self.sentences, self.spans
        return (
            kept_brackets(sentences.gold, gold, sentences.keep_gold, chosen, self.selection),
            kept_brackets(sentences.system, system, sentences.keep_system, chosen, self.selection),
        )

    @cached_property
    def matching(self) -> Matching:
        return match_brackets(self.gold, self.system, self.selection)

    @cached_property
    def is_short(self) -> Bools:
        return self.selection.lengths(self.sentences.gold) <= self.cutoff

    def in_text(self, spans: Spans) -> Spans:
        """Brackets of either side, with positions that count all words of the gold standard."""
        return in_text(spans, self.sentences.keep_gold, self.sentences.gold.bounds)


def in_text(spans: Spans, keep: Bools, bounds: Ints) -> Spans:
    """Brackets whose positions count kept words, with positions that count all words; `bounds` are of sentences."""
    words, first, before = np.flatnonzero(keep), bounds[spans.scope], np.append(0, np.cumsum(keep))
    begin, last = before[first], before[bounds[spans.scope + 1]] - 1
    # Brackets of a sentence with other words may extend beyond the gold standard's words.
    start, end = np.minimum(begin + spans.start, last), np.minimum(begin + spans.end - 1, last)
    return replace(spans, start=words[start] - first, end=words[end] + 1 - first)


def kept_brackets(forest: Forest, spans: Spans, keep: Bools, chosen: Bools, selection: Selection) -> Spans:
    """The brackets of chosen sentences that are not deleted and not empty; positions count kept words."""
    before = np.append(0, np.cumsum(keep))
    first = forest.bounds[spans.scope]
    begin = before[first]
    start, end = before[first + spans.start] - begin, before[first + spans.end] - begin
    rows = np.flatnonzero((start < end) & chosen[spans.scope] & selection.keeps_brackets(spans))
    return replace(spans.take(rows), start=start[rows], end=end[rows])


def match_brackets(gold: Spans, system: Spans, selection: Selection) -> Matching:
    """Match the brackets of two sides, step by step."""
    matching = Matching(gold, system)
    classes = selection.label_class(gold.label), selection.label_class(system.label)
    scope, start, end = ((getattr(gold, name), getattr(system, name)) for name in ("scope", "start", "end"))
    same_words = LE if selection.rules.labeled else TP
    steps = (((start, end, classes), TP), ((start, end), same_words), ((start, classes), None), ((end, classes), None))
    for columns, kind in steps:
        gold_rows, rows = np.flatnonzero(matching.gold_partner < 0), np.flatnonzero(matching.system_partner < 0)
        left, right = equal_keys(*pack(*((one[gold_rows], other[rows]) for one, other in (scope, *columns))))
        left, right = gold_rows[left], rows[right]
        matching.pair(left, right, matching.boundary_kind(left, right) if kind is None else kind)
    return matching


def count(pair: BracketPair, *, short: bool = False, counts_errors: bool = False) -> Tally:
    """Error types by label; an error counts for the gold label and for the system's.

    With `counts_errors`, the brackets of sentences with errors are missing and spurious.
    """
    kind, gold_row, system_row, gold, system = _units(pair, short=short, counts_errors=counts_errors)
    gold_row = np.where(_IS_SYSTEM[kind], -1, gold_row)
    return tally_pairs(BRACKET_KINDS, kind, gold_row, system_row, gold, system, pair.groups)


def units(pair: BracketPair, *, short: bool = False, counts_errors: bool = False) -> UnitRows:
    """The brackets of both sides; those that are matched with a bracket that differs are rows of both."""
    kind, gold_row, system_row, gold, system = _units(pair, short=short, counts_errors=counts_errors)
    sides = pair.in_text(gold), pair.in_text(system)
    return UnitRows.of_pairs(BRACKET_KINDS, kind, gold_row, system_row, *sides, _IS_SYSTEM[kind])


def _units(pair: BracketPair, *, short: bool, counts_errors: bool) -> tuple[Ints, Ints, Ints, Spans, Spans]:
    """The kind of each unit, its rows on both sides, or -1, and the brackets of both sides."""
    gold, system, matching = pair.gold, pair.system, pair.matching
    wrong = np.flatnonzero(matching.system_kind != TP)
    missing, spurious = pair.failed if counts_errors else (gold.take(empty()), system.take(empty()))
    gold_row = np.concatenate(
        (
            *(np.arange(len(gold)), matching.system_partner[wrong]),
            *(len(gold) + np.arange(len(missing)), np.full(len(spurious), -1)),
        )
    )
    system_row = np.concatenate(
        (*(matching.gold_partner, wrong), *(np.full(len(missing), -1), len(system) + np.arange(len(spurious))))
    )
    kind = np.concatenate(
        (
            *(_GOLD[matching.gold_kind], _SYSTEM[matching.system_kind[wrong]]),
            *(np.full(len(missing), _GOLD[FN]), np.full(len(spurious), _SYSTEM[FP])),
        )
    )
    gold, system = Spans.concatenate([gold, missing], [0, 0]), Spans.concatenate([system, spurious], [0, 0])
    if short:
        scope = np.where(_IS_SYSTEM[kind], np.append(system.scope, 0)[system_row], np.append(gold.scope, 0)[gold_row])
        rows = np.flatnonzero(pair.is_short[scope])
        kind, gold_row, system_row = kind[rows], gold_row[rows], system_row[rows]
    return kind, gold_row, system_row, gold, system


def count_crossing(pair: BracketPair, *, short: bool = False) -> Tally:
    """Complete match and crossing brackets, over valid sentences.

    A sentence is a *complete match* if its labeled brackets are the same on both sides (all of them match; a sentence
    without any bracket does, too). A bracket of the system *crosses* one of the gold standard if they share words and
    each has words that the other lacks. A crossing bracket counts once, regardless of how many it crosses, and whether
    or not it matches.

    - `complete` = complete matches / valid sentences
    - `crossing`: its headline is the share of valid sentences without a crossing bracket. Tables also have the number
      of crossing brackets, their mean over valid sentences, and the sentences with at most two.
    - `complete-short`, `crossing-short`: only sentences up to CUTOFF_LEN words.
    - `complete-all`, `crossing-all` and their `-short` forms: shares of the valid sentences and of those that the
      system failed on, which count as wrong. valid_share = valid / (valid + failed). two_or_less_share of `crossing` is
      the share of sentences with at most two crossing brackets.

    The printed results that come with EVALB have other totals of crossing brackets than its program computes; Evenhand
    agrees with the program.

    Sources: Black et al. 1991 for crossing brackets; Sekine and Collins 1997 for all figures of the summary.
    """
    return tally_table(SENTENCE_KINDS, _sentence_table(pair, short=short), pair.groups)


def _sentence_table(pair: BracketPair, *, short: bool) -> Ints:
    """The counts of `SENTENCE_KINDS` of each sentence."""
    gold, system, size = pair.gold, pair.system, len(pair.groups)
    valid, status = pair.sentences.valid, pair.sentences.status
    matched = np.bincount(gold.scope[pair.matching.gold_kind == TP], minlength=size)
    brackets = [np.bincount(side.scope, minlength=size) for side in (gold, system)]
    crossings = np.bincount(system.scope[crosses(gold, system)], minlength=size)
    columns = (
        *(valid, status == ERROR, status == SKIP, pair.sentences.failed),
        valid & (matched == brackets[0]) & (matched == brackets[1]),
        *(crossings, valid & (crossings == 0), valid & (crossings <= 2)),
    )
    table = np.column_stack(columns).astype(np.int64)
    if short:
        table[~pair.is_short] = 0
    return table


def sentence_units(pair: BracketPair, *, correct: str, short: bool = False) -> UnitRows:
    """The valid and the failed sentences; those that are `correct` (complete, no_crossing) have this count type."""
    table = _sentence_table(pair, short=short)
    column = {name: table[:, number] > 0 for number, name in enumerate(SENTENCE_KINDS)}
    sentence = np.flatnonzero(column["valid"] | column["failed"])
    kind = np.where(column["failed"], SENTENCE_KINDS.index("failed"), SENTENCE_KINDS.index("valid"))
    kind = np.where(column[correct], SENTENCE_KINDS.index(correct), kind)[sentence]
    lengths = np.diff(pair.sentences.gold.bounds)[sentence]
    return UnitRows.of(SENTENCE_KINDS, kind, Places.of(sentence, np.zeros_like(sentence), lengths))


def crosses(gold: Spans, system: Spans) -> Bools:
    """Which brackets of the system cross one of the gold standard.

    A bracket [start, end) crosses exactly if one that begins inside of it ends after it, or one that ends inside of it
    begins before it. So it suffices to know the latest end and the earliest start of all brackets at each position.
    """
    scope, last = np.concatenate((gold.scope, system.scope)), np.concatenate((gold.end, system.end))
    width = np.zeros(int(scope.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(width, scope, last + 1)
    first, size = np.cumsum(width) - width, int(width.sum())  # where the positions of each sentence begin
    latest, earliest = np.full(size, -1), np.full(size, size)
    np.maximum.at(latest, first[gold.scope] + gold.start, gold.end)
    np.minimum.at(earliest, first[gold.scope] + gold.end, gold.start)
    begin, end = first[system.scope] + system.start + 1, first[system.scope] + system.end
    return (range_maximum(latest, begin, end) > system.end) | (-range_maximum(-earliest, begin, end) < system.start)


def range_maximum(values: Ints, begin: Ints, end: Ints) -> Ints:
    """The maximum of each range [begin, end); a very small number if it is empty.

    A range is covered by two ranges of the next smaller power of two, whose maxima are known for all positions.
    """
    maxima = np.full(len(begin), -(1 << 60))
    size, step, table = end - begin, 1, values
    while (size >= step).any():
        rows = np.flatnonzero((size >= step) & (size < 2 * step))
        maxima[rows] = np.maximum(table[begin[rows]], table[end[rows] - step])
        table = np.maximum(table[:-step], table[step:]) if len(table) > step else table[:0]
        step *= 2
    return maxima


def count_tagging(pair: BracketPair, *, short: bool = False, counts_errors: bool = False) -> Tally:
    """Tagging accuracy: the share of words with the right tag.

    tagging = words with the same tag / words, over the words of valid sentences that are not deleted. Tags that
    EQ_LABEL makes the same are the same; they are not cut as labels are. `tagging-short` looks at sentences up to
    CUTOFF_LEN words. `tagging-all` and `tagging-all-short` count the words of sentences that the system failed on as
    wrong.

    Source: Sekine and Collins 1997.
    """
    word, *columns = _tags(pair, short=short, counts_errors=counts_errors)
    group = pair.groups[pair.sentences.gold.sentence_of[word]]
    return Tally.of(pair.selection.tag_names, TAG_KINDS, group, *columns)


def _tags(pair: BracketPair, *, short: bool, counts_errors: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """The words of the gold standard that count, both tags, and whether they differ (0 or 1)."""
    sentences, selection = pair.sentences, pair.selection
    gold, (word, other) = sentences.gold, sentences.words
    if short:
        rows = np.flatnonzero(pair.is_short[gold.sentence_of[word]])
        word, other = word[rows], other[rows]
    gold_tag, tag = gold.tag[word], sentences.system.tag[other]
    is_wrong = np.where(selection.tag_class(gold_tag) == selection.tag_class(tag), 0, 1)
    if counts_errors:
        is_counted = sentences.failed & pair.is_short if short else sentences.failed
        lost = np.flatnonzero(sentences.keep_gold & is_counted[gold.sentence_of])
        word, gold_tag = np.append(word, lost), np.append(gold_tag, gold.tag[lost])
        tag, is_wrong = np.append(tag, np.full(len(lost), -1)), np.append(is_wrong, np.ones_like(lost))
    return word, gold_tag, tag, is_wrong


def tag_units(pair: BracketPair, *, short: bool = False, counts_errors: bool = False) -> UnitRows:
    """The words that count, with their tags."""
    word, gold_tag, tag, is_wrong = _tags(pair, short=short, counts_errors=counts_errors)
    codes = np.append(pair.spans[0].vocabulary.labels.codes(pair.selection.tag_names), -1)
    gold = pair.sentences.gold
    sentence = gold.sentence_of[word].astype(np.int64)
    start = word - gold.bounds[sentence]
    place = Places.of(sentence, start, start + 1)
    return UnitRows.of(TAG_KINDS, is_wrong, place, codes[gold_tag], codes[tag])


def with_undefined(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Set undefined figures to NaN, if there is nothing to divide by."""
    _, predicted, expected, *_ = score.model.columns()
    if {*predicted, *expected} & tallies[score.model.scorer].kinds_seen:
        return score
    return replace(score, overall=Row(nan, nan, nan, nan, score.overall.counts, score.overall.more))


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add wrong brackets by both labels: FN under "", FP in the row ""."""
    kinds = ("LE.gold", "BES.gold", "BEL.gold", "FN", "FP")
    confusion = tallies[score.model.scorer].confusion(lambda kind: kind in kinds)
    return replace(with_undefined(score, tallies), confusion=confusion)


def with_left_out(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the sentences that are left out, with reasons."""
    tally = tallies.get(LEFT_OUT)
    cells = () if tally is None else tally.total().cells()
    left_out = {location: f"{kind}: {reason}" for _, location, reason, kind in cells}
    return with_undefined(score, tallies).adding("left_out", left_out)
