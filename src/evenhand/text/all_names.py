"""The names of all documents of a side, which are looked up where the two sides do not go together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.text.annotation import Annotation


@dataclass(frozen=True)
class AllNames:
    """The names, and the first of them."""

    all: frozenset[str] = frozenset()
    first: str = ""
    unnamed: bool = True
    """Whether they are only numbers that the documents got."""


def all_names(batches: Iterable[Annotation]) -> AllNames:
    names, unnamed = list[str](), True
    for batch in batches:
        names += batch.corpus.names
        unnamed &= batch.corpus.unnamed
    return AllNames(frozenset(names), names[0] if names else "", unnamed)
