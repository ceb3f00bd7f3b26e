"""EVALB's input: forests, the words and brackets that parameter files delete, and the sentences that can be scored."""

# The literal definitions, which the tests compare with, are in tests/slow_constituents.py.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from evenhand.alignment.parts import Batches, Follower
from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans, Tags
from evenhand.data.structures import Constituents, join_constituents
from evenhand.data.tokens import Tokens, equal
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted
from evenhand.settings import CONSTITUENTS, POS_TAGS
from evenhand.tasks.constituents.task import EvalbRules
from evenhand.tasks.units import NameColumn

VALID, ERROR, SKIP = range(3)
_QUOTES = ("'", '"', "/")
_MAX_QUOTED = 40
"""Characters of a word that a message quotes."""
_SAME_SENTENCES = "write one line per sentence in all files, and an empty line for a missing tree"


@dataclass(frozen=True)
class Forest:
    """Some sentences of one side with their words, tags and brackets, as columns."""

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
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def location(self, sentence: int) -> str:
        """File and line of a sentence; empty without lines."""
        line = int(self.layer.lines[sentence])
        return f"{self.source}:{line}" if line else ""

    def slice(self, begin: int, end: int) -> Forest:
        first, last = int(self.bounds[begin]), int(self.bounds[end])
        bounds = self.bounds[begin : end + 1] - first
        words = self.tokens.slice(first, last)
        return Forest(self.source, words, bounds, self.tag[first:last], self.layer.slice(begin, end))

    @staticmethod
    def of(annotation: Annotation, vocabulary: Vocabulary) -> Forest:
        corpus, layer, tags = annotation.corpus, annotation.layers.get(CONSTITUENTS), annotation.layers.get(POS_TAGS)
        if not isinstance(layer, Constituents) or not isinstance(tags, Tags):
            raise InputError(corpus.source, None, "has no bracketed trees", "use files that have some")
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        shared = Constituents(layer.brackets.into(vocabulary), layer.lines, layer.problems)
        return Forest(corpus.source, corpus.tokens, corpus.bounds, tags.coded(vocabulary.columns[POS_TAGS]), shared)

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
            join_constituents([part.layer for part in parts]),
        )


class ForestFollower(Follower):
    """Reads a system with one tree for each sentence of the gold standard."""

    def __init__(self, stream: Iterator[Annotation], vocabulary: Vocabulary) -> None:
        self._stream, self._vocabulary = stream, vocabulary
        self._waiting: Forest | None = None
        self._taken, self._source = 0, ""

    def take(self, gold: Batches) -> Forest:
        parts, size = list[Forest](), sum(batch.corpus.sentences for batch in gold)
        while size:
            forest = self._next()
            if forest is None:
                finding = f"the file ends after {counted(self._taken, 'sentence')}, but the gold standard continues"
                raise InputError(self._source, None, finding, _SAME_SENTENCES, "text")
            part = forest if len(forest) <= size else forest.slice(0, size)
            self._waiting = None if part is forest else forest.slice(size, len(forest))
            parts.append(part)
            size -= len(part)
            self._taken += len(part)
        return Forest.concatenate(parts) if parts else Forest.of(gold[0], self._vocabulary).slice(0, 0)

    def finish(self) -> None:
        """Refuse further sentences, except empty lines."""
        while (forest := self._next()) is not None:
            extra = np.flatnonzero(np.diff(forest.bounds))[:1].tolist() or list(forest.layer.problems)[:1]
            if extra:
                line = int(forest.layer.lines[extra[0]]) or None
                finding = f"the gold standard ends after {counted(self._taken, 'sentence')}, before this one"
                raise InputError(forest.source, line, finding, _SAME_SENTENCES, "text")
            self._waiting = None

    def _next(self) -> Forest | None:
        if self._waiting is not None:
            return self._waiting
        batch = next(self._stream, None)
        if batch is None:
            return None
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        self._source = batch.corpus.source
        return Forest.of(batch, self._vocabulary)


