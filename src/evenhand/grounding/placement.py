"""Place the items of an answer in the document: choose occurrences of strings, and align texts with tags."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain, groupby, takewhile
from typing import Literal, NamedTuple

from evenhand.dataclass import dataclass
from evenhand.grounding.items import Item, MarkedText
from evenhand.grounding.search import ABSENT, IS_LETTER, PART, AnswerDocument, Form, Forms, Found, Search, Span

GIVEN, ALIGNED, REPEATED, MERGED = "given", "aligned", "repeated", "merged"
"""Statuses of items other than the steps of the search and `absent`."""
Occurrences = Literal["in-order", "first", "all"]
FUZZY_PERCENT = 15
"""Maximum number of edits in the step `fuzzy`, in percent of the characters."""
MAX_CANDIDATES = 200_000
"""Above this number of occurrences in a document, `greedy_chain` replaces `longest_chain`."""
MAX_WORDS = 2_000
"""Maximum number of words of either side to align, without equal words at the beginning and the end."""
MAX_PAIRS = 1_000_000
"""Maximum number of pairs of equal words among these."""
MAX_WINDOW = 2_000
"""Maximum number of characters between two aligned words in which a string is searched."""
CANDIDATES, WORDS, WINDOWS = "candidates", "words to align", "characters between aligned words"
"""Names of the limits, for counting how often they are reached."""


class Placement(NamedTuple):
    """An item and its place in the document."""

    item: Item
    status: str
    """The step that placed the item, or the reason why it has no span."""
    spans: tuple[Span, ...] = ()
    """One span, or none; several only for `all` occurrences."""


@dataclass(frozen=True, slots=True)
class PlacedItems:
    """The placements of a document's items, in the order of the answer."""

    placements: tuple[Placement, ...]
    uncertain: tuple[int, ...] = ()
    """The rows of ambiguous items."""
    differs: bool = False
    """Whether a text with tags differs from the document, ignoring spaces and case."""
    capped: Mapping[str, int] = field(default_factory=dict)
    """How often each limit was reached."""

    @property
    def ambiguous(self) -> int:
        """Number of ambiguous items: their strings occur more often than items name them."""
        return len(self.uncertain)


def place_items(
    document: AnswerDocument,
    items: Sequence[Item],
    occurrences: Occurrences = "in-order",
    fuzzy: int | None = FUZZY_PERCENT,
) -> PlacedItems:
    """Place the items of an answer in the document: choose the occurrence of each item's string.

    - `in-order`: items with correct offsets keep these (`given`). The others are placed by the longest chain of
      occurrences in the order of the output (`longest_chain`). An item outside the chain gets the first free occurrence
      that the first successful step finds; failing that, a later step up to `punctuation`. An occurrence is *free* if
      it overlaps no placed span. If a step finds no such occurrence, one that equals no placed span is free; failing
      that, one that equals no placed span of the same label. Without a free occurrence, the item is `repeated`: named
      more often than it occurs.
    - `first`, `all`: a document's items are a set of (string, label). Each gets the first occurrence, or all. Offsets
      in the answer are ignored. An item with the string and label of an earlier one is `merged`.

    A string that no step finds is `absent`. An item is *ambiguous* if its string occurs more often than items name it.
    Answers that are texts with tags are placed by `place_marked`.

    Source: Evenhand's own rules.
    """
    search = Search(document, fuzzy)
    results = [search.first(item.text.strip()) for item in items]
    if occurrences == "in-order":
        placements = _in_order(search, items, results, _given(document, items))
    else:
        placements = _each_once(items, results, every=occurrences == "all")
    return PlacedItems(tuple(placements), _ambiguous(items, results), capped=search.capped)


def place_best(
    document: AnswerDocument,
    items: Sequence[Item],
    gold: Collection[tuple[int, int, str]],
    fuzzy: int | None = FUZZY_PERCENT,
) -> PlacedItems:
    """Place items by the gold spans (start, end, label), for an upper bound only, never for a score.

    An item that occurs on a gold span of its label is placed there. The others are placed `in-order`.
    """
    search = Search(document, fuzzy)
    results = [search.first(item.text.strip()) for item in items]
    fixed = _given(document, items)
    fixed |= _on_gold(items, results, fixed, gold)
    placements = _in_order(search, items, results, fixed)
    return PlacedItems(tuple(placements), _ambiguous(items, results), capped=search.capped)


