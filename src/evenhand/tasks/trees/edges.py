"""The edges of enhanced dependencies: read from DEPS, and as `--enhancements` leaves them (see `enhanced`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.collapsing import edges_of
from evenhand.problems import InputError
from evenhand.settings import ScoreSettings
from evenhand.tasks.words.universal import without_subtype
from evenhand.text.codes import Coder
from evenhand.text.enhanced import COLLAPSED, DEPS
from evenhand.text.labels import Codes
from evenhand.text.layers import Tags
from evenhand.text.trees import heads_in_text
from evenhand.text.words import Words

_CASE = ("obl", "nmod", "conj", "advcl")
_NO_CASE = ("pass", "relcl", "xsubj")


@dataclass(frozen=True)
class Edges:
    """The edges of words, in their order."""

    word: Ints
    head: Ints
    """The head by its place among the words, -1 for the root."""
    label: Ints

    def take(self, rows: Ints) -> Edges:
        return Edges(self.word[rows], self.head[rows], self.label[rows])


class EdgeTable:
    """The edges that cells of DEPS stand for; every cell is looked at once."""

    def __init__(self, coder: Coder, labels: Codes[str], settings: ScoreSettings) -> None:
        self._coder, self._labels, self._digits = coder, labels, settings["enhancements"]
        self._layer = DEPS if settings["empty_nodes"] == "skip" else COLLAPSED
        self._size: list[int] = []
        self._head: list[int] = []
        self._label: list[int] = []
        self._wrong: dict[int, str] = {}
        """Edges that are none, by the code of their cell."""
        self._facts = {name: _Fact(labels, fact) for name, fact in _FACTS.items()}
        self._stripped = _Fact(labels, lambda name: labels.code(without_case(name)))
        self._universal = _Fact(labels, lambda name: labels.code(universal(name)))

    def __call__(self, words: Words) -> Edges:
        """The edges of some words, as the enhancements leave them."""
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
        return self._without(words, Edges(word, head, np.array(self._label, dtype=np.int64)[rows]))

    def universal(self, edges: Edges) -> Edges:
        """The same edges with labels without subtypes."""
        return replace(edges, label=self._universal(edges.label))

    def _codes(self, words: Words) -> Ints:
        layers = words.annotation.layers
        cells = layers.get(self._layer, layers.get(DEPS))
        if not isinstance(cells, Tags):
            remedy = "give files in CoNLL-U, or leave elas and eulas out"
            raise InputError(words.corpus.source, None, "has no column DEPS", remedy)
        code = cells.coded(self._coder)
        for name in self._coder.names[len(self._size) :]:
            self._add(name)
        if self._wrong and (wrong := np.isin(code, list(self._wrong))).any():
            word = int(wrong.argmax())
            self._refuse(words, word, f"the enhanced edge {self._wrong[int(code[word])]!r} is no head and label")
        return code

    def _add(self, cell: str) -> None:
        """Take in the edges of a cell; those from empty nodes are left out.

        The official script that collapses empty nodes sorts the edges of every word by head and label. The second
        enhancement depends on this order, which other programs do not keep.
        """
        edges = edges_of(cell)
        for head, label in edges:
            if not label or not head.replace(".", "", 1).isdecimal() or not head.isascii() or len(head) > 18:
                self._wrong.setdefault(len(self._size), f"{head}:{label}" if label else head)
        kept = [(int(head), label) for head, label in edges if "." not in head and len(self._size) not in self._wrong]
        if self._layer == COLLAPSED:
            kept.sort()
        self._head += [head for head, _ in kept]
        self._label += [self._labels.code(label) for _, label in kept]
        self._size.append(len(kept))

    def _refuse(self, words: Words, word: int, finding: str) -> None:
        remedy = "write the number of a word of the sentence or 0, a colon and a relation, such as 4:nsubj"
        raise InputError(words.corpus.source, words.corpus.line(word), finding, remedy, "tree")

    def _without(self, words: Words, edges: Edges) -> Edges:
        """The edges that the enhancements leave."""
        if not set(self._digits) - set("03"):
            return edges
        trees = words.annotation.trees()
        heads, relation = heads_in_text(trees.head, words.bounds), trees.relation
        basic = np.array([self._labels.code(without_subtype(name)) for name in relation.names] or [0])[relation.code]
        if "1" in self._digits:
            edges = _basic(edges, self._facts["path"](edges.label), heads, basic)
        if "2" in self._digits:
            edges = _last_conjunct(edges, self._facts["conj"](edges.label))
        if "4" in self._digits:
            is_xcomp = _named(relation, lambda name: name == "xcomp")
            goes = (self._facts["nsubj"](edges.label) != 0) & (edges.head >= 0) & is_xcomp[edges.head]
            edges = edges.take(np.flatnonzero(~goes))
        if "5" in self._digits:
            edges = _relative(edges, self._facts["ref"](edges.label), heads, basic, _named(relation, _is_clause))
        return replace(edges, label=self._stripped(edges.label)) if "6" in self._digits else edges


class _Fact:
    """Something that follows from a label."""

    def __init__(self, labels: Codes[str], fact: Callable[[str], int]) -> None:
        self._labels, self._fact, self._values = labels, fact, list[int]()

    def __call__(self, codes: Ints) -> Ints:
        top = int(codes.max(initial=-1)) + 1
        self._values += [self._fact(self._labels[code]) for code in range(len(self._values), top)]
        return np.array(self._values, dtype=np.int64)[codes] if top else codes


_FACTS: dict[str, Callable[[str], int]] = {
    "path": lambda label: ">" in label,
    "conj": lambda label: ">" not in label and label.startswith("conj"),
    "nsubj": lambda label: any(step.startswith("nsubj") for step in label.split(">")),
    "ref": lambda label: label == "ref",
}


def _is_clause(relation: str) -> bool:
    return relation.startswith("acl")


def _named(relation: Tags, is_one: Callable[[str], bool]) -> Bools:
    code = relation.code
    return np.array([is_one(name) for name in relation.names], dtype=np.bool_)[code]


def universal(label: str) -> str:
    """`conj:and>nsubj:pass` as `conj>nsubj`."""
    return ">".join(map(without_subtype, label.split(">")))


def without_case(label: str) -> str:
    """A label whose steps have lost their case or conjunction."""
    return ">".join(map(_without_case, label.split(">")))


def _without_case(step: str) -> str:
    name, *rest = step.split(":")
    return name if len(rest) == 1 and name in _CASE and rest[0] not in _NO_CASE else step


def _basic(edges: Edges, chosen: Ints, heads: Ints, basic: Ints) -> Edges:
    """Some edges as the basic ones of their words."""
    head = np.where(chosen != 0, heads[edges.word], edges.head)
    return Edges(edges.word, head, np.where(chosen != 0, basic[edges.word], edges.label))


def _last_conjunct(edges: Edges, is_conjunct: Ints) -> Edges:
    """Of words with edges to conjuncts, only the last of these."""
    rows = np.flatnonzero(is_conjunct)
    last = rows[np.append(edges.word[rows][1:] != edges.word[rows][:-1], True)[: len(rows)]]
    others = np.flatnonzero(~np.isin(edges.word, edges.word[rows]))
    return edges.take(np.sort(np.concatenate((last, others))))


def _relative(edges: Edges, is_ref: Ints, heads: Ints, basic: Ints, is_clause: Bools) -> Edges:
    """Without edges of relative clauses: those from a clause to the word behind its head."""
    goes = (is_ref == 0) & (edges.head >= 0) & is_clause[edges.head] & (heads[edges.head] + 1 == edges.word)
    goes &= heads[edges.head] >= 0
    return _basic(edges, is_ref, heads, basic).take(np.flatnonzero(~goes))
