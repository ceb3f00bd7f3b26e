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

# == grounding/text_index.py: Where a text holds a string, for texts in which many strings


SIZE = 4
OFTEN = 300
"""To sort the places of a text takes as long as some hundred searches."""


class TextIndex:
    """The places of a text, sorted by the four characters that begin there as soon as it has been searched often."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._searches = 0
        self._sorted: tuple[Words, Ints] | None = None

    def hits(self, string: str) -> Iterator[int]:
        """Where the text holds a string, from the left; hits may overlap."""
        self._searches += 1
        if self._searches <= OFTEN or len(string) < SIZE:
            return self._scan(string)
        return self._look_up(string)

    def holds(self, string: str) -> bool:
        return next(self.hits(string), None) is not None

    def _scan(self, string: str) -> Iterator[int]:
        at = self._text.find(string)
        while at >= 0:
            yield at
            at = self._text.find(string, at + 1)

    def _look_up(self, string: str) -> Iterator[int]:
        if self._sorted is None:
            keys = _keys(self._text)
            order = np.argsort(keys, kind="stable")
            self._sorted = keys[order], order
        keys, places = self._sorted
        key = _keys(string[:SIZE])[0]
        first, behind = np.searchsorted(keys, key), np.searchsorted(keys, key, side="right")
        return (at for at in places[first:behind].tolist() if self._text.startswith(string, at))


def _keys(text: str) -> Words:
    """A number for the four characters from each place on; others may have the same number."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    keys = np.zeros(max(len(codes) - SIZE + 1, 0), dtype=np.uint64)
    for offset in range(SIZE):
        keys = keys * np.uint64(0x1F_FFF7) + codes[offset : offset + len(keys)]
    return keys


# == grounding/characters.py: What a character is to the search for strings: part of a wor


_WITHOUT_BLANKS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029)),
    *((0x3031, 0x3035), (0x3038, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF)),
    *((0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFD)),
)
"""First and last characters of scripts that put no blanks between words: Thai, Lao, Myanmar, Khmer, kana and Han."""
_FIRST, _LAST = zip(*_WITHOUT_BLANKS, strict=True)


class _Letters(dict[str, bool]):
    """Whether a character is a letter, a digit or a mark; looked up once each."""

    def __missing__(self, character: str) -> bool:
        self[character] = found = character.isalnum() or category(character)[0] == "M"
        return found


class _Joining(dict[str, bool]):
    """Whether no word ends between a character and another such one; looked up once each."""

    def __missing__(self, character: str) -> bool:
        is_part = character == "_" or IS_LETTER[character]
        self[character] = found = is_part and not _is_without_blanks(character)
        return found


IS_LETTER = _Letters()
IS_JOINING = _Joining()
"""Letters, digits, marks and underscores, but for those of scripts that put no blanks between words."""


def _is_without_blanks(character: str) -> bool:
    code = ord(character)
    at = bisect_right(_FIRST, code) - 1
    return at >= 0 and code <= _LAST[at]


# == grounding/forms.py: Forms of a text in which strings are found that a model spel


Span = tuple[int, int]
"""Where something begins, and where it has ended."""


