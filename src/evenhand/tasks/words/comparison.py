"""Predictions of several systems for the same words or edges, and the words that a page draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.alignment.words import Words
from evenhand.arrays import Ints, distinct, empty, pack
from evenhand.tasks.units import ABSENT_CODE, MISSING_CODE, DrawnRows, Predictions, Row, SentenceView, occurrences
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
        gold_label=np.broadcast_to(gold, shown.shape),
        predicted=np.where(is_missing, -1, shown),
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
        "gold_label": np.full(has.shape, -1),
        "predicted": np.where(has, label[first], -1),
        "verdict": np.where(has, kinds.index(EXTRA), len(kinds)),
        "missing": np.zeros_like(has),
    }
    columns: dict[str, Any] = {name: np.append(getattr(predictions, name), column) for name, column in of_units.items()}
    columns |= {name: np.append(getattr(predictions, name), table, axis=1) for name, table in of_systems.items()}
    columns["absent"] = np.append(np.zeros_like(predictions.right), ~has, axis=1)
    assert pairs[0].heads is not None
    begin = pairs[0].heads.aligned.gold.bounds[columns["sentence"]]
    head = np.where(columns["part"] < predictions.words, columns["part"], -2)
    columns["edge_head"] = np.where(head < 0, head, (head - begin << 32) | (head - begin + 1))
    return replace(predictions, **columns)


def drawn_words(by: str, pairs: Sequence[UnitPair], words: Words) -> SentenceView:
    """One row per gold word of a sentence: its label and, of trees, the index of its head in the sentence.

    -1 is the root, -2 a head outside the sentence, and None a word that a side lacks. If the score counts enhanced
    edges, these follow in the same row, as label and head of each.
    """
    columns = [[pairs[0].gold], *([pair.predicted] for pair in pairs)]
    if pairs[0].heads is not None:
        heads = [pairs[0].heads.gold, *(pair.heads.in_gold(pair.partner) for pair in pairs if pair.heads is not None)]
        for side, head in zip(columns, heads, strict=True):
            side.append(_in_sentence(words, words.sentence, head))
    edges = _edges_by_word(by, pairs, words) or [{} for _ in columns]
    sides = zip(columns, edges, strict=True)
    return SentenceView([DrawnRows(words.sentence, *side, more=more) for side, more in sides])


def _in_sentence(words: Words, sentence: Ints, head: Ints) -> Ints:
    """Heads as indices in some sentences; -1 is the root, -2 a head elsewhere."""
    begin, end = words.bounds[sentence], words.bounds[sentence + 1]
    return np.where((begin <= head) & (head < end), head - begin, np.where(head < 0, head, -2))


def _edges_by_word(by: str, pairs: Sequence[UnitPair], words: Words) -> list[dict[int, Row]]:
    """Labels and heads of the edges of the gold standard and of all systems, by gold words; empty without edges."""
    sides: list[dict[int, Row]] = []
    for pair in pairs:
        if by not in pair.edge_matches:
            return []
        edges, units = pair.edge_matches[by], pair.edges[by]
        assert units.heads is not None
        aligned = units.heads.aligned
        if not sides:
            sides.append(_by_word(words, *edges.gold, units.gold))
        gold_of = np.full(len(aligned.system), -1)
        gold_of[aligned.rows[1]] = aligned.rows[0]
        word, head = edges.system
        is_aligned = gold_of[word] >= 0
        word, head, label = (column[is_aligned] for column in (word, head, units.system[: len(word)]))
        sides.append(_by_word(words, gold_of[word], aligned.heads_in_gold(head), label))
    return sides


def _by_word(words: Words, word: Ints, head: Ints, label: Ints) -> dict[int, Row]:
    edges: dict[int, Row] = {}
    heads = _in_sentence(words, words.sentence[word], head)
    for index, *edge in zip(word.tolist(), label.tolist(), heads.tolist(), strict=True):
        edges[index] = (*edges.get(index, ()), *edge)
    return edges
