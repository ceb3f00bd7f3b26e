"""Exceptions and warnings, limits on input sizes, and the phrasing of messages.

A message states the finding, its location and the remedy.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping

from evenhand.dataclass import dataclass

WARNING = "Warning: "
"""Prefix of notes that are shown above the tables."""
ILL_FORMED, TAKEN_ROOTS = "ill-formed span", "several roots"
TAKEN = (ILL_FORMED, TAKEN_ROOTS)
"""Kinds of problems that do not keep a file from being scored, unless `--repair error` is set."""
OTHER_WORDS, OTHER_DOCUMENTS, OTHER_LABELS = "other word", "other document", "label"
UNKNOWN_LABELS = "labels"
"""The kind of problem that none of the labels of a file is known."""
NOTED = (OTHER_WORDS, OTHER_DOCUMENTS, OTHER_LABELS)
"""Kinds of problems that do not keep files from being scored and are reported in a note."""

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks of text direction, and surrogates."""
_MAX_QUOTED, _MAX_MESSAGE, _MAX_LABEL_QUOTED = 80, 1000, 40
_LONG_WORD = re.compile(r"\S{300,}")
"""Unquoted data; file paths are shorter."""
_QUOTED = re.compile(
    rf"""(?<!\w)(?:'(?:[^'\\]|\\.){{{_MAX_QUOTED + 1},}}+'|"(?:[^"\\]|\\.){{{_MAX_QUOTED + 1},}}+")""", re.DOTALL
)
"""Long data as `repr` shows it. An apostrophe after a letter does not begin a quotation."""


def announced(note: str) -> str:
    """Return a note with the prefix "Note: ", unless it is a warning."""
    return note if note.startswith(WARNING) else f"Note: {note}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 span`, `2,000 spans`, `3 entities`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def counted_phrase(number: int, phrase: str) -> str:
    """The same for a phrase that begins with a plural noun: `1 span with gaps` from `spans with gaps`."""
    noun, blank, remainder = phrase.partition(" ")
    return f"{counted(number, noun.removesuffix('s'))}{blank}{remainder}"


def reason_of(error: Exception) -> str:
    """Return why JSON cannot be read. Every version of Python has another message for too many brackets."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".")


def plural(noun: str) -> str:
    """Return the plural of a noun or of a phrase that ends with one."""
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


def visible(text: str) -> str:
    """Escape characters that a terminal may interpret (`\\x1b`, `\\u202e`)."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def brief(message: str) -> str:
    """Shorten a message to 1,000 characters, and each quotation of the user's data to 80."""
    if len(message) <= _MAX_QUOTED:
        return message
    message = _QUOTED.sub(lambda match: f"{match[0][:_MAX_QUOTED]}…{match[0][0]}", message)
    message = _LONG_WORD.sub(lambda match: f"{match[0][:_MAX_QUOTED]}…", message)
    return message if len(message) <= _MAX_MESSAGE else f"{message[: _MAX_MESSAGE - 1]}…"


def nearest(name: str, names: Iterable[str], similar: float = 0.6) -> str | None:
    """Return the most similar name, ignoring case."""
    from difflib import get_close_matches  # slow to load

    by_folded = {known.casefold(): known for known in names}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=similar)
    return by_folded[close[0]] if close else None


def unknown(finding: str, name: str, names: Iterable[str] | Mapping[str, str], remedy: str) -> str:
    """Return the error message for an unknown name, with a suggestion.

    If `names` is a mapping, it maps every accepted spelling to the name to suggest.
    """
    near = nearest(name, names, 0.7)  # at 0.6, which is enough for a note, `--nothing` suggests `--encoding`
    if near is None:
        return f"{finding}; {remedy}."
    suggestion = names[near] if isinstance(names, Mapping) else near
    return f"{finding}; did you mean {suggestion}? {remedy[:1].upper()}{remedy[1:]}."


class EvenhandWarning(UserWarning):
    """A result that probably does not measure what the user expects."""


