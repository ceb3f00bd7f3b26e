"""Tags of words: a word is right if the system gives its word the same tag.

- `accuracy` = right words / words of the gold standard that count. Where the system has no word for one of them, as its
  tokens differ, that word is wrong (`missing`); words that only the system has (`extra`) count for the precision of
  their tags.
- For each tag: precision = right / words to which the system gives the tag, recall = right / words that have it, F1.
- A sentence is fully correct if all its words that count are right. Sentences without any are left out.

Features (`--column feats`) are compared as sets: `Case=Nom|Number=Sing` is `Number=Sing|Case=Nom`, and a feature
that is written twice counts once. Values are compared as they stand, `PronType=Int,Rel` too. Tables sort them.

`--labels` and `--exclude` choose the words that count, by their tag in the gold standard.

Sources: Tuggener 2017, section 2.1 (Table 3), for accuracy and correct sentences.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.words.kinds import TAG_KINDS
from evenhand.tasks.words.verdicts import WordVerdicts, verdicts
from evenhand.text.word_feed import Aligned


def judge_tags(aligned: Aligned, gold: Ints, system: Ints, counted: Bools, counted_extra: Bools) -> WordVerdicts:
    """The verdicts on words, by the codes of their tags."""
    mine, theirs = aligned.rows
    kind = np.where(gold[mine] == system[theirs], 0, 1)
    return verdicts(aligned, TAG_KINDS, kind, (gold, system), counted, counted_extra)
