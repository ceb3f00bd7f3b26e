"""Heads and relations: the attachment of words.

Every word of the gold standard that counts is `right`, or has a `wrong_head`, a `wrong_relation`, or `both` wrong.

- `uas` (unlabeled attachment) = words with the right head / words.
- `ls` (label score) = words with the right relation / words.
- `las` (labeled attachment) = words with both right / words.
- A sentence is fully correct under one of them if all its words that count are right under it. Sentences without any
  word that counts are left out.
- By relation and by distance: recall is over the gold standard's words with the relation (or distance), precision over
  the system's. The distance is that from a word to its head, in words; root, 1, 2, 3-6, 7+.

Which words count is a choice (`--punctuation`), made by the gold standard's annotation: `keep` all; leave out those
with the `relation` punct; those whose `form` has only characters that Unicode calls punctuation; or those whose tag
(UPOS or XPOS) is listed, as in `pos:PUNCT,SYM`. `--labels` and `--exclude` choose by relation. In files in CoNLL-U,
relations are compared without their subtypes (`nmod:poss` is `nmod`) unless `--subtypes` is given.

Words are compared through the alignment: a head is right if it is the system's word for the right head. A word for
which the system has none, as its tokens differ, is wrong under all three.

Sources: Buchholz and Marsi 2006 for the three scores, punctuation by form, and the tables by relation and distance;
Tuggener 2017, section 2.2 (Table 5), for sentences that are fully correct under each.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.tasks.words.kinds import TREE_KINDS
from evenhand.tasks.words.verdicts import WordVerdicts, verdicts
from evenhand.text.trees import heads_in_text
from evenhand.text.word_feed import Aligned

_LEAST = (1, 2, 3, 7)
"""The shortest distance of all but the first."""


def heads(aligned: Aligned) -> tuple[Ints, Ints]:
    """The heads of all words by their place among the words of both sides; -1 for roots."""
    return (
        heads_in_text(aligned.gold.annotation.trees().head, aligned.gold.bounds),
        heads_in_text(aligned.system.annotation.trees().head, aligned.system.bounds),
    )


def same_heads(aligned: Aligned, gold_head: Ints, system_head: Ints) -> Bools:
    """Which aligned words have the same head."""
    mine, theirs = aligned.rows
    same: Bools = aligned.heads_in_gold(system_head[theirs]) == gold_head[mine]
    return same


def judge_trees(
    aligned: Aligned,
    same_head: Bools,
    gold: Ints,
    system: Ints,
    counted: Bools,
    counted_extra: Bools,
) -> WordVerdicts:
    """The verdicts on words, by the codes of their relations."""
    mine, theirs = aligned.rows
    kind = np.where(same_head, 0, 1) + np.where(gold[mine] == system[theirs], 0, 2)
    return verdicts(aligned, TREE_KINDS, kind, (gold, system), counted, counted_extra)


def distances(head: Ints) -> Ints:
    """The place in `DISTANCES` of each word, whose head is at this place among all words."""
    far = np.abs(np.arange(len(head)) - head)
    return np.where(head < 0, 0, np.searchsorted(_LEAST, far, side="right"))
