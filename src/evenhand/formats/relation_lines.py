"""JSON lines of our own: a text or tokens, its spans, and relations between these.

`{"text": "Ada left Turin", "spans": [{"id": "a", "start": 0, "end": 3, "label": "PER"}, …], "relations": [{"head": "a",
"tail": "b", "label": "left"}]}`: spans are as in other JSON lines and have an `id`, a string or a whole number, where a
relation names them. `"symmetric": true` in a relation says that the ends of its type are interchangeable. With an `id`,
records are matched by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from evenhand.formats.json_records import PROBLEM, decoded_lines
from evenhand.formats.json_spans import Span
from evenhand.formats.relation_formats import RELATION_LINES
from evenhand.formats.relation_records import Link, Reader, Related
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

_BLOCKS = 4
Name = str | int


class NamedSpan(Span, gc=False, omit_defaults=True):
    """A span that relations can name."""

    id: Name | None = None
    text: str | None = None
    """What it quotes."""


class Relation(msgspec.Struct, gc=False, omit_defaults=True):
    """A relation between two spans of its record."""

    head: Name
    tail: Name
    label: str
    symmetric: bool = False


class Record(msgspec.Struct, gc=False, omit_defaults=True):
    """One line. What is not named here is not looked at."""

    id: Name | None = None
    text: str | None = None
    tokens: list[str] | None = None
    spans: Sequence[NamedSpan] = ()
    relations: Sequence[Relation] = ()


_DECODER = msgspec.json.Decoder(Record)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    reader, kinds = Reader(RELATION_LINES.name, source, settings, vocabulary), set[str]()
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="line"):
        found = list[Related]()
        for line, record in decoded_lines(source, block, _DECODER.decode):
            words = record.text if record.tokens is None else record.tokens
            if words is None or (record.text is not None and record.tokens is not None):
                both = "both" if record.text is not None else "neither"
                source.report(line, f"the record has {both} of text and tokens", "give one of them", PROBLEM)
                continue
            _check_kind(source, line, record, kinds)
            name = None if record.id is None else str(record.id)
            found.append(Related(line, words, record.spans, list(_links(source, line, record)), name))
        if found:
            yield reader.annotation(found)


def _check_kind(source: Source, line: int, record: Record, kinds: set[str]) -> None:
    """Refuse a record of another kind than those before it."""
    kinds.add("text" if record.tokens is None else "tokens")
    if len(kinds) > 1:
        finding = "some records have a text, others have tokens"
        raise source.error(line, finding, "put the two into files of their own", PROBLEM)
    kinds.add("text" if record.tokens is None else "tokens")


def _links(source: Source, line: int, record: Record) -> Iterator[Link]:
    places = {span.id: at for at, span in enumerate(record.spans) if span.id is not None}
    if len(places) < sum(span.id is not None for span in record.spans):
        names = [span.id for span in record.spans if span.id is not None]
        repeated = next(name for at, name in enumerate(names) if name in names[:at])
        source.report(line, f"two spans have the id {repeated!r}", "give every span an id of its own", PROBLEM)
    for relation in record.relations:
        unknown = [name for name in (relation.head, relation.tail) if name not in places]
        if unknown:
            finding = f"a relation {relation.label!r} names the span {unknown[0]!r}, which its record does not have"
            source.report(line, finding, "give the span this id, or mend the relation", PROBLEM)
        else:
            yield Link(relation.label, places[relation.head], places[relation.tail], relation.symmetric)
