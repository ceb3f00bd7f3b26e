"""Where an item of an answer was placed, and how."""

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
"""What an item's status can be beside the steps of the search and `absent`."""
FUZZY_PERCENT = 15
"""How many characters of a hundred may be edited in the step `fuzzy`."""


class Placement(NamedTuple):
    """An item, how it was placed (a step, or why it has no place), and where; several spans under `all` only."""

    item: Item
    status: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """The placements of a document's items, in their order.

    `uncertain` are the places of items that are ambiguous, `merged` counts items, `capped` how often each limit was
    reached. `differs` says whether a text with tags is not the document's, whatever its spaces and case.
    """

    placements: tuple[Placement, ...]
    uncertain: tuple[int, ...] = ()
    merged: int = 0
    differs: bool = False
    capped: Mapping[str, int] = field(default_factory=dict)

    @property
    def ambiguous(self) -> int:
        """How many items are ambiguous: their strings occur more often than items name them."""
        return len(self.uncertain)


# == grounding/occupancy.py: Which places of a document are taken already.


class Occupancy:
    """The spans that items of a document have got."""

    def __init__(self, placed: Iterable[tuple[Span, str]] = ()) -> None:
        self._labeled = set(placed)
        self._spans = {span for span, _ in self._labeled}
        self._starts, self._ends = list[int](), list[int]()
        """The parts of the text that are covered, from the left."""
        for start, end in sorted(self._spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)
        self._tried = dict[tuple[Hashable, ...], int]()

    def add(self, span: Span, label: str) -> None:
        self._spans.add(span)
        self._labeled.add((span, label))
        start, end = span
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def overlaps(self, span: Span) -> bool:
        """Whether a placed span overlaps this one."""
        at = bisect_right(self._ends, span[0])
        return at < len(self._starts) and self._starts[at] < span[1]

    def has(self, span: Span, label: str) -> bool:
        """Whether an item of this label has this span."""
        return (span, label) in self._labeled

    def choose(self, spans: Sequence[Span], label: str, key: Hashable, within: Span | None = None) -> Span | None:
        """The first span that overlaps no placed one; else that equals none; else that equals none of this label.

        What is taken stays taken, so the next search for the same `key`, which names the list of spans, goes on from
        where the last one ended. `within` are the first and last rows of the list that may be chosen.
        """
        first, last = within or (0, len(spans))
        rules: tuple[tuple[Callable[[Span], bool], str | None], ...] = (
            (self.overlaps, None),
            (self._spans.__contains__, None),
            (lambda span: self.has(span, label), label),
        )
        for number, (is_taken, whose) in enumerate(rules):
            place = (key, first, last, number, whose)
            at = self._tried.get(place, first)
            while at < last and is_taken(spans[at]):
                at += 1
            self._tried[place] = at
            if at < last:
                return spans[at]
        return None


# == grounding/chain.py: The longest chain of occurrences in the order of the output:


MOST_CANDIDATES = 200_000
"""Above so many occurrences of all items of a document, chains are made greedily."""

_Link = tuple[int, Span, "_Link | None"]
"""An item's number, its occurrence, and the link before it."""


def longest_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """The longest chain of occurrences in the order of the output: which occurrence of a repeated string an item means.

    A model mostly lists what it finds in the order of the text. So items are given occurrences, at most one each, such
    that as many items as possible have one and each begins at or after the end of the one before; of such chains, the
    one whose ends are earliest counts. Above 200,000 occurrences in a document, each item takes the first one at or
    after the end of the one before.

    Source: Evenhand's own rules.
    """
    ends, links = list[int](), list[_Link]()
    for number, spans in enumerate(candidates):
        for span in reversed(spans):
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
        chain[link[0]] = link[1]
        link = link[2]
    return chain


def greedy_chain(candidates: Sequence[Sequence[Span]]) -> dict[int, Span]:
    """Each item gets its first occurrence at or after the end of the last one, if there is any."""
    chain = dict[int, Span]()
    cursor = 0
    for number, spans in enumerate(candidates):
        at = bisect_left(spans, (cursor, 0))
        if at < len(spans):
            chain[number] = spans[at]
            cursor = spans[at][1]
    return chain


# == grounding/placing.py: Placing the items of an answer in the document: which occurr


Occurrences = Literal["in-order", "first", "all"]
CANDIDATES = "candidates"
"""What the limit of chains counts, where it is reached."""


