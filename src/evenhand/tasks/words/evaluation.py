"""Evaluation of words: tags and trees are aligned and scored, part by part.

A part ends where a sentence ends for the gold standard and for all systems, so all are scored on the same words. No
figure depends on where parts end. Enhanced dependencies are scored by the same mechanism: their units are edges.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, reduce
from typing import Any, Protocol
from unicodedata import category

import numpy as np

from evenhand.alignment.words import Aligned, WaitingWords, WordFeed, Words
from evenhand.arrays import Bools, Bytes, Ints, complement, distinct, empty, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.layers import Tags, heads_in_text
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import ScoreSettings
from evenhand.tasks.evaluation import EvaluationRequest, Numbering, Outcome, VerdictRows
from evenhand.tasks.units import ABSENT_CODE, MISSING_CODE, Locations, Predictions, Rows, Units, occurrences, units_of
from evenhand.tasks.words.measures import EXTRA, MISSING, RIGHT, TAG_KINDS, TREE_KINDS, Punctuation, without_subtype

PORTION = 1 << 14
"""Words per part: enough that the cost of a call does not matter."""
_MAY_BE_PUNCTUATION = np.array([not chr(byte).isalnum() for byte in range(128)] + [True] * 128)
"""First bytes of possible punctuation; characters beyond ASCII are looked up one by one."""


class WordScorer(Protocol):
    """Scores the words of one system; tags and trees have one each."""

    def labels(self, words: Words, side: str) -> Ints:
        """Label codes of the words of one side."""

    def counted(self, words: Words, labels: Ints) -> Bools:
        """Which words count."""

    def heads(self, aligned: Aligned) -> Heads | None:
        """Heads of both sides; None without trees."""

    def score(self, pair: UnitPair) -> tuple[dict[str, Tally], UnitMatches | None]:
        """Counts by scorer, and the error types of all words."""


class WordEvaluator:
    """One pass over the gold standard and all systems."""

    def __init__(self, request: EvaluationRequest, layers: Sequence[str], scorers: Mapping[str, WordScorer]) -> None:
        """`layers` are the annotation layers that scorers read, `scorers` has one scorer per system."""
        self._request, self._scorers = request, scorers
        align = request.settings.align
        firsts, (self._gold, *streams) = zip(
            *(peek(open_side()) for open_side in (request.sides.gold, *request.sides.systems.values())), strict=True
        )
        without_tokens = any(first is not None and first.corpus.tokens is None for first in firsts)
        self._by_position = align == "position" or without_tokens
        kept = (*layers, *request.extra_layers)
        self._feeds = {
            name: WordFeed(stream, align, kept, by_position=self._by_position)
            for name, stream in zip(request.sides.systems, streams, strict=True)
        }
        self._side = WaitingWords(kept, by_position=self._by_position)
        self._documents: list[Ints] = []
        self._sentences, self._ends_apart = 0, False
        self._names: dict[int, str] = {}

    def evaluations(self, number: Numbering) -> Iterator[WordEvaluation]:
        for words, text in self._portions(number):
            shared = reduce(np.intersect1d, [feed.offer(words, text) for feed in self._feeds.values()])
            if len(shared):
                yield self._evaluate({name: feed.cut(int(shared[-1])) for name, feed in self._feeds.items()})
        remainders = {name: feed.finish() for name, feed in self._feeds.items()}
        aligned = {name: remainder for name, remainder in remainders.items() if remainder is not None}
        if aligned:  # all systems were cut at the same positions, so all have the same remainder
            self._ends_apart = True
            yield self._evaluate(aligned)
        for name, feed in self._feeds.items():
            self._request.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome(by_position=self._by_position, ends_apart=self._ends_apart)

    def _portions(self, number: Numbering) -> Iterator[tuple[Words, Bytes]]:
        waiting = 0
        for batch in self._gold:
            numbers = number(batch)
            self._documents.append(numbers.documents)
            self._names |= dict(enumerate(batch.corpus.names, numbers.first_document))
            words, _ = self._side.read(batch, numbers.groups)
            waiting += len(words)
            if waiting >= PORTION:
                yield self._side.drain()
                waiting = 0
        if waiting:
            yield self._side.drain()

    def _evaluate(self, aligned: Mapping[str, Aligned]) -> WordEvaluation:
        request, labels = self._request, self._request.vocabulary.labels.values
        gold = next(iter(aligned.values())).gold
        document_of, size = np.concatenate(self._documents), gold.corpus.sentences
        locations = Locations([gold.annotation], self._sentences, document_of[:size])
        self._sentences, self._documents = self._sentences + size, [document_of[size:]]
        evaluation = WordEvaluation(locations, aligned, self._names)
        for name, words in aligned.items():
            summary, pair = request.system_counts[name], _pair(words, self._scorers[name])
            if not evaluation.pairs:  # all systems are scored on the same words of the gold standard
                request.gold_count.add(pair.gold[pair.counted], labels)
            evaluation.tallies[name], matches = self._scorers[name].score(pair)
            evaluation.pairs[name] = pair
            if matches is not None and request.keep_units:
                evaluation.matches[name] = matches
            summary.add(pair.system[pair.system_counted], labels)
            summary.missing += len(words.gold) - len(words.rows[0])
        return evaluation


def _pair(aligned: Aligned, scorer: WordScorer) -> UnitPair:
    words, system_words = aligned.gold, aligned.system
    gold, system, sentence = scorer.labels(words, "gold"), scorer.labels(system_words, "system"), words.sentence
    start = np.arange(len(words)) - words.bounds[sentence]
    return UnitPair(
        rows=aligned.rows,
        gold=gold,
        system=system,
        counted=scorer.counted(words, gold),
        extra_counted=scorer.counted(system_words, system),
        sentence=sentence,
        start=start,
        end=start + 1,
        system_sentence=gold_sentences(aligned),
        groups=words.groups,
        heads=scorer.heads(aligned),
    )


def gold_sentences(aligned: Aligned) -> Ints:
    """The gold standard's sentence in which each word of the system begins."""
    return np.searchsorted(aligned.gold.sentence_start, aligned.system.start, side="right") - 1


