"""What `Entity=` says in CorefUD: brackets with their fields, the parts of mentions, and the edges of empty nodes.

`(e1-person-2-` has the fields that `# global.Entity = eid-etype-head-other` names. `head` is the place of the head
among the words of the whole mention, from 1; of a mention with gaps, the brackets of its last part say it. Without a
head, and in mentions of one word, it is the first word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.formats.chain_formats import DECLARATION
from evenhand.formats.parsing.mention_brackets import Brackets, MentionParts, Ranges, Report
from evenhand.problems import counted
from evenhand.text.corpus import Corpus
from evenhand.text.mention_words import ROOT, Edge, number_of
from evenhand.text.tokens import Tokens

_ENTITY_FIELDS = ("eid", "GRP")
"""What the field that names the entity is called, now and in older files."""
_HEAD_FIELD = "head"
_BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(?P<entity>.*)\[(?P<part>\d{1,9})/(?P<parts>\d{1,9})\]")
_EDGE = re.compile(r"(?P<word>[0-9]{1,9})(?:\.(?P<decimal>[0-9]{1,9}))?:(?P<relation>.+)")
NO_NUMBER = -1
"""The head of a bracket that has something else in its place."""
Bracket = tuple[str, bool, bool, int]
"""Name, opens, closes, head (0: none)."""


@dataclass(frozen=True)
class EntityFields:
    """Which fields of an opening bracket name the entity and its head; without a declaration, the usual ones."""

    entity: int = 0
    head: int | None = 2
    is_declared: bool = False

    @staticmethod
    def declared(comment: str) -> EntityFields:
        fields = comment.removeprefix(DECLARATION).strip().split("-")
        entity = next((fields.index(name) for name in _ENTITY_FIELDS if name in fields), 0)
        return EntityFields(entity, fields.index(_HEAD_FIELD) if _HEAD_FIELD in fields else None, is_declared=True)

    def brackets(self, value: str) -> list[Bracket] | None:
        """Every bracket; None where something else stands there."""
        found, place = [], 0
        while place < len(value):
            bracket = _BRACKET.match(value, place)
            if bracket is None:
                return None
            piece, place = bracket[0], bracket.end()
            if not piece.startswith("("):
                found.append((piece[:-1], False, True, 0))
                continue
            fields = piece.strip("()").split("-")
            if self.entity >= len(fields):
                return None
            found.append((fields[self.entity], True, piece.endswith(")"), self._head(fields)))
        return found

    def _head(self, fields: list[str]) -> int:
        written = "" if self.head is None or self.head >= len(fields) else fields[self.head].strip()
        if written.isdecimal() and written.isascii() and len(written) < 10:
            return int(written)
        return NO_NUMBER if written and self.is_declared else 0


@dataclass(frozen=True)
class EntityMention:
    """A mention: its entity, the first and last token of each part, and the place of its head (0: none)."""

    entity: str
    ranges: Ranges
    head: int = 0

    @property
    def gaps(self) -> tuple[int, ...]:
        """The tokens that parts leave out between them, counted from the first one."""
        if len(self.ranges) == 1:
            return ()
        inside = {token for begin, last in self.ranges for token in range(begin, last + 1)}
        first = min(inside)
        return tuple(token - first for token in range(first, max(inside)) if token not in inside)


def whole_mentions(
    names: Sequence[str], brackets: Brackets, opens: Ints, closes: Ints, heads: Ints, document: Ints, report: Report
) -> list[EntityMention]:
    """Mentions in the order of their first parts. A mention without all of its parts is a problem."""
    mentions: list[EntityMention] = []
    joined, several = MentionParts(), dict[int, int]()
    head_of: dict[tuple[str, int, int], int] = {}
    columns = (brackets.token[opens], brackets.token[closes], brackets.name[opens], heads[opens])
    for begin, last, code, head in zip(*(column.tolist() for column in columns), strict=True):
        found = _PART.fullmatch(names[code])
        if found is None:
            mentions.append(EntityMention(names[code], [(begin, last)], head))
            continue
        head_of[found["entity"], begin, last] = head
        entity = (int(document[begin]), found["entity"], found["parts"])
        ranges = joined.add(entity, int(found["part"]), (begin, last))
        if ranges is not None:
            several[len(mentions)] = int(found["parts"])
            mentions.append(EntityMention(found["entity"], ranges))
    for row, parts in several.items():
        name, ranges = mentions[row].entity, mentions[row].ranges
        mentions[row] = EntityMention(name, ranges, head_of[name, *ranges[-1]])
        if len(ranges) != parts:
            finding = f"a mention of {name!r} has {len(ranges)} of its {parts} parts"
            report(ranges[0][0], finding, "write all parts, from [1/n] to [n/n]")
    return mentions


def head_places(mentions: Sequence[EntityMention], size: Ints, report: Report) -> Ints:
    """The place of each head among the words of its mention, from 0; heads beyond these are a problem."""
    head = np.array([each.head for each in mentions], dtype=np.int64)
    head[size == 1] = 0
    for row in np.flatnonzero((head > size) | (head == NO_NUMBER)).tolist():
        name, words = mentions[row].entity, counted(size[row], "word")
        finding = f"a mention of {name!r} has the head {head[row]}, but {words}"
        if head[row] == NO_NUMBER:
            finding = f"the head of a mention of {name!r} is no number"
        report(mentions[row].ranges[0][0], finding, f"give the place of its head, from 1 to {size[row]}")
        head[row] = 0
    return np.maximum(head - 1, 0)


class EmptyNodeEdges:
    """What empty nodes depend on by DEPS: parents and relations."""

    def __init__(self, corpus: Corpus, cells: Tokens, report: Report) -> None:
        assert corpus.decimals is not None
        self._corpus, self._cells, self._report = corpus, cells, report
        self._overt = np.append(0, np.cumsum(corpus.decimals < 0))

    def __call__(self, token: int) -> tuple[Edge, ...]:
        """The edges of a token, each once, in some order that is always the same."""
        corpus, cell = self._corpus, self._cells[token]
        assert corpus.bounds is not None
        if cell in ("_", ""):
            return ()
        sentence = int(np.searchsorted(corpus.bounds, token, side="right")) - 1
        document = int(np.searchsorted(corpus.document_bounds, token, side="right")) - 1
        before = int(self._overt[corpus.bounds[sentence]] - self._overt[corpus.document_bounds[document]])
        return tuple(sorted({*self._edges(token, cell, before)}))

    def _edges(self, token: int, cell: str, before: int) -> Iterator[Edge]:
        for written in cell.split("|"):
            edge = _EDGE.fullmatch(written)
            if edge is None:
                finding = f"{written[:80]!r} is no edge of an empty node"
                self._report(token, finding, "write DEPS as parent:relation, with bars between")
                continue
            word, decimal = int(edge["word"]), None if edge["decimal"] is None else int(edge["decimal"])
            is_root = word == 0 and decimal is None
            yield (ROOT if is_root else number_of(before + word, decimal, is_first=word == 0)), edge["relation"]
