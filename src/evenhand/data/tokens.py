"""Tokens as byte offsets into their file, decoded lazily; byte classes of UTF-8 text; line numbers of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Bytes, Ints, Words, bit_positions, bits_at, bits_where, ranges, windows
from evenhand.dataclass import dataclass

PADDING = bytes(16)
"""Follows all data, so a window of eight bytes, and one more, can be taken at any position."""
Joined = dict[tuple[int, ...], bytes]
"""Concatenated data, by the identities (`id`) of the concatenated bytes objects."""
TokenCodes = npt.NDArray[np.integer[Any]]
"""Row numbers of any integer type."""
_SEPARATORS = [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]
"""Unicode space separators (category Zs) other than the blank."""
_WIDE_SPACES = [0x85, *_SEPARATORS, 0x2028, 0x2029]
"""Spaces and line ends beyond ASCII."""
_IS_ATOM = np.array([byte >= 0xC0 or (byte < 0x80 and not chr(byte).isspace()) for byte in range(256)])
"""By byte: whether it begins a character. ASCII white space does not count; wide spaces do."""
_MAYBE_WIDE = sorted({chr(code).encode()[0] for code in _WIDE_SPACES})
"""The bytes that can begin a wide space."""
_FIRST_TO_BEGIN = -64
"""Bytes below it, read as signed numbers, continue a character: 0x80 to 0xBF."""
_LENGTHS = np.array([1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0) for byte in range(256)])
"""By byte: the length in bytes of the character that it begins."""
_STEP = 1 << 16
"""Number of tokens compared at a time, so the compared columns stay in the processor's cache."""
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
"""For n from 0 to 8: the mask of the first n bytes of a window of eight."""
_PIECE = 32
"""Long JSON lists are compared in pieces of this number of bytes."""


def is_ascii(text: Bytes) -> bool:
    return not len(text) or int(text.max()) < 128


def continues_character(text: Bytes) -> Bools:
    """Return which bytes do not begin a character."""
    return np.asarray(text.view(np.int8) < _FIRST_TO_BEGIN)


def atoms(text: Bytes, *, has_controls: bool = True) -> Words:
    """Return one bit per byte: whether the byte begins a character other than white space.

    A caller passes `has_controls=False` if it knows that all control characters of the text are white space.
    """
    # A control character that is not white space is an atom. Such characters are rare, and the table is slower.
    is_atom = _IS_ATOM.__getitem__ if has_controls and _has_control_atoms(text) else _is_visible
    bits = bits_where(text, is_atom)
    return bits if is_ascii(text) else bits & ~bits_at(_wide(text, _WIDE_SPACES), len(text))


def _is_visible(text: Bytes) -> Bools:
    """Return which bytes begin a character other than ASCII control characters and the blank."""
    visible: Bools = text > ord(" ")
    visible &= text.view(np.int8) >= _FIRST_TO_BEGIN
    return visible


def _has_control_atoms(text: Bytes) -> bool:
    """Whether there are control characters that are not white space: 0 to 8, or 14 to 27."""
    if not len(text) or int(text.min()) >= ord(" "):
        return False
    return bool((text < ord("\t")).any() or ((text - np.uint8(14)) < np.uint8(14)).any())


