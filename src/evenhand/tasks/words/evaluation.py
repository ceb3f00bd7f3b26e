"""The way of words through their files: tags and trees are aligned and judged, portion by portion.

A portion ends where a sentence ends for the gold standard and for all systems, so that all are judged on the same
words; no number depends on where that is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, reduce
from typing import Protocol
from unicodedata import category

import numpy as np

from evenhand.alignment.words import Aligned, WaitingWords, WordFeed, Words
from evenhand.alignment.words import Rows as RowsAlignWords
from evenhand.arrays import Bools, Bytes, Ints, complement, distinct, empty, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peeked
from evenhand.data.layers import Tags, heads_in_text
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import ScoreSettings
from evenhand.tasks.evaluation import EvaluationRequest, Numbering, Outcome, VerdictRows
from evenhand.tasks.units import ABSENT_CODE, MISSING_CODE, Locations, Predictions, Rows, Units, occurrences, units_of
from evenhand.tasks.words.measures import EXTRA, MISSING, RIGHT, TAG_KINDS, TREE_KINDS, Punctuation
from evenhand.tasks.words.scores import without_subtype

# == tasks/words/verdicts.py: What all judges of words need: the words of both sides side


@dataclass(frozen=True)
class Heads:
    """The heads of all words of both sides by their place among these; -1 for roots."""

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
        mine, theirs = self.aligned.rows
        same: Bools = self.aligned.heads_in_gold(self.system[theirs]) == self.gold[mine]
        return same

    def in_gold(self, words: Ints) -> Ints:
        """The heads of some words of the system (-1: no word) as words of the gold standard: -1 root, -2 none."""
        return np.where(words < 0, -2, self.aligned.heads_in_gold(np.append(self.system, -1)[words]))


@dataclass(frozen=True)
class JudgedUnits:
    """Words, or other units with a label each: those of the gold standard and of one system, and which are the same."""

    rows: RowsAlignWords
    """The units that both sides have."""
    gold: Ints
    """The labels of all units of the gold standard, and of the system."""
    system: Ints
    counted: Bools
    """Which units of the gold standard count, and which of the system would if they have no counterpart."""
    counted_extra: Bools
    sentence: Ints
    """The gold standard's sentence of each of its units, and the bounds of the unit there, in tokens."""
    start: Ints
    end: Ints
    system_sentence: Ints
    """The gold standard's sentence in which each unit of the system begins."""
    groups: Ints
    """The group of each sentence."""
    heads: Heads | None = None
    """Of trees."""
    word: Ints | None = None
    """Of edges: the system's word of each edge of the system."""
    edges: dict[str, JudgedUnits] = field(default_factory=dict)
    """Of enhanced dependencies: the edges of words as units of their own, by score."""
    edge_verdicts: dict[str, EdgeVerdicts] = field(default_factory=dict)
    """The verdicts on these, by score."""

    @cached_property
    def partner(self) -> Ints:
        """The system's unit for each of the gold standard; -1 where there is none."""
        found = np.full(len(self.gold), -1)
        found[self.rows[0]] = self.rows[1]
        return found

    @property
    def predicted(self) -> Ints:
        """The system's label for each unit of the gold standard; -1 where there is none."""
        return np.append(self.system, -1)[self.partner]

    @property
    def is_wrong(self) -> Ints:
        """1 for every unit that both sides have with different labels, 0 for the others that both have."""
        mine, theirs = self.rows
        return np.where(self.gold[mine] == self.system[theirs], 0, 1)

    @property
    def kept(self) -> Bools:
        """Which units of the system count: those for units that do, and extra ones."""
        kept = self.counted_extra.copy()
        mine, theirs = self.rows
        kept[theirs] = self.counted[mine]
        return kept

    @property
    def is_extra(self) -> Bools:
        """Which units only the system has, of those that count."""
        found = self.counted_extra.copy()
        found[self.rows[1]] = False
        return found

    def place_of_extra(self, rows: Ints) -> tuple[Ints, Ints]:
        """Of edges of the system: the bounds of their words in the gold standard's sentence."""
        assert self.heads is not None
        assert self.word is not None
        gold, word, aligned = self.heads.aligned.gold, self.word[rows], self.heads.aligned
        place = np.searchsorted(gold.start, aligned.system.start, side="right") - 1  # the word with these characters
        place[aligned.rows[1]] = aligned.rows[0]
        start = place[word] - gold.bounds[self.system_sentence[rows]]
        return start, start + 1

    def verdicts(self, kinds: tuple[str, ...], kind: Ints) -> UnitVerdicts:
        """The verdicts of a judge, who says `kind` of units that both sides have."""
        mine, theirs = self.rows
        missing, extra = complement(len(self.gold), mine), complement(len(self.system), theirs)
        missing, extra = missing[self.counted[missing]], extra[self.counted_extra[extra]]
        keep = self.counted[mine]
        mine, theirs, kind = mine[keep], theirs[keep], kind[keep]
        nobody, nothing = np.full(len(missing), -1), np.full(len(extra), -1)
        return UnitVerdicts(
            (*kinds, MISSING, EXTRA),
            np.concatenate((kind, np.full(len(missing), len(kinds)), np.full(len(extra), len(kinds) + 1))),
            np.concatenate((mine, missing, nothing)),
            np.concatenate((theirs, nobody, extra)),
            np.concatenate((self.gold[mine], self.gold[missing], nothing)),
            np.concatenate((self.system[theirs], nobody, self.system[extra])),
            np.concatenate((self.sentence[mine], self.sentence[missing], self.system_sentence[extra])),
        )