@dataclass
class WordEvaluation:
    """Evaluation of one part: tallies and, on demand, the units of all systems."""

    locations: Locations
    aligned: Mapping[str, Aligned]
    names: Mapping[int, str]
    """Document names."""
    pairs: dict[str, UnitPair] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    matches: dict[str, UnitMatches] = field(default_factory=dict)
    _last_by: str = ""
    """The score of the last call of `units`, whose edges are drawn."""

    @property
    def _first(self) -> UnitPair:
        return next(iter(self.pairs.values()))

    @property
    def groups(self) -> Ints:
        return self._first.groups

    def answers(self, by: str) -> Predictions:
        return word_predictions(by, self._units(by))

    def units(self, by: str) -> Units:
        self._last_by = by
        return word_units(by, self._units(by))

    def _units(self, by: str) -> list[UnitPair]:
        """Words of all systems, or edges if the score counts edges."""
        return [pair.edges.get(by, pair) for pair in self.pairs.values()]

    def drawing(self) -> WordView:
        """All words that count, including those that some systems lack."""
        first, pairs = self._first, self.pairs.values()
        labels = [first.gold, *(pair.predicted for pair in pairs)]
        heads = None
        if first.heads is not None:
            heads = [first.heads.gold, *(pair.heads.in_gold(pair.partner) for pair in pairs if pair.heads)]
        bounds = next(iter(self.aligned.values())).gold.bounds
        return WordView(bounds, labels, heads, _edges_by_word(self._last_by, list(pairs)))

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        pair, aligned = self.pairs[system], self.aligned[system]
        sides, edges = (aligned.gold, aligned.system), pair.edge_matches.get(judge)
        if edges is not None:
            heads = [_head_numbers(side, *ends) for side, ends in zip(sides, (edges.gold, edges.system), strict=True)]
            rows = self._rows(aligned, edges.matches, (edges.gold[0], edges.system[0]), heads)
        else:
            heads = [side.annotation.trees().head for side in sides] if pair.heads is not None else []
            rows = self._rows(aligned, self.matches[system], [np.arange(len(side)) for side in sides], heads)
        yield rows, self.locations.before

    def _rows(
        self, aligned: Aligned, matches: UnitMatches, words: Sequence[Ints], heads: Sequence[Ints]
    ) -> VerdictRows:
        """Units in the order of the text, extra ones after all others of their sentence.

        `words` and `heads` are the word and the head of each unit of both sides; heads are numbered as in files.
        """
        is_extra = matches.gold < 0
        order = np.lexsort((matches.system, matches.gold, is_extra, matches.sentence))
        is_extra = is_extra[order]
        gold, system, sentence = (column[order] for column in (matches.gold, matches.system, matches.sentence))
        word, system_word = (np.append(word, -1)[rows] for word, rows in zip(words, (gold, system), strict=True))
        start = np.where(is_extra, -1, word - aligned.gold.bounds[sentence])
        more = {"side": is_extra.astype(np.int64)}
        if heads:
            more["gold_head"], more["system_head"] = np.append(heads[0], -1)[gold], np.append(heads[1], -1)[system]
        tokens = aligned.system.corpus.tokens
        return VerdictRows(
            *(aligned.gold.corpus, sentence, start, start + 1, self.locations.document_of[sentence], self.names),
            *(matches.gold_label[order], matches.system_label[order], matches.kind[order], more),
            other_text=tokens.take(system_word) if tokens is not None and is_extra.any() else None,
        )


