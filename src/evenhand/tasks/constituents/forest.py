"""Some sentences of one side, as columns, and which of their words and brackets a parameter file leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.problems import InputError, counted
from evenhand.tasks.constituents.rules import Rules
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.codes import Coder
from evenhand.text.constituent_names import LAYER, TAGS
from evenhand.text.constituents import Constituents, joined
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import Tokens

_SAME_SENTENCES = "give a line for each sentence in all files; an empty one where there is no tree"


@dataclass(frozen=True)
class Forest:
    """Sentences with their words, tags and brackets."""

    source: str
    tokens: Tokens
    bounds: Ints
    """The first word of each sentence, and the end of the last one."""
    tag: Ints
    """The tag of each word, as a code that all sides share."""
    layer: Constituents

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def brackets(self) -> Spans:
        return self.layer.brackets

    @cached_property
    def sentence_of(self) -> Ints:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def place(self, sentence: int) -> str:
        """Where a sentence is: file and line; empty where there are no lines."""
        line = int(self.layer.lines[sentence])
        return f"{self.source}:{line}" if line else ""

    def slice(self, begin: int, end: int) -> Forest:
        first, last = int(self.bounds[begin]), int(self.bounds[end])
        bounds = self.bounds[begin : end + 1] - first
        words = self.tokens.slice(first, last)
        return Forest(self.source, words, bounds, self.tag[first:last], self.layer.slice(begin, end))

    @staticmethod
    def of(annotation: Annotation, vocabulary: Vocabulary) -> Forest:
        corpus, layer, tags = annotation.corpus, annotation.layers.get(LAYER), annotation.layers.get(TAGS)
        if not isinstance(layer, Constituents) or not isinstance(tags, Tags):
            raise InputError(corpus.source, None, "has no bracketed trees", "give files that have some")
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        shared = Constituents(layer.brackets.into(vocabulary), layer.lines, layer.problems)
        return Forest(corpus.source, corpus.tokens, corpus.bounds, tags.coded(vocabulary.columns[TAGS]), shared)

    @staticmethod
    def concatenate(parts: Sequence[Forest]) -> Forest:
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(part.bounds[-1] for part in parts)])
        starts = [part.bounds[:-1] + shift for part, shift in zip(parts, before, strict=False)]
        return Forest(
            parts[0].source,
            Tokens.concatenate([part.tokens for part in parts]),
            np.append(np.concatenate(starts), before[-1]),
            np.concatenate([part.tag for part in parts]),
            joined([part.layer for part in parts]),
        )


class ForestFeed:
    """Hands out a system's sentences, as many as the gold standard has in a batch."""

    def __init__(self, stream: Iterator[Annotation], vocabulary: Vocabulary) -> None:
        self._stream, self._vocabulary = stream, vocabulary
        self._waiting: Forest | None = None
        self._taken, self._source = 0, ""
        self.reading: Reading | None = None

    def take(self, gold: Forest) -> Forest:
        """The next sentences, one for each of the gold standard's."""
        parts, size = list[Forest](), len(gold)
        while size:
            forest = self._next()
            if forest is None:
                finding = f"the file ends after {counted(self._taken, 'sentence')}, and the gold standard goes on"
                raise InputError(self._source, None, finding, _SAME_SENTENCES, "text")
            part = forest if len(forest) <= size else forest.slice(0, size)
            self._waiting = None if part is forest else forest.slice(size, len(forest))
            parts.append(part)
            size -= len(part)
            self._taken += len(part)
        return Forest.concatenate(parts) if parts else gold.slice(0, 0)

    def finish(self) -> None:
        """At the end: nothing may be left but empty lines."""
        while (forest := self._next()) is not None:
            full = np.flatnonzero(np.diff(forest.bounds))
            left = full[:1].tolist() or list(forest.layer.problems)[:1]
            if left:
                line = int(forest.layer.lines[left[0]]) or None
                finding = f"the gold standard ends after {counted(self._taken, 'sentence')}, before this one"
                raise InputError(forest.source, line, finding, _SAME_SENTENCES, "text")
            self._waiting = None

    def _next(self) -> Forest | None:
        """What is waiting, or the next batch."""
        if self._waiting is not None:
            return self._waiting
        batch = next(self._stream, None)
        if batch is None:
            return None
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        self._source = batch.corpus.source
        return Forest.of(batch, self._vocabulary)


class Table:
    """Some property of names, by their codes; names may become more, but keep their codes."""

    def __init__(self, names: Sequence[str], value: Callable[[str], int]) -> None:
        self._names, self._value, self._values = names, value, list[int]()

    def __call__(self, codes: Ints) -> Ints:
        self._values += map(self._value, self._names[len(self._values) :])
        return ints(self._values)[codes] if len(codes) else codes


class Selection:
    """What rules say of tags and labels, by their codes."""

    def __init__(self, rules: Rules, tags: Coder, vocabulary: Vocabulary) -> None:
        self.rules, self.tag_names, labels = rules, tags.names, vocabulary.labels
        same, classes = rules.label_class(), dict[str, int]()
        gone = set(map(same, rules.deleted))

        def number(name: str) -> int:
            return classes.setdefault(same(name), len(classes))

        self._deleted_tag = Table(tags.names, lambda name: name in rules.deleted)
        self._uncounted_tag = Table(tags.names, lambda name: name in rules.uncounted)
        self._quote_tag = Table(tags.names, lambda name: name in rules.quotes)
        self.tag_class = Table(tags.names, number)
        self.label_class = Table(labels.values, number)
        self._deleted_label = Table(labels.values, lambda name: same(name) in gone)

    def keeps_words(self, forest: Forest) -> Bools:
        """Which words are looked at."""
        found: Bools = self._deleted_tag(forest.tag) == 0
        return found

    def lengths(self, forest: Forest) -> Ints:
        """How many words of each sentence count for its length."""
        counted = self._uncounted_tag(forest.tag) == 0
        return np.bincount(forest.sentence_of[counted], minlength=len(forest))

    def keeps_brackets(self, brackets: Spans) -> Bools:
        """Which brackets are looked at, by their labels."""
        found: Bools = self._deleted_label(brackets.label) == 0
        return found

    def quotes(self, forest: Forest, sentence: int) -> Ints:
        """The words of a sentence that may be quotation marks."""
        first, last = forest.bounds[sentence : sentence + 2].tolist()
        words = first + np.flatnonzero(self._quote_tag(forest.tag[first:last]))
        return ints([word for word in words.tolist() if forest.tokens[word] in _QUOTES])


_QUOTES = ("'", '"', "/")
