"""Some sentences of one side, as columns, and which of their words and brackets a parameter file leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.layers import Spans, Tags
from evenhand.data.names import LAYER, TAGS
from evenhand.data.structures import Constituents, joined
from evenhand.data.tokens import Tokens, equal
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted
from evenhand.tasks.constituents.rules import Rules

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
        self.reading: ReadInfo | None = None

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


class BracketTable:
    """Some property of names, by their codes; names may become more, but keep their codes."""

    def __init__(self, names: Sequence[str], value: Callable[[str], int]) -> None:
        self._names, self._value, self._values = names, value, list[int]()

    def __call__(self, codes: Ints) -> Ints:
        self._values += map(self._value, self._names[len(self._values) :])
        return ints(self._values)[codes] if len(codes) else codes


class Selection:
    """What rules say of tags and labels, by their codes."""

    def __init__(self, rules: Rules, tags: StringCoder, vocabulary: Vocabulary) -> None:
        self.rules, self.tag_names, labels = rules, tags.names, vocabulary.labels
        same, classes = rules.label_class(), dict[str, int]()
        gone = set(map(same, rules.deleted))

        def number(name: str) -> int:
            return classes.setdefault(same(name), len(classes))

        self._deleted_tag = BracketTable(tags.names, lambda name: name in rules.deleted)
        self._uncounted_tag = BracketTable(tags.names, lambda name: name in rules.uncounted)
        self._quote_tag = BracketTable(tags.names, lambda name: name in rules.quotes)
        self.tag_class = BracketTable(tags.names, number)
        self.label_class = BracketTable(labels.values, number)
        self._deleted_label = BracketTable(labels.values, lambda name: same(name) in gone)

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


# == tasks/constituents/sentences.py: Which sentences can be scored: those whose words are the sam


VALID, ERROR, SKIP = range(3)
_QUOTED = 40


@dataclass
class Sentences:
    """The sentences of a portion: which words of both sides are looked at, and what became of each sentence."""

    gold: Forest
    system: Forest
    keep_gold: Bools
    keep_system: Bools
    status: Ints
    reasons: dict[int, str]
    """Why sentences are left out."""
    mended: list[int]
    """The sentences whose quotes were mended."""

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """The words of valid sentences that are looked at, on both sides, in pairs."""
        return (
            _rows(self.gold, self.keep_gold, self.status == VALID),
            _rows(self.system, self.keep_system, self.status == VALID),
        )

    @cached_property
    def failed(self) -> Bools:
        """The sentences that the system failed on: not valid, though the gold standard has a tree and words."""
        found: Bools = (self.status != VALID) & (_counts(self.gold, self.keep_gold) > 0)
        found[list(self.gold.layer.problems)] = False
        return found

    @property
    def valid(self) -> Bools:
        found: Bools = self.status == VALID
        return found


def compared(gold: Forest, system: Forest, selection: Selection) -> Sentences:
    """Which sentences can be scored: those whose words are the same on both sides.

    1. Words are left out whose tag is a DELETE_LABEL, as it stands.
    2. A sentence of which the system then has no word is *skipped*: the parser gave it up.
    3. A sentence is an *error* if either side has no tree, or if the sides have other numbers of words, or other words
       (but for those that EQ_WORD makes the same).
    4. Before numbers are compared, quotes are mended, where these differ: where ' " or / has a QUOTE_LABEL on both
       sides, with different tags, as many words before it, and is left out on one side only, it is put back there.
    5. All others are *valid*. EVALB counts only these, so a parser may gain by failing. Evenhand always reports how
       many sentences are errors or skipped, and lists them with their reasons.
    6. Errors and skipped sentences *failed* if the gold standard has a tree and words for them. The models
       `labeled-all`, `unlabeled-all`, `complete-all`, `crossing-all` and `tagging-all` count these as wrong: all
       brackets of the gold standard are missing there, all of the system are spurious, no word has the right tag, and
       the sentence is neither a complete match nor without crossing brackets. `rank`, `compare`, `gate` and `report`
       use these models, unless `--errors skip` leaves such sentences out as EVALB does.

    The length of a sentence is the number of its gold words whose tag is no DELETE_LABEL_FOR_LENGTH. EVALB stops after
    MAX_ERROR errors and prints what it has so far; Evenhand goes on.

    Source: Sekine and Collins 1997, README and source code (2006).
    """
    keep_gold, keep_system = selection.keeps_words(gold), selection.keeps_words(system)
    status = np.full(len(gold), VALID)
    found = Sentences(gold, system, keep_gold, keep_system, status, {}, [])
    for problems, side in ((system.layer.problems, "the system's"), (gold.layer.problems, "the gold standard's")):
        for sentence, problem in problems.items():
            status[sentence], found.reasons[sentence] = ERROR, f"{side} tree: {problem}"
    own = _counts(system, keep_system)
    for sentence in np.flatnonzero(own == 0).tolist():
        if sentence not in system.layer.problems:
            status[sentence], found.reasons[sentence] = SKIP, "the system has no word"
    _compare_lengths(found, selection)
    _compare_words(found, selection)
    return found


def _rows(forest: Forest, keep: Bools, sentences: Bools) -> Ints:
    return np.flatnonzero(keep & sentences[forest.sentence_of])


def _counts(forest: Forest, keep: Bools) -> Ints:
    """How many words of each sentence are looked at."""
    before = np.append(0, np.cumsum(keep))
    return np.diff(before[forest.bounds])


def _compare_lengths(found: Sentences, selection: Selection) -> None:
    """Sentences with other numbers of words are errors, unless mended quotes make these the same."""
    differ = found.valid & (_counts(found.gold, found.keep_gold) != _counts(found.system, found.keep_system))
    if selection.rules.quotes:
        for sentence in np.flatnonzero(differ).tolist():
            if _mend(found, selection, sentence):
                found.mended.append(sentence)
    mine, own = _counts(found.gold, found.keep_gold), _counts(found.system, found.keep_system)
    for sentence in np.flatnonzero(differ & (mine != own)).tolist():
        found.status[sentence] = ERROR
        found.reasons[sentence] = (
            f"the system has {counted(own[sentence], 'word')}, the gold standard {mine[sentence]:,}"
        )


def _mend(found: Sentences, selection: Selection, sentence: int) -> bool:
    """Put quotes back that are left out on one side only; whether there are any."""
    gold, system, is_mended = found.gold, found.system, False
    mine, theirs = selection.quotes(gold, sentence), selection.quotes(system, sentence)
    place = _before(found.keep_gold, int(gold.bounds[sentence]), mine)
    other_place = _before(found.keep_system, int(system.bounds[sentence]), theirs)
    for one, word in enumerate(mine.tolist()):
        begin = int(np.searchsorted(other_place, place[one]))
        while begin < len(theirs):
            end = int(np.searchsorted(other_place, place[one], side="right"))
            some = theirs[begin:end]
            fits = (found.keep_system[some] != found.keep_gold[word]) & (system.tag[some] != gold.tag[word])
            if not fits.any():
                break
            other = begin + int(fits.argmax())
            # What stands behind the quote that is put back moves on.
            if found.keep_gold[word]:
                other_place[other + 1 :] += 1
            else:
                place[one + 1 :] += 1
            found.keep_gold[word] = found.keep_system[theirs[other]] = is_mended = True
            begin = other + 1
    return is_mended


def _before(keep: Bools, begin: int, words: Ints) -> Ints:
    """How many words of a sentence that are looked at stand before some of its words."""
    if not len(words):
        return words
    counts = np.append(0, np.cumsum(keep[begin : int(words[-1]) + 1]))
    found: Ints = counts[words - begin]
    return found


def _compare_words(found: Sentences, selection: Selection) -> None:
    """Sentences with other words are errors."""
    mine, own = found.words
    different = np.flatnonzero(~equal(found.gold.tokens.take(mine), found.system.tokens.take(own)))
    same = selection.rules.word_class()
    for row in different[::-1].tolist():
        one, other = found.gold.tokens[int(mine[row])], found.system.tokens[int(own[row])]
        if same(one) != same(other):
            sentence = int(found.gold.sentence_of[mine[row]])
            found.status[sentence] = ERROR
            quoted = f"{other[:_QUOTED]!r}, the gold standard {one[:_QUOTED]!r}"
            found.reasons[sentence] = f"the system has the word {quoted}"
    if len(different):
        del found.__dict__["words"]
