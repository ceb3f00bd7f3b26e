"""PubTator: the title and the abstract of a document, and its mentions with offsets into both.

`123|t|Title` and `123|a|Abstract` make one text, with one character between them. A line with a mention has the number
of its document, start, end (exclusive), the mention, its type and maybe identifiers, with tabs between. Lines with a
relation have no offsets, and are left out. A blank line ends a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.formats.format import Detection, Format, Reader
from evenhand.formats.source import Source, whole_text
from evenhand.settings import Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.parsing.json_spans import JsonSpan, Quote

_LONGEST_OFFSET = 18
"""Maximum number of digits of an offset."""
_TITLE = re.compile(rb"\s*[^|\t\n]+\|[tT]\|")
_TEXT = re.compile(r"([^|\t]+)\|([tT]|[aA])\|(.*)")
_COLUMNS = 5
_REMEDY = "write document, start, end, mention and type, separated by tabs"


@dataclass
class _Document:
    name: str
    line: int
    text: str
    spans: list[JsonSpan] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Read the documents as one batch."""
    from evenhand.formats.parsing.json_spans import misquoted, on_texts, repeated, spans_of

    documents, relations = _documents(source)

    def report(document: int, finding: str, remedy: str) -> None:
        source.report(documents[document].line, finding, remedy, "span")

    convention = settings.convention
    for document in documents:
        fault = misquoted(document.text, document.quotes, convention)
        if fault is not None:
            source.report(document.line, f"document {document.name}: {fault[0]}", fault[1], "span")
    atoms, ground = on_texts([document.text for document in documents], convention)
    spans = spans_of([document.spans for document in documents], ground, vocabulary, report)
    names = [document.name for document in documents]
    corpus = atoms.corpus(source.display_name, ints([document.line for document in documents]))
    if len(set(names)) == len(names):
        corpus = replace(corpus, ids=Tokens.of(names))
    reading = ReadInfo(
        FORMAT.name,
        offsets=str(convention),
        repeated=repeated(spans),
        skipped={"relations": relations} if relations else {},
    )
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, source.name)


def _documents(source: Source) -> tuple[list[_Document], int]:
    """The documents, and the number of relations that were left out."""
    documents, relations, is_open = list[_Document](), 0, False
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        text = line.rstrip("\r")
        part = _TEXT.fullmatch(text)
        if part is not None:
            if part[2] in "tT" or not is_open:
                documents.append(_Document(part[1], number, part[3]))
            else:
                documents[-1].text += f" {part[3]}"
            is_open = True
        elif not text.strip():
            is_open = False
        elif not documents:
            source.report(number, "found a mention before the title of its document", _REMEDY, "document")
        else:
            relations += _add(source, documents[-1], number, text.split("\t"))
    if not documents:
        raise source.error(None, "the file has no documents", "check how it was written")
    return documents, relations


def _add(source: Source, document: _Document, number: int, cells: list[str]) -> int:
    """Add the mention of a line to its document; return 1 if the line is a relation."""
    if cells[0] != document.name:
        finding = f"found a mention of document {cells[0]!r} below document {document.name!r}"
        source.report(number, finding, "put it below its own title", "document")
    elif len(cells) >= _COLUMNS and all(cell.isdecimal() and len(cell) <= _LONGEST_OFFSET for cell in cells[1:3]):
        from evenhand.formats.parsing.json_spans import JsonSpan, Quote

        start, end = int(cells[1]), int(cells[2])
        document.spans.append(JsonSpan(start, end, cells[4]))
        document.quotes.append(Quote([(start, end)], cells[3]))
    elif len(cells) >= _COLUMNS - 1 and not cells[1].isdecimal():
        return 1
    else:
        source.report(number, f"{' '.join(cells)[:80]!r} is not a mention", _REMEDY, "columns")
    return 0


FORMAT = Format(
    "pubtator",
    "PubTator: title and abstract of a document, and mentions with offsets",
    readers={"spans": Reader(read)},
    detection=Detection(confidence=lambda sample: float(_TITLE.match(sample.data[: sample.size]) is not None)),
)
