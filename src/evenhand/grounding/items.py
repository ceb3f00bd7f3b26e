"""What a language model's answer says: items, which are strings with labels, or a text with tags in it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evenhand.dataclass import dataclass

Shape = Literal["json", "xml", "marks", "markdown", "lines"]
"""How answers are written: `<PER>Ada</PER>` is xml, `@@Ada##` marks, `[Ada](PER)` markdown, `PER: Ada` lines."""
TEXT_KEYS = ("text", "span", "mention", "name", "extraction_text", "word", "value", "entity")
"""Under which keys objects of JSON have the string of an item, the first one that is there."""
How = Literal["ok", "repaired", "salvaged", "unparsable"]
"""How an answer was read: as it stands, after a repair, in part, or not at all."""


class Item(NamedTuple):
    """A string that an answer names, its label, and the offsets that the answer itself gives.

    The label is spelled as the gold standard spells it, or stands as it was written if the gold standard has no such.
    """

    text: str
    label: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that a model wrote with tags in it.

    `text` is what stands there without tags, `spans` are (start, end, label) in it, in the order in which they open.
    Tags without a partner are counted; they make no span.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    unclosed: int = 0
    unopened: int = 0


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What was read in an answer.

    `malformed` counts items without a label or a text, `skipped_lines` lines without a known label, `respelled` labels
    that the gold standard spells otherwise. An answer with tags has its spans in `marked` and no items.
    `has_several` is set for answers with several lists, of which the last complete one was read.
    """

    items: tuple[Item, ...] = ()
    how: How = "ok"
    malformed: int = 0
    skipped_lines: int = 0
    respelled: int = 0
    marked: MarkedText | None = None
    has_several: bool = False
