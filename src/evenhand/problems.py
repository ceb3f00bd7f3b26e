"""What can go wrong on the user's side, as sentences: what was found, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One finding in one file, with its remedy."""

    source: str
    line: int | None
    finding: str
    remedy: str
    kind: str = "format"
    """What it concerns, for counting: format, characters, columns, tag, ill-formed span, text, number, tree, …"""

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{place}: {self.finding}; {self.remedy}."


class EvenhandError(Exception):
    """Anything that the user can mend; its text is one sentence."""


class InputError(EvenhandError, ValueError):
    """A file or an object that cannot be read or scored as it is."""

    def __init__(self, source: str, line: int | None, finding: str, remedy: str, kind: str = "format") -> None:
        self.problem = Problem(source, line, finding, remedy, kind)
        super().__init__(str(self.problem))


class SettingError(EvenhandError, ValueError):
    """An option with a value that it cannot have."""
