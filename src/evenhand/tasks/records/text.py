"""Values in the text of a document: is a value there, and where?

A number is in the text if an equal number is, signs aside; a date, if an equal date or the same string is; a string, if
its words (letters and digits, casefolded) occur there consecutively as whole words. Booleans are never looked up, nor
are fields with `enum`, `const` or `ground: false`.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import re
from functools import cached_property

from evenhand.tasks.records.trees import Leaf
from evenhand.tasks.records.values import parse_date, parse_number, plain, words

_NUMBER = re.compile(r"[0-9]+(?:[.,' ][0-9]+)*(?:[eE][-+]?[0-9]+)?")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    rf"[0-9]{{4}}([-/.])[0-9]{{1,2}}(?:\1[0-9]{{1,2}})?|[0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]{{4}}|"
    rf"[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}|[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})[a-z]*\.?,? [0-9]{{4}}|"
    rf"(?:{_MONTHS})[a-z]*\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}|(?:{_MONTHS})[a-z]*\.?,? [0-9]{{4}}"
)


class TextValues:
    """The text of a document, with its numbers, dates and words, which are found when they are needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """The keys of all numbers; runs of digits with separators count as a whole and in their parts."""
        runs = [match[0] for match in _NUMBER.finditer(plain(self.text))]
        pieces = {piece for run in runs for piece in (run, *re.split(r"[ ,']", run))}
        numbers = (parse_number(piece, decimal) for piece in pieces for decimal in ("point", "comma"))
        return frozenset(number.key for number in numbers if number is not None)

    @cached_property
    def _dates(self) -> frozenset[str]:
        text = plain(self.text)
        found = (parse_date(match[0], first) for match in _DATE.finditer(text) for first in (None, "day", "month"))
        return frozenset(date for date in found if date)

    @cached_property
    def _words(self) -> str:
        return f" {' '.join(words(self.text))} "

    def has(self, value: object) -> bool:
        """Whether a value is in the text."""
        number = parse_number(value)
        if number is not None and number.key.replace("\0-", "\0") in self._numbers:
            return True
        if not isinstance(value, str):
            return False
        if (date := parse_date(value)) is not None and date in self._dates:
            return True
        own = words(value)
        return bool(own) and number is None and f" {' '.join(own)} " in self._words

    def lacks(self, leaf: Leaf) -> bool:
        """Whether a value should be in the text and is not."""
        return is_checked(leaf) and not self.has(leaf.value)


def is_checked(leaf: Leaf) -> bool:
    """Whether a value can be looked up."""
    return leaf.field.options.ground and not isinstance(leaf.value, bool)
