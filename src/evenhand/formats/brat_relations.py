"""Relations in brat's `.ann` files.

- `R1⇥Type Arg1:T1 Arg2:T2`: a relation; its first argument is the head. The number may be missing.
- `*⇥Type T1 T2 T3`: an equivalence, as relations from the first span to each other one. Its type is symmetric.
- `E1⇥Type:T3 Role:T4 Role2:E5`: an event, as relations from its trigger to its arguments. Their types are the roles
  without final digits, and an event that is an argument stands for its trigger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Ints, distinct, ints
from evenhand.formats.brat_lines import Standoff
from evenhand.formats.related import Linked
from evenhand.formats.source import Source
from evenhand.problems import SettingError
from evenhand.text.labels import Vocabulary
from evenhand.text.listed_parts import ListedParts
from evenhand.text.relations import Relations

KINDS = ("R", "*", "E")
"""The first characters of lines that hold relations."""
_RELATIONS = re.compile(r"(?:R(?:[A-Za-z]*[0-9]\S*)?\t\S+ [^\s:]+:\S+ [^\s:]+:\S+[ \t]*(?:\n|$))*")
"""Relations, one on each line."""
_NUMBERED = re.compile(r"(?:T[1-9][0-9]{0,8}(?: |$))*")
"""Identifiers such as T12."""
_EQUIVALENCE = re.compile(r"\*\S*\t(\S+)((?: \S+)+)\s*")
_EVENT = re.compile(r"(E\S*)\t([^\s:]+):(\S+)((?: [^\s:]+:\S+)*)\s*")
Row = tuple[int, str, str, str]
"""Line, type, and the identifiers of head and tail."""


def relations(source: Source, found: Standoff, vocabulary: Vocabulary, parts: ListedParts) -> Relations:
    """The relations of a file, whose ends are rows of its spans."""
    triggers, by_event = _events(source, zip(*found.of_kind("E"), strict=True))
    equivalent = list(_equivalences(source, zip(*found.of_kind("*"), strict=True)))
    columns = _plain(source, *found.of_kind("R"))
    rows = [*equivalent, *by_event]
    line, label, head, tail = (
        [*column, *more] for column, more in zip(columns, zip(*rows, strict=True) if rows else [()] * 4, strict=True)
    )
    ends = _numbered(found, head, tail) if not triggers else None
    if ends is None:
        places = _places(source, found, triggers) if line else {}
        ends = _ends(source, line, head, places), _ends(source, line, tail, places)
    codes = {name: vocabulary.labels.code(name) for name in dict.fromkeys(label)}
    order = np.argsort(ints(line), kind="stable")
    return Relations(
        vocabulary,
        ints([codes[name] for name in label])[order],
        ends[0][order],
        ends[1][order],
        frozenset(row[1] for row in equivalent),
        parts,
    )


def relation_lines(links: Iterable[Linked]) -> Iterator[str]:
    """Relations of one sentence as lines; its spans are T1 and so on."""
    number = 0
    for link in links:
        if not re.fullmatch(r"[^\s\0]+", link.label):
            remedy = "where types have no spaces; map it to another"
            raise SettingError(f"The type {link.label!r} cannot be written for brat, {remedy}.")
        if link.is_symmetric:
            yield f"*\t{link.label} T{link.head + 1} T{link.tail + 1}"
        else:
            number += 1
            yield f"R{number}\t{link.label} Arg1:T{link.head + 1} Arg2:T{link.tail + 1}"


def _plain(source: Source, numbers: list[int], lines: list[str]) -> tuple[Sequence[Any], ...]:
    """Lines, types, heads and tails of R lines."""
    text = "\n".join(lines)
    if lines and _RELATIONS.fullmatch(text) is None:
        number, line = next(each for each in zip(numbers, lines, strict=True) if _RELATIONS.fullmatch(each[1]) is None)
        remedy = "write identifier, tab, type, Arg1:T1 and Arg2:T2 with spaces between"
        raise source.error(number, f"{line!r} is no relation with a type and two arguments", remedy)
    if text.count(":") == 2 * len(lines):
        cells = text.replace(":", " ").split()
        return numbers, cells[1::6], cells[3::6], cells[5::6]
    cells = text.split()
    head, tail = ([argument.partition(":")[2] for argument in cells[at::4]] for at in (2, 3))
    return numbers, cells[1::4], head, tail


def _equivalences(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        match = _EQUIVALENCE.fullmatch(line)
        first, *others = match[2].split() if match else [""]
        if match is None or not others:
            remedy = "write *, tab, type and two identifiers or more with spaces between"
            raise source.error(number, f"{line!r} is no equivalence of several spans", remedy)
        for other in others:
            yield number, match[1], first, other


def _events(source: Source, lines: Iterable[tuple[int, str]]) -> tuple[dict[str, tuple[int, str]], list[Row]]:
    """The line and the trigger of each event, and its arguments as relations."""
    triggers, rows = dict[str, tuple[int, str]](), list[Row]()
    for number, line in lines:
        match = _EVENT.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, TYPE:TRIGGER and ROLE:ARGUMENT with spaces between"
            raise source.error(number, f"{line!r} is no event with a trigger", remedy)
        event, _, trigger, arguments = match.groups()
        triggers[event] = (number, trigger)
        for argument in arguments.split():
            role, _, other = argument.partition(":")
            rows.append((number, role.rstrip("0123456789") or role, trigger, other))
    return triggers, rows


def _numbered(found: Standoff, head: list[str], tail: list[str]) -> tuple[Ints, Ints] | None:
    """The rows of heads and tails where all identifiers are T with a number, and all are there; else None."""
    columns = [_numbers(names) for names in (found.spans.identifiers, head, tail)]
    mine, *ends = columns
    if mine is None or not len(mine) or any(each is None for each in ends):
        return None
    size = int(mine.max()) + 1
    if size > 4 * len(mine) + 1024 or len(distinct(mine)) < len(mine):
        return None
    place = np.full(size, -1)
    place[mine] = np.arange(len(mine))
    rows = [np.where(each < size, place[np.minimum(each, size - 1)], -1) for each in ends if each is not None]
    return (rows[0], rows[1]) if all((each >= 0).all() for each in rows) else None


def _numbers(identifiers: Sequence[str]) -> Ints | None:
    """The numbers of T1 and so on; None where one is spelled otherwise."""
    text = " ".join(identifiers)
    if _NUMBERED.fullmatch(text) is None:
        return None
    return np.fromstring(text.replace("T", ""), dtype=np.int64, sep=" ")


def _places(source: Source, found: Standoff, triggers: dict[str, tuple[int, str]]) -> dict[str, int]:
    """The row of the span that each identifier stands for."""
    spans, names = found.spans, found.spans.identifiers
    places = dict(zip(names, range(len(spans)), strict=True))
    if len(places) < len(spans):
        row = next(row for row, name in enumerate(names) if places[name] != row)
        again = int(spans.line[places[names[row]]])
        finding = f"the identifier {names[row]} stands in line {spans.line[row]}, too"
        raise source.error(again, finding, "give every span an identifier of its own")
    for event, (number, trigger) in triggers.items():
        if trigger not in places:
            raise _undefined(source, number, trigger)
        places[event] = places[trigger]
    return places


def _ends(source: Source, lines: Sequence[int], names: Sequence[str], places: dict[str, int]) -> Ints:
    found = [places.get(name, -1) for name in names]
    if -1 in found:
        at = found.index(-1)
        raise _undefined(source, lines[at], names[at])
    return ints(found)


def _undefined(source: Source, line: int, name: str) -> Exception:
    return source.error(line, f"no line defines {name}", "add a line that begins with it, or mend the argument")
