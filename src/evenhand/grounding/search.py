"""Search for a string in a document, step by step: the first step that finds it decides.

| step | searches |
| --- | --- |
| `exact` | the unchanged string |
| `spaces`, `case`, `tokens`, `punctuation` | the forms of string and text (see `Form`) |
| `part` | the form `case` of 3 characters or more, whose end may be inside a word |
| `fuzzy` | the form `tokens` with a few edits (see `edits_allowed`) |

An occurrence begins and ends at word boundaries of the original and does not cross sentences. Occurrences are taken
from the left, without overlap.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, compress, islice
from typing import NamedTuple
from unicodedata import category, is_normalized, normalize

import numpy as np

from evenhand.arrays import Ints, Words
from evenhand.dataclass import dataclass

Span = tuple[int, int]
"""Start and exclusive end."""
FORMS = ("exact", "spaces", "case", "tokens", "punctuation")
"""The steps that search a form of the string, from strict to loose."""
PART, FUZZY, ABSENT = "part", "fuzzy", "absent"
MIN_PART = 3
MAX_EDITS, MIN_FUZZY, MAX_HITS, MAX_WINDOWS = 15, 7, 50, 200
HITS, WINDOWS = "hits of a piece", "windows"
"""Names of the limits, for counting how often they are reached."""
KEY_SIZE = 4
OFTEN = 300
"""Number of searches after which an index pays: sorting the positions of a text takes as long as some hundred."""
UNFOLDING = re.compile("[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9e\u1f50-\u1fff\ufb00-\ufb17]")
"""A superset of the characters that fold to several."""
_WITHOUT_BLANKS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029)),
    *((0x3031, 0x3035), (0x3038, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF)),
    *((0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFD)),
)
"""First and last characters of scripts without blanks between words: Thai, Lao, Myanmar, Khmer, kana and Han."""
_FIRST, _LAST = zip(*_WITHOUT_BLANKS, strict=True)
_SIGNS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}
_ELLIPSIS = "\u2026"
_SIGN = re.compile(f"[{''.join(_SIGNS)}]")
PLAIN_SIGNS = str.maketrans(_SIGNS)
"""Plain quotes and hyphens in place of others."""
_ODD = re.compile(r"[^\w!-_a-~]{2,}|[^\w!-_a-~ ]")
"""The parts of a text in NFC that change: signs beyond ASCII, the accent `, and white space except single blanks."""
_ASCII_SIGNS = re.compile(r"[\x00-\x2f:-@\[-`{-\x7f]+")
_OTHER_SIGNS = re.compile(r"\W")


class TextIndex:
    """Positions of a text; after many searches, sorted by the four characters that begin there."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._searches = 0
        self._sorted: tuple[Words, Ints] | None = None

    def hits(self, string: str) -> Iterator[int]:
        """Yield the positions of a string, from the left; hits may overlap."""
        self._searches += 1
        if self._searches <= OFTEN or len(string) < KEY_SIZE:
            return self._scan(string)
        return self._look_up(string)

    def holds(self, string: str) -> bool:
        return next(self.hits(string), None) is not None

    def _scan(self, string: str) -> Iterator[int]:
        position = self._text.find(string)
        while position >= 0:
            yield position
            position = self._text.find(string, position + 1)

    def _look_up(self, string: str) -> Iterator[int]:
        if self._sorted is None:
            keys = _keys(self._text)
            order = np.argsort(keys, kind="stable")
            self._sorted = keys[order], order
        keys, positions = self._sorted
        key = _keys(string[:KEY_SIZE])[0]
        first, end = np.searchsorted(keys, key), np.searchsorted(keys, key, side="right")
        return (position for position in positions[first:end].tolist() if self._text.startswith(string, position))


def _keys(text: str) -> Words:
    """Return a hash of the four characters from each position."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    keys = np.zeros(max(len(codes) - KEY_SIZE + 1, 0), dtype=np.uint64)
    for offset in range(KEY_SIZE):
        keys = keys * np.uint64(0x1F_FFF7) + codes[offset : offset + len(keys)]
    return keys


