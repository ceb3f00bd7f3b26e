"""Words for texts from no file whose sentences do not match: they have no lines, so that sentences are counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenhand.problems import counted
from evenhand.text.corpus import Corpus


class SideNames(NamedTuple):
    """What messages call the two sides of a comparison."""

    key: str
    """The side whose text counts."""
    other: str
    here: str
    """The other one, in whose file something was found."""


GOLD_AND_PREDICTION = SideNames("the gold standard", "the prediction", "the system")
ANNOTATORS = SideNames("the first annotator", "another annotator", "this annotator")


def other_length(sentence: int, wanted: int, found: int, unit: str, sides: SideNames = GOLD_AND_PREDICTION) -> str:
    """What is said of a sentence, counted from 0, where there are no lines: the text is from no file."""
    return f"sentence {sentence + 1} has {wanted} {unit} in {sides.key}, {found} in {sides.other}"


def other_number(wanted: int, found: int, sides: SideNames) -> str:
    sentences = counted(wanted, "sentence")
    return f"{sides.key} has {sentences}, {sides.other} {found:,}"


def shorter(gold: Corpus, system: Corpus, unit: str, sides: SideNames) -> str:
    """What is said of a system that ends early: its first sentence of another length, or how many there are."""
    mine, theirs = gold.lengths, system.lengths
    if mine is not None and theirs is not None:
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            return other_length(sentence, int(mine[sentence]), int(theirs[sentence]), unit, sides)
    return other_number(gold.sentences, system.sentences, sides)
