"""Verdicts: what is right and wrong in a document, leaf by leaf.

| verdict | meaning | sides |
| --- | --- | --- |
| TP | right | both |
| FE | formatting only | both |
| VE | wrong value in the right place | both |
| HE | the same, and the system's value is not in the text | both |
| KE | right value under another key: another field of the same record or document | both |
| RE | right value and field in another record: *split*, *merged* or *moved* | both |
| FN, RN | missing; RN: its whole record is unaligned | gold |
| FP, RP | spurious; RP: its whole record is unaligned | system |
| HP | spurious (either), and not in the text | system |

A *scope* is the document or a pair of records; nested objects belong to it, and records of its lists only if their list
has no counterpart. TP and FE are assigned first. KE: the remaining leaves of a scope with equal values in different
fields, first by the default key, then with other formatting. RE: the same for leaves of one field in different scopes
of a list, unaligned records included; *split* if the system's record is unaligned, else *merged* if the gold record is,
else *moved*. Both take informative values only, and go by field and value: each gold leaf takes the first system leaf
that fits. In a list whose order counts, remaining equal scalars are *moved*. Then leaves in the same place, and similar
strings of a list, are VE.

A single value is compared with a list as a list of one (*wrapped*). If shapes differ otherwise, leaves stay unpaired.

Sources: Ortmann 2022 for counting an error once; the verdicts are Evenhand's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field as dataclass_field

from evenhand.dataclass import dataclass
from evenhand.tasks.records.alignment import ListAligner, are_formatted, are_right, equal_pairs, match_leaves, remaining
from evenhand.tasks.records.fields import FieldOptions
from evenhand.tasks.records.text import TextValues
from evenhand.tasks.records.trees import Container, Leaf, Node, leaves_of, records_in
from evenhand.tasks.records.values import format_keys, is_formatting, is_informative, scalar_key

_PLAIN = FieldOptions()


@dataclass
class Compared:
    """The verdicts of a document under one system."""

    gold: Node | None
    system: Node | None
    pairs: list[tuple[Leaf, Leaf]] = dataclass_field(default_factory=list)
    """Paired leaves, which share a verdict."""
    missing: list[Leaf] = dataclass_field(default_factory=list)
    spurious: list[Leaf] = dataclass_field(default_factory=list)
    records: list[tuple[Container, Container]] = dataclass_field(default_factory=list)
    """Aligned records."""
    wrapped: int = 0
    """Single values that were compared with lists."""

    @property
    def gold_leaves(self) -> list[Leaf]:
        return leaves_of(self.gold)

    @property
    def system_leaves(self) -> list[Leaf]:
        return leaves_of(self.system)

    @property
    def is_right(self) -> bool:
        """Whether there is neither an error nor a wrapped value."""
        is_paired = not self.missing and not self.spurious and not self.wrapped
        return is_paired and all(leaf.verdict == "TP" for leaf, _ in self.pairs)

    def units(self) -> Iterator[tuple[int, Leaf, Leaf | None, Leaf | None]]:
        """The number of the gold leaf, or -1; a leaf; the leaves of both sides: pairs, then missing and spurious."""
        position = {id(leaf): number for number, leaf in enumerate(self.gold_leaves)}
        for gold, system in (*self.pairs, *((leaf, None) for leaf in self.missing)):
            yield position[id(gold)], gold, gold, system
        for leaf in self.spurious:
            yield -1, leaf, None, leaf

    def record_counts(self) -> dict[str, int]:
        """The records of both sides, aligned pairs, and pairs whose leaves are all right."""
        right = [all(leaf.verdict == "TP" for record in pair for leaf in leaves_of(record)) for pair in self.records]
        counts = {"right": sum(right), "aligned": len(right)}
        for at, (side, node) in enumerate((("gold", self.gold), ("system", self.system))):
            parents = [pair[at].parent for pair in self.records]  # a wrapped object is a record, too
            wrapped = sum(parent is None or not parent.is_list for parent in parents)
            counts[side] = wrapped + sum(1 for _ in records_in(node))
        return counts


@dataclass(eq=False)
class _Scope:
    """The leaves of a document or of a pair of records that are not decided yet."""

    gold: list[Leaf] = dataclass_field(default_factory=list)
    system: list[Leaf] = dataclass_field(default_factory=list)
    is_aligned: bool = True
    """Whether it has both sides."""
    places: list[tuple[Leaf, Leaf]] = dataclass_field(default_factory=list)
    """Leaves with the same path."""
    lists: list[tuple[list[Leaf], list[Leaf], bool]] = dataclass_field(default_factory=list)
    """Remaining scalars of lists, and whether their order counts."""


class DocumentComparison:
    """Compares the documents of a run, one by one."""

    def __init__(self, aligner: ListAligner, *, strict: bool = False) -> None:
        self._aligner, self._strict = aligner, strict
        self._result = Compared(None, None)

    def __call__(self, gold: Node | None, system: Node | None, text: TextValues | None = None) -> Compared:
        """Decide on all leaves of a document."""
        result = self._result = Compared(gold, system)
        scope = _Scope()
        self._compare(gold, system, scope)
        self._pair_equal([scope], "KE")
        self._finish(scope)
        if text is not None:  # VE, FP and RP become HE and HP if the system's value is not in the text
            for one, other in result.pairs:
                if one.verdict == "VE" and text.lacks(other):
                    one.verdict = other.verdict = "HE"
            for leaf in result.spurious:
                if text.lacks(leaf):
                    leaf.verdict = "HP"
        return result

    def _compare(self, gold: Node | None, system: Node | None, scope: _Scope) -> None:
        if isinstance(gold, Leaf) and isinstance(system, Leaf):
            if (is_equal := are_right(gold, system)) or are_formatted(gold, system):
                self._pair(gold, system, "TP" if is_equal else "FE")
                return
            scope.places.append((gold, system))
        elif gold is not None and system is not None:
            lists = [side for side in (gold, system) if isinstance(side, Container) and side.is_list]
            if len(lists) == 2 or (lists and not self._strict):
                self._result.wrapped += len(lists) == 1
                items, others = (list(side.children.values()) if side in lists else [side] for side in (gold, system))
                self._compare_lists(items, others, lists[0].field.options.order, scope)
                return
            if not lists and isinstance(gold, Container) and isinstance(system, Container):
                for key in gold.children | system.children:
                    self._compare(gold.children.get(key), system.children.get(key), scope)
                return
        scope.gold += leaves_of(gold)
        scope.system += leaves_of(system)

    def _pair(self, gold: Leaf, system: Leaf, verdict: str) -> None:
        gold.verdict = system.verdict = verdict
        self._result.pairs.append((gold, system))

    def _compare_lists(self, gold: list[Node], system: list[Node], order: bool, scope: _Scope) -> None:
        leaves, others = ([item for item in side if isinstance(item, Leaf)] for side in (gold, system))
        for verdict, pairs in zip(("TP", "FE"), match_leaves(leaves, others, order=order), strict=True):
            for row, column in pairs:
                self._pair(leaves[row], others[column], verdict)
        scope.gold += _undecided(leaves)
        scope.system += _undecided(others)
        scope.lists.append((leaves, others, order))
        records, system_records = ([item for item in side if isinstance(item, Container)] for side in (gold, system))
        self._compare_records(records, system_records, order)

    def _compare_records(self, gold: list[Container], system: list[Container], order: bool) -> None:
        pairs = self._aligner.records(gold, system, order=order)
        self._result.records += [(gold[row], system[column]) for row, column in pairs]
        scopes = []
        for row, column in pairs:
            scope = _Scope()
            self._compare(gold[row], system[column], scope)
            self._pair_equal([scope], "KE")
            scopes.append(scope)
        rows, columns = remaining(range(len(gold)), range(len(system)), pairs)
        scopes += [_Scope(gold=leaves_of(gold[row]), is_aligned=False) for row in rows]
        scopes += [_Scope(system=leaves_of(system[column]), is_aligned=False) for column in columns]
        self._pair_equal(scopes, "RE", order=order)
        for scope in scopes:
            self._finish(scope)

    def _pair_equal(self, scopes: Sequence[_Scope], verdict: str, *, order: bool = False) -> None:
        """Pair equal values: KE in different fields of a scope; RE in one field of different records of a list."""
        golds = _evidence((leaf, scope) for scope in scopes for leaf in scope.gold)
        systems = _evidence((leaf, scope) for scope in scopes for leaf in scope.system)
        for keys_of, may_differ in ((_default_keys, False), (_format_keys, True)) if golds and systems else ():
            by_key: defaultdict[str, list[tuple[Leaf, _Scope]]] = defaultdict(list)
            for other in systems:
                for key in keys_of(other[0]) if not other[0].verdict else ():
                    by_key[key].append(other)
            for gold, scope in golds:
                for system, other_scope in (other for key in keys_of(gold) for other in by_key.get(key, ())):
                    if gold.verdict:
                        break
                    kinship = gold.field.slot == system.field.slot, scope is other_scope
                    if system.verdict or kinship != (verdict == "RE", verdict == "KE"):
                        continue
                    if not may_differ or is_formatting(gold.value, system.value, _PLAIN):
                        self._pair(gold, system, "KE" if verdict == "KE" else _moved(scope, other_scope, order))

    def _finish(self, scope: _Scope) -> None:
        """Decide on the remaining leaves of a scope: moved, wrong, missing or spurious."""
        for gold, system, order in scope.lists:
            golds, systems = _undecided(gold), _undecided(system)
            moved = equal_pairs([leaf.key for leaf in golds], [leaf.key for leaf in systems]) if order else []
            for row, column in moved:
                self._pair(golds[row], systems[column], "RE.moved")
        for one, other in scope.places:
            if not one.verdict and not other.verdict:
                self._pair(one, other, "VE")
        for gold, system, _ in scope.lists:
            golds, systems = _undecided(gold), _undecided(system)
            for row, column in self._aligner.near_leaves(golds, systems):
                self._pair(golds[row], systems[column], "VE")
        for leaf in _undecided(scope.gold):
            leaf.verdict = "FN" if scope.is_aligned else "RN"
            self._result.missing.append(leaf)
        for leaf in _undecided(scope.system):
            leaf.verdict = "FP" if scope.is_aligned else "RP"
            self._result.spurious.append(leaf)


def _undecided(leaves: list[Leaf]) -> list[Leaf]:
    return [leaf for leaf in leaves if not leaf.verdict]


def _evidence(leaves: Iterable[tuple[Leaf, _Scope]]) -> list[tuple[Leaf, _Scope]]:
    """The undecided leaves with informative values, by field and value."""
    informative = [one for one in leaves if not one[0].verdict and is_informative(one[0].value)]
    return sorted(informative, key=lambda one: (one[0].field.name, one[0].key))


def _default_keys(leaf: Leaf) -> tuple[str, ...]:
    return (leaf.key if leaf.field.is_default else scalar_key(leaf.value),)


def _format_keys(leaf: Leaf) -> tuple[str, ...]:
    return format_keys(leaf.value, _PLAIN)


def _moved(gold: _Scope, system: _Scope, order: bool) -> str:
    if not order and not system.is_aligned:
        return "RE.split"
    return "RE.moved" if order or gold.is_aligned else "RE.merged"
