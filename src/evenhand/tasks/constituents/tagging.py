"""Tagging accuracy: the share of words with the right tag.

tagging = words with the same tag / words, over the words of valid sentences that are looked at. Tags that EQ_LABEL
makes the same are the same; they are not cut as labels are. `tagging-short` looks at sentences up to CUTOFF_LEN words.
`tagging-all` and `tagging-all-short` count the words of sentences that the system failed on as wrong.

Source: Sekine and Collins 1997.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints
from evenhand.tally import Tally
from evenhand.tasks.constituents.kinds import TAG_KINDS

if TYPE_CHECKING:
    from evenhand.tasks.constituents.question import Question


def count(question: Question, *, short: bool = False, counts_errors: bool = False) -> Tally:
    """Right and wrong words, by their tags; with `counts_errors`, words of sentences with errors are wrong."""
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