class Selection:
    """The effect of a parameter file on tags and labels, by their codes."""

    def __init__(self, rules: EvalbRules, tags: StringCoder, vocabulary: Vocabulary) -> None:
        self.rules, self.tag_names, labels = rules, tags.names, vocabulary.labels
        same, classes = rules.label_class(), dict[str, int]()
        deleted = set(map(same, rules.deleted))

        def number(name: str) -> int:
            return classes.setdefault(same(name), len(classes))

        self._deleted_tag = NameColumn(tags.names, lambda name: name in rules.deleted)
        self._uncounted_tag = NameColumn(tags.names, lambda name: name in rules.uncounted)
        self._quote_tag = NameColumn(tags.names, lambda name: name in rules.quotes)
        self.tag_class = NameColumn(tags.names, number)
        self.label_class = NameColumn(labels.values, number)
        self._deleted_label = NameColumn(labels.values, lambda name: same(name) in deleted)

    def keeps_words(self, forest: Forest) -> Bools:
        """Which words are not deleted."""
        kept: Bools = self._deleted_tag(forest.tag) == 0
        return kept

    def lengths(self, forest: Forest) -> Ints:
        """The length of each sentence, in words that count for it."""
        return np.bincount(forest.sentence_of[self._uncounted_tag(forest.tag) == 0], minlength=len(forest))

    def keeps_brackets(self, brackets: Spans) -> Bools:
        """Which brackets are not deleted, by their labels."""
        kept: Bools = self._deleted_label(brackets.label) == 0
        return kept

    def quotes(self, forest: Forest, sentence: int) -> Ints:
        """The words of a sentence that may be quotation marks."""
        first, last = forest.bounds[sentence : sentence + 2].tolist()
        words = first + np.flatnonzero(self._quote_tag(forest.tag[first:last]))
        return ints([word for word in words.tolist() if forest.tokens[word] in _QUOTES])


@dataclass
class EvalbSentences:
    """Some sentences of both sides: the words that are kept, and the status of each sentence."""

    gold: Forest
    system: Forest
    keep_gold: Bools
    keep_system: Bools
    status: Ints
    reasons: dict[int, str]
    mended: list[int]

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """The kept words of valid sentences on both sides, in pairs."""
        sides = ((self.gold, self.keep_gold), (self.system, self.keep_system))
        gold, system = (np.flatnonzero(keep & self.valid[forest.sentence_of]) for forest, keep in sides)
        return gold, system

    @property
    def valid(self) -> Bools:
        valid: Bools = self.status == VALID
        return valid

    @cached_property
    def failed(self) -> Bools:
        """The sentences that the system failed on: not valid, though the gold standard has a tree and words."""
        failed: Bools = ~self.valid & (_word_counts(self.gold, self.keep_gold) > 0)
        failed[list(self.gold.layer.problems)] = False
        return failed


def comparable_sentences(gold: Forest, system: Forest, selection: Selection) -> EvalbSentences:
    """Which sentences can be scored: those with the same words on both sides.

    1. Words are left out if their tag is a DELETE_LABEL, unchanged.
    2. A sentence of which the system then has no word is *skipped*: the parser gave it up.
    3. A sentence is an *error* if either side has no tree, or if the sides have different numbers of words, or
       different words (except words that EQ_WORD makes the same).
    4. If the numbers of words differ, quotes are mended first: if ' " or / has a QUOTE_LABEL on both sides, with
       different tags and the same number of words before it, and is left out on one side only, it is put back there.
    5. All others are *valid*. EVALB counts only these, so a parser may gain by failing. Evenhand always reports how
       many sentences are errors or skipped, and lists them with their reasons.
    6. Errors and skipped sentences *failed* if the gold standard has a tree and words for them. The models
       `labeled-all`, `unlabeled-all`, `complete-all`, `crossing-all` and `tagging-all` count these as wrong: all
       brackets of the gold standard are missing there, all of the system are spurious, no word has the right tag, and
       the sentence is neither a complete match nor without crossing brackets. `rank`, `compare`, `gate` and `report`
       use these models, unless `--errors skip` leaves such sentences out as EVALB does.

    The length of a sentence is the number of its gold words whose tag is not a DELETE_LABEL_FOR_LENGTH. EVALB stops
    after MAX_ERROR errors and prints the results so far; Evenhand goes on.

    Source: Sekine and Collins 1997, README and source code (2006).
    """
    keep_gold, keep_system = selection.keeps_words(gold), selection.keeps_words(system)
    sentences = EvalbSentences(gold, system, keep_gold, keep_system, np.full(len(gold), VALID), {}, [])
    for problems, side in ((system.layer.problems, "the system's"), (gold.layer.problems, "the gold standard's")):
        for sentence, problem in problems.items():
            sentences.status[sentence], sentences.reasons[sentence] = ERROR, f"{side} tree: {problem}"
    for sentence in np.flatnonzero(_word_counts(system, keep_system) == 0).tolist():
        if sentence not in system.layer.problems:
            sentences.status[sentence], sentences.reasons[sentence] = SKIP, "the system has no words"
    _compare_lengths(sentences, selection)
    _compare_words(sentences, selection)
    return sentences