def place(
    document: AnswerDocument,
    items: Sequence[Item],
    occurrences: Occurrences = "in-order",
    fuzzy: int | None = FUZZY_PERCENT,
) -> Placed:
    """Placing the items of an answer in the document: which occurrence of a string each item means.

    - `in-order`: items with offsets that fit stay where these say (`given`). The others get the longest chain of
      occurrences in the order of the output (see `chain`). An item outside the chain gets, by the first step that finds
      its string, the first occurrence that overlaps no placed span; else that equals none; else that equals none of its
      label; else the same by the later steps to `punctuation`; else it is `repeated`: named more often than it occurs.
    - `first`, `all`: a document's items are a set of (string, label), which get the first occurrence, or every one.
      Offsets that the answer gives are not looked at. An item that was named before is `merged`.

    A string that no step finds is `absent`. An item is *ambiguous* if its string occurs more often than items name it.
    Answers that are texts with tags are placed by `marking`.

    Source: Evenhand's own rules.
    """
    search = Search(document, fuzzy)
    found = [search.first(item.text.strip()) for item in items]
    ambiguous = _ambiguous(items, found)
    if occurrences == "in-order":
        placements = _in_order(search, items, found, _given(document, items))
        return Placed(tuple(placements), ambiguous, capped=search.capped)
    placements = _each_once(items, found, every=occurrences == "all")
    merged = sum(placement.status == MERGED for placement in placements)
    return Placed(tuple(placements), ambiguous, merged, capped=search.capped)


def place_best(
    document: AnswerDocument,
    items: Sequence[Item],
    gold: Collection[tuple[int, int, str]],
    fuzzy: int | None = FUZZY_PERCENT,
) -> Placed:
    """Place items with regard to gold spans (start, end, label), for an upper bound only; never a score.

    Items first take occurrences that are gold spans of their label, the others are placed in order.
    """
    search = Search(document, fuzzy)
    found = [search.first(item.text.strip()) for item in items]
    fixed = _given(document, items)
    fixed |= _on_gold(items, found, fixed, gold)
    placements = _in_order(search, items, found, fixed)
    return Placed(tuple(placements), _ambiguous(items, found), capped=search.capped)


def _ambiguous(items: Sequence[Item], found: Sequence[Found]) -> tuple[int, ...]:
    """The places of items whose string occurs more often than items name it."""
    rows = [row for row, each in enumerate(found) if len(each.spans) > 1]
    names = Counter([items[row].text.strip() for row in rows])
    return tuple([row for row in rows if len(found[row].spans) > names[items[row].text.strip()]])


def _given(document: AnswerDocument, items: Sequence[Item]) -> dict[int, Placement]:
    """Items whose offsets fit, by their numbers; a second one of the same place and label is `repeated`."""
    fixed = dict[int, Placement]()
    seen = set[tuple[int, int, str]]()
    for number, item in enumerate(items):
        start, end = item.start, item.end
        if start is None or end is None or not 0 <= start < end or document.text[start:end] != item.text:
            continue
        place = (start, end, item.label)
        fixed[number] = Placement(item, REPEATED) if place in seen else Placement(item, GIVEN, ((start, end),))
        seen.add(place)
    return fixed


def _on_gold(
    items: Sequence[Item],
    found: Sequence[Found],
    fixed: Mapping[int, Placement],
    gold: Collection[tuple[int, int, str]],
) -> dict[int, Placement]:
    """Items that can stand on a gold span of their label that no fixed item has, by their numbers."""
    wanted = set(gold) - {(*span, each.item.label) for each in fixed.values() for span in each.spans}
    left = dict[tuple[str, str], Iterator[Span]]()
    placed = dict[int, Placement]()
    for number, (item, each) in enumerate(zip(items, found, strict=True)):
        if number in fixed:
            continue
        spans = left.setdefault((item.text.strip(), item.label), iter(each.spans))
        span = next((span for span in spans if (*span, item.label) in wanted), None)
        if span:
            wanted.remove((*span, item.label))
            placed[number] = Placement(item, each.step, (span,))
    return placed


def _each_once(items: Sequence[Item], found: Sequence[Found], *, every: bool) -> list[Placement]:
    """The first or every occurrence of each string and label."""
    placements = list[Placement]()
    seen = set[tuple[str, str]]()
    for item, each in zip(items, found, strict=True):
        key = (item.text.strip(), item.label)
        if key in seen:
            placements.append(Placement(item, MERGED))
        else:
            placements.append(Placement(item, each.step, tuple(each.spans if every else each.spans[:1])))
            seen.add(key)
    return placements


