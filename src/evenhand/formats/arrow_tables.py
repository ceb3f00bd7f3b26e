"""Arrow tables as annotations: tokens with tags or spans, or texts with spans, a row a sentence or text.

Every row is a document of its own, unless a column (`document`, `doc_id` or `document_id`) says which rows belong
together: those that follow each other and have the same value. Where a message names a place in the table, it is the
number of the row, counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Ints, empty, ints, zeros
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.formats.arrow_columns import (
    ArrowRows,
    Lists,
    arrow,
    distinct,
    integers,
    is_integer,
    is_list,
    is_string,
    nulls,
    plain,
    sliced,
    tokens_of,
    used_ones,
)
from evenhand.formats.parsing.json_spans import Fault, OffsetMap, Span, on_texts, on_tokens, shapes
from evenhand.formats.parsing.tags import Coded, TagReader, choose_encoding
from evenhand.formats.source import Source
from evenhand.settings import ColumnName, Columns, ReadSettings, Task

# == formats/arrow_layout.py: Which columns of an Arrow table hold the text, its annotatio


TOKENS = "tokens"
TEXTS = ("text", "data")
SPANS = ("spans", "entities")
TAGS = ("ner_tags", "tags")
DOCUMENTS = ("document", "doc_id", "document_id")
LABEL = "label"
_OFFSETS = (("start", "end"), ("start_offset", "end_offset"))
_TOKEN_POSITIONS = ("token_start", "token_end")
"""As Prodigy writes them: the last token is the end."""
Kind = Literal["text", "number", "numbers", "strings", "structs"]
Batches = Callable[[Sequence[str], int], Iterator[Any]]
"""The record batches with some columns only, of about so many bytes where a format can read parts of them."""
Features = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class ArrowTable:
    """A file, or several, whose record batches have the same columns."""

    what: str
    """What messages call it: the file, the dataset."""
    schema: Any
    features: Features
    """The description of columns, as Hugging Face's features."""
    described_in: str
    """Where that description is."""
    mend: str
    """How a user gives names to numbers."""
    batches: Batches
    broken: Callable[[], AbstractContextManager[None]]
    """What Arrow finds wrong in this context is the user's to mend."""


@dataclass(frozen=True)
class SpanFields:
    """The fields of spans: where they start and end, and whether the end belongs to them."""

    start: str
    end: str
    is_inclusive: bool = False


@dataclass(frozen=True)
class Annotated:
    """A column of tags or, if it has fields, of spans."""

    column: str
    names: tuple[str, ...] | None
    """The names of its numbers; strings need none."""
    fields: SpanFields | None = None


@dataclass(frozen=True)
class Layout:
    """The columns that are read."""

    text: str
    in_characters: bool
    """Whether the text is a string, not tokens."""
    layers: Mapping[str, Annotated]
    document: str | None

    @property
    def columns(self) -> list[str]:
        annotated = (layer.column for layer in self.layers.values())
        return list(dict.fromkeys([self.text, *annotated, *([self.document] if self.document else [])]))


def layout_of(source: Source, table: ArrowTable, columns: Columns, task: Task | None) -> Layout:
    """The columns of a table for these layers; without any, it is text alone."""
    finder = _Finder(source, table, task)
    layers = {layer: finder.annotated(layer, wanted) for layer, wanted in columns.items()}
    grounds = {finder.text_of(layer) for layer in layers.values()} or {finder.any_text()}
    if len(grounds) > 1:
        finding = "one of the columns counts characters, the other one tokens"
        raise source.error(None, finding, "name two columns of the same kind")
    text = grounds.pop()
    document = next((name for name in DOCUMENTS if finder.kinds.get(name) in ("text", "number")), None)
    layout = Layout(text, text != TOKENS, layers, document)
    repeated = [name for name in layout.columns if table.schema.names.count(name) > 1]
    if repeated:
        raise source.error(None, f"several columns are called {repeated[0]!r}", "rename all but one of them")
    return layout


