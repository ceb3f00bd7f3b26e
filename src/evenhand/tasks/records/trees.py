"""Documents as trees: objects, lists and leaves, each with its field; values that are absent are left out.

Absent are `null`, strings of white space, declared strings (`--absent`), and containers of nothing else. Under
`--empty strict`, `null`, `""`, `[]` and `{}` are leaves, and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field as dataclass_field
from decimal import Decimal
from itertools import chain
from math import isfinite
from typing import Any

from evenhand.data.structures import UnreadableError, json_data
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, Limit, LimitError
from evenhand.tasks.records.fields import Field, Fields, Path, path_text
from evenhand.tasks.records.values import comparison_key, scalar_key

MAX_DEPTH, _LONG = 100, 1_000
_SCALARS = frozenset((str, int, float, bool, Decimal, type(None)))
LEAVES = Limit("EVENHAND_MAX_LEAVES", 1_000_000, "values of one document, objects and lists included")
CHARACTERS = Limit("EVENHAND_MAX_VALUE_CHARACTERS", 1 << 20, "characters of a value")
RECORDS = Limit("EVENHAND_MAX_RECORDS", 100_000, "records of one document")


class Leaf:
    """A scalar: its value, the key that it is compared by, and, once decided, its verdict (of RE: `RE.moved`)."""

    def __init__(self, value: Any, key: str, field: Field, parent: Container | None, step: str | int) -> None:
        self.value, self.key, self.field, self.parent, self.step = value, key, field, parent, step
        self.verdict = ""


class Container:
    """An object (children by key) or a list."""

    def __init__(self, field: Field, parent: Container | None, step: str | int, is_list: bool) -> None:
        self.field, self.parent, self.step, self.is_list = field, parent, step, is_list
        self.depth: int = 1 if parent is None else parent.depth + 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested more than {MAX_DEPTH} levels deep", "flatten the value")
        self.children: dict[str | int, Node] = {}
        self.form: tuple[str, ...] | None = None
        self.leaves: list[Leaf] | None = None


Node = Leaf | Container


def text_of(leaf: Leaf) -> str:
    """The path with indexes and the value of a leaf, for display: `items[2].price: 12.50`, `paid: true`."""
    steps: list[str | int] = []
    node: Node = leaf
    while node.parent is not None:
        steps.append(node.step if isinstance(node.step, int) else f".{node.step}")
        node = node.parent
    value = str(leaf.value).lower() if isinstance(leaf.value, bool) else leaf.value
    return f"{path_text(steps[::-1])}: {value}"


def leaves_of(node: Node | None) -> list[Leaf]:
    """All leaves of a tree, in its order."""
    if node is None:
        return []
    if node.__class__ is Leaf:
        return [node]
    assert isinstance(node, Container)
    if node.leaves is None:
        node.leaves = [leaf for child in node.children.values() for leaf in leaves_of(child)]
    return node.leaves


def records_in(node: Node | None) -> Iterator[Container]:
    """All records of a tree: containers in lists."""
    if isinstance(node, Container):
        for child in node.children.values():
            if child.__class__ is not Leaf:
                if node.is_list:
                    yield child  # type: ignore[misc]
                yield from records_in(child)


def form_of(node: Node) -> tuple[str, ...]:
    """The canonical form: the same for all orders of keys and of unordered lists."""
    if node.__class__ is Leaf:
        return (node.key,)
    assert isinstance(node, Container)
    if node.form is None:
        if node.is_list:
            forms = [form_of(child) for child in node.children.values()]
        else:
            forms = [(child.field.path[-1], *form_of(child)) for child in node.children.values()]
        if not (node.is_list and node.field.options.order):
            forms.sort()
        node.form = ("[" if node.is_list else "{", *chain.from_iterable(forms), "]")
    return node.form


@dataclass
class TreeBuilder:
    """Makes trees of decoded JSON."""

    fields: Fields
    absent: frozenset[str] = frozenset()
    strict: bool = False
    is_gold: bool = False
    known: frozenset[int] | None = None
    """The slots of fields that are kept; None: all."""
    counts: list[int] = dataclass_field(default_factory=lambda: [0, 0])

    def __call__(self, value: Any, source: str, line: int | None = None) -> Node | None:
        """The tree of a document, or None if it has no value."""
        self.counts = [0, 0]
        try:
            node = self._build(value, self.fields.root, None, "")
            for limit, count in zip((LEAVES, RECORDS), self.counts, strict=True):
                if count > 1_000 and count > limit.value:
                    raise LimitError(f"a document has {count:,} {limit.what.partition(' of ')[0]}", limit.remedy)
        except LimitError as error:
            raise InputError(source, line, error.finding, error.remedy) from None
        return node

    def _build(self, value: Any, field: Field, parent: Container | None, step: str | int) -> Node | None:
        kind = value.__class__
        if kind in _SCALARS:
            return self._leaf(value, field, parent, step)
        if kind is not dict and kind is not list:
            try:
                return self._build(json_data(value), field, parent, step)
            except UnreadableError as error:
                raise LimitError(f"a value is of type {error}, which cannot be read", "use JSON data") from None
        node = Container(field, parent, step, kind is list)
        children = node.children
        if kind is list:
            items = field.children.get(None) or self.fields.child(field, None)
            for index, inner in enumerate(value if not items.options.ignore else ()):
                if (built := self._build(inner, items, node, index)) is not None:
                    children[index] = built
                    self.counts[1] += built.__class__ is Container
        else:
            known, absent, is_simple = field.children, self.absent, not self.strict and self.known is None
            for key, inner in value.items():
                child = known.get(key) or self.fields.child(field, key)
                if is_simple and inner.__class__ is str and child.is_default and len(inner) <= _LONG:
                    # the fast path of `_leaf`
                    text = inner.strip() if inner.isascii() else scalar_key(inner)[1:]
                    if text and text not in absent:
                        children[key] = Leaf(inner, '"' + text, child, node, key)
                elif not child.options.ignore and (built := self._build(inner, child, node, key)) is not None:
                    children[key] = built
        self.counts[0] += len(children)
        if children or not self.strict or parent is None or (value and self.known is not None):
            return node if children else None
        return self._leaf(value, field, parent, step)

    def _leaf(self, value: Any, field: Field, parent: Container | None, step: str | int) -> Leaf | None:
        if field.options.ignore or (self.known is not None and field.slot not in self.known):
            return None
        if value.__class__ is float and not isfinite(value):
            value = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            if self.is_gold:
                raise LimitError(f"expected a JSON number, got {value}", "use a number or null")
        if value.__class__ is str and len(value) > _LONG and len(value) > CHARACTERS.value:
            raise LimitError(f"a value has {len(value):,} characters", CHARACTERS.remedy)
        key = scalar_key(value) if field.is_default else comparison_key(value, field.options)
        text = value.strip() if value.__class__ is str else value
        is_absent = text is None or text == "" or (value.__class__ is str and text in self.absent)
        return None if is_absent and not self.strict else Leaf(value, key, field, parent, step)


def key_values(record: Container, paths: list[Path]) -> tuple[str | None, ...]:
    """The values of the key fields of a record; None if one is missing or in a list."""
    values: list[str | None] = []
    for path in paths:
        node: Node | None = record
        for step in path:
            node = node.children.get(step[1:]) if isinstance(node, Container) and not node.is_list else None
        values.append(node.key if isinstance(node, Leaf) else None)
    return tuple(values)
