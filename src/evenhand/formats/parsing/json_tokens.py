"""Tokens with tags or spans from JSON lines that are all spelled alike: from columns to layers."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.json_columns import Matcher
from evenhand.formats.parsing.json_spelling import Spelling, learn_tokens
from evenhand.formats.parsing.json_strings import OddError, demand
from evenhand.formats.parsing.json_texts import LabelCodes
from evenhand.formats.source import Block
from evenhand.limits import LimitError
from evenhand.text.codes import CellCodes, Mostly
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.tokens import PADDING, Tokens


@dataclass(frozen=True)
class AlikeTokens:
    """The records of a block: their tokens, and their spans or the codes of their tags."""

    tokens: Tokens
    lengths: Ints
    """How many tokens each record has."""
    ids: Tokens | None
    spans: Spans | None
    tags: Mostly | None
    names: list[str]
    """The tags by code."""


class TokenReader:
    """Reads blocks of records that are spelled alike; it remembers how, and the codes of labels and tags."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._spelling: Spelling | None = None
        self._labels = LabelCodes(vocabulary)
        self._codes = CellCodes()
        self._names: list[str] = []

    def read(self, block: Block) -> AlikeTokens | None:
        """What a block holds, or None if it has anything for which the decoder is needed, or a message."""
        self._spelling = self._spelling or learn_tokens(block)
        if self._spelling is None:
            return None
        try:
            found = self._batch(block, self._spelling)
            block.has_lines(len(found.lengths))
        except (OddError, LimitError):
            # The next block may be spelled in another way.
            self._spelling = None
            return None
        return found

    def _batch(self, block: Block, spelling: Spelling) -> AlikeTokens:
        matcher = Matcher(block, np.empty(block.size, dtype=np.uint8))
        items = matcher.fill(spelling)
        lists = {name: _members(*bounds) for name, bounds in matcher.lists.items()}
        data, start, end = _strings(matcher, spelling, items, lists)
        first, last = matcher.lists["tokens"]
        lengths = last - first + 1
        spans, tags, places = None, None, lists["tokens"]
        if "tags" in lists:
            demand(np.diff(matcher.lists["tags"], axis=0)[0] + 1 == lengths)
            tags = self._coded(data, start[lists["tags"]], end[lists["tags"]])
        else:
            spans = self._spans(matcher, items, lengths)
        ids = Tokens(data, *matcher.strings["id"]) if "id" in matcher.strings else None
        return AlikeTokens(Tokens(data, start[places], end[places]), lengths, ids, spans, tags, self._names)

    def _coded(self, data: bytes, start: Ints, end: Ints) -> Mostly:
        codes, new = self._codes.mostly(data, start, end)
        self._names += [data[start[row] : end[row]].decode() for row in new]
        return codes

    def _spans(self, matcher: Matcher, items: Ints, lengths: Ints) -> Spans:
        scope = np.repeat(np.arange(len(items)), items)
        start, end = matcher.counts["start"], matcher.counts["end"]
        demand((end > start) & (end <= lengths[scope]))
        label = self._labels(matcher.data, matcher.strings["label"], matcher.windows["label"])
        return Spans.of(self._vocabulary, scope, start, end, label, matcher.counts.get("level"))


def _members(first: Ints, last: Ints) -> Ints:
    """The strings of lists, one after the other."""
    return ranges(first, last - first + 1)


def _strings(matcher: Matcher, spelling: Spelling, items: Ints, lists: dict[str, Ints]) -> tuple[bytes, Ints, Ints]:
    """Data that has strings as they read, and where each one begins and ends; only those in lists have escapes."""
    start, end = matcher.all_strings.start, matcher.all_strings.end
    data, quoted, size = matcher.data, 0, sum(map(len, lists.values()))
    if matcher.has_escapes:
        places = np.sort(np.concatenate(list(lists.values())))
        data, (inner, behind), quoted = matcher.unescaped((start[places], end[places]))
        start, end = start.copy(), end.copy()
        start[places], end[places] = inner, behind
        if b"\0" in data[: -len(PADDING)]:
            raise OddError
    matcher.check_texts(spelling, items, quoted + 2 * size)
    return data, start, end
