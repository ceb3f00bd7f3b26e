"""Tokens as places in the bytes of their file; decoded only when somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Bytes, Ints, Words, bit_positions, bits_at, bits_where, ranges, windows
from evenhand.dataclass import dataclass

# == text/spaces.py: Which bytes of a text begin a character, and which one that


_SEPARATORS = [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]
"""The spaces beside the blank that Unicode calls space separators (category Zs)."""
_WIDE_SPACES = [0x85, *_SEPARATORS, 0x2028, 0x2029]
"""The spaces beyond ASCII: these and the ends of lines."""
_IS_ATOM = np.array([byte >= 0xC0 or (byte < 0x80 and not chr(byte).isspace()) for byte in range(256)])
"""Which bytes begin a character that is no space, wide spaces aside."""
_MAYBE_WIDE = sorted({chr(code).encode()[0] for code in _WIDE_SPACES})
"""The bytes that can begin a wide space."""
_FIRST_TO_BEGIN = -64
"""Of bytes as signed numbers, all below continue a character."""


def is_ascii(text: Bytes) -> bool:
    return not len(text) or int(text.max()) < 128


def continues_character(text: Bytes) -> Bools:
    """Which bytes do not begin a character."""
    found: Bools = text.view(np.int8) < _FIRST_TO_BEGIN
    return found


def atoms(text: Bytes, *, has_controls: bool = True) -> Words:
    """The bytes that begin a character that is no space; without `has_controls`, blanks and line ends are the spaces.

    A bit stands for each byte.
    """
    # Control characters that are no spaces are atoms, but rare.
    found = bits_where(text, _IS_ATOM.__getitem__ if has_controls and _has_control_atoms(text) else _is_visible)
    return found if is_ascii(text) else found & ~bits_at(_wide(text, _WIDE_SPACES), len(text))


def _is_visible(text: Bytes) -> Bools:
    visible: Bools = text > ord(" ")
    visible &= text.view(np.int8) >= _FIRST_TO_BEGIN
    return visible


def _has_control_atoms(text: Bytes) -> bool:
    """Whether there are control characters that are no spaces."""
    if not len(text) or int(text.min()) >= ord(" "):
        return False
    return bool((text < ord("\t")).any() or ((text - np.uint8(14)) < np.uint8(14)).any())


def _wide(text: Bytes, spaces: list[int]) -> Ints:
    """Where some wide spaces begin, which are characters of two or three bytes."""
    start = bit_positions(bits_where(text, _may_be_wide))
    last = len(text) - 1
    lead, second, third = (text[np.minimum(start + at, last)].astype(np.int64) for at in range(3))
    two = ((lead & 0x1F) << 6) | (second & 0x3F)
    codes = np.where(lead >= 0xE0, ((lead & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F), two)
    return start[np.isin(codes, spaces)]


def _may_be_wide(text: Bytes) -> Bools:
    found: Bools = text == _MAYBE_WIDE[0]
    for byte in _MAYBE_WIDE[1:]:
        found |= text == byte
    return found


def in_separator(text: Bytes) -> Bools:
    """Which bytes belong to a space separator (category Zs): the blank, and some characters of two or three bytes."""
    found: Bools = text == ord(" ")
    if not is_ascii(text):
        lead = _wide(text, _SEPARATORS)
        found[lead] = found[lead + 1] = True
        found[lead[text[lead] >= 0xE0] + 2] = True
    return found


# == text/tokens.py (primary)


PADDING = bytes(16)
"""Behind all data, so that a window of eight bytes, and one more, can be taken anywhere in it."""
Joined = dict[tuple[int, ...], bytes]
"""What was made of several data, by their identities."""
_LENGTHS = np.array([1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0) for byte in range(256)])
"""How many bytes a character takes, by its first byte."""
_STEP = 1 << 16
"""How many tokens are compared at a time, so that what they are compared by stays in the processor's cache."""
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


