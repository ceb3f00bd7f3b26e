"""Tokens as places in the bytes of their file; decoded only when somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words, ranges
from evenhand.bits import marked, places
from evenhand.dataclass import dataclass
from evenhand.text.spaces import atoms, continues_character, is_ascii

PADDING = bytes(16)
"""Behind all data, so that a window of eight bytes, and one more, can be taken anywhere in it."""
Joined = dict[tuple[int, ...], bytes]
"""What was made of several data, by their identities."""
_LENGTHS = np.array([1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0) for byte in range(256)])
"""How many bytes a character takes, by its first byte."""
_STEP = 1 << 16
"""How many tokens are compared at a time, so that what they are compared by stays in the processor's cache."""
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


def windows(data: bytes) -> Words:
    """The eight bytes from every place of `data` on, as one number each; `data` must end with `PADDING`."""
    return np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))


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
        found: Words = windows(self.data)[self.start]
        return found

    @cached_property
    def lengths(self) -> Ints:
        return self.end - self.start

    def characters(self, place: Ints) -> Ints:
        """How many characters of `data` begin before each place in it."""
        if self._continued is None:
            return place
        found: Ints = place - np.searchsorted(self._continued, place)
        return found

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
        return None if is_ascii(text) else places(marked(text, continues_character))

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
            return Characters(tuple(chain.from_iterable(each.parts for each in characters)))
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
        return places(atoms(np.frombuffer(self.data, dtype=np.uint8)[: self.size]))

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
