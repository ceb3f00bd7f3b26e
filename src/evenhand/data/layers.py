"""What one annotator put on a text: tags, trees and spans, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, complement, concatenate, ints, take, zeros
from evenhand.data.tokens import Joined, Tokens
from evenhand.data.vocabulary import SparseCodes, StringCoder, Vocabulary
from evenhand.dataclass import dataclass

FEATURES = "feats"
"""What the column of features is called."""


@dataclass(frozen=True)
class Tags:
    """A tag a token, as the file spells it; `names[code[i]]` is the tag of token i."""

    code: Ints
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.code)

    def to_list(self) -> list[str]:
        return [self.names[code] for code in self.code.tolist()]

    def slice(self, begin: int, end: int) -> Tags:
        return Tags(self.code[begin:end], self.names)

    def coded(self, coder: StringCoder) -> Ints:
        """The tags as codes of a coder, which all sides of a comparison share."""
        return coder(Tokens.of(self.names))[self.code]

    @staticmethod
    def concatenate(parts: Sequence[Tags], joined: Joined | None = None) -> Tags:
        """Tags of successive batches, whose names are those of the last one: a reader's table of tags only grows.

        What stays in the bytes of its file still does; for `joined` see `Tokens.concatenate`.
        """
        if len(parts) == 1:
            return parts[0]
        written = [part for part in parts if isinstance(part, TagColumn)]
        if len(written) == len(parts):
            return written[0].moved(Tokens.concatenate([part.cells for part in written], joined))
        sparse = [part.mostly for part in parts if isinstance(part, SparseTags)]
        if len(sparse) == len(parts) and len({each.common for each in sparse}) == 1:
            return SparseTags(SparseCodes.concatenate(sparse), parts[-1].names)
        return Tags(np.concatenate([part.code for part in parts]), parts[-1].names)


class SparseTags(Tags):
    """Tags of which most are the same; the code of each is worked out when somebody asks."""

    mostly: SparseCodes

    def __init__(self, mostly: SparseCodes, names: tuple[str, ...]) -> None:
        object.__setattr__(self, "mostly", mostly)
        object.__setattr__(self, "names", names)

    def __len__(self) -> int:
        return self.mostly.size

    @cached_property
    def code(self) -> Ints:
        return self.mostly.column()

    def slice(self, begin: int, end: int) -> SparseTags:
        return SparseTags(self.mostly.slice(begin, min(end, len(self))), self.names)


class TagColumn(Tags):
    """Tags that stay where they are in the bytes of their file, and are coded when somebody asks.

    A word has many columns, and most questions need few of them; of lemmas, only whether two are equal.
    """

    cells: Tokens
    coder: StringCoder

    def __init__(self, cells: Tokens, coder: StringCoder) -> None:
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "coder", coder)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def code(self) -> Ints:
        return self.coder(self.cells)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.coder.names)

    def moved(self, cells: Tokens) -> TagColumn:
        """The same kind of tags, in other cells."""
        return type(self)(cells, self.coder)

    def slice(self, begin: int, end: int) -> TagColumn:
        return self.moved(self.cells.slice(begin, end))

    def coded(self, coder: StringCoder) -> Ints:
        return self.code if coder is self.coder else coder(self.cells)


class FeatureSets(TagColumn):
    """The features of words (FEATS), which are sets, whatever the order in which a file writes them."""


@dataclass(frozen=True)
class Trees:
    """A head and a relation a word."""

    head: Ints
    """The number of the head in its sentence: 1 is the first word, 0 the root."""
    relation: Tags

    def __len__(self) -> int:
        return len(self.head)

    def slice(self, begin: int, end: int) -> Trees:
        return Trees(self.head[begin:end], self.relation.slice(begin, end))


@dataclass(frozen=True)
class Spans:
    """Labeled spans in the order of their file: columns of equal length.

    A span covers the tokens [start, end), counted from the first token of its scope (its sentence, or its document
    where a file has no sentences). Spans may nest, cross and repeat. `level` is the column or the place in a stack
    of tags that it comes from; `shape` is the code of the tokens it leaves out (0: none). `extra` is the code of what
    a task keeps with a span beside its label (0: nothing), where a task does.
    """

    vocabulary: Vocabulary
    scope: Ints
    start: Ints
    end: Ints
    label: Ints
    level: Ints
    shape: Ints
    extra: Ints | None = None

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | slice) -> Spans:
        columns = (self.scope, self.start, self.end, self.label, self.level, self.shape)
        found = Spans(self.vocabulary, *(take(column, rows) for column in columns))
        return found if self.extra is None else replace(found, extra=take(self.extra, rows))

    def without(self, rows: Ints) -> Spans:
        """All other rows."""
        return self.take(complement(len(self), rows))

    def token_sets(self) -> list[set[int]]:
        """The tokens of each span, as positions in its scope."""
        tokens = [set(range(start, end)) for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)]
        for row in np.flatnonzero(self.shape).tolist():
            start = int(self.start[row])
            tokens[row].difference_update(start + gap for gap in self.vocabulary.shapes[int(self.shape[row])])
        return tokens

    def into(self, vocabulary: Vocabulary) -> Spans:
        """The same spans with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        return replace(
            self,
            vocabulary=vocabulary,
            label=self.vocabulary.labels.into(vocabulary.labels)[self.label] if len(self) else self.label,
            shape=self.vocabulary.shapes.into(vocabulary.shapes)[self.shape],
            extra=None if self.extra is None else self.vocabulary.extras.into(vocabulary.extras)[self.extra],
        )

    def in_text(self, first: Ints) -> Spans:
        """The same in one scope, counted from the first token of a text whose scopes begin with these tokens."""
        shift = first[self.scope]
        return replace(self, scope=np.zeros_like(shift), start=self.start + shift, end=self.end + shift)

    def in_scopes(self, scope: Ints, first: Ints) -> Spans:
        """The inverse of `in_text`: spans in these scopes, counted from the first token of each."""
        shift = first[scope]
        return replace(self, scope=scope, start=self.start - shift, end=self.end - shift)

    def relabel(self, new: Ints) -> Spans:
        """Spans with `new[label]` for each label; those whose new label is negative are left out."""
        label = new[self.label] if len(self) else self.label
        changed = replace(self, label=label)
        return changed if (label >= 0).all() else changed.take(np.flatnonzero(label >= 0))

    def rows(self) -> list[tuple[str, int, int, int]]:
        """(label, scope, start, end) of every span, in plain Python."""
        names = self.vocabulary.labels.values
        columns = zip(self.label.tolist(), self.scope.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        return [(names[label], scope, start, end) for label, scope, start, end in columns]

    @staticmethod
    def of(
        vocabulary: Vocabulary,
        scope: Ints,
        start: Ints,
        end: Ints,
        label: Ints,
        level: Ints | None = None,
        shape: Ints | None = None,
    ) -> Spans:
        """Spans on level 0 and without gaps unless they are given."""
        nothing = zeros(len(start))
        return Spans(
            vocabulary,
            scope,
            start,
            end,
            label,
            nothing if level is None else level,
            nothing if shape is None else shape,
        )

    @staticmethod
    def concatenate(parts: Sequence[Spans], scopes: Sequence[int]) -> Spans:
        """Spans one after the other; the scopes of part i are moved by `scopes[i]`."""
        if len(parts) == 1 and scopes[0] == 0:
            return parts[0]
        first = parts[0].vocabulary
        parts = [part.into(first) for part in parts]
        joined = Spans(
            first,
            np.concatenate([part.scope + shift for part, shift in zip(parts, scopes, strict=True)]),
            *(
                concatenate([getattr(part, column) for part in parts])
                for column in ("start", "end", "label", "level", "shape")
            ),
        )
        if all(part.extra is None for part in parts):
            return joined
        extras = [zeros(len(part)) if part.extra is None else part.extra for part in parts]
        return replace(joined, extra=concatenate(extras))


def by_level(spans: Spans, levels: int) -> Spans:
    """Spans whose scopes are split by level, so that nothing matches across levels."""
    return replace(spans, scope=spans.scope * levels + spans.level)


# == text/nesting.py: Levels: spreading overlapping spans over columns that are fl


def flat_levels(spans: Spans) -> Spans:
    """The spans with levels on which nothing overlaps: their own if these are so, else outer spans first."""
    if not _overlaps(spans, spans.level).any():
        return spans
    order = _outermost_first(spans)
    level = np.empty(len(spans), dtype=np.int64)
    level[order] = _first_free(spans.take(order))
    return replace(spans, level=level)


def outermost(spans: Spans) -> Ints:
    """The rows of spans that fit into one level: from left to right, the longest at each place."""
    order = _outermost_first(spans)
    return np.sort(order[_first_free(spans.take(order)) == 0])


def is_flat(spans: Spans) -> bool:
    """Whether no two spans overlap."""
    return not _overlaps(spans, np.zeros(len(spans), dtype=np.int64)).any()


def neighbours(spans: Spans) -> int:
    """How many spans begin where another one of their label and level ends."""
    order = np.lexsort((spans.start, spans.level, spans.scope))
    scope, level, label = spans.scope[order], spans.level[order], spans.label[order]
    same = (np.diff(scope) == 0) & (np.diff(level) == 0) & (np.diff(label) == 0)
    return int(np.count_nonzero(same & (spans.start[order][1:] == spans.end[order][:-1])))


def _outermost_first(spans: Spans) -> Ints:
    """By scope, start, and from the longest to the shortest; ties as in the input."""
    return np.lexsort((-spans.end, spans.start, spans.scope))


def _overlaps(spans: Spans, level: Ints) -> Bools:
    """Which spans begin before an earlier one of their scope and level has ended."""
    order = np.lexsort((spans.start, spans.scope, level))
    width = int(spans.end.max(initial=0)) + 1
    block = level[order] * (int(spans.scope.max(initial=0)) + 1) + spans.scope[order]
    start, end = spans.start[order] + block * width, spans.end[order] + block * width
    overlaps = np.zeros(len(spans), dtype=np.bool_)
    overlaps[1:] = start[1:] < np.maximum.accumulate(end)[:-1]
    return overlaps


def _first_free(ordered: Spans) -> Ints:
    """For spans by scope and start, the lowest level that is free where each one begins.

    A loop, because each span's level depends on those before it.
    """
    found, ends, scope_before = [], list[int](), -1
    for scope, start, end in zip(ordered.scope.tolist(), ordered.start.tolist(), ordered.end.tolist(), strict=True):
        if scope != scope_before:
            ends, scope_before = [], scope
        level = next((level for level, behind in enumerate(ends) if behind <= start), len(ends))
        ends[level : level + 1] = [end]
        found.append(level)
    return ints(found)


# == text/trees.py: What makes heads a tree: one root, and a way to it from ever


def roots(head: Ints, bounds: Ints) -> Ints:
    """How many roots each sentence has."""
    before = np.append(0, np.cumsum(head == 0))
    counted: Ints = before[bounds[1:]] - before[bounds[:-1]]
    return counted


def heads_in_text(head: Ints, bounds: Ints) -> Ints:
    """The head of each word by its place in the whole text; -1 for roots."""
    first = np.repeat(bounds[:-1], np.diff(bounds))
    return np.where(head > 0, first + head - 1, -1)


def without_root(head: Ints, bounds: Ints) -> Bools:
    """Which words no root stands above, as they are in a cycle or below one.

    Every word looks at the word above it, then at the one that this one looks at, and so on: twice as far each time,
    so that the deepest tree takes few steps.
    """
    up = np.append(heads_in_text(head, bounds), -1)
    far, longest = 1, int(np.diff(bounds).max(initial=0))
    while far < longest and (up >= 0).any():
        up = up[up]
        far *= 2
    return up[:-1] >= 0


def cycle_of(word: int, head: Ints) -> list[int]:
    """The words of the cycle that a word is in or below, in one sentence; words count from 1."""
    for _ in range(len(head)):
        word = int(head[word - 1])
    found = [word]
    while head[found[-1] - 1] != word:
        found.append(int(head[found[-1] - 1]))
    return sorted(found)


# == text/enhanced.py: Enhanced dependencies, as files of words have them: the laye


DEPS, COLLAPSED = "deps", "enhanced"
"""The layers with the edges of words, as they stand and without empty nodes."""
NO_EDGES = "_"


def has_edges(cells: object) -> bool:
    """Whether most words of a layer have enhanced dependencies."""
    if not isinstance(cells, Tags) or not len(cells):
        return False
    code = cells.code
    without = [place for place, name in enumerate(cells.names) if name == NO_EDGES]
    return bool(np.count_nonzero(np.isin(code, without)) * 2 < len(code))
