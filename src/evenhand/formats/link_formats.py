"""The formats of entity links: tables of HIPE and of neleval, and JSON lines of ELEVANT.

The code that reads and writes them is loaded when a file needs it.
"""

from __future__ import annotations

import re

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.parsing.scan import records
from evenhand.formats.source import Block
from evenhand.registry import late
from evenhand.text.link_names import RESPELLED

TAGS, LINKS = "NE-COARSE-LIT", "NEL-LIT"
"""The columns of a table of HIPE that are read, unless others are named."""
_HIPE = re.compile(rb"TOKEN\t[^\n]*\tNEL-LIT[\t\r\n]")
_ELEVANT = re.compile(
    rb'"(?:entity_mentions|labels)"\s*:\s*\[\s*\{[^\]]*?"span"\s*:|"entity_mentions"\s*:\s*(?:\[\s*\]|null)'
)
_NELEVAL = re.compile(rb"[^\t\n]+\t[0-9]{1,18}\t[0-9]{1,18}(?:\t[^\t\n]*\t-?[0-9.eE+-]*\t[^\t\n]*)+")
_TWO_NUMBERS = re.compile(rb"\t[0-9]+\t[0-9]")
"""What a line of neleval has, and few others."""


def is_hipe(sample: Block) -> float:
    """Whether the first line is the header of a table of HIPE."""
    return float(_HIPE.match(sample.data[: sample.size]) is not None)


def is_neleval(sample: Block) -> float:
    """The share of lines with a document, two numbers, and identifier, score and type of candidates."""
    if _TWO_NUMBERS.search(sample.data) is None:
        return 0.0
    lines = [line.rstrip(b"\r") for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    return sum(map(bool, map(_NELEVAL.fullmatch, lines))) / max(len(lines), 1)


def is_elevant(sample: Block) -> float:
    """Whether the first lines are objects whose labels or mentions have a span; a first article may have none."""
    lines = sample.data[: sample.size].lstrip()
    return float(lines.startswith(b"{") and _ELEVANT.search(lines) is not None)


HIPE = Format(
    "hipe",
    "tables of HIPE: a token a line, with tags and links in columns that have names",
    tasks=("links", "spans"),
    read=late("evenhand.formats.hipe:read"),
    reads={"spans": late("evenhand.formats.hipe:read_spans")},
    writes={
        "links": Writing(
            Carry(characters=False, levels=False, depth=1, gaps=False), late("evenhand.formats.link_write:write_hipe")
        )
    },
    begins=b"T",
    recognise=is_hipe,
    has_columns=True,
    own_traits=frozenset({RESPELLED}),
    traits=lambda source, settings: frozenset({RESPELLED}),
)
NELEVAL = Format(
    "neleval",
    "tables of neleval: document, start, end, and identifier, score and type of candidates; a link a line",
    tasks=("links",),
    read=late("evenhand.formats.neleval:read"),
    writes={
        "links": Writing(
            Carry(tokens=False, text=False, levels=False, gaps=False),
            late("evenhand.formats.link_write:write_neleval"),
        )
    },
    recognise=is_neleval,
)
ELEVANT = Format(
    "elevant",
    "JSON lines of ELEVANT: a text with labels, or with mentions of entities and their candidates",
    tasks=("links",),
    read=late("evenhand.formats.json_links:read_elevant"),
    begins=b"{",
    recognise=is_elevant,
    division=records(lambda line: None),
)
