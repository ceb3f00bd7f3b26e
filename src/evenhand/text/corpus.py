"""The text that everybody annotated: documents, sentences, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values, empty, ints
from evenhand.settings import Atoms
from evenhand.text.tokens import Tokens


@dataclass(frozen=True)
class Corpus:
    """A text, or the part of it that one batch holds.

    `bounds` says where sentences begin, in tokens, with the end of the last one behind; it is None where a file
    names sentences but not their lengths (span tables). `tokens` is None where a file has tags only. `lines` gives
    the line of each token, or of each sentence, counted from `first_line`; it is empty for text from no file.
    """

    source: str
    sentences: int
    """Sentences or, in files that know none, whole texts: what is matched is matched within them."""
    bounds: Ints | None = None
    tokens: Tokens | None = None
    lines: Ints = field(default_factory=empty)
    first_line: int = 0
    atoms: Atoms = "tokens"
    """What positions count: tokens, or characters that are no spaces (`tokens` then holds these)."""
    weights: Values | None = None
    """What each token weighs, where a column says."""
    raw: Ints | None = None
    """Where the text of each sentence begins in the bytes of `tokens`, spaces and all, and where the last one ends."""
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

    @property
    def has_lines_of_sentences(self) -> bool:
        """Whether `lines` has an entry a sentence, not an entry a token."""
        return len(self.lines) == self.sentences != self.token_count

    def document_of(self, sentence: Ints) -> Ints:
        return np.searchsorted(self.documents, sentence, side="right") - 1

    def text(self, sentence: int) -> str:
        """The text of a sentence, spaces and all; where a file has tokens only, these with spaces between."""
        assert self.tokens is not None
        if self.raw is not None:
            return self.tokens.data[self.raw[sentence] : self.raw[sentence + 1]].decode()
        assert self.bounds is not None
        return " ".join(self.tokens[token] for token in range(*self.bounds[sentence : sentence + 2].tolist()))

    def line(self, index: int) -> int | None:
        """The line of a token (of a sentence, where token positions are unknown)."""
        if self.bounds is not None and self.has_lines_of_sentences:
            index = int(np.searchsorted(self.bounds, index, side="right")) - 1
        return self.first_line + int(self.lines[index]) if index < len(self.lines) else None

    @staticmethod
    def concatenate(parts: Sequence[Corpus]) -> Corpus:
        """Batches of one file, joined in their order."""
        if len(parts) == 1:
            return parts[0]
        first_sentence = np.cumsum([0, *(part.sentences for part in parts)])
        documents = [part.documents[int(part.continues and i > 0) :] for i, part in enumerate(parts)]
        all_bounds = [part.bounds for part in parts if part.bounds is not None]
        all_weights = [part.weights for part in parts if part.weights is not None]
        all_raw = [part.raw for part in parts if part.raw is not None]
        all_tokens = [part.tokens for part in parts if part.tokens is not None]
        return Corpus(
            source=parts[0].source,
            sentences=int(first_sentence[-1]),
            bounds=_join_bounds(all_bounds, [int(each[-1]) for each in all_bounds])
            if len(all_bounds) == len(parts)
            else None,
            tokens=Tokens.concatenate(all_tokens) if len(all_tokens) == len(parts) else None,
            lines=np.concatenate([part.lines + part.first_line for part in parts]),
            weights=np.concatenate(all_weights) if len(all_weights) == len(parts) else None,
            raw=_join_bounds(all_raw, [int(each[-1]) for each in all_raw]) if len(all_raw) == len(parts) else None,
            documents=np.concatenate(
                [starts + shift for starts, shift in zip(documents, first_sentence, strict=False)]
            ),
            continues=parts[0].continues,
            atoms=parts[0].atoms,
        )


def _join_bounds(parts: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """Bounds of successive parts, each of which takes so much room, counted from the first one's begin."""
    before = np.cumsum([0, *sizes[:-1]])
    joined = [part[:-1] + shift for part, shift in zip(parts, before, strict=True)]
    return np.concatenate([*joined, parts[-1][-1:] + before[-1]])
