"""What can go wrong on the user's side, as sentences: what was found, where, and what to do."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping

from evenhand.dataclass import dataclass

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, those that turn the direction of what follows, and halves of characters."""


_CONSONANT_Y = re.compile("[^aeiou]y$")
WARNING = "Warning: "
"""How a note begins that stands above the tables."""


def announced(note: str) -> str:
    """A note as it is shown: a warning says itself what it is."""
    return note if note.startswith(WARNING) else f"Note: {note}"


def counted(number: int, noun: str) -> str:
    """A number of things in words: `1 span`, `2,000 spans`, `3 entities`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def counted_phrase(number: int, phrase: str) -> str:
    """The same for a phrase that begins with a plural noun: `1 span with gaps` from `spans with gaps`."""
    noun, blank, rest = phrase.partition(" ")
    return f"{counted(number, noun.removesuffix('s'))}{blank}{rest}"


def plural(noun: str) -> str:
    """The plural of a noun, of which only the last word changes."""
    return f"{noun[:-1]}ies" if _CONSONANT_Y.search(noun) else f"{noun}s"


def visible(text: str) -> str:
    """A line that no terminal takes for a command: `\\x1b`, `\\u202e` and the like for what has no look of its own."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


ILL_FORMED, TAKEN_ROOTS = "ill-formed span", "several roots"
TAKEN = (ILL_FORMED, TAKEN_ROOTS)
"""Kinds of problems with which a file is scored all the same, unless `--repair error` is given."""
OTHER_WORDS, OTHER_DOCUMENTS, OTHER_LABELS = "other word", "other document", "label"
NOTED = (OTHER_WORDS, OTHER_DOCUMENTS, OTHER_LABELS)
"""Kinds of problems with which files are scored all the same, and of which a note of the score tells."""
_MOST_QUOTED, _LONGEST = 80, 1000
_LONG_WORD = re.compile(r"\S{300,}")
"""Data that is not quoted; paths of files are shorter."""
_QUOTED = re.compile(
    rf"""(?<!\w)(?:'(?:[^'\\]|\\.){{{_MOST_QUOTED + 1},}}+'|"(?:[^"\\]|\\.){{{_MOST_QUOTED + 1},}}+")""", re.DOTALL
)
"""Long data as `repr` shows it; an apostrophe behind a letter begins no quote."""


def brief(message: str) -> str:
    """A message that quotes at most 80 characters of the user's data at a time, and has no more than 1,000 itself."""
    if len(message) <= _MOST_QUOTED:
        return message
    message = _QUOTED.sub(lambda found: f"{found[0][:_MOST_QUOTED]}…{found[0][0]}", message)
    message = _LONG_WORD.sub(lambda found: f"{found[0][:_MOST_QUOTED]}…", message)
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"


class EvenhandWarning(UserWarning):
    """A result that probably does not measure what the user thinks."""


