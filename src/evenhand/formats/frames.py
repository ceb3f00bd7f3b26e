"""Data frames and flat Arrow tables: one row per token, or one row per span.

pandas and polars frames become Arrow tables, like every object with the Arrow stream interface; an index is ignored.
Columns are found by their names and contents, unless the user names them by role: `token=word,tag=ner`.

One row per token: `token`, `tag`, and `sentence`, `document` or both. The rows of a sentence follow each other. Ids are
in every row, or only in the first row of each sentence. Several columns of tags are levels of nesting.

One row per span: `document` (or `sentence`), `start`, `end`, `label`, in any order of rows; `text` is the text of the
document, `quote` the text of the span. A row without start, end and label is a document without spans; without such
rows, the table does not show which other documents there are.

Messages name rows by their number, from 1. Tables with lists (one row per sentence) are read by `arrow_tables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Tags
from evenhand.data.structures import OffsetLists
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import (
    ARROW,
    MAX_ROWS,
    arrow,
    check_pyarrow,
    checked_batches,
    features_of,
    integers,
    is_integer,
    is_list,
    is_string,
    nulls,
    plain,
    tokens_of,
)
from evenhand.formats.arrow_tables import ArrowTable, coded_tags, read_table, values_as_tags
from evenhand.formats.conll import SIDE_WORDS, columns_of_tags
from evenhand.formats.csv_table import DOCUMENT_WORDS, NAME_PART, SENTENCE_WORDS
from evenhand.formats.format import type_names
from evenhand.formats.parsing.confidences import ScoreError, ScoreFields
from evenhand.formats.parsing.json_spans import (
    JsonSpan,
    Quote,
    Quoted,
    check_quotes,
    convention_of,
    on_words,
    repeated,
    span_fields,
    spans_of,
)
from evenhand.formats.parsing.tags import layers_of_tags
from evenhand.formats.parsing.token_table import TOKEN_NAMES, kind_of
from evenhand.formats.source import Source
from evenhand.parameters import COLUMN_ROLES
from evenhand.settings import OFFSET_LISTS, ColumnName, Columns, Convention, ReadSettings

_SAMPLE = 20_000
"""The number of rows by which the kind of a column is recognised."""
_TAG_NAMES = ("tag", "tags")
_EXAMPLES = {"text": "a", "number": 0}
"""An example of each kind of value: `span_fields` recognises the fields of spans by an example row."""
_UNREADABLE = (TypeError, ValueError, OverflowError)
_FILL = "fill it in, or remove the row"
_READ_WORDS = "fill it in; pandas reads the words NA and null as missing, unless keep_default_na=False"


def read_object(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """A frame in memory, as one batch; with lists, in batches of whole rows."""
    check_pyarrow(source, "data frames")
    if "polars.LazyFrame" in type_names(value):
        raise source.error(None, "is a lazy frame, which has no rows yet", "collect it: frame.collect()")
    arrays = _arrays(value, source)
    readable = {name: array for name, array in arrays.items() if not isinstance(array, UnreadableColumn)}
    if any(is_list(array.type) for array in readable.values()):
        return _read_lists(arrow.table(readable), value, source, settings, vocabulary, columns)
    return read_flat(arrays, source, settings, vocabulary, columns)


def frame_rows(value: Any, source: Source) -> Iterator[dict[str, Any]]:
    """The rows of a frame as mappings from columns to values, without lists."""
    check_pyarrow(source, "data frames")
    frame = _Frame(source, _arrays(value, source))
    columns = {name: frame.array(name) for name in frame.arrays}
    plain_columns = {name: array.to_pylist() for name, array in columns.items() if not is_list(array.type)}
    return (dict(zip(plain_columns, row, strict=True)) for row in zip(*plain_columns.values(), strict=True))


def _arrays(value: Any, source: Source) -> dict[str, Any]:
    """The columns by name."""
    arrays: dict[str, Any] = {}
    if "pandas.DataFrame" in type_names(value):
        named = [(str(name), value.iloc[:, position]) for position, name in enumerate(value.columns)]
    else:
        try:
            table = value.to_arrow() if hasattr(value, "to_arrow") else arrow.table(value)
        except (arrow.ArrowException, *_UNREADABLE) as error:
            finding = f"cannot be read as an Arrow table ({str(error).splitlines()[0]})"
            raise source.error(None, finding, "pass a pandas or polars data frame, or an Arrow table") from None
        named = list(zip(table.schema.names, table.columns, strict=True))
    for name, column in named:
        if name in arrays:
            raise source.error(None, f"several columns are called {name!r}", "rename all but one of them")
        try:
            arrays[name] = column if hasattr(column, "type") else arrow.Array.from_pandas(column)
        except (arrow.ArrowException, *_UNREADABLE):
            arrays[name] = UnreadableColumn(column)
    return arrays


def _read_lists(
    table: Any, value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """One row per sentence or text, as in Parquet files."""
    metadata = getattr(getattr(value, "schema", None), "metadata", None)
    table = table.replace_schema_metadata(metadata if isinstance(metadata, dict) else None)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        return checked_batches(iter(table.select(list(columns)).combine_chunks().to_batches(MAX_ROWS)))

    listed = ArrowTable(
        "the frame",
        table.schema,
        lambda: features_of(source, table.schema),
        "the metadata of the schema",
        "write tags as strings",
        batches,
        nullcontext,
    )
    return read_table(ARROW.name, listed, source, settings, vocabulary, columns)


def read_flat(
    arrays: Mapping[str, Any],
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
    lines: Sequence[int] | None = None,
) -> Iterator[Annotation]:
    """A table without lists, as one batch. `lines` are the lines of its rows, if it is a text file."""
    frame = _Frame(source, arrays, lines)
    if not frame.rows:
        raise source.error(None, "it has no rows", "check how it was made")
    chosen = {layer: _Chosen.of(frame, names) for layer, names in columns.items()}
    roles = {role: name for side in chosen.values() for role, name in side.roles.items()}
    spans, tokens = _span_columns(frame, roles), _token_columns(frame, roles)
    is_of_tokens = settings.task == "tags" or "tag" in roles or "token" in roles or len(columns) > 1
    is_of_spans = not {"start", "end", "label"}.isdisjoint(roles)
    if is_of_tokens and is_of_spans:
        listed = ", ".join(roles)
        raise source.error(None, f"the roles {listed} are of rows per token and of rows per span", "choose one kind")
    if not is_of_tokens and spans.is_complete and tokens.is_complete and not is_of_spans:
        finding = f"the columns {frame.listed} fit one row per token and one row per span"
        remedy = "choose one kind: column={'token': …, 'tag': …} or column={'start': …, 'end': …, 'label': …}"
        raise source.error(None, finding, remedy)
    if is_of_spans or (not is_of_tokens and spans.has_offsets and not tokens.is_complete):
        yield _read_spans(frame, spans.named(chosen), settings, vocabulary)
    else:
        yield _read_tokens(frame, tokens.checked(), chosen, settings, vocabulary)


# Columns and their roles


@dataclass(frozen=True)
class UnreadableColumn:
    """A column that Arrow cannot represent, such as one of texts and numbers."""

    values: Any


@dataclass(frozen=True)
class _Frame:
    """The columns of a table."""

    source: Source
    arrays: Mapping[str, Any]
    lines: Sequence[int] | None = None
    """The line of each row; None: rows are numbered."""

    def error(self, row: int, finding: str, remedy: str) -> Exception:
        """The error for a row, counted from 0."""
        return self.source.error(row + 1 if self.lines is None else self.lines[row], finding, remedy)

    @property
    def rows(self) -> int:
        return max((len(array) for array in self.arrays.values() if not isinstance(array, UnreadableColumn)), default=0)

    @property
    def listed(self) -> str:
        return ", ".join(self.arrays)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """`text`, `number` (whole ones, maybe stored as floats because some are missing) or `other`, by column."""
        return {name: self._kind(name) for name in self.arrays}

    def _kind(self, name: str) -> str:
        array = self.arrays[name]
        if isinstance(array, UnreadableColumn):
            return "other"
        if is_string(array.type):
            return "text"
        if is_integer(array.type):
            return "number"
        if arrow.types.is_floating(array.type):
            numbers = self.array(name).drop_null().to_numpy(zero_copy_only=False)
            return "number" if len(numbers) and not (numbers % 1).any() else "other"
        return "other"

    def name(self, column: ColumnName) -> str:
        """The name of a column, given by its name or number."""
        if isinstance(column, int):
            try:
                return list(self.arrays)[column - 1 if column > 0 else column]
            except IndexError:
                finding = f"there is no column {column} among {len(self.arrays)}: {self.listed}"
                raise self.source.error(None, finding, "specify one of these") from None
        if column not in self.arrays:
            raise self.source.error(None, f"there is no column {column!r} among {self.listed}", "specify one of these")
        return column

    def array(self, name: str) -> Any:
        """A column as one array, if Arrow can represent it."""
        array = self.arrays[name]
        if isinstance(array, UnreadableColumn):
            raise self._mixed(name, array)
        return array.unify_dictionaries().combine_chunks() if hasattr(array, "chunks") else array

    def _mixed(self, name: str, column: UnreadableColumn) -> Exception:
        """The error for a column with values of several types, at the first one that is not a text."""
        for row, value in enumerate(column.values):
            if not (isinstance(value, str) or value is None or value != value):  # NaN
                finding = f"expected strings in the column {name!r}, got a value of type {type(value).__name__}"
                return self.error(row, finding, "convert it with .astype(str)")
        return self.source.error(None, f"the column {name!r} cannot be read", "use strings or whole numbers")

    def strings(self, name: str, remedy: str = _FILL) -> Any:
        """A column of strings; missing values are refused with their rows."""
        array = self.array(name)
        if not is_string(array.type) and not arrow.types.is_null(array.type):
            kind = "numbers" if self.kinds[name] == "number" else f"values of type {array.type}"
            remedy = "replace numbers by their names" if kind == "numbers" else "use strings"
            raise self.source.error(None, f"expected strings in the column {name!r}, got {kind}", remedy)
        self.refuse_missing(nulls(array), name, remedy)
        return plain(array)

    def refuse_missing(self, is_missing: Bools, name: str, remedy: str) -> None:
        if is_missing.any():
            raise self.error(int(is_missing.argmax()), f"found a missing value in the column {name!r}", remedy)

    def sample(self, name: str) -> list[str]:
        """The first values of a column of strings; missing ones are empty."""
        return [value or "" for value in plain(self.array(name).slice(0, _SAMPLE)).to_pylist()]

    def unrecognised(self, role: str, what: str) -> Exception:
        """The error for a needed column that is neither named nor recognised."""
        finding = f"no column of {what} is recognised among {self.listed}"
        return self.source.error(None, finding, f"specify it with column={{{role!r}: NAME}}")


@dataclass(frozen=True)
class _Chosen:
    """The columns that a user names for one layer: by role, and those without a role."""

    roles: Mapping[str, str]
    bare: tuple[str, ...]

    @staticmethod
    def of(frame: _Frame, names: Sequence[ColumnName]) -> _Chosen:
        roles, bare = dict[str, str](), list[str]()
        for column in names:
            role, equals, name = column.partition("=") if isinstance(column, str) else ("", "", "")
            if column in frame.arrays or not equals or role not in COLUMN_ROLES:
                bare.append(frame.name(column))
            else:
                roles[role] = frame.name(name if name in frame.arrays or not _is_number(name) else int(name))
        return _Chosen(roles, tuple(bare))


def _is_number(name: str) -> bool:
    return name.removeprefix("-").isdecimal() and len(name) < 10


def _by_words(frame: _Frame, words: frozenset[str]) -> str | None:
    """The first column whose name contains one of these words."""
    return next((name for name in frame.arrays if words & {*NAME_PART.findall(name.lower())}), None)


# One row per token


@dataclass(frozen=True)
class _TokenColumns:
    frame: _Frame
    token: str | None
    sentence: str | None
    document: str | None

    @property
    def is_complete(self) -> bool:
        return self.token is not None and (self.sentence is not None or self.document is not None)

    def checked(self) -> _TokenColumns:
        """Return these columns; a missing one that is needed is an error."""
        if self.token is None:
            raise self.frame.unrecognised("token", "tokens")
        if self.sentence is None and self.document is None:
            raise self.frame.unrecognised("sentence", "sentence ids")
        return self


def _token_columns(frame: _Frame, roles: Mapping[str, str]) -> _TokenColumns:
    named = [name for name in frame.arrays if name.lower() in TOKEN_NAMES]
    texts = [name for name in named if frame.kinds[name] == "text"]
    token = roles.get("token") or next(iter([*texts, *named]), None)
    sentence = roles.get("sentence") or _by_words(frame, SENTENCE_WORDS)
    return _TokenColumns(frame, token, sentence, roles.get("document") or _by_words(frame, DOCUMENT_WORDS))


def _read_tokens(
    frame: _Frame, columns: _TokenColumns, chosen: Mapping[str, _Chosen], settings: ReadSettings, vocabulary: Vocabulary
) -> Annotation:
    assert columns.token is not None
    tags = _columns_of_tags(frame, columns, chosen, settings)
    tokens = tokens_of(frame.strings(columns.token, _READ_WORDS))
    document, sentence = (
        None if name is None else _Ids.of(frame, name, fill=True) for name in (columns.document, columns.sentence)
    )
    key = sentence if document is None else document if sentence is None else document.with_inner(sentence)
    assert key is not None
    starts = key.starts(frame.source, "sentence" if sentence is not None else "document")
    first_sentences, names = ints([0]), ()
    if document is not None:
        document_starts = document.starts(frame.source, "document")
        first_sentences = np.searchsorted(starts, document_starts)
        names = tuple(document.names[code] for code in document.codes[document_starts].tolist())
    ids = [key.names[code] for code in key.codes[starts].tolist()]
    corpus = Corpus(
        frame.source.display_name,
        len(starts),
        np.append(starts, frame.rows),
        tokens,
        np.arange(frame.rows),
        1,
        documents=first_sentences,
        names=names,
        ids=Tokens.of(ids),
    )
    coded = {
        layer: [coded_tags(frame.strings(name), None, {}, corpus) for name in names] for layer, names in tags.items()
    }
    scores = None
    if settings.parameters.get("score") is not None and settings.side != "gold":
        scores = _scores(frame, ScoreFields.of(settings), "this token")
    annotation = layers_of_tags(ARROW.name, frame.source, settings, vocabulary, corpus, coded, tags, scores)
    extra = {extra_layer(column): _tags(frame, frame.name(column)) for column in settings.extra}
    return replace(annotation, layers={**annotation.layers, **extra})


def _tags(frame: _Frame, name: str) -> Tags:
    """A column of texts or numbers as tags; a missing value is the empty tag."""
    values = ["" if value is None else str(value) for value in frame.array(name).to_pylist()]
    names = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return Tags(ints([names[value] for value in values]), tuple(names))


def _columns_of_tags(
    frame: _Frame, columns: _TokenColumns, chosen: Mapping[str, _Chosen], settings: ReadSettings
) -> dict[str, tuple[str, ...]]:
    """The columns of tags of each layer: named by the user, or found by contents and names."""
    named = {layer: (side.bare or tuple(filter(None, [side.roles.get("tag")]))) for layer, side in chosen.items()}
    if all(named.values()):
        return named
    taken = {columns.token, columns.sentence, columns.document}
    others = [name for name, kind in frame.kinds.items() if kind == "text" and name not in taken]
    tokens = frame.sample(str(columns.token))
    kinds = {index: kind_of(tokens, frame.sample(name)) for index, name in enumerate(others)}
    for layer, given in named.items():
        side = settings.side if len(named) == 1 else "gold" if layer == "gold" else "system"
        if not given:
            candidates = [others[index] for index in columns_of_tags(kinds, settings)] if kinds else []
            candidates = candidates or [name for name in frame.arrays if name.lower() in _TAG_NAMES]
            tags = _of_side(candidates, side)
            if len(tags) != 1:
                raise _ask_for_tags(frame, candidates, len(named) > 1, side)
            named[layer] = (tags[0],)
    if len(named) > 1 and named["gold"] == named["system"]:
        raise _ask_for_tags(frame, list(named["gold"]), True, None)
    return named


def _of_side(names: list[str], side: str | None) -> list[str]:
    """The columns whose names fit a side: they have a word for it, or none for the other one; `tag` is preferred."""
    if len(names) < 2:
        return names
    words = {name: {*NAME_PART.findall(name.lower())} for name in names}
    own = [name for name in names if side is not None and words[name] & SIDE_WORDS[side]]
    if own:
        return own
    other = SIDE_WORDS["gold" if side == "system" else "system"]
    free = [name for name in names if not words[name] & other] or names
    return [name for name in free if name.lower() in _TAG_NAMES] or free


def _ask_for_tags(frame: _Frame, candidates: list[str], is_pair: bool, side: str | None) -> Exception:
    columns = {"gold": "NAME", "system": "NAME"} if is_pair else {"tag": "NAME"}
    remedy = f"specify {'both' if is_pair else 'it'} with column={columns}".replace("'NAME'", "NAME")
    if not candidates:
        return frame.source.error(None, f"no column of tags is recognised among {frame.listed}", remedy)
    if is_pair and len(candidates) == 1:
        finding = f"expected two columns of tags (gold and prediction), got one, {candidates[0]!r}"
        return frame.source.error(None, finding, "specify both, or pass the system's frame as well")
    what = f"the {side} tags" if side is not None else "the tags"
    return frame.source.error(None, f"several columns may hold {what}: {', '.join(candidates)}", remedy)


@dataclass(frozen=True)
class _Ids:
    """A column of ids: a code for each row, in order of occurrence, and the ids by code."""

    codes: Ints
    names: list[str]

    @staticmethod
    def of(frame: _Frame, name: str, *, fill: bool = False) -> _Ids:
        """The ids of a column. With `fill`, ids may be only in the first row of each group."""
        array = frame.array(name)
        is_missing = nulls(array)
        if arrow.types.is_floating(array.type) and frame.kinds[name] == "number":
            array = array.cast(arrow.int64())
        coded = array if arrow.types.is_dictionary(array.type) else array.dictionary_encode()
        values, codes = coded.dictionary.to_pylist(), integers(coded.indices)
        if fill and is_missing.any():
            known = np.flatnonzero(~is_missing)
            are_repeated = len(known) > 1 and ((np.diff(known) == 1) & (np.diff(codes[known]) == 0)).any()
            if not is_missing[0] and not are_repeated:
                codes = codes[known[np.searchsorted(known, np.arange(len(codes)), side="right") - 1]]
                is_missing = np.zeros_like(is_missing)
        frame.refuse_missing(
            is_missing, name, "give every row an id, or only the first row of each sentence" if fill else _FILL
        )
        used, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return _Ids(np.argsort(order)[codes], [str(values[code]) for code in used[order].tolist()])

    def with_inner(self, inner: _Ids) -> _Ids:
        """Combine ids of documents with ids of sentences (`inner`), which may begin again in every document."""
        pairs = self.codes * len(inner.names) + inner.codes
        used, first, codes = np.unique(pairs, return_index=True, return_inverse=True)
        order = np.argsort(first)
        names = [(self.names[pair // len(inner.names)], inner.names[pair % len(inner.names)]) for pair in used[order]]
        is_unique = len(used) == len(inner.names)
        return _Ids(np.argsort(order)[codes], [name if is_unique else f"{outer}/{name}" for outer, name in names])

    def starts(self, source: Source, what: str) -> Ints:
        """The first row of each group; the rows of a group must follow each other."""
        starts = np.append(0, np.flatnonzero(np.diff(self.codes)) + 1)
        if len(starts) > len(self.names):
            seen = np.maximum.accumulate(self.codes[starts])
            again = int(starts[1:][self.codes[starts][1:] <= seen[:-1]][0])
            finding = f"the {what} {self.names[self.codes[again]]!r} occurs again after another one"
            raise source.error(again + 1, finding, f"put the rows of each {what} together, in the order of the tokens")
        return starts


# One row per span


@dataclass(frozen=True)
class _SpanColumns:
    frame: _Frame
    document: str | None
    is_by_sentence: bool
    """Whether that column has sentences."""
    start: str | None
    end: str | None
    label: str | None
    text: str | None
    quote: str | None

    @property
    def has_offsets(self) -> bool:
        return self.start is not None and self.end is not None

    @property
    def is_complete(self) -> bool:
        return self.has_offsets and self.label is not None and self.document is not None

    def named(self, chosen: Mapping[str, _Chosen]) -> _SpanColumns:
        """Return these columns with a column without a role as the labels; a missing column is an error."""
        bare = [name for side in chosen.values() for name in side.bare]
        if len(bare) > 1:
            finding = f"several columns of labels are specified: {', '.join(bare)}"
            raise self.frame.source.error(
                None, finding, "specify one, and others by their roles: column={'start': NAME}"
            )
        columns = replace(self, label=bare[0]) if bare else self
        for role, what in (("start", "starts"), ("end", "ends"), ("label", "labels"), ("document", "document ids")):
            if getattr(columns, role) is None:
                raise self.frame.unrecognised(role, what)
        return columns


def _span_columns(frame: _Frame, roles: Mapping[str, str]) -> _SpanColumns:
    row: dict[str, Any] = {name: _EXAMPLES[kind] for name, kind in frame.kinds.items() if kind in _EXAMPLES}
    fields = span_fields(row | {role: 0 for role in ("start", "end") if role in roles})
    document, sentence = _by_words(frame, DOCUMENT_WORDS), _by_words(frame, SENTENCE_WORDS)
    known = roles.get("document") or roles.get("sentence")
    scope = known or document or sentence
    if known is None and document is not None and sentence is not None and fields.start and fields.end:
        finding = f"start and end may count in {document!r} or in {sentence!r}"
        raise frame.source.error(None, finding, f"specify which one with column={{'document': {document!r}}}")
    return _SpanColumns(
        frame,
        scope,
        scope is not None and scope in (roles.get("sentence"), sentence),
        roles.get("start") or fields.start,
        roles.get("end") or fields.end,
        roles.get("label") or fields.label,
        roles.get("text"),
        roles.get("quote") or (None if "text" in roles else fields.quoted),
    )


def _read_spans(frame: _Frame, columns: _SpanColumns, settings: ReadSettings, vocabulary: Vocabulary) -> Annotation:
    assert columns.document is not None
    assert columns.label is not None
    source, ids = frame.source, _Ids.of(frame, columns.document)
    start, end = (_offsets(frame, name) for name in (columns.start, columns.end))
    is_missing = [nulls(frame.array(str(name))) for name in (columns.start, columns.end, columns.label)]
    is_empty = np.logical_and.reduce(is_missing)
    for name, missing in zip((columns.start, columns.end, columns.label), is_missing, strict=True):
        frame.refuse_missing(
            missing & ~is_empty, str(name), f"{_FILL}; a document without spans has none of start, end and label"
        )
    labels = frame.array(columns.label)
    if not is_string(labels.type):
        frame.strings(columns.label)
    labels = labels.to_pylist()
    texts, quotes = _texts(frame, columns, ids, start, end, is_empty)
    scores = _scores(frame, ScoreFields.of(settings), "this span")
    lists: list[list[JsonSpan]] = [[] for _ in ids.names]
    quoted: list[list[Quote]] = [[] for _ in ids.names]
    for row in np.flatnonzero(~is_empty).tolist():
        first, last, document = int(start[row]), int(end[row]), int(ids.codes[row])
        if first < 0:
            raise frame.error(row, f"the span [{first}, {last}] begins before its text", "count from 0")
        lists[document].append(JsonSpan(first, last, labels[row], score=None if scores is None else scores[row]))
        quote = None if quotes is None else quotes[row]
        if quote is not None:
            quoted[document].append(Quote([(first, last)], quote))

    def report(document: int, finding: str, remedy: str) -> None:
        raise source.error(None, f"in the document {ids.names[document]!r}, {finding}", remedy)

    convention = _convention(settings, texts, lists, quoted)
    first_rows = np.unique(ids.codes, return_index=True)[1]
    lines = first_rows + 1 if frame.lines is None else ints(frame.lines)[first_rows]
    corpus, offsets = on_words(texts, convention, source.display_name, lines, Tokens.of(ids.names))
    corpus = replace(corpus, omits_empty=True)
    check_quotes(texts, quoted, convention, report)
    spans = spans_of(lists, offsets, vocabulary, report)
    layers: dict[str, Layer] = {"spans": spans}
    if texts[0] is None:  # offsets serve as positions until the texts are known
        has_numbers = columns.is_by_sentence and all(map(str.isdecimal, ids.names))
        layers[OFFSET_LISTS] = OffsetLists(tuple(lists), tuple(quoted), settings.offsets, has_numbers)
    for column in settings.extra if corpus.lengths is not None else ():
        table = frame.array(frame.name(column))
        layers[extra_layer(column)] = values_as_tags(table.take(first_rows), corpus)
    is_inferred = settings.offsets is None and convention != Convention()
    reading = ReadInfo(
        ARROW.name,
        column=columns.label,
        offsets=str(convention),
        quotes_show=is_inferred,
        repeated=repeated(spans),
    )
    return Annotation(corpus, layers, {"spans": reading}, source.name)


def _scores(frame: _Frame, fields: ScoreFields, what: str) -> list[float] | None:
    """The confidence of each row, NaN without one; None without such a column. `what` is the unit of a row."""
    names = fields.among(frame.arrays)
    if not names:
        return None
    arrays = [frame.arrays[name] for name in names]
    columns = [array.values if isinstance(array, UnreadableColumn) else array.to_pylist() for array in arrays]
    scores = []
    for row, values in enumerate(zip(*columns, strict=True)):
        try:
            scores.append(fields.read(dict(zip(names, values, strict=True)), what))
        except ScoreError as error:
            raise frame.error(row, str(error), "") from None
    return scores


def _offsets(frame: _Frame, name: str | None) -> Ints:
    """A column of whole numbers; missing ones are 0."""
    assert name is not None
    array = frame.array(name)
    if frame.kinds[name] != "number":
        kind = "strings" if is_string(array.type) else f"values of type {array.type}"
        finding = f"expected offsets in the column {name!r}, got {kind}"
        raise frame.source.error(None, finding, "use whole numbers")
    return integers(array.cast(arrow.int64()) if arrow.types.is_floating(array.type) else plain(array))


def _texts(
    frame: _Frame, columns: _SpanColumns, ids: _Ids, start: Ints, end: Ints, is_empty: Bools
) -> tuple[Sequence[str | None], Sequence[str | None] | None]:
    """The text of each document, if known, and the quote of each row.

    Without a role, a column has quotes if every value is as long as its span, and texts if it has one value per
    document. Of other columns, only `text` is asked about.
    """
    if columns.text is not None:
        quotes = None if columns.quote is None else frame.array(columns.quote).to_pylist()
        return _text_by_document(frame, columns.text, ids), quotes
    if columns.quote is None:
        return [None] * len(ids.names), None
    name, values = columns.quote, frame.array(columns.quote).to_pylist()
    sizes = ints([-1 if value is None else len(value) for value in values])[~is_empty]
    lengths = (end - start)[~is_empty]
    if (sizes == lengths).all() or (sizes == lengths + 1).all():
        return [None] * len(ids.names), values
    if name.lower() != "text":
        return [None] * len(ids.names), None
    return _text_by_document(
        frame, name, ids, "specify its role with column={'text': NAME} or column={'quote': NAME}"
    ), None


def _text_by_document(frame: _Frame, name: str, ids: _Ids, remedy: str = "use one text per document") -> list[str]:
    values: dict[int, str] = {}
    strings = frame.strings(name).to_pylist()
    for row, (document, value) in enumerate(zip(ids.codes.tolist(), strings, strict=True)):
        if values.setdefault(document, value) != value:
            finding = f"the column {name!r} has another text for the document {ids.names[document]!r} than before"
            raise frame.error(row, finding, remedy)
    return [values[document] for document in range(len(ids.names))]


def _convention(
    settings: ReadSettings, texts: Sequence[str | None], lists: list[list[JsonSpan]], quoted: list[list[Quote]]
) -> Convention:
    """How offsets count: as specified, or as quotes show."""
    if settings.offsets is not None:
        return settings.convention
    if texts[0] is not None:
        rows = zip(texts, quoted, lists, strict=True)
        return convention_of(None, [Quoted.of(text or "", quotes, spans) for text, quotes, spans in rows])
    sizes = [len(quote.quoted) - (end - start) for row in quoted for quote in row for start, end in quote.parts]
    return Convention(inclusive=bool(sizes) and set(sizes) == {1})
