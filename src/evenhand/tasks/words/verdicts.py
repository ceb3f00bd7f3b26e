"""What all judges of words need: the words of both sides side by side, a verdict for every word, and the counts.

So it is with all units that have a label each and are the same on both sides (`tasks/labeled_units`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, others
from evenhand.dataclass import dataclass
from evenhand.tally import Tally, tally_table
from evenhand.tasks.words.kinds import EXTRA, MISSING
from evenhand.text.align_words import Rows
from evenhand.text.trees import heads_in_text
from evenhand.text.word_feed import Aligned


@dataclass(frozen=True)
class Heads:
    """The heads of all words of both sides by their place among these; -1 for roots."""

    aligned: Aligned
    gold: Ints
    system: Ints

    @staticmethod
    def of(aligned: Aligned) -> Heads:
        sides = (aligned.gold, aligned.system)
        return Heads(aligned, *(heads_in_text(side.annotation.trees().head, side.bounds) for side in sides))

    @property
    def are_same(self) -> Bools:
        """Which aligned words have the same head."""
        mine, theirs = self.aligned.rows
        same: Bools = self.aligned.heads_in_gold(self.system[theirs]) == self.gold[mine]
        return same

    def in_gold(self, words: Ints) -> Ints:
        """The heads of some words of the system (-1: no word) as words of the gold standard: -1 root, -2 none."""
        return np.where(words < 0, -2, self.aligned.heads_in_gold(np.append(self.system, -1)[words]))


@dataclass(frozen=True)
class JudgedUnits:
    """Words, or other units with a label each: those of the gold standard and of one system, and which are the same."""

    rows: Rows
    """The units that both sides have."""
    gold: Ints
    """The labels of all units of the gold standard, and of the system."""
    system: Ints
    counted: Bools
    """Which units of the gold standard count, and which of the system would if they have no counterpart."""
    counted_extra: Bools
    sentence: Ints
    """The gold standard's sentence of each of its units, and the bounds of the unit there, in tokens."""
    start: Ints
    end: Ints
    system_sentence: Ints
    """The gold standard's sentence in which each unit of the system begins."""
    groups: Ints
    """The group of each sentence."""
    heads: Heads | None = None
    """Of trees."""
    word: Ints | None = None
    """Of edges: the system's word of each edge of the system."""
    edges: dict[str, JudgedUnits] = field(default_factory=dict)
    """Of enhanced dependencies: the edges of words as units of their own, by score."""
    edge_verdicts: dict[str, EdgeVerdicts] = field(default_factory=dict)
    """The verdicts on these, by score."""

    @cached_property
    def partner(self) -> Ints:
        """The system's unit for each of the gold standard; -1 where there is none."""
        found = np.full(len(self.gold), -1)
        found[self.rows[0]] = self.rows[1]
        return found

    @property
    def predicted(self) -> Ints:
        """The system's label for each unit of the gold standard; -1 where there is none."""
        return np.append(self.system, -1)[self.partner]

    @property
    def is_wrong(self) -> Ints:
        """1 for every unit that both sides have with different labels, 0 for the others that both have."""
        mine, theirs = self.rows
        return np.where(self.gold[mine] == self.system[theirs], 0, 1)

    @property
    def kept(self) -> Bools:
        """Which units of the system count: those for units that do, and extra ones."""
        kept = self.counted_extra.copy()
        mine, theirs = self.rows
        kept[theirs] = self.counted[mine]
        return kept

    @property
    def is_extra(self) -> Bools:
        """Which units only the system has, of those that count."""
        found = self.counted_extra.copy()
        found[self.rows[1]] = False
        return found

    def place_of_extra(self, rows: Ints) -> tuple[Ints, Ints]:
        """Of edges of the system: the bounds of their words in the gold standard's sentence."""
        assert self.heads is not None
        assert self.word is not None
        gold, word, aligned = self.heads.aligned.gold, self.word[rows], self.heads.aligned
        place = np.searchsorted(gold.start, aligned.system.start, side="right") - 1  # the word with these characters
        place[aligned.rows[1]] = aligned.rows[0]
        start = place[word] - gold.bounds[self.system_sentence[rows]]
        return start, start + 1

    def verdicts(self, kinds: tuple[str, ...], kind: Ints) -> UnitVerdicts:
        """The verdicts of a judge, who says `kind` of units that both sides have."""
        mine, theirs = self.rows
        missing, extra = others(len(self.gold), mine), others(len(self.system), theirs)
        missing, extra = missing[self.counted[missing]], extra[self.counted_extra[extra]]
        keep = self.counted[mine]
        mine, theirs, kind = mine[keep], theirs[keep], kind[keep]
        nobody, nothing = np.full(len(missing), -1), np.full(len(extra), -1)
        return UnitVerdicts(
            (*kinds, MISSING, EXTRA),
            np.concatenate((kind, np.full(len(missing), len(kinds)), np.full(len(extra), len(kinds) + 1))),
            np.concatenate((mine, missing, nothing)),
            np.concatenate((theirs, nobody, extra)),
            np.concatenate((self.gold[mine], self.gold[missing], nothing)),
            np.concatenate((self.system[theirs], nobody, self.system[extra])),
            np.concatenate((self.sentence[mine], self.sentence[missing], self.system_sentence[extra])),
        )