class _Letters(dict[str, bool]):
    """Whether a character is a letter, a digit or a mark; computed once per character."""

    def __missing__(self, character: str) -> bool:
        return self.setdefault(character, character.isalnum() or category(character)[0] == "M")


class _Joining(dict[str, bool]):
    """Whether words do not end between two such characters; computed once per character."""

    def __missing__(self, character: str) -> bool:
        script = bisect_right(_FIRST, ord(character)) - 1
        is_without_blanks = script >= 0 and ord(character) <= _LAST[script]
        is_part = character == "_" or IS_LETTER[character]
        return self.setdefault(character, is_part and not is_without_blanks)


IS_LETTER = _Letters()
IS_JOINING = _Joining()
"""Letters, digits, marks and underscores, except in scripts without blanks between words."""


@dataclass(frozen=True)
class Form:
    """Forms of a text in which strings are found that a model spelt differently.

    Each form is made from the preceding one, and each of its characters keeps its range in the original:

    - `spaces`: white space is one blank, and none at the ends. There is one kind of apostrophe, quotation mark and
      hyphen, and … is three dots. Characters are composed (NFC), and format characters (category Cf) are removed.
    - `case`: casefold.
    - `tokens`: without blanks.
    - `punctuation`: letters, digits and marks only.

    Source: Evenhand's own rules.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int] | None = None

    def span(self, begin: int, end: int) -> Span:
        """Return the range of some characters in the original."""
        return self.starts[begin], self.starts[end - 1] + 1 if self.ends is None else self.ends[end - 1]


class Forms:
    """The forms of one text, computed on first use."""

    def __init__(self, text: str) -> None:
        self.exact = Form(text, range(len(text)))

    @cached_property
    def spaces(self) -> Form:
        plain = plain_spaces(self.exact.text)
        return spaced(self.exact.text) if plain is None else Form(plain, self.exact.starts)

    @cached_property
    def case(self) -> Form:
        return folded(self.spaces)

    @cached_property
    def tokens_text(self) -> str:
        return self.case.text.replace(" ", "")

    @cached_property
    def tokens_index(self) -> TextIndex:
        return TextIndex(self.tokens_text)

    @cached_property
    def tokens(self) -> Form:
        return _kept(self.case, self.tokens_text, [character != " " for character in self.case.text])

    @cached_property
    def punctuation_text(self) -> str:
        return letters(self.tokens_text)

    @cached_property
    def punctuation_index(self) -> TextIndex:
        return TextIndex(self.punctuation_text)

    @cached_property
    def punctuation(self) -> Form:
        return _kept(self.tokens, self.punctuation_text, [IS_LETTER[character] for character in self.tokens_text])


def plain_spaces(text: str) -> str | None:
    """Return the form `spaces` of a text if it has one character for each of the text; otherwise None.

    Fast path: most texts are in NFC and have no format characters, no tabs and no consecutive blanks.
    """
    plain = text.replace("\n", " ")
    # Format and control characters, and all white space except the blank, are not printable.
    if not plain.isprintable() or "  " in plain or plain[:1] == " " or plain[-1:] == " ":
        return None
    if plain.isascii():
        return plain.replace("`", "'")
    if _ELLIPSIS in plain or not is_normalized("NFC", plain):
        return None
    return plain.translate(PLAIN_SIGNS) if _SIGN.search(plain) else plain


def spaced(text: str) -> Form:
    """Return the form `spaces` of any text."""
    is_composed = is_normalized("NFC", text)
    builder = _Builder(text)
    done = 0
    for start, end in [match.span() for match in _ODD.finditer(text)] if is_composed else [(0, len(text))]:
        builder.copy(done, start)
        for cluster in _clusters(text, start, end):
            builder.add(*cluster)
        done = end
    builder.copy(done, len(text))
    return builder.form()


class _Builder:
    """Builds the form `spaces` of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._characters, self._starts, self._ends = list[str](), list[int](), list[int]()

    def copy(self, start: int, end: int) -> None:
        self._characters += self._text[start:end]
        self._starts += range(start, end)
        self._ends += range(start + 1, end + 1)

    def add(self, start: int, end: int) -> None:
        """Add a cluster; if NFC changes it, its whole range is the original of each of its characters."""
        cluster = self._text[start:end]
        composed = normalize("NFC", cluster)
        for offset, character in enumerate(composed, start):
            self._put(character, *((offset, offset + 1) if composed == cluster else (start, end)))

    def _put(self, character: str, start: int, end: int) -> None:
        if category(character) == "Cf":
            return
        if not character.isspace():
            signs = "..." if character == _ELLIPSIS else _SIGNS.get(character, character)
        elif self._characters[-1:] == [" "]:
            self._ends[-1] = end
            return
        else:
            signs = " "
        self._characters += signs
        self._starts += [start] * len(signs)
        self._ends += [end] * len(signs)

    def form(self) -> Form:
        """Return the form without blanks at the ends."""
        text = "".join(self._characters)
        first, end = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        return Form(text.strip(" "), self._starts[first:end], self._ends[first:end])


