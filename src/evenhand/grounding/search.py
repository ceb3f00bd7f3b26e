"""Where a string stands in a document, by steps: the first step that finds it decides.

| step | looks for |
| --- | --- |
| `exact` | the string as it stands |
| `spaces`, `case`, `tokens`, `punctuation` | the forms of string and text (see `forms`) |
| `part` | the form `case` of 3 characters or more, whose end may lie inside a word |
| `fuzzy` | the form `tokens` with a few edits (see `fuzzy`) |

An occurrence begins and ends at word boundaries of the original and crosses no sentence. Occurrences are taken from the
left, without overlap.

Source: Evenhand's own rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from evenhand.grounding.characters import IS_JOINING
from evenhand.grounding.document import Document
from evenhand.grounding.forms import Form, Span, Spelling, spell
from evenhand.grounding.fuzzy import near_occurrences

FORMS = ("exact", "spaces", "case", "tokens", "punctuation")
"""The steps that look for a form of the string, from strict to loose."""
PART, FUZZY, ABSENT = "part", "fuzzy", "absent"
SHORTEST_PART = 3


class Found(NamedTuple):
    """The step that found a string, and the occurrences, from the left; none if it is absent."""

    step: str
    spans: list[Span]


class Search:
    """The search for strings in one document; each is looked for once."""

    def __init__(self, document: Document, fuzzy: int | None) -> None:
        self.document, self._fuzzy = document, fuzzy
        self.capped = Counter[str]()
        """How often each limit was reached."""
        self._found = dict[str, Found]()
        self._later = dict[tuple[str, str], Found]()

    def first(self, string: str) -> Found:
        """The occurrences of a stripped string by the first step that finds any."""
        found = self._found.get(string)
        if found is None:
            spans = exact_occurrences(self.document, string)
            self._found[string] = found = Found(FORMS[0], spans) if spans else self._loosely(string)
        return found

    def later(self, string: str, step: str) -> Iterator[Found]:
        """The occurrences of a stripped string by the steps behind one, to `punctuation`."""
        if step in FORMS:
            for name in FORMS[FORMS.index(step) + 1 :]:
                if (string, name) not in self._later:
                    self._later[string, name] = Found(name, self._by_form(name, spell(string)))
                yield self._later[string, name]

    def _loosely(self, string: str) -> Found:
        """The occurrences by the first step behind `exact`."""
        spelling = spell(string)
        if self._may_occur(spelling):
            for name in FORMS[1:]:
                spans = self._by_form(name, spelling)
                if spans:
                    return Found(name, spans)
            if len(spelling.case) >= SHORTEST_PART:
                spans = occurrences(self.document, self.document.forms.case, spelling.case, may_end_in_word=True)
                if spans:
                    return Found(PART, spans)
        if self._fuzzy is not None:
            spans = near_occurrences(self.document, spelling.tokens, self._fuzzy, self.capped)
            if spans:
                return Found(FUZZY, spans)
        return Found(ABSENT, [])

    def _may_occur(self, spelling: Spelling) -> bool:
        """Whether any form may hold the string: if it stands in one of them, its letters stand in the loosest one."""
        return not spelling.punctuation or self.document.forms.punctuation_index.holds(spelling.punctuation)

    def _by_form(self, name: str, spelling: Spelling) -> list[Span]:
        form: Form = getattr(self.document.forms, name)
        return occurrences(self.document, form, getattr(spelling, name))


def occurrences(document: Document, form: Form, string: str, *, may_end_in_word: bool = False) -> list[Span]:
    """Where a string stands in a form of a document, in places of the original."""
    found = list[Span]()
    if not string:
        return found
    text, size, cursor = form.text, len(string), 0
    at = text.find(string)
    while at >= 0:
        span = form.span(at, at + size)
        is_place = (
            span[0] >= cursor
            and document.is_boundary(span[0])
            and (may_end_in_word or document.is_boundary(span[1]))
            and document.is_within_sentence(*span)
        )
        if is_place:
            found.append(span)
            cursor = span[1]
        at = text.find(string, at + size if is_place else at + 1)
    return found


def exact_occurrences(document: Document, string: str) -> list[Span]:
    """Where a string stands as it is: the short way of `occurrences` in the form `exact`, for most strings."""
    found = list[Span]()
    if not string:
        return found
    text, size, is_joining, breaks = document.text, len(string), IS_JOINING, document.breaks
    begins_joining, ends_joining, last = is_joining[string[0]], is_joining[string[-1]], len(text) - size
    at = text.find(string)
    while at >= 0:
        if (
            (begins_joining and at and is_joining[text[at - 1]])
            or (ends_joining and at < last and is_joining[text[at + size]])
            or (breaks and not document.is_within_sentence(at, at + size))
        ):
            at = text.find(string, at + 1)
        else:
            found.append((at, at + size))
            at = text.find(string, at + size)
    return found
