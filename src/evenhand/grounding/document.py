"""The text in which strings are looked for, with its forms and sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from evenhand.dataclass import dataclass
from evenhand.grounding.characters import IS_JOINING
from evenhand.grounding.forms import Forms


@dataclass(frozen=True)
class Document:
    """A text, and where its sentences begin but for the first."""

    text: str
    breaks: Sequence[int] = ()

    @cached_property
    def forms(self) -> Forms:
        return Forms(self.text)

    def is_boundary(self, at: int) -> bool:
        """Whether a word may begin or end here: not between two characters that belong to words.

        In scripts that put no blanks between words (Thai, Lao, Myanmar, Khmer, kana, Han), everywhere.
        """
        text = self.text
        return not 0 < at < len(text) or not (IS_JOINING[text[at - 1]] and IS_JOINING[text[at]])

    def is_within_sentence(self, start: int, end: int) -> bool:
        return not self.breaks or bisect_right(self.breaks, start) == bisect_left(self.breaks, end)

    def window(self, start: int, end: int) -> Document:
        """A part of the text as a document of its own."""
        breaks = self.breaks[bisect_right(self.breaks, start) : bisect_left(self.breaks, end)]
        return Document(self.text[start:end], [each - start for each in breaks])