def _word_counts(forest: Forest, keep: Bools) -> Ints:
    return np.diff(np.append(0, np.cumsum(keep))[forest.bounds])


def _compare_lengths(sentences: EvalbSentences, selection: Selection) -> None:
    """Mark sentences with different numbers of words as errors, unless mended quotes make them equal."""
    gold, system = sentences.gold, sentences.system
    counts = _word_counts(gold, sentences.keep_gold), _word_counts(system, sentences.keep_system)
    differ = sentences.valid & (counts[0] != counts[1])
    if selection.rules.quotes:
        sentences.mended += [row for row in np.flatnonzero(differ).tolist() if _mend(sentences, selection, row)]
        counts = _word_counts(gold, sentences.keep_gold), _word_counts(system, sentences.keep_system)
    for row in np.flatnonzero(differ & (counts[0] != counts[1])).tolist():
        sentences.status[row] = ERROR
        words = counted(counts[1][row], "word")
        sentences.reasons[row] = f"the system has {words}, the gold standard {counts[0][row]:,}"


def _mend(sentences: EvalbSentences, selection: Selection, sentence: int) -> bool:
    """Put quotes back that are left out on one side only; return whether there are any."""
    gold, system, is_mended = sentences.gold, sentences.system, False
    gold_quotes, quotes = selection.quotes(gold, sentence), selection.quotes(system, sentence)
    gold_position = _positions(sentences.keep_gold, int(gold.bounds[sentence]), gold_quotes)
    position = _positions(sentences.keep_system, int(system.bounds[sentence]), quotes)
    for row, word in enumerate(gold_quotes.tolist()):
        begin = int(np.searchsorted(position, gold_position[row]))
        while begin < len(quotes):
            same = quotes[begin : int(np.searchsorted(position, gold_position[row], side="right"))]
            fits = (sentences.keep_system[same] != sentences.keep_gold[word]) & (system.tag[same] != gold.tag[word])
            if not fits.any():
                break
            other = begin + int(fits.argmax())
            # Later words move on by the quote that is put back.
            if sentences.keep_gold[word]:
                position[other + 1 :] += 1
            else:
                gold_position[row + 1 :] += 1
            sentences.keep_gold[word] = sentences.keep_system[quotes[other]] = is_mended = True
            begin = other + 1
    return is_mended


def _positions(keep: Bools, begin: int, words: Ints) -> Ints:
    """The number of kept words before some words of a sentence."""
    if not len(words):
        return words
    counts = np.append(0, np.cumsum(keep[begin : int(words[-1]) + 1]))
    return counts[words - begin]


def _compare_words(sentences: EvalbSentences, selection: Selection) -> None:
    gold_words, words = sentences.words
    tokens, system_tokens = sentences.gold.tokens, sentences.system.tokens
    different = np.flatnonzero(~equal(tokens.take(gold_words), system_tokens.take(words)))
    same = selection.rules.word_class()
    for row in different[::-1].tolist():  # the first difference of a sentence is its reason
        gold_word, word = tokens[int(gold_words[row])], system_tokens[int(words[row])]
        if same(gold_word) != same(word):
            sentence = int(sentences.gold.sentence_of[gold_words[row]])
            sentences.status[sentence] = ERROR
            quoted = f"{word[:_MAX_QUOTED]!r}, the gold standard {gold_word[:_MAX_QUOTED]!r}"
            sentences.reasons[sentence] = f"the system has the word {quoted}"
    if len(different):
        del sentences.__dict__["words"]
