"""What a language model wrote about documents: strings and labels without positions, still to be placed in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from evenhand.dataclass import dataclass

LAYER = "extractions"
"""The layer that holds them, and the format that they are read in."""
DEEPEST = 100
"""How deep values of an answer may be nested; what lies deeper is malformed."""


class Answer(NamedTuple):
    """What a model wrote: a text, or what somebody decoded of it."""

    content: object
    label: str | None = None
    """The only label that was asked for, where there is one."""


@dataclass(frozen=True)
class Extractions:
    """The answers about each document: one, or one for every label that was asked for."""

    answers: tuple[tuple[Answer, ...], ...]

    def __len__(self) -> int:
        return len(self.answers)

    def contents(self) -> Iterator[object]:
        """What was written, in its order."""
        return (answer.content for answers in self.answers for answer in answers)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> Extractions:
        """Those of successive batches."""
        return Extractions(tuple(chain.from_iterable(part[name].answers for part in parts)))


OFFSET_LISTS = "offset lists"
"""The layer with spans of texts that are on the other side only."""


@dataclass(frozen=True)
class OffsetLists:
    """Spans with offsets into texts that their file does not have, for each text, and what they quote."""

    spans: tuple[Sequence[Any], ...]
    quotes: tuple[Sequence[Any], ...]
    counting: str | None = None
    """How offsets count, if a user says."""

    def __len__(self) -> int:
        return len(self.spans)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> OffsetLists:
        """Those of successive batches."""
        lists = [part[name] for part in parts]
        spans, quotes = (chain.from_iterable(getattr(each, name) for each in lists) for name in ("spans", "quotes"))
        return OffsetLists(tuple(spans), tuple(quotes), self.counting)


def whole_characters(value: object, depth: int = 0) -> object:
    """What a model wrote, or decoded JSON, with a replacement character for every half of a surrogate pair.

    No file can keep such halves. Values that lie deeper than any item are left as they are.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if depth > DEEPEST:
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [whole_characters(each, depth + 1) for each in value]
    if isinstance(value, Mapping):
        keys = (whole_characters(key) if isinstance(key, str) else key for key in value)
        return dict(zip(keys, (whole_characters(each, depth + 1) for each in value.values()), strict=True))
    return value