@dataclass(frozen=True)
class UnitVerdicts:
    """A verdict for every unit that counts: a row for a unit of the gold standard and the system's unit for it.

    Units that only one side has follow as `missing` and `extra`, with -1 for the other side.
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
        """The counts of verdicts by label; `groups` is the group of each sentence.

        A verdict on a unit whose labels are equal counts once, for that label. Where they differ, it counts for the
        gold label (`gold.wrong`) and for the system's (`system.wrong`).
        """
        verdicts = len(self.kinds) - 2
        is_pair = (self.gold >= 0) & (self.system >= 0)
        differs = is_pair & (self.gold_label != self.system_label)
        # Verdicts on two units are moved to those of the gold label, `missing` and `extra` to their places at the end.
        kind = np.where(is_pair, self.kind + np.where(differs, verdicts, 0), self.kind + 2 * verdicts)
        other = np.flatnonzero(differs)
        group = groups[self.sentence]
        return Tally.of(
            labels,
            (*(f"{side}{kind}" for side in ("", "gold.", "system.") for kind in self.kinds[:-2]), MISSING, EXTRA),
            np.concatenate((group, group[other])),
            np.concatenate((self.gold_label, np.full(len(other), -1))),
            np.concatenate((self.system_label, self.system_label[other])),
            np.concatenate((kind, self.kind[other] + 2 * verdicts)),
        )

    def sentence_tally(self, right: Mapping[str, tuple[str, ...]], groups: Ints) -> Tally:
        """The gold standard's sentences with a unit that counts, and those where all are right, by score."""
        of_gold = self.gold >= 0
        counted = np.zeros(len(groups), dtype=np.bool_)
        counted[self.sentence[of_gold]] = True
        columns = [counted]
        for kinds in right.values():
            is_wrong = np.array([kind not in kinds for kind in self.kinds], dtype=np.bool_)[self.kind]
            columns.append(counted.copy())
            columns[-1][self.sentence[of_gold & is_wrong]] = False
        return tally_table(("sentences", *right), np.stack(columns, axis=1).astype(np.int64), groups)


@dataclass(frozen=True)
class EdgeVerdicts:
    """Verdicts on edges, and for every edge of either side its word and its head (-1: the root)."""

    found: UnitVerdicts
    gold: tuple[Ints, Ints]
    system: tuple[Ints, Ints]


def sentence_of(aligned: Aligned) -> Ints:
    """The gold standard's sentence in which each word of the system begins."""
    return np.searchsorted(aligned.gold.sentence_start, aligned.system.start, side="right") - 1


