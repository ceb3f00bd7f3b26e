"""Enhanced dependencies: ELAS and EULAS, the metrics of the IWPT shared tasks.

An edge of a word is a head and a label, from the column DEPS. Empty nodes are collapsed first: `2:conj:and>nsubj` is a
path over an empty node. With `--empty-nodes skip`, empty nodes and their edges are left out instead.

- ELAS: an edge is correct if the word is aligned, the head is the aligned word (or both are the root), and the labels
  are equal.
- EULAS: the same, with labels cut at the first colon of each step (`conj>nsubj`).
- precision = correct / edges of the system, recall = correct / edges of the gold standard, F1 = 2 correct / (gold +
  system). Equal edges of a word are matched one to one, so no score exceeds 1.
- `pairs` is what udeval counts as correct: all pairs of equal edges. So `2:obl:in|2:obl:on` against itself has 2
  correct edges and 4 pairs under EULAS; for a sentence with that word and a root, udeval prints 166.67. The two counts
  differ only if a word has equal edges.

Every edge gets an error type. Edges of an aligned word are matched in this order: `right`; `wrong_relation`, the same
head with another label; `wrong_head`, the same label with another head; `both`. The others are `missing` or `extra`. In
a comparison, an edge that only some systems have is a separate unit; it is `absent` under the others.

`--enhancements` leaves out what a treebank does not annotate, on both sides, before edges are counted. 0, the default,
keeps all. Digits can be combined (`156`), and act in this order:

| digit | effect on edges |
| --- | --- |
| 1 | gapping: a path becomes the basic edge, HEAD and DEPREL without subtype; a word may then have it twice |
| 2 | shared parents of conjuncts: of a word with `conj` edges, only the last of these stays, by head, then by label |
| 3 | shared dependents of conjuncts: nothing (the test in udeval never holds, so its figures equal those with 0) |
| 4 | control: an edge with a step `nsubj` goes if its parent's DEPREL is `xcomp` |
| 5 | relative clauses: `ref` becomes the basic edge; edges from an `acl` to the word after its HEAD go |
| 6 | case: `obl:in`, `nmod:of`, `conj:and`, `advcl:if` lose the part after the colon, except pass, relcl, xsubj |

The official script that collapses empty nodes sorts edges by head and label, so the same edges stay in files that
another program collapsed or wrote in another order. With `--empty-nodes skip`, edges stay in the order of the file.

In 5, edges to the HEAD of the `acl` itself should go. udeval looks at the next word, and so does Evenhand, as all
published figures do.

Sources: Bouma et al. 2020 for ELAS and EULAS; Bouma et al. 2021 for treebanks that lack enhancements; the program
udeval of udtools 0.2.8 for what each digit does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.alignment.words import Aligned, Words
from evenhand.arrays import Bools, Ints, pack, ranges
from evenhand.data.layers import COLLAPSED, DEPS, Tags, heads_in_text
from evenhand.data.vocabulary import StringCoder, StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.formats.conllu import edges_of
from evenhand.scoring.scores import MeasureScore, averages
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.matching import equal_keys
from evenhand.tasks.units import NameColumn
from evenhand.tasks.words.matching import Heads, UnitPair, gold_sentences
from evenhand.tasks.words.measures import TREE_KINDS, is_confused, without_subtype

_RIGHT, _WRONG_HEAD, _WRONG_RELATION, _BOTH = range(len(TREE_KINDS))
_CASE = ("obl", "nmod", "conj", "advcl")
_NO_CASE = ("pass", "relcl", "xsubj")


@dataclass(frozen=True)
class Edges:
    """The edges of words, in their order."""

    word: Ints
    head: Ints
    """Index of the head among the words, -1 for the root."""
    label: Ints

    def take(self, rows: Ints) -> Edges:
        return Edges(self.word[rows], self.head[rows], self.label[rows])


def edge_pair(words: UnitPair, gold: Edges, system: Edges) -> tuple[UnitPair, Ints]:
    """The edges of both sides as units, and the error type of each matched pair."""
    assert words.heads is not None
    aligned = words.heads.aligned
    rows, kind = match_edges(aligned, gold, system)
    edges = UnitPair(
        rows=rows,
        gold=gold.label,
        system=system.label,
        counted=np.ones(len(gold.word), dtype=np.bool_),
        extra_counted=np.ones(len(system.word), dtype=np.bool_),
        sentence=words.sentence[gold.word],
        start=words.start[gold.word],
        end=words.end[gold.word],
        system_sentence=gold_sentences(aligned)[system.word],
        groups=words.groups,
        heads=Heads(aligned, gold.head, system.head),
        word=system.word,
    )
    return edges, kind


def match_edges(aligned: Aligned, gold: Edges, system: Edges) -> tuple[tuple[Ints, Ints], Ints]:
    """Match edges one to one: the rows of both sides, and the error type of each pair."""
    gold_free, system_free = (np.ones(len(side.word), dtype=np.bool_) for side in (gold, system))
    rows, kinds = [], []
    steps = {_RIGHT: ("head", "label"), _WRONG_RELATION: ("head",), _WRONG_HEAD: ("label",), _BOTH: ()}
    for kind, columns in steps.items():
        gold_rows, system_rows = np.flatnonzero(gold_free), np.flatnonzero(system_free)
        left, right = equal_keys(*_keys(aligned, gold.take(gold_rows), system.take(system_rows), *columns))
        left, right = gold_rows[left], system_rows[right]
        gold_free[left] = system_free[right] = False
        rows.append((left, right))
        kinds.append(np.full(len(left), kind))
    left, right = (np.concatenate(side) for side in zip(*rows, strict=True))
    order = np.argsort(left)
    return (left[order], right[order]), np.concatenate(kinds)[order]


def equal_edges(aligned: Aligned, gold: Edges, system: Edges) -> Ints:
    """For each gold edge, the number of equal edges of the system: the pairs that udeval adds up."""
    left, right = _keys(aligned, gold, system, "head", "label")
    right = np.sort(right)
    return np.searchsorted(right, left, side="right") - np.searchsorted(right, left, side="left")


def _keys(aligned: Aligned, gold: Edges, system: Edges, *columns: str) -> tuple[Ints, Ints]:
    """Equal numbers for edges of aligned words with equal columns; unaligned words equal no other."""
    gold_rows, system_rows = aligned.rows
    gold_of = np.full(len(aligned.system), -1)
    gold_of[system_rows] = gold_rows
    is_aligned = np.zeros(len(aligned.gold), dtype=np.bool_)
    is_aligned[gold_rows] = True
    word = np.where(is_aligned[gold.word], gold.word, -2), gold_of[system.word]
    sides = {"head": (gold.head, aligned.heads_in_gold(system.head)), "label": (gold.label, system.label)}
    return pack(word, *(sides[column] for column in columns))


def count_edges(edges: UnitPair, kind: Ints, pairs: Ints, labels: Sequence[str]) -> Tally:
    """Error types of edges by label, and the pairs of equal edges."""
    tally = edges.matches(TREE_KINDS, kind).tally(labels, edges.groups)
    rows = np.flatnonzero(pairs)
    nothing = np.full(len(rows), -1)
    group = edges.groups[edges.sentence[rows]]
    return tally + Tally.of(labels, ("pairs",), group, edges.gold[rows], nothing, np.zeros_like(rows), pairs[rows])


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the confusion of labels, and averages over the labels of edges, not of words."""
    macro, weighted = averages(score.labels, {label: int(row["gold"]) for label, row in score.labels.items()})
    return replace(score, macro=macro, weighted=weighted, confusion=tallies[score.model.scorer].confusion(is_confused))