def _in_order(
    search: Search, items: Sequence[Item], found: Sequence[Found], fixed: Mapping[int, Placement]
) -> list[Placement]:
    """The longest chain, then the others in output order, beside items that have a place already."""
    placed = dict(fixed)
    for number, span in _chain(search, found, fixed).items():
        placed[number] = Placement(items[number], found[number].step, (span,))
    if len(placed) < len(items):
        occupancy = _occupancy(placed)
        for number, item in enumerate(items):
            if number not in placed:
                placed[number] = _other(search, item, found[number], occupancy)
    return [placed[number] for number in range(len(items))]


def _occupancy(placed: Mapping[int, Placement]) -> Occupancy:
    return Occupancy([(span, each.item.label) for each in placed.values() for span in each.spans])


def _chain(search: Search, found: Sequence[Found], fixed: Mapping[int, Placement]) -> dict[int, Span]:
    """The occurrences of the chain, which overlap no item that has a place already, by the items' numbers."""
    candidates = [each.spans for each in found]
    if fixed:
        overlaps = _occupancy(fixed).overlaps
        free = {id(spans): [span for span in spans if not overlaps(span)] for spans in candidates}
        candidates = [[] if number in fixed else free[id(spans)] for number, spans in enumerate(candidates)]
    if sum(map(len, candidates)) > MOST_CANDIDATES:
        search.capped[CANDIDATES] += 1
        return greedy_chain(candidates)
    return longest_chain(candidates)


def _other(search: Search, item: Item, found: Found, occupancy: Occupancy) -> Placement:
    """An item outside the chain: the first free occurrence, by the first step or a later one."""
    if not found.spans:
        return Placement(item, ABSENT)
    string = item.text.strip()
    for step, spans in chain([found], search.later(string, found.step)):
        span = occupancy.choose(spans, item.label, (string, step))
        if span:
            occupancy.add(span, item.label)
            return Placement(item, step, (span,))
    return Placement(item, REPEATED)


# == grounding/alignment.py: Which words of a text that a model wrote are words of the do


MOST_WORDS = 2_000
MOST_PAIRS = 1_000_000


@dataclass(frozen=True)
class Words:
    """Which words of a text that a model wrote are words of the document.

    Both texts are split into words in their forms `case`: runs of letters, digits and marks, or one other character.
    Equal words at both ends are aligned, and what stands between them by `difflib`, if neither side has more than 2,000
    words and there are at most 1,000,000 pairs of equal words: a model that repeats itself without end would take
    minutes.

    Source: Evenhand's own rules.
    """

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
    runs = list[Span]()
    begin = 0
    for is_letter, run in groupby(text, IS_LETTER.__getitem__):
        characters = list(run)
        end = begin + len(characters)
        if is_letter:
            runs.append((begin, end))
        else:
            runs += [(begin + at, begin + at + 1) for at, sign in enumerate(characters) if sign != " "]
        begin = end
    return runs


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


# == grounding/marking.py: Placing the tags of a text that a model wrote, which may not


LONGEST_WINDOW = 2_000
WORDS, WINDOWS = "words to align", "characters between aligned words"
"""What the two limits count, where they are reached."""


def place_marked(document: AnswerDocument, marked: MarkedText, fuzzy: int | None = FUZZY_PERCENT) -> Placed:
    """Placing the tags of a text that a model wrote, which may not be the document's text.

    If the forms `tokens` of both texts are equal, tags are placed by position (`aligned`). Else by words (see
    `alignment`): a span whose words are all aligned to as many neighbouring words is `aligned`, too. The string of any
    other is looked for between the words of the document that the nearest aligned words around it are: first among the
    document's occurrences, then in that window alone, if it has at most 2,000 characters; then in the whole document,
    by the first step that finds it. Of several occurrences the first free one counts, as for items outside a chain (see
    `placing`). A string that no step finds is `absent`; one whose occurrences are taken is `repeated`, and so is a
    second tag of the same place and label.

    Source: Evenhand's own rules.
    """
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


def _by_position(document: AnswerDocument, forms: Forms, span: Span) -> Span | None:
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

    def __init__(self, document: AnswerDocument, forms: Forms, fuzzy: int | None) -> None:
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