def _wide(text: Bytes, spaces: list[int]) -> Ints:
    """Return the offsets of the characters whose code points are in `spaces`; they have two or three bytes."""
    start = bit_positions(bits_where(text, _may_be_wide))
    last = len(text) - 1
    lead = text[start].astype(np.int64)
    second = text[np.minimum(start + 1, last)].astype(np.int64)
    third = text[np.minimum(start + 2, last)].astype(np.int64)
    of_two_bytes = ((lead & 0x1F) << 6) | (second & 0x3F)
    of_three_bytes = ((lead & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F)
    code_points = np.where(lead >= 0xE0, of_three_bytes, of_two_bytes)
    return start[np.isin(code_points, spaces)]


def _may_be_wide(text: Bytes) -> Bools:
    """Return which bytes may begin a wide space."""
    may_be: Bools = text == _MAYBE_WIDE[0]
    for byte in _MAYBE_WIDE[1:]:
        may_be |= text == byte
    return may_be


def in_separator(text: Bytes) -> Bools:
    """Return which bytes belong to a space separator (category Zs): the blank, or two or three bytes beyond ASCII."""
    inside: Bools = text == ord(" ")
    if not is_ascii(text):
        lead = _wide(text, _SEPARATORS)
        inside[lead] = inside[lead + 1] = True
        inside[lead[text[lead] >= 0xE0] + 2] = True
    return inside


def masks(lengths: Ints) -> Words:
    """Return, for each length n, the mask of the first n bytes of a window of eight; of all eight if n > 8."""
    return _MASKS.take(lengths, mode="clip")


@dataclass(frozen=True)
class Tokens:
    """Token i is `data[start[i]:end[i]]`, in UTF-8; `data` ends with `PADDING`."""

    data: bytes
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, index: int) -> str:
        return self.data[self.start[index] : self.end[index]].decode()

    def texts(self, begin: int, end: int) -> list[str]:
        """Return the tokens from index `begin` to `end` as strings."""
        data = self.data
        bounds = zip(self.start[begin:end].tolist(), self.end[begin:end].tolist(), strict=True)
        return [data[first:stop].decode() for first, stop in bounds]

    @property
    def size(self) -> int:
        """Number of bytes of the data without the padding."""
        return len(self.data) - len(PADDING)

    @cached_property
    def heads(self) -> Words:
        """The eight bytes from the beginning of each token, as one number; shorter tokens include following bytes."""
        return np.asarray(windows(self.data)[self.start])

    @cached_property
    def lengths(self) -> Ints:
        return self.end - self.start

    def characters(self, offsets: Ints) -> Ints:
        """Convert byte offsets into `data` to character offsets."""
        if self._continued is None:
            return offsets
        return np.asarray(offsets - np.searchsorted(self._continued, offsets))

    def byte_offsets(self, characters: Ints) -> Ints:
        """Convert character offsets to byte offsets into `data`."""
        if self._continued is None:
            return characters
        # For each byte that continues a character: the number of characters that begin before it.
        begun = self._continued - np.arange(len(self._continued))
        return np.asarray(characters + np.searchsorted(begun, characters, side="right"))

    @cached_property
    def _continued(self) -> Ints | None:
        """The offsets of the bytes that continue a character; None if there are none."""
        text = np.frombuffer(self.data, dtype=np.uint8)[: self.size]
        return None if is_ascii(text) else bit_positions(bits_where(text, continues_character))

    def slice(self, begin: int, end: int) -> Tokens:
        part = Tokens(self.data, self.start[begin:end], self.end[begin:end])
        for name in ("heads", "lengths"):
            if name in self.__dict__:  # the column is already computed
                part.__dict__[name] = self.__dict__[name][begin:end]
        return part

    def take(self, rows: TokenCodes) -> Tokens:
        return Tokens(self.data, self.start[rows], self.end[rows])

    def spaced(self) -> tuple[Bytes, Ints]:
        """Return all tokens with a blank after each, as one text; then the offset of each token, and the text's end."""
        edges = np.append(0, np.cumsum(self.lengths + 1))
        text = np.full(edges[-1], ord(" "), dtype=np.uint8)
        data = np.frombuffer(self.data, dtype=np.uint8)
        text[ranges(edges[:-1], self.lengths)] = data[ranges(self.start, self.lengths)]
        return text, edges

    @staticmethod
    def of(words: Sequence[str]) -> Tokens:
        text = "".join(words)
        data = text.encode() + PADDING
        edges = np.append(0, np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words))))
        if not text.isascii():  # the edges are offsets of characters; replace them by offsets of bytes
            edges = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) & 0xC0 != 0x80)[edges]
        return Tokens(data, edges[:-1], edges[1:])

    @staticmethod
    def in_text(words: Sequence[str], spaces: Sequence[str]) -> tuple[Tokens, Ints]:
        """Join all words, each with the spaces after it, to one text.

        Return the words as tokens of this text; then the offset of each word, and the text's end.
        """
        parts = Tokens.of([part for pair in zip(words, spaces, strict=True) for part in pair])
        starts = parts.start[::2]
        return Tokens(parts.data, starts, parts.end[::2]), np.append(starts, parts.size)

    @staticmethod
    def concatenate(parts: Sequence[Tokens], joined: Joined | None = None) -> Tokens:
        """Concatenate tokens; other columns of the same data find the concatenated data in `joined`."""
        of_characters = [part for part in parts if isinstance(part, Characters)]
        if len(of_characters) == len(parts):
            return Characters(tuple(chain.from_iterable(part.parts for part in of_characters)))
        return LazyTokens(sum(map(len, parts)), partial(_join, parts, {} if joined is None else joined))


