"""Arrow tables as annotations: tokens with tags or spans, or texts with spans, one sentence or text per row.

Columns are found by name and type: `tokens` (lists of strings) or `text` (or `data`), tags (lists of strings or of
numbers with names), spans (lists of structs with start, end and label). Every row is a document, unless a column
(`document`, `doc_id` or `document_id`) names documents: consecutive rows with the same value belong together. Messages
name rows by their number, from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Ints, Values, empty, ints, zeros
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import (
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
    used_codes,
)
from evenhand.formats.parsing.confidences import USUAL, ScoreFields, bad_score, score_column
from evenhand.formats.parsing.json_spans import COUNT, Fault, JsonSpan, OffsetMap, on_texts, on_tokens, shapes
from evenhand.formats.parsing.tags import Coded, TagReader, choose_encoding
from evenhand.formats.source import Source
from evenhand.settings import ColumnName, Columns, ReadSettings, Task

TOKENS = "tokens"
TEXTS = ("text", "data")
SPANS = ("spans", "entities")
TAGS = ("ner_tags", "tags")
DOCUMENTS = ("document", "doc_id", "document_id")
LABEL = "label"
_OFFSETS = (("start", "end"), ("start_offset", "end_offset"))
_TOKEN_OFFSETS = ("token_start", "token_end")
"""Offsets of Prodigy, with inclusive ends."""
_SLICE = 3
"""Slices of tables are larger than blocks of text by this factor: offsets take space, and each has its dictionary."""
_SAMPLE_SIZE = 1 << 16
"""The number of bytes of the slices that show the encoding of tags."""
Batches = Callable[[Sequence[str], int], Iterator[Any]]
"""Returns record batches with some columns, of about a number of bytes if the format can read parts of them."""


@dataclass(frozen=True)
class ArrowTable:
    """One or several files, whose record batches have the same columns."""

    what: str
    """The table in messages: the file, the dataset."""
    schema: Any
    features: Callable[[], Mapping[str, Any]]
    """The description of columns, as Hugging Face's features."""
    described_in: str
    """Where the table has the description of its columns, for messages."""
    mend: str
    """The remedy if numbers have no names: how a user gives them names."""
    batches: Batches
    broken: Callable[[], AbstractContextManager[None]]
    """Turns errors of Arrow into errors of the file."""


def read_table(
    name: str,
    table: ArrowTable,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
) -> Iterator[Annotation]:
    """The table in batches of whole rows, with one layer for each entry of `columns`, for the format of this name."""
    with table.broken():
        layout = layout_of(source, table, columns, settings.task, settings.extra)

    def rows(size: int) -> Generator[ArrowRows, None, None]:
        return sliced(source, table.batches(layout.columns, size), size)

    with closing(rows(_SLICE * settings.block_size)) as slices:
        first = list(islice(slices, 1))

        def sample() -> Iterator[ArrowRows]:
            """All rows in small slices; the first large slice is not read again."""
            return chain(sliced(source, (each.batch for each in first), _SAMPLE_SIZE), rows(_SAMPLE_SIZE))

        with table.broken():
            reader = _TableReader(name, layout, source, settings, vocabulary, sample)
        is_empty = True
        for part in chain(first, slices):
            with table.broken():
                annotation = reader.read(part)
            if annotation is not None:
                is_empty = False
                yield annotation
    if is_empty:
        what = "rows that can be read" if first else "rows"
        raise source.error(None, f"{table.what} has no {what}", "check how it was saved")


# Layouts


Kind = Literal["text", "number", "numbers", "strings", "structs"]


@dataclass(frozen=True)
class OffsetFields:
    """The fields of spans with their offsets."""

    start: str
    end: str
    is_inclusive: bool = False


@dataclass(frozen=True)
class Annotated:
    """A column of tags or, if it has fields, of spans."""

    column: str
    names: tuple[str, ...] | None
    """The label of each number in the column; None if it has strings."""
    fields: OffsetFields | None = None