class _Finder:
    """Looks for columns by name and type."""

    def __init__(self, source: Source, table: ArrowTable, task: Task | None) -> None:
        self._source, self._table, self._task = source, table, task
        self.kinds = {field.name: _kind(field.type) for field in table.schema}
        self._among = f"is among {', '.join(self.kinds)}"
        self._text = next((name for name in TEXTS if self.kinds.get(name) == "text"), None)
        self._has_tokens = self.kinds.get(TOKENS) == "strings"
        if not self._has_tokens and (self._text is None or task == "tags"):
            finding = f"no column {TOKENS!r} with lists of strings {self._among}"
            raise source.error(None, finding, f"rename the column with the tokens to {TOKENS}")

    def any_text(self) -> str:
        return TOKENS if self._has_tokens else str(self._text)

    def text_of(self, annotated: Annotated) -> str:
        """The column that an annotation is of."""
        fields = annotated.fields
        if fields is None or fields.is_inclusive or self._text is None:
            return TOKENS
        return self._text

    def annotated(self, layer: str, wanted: tuple[ColumnName, ...]) -> Annotated:
        """The column of a layer."""
        if not wanted and layer != "spans":
            finding = "gold and prediction may be any two of its columns"
            raise self._source.error(None, finding, "name them: --column gold:NAME --column system:NAME")
        tags = [
            name for name, kind in self.kinds.items() if kind in ("numbers", "strings") and name not in (TOKENS, *TEXTS)
        ]
        spans = [] if self._task == "tags" else [name for name, kind in self.kinds.items() if kind == "structs"]
        tags = tags if self._has_tokens else []
        usual = [*(name for name in SPANS if name in spans), *(name for name in TAGS if name in self.kinds)]
        chosen = list(wanted) or usual[:1] or tags or spans
        if len(chosen) > 1:
            finding = f"several columns could have the tags: {', '.join(map(str, chosen))}"
            raise self._source.error(None, finding, "name one of them with --column")
        if chosen and chosen[0] in spans:
            return self._spans(str(chosen[0]))
        if not chosen or chosen[0] not in tags:
            raise self._no_column(chosen[0] if chosen else None)
        return self._tags(str(chosen[0]))

    def _no_column(self, name: ColumnName | None) -> Exception:
        if not self._has_tokens:
            what = f"column {name!r}" if name is not None else "column of spans"
            remedy = f"name the column with lists of structs ({', '.join(_OFFSETS[0])}, {LABEL}) with --column"
            return self._source.error(None, f"no {what} with lists of structs {self._among}", remedy)
        what = f"{name!r}" if name is not None else "of tags"
        finding = f"no column {what} with lists of numbers or strings {self._among}"
        return self._source.error(None, finding, "name the column with the tags with --column")

    def _tags(self, column: str) -> Annotated:
        if self.kinds[column] == "strings":
            return Annotated(column, None)
        return Annotated(column, self._names(column, _item(self._table.features().get(column))))

    def _spans(self, column: str) -> Annotated:
        """A column of spans, by what their fields are called."""
        item = self._table.schema.field(column).type.value_type
        if arrow.types.is_null(item):
            return Annotated(column, None, SpanFields(*_OFFSETS[0]))
        types = {item.field(place).name: item.field(place).type for place in range(item.num_fields)}
        whole = {name for name, field in types.items() if is_integer(field)}
        fields = next((SpanFields(*pair) for pair in _OFFSETS if whole.issuperset(pair)), None)
        if whole.issuperset(_TOKEN_POSITIONS) and self._has_tokens and (self._text is None or fields is None):
            fields = SpanFields(*_TOKEN_POSITIONS, is_inclusive=True)
        label = types.get(LABEL)
        is_named = label is not None and is_string(label)
        if fields is None or not (is_named or LABEL in whole):
            finding = f"the spans in the column {column!r} have the fields {', '.join(types)}"
            raise self._source.error(None, finding, f"give them {', '.join(_OFFSETS[0])} (whole numbers) and {LABEL}")
        if is_named:
            return Annotated(column, None, fields)
        of_span = _item(self._table.features().get(column))
        return Annotated(column, self._names(column, of_span.get(LABEL)), fields)

    def _names(self, column: str, feature: Any) -> tuple[str, ...]:
        """The names of numbers, which must have some."""
        names = _class_names(feature)
        if names is None:
            finding = f"the column {column!r} has numbers, and {self._table.described_in} has no names for them"
            raise self._source.error(None, finding, self._table.mend)
        return names


