"""Which words of a text that a model wrote are words of the document.

Both texts are split into words in their forms `case`: runs of letters, digits and marks, or one other character. Equal
words at both ends are aligned, and what stands between them by `difflib`, if neither side has more than 2,000 words and
there are at most 1,000,000 pairs of equal words: a model that repeats itself without end would take minutes.

Source: Evenhand's own rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby, takewhile

from evenhand.dataclass import dataclass
from evenhand.grounding.characters import IS_LETTER
from evenhand.grounding.forms import Form, Span

MOST_WORDS = 2_000
MOST_PAIRS = 1_000_000


@dataclass(frozen=True)
class Words:
    """The words of a text in their form `case`, and their spans in the original."""

    forms: Sequence[str]
    spans: Sequence[Span]

    def around(self, span: Span) -> range:
        """The words from the first that has not ended before a span to the last that begins before its end."""
        return range(bisect_right(self.ends, span[0]), bisect_left(self.starts, span[1]))

    def covers(self, words: range, span: Span) -> bool:
        """Whether a span consists of these words and of no part of another."""
        return bool(words) and span[0] <= self.starts[words[0]] and self.ends[words[-1]] <= span[1]

    @cached_property
    def starts(self) -> list[int]:
        return [start for start, _ in self.spans]

    @cached_property
    def ends(self) -> list[int]:
        return [end for _, end in self.spans]


def words_of(form: Form) -> Words:
    """The words of a text; `form` is its form `case`."""
    runs = _runs(form.text)
    return Words([form.text[begin:end] for begin, end in runs], [form.span(*run) for run in runs])


def _runs(text: str) -> list[Span]:
    """Where words begin and end in a form."""
    found = list[Span]()
    begin = 0
    for is_letter, run in groupby(text, IS_LETTER.__getitem__):
        characters = list(run)
        end = begin + len(characters)
        if is_letter:
            found.append((begin, end))
        else:
            found += [(begin + at, begin + at + 1) for at, sign in enumerate(characters) if sign != " "]
        begin = end
    return found


@dataclass(frozen=True)
class Alignment:
    """For each word of a model's text the word of the document that it is, or -1."""

    partners: list[int]
    is_capped: bool = False
    """Whether there were too many words to be aligned."""

    def neighbours(self, words: range) -> range | None:
        """The words of the document that these are, if all have partners and these stand next to each other."""
        first = self.partners[words[0]]
        wanted = range(first, first + len(words))
        return wanted if first >= 0 and list(wanted) == self.partners[words.start : words.stop] else None

    @cached_property
    def aligned(self) -> list[int]:
        """The words that have partners."""
        return [word for word, partner in enumerate(self.partners) if partner >= 0]

    def around(self, words: range) -> tuple[int | None, int | None]:
        """The document's words that the nearest aligned words before and behind some words are."""
        low, high = bisect_left(self.aligned, words.start), bisect_left(self.aligned, words.stop)
        before = self.partners[self.aligned[low - 1]] if low else None
        after = self.partners[self.aligned[high]] if high < len(self.aligned) else None
        return before, after


def align(words: Sequence[str], document: Sequence[str]) -> Alignment:
    """The alignment of a text's words with those of the document."""
    partners = [-1] * len(words)
    shared = min(len(words), len(document))
    head = _equal_beginning(words, document, shared)
    tail = _equal_beginning(words[::-1], document[::-1], shared - head)
    partners[:head] = range(head)
    partners[len(words) - tail :] = range(len(document) - tail, len(document))
    rest, other = words[head : len(words) - tail], document[head : len(document) - tail]
    if max(len(rest), len(other)) > MOST_WORDS or _pairs(rest, other) > MOST_PAIRS:
        return Alignment(partners, is_capped=bool(rest and other))
    for at, partner, size in SequenceMatcher(None, rest, other, autojunk=False).get_matching_blocks():
        partners[head + at : head + at + size] = range(head + partner, head + partner + size)
    return Alignment(partners)


def _pairs(words: Sequence[str], document: Sequence[str]) -> int:
    """How many pairs of equal words there are."""
    counts = Counter(document)
    return sum(counts[word] for word in words)


def _equal_beginning(one: Sequence[str], other: Sequence[str], most: int) -> int:
    """How many words are equal from the beginning on, at most `most`."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one[:most], other[:most], strict=True)))
