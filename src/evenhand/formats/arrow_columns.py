"""Columns of Arrow tables as arrays: lists one after the other, strings as places in bytes, numbers.

No object is made for a row, a token or a span. Lists may be large, of a fixed size or views; strings large, views or
coded by a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import field
from importlib import import_module
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.data.tokens import PADDING, CodedTokens, TokenCodes, Tokens, is_ascii
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.source import Source


class _Library:
    """The module `pyarrow`, which may be absent: it is loaded when something in it is asked for."""

    def load(self) -> Any:
        """The module, or an error; before work that would be in vain without it."""
        try:
            return import_module("pyarrow")
        except ImportError:
            raise SettingError("pyarrow is not installed, which this takes; run: pip install evenhand[arrow]") from None

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self.load(), name)
        return found


arrow: Any = _Library()


_LISTS = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
_STRINGS = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}
"""Types of strings, and those of the same bytes."""
_LARGE_DICTIONARY = 1 << 20
"""How many bytes of a dictionary are kept beside tokens; Parquet files have no larger ones, by default."""


@dataclass(frozen=True)
class Lists:
    """A column of lists: their values, one list after the other, where lists begin, and which rows have a null."""

    values: Any
    bounds: Ints
    has_null: Bools

    @property
    def lengths(self) -> Ints:
        return np.diff(self.bounds)

    def rows(self, place: Ints) -> Ints:
        """The rows of some values."""
        return np.searchsorted(self.bounds, place, side="right") - 1

    def marked(self, wrong: Bools) -> Bools:
        """The rows that have one of the marked values."""
        marked = np.zeros(len(self.bounds) - 1, dtype=np.bool_)
        marked[self.rows(np.flatnonzero(wrong))] = True
        return marked


def is_list(column: Any) -> bool:
    """Whether a type is one of lists."""
    return any(_is(name, column) for name in _LISTS)


def is_string(column: Any) -> bool:
    column = _without_dictionary(column)
    return any(_is(name, column) for name in _STRINGS)


def is_integer(column: Any) -> bool:
    return bool(arrow.types.is_integer(_without_dictionary(column)))


def without_characters(column: Any) -> Any:
    """A type with bytes for strings, so that what is laid out right can be told from what is in UTF-8."""
    for name, bare in _STRINGS.items():
        if _is(name, column):
            return getattr(arrow, bare)()
    if arrow.types.is_dictionary(column):
        return arrow.dictionary(column.index_type, without_characters(column.value_type), column.ordered)
    if arrow.types.is_struct(column):
        return arrow.struct([field.with_type(without_characters(field.type)) for field in column])
    if arrow.types.is_fixed_size_list(column):
        return arrow.list_(without_characters(column.value_type), column.list_size)
    for name, of_items in (("list", "list_"), ("large_list", "large_list")):
        if _is(name, column):
            return getattr(arrow, of_items)(without_characters(column.value_type))
    return column


def _without_dictionary(column: Any) -> Any:
    return column.value_type if arrow.types.is_dictionary(column) else column


def _is(name: str, column: Any) -> bool:
    """Whether a type has this name, which older versions of pyarrow may not know."""
    found = getattr(arrow.types, f"is_{name}", None)
    return found is not None and bool(found(column))


def lists(column: Any) -> Lists:
    """The lists of a column, whose strings and numbers are then plain; Arrow's error where its buffers do not fit."""
    column.validate()  # a full validation would look at all lists that a slice is taken from
    lengths, values = integers(column.value_lengths()), column.flatten()
    bounds = np.append(0, np.cumsum(lengths))
    if (len(lengths) and lengths.min() < 0) or bounds[-1] != len(values):
        raise arrow.ArrowInvalid("lists overlap")
    lists = Lists(plain(values), bounds, nulls(column))
    if lists.values.null_count:
        lists.has_null[lists.rows(np.flatnonzero(nulls(lists.values)))] = True
    return lists


def nulls(values: Any) -> Bools:
    """Which values are null."""
    if not values.null_count:
        return np.zeros(len(values), dtype=np.bool_)
    return np.array(values.is_null(), dtype=np.bool_)


def plain(values: Any) -> Any:
    """Strings with long offsets, or coded by a dictionary without nulls, in UTF-8; all else without a dictionary."""
    if arrow.types.is_dictionary(values.type):
        if not is_string(values.type) or values.dictionary.null_count:
            values.validate(full=True)
            return plain(values.dictionary_decode())
        known = integers(values.indices.drop_null())
        if len(known) and not (known.min() >= 0 and known.max() < len(values.dictionary)):
            raise arrow.ArrowInvalid("the dictionary has no such entry")
        return arrow.DictionaryArray.from_arrays(values.indices, plain(values.dictionary), safe=False)
    if not is_string(values.type):
        return values
    if _is("string_view", values.type):
        values.validate(full=True)
    values = values.cast(arrow.large_string())
    if not _is_ascii(values):
        values.validate(full=True)
    return values


