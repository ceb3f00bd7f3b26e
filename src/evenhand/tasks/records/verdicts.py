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
from collections.abc import Callable, Sequence
from dataclasses import field as dataclass_field

from evenhand.dataclass import dataclass
from evenhand.tasks.records.alignment import ListAligner, match_leaves
from evenhand.tasks.records.fields import FieldOptions
from evenhand.tasks.records.text import TextValues
from evenhand.tasks.records.trees import Container, Leaf, Node, leaves_of, records_in
from evenhand.tasks.records.values import format_keys, is_formatting, is_informative, is_right, scalar_key

KINDS = ("TP", "FE", "VE", "HE", "KE", "RE", "FN", "RN", "FP", "RP", "HP")
PAIRED = KINDS[:6]
HOW = ("split", "merged", "moved")
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
        return leaves_of(self.gold) if self.gold is not None else []

    @property
    def system_leaves(self) -> list[Leaf]:
        return leaves_of(self.system) if self.system is not None else []

    @property
    def is_right(self) -> bool:
        """Whether there is neither an error nor a wrapped value."""
        is_paired = not self.missing and not self.spurious and not self.wrapped
        return is_paired and all(leaf.verdict == "TP" for leaf, _ in self.pairs)

    def record_counts(self) -> dict[str, int]:
        """The records of both sides, aligned pairs, and pairs whose leaves are all right."""
        right = sum(
            all(leaf.verdict == "TP" for leaf in leaves_of(gold))
            and all(leaf.verdict == "TP" for leaf in leaves_of(system))
            for gold, system in self.records
        )
        sizes = [sum(1 for _ in records_in(side)) for side in (self.gold, self.system)]
        # A single object that was wrapped is a record, too.
        sizes = [
            size + sum(pair[side].parent is None or not pair[side].parent.is_list for pair in self.records)  # type: ignore[union-attr]
            for side, size in enumerate(sizes)
        ]
        return {"right": right, "gold": sizes[0], "system": sizes[1], "aligned": len(self.records)}


