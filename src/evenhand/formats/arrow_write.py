"""Annotations as Arrow tables, in Parquet or Arrow files: a row a sentence, or a text.

Flat spans on tokens are written as tags, all others as lists of structs, beside tokens or beside a text. Which of the
two it is, and what other columns are needed, a first look at the whole file tells; then it is written batch by batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import distinct
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_layout import LABEL, TOKENS
from evenhand.formats.arrow_sink import named, strings, table_file
from evenhand.formats.json_spans import records
from evenhand.formats.write_table import DEFAULT_ENCODING, can_be_tag, level_tags, stacked_tags
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
_FIELDS = ("start", "end", LABEL, "level", "parts")


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
        labels = [spans.vocabulary.labels[code] for code in distinct(spans.label).tolist()]
        spelled = all(can_be_tag(label) and STACK not in label for label in labels)
        joined = self.encoding in JOINING and neighbours(spans)
        flat = self.is_stacked or (not self.levels and is_flat(spans))
        self.tags &= flat and spelled and not joined and not self.gaps and not self.in_characters


def write(path: Path, read: Read, conversion: Conversion) -> None:
    """Write a file. The annotation is read twice; stacked, nested spans are tags, too."""
    arrow.load()
    needs = Needs(conversion.encoding or DEFAULT_ENCODING, conversion.stacked)
    for batch in read():
        needs.add(batch)
    with table_file(path, conversion.target.name, _schema(needs)) as sink:
        documents = 0
        for batch in read():
            corpus = batch.corpus
            columns = _tagged(batch, needs) if needs.tags else _spanned(batch, needs)
            sink.add(columns | {DOCUMENT: _documents(corpus, documents, needs)})
            documents += len(corpus.documents) - int(corpus.continues)
    if conversion.encoding and not needs.tags:
        conversion.notes.append(_UNUSED)


def _schema(needs: Needs) -> Any:
    """The columns and their types."""
    strings, number = arrow.list_(arrow.string()), arrow.int64()
    columns = [(DOCUMENT, arrow.string() if needs.names else number)] if needs.documents or needs.names else []
    columns += [(TEXT, arrow.string()) if needs.in_characters else (TOKENS, strings)]
    if needs.tags:
        return arrow.schema([*columns, (TAGS, strings)])
    span = [("start", number), ("end", number), (LABEL, arrow.string())]
    span += [("level", number)] if needs.levels else []
    span += [("parts", arrow.list_(arrow.list_(number)))] if needs.gaps else []
    return arrow.schema([*columns, (SPANS, arrow.list_(arrow.struct(span)))])


def _tagged(batch: Annotation, needs: Needs) -> dict[str, Any]:
    """Tokens and tags, as lists."""
    corpus = batch.corpus
    assert corpus.tokens is not None
    if needs.is_stacked:
        flat = replace(batch, layers={**batch.layers, "spans": flat_levels(batch.spans())})
        spelled = arrow.array(stacked_tags(flat, needs.encoding), arrow.string())
    else:
        (tags,) = [batch.word_tags()] if batch.is_of_words else level_tags(batch, needs.encoding, 1)
        spelled = named(tags.code, tags.names)
    bounds = arrow.array(corpus.bounds, arrow.int32())
    lists = arrow.ListArray.from_arrays
    return {TOKENS: lists(bounds, strings(corpus.tokens)), TAGS: lists(bounds, spelled)}


def _spanned(batch: Annotation, needs: Needs) -> dict[str, Any]:
    """Tokens or text, and spans as structs; fields that the file does not have are left out there."""
    found = list(records(batch))
    structs = [[{name: getattr(span, name) for name in _FIELDS} for span in spans] for _, spans in found]
    return {TEXT if needs.in_characters else TOKENS: [text for text, _ in found], SPANS: structs}


def _documents(corpus: Corpus, before: int, needs: Needs) -> Any:
    """The name of the document of each row, or its number from 1."""
    own = corpus.document_of(np.arange(corpus.sentences))
    if needs.names:
        return named(own, corpus.names or [""] * len(corpus.documents))
    return own + before + 1 - int(corpus.continues)
