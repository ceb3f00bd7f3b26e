"""What all judges of words need: the columns of both sides in the same codes, and a verdict for every word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.words.kinds import EXTRA, MISSING
from evenhand.text.word_feed import Aligned


@dataclass(frozen=True)
class WordVerdicts:
    """A verdict for every word that counts: a row for a word of the gold standard and the system's word for it.

    Words that only one side has follow as `missing` and `extra`, with -1 for the other side.
    """

    kinds: tuple[str, ...]
    kind: Ints
    gold: Ints
    system: Ints
    gold_label: Ints
    system_label: Ints
    sentence: Ints
    """The gold standard's sentence."""


def verdicts(
    aligned: Aligned,
    kinds: tuple[str, ...],
    kind: Ints,
    labels: tuple[Ints, Ints],
    counted: Bools,
    counted_extra: Bools,
) -> WordVerdicts:
    """The verdicts of a judge, who says `kind` of aligned words; `counted` are the gold words that count.

    `labels` are those of all words of both sides, and `counted_extra` says which system words would count if they have
    no counterpart.
    """
    mine, theirs = aligned.rows
    keep = counted[mine]
    mine, theirs, kind = mine[keep], theirs[keep], kind[keep]
    missing = np.flatnonzero(_alone(aligned.rows[0], len(aligned.gold)) & counted)
    extra = np.flatnonzero(_alone(aligned.rows[1], len(aligned.system)) & counted_extra)
    nobody, nothing = np.full(len(missing), -1), np.full(len(extra), -1)
    return WordVerdicts(
        (*kinds, MISSING, EXTRA),
        np.concatenate((kind, np.full(len(missing), len(kinds)), np.full(len(extra), len(kinds) + 1))),
        np.concatenate((mine, missing, nothing)),
        np.concatenate((theirs, nobody, extra)),
        np.concatenate((labels[0][mine], labels[0][missing], nothing)),
        np.concatenate((labels[1][theirs], nobody, labels[1][extra])),
        np.concatenate((aligned.gold.sentence[mine], aligned.gold.sentence[missing], sentence_of(aligned)[extra])),
    )


def sentence_of(aligned: Aligned) -> Ints:
    """The gold standard's sentence in which each word of the system begins."""
    return np.searchsorted(aligned.gold.sentence_start, aligned.system.start, side="right") - 1


def _alone(rows: Ints, size: int) -> Bools:
    """Which of so many words are in none of these rows."""
    alone = np.ones(size, dtype=np.bool_)
    alone[rows] = False
    return alone


def right_sentences(found: WordVerdicts, right: tuple[str, ...], sentences: int) -> tuple[Bools, Bools]:
    """Which of the gold standard's sentences have only words with these verdicts, and which have any that counts."""
    of_gold = found.gold >= 0
    is_wrong = np.array([kind not in right for kind in found.kinds], dtype=np.bool_)[found.kind]
    counted, wrong = np.zeros(sentences, dtype=np.bool_), np.zeros(sentences, dtype=np.bool_)
    counted[found.sentence[of_gold]] = True
    wrong[found.sentence[of_gold & is_wrong]] = True
    return counted & ~wrong, counted
