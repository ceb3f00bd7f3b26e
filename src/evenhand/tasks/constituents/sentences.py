"""Which sentences can be scored: those whose words are the same on both sides.

1. Words are left out whose tag is a DELETE_LABEL, as it stands.
2. A sentence of which the system then has no word is *skipped*: the parser gave it up.
3. A sentence is an *error* if either side has no tree, or if the sides have other numbers of words, or other words (but
   for those that EQ_WORD makes the same).
4. Before numbers are compared, quotes are mended, where these differ: where ' " or / has a QUOTE_LABEL on both sides,
   with different tags, as many words before it, and is left out on one side only, it is put back there.
5. All others are *valid*. EVALB counts only these, so a parser may gain by failing. Evenhand always reports how many
   sentences are errors or skipped, and lists them with their reasons.
6. Errors and skipped sentences *failed* if the gold standard has a tree and words for them. The models `labeled-all`,
   `unlabeled-all`, `complete-all`, `crossing-all` and `tagging-all` count these as wrong: all brackets of the gold
   standard are missing there, all of the system are spurious, no word has the right tag, and the sentence is neither a
   complete match nor without crossing brackets. `rank`, `compare`, `gate` and `report` use these models, unless
   `--errors skip` leaves such sentences out as EVALB does.

The length of a sentence is the number of its gold words whose tag is no DELETE_LABEL_FOR_LENGTH. EVALB stops after
MAX_ERROR errors and prints what it has so far; Evenhand goes on.

Source: Sekine and Collins 1997, README and source code (2006).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.problems import counted
from evenhand.tasks.constituents.forest import Forest, Selection
from evenhand.text.tokens import equal

VALID, ERROR, SKIP = range(3)
_QUOTED = 40


@dataclass
class Sentences:
    """The sentences of a portion: which words of both sides are looked at, and what became of each sentence."""

    gold: Forest
    system: Forest
    keep_gold: Bools
    keep_system: Bools
    status: Ints
    reasons: dict[int, str]
    """Why sentences are left out."""
    mended: list[int]
    """The sentences whose quotes were mended."""

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """The words of valid sentences that are looked at, on both sides, in pairs."""
        return (
            _rows(self.gold, self.keep_gold, self.status == VALID),
            _rows(self.system, self.keep_system, self.status == VALID),
        )

    @cached_property
    def failed(self) -> Bools:
        """The sentences that the system failed on: not valid, though the gold standard has a tree and words."""
        found: Bools = (self.status != VALID) & (_counts(self.gold, self.keep_gold) > 0)
        found[list(self.gold.layer.problems)] = False
        return found

    @property
    def valid(self) -> Bools:
        found: Bools = self.status == VALID
        return found


def compared(gold: Forest, system: Forest, selection: Selection) -> Sentences:
    """What becomes of each sentence."""
    keep_gold, keep_system = selection.keeps_words(gold), selection.keeps_words(system)
    status = np.full(len(gold), VALID)
    found = Sentences(gold, system, keep_gold, keep_system, status, {}, [])
    for problems, side in ((system.layer.problems, "the system's"), (gold.layer.problems, "the gold standard's")):
        for sentence, problem in problems.items():
            status[sentence], found.reasons[sentence] = ERROR, f"{side} tree: {problem}"
    own = _counts(system, keep_system)
    for sentence in np.flatnonzero(own == 0).tolist():
        if sentence not in system.layer.problems:
            status[sentence], found.reasons[sentence] = SKIP, "the system has no word"
    _compare_lengths(found, selection)
    _compare_words(found, selection)
    return found


def _rows(forest: Forest, keep: Bools, sentences: Bools) -> Ints:
    return np.flatnonzero(keep & sentences[forest.sentence_of])


def _counts(forest: Forest, keep: Bools) -> Ints:
    """How many words of each sentence are looked at."""
    before = np.append(0, np.cumsum(keep))
    return np.diff(before[forest.bounds])


def _compare_lengths(found: Sentences, selection: Selection) -> None:
    """Sentences with other numbers of words are errors, unless mended quotes make these the same."""
    differ = found.valid & (_counts(found.gold, found.keep_gold) != _counts(found.system, found.keep_system))
    if selection.rules.quotes:
        for sentence in np.flatnonzero(differ).tolist():
            if _mend(found, selection, sentence):
                found.mended.append(sentence)
    mine, own = _counts(found.gold, found.keep_gold), _counts(found.system, found.keep_system)
    for sentence in np.flatnonzero(differ & (mine != own)).tolist():
        found.status[sentence] = ERROR
        found.reasons[sentence] = (
            f"the system has {counted(own[sentence], 'word')}, the gold standard {mine[sentence]:,}"
        )


def _mend(found: Sentences, selection: Selection, sentence: int) -> bool:
    """Put quotes back that are left out on one side only; whether there are any."""
    gold, system, is_mended = found.gold, found.system, False
    mine, theirs = selection.quotes(gold, sentence), selection.quotes(system, sentence)
    place = _before(found.keep_gold, int(gold.bounds[sentence]), mine)
    other_place = _before(found.keep_system, int(system.bounds[sentence]), theirs)
    for one, word in enumerate(mine.tolist()):
        begin = int(np.searchsorted(other_place, place[one]))
        while begin < len(theirs):
            end = int(np.searchsorted(other_place, place[one], side="right"))
            some = theirs[begin:end]
            fits = (found.keep_system[some] != found.keep_gold[word]) & (system.tag[some] != gold.tag[word])
            if not fits.any():
                break
            other = begin + int(fits.argmax())
            # What stands behind the quote that is put back moves on.
            if found.keep_gold[word]:
                other_place[other + 1 :] += 1
            else:
                place[one + 1 :] += 1
            found.keep_gold[word] = found.keep_system[theirs[other]] = is_mended = True
            begin = other + 1
    return is_mended


def _before(keep: Bools, begin: int, words: Ints) -> Ints:
    """How many words of a sentence that are looked at stand before some of its words."""
    if not len(words):
        return words
    counts = np.append(0, np.cumsum(keep[begin : int(words[-1]) + 1]))
    found: Ints = counts[words - begin]
    return found


def _compare_words(found: Sentences, selection: Selection) -> None:
    """Sentences with other words are errors."""
    mine, own = found.words
    different = np.flatnonzero(~equal(found.gold.tokens.take(mine), found.system.tokens.take(own)))
    same = selection.rules.word_class()
    for row in different[::-1].tolist():
        one, other = found.gold.tokens[int(mine[row])], found.system.tokens[int(own[row])]
        if same(one) != same(other):
            sentence = int(found.gold.sentence_of[mine[row]])
            found.status[sentence] = ERROR
            quoted = f"{other[:_QUOTED]!r}, the gold standard {one[:_QUOTED]!r}"
            found.reasons[sentence] = f"the system has the word {quoted}"
    if len(different):
        del found.__dict__["words"]