# == tasks/words/edge_rows.py: Edges of enhanced dependencies as others show them: rows of


def edge_rows(aligned: Aligned, edges: EdgeVerdicts, places: Locations, names: Mapping[int, str]) -> VerdictRows:
    """The edges of the gold standard in their order, and behind those of each sentence what only the system has."""
    found = edges.found
    is_extra = found.gold < 0
    order = np.lexsort((found.system, found.gold, is_extra, found.sentence))
    mine, theirs, sentence = (column[order] for column in (found.gold, found.system, found.sentence))
    is_extra, word = is_extra[order], np.append(edges.gold[0], -1)[mine]
    start = np.where(is_extra, -1, word - aligned.gold.bounds[sentence])
    other = aligned.system.corpus.tokens
    own_word = np.append(edges.system[0], 0)[theirs]
    return VerdictRows(
        aligned.gold.corpus,
        sentence,
        start,
        start + 1,
        places.document_of[sentence],
        names,
        found.gold_label[order],
        found.system_label[order],
        found.kind[order],
        {
            "side": is_extra.astype(np.int64),
            "gold_head": np.where(mine < 0, -1, _numbers_edge_rows(aligned.gold, *edges.gold)[mine]),
            "system_head": np.where(theirs < 0, -1, _numbers_edge_rows(aligned.system, *edges.system)[theirs]),
        },
        other.take(own_word) if other is not None and is_extra.any() else None,
    )


def _numbers_edge_rows(words: Words, word: Ints, head: Ints) -> Ints:
    """Heads as files have them: 1 is the first word of the sentence, 0 the root; one more behind, for no edge."""
    begin = words.bounds[words.sentence[word]]
    return np.append(np.where(head < 0, 0, head - begin + 1), -1)


def drawn_edges(by: str, systems: Sequence[JudgedUnits]) -> list[Mapping[int, Sequence[tuple[int, int]]]]:
    """Labels and heads of the edges of each side, by words of the gold standard; none where a score is not of edges."""
    sides: list[Mapping[int, Sequence[tuple[int, int]]]] = []
    for words in systems:
        if by not in words.edge_verdicts:
            return []
        edges, units = words.edge_verdicts[by], words.edges[by]
        assert units.heads is not None
        aligned = units.heads.aligned
        if not sides:
            sides.append(_by_word(edges.gold[0], edges.gold[1], units.gold))
        gold_of = np.full(len(aligned.system), -1)
        gold_of[aligned.rows[1]] = aligned.rows[0]
        word, head = edges.system
        sides.append(_by_word(gold_of[word], aligned.heads_in_gold(head), units.system[: len(word)]))
    return sides


def _by_word(word: Ints, head: Ints, label: Ints) -> Mapping[int, Sequence[tuple[int, int]]]:
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, *edge in zip(word.tolist(), label.tolist(), head.tolist(), strict=True):
        found[place].append((edge[0], edge[1]))
    return found


# == tasks/words/answers.py: What several systems say of the same words, or of other unit


