"""The formats of tools that write text files which are not plain columns: WebAnno TSV 3, PubTator, CSV, lines of tags.

The code that reads them is loaded when a file needs it.
"""

from __future__ import annotations

import csv
import re
from itertools import islice

from evenhand.data.encodings import OUTSIDE_TAGS, parse
from evenhand.formats.format import Contents, Detection, Format, Reader
from evenhand.formats.parsing.token_table import ROWS, is_header
from evenhand.formats.source import Block
from evenhand.registry import lazy

DELIMITERS = {",": "commas", ";": "semicolons"}
"""The characters between the cells of CSV, and what messages call them."""
_WEBANNO = re.compile(rb"\s*#FORMAT=WebAnno TSV ([0-9]+)")
_TITLE = re.compile(rb"\s*[^|\t\n]+\|[tT]\|")
_MOST = 0.8
"""The share of lines that must be alike."""
_BARE_TAGS = OUTSIDE_TAGS | {"B", "I"}
"""Tags without labels."""
_LONGEST = 1 << 14
"""The most bytes that a line of a table has."""


def is_webanno(sample: Block) -> float:
    """Whether the first line names WebAnno TSV 3."""
    found = _WEBANNO.match(sample.data[: sample.size])
    return float(found is not None and found[1] == b"3")


def is_pubtator(sample: Block) -> float:
    """Whether the first line is the title of a document."""
    return float(_TITLE.match(sample.data[: sample.size]) is not None)


def is_csv(sample: Block) -> float:
    """Whether the first line names columns, one of them that of tokens, with commas or semicolons between."""
    return float(csv_delimiter(sample) is not None)


def csv_delimiter(sample: Block) -> str | None:
    """The delimiter of CSV with a header; None for other files."""
    lines = short_lines(sample)
    if not lines or "\t" in lines[0]:
        return None
    for delimiter in DELIMITERS:
        if delimiter not in lines[0]:
            continue
        try:
            first, *below = filter(None, csv.reader(lines, delimiter=delimiter))
        except (csv.Error, ValueError):  # a cell longer than any table has; no line at all
            continue
        below = [cells for cells in below if any(cells)]
        if header_of(first) and is_header(header_of(first), below, ()):
            fits = sum(len(cells) == len(first) for cells in below)
            return delimiter if fits >= _MOST * len(below) else None
    return None


def short_lines(sample: Block) -> list[str]:
    """The first lines that are not blank; none if one of them is longer than those of any table."""
    lines = list(islice(filter(None, map(bytes.strip, sample.data[: sample.size].split(b"\n"))), ROWS))
    return [] if max(map(len, lines), default=0) > _LONGEST else [line.decode() for line in lines]


def header_of(cells: list[str]) -> list[str]:
    """The names of columns; the first one may be empty, as pandas writes its index."""
    names = [cell.strip().removeprefix("\ufeff") for cell in cells]
    return [names[0] or "index", *names[1:]] if names else []


def is_tag_lines(sample: Block) -> float:
    """Whether all words of all lines are tags, and some lines have three or more."""
    lines = [line.split() for line in short_lines(sample)]
    if max(map(len, lines), default=0) < 3:
        return 0.0
    words = {word for line in lines for word in line}
    return float(all(word in _BARE_TAGS or (len(word) > 2 and parse(word) is not None) for word in words))


WEBANNO = Format(
    "webanno",
    "WebAnno TSV 3 of WebAnno and INCEpTION: one token per line, layers of annotations in columns",
    readers={"spans": Reader(lazy("evenhand.formats.webanno:read"))},
    detection=Detection(b"#", confidence=is_webanno),
    contents=Contents(has_columns=True, is_one_text=True),
)
PUBTATOR = Format(
    "pubtator",
    "PubTator: title and abstract of a document, and mentions with offsets",
    readers={"spans": Reader(lazy("evenhand.formats.pubtator:read"))},
    detection=Detection(confidence=is_pubtator),
)
CSV = Format(
    "csv",
    "CSV with a header: one token per line, maybe with quotation marks and a column of sentences",
    readers=dict.fromkeys(("spans", "tags"), Reader(lazy("evenhand.formats.csv_table:read"))),
    detection=Detection(confidence=is_csv),
    contents=Contents(is_table=True, has_columns=True),
)
TAG_LINES = Format(
    "tag-lines",
    "tags without tokens, one sentence per line (seq.out)",
    readers={"spans": Reader(lazy("evenhand.formats.csv_table:read_tag_lines"))},
    detection=Detection(confidence=is_tag_lines),
)