@dataclass(frozen=True)
class ArrowLayout:
    """The columns to read, and what they contain."""

    text: str
    in_characters: bool
    """Whether the text is a string, not tokens."""
    layers: Mapping[str, Annotated]
    document: str | None
    extra: tuple[str, ...] = ()
    """Columns with one value per row, which become layers."""

    @property
    def columns(self) -> list[str]:
        annotated = (layer.column for layer in self.layers.values())
        document = [self.document] if self.document else []
        return list(dict.fromkeys([self.text, *annotated, *document, *self.extra]))


def layout_of(
    source: Source, table: ArrowTable, columns: Columns, task: Task | None, extra: Sequence[ColumnName] = ()
) -> ArrowLayout:
    """The columns of a table for these layers; without layers, only the text."""
    finder = _ColumnFinder(source, table, task)
    layers = {layer: finder.annotated(layer, names) for layer, names in columns.items()}
    texts = {finder.text_of(layer) for layer in layers.values()} or {finder.text}
    if len(texts) > 1:
        finding = "one of the columns counts characters, the other one tokens"
        raise source.error(None, finding, "specify two columns of the same kind")
    text = texts.pop()
    document = next((name for name in DOCUMENTS if finder.kinds.get(name) in ("text", "number")), None)
    layout = ArrowLayout(text, text != TOKENS, layers, document, tuple(map(finder.value_column, extra)))
    repeated = [name for name in layout.columns if table.schema.names.count(name) > 1]
    if repeated:
        raise source.error(None, f"several columns are called {repeated[0]!r}", "rename all but one of them")
    return layout


class _ColumnFinder:
    def __init__(self, source: Source, table: ArrowTable, task: Task | None) -> None:
        self._source, self._table, self._task = source, table, task
        self.kinds = {field.name: _kind(field.type) for field in table.schema}
        self._among = f"is among {', '.join(self.kinds)}"
        self._text = next((name for name in TEXTS if self.kinds.get(name) == "text"), None)
        self._has_tokens = self.kinds.get(TOKENS) == "strings"
        if not self._has_tokens and (self._text is None or task == "tags"):
            finding = f"no column {TOKENS!r} with lists of strings {self._among}"
            raise source.error(None, finding, f"rename the column with the tokens to {TOKENS}")
        self.text = TOKENS if self._has_tokens else str(self._text)

    def text_of(self, annotated: Annotated) -> str:
        """The column with the text of an annotation."""
        fields = annotated.fields
        if fields is None or fields.is_inclusive or self._text is None:
            return TOKENS
        return self._text

    def value_column(self, name: ColumnName) -> str:
        """A column with one text or number per row."""
        if self.kinds.get(str(name)) not in ("text", "number"):
            finding = f"no column {name!r} with one text or number per row {self._among}"
            raise self._source.error(None, finding, "specify one of these")
        return str(name)

    def annotated(self, layer: str, names: tuple[ColumnName, ...]) -> Annotated:
        """The column of a layer; `names` are those that a user gives."""
        if not names and layer != "spans":
            finding = "gold and prediction may be any two of its columns"
            raise self._source.error(None, finding, "specify them with --column gold:NAME --column system:NAME")
        tags = [name for name, kind in self.kinds.items() if kind in ("numbers", "strings")]
        tags = [name for name in tags if name not in (TOKENS, *TEXTS)] if self._has_tokens else []
        spans = [] if self._task == "tags" else [name for name, kind in self.kinds.items() if kind == "structs"]
        usual = [*(name for name in SPANS if name in spans), *(name for name in TAGS if name in self.kinds)]
        chosen = list(names) or usual[:1] or tags or spans
        if len(chosen) > 1:
            finding = f"several columns may hold the tags: {', '.join(map(str, chosen))}"
            raise self._source.error(None, finding, "specify one of them with --column")
        if chosen and chosen[0] in spans:
            return self._spans(str(chosen[0]))
        if not chosen or chosen[0] not in tags:
            raise self._no_column(chosen[0] if chosen else None)
        return self._tags(str(chosen[0]))

    def _no_column(self, name: ColumnName | None) -> Exception:
        if not self._has_tokens:
            what = f"column {name!r}" if name is not None else "column of spans"
            remedy = f"specify the column with lists of structs ({', '.join(_OFFSETS[0])}, {LABEL}) with --column"
            return self._source.error(None, f"no {what} with lists of structs {self._among}", remedy)
        what = f"{name!r}" if name is not None else "of tags"
        finding = f"no column {what} with lists of numbers or strings {self._among}"
        return self._source.error(None, finding, "specify the column of tags with --column")

    def _tags(self, column: str) -> Annotated:
        if self.kinds[column] == "strings":
            return Annotated(column, None)
        return Annotated(column, self._names(column, _item(self._table.features().get(column))))

    def _spans(self, column: str) -> Annotated:
        item = self._table.schema.field(column).type.value_type
        if arrow.types.is_null(item):
            return Annotated(column, None, OffsetFields(*_OFFSETS[0]))
        types = {item.field(index).name: item.field(index).type for index in range(item.num_fields)}
        whole = {name for name, field in types.items() if is_integer(field)}
        fields = next((OffsetFields(*pair) for pair in _OFFSETS if whole.issuperset(pair)), None)
        if whole.issuperset(_TOKEN_OFFSETS) and self._has_tokens and (self._text is None or fields is None):
            fields = OffsetFields(*_TOKEN_OFFSETS, is_inclusive=True)
        label = types.get(LABEL)
        is_named = label is not None and is_string(label)
        if fields is None or not (is_named or LABEL in whole):
            finding = f"the spans in the column {column!r} have the fields {', '.join(types)}"
            raise self._source.error(
                None, finding, f"use the fields {', '.join(_OFFSETS[0])} (whole numbers) and {LABEL}"
            )
        if is_named:
            return Annotated(column, None, fields)
        feature = _item(self._table.features().get(column))
        return Annotated(column, self._names(column, feature.get(LABEL)), fields)

    def _names(self, column: str, feature: Any) -> tuple[str, ...]:
        """The names of numbers, from a ClassLabel; an error if it has none."""
        item = feature if isinstance(feature, dict) else {}
        names = tuple(map(str, item.get("names") or ())) if item.get("_type") == "ClassLabel" else ()
        # A ClassLabel with only a number of classes is saved with numbers as names.
        if names == tuple(map(str, range(len(names)))):
            finding = f"the column {column!r} has numbers, and {self._table.described_in} has no names for them"
            raise self._source.error(None, finding, self._table.mend)
        return names