def _given(document: AnswerDocument, items: Sequence[Item]) -> dict[int, Placement]:
    """Place the items with correct offsets, by item number; another one with the same span and label is `repeated`."""
    fixed = dict[int, Placement]()
    seen = set[tuple[int, int, str]]()
    for number, item in enumerate(items):
        start, end = item.start, item.end
        if start is None or end is None or not 0 <= start < end or document.text[start:end] != item.text:
            continue
        span = (start, end, item.label)
        fixed[number] = Placement(item, REPEATED) if span in seen else Placement(item, GIVEN, ((start, end),))
        seen.add(span)
    return fixed


def _on_gold(
    items: Sequence[Item],
    results: Sequence[Found],
    fixed: Mapping[int, Placement],
    gold: Collection[tuple[int, int, str]],
) -> dict[int, Placement]:
    """Place the items that occur on a gold span of their label, by item number.

    A gold span has one item, so gold spans of `fixed` items are not free.
    """
    free = set(gold) - {(*span, placement.item.label) for placement in fixed.values() for span in placement.spans}
    untried = dict[tuple[str, str], Iterator[Span]]()
    placed = dict[int, Placement]()
    for number, (item, result) in enumerate(zip(items, results, strict=True)):
        if number in fixed:
            continue
        spans = untried.setdefault((item.text.strip(), item.label), iter(result.spans))
        if span := next((span for span in spans if (*span, item.label) in free), None):
            free.remove((*span, item.label))
            placed[number] = Placement(item, result.step, (span,))
    return placed


def _ambiguous(items: Sequence[Item], results: Sequence[Found]) -> tuple[int, ...]:
    """Return the rows of items whose string occurs more often than items name it."""
    rows = [row for row, result in enumerate(results) if len(result.spans) > 1]
    item_counts = Counter([items[row].text.strip() for row in rows])
    return tuple([row for row in rows if len(results[row].spans) > item_counts[items[row].text.strip()]])


def _each_once(items: Sequence[Item], results: Sequence[Found], *, every: bool) -> list[Placement]:
    """Place each string and label once: at its first occurrence or, if `every`, at all of them."""
    placements = list[Placement]()
    seen = set[tuple[str, str]]()
    for item, (step, spans) in zip(items, results, strict=True):
        key = (item.text.strip(), item.label)
        if key in seen:
            placements.append(Placement(item, MERGED))
        else:
            placements.append(Placement(item, step, tuple(spans if every else spans[:1])))
            seen.add(key)
    return placements


def _in_order(
    search: Search, items: Sequence[Item], results: Sequence[Found], fixed: Mapping[int, Placement]
) -> list[Placement]:
    """Place the longest chain, then the other items in order; `fixed` items are placed already."""
    placed = dict(fixed)
    for number, span in _chain(search, results, fixed).items():
        placed[number] = Placement(items[number], results[number].step, (span,))
    if len(placed) < len(items):
        occupancy = _occupancy(placed)
        for number, item in enumerate(items):
            if number not in placed:
                placed[number] = _place_outside_chain(search, item, results[number], occupancy)
    return [placed[number] for number in range(len(items))]


def _chain(search: Search, results: Sequence[Found], fixed: Mapping[int, Placement]) -> dict[int, Span]:
    """Return the chain's occurrences by item number; they do not overlap `fixed` items."""
    candidates = [result.spans for result in results]
    if fixed:
        overlaps = _occupancy(fixed).overlaps
        # Items with the same string share a list of occurrences, which is filtered once.
        free = {id(spans): [span for span in spans if not overlaps(span)] for spans in candidates}
        candidates = [[] if number in fixed else free[id(spans)] for number, spans in enumerate(candidates)]
    if sum(map(len, candidates)) > MAX_CANDIDATES:
        search.capped[CANDIDATES] += 1
        return greedy_chain(candidates)
    return longest_chain(candidates)


_Link = tuple[int, Span, "_Link | None"]
"""An item's number, its occurrence, and the preceding link."""


def longest_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """The longest chain of occurrences in the order of the output decides which occurrence of a string an item means.

    A model mostly lists entities in the order of the text. A *chain* gives some items one occurrence each, such that
    every occurrence begins at or after the end of the preceding one. The longest chain has the maximum number of items.
    Of several longest chains, the one with the earliest ends counts. Above 200,000 occurrences in a document, each item
    takes the first occurrence at or after the end of the preceding one.

    Source: Evenhand's own rules.
    """
    # Of all chains of n + 1 items so far, links[n] is the end of the one that ends first, and ends[n] is where it ends.
    ends = list[int]()
    links = list[_Link]()
    for number, spans in enumerate(candidates):
        for span in reversed(spans):  # so an item does not follow itself
            length = bisect_right(ends, span[0])
            if length == len(ends):
                ends.append(span[1])
                links.append((number, span, links[length - 1] if length else None))
            elif span[1] < ends[length]:
                ends[length] = span[1]
                links[length] = (number, span, links[length - 1] if length else None)
    chain = dict[int, Span]()
    link = links[-1] if links else None
    while link:
        number, span, link = link
        chain[number] = span
    return chain