def masks(lengths: Ints) -> Words:
    """For each length, the mask that keeps as many bytes of a window, all eight where it is longer."""
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
        """Some tokens that follow each other."""
        data, bounds = self.data, (self.start[begin:end].tolist(), self.end[begin:end].tolist())
        return [data[first:behind].decode() for first, behind in zip(*bounds, strict=True)]

    @property
    def size(self) -> int:
        """How many bytes there are without the padding."""
        return len(self.data) - len(PADDING)

    @cached_property
    def heads(self) -> Words:
        """The eight bytes from the begin of each token on as one number, whatever follows shorter ones."""
        heads: Words = windows(self.data)[self.start]
        return heads

    @cached_property
    def lengths(self) -> Ints:
        return self.end - self.start

    def characters(self, place: Ints) -> Ints:
        """How many characters of `data` begin before each place in it."""
        if self._continued is None:
            return place
        characters: Ints = place - np.searchsorted(self._continued, place)
        return characters

    def places_of(self, character: Ints) -> Ints:
        """Where characters begin in `data`, given how many begin before each."""
        if self._continued is None:
            return character
        before = self._continued - np.arange(len(self._continued))
        found: Ints = character + np.searchsorted(before, character, side="right")
        return found

    @cached_property
    def _continued(self) -> Ints | None:
        """The bytes that continue a character; None where there are none."""
        text = np.frombuffer(self.data, dtype=np.uint8)[: self.size]
        return None if is_ascii(text) else bit_positions(bits_where(text, continues_character))

    def slice(self, begin: int, end: int) -> Tokens:
        part = Tokens(self.data, self.start[begin:end], self.end[begin:end])
        for name in ("heads", "lengths"):  # what is known of all is known of some
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name][begin:end]
        return part

    def take(self, rows: Ints) -> Tokens:
        return Tokens(self.data, self.start[rows], self.end[rows])

    def spaced(self) -> tuple[Bytes, Ints]:
        """The bytes of all tokens with a blank behind each, where each one begins, and where the last blank ends."""
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
        if not text.isascii():  # so far these count characters
            first_bytes = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) & 0xC0 != 0x80)
            edges = first_bytes[edges]
        return Tokens(data, edges[:-1], edges[1:])

    @staticmethod
    def in_text(words: Sequence[str], spaces: Sequence[str]) -> tuple[Tokens, Ints]:
        """Tokens in the text that they make with what follows each, where each begins, and where the text ends."""
        both = Tokens.of([each for pair in zip(words, spaces, strict=True) for each in pair])
        return Tokens(both.data, both.start[::2], both.end[::2]), np.append(both.start[::2], both.size)

    @staticmethod
    def concatenate(parts: Sequence[Tokens], joined: Joined | None = None) -> Tokens:
        """Tokens one after the other; `joined` keeps what was made of some data, for other columns of it."""
        characters = [part for part in parts if isinstance(part, Characters)]
        if len(characters) == len(parts):
            return Characters(tuple(chain.from_iterable(character.parts for character in characters)))
        return LateTokens(sum(map(len, parts)), partial(_joined, parts, {} if joined is None else joined))


class LateTokens(Tokens):
    """Tokens whose places are worked out when somebody asks: some questions about spans need none of them."""

    def __init__(self, count: int, find: Callable[[], Tokens]) -> None:
        self.__dict__.update(_count=count, _find=find)

    def __len__(self) -> int:
        count: int = self.__dict__["_count"]
        return count

    @cached_property
    def _found(self) -> Tokens:
        found: Tokens = self.__dict__.pop("_find")()
        return found

    @property
    def data(self) -> bytes:
        return self._found.data

    @property
    def start(self) -> Ints:
        return self._found.start

    @property
    def end(self) -> Ints:
        return self._found.end


class Characters(Tokens):
    """Tokens that are the characters of texts, spaces aside.

    They are many, and most questions about spans need none of them: they are worked out when somebody asks, and until
    then the texts stay where they are in their file.
    """

    parts: tuple[tuple[bytes, Ints, Ints], ...]
    """Some data, and where texts begin and end in it; the texts follow each other, part after part."""

    def __init__(self, parts: tuple[tuple[bytes, Ints, Ints], ...]) -> None:
        object.__setattr__(self, "parts", parts)

    @staticmethod
    def within(data: bytes, start: Ints, end: Ints) -> Characters:
        """The characters of texts that are parts of some data, in UTF-8, from bytes `start` to `end`."""
        return Characters(((data, start, end),))

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def edges(self) -> Ints:
        """Where each text begins in `data`, with the end of the last one behind."""
        return np.append(0, np.cumsum(np.concatenate([end - start for _, start, end in self.parts])))

    @cached_property
    def data(self) -> bytes:
        texts = [
            data[begin:behind]
            for data, start, end in self.parts
            for begin, behind in zip(start.tolist(), end.tolist(), strict=True)
        ]
        return b"".join([*texts, PADDING])

    @cached_property
    def start(self) -> Ints:
        return bit_positions(atoms(np.frombuffer(self.data, dtype=np.uint8)[: self.size]))

    @cached_property
    def end(self) -> Ints:
        ends: Ints = self.start + _LENGTHS[np.frombuffer(self.data, dtype=np.uint8)[self.start]]
        return ends


