"""Where a string nearly stands: with a few edits, from one word boundary to another.

For m characters, k = min(15, ⌊0.15 · m⌋) edits are allowed, none below 7 characters (0.15 is a setting). A place with
at most k edits holds one of k + 1 pieces of the string unchanged, so places are looked for around pieces, which are cut
at ⌊t · m / (k + 1)⌋. Of a piece, the first 50 hits count; a place may begin at word boundaries within k of where the
string would begin, at most 200 of them.

An edit inserts, deletes or substitutes a character. The places with the fewest edits count. Of several lengths at one
start, the one nearest to m counts, then the shorter one; a place that overlaps an earlier one is left out.

Source: Levenshtein 1966 (the distance); the search is Evenhand's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from evenhand.grounding.document import Document
from evenhand.grounding.forms import Form, Span

MOST_EDITS, SHORTEST, MOST_HITS, MOST_WINDOWS = 15, 7, 50, 200
HITS, WINDOWS = "hits of a piece", "windows"
"""What the two limits count, where they are reached."""


def edits_allowed(size: int, percent: int) -> int:
    """How many edits a string of so many characters may have; one character at least stays."""
    return min(MOST_EDITS, size * percent // 100, size - 1) if size >= SHORTEST else 0


def near_occurrences(document: Document, string: str, percent: int, capped: Counter[str]) -> list[Span]:
    """The places with the fewest edits, from the left and without overlap; `string` is in the form `tokens`.

    Where places begin together, the one nearest to the string in length counts, of two the shorter one.
    """
    most = edits_allowed(len(string), percent)
    beginnings = _beginnings(document, string, most, capped) if most else iter(())
    first = next(beginnings, None)
    if first is None:
        return []
    form = document.forms.tokens
    triples = [string[at : at + 3] for at in range(0, len(string) - 2, 3)]
    places = list[tuple[int, Span]]()
    for start in sorted(_window_starts(document, form, chain([first], beginnings), most, capped)):
        window = form.text[start : start + len(string) + most]
        # An edit changes at most one of the triples.
        if sum(map(window.__contains__, triples)) >= len(triples) - most:
            place = _best_place(document, form, string, start, most)
            if place:
                most = place[0]
                places.append(place)
    return _without_overlap([span for edits, span in places if edits == most])


def _beginnings(document: Document, string: str, most: int, capped: Counter[str]) -> Iterator[int]:
    """Where in the form the string would begin, by the hits of its pieces."""
    size, count = len(string), most + 1
    for number in range(count):
        offset = number * size // count
        piece = string[offset : (number + 1) * size // count]
        hits = document.forms.tokens_index.hits(piece)
        for hit in islice(hits, MOST_HITS):
            yield hit - offset
        if next(hits, None) is not None:
            capped[HITS] += 1


def _window_starts(
    document: Document, form: Form, beginnings: Iterable[int], most: int, capped: Counter[str]
) -> set[int]:
    """Where in the form places may begin."""
    found = set[int]()
    size, starts, is_boundary = len(form.text), form.starts, document.is_boundary
    for beginning in beginnings:
        for start in range(max(beginning - most, 0), min(beginning + most + 1, size)):
            if start in found or not is_boundary(starts[start]):
                continue
            if len(found) == MOST_WINDOWS:
                capped[WINDOWS] += 1
                return found
            found.add(start)
    return found


def _best_place(document: Document, form: Form, string: str, start: int, most: int) -> tuple[int, Span] | None:
    """The best place that begins at a character of the form, and its edits."""
    for edits, size in endings(string, form.text[start : start + len(string) + most], most):
        span = form.span(start, start + size)
        if document.is_boundary(span[1]) and document.is_within_sentence(*span):
            return edits, span
    return None


def endings(string: str, window: str, most: int) -> Iterator[tuple[int, int]]:
    """The edits between a string and each beginning of a window, and the latter's length, if at most `most` are needed.

    There must be fewer edits than characters. Fewest edits first, then lengths nearest to the string's, then the
    shorter. For each number of edits and each difference in length, `reached` says how much of the string can be read
    (Ukkonen 1985, "Algorithms for approximate string matching", the diagonals of the table of distances).
    """
    size, width = len(string), len(window)
    before = dict[int, int]()
    for edits in range(most + 1):
        reached = dict[int, int]()
        for shift in _shifts(edits):
            at = max(before.get(shift, -1) + 1, before.get(shift - 1, -1), before.get(shift + 1, -1) + 1)
            at = min(at, size, width - shift)
            while at < size and at + shift < width and string[at] == window[at + shift]:
                at += 1
            reached[shift] = at
            if at == size and before.get(shift) != size:
                yield edits, size + shift
        before = reached


def _shifts(edits: int) -> Iterator[int]:
    """0, -1, 1, -2, 2, … as far as so many edits can shift the rest of a string."""
    yield 0
    for shift in range(1, edits + 1):
        yield -shift
        yield shift


def _without_overlap(spans: list[Span]) -> list[Span]:
    """Spans in their order but for those that overlap an earlier one."""
    found = list[Span]()
    for span in spans:
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found