def _head_numbers(words: Words, word: Ints, head: Ints) -> Ints:
    """Heads as in files: 1 is the first word of the sentence, 0 the root."""
    return np.where(head < 0, 0, head - words.bounds[words.sentence[word]] + 1)


@dataclass(frozen=True)
class Heads:
    """Heads of the words (or edges) of both sides, as indices of words; -1 is the root."""

    aligned: Aligned
    gold: Ints
    system: Ints

    @staticmethod
    def of(aligned: Aligned) -> Heads:
        sides = (aligned.gold, aligned.system)
        return Heads(aligned, *(heads_in_text(side.annotation.trees().head, side.bounds) for side in sides))

    @property
    def are_same(self) -> Bools:
        """Which aligned words have the same head."""
        gold_rows, system_rows = self.aligned.rows
        same: Bools = self.aligned.heads_in_gold(self.system[system_rows]) == self.gold[gold_rows]
        return same

    def in_gold(self, words: Ints) -> Ints:
        """Heads of the system's words (-1: no word) as words of the gold standard: -1 root, -2 none."""
        return np.where(words < 0, -2, self.aligned.heads_in_gold(np.append(self.system, -1)[words]))


@dataclass(frozen=True)
class UnitPair:
    """Units of the gold standard and of one system side by side: words, or other units with one label each."""

    rows: tuple[Ints, Ints]
    """Rows of the units that both sides have."""
    gold: Ints
    """Labels of all units of the gold standard, and of the system."""
    system: Ints
    counted: Bools
    """Which units of the gold standard count, and which of the system would if they have no counterpart."""
    extra_counted: Bools
    sentence: Ints
    """The sentence of each gold unit, and the unit's token offsets in it."""
    start: Ints
    end: Ints
    system_sentence: Ints
    """The gold standard's sentence in which each unit of the system begins."""
    groups: Ints
    """The group of each sentence."""
    heads: Heads | None = None
    """Trees only."""
    word: Ints | None = None
    """Edges only: the system's word of each edge of the system."""
    edges: dict[str, UnitPair] = field(default_factory=dict)
    """Enhanced dependencies only: the edges of the words, by score."""
    edge_matches: dict[str, EdgeMatches] = field(default_factory=dict)

    @cached_property
    def partner(self) -> Ints:
        """The system's unit for each gold unit; -1 if the system lacks it."""
        partner = np.full(len(self.gold), -1)
        partner[self.rows[0]] = self.rows[1]
        return partner

    @property
    def predicted(self) -> Ints:
        """The system's label for each gold unit; -1 if the system lacks it."""
        return np.append(self.system, -1)[self.partner]

    @property
    def is_wrong(self) -> Ints:
        """For each unit that both sides have: 1 if the labels differ, else 0."""
        gold_rows, system_rows = self.rows
        return np.where(self.gold[gold_rows] == self.system[system_rows], 0, 1)

    @property
    def system_counted(self) -> Bools:
        """Which units of the system count: counterparts of gold units that count, and extra units."""
        counted = self.extra_counted.copy()
        counted[self.rows[1]] = self.counted[self.rows[0]]
        return counted

    @property
    def is_extra(self) -> Bools:
        """Which units that count only the system has."""
        extra = self.extra_counted.copy()
        extra[self.rows[1]] = False
        return extra

    def extra_bounds(self, rows: Ints) -> tuple[Ints, Ints]:
        """Edges only: the token offsets of the words of some edges of the system, in the gold standard's sentence."""
        assert self.heads is not None
        assert self.word is not None
        aligned = self.heads.aligned
        gold = aligned.gold
        gold_word = np.searchsorted(gold.start, aligned.system.start, side="right") - 1  # with the same characters
        gold_word[aligned.rows[1]] = aligned.rows[0]
        start = gold_word[self.word[rows]] - gold.bounds[self.system_sentence[rows]]
        return start, start + 1

    def matches(self, kinds: tuple[str, ...], kind: Ints) -> UnitMatches:
        """Error types of all units, given the types of those that both sides have."""
        gold_rows, system_rows = self.rows
        missing, extra = complement(len(self.gold), gold_rows), complement(len(self.system), system_rows)
        missing, extra = missing[self.counted[missing]], extra[self.extra_counted[extra]]
        keep = self.counted[gold_rows]
        gold_rows, system_rows, kind = gold_rows[keep], system_rows[keep], kind[keep]
        no_system, no_gold = np.full(len(missing), -1), np.full(len(extra), -1)
        return UnitMatches(
            (*kinds, MISSING, EXTRA),
            np.concatenate((kind, np.full(len(missing), len(kinds)), np.full(len(extra), len(kinds) + 1))),
            np.concatenate((gold_rows, missing, no_gold)),
            np.concatenate((system_rows, no_system, extra)),
            np.concatenate((self.gold[gold_rows], self.gold[missing], no_gold)),
            np.concatenate((self.system[system_rows], no_system, self.system[extra])),
            np.concatenate((self.sentence[gold_rows], self.sentence[missing], self.system_sentence[extra])),
        )


