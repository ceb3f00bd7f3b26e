"""Words for texts from no file whose sentences do not match: they have no lines, so that sentences are counted."""

from __future__ import annotations

import numpy as np

from evenhand.text.corpus import Corpus


def other_length(sentence: int, wanted: int, found: int, unit: str = "tokens") -> str:
    """What is said of a sentence, counted from 0."""
    return f"sentence {sentence + 1} has {wanted} {unit} in the gold standard and {found} in the system"


def other_number(wanted: int, found: int) -> str:
    return f"the gold standard's number of sentences is {wanted}, the system's is {found}"


def shorter(gold: Corpus, system: Corpus) -> str:
    """What is said of a system that ends early: its first sentence of another length, or how many there are."""
    mine, theirs = gold.lengths, system.lengths
    if mine is not None and theirs is not None:
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            return other_length(sentence, int(mine[sentence]), int(theirs[sentence]))
    return other_number(gold.sentences, system.sentences)