class EdgeTable:
    """Edges of DEPS cells; each distinct cell is parsed once."""

    def __init__(self, coder: StringCoder, labels: StringIndex[str], settings: ScoreSettings) -> None:
        self._coder, self._labels, self._digits = coder, labels, settings["enhancements"]
        self._layer = DEPS if settings["empty_nodes"] == "skip" else COLLAPSED
        self._size: list[int] = []
        self._head: list[int] = []
        self._label: list[int] = []
        self._malformed: dict[int, str] = {}
        """Malformed edges, by the code of their cell."""
        names = labels.values
        self._is_path = NameColumn(names, lambda label: ">" in label)
        self._is_conj = NameColumn(names, lambda label: ">" not in label and label.startswith("conj"))
        self._is_nsubj = NameColumn(names, lambda label: any(step.startswith("nsubj") for step in label.split(">")))
        self._is_ref = NameColumn(names, lambda label: label == "ref")
        self._stripped = NameColumn(names, lambda label: labels.code(">".join(map(_without_case, label.split(">")))))
        self._universal = NameColumn(names, lambda label: labels.code(universal(label)))

    def __call__(self, words: Words) -> Edges:
        """The edges of some words, after `--enhancements`."""
        code = self._codes(words)
        size = np.array(self._size, dtype=np.int64)
        first = np.cumsum(size) - size
        rows = ranges(first[code], size[code])
        word = np.repeat(np.arange(len(words)), size[code])
        number = np.array(self._head, dtype=np.int64)[rows]
        begin, end = words.bounds[words.sentence[word]], words.bounds[words.sentence[word] + 1]
        outside = np.flatnonzero(number > end - begin)
        if len(outside):
            self._refuse(words, int(word[outside[0]]), f"the head {number[outside[0]]} is outside the sentence")
        head = np.where(number == 0, -1, begin + number - 1)
        return self._without_enhancements(words, Edges(word, head, np.array(self._label, dtype=np.int64)[rows]))

    def universal(self, edges: Edges) -> Edges:
        """The same edges without subtypes."""
        return replace(edges, label=self._universal(edges.label))

    def _codes(self, words: Words) -> Ints:
        layers = words.annotation.layers
        cells = layers.get(self._layer, layers.get(DEPS))
        if not isinstance(cells, Tags):
            remedy = "use CoNLL-U files, or remove elas and eulas"
            raise InputError(words.corpus.source, None, "has no column DEPS", remedy)
        code = cells.coded(self._coder)
        for name in self._coder.names[len(self._size) :]:
            self._add(name)
        if self._malformed and (malformed := np.isin(code, list(self._malformed))).any():
            word = int(malformed.argmax())
            edge = self._malformed[int(code[word])]
            self._refuse(words, word, f"the enhanced edge {edge!r} is not a head and a label")
        return code

    def _add(self, cell: str) -> None:
        """Add the edges of a cell, except those from empty nodes.

        The official script that collapses empty nodes sorts the edges of every word by head and label. The second
        enhancement depends on this order, which other programs do not keep.
        """
        edges = edges_of(cell)
        for head, label in edges:
            if not label or not head.replace(".", "", 1).isdecimal() or not head.isascii() or len(head) > 18:
                self._malformed.setdefault(len(self._size), f"{head}:{label}" if label else head)
        is_well_formed = len(self._size) not in self._malformed
        kept = [(int(head), label) for head, label in edges if "." not in head and is_well_formed]
        if self._layer == COLLAPSED:
            kept.sort()
        self._head += [head for head, _ in kept]
        self._label += [self._labels.code(label) for _, label in kept]
        self._size.append(len(kept))

    def _refuse(self, words: Words, word: int, finding: str) -> None:
        remedy = "write the number of a word of the sentence or 0, a colon and a relation, such as 4:nsubj"
        raise InputError(words.file(word), words.corpus.line(word), finding, remedy, "tree")

    def _without_enhancements(self, words: Words, edges: Edges) -> Edges:
        """Remove the enhancements that the treebank lacks; the table above describes the digits."""
        if not set(self._digits) - set("03"):
            return edges
        trees = words.annotation.trees()
        heads, relation = heads_in_text(trees.head, words.bounds), trees.relation
        basic = np.array([self._labels.code(without_subtype(name)) for name in relation.names] or [0])[relation.code]
        if "1" in self._digits:
            edges = _as_basic(edges, self._is_path(edges.label), heads, basic)
        if "2" in self._digits:
            edges = _last_conjuncts(edges, self._is_conj(edges.label))
        if "4" in self._digits:
            is_xcomp = _has_relation(relation, lambda name: name == "xcomp")
            goes = (self._is_nsubj(edges.label) != 0) & (edges.head >= 0) & is_xcomp[edges.head]
            edges = edges.take(np.flatnonzero(~goes))
        if "5" in self._digits:
            is_clause = _has_relation(relation, lambda name: name.startswith("acl"))
            is_ref = self._is_ref(edges.label)
            goes = (is_ref == 0) & (edges.head >= 0) & is_clause[edges.head]
            goes &= (heads[edges.head] + 1 == edges.word) & (heads[edges.head] >= 0)
            edges = _as_basic(edges, is_ref, heads, basic).take(np.flatnonzero(~goes))
        return replace(edges, label=self._stripped(edges.label)) if "6" in self._digits else edges


