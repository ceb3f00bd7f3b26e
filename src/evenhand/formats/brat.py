"""brat: a text `DOC.txt` and its annotations `DOC.ann`, with spans as offsets into the text.

A span is a line `T1⇥Label 0 5⇥quoted text`; offsets count the characters of the text from 0, ends are exclusive, and a
span with gaps lists its parts (`Label 0 5;16 23`). The atoms of the text are its characters without spaces.

The code that reads and writes these files is loaded when a file needs it.
"""

from __future__ import annotations

import re

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.source import Block, Source
from evenhand.registry import late
from evenhand.text.link_names import LAYER as LINKS

IDENTIFIER = r"(?:(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*|R)\t"
"""Pattern of the beginning of a line; nothing refers to a relation, so some tools write R without a number."""


def is_document(source: Source, task: str | None) -> bool:
    """Whether it is an annotation file, or a text with one beside it."""
    plain = source.plain_path
    return plain.suffix == ".ann" or (plain.suffix == ".txt" and plain.with_suffix(".ann").exists())


def recognise(sample: Block) -> float:
    """The share of lines with an identifier of brat; some must be text-bound, or all have one."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    identified = sum(re.match(rf"{IDENTIFIER}\S+[ :]\S", line) is not None for line in lines)
    if not identified:
        return 0.0
    from evenhand.formats.brat_lines import TEXT_BOUND

    return identified / len(lines) if identified == len(lines) or any(map(TEXT_BOUND.match, lines)) else 0.0


FORMAT = Format(
    "brat",
    "a text DOC.txt and its annotations DOC.ann",
    tasks=("spans", "relations", LINKS),
    read=late("evenhand.formats.brat_documents:read"),
    read_together=late("evenhand.formats.brat_documents:read_together"),
    writes={
        "spans": Writing(
            Carry(tokens=False, levels=False, documents="sentence"), folder=late("evenhand.formats.brat_write:write")
        ),
        "relations": Writing(
            Carry(tokens=False, levels=False, documents="sentence"),
            folder=late("evenhand.formats.brat_write:write_related"),
        ),
        LINKS: Writing(Carry(tokens=False, levels=False), folder=late("evenhand.formats.link_write:write_brat")),
    },
    suffixes=(".ann",),
    begins=b"TREAMN*#",
    certain=is_document,
    recognise=recognise,
    is_one_text=True,
)
