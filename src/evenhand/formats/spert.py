"""JSON as SpERT, sincere and the usual CoNLL04 files have it: sentences of tokens with entities and relations.

`{"tokens": ["Ada", "left", "Turin"], "entities": [{"type": "Peop", "start": 0, "end": 1}, …], "relations": [{"type":
"Live_In", "head": 0, "tail": 1}]}`: ends are exclusive, and head and tail are places in `entities`. A file is a list of
such records, or has one a line, or is an object of such lists, of which `--column` names one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from evenhand.formats.json_array import decoded_values
from evenhand.formats.json_records import PROBLEM, UNREADABLE, decoded_lines
from evenhand.formats.json_spans import Offset, Span
from evenhand.formats.relation_formats import SPERT
from evenhand.formats.relation_records import Documents, Link, Reader, Related
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

_BATCH = 1 << 13
"""How many records are read together."""


class Entity(msgspec.Struct, gc=False):
    """A span, whose end is exclusive."""

    type: str
    start: Offset
    end: Offset


class Relation(msgspec.Struct, gc=False):
    """A relation between two places in the list of entities."""

    type: str
    head: int
    tail: int


class Sentence(msgspec.Struct, gc=False):
    """One record. What is not named here is not looked at."""

    tokens: list[str]
    entities: list[Entity]
    relations: list[Relation] = []


_DECODER = msgspec.json.Decoder(Sentence)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    reader, records, continues = Reader(SPERT.name, source, settings, vocabulary), _records(source, settings), False
    while batch := list(islice(records, _BATCH)):
        found = [
            Related(line, record.tokens, _spans(record), list(_links(source, line, record))) for line, record in batch
        ]
        yield reader.annotation(found, Documents(continues=continues))
        continues = True


def _records(source: Source, settings: ReadSettings) -> Iterator[tuple[int, Sentence]]:
    """The records of a file, each with its line."""
    data = b"".join(block.data[: block.size] for block in source.blocks(settings.block_size, cut_behind="line"))
    text = data.lstrip()
    if text.startswith(b"["):
        yield from decoded_values(source, data, _DECODER.decode)
        return
    splits = _splits(data)
    if splits is None:
        for block in source.blocks(settings.block_size, cut_behind="line"):
            yield from decoded_lines(source, block, _DECODER.decode)
        return
    chosen = _chosen(source, list(splits), settings)
    yield from decoded_values(source, bytes(splits[chosen]), _DECODER.decode, data)


def _splits(data: bytes) -> dict[str, msgspec.Raw] | None:
    """The lists of an object, if the file is one; None if it has a record a line."""
    try:
        found = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except UNREADABLE:
        return None
    return None if "tokens" in found else found


def _chosen(source: Source, names: Sequence[str], settings: ReadSettings) -> str:
    wanted = [str(column) for column in settings.columns] or (list(names) if len(names) == 1 else [])
    if len(wanted) != 1 or wanted[0] not in names:
        finding = (
            f"the file has the lists {', '.join(map(repr, names))}" if names else "the file has no list of records"
        )
        raise source.error(None, finding, "name one of them with --column")
    return wanted[0]


def _spans(record: Sentence) -> list[Span]:
    return [Span(entity.start, entity.end, entity.type) for entity in record.entities]


def _links(source: Source, line: int, record: Sentence) -> Iterator[Link]:
    size = len(record.entities)
    for relation in record.relations:
        wrong = [(end, at) for end, at in (("head", relation.head), ("tail", relation.tail)) if not 0 <= at < size]
        if not wrong:
            yield Link(relation.type, relation.head, relation.tail)
            continue
        end, at = wrong[0]
        finding = f"the {end} {at} of a relation {relation.type!r} is no place in entities, of which there are {size}"
        source.report(line, finding, "count entities from 0", PROBLEM)
