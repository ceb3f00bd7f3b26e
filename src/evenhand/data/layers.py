"""Layers of an annotation as columns: tags, trees and spans; nesting levels; validity of trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Values, complement, concatenate, ints, take, zeros
from evenhand.data.tokens import Joined, Tokens
from evenhand.data.vocabulary import SparseCodes, StringCoder, Vocabulary
from evenhand.dataclass import dataclass

FEATURES = "feats"
DEPS, COLLAPSED = "deps", "enhanced"
"""The layers of enhanced dependencies: as in the file, and with empty nodes collapsed."""
NO_EDGES = "_"


@dataclass(frozen=True)
class Tags:
    """One tag per token, spelled as in the file; `names[code[i]]` is the tag of token i."""

    code: Ints
    names: tuple[str, ...]
    score: Values | None = None
    """The confidence of each tag, NaN without one; None if no tag has one."""

    def __len__(self) -> int:
        return len(self.code)

    def to_list(self) -> list[str]:
        return [self.names[code] for code in self.code.tolist()]

    def slice(self, begin: int, end: int) -> Tags:
        return Tags(self.code[begin:end], self.names, None if self.score is None else self.score[begin:end])

    def with_score(self, score: Values | None) -> Tags:
        """Return the same tags with these confidences."""
        return self if score is self.score else Tags(self.code, self.names, score)

    def coded(self, coder: StringCoder) -> Ints:
        """Return the tags as codes of a coder that all sides share."""
        return coder(Tokens.of(self.names))[self.code]

    @staticmethod
    def concatenate(parts: Sequence[Tags], joined: Joined | None = None) -> Tags:
        """Concatenate tags of batches of one file. The longest table of names is complete, as a reader's only grows.

        Undecoded columns stay undecoded; for `joined` see `Tokens.concatenate`.
        """
        if len(parts) == 1:
            return parts[0]
        if any(part.score is not None for part in parts):
            plain = Tags.concatenate([part.with_score(None) for part in parts], joined)
            return plain.with_score(join_scores([(part.score, len(part)) for part in parts]))
        columns = [part for part in parts if isinstance(part, TagColumn)]
        if len(columns) == len(parts):
            return columns[0].with_cells(Tokens.concatenate([part.cells for part in columns], joined))
        sparse = [part.mostly for part in parts if isinstance(part, SparseTags)]
        if len(sparse) == len(parts) and len({codes.common for codes in sparse}) == 1:
            return SparseTags(SparseCodes.concatenate(sparse), max((part.names for part in parts), key=len))
        code = np.concatenate([part.code for part in parts])  # which may be decoded only now, and add names
        return Tags(code, max((part.names for part in parts), key=len))


class SparseTags(Tags):
    """Tags most of which are equal; the full column is computed on first use."""

    mostly: SparseCodes

    def __init__(self, mostly: SparseCodes, names: tuple[str, ...], score: Values | None = None) -> None:
        object.__setattr__(self, "mostly", mostly)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "score", score)

    def __len__(self) -> int:
        return self.mostly.size

    @cached_property
    def code(self) -> Ints:
        return self.mostly.column()

    def slice(self, begin: int, end: int) -> SparseTags:
        score = None if self.score is None else self.score[begin:end]
        return SparseTags(self.mostly.slice(begin, min(end, len(self))), self.names, score)

    def with_score(self, score: Values | None) -> SparseTags:
        return self if score is self.score else SparseTags(self.mostly, self.names, score)


class TagColumn(Tags):
    """Tags as byte offsets into their file, coded on first use, because most measures use only a few columns."""

    cells: Tokens
    coder: StringCoder

    def __init__(self, cells: Tokens, coder: StringCoder, score: Values | None = None) -> None:
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "coder", coder)
        object.__setattr__(self, "score", score)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def code(self) -> Ints:
        return self.coder(self.cells)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.coder.names)

    def with_cells(self, cells: Tokens) -> TagColumn:
        return type(self)(cells, self.coder)

    def slice(self, begin: int, end: int) -> TagColumn:
        score = None if self.score is None else self.score[begin:end]
        return self.with_cells(self.cells.slice(begin, end)).with_score(score)

    def with_score(self, score: Values | None) -> TagColumn:
        return self if score is self.score else type(self)(self.cells, self.coder, score)

    def coded(self, coder: StringCoder) -> Ints:
        return self.code if coder is self.coder else coder(self.cells)


class FeatureSets(TagColumn):
    """The features of words (FEATS): sets, regardless of the order in the file."""


@dataclass(frozen=True)
class Trees:
    """One head and one relation per word."""

    head: Ints
    """The number of the head in its sentence: 1 for the first word, 0 for the root."""
    relation: Tags

    def __len__(self) -> int:
        return len(self.head)

    def slice(self, begin: int, end: int) -> Trees:
        return Trees(self.head[begin:end], self.relation.slice(begin, end))


@dataclass(frozen=True)
class Spans:
    """Labeled spans in the order of their file, as columns of equal length. Spans may nest, cross and repeat."""

    vocabulary: Vocabulary
    scope: Ints
    """The sentence, or the document if a file has no sentences."""
    start: Ints
    """The first position, counted from the beginning of the scope."""
    end: Ints
    label: Ints
    level: Ints
    """The column of tags, or the level in a stack of tags."""
    shape: Ints
    """The code of the positions that the span leaves out (0: none)."""
    extra: Ints | None = None
    """The code of additional data of a task (0: none)."""
    score: Values | None = None
    """The confidence of each span, NaN without one; None if no span has one."""

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | slice) -> Spans:
        columns = (self.scope, self.start, self.end, self.label, self.level, self.shape)
        scope, start, end, label, level, shape = (take(column, rows) for column in columns)
        extra = None if self.extra is None else take(self.extra, rows)
        score = None if self.score is None else take(self.score, rows)
        return Spans(self.vocabulary, scope, start, end, label, level, shape, extra, score)

    def without(self, rows: Ints) -> Spans:
        return self.take(complement(len(self), rows))

    def token_sets(self) -> list[set[int]]:
        """Return the positions of each span in its scope."""
        tokens = [set(range(start, end)) for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)]
        for row in np.flatnonzero(self.shape).tolist():
            start = int(self.start[row])
            tokens[row].difference_update(start + gap for gap in self.vocabulary.shapes[int(self.shape[row])])
        return tokens

    def into(self, vocabulary: Vocabulary) -> Spans:
        """Return the same spans with the codes of another vocabulary."""
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
        """Return spans in one scope, counted from the beginning of the text, given the first token of each scope."""
        shift = first[self.scope]
        return replace(self, scope=np.zeros_like(shift), start=self.start + shift, end=self.end + shift)

    def in_scopes(self, scope: Ints, first: Ints) -> Spans:
        """Return spans of one text in these scopes; the inverse of `in_text`."""
        shift = first[scope]
        return replace(self, scope=scope, start=self.start - shift, end=self.end - shift)

    def shifted(self, scopes: int) -> Spans:
        """Return the same spans with a number added to their scopes."""
        return replace(self, scope=self.scope + scopes) if scopes else self

    def relabel(self, new: Ints) -> Spans:
        """Return spans with the label `new[label]`, without those whose new label is negative."""
        label = new[self.label] if len(self) else self.label
        changed = replace(self, label=label)
        return changed if (label >= 0).all() else changed.take(np.flatnonzero(label >= 0))

    def rows(self) -> list[tuple[str, int, int, int]]:
        """Return (label, scope, start, end) of every span."""
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
        """Return spans, by default on level 0 and without gaps."""
        level, shape = (zeros(len(start)) if column is None else column for column in (level, shape))
        return Spans(vocabulary, scope, start, end, label, level, shape)

    @staticmethod
    def concatenate(parts: Sequence[Spans], scopes: Sequence[int]) -> Spans:
        """Concatenate spans; `scopes[i]` is added to the scopes of part i."""
        if len(parts) == 1 and scopes[0] == 0:
            return parts[0]
        first = parts[0].vocabulary
        parts = [part.into(first) for part in parts]
        start, end, label, level, shape = (
            concatenate([getattr(part, column) for part in parts])
            for column in ("start", "end", "label", "level", "shape")
        )
        scope = np.concatenate([part.scope + shift for part, shift in zip(parts, scopes, strict=True)])
        score = join_scores([(part.score, len(part)) for part in parts])
        joined = Spans(first, scope, start, end, label, level, shape, score=score)
        if all(part.extra is None for part in parts):
            return joined
        extras = [zeros(len(part)) if part.extra is None else part.extra for part in parts]
        return replace(joined, extra=concatenate(extras))


_SCORE_KEYS = ("score", "confidence", "probability", "prob", "confidencescore")
"""The fields of confidences by precedence, in lower case without separators."""


def score_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of a unit whose names are usual for a confidence, in order of precedence."""
    names = ((key, key.lower().replace("_", "")) for key in keys)
    ranked = [(_SCORE_KEYS.index(name), key) for key, name in names if name in _SCORE_KEYS]
    return tuple(key for _, key in sorted(ranked))