def _clusters(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield each character with the following marks (or parts of Korean syllables), which NFC may compose."""
    for offset in range(start + 1, end + 1):
        if offset == end or not ("\u1160" <= text[offset] <= "\u11ff" or category(text[offset])[0] == "M"):
            yield start, offset
            start = offset


def folded(form: Form) -> Form:
    """Return the form `case`. No character folds to nothing, so in a folded text of the same length all fold to one."""
    text = form.text.casefold()
    if len(text) == len(form.text):
        return Form(text, form.starts, form.ends)
    sizes = [(match.start(), len(match[0].casefold())) for match in UNFOLDING.finditer(form.text)]
    return Form(text, _repeated(form.starts, sizes), None if form.ends is None else _repeated(form.ends, sizes))


def _repeated(values: Sequence[int], sizes: Sequence[tuple[int, int]]) -> list[int]:
    """Repeat some values, given their rows and numbers."""
    repeated = list[int]()
    done = 0
    for row, size in sizes:
        repeated += values[done:row]
        repeated += [values[row]] * size
        done = row + 1
    return repeated + list(values[done:])


def _kept(form: Form, text: str, is_kept: Sequence[bool]) -> Form:
    """Return the form of some characters of another form, which are `text`."""
    starts = list(compress(form.starts, is_kept))
    return Form(text, starts, None if form.ends is None else list(compress(form.ends, is_kept)))


def letters(text: str) -> str:
    """Return the letters, digits and marks of a text."""
    letters = _ASCII_SIGNS.sub("", text)
    if letters.isascii():
        return letters
    return _OTHER_SIGNS.sub(lambda match: match[0] if IS_LETTER[match[0]] else "", letters)


@dataclass(frozen=True)
class AnswerDocument:
    """A text to search, and the offsets of its sentences except the first."""

    text: str
    breaks: Sequence[int] = ()

    @cached_property
    def forms(self) -> Forms:
        return Forms(self.text)

    def is_boundary(self, offset: int) -> bool:
        """Whether a word may begin or end here: anywhere except between two characters of words.

        In scripts without blanks between words (Thai, Lao, Myanmar, Khmer, kana, Han), everywhere.
        """
        text = self.text
        return not 0 < offset < len(text) or not (IS_JOINING[text[offset - 1]] and IS_JOINING[text[offset]])

    def is_within_sentence(self, start: int, end: int) -> bool:
        return not self.breaks or bisect_right(self.breaks, start) == bisect_left(self.breaks, end)

    def window(self, start: int, end: int) -> AnswerDocument:
        """Return a part of the text as a document."""
        breaks = self.breaks[bisect_right(self.breaks, start) : bisect_left(self.breaks, end)]
        return AnswerDocument(self.text[start:end], [offset - start for offset in breaks])


def edits_allowed(size: int, percent: int) -> int:
    """Fuzzy search finds a string with a few edits, from one word boundary to another.

    For m characters, k = min(15, ⌊0.15 · m⌋) edits are allowed, none below 7 characters (0.15 is a setting). A match
    with at most k edits contains one of k + 1 pieces of the string unchanged, so the search starts from the pieces,
    which are split at ⌊t · m / (k + 1)⌋. The first 50 hits of a piece count; a match may begin at word boundaries at
    most k characters from the expected beginning, of which at most 200 are tried.

    An edit inserts, deletes or substitutes a character. The matches with the fewest edits count. Among several lengths
    with the same start, the one nearest to m counts, then the shorter one; a match that overlaps an earlier one is left
    out.

    Source: Levenshtein 1966 (the distance); the search is Evenhand's own.
    """
    return min(MAX_EDITS, size * percent // 100, size - 1) if size >= MIN_FUZZY else 0


def near_occurrences(document: AnswerDocument, string: str, percent: int, capped: Counter[str]) -> list[Span]:
    """Return the matches with the fewest edits, from the left and without overlap; `string` is in the form `tokens`."""
    most = edits_allowed(len(string), percent)
    beginnings = _beginnings(document, string, most, capped) if most else iter(())
    first = next(beginnings, None)
    if first is None:
        return []
    form = document.forms.tokens
    triples = [string[begin : begin + 3] for begin in range(0, len(string) - 2, 3)]
    matches = list[tuple[int, Span]]()
    for start in sorted(_window_starts(document, form, chain([first], beginnings), most, capped)):
        # An edit changes at most one of the triples.
        if sum(map(form.text[start : start + len(string) + most].__contains__, triples)) >= len(triples) - most:
            match = _best_match(document, form, string, start, most)
            if match:
                most = match[0]
                matches.append(match)
    return _without_overlap([span for edits, span in matches if edits == most])


def _beginnings(document: AnswerDocument, string: str, most: int, capped: Counter[str]) -> Iterator[int]:
    """Yield the expected beginnings of the string in the form, by the hits of its pieces."""
    size, count = len(string), most + 1
    for number in range(count):
        offset = number * size // count
        hits = document.forms.tokens_index.hits(string[offset : (number + 1) * size // count])
        for hit in islice(hits, MAX_HITS):
            yield hit - offset
        if next(hits, None) is not None:
            capped[HITS] += 1


def _window_starts(
    document: AnswerDocument, form: Form, beginnings: Iterable[int], most: int, capped: Counter[str]
) -> set[int]:
    """Return the offsets in the form at which matches may begin."""
    window_starts = set[int]()
    size, starts, is_boundary = len(form.text), form.starts, document.is_boundary
    for beginning in beginnings:
        for start in range(max(beginning - most, 0), min(beginning + most + 1, size)):
            if start in window_starts or not is_boundary(starts[start]):
                continue
            if len(window_starts) == MAX_WINDOWS:
                capped[WINDOWS] += 1
                return window_starts
            window_starts.add(start)
    return window_starts


def _best_match(document: AnswerDocument, form: Form, string: str, start: int, most: int) -> tuple[int, Span] | None:
    """Return the number of edits and the span of the best match that begins at a character of the form."""
    for edits, size in endings(string, form.text[start : start + len(string) + most], most):
        span = form.span(start, start + size)
        if document.is_boundary(span[1]) and document.is_within_sentence(*span):
            return edits, span
    return None


def endings(string: str, window: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the edits between a string and each prefix of a window, up to `most`, and the length of the prefix.

    There must be fewer edits than characters. Fewest edits come first, then lengths nearest to the string's, then
    shorter ones. For each number of edits and each difference in length, `reached` is the length of the string that can
    be read (Ukkonen 1985, "Algorithms for approximate string matching", the diagonals of the table of distances).
    """
    size, width = len(string), len(window)
    before = dict[int, int]()
    for edits in range(most + 1):
        reached = dict[int, int]()
        for shift in _shifts(edits):
            row = max(before.get(shift, -1) + 1, before.get(shift - 1, -1), before.get(shift + 1, -1) + 1)
            row = min(row, size, width - shift)
            while row < size and row + shift < width and string[row] == window[row + shift]:
                row += 1
            reached[shift] = row
            if row == size and before.get(shift) != size:
                yield edits, size + shift
        before = reached


def _shifts(edits: int) -> Iterator[int]:
    """Yield 0, -1, 1, -2, 2, … up to the number of edits."""
    yield 0
    for shift in range(1, edits + 1):
        yield -shift
        yield shift


def _without_overlap(spans: list[Span]) -> list[Span]:
    kept = list[Span]()
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


class Found(NamedTuple):
    """The step that found a string, and its occurrences from the left; none if it is absent."""

    step: str
    spans: list[Span]


class Search:
    """Search for strings in one document, with a cache."""

    def __init__(self, document: AnswerDocument, fuzzy: int | None) -> None:
        self.document, self._fuzzy = document, fuzzy
        self.capped = Counter[str]()
        """Number of times each limit was reached."""
        self._found = dict[str, Found]()
        self._later = dict[tuple[str, str], Found]()

    def first(self, string: str) -> Found:
        """Return the occurrences of a stripped string by the first step that finds any."""
        if string not in self._found:
            spans = exact_occurrences(self.document, string)
            self._found[string] = Found(FORMS[0], spans) if spans else self._loosely(string)
        return self._found[string]

    def later(self, string: str, step: str) -> Iterator[Found]:
        """Yield the occurrences of a stripped string by the steps after `step`, up to `punctuation`."""
        if step in FORMS:
            for name in FORMS[FORMS.index(step) + 1 :]:
                if (string, name) not in self._later:
                    self._later[string, name] = Found(name, self._by_form(name, Forms(string)))
                yield self._later[string, name]

    def _loosely(self, string: str) -> Found:
        """Return the occurrences by the first step after `exact` that finds any."""
        forms, document_forms = Forms(string), self.document.forms
        # If any form contains the string, the loosest one contains its letters.
        if not forms.punctuation_text or document_forms.punctuation_index.holds(forms.punctuation_text):
            for name in FORMS[1:]:
                if spans := self._by_form(name, forms):
                    return Found(name, spans)
            case = forms.case.text
            if len(case) >= MIN_PART and (
                spans := occurrences(self.document, document_forms.case, case, may_end_in_word=True)
            ):
                return Found(PART, spans)
        if self._fuzzy is not None and (
            spans := near_occurrences(self.document, forms.tokens_text, self._fuzzy, self.capped)
        ):
            return Found(FUZZY, spans)
        return Found(ABSENT, [])

    def _by_form(self, name: str, forms: Forms) -> list[Span]:
        return occurrences(self.document, getattr(self.document.forms, name), getattr(forms, name).text)


def occurrences(document: AnswerDocument, form: Form, string: str, *, may_end_in_word: bool = False) -> list[Span]:
    """Return the occurrences of a string in a form of a document, in offsets of the original."""
    occurrences = list[Span]()
    if not string:
        return occurrences
    text, size, cursor = form.text, len(string), 0
    index = text.find(string)
    while index >= 0:
        span = form.span(index, index + size)
        is_valid = (
            span[0] >= cursor
            and document.is_boundary(span[0])
            and (may_end_in_word or document.is_boundary(span[1]))
            and document.is_within_sentence(*span)
        )
        if is_valid:
            occurrences.append(span)
            cursor = span[1]
        index = text.find(string, index + size if is_valid else index + 1)
    return occurrences


def exact_occurrences(document: AnswerDocument, string: str) -> list[Span]:
    """Return the occurrences of the unchanged string: a fast path of `occurrences` in the form `exact`."""
    occurrences = list[Span]()
    if not string:
        return occurrences
    text, size, is_joining, breaks = document.text, len(string), IS_JOINING, document.breaks
    begins_joining, ends_joining, last = is_joining[string[0]], is_joining[string[-1]], len(text) - size
    start = text.find(string)
    while start >= 0:
        if (
            (begins_joining and start and is_joining[text[start - 1]])
            or (ends_joining and start < last and is_joining[text[start + size]])
            or (breaks and not document.is_within_sentence(start, start + size))
        ):
            start = text.find(string, start + 1)
        else:
            occurrences.append((start, start + size))
            start = text.find(string, start + size)
    return occurrences