def answers_on_words(by: str, systems: Sequence[JudgedUnits]) -> Predictions:
    """What systems say of the words of the gold standard that count, or of its edges and all surplus."""
    first = systems[0]
    units = np.flatnonzero(first.counted)
    gold, part, head = first.gold[units], np.full((len(systems), len(units)), -1), None
    shown = np.stack([system.predicted[units] for system in systems])
    is_missing = np.stack([system.partner[units] < 0 for system in systems])
    kinds: tuple[str, ...] = (*TAG_KINDS, MISSING)
    kind = np.where(shown == gold, 0, 1)
    answer = shown
    if first.heads is not None:
        kinds, head = (*TREE_KINDS, MISSING, EXTRA), first.heads.gold[units]
        part = _heads(systems, units)
        kind = np.where(part == head, 0, 1) + 2 * kind
        answer = {"uas": part, "ls": shown}.get(by, _both(part, shown))
    kind = np.where(is_missing, kinds.index(MISSING), kind)
    found = Predictions(
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
    return found if first.word is None else _with_surplus(found, systems)


def _both(head: Ints, relation: Ints) -> Ints:
    return ((head + 3) << 24) | (relation + 1)


def _heads(systems: Sequence[JudgedUnits], units: Ints) -> Ints:
    """The heads of units under each system: the gold standard's word, -1 for the root, others by their characters.

    Units that a system does not have get -2.
    """
    heads = np.empty((len(systems), len(units)), dtype=np.int64)
    for row, (system, number) in enumerate(zip(systems, _numbers(systems), strict=True)):
        assert system.heads is not None
        partner = system.partner[units]
        heads[row] = np.where(partner < 0, -2, number[np.append(system.heads.system, -1)[partner]])
    return heads


def _numbers(systems: Sequence[JudgedUnits]) -> list[Ints]:
    """Of every system, what its words are called: the gold standard's word or, where it has none, a number of the
    characters; -1 after them is the root.
    """
    numbers, lost, characters = [], [], []
    for system in systems:
        assert system.heads is not None
        aligned = system.heads.aligned
        words, number = aligned.system, np.full(len(aligned.system) + 1, -1)
        number[aligned.rows[1]] = aligned.rows[0]
        lost.append(np.flatnonzero(number[:-1] < 0))
        start, end = words.start[lost[-1]], words.end[lost[-1]]
        begin = words.start[0] if len(words.start) else 0
        characters.append(((start - begin) << 20) | np.minimum(end - start, (1 << 20) - 1))
        numbers.append(number)
    if any(map(len, lost)):
        spans, first = distinct(np.concatenate(characters)), systems[0].heads
        assert first is not None
        for number, words_lost, span in zip(numbers, lost, characters, strict=True):
            number[words_lost] = len(first.aligned.gold) + np.searchsorted(spans, span)
    return numbers


def _with_surplus(found: Predictions, systems: Sequence[JudgedUnits]) -> Predictions:
    """The same with the edges that only systems have."""
    extra = [np.flatnonzero(each.is_extra) for each in systems]
    columns = []
    for each, rows, number in zip(systems, extra, _numbers(systems), strict=True):
        assert each.heads is not None
        assert each.word is not None
        head, word = number[each.heads.system[rows]], number[each.word[rows]]
        columns.append((each.system_sentence[rows], word, head, each.system[rows], *each.place_of_extra(rows)))
    sentence, word, head, label, start, end = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    system = np.repeat(np.arange(len(systems)), list(map(len, extra)))
    key, _ = pack(*((column, empty()) for column in (sentence, word, head, label)))
    key, _ = pack((key, empty()), (occurrences(key, system), empty()))
    _, first, unit = np.unique(key, return_index=True, return_inverse=True)
    size, shape = len(found), (len(systems), len(first))
    has = np.zeros(shape, dtype=np.bool_)
    has[system, unit] = True
    heads = np.full(shape, -2)
    heads[system, unit] = head
    labels = np.where(has, label[first], ABSENT_CODE)

    def widened(table: Ints, more: Ints) -> Ints:
        return np.concatenate((table, more), axis=1)

    assert found.gold_head is not None
    assert found.verdict is not None
    assert found.missing is not None
    nothing = np.zeros_like(has)
    return Predictions(
        label=np.append(found.label, label[first]),
        is_surplus=np.arange(size + len(first)) >= size,
        answer=widened(found.answer, _both(heads, np.where(has, label[first], -1))),
        shown=widened(found.shown, labels),
        right=np.concatenate((found.right, ~has), axis=1),
        part=widened(found.part, heads),
        sentence=np.append(found.sentence, sentence[first]),
        start=np.append(found.start, start[first]),
        end=np.append(found.end, end[first]),
        gold_head=np.append(found.gold_head, np.full(len(first), -2)),
        absent=np.concatenate((np.zeros_like(found.right), ~has), axis=1),
        words=found.words,
        kinds=found.kinds,
        verdict=widened(found.verdict, np.where(has, found.kinds.index(EXTRA), len(found.kinds))),
        missing=np.concatenate((found.missing, nothing), axis=1),
    )


def word_units(by: str, systems: Sequence[JudgedUnits]) -> Units:
    """The same units as an error browser shows them; edges with their heads as places in the sentence."""
    found, first = answers_on_words(by, systems), systems[0]
    predicted = np.where(found.shown < 0, -1, found.shown)
    gold = np.broadcast_to(np.where(found.is_surplus, -1, found.label), predicted.shape)
    partner = np.full(predicted.shape, -1)
    if first.word is not None and first.heads is not None:
        begin = first.heads.aligned.gold.bounds[found.sentence]
        head = np.where(found.part < found.words, found.part, -2)
        partner = np.where(head < 0, head, (head - begin << 32) | (head - begin + 1))
    return units_of(found, found.kind, gold, predicted, partner)


# == tasks/words/passage.py (primary)


PORTION = 1 << 14
"""How many words are judged at a time: enough that the cost of a call does not count."""


class WordJudge(Protocol):
    """Judges the words of one system; tags and trees have one each."""

    def labels(self, words: Words, side: str) -> Ints:
        """The codes of the labels of words on one side."""

    def counted(self, words: Words, labels: Ints) -> Bools:
        """Which words count."""

    def heads(self, aligned: Aligned) -> Heads | None:
        """The heads of both sides; None where there are no trees."""

    def judge(self, words: JudgedUnits) -> tuple[dict[str, Tally], UnitVerdicts | None]:
        """The counts of all judges that are asked, and the verdicts on all words."""


class WordPassage:
    """One pass over the gold standard and all systems."""

    def __init__(self, asked: EvaluationRequest, layers: Sequence[str], judges: Mapping[str, WordJudge]) -> None:
        """`layers` are those of annotations that judges look at, and `judges` those of each system."""
        self._asked, self._judges = asked, judges
        align = asked.settings.align
        firsts, (self._gold, *streams) = zip(
            *(peeked(open_side()) for open_side in (asked.sides.gold, *asked.sides.systems.values())), strict=True
        )
        without = any(first is not None and first.corpus.tokens is None for first in firsts)
        self._by_position = align == "position" or without
        kept = (*layers, *asked.extra_layers)
        self._feeds = {
            name: WordFeed(stream, align, kept, by_position=self._by_position)
            for name, stream in zip(asked.sides.systems, streams, strict=True)
        }
        self._side = WaitingWords(kept, by_position=self._by_position)
        self._documents: list[Ints] = []
        self._judged, self._ends_apart = 0, False
        self._names: dict[int, str] = {}

    def judgements(self, number: Numbering) -> Iterator[WordJudgement]:
        for words, text in self._portions(number):
            shared = reduce(np.intersect1d, [feed.offer(words, text) for feed in self._feeds.values()])
            if len(shared):
                yield self._judge({name: feed.cut(int(shared[-1])) for name, feed in self._feeds.items()})
        rests = {name: feed.finish() for name, feed in self._feeds.items()}
        left = {name: rest for name, rest in rests.items() if rest is not None}
        if left:  # all systems were cut at the same places, so that all have as much left
            self._ends_apart = True
            yield self._judge(left)
        for name, feed in self._feeds.items():
            self._asked.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome(by_position=self._by_position, ends_apart=self._ends_apart)

    def _portions(self, number: Numbering) -> Iterator[tuple[Words, Bytes]]:
        """The gold standard in portions: words and their characters."""
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

    def _judge(self, aligned: Mapping[str, Aligned]) -> WordJudgement:
        asked, names = self._asked, self._asked.vocabulary.labels.values
        found = WordJudgement(self._places(next(iter(aligned.values())).gold), aligned, self._names)
        for place, (name, each) in enumerate(aligned.items()):
            side, words = asked.system_counts[name], _side_by_side(each, self._judges[name])
            found.tallies[name], verdicts = self._judges[name].judge(words)
            found.words[name] = words
            if verdicts is not None and asked.is_watched:
                found.verdicts[name] = verdicts
            if place == 0:  # every system meets all words of the gold standard
                asked.gold_count.add(words.gold[words.counted], names)
            side.add(words.system[words.kept], names)
            side.missing += len(each.gold) - len(each.rows[0])
        return found

    def _places(self, words: Words) -> Locations:
        """Where the next words stand."""
        document_of = np.concatenate(self._documents)
        size, before = words.corpus.sentences, self._judged
        self._judged += size
        self._documents = [document_of[size:]]
        return Locations([words.annotation], before, document_of[:size])


def _side_by_side(aligned: Aligned, judge: WordJudge) -> JudgedUnits:
    words, others = aligned.gold, aligned.system
    gold, system, sentence = judge.labels(words, "gold"), judge.labels(others, "system"), words.sentence
    start = np.arange(len(words)) - words.bounds[sentence]
    return JudgedUnits(
        aligned.rows,
        gold,
        system,
        judge.counted(words, gold),
        judge.counted(others, system),
        sentence,
        start,
        start + 1,
        sentence_of(aligned),
        words.groups,
        judge.heads(aligned),
    )


@dataclass
class WordJudgement:
    """What is said of some words of the gold standard."""

    places: Locations
    aligned: Mapping[str, Aligned]
    names: Mapping[int, str]
    """What documents are called."""
    words: dict[str, JudgedUnits] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    verdicts: dict[str, UnitVerdicts] = field(default_factory=dict)
    _shown: str = ""
    """The score whose units were asked for."""

    @property
    def _first(self) -> JudgedUnits:
        return next(iter(self.words.values()))

    @property
    def groups(self) -> Ints:
        return self._first.groups

    def answers(self, by: str) -> Predictions:
        return answers_on_words(by, self._judged(by))

    def units(self, by: str) -> Units:
        self._shown = by
        return word_units(by, self._judged(by))

    def _judged(self, by: str) -> list[JudgedUnits]:
        """The words of all systems or, where a score is about edges, these."""
        return [word.edges.get(by, word) for word in self.words.values()]

    def drawing(self) -> WordDrawing:
        """All words that count, also those that not all systems have."""
        first, systems = self._first, self.words.values()
        labels = [first.gold, *(system.predicted for system in systems)]
        heads = None
        if first.heads is not None:
            heads = [first.heads.gold, *(system.heads.in_gold(system.partner) for system in systems if system.heads)]
        bounds = next(iter(self.aligned.values())).gold.bounds
        return WordDrawing(bounds, labels, heads, drawn_edges(self._shown, list(systems)))

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        edges = self.words[system].edge_verdicts.get(judge)
        if edges is not None:
            yield edge_rows(self.aligned[system], edges, self.places, self.names), self.places.before
            return
        aligned, found = self.aligned[system], self.verdicts[system]
        gold, is_extra = aligned.gold, found.gold < 0
        order = np.lexsort((found.system, found.gold, is_extra, found.sentence))
        mine, theirs, sentence = (column[order] for column in (found.gold, found.system, found.sentence))
        is_extra = is_extra[order]
        start = np.where(is_extra, -1, mine - gold.bounds[sentence])
        more = {"side": is_extra.astype(np.int64)}
        if self._first.heads is not None:  # as files have them
            more["gold_head"] = np.append(gold.annotation.trees().head, -1)[mine]
            more["system_head"] = np.append(aligned.system.annotation.trees().head, -1)[theirs]
        other = aligned.system.corpus.tokens
        rows = VerdictRows(
            gold.corpus,
            sentence,
            start,
            start + 1,
            self.places.document_of[sentence],
            self.names,
            found.gold_label[order],
            found.system_label[order],
            found.kind[order],
            more,
            other.take(theirs) if other is not None and is_extra.any() else None,
        )
        yield rows, self.places.before


class WordDrawing:
    """A row a word of the gold standard: its label and, of trees, the head's place in the sentence.

    -1 is the root and -2 a head that is elsewhere; None stands for a word that a side does not have. Where edges of
    enhanced dependencies are drawn, label and head of each stand behind.
    """

    def __init__(
        self,
        bounds: Ints,
        labels: Sequence[Ints],
        heads: Sequence[Ints] | None,
        edges: Sequence[Mapping[int, Sequence[tuple[int, int]]]] = (),
    ) -> None:
        """`labels` and `heads` of each side, for all words; labels are -1 where there is no word.

        `edges` are labels and heads of all edges of words, by side and word.
        """
        self._bounds, self._labels, self._heads, self._edges = bounds.tolist(), labels, heads, edges

    def sides(self, sentence: int) -> list[Rows]:
        begin, end = self._bounds[sentence : sentence + 2]
        sides: list[Rows] = []
        for side, labels in enumerate(self._labels):
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                is_here = (begin <= head) & (head < end)
                columns.append(np.where(is_here, head - begin, np.where(head < 0, head, -2)))
            rows: Iterable[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
            if self._edges:
                rows = [(*row, *self._further(side, begin + at, begin, end)) for at, row in enumerate(rows)]
            sides.append(tuple(None if row[0] < 0 else row for row in rows))
        return sides

    def _further(self, side: int, word: int, begin: int, end: int) -> list[int]:
        """Labels and heads of the edges of a word."""
        edges = self._edges[side].get(word, ())
        heads = (head - begin if begin <= head < end else head if head < 0 else -2 for _, head in edges)
        return [number for (label, _), head in zip(edges, heads, strict=True) for number in (label, head)]


# == tasks/words/labels.py: The labels of words under the names that are scored, as code


_MAY_BE = np.array([not chr(byte).isalnum() for byte in range(128)] + [True] * 128)
"""Which bytes can begin a word of punctuation; characters beyond ASCII are looked at one by one."""


class WordLabelFilter:
    """The tags of a column under other names, as codes of a table; every name is looked at once."""

    def __init__(self, coder: StringCoder, table: StringIndex[str], rename: Callable[[str], str]) -> None:
        self._coder, self._table, self._rename = coder, table, rename
        self._new: list[int] = []

    def __call__(self, tags: Tags) -> Ints:
        code = tags.coded(self._coder)
        self._new += [self._table.code(self._rename(name)) for name in self._coder.names[len(self._new) :]]
        return np.array(self._new, dtype=np.int64)[code]


def counted_words(settings: ScoreSettings, words: Words, labels: Ints, names: list[str]) -> Bools:
    """Which words count: those that are no punctuation, and whose labels are chosen."""
    counted = ~is_punctuation(settings["punctuation"], words.annotation)
    if settings.labels or settings.exclude:
        counted &= np.array([settings.chooses(name) for name in names], dtype=np.bool_)[labels]
    return counted


def is_punctuation(policy: Punctuation, annotation: Annotation) -> Bools:
    """Which words of an annotation are punctuation."""
    size = annotation.corpus.token_count or 0
    if policy.by == "keep":
        return np.zeros(size, dtype=np.bool_)
    if policy.by == "relation":
        relation = annotation.trees().relation
        return _named(relation, [name for name in relation.names if without_subtype(name) == "punct"])
    if policy.by == "form":
        tokens = annotation.corpus.tokens
        return np.zeros(size, dtype=np.bool_) if tokens is None else _of_marks(tokens)
    found = np.zeros(size, dtype=np.bool_)
    for column in ("upos", "xpos", "tags"):
        tags = annotation.layers.get(column)
        if isinstance(tags, Tags):
            found |= _named(tags, policy.tags)
    return found


def _named(tags: Tags, names: Sequence[str]) -> Bools:
    code = tags.code
    return np.array([name in names for name in tags.names], dtype=np.bool_)[code]


def _of_marks(tokens: Tokens) -> Bools:
    """Which tokens have only characters that Unicode calls punctuation (categories P)."""
    first = np.frombuffer(tokens.data, dtype=np.uint8)[tokens.start]
    marks = np.zeros(len(tokens), dtype=np.bool_)
    maybe = np.flatnonzero(_MAY_BE[first])
    coder = StringCoder()
    code = coder(tokens.take(maybe))
    is_mark = np.array([all(category(char)[0] == "P" for char in name) for name in coder.names], dtype=np.bool_)
    marks[maybe] = is_mark[code]
    return marks
