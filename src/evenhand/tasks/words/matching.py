"""Units of the gold standard and of a system side by side: words, or other units with one label each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.alignment.words import Aligned
from evenhand.arrays import Bools, Ints, complement
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.words.measures import EXTRA, MISSING, REPEATED


def gold_sentences(aligned: Aligned) -> Ints:
    """The gold standard's sentence in which each word of the system begins."""
    return np.searchsorted(aligned.gold.sentence_start, aligned.system.start, side="right") - 1


@dataclass(frozen=True)
class Heads:
    """Heads of the words (or edges) of both sides, as indices of words; -1 is the root."""

    aligned: Aligned
    gold: Ints
    system: Ints

    @property
    def are_same(self) -> Bools:
        """Which aligned words have the same head; a head in the same gold word is none."""
        gold_rows, system_rows = self.aligned.rows
        head = self.aligned.heads_in_gold(self.system[system_rows])
        same: Bools = np.where(head == gold_rows, -1, head) == self.gold[gold_rows]
        return same

    def in_gold(self, words: Ints) -> Ints:
        """Heads of the system's words (-1: no word) as words of the gold standard: -1 root, -2 none."""
        return np.where(words < 0, -2, self.aligned.heads_in_gold(np.append(self.system, -1)[words]))


@dataclass(frozen=True)
class UnitPair:
    """Units of the gold standard and of one system side by side: words, or other units with one label each."""

    rows: tuple[Ints, Ints]
    """Rows of the units that both sides have."""
    gold: Ints
    """Labels of all units of the gold standard, and of the system."""
    system: Ints
    counted: Bools
    """Which units of the gold standard count, and which of the system would if they have no counterpart."""
    extra_counted: Bools
    sentence: Ints
    """The sentence of each gold unit, and the unit's token offsets in it."""
    start: Ints
    end: Ints
    system_sentence: Ints
    """The gold standard's sentence in which each unit of the system begins."""
    groups: Ints
    """The group of each sentence."""
    heads: Heads | None = None
    """Trees only."""
    repeated: Bools | None = None
    """Trees under `overlap` only: which extra units of the system repeat a head."""
    only: Ints | None = None
    """Under `overlap` only: the gold word of each word of the system; -1 without a single one."""
    word: Ints | None = None
    """Edges only: the system's word of each edge of the system."""
    edges: dict[str, UnitPair] = field(default_factory=dict)
    """Enhanced dependencies only: the edges of the words, by score."""
    edge_matches: dict[str, EdgeMatches] = field(default_factory=dict)
    listed: dict[str, Callable[[str], UnitRows]] = field(default_factory=dict)
    """Functions that list the units of further scorers, given the name of a measure, if units are kept."""

    @cached_property
    def partner(self) -> Ints:
        """The system's unit for each gold unit; -1 if the system lacks it."""
        partner = np.full(len(self.gold), -1)
        partner[self.rows[0]] = self.rows[1]
        return partner

    @property
    def gold_words(self) -> Ints:
        """The gold word of each word of the system, also of extra ones under `overlap`; -1 without one."""
        if self.only is not None:
            return self.only
        words = np.full(len(self.system), -1)
        words[self.rows[1]] = self.rows[0]
        return words

    @property
    def predicted(self) -> Ints:
        """The system's label for each gold unit; -1 if the system lacks it."""
        return np.append(self.system, -1)[self.partner]

    @property
    def is_wrong(self) -> Ints:
        """For each unit that both sides have: 1 if the labels differ, else 0."""
        gold_rows, system_rows = self.rows
        return np.where(self.gold[gold_rows] == self.system[system_rows], 0, 1)

    @property
    def system_counted(self) -> Bools:
        """Which units of the system count: counterparts of gold units that count, and extra units."""
        counted = self.extra_counted.copy()
        counted[self.rows[1]] = self.counted[self.rows[0]]
        return counted

    @property
    def is_extra(self) -> Bools:
        """Which units that count only the system has."""
        extra = self.extra_counted.copy()
        extra[self.rows[1]] = False
        return extra

    def extra_bounds(self, rows: Ints) -> tuple[Ints, Ints]:
        """Edges only: the token offsets of the words of some edges of the system, in the gold standard's sentence."""
        assert self.heads is not None
        assert self.word is not None
        aligned = self.heads.aligned
        gold = aligned.gold
        gold_word = np.searchsorted(gold.start, aligned.system.start, side="right") - 1  # with the same characters
        gold_word[aligned.rows[1]] = aligned.rows[0]
        start = gold_word[self.word[rows]] - gold.bounds[self.system_sentence[rows]]
        return start, start + 1

    def matches(self, kinds: tuple[str, ...], kind: Ints) -> UnitMatches:
        """Error types of all units, given the types of those that both sides have."""
        gold_rows, system_rows = self.rows
        missing, extra = complement(len(self.gold), gold_rows), complement(len(self.system), system_rows)
        missing, extra = missing[self.counted[missing]], extra[self.extra_counted[extra]]
        keep = self.counted[gold_rows]
        gold_rows, system_rows, kind = gold_rows[keep], system_rows[keep], kind[keep]
        no_system, no_gold = np.full(len(missing), -1), np.full(len(extra), -1)
        of_extra = np.full(len(extra), len(kinds) + 1) + (0 if self.repeated is None else self.repeated[extra])
        return UnitMatches(
            (*kinds, MISSING, EXTRA, *([] if self.repeated is None else [REPEATED])),
            np.concatenate((kind, np.full(len(missing), len(kinds)), of_extra)),
            np.concatenate((gold_rows, missing, no_gold)),
            np.concatenate((system_rows, no_system, extra)),
            np.concatenate((self.gold[gold_rows], self.gold[missing], no_gold)),
            np.concatenate((self.system[system_rows], no_system, self.system[extra])),
            np.concatenate((self.sentence[gold_rows], self.sentence[missing], self.system_sentence[extra])),
        )


