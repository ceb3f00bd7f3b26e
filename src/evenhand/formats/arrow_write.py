"""Annotations as Arrow tables, in Parquet or Arrow files: a row a sentence, or a text.

Flat spans on tokens are written as tags, all others as lists of structs, beside tokens or beside a text. Which of the
two it is, and what other columns are needed, a first look at the whole file tells; then it is written batch by batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import distinct
from evenhand.formats.arrow_layout import LABEL, TOKENS
from evenhand.formats.arrow_sink import named, pyarrow_to_write, strings, table_file
from evenhand.formats.json_spans import Span, records
from evenhand.formats.write_table import DEFAULT_ENCODING, level_codes, level_tags, stacked
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.encodings import JOINING
from evenhand.text.nesting import flat_levels, is_flat, neighbours
from evenhand.text.tag_table import STACK

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_UNUSED = "--to-encoding is not used: spans are lists, as flat tags cannot spell them all (--stacked can)."
Read = Callable[[], Iterator[Annotation]]
TAGS, SPANS, DOCUMENT, TEXT = "tags", "spans", "document", "text"


@dataclass
class Needs:
    """What a file must have to carry an annotation."""

    encoding: str
    is_stacked: bool
    tags: bool = True
    """Whether tags can spell all spans."""
    levels: bool = False
    gaps: bool = False
    documents: bool = False
    """Whether not every row is a document of its own."""
    names: bool = False
    """Whether documents have names."""
    in_characters: bool = False

    def add(self, batch: Annotation) -> None:
        corpus = batch.corpus
        self.documents |= len(corpus.documents) < corpus.sentences or corpus.continues
        self.names |= bool(corpus.names)
        self.in_characters |= corpus.atoms == "characters"
        if not batch.is_of_words:
            self._add_spans(batch)

    def _add_spans(self, batch: Annotation) -> None:
        spans = batch.spans()
        self.levels |= bool(spans.level.any())
        self.gaps |= bool(spans.shape.any())
        spelled = not any(STACK in spans.vocabulary.labels[code] for code in distinct(spans.label).tolist())
        joined = self.encoding in JOINING and neighbours(spans)
        flat = self.is_stacked or (not self.levels and is_flat(spans))
        self.tags &= flat and spelled and not joined and not self.gaps and not self.in_characters


def write(path: Path, read: Read, conversion: Conversion) -> None:
    """Write a file. The annotation is read twice; stacked, nested spans are tags, too."""
    arrow = pyarrow_to_write()
    needs = Needs(conversion.encoding or DEFAULT_ENCODING, conversion.stacked)
    for batch in read():
        needs.add(batch)
    types = _types(arrow, needs)
    with table_file(path, conversion.target.name, arrow.schema(list(types.items()))) as sink:
        documents = 0
        for batch in read():
            corpus = batch.corpus
            columns = _tagged(arrow, batch, needs) if needs.tags else _spanned(arrow, batch, types)
            if needs.documents or needs.names:
                columns[DOCUMENT] = _documents(arrow, corpus, documents, needs)
            documents += len(corpus.documents) - int(corpus.continues)
            sink.add(columns)
    if conversion.encoding and not needs.tags:
        conversion.notes.append(_UNUSED)


def _types(arrow: Any, needs: Needs) -> dict[str, Any]:
    """The columns and their types."""
    found: dict[str, Any] = {}
    if needs.documents or needs.names:
        found[DOCUMENT] = arrow.string() if needs.names else arrow.int64()
    found |= {TEXT: arrow.string()} if needs.in_characters else {TOKENS: arrow.list_(arrow.string())}
    if needs.tags:
        return found | {TAGS: arrow.list_(arrow.string())}
    span = [("start", arrow.int64()), ("end", arrow.int64()), (LABEL, arrow.string())]
    span += [("level", arrow.int64())] if needs.levels else []
    span += [("parts", arrow.list_(arrow.list_(arrow.int64())))] if needs.gaps else []
    return found | {SPANS: arrow.list_(arrow.struct(span))}


def _tagged(arrow: Any, batch: Annotation, needs: Needs) -> dict[str, Any]:
    """Tokens and tags, as lists."""
    corpus = batch.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if batch.is_of_words:
        tags = batch.word_tags()
        spelled = named(arrow, tags.code, tags.names).dictionary_decode()
    elif needs.is_stacked:
        layers = {**batch.layers, "spans": flat_levels(batch.spans())}
        levelled = Annotation(corpus, layers, batch.readings, batch.name)
        levels = int(levelled.spans().level.max(initial=0)) + 1
        spelled = arrow.array(stacked(level_tags(levelled, needs.encoding, levels)), arrow.string())
    else:
        (tags,) = level_codes(batch, needs.encoding, 1)
        spelled = named(arrow, tags.code, tags.names).dictionary_decode()
    bounds = arrow.array(corpus.bounds, arrow.int32())
    lists = arrow.ListArray.from_arrays
    return {TOKENS: lists(bounds, strings(arrow, corpus.tokens)), TAGS: lists(bounds, spelled)}


def _spanned(arrow: Any, batch: Annotation, types: dict[str, Any]) -> dict[str, Any]:
    """Tokens or text, and spans as lists of structs."""
    texts, spans = [], []
    for text, listed in records(batch):
        texts.append(text)
        spans.append([_struct(span) for span in listed])
    key = TEXT if TEXT in types else TOKENS
    return {key: arrow.array(texts, types[key]), SPANS: arrow.array(spans, types[SPANS])}


def _struct(span: Span) -> dict[str, Any]:
    """A span as Arrow takes it; fields that the file does not have are left out there."""
    return {"start": span.start, "end": span.end, LABEL: span.label, "level": span.level, "parts": span.parts}


def _documents(arrow: Any, corpus: Corpus, before: int, needs: Needs) -> Any:
    """The name of the document of each row, or its number from 1."""
    own = corpus.document_of(np.arange(corpus.sentences))
    if needs.names:
        return named(arrow, own, corpus.names or [""] * len(corpus.documents)).dictionary_decode()
    return arrow.array(own + before + 1 - int(corpus.continues))