def greedy_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """Give each item its first occurrence at or after the end of the preceding one."""
    chain = dict[int, Span]()
    end = 0
    for number, spans in enumerate(candidates):
        row = bisect_left(spans, (end, 0))
        if row < len(spans):
            chain[number] = spans[row]
            end = spans[row][1]
    return chain


def _place_outside_chain(search: Search, item: Item, result: Found, occupancy: Occupancy) -> Placement:
    """Place an item at its first free occurrence that the step of its result, or a later step, finds."""
    if not result.spans:
        return Placement(item, ABSENT)
    string = item.text.strip()
    for step, spans in chain([result], search.later(string, result.step)):
        if span := occupancy.choose(spans, item.label, (string, step)):
            return _add_placement(item, step, span, occupancy)
    return Placement(item, REPEATED)


def _add_placement(item: Item, step: str, span: Span, occupancy: Occupancy) -> Placement:
    occupancy.add(span, item.label)
    return Placement(item, step, (span,))


def _occupancy(placed: Mapping[int, Placement]) -> Occupancy:
    return Occupancy([(span, placement.item.label) for placement in placed.values() for span in placement.spans])


class Occupancy:
    """The spans of a document's placed items."""

    def __init__(self, placed: Iterable[tuple[Span, str]] = ()) -> None:
        """`placed` are spans with labels."""
        self._labeled = set(placed)
        self._spans = {span for span, _ in self._labeled}
        # The parts of the text that spans cover, from the left; overlapping spans cover one part.
        self._starts = list[int]()
        self._ends = list[int]()
        for start, end in sorted(self._spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)
        self._tried = dict[tuple[Hashable, ...], int]()
        """By search, the first row that may still be free."""

    def add(self, span: Span, label: str) -> None:
        self._spans.add(span)
        self._labeled.add((span, label))
        start, end = span
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        if first < last:  # the span joins the parts from `first` to `last`
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def overlaps(self, span: Span) -> bool:
        """Whether a placed span overlaps this one."""
        index = bisect_right(self._ends, span[0])
        return index < len(self._starts) and self._starts[index] < span[1]

    def has(self, span: Span, label: str) -> bool:
        """Whether an item of this label has this span."""
        return (span, label) in self._labeled

    def choose(self, spans: Sequence[Span], label: str, key: Hashable, rows: range | None = None) -> Span | None:
        """Return the first free one of some spans; None if all are taken.

        A span is free if it overlaps no placed span. If every span overlaps one, a span that equals no placed span is
        free; failing that, a span that equals no placed span of this label.

        Only `rows` of the list are considered. `key` identifies the list. Placed spans stay, so the next search in the
        same list continues where the last one ended.
        """
        rows = range(len(spans)) if rows is None else rows
        senses: tuple[tuple[Callable[[Span], bool], str | None], ...] = (
            (self.overlaps, None),
            (self._spans.__contains__, None),
            (lambda span: self.has(span, label), label),
        )
        for number, (is_taken, of_label) in enumerate(senses):
            search = (key, rows.start, rows.stop, number, of_label)
            row = self._tried.get(search, rows.start)
            while row < rows.stop and is_taken(spans[row]):
                row += 1
            self._tried[search] = row
            if row < rows.stop:
                return spans[row]
        return None


def place_marked(document: AnswerDocument, marked: MarkedText, fuzzy: int | None = FUZZY_PERCENT) -> PlacedItems:
    """Place the tags of a text that a model wrote, which may differ from the document's text.

    If the forms `tokens` of both texts are equal, tags are placed by position (`aligned`). Otherwise the words of both
    texts are aligned: a span whose words are all aligned with consecutive words of the document is `aligned`, too.

    The string of any other span is searched. Its window is the document's text between the nearest aligned words before
    and after the span. The first of these that succeeds counts:

    - an occurrence in the window, by the first step that finds the string in the document;
    - an occurrence in the window, by the first step that finds the string there, if the window has at most 2,000
      characters;
    - an occurrence anywhere, by the first step that finds the string in the document.

    Of several occurrences, the first free one counts, as for items outside a chain. A string that no step finds is
    `absent`. A string without a free occurrence is `repeated`, and so is a second tag with the same span and label.

    Source: Evenhand's own rules.
    """
    forms = Forms(marked.text)
    differs = forms.tokens_text != document.forms.tokens_text
    if not marked.spans:
        return PlacedItems((), differs=differs)
    items = [Item(marked.text[start:end], label) for start, end, label in marked.spans]
    occupancy = Occupancy()
    if not differs:
        spans = [_by_position(document, forms, (start, end)) for start, end, _ in marked.spans]
        placed = _place_aligned(items, spans, occupancy)
        return PlacedItems(tuple(placed.get(number, Placement(item, ABSENT)) for number, item in enumerate(items)))
    changed = _ChangedText(document, forms, fuzzy)
    spans = [changed.by_words((start, end)) for start, end, _ in marked.spans]
    placed = _place_aligned(items, spans, occupancy)
    for number, (start, end, _) in enumerate(marked.spans):
        if number not in placed:
            placed[number] = changed.by_string(items[number], (start, end), occupancy)
    return PlacedItems(tuple(placed[number] for number in range(len(items))), differs=True, capped=changed.capped())


