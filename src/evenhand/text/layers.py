"""What one annotator put on a text: tags and spans, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints, concatenate, zeros
from evenhand.text.labels import Vocabulary


@dataclass(frozen=True)
class Tags:
    """A tag a token, as the file spells it; `names[code[i]]` is the tag of token i."""

    code: Ints
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.code)

    def to_list(self) -> list[str]:
        return [self.names[code] for code in self.code.tolist()]

    def cut(self, size: int) -> tuple[Tags, Tags]:
        """The first tags, and the rest."""
        return Tags(self.code[:size], self.names), Tags(self.code[size:], self.names)

    @staticmethod
    def concatenate(parts: Sequence[Tags]) -> Tags:
        """Tags of successive batches, whose names are those of the last one: a reader's table of tags only grows."""
        return parts[0] if len(parts) == 1 else Tags(np.concatenate([part.code for part in parts]), parts[-1].names)


@dataclass(frozen=True)
class Spans:
    """Labeled spans in the order of their file: columns of equal length.

    A span covers the tokens [start, end), counted from the first token of its scope (its sentence, or its document
    where a file has no sentences). Spans may nest, cross and repeat. `level` is the column or the place in a stack
    of tags that it comes from; `shape` is the code of the tokens it leaves out (0: none).
    """

    vocabulary: Vocabulary
    scope: Ints
    start: Ints
    end: Ints
    label: Ints
    level: Ints
    shape: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | slice) -> Spans:
        columns = (self.scope, self.start, self.end, self.label, self.level, self.shape)
        return Spans(self.vocabulary, *(column[rows] for column in columns))

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
        )

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
        return Spans(
            first,
            np.concatenate([part.scope + shift for part, shift in zip(parts, scopes, strict=True)]),
            *(
                concatenate([getattr(part, column) for part in parts])
                for column in ("start", "end", "label", "level", "shape")
            ),
        )


def by_level(spans: Spans, levels: int) -> Spans:
    """Spans whose scopes are split by level, so that nothing matches across levels."""
    return replace(spans, scope=spans.scope * levels + spans.level)
