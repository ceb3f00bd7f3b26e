"""Edges of enhanced dependencies as others show them: rows of a table of verdicts, arcs of a drawing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.tasks.passage import VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.words.verdicts import EdgeVerdicts, JudgedUnits
from evenhand.text.word_feed import Aligned
from evenhand.text.words import Words


def edge_rows(aligned: Aligned, edges: EdgeVerdicts, places: Places, names: Mapping[int, str]) -> VerdictRows:
    """The edges of the gold standard in their order, and behind those of each sentence what only the system has."""
    found = edges.found
    is_extra = found.gold < 0
    order = np.lexsort((found.system, found.gold, is_extra, found.sentence))
    mine, theirs, sentence = (column[order] for column in (found.gold, found.system, found.sentence))
    is_extra, word = is_extra[order], np.append(edges.gold[0], -1)[mine]
    start = np.where(is_extra, -1, word - aligned.gold.bounds[sentence])
    other = aligned.system.corpus.tokens
    own_word = np.append(edges.system[0], 0)[theirs]
    return VerdictRows(
        aligned.gold.corpus,
        sentence,
        start,
        start + 1,
        places.document_of[sentence],
        names,
        found.gold_label[order],
        found.system_label[order],
        found.kind[order],
        {
            "side": is_extra.astype(np.int64),
            "gold_head": np.where(mine < 0, -1, _numbers(aligned.gold, *edges.gold)[mine]),
            "system_head": np.where(theirs < 0, -1, _numbers(aligned.system, *edges.system)[theirs]),
        },
        other.take(own_word) if other is not None and is_extra.any() else None,
    )


def _numbers(words: Words, word: Ints, head: Ints) -> Ints:
    """Heads as files have them: 1 is the first word of the sentence, 0 the root; one more behind, for no edge."""
    begin = words.bounds[words.sentence[word]]
    return np.append(np.where(head < 0, 0, head - begin + 1), -1)


def drawn_edges(by: str, systems: Sequence[JudgedUnits]) -> list[Mapping[int, Sequence[tuple[int, int]]]]:
    """Labels and heads of the edges of each side, by words of the gold standard; none where a score is not of edges."""
    sides: list[Mapping[int, Sequence[tuple[int, int]]]] = []
    for words in systems:
        if by not in words.edge_verdicts:
            return []
        edges, units = words.edge_verdicts[by], words.edges[by]
        assert units.heads is not None
        aligned = units.heads.aligned
        if not sides:
            sides.append(_by_word(edges.gold[0], edges.gold[1], units.gold))
        gold_of = np.full(len(aligned.system), -1)
        gold_of[aligned.rows[1]] = aligned.rows[0]
        word, head = edges.system
        sides.append(_by_word(gold_of[word], aligned.heads_in_gold(head), units.system[: len(word)]))
    return sides


def _by_word(word: Ints, head: Ints, label: Ints) -> Mapping[int, Sequence[tuple[int, int]]]:
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, *edge in zip(word.tolist(), label.tolist(), head.tolist(), strict=True):
        found[place].append((edge[0], edge[1]))
    return found
