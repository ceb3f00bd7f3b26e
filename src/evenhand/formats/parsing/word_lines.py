"""The lines of a block of words: words, tokens that are several words, empty nodes, comments.

The first column may number words: 1, 2, 3 in every sentence, `3-4` for a token of two words, which stands before them,
`5.1` for an empty node behind word 5.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.parsing.blocks import Lines
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.windows import leading_numbers
from evenhand.formats.source import Source
from evenhand.problems import counted
from evenhand.text.tokens import windows

_HASH, _HYPHEN, _POINT = b"#-."
_NOTHING = ints([])


@dataclass(frozen=True)
class WordLayout:
    """Where the columns of a file of words are."""

    name: str
    columns: Mapping[str, int]
    """The place of each column, by its name (`form`, `head`, …)."""
    width: int
    """How many columns a line has."""
    tabs: bool = True
    at_least: bool = False
    """Whether a line may have more columns."""

    def has(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


@dataclass(frozen=True)
class WordLines:
    """What the lines of a block are; words and lines count from the block's first one."""

    lines: Lines
    sentence_of_line: Ints
    """How many blank lines stand before each line."""
    words: Ints
    """The lines of words."""
    bounds: Ints
    """Where sentences begin, in words, and where the last one ends."""
    multiwords: Ints
    """The lines of tokens that are several words."""
    first: Ints
    """The first word of each of them."""
    size: Ints
    comments: Ints
    empty_nodes: Ints

    @property
    def sentence(self) -> Ints:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