def _kind(column: Any) -> Kind | None:
    """What a column holds; None for all that is no use here."""
    if is_string(column):
        return "text"
    if is_integer(column):
        return "number"
    if not is_list(column):
        return None
    if is_integer(column.value_type):
        return "numbers"
    if is_string(column.value_type):
        return "strings"
    # Lists that are all empty may have lost the type of what they could hold.
    return "structs" if arrow.types.is_struct(column.value_type) or arrow.types.is_null(column.value_type) else None


def _item(feature: Any) -> dict[str, Any]:
    """What the lists of a column hold, written `{"feature": ..., "_type": "List"}` (or Sequence) or `[...]`."""
    item = feature[0] if isinstance(feature, list) and feature else feature
    item = item.get("feature", item) if isinstance(item, dict) else {}
    return item if isinstance(item, dict) else {}


def _class_names(feature: Any) -> tuple[str, ...] | None:
    """The names of a ClassLabel; None where there are none."""
    item = feature if isinstance(feature, dict) else {}
    names = tuple(map(str, item.get("names") or ())) if item.get("_type") == "ClassLabel" else ()
    # A ClassLabel that was given no names, only their number, is saved with the numbers for names.
    return None if names == tuple(map(str, range(len(names)))) else names


# == formats/arrow_spans.py: Lists of spans from Arrow tables: structs with start, end an


_COUNT = "count from 0, with exclusive ends"


@dataclass(frozen=True)
class SpanColumns:
    """The spans of some rows, as columns."""

    row: Ints
    start: Ints
    end: Ints
    names: list[str]
    """The distinct labels."""
    label: Ints
    """The place of each label among them."""
    level: Ints
    parts: Any
    """An Arrow array of lists, or None."""

    def span(self, at: int) -> Span:
        """One span, as messages show it."""
        level, parts = int(self.level[at]), None if self.parts is None else self.parts[at].as_py()
        name = self.names[self.label[at]]
        read = [tuple(each or ()) for each in parts or ()] or None
        return Span(int(self.start[at]), int(self.end[at]), name, read, level)

    def take(self, kept: Ints) -> SpanColumns:
        columns = {name: getattr(self, name)[kept] for name in ("row", "start", "end", "label", "level")}
        return replace(self, **columns, parts=None if self.parts is None else self.parts.take(kept))