@dataclass(frozen=True)
class Form:
    """Forms of a text in which strings are found that a model spelt in another way.

    Each form is made from the one before it, and each of its characters keeps its range in the original:

    - `spaces`: white space is one blank, and none at the ends. There is one kind of apostrophe, quotation mark and
      hyphen, and … is three dots. Characters are composed (NFC), and format characters (category Cf) are left out.
    - `case`: casefold.
    - `tokens`: without blanks.
    - `punctuation`: letters, digits and marks only.

    Source: Evenhand's own rules.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int] | None = None

    def span(self, begin: int, end: int) -> Span:
        """The original of some characters, with all of every character that these are a part of."""
        return self.starts[begin], self.starts[end - 1] + 1 if self.ends is None else self.ends[end - 1]


class Forms:
    """The forms of one text, each made when somebody asks."""

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


_SIGNS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}
_ELLIPSIS = "\u2026"
_SIGN = re.compile(f"[{''.join(_SIGNS)}]")
_TRANSLATION = str.maketrans(_SIGNS)


def plain_spaces(text: str) -> str | None:
    """The form `spaces` of a text where it has one character for each of the text; None if that is not so.

    The short way: most texts are in NFC and have no format characters, no tabs and no blanks in a row.
    """
    plain = text.replace("\n", " ")
    # What is not printable: format and control characters, and all white space but the blank.
    if not plain.isprintable() or "  " in plain or plain[:1] == " " or plain[-1:] == " ":
        return None
    if plain.isascii():
        return plain.replace("`", "'")
    if _ELLIPSIS in plain or not is_normalized("NFC", plain):
        return None
    return plain.translate(_TRANSLATION) if _SIGN.search(plain) else plain


_ODD = re.compile(r"[^\w!-_a-~]{2,}|[^\w!-_a-~ ]")
"""What changes in a text in NFC: signs beyond ASCII, the accent `, and white space, but for single blanks."""


def spaced(text: str) -> Form:
    """The form `spaces` of any text."""
    is_composed = is_normalized("NFC", text)
    built = _Builder(text)
    behind = 0
    for start, end in [match.span() for match in _ODD.finditer(text)] if is_composed else [(0, len(text))]:
        built.copy(behind, start)
        for cluster in _clusters(text, start, end):
            built.add(*cluster)
        behind = end
    built.copy(behind, len(text))
    return built.form()


class _Builder:
    """The form `spaces` of a text while it grows."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._characters, self._starts, self._ends = list[str](), list[int](), list[int]()

    def copy(self, start: int, end: int) -> None:
        """Add characters that stay as they are."""
        self._characters += self._text[start:end]
        self._starts += range(start, end)
        self._ends += range(start + 1, end + 1)

    def add(self, start: int, end: int) -> None:
        """Add a cluster; if NFC changes it, all of it is the original of each of its characters."""
        cluster = self._text[start:end]
        composed = normalize("NFC", cluster)
        for at, character in enumerate(composed, start):
            self._put(character, *((at, at + 1) if composed == cluster else (start, end)))

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
        """What was added, without blanks at the ends."""
        text = "".join(self._characters)
        first, behind = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        return Form(text.strip(" "), self._starts[first:behind], self._ends[first:behind])


def _clusters(text: str, start: int, end: int) -> Iterator[Span]:
    """Each character with the marks behind it, which NFC may compose (and vowels and ends of Korean syllables)."""
    for at in range(start + 1, end + 1):
        if at == end or not ("\u1160" <= text[at] <= "\u11ff" or category(text[at])[0] == "M"):
            yield start, at
            start = at


UNFOLDING = re.compile("[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9e\u1f50-\u1fff\ufb00-\ufb17]")
"""All characters that fold to several are among these."""


def folded(form: Form) -> Form:
    """The form `case`; a folded text of the same length has one character for each, as none folds to nothing."""
    text = form.text.casefold()
    if len(text) == len(form.text):
        return Form(text, form.starts, form.ends)
    sizes = [(match.start(), len(match[0].casefold())) for match in UNFOLDING.finditer(form.text)]
    return Form(text, _repeated(form.starts, sizes), None if form.ends is None else _repeated(form.ends, sizes))


def _repeated(values: Sequence[int], sizes: Sequence[tuple[int, int]]) -> list[int]:
    """The values, some of them so many times."""
    found = list[int]()
    behind = 0
    for at, size in sizes:
        found += values[behind:at]
        found += [values[at]] * size
        behind = at + 1
    return found + list(values[behind:])


def _kept(form: Form, text: str, is_kept: Sequence[bool]) -> Form:
    """A form of some of another one's characters, which are `text`."""
    starts = list(compress(form.starts, is_kept))
    return Form(text, starts, None if form.ends is None else list(compress(form.ends, is_kept)))


_ASCII_SIGNS = re.compile(r"[\x00-\x2f:-@\[-`{-\x7f]+")
_OTHER_SIGNS = re.compile(r"\W")