def _by_position(document: AnswerDocument, forms: Forms, span: Span) -> Span | None:
    """Return the document's span for a span of a text with the same form `tokens`; None if it has only spaces."""
    starts = forms.tokens.starts
    begin = bisect_left(starts, span[0])
    end = bisect_left(starts, span[1])
    return document.forms.tokens.span(begin, end) if begin < end else None


def _place_aligned(items: Sequence[Item], spans: Sequence[Span | None], occupancy: Occupancy) -> dict[int, Placement]:
    """Place the items with a span, by item number."""
    placed = dict[int, Placement]()
    for number, (item, span) in enumerate(zip(items, spans, strict=True)):
        if span is None:
            continue
        is_repeated = occupancy.has(span, item.label)
        placed[number] = Placement(item, REPEATED) if is_repeated else Placement(item, ALIGNED, (span,))
        occupancy.add(span, item.label)
    return placed


class _ChangedText:
    """A text that differs from the document, aligned with it."""

    def __init__(self, document: AnswerDocument, forms: Forms, fuzzy: int | None) -> None:
        self._document = document
        self._fuzzy = fuzzy
        self._search = Search(document, fuzzy)
        self._words = words_of(forms.case)
        self._document_words = words_of(document.forms.case)
        self._alignment = align(self._words.forms, self._document_words.forms)
        self._windows = dict[Span, Search]()
        self._long_windows = 0
        """Number of searches that were left out because the window was too long."""

    def by_words(self, span: Span) -> Span | None:
        """Return the document's span for a span of whole words that are aligned with consecutive words."""
        words = self._words.overlapping(span)
        if not self._words.covers(words, span):
            return None
        partners = self._alignment.consecutive_partners(words)
        spans = self._document_words.spans
        return (spans[partners[0]][0], spans[partners[-1]][1]) if partners else None

    def by_string(self, item: Item, span: Span, occupancy: Occupancy) -> Placement:
        """Place an item by its string: in the window between the aligned words around its `span`, or anywhere."""
        window = self._window(span)
        step, spans = self._search.first(item.text.strip())
        key = (item.text, step)
        if spans:
            first = bisect_left(spans, (window[0], 0))
            last = bisect_right(spans, window[1], key=lambda span: span[1])
            if chosen := occupancy.choose(spans, item.label, key, range(first, last)):
                return _add_placement(item, step, chosen, occupancy)
        window_step, window_spans = self._search_window(window, item.text)
        if chosen := occupancy.choose(window_spans, item.label, (item.text, window)):
            return _add_placement(item, window_step, chosen, occupancy)
        if chosen := occupancy.choose(spans, item.label, key):
            return _add_placement(item, step, chosen, occupancy)
        return Placement(item, REPEATED if spans else ABSENT)

    def _window(self, span: Span) -> Span:
        """Return the part of the document between the nearest aligned words before and after a span of the text."""
        before, after = self._alignment.partners_around(self._words.overlapping(span))
        spans = self._document_words.spans
        start = 0 if before is None else spans[before][1]
        end = len(self._document.text) if after is None else spans[after][0]
        return start, max(start, end)

    def _search_window(self, window: Span, string: str) -> Found:
        """Return the occurrences that the first successful step finds in a window, in offsets of the document."""
        start, end = window
        if end - start > MAX_WINDOW:
            self._long_windows += 1
            return Found(ABSENT, [])
        if window not in self._windows:
            self._windows[window] = Search(self._document.window(start, end), self._fuzzy)
        step, in_window = self._windows[window].first(string.strip())
        spans = [(begin + start, stop + start) for begin, stop in in_window]
        # The end of a window may cut a word of the document.
        is_boundary = self._document.is_boundary
        spans = [span for span in spans if is_boundary(span[0]) and (step == PART or is_boundary(span[1]))]
        return Found(step, spans)

    def capped(self) -> Counter[str]:
        """How often each limit was reached."""
        own = Counter({WORDS: int(self._alignment.is_capped), WINDOWS: self._long_windows})
        return sum((search.capped for search in self._windows.values()), own + self._search.capped)