def _kind(column: Any) -> Kind | None:
    """The kind of a column by its type; None for types that are not read."""
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
    # Lists that are all empty may have lost the type of their items.
    return "structs" if arrow.types.is_struct(column.value_type) or arrow.types.is_null(column.value_type) else None


def _item(feature: Any) -> dict[str, Any]:
    """The feature of the items of lists, written `{"feature": ..., "_type": "List"}` (or Sequence) or `[...]`."""
    item = feature[0] if isinstance(feature, list) and feature else feature
    item = item.get("feature", item) if isinstance(item, dict) else {}
    return item if isinstance(item, dict) else {}


# Rows


Decoded = Mapping[str, Any]
"""The columns of some rows: strings, or lists."""


class _TableReader:
    """Reads the columns of a layout; rows with problems are left out."""

    def __init__(
        self,
        name: str,
        layout: ArrowLayout,
        source: Source,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        sample: Callable[[], Iterator[ArrowRows]],
    ) -> None:
        """`sample` returns the rows from the first one on, to choose the encoding of tags."""
        self._name, self._layout, self._source, self._settings = name, layout, source, settings
        self._is_of_words = settings.task == "tags"
        self._codes: dict[str, dict[str, int]] = {layer: {} for layer in layout.layers}
        spans, scores = {layer: each for layer, each in layout.layers.items() if each.fields}, ScoreFields.of(settings)
        self._spans = {layer: SpanReader(each, vocabulary, scores) for layer, each in spans.items()}
        self._last_document: str | None = None
        self._tags: dict[str, TagReader] = {}
        gold = None
        for layer, annotated in layout.layers.items():
            if annotated.fields is None and not self._is_of_words:
                tags, what = self._sample_tags(annotated, sample), f" in the column {annotated.column!r}"
                layer_settings = settings.of_layer(layer, gold)
                encoding = choose_encoding(source, layer_settings, tags, annotated.names or (), what)
                gold = encoding.name if layer == "gold" else gold
                self._tags[layer] = TagReader(source, layer_settings, vocabulary, encoding)

    def _sample_tags(self, annotated: Annotated, sample: Callable[[], Iterator[ArrowRows]]) -> Iterator[Coded]:
        """The tags of the table, slice by slice; each slice has separate codes."""
        for rows in sample():
            good, columns = self._checked(rows)
            if len(good):
                corpus, _ = self._text(good, columns)
                yield coded_tags(columns[annotated.column].values, annotated.names, {}, corpus)

    def read(self, rows: ArrowRows) -> Annotation | None:
        """The contents of some rows, if any of them can be read."""
        rows, columns = self._checked(rows)
        if not len(rows):
            return None
        corpus, offsets = self._text(rows, columns)
        corpus = self._with_documents(corpus, rows)
        layers: dict[str, Layer] = {}
        readings: dict[str, ReadInfo] = {}
        for layer, annotated in self._layout.layers.items():
            lists, reading = columns[annotated.column], ReadInfo(self._name, column=annotated.column)
            if layer in self._spans:
                layers[layer], readings[layer] = self._spans[layer].read(rows, lists, offsets), reading
                continue
            tags_and_codes = (lists.values, annotated.names, self._codes[layer])
            if self._is_of_words:  # tags of words are not decoded to spans
                code = _tag_codes(*tags_and_codes)
                layers["tags"], readings["words"] = Tags(code, tuple(self._codes[layer])), reading
                continue
            tags, layers[layer], tag_reading = self._tags[layer].read(coded_tags(*tags_and_codes, corpus))
            layers["tags" if layer == "spans" else f"{layer}-tags"] = tags
            readings[layer] = replace(tag_reading, format=self._name, column=annotated.column)
        for column in self._layout.extra:
            layers[extra_layer(column)] = values_as_tags(rows.plain(column), corpus)
        return Annotation(corpus, layers, readings, self._source.name)

    def _checked(self, rows: ArrowRows) -> tuple[ArrowRows, Decoded]:
        """The rows without problems (and, for words, without empty rows), and their columns."""
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
        columns: dict[str, Any] = {layer.column: rows.lists(layer.column) for layer in layout.layers.values()}
        columns[layout.text] = rows.plain(layout.text) if layout.in_characters else rows.lists(layout.text)
        if layout.document is not None:
            columns[layout.document] = rows.plain(layout.document)
        return columns

    def _check(self, rows: ArrowRows, columns: Decoded) -> None:
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
        text, size, name = columns[self._layout.text], len(rows), self._source.display_name
        first = int(rows.numbers[0])
        lines = rows.numbers - first
        if isinstance(text, Lists):
            tokens, lines = tokens_of(text.values), np.repeat(lines, text.lengths)
            corpus = Corpus(name, size, text.bounds, tokens, lines, first, documents=np.arange(size))
            return corpus, on_tokens(text.lengths)
        strings, unit = tokens_of(text), self._settings.unit
        characters = Texts.within(strings.data, strings.start, strings.end, unit)

        def fault(row: int, span: JsonSpan) -> Fault:
            return on_texts([strings[row]], unit)[1].fault(0, span)

        return characters.corpus(name, lines, first), OffsetMap(characters.positions, fault)

    def _with_documents(self, corpus: Corpus, rows: ArrowRows) -> Corpus:
        """The text with its documents, if a column names them."""
        if self._layout.document is None:
            return corpus
        values = rows.plain(self._layout.document)
        coded = values.dictionary_encode() if is_string(values.type) else None
        numbers = integers(values if coded is None else coded.indices)
        first = np.append(0, np.flatnonzero(np.diff(numbers)) + 1)
        names = tuple(str(values[row].as_py()) for row in first.tolist())
        continues, self._last_document = self._last_document == names[0], names[-1]
        return replace(corpus, documents=first, names=names, continues=continues)