@dataclass(frozen=True)
class UnitMatches:
    """One row per unit that counts: its error type, and its row and label on both sides.

    Units that only one side has come last, as `missing` and `extra`, with -1 for the other side.
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
        """Counts of error types by label; `groups` is the group of each sentence.

        A unit with equal labels counts once, for that label. If the labels differ, it counts for the gold label
        (`gold.wrong`) and for the system's (`system.wrong`).
        """
        types = self.kinds.index(MISSING)
        is_pair = (self.gold >= 0) & (self.system >= 0)
        differs = is_pair & (self.gold_label != self.system_label)
        # The order of kinds: labels equal, for the gold label, for the system's label, missing, extra.
        kind = np.where(is_pair, self.kind + np.where(differs, types, 0), self.kind + 2 * types)
        again = np.flatnonzero(differs)
        group = groups[self.sentence]
        return Tally.of(
            labels,
            (
                *(f"{side}{kind}" for side in ("", "gold.", "system.") for kind in self.kinds[:types]),
                *self.kinds[types:],
            ),
            np.concatenate((group, group[again])),
            np.concatenate((self.gold_label, np.full(len(again), -1))),
            np.concatenate((self.system_label, self.system_label[again])),
            np.concatenate((kind, self.kind[again] + 2 * types)),
        )

    def rows(self, aligned: Aligned, words: Sequence[Ints], **columns: Any) -> UnitRows:
        """The units as rows; `words` are the words of the units of both sides."""
        is_extra = self.gold < 0
        word, system_word = np.append(words[0], -1)[self.gold], np.append(words[1], -1)[self.system]
        start = np.where(is_extra, -1, word - aligned.gold.bounds[self.sentence])
        position = Places.of(self.sentence, start, np.where(is_extra, -1, start + 1))
        tokens, extra = aligned.system.corpus.tokens, np.flatnonzero(is_extra).tolist()
        strings = {} if tokens is None else {row: tokens[int(system_word[row])] for row in extra}
        labels = self.gold_label, self.system_label
        kind = np.minimum(self.kind, self.kinds.index(EXTRA))
        return UnitRows.of(
            self.kinds[: self.kinds.index(EXTRA) + 1], kind, position, *labels, is_extra, strings=strings, **columns
        )

    def sentence_tally(self, correct: Mapping[str, tuple[str, ...]], groups: Ints) -> Tally:
        """Sentences of the gold standard with a unit that counts, and the fully correct ones by score."""
        of_gold = self.gold >= 0
        counted = np.zeros(len(groups), dtype=np.bool_)
        counted[self.sentence[of_gold]] = True
        columns = [counted]
        for kinds in correct.values():
            is_wrong = np.array([kind not in kinds for kind in self.kinds], dtype=np.bool_)[self.kind]
            columns.append(counted.copy())
            columns[-1][self.sentence[of_gold & is_wrong]] = False
        return tally_table(("sentences", *correct), np.stack(columns, axis=1).astype(np.int64), groups)


@dataclass(frozen=True)
class EdgeMatches:
    """Error types of edges, and the word and head (-1: root) of every edge of both sides."""

    matches: UnitMatches
    gold: tuple[Ints, Ints]
    system: tuple[Ints, Ints]
