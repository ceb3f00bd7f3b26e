"""seqeval's schemes, and the entities of tag sequences by their rules, computed for all sentences at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.errors import warn_caller
from evenhand.parameters import quote

PREFIXES = "OBIESLU.?"
"""Prefixes by code; `?` is any other prefix, which only the lenient scheme has."""
OUTSIDE = PREFIXES.index("O")
Coded = npt.NDArray[np.unsignedinteger[Any]]
_BREAK = ("O",)
"""The tag that is added after every sentence, so entities end there."""
_BARE = frozenset("OBIES")
"""Tags without a type that cause no warning."""
_TYPES = {"*": slice(None), "/": slice(0, 1), "=": slice(1, 2)}


@dataclass(frozen=True)
class Scheme:
    """The rules of a scheme; `inside` is empty if an entity is everything from one beginning to the next end."""

    name: str
    prefixes: str
    starts: str
    inside: str
    ends: str

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def start_table(self) -> Bools:
        return _table(self.starts)

    @cached_property
    def inside_table(self) -> Bools:
        return _table(self.inside)

    @cached_property
    def end_table(self) -> Bools:
        return _table(self.ends)


def _table(rules: str) -> Bools:
    """Where a rule holds: by the previous prefix, the prefix, and whether both have the same type (0 or 1)."""
    table = np.zeros((len(PREFIXES), len(PREFIXES), 2), dtype=np.bool_)
    for rule in rules.split():
        before, prefix = (slice(None) if sign == "*" else PREFIXES.index(sign) for sign in rule[:2])
        table[before, prefix, _TYPES[rule[2]]] = True
    return table


LENIENT = Scheme(
    "LENIENT",
    PREFIXES,
    starts="*B* *S* EE* EI* SE* SI* OE* OI* *I/ *E/ *L/ *U/ *?/",
    inside="",
    ends="E** S** BB* BS* BO* IB* IS* IO* B*/ I*/ L*/ U*/ ?*/",
)
"""seqeval's rules without `mode="strict"`: conlleval's rule with E and S; all other letters are equivalent."""
IOB1 = Scheme(
    "IOB1",
    "IOB",
    starts="OI* II/ BI* IB= BB=",
    inside="BI= II=",
    ends="II/ IO* IB* BO* BI/ BB=",
)
IOE1 = Scheme(
    "IOE1",
    "IOE",
    starts="OI* II/ EI* EE=",
    inside="II= IE=",
    ends="II/ IO* IE/ EI= EE=",
)
IOB2 = Scheme(
    "IOB2",
    "IOB",
    starts="*B*",
    inside="BI= II=",
    ends="IO* II/ IB* BO* BI/ BB*",
)
IOE2 = Scheme(
    "IOE2",
    "IOE",
    starts="OI* OE* EI* EE* II/ IE/",
    inside="IE= II=",
    ends="E**",
)
IOBES = Scheme(
    "IOBES",
    "IOBES",
    starts="*B* *S*",
    inside="BI= BE= II= IE=",
    ends="S** E**",
)
BILOU = Scheme(
    "BILOU",
    "BILOU",
    starts="*B* *U*",
    inside="BI= BL= II= IL=",
    ends="U** L**",
)

_PREFIXES_OF = {
    IOB2: "IOB IB BO B",
    IOE2: "IOE IE EO E",
    IOBES: "IOBES IBES IOBE OBES IBE BES OBE BE S",
    BILOU: "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U",
}
"""The sets of prefixes by which a scheme is recognised."""


def recognised(text: Iterable[str], *, suffix: bool) -> Scheme:
    """The scheme of these tags, by the prefixes that they have."""
    prefixes = {str(tag)[-1:] if suffix else str(tag)[:1] for tag in text}
    for scheme, choices in _PREFIXES_OF.items():
        if any(prefixes == set(letters) for letters in choices.split()):
            return scheme
    raise ValueError(
        f"No scheme (IOB2, IOE2, IOBES, BILOU) has the prefixes {', '.join(map(repr, sorted(prefixes)))}; "
        "name one with scheme=."
    )


@dataclass(frozen=True)
class Entities:
    """Entities in the order of their last tokens; positions count a break after each sentence."""

    type: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True)
class Affixes:
    """Splits tags into the prefix (or the suffix, one letter) and the type."""

    scheme: Scheme
    suffix: bool = False

    def letter(self, tag: str) -> str:
        return tag[-1] if self.suffix else tag[0]

    def type(self, tag: str) -> str:
        """The lenient scheme splits at one hyphen, the first or last one; strict ones strip all around the type."""
        remainder = tag[:-1] if self.suffix else tag[1:]
        if self.scheme is not LENIENT:
            return remainder.strip("-") or "_"
        return (remainder.rsplit("-", 1)[0] if self.suffix else remainder.split("-", 1)[-1]) or "_"

    def check(self, tag: str) -> None:
        """Strict schemes refuse tags with other letters; the lenient one warns."""
        if not isinstance(tag, str) or not tag:
            raise ValueError(f"Expected a tag such as 'B-PER' or 'O', got {quote(tag)}.")
        letter = self.letter(tag)
        if self.scheme is LENIENT:
            affix = tag[-2:] if self.suffix else tag[:2]
            if tag not in _BARE and (letter not in "BIES" or len(affix) < 2 or affix.strip(letter) != "-"):
                warn_caller(f"{quote(tag)} does not look like a tag of an entity.", UserWarning)
        elif letter not in self.scheme.prefixes:
            known = ", ".join(self.scheme.prefixes)
            raise ValueError(f"The tag {quote(tag)} is not in {self.scheme}, whose prefixes are {known}.")


class TagCodes(dict[str, int]):
    """Codes of tags, in the order of first use."""

    def __missing__(self, tag: str) -> int:
        code = self[tag] = len(self)
        return code

    def of(self, sentences: Sequence[Sequence[str]]) -> Coded:
        """The codes of all tags, with breaks after sentences; one byte each if possible, which is faster."""
        try:
            return np.frombuffer(bytearray(map(self.__getitem__, _joined(sentences))), dtype=np.uint8)
        except ValueError:  # there are more than 256 tags
            return np.fromiter(map(self.__getitem__, _joined(sentences)), dtype=np.uint32)


class TagSet:
    """All tags that occur, by their codes, with their prefixes and types."""

    def __init__(self, tags: Iterable[str], affixes: Affixes) -> None:
        known = list(tags)
        for tag in known:
            affixes.check(tag)
        self.scheme = affixes.scheme
        types = [affixes.type(tag) for tag in known]
        self.types = sorted(set(types))
        codes = {name: code for code, name in enumerate(self.types)}
        self.type = ints([codes[name] for name in types])
        letters = [affixes.letter(tag) for tag in known]
        self.prefix = np.array([PREFIXES.find(letter) % len(PREFIXES) for letter in letters], dtype=np.int8)


class Neighbours:
    """The tags that are not outside, each with the previous and the next one."""

    def __init__(self, code: Coded, tags: TagSet) -> None:
        self.position = np.flatnonzero(tags.prefix.take(code) != OUTSIDE)
        before, here, after = (code.take(self.position + step) for step in (-1, 0, 1))
        self.type = tags.type.take(here)
        same_before = tags.type.take(before) == self.type
        if tags.scheme is LENIENT:
            same_before[self.position == 0] = False  # nothing precedes the first tag
        prefix = tags.prefix.take(here)
        self._before = (tags.prefix.take(before), prefix, same_before.view(np.int8))
        self._after = (prefix, tags.prefix.take(after), (tags.type.take(after) == self.type).view(np.int8))
        self._scheme = tags.scheme

    @cached_property
    def begins(self) -> Bools:
        begins: Bools = self._scheme.start_table[self._before]
        return begins

    @cached_property
    def goes_on(self) -> Bools:
        goes_on: Bools = self._scheme.inside_table[self._before]
        return goes_on

    @cached_property
    def ends(self) -> Bools:
        ends: Bools = self._scheme.end_table[self._after]
        return ends


def entities(code: Coded, tags: TagSet) -> Entities:
    """The entities of a text that ends with a tag outside."""
    around = Neighbours(code, tags)
    first, last = (_lenient if tags.scheme is LENIENT else _strict)(around)
    return Entities(around.type[last], np.where(first < 0, 0, around.position[first]), around.position[last])


def _lenient(around: Neighbours) -> tuple[Ints, Ints]:
    """First and last tags: an entity is everything from the last beginning to an end; -1 if none began."""
    last = np.flatnonzero(around.ends)
    start = np.append(-1, np.flatnonzero(around.begins))
    return start[np.searchsorted(start, last, side="right") - 1], last


def _strict(around: Neighbours) -> tuple[Ints, Ints]:
    """First and last tags: an entity is a run from its first beginning to its end, if it may end there."""
    run = np.cumsum(~around.goes_on)
    start = np.flatnonzero(around.begins)
    start = start[np.append(True, run[start][1:] != run[start][:-1])[: len(start)]]
    last = np.searchsorted(run, run[start], side="right") - 1
    is_whole = around.ends[last]
    return start[is_whole], last[is_whole]


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[tuple[str, int, int]]:
    """The entities of a sequence of tags, or of a list of them: type, first and last token (inclusive).

    In a list of sequences, tokens are numbered consecutively, with one extra after each sequence, as in seqeval.
    """
    sentences = seq if any(isinstance(item, list) for item in seq) else [seq]
    codes = TagCodes()
    code = codes.of(sentences)
    tags = TagSet(codes, Affixes(LENIENT, suffix))
    spans = entities(code, tags)
    columns = (spans.type.tolist(), spans.first.tolist(), spans.last.tolist())
    return [(tags.types[type_], first, last) for type_, first, last in zip(*columns, strict=True)]


def _joined(sentences: Sequence[Sequence[str]]) -> Iterator[str]:
    """All tags in sequence, with a break after each sentence."""
    return chain.from_iterable(chain.from_iterable(zip(sentences, repeat(_BREAK))))