def values_as_tags(values: Any, corpus: Corpus) -> Tags:
    """One value per sentence as tags of its tokens or characters; a null is the empty tag."""
    texts = ["" if value is None else str(value) for value in values.to_pylist()]
    names = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    assert corpus.lengths is not None
    return Tags(np.repeat(ints([names[text] for text in texts]), corpus.lengths), tuple(names))


# Columns of tags


def check_tags(rows: ArrowRows, tokens: Lists, tags: Lists, annotated: Annotated) -> None:
    """Report rows without exactly one valid tag per token."""
    rows.report_nulls(tags.has_null, annotated.column)
    token_counts, tag_counts = tokens.lengths, tags.lengths
    for row in rows.unreported(token_counts != tag_counts):
        finding = f"the number of tokens in this row is {token_counts[row]}, the number of tags is {tag_counts[row]}"
        rows.report(row, finding, "give every token one tag")
    if annotated.names is None:
        return
    number = integers(tags.values)
    if not len(number) or (number.min() >= 0 and number.max() < len(annotated.names)):
        return
    wrong = (number < 0) | (number >= len(annotated.names))
    for row in rows.unreported(tags.marked(wrong)):
        values = slice(*tags.bounds[row : row + 2].tolist())
        first, last = number[values][wrong[values]][0], len(annotated.names) - 1
        finding = f"expected tag numbers from 0 to {last} in {annotated.column!r}, got {first}"
        rows.report(row, finding, "give every token a tag (-1 and -100 mean no tag)")