class LazyTokens(Tokens):
    """Tokens whose offsets are computed on first use, because many measures of spans do not use them."""

    def __init__(self, count: int, compute: Callable[[], Tokens]) -> None:
        """`compute` returns the tokens with their offsets; `count` is their number."""
        self.__dict__.update(_count=count, _compute=compute)

    def __len__(self) -> int:
        count: int = self.__dict__["_count"]
        return count

    @cached_property
    def _tokens(self) -> Tokens:
        tokens: Tokens = self.__dict__.pop("_compute")()
        return tokens

    @property
    def data(self) -> bytes:
        return self._tokens.data

    @property
    def start(self) -> Ints:
        return self._tokens.start

    @property
    def end(self) -> Ints:
        return self._tokens.end


class Characters(Tokens):
    """The characters of texts, without white space, as tokens.

    They are computed on first use, because there are many and most measures of spans do not use them.
    """

    parts: tuple[tuple[bytes, Ints, Ints], ...]
    """By part: its bytes, and the offsets at which texts begin and end in them; texts are numbered over all parts."""

    def __init__(self, parts: tuple[tuple[bytes, Ints, Ints], ...]) -> None:
        object.__setattr__(self, "parts", parts)

    @staticmethod
    def within(data: bytes, start: Ints, end: Ints) -> Characters:
        """Return the characters of the texts in UTF-8 data from bytes `start` to `end`."""
        return Characters(((data, start, end),))

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def edges(self) -> Ints:
        """The offset of each text in `data`, and the end of the last text."""
        return np.append(0, np.cumsum(np.concatenate([end - start for _, start, end in self.parts])))

    @cached_property
    def data(self) -> bytes:
        texts = [
            data[first:stop]
            for data, start, end in self.parts
            for first, stop in zip(start.tolist(), end.tolist(), strict=True)
        ]
        return b"".join([*texts, PADDING])

    @cached_property
    def start(self) -> Ints:
        return bit_positions(atoms(np.frombuffer(self.data, dtype=np.uint8)[: self.size]))

    @cached_property
    def end(self) -> Ints:
        return np.asarray(self.start + _LENGTHS[np.frombuffer(self.data, dtype=np.uint8)[self.start]])


def _join(parts: Sequence[Tokens], joined: Joined) -> Tokens:
    """Concatenate the data of all parts, unless `joined` has it, and shift the offsets of their tokens."""
    key = tuple(id(part.data) for part in parts)
    data = joined.get(key)
    if data is None:
        data = joined[key] = b"".join([*(memoryview(part.data)[: part.size] for part in parts), PADDING])
    sizes = [part.size for part in parts]
    shifts = np.cumsum(sizes) - sizes
    return Tokens(
        data,
        np.concatenate([part.start + shift for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.end + shift for part, shift in zip(parts, shifts, strict=True)]),
    )


