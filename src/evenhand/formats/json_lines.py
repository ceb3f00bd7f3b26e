"""JSON lines: one record a line, as Prodigy, doccano and others write them, each a document of its own.

See `json_records` for the keys of records; `record_reader` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from evenhand.formats import json_spans
from evenhand.formats.json_annotators import AGAIN, chosen, picked_lines, refuse_several
from evenhand.formats.json_formats import JSON_LINES
from evenhand.formats.json_records import decode, sample_lines
from evenhand.formats.parsing.record_reader import SAMPLE, Decoded, RecordReader, accepted, skipping
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

_BLOCKS = 4
"""How many times larger than elsewhere blocks are: each is gone through many times, and has few lines."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""

    def first() -> Iterator[Decoded]:
        return (decode(source, block) for block in source.first_blocks(SAMPLE, cut_behind="line"))

    records = RecordReader(JSON_LINES.name, source, settings, vocabulary, first, lambda: sample_lines(source, SAMPLE))

    def blocks() -> Iterator[Block]:
        yield from source.blocks(_BLOCKS * settings.block_size, cut_behind="line")  # which an error closes

    if settings.annotator is None:
        refuse_several(source)
        return accepted(source, (records.read(block) for block in blocks()))
    found, name = picked_lines(source, settings.annotator), settings.annotator.name
    kept, again = found.lines(name), found.repeated[name]
    batches = accepted(source, (records.take(chosen(*decode(source, block), kept)) for block in blocks()))
    return (skipping(batch, {AGAIN: 0 if number else again}) for number, batch in enumerate(batches))


def write(annotation: Annotation) -> Iterator[str]:
    """A record a sentence (or text), with its id. Offsets are code points in the text, or positions of tokens."""
    ids = annotation.corpus.ids
    for number, (text, spans) in enumerate(json_spans.records(annotation)):
        known = {} if ids is None or not ids[number] else {"id": ids[number]}
        key = "text" if isinstance(text, str) else "tokens"
        yield msgspec.json.encode({**known, key: text, "spans": spans}).decode() + "\n"