def _tag_codes(values: Any, names: tuple[str, ...] | None, codes: dict[str, int]) -> Ints:
    """Tags that were checked, as codes of the whole file; new ones are added."""
    if names is None:
        tags, index = distinct(values)
    else:
        used, index = used_codes(integers(values), len(names))
        tags = [names[code] for code in used.tolist()]
    return ints([codes.setdefault(tag, len(codes)) for tag in tags])[index]


def coded_tags(values: Any, names: tuple[str, ...] | None, codes: dict[str, int], corpus: Corpus) -> Coded:
    known = len(codes)
    code = SparseCodes.of(_tag_codes(values, names, codes))
    return Coded(list(codes)[known:], code, corpus)


# Columns of spans


@dataclass(frozen=True)
class SpanColumns:
    """The spans of some rows, as columns."""

    row: Ints
    start: Ints
    end: Ints
    names: list[str]
    """The distinct labels."""
    label: Ints
    """The index of each label among them."""
    level: Ints
    parts: Any
    """An Arrow array of lists, or None."""
    score: Values | None = None

    def span(self, at: int) -> JsonSpan:
        level, parts = int(self.level[at]), None if self.parts is None else self.parts[at].as_py()
        bounds = [tuple(part or ()) for part in parts or ()] or None
        return JsonSpan(int(self.start[at]), int(self.end[at]), self.names[self.label[at]], bounds, level)

    def take(self, kept: Ints) -> SpanColumns:
        columns = {name: getattr(self, name)[kept] for name in ("row", "start", "end", "label", "level")}
        score = None if self.score is None else self.score[kept]
        return replace(self, **columns, parts=None if self.parts is None else self.parts.take(kept), score=score)


