"""Differences: on which units two systems say different things, and what became of them.

For a pair of systems 1 and 2 and N units:

- difference = units with different answers / N.
- A different unit is a *correction* if system 2 is right, a *new error* if system 1 was right, else a *changed error*.
- Every transition (gold, from, to) is reported as a share of its class and as a share of all differences.
- For tags and trees, N is the words of the gold standard, and score(2) - score(1) = (corrections - new errors) / N. A
  word that a system lacks is wrong under it: one that only system 2 lacks is a new error if system 1 has it right.
- For enhanced dependencies, N is the gold edges and the surplus of either system, as for spans.
- For trees, what changed: the head, the relation, or both.
- For spans, N is the gold spans and the surplus of either system. Right is TP and TN, so that corrections are
  transitions to TP or TN, and new errors those from TP or TN: corrections - new errors = errors(1) - errors(2). A unit
  of the same class that was matched with other bounds is no difference, but is counted as *moved*.
- For mentions, the same with the verdicts of ARCS: N is all mentions that are not tn under both, and corrections - new
  errors = (tp(2) - fp(2)) - (tp(1) - fp(1)). The only changed errors are wl to fn and fn to wl; *moved* are mentions
  with the same verdict but another closest antecedent.

Source: Tuggener 2017, section 2 (eq. 1, Algorithm 1, Tables 3 to 8); for spans, the same with the verdicts of Ortmann
2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from math import nan
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.units import Locations, Predictions, together

# == comparison/oracle.py: The oracle: how far systems together could get, if somebody


@dataclass(frozen=True)
class Bound:
    """The oracle: how far systems together could get, if somebody always chose the right one.

    A unit is solved if one system at least is right. For all units, and for those of each gold label:

    - each system's score = units it has right / units; the *upper bound* = units solved / units.
    - *gain*: the upper bound minus the score of the system that is best overall; *gain over best*: minus the score of
      the one that is best on the label.
    - Sentences are fully correct if all their units are right, under one system or, for the bound, under any.
    - For spans, the bounds of precision and F1 under exact match: TP = gold spans that one system at least has, FP =
      wrong spans that every system has.
    - For mentions, units with labels are those with an antecedent in the key, so that scores are recall under ARCS.
    - *Difficulty*: how many systems have each unit right, 0 to all. Surplus is right under the systems without it.

    Source: Tuggener 2017, section 3 (Tables 9 to 11).
    """

    units: int
    right: tuple[int, ...]
    solved: int

    @property
    def scores(self) -> list[float]:
        return [_share(right, self.units) for right in self.right]

    @property
    def upper_bound(self) -> float:
        return _share(self.solved, self.units)

    def gain(self, best: int) -> float:
        """Over the system with this number."""
        return self.upper_bound - self.scores[best]

    @property
    def gain_over_best(self) -> float:
        return self.upper_bound - max(self.scores)


def _share(part: int, whole: int) -> float:
    """NaN without units: the score of such a gold standard is undefined."""
    return part / whole if whole else nan


class Oracle:
    """Counts what systems solve, portion by portion; only units of the gold standard have labels here."""

    def __init__(self, systems: int) -> None:
        self._systems = systems
        self._labels: dict[int, Ints] = {}
        self._sentences = np.zeros(systems + 2, dtype=np.int64)
        self._difficulty = np.zeros(systems + 1, dtype=np.int64)

    def add(self, answers: Predictions) -> None:
        right = answers.right
        self._difficulty += np.bincount(right[:, answers.counted].sum(axis=0), minlength=self._systems + 1)
        mine = np.flatnonzero(~answers.is_surplus)
        self._add_labels(answers.label[mine], right[:, mine])
        self._add_sentences(answers)

    def _add_labels(self, label: Ints, right: np.ndarray) -> None:
        size = int(label.max(initial=-1)) + 1
        rows = [np.bincount(label, minlength=size)]
        rows += [np.bincount(label[row], minlength=size) for row in right]
        rows.append(np.bincount(label[right.any(axis=0)], minlength=size))
        table = np.stack(rows)
        for code in np.flatnonzero(table[0]).tolist():
            self._labels[code] = self._labels.get(code, 0) + table[:, code]

    def _add_sentences(self, answers: Predictions) -> None:
        size = int(answers.sentence.max(initial=-1)) + 1
        has = np.zeros(size, dtype=np.bool_)
        has[answers.sentence[answers.counted]] = True
        rows = [has]
        for right in (*answers.right, answers.right.any(axis=0)):
            whole = has.copy()
            whole[answers.sentence[~right]] = False
            rows.append(whole)
        self._sentences += np.array([np.count_nonzero(row) for row in rows])

    def overall(self) -> Bound:
        return _bound(sum(self._labels.values(), np.zeros(self._systems + 2, dtype=np.int64)))

    def labels(self, names: Sequence[str]) -> dict[str, Bound]:
        """By gold label, the most frequent first."""
        order = sorted(self._labels, key=lambda code: (-int(self._labels[code][0]), names[code]))
        return {names[code]: _bound(self._labels[code]) for code in order}

    def sentences(self) -> Bound:
        return _bound(self._sentences)

    def difficulty(self) -> dict[int, int]:
        """How many units so many systems have right."""
        return dict(enumerate(self._difficulty.tolist()))


def _bound(row: Ints) -> Bound:
    units, *right, solved = row.tolist()
    return Bound(units, tuple(right), solved)


# == comparison/slices.py: Slices: units by something else than their labels.


_LENGTHS = ("1", "2", "3", "4", "5+")
_SENTENCES = ("1-10", "11-20", "21-40", "41+")
_NOWHERE = "no place"
SLICES = ("length", "sentence-length", "vocabulary", "document")
"""The slices of all tasks that are no columns."""
Slicer = Callable[[Predictions, Locations, StringIndex[str]], Ints]
"""The slice of every unit, as a code of a table of names."""


def slicer(
    name: str, words: Collection[str] | None, labels: StringIndex[str], of_task: Mapping[str, Callable[..., Ints]]
) -> Slicer:
    """Slices: units by something else than their labels.

    - `length`: spans by their tokens, or characters where these are compared (1, 2, 3, 4, 5+).
    - `sentence-length`: units by the tokens of their sentence (1-10, 11-20, 21-40, 41+).
    - `vocabulary`: *seen* if the unit's text is a line of a word list, else *unseen*.
    - `document`: units by their document: its name, or its number from 1.
    - `pronoun`, of mentions: the word of those that are not nominal (*he*, *their*), in small letters; the others are
      *nouns*.
    - any column of the gold standard: units by its value at their first token.

    By length and by columns, strings of a language model that the text does not have are in a slice *no place*.

    Slices act after judging: a unit keeps its verdict, whatever slice it is in. Surplus belongs to slices as gold spans
    do.

    Source: Liu et al. 2021 for scores by the length of spans and sentences and by what was seen in training.
    """
    if name in of_task:
        return lambda answers, places, names: of_task[name](answers, places, names, labels)
    if name == "vocabulary":
        if words is None:
            raise SettingError("The slice 'vocabulary' takes a word list; name it with --vocabulary FILE.")
        return lambda answers, places, names: _by_vocabulary(answers, places, names, words)
    return _SLICERS.get(name) or (lambda answers, places, names: _by_column(name, answers, places, names))


def _by_length(answers: Predictions, places: Locations, names: StringIndex[str]) -> Ints:
    return _placed(_binned(answers.end - answers.start, (2, 3, 4, 5), _LENGTHS, names), answers, places, names)


def _by_sentence_length(answers: Predictions, places: Locations, names: StringIndex[str]) -> Ints:
    lengths = places.lengths
    if lengths is None:
        raise SettingError("The gold standard does not know how long its sentences are; leave out 'sentence-length'.")
    return _binned(lengths[answers.sentence], (11, 21, 41), _SENTENCES, names)


def _by_document(answers: Predictions, places: Locations, names: StringIndex[str]) -> Ints:
    number, place = np.unique(places.document_of[answers.sentence], return_inverse=True)
    return ints([names.code(places.document(each)) for each in number.tolist()])[place]


def _by_vocabulary(answers: Predictions, places: Locations, names: StringIndex[str], words: Collection[str]) -> Ints:
    if len(answers) and places.words(int(answers.sentence[0]), int(answers.start[0]), int(answers.end[0])) is None:
        raise SettingError("The gold standard has no words to look for in a word list; leave out 'vocabulary'.")
    rows = zip(answers.sentence.tolist(), answers.start.tolist(), answers.end.tolist(), strict=True)
    seen, unseen = names.code("seen"), names.code("unseen")
    return ints([seen if places.words(*row) in words else unseen for row in rows])


def _by_column(column: str, answers: Predictions, places: Locations, names: StringIndex[str]) -> Ints:
    found = places.layer(column)
    if found is None:
        raise SettingError(f"The gold standard has no column {column!r} to slice by.")
    code, texts, starts = found
    start = np.where(places.is_nowhere(answers.start), 0, answers.start)
    values, place = np.unique(code[starts[answers.sentence] + start], return_inverse=True)
    return _placed(ints([names.code(texts[value]) for value in values.tolist()])[place], answers, places, names)


def _placed(found: Ints, answers: Predictions, places: Locations, names: StringIndex[str]) -> Ints:
    """The slices of units, of which those that stand nowhere in the text have their own."""
    nowhere = places.is_nowhere(answers.start)
    return np.where(nowhere, names.code(_NOWHERE), found) if nowhere.any() else found


def _binned(values: Ints, least: tuple[int, ...], shown: tuple[str, ...], names: StringIndex[str]) -> Ints:
    codes = ints([names.code(name) for name in shown])
    found: Ints = codes[np.searchsorted(least, values, side="right")]
    return found


_SLICERS: dict[str, Slicer] = {
    "length": _by_length,
    "sentence-length": _by_sentence_length,
    "document": _by_document,
}


# == comparison/differences.py (primary)


CLASSES = ("correction", "new_error", "changed_error")
CHANGES = ("", "head", "relation", "both")
_LABEL_BITS, _SHOWN_BITS = 17, 22
_LACKED = 2
"""By how much answers are raised, as codes of units that a system lacks are negative."""
_LABEL, _SHOWN = (1 << _LABEL_BITS) - 1, (1 << _SHOWN_BITS) - 1
_CHANGE_PLACE = _LABEL_BITS + 2 * _SHOWN_BITS
"""Where a key has its parts: a change, a gold label, and twice an answer and whether it is right."""


class Transition(NamedTuple):
    """What a unit was and became: codes of the gold label (-1: surplus) and of the two systems' answers."""

    gold: int
    before: int
    after: int
    change: str
    """Of trees: what changed."""