def letters(text: str) -> str:
    """The letters, digits and marks of a text."""
    letters = _ASCII_SIGNS.sub("", text)
    if letters.isascii():
        return letters
    return _OTHER_SIGNS.sub(lambda match: match[0] if IS_LETTER[match[0]] else "", letters)


@dataclass(frozen=True)
class Spelling:
    """A string in the forms in which it is looked for."""

    exact: str
    spaces: str
    case: str
    tokens: str
    punctuation: str


def spell(string: str) -> Spelling:
    plain = plain_spaces(string)
    spaces = spaced(string).text if plain is None else plain
    case = spaces.casefold()
    tokens = case.replace(" ", "")
    return Spelling(string, spaces, case, tokens, letters(tokens))


# == grounding/document.py: The text in which strings are looked for, with its forms and


@dataclass(frozen=True)
class AnswerDocument:
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

    def window(self, start: int, end: int) -> AnswerDocument:
        """A part of the text as a document of its own."""
        breaks = self.breaks[bisect_right(self.breaks, start) : bisect_left(self.breaks, end)]
        return AnswerDocument(self.text[start:end], [each - start for each in breaks])


# == grounding/fuzzy.py: Where a string nearly stands: with a few edits, from one wor


MOST_EDITS, SHORTEST, MOST_HITS, MOST_WINDOWS = 15, 7, 50, 200
HITS, WINDOWS = "hits of a piece", "windows"
"""What the two limits count, where they are reached."""


def edits_allowed(size: int, percent: int) -> int:
    """Where a string nearly stands: with a few edits, from one word boundary to another.

    For m characters, k = min(15, ⌊0.15 · m⌋) edits are allowed, none below 7 characters (0.15 is a setting). A place
    with at most k edits holds one of k + 1 pieces of the string unchanged, so places are looked for around pieces,
    which are cut at ⌊t · m / (k + 1)⌋. Of a piece, the first 50 hits count; a place may begin at word boundaries within
    k of where the string would begin, at most 200 of them.

    An edit inserts, deletes or substitutes a character. The places with the fewest edits count. Of several lengths at
    one start, the one nearest to m counts, then the shorter one; a place that overlaps an earlier one is left out.

    Source: Levenshtein 1966 (the distance); the search is Evenhand's own.
    """
    return min(MOST_EDITS, size * percent // 100, size - 1) if size >= SHORTEST else 0


def near_occurrences(document: AnswerDocument, string: str, percent: int, capped: Counter[str]) -> list[Span]:
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


def _beginnings(document: AnswerDocument, string: str, most: int, capped: Counter[str]) -> Iterator[int]:
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
    document: AnswerDocument, form: Form, beginnings: Iterable[int], most: int, capped: Counter[str]
) -> set[int]:
    """Where in the form places may begin."""
    window_starts = set[int]()
    size, starts, is_boundary = len(form.text), form.starts, document.is_boundary
    for beginning in beginnings:
        for start in range(max(beginning - most, 0), min(beginning + most + 1, size)):
            if start in window_starts or not is_boundary(starts[start]):
                continue
            if len(window_starts) == MOST_WINDOWS:
                capped[WINDOWS] += 1
                return window_starts
            window_starts.add(start)
    return window_starts


def _best_place(document: AnswerDocument, form: Form, string: str, start: int, most: int) -> tuple[int, Span] | None:
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


# == grounding/search.py (primary)


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

    def __init__(self, document: AnswerDocument, fuzzy: int | None) -> None:
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


def occurrences(document: AnswerDocument, form: Form, string: str, *, may_end_in_word: bool = False) -> list[Span]:
    """Where a string stands in a form of a document, in places of the original."""
    occurrences = list[Span]()
    if not string:
        return occurrences
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
            occurrences.append(span)
            cursor = span[1]
        at = text.find(string, at + size if is_place else at + 1)
    return occurrences


def exact_occurrences(document: AnswerDocument, string: str) -> list[Span]:
    """Where a string stands as it is: the short way of `occurrences` in the form `exact`, for most strings."""
    occurrences = list[Span]()
    if not string:
        return occurrences
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
            occurrences.append((at, at + size))
            at = text.find(string, at + size)
    return occurrences
