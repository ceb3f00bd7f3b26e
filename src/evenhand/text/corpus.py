"""The text that everybody annotated: documents, sentences, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, empty, ints
from evenhand.text.tokens import Tokens


@dataclass(frozen=True)
class Corpus:
    """A text, or the part of it that one batch holds.

    `bounds` says where sentences begin, in tokens, with the end of the last one behind; it is None where a file
    names sentences but not their lengths (span tables). `tokens` is None where a file has tags only. `lines` gives
    the line of each token or, without `bounds`, of each sentence, counted from `first_line`; it is empty for text that
    comes from no file.
    """

    source: str
    sentences: int
    bounds: Ints | None = None
    tokens: Tokens | None = None
    lines: Ints = field(default_factory=empty)
    first_line: int = 0
    documents: Ints = field(default_factory=lambda: ints([0]))
    """The first sentence of each document."""
    continues: bool = False
    """Whether the first document is the last one of the batch before."""

    @cached_property
    def token_count(self) -> int | None:
        return None if self.bounds is None else int(self.bounds[-1])

    @cached_property
    def lengths(self) -> Ints | None:
        """The number of tokens of each sentence."""
        return None if self.bounds is None else np.diff(self.bounds)

    def document_of(self, sentence: Ints) -> Ints:
        return np.searchsorted(self.documents, sentence, side="right") - 1

    def line(self, index: int) -> int | None:
        """The line of a token (of a sentence, where token positions are unknown)."""
        return self.first_line + int(self.lines[index]) if index < len(self.lines) else None

    @staticmethod
    def concatenate(parts: Sequence[Corpus]) -> Corpus:
        """Batches of one file, joined in their order."""
        if len(parts) == 1:
            return parts[0]
        first_sentence = np.cumsum([0, *(part.sentences for part in parts)])
        documents = [part.documents[int(part.continues and i > 0) :] for i, part in enumerate(parts)]
        all_bounds = [part.bounds for part in parts if part.bounds is not None]
        all_tokens = [part.tokens for part in parts if part.tokens is not None]
        return Corpus(
            source=parts[0].source,
            sentences=int(first_sentence[-1]),
            bounds=_join_bounds(all_bounds) if len(all_bounds) == len(parts) else None,
            tokens=Tokens.concatenate(all_tokens) if len(all_tokens) == len(parts) else None,
            lines=np.concatenate([part.lines + part.first_line for part in parts]),
            documents=np.concatenate(
                [starts + shift for starts, shift in zip(documents, first_sentence, strict=False)]
            ),
            continues=parts[0].continues,
        )


def _join_bounds(parts: Sequence[Ints]) -> Ints:
    before = np.cumsum([0, *(part[-1] for part in parts)])
    joined = [part[:-1] + shift for part, shift in zip(parts, before, strict=False)]
    return np.concatenate([*joined, before[-1:]])