@dataclass
class PairCounts:
    """The differences of two systems, added up over portions."""

    units: int = 0
    moved: int = 0
    transitions: Mapping[str, Counter[Transition]] = field(
        default_factory=lambda: {name: Counter() for name in CLASSES}
    )

    @property
    def counts(self) -> dict[str, int]:
        """How many differences of each class there are."""
        return {name: found.total() for name, found in self.transitions.items()}

    @property
    def different(self) -> int:
        return sum(self.counts.values())


class Differences:
    """Counts the differences of some pairs of systems, portion by portion."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self.pairs = {pair: PairCounts() for pair in pairs}
        self._keys: dict[tuple[int, int], Counter[int]] = {pair: Counter() for pair in pairs}

    def add(self, answers: Predictions) -> None:
        is_gold = ~answers.is_surplus
        gold, surplus = int(np.count_nonzero(is_gold)), int(np.count_nonzero(answers.is_surplus))
        absent = None if answers.absent is None else together(answers.absent[:, answers.is_surplus])
        after = ((answers.shown + _LACKED) << 1) | answers.right
        before = ((answers.told + 1) << 2 * _SHOWN_BITS) | (after << _SHOWN_BITS)
        for (a, b), counts in self.pairs.items():
            is_different = answers.answer[a] != answers.answer[b]
            units = np.flatnonzero(is_different)
            keys = before[a][units] | after[b][units]
            if answers.gold_head is not None:
                head, relation = answers.part[a] != answers.part[b], answers.shown[a] != answers.shown[b]
                keys |= (head + 2 * relation)[units] << _CHANGE_PLACE  # their places in `CHANGES`
            else:  # the same answer but other bounds, or another antecedent
                counts.moved += int(np.count_nonzero((answers.part[a] != answers.part[b]) & ~is_different & is_gold))
            found, number = np.unique(keys, return_counts=True)
            self._keys[a, b].update(dict(zip(found.tolist(), number.tolist(), strict=True)))
            counts.units += gold
            if absent is not None:
                counts.units += surplus - int(absent[a, b])

    def finish(self) -> dict[tuple[int, int], PairCounts]:
        """The counts of all pairs, with their transitions."""
        for pair, keys in self._keys.items():
            for key, count in keys.items():
                kind, transition = _decode(key)
                self.pairs[pair].transitions[kind][transition] = count
        return self.pairs


def _decode(key: int) -> tuple[str, Transition]:
    """The class of a difference and what it was: change, gold label, and twice an answer and whether it is right."""
    after, before = key & _SHOWN, key >> _SHOWN_BITS & _SHOWN
    gold = (key >> 2 * _SHOWN_BITS & _LABEL) - 1
    kind = "correction" if after & 1 else "new_error" if before & 1 else "changed_error"
    return kind, Transition(gold, (before >> 1) - _LACKED, (after >> 1) - _LACKED, CHANGES[key >> _CHANGE_PLACE])


def difference_class(before: Bools, after: Bools) -> Ints:
    """The places in `CLASSES` of units that are different, by whether each of the two systems has them right."""
    return np.where(after, 0, np.where(before, 1, 2))