def warn_caller(message: str, category: type[Warning] = EvenhandWarning) -> None:
    """Issue a warning for the innermost caller outside this package."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").startswith("evenhand."):
        depth += 1
    warnings.warn(message, category, stacklevel=depth + 1)


class EvenhandError(Exception):
    """An error that the user can fix; its text is one sentence."""

    exit_status = 2
    """Of the command line."""


@dataclass(frozen=True)
class Problem:
    """One finding in one file, with its remedy."""

    source: str
    line: int | None
    finding: str
    remedy: str
    kind: str = "format"
    """The kind, for counting: format, characters, columns, tag, ill-formed span, text, number, tree, …"""

    @property
    def place(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def __str__(self) -> str:
        """A remedy that begins with a capital letter is a sentence of its own."""
        separator = "" if not self.remedy else ". " if self.remedy[0].isupper() else "; "
        return f"{self.place}: {self.finding}{separator}{self.remedy}."


class InputError(EvenhandError, ValueError):
    """A file or an object that cannot be read or scored."""

    def __init__(self, source: str, line: int | None, finding: str, remedy: str, kind: str = "format") -> None:
        self.problem = Problem(source, line, brief(finding), brief(remedy), kind)
        super().__init__(str(self.problem))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str, str, str]]:
        problem = self.problem
        return type(self), (problem.source, problem.line, problem.finding, problem.remedy, problem.kind)


@dataclass(frozen=True)
class Skipped:
    """Why a system was not scored."""

    file: str | None
    """The file with the problem; None if it is not in a file."""
    line: int | None
    problem: str

    @staticmethod
    def of(error: EvenhandError) -> Skipped:
        if not isinstance(error, InputError):
            return Skipped(None, None, str(error))
        found = error.problem
        return Skipped(found.source, found.line, str(error).removeprefix(f"{found.place}: "))

    def __str__(self) -> str:
        """The error message."""
        place = [] if self.file is None else [self.file if self.line is None else f"{self.file}:{self.line}"]
        return ": ".join((*place, self.problem))

    def saved(self, name: str) -> dict[str, str | int | None]:
        return {"name": name, "file": self.file, "line": self.line, "problem": self.problem}


class NoSystemLeftError(EvenhandError, ValueError):
    """All systems are broken, or too many of them for a comparison."""

    exit_status = 1

    def __init__(self, message: str, left: int = 0) -> None:
        """`left` is the number of systems that can be scored."""
        self.left = left
        super().__init__(message)


class SettingError(EvenhandError, ValueError):
    """An option with an invalid value."""

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


class LimitError(EvenhandError):
    """Input above a limit, raised by code that does not know the file; readers add the file to the message."""

    def __init__(self, finding: str, remedy: str, line: int | None = None, offset: int | None = None) -> None:
        """`offset` is the byte offset in a block, if the line is unknown."""
        self.finding, self.remedy, self.line, self.offset = finding, remedy, line, offset
        super().__init__(f"{finding[:1].upper()}{finding[1:]}; {remedy}.")

    def on_line(self, first_line: int, data: bytes) -> LimitError:
        """Return the same error with its line, given a block that begins on `first_line`."""
        line = self.line if self.offset is None else first_line + data.count(b"\n", 0, self.offset)
        return LimitError(self.finding, self.remedy, line)

    def __reduce__(self) -> tuple[type[LimitError], tuple[str, str, int | None]]:
        return type(self), (self.finding, self.remedy, self.line)


@dataclass(frozen=True)
class Limit:
    """A maximum size of input."""

    variable: str
    """The environment variable that overrides the default."""
    default: int
    what: str

    @property
    def value(self) -> int:
        text = os.environ.get(self.variable)
        if text is None:
            return self.default
        if not (text.isascii() and text.isdigit() and 0 < len(text) <= 18):
            raise SettingError(f"{self.variable} is {text[:80]!r}; it must be a whole number.")
        return int(text)

    @property
    def remedy(self) -> str:
        return f"check which file it is, or set {self.variable} to more than {self.value}"


PIECE = Limit("EVENHAND_MAX_PIECE_BYTES", 1 << 27, "bytes of a line, sentence, record or document with chains")
FILE = Limit(
    "EVENHAND_MAX_FILE_BYTES", 1 << 29, "bytes of a decompressed file that must be read into memory as a whole"
)
COLUMNS = Limit("EVENHAND_MAX_COLUMNS", 10_000, "columns of a line")
LABEL = Limit("EVENHAND_MAX_LABEL_BYTES", 10_000, "bytes of a label or tag")
TOKENS = Limit("EVENHAND_MAX_TOKENS", 1 << 24, "tokens of a sentence whose length is known only from its spans")
GAPS = Limit("EVENHAND_MAX_GAP_TOKENS", 1 << 20, "tokens in the gaps of a span")
DEPTH = Limit("EVENHAND_MAX_DEPTH", 200_000, "nested brackets")
BRACKETS = Limit("EVENHAND_MAX_BRACKET_BYTES", 100_000, "bytes of the coreference brackets of a word")
PAIRS = Limit(
    "EVENHAND_MAX_PAIRS",
    1 << 21,
    "overlapping pairs of a gold and a system span (or relation) in a sentence or document",
)
LIMITS = (PIECE, FILE, COLUMNS, LABEL, TOKENS, GAPS, DEPTH, BRACKETS, PAIRS)


def long_label(text: str, offset: int | None = None) -> LimitError:
    """Return the error for a label above the limit, of which it quotes the beginning."""
    finding = f"a label has more than {LABEL.value:,} bytes ({text[:_MAX_LABEL_QUOTED]!r}…)"
    return LimitError(finding, LABEL.remedy, offset=offset)
