"""Columns of Arrow tables as NumPy arrays, and their rows in slices of bounded size.

Lists are concatenated, strings become byte offsets; no object is made for a row, a token or a span. Lists may be large,
of a fixed size or views; strings may be large, views or coded by a dictionary.
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
    """The module `pyarrow`, which may be missing; it is loaded on first use."""

    def load(self) -> Any:
        """Load the module, or raise an error, before work that needs it."""
        try:
            return import_module("pyarrow")
        except ImportError:
            raise SettingError("This needs pyarrow, which is not installed; run: pip install evenhand[arrow]") from None

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = getattr(self.load(), name)
        return value


arrow: Any = _Library()


_LISTS = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view")
_STRINGS = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}
"""Types of strings, and types of bytes with the same layout."""
_LARGE_DICTIONARY = 1 << 20
"""The maximum size of a dictionary that is kept with tokens; the default maximum in Parquet files."""


@dataclass(frozen=True)
class Lists:
    """A column of lists: the concatenated values, the bounds of lists, and which rows have a null."""

    values: Any
    bounds: Ints
    has_null: Bools

    @property
    def lengths(self) -> Ints:
        return np.diff(self.bounds)

    def rows(self, index: Ints) -> Ints:
        """The rows of the values at some indices."""
        return np.searchsorted(self.bounds, index, side="right") - 1

    def marked(self, wrong: Bools) -> Bools:
        """Which rows have a wrong value."""
        marked = np.zeros(len(self.bounds) - 1, dtype=np.bool_)
        marked[self.rows(np.flatnonzero(wrong))] = True
        return marked


def is_list(column: Any) -> bool:
    return any(_is(name, column) for name in _LISTS)


def is_string(column: Any) -> bool:
    column = _without_dictionary(column)
    return any(_is(name, column) for name in _STRINGS)


def is_integer(column: Any) -> bool:
    return bool(arrow.types.is_integer(_without_dictionary(column)))


def without_characters(column: Any) -> Any:
    """A type with bytes instead of strings, to validate the layout separately from UTF-8."""
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
    """Whether a type has this name, which older versions of pyarrow may not have."""
    predicate = getattr(arrow.types, f"is_{name}", None)
    return predicate is not None and bool(predicate(column))


def lists(column: Any) -> Lists:
    """The lists of a column, with plain strings and numbers; Arrow's error if its buffers are invalid."""
    column.validate()  # a full validation would check all lists that the slice is taken from
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
    """UTF-8 strings with long offsets, or coded by a dictionary without nulls; other types without a dictionary."""
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
    """Raise Arrow's error if the strings of these rows are broken."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    values.validate(full=True)


def _is_ascii(texts: Any) -> bool:
    """Whether strings are ASCII with valid offsets, which saves validating them one by one."""
    texts.validate()
    edges, data = _edges(texts), texts.buffers()[2]
    if len(edges) < 2 or edges[-1] == edges[0]:
        return True
    used = np.frombuffer(data, dtype=np.uint8)[edges[0] : edges[-1]]
    return bool((edges[1:] >= edges[:-1]).all()) and is_ascii(used)


def _edges(texts: Any) -> Ints:
    """The starts of strings with long offsets in their bytes, and the end of the last one."""
    offsets = texts.buffers()[1]
    if offsets is None or not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1, offset=8 * texts.offset)


def integers(values: Any) -> Ints:
    """Whole numbers, 0 for null."""
    return _integers(values).astype(np.int64, copy=False)


def _integers(values: Any) -> TokenCodes:
    """The same in their own integer type."""
    numbers: TokenCodes = (values.fill_null(0) if values.null_count else values).to_numpy(zero_copy_only=False)
    return numbers


def distinct(values: Any) -> tuple[list[str], Ints]:
    """The distinct plain strings, and the index of each string among them."""
    coded = values.dictionary_encode()  # which keeps a dictionary, possibly of many more rows
    used, index = used_codes(integers(coded.indices), len(coded.dictionary))
    return coded.dictionary.take(used).to_pylist(), index


def used_codes(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The codes below `size` that occur, and the index of each code among them."""
    counts = np.bincount(codes, minlength=size)
    used = np.flatnonzero(counts)
    return used, codes if len(used) == size else (np.cumsum(counts > 0) - 1)[codes]