def join_scores(parts: Sequence[tuple[Values | None, int]]) -> Values | None:
    """Concatenate confidences, given with the sizes of their layers; None if no part has any."""
    if all(score is None for score, _ in parts):
        return None
    return np.concatenate([np.full(size, np.nan) if score is None else score for score, size in parts])


def by_level(spans: Spans, levels: int) -> Spans:
    """Return spans with one scope per level, so nothing matches across levels."""
    return replace(spans, scope=spans.scope * levels + spans.level)


def flat_levels(spans: Spans) -> Spans:
    """Return the spans on levels without overlaps: unchanged if there are none, otherwise outer spans first."""
    if not _overlaps(spans, spans.level).any():
        return spans
    order = _outermost_first(spans)
    level = np.empty(len(spans), dtype=np.int64)
    level[order] = _first_free(spans.take(order))
    return replace(spans, level=level)


def outermost(spans: Spans) -> Ints:
    """Return the rows of spans that fit into one level: from left to right, the longest at each position."""
    order = _outermost_first(spans)
    return np.sort(order[_first_free(spans.take(order)) == 0])


def is_flat(spans: Spans) -> bool:
    """Whether no two spans overlap."""
    return not _overlaps(spans, np.zeros(len(spans), dtype=np.int64)).any()


def neighbours(spans: Spans) -> int:
    """Return the number of spans that begin where another span of the same label and level ends."""
    order = np.lexsort((spans.start, spans.level, spans.scope))
    scope, level, label = spans.scope[order], spans.level[order], spans.label[order]
    same = (np.diff(scope) == 0) & (np.diff(level) == 0) & (np.diff(label) == 0)
    return int(np.count_nonzero(same & (spans.start[order][1:] == spans.end[order][:-1])))


