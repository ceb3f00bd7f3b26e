"""seqeval's schemes: between which two tags an entity begins, goes on, and ends.

A rule has three signs: the prefix of the tag before, the prefix of the tag, and whether both have the same type
(`=`), different ones (`/`), or any (`*`, which also stands for any prefix). Some of these rules are not those of the
scheme that they are named after (an IOB1 entity cannot begin with `B-` behind `O`): they are what seqeval does.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools
from evenhand.dataclass import dataclass

PREFIXES = "OBIESLU.?"
"""Prefixes by their codes; `?` stands for any other, which only the lenient scheme has."""
OUTSIDE = PREFIXES.index("O")
_TYPES = {"*": slice(None), "/": slice(0, 1), "=": slice(1, 2)}


@dataclass(frozen=True)
class Scheme:
    """The rules of a scheme; `inside` is empty where an entity is all from one beginning to the next end."""

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
    """Where a rule holds: by the prefix before, the prefix, and whether both have the same type (0 or 1)."""
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
"""What seqeval takes without `mode="strict"`: conlleval's rule with E and S; all other letters are like each other."""
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
"""Which prefixes a file has from which a scheme is recognised."""


def recognised(text: Iterable[str], *, suffix: bool) -> Scheme:
    """The scheme of these tags, by the prefixes that they have."""
    prefixes = {str(tag)[-1:] if suffix else str(tag)[:1] for tag in text}
    for scheme, choices in _PREFIXES_OF.items():
        if any(prefixes == set(each) for each in choices.split()):
            return scheme
    raise ValueError(
        f"Tags with the prefixes {', '.join(map(repr, sorted(prefixes)))} are in no scheme that is recognised "
        "(IOB2, IOE2, IOBES, BILOU); name one with scheme=."
    )
