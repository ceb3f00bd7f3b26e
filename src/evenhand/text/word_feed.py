"""A system's words in step with the gold standard's, whatever the sizes of their batches.

Both are handed out up to the end of a sentence that ends on both sides with the same word in no multi-word token, or
on both with a multi-word token. The alignment always comes to such an end on both sides at once, so that what stands
before can be aligned and judged for itself, and no number depends on where files are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bytes, Ints, zeros
from evenhand.dataclass import dataclass
from evenhand.problems import InputError, counted
from evenhand.settings import Align
from evenhand.text.align_words import Rows, align_words
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.same_text import SAME_SENTENCES, SAME_TEXT, SAME_TOKENS
from evenhand.text.tokens import first_difference
from evenhand.text.unequal import other_length
from evenhand.text.words import Words, by_characters, by_position, surface

_NOTHING = np.zeros(0, dtype=np.uint8)
_LENGTH_BITS = 20


@dataclass(frozen=True)
class Aligned:
    """Some text of the gold standard and of a system, and which of their words are the same."""

    gold: Words
    system: Words
    rows: Rows

    def heads_in_gold(self, head: Ints) -> Ints:
        """Heads, which are words of the system (-1: root), as words of the gold standard; -2 where it has none."""
        mine, theirs = self.rows
        gold_of = np.full(len(self.system) + 1, -2)
        gold_of[theirs], gold_of[-1] = mine, -1
        found: Ints = gold_of[head]
        return found


class WaitingWords:
    """The words of one side that wait for the other."""

    def __init__(self, layers: Collection[str], *, by_position: bool) -> None:
        """Of the annotation, only some layers are kept."""
        self.waiting: list[Words] = []
        self.text = _NOTHING
        """The characters that were not compared yet."""
        self.end = 0
        """How much was met so far."""
        self._layers, self._by_position = layers, by_position

    def read(self, batch: Annotation, groups: Ints) -> tuple[Words, Bytes]:
        """Add a batch: its words, and its characters, if these count."""
        layers = {name: layer for name, layer in batch.layers.items() if name in self._layers}
        annotation = replace(batch, corpus=replace(batch.corpus, asides=None), layers=layers)
        if self._by_position:
            words, text = by_position(annotation, self.end, groups), _NOTHING
        else:
            words, text = by_characters(annotation, self.end, groups)
        self.add(words, text)
        return words, text

    def add(self, words: Words, text: Bytes) -> None:
        self.waiting.append(words)
        self.text = np.concatenate((self.text, text)) if len(self.text) else text
        self.end = int(words.end[-1]) if len(words.end) else self.end

    def drain(self) -> tuple[Words, Bytes]:
        """All that waits, and its characters."""
        words, text = Words.join(self.waiting), self.text
        self.waiting, self.text = [], _NOTHING
        return words, text

    @property
    def sentence_ends(self) -> Ints:
        return np.concatenate([words.sentence_end for words in self.waiting])

    @property
    def meeting_points(self) -> Ints:
        """Where sentences end, with the length of the last word (0 in a multi-word token) in the lower bits."""
        found = []
        for words in self.waiting:
            last = words.bounds[1:] - 1
            length = np.minimum(words.end[last] - words.start[last], (1 << _LENGTH_BITS) - 1)
            found.append((words.end[last] << _LENGTH_BITS) | np.where(words.in_multiword[last], 0, length))
        return np.concatenate(found)

    def take(self, end: int) -> Words:
        """What waits and ends here or before."""
        taken = []
        while self.waiting and self.waiting[0].start[0] < end:
            words = self.waiting.pop(0)
            before, behind = words.cut(int(np.searchsorted(words.sentence_end, end, side="right")))
            taken.append(before)
            if behind is not None:
                self.waiting.insert(0, behind)
        return Words.join(taken)

    def word_at(self, place: int) -> tuple[Words, int]:
        """The word that waits and covers a place in the text, with the words beside it."""
        words = next(words for words in self.waiting if place < words.end[-1])
        return words, int(np.searchsorted(words.end, place, side="right"))


class WordFeed:
    """A system's batches, handed out beside those of the gold standard."""

    def __init__(
        self, batches: Iterator[Annotation], align: Align, layers: Collection[str], *, by_position: bool
    ) -> None:
        """With `by_position` words are counted and not looked at, and sentences must have the same lengths."""
        self.reading: Reading | None = None
        self._batches, self._align, self._by_position = batches, align, by_position
        self._gold, self._system = (WaitingWords(layers, by_position=by_position) for _ in range(2))
        self._last: Words | None = None
        self._sentences = 0
        """How many of the gold standard's were cut off."""

    def take(self, gold: Words, text: Bytes) -> Aligned | None:
        """The next words of both sides, as far as they share a sentence end; None if there is none yet."""
        shared = self.offer(gold, text)
        return self.cut(int(shared[-1])) if len(shared) else None

    def offer(self, gold: Words, text: Bytes) -> Ints:
        """Take more words of the gold standard, and as many of the system; the sentence ends where both can be cut."""
        self._gold.add(gold, text)
        while self._system.end < self._gold.end:
            if not self._read():
                self._compare()
                raise self._ends_early()
        self._compare()
        shared = np.intersect1d(self._gold.meeting_points, self._system.meeting_points, assume_unique=True)
        return shared >> _LENGTH_BITS

    def cut(self, end: int) -> Aligned:
        """The words of both sides up to a sentence end where both can be cut."""
        mine, theirs = self._gold.take(end), self._system.take(end)
        rows = align_words(mine, theirs)
        if self._align == "strict" and not self._by_position:
            _check_same(mine, theirs)
        self._last = theirs
        self._sentences += mine.corpus.sentences
        return Aligned(mine, theirs, rows)

    def finish(self) -> Aligned | None:
        """What is left at the end of the gold standard, if anything is; an error if the system goes on."""
        if self._system.end > self._gold.end or self._read():
            words, word = self._system.word_at(self._gold.end)
            finding = f"found {_named(words, word)} behind the end of the gold standard"
            raise InputError(words.corpus.source, words.corpus.line(word), finding, self._remedy, "text")
        return self.cut(self._gold.end) if self._gold.waiting else None

    @property
    def _remedy(self) -> str:
        return SAME_SENTENCES if self._by_position else SAME_TEXT

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        self._system.read(batch, zeros(batch.corpus.sentences))
        return True

    def _compare(self) -> None:
        """Raise an error at the first place where the two texts differ, or sentences by position."""
        gold, system = self._gold, self._system
        if self._by_position:
            self._compare_lengths()
            return
        size = min(len(gold.text), len(system.text))
        different = np.flatnonzero(gold.text[:size] != system.text[:size])
        if len(different):
            place = gold.end - len(gold.text) + int(different[0])
            (mine, word), (theirs, other) = gold.word_at(place), system.word_at(place)
            wanted, found = _around(mine, word), _around(theirs, other)
            finding = f"found the text {found!r} where {mine.corpus.place(word)} has {wanted!r}"
            raise InputError(theirs.corpus.source, theirs.corpus.line(other), finding, SAME_TEXT, "text")
        gold.text, system.text = gold.text[size:], system.text[size:]

    def _compare_lengths(self) -> None:
        if not self._system.waiting:
            return
        mine, theirs = self._gold.sentence_ends, self._system.sentence_ends
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            begin = int(mine[sentence - 1]) if sentence else int(self._gold.waiting[0].start[0])
            (gold, word), (system, other) = self._gold.word_at(begin), self._system.word_at(begin)
            wanted, found = mine[sentence] - begin, theirs[sentence] - begin
            finding = (
                f"this sentence has {counted(found, 'word')} where the one at {gold.corpus.place(word)} has {wanted}"
            )
            line = system.corpus.line(other)
            if line is None:
                finding = other_length(self._sentences + sentence, wanted, found, "words")
            raise InputError(system.corpus.source, line, finding, SAME_SENTENCES, "text")

    def _ends_early(self) -> InputError:
        """The error for a system that is too short."""
        words, word = self._gold.word_at(self._system.end)
        ended = self._system.waiting[-1] if self._system.waiting else self._last
        finding = f"the system ends here, but {words.corpus.place(word)} has {_named(words, word)}"
        if ended is None:  # a reader yields one batch at least, so this is an annotation without any
            return InputError("the system", None, "it is empty", self._remedy)
        return InputError(ended.corpus.source, ended.corpus.line(len(ended) - 1), finding, self._remedy, "text")