def tokens_of(texts: Any) -> Tokens:
    """Plain strings as tokens in their bytes, or in the bytes of their dictionary."""
    if hasattr(texts, "dictionary"):
        if texts.dictionary.nbytes > _LARGE_DICTIONARY:
            return tokens_of(texts.dictionary_decode())
        return CodedTokens(tokens_of(texts.dictionary), _integers(texts.indices))
    edges, data = _edges(texts), texts.buffers()[2]
    first, last = int(edges[0]), int(edges[-1])
    text = memoryview(data)[first:last] if last > first else b""
    return Tokens(b"".join((text, PADDING)), edges[:-1] - first, edges[1:] - first)


def size_of(column: Any) -> int:
    """The approximate size of a plain column in bytes, without what slices share."""
    values = column.flatten() if is_list(column.type) else column
    if arrow.types.is_struct(values.type):
        return sum(map(size_of, values.flatten()))
    if arrow.types.is_dictionary(values.type):
        entries = values.dictionary
        return len(values) * (8 + size_of(entries) // max(len(entries), 1))
    if _is("string_view", values.type) and len(values):
        # A view has sixteen bytes; the first four are the length of its string.
        views = np.frombuffer(values.buffers()[1], dtype="<i4", count=4 * len(values), offset=16 * values.offset)
        return 8 * len(values) + int(views[::4].sum(dtype=np.int64))
    return int(values.nbytes)


# Rows in slices


PROBLEM = "row"
"""The type of problems of rows, for `check`."""
MAX_ROWS = 1 << 13
"""The maximum number of rows that are read at a time."""
_SLACK = 2
"""A slice may be larger than requested by this factor before it is halved."""


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
        columns: Lists = self._read(column, lists)
        return columns

    def plain(self, column: str) -> Any:
        """A column of strings or numbers, plain."""
        return self._read(column, plain)

    def _read(self, column: str, read: Callable[[Any], Any]) -> Any:
        """The contents of a column; an error at the first row with broken strings."""
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
        """Raise or collect a problem of a row, which is left out."""
        self.bad[row] = True
        self.source.report(int(self.numbers[row]), finding, remedy, PROBLEM)

    def report_nulls(self, marked: Bools, column: str) -> None:
        """Report the marked rows, which have a null in a column."""
        for row in self.unreported(marked):
            self.report(row, f"found a null in the column {column!r}", "fill it in")

    def unreported(self, marked: Bools) -> list[int]:
        """The marked rows without a problem so far."""
        rows: list[int] = np.flatnonzero(marked & ~self.bad).tolist() if marked.any() else []
        return rows

    def good(self) -> ArrowRows:
        """The rows without problems."""
        return ArrowRows(self.source, self.batch.filter(arrow.array(~self.bad)), self.numbers[~self.bad])


def sliced(source: Source, batches: Iterator[Any], size: int) -> Generator[ArrowRows, None, None]:
    """Slices of record batches with whole rows, of about `size` bytes."""
    first = 1
    for batch in batches:
        for begin in range(0, batch.num_rows, MAX_ROWS):
            for part in _halved(batch.slice(begin, MAX_ROWS), _SLACK * size):
                yield ArrowRows(source, part, np.arange(first, first + part.num_rows))
                first += part.num_rows


def _halved(batch: Any, limit: int) -> Iterator[Any]:
    """A record batch, halved until each part is small enough or has a single row."""
    if batch.num_rows <= 1 or sum(size_of(column) for column in batch.columns) <= limit:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half), limit)
    yield from _halved(batch.slice(half), limit)