def first_difference(left: Tokens, right: Tokens) -> int | None:
    """Return the first index at which two equally long token lists differ."""
    for begin in range(0, len(left), _STEP):
        one = left.slice(begin, begin + _STEP)
        other = right.slice(begin, begin + _STEP)
        if (one.lengths != other.lengths).any() or any(bits.any() for _, bits in _differences(one, other)):
            return begin + int((~equal(one, other)).argmax())
    return None


def equal(left: Tokens, right: Tokens) -> Bools:
    """Return which tokens of two equally long lists are equal."""
    same: Bools = left.lengths == right.lengths
    candidates = np.flatnonzero(same)
    for rows, different in _differences(left.take(candidates), right.take(candidates)):
        same[(candidates if rows is None else candidates[rows])[different != 0]] = False
    return same


def _differences(left: Tokens, right: Tokens) -> Iterator[tuple[Ints | None, Words]]:
    """Compare pairs of tokens, which have equal lengths, eight bytes at a time.

    Each step yields the rows of the pairs that are long enough for it (None: all pairs), and for each of these the bits
    that differ.
    """
    lengths = left.lengths
    yield None, (left.heads ^ right.heads) & masks(lengths)
    left_windows = windows(left.data)
    right_windows = windows(right.data)
    done = 8
    rows = np.flatnonzero(lengths > done)
    while len(rows):
        remaining = lengths[rows] - done
        bits = left_windows[left.start[rows] + done] ^ right_windows[right.start[rows] + done]
        yield rows, bits & masks(remaining)
        done += 8
        rows = rows[remaining > 8]


class CodedTokens(LazyTokens):
    """Dictionary-coded tokens: token i is `entries[codes[i]]`."""

    entries: Tokens
    codes: TokenCodes

    def __init__(self, entries: Tokens, codes: TokenCodes) -> None:
        super().__init__(len(codes), partial(entries.take, codes))
        self.__dict__.update(entries=entries, codes=codes)

    @cached_property
    def heads(self) -> Words:
        return self.entries.heads[self.codes]

    @cached_property
    def lengths(self) -> Ints:
        return self.entries.lengths[self.codes]

    def slice(self, begin: int, end: int) -> CodedTokens:
        return CodedTokens(self.entries, self.codes[begin:end])

    def take(self, rows: TokenCodes) -> CodedTokens:
        return CodedTokens(self.entries, self.codes[rows])