@dataclass(frozen=True)
class UnitMatches:
    """One row per unit that counts: its error type, and its row and label on both sides.

    Units that only one side has come last, as `missing` and `extra`, with -1 for the other side.
    """

    kinds: tuple[str, ...]
    kind: Ints
    gold: Ints
    system: Ints
    gold_label: Ints
    system_label: Ints
    sentence: Ints
    """The gold standard's sentence."""

    def tally(self, labels: Sequence[str], groups: Ints) -> Tally:
        """Counts of error types by label; `groups` is the group of each sentence.

        A unit with equal labels counts once, for that label. If the labels differ, it counts for the gold label
        (`gold.wrong`) and for the system's (`system.wrong`).
        """
        types = len(self.kinds) - 2
        is_pair = (self.gold >= 0) & (self.system >= 0)
        differs = is_pair & (self.gold_label != self.system_label)
        # The order of kinds: labels equal, for the gold label, for the system's label, missing, extra.
        kind = np.where(is_pair, self.kind + np.where(differs, types, 0), self.kind + 2 * types)
        again = np.flatnonzero(differs)
        group = groups[self.sentence]
        return Tally.of(
            labels,
            (*(f"{side}{kind}" for side in ("", "gold.", "system.") for kind in self.kinds[:-2]), MISSING, EXTRA),
            np.concatenate((group, group[again])),
            np.concatenate((self.gold_label, np.full(len(again), -1))),
            np.concatenate((self.system_label, self.system_label[again])),
            np.concatenate((kind, self.kind[again] + 2 * types)),
        )

    def sentence_tally(self, correct: Mapping[str, tuple[str, ...]], groups: Ints) -> Tally:
        """Sentences of the gold standard with a unit that counts, and the fully correct ones by score."""
        of_gold = self.gold >= 0
        counted = np.zeros(len(groups), dtype=np.bool_)
        counted[self.sentence[of_gold]] = True
        columns = [counted]
        for kinds in correct.values():
            is_wrong = np.array([kind not in kinds for kind in self.kinds], dtype=np.bool_)[self.kind]
            columns.append(counted.copy())
            columns[-1][self.sentence[of_gold & is_wrong]] = False
        return tally_table(("sentences", *correct), np.stack(columns, axis=1).astype(np.int64), groups)