class SpanReader:
    """Reads the spans of one column."""

    def __init__(self, annotated: Annotated, vocabulary: Vocabulary, scores: ScoreFields = USUAL) -> None:
        assert annotated.fields is not None
        self._scores = scores
        self._column, self._names, self._fields = annotated.column, annotated.names, annotated.fields
        self._vocabulary = vocabulary

    def check(self, rows: ArrowRows, lists: Lists) -> None:
        """Report rows with nulls, and with numbers of labels without a name."""
        has_null, is_empty = lists.has_null, arrow.types.is_null(lists.values.type)
        for name in () if is_empty else (self._fields.start, self._fields.end, LABEL):
            has_null = has_null | lists.marked(nulls(plain(lists.values.field(name))))
        rows.report_nulls(has_null, self._column)
        if self._names is None:
            return
        number, last = integers(plain(lists.values.field(LABEL))), len(self._names) - 1
        for row in rows.unreported(lists.marked((number < 0) | (number > last))):
            finding = f"expected label numbers from 0 to {last} in {self._column!r}, got one without a name"
            rows.report(row, finding, "give every span a label that has a name")

    def read(self, rows: ArrowRows, lists: Lists, offsets: OffsetMap) -> Spans:
        """The spans of rows without nulls, in positions. Spans that cover none are reported and left out."""
        if not len(lists.values):
            return Spans.of(self._vocabulary, *(empty() for _ in range(4)))
        columns = self._columns(lists)
        if columns.score is not None and np.isinf(columns.score).any():
            at = int(np.isinf(columns.score).argmax())
            row = int(columns.row[at])
            number = at - int(np.searchsorted(columns.row, row)) + 1
            rows.report(row, bad_score(f"span {number}", float(columns.score[at])), "")
        start, end = offsets.bounds(columns.row, columns.start, columns.end)
        wrong = (start < 0) | (end <= start) | (columns.start < 0) | (columns.level < 0)
        for at in np.flatnonzero(wrong).tolist():
            self._report(rows, columns, at, offsets)
        nameless = [index for index, name in enumerate(columns.names) if not name]
        for at in np.flatnonzero(np.isin(columns.label, nameless) & ~wrong).tolist() if nameless else ():
            rows.report(int(columns.row[at]), f"{columns.span(at)} has an empty label", "add its label")
        if wrong.any():
            kept = np.flatnonzero(~wrong)
            columns, start, end = columns.take(kept), start[kept], end[kept]
        # Only labels of spans are added to the vocabulary.
        used, index = used_codes(columns.label, len(columns.names))
        label = ints([self._vocabulary.labels.code(columns.names[code]) for code in used.tolist()])[index]
        spans = Spans.of(self._vocabulary, columns.row, start, end, label, columns.level)
        spans = spans if columns.score is None else replace(spans, score=columns.score)
        return spans if columns.parts is None else self._with_gaps(rows, columns, spans, offsets)

    def _columns(self, lists: Lists) -> SpanColumns:
        values = lists.values
        start = integers(plain(values.field(self._fields.start)))
        end = integers(plain(values.field(self._fields.end))) + int(self._fields.is_inclusive)
        label = plain(values.field(LABEL))
        names, index = distinct(label) if self._names is None else (list(self._names), integers(label))
        row = np.repeat(np.arange(len(lists.bounds) - 1), lists.lengths)
        types = {field.name: field.type for field in values.type}
        has_levels = "level" in types and is_integer(types["level"])
        level = integers(values.field("level")) if has_levels else zeros(len(values))
        parts = None
        if "parts" in types and is_list(types["parts"]) and is_list(types["parts"].value_type):
            parts = values.field("parts") if is_integer(types["parts"].value_type.value_type) else None
        return SpanColumns(row, start, end, names, index, level, parts, self._score(values, types))

    def _score(self, values: Any, types: Mapping[str, Any]) -> Values | None:
        """The confidence of each span; NaN for null."""
        is_floating = arrow.types.is_floating
        named = [key for key in self._scores.among(types) if is_integer(types[key]) or is_floating(types[key])]
        if not named:
            return None
        score: Values = values.field(named[0]).cast(arrow.float64()).to_numpy(zero_copy_only=False)
        return score_column(score if self._scores.is_needed else np.where(np.isinf(score), np.nan, score))

    def _report(self, rows: ArrowRows, columns: SpanColumns, at: int, offsets: OffsetMap) -> None:
        row, span = int(columns.row[at]), columns.span(at)
        if span.level < 0:
            rows.report(row, f"{span} is on the level {span.level}", "count levels from 0")
        elif span.start < 0:
            rows.report(row, f"{span} begins before its text", COUNT)
        else:
            rows.report(row, *offsets.fault(row, span))

    def _with_gaps(self, rows: ArrowRows, columns: SpanColumns, spans: Spans, offsets: OffsetMap) -> Spans:
        """Add gaps to spans that have parts; these are read one by one."""
        whole: dict[int, JsonSpan] = {}
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
        shape[some] = shapes(list(whole.values()), spans.take(some), offsets, rows.report)
        return replace(spans, shape=shape)
