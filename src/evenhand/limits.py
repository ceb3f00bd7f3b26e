"""How much an input may take before it is refused, and how a user raises that.

A damaged file, a device or a hostile upload must cost no more than it is worth. Limits lie far above what annotated
texts need, are checked before memory is taken, and can be raised by environment variables.
"""

from __future__ import annotations

import os

from evenhand.dataclass import dataclass
from evenhand.problems import EvenhandError, SettingError


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
_QUOTED = 40


def long_label(text: str, place: int | None = None) -> LimitError:
    """The error for a label above the limit, of which the beginning is enough."""
    return LimitError(f"a label has more than {LABEL.value:,} bytes ({text[:_QUOTED]!r}…)", LABEL.remedy, place=place)
