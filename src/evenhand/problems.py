"""What can go wrong on the user's side, as sentences: what was found, where, and what to do."""

from __future__ import annotations

import re
import sys
import warnings

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
