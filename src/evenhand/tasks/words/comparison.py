"""Predictions of several systems for the same words or edges, and what the error browser shows of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.arrays import Ints, distinct, empty, pack
from evenhand.tasks.units import ABSENT_CODE, MISSING_CODE, Predictions, Rows, Units, occurrences, units_of
from evenhand.tasks.words.matching import UnitPair
from evenhand.tasks.words.measures import EXTRA, MISSING, RIGHT, TAG_KINDS, TREE_KINDS


def word_predictions(by: str, pairs: Sequence[UnitPair]) -> Predictions:
    """Predictions of all systems for the gold units that count; of edges, also for extra ones."""
    first = pairs[0]
    units = np.flatnonzero(first.counted)
    gold, part, head = first.gold[units], np.full((len(pairs), len(units)), -1), None
    shown = np.stack([pair.predicted[units] for pair in pairs])
    is_missing = np.stack([pair.partner[units] < 0 for pair in pairs])
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind = np.where(shown == gold, 0, 1)
    answer = shown
    if first.heads is not None:
        kinds, head = (*TREE_KINDS, MISSING, EXTRA), first.heads.gold[units]
        part = _heads(pairs, units)
        kind = np.where(part == head, 0, 1) + 2 * kind
        answer = {"uas": part, "ls": shown}.get(by, _attachment_code(part, shown))
    kind = np.where(is_missing, kinds.index(MISSING), kind)
    predictions = Predictions(
        label=gold,
        is_surplus=np.zeros(len(units), dtype=np.bool_),
        answer=answer,
        shown=np.where(is_missing, MISSING_CODE, shown),
        right=np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind],
        part=part,
        sentence=first.sentence[units],
        start=first.start[units],
        end=first.end[units],
        gold_head=head,
        words=len(first.gold) if first.heads is None else len(first.heads.aligned.gold),
        kinds=kinds,
        verdict=kind,
        missing=is_missing,
    )
    return predictions if first.word is None else _with_extra_edges(predictions, pairs)


def _attachment_code(head: Ints, relation: Ints) -> Ints:
    return ((head + 3) << 24) | (relation + 1)


def _heads(pairs: Sequence[UnitPair], units: Ints) -> Ints:
    """Heads of gold units under each system: word numbers of `_word_numbers`, -1 for the root, -2 if missing."""
    heads = np.empty((len(pairs), len(units)), dtype=np.int64)
    for row, (pair, number) in enumerate(zip(pairs, _word_numbers(pairs), strict=True)):
        assert pair.heads is not None
        partner = pair.partner[units]
        heads[row] = np.where(partner < 0, -2, number[np.append(pair.heads.system, -1)[partner]])
    return heads


def _word_numbers(pairs: Sequence[UnitPair]) -> list[Ints]:
    """For each system, numbers of its words that all systems share; the last one, of the root, is -1.

    An aligned word has the number of its gold word. Others are numbered by their characters.
    """
    numbers, unaligned, characters = [], [], []
    for pair in pairs:
        assert pair.heads is not None
        aligned = pair.heads.aligned
        words, number = aligned.system, np.full(len(aligned.system) + 1, -1)
        number[aligned.rows[1]] = aligned.rows[0]
        unaligned.append(np.flatnonzero(number[:-1] < 0))
        start, end = words.start[unaligned[-1]], words.end[unaligned[-1]]
        begin = words.start[0] if len(words.start) else 0
        characters.append(((start - begin) << 20) | np.minimum(end - start, (1 << 20) - 1))
        numbers.append(number)
    if any(map(len, unaligned)):
        spans, first = distinct(np.concatenate(characters)), pairs[0].heads
        assert first is not None
        for number, words_lost, span in zip(numbers, unaligned, characters, strict=True):
            number[words_lost] = len(first.aligned.gold) + np.searchsorted(spans, span)
    return numbers


def _with_extra_edges(predictions: Predictions, pairs: Sequence[UnitPair]) -> Predictions:
    extra, edges = [np.flatnonzero(pair.is_extra) for pair in pairs], []
    for pair, rows, number in zip(pairs, extra, _word_numbers(pairs), strict=True):
        assert pair.heads is not None
        assert pair.word is not None
        head, word = number[pair.heads.system[rows]], number[pair.word[rows]]
        edges.append((pair.system_sentence[rows], word, head, pair.system[rows], *pair.extra_bounds(rows)))
    sentence, word, head, label, start, end = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    system = np.repeat(np.arange(len(pairs)), list(map(len, extra)))
    key, _ = pack(*((column, empty()) for column in (sentence, word, head, label)))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    has = np.zeros((len(pairs), len(first)), dtype=np.bool_)
    has[system, unit] = True
    heads = np.full(has.shape, -2)
    heads[system, unit] = head
    labels, kinds = np.where(has, label[first], ABSENT_CODE), predictions.kinds
    of_units = {
        "label": label[first],
        "is_surplus": np.ones(len(first), dtype=np.bool_),
        "sentence": sentence[first],
        "start": start[first],
        "end": end[first],
        "gold_head": np.full(len(first), -2),
    }
    of_systems = {
        "answer": _attachment_code(heads, np.where(has, label[first], -1)),
        "shown": labels,
        "right": ~has,
        "part": heads,
        "verdict": np.where(has, kinds.index(EXTRA), len(kinds)),
        "missing": np.zeros_like(has),
    }
    columns: dict[str, Any] = {name: np.append(getattr(predictions, name), column) for name, column in of_units.items()}
    columns |= {name: np.append(getattr(predictions, name), table, axis=1) for name, table in of_systems.items()}
    return replace(predictions, **columns, absent=np.append(np.zeros_like(predictions.right), ~has, axis=1))


def word_units(by: str, pairs: Sequence[UnitPair]) -> Units:
    """Units of all systems for the error browser; edges with the token offsets of their heads in the sentence."""
    predictions, first = word_predictions(by, pairs), pairs[0]
    predicted = np.where(predictions.shown < 0, -1, predictions.shown)
    gold = np.broadcast_to(np.where(predictions.is_surplus, -1, predictions.label), predicted.shape)
    partner = np.full(predicted.shape, -1)
    if first.word is not None and first.heads is not None:
        begin = first.heads.aligned.gold.bounds[predictions.sentence]
        head = np.where(predictions.part < predictions.words, predictions.part, -2)
        partner = np.where(head < 0, head, (head - begin << 32) | (head - begin + 1))
    return units_of(predictions, predictions.kind, gold, predicted, partner)


EdgesByWord = Mapping[int, Sequence[tuple[int, int]]]
"""Labels and heads of the edges of one side, by words of the gold standard."""


def edges_by_word(by: str, pairs: Sequence[UnitPair]) -> list[EdgesByWord]:
    """The edges of the gold standard and of all systems; empty if the score does not count edges."""
    sides: list[EdgesByWord] = []
    for pair in pairs:
        if by not in pair.edge_matches:
            return []
        edges, units = pair.edge_matches[by], pair.edges[by]
        assert units.heads is not None
        aligned = units.heads.aligned
        if not sides:
            sides.append(_by_word(*edges.gold, units.gold))
        gold_of = np.full(len(aligned.system), -1)
        gold_of[aligned.rows[1]] = aligned.rows[0]
        word, head = edges.system
        sides.append(_by_word(gold_of[word], aligned.heads_in_gold(head), units.system[: len(word)]))
    return sides


def _by_word(word: Ints, head: Ints, label: Ints) -> EdgesByWord:
    edges: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, *edge in zip(word.tolist(), label.tolist(), head.tolist(), strict=True):
        edges[index].append((edge[0], edge[1]))
    return edges


class WordView:
    """One row per gold word of a sentence: its label and, of trees, the index of its head in the sentence.

    -1 is the root, -2 a head outside the sentence, and None a word that a side lacks. Enhanced edges follow in the same
    row, as label and head of each.
    """

    def __init__(
        self, bounds: Ints, labels: Sequence[Ints], heads: Sequence[Ints] | None, edges: Sequence[EdgesByWord] = ()
    ) -> None:
        """`labels`, `heads` and `edges` have one entry per side; labels are -1 for words that a side lacks."""
        self._bounds, self._labels, self._heads, self._edges = bounds.tolist(), labels, heads, edges

    def sides(self, sentence: int) -> list[Rows]:
        begin, end = self._bounds[sentence : sentence + 2]
        sides: list[Rows] = []
        for side, labels in enumerate(self._labels):
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                columns.append(np.where((begin <= head) & (head < end), head - begin, np.where(head < 0, head, -2)))
            rows: Iterable[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
            if self._edges:
                rows = [(*row, *self._edge_cells(side, begin + at, begin, end)) for at, row in enumerate(rows)]
            sides.append(tuple(None if row[0] < 0 else row for row in rows))
        return sides

    def _edge_cells(self, side: int, word: int, begin: int, end: int) -> list[int]:
        cells = []
        for label, head in self._edges[side].get(word, ()):
            cells += [label, head - begin if begin <= head < end else head if head < 0 else -2]
        return cells
