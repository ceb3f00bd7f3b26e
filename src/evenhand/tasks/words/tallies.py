"""The counts of what judges say of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.tally.counts import Tally
from evenhand.tasks.words.kinds import EXTRA, MISSING
from evenhand.tasks.words.verdicts import WordVerdicts


def word_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds of a tally of words, whose judge has these verdicts.

    A verdict on a word whose labels are equal counts once, for that label. Where they differ, it counts for the gold
    label (`gold.wrong`) and for the system's (`system.wrong`).
    """
    return (*(f"{side}{kind}" for side in ("", "gold.", "system.") for kind in kinds), MISSING, EXTRA)


def tally_words(found: WordVerdicts, labels: Sequence[str], groups: Ints) -> Tally:
    """The counts of verdicts by label; `groups` is the group of each sentence."""
    verdicts = len(found.kinds) - 2
    is_pair = (found.gold >= 0) & (found.system >= 0)
    differs = is_pair & (found.gold_label != found.system_label)
    # Verdicts on two words are moved to those of the gold label, `missing` and `extra` to their places at the end.
    kind = np.where(is_pair, found.kind + np.where(differs, verdicts, 0), found.kind + 2 * verdicts)
    other = np.flatnonzero(differs)
    group = groups[found.sentence]
    return Tally.of(
        labels,
        word_kinds(found.kinds[:verdicts]),
        np.concatenate((group, group[other])),
        np.concatenate((found.gold_label, np.full(len(other), -1))),
        np.concatenate((found.system_label, found.system_label[other])),
        np.concatenate((kind, found.kind[other] + 2 * verdicts)),
    )
