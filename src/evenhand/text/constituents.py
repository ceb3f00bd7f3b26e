"""Constituents: the brackets of trees over the words of sentences, and the sentences that have no tree.

Brackets are spans in the order in which they open, over all words of their file: traces and punctuation are among
these. A bracket may cover no word, and several may cover the same words. A bracket without a label has the label `()`.
Tags of words are a layer of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Constituents:
    """The brackets of some sentences."""

    brackets: Spans
    lines: Ints
    """The line in which each sentence begins, 0 where there are no lines."""
    problems: Mapping[int, str] = field(default_factory=dict)
    """What is wrong with sentences that have no tree; these have no brackets."""

    def __len__(self) -> int:
        return len(self.brackets)

    @property
    def label(self) -> Ints:
        return self.brackets.label

    @property
    def vocabulary(self) -> Vocabulary:
        return self.brackets.vocabulary

    def join(self, name: str, parts: Sequence[Mapping[str, Any]], /) -> Constituents:
        """Successive batches as one layer."""
        return joined([part[name] for part in parts])

    def slice(self, begin: int, end: int) -> Constituents:
        """Some sentences, which are counted anew."""
        rows = slice(*np.searchsorted(self.brackets.scope, (begin, end)).tolist())
        spans = self.brackets.take(rows)
        problems = {each - begin: text for each, text in self.problems.items() if begin <= each < end}
        moved = Spans.concatenate([spans], [-begin])
        return Constituents(moved, self.lines[begin:end], problems)


def joined(parts: Sequence[Constituents]) -> Constituents:
    """The sentences of several parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    before = list(accumulate((len(part.lines) for part in parts[:-1]), initial=0))
    problems = {
        sentence + shift: text
        for part, shift in zip(parts, before, strict=True)
        for sentence, text in part.problems.items()
    }
    brackets = Spans.concatenate([part.brackets for part in parts], before)
    return Constituents(brackets, np.concatenate([part.lines for part in parts]), problems)
