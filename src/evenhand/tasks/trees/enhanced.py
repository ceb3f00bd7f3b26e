"""Enhanced dependencies: ELAS and EULAS, the metrics of the IWPT shared tasks.

An edge of a word is a head and a label, from the column DEPS. Empty nodes are collapsed first: `2:conj:and>nsubj` is a
path over an empty node. With `--empty-nodes skip`, empty nodes and their edges are left out instead.

- ELAS: an edge is correct if the word is aligned, the head is the aligned word (or both are the root), and the labels
  are equal.
- EULAS: the same, with labels cut at the first colon of each step (`conj>nsubj`).
- precision = correct / edges of the system, recall = correct / edges of the gold standard, F1 = 2 correct / (gold +
  system). Equal edges of a word are matched one to one, so that no score exceeds 1.
- `pairs` beside them is what udeval counts as correct: every gold edge meets every edge of the system. So
  `2:obl:in|2:obl:on` against itself has 2 correct edges and 4 pairs under EULAS; of a sentence with that word and a
  root, udeval prints 166.67. The two counts differ only where a word has equal edges.

Every edge gets a verdict. Those of an aligned word are matched in this order: `right`; `wrong_relation`, the same head
with another label; `wrong_head`, the same label with another head; `both`. What is left is `missing` or `extra`. In a
comparison, an edge that only systems have is a unit of its own; it is `absent` under the others.

`--enhancements` leaves out what a treebank does not annotate, on both sides, before edges are counted. 0, the default,
keeps all. Digits can be combined (`156`), and act in this order:

| digit | what becomes of edges |
| --- | --- |
| 1 | gapping: a path becomes the basic edge, HEAD and DEPREL without subtype; a word may then have it twice |
| 2 | shared parents of conjuncts: of a word with `conj` edges, only the last of these stays, by head, then by label |
| 3 | shared dependents of conjuncts: nothing (the test in udeval never holds, so that its figures are those of 0) |
| 4 | control: an edge with a step `nsubj` goes if its parent's DEPREL is `xcomp` |
| 5 | relative clauses: `ref` becomes the basic edge; edges from an `acl` to the word behind its HEAD go |
| 6 | case: `obl:in`, `nmod:of`, `conj:and`, `advcl:if` lose what is behind the colon, but for pass, relcl, xsubj |

The official script that collapses empty nodes sorts edges by head and label, so the same edges stay in files that
another program collapsed or wrote in another order. With `--empty-nodes skip`, edges stay in the order of the file.

In 5, edges to the HEAD of the `acl` itself should go. udeval looks at the next word, and so does Evenhand, as all
published figures do.

Sources: Bouma et al. 2020 for ELAS and EULAS; Bouma et al. 2021 for treebanks that lack enhancements; the program
udeval of udtools 0.2.8 for what each digit does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, pack
from evenhand.tally import Tally
from evenhand.tasks.spans.exact import equal_keys
from evenhand.tasks.trees.edges import Edges
from evenhand.tasks.words.kinds import TREE_KINDS
from evenhand.tasks.words.verdicts import Heads, JudgedUnits, sentence_of
from evenhand.text.word_feed import Aligned

_RIGHT, _WRONG_HEAD, _WRONG_RELATION, _BOTH = range(len(TREE_KINDS))


def pairs(aligned: Aligned, gold: Edges, system: Edges) -> Ints:
    """For each gold edge, the number of equal edges of the system: what udeval adds up."""
    left, right = _keys(aligned, gold, system, "head", "label")
    right = np.sort(right)
    return np.searchsorted(right, left, side="right") - np.searchsorted(right, left, side="left")


def _keys(aligned: Aligned, gold: Edges, system: Edges, *columns: str) -> tuple[Ints, Ints]:
    """Equal numbers for edges of aligned words that are equal in some columns; words without partner equal no other."""
    mine, theirs = aligned.rows
    gold_of = np.full(len(aligned.system), -1)
    gold_of[theirs] = mine
    is_lost = np.ones(len(aligned.gold), dtype=np.bool_)
    is_lost[mine] = False
    word = np.where(is_lost[gold.word], -2, gold.word), gold_of[system.word]
    sides = {"head": (gold.head, aligned.heads_in_gold(system.head)), "label": (gold.label, system.label)}
    return pack(word, *(sides[column] for column in columns))


def matched(aligned: Aligned, gold: Edges, system: Edges) -> tuple[tuple[Ints, Ints], Ints]:
    """The edges that go together, one to one, and the verdict on each pair."""
    left_free, right_free = np.ones(len(gold.word), dtype=np.bool_), np.ones(len(system.word), dtype=np.bool_)
    rows, kinds = [], []
    for kind, columns in (
        (_RIGHT, ("head", "label")),
        (_WRONG_RELATION, ("head",)),
        (_WRONG_HEAD, ("label",)),
        (_BOTH, ()),
    ):
        mine, own = np.flatnonzero(left_free), np.flatnonzero(right_free)
        keys = _keys(aligned, gold.take(mine), system.take(own), *columns)
        left, right = equal_keys(*keys)
        left, right = mine[left], own[right]
        left_free[left] = right_free[right] = False
        rows.append((left, right))
        kinds.append(np.full(len(left), kind))
    left, right = (np.concatenate(side) for side in zip(*rows, strict=True))
    order = np.argsort(left)
    return (left[order], right[order]), np.concatenate(kinds)[order]


def edge_units(words: JudgedUnits, gold: Edges, system: Edges) -> tuple[JudgedUnits, Ints]:
    """The edges of both sides as units, and the verdict on those that go together."""
    assert words.heads is not None
    aligned = words.heads.aligned
    rows, kind = matched(aligned, gold, system)
    units = JudgedUnits(
        rows,
        gold.label,
        system.label,
        np.ones(len(gold.word), dtype=np.bool_),
        np.ones(len(system.word), dtype=np.bool_),
        words.sentence[gold.word],
        words.start[gold.word],
        words.end[gold.word],
        sentence_of(aligned)[system.word],
        words.groups,
        Heads(aligned, gold.head, system.head),
        system.word,
    )
    return units, kind


def count(units: JudgedUnits, kind: Ints, pair: Ints, labels: Sequence[str]) -> Tally:
    """The verdicts on edges by label, and the pairs of equal edges."""
    found = units.verdicts(TREE_KINDS, kind).tally(labels, units.groups)
    rows = np.flatnonzero(pair)
    nothing = np.full(len(rows), -1)
    group = units.groups[units.sentence[rows]]
    return found + Tally.of(labels, ("pairs",), group, units.gold[rows], nothing, np.zeros_like(rows), pair[rows])