def _joined(parts: Sequence[Tokens], joined: Joined) -> Tokens:
    key = tuple(id(part.data) for part in parts)
    data = joined.get(key)
    if data is None:
        data = joined[key] = b"".join([*(memoryview(part.data)[: part.size] for part in parts), PADDING])
    before = np.cumsum([0, *(part.size for part in parts)])
    return Tokens(
        data,
        np.concatenate([part.start + shift for part, shift in zip(parts, before, strict=False)]),
        np.concatenate([part.end + shift for part, shift in zip(parts, before, strict=False)]),
    )


def first_difference(left: Tokens, right: Tokens) -> int | None:
    """The first index at which two equally long token lists differ."""
    for begin in range(0, len(left), _STEP):
        mine, others = left.slice(begin, begin + _STEP), right.slice(begin, begin + _STEP)
        if (mine.lengths != others.lengths).any() or any(part.any() for _, part in _differences(mine, others)):
            return begin + int((~equal(mine, others)).argmax())
    return None


def equal(left: Tokens, right: Tokens) -> Bools:
    """Which tokens of two equally long lists are the same."""
    same: Bools = left.lengths == right.lengths
    rows = np.flatnonzero(same)
    for some, different in _differences(left.take(rows), right.take(rows)):
        same[(rows if some is None else rows[some])[different != 0]] = False
    return same


def _differences(left: Tokens, right: Tokens) -> Iterator[tuple[Ints | None, Words]]:
    """Tokens with equal lengths, compared eight bytes at a time: some rows (None: all), and 0 where these are equal."""
    lengths = left.lengths
    yield None, (left.heads ^ right.heads) & masks(lengths)
    mine, others = windows(left.data), windows(right.data)
    rows, done = np.flatnonzero(lengths > 8), 8
    while len(rows):
        rest = lengths[rows] - done
        yield rows, (mine[left.start[rows] + done] ^ others[right.start[rows] + done]) & masks(rest)
        done += 8
        rows = rows[rest > 8]


# == text/coded_tokens.py: Tokens as tables keep them: the different ones once, and for


Places = npt.NDArray[np.integer[Any]]


class CodedTokens(Tokens):
    """Token i is `entries[place[i]]`; where it begins and ends is worked out when somebody asks."""

    entries: Tokens
    place: Places

    def __init__(self, entries: Tokens, place: Places) -> None:
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "place", place)

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def data(self) -> bytes:
        return self.entries.data

    @cached_property
    def start(self) -> Ints:
        return self.entries.start[self.place]

    @cached_property
    def end(self) -> Ints:
        return self.entries.end[self.place]

    @cached_property
    def heads(self) -> Words:
        return self.entries.heads[self.place]

    @cached_property
    def lengths(self) -> Ints:
        return self.entries.lengths[self.place]

    def slice(self, begin: int, end: int) -> CodedTokens:
        return CodedTokens(self.entries, self.place[begin:end])

    def take(self, rows: Ints) -> CodedTokens:
        return CodedTokens(self.entries, self.place[rows])


