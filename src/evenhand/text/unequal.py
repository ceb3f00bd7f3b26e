"""Words for texts from no file whose sentences do not match: they have no lines, so that sentences are counted."""

from __future__ import annotations

import numpy as np

from evenhand.text.corpus import Corpus


def other_length(sentence: int, wanted: int, found: int, unit: str) -> str:
    """What is said of a sentence, counted from 0, where there are no lines: the text is from no file."""
    return f"sentence {sentence + 1} has {wanted} {unit} in the gold standard, {found} in the prediction"


def other_number(wanted: int, found: int) -> str:
    sentences = "1 sentence" if wanted == 1 else f"{wanted:,} sentences"
    return f"the gold standard has {sentences}, the prediction {found:,}"


def shorter(gold: Corpus, system: Corpus, unit: str) -> str:
    """What is said of a system that ends early: its first sentence of another length, or how many there are."""
    mine, theirs = gold.lengths, system.lengths
    if mine is not None and theirs is not None:
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            return other_length(sentence, int(mine[sentence]), int(theirs[sentence]), unit)
    return other_number(gold.sentences, system.sentences)
