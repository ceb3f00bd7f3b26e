"""Items in a decoded value: objects with a text and a label, pairs, or objects that map labels to strings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from evenhand.grounding.items import TEXT_KEYS, How, Item, ReadAnswer
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.phrases import says_nothing
from evenhand.text.extractions import DEEPEST

WRAPPERS = ("entities", "extractions", "items", "results", "spans", "annotations", "ner", "output", "answer")
"""Keys whose lists and objects hold the items."""
_LABELS = (*("label", "type", "entity_type", "entity_group", "category", "class", "extraction_class", "tag", "entity"),)
"""Keys of an item's label, the first one with a string counts."""
_SPECIAL = frozenset((*TEXT_KEYS, *_LABELS))
_FINAL = re.compile(r"final", re.IGNORECASE)
"""How the key of the last of several lists begins: `{"draft": […], "final": […]}`."""
_PASSED_OVER = ("_attributes", "_index")
"""How keys end that LangExtract adds to an item."""
_Object = Mapping[object, object]


def items_of(values: Iterable[object], labels: KnownLabels, label: str | None, how: How = "ok") -> ReadAnswer:
    """The items of an answer's values, in their order; `label` is that of strings without one."""
    collector = _Collector(labels, label)
    for value in values:
        collector.read(value, None, 0, is_top=True)
    return ReadAnswer(
        tuple(collector.items),
        how,
        collector.malformed,
        respelled=collector.respelled,
        has_several=collector.has_several,
    )


class _Collector:
    """Collects items; an outer label, of the object around a value, wins over the value's own."""

    def __init__(self, labels: KnownLabels, label: str | None) -> None:
        self.labels = labels
        self.label = label
        self.items: list[Item] = []
        self.malformed = 0
        self.respelled = 0
        self.has_several = False

    def read(self, value: object, outer: str | None, depth: int, *, is_top: bool = False) -> None:
        if depth > DEEPEST:
            self.malformed += 1
        elif isinstance(value, Mapping):
            self.read_object(value, outer, depth, is_top=is_top)
        elif isinstance(value, list | tuple | set | frozenset):
            self.read_list(list(value), outer, depth, is_top=is_top)
        else:
            self.add(value, outer or self.label)

    def read_list(self, values: list[object], outer: str | None, depth: int, *, is_top: bool) -> None:
        """A pair of a text and a label, among numbers maybe; or values, each for itself."""
        if outer is None and (pair := self.pair(values, is_top=is_top)):
            self.add(*pair)
            return
        for value in values:
            if outer is None and depth < DEEPEST and (item := self.plain_item(value)):
                self.items.append(item)
            else:
                self.read(value, outer, depth + 1)

    def pair(self, values: list[object], *, is_top: bool) -> tuple[str, str] | None:
        """The text and the label of a list of scalars with two strings; at the top, one of them must be known.

        Elsewhere, too, if the answer needs no labels: then unknown strings are texts.
        """
        strings = [value for value in values if isinstance(value, str)]
        if len(strings) != 2 or not all(value is None or _is_scalar(value) for value in values):
            return None
        first, second = strings
        is_turned = self.is_known(first) and not self.is_known(second)
        if not self.is_known(first) and not self.is_known(second) and (is_top or self.label):
            return None
        return (second, first) if is_turned else (first, second)

    def plain_item(self, value: object) -> Item | None:
        """The short way for the most frequent item: a string and a known label, and nothing else."""
        if type(value) is not dict or len(value) != 2:
            return None
        text, label = value.get("text"), value.get("label")
        if type(text) is not str or type(label) is not str or label not in self.labels.names:
            return None
        return Item(text, label) if text and not text.isspace() else None

    def read_object(self, value: _Object, outer: str | None, depth: int, *, is_top: bool) -> None:
        """A wrapper of items, an item, or labels with their strings."""
        text_key = next((key for key in TEXT_KEYS if _is_scalar(value.get(key))), None)
        own = next((name for key in _LABELS if key != text_key and (name := _filled(value.get(key)))), None)
        known = outer or (own if self.is_known(own) else None)
        texts = [value[key] for key in TEXT_KEYS if _is_nested(value.get(key))]
        final = [key for key in value if isinstance(key, str) and _FINAL.match(key) and _is_nested(value[key])]
        if final and not any(map(self.is_known, value)):
            self.has_several = self.has_several or sum(isinstance(each, list) for each in value.values()) > 1
            self.read(value[final[-1]], known, depth + 1, is_top=is_top)
            return
        for key in WRAPPERS:
            if _is_nested(value.get(key)) and not self.is_known(key):
                self.read(value[key], known, depth + 1, is_top=is_top)
                return
        if text_key and known:
            self.add(value[text_key], known, value.get("start"), value.get("end"))
        elif _SPECIAL.isdisjoint(value) or any(map(self.is_known, value)) or (texts and not text_key and not own):
            self.read_mapping(value, outer, depth)
        elif text_key or not texts:
            text = value[text_key] if text_key else None
            self.add(text, own or self.label, value.get("start"), value.get("end"))
        else:
            self.read(texts[0], outer or own, depth + 1)

    def read_mapping(self, value: _Object, outer: str | None, depth: int) -> None:
        """Labels with a string, a list or items each; or strings with a label each, if only these are known."""
        for key, content in value.items():
            if not isinstance(key, str):
                self.malformed += 1
            elif key.endswith(_PASSED_OVER) or _is_void(content):
                continue
            elif outer is None and not self.is_known(key) and (own := self.known_in(content)):
                for label in own:
                    self.add(key, label)
            else:
                self.read(content, outer or key, depth + 1)

    def is_known(self, name: object) -> bool:
        return isinstance(name, str) and self.labels.find(name) is not None

    def known_in(self, content: object) -> list[str]:
        """The labels that a value consists of, if all of it is known labels."""
        parts = content if isinstance(content, list) else [content]
        known = [part for part in parts if isinstance(part, str) and self.is_known(part)]
        return known if len(known) == len(parts) else []

    def add(self, text: object, label: str | None, start: object = None, end: object = None) -> None:
        string = _string(text)
        if label is None or not label.strip() or not string.strip():
            self.malformed += 1
            return
        found = self.labels.find(label)
        self.respelled += found is not None and found != label
        offsets = (start, end) if type(start) is int and type(end) is int else (None, None)
        self.items.append(Item(string, found or label, *offsets))


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple | set | frozenset)


def _filled(value: object) -> str | None:
    """A string that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def _is_scalar(value: object) -> bool:
    """Whether this is a string or a number; `true` and `false` are neither a text nor an offset."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_void(content: object) -> bool:
    """Whether a label has no string: null, an empty string, or `none`."""
    return content is None or (isinstance(content, str) and (not content.strip() or says_nothing(content)))


def _string(value: object) -> str:
    """A string or number as a text; nothing for other values."""
    if isinstance(value, str):
        return value
    if not _is_scalar(value) or value != value:  # NaN
        return ""
    try:
        return str(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""