def _outermost_first(spans: Spans) -> Ints:
    """Order by scope, start and decreasing length; ties keep the order of the input."""
    return np.lexsort((-spans.end, spans.start, spans.scope))


def _overlaps(spans: Spans, level: Ints) -> Bools:
    """Return which spans begin before the end of an earlier span of their scope and level."""
    order = np.lexsort((spans.start, spans.scope, level))
    width = int(spans.end.max(initial=0)) + 1
    block = level[order] * (int(spans.scope.max(initial=0)) + 1) + spans.scope[order]
    start, end = spans.start[order] + block * width, spans.end[order] + block * width
    overlaps = np.zeros(len(spans), dtype=np.bool_)
    overlaps[1:] = start[1:] < np.maximum.accumulate(end)[:-1]
    return overlaps


def _first_free(ordered: Spans) -> Ints:
    """Return the lowest free level of each span, for spans sorted by scope and start.

    This is a loop because a span's level depends on the preceding spans.
    """
    levels, ends, scope_before = [], list[int](), -1
    for scope, start, end in zip(ordered.scope.tolist(), ordered.start.tolist(), ordered.end.tolist(), strict=True):
        if scope != scope_before:
            ends, scope_before = [], scope
        level = next((level for level, stop in enumerate(ends) if stop <= start), len(ends))
        ends[level : level + 1] = [end]
        levels.append(level)
    return ints(levels)


def roots(head: Ints, bounds: Ints) -> Ints:
    """Return the number of roots of each sentence."""
    return np.diff(np.append(0, np.cumsum(head == 0))[bounds])


def heads_in_text(head: Ints, bounds: Ints) -> Ints:
    """Return the head of each word as an index into the whole text; -1 for roots."""
    return np.where(head > 0, np.repeat(bounds[:-1], np.diff(bounds)) + head - 1, -1)


def without_root(head: Ints, bounds: Ints) -> Bools:
    """Return which words have no root above them because they are in a cycle or below one.

    Every step doubles the distance to the ancestor that a word points to, so the deepest tree takes few steps.
    """
    up = np.append(heads_in_text(head, bounds), -1)
    far, longest = 1, int(np.diff(bounds).max(initial=0))
    while far < longest and (up >= 0).any():
        up = up[up]
        far *= 2
    return up[:-1] >= 0


def cycle_of(word: int, head: Ints) -> list[int]:
    """Return the words of the cycle that contains a word or is above it, in one sentence; words count from 1."""
    for _ in range(len(head)):
        word = int(head[word - 1])
    cycle = [word]
    while head[cycle[-1] - 1] != word:
        cycle.append(int(head[cycle[-1] - 1]))
    return sorted(cycle)


def is_underscore(tags: Tags) -> Bools:
    """Which words have no value: an underscore."""
    if isinstance(tags, TagColumn):
        cells = tags.cells
        first = np.frombuffer(cells.data, dtype=np.uint8)[cells.start]
        underscore: Bools = (first == ord("_")) & (cells.end - cells.start == 1)
        return underscore
    code = tags.code  # read before the names, which are complete only when all cells are coded
    return np.array([name == "_" for name in tags.names], dtype=np.bool_)[code]


def has_values(layer: object) -> bool:
    """Whether a layer has a value for at least one word. Usually the first word shows it."""
    if not isinstance(layer, Tags) or not len(layer):
        return False
    return not is_underscore(layer.slice(0, 1))[0] or not is_underscore(layer).all()


def has_edges(cells: object) -> bool:
    """Whether most words of a layer have enhanced dependencies."""
    if not isinstance(cells, Tags) or not len(cells):
        return False
    code = cells.code
    without = [index for index, name in enumerate(cells.names) if name == NO_EDGES]
    return bool(np.count_nonzero(np.isin(code, without)) * 2 < len(code))