@dataclass(frozen=True)
class ModelWords:
    """The words of a model's text are aligned with the words of the document.

    Both texts are split into words in their forms `case`. A word is a run of letters, digits and marks, or one other
    character. Equal words at the beginning and at the end are aligned. The words between them are aligned by `difflib`
    if neither side has more than 2,000 of them and at most 1,000,000 pairs of them are equal. Without these limits, a
    model that repeats itself endlessly would take minutes.

    Source: Evenhand's own rules.
    """

    forms: Sequence[str]
    """The words in the form `case`."""
    spans: Sequence[Span]
    """The span of each word in the text."""

    def overlapping(self, span: Span) -> range:
        """Return the words that overlap a span."""
        return range(bisect_right(self.ends, span[0]), bisect_left(self.starts, span[1]))

    def covers(self, words: range, span: Span) -> bool:
        """Whether a span covers all of these words, and they are at least one."""
        return bool(words) and span[0] <= self.starts[words[0]] and self.ends[words[-1]] <= span[1]

    @cached_property
    def starts(self) -> list[int]:
        return [start for start, _ in self.spans]

    @cached_property
    def ends(self) -> list[int]:
        return [end for _, end in self.spans]


def words_of(form: Form) -> ModelWords:
    """Return the words of a text whose form `case` is `form`."""
    bounds = _word_bounds(form.text)
    return ModelWords([form.text[begin:end] for begin, end in bounds], [form.span(begin, end) for begin, end in bounds])


def _word_bounds(text: str) -> list[Span]:
    """Return where each word of a form begins and ends."""
    bounds = list[Span]()
    begin = 0
    for is_letter, run in groupby(text, IS_LETTER.__getitem__):
        characters = list(run)
        end = begin + len(characters)
        if is_letter:
            bounds.append((begin, end))
        else:
            bounds += [(index, index + 1) for index, character in enumerate(characters, begin) if character != " "]
        begin = end
    return bounds


@dataclass(frozen=True)
class WordAlignment:
    """The words of a model's text, aligned with words of the document."""

    partners: list[int]
    """For each word of the text, the document's word; -1 if it is not aligned."""
    is_capped: bool = False
    """Whether there were too many words to align."""

    def consecutive_partners(self, words: range) -> range | None:
        """Return the document's words for some words of the text, if all are aligned, and with consecutive words."""
        first = self.partners[words[0]]
        partners = range(first, first + len(words))
        return partners if first >= 0 and list(partners) == self.partners[words.start : words.stop] else None

    @cached_property
    def aligned(self) -> list[int]:
        """The aligned words of the text."""
        return [word for word, partner in enumerate(self.partners) if partner >= 0]

    def partners_around(self, words: range) -> tuple[int | None, int | None]:
        """Return the document's words for the nearest aligned words before and after some words of the text."""
        index_before = bisect_left(self.aligned, words.start) - 1
        index_after = bisect_left(self.aligned, words.stop)
        before = self.partners[self.aligned[index_before]] if index_before >= 0 else None
        after = self.partners[self.aligned[index_after]] if index_after < len(self.aligned) else None
        return before, after


def align(words: Sequence[str], document: Sequence[str]) -> WordAlignment:
    """Align the words of a text with the words of the document (see `ModelWords`)."""
    partners = [-1] * len(words)
    shorter = min(len(words), len(document))
    head = _equal_beginning(words, document, shorter)
    tail = _equal_beginning(words[::-1], document[::-1], shorter - head)
    partners[:head] = range(head)
    partners[len(words) - tail :] = range(len(document) - tail, len(document))
    middle = words[head : len(words) - tail]
    document_middle = document[head : len(document) - tail]
    equal_pairs = sum(map(Counter(document_middle).__getitem__, middle))
    if max(len(middle), len(document_middle)) > MAX_WORDS or equal_pairs > MAX_PAIRS:
        return WordAlignment(partners, is_capped=bool(middle and document_middle))
    for word, partner, size in SequenceMatcher(None, middle, document_middle, autojunk=False).get_matching_blocks():
        partners[head + word : head + word + size] = range(head + partner, head + partner + size)
    return WordAlignment(partners)


def _equal_beginning(one: Sequence[str], other: Sequence[str], limit: int) -> int:
    """Return the number of equal words at the beginning of two lists, at most `limit`."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one[:limit], other[:limit], strict=True)))
