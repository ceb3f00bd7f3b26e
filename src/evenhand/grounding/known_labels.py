"""The labels that the gold standard knows, found however a model spells them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_POSITION = re.compile("[BIESLUM]-")
"""What tags of spans begin with: `B-PER`."""


class KnownLabels:
    """The labels of the gold standard.

    A label is found if it is equal; else if its letters and digits alone, letter case aside, are those of exactly one
    known label; else if either holds without `B-`, `I-` or another prefix of a tag.

    Source: Evenhand's own rules.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        folded = Counter(map(_folded, self.names))
        self._by_folded = {form: name for name in self.names if folded[form := _folded(name)] == 1 and form}

    def find(self, written: str) -> str | None:
        """The label as the gold standard spells it, or None if it has no such label."""
        label = self._equal(written)
        if label is None and _POSITION.match(written):
            label = self._equal(written[2:])
        return label

    def _equal(self, written: str) -> str | None:
        return written if written in self.names else self._by_folded.get(_folded(written))


def _folded(label: str) -> str:
    return "".join(filter(str.isalnum, label.casefold()))