class Sorting:
    """Sorts the lines of a block; what is wrong is reported, and its sentence is left out if reading goes on."""

    def __init__(self, source: Source, layout: WordLayout, lines: Lines) -> None:
        self._source, self._layout, self._lines = source, layout, lines
        self._blank = lines.cells == 0
        self._sentence_of_line = np.cumsum(self._blank)
        self._broken: set[int] = set()

    def __call__(self) -> WordLines:
        begins, text = self._lines.begins, np.frombuffer(self._lines.data, dtype=np.uint8)
        is_hash = (text[begins] == _HASH) & ~self._blank
        if not self._layout.has("id"):
            is_hash &= self._lines.cells != self._layout.width
        rows = self._of_right_width(np.flatnonzero(~(self._blank | is_hash)))
        comments = np.flatnonzero(is_hash)
        self._check_comments(comments, rows)
        has_numbers = self._layout.has("id")
        return self.kept(self._numbered(rows, comments) if has_numbers else self._sorted(rows, comments))

    def report(self, line: int, finding: str, remedy: str, kind: str) -> None:
        self._source.report(self._lines.number(line), finding, remedy, kind)
        self._broken.add(int(self._sentence_of_line[line]))

    def kept(self, found: WordLines) -> WordLines:
        """The lines of sentences in which nothing was wrong; the same object where that is all of them."""
        is_broken = np.isin(self._sentence_of_line, list(self._broken))
        lines = np.concatenate((found.words, found.multiwords, found.empty_nodes, found.comments))
        if not is_broken[lines].any():
            return found
        kept = ~is_broken[found.multiwords]
        rows = (found.words, found.comments, found.empty_nodes)
        words, comments, empty_nodes = (each[~is_broken[each]] for each in rows)
        return self._sorted(words, comments, empty_nodes, found.multiwords[kept], found.size[kept])

    def _sorted(
        self,
        words: Ints,
        comments: Ints,
        empty_nodes: Ints = _NOTHING,
        multiwords: Ints = _NOTHING,
        size: Ints = _NOTHING,
    ) -> WordLines:
        sentence = self._sentence_of_line[words]
        begins = np.ones(len(words) + 1, dtype=np.bool_)
        begins[1:-1] = sentence[1:] != sentence[:-1]
        bounds = np.flatnonzero(begins)
        # A token of several words stands before them, so that its line tells its first word.
        first = np.searchsorted(words, multiwords)
        return WordLines(
            self._lines, self._sentence_of_line, words, bounds, multiwords, first, size, comments, empty_nodes
        )

    def _of_right_width(self, rows: Ints) -> Ints:
        cells, width = self._lines.cells[rows], self._layout.width
        right = cells >= width if self._layout.at_least else cells == width
        if right.all():
            return rows
        for line in rows[~right].tolist():
            more = "at least " if self._layout.at_least else ""
            finding = f"found {counted(self._lines.cells[line], 'column')} where {self._layout.name} has {more}{width}"
            remedy = "mend the line (a cut one shows that the file was not written to its end)"
            self.report(line, finding, remedy, "columns")
        return rows[right]

    def _check_comments(self, comments: Ints, rows: Ints) -> None:
        before = np.searchsorted(rows, comments)
        place = np.maximum(before - 1, 0)
        if not len(rows):
            return
        inside = (before > 0) & (self._sentence_of_line[rows[place]] == self._sentence_of_line[comments])
        for line in comments[inside].tolist():
            self.report(line, "found a comment inside a sentence", "move it before the sentence", "comment")

    def _numbered(self, rows: Ints, comments: Ints) -> WordLines:
        """Lines by their numbers, which are checked."""
        cells = self._lines.table(rows, self._layout.width)
        place = self._layout.columns["id"]
        start, end = cells.column(place)
        number, digits = leading_numbers(windows(cells.data)[start])
        is_word = (digits == end - start) & (digits > 0)
        words = rows[is_word]
        others = np.flatnonzero(~is_word)
        mark, second = self._marked(cells, start[others], end[others], digits[others])
        for row in others[mark == 0].tolist():
            finding = (
                f"{cells.text(place, row)!r} numbers no word (3), no token of several (3-4) and no empty node (3.1)"
            )
            self.report(int(rows[row]), finding, "number the words of every sentence from 1 on", "number")
        multi, empty = others[mark == _HYPHEN], others[mark == _POINT]
        size = second[mark == _HYPHEN] - number[multi] + 1
        found = self._sorted(words, comments, rows[empty], rows[multi], size)
        self._check_numbers(found, number[is_word])
        self._check_multiwords(found, number[multi])
        self._check_empty_nodes(found, number[empty])
        return found

    @staticmethod
    def _marked(cells: Cells, start: Ints, end: Ints, digits: Ints) -> tuple[Ints, Ints]:
        """What stands between two numbers, 0 where a cell is not these, and the second number."""
        behind = start + digits
        second, more = leading_numbers(windows(cells.data)[behind + 1])
        is_complete = (digits > 0) & (more > 0) & (behind + 1 + more == end)
        mark = np.frombuffer(cells.data, dtype=np.uint8)[behind].astype(np.int64)
        return np.where(is_complete & ((mark == _HYPHEN) | (mark == _POINT)), mark, 0), second

    def _check_numbers(self, found: WordLines, number: Ints) -> None:
        expected = np.arange(len(number)) - np.repeat(found.bounds[:-1], np.diff(found.bounds)) + 1
        wrong = np.flatnonzero(number != expected)
        _, first_of_sentence = np.unique(found.sentence[wrong], return_index=True)
        for word in wrong[first_of_sentence].tolist():
            finding = f"found the word {number[word]} where {expected[word]} is next"
            remedy = "number the words of every sentence from 1 on, without gaps"
            self.report(int(found.words[word]), finding, remedy, "number")

    def _check_multiwords(self, found: WordLines, number: Ints) -> None:
        if not len(number):
            return
        last = np.searchsorted(found.bounds, found.first, side="right")  # the bound behind the sentence
        begin, behind = found.bounds[last - 1], found.bounds[np.minimum(last, len(found.bounds) - 1)]
        inside = np.minimum(found.first, max(len(found.words) - 1, 0))
        stands = (found.first < len(found.words)) & (found.first - begin + 1 == number)
        if len(found.words):
            sentences = self._sentence_of_line
            stands &= sentences[found.words[inside]] == sentences[found.multiwords]
        overlaps = np.zeros(len(number), dtype=np.bool_)
        sentence = self._sentence_of_line[found.multiwords]
        overlaps[1:] = (found.first[1:] < (found.first + found.size)[:-1]) & (sentence[1:] == sentence[:-1])
        checks: tuple[tuple[Bools, str], ...] = (
            (found.size < 1, "ends before it begins"),
            (~stands, "does not stand before its first word"),
            (found.first + found.size > behind, "reaches beyond its sentence"),
            (overlaps, "overlaps the one before"),
        )
        told = np.zeros(len(number), dtype=np.bool_)
        for wrong, what in checks:
            for token in np.flatnonzero(wrong & ~told).tolist():
                name = f"{number[token]}-{number[token] + found.size[token] - 1}"
                remedy = "write it before its words, which have the numbers of its range"
                self.report(int(found.multiwords[token]), f"the multi-word token {name} {what}", remedy, "number")
            told |= wrong

    def _check_empty_nodes(self, found: WordLines, number: Ints) -> None:
        lines = found.empty_nodes
        before = np.searchsorted(found.words, lines)
        first = np.searchsorted(self._sentence_of_line[found.words], self._sentence_of_line[lines])
        for node in np.flatnonzero(before - first != number).tolist():
            finding = f"found an empty node of word {number[node]} behind word {before[node] - first[node]}"
            self.report(int(lines[node]), finding, "write it behind its word", "number")
