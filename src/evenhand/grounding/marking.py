"""Placing the tags of a text that a model wrote, which may not be the document's text.

If the forms `tokens` of both texts are equal, tags are placed by position (`aligned`). Else by words (see
`alignment`): a span whose words are all aligned to as many neighbouring words is `aligned`, too. The string of any
other is looked for between the words of the document that the nearest aligned words around it are: first among the
document's occurrences, then in that window alone, if it has at most 2,000 characters; then in the whole document, by
the first step that finds it. Of several occurrences the first free one counts, as for items outside a chain (see
`placing`). A string that no step finds is `absent`; one whose occurrences are taken is `repeated`, and so is a second
tag of the same place and label.

Source: Evenhand's own rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from evenhand.grounding.alignment import align, words_of
from evenhand.grounding.document import Document
from evenhand.grounding.forms import Forms, Span
from evenhand.grounding.items import Item, MarkedText
from evenhand.grounding.occupancy import Occupancy
from evenhand.grounding.placement import ALIGNED, FUZZY_PERCENT, REPEATED, Placed, Placement
from evenhand.grounding.search import ABSENT, PART, Found, Search

LONGEST_WINDOW = 2_000
WORDS, WINDOWS = "words to align", "characters between aligned words"
"""What the two limits count, where they are reached."""


def place_marked(document: Document, marked: MarkedText, fuzzy: int | None = FUZZY_PERCENT) -> Placed:
    """Place the tags of a text; `fuzzy` is the percentage of characters that may be edited, None for no edits."""
    forms = Forms(marked.text)
    differs = forms.tokens_text != document.forms.tokens_text
    if not marked.spans:
        return Placed((), differs=differs)
    items = [Item(marked.text[start:end], label) for start, end, label in marked.spans]
    occupancy = Occupancy()
    if not differs:
        places = [_by_position(document, forms, (start, end)) for start, end, _ in marked.spans]
        placed = _aligned(items, places, occupancy)
        return Placed(tuple(placed.get(number, Placement(item, ABSENT)) for number, item in enumerate(items)))
    changed = _ChangedText(document, forms, fuzzy)
    placed = _aligned(items, [changed.by_words((start, end)) for start, end, _ in marked.spans], occupancy)
    for number, (start, end, _) in enumerate(marked.spans):
        if number not in placed:
            placed[number] = changed.by_string(items[number], (start, end), occupancy)
    return Placed(tuple(placed[number] for number in range(len(items))), differs=True, capped=changed.capped())


def _by_position(document: Document, forms: Forms, span: Span) -> Span | None:
    """The characters of the document that a span of the same text has; None if these are only spaces."""
    starts = forms.tokens.starts
    begin, end = bisect_left(starts, span[0]), bisect_left(starts, span[1])
    return document.forms.tokens.span(begin, end) if begin < end else None


def _aligned(items: Sequence[Item], places: Sequence[Span | None], occupancy: Occupancy) -> dict[int, Placement]:
    """The items that have a place, by their numbers."""
    placed = dict[int, Placement]()
    for number, (item, span) in enumerate(zip(items, places, strict=True)):
        if span is None:
            continue
        is_repeated = occupancy.has(span, item.label)
        placed[number] = Placement(item, REPEATED) if is_repeated else Placement(item, ALIGNED, (span,))
        occupancy.add(span, item.label)
    return placed


class _ChangedText:
    """A text that is not the document's, and what of it stands where in the document."""

    def __init__(self, document: Document, forms: Forms, fuzzy: int | None) -> None:
        self._document, self._fuzzy = document, fuzzy
        self._search = Search(document, fuzzy)
        self._windows = dict[Span, Search]()
        self._words, self._document_words = words_of(forms.case), words_of(document.forms.case)
        self._alignment = align(self._words.forms, self._document_words.forms)
        self._long_windows = 0

    def by_words(self, span: Span) -> Span | None:
        """The words of the document that the words of a span are."""
        words = self._words.around(span)
        if not self._words.covers(words, span):
            return None
        partners = self._alignment.neighbours(words)
        spans = self._document_words.spans
        return (spans[partners[0]][0], spans[partners[-1]][1]) if partners else None

    def by_string(self, item: Item, span: Span, occupancy: Occupancy) -> Placement:
        """An item where its string stands: in the window that the words around it leave, or anywhere."""
        found = self._search.first(item.text.strip())
        window = self._window(span)
        if found.spans:
            rows = (bisect_left(found.spans, (window[0], 0)), bisect_right(found.spans, window[1], key=_end))
            place = occupancy.choose(found.spans, item.label, (item.text, found.step), rows)
            if place:
                return _placement(item, found.step, place, occupancy)
        found_there = self._within(window, item.text)
        place = occupancy.choose(found_there.spans, item.label, (item.text, window))
        if place:
            return _placement(item, found_there.step, place, occupancy)
        place = occupancy.choose(found.spans, item.label, (item.text, found.step))
        if place:
            return _placement(item, found.step, place, occupancy)
        return Placement(item, REPEATED if found.spans else ABSENT)

    def _window(self, span: Span) -> Span:
        """What the words of the document leave free that the nearest aligned words around a span are."""
        before, after = self._alignment.around(self._words.around(span))
        spans = self._document_words.spans
        start = 0 if before is None else spans[before][1]
        return start, max(start, len(self._document.text) if after is None else spans[after][0])

    def _within(self, window: Span, string: str) -> Found:
        """A string's occurrences in a window, in places of the document."""
        start, end = window
        if end - start > LONGEST_WINDOW:
            self._long_windows += 1
            return Found(ABSENT, [])
        if window not in self._windows:
            self._windows[window] = Search(self._document.window(start, end), self._fuzzy)
        found = self._windows[window].first(string.strip())
        spans = [(begin + start, behind + start) for begin, behind in found.spans]
        is_boundary = self._document.is_boundary
        spans = [span for span in spans if is_boundary(span[0]) and (found.step == PART or is_boundary(span[1]))]
        return Found(found.step, spans)

    def capped(self) -> Counter[str]:
        """How often each limit was reached."""
        own = Counter({WORDS: int(self._alignment.is_capped), WINDOWS: self._long_windows})
        return sum((search.capped for search in self._windows.values()), own + self._search.capped)


def _end(span: Span) -> int:
    return span[1]


def _placement(item: Item, step: str, span: Span, occupancy: Occupancy) -> Placement:
    occupancy.add(span, item.label)
    return Placement(item, step, (span,))
