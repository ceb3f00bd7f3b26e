"""Entity links in brat's `.ann` files: `N1⇥Reference T1 Wikidata:Q90⇥Paris`.

The identifier is all that stands between the span and the next tab. Several lines of one span are its candidates, in
the order of the file.
"""

from __future__ import annotations

import re
from dataclasses import replace

from evenhand.formats.brat_lines import Standoff
from evenhand.formats.source import Source
from evenhand.text.layers import Spans
from evenhand.text.links import Link, coded_links

KINDS = ("N",)
"""The first characters of lines that hold links."""
_LINK = re.compile(r"N\S*\t\S+ (\S+) ([^\t]*\S[^\t]*)(?:\t.*)?")


def linked(source: Source, found: Standoff, spans: Spans) -> Spans:
    """The spans of a file with their links."""
    place = {identifier: row for row, identifier in enumerate(found.spans.identifiers)}
    candidates: list[list[str]] = [[] for _ in range(len(spans))]
    for number, line in found.others["N"]:
        match = _LINK.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, Reference, span and identifier with spaces between, tab, text"
            raise source.error(number, f"{line!r} is no link of a span to an identifier", remedy)
        row = place.get(match[1])
        if row is None:
            remedy = "add a line that begins with it, or mend the link"
            raise source.error(number, f"no line defines {match[1]}", remedy)
        candidates[row].append(match[2].strip())
    links = [Link(tuple(names)) for names in candidates]
    return replace(spans, extra=coded_links(links, spans.vocabulary))