class SpanReader:
    """Reads the spans of one column."""

    def __init__(self, annotated: Annotated, vocabulary: Vocabulary) -> None:
        self._column, self._names, self._fields = annotated.column, annotated.names, annotated.fields
        self._vocabulary = vocabulary

    def check(self, rows: ArrowRows, found: Lists) -> None:
        """Report rows with nulls, and with numbers of labels that have no name."""
        assert self._fields is not None
        has_null, is_empty = found.has_null, arrow.types.is_null(found.values.type)
        for name in () if is_empty else (self._fields.start, self._fields.end, LABEL):
            has_null = has_null | found.marked(nulls(plain(found.values.field(name))))
        rows.report_nulls(has_null, self._column)
        if self._names is not None:
            self._check_numbers(rows, found, self._names)

    def _check_numbers(self, rows: ArrowRows, found: Lists, names: tuple[str, ...]) -> None:
        number = integers(plain(found.values.field(LABEL)))
        for row in rows.left(found.marked((number < 0) | (number >= len(names)))):
            finding = f"found a label without a name where those of {self._column!r} are for 0 to {len(names) - 1}"
            rows.report(row, finding, "give every span a label that has a name")

    def _columns(self, found: Lists) -> SpanColumns:
        assert self._fields is not None
        values, size = found.values, len(found.values)
        start = integers(plain(values.field(self._fields.start)))
        end = integers(plain(values.field(self._fields.end))) + int(self._fields.is_inclusive)
        label = plain(values.field(LABEL))
        names, place = distinct(label) if self._names is None else (list(self._names), integers(label))
        row = np.repeat(np.arange(len(found.bounds) - 1), found.lengths)
        types = {field.name: field.type for field in values.type}
        level = zeros(size)
        if "level" in types and is_integer(types["level"]):
            level = integers(values.field("level"))
        parts = values.field("parts") if "parts" in types and _is_of_parts(types["parts"]) else None
        return SpanColumns(row, start, end, names, place, level, parts)

    def read(self, rows: ArrowRows, found: Lists, ground: OffsetMap) -> Spans:
        """The spans of rows without nulls, in atoms; one that covers none is a problem, and left out."""
        if not len(found.values):
            return Spans.of(self._vocabulary, *(empty() for _ in range(4)))
        columns = self._columns(found)
        start, end = ground.positions(columns.row, columns.start), ground.positions(columns.row, columns.end)
        wrong = (start < 0) | (end <= start) | (columns.start < 0) | (columns.level < 0)
        for at in np.flatnonzero(wrong).tolist():
            self._report(rows, columns, at, ground)
        nameless = [place for place, name in enumerate(columns.names) if not name]
        for at in np.flatnonzero(np.isin(columns.label, nameless) & ~wrong).tolist() if nameless else ():
            rows.report(int(columns.row[at]), f"{columns.span(at)} has an empty label", "name its label")
        if wrong.any():
            kept = np.flatnonzero(~wrong)
            columns, start, end = columns.take(kept), start[kept], end[kept]
        spans = Spans.of(self._vocabulary, columns.row, start, end, self._codes(columns), columns.level)
        return spans if columns.parts is None else self._with_gaps(rows, columns, spans, ground)

    def _report(self, rows: ArrowRows, columns: SpanColumns, at: int, ground: OffsetMap) -> None:
        row, span = int(columns.row[at]), columns.span(at)
        if span.level < 0:
            rows.report(row, f"{span} is on the level {span.level}", "count levels from 0")
        elif span.start < 0:
            rows.report(row, f"{span} begins before its text", _COUNT)
        else:
            rows.report(row, *ground.fault(row, span))

    def _codes(self, columns: SpanColumns) -> Ints:
        """The vocabulary's codes of labels; only those that a span has join it."""
        used, place = used_ones(columns.label, len(columns.names))
        codes = ints([self._vocabulary.labels.code(columns.names[each]) for each in used.tolist()])
        return codes[place]

    def _with_gaps(self, rows: ArrowRows, columns: SpanColumns, spans: Spans, ground: OffsetMap) -> Spans:
        """The spans with the shapes of those that have parts, which are looked at one by one."""
        whole: dict[int, Span] = {}
        for at in np.flatnonzero(integers(columns.parts.value_lengths())).tolist():
            span = columns.span(at)
            if all(len(part) == 2 and None not in part for part in span.parts or ()):
                whole[at] = span
            else:
                finding = f"a part of {span} is not two numbers"
                rows.report(int(columns.row[at]), finding, "list parts as [start, end]")
        if not whole:
            return spans
        some, shape = ints(list(whole)), np.zeros(len(spans), dtype=np.int64)
        shape[some] = shapes(list(whole.values()), spans.take(some), ground, rows.report)
        return replace(spans, shape=shape)


def _is_of_parts(column: Any) -> bool:
    """Whether a type is one of lists of lists of whole numbers."""
    return is_list(column) and is_list(column.value_type) and is_integer(column.value_type.value_type)


# == formats/arrow_tags.py: Lists of tokens and of their tags from Arrow tables, a list


_SAMPLE_ARROW_TAGS = 1 << 9
"""How many tags are looked at to see which one is common."""


@dataclass(frozen=True)
class TagList:
    """The distinct tags of some tokens, and for each token the place of its tag among them."""

    distinct: list[str]
    place: Ints

    def codes(self, codes: dict[str, int]) -> Ints:
        """The tags by the codes of the whole file, which new ones join."""
        return self._of_distinct(codes)[self.place]

    def _of_distinct(self, codes: dict[str, int]) -> Ints:
        return ints([codes.setdefault(tag, len(codes)) for tag in self.distinct])

    def coded(self, codes: dict[str, int], corpus: Corpus) -> Coded:
        """The same, with those that are new."""
        known = len(codes)
        of_distinct, size = self._of_distinct(codes), len(self.place)
        new = list(codes)[known:]
        common = int(np.bincount(self.place[:_SAMPLE_ARROW_TAGS], minlength=1).argmax())
        rows = np.flatnonzero(self.place != common)
        if 2 * len(rows) > size or not size:
            return Coded(new, SparseCodes.of(of_distinct[self.place]), corpus)
        return Coded(new, SparseCodes(size, int(of_distinct[common]), rows, of_distinct[self.place[rows]]), corpus)