@dataclass(frozen=True)
class UnitVerdicts:
    """A verdict for every unit that counts: a row for a unit of the gold standard and the system's unit for it.

    Units that only one side has follow as `missing` and `extra`, with -1 for the other side.
    """

    kinds: tuple[str, ...]
    kind: Ints
    gold: Ints
    system: Ints
    gold_label: Ints
    system_label: Ints
    sentence: Ints
    """The gold standard's sentence."""

    def tally(self, labels: Sequence[str], groups: Ints) -> Tally:
        """The counts of verdicts by label; `groups` is the group of each sentence.

        A verdict on a unit whose labels are equal counts once, for that label. Where they differ, it counts for the
        gold label (`gold.wrong`) and for the system's (`system.wrong`).
        """
        verdicts = len(self.kinds) - 2
        is_pair = (self.gold >= 0) & (self.system >= 0)
        differs = is_pair & (self.gold_label != self.system_label)
        # Verdicts on two units are moved to those of the gold label, `missing` and `extra` to their places at the end.
        kind = np.where(is_pair, self.kind + np.where(differs, verdicts, 0), self.kind + 2 * verdicts)
        other = np.flatnonzero(differs)
        group = groups[self.sentence]
        return Tally.of(
            labels,
            (*(f"{side}{kind}" for side in ("", "gold.", "system.") for kind in self.kinds[:-2]), MISSING, EXTRA),
            np.concatenate((group, group[other])),
            np.concatenate((self.gold_label, np.full(len(other), -1))),
            np.concatenate((self.system_label, self.system_label[other])),
            np.concatenate((kind, self.kind[other] + 2 * verdicts)),
        )

    def sentence_tally(self, right: Mapping[str, tuple[str, ...]], groups: Ints) -> Tally:
        """The gold standard's sentences with a unit that counts, and those where all are right, by score."""
        of_gold = self.gold >= 0
        counted = np.zeros(len(groups), dtype=np.bool_)
        counted[self.sentence[of_gold]] = True
        columns = [counted]
        for kinds in right.values():
            is_wrong = np.array([kind not in kinds for kind in self.kinds], dtype=np.bool_)[self.kind]
            columns.append(counted.copy())
            columns[-1][self.sentence[of_gold & is_wrong]] = False
        return tally_table(("sentences", *right), np.stack(columns, axis=1).astype(np.int64), groups)


@dataclass(frozen=True)
class EdgeVerdicts:
    """Verdicts on edges, and for every edge of either side its word and its head (-1: the root)."""

    found: UnitVerdicts
    gold: tuple[Ints, Ints]
    system: tuple[Ints, Ints]


def sentence_of(aligned: Aligned) -> Ints:
    """The gold standard's sentence in which each word of the system begins."""
    return np.searchsorted(aligned.gold.sentence_start, aligned.system.start, side="right") - 1
