"""Forms of a text in which strings are found that a model spelt in another way.

Each form is made from the one before it, and each of its characters keeps its range in the original:

- `spaces`: white space is one blank, and none at the ends. There is one kind of apostrophe, quotation mark and hyphen,
  and … is three dots. Characters are composed (NFC), and format characters (category Cf) are left out.
- `case`: casefold.
- `tokens`: without blanks.
- `punctuation`: letters, digits and marks only.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress
from unicodedata import category, is_normalized, normalize

from evenhand.dataclass import dataclass
from evenhand.grounding.characters import IS_LETTER
from evenhand.grounding.text_index import TextIndex

Span = tuple[int, int]
"""Where something begins, and where it has ended."""


@dataclass(frozen=True)
class Form:
    """A form of a text: its character `i` stands at `starts[i]` in the original, and has ended at `ends[i]`.

    Without `ends`, each character is one of the original.
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
    found = _ASCII_SIGNS.sub("", text)
    if found.isascii():
        return found
    return _OTHER_SIGNS.sub(lambda match: match[0] if IS_LETTER[match[0]] else "", found)


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
