"""Overrides of a gold standard: what somebody found wrong with single spans of it.

| verdict           | the gold span afterwards                                                            |
| ----------------- | ----------------------------------------------------------------------------------- |
| `spurious`        | removed                                                                             |
| `label`, `bounds` | `to` replaces what it names                                                         |
| `missing`         | `to` is added                                                                       |
| `unclear`         | left out, with system spans that overlap it and equal no other gold span            |
| `right`           | stays: somebody looked at it                                                        |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evenhand.dataclass import dataclass

SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT = "spurious", "label", "bounds", "missing", "unclear", "right"
VERDICTS = (SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT)
WRONG = (SPURIOUS, LABEL, BOUNDS)
"""The verdicts on gold spans that are errors of the gold standard."""
KEPT = (RIGHT, UNCLEAR)
"""The verdicts that change no span; one that is unclear is there, though it does not count."""


POSITIONS = ("characters", "tokens")
"""What overrides can count in: characters of the text, spaces and all, or tokens of the sentence."""


class LabeledBounds(NamedTuple):
    """A span in its sentence or text: positions from 0, the end exclusive."""

    start: int
    end: int
    label: str

    def __str__(self) -> str:
        return f"{self.label!r} from {self.start} to {self.end}"


@dataclass(frozen=True)
class Override:
    """One line of a file of overrides."""

    source: str
    line: int
    verdict: str
    sentence: int | None
    """The number of the sentence, from 1 over the file."""
    document: str | int | None
    """The name or the number of the document, from 1."""
    span: LabeledBounds | None
    """The gold span that it is about; None if that is missing."""
    to: Mapping[str, Any]
    """What becomes of it, by `start`, `end` and `label`."""
    record: Mapping[str, Any]
    """The line as it was written, with all of its keys."""
    positions: str | None = None
    """What start and end count: characters of the text, or tokens. None: tokens, or characters that are not spaces."""

    @property
    def target(self) -> LabeledBounds | None:
        """The span that the gold standard should have, where the verdict says so."""
        if not self.to:
            return None
        known = {} if self.span is None else self.span._asdict()
        return LabeledBounds(**{**known, **self.to})

    @property
    def subject(self) -> LabeledBounds:
        """The span that it is about, be it there or missing."""
        found = self.span or self.target
        assert found is not None  # a missing span has a target
        return found

    def agrees(self, other: Override) -> bool:
        """Whether another file says the same of the same span."""
        return self.source != other.source and (self.verdict, self.target) == (other.verdict, other.target)

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}"


@dataclass(frozen=True)
class OverrideFile:
    """What a saved result knows of a file of overrides."""

    name: str
    sha256: str
    """Of the bytes of the file."""
    verdicts: Mapping[str, int]
    """How many lines have each verdict."""

    def __str__(self) -> str:
        return self.sha256


class Overrides(OverrideFile):
    """A file of overrides with its lines, which are not saved with a result."""

    lines: Sequence[Override]

    def __init__(self, name: str, sha256: str, lines: Sequence[Override]) -> None:
        counted = Counter(each.verdict for each in lines)
        super().__init__(name, sha256, {verdict: counted[verdict] for verdict in VERDICTS})
        object.__setattr__(self, "lines", lines)

    @property
    def changes_spans(self) -> bool:
        """Whether any line does more than to confirm a span."""
        return any(count for verdict, count in self.verdicts.items() if verdict != RIGHT)
