"""Which columns of an Arrow table hold the text, its annotation and its documents.

The text is `tokens`, lists of strings, or `text`, strings. Spans are lists of structs, in `spans` or `entities`; tags
are lists of strings or of numbers with names, in `ner_tags` or `tags`, or in the only other column of such lists. A
user may name the column. Spans beside a text count characters, as in JSON lines; all else counts tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

from evenhand.dataclass import dataclass
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_lists import is_integer, is_list, is_string
from evenhand.formats.source import Source
from evenhand.settings import ColumnName, Columns, Task

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
class Table:
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
        annotated = (each.column for each in self.layers.values())
        return list(dict.fromkeys([self.text, *annotated, *([self.document] if self.document else [])]))


def layout_of(source: Source, table: Table, columns: Columns, task: Task | None) -> Layout:
    """The columns of a table for these layers; without any, it is text alone."""
    finder = _Finder(source, table, task)
    layers = {layer: finder.annotated(layer, wanted) for layer, wanted in columns.items()}
    grounds = {finder.text_of(each) for each in layers.values()} or {finder.any_text()}
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

    def __init__(self, source: Source, table: Table, task: Task | None) -> None:
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