@dataclass(frozen=True)
class EdgeMatches:
    """Error types of edges, and the word and head (-1: root) of every edge of both sides."""

    matches: UnitMatches
    gold: tuple[Ints, Ints]
    system: tuple[Ints, Ints]


def word_predictions(by: str, pairs: Sequence[UnitPair]) -> Predictions:
    """Predictions of all systems for the gold units that count; of edges, also for extra ones."""
    first = pairs[0]
    units = np.flatnonzero(first.counted)
    gold, part, head = first.gold[units], np.full((len(pairs), len(units)), -1), None
    shown = np.stack([pair.predicted[units] for pair in pairs])
    is_missing = np.stack([pair.partner[units] < 0 for pair in pairs])
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind = np.where(shown == gold, 0, 1)
    answer = shown
    if first.heads is not None:
        kinds, head = (*TREE_KINDS, MISSING, EXTRA), first.heads.gold[units]
        part = _heads(pairs, units)
        kind = np.where(part == head, 0, 1) + 2 * kind
        answer = {"uas": part, "ls": shown}.get(by, _attachment_code(part, shown))
    kind = np.where(is_missing, kinds.index(MISSING), kind)
    predictions = Predictions(
        label=gold,
        is_surplus=np.zeros(len(units), dtype=np.bool_),
        answer=answer,
        shown=np.where(is_missing, MISSING_CODE, shown),
        right=np.array([name in RIGHT.get(by, ("right",)) for name in kinds])[kind],
        part=part,
        sentence=first.sentence[units],
        start=first.start[units],
        end=first.end[units],
        gold_head=head,
        words=len(first.gold) if first.heads is None else len(first.heads.aligned.gold),
        kinds=kinds,
        verdict=kind,
        missing=is_missing,
    )
    return predictions if first.word is None else _with_extra_edges(predictions, pairs)


def _attachment_code(head: Ints, relation: Ints) -> Ints:
    return ((head + 3) << 24) | (relation + 1)


def _heads(pairs: Sequence[UnitPair], units: Ints) -> Ints:
    """Heads of gold units under each system: word numbers of `_word_numbers`, -1 for the root, -2 if missing."""
    heads = np.empty((len(pairs), len(units)), dtype=np.int64)
    for row, (pair, number) in enumerate(zip(pairs, _word_numbers(pairs), strict=True)):
        assert pair.heads is not None
        partner = pair.partner[units]
        heads[row] = np.where(partner < 0, -2, number[np.append(pair.heads.system, -1)[partner]])
    return heads


def _word_numbers(pairs: Sequence[UnitPair]) -> list[Ints]:
    """For each system, numbers of its words that all systems share; the last one, of the root, is -1.

    An aligned word has the number of its gold word. Others are numbered by their characters.
    """
    numbers, unaligned, characters = [], [], []
    for pair in pairs:
        assert pair.heads is not None
        aligned = pair.heads.aligned
        words, number = aligned.system, np.full(len(aligned.system) + 1, -1)
        number[aligned.rows[1]] = aligned.rows[0]
        unaligned.append(np.flatnonzero(number[:-1] < 0))
        start, end = words.start[unaligned[-1]], words.end[unaligned[-1]]
        begin = words.start[0] if len(words.start) else 0
        characters.append(((start - begin) << 20) | np.minimum(end - start, (1 << 20) - 1))
        numbers.append(number)
    if any(map(len, unaligned)):
        spans, first = distinct(np.concatenate(characters)), pairs[0].heads
        assert first is not None
        for number, words_lost, span in zip(numbers, unaligned, characters, strict=True):
            number[words_lost] = len(first.aligned.gold) + np.searchsorted(spans, span)
    return numbers


