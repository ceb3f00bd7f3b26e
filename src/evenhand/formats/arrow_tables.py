"""Arrow tables as annotations: tokens with tags or spans, or texts with spans, a row a sentence or text.

Every row is a document of its own, unless a column (`document`, `doc_id` or `document_id`) says which rows belong
together: those that follow each other and have the same value. Where a message names a place in the table, it is the
number of the row, counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from evenhand.formats.arrow_layout import Layout, Table, layout_of
from evenhand.formats.arrow_lists import Lists, integers, is_string, nulls, tokens_of
from evenhand.formats.arrow_rows import Rows, sliced
from evenhand.formats.arrow_spans import SpanReader
from evenhand.formats.arrow_tags import check_tags, tags_of
from evenhand.formats.json_spans import Fault, Ground, Span, on_texts, on_tokens
from evenhand.formats.parsing.tag_reader import Coded, TagReader, choose_encoding
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Tags

Again = Callable[[], Iterator[Rows]]
Decoded = Mapping[str, Any]
"""The columns of some rows: strings, or lists."""

_SLICE = 3
"""How many times larger than blocks of text slices of tables are: offsets take room, and each has its dictionary."""
_SAMPLE = 1 << 16


def read_table(
    name: str,
    table: Table,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
) -> Iterator[Annotation]:
    """The table in batches of whole rows, with a layer for each entry of `columns`; `name` is that of the format."""
    with table.broken():
        layout = layout_of(source, table, columns, settings.task)

    def rows(size: int) -> Generator[Rows, None, None]:
        return sliced(source, table.batches(layout.columns, size), size)

    with closing(rows(_SLICE * settings.block_size)) as slices:
        first = list(islice(slices, 1))

        def sample() -> Iterator[Rows]:
            """All rows in small slices; those of the first large one are not read again."""
            return chain(sliced(source, (each.batch for each in first), _SAMPLE), rows(_SAMPLE))

        with table.broken():
            reader = _Reader(name, layout, source, settings, vocabulary, sample)
        found = False
        for each in chain(first, slices):
            with table.broken():
                annotation = reader.read(each)
            if annotation is not None:
                found = True
                yield annotation
    if not found:
        what = "rows that can be read" if first else "rows"
        raise source.error(None, f"{table.what} has no {what}", "check how it was saved")


class _Reader:
    """Reads rows as a layout says; rows with problems are left out."""

    def __init__(
        self, name: str, layout: Layout, source: Source, settings: ReadSettings, vocabulary: Vocabulary, again: Again
    ) -> None:
        """`again` gives the rows from the first one on, for a look at the tags."""
        self._name, self._layout, self._source, self._settings = name, layout, source, settings
        self._is_of_words = settings.task == "tags"
        self._codes: dict[str, dict[str, int]] = {layer: {} for layer in layout.layers}
        self._spans = {layer: SpanReader(each, vocabulary) for layer, each in layout.layers.items() if each.fields}
        self._documents = _Documents(layout.document)
        self._tags: dict[str, TagReader] = {}
        gold = None
        for layer, each in layout.layers.items():
            if each.fields is None and not self._is_of_words:
                sample, where = self._sample(layer, again), f" in the column {each.column!r}"
                read_as = settings.of_layer(layer, gold)
                chosen = choose_encoding(source, read_as, sample, each.names or (), where)
                gold = chosen.name if layer == "gold" else gold
                self._tags[layer] = TagReader(source, read_as, vocabulary, chosen)

    def _sample(self, layer: str, again: Again) -> Iterator[Coded]:
        """The tags of the table, some at a time, each part coded for itself."""
        annotated = self._layout.layers[layer]
        for rows in again():
            good, columns = self._checked(rows)
            if len(good):
                corpus, _ = self._text(good, columns)
                yield tags_of(columns[annotated.column].values, annotated.names).coded({}, corpus)

    def read(self, rows: Rows) -> Annotation | None:
        """What some rows hold, if any of them can be read."""
        rows, columns = self._checked(rows)
        if not len(rows):
            return None
        corpus, ground = self._text(rows, columns)
        corpus = self._documents.put(corpus, rows)
        layers: dict[str, Layer] = {}
        readings: dict[str, Reading] = {}
        for layer, annotated in self._layout.layers.items():
            found, reading = columns[annotated.column], Reading(self._name, column=annotated.column)
            if layer in self._spans:
                layers[layer], readings[layer] = self._spans[layer].read(rows, found, ground), reading
                continue
            listed, codes = tags_of(found.values, annotated.names), self._codes[layer]
            if self._is_of_words:  # as they stand: they spell no spans
                layers["tags"], readings["words"] = Tags(listed.codes(codes), tuple(codes)), reading
                continue
            tags, layers[layer], how = self._tags[layer].read(listed.coded(codes, corpus))
            layers["tags" if layer == "spans" else f"{layer}-tags"] = tags
            readings[layer] = replace(how, format=self._name, column=annotated.column)
        return Annotation(corpus, layers, readings, self._source.name)

    def _checked(self, rows: Rows) -> tuple[Rows, Decoded]:
        """The rows without problems, and their columns; where words are read, also without those that have none."""
        columns = self._decoded(rows)
        self._check(rows, columns)
        if self._is_of_words:
            rows.bad |= columns[self._layout.text].lengths == 0
        if not rows.bad.any():
            return rows, columns
        rows = rows.good()
        return rows, self._decoded(rows)

    def _decoded(self, rows: Rows) -> Decoded:
        layout = self._layout
        found: dict[str, Any] = {each.column: rows.lists(each.column) for each in layout.layers.values()}
        found[layout.text] = rows.plain(layout.text) if layout.in_characters else rows.lists(layout.text)
        if layout.document is not None:
            found[layout.document] = rows.plain(layout.document)
        return found

    def _check(self, rows: Rows, columns: Decoded) -> None:
        """Report what is wrong with rows, the text first."""
        for name, column in columns.items():
            if not isinstance(column, Lists):
                rows.report_nulls(nulls(column), name)
        text = columns[self._layout.text]
        if isinstance(text, Lists):
            rows.report_nulls(text.has_null, self._layout.text)
        for layer, annotated in self._layout.layers.items():
            if layer in self._spans:
                self._spans[layer].check(rows, columns[annotated.column])
            else:
                check_tags(rows, text, columns[annotated.column], annotated)

    def _text(self, rows: Rows, columns: Decoded) -> tuple[Corpus, Ground]:
        """The text of rows, and what positions in it count."""
        text, size = columns[self._layout.text], len(rows)
        first = int(rows.numbers[0])
        lines, shown = rows.numbers - first, self._source.shown
        if isinstance(text, Lists):
            tokens, lines = tokens_of(text.values), np.repeat(lines, text.lengths)
            return Corpus(shown, size, text.bounds, tokens, lines, first, documents=np.arange(size)), on_tokens(
                text.lengths
            )
        places, offsets = tokens_of(text), self._settings.unit
        atoms = Texts.within(places.data, places.start, places.end, offsets)

        def fault(row: int, span: Span) -> Fault:
            return on_texts([places[row]], offsets)[1].fault(0, span)

        corpus = atoms.corpus(shown, lines, first)
        return corpus, Ground(atoms.places, fault)


class _Documents:
    """Which rows belong together, by the column that says so."""

    def __init__(self, column: str | None) -> None:
        self._column = column
        self._last: str | None = None

    def put(self, corpus: Corpus, rows: Rows) -> Corpus:
        """The text of the next rows with its documents."""
        if self._column is None:
            return corpus
        values = rows.plain(self._column)
        coded = values.dictionary_encode() if is_string(values.type) else None
        numbers = integers(values if coded is None else coded.indices)
        first = np.append(0, np.flatnonzero(np.diff(numbers)) + 1)
        names = tuple(str(values[row].as_py()) for row in first.tolist())
        continues, self._last = self._last == names[0], names[-1]
        return replace(corpus, documents=first, names=names, continues=continues)