def have_same_codes(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are known to be equal because they have the same codes and entries."""
    if not isinstance(left, CodedTokens) or not isinstance(right, CodedTokens):
        return False
    return (
        np.array_equal(left.codes, right.codes)
        and left.entries.data == right.entries.data
        and np.array_equal(left.entries.start, right.entries.start)
        and np.array_equal(left.entries.end, right.entries.end)
    )


class ListedTokens(LazyTokens):
    """Tokens of JSON lists. Byte-identical lists have identical tokens, so lists are compared before they are parsed.

    List i is `written[first[i]:last[i]]`, and has the tokens `bounds[i]` to `bounds[i + 1]`. No list is empty.
    """

    written: bytes
    first: Ints
    last: Ints
    bounds: Ints

    def __init__(self, written: bytes, first: Ints, last: Ints, bounds: Ints, parse: Callable[[], Tokens]) -> None:
        super().__init__(int(bounds[-1]), parse)
        self.__dict__.update(written=written, first=first, last=last, bounds=bounds)

    def __reduce__(self) -> tuple[type[Tokens], tuple[bytes, Ints, Ints]]:
        """Pickle as parsed tokens, because the parser of lists cannot be pickled."""
        return Tokens, (self.data, self.start, self.end)

    def slice(self, begin: int, end: int) -> Tokens:
        """Return the tokens from index `begin` to `end`.

        Two or more whole lists remain lists. One list does not, because comparing its bytes would save too little.
        """
        end = min(end, len(self))
        low, high = np.searchsorted(self.bounds, (begin, end)).tolist()
        if high - low < 2 or self.bounds[low] != begin or self.bounds[high] != end:
            return super().slice(begin, end)
        bounds = self.bounds[low : high + 1] - begin
        parse = partial(Tokens.slice, self, begin, end)
        return ListedTokens(self.written, self.first[low:high], self.last[low:high], bounds, parse)


def have_same_lists(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are known to be equal because their lists are byte-identical."""
    if not isinstance(left, ListedTokens) or not isinstance(right, ListedTokens):
        return False
    sizes = left.last - left.first
    if not np.array_equal(sizes, right.last - right.first):
        return False
    short = np.flatnonzero(sizes < _PIECE)
    long = np.flatnonzero(sizes >= _PIECE)
    if _written_lists(left, short) != _written_lists(right, short):
        return False
    return np.array_equal(_pieces(left, long), _pieces(right, long))


def _written_lists(tokens: ListedTokens, lists: Ints) -> list[bytes]:
    """Return the bytes of some lists."""
    bounds = zip(tokens.first[lists].tolist(), tokens.last[lists].tolist(), strict=True)
    return [tokens.written[begin:end] for begin, end in bounds]


def _pieces(tokens: ListedTokens, lists: Ints) -> Words:
    """Return the bytes of some lists in pieces of `_PIECE` bytes; no list may be shorter.

    The last piece of a list ends where the list ends, so it may overlap the piece before it.
    """
    first = tokens.first[lists]
    last = tokens.last[lists]
    counts = (last - first) // _PIECE + 1
    ends = np.cumsum(counts)
    offsets = np.repeat(first - (ends - counts) * _PIECE, counts)
    offsets += np.arange(0, len(offsets) * _PIECE, _PIECE)
    offsets[ends - 1] = last - _PIECE
    # A view of the data: the piece that begins at each byte.
    piece_count = max(len(tokens.written) - _PIECE + 1, 0)
    pieces = np.ndarray((piece_count,), dtype=f"V{_PIECE}", buffer=tokens.written, strides=(1,))
    return np.asarray(pieces[offsets].view("<u8"))


class LineNumbers:
    """Line numbers of tokens in a file with one token per line, computed on first use.

    Other lines (empty lines, comments) may precede some tokens. The line number of token t is t + `shifts()[i]`, where
    `first[i]` is the last element of `first` that is at most t. The tokens are those from `begin` to `end`.
    """

    def __init__(self, first: Ints, shifts: Callable[[], Ints], begin: int, end: int) -> None:
        self._first = first
        self._shifts = shifts
        self._begin = begin
        self._end = end

    def __getstate__(self) -> tuple[Ints, Ints, int, int]:
        """Return the shifts instead of the function that computes them, which cannot be pickled."""
        return self._first, self._shifts(), self._begin, self._end

    def __setstate__(self, state: tuple[Ints, Ints, int, int]) -> None:
        self._first, shifts, self._begin, self._end = state
        self._shifts = partial(np.asarray, shifts)

    def __len__(self) -> int:
        return self._end - self._begin

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Ints:
        return np.asarray(self._of(np.arange(self._begin, self._end)), dtype=dtype)

    def __add__(self, number: int) -> Ints:
        return np.asarray(self) + number

    @overload
    def __getitem__(self, key: slice) -> LineNumbers: ...
    @overload
    def __getitem__(self, key: Ints) -> Ints: ...
    def __getitem__(self, key: slice | Ints) -> LineNumbers | Ints:
        if isinstance(key, slice):
            begin, end, _ = key.indices(len(self))
            return LineNumbers(self._first, self._shifts, self._begin + begin, self._begin + max(begin, end))
        return self._of(key % len(self) + self._begin)

    def _of(self, tokens: Ints) -> Ints:
        return tokens + self._shifts()[np.searchsorted(self._first, tokens, side="right") - 1]