def _with_extra_edges(predictions: Predictions, pairs: Sequence[UnitPair]) -> Predictions:
    extra, edges = [np.flatnonzero(pair.is_extra) for pair in pairs], []
    for pair, rows, number in zip(pairs, extra, _word_numbers(pairs), strict=True):
        assert pair.heads is not None
        assert pair.word is not None
        head, word = number[pair.heads.system[rows]], number[pair.word[rows]]
        edges.append((pair.system_sentence[rows], word, head, pair.system[rows], *pair.extra_bounds(rows)))
    sentence, word, head, label, start, end = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    system = np.repeat(np.arange(len(pairs)), list(map(len, extra)))
    key, _ = pack(*((column, empty()) for column in (sentence, word, head, label)))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    has = np.zeros((len(pairs), len(first)), dtype=np.bool_)
    has[system, unit] = True
    heads = np.full(has.shape, -2)
    heads[system, unit] = head
    labels, kinds = np.where(has, label[first], ABSENT_CODE), predictions.kinds
    of_units = {
        "label": label[first],
        "is_surplus": np.ones(len(first), dtype=np.bool_),
        "sentence": sentence[first],
        "start": start[first],
        "end": end[first],
        "gold_head": np.full(len(first), -2),
    }
    of_systems = {
        "answer": _attachment_code(heads, np.where(has, label[first], -1)),
        "shown": labels,
        "right": ~has,
        "part": heads,
        "verdict": np.where(has, kinds.index(EXTRA), len(kinds)),
        "missing": np.zeros_like(has),
    }
    columns: dict[str, Any] = {name: np.append(getattr(predictions, name), column) for name, column in of_units.items()}
    columns |= {name: np.append(getattr(predictions, name), table, axis=1) for name, table in of_systems.items()}
    return replace(predictions, **columns, absent=np.append(np.zeros_like(predictions.right), ~has, axis=1))


def word_units(by: str, pairs: Sequence[UnitPair]) -> Units:
    """Units of all systems for the error browser; edges with the token offsets of their heads in the sentence."""
    predictions, first = word_predictions(by, pairs), pairs[0]
    predicted = np.where(predictions.shown < 0, -1, predictions.shown)
    gold = np.broadcast_to(np.where(predictions.is_surplus, -1, predictions.label), predicted.shape)
    partner = np.full(predicted.shape, -1)
    if first.word is not None and first.heads is not None:
        begin = first.heads.aligned.gold.bounds[predictions.sentence]
        head = np.where(predictions.part < predictions.words, predictions.part, -2)
        partner = np.where(head < 0, head, (head - begin << 32) | (head - begin + 1))
    return units_of(predictions, predictions.kind, gold, predicted, partner)


EdgesByWord = Mapping[int, Sequence[tuple[int, int]]]
"""Labels and heads of the edges of one side, by words of the gold standard."""


def _edges_by_word(by: str, pairs: Sequence[UnitPair]) -> list[EdgesByWord]:
    """The edges of the gold standard and of all systems; empty if the score does not count edges."""
    sides: list[EdgesByWord] = []
    for pair in pairs:
        if by not in pair.edge_matches:
            return []
        edges, units = pair.edge_matches[by], pair.edges[by]
        assert units.heads is not None
        aligned = units.heads.aligned
        if not sides:
            sides.append(_by_word(*edges.gold, units.gold))
        gold_of = np.full(len(aligned.system), -1)
        gold_of[aligned.rows[1]] = aligned.rows[0]
        word, head = edges.system
        sides.append(_by_word(gold_of[word], aligned.heads_in_gold(head), units.system[: len(word)]))
    return sides


