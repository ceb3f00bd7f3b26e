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
from evenhand.tasks.words.evaluation import Heads, JudgedUnits, sentence_of
from evenhand.tasks.words.measures import EXTRA, MISSING, TREE_KINDS
from evenhand.tasks.words.scores import without_subtype

# == tasks/trees/edges.py: The edges of enhanced dependencies: read from DEPS, and as `


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

    def __init__(self, coder: StringCoder, labels: StringIndex[str], settings: ScoreSettings) -> None:
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

    def __init__(self, labels: StringIndex[str], fact: Callable[[str], int]) -> None:
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


# == tasks/trees/enhanced_details.py: What follows from the counts of enhanced edges beside the sc


def with_details(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with the means over the labels of enhanced edges, which are not those of the words."""
    support = {label: int(row["gold"]) for label, row in score.labels.items()}
    confusion = tallies[score.model.judge].confusion(lambda kind: kind.startswith("gold.") or kind in (MISSING, EXTRA))
    macro, weighted = averages(score.labels, support)
    return replace(score, macro=macro, support=weighted, confusion=confusion)


# == tasks/trees/enhanced.py (primary)


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