def have_same_codes(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are surely the same, as they have the same places among the same entries."""
    if not isinstance(left, CodedTokens) or not isinstance(right, CodedTokens):
        return False
    mine, others = left.entries, right.entries
    return (
        np.array_equal(left.place, right.place)
        and mine.data == others.data
        and np.array_equal(mine.start, others.start)
        and np.array_equal(mine.end, others.end)
    )


# == text/listed_tokens.py: Tokens of lists that stand in some bytes, as JSON has them:


_PIECE = 32
"""How many bytes of long lists are compared at a time."""


class ListedTokens(LateTokens):
    """List i is written as `written[first[i]:last[i]]`, and its tokens are those from `bounds[i]` on; none is empty."""

    written: bytes
    first: Ints
    last: Ints
    bounds: Ints

    def __init__(self, written: bytes, first: Ints, last: Ints, bounds: Ints, find: Callable[[], Tokens]) -> None:
        super().__init__(int(bounds[-1]), find)
        self.__dict__.update(written=written, first=first, last=last, bounds=bounds)

    def slice(self, begin: int, end: int) -> Tokens:
        """Some tokens, still in lists where these are whole and several: one takes longer to set up than to look at."""
        end = min(end, len(self))
        low, high = np.searchsorted(self.bounds, (begin, end)).tolist()
        if high - low < 2 or self.bounds[low] != begin or self.bounds[high] != end:
            return super().slice(begin, end)
        bounds, find = self.bounds[low : high + 1] - begin, partial(Tokens.slice, self, begin, end)
        return ListedTokens(self.written, self.first[low:high], self.last[low:high], bounds, find)

    def alone(self, find: Callable[[], Tokens]) -> ListedTokens:
        """The same with only the bytes of these lists."""
        begin, end = int(self.first[0]), int(self.last[-1])
        return ListedTokens(self.written[begin:end], self.first - begin, self.last - begin, self.bounds, find)


def with_lists(tokens: Tokens, parts: Sequence[Tokens | None], bounds: Ints) -> Tokens:
    """Tokens that were put together from parts, with the lists of these if all have some."""
    listed = [part for part in parts if isinstance(part, ListedTokens)]
    if len(listed) < len(parts):
        return tokens
    before = list(accumulate((len(part.written) for part in listed), initial=0))
    first = np.concatenate([part.first + shift for part, shift in zip(listed, before, strict=False)])
    last = np.concatenate([part.last + shift for part, shift in zip(listed, before, strict=False)])
    return ListedTokens(b"".join([part.written for part in listed]), first, last, bounds, lambda: tokens)


def have_same_lists(left: Tokens, right: Tokens) -> bool:
    """Whether tokens are surely the same, as they stand in lists that are written alike."""
    if not isinstance(left, ListedTokens) or not isinstance(right, ListedTokens):
        return False
    sizes = left.last - left.first
    if not np.array_equal(sizes, right.last - right.first):
        return False
    short, long = np.flatnonzero(sizes < _PIECE), np.flatnonzero(sizes >= _PIECE)
    return _texts(left, short) == _texts(right, short) and np.array_equal(_pieces(left, long), _pieces(right, long))


def _texts(tokens: ListedTokens, lists: Ints) -> list[bytes]:
    """How some lists are written."""
    bounds = zip(tokens.first[lists].tolist(), tokens.last[lists].tolist(), strict=True)
    return [tokens.written[begin:end] for begin, end in bounds]


def _pieces(tokens: ListedTokens, lists: Ints) -> Words:
    """The same of lists that have a piece at least: the last piece of each ends with it, so that two may overlap."""
    first, last, data = tokens.first[lists], tokens.last[lists], tokens.written
    counts = (last - first) // _PIECE + 1
    ends = np.cumsum(counts)
    at = np.repeat(first - (ends - counts) * _PIECE, counts)
    at += np.arange(0, len(at) * _PIECE, _PIECE)
    at[ends - 1] = last - _PIECE
    everywhere = max(len(data) - _PIECE + 1, 0)
    pieces: Words = np.ndarray((everywhere,), dtype=f"V{_PIECE}", buffer=data, strides=(1,))[at].view("<u8")
    return pieces


# == text/line_numbers.py: Line numbers of tokens, computed on first use.


class LineNumbers:
    """Line numbers of tokens on lines of their own, with other lines between some of them; computed on first use.

    From the token `first[i]` on, a token's line is its number and `more()[i]`.
    """

    def __init__(self, first: Ints, more: Callable[[], Ints], begin: int, end: int) -> None:
        self._first, self._more, self._begin, self._end = first, more, begin, end

    def __getstate__(self) -> tuple[Ints, Ints, int, int]:
        """The numbers themselves in place of the function that computes them, which cannot be pickled."""
        return self._first, self._more(), self._begin, self._end

    def __setstate__(self, state: tuple[Ints, Ints, int, int]) -> None:
        first, more, begin, end = state
        self._first, self._more, self._begin, self._end = first, partial(np.asarray, more), begin, end

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
            return LineNumbers(self._first, self._more, self._begin + begin, self._begin + max(begin, end))
        return self._of(key % len(self) + self._begin)

    def _of(self, tokens: Ints) -> Ints:
        return tokens + self._more()[np.searchsorted(self._first, tokens, side="right") - 1]
