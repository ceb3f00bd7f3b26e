"""The rest of a block: what belongs to the next one, as it is part of a sentence that goes on there."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from evenhand.dataclass import dataclass
from evenhand.formats.parsing.cuts import ENDS, Cut
from evenhand.limits import PIECE

if TYPE_CHECKING:
    from evenhand.formats.source import Source


@dataclass
class Rest:
    """What was read of a sentence, line or document whose end was not yet met."""

    source: Source
    cut: Cut
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def begin(self, data: bytes) -> None:
        self.parts, self.size = [data], len(data)

    def add(self, data: bytes, first_line: int) -> None:
        """Take some more; it is an error where that can be no text, or is more than the limit."""
        self.source.refuse_nul(data, len(data), first_line)
        self.parts.append(data)
        self.size += len(data)
        most = PIECE.value
        if self.size > most:
            finding = f"found more than {most:,} bytes without {ENDS[self.cut]}"
            raise self.source.error(first_line, finding, PIECE.remedy)