def _by_word(word: Ints, head: Ints, label: Ints) -> EdgesByWord:
    edges: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, *edge in zip(word.tolist(), label.tolist(), head.tolist(), strict=True):
        edges[index].append((edge[0], edge[1]))
    return edges


class WordView:
    """One row per gold word of a sentence: its label and, of trees, the index of its head in the sentence.

    -1 is the root, -2 a head outside the sentence, and None a word that a side lacks. Enhanced edges follow in the same
    row, as label and head of each.
    """

    def __init__(
        self, bounds: Ints, labels: Sequence[Ints], heads: Sequence[Ints] | None, edges: Sequence[EdgesByWord] = ()
    ) -> None:
        """`labels`, `heads` and `edges` have one entry per side; labels are -1 for words that a side lacks."""
        self._bounds, self._labels, self._heads, self._edges = bounds.tolist(), labels, heads, edges

    def sides(self, sentence: int) -> list[Rows]:
        begin, end = self._bounds[sentence : sentence + 2]
        sides: list[Rows] = []
        for side, labels in enumerate(self._labels):
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                columns.append(np.where((begin <= head) & (head < end), head - begin, np.where(head < 0, head, -2)))
            rows: Iterable[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
            if self._edges:
                rows = [(*row, *self._edge_cells(side, begin + at, begin, end)) for at, row in enumerate(rows)]
            sides.append(tuple(None if row[0] < 0 else row for row in rows))
        return sides

    def _edge_cells(self, side: int, word: int, begin: int, end: int) -> list[int]:
        cells = []
        for label, head in self._edges[side].get(word, ()):
            cells += [label, head - begin if begin <= head < end else head if head < 0 else -2]
        return cells


class WordLabelFilter:
    """Renames the tags of a column and returns codes of a table; each name is looked up once."""

    def __init__(self, coder: StringCoder, table: StringIndex[str], rename: Callable[[str], str]) -> None:
        self._coder, self._table, self._rename = coder, table, rename
        self._new: list[int] = []

    def __call__(self, tags: Tags) -> Ints:
        code = tags.coded(self._coder)
        self._new += self._table.codes([self._rename(name) for name in self._coder.names[len(self._new) :]]).tolist()
        return np.array(self._new, dtype=np.int64)[code]


def counted_words(settings: ScoreSettings, words: Words, labels: Ints, names: list[str]) -> Bools:
    """Which words count: not punctuation, and with a chosen label."""
    counted = ~is_punctuation(settings["punctuation"], words.annotation)
    if settings.labels or settings.exclude:
        counted &= np.array([settings.chooses(name) for name in names], dtype=np.bool_)[labels]
    return counted


def is_punctuation(policy: Punctuation, annotation: Annotation) -> Bools:
    """Which words of an annotation are punctuation."""
    marks = np.zeros(annotation.corpus.token_count or 0, dtype=np.bool_)
    if policy.by == "relation":
        relation = annotation.trees().relation
        return _has_tag(relation, [name for name in relation.names if without_subtype(name) == "punct"])
    if policy.by == "form" and annotation.corpus.tokens is not None:
        return _has_only_punctuation(annotation.corpus.tokens)
    if policy.by == "pos":
        for column in ("upos", "xpos", "tags"):
            tags = annotation.layers.get(column)
            if isinstance(tags, Tags):
                marks |= _has_tag(tags, policy.tags)
    return marks


def _has_tag(tags: Tags, names: Sequence[str]) -> Bools:
    code = tags.code  # read before the names, which are complete only when all cells are coded
    return np.array([name in names for name in tags.names], dtype=np.bool_)[code]


def _has_only_punctuation(tokens: Tokens) -> Bools:
    first = np.frombuffer(tokens.data, dtype=np.uint8)[tokens.start]
    marks = np.zeros(len(tokens), dtype=np.bool_)
    maybe = np.flatnonzero(_MAY_BE_PUNCTUATION[first])
    coder = StringCoder()
    code = coder(tokens.take(maybe))
    is_mark = np.array([all(category(char)[0] == "P" for char in name) for name in coder.names], dtype=np.bool_)
    marks[maybe] = is_mark[code]
    return marks
