"""Write annotations and other tables as Parquet or Arrow files, with one sentence or text per row.

Flat spans of tokens are written as tags, all others as lists of structs, with the tokens or the text. The annotation is
read twice: first to choose between the two and to find the other columns it needs, then to write it batch by batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import Ints, distinct, ranges
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import JOINING, STACK
from evenhand.data.layers import flat_levels, is_flat, neighbours
from evenhand.data.tokens import Tokens
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.files import whole_file
from evenhand.formats.arrow import ARROW, PARQUET, arrow
from evenhand.formats.arrow_tables import LABEL, TOKENS
from evenhand.formats.conll import DEFAULT_ENCODING, can_be_tag, level_tags, stacked_tags
from evenhand.formats.parsing.json_spans import records
from evenhand.registry import lazy

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

# Tables


_WRITERS = {PARQUET.name: lazy("pyarrow.parquet:ParquetWriter"), ARROW.name: lazy("pyarrow.ipc:new_file")}
_BY_SUFFIX = {suffix: each.name for each in (PARQUET, ARROW) for suffix in each.suffixes}
_ROW_GROUP = 1 << 23
"""The number of bytes of rows that are written together."""


def table_format(path: str | Path) -> str:
    """The format of a table, by the suffix of the file."""
    name = _BY_SUFFIX.get(Path(path).suffix)
    if name is None:
        raise SettingError(f"Unsupported table format {str(path)!r}. Use one of {', '.join(_BY_SUFFIX)}.")
    return name


class Sink:
    """Collects rows of one schema, and writes them in large row groups."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Any] = []
        self._size = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """Add rows, as columns by name; Arrow casts them to the types of the schema, and omits other columns."""
        batch = arrow.record_batch(dict(columns), schema=self._schema)
        self._waiting.append(batch)
        self._size += batch.nbytes
        if self._size >= _ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            self._writer.write_table(arrow.Table.from_batches(self._waiting))
        self._waiting, self._size = [], 0


@contextmanager
def table_file(path: str | Path, form: str, schema: Any) -> Iterator[Sink]:
    """A file for a table, which exists only if everything was written."""
    with whole_file(path) as file:
        writer = _WRITERS[form](file, schema)
        try:
            sink = Sink(writer, schema)
            yield sink
            sink.flush()
            writer.close()
        except BaseException:
            with suppress(Exception):  # the file is discarded
                writer.close()
            raise


def strings(tokens: Tokens) -> Any:
    """Tokens as an Arrow array of strings."""
    lengths = tokens.end - tokens.start
    text = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)]
    edges = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return arrow.Array.from_buffers(arrow.string(), len(tokens), [None, arrow.py_buffer(edges), arrow.py_buffer(text)])


def named(codes: Ints, names: Sequence[str | None]) -> Any:
    """Codes as an Arrow array of their names; null for -1."""
    indices = arrow.array(codes.astype(np.int32), mask=codes < 0)
    return arrow.DictionaryArray.from_arrays(indices, arrow.array(list(names), arrow.string())).dictionary_decode()


# Annotations


_UNUSED = "--to-encoding is not used: spans are lists, as flat tags cannot spell them all (--stacked can)."
Read = Callable[[], Iterator[Annotation]]
TAGS, SPANS, DOCUMENT, TEXT = "tags", "spans", "document", "text"
_FIELDS = ("start", "end", LABEL, "level", "parts", "score")


@dataclass
class Needs:
    """The columns that a file needs for an annotation."""

    encoding: str
    is_stacked: bool
    tags: bool = True
    """Whether tags can represent all spans."""
    levels: bool = False
    gaps: bool = False
    documents: bool = False
    """Whether a document may have several rows."""
    names: bool = False
    """Whether documents have names."""
    in_characters: bool = False
    scores: bool = False

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
        self.scores |= spans.score is not None
        labels = [spans.vocabulary.labels[code] for code in distinct(spans.label).tolist()]
        are_tags = all(can_be_tag(label) and STACK not in label for label in labels)
        would_join = self.encoding in JOINING and neighbours(spans)
        flat = self.is_stacked or (not self.levels and is_flat(spans))
        self.tags &= flat and are_tags and not would_join and not self.gaps and not self.in_characters
        self.tags &= not self.scores


def write(path: Path, read: Read, conversion: Conversion) -> None:
    """Write a file. If tags may be stacked, nested spans are tags, too."""
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
    strings, number = arrow.list_(arrow.string()), arrow.int64()
    columns = [(DOCUMENT, arrow.string() if needs.names else number)] if needs.documents or needs.names else []
    columns += [(TEXT, arrow.string()) if needs.in_characters else (TOKENS, strings)]
    if needs.tags:
        return arrow.schema([*columns, (TAGS, strings)])
    span = [("start", number), ("end", number), (LABEL, arrow.string())]
    span += [("level", number)] if needs.levels else []
    span += [("parts", arrow.list_(arrow.list_(number)))] if needs.gaps else []
    span += [("score", arrow.float64())] if needs.scores else []
    return arrow.schema([*columns, (SPANS, arrow.list_(arrow.struct(span)))])


def _tagged(batch: Annotation, needs: Needs) -> dict[str, Any]:
    corpus = batch.corpus
    assert corpus.tokens is not None
    if needs.is_stacked:
        flat = replace(batch, layers={**batch.layers, "spans": flat_levels(batch.spans())})
        strings_of_tags = arrow.array(stacked_tags(flat, needs.encoding), arrow.string())
    else:
        (tags,) = [batch.word_tags()] if batch.is_of_words else level_tags(batch, needs.encoding, 1)
        strings_of_tags = named(tags.code, tags.names)
    bounds = arrow.array(corpus.bounds, arrow.int32())
    lists = arrow.ListArray.from_arrays
    return {TOKENS: lists(bounds, strings(corpus.tokens)), TAGS: lists(bounds, strings_of_tags)}


def _spanned(batch: Annotation, needs: Needs) -> dict[str, Any]:
    """Tokens or text, and spans as structs; the file omits fields that are not in its schema."""
    rows = list(records(batch))
    structs = [[{name: getattr(span, name) for name in _FIELDS} for span in spans] for _, spans in rows]
    return {TEXT if needs.in_characters else TOKENS: [text for text, _ in rows], SPANS: structs}


def _documents(corpus: Corpus, before: int, needs: Needs) -> Any:
    """The name of the document of each row, or its number from 1."""
    document = corpus.document_of(np.arange(corpus.sentences))
    if needs.names:
        return named(document, corpus.names or [""] * len(corpus.documents))
    return document + before + 1 - int(corpus.continues)