def _has_relation(relation: Tags, is_one: Callable[[str], bool]) -> Bools:
    code = relation.code
    return np.array([is_one(name) for name in relation.names], dtype=np.bool_)[code]


def universal(label: str) -> str:
    """`conj:and>nsubj:pass` as `conj>nsubj`."""
    return ">".join(map(without_subtype, label.split(">")))


def _without_case(step: str) -> str:
    """A step of a label without case or conjunction: `obl:in` as `obl`."""
    name, *subtypes = step.split(":")
    return name if len(subtypes) == 1 and name in _CASE and subtypes[0] not in _NO_CASE else step


def _as_basic(edges: Edges, chosen: Ints, heads: Ints, basic: Ints) -> Edges:
    head = np.where(chosen != 0, heads[edges.word], edges.head)
    return Edges(edges.word, head, np.where(chosen != 0, basic[edges.word], edges.label))


def _last_conjuncts(edges: Edges, is_conjunct: Ints) -> Edges:
    """Keep only the last conjunct edge of each word that has any."""
    rows = np.flatnonzero(is_conjunct)
    last = rows[np.append(edges.word[rows][1:] != edges.word[rows][:-1], True)[: len(rows)]]
    others = np.flatnonzero(~np.isin(edges.word, edges.word[rows]))
    return edges.take(np.sort(np.concatenate((last, others))))