def validate(column: Any) -> None:
    """Arrow's error where the strings of these rows are broken, whatever others there are."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    values.validate(full=True)


def _is_ascii(texts: Any) -> bool:
    """Whether strings have only characters of one byte, and offsets that fit; that saves looking at them one by one."""
    texts.validate()
    edges, data = _edges(texts), texts.buffers()[2]
    if len(edges) < 2 or edges[-1] == edges[0]:
        return True
    used = np.frombuffer(data, dtype=np.uint8)[edges[0] : edges[-1]]
    return bool((edges[1:] >= edges[:-1]).all()) and is_ascii(used)


def _edges(texts: Any) -> Ints:
    """Where strings with long offsets begin in their bytes, with the end of the last one behind."""
    offsets = texts.buffers()[1]
    if offsets is None or not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1, offset=8 * texts.offset)


def integers(values: Any) -> Ints:
    """Whole numbers, 0 for null."""
    return _as_they_are(values).astype(np.int64, copy=False)


def _as_they_are(values: Any) -> TokenCodes:
    """The same, in the room that they take."""
    found: TokenCodes = (values.fill_null(0) if values.null_count else values).to_numpy(zero_copy_only=False)
    return found


def distinct(values: Any) -> tuple[list[str], Ints]:
    """The distinct ones of some plain strings, and for each string its place among them."""
    coded = values.dictionary_encode()  # a dictionary stays what it is, and may be that of many more rows
    used, place = used_ones(integers(coded.indices), len(coded.dictionary))
    return coded.dictionary.take(used).to_pylist(), place


def used_ones(number: Ints, size: int) -> tuple[Ints, Ints]:
    """Which numbers below `size` there are, and for each number its place among these."""
    counts = np.bincount(number, minlength=size)
    used = np.flatnonzero(counts)
    return used, number if len(used) == size else (np.cumsum(counts > 0) - 1)[number]


def tokens_of(texts: Any) -> Tokens:
    """Plain strings as places in their bytes, or in those of their dictionary."""
    if hasattr(texts, "dictionary"):
        if texts.dictionary.nbytes > _LARGE_DICTIONARY:
            return tokens_of(texts.dictionary_decode())
        return CodedTokens(tokens_of(texts.dictionary), _as_they_are(texts.indices))
    edges, data = _edges(texts), texts.buffers()[2]
    first, last = int(edges[0]), int(edges[-1])
    text = memoryview(data)[first:last] if last > first else b""
    return Tokens(b"".join((text, PADDING)), edges[:-1] - first, edges[1:] - first)


def size_of(column: Any) -> int:
    """About how many bytes a column takes when it is plain; what slices share does not count."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_struct(values.type):
        return sum(map(size_of, values.flatten()))
    if arrow.types.is_dictionary(values.type):
        entries = values.dictionary
        return len(values) * (8 + size_of(entries) // max(len(entries), 1))
    if _is("string_view", values.type) and len(values):
        # A view is sixteen bytes, the first four of which are the length of its string.
        views = np.frombuffer(values.buffers()[1], dtype="<i4", count=4 * len(values), offset=16 * values.offset)
        return 8 * len(values) + int(views[::4].sum(dtype=np.int64))
    return int(values.nbytes)


# == formats/arrow_rows.py: Rows of Arrow tables in slices of bounded size, and what is


PROBLEM = "row"
"""What a check calls problems of rows."""
MAX_ROWS = 1 << 13
"""How many rows are read at a time, however short they are."""
_SLACK = 2
"""How many times larger than asked for a slice may be before it is halved."""


@dataclass
class ArrowRows:
    """Some rows of a table with their numbers, and which of them have a problem."""

    source: Source
    batch: Any
    numbers: Ints
    bad: Bools = field(init=False)

    def __post_init__(self) -> None:
        self.bad = np.zeros(len(self.numbers), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.numbers)

    def lists(self, column: str) -> Lists:
        found: Lists = self._read(column, lists)
        return found

    def plain(self, column: str) -> Any:
        """A column of strings or numbers, plain."""
        return self._read(column, plain)

    def _read(self, column: str, read: Callable[[Any], Any]) -> Any:
        """What a column holds, or an error at the first row in which strings are none."""
        values = self.batch.column(column)
        try:
            return read(values)
        except arrow.ArrowInvalid:
            for row, number in enumerate(self.numbers.tolist()):
                try:
                    validate(values.slice(row, 1))
                except arrow.ArrowInvalid:
                    finding = f"the column {column!r} is broken here, or not in UTF-8"
                    raise self.source.error(number, finding, "write it again", "characters") from None
            raise

    def report(self, row: int, finding: str, remedy: str) -> None:
        """Raise or collect a problem of a row, which is then left out."""
        self.bad[row] = True
        self.source.report(int(self.numbers[row]), finding, remedy, PROBLEM)

    def report_nulls(self, marked: Bools, column: str) -> None:
        """Report the marked rows, which have a null in a column."""
        for row in self.left(marked):
            self.report(row, f"found a null in the column {column!r}", "fill it in")

    def left(self, marked: Bools) -> list[int]:
        """The marked rows that have no problem yet."""
        found: list[int] = np.flatnonzero(marked & ~self.bad).tolist() if marked.any() else []
        return found

    def good(self) -> ArrowRows:
        """The rows without problems."""
        return ArrowRows(self.source, self.batch.filter(arrow.array(~self.bad)), self.numbers[~self.bad])


def sliced(source: Source, batches: Iterator[Any], size: int) -> Generator[ArrowRows, None, None]:
    """Record batches in slices of whole rows, of about `size` bytes."""
    first = 1
    for batch in batches:
        for begin in range(0, batch.num_rows, MAX_ROWS):
            for part in _halved(batch.slice(begin, MAX_ROWS), _SLACK * size):
                yield ArrowRows(source, part, np.arange(first, first + part.num_rows))
                first += part.num_rows


def _halved(batch: Any, limit: int) -> Iterator[Any]:
    """A record batch, or its halves and so on, until each is small enough or has a single row."""
    if batch.num_rows <= 1 or sum(size_of(column) for column in batch.columns) <= limit:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half), limit)
    yield from _halved(batch.slice(half), limit)