def check_tags(rows: ArrowRows, tokens: Lists, tags: Lists, annotated: Annotated) -> None:
    """Report rows that have not one good tag a token."""
    rows.report_nulls(tags.has_null, annotated.column)
    lengths, theirs = tokens.lengths, tags.lengths
    for row in rows.left(lengths != theirs):
        finding = f"the number of tokens in this row is {lengths[row]}, that of tags is {theirs[row]}"
        rows.report(row, finding, "give every token one tag")
    if annotated.names is None:
        return
    number = integers(tags.values)
    if not len(number) or (number.min() >= 0 and number.max() < len(annotated.names)):
        return
    wrong = (number < 0) | (number >= len(annotated.names))
    for row in rows.left(tags.marked(wrong)):
        within = slice(*tags.bounds[row : row + 2].tolist())
        found, last = number[within][wrong[within]][0], len(annotated.names) - 1
        finding = f"found the tag number {found} where the names of {annotated.column!r} are for 0 to {last}"
        rows.report(row, finding, "give every token a tag (-1 and -100 stand for none)")


def tags_of(values: Any, names: tuple[str, ...] | None) -> TagList:
    """Tags that were checked."""
    if names is None:
        return TagList(*distinct(values))
    used, place = used_ones(integers(values), len(names))
    return TagList([names[each] for each in used.tolist()], place)


# == formats/arrow_tables.py (primary)


Again = Callable[[], Iterator[ArrowRows]]
Decoded = Mapping[str, Any]
"""The columns of some rows: strings, or lists."""

_SLICE = 3
"""How many times larger than blocks of text slices of tables are: offsets take room, and each has its dictionary."""
_SAMPLE = 1 << 16


def read_table(
    name: str,
    table: ArrowTable,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
) -> Iterator[Annotation]:
    """The table in batches of whole rows, with a layer for each entry of `columns`; `name` is that of the format."""
    with table.broken():
        layout = layout_of(source, table, columns, settings.task)

    def rows(size: int) -> Generator[ArrowRows, None, None]:
        return sliced(source, table.batches(layout.columns, size), size)

    with closing(rows(_SLICE * settings.block_size)) as slices:
        first = list(islice(slices, 1))

        def sample() -> Iterator[ArrowRows]:
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

    def read(self, rows: ArrowRows) -> Annotation | None:
        """What some rows hold, if any of them can be read."""
        rows, columns = self._checked(rows)
        if not len(rows):
            return None
        corpus, ground = self._text(rows, columns)
        corpus = self._documents.put(corpus, rows)
        layers: dict[str, Layer] = {}
        readings: dict[str, ReadInfo] = {}
        for layer, annotated in self._layout.layers.items():
            found, reading = columns[annotated.column], ReadInfo(self._name, column=annotated.column)
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

    def _checked(self, rows: ArrowRows) -> tuple[ArrowRows, Decoded]:
        """The rows without problems, and their columns; where words are read, also without those that have none."""
        columns = self._decoded(rows)
        self._check(rows, columns)
        if self._is_of_words:
            rows.bad |= columns[self._layout.text].lengths == 0
        if not rows.bad.any():
            return rows, columns
        rows = rows.good()
        return rows, self._decoded(rows)

    def _decoded(self, rows: ArrowRows) -> Decoded:
        layout = self._layout
        found: dict[str, Any] = {layer.column: rows.lists(layer.column) for layer in layout.layers.values()}
        found[layout.text] = rows.plain(layout.text) if layout.in_characters else rows.lists(layout.text)
        if layout.document is not None:
            found[layout.document] = rows.plain(layout.document)
        return found

    def _check(self, rows: ArrowRows, columns: Decoded) -> None:
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

    def _text(self, rows: ArrowRows, columns: Decoded) -> tuple[Corpus, OffsetMap]:
        """The text of rows, and what positions in it count."""
        text, size = columns[self._layout.text], len(rows)
        first = int(rows.numbers[0])
        lines, shown = rows.numbers - first, self._source.display_name
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
        return corpus, OffsetMap(atoms.positions, fault)


class _Documents:
    """Which rows belong together, by the column that says so."""

    def __init__(self, column: str | None) -> None:
        self._column = column
        self._last: str | None = None

    def put(self, corpus: Corpus, rows: ArrowRows) -> Corpus:
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
