"""Strings with labels: of spans wherever they stand, or of items that stand nowhere in the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.text.labels import Codes, Vocabulary
from evenhand.text.layers import Spans

Form = Callable[[str], str]


@dataclass(frozen=True)
class Strings:
    """Labeled strings, each in the scope of a sentence."""

    vocabulary: Vocabulary
    scope: Ints
    label: Ints
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def formed(self, form: Form) -> Strings:
        """The same in another form."""
        return replace(self, texts=tuple(map(form, self.texts)))

    def spans(self, codes: Codes[str], first: int = 0) -> Spans:
        """As spans that are equal where strings are: their positions are codes, behind a first one."""
        start = first + 2 * ints([codes.code(text) for text in self.texts])
        return Spans.of(self.vocabulary, self.scope, start, start + 1, self.label)

    @staticmethod
    def of(vocabulary: Vocabulary, rows: Sequence[tuple[int, str, str]]) -> Strings:
        """From rows of scope, label and text."""
        label = vocabulary.labels.codes([label for _, label, _ in rows])
        return Strings(vocabulary, ints([scope for scope, *_ in rows]), label, tuple(text for *_, text in rows))

    @staticmethod
    def concatenate(parts: Sequence[Strings], scopes: Sequence[int]) -> Strings:
        """Strings one after the other; the scopes of part i are moved by `scopes[i]`."""
        moved = [replace(part, scope=part.scope + shift) for part, shift in zip(parts, scopes, strict=True)]
        return Strings(
            parts[0].vocabulary,
            np.concatenate([part.scope for part in moved]),
            np.concatenate([part.label for part in moved]),
            tuple(chain.from_iterable(part.texts for part in moved)),
        )


class StringSides:
    """The strings of a gold standard and a system, text by text."""

    def __init__(self, gold: Strings, system: Callable[[Codes[str], Form], Spans], text_of: Ints) -> None:
        """`text_of` has for each sentence the first one of its text."""
        self._gold, self._system, self._text_of = gold, system, text_of

    def spans(self, form: Form) -> tuple[Spans, Spans]:
        """Both sides as spans that are equal where strings are, in a form."""
        codes: Codes[str] = Codes()
        gold, system = self._gold.formed(form).spans(codes), self._system(codes, form)
        return self._by_text(gold), self._by_text(system)

    def _by_text(self, spans: Spans) -> Spans:
        return replace(spans, scope=self._text_of[spans.scope])


class Nowhere:
    """Positions of strings that the text does not have: behind the end of all sentences, the same for the same string.

    So a judge that compares positions finds nothing there, and two systems that invent the same string in a document
    have the same unit.
    """

    def __init__(self, lengths: Ints) -> None:
        self._first = int(lengths.max(initial=0)) + 1
        self._codes: Codes[str] = Codes()

    def spans(self, strings: Strings) -> Spans:
        return strings.spans(self._codes, self._first)

    def has(self, start: Ints) -> Bools:
        """Which positions are some of these."""
        found: Bools = start >= self._first
        return found

    def text(self, start: int) -> str:
        return self._codes[(start - self._first) // 2]
