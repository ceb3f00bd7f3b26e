"""Aligned parts: the gold standard and all systems, read in step, and cut after the same sentence.

A large input is evaluated part by part, and the counts of parts add up. A part ends after a sentence of the gold
standard after which every system begins a new sentence, too, so nothing crosses its end, and no figure depends on where
parts end. Usually that is the end of a block of the gold file. If a system has no sentence end there, the part ends
earlier, and the remaining sentences wait for the next part.

Each system is read by a `Follower`, which knows how its text is aligned with the gold standard's: by tokens
(`alignment.spans`), words (`alignment.words`), documents (`alignment.mentions`, `alignment.links`) and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.alignment.documents import AlignmentIssues
from evenhand.arrays import Bools
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.dataclass import dataclass

if TYPE_CHECKING:
    from evenhand.grounding.grounder import GroundingCounts

Batches = Sequence[Annotation]
"""Consecutive annotations of the gold standard: blocks of a file, or small files."""


def first_sentences(batches: Batches) -> list[int]:
    """The number of sentences before each batch."""
    return list(accumulate((batch.corpus.sentences for batch in batches[:-1]), initial=0))


class Follower:
    """Reads a system in step with the gold standard."""

    reading: ReadInfo | None = None
    """How its files were read."""
    breaks_differ = False
    """Whether its sentences differ from the gold standard's."""
    issues: AlignmentIssues | None = None
    """Documents and words that do not match."""
    grounding: GroundingCounts | None = None
    """How the strings of a language model were placed."""

    def follow(self, gold: Batches, *, is_last: bool) -> Bools | None:
        """Read as far as the gold standard has been read, and raise an error where the texts differ.

        Return after which sentences of `gold` a part may end; None: after any. `is_last`: the gold standard is known to
        end here. If it ends where a part has ended, only `finish` is called.
        """
        return None

    def take(self, gold: Batches) -> Any:
        """The annotation of the next sentences, which are these of the gold standard."""
        raise NotImplementedError

    def finish(self) -> None:
        """Called after the last part; raise an error if the system continues."""


@dataclass
class Alignment:
    """The inputs of an evaluation, opened and ready to be read in step."""

    gold: Iterator[Annotation]
    followers: Mapping[str, Follower]
    is_full: Callable[[Batches], bool] = lambda batches: True
    """Whether a part may end; a part of several batches saves calls if these are small."""
    whole_documents: bool = False
    """Whether a part must not end inside a document."""
    by_position: bool = False
    """Whether words are compared by position because one side has no word forms."""
    ends_apart: bool = False
    """Whether the sides end with different words, so the following words could change their alignment."""
    document_files: Mapping[str, str] = field(default_factory=dict)
    """Named documents, and the file of each, if documents are matched by name."""
    texts_are_documents: bool = False
    """Whether strings are compared by document, not by sentence."""

    def parts(self) -> Iterator[tuple[Batches, dict[str, Any]]]:
        """Batches of the gold standard, and what each system has there."""
        gold = whole_documents(self.gold) if self.whole_documents else self.gold
        waiting: list[Annotation] = []
        patience = 1
        for batch in gold:
            waiting.append(batch)
            if len(waiting) < patience or not self.is_full(waiting):
                continue
            sentences = self._sentences(waiting)
            if not sentences:
                patience = 2 * len(waiting)  # so the time is linear, even if the sides never end a sentence together
                continue
            taken, waiting = _cut(waiting, sentences)
            patience = 1
            yield taken, self._taken(taken)
            del taken, batch  # so they are freed before the next ones are read
        if waiting:
            self._sentences(waiting, is_last=True)
            yield waiting, self._taken(waiting)
        for follower in self.followers.values():
            follower.finish()

    def _taken(self, gold: Batches) -> dict[str, Any]:
        return {name: follower.take(gold) for name, follower in self.followers.items()}

    def _sentences(self, waiting: Batches, *, is_last: bool = False) -> int:
        """The number of sentences in the longest part that may end here; `is_last`: the gold standard ends here."""
        may_end: Bools | None = None
        for follower in self.followers.values():
            ends = follower.follow(waiting, is_last=is_last)
            if ends is not None:
                may_end = ends if may_end is None else may_end & ends
        size = sum(batch.corpus.sentences for batch in waiting)
        self.ends_apart = is_last and may_end is not None and not may_end[-1:].all()
        if may_end is None or is_last or may_end[-1]:
            return size
        if self.whole_documents:
            may_end &= _document_ends(waiting)
        shared = np.flatnonzero(may_end)
        return int(shared[-1]) + 1 if len(shared) else 0


def whole_documents(batches: Iterator[Annotation]) -> Iterator[Annotation]:
    """Join batches that share a document, so each document is in one batch."""
    joined: list[Annotation] = []
    for batch in batches:
        if joined and not batch.corpus.continues:
            yield Annotation.concatenate(joined)
            joined = []
        joined.append(batch)
    if joined:
        yield Annotation.concatenate(joined)


def _document_ends(batches: Batches) -> Bools:
    """After which sentences of batches with whole documents one ends."""
    ends = []
    for batch in batches:
        corpus = batch.corpus
        starts = np.zeros(corpus.sentences + 1, dtype=np.bool_)
        starts[corpus.documents] = starts[-1] = True
        ends.append(starts[1:])
    return np.concatenate(ends)


def _cut(batches: Batches, sentences: int) -> tuple[list[Annotation], list[Annotation]]:
    """Divide batches after a number of sentences."""
    before, after = list[Annotation](), list[Annotation]()
    for batch in batches:
        size = batch.corpus.sentences
        if sentences >= size and not after:
            before.append(batch)
        elif sentences <= 0:
            after.append(batch)
        else:
            before.append(batch.within(0, sentences))
            after.append(_without_counts(batch.within(sentences, size)))
        sentences -= size
    return before, after


def _without_counts(batch: Annotation) -> Annotation:
    """The second piece of a batch; repairs and other findings of its reader are counted with the first one."""
    readings = {
        name: replace(reading, repaired=0, repeated=0, merged=0, skipped={}, kept={})
        for name, reading in batch.readings.items()
    }
    return replace(batch, readings=readings)
