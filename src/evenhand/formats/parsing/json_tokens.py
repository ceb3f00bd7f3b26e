"""Tokens with tags or spans from JSON lines that are all spelled alike: from columns to layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from evenhand.arrays import Ints, Words, empty, ranges
from evenhand.bits import Rank, places
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.json_columns import Cells, Matcher
from evenhand.formats.parsing.json_spelling import Spelling, learn_tokens
from evenhand.formats.parsing.json_strings import OddError, StringLists, demand, quoted, within
from evenhand.formats.parsing.json_texts import LabelCodes
from evenhand.formats.source import Block
from evenhand.limits import LimitError
from evenhand.text.codes import CellCodes, Mostly
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.list_codes import COMMON
from evenhand.text.listed_tokens import ListedTokens
from evenhand.text.tokens import Tokens, windows


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
        matcher = Matcher(block)
        items = matcher.fill(spelling)
        lists, quotes = matcher.lists["tokens"], matcher.all_strings.quotes
        lengths, bounds = lists.sizes, np.append(0, np.cumsum(lists.sizes))
        rows, cells = _rare_tags(matcher) if "tags" in matcher.lists else (empty(), (empty(), empty()))
        data, escaped, find = matcher.data, 0, partial[Tokens](_listed, matcher.data, lists, quotes)
        if matcher.has_escapes:
            some = lists.around(matcher.backslashes)
            data, (found, cells), escaped = matcher.unescaped(quoted(within(lists.take(some), quotes)), cells)
            find = partial(_unescaped, find, data, ranges(bounds[some], lengths[some]), found)
        tokens = ListedTokens(matcher.data, lists.first, lists.last, bounds, find)
        matcher.check_texts(
            spelling, items, escaped + 2 * sum(int(each.sizes.sum()) for each in matcher.lists.values())
        )
        spans, tags = None, None
        if "tags" in matcher.lists:
            demand(matcher.lists["tags"].sizes == lengths)
            tags = self._coded(data, len(tokens), rows, cells)
        else:
            spans = self._spans(matcher, items, lengths)
        ids = Tokens(data, *matcher.strings["id"]) if "id" in matcher.strings else None
        return AlikeTokens(tokens, lengths, ids, spans, tags, self._names)

    def _coded(self, data: bytes, size: int, rows: Ints, cells: Cells) -> Mostly:
        """The codes of so many tags, of which some rows are not `O`."""
        codes, new = self._codes(data, *cells, windows(data)[cells[0]])
        self._names += [data[cells[0][row] : cells[1][row]].decode() for row in new]
        if len(rows) == size:
            return Mostly.of(codes)
        return Mostly(size, self._names.index(COMMON), rows, codes)

    def _spans(self, matcher: Matcher, items: Ints, lengths: Ints) -> Spans:
        scope = np.repeat(np.arange(len(items)), items)
        start, end = matcher.counts["start"], matcher.counts["end"]
        demand((end > start) & (end <= lengths[scope]))
        label = self._labels(matcher.data, matcher.strings["label"], matcher.windows["label"])
        return Spans.of(self._vocabulary, scope, start, end, label, matcher.counts.get("level"))


def _listed(data: bytes, lists: StringLists, quotes: Words) -> Tokens:
    return Tokens(data, *quoted(within(lists, quotes)))


def _unescaped(written: Callable[[], Tokens], data: bytes, rows: Ints, found: Cells) -> Tokens:
    """Tokens as they are written, but for some rows that are found elsewhere in the data."""
    tokens = written()
    start, end = tokens.start.copy(), tokens.end.copy()
    start[rows], end[rows] = found
    return Tokens(data, start, end)


def _rare_tags(matcher: Matcher) -> tuple[Ints, Cells]:
    """The tags that are not `O`, and the first one that is: their rows, and where they are."""
    strings = matcher.all_strings
    opens = within(matcher.lists["tags"], strings.opens)
    common = opens & strings.single(ord(COMMON))
    lowest = common[(common != 0).argmax() :][:1]
    lowest &= lowest - np.uint64(1)
    at = places(opens & ~common)
    start = at + 1
    return Rank.of(opens)(at), (start, matcher.string_ends(start, matcher.words[start]))