def _check_same(gold: Words, system: Words) -> None:
    """Raise an error at the first word that is not the same on both sides."""
    mine, theirs = gold.corpus.tokens, system.corpus.tokens
    assert mine is not None
    assert theirs is not None
    size = min(len(gold), len(system))
    word = first_difference(mine.slice(0, size), theirs.slice(0, size))
    if word is None and len(gold) == len(system):
        return
    if word is not None:
        finding = f"found {_named(system, word)} where {gold.corpus.place(word)} has {_named(gold, word)}"
    elif len(system) > size:
        word, finding = size, f"found {_named(system, size)}, which {gold.corpus.source} does not have"
    else:
        word, finding = size - 1, f"{_named(gold, size)} of {gold.corpus.place(size)} is missing behind this one"
    raise InputError(system.corpus.source, system.corpus.line(word), finding, SAME_TOKENS, "text")


def _named(words: Words, word: int) -> str:
    tokens = words.corpus.tokens
    return "another sentence" if tokens is None else f"the word {tokens[word]!r}"


def _around(words: Words, word: int, width: int = 2) -> str:
    """The token of a word and those beside it."""
    tokens, token_of, _ = surface(words.corpus)
    token = word if token_of is None else int(token_of[word])
    return " ".join(tokens[at] for at in range(max(token - width, 0), min(token + width + 1, len(tokens))))