class _Scope:
    """The leaves of a document or of a pair of records that are not decided yet."""

    __slots__ = ("gold", "has_gold", "has_system", "lists", "places", "system")

    def __init__(self, *, has_gold: bool = True, has_system: bool = True) -> None:
        self.has_gold, self.has_system = has_gold, has_system
        self.gold: list[Leaf] = []
        self.system: list[Leaf] = []
        self.places: list[tuple[Leaf, Leaf]] = []
        """Leaves with the same path."""
        self.lists: list[tuple[list[Leaf], list[Leaf], bool]] = []
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
        if gold is not None and system is not None:
            self._compare(gold, system, scope)
        else:
            scope.gold += leaves_of(gold) if gold is not None else []
            scope.system += leaves_of(system) if system is not None else []
        if scope.gold or scope.system:
            self._key_errors(scope)
            self._finish(scope)
        if text is not None:
            _look_up(result, text)
        return result

    def _compare(self, gold: Node, system: Node, scope: _Scope) -> None:
        if gold.__class__ is Leaf and system.__class__ is Leaf:
            self._compare_leaves(gold, system, scope)
        elif gold.__class__ is Container and system.__class__ is Container and gold.is_list == system.is_list:
            if gold.is_list:
                self._compare_lists(list(gold.children.values()), list(system.children.values()), gold, scope)
            else:
                self._compare_objects(gold, system, scope)
        elif not self._strict and (_is_list(gold) or _is_list(system)):
            self._result.wrapped += 1
            sides = [list(side.children.values()) if _is_list(side) else [side] for side in (gold, system)]  # type: ignore[union-attr]
            self._compare_lists(sides[0], sides[1], gold if _is_list(gold) else system, scope)
        else:
            scope.gold += leaves_of(gold)
            scope.system += leaves_of(system)

    def _compare_objects(self, gold: Container, system: Container, scope: _Scope) -> None:
        others, pairs = system.children, self._result.pairs
        shared = 0
        for key, child in gold.children.items():
            other = others.get(key)
            if other is None:
                scope.gold += leaves_of(child)
                continue
            shared += 1
            if child.__class__ is Leaf and other.__class__ is Leaf:
                if child.key == other.key:
                    child.verdict = other.verdict = "TP"
                    pairs.append((child, other))
                else:
                    self._compare_leaves(child, other, scope)
            else:
                self._compare(child, other, scope)
        if shared < len(others):
            for key, other in others.items():
                if key not in gold.children:
                    scope.system += leaves_of(other)

    def _compare_leaves(self, gold: Leaf, system: Leaf, scope: _Scope) -> None:
        options = gold.field.options
        if gold.key == system.key or (not gold.field.has_keys and is_right(gold.value, system.value, options)):
            self._pair(gold, system, "TP")
        elif is_formatting(gold.value, system.value, options):
            self._pair(gold, system, "FE")
        else:
            scope.gold.append(gold)
            scope.system.append(system)
            scope.places.append((gold, system))

    def _pair(self, gold: Leaf, system: Leaf, verdict: str, how: str = "") -> None:
        gold.verdict = system.verdict = verdict
        if how:
            gold.how = system.how = how
        self._result.pairs.append((gold, system))

    def _compare_lists(self, gold: list[Node], system: list[Node], container: Node, scope: _Scope) -> None:
        order = container.field.options.order
        leaves, others = ([item for item in side if item.__class__ is Leaf] for side in (gold, system))
        if leaves or others:
            self._compare_scalars(leaves, others, scope, order)
        records, system_records = ([item for item in side if item.__class__ is Container] for side in (gold, system))
        if records or system_records:
            self._compare_records(records, system_records, order)

    def _compare_scalars(self, gold: list[Leaf], system: list[Leaf], scope: _Scope, order: bool) -> None:
        right, formatted = match_leaves(gold, system, order=order)
        for verdict, pairs in (("TP", right), ("FE", formatted)):
            for row, column in pairs:
                self._pair(gold[row], system[column], verdict)
        left = [leaf for leaf in gold if leaf.verdict is None]
        others = [leaf for leaf in system if leaf.verdict is None]
        scope.gold += left
        scope.system += others
        if left and others:
            scope.lists.append((left, others, order))

    def _compare_records(self, gold: list[Container], system: list[Container], order: bool) -> None:
        pairs = self._aligner.records(gold, system, order=order)
        self._result.records += [(gold[row], system[column]) for row, column in pairs]
        scopes = []
        for row, column in pairs:
            scope = _Scope()
            self._compare(gold[row], system[column], scope)
            if scope.gold or scope.system:
                self._key_errors(scope)
                scopes.append(scope)
        rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
        for number, record in enumerate(gold):
            if number not in rows:
                scope = _Scope(has_system=False)
                scope.gold += leaves_of(record)
                scopes.append(scope)
        for number, record in enumerate(system):
            if number not in columns:
                scope = _Scope(has_gold=False)
                scope.system += leaves_of(record)
                scopes.append(scope)
        if len(scopes) > 1:
            self._record_errors(scopes, order)
        for scope in scopes:
            self._finish(scope)

    def _key_errors(self, scope: _Scope) -> None:
        """Pair equal values of different fields of a scope."""
        if scope.gold and scope.system:
            golds = [(leaf, scope) for leaf in scope.gold]
            systems = [(leaf, scope) for leaf in scope.system]
            self._pair_equal(golds, systems, "KE", lambda one, other: one[0].field.slot != other[0].field.slot)

    def _record_errors(self, scopes: Sequence[_Scope], order: bool) -> None:
        """Pair equal values of one field in different records of a list; if the order counts, they have moved."""
        golds = [(leaf, scope) for scope in scopes for leaf in scope.gold if leaf.verdict is None]
        systems = [(leaf, scope) for scope in scopes for leaf in scope.system if leaf.verdict is None]
        if golds and systems:
            self._pair_equal(
                *(golds, systems, "RE"),
                lambda one, other: one[1] is not other[1] and one[0].field.slot == other[0].field.slot,
                (lambda one, other: "moved") if order else _how,
            )

    def _pair_equal(
        self,
        golds: list[tuple[Leaf, _Scope]],
        systems: list[tuple[Leaf, _Scope]],
        verdict: str,
        fits: Callable[[tuple[Leaf, _Scope], tuple[Leaf, _Scope]], bool],
        how: Callable[[_Scope, _Scope], str] = lambda one, other: "",
    ) -> None:
        golds = [one for one in golds if is_informative(one[0].value)]
        for keys_of, is_equal in ((_default_keys, _is_same), (_format_keys, _is_formatting)):
            known = {key for one in golds if one[0].verdict is None for key in keys_of(one[0])}
            by_key: defaultdict[str, list[tuple[Leaf, _Scope]]] = defaultdict(list)
            for other in systems:
                for key in keys_of(other[0]):
                    if key in known and is_informative(other[0].value):
                        by_key[key].append(other)
            if not by_key:  # the usual case
                continue
            for others in by_key.values():
                others.sort(key=_by_field)
            for one in sorted(golds, key=_by_field):
                if one[0].verdict is None:
                    candidates = [other for key in keys_of(one[0]) for other in by_key.get(key, ())]
                    for other in candidates:
                        if other[0].verdict is None and fits(one, other) and is_equal(one[0], other[0]):
                            self._pair(one[0], other[0], verdict, how(one[1], other[1]))
                            break
            systems = [other for other in systems if other[0].verdict is None]

    def _finish(self, scope: _Scope) -> None:
        """Decide on the remaining leaves of a scope: moved, wrong, missing or spurious."""
        for gold, system, order in scope.lists:
            if order:
                self._moved(gold, system)
        for one, other in scope.places:
            if one.verdict is None and other.verdict is None:
                self._pair(one, other, "VE")
        for gold, system, _ in scope.lists:
            golds = [leaf for leaf in gold if leaf.verdict is None]
            systems = [leaf for leaf in system if leaf.verdict is None]
            for row, column in self._aligner.near_leaves(golds, systems):
                self._pair(golds[row], systems[column], "VE")
        for leaf in scope.gold:
            if leaf.verdict is None:
                leaf.verdict = "FN" if scope.has_system else "RN"
                self._result.missing.append(leaf)
        for leaf in scope.system:
            if leaf.verdict is None:
                leaf.verdict = "FP" if scope.has_gold else "RP"
                self._result.spurious.append(leaf)

    def _moved(self, gold: list[Leaf], system: list[Leaf]) -> None:
        waiting: defaultdict[str, list[Leaf]] = defaultdict(list)
        for leaf in reversed(system):
            if leaf.verdict is None:
                waiting[leaf.key].append(leaf)
        for leaf in gold:
            if leaf.verdict is None and waiting.get(leaf.key):
                self._pair(leaf, waiting[leaf.key].pop(), "RE", "moved")


def _is_list(node: Node) -> bool:
    return node.__class__ is Container and node.is_list


def _by_field(one: tuple[Leaf, _Scope]) -> tuple[str, str]:
    return one[0].field.name, one[0].key


def _default_keys(leaf: Leaf) -> tuple[str, ...]:
    return (leaf.key if leaf.field.is_default else scalar_key(leaf.value),)


def _is_same(one: Leaf, other: Leaf) -> bool:
    return True


def _format_keys(leaf: Leaf) -> tuple[str, ...]:
    return format_keys(leaf.value, _PLAIN)


def _is_formatting(one: Leaf, other: Leaf) -> bool:
    return is_formatting(one.value, other.value, _PLAIN)


def _how(gold: _Scope, system: _Scope) -> str:
    return "split" if not system.has_gold else "merged" if not gold.has_system else "moved"


def _look_up(result: Compared, text: TextValues) -> None:
    """VE, FP and RP become HE and HP if the system's value is not in the text."""
    for gold, system in result.pairs:
        if gold.verdict == "VE" and text.lacks(system):
            gold.verdict = system.verdict = "HE"
    for leaf in result.spurious:
        if text.lacks(leaf):
            leaf.verdict = "HP"