def warn_caller(message: str, category: type[Warning] = EvenhandWarning) -> None:
    """Warn about the first line outside this package that led here."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").startswith("evenhand."):
        depth += 1
    warnings.warn(message, category, stacklevel=depth + 1)


@dataclass(frozen=True)
class Problem:
    """One finding in one file, with its remedy."""

    source: str
    line: int | None
    finding: str
    remedy: str
    kind: str = "format"
    """What it concerns, for counting: format, characters, columns, tag, ill-formed span, text, number, tree, …"""

    @property
    def place(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def __str__(self) -> str:
        return f"{self.place}: {self.finding}; {self.remedy}."


class EvenhandError(Exception):
    """Anything that the user can mend; its text is one sentence."""


class InputError(EvenhandError, ValueError):
    """A file or an object that cannot be read or scored as it is."""

    def __init__(self, source: str, line: int | None, finding: str, remedy: str, kind: str = "format") -> None:
        self.problem = Problem(source, line, brief(finding), brief(remedy), kind)
        super().__init__(str(self.problem))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str, str, str]]:
        """How it comes out of another process: with its problem, not with its sentence."""
        problem = self.problem
        return type(self), (problem.source, problem.line, problem.finding, problem.remedy, problem.kind)


class SettingError(EvenhandError, ValueError):
    """An option with a value that it cannot have."""

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


# == suggestion.py: Suggestions: which name somebody may have meant who wrote on


_SIMILAR = 0.7
"""How similar a suggestion must be. At 0.6, which is enough for a note, `--nothing` suggests `--encoding`."""


def nearest(given: str, names: Iterable[str], similar: float = 0.6) -> str | None:
    """The most similar name, letter case aside."""
    from difflib import get_close_matches  # takes long to load

    by_folded = {name.casefold(): name for name in names}
    close = get_close_matches(given.casefold(), by_folded, n=1, cutoff=similar)
    return by_folded[close[0]] if close else None


def unknown(finding: str, given: str, names: Iterable[str] | Mapping[str, str], remedy: str) -> str:
    """The sentence about a name that there is not, with the one that may have been meant.

    Where several spellings stand for one name, `names` maps each to the name that is shown.
    """
    near = nearest(given, names, _SIMILAR)
    if near is None:
        return f"{finding}; {remedy}."
    shown = names[near] if isinstance(names, Mapping) else near
    return f"{finding}; did you mean {shown}? {remedy[:1].upper()}{remedy[1:]}."


# == limits.py: How much an input may take before it is refused, and how a u


class LimitError(EvenhandError):
    """Something above a limit, found where nobody knows in which file; who reads the file says so."""

    def __init__(self, finding: str, remedy: str, line: int | None = None, place: int | None = None) -> None:
        """`place` is where it is in the bytes of a block, where nobody knows its line either."""
        self.finding, self.remedy, self.line, self.place = finding, remedy, line, place
        super().__init__(f"{finding[:1].upper()}{finding[1:]}; {remedy}.")

    def on_line(self, first_line: int, data: bytes) -> LimitError:
        """The same with its line, in a block that begins with this line."""
        line = self.line if self.place is None else first_line + data.count(b"\n", 0, self.place)
        return LimitError(self.finding, self.remedy, line)

    def __reduce__(self) -> tuple[type[LimitError], tuple[str, str, int | None]]:
        return type(self), (self.finding, self.remedy, self.line)


@dataclass(frozen=True)
class Limit:
    """The most of something that an input may have."""

    variable: str
    """The environment variable that sets another limit."""
    default: int
    what: str

    @property
    def value(self) -> int:
        """The limit that holds now."""
        given = os.environ.get(self.variable)
        if given is None:
            return self.default
        if not (given.isascii() and given.isdigit() and 0 < len(given) <= 18):
            raise SettingError(f"{self.variable} is {given[:80]!r}, but takes a whole number.")
        return int(given)

    @property
    def remedy(self) -> str:
        """What a user can do who is above the limit."""
        return f"check which file it is, or set {self.variable} to more than {self.value}"


PIECE = Limit("EVENHAND_MAX_PIECE_BYTES", 1 << 27, "bytes of a line, sentence, record or document with chains")
FILE = Limit("EVENHAND_MAX_FILE_BYTES", 1 << 29, "bytes of a file that must be held in memory whole, decompressed")
COLUMNS = Limit("EVENHAND_MAX_COLUMNS", 10_000, "columns of a line")
LABEL = Limit("EVENHAND_MAX_LABEL_BYTES", 10_000, "bytes of a label or tag")
TOKENS = Limit("EVENHAND_MAX_TOKENS", 1 << 24, "tokens of a sentence, where spans count them and no text does")
GAPS = Limit("EVENHAND_MAX_GAP_TOKENS", 1 << 20, "tokens that a span leaves out")
DEPTH = Limit("EVENHAND_MAX_DEPTH", 200_000, "brackets within each other")
BRACKETS = Limit("EVENHAND_MAX_BRACKET_BYTES", 100_000, "bytes of the coreference brackets of a word")
PAIRS = Limit(
    "EVENHAND_MAX_PAIRS",
    1 << 21,
    "overlapping pairs of a gold and a system span (or relation) in a sentence or document",
)
LIMITS = (PIECE, FILE, COLUMNS, LABEL, TOKENS, GAPS, DEPTH, BRACKETS, PAIRS)
_QUOTED_LIMITS = 40


def long_label(text: str, place: int | None = None) -> LimitError:
    """The error for a label above the limit, of which the beginning is enough."""
    return LimitError(
        f"a label has more than {LABEL.value:,} bytes ({text[:_QUOTED_LIMITS]!r}…)", LABEL.remedy, place=place
    )
