"""Units as an error browser shows them: what every system has of each, and the two labels that its verdict is about.

A drawing is what every side has in a sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evenhand.arrays import Bools, Ints, Values, distinct, empty, ints, pack
from evenhand.data.annotation import Annotation, extra_layer
from evenhand.data.corpus import Corpus, Positions
from evenhand.data.layers import Tags
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import ratio
from evenhand.settings import Atoms, ScoreSettings
from evenhand.statistics.bootstrap import ONE_THREAD

# == tasks/places.py: Where units are: in which file and line, in which sentence a


class UnplacedPositions(Protocol):
    """Positions that no sentence has, for units that stand nowhere in the text."""

    def has(self, start: Ints) -> Bools:
        """Which positions are such ones."""

    def text(self, start: int) -> str:
        """What the unit at such a position is."""


class Locations:
    """Some sentences of the gold standard: batches that follow each other."""

    def __init__(
        self,
        batches: Sequence[Annotation],
        sentences: int,
        document_of: Ints,
        first_document: int = 0,
        nowhere: UnplacedPositions | None = None,
    ) -> None:
        """`sentences` stand before, and `document_of` is the document of each sentence, over the whole file.

        `first_document` is the first one of these batches, where documents have names; `nowhere` knows the texts of
        units that have no place.
        """
        self._nowhere = nowhere
        self._first_document = first_document
        self._batches = batches
        self._first: list[int] = np.cumsum([0, *(batch.corpus.sentences for batch in batches)]).tolist()
        self.before, self.document_of = sentences, document_of
        self._names: list[str] | None = None
        self._texts: dict[int, str | None] = {}

    def corpus(self, sentence: int) -> tuple[Corpus, int]:
        """The batch that holds a sentence, and its number there."""
        batch = bisect_right(self._first, sentence) - 1
        return self._batches[batch].corpus, sentence - self._first[batch]

    def number(self, sentence: int) -> int:
        """The number of a sentence in the file, from 1."""
        return self.before + sentence + 1

    def document(self, number: int) -> str:
        """What a document is called: its name or, where it has none, its number from 1."""
        return self.name(number) or str(number + 1)

    def name(self, number: int) -> str | None:
        """The name of a document, where it has one."""
        if self._names is None:
            corpora = [batch.corpus for batch in self._batches]
            self._names = [
                name for i, each in enumerate(corpora) for name in each.document_names[int(each.continues and i > 0) :]
            ]
        at = number - self._first_document
        return (self._names[at] or None) if 0 <= at < len(self._names) else None

    def place(self, sentence: int, token: int) -> str:
        """File and line of a token."""
        corpus, own = self.corpus(sentence)
        token = int(self._within(ints([token]))[0])
        return corpus.location(own if corpus.bounds is None else int(corpus.bounds[own]) + token)

    def _within(self, token: Ints) -> Ints:
        """Places of tokens; what stands nowhere belongs to the first one of its sentence."""
        return token if self._nowhere is None else np.where(self.is_nowhere(token), 0, token)

    def is_nowhere(self, start: Ints) -> Bools:
        """Which units, by their first positions, stand nowhere in the text."""
        return np.zeros(len(start), dtype=np.bool_) if self._nowhere is None else self._nowhere.has(start)

    def lines(self, sentence: Ints, token: Ints) -> list[int | None]:
        """The lines of some tokens, where the file has lines."""
        return [None if line < 0 else line for line in self.line_numbers(sentence, token).tolist()]

    def line_numbers(self, sentence: Ints, token: Ints) -> Ints:
        """The same, with -1 for None."""
        numbers, token = np.full(len(sentence), -1), self._within(token)
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        for number in distinct(batch).tolist():
            rows, corpus = np.flatnonzero(batch == number), self._batches[number].corpus
            own = sentence[rows] - self._first[number]
            numbers[rows] = corpus.line_numbers(own if corpus.bounds is None else corpus.bounds[own] + token[rows])
        return numbers

    def places(self, sentence: Ints, token: Ints) -> list[str]:
        """Files and lines of some tokens."""
        sources = [self.corpus(each)[0].source for each in sentence.tolist()]
        lines = self.lines(sentence, token)
        return [source if line is None else f"{source}:{line}" for source, line in zip(sources, lines, strict=True)]

    def text(self, sentence: int) -> str | None:
        """The sentence, which its units share; None where the file has no text."""
        if sentence not in self._texts:
            self._texts[sentence] = self._text(sentence)
        return self._texts[sentence]

    def _text(self, sentence: int) -> str | None:
        corpus, own = self.corpus(sentence)
        if corpus.tokens is None or corpus.bounds is None:
            return None
        return corpus.text(own)

    def pieces(self, sentence: int, edges: Collection[int]) -> tuple[list[int], list[str]]:
        """Of a text of characters: where pieces begin, which are words cut at some edges, and their texts.

        A piece has the spaces behind it.
        """
        corpus, own = self.corpus(sentence)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        begin, end = corpus.bounds[own : own + 2].tolist()
        start, behind = corpus.tokens.start[begin:end], corpus.tokens.end[begin:end]
        is_cut = np.append(True, start[1:] > behind[:-1])
        is_cut[[edge for edge in edges if 0 < edge < end - begin]] = True
        cuts = np.flatnonzero(is_cut) if end > begin else np.zeros(0, dtype=np.int64)
        limits = np.append(start[cuts], behind[-1:])
        data = corpus.tokens.data
        texts = [data[one:other].decode() for one, other in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True)]
        return cuts.tolist(), texts

    def words(self, sentence: int, start: int, end: int, gaps: Sequence[int] = ()) -> str | None:
        """The text of some tokens, or characters, of a sentence; or a unit without a position.

        Of a unit with gaps (atoms counted from its start), the parts, with a space between.
        """
        if (nowhere := self.nowhere_text(start)) is not None:
            return nowhere
        corpus, own = self.corpus(sentence)
        found = [corpus.quoted(own, *part) for part in parts_of(start, end, gaps)]
        return " ".join(part or "" for part in found) if any(found) else found[0]

    def positions(self, sentence: Ints, start: Ints, end: Ints) -> Positions:
        """Positions as users see them: offsets into the input text, if there is one; -1 without a position."""
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        columns = np.full((4, len(sentence)), -1)
        outside = self.is_nowhere(start)
        for number in distinct(batch).tolist():
            rows = np.flatnonzero((batch == number) & ~outside)
            found = self._batches[number].corpus.positions(sentence[rows] - self._first[number], start[rows], end[rows])
            for column, values in zip(columns, found.columns, strict=True):
                column[rows] = -1 if values is None else values
        return Positions(self.positions_of, *columns)

    @property
    def positions_of(self) -> Atoms:
        """What these count."""
        return self._batches[0].corpus.positions_of if self._batches else "tokens"

    def parts(self, sentence: int, start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]] | None:
        """The parts of a unit with gaps (atoms counted from its start), as `positions` counts; None without gaps."""
        parts = parts_of(start, end, gaps)
        if len(parts) == 1:
            return None
        begins, ends = ints(parts).T
        found = self.positions(np.full(len(parts), sentence), begins, ends)
        return list(zip(found.start.tolist(), found.end.tolist(), strict=True))

    def text_place(self, sentence: int, start: int) -> str | None:
        """File and line of the text that offsets count in, where that is the text of a system."""
        corpus, own = self.corpus(sentence)
        if not corpus.text_of or corpus.bounds is None or self.is_nowhere(ints([start]))[0]:
            return None
        return corpus.text_location(int(corpus.bounds[own]) + start)

    def nowhere_text(self, start: int) -> str | None:
        """What a unit is that stands nowhere in the text; None for all others."""
        if self._nowhere is None or not self._nowhere.has(ints([start]))[0]:
            return None
        return self._nowhere.text(start)

    def mention(self, sentence: int, start: int, end: int) -> str:
        """The words of a mention or, where the file has none, its place."""
        return self.words(sentence, start, end) or self.place(sentence, start)

    def word(self, index: int) -> str:
        """A word by its place in the batches, or where there are no words, its number in its sentence."""
        corpus = self._batches[0].corpus
        assert corpus.bounds is not None
        if corpus.tokens is not None:
            return corpus.tokens[index]
        return f"word {index - int(corpus.bounds[np.searchsorted(corpus.bounds, index, side='right') - 1]) + 1}"

    @property
    def lengths(self) -> Ints | None:
        """How many tokens each sentence has, where the file knows."""
        found = [batch.corpus.lengths for batch in self._batches if batch.corpus.lengths is not None]
        return np.concatenate(found) if len(found) == len(self._batches) else None

    def layer(self, name: str) -> tuple[Ints, Sequence[str], Ints] | None:
        """The codes of a layer of tags, their names, and where sentences begin in it."""
        layers = [batch.layers.get(extra_layer(name), batch.layers.get(name)) for batch in self._batches]
        bounds = [batch.corpus.bounds for batch in self._batches]
        codes, starts, before = list[Ints](), list[Ints](), 0
        names: Sequence[str] = ()
        for layer, bound in zip(layers, bounds, strict=True):
            if not isinstance(layer, Tags) or bound is None:
                return None
            codes.append(layer.code)
            starts.append(bound[:-1] + before)
            before += int(bound[-1])
            names = layer.names
        return np.concatenate(codes), names, np.concatenate(starts)


def parts_of(start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]]:
    """What a unit covers, in atoms; gaps are counted from its start, and negative ones are not in the text."""
    found, begin = list[tuple[int, int]](), start
    for gap in (start + gap for gap in gaps if gap >= 0):
        if gap > begin:
            found.append((begin, gap))
        begin = gap + 1
    return [*found, (begin, end)]


def tokens_of(corpus: Corpus, sentence: int) -> Sequence[str]:
    """The tokens of a sentence, or characters; their numbers where the file has none."""
    if corpus.bounds is None:
        return ()
    begin, end = corpus.bounds[sentence : sentence + 2].tolist()
    return _numbers(end - begin) if corpus.tokens is None else corpus.tokens.texts(begin, end)


@lru_cache(1024)
def _numbers(size: int) -> tuple[str, ...]:
    """The numbers of so many tokens, which files of tags alone have in many sentences."""
    return tuple(str(number) for number in range(1, size + 1))


# == tasks/answers.py: What several systems say of the same units: the common groun


RIGHT_OR_WRONG = ("right", "wrong")
_KIND_BITS = 4
"""The bits of an answer's code that hold its error type; the label is above them."""
MISSING_CODE, ABSENT_CODE = -1, -2
"""What is shown of a unit of the gold standard that a system lacks, and of surplus that it does not have."""


@dataclass(frozen=True)
class Predictions:
    """What several systems say of the same units: the common ground of all comparisons.

    Tags and trees: a unit is a word of the gold standard. What a system says of it is its tag; its head and relation
    (`las`), its head (`uas`) or its relation (`ls`). A head for which the gold standard has no word is identified by
    its characters, so a system never differs from itself. A word that a system lacks is wrong under it.

    Enhanced dependencies (`elas`, `eulas`): a unit is an edge of the gold standard, or one that only systems have.

    Spans: a unit is a span of the gold standard, and what a system says of it is its verdict, with the label that the
    system gave it. A system's span that no gold span's verdict used up is *surplus*, a unit of its own, told by
    sentence, bounds, tokens, label and occurrence; its verdict is TN under the systems that do not have it as surplus.

    Sources: Tuggener 2017, section 2 (Algorithm 1), for tags and trees; Ortmann 2022 for the verdicts on spans.
    """

    label: Ints
    """The gold label; of surplus, its own."""
    is_surplus: Bools
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    shown: Ints
    """What is shown of it: the code of a tag or relation, or of a class of verdict and label, or a code as above."""
    right: Bools
    part: Ints
    """What may differ behind the same answer or make up a part of it: head, bounds of the span, or antecedent."""
    sentence: Ints
    start: Ints
    """The unit's place in its sentence, in tokens."""
    end: Ints
    gold_head: Ints | None = None
    """Of trees: the gold standard's heads; heads are places among its words, -1 for the root."""
    absent: Bools | None = None
    """Where there is surplus: which units are not surplus under which system."""
    gold_label: Ints | None = None
    """Of spans: the gold label that each verdict counts for, -1 for none; surplus has that of the span it overlaps."""
    gold_antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key, by its place among the units; -1 for none."""
    words: int = 0
    """Of trees: how many words of the gold standard there are; heads from there on are other tokens."""
    kinds: tuple[str, ...] = RIGHT_OR_WRONG
    """The kinds of verdicts that a match model counts."""
    verdict: Ints | None = None
    """What each system has of every unit, as a place in `kinds` (or behind them, where it does not count)."""
    shape: Ints | None = None
    """Of spans and mentions: the code of the atoms that each leaves out (0: none), in `shapes`."""
    shapes: Sequence[tuple[int, ...]] = ()
    left_out: int = 0
    """How many units of the gold standard are not compared, because not all systems are scored on them."""
    missing: Bools | None = None
    """Of words: which units of the gold standard each system lacks."""

    def __len__(self) -> int:
        return len(self.label)

    def take(self, shared: Bools) -> Predictions:
        """Some of the units; those of the gold standard that are not among them are left out."""
        of_units = ("label", "is_surplus", "sentence", "start", "end", "gold_head", "shape")
        of_systems = ("answer", "shown", "right", "part", "absent", "gold_label", "verdict", "missing")
        found = {name: getattr(self, name) for name in (*of_units, *of_systems)}
        taken = {name: column[..., shared] for name, column in found.items() if column is not None}
        return replace(self, **taken, left_out=int(np.count_nonzero(~shared & ~self.is_surplus)))

    def gaps(self, unit: int) -> tuple[int, ...]:
        """The atoms that a unit leaves out, counted from its start."""
        return () if self.shape is None else tuple(self.shapes[int(self.shape[unit])])

    @property
    def systems(self) -> int:
        return len(self.answer)

    @property
    def kind(self) -> Ints:
        """What each system has of every unit: its verdict or, where there is none, whether it is right."""
        return np.where(self.right, 0, 1) if self.verdict is None else self.verdict

    @cached_property
    def told(self) -> Ints:
        """The gold label; -1 for surplus, but mentions have a type in any case."""
        return self.label if self.gold_antecedent is not None else np.where(self.is_surplus, -1, self.label)

    @property
    def counted(self) -> Ints:
        """The units that are there under some system, or in the gold standard."""
        here = ~self.is_surplus if self.absent is None else ~self.is_surplus | ~self.absent.all(axis=0)
        return np.flatnonzero(here)


def occurrences(key: Ints, system: Ints) -> Ints:
    """The number of equal keys of the same system before each."""
    key, _ = pack((key, empty()), (system, empty()))
    order = np.argsort(key, kind="stable")
    begins = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    place = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
    return occurrence


def answer_code(kind: Ints, label: Ints) -> Ints:
    """An error type and the label that a system gave (-1: none), as one number."""
    code: Ints = ((label + 1) << _KIND_BITS) | kind
    return code


def answer_parts(code: Ints) -> tuple[Ints, Ints]:
    """The error types and labels of codes."""
    return code & ((1 << _KIND_BITS) - 1), (code >> _KIND_BITS) - 1


def answer_text(code: int, labels: Sequence[str], kinds: Sequence[str], bare: Collection[str] = ()) -> str:
    """An error type with the label that the system gave, if any; `bare` are the types without one."""
    kind, label = kinds[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1
    return kind if label < 0 or kind in bare else f"{kind} {labels[label]}"


def together(marks: Bools) -> Ints:
    """For every two rows, in how many columns both have a mark.

    A product of matrices, in pieces that are left to one thread; their sums are exact in single precision.
    """
    step = max(1, ONE_THREAD // max(1, len(marks)) ** 2)
    found = np.zeros((len(marks), len(marks)), dtype=np.int64)
    for start in range(0, marks.shape[1], step):
        piece = marks[:, start : start + step].astype(np.float32)
        found += (piece @ piece.T).astype(np.int64)
    return found


# == tasks/agreement.py: Agreement: how much two systems are alike, whoever is right.


class Agreement:
    """Agreement: how much two systems are alike, whoever is right.

    - *All answers*: the score of one system with the other as the key. For tags and trees, units with the same answer /
      N, which is 1 - difference; two systems that lack a word say the same of it. For spans, F1 under exact match: 2
      equal spans / spans of both; it is the same both ways. For chains, F1 under ARCS, LEA and MELA, with each system
      as the key for each other; it is the same both ways, but for ARCS_nom and where spans are repeated.
    - *Correct answers*: 2 units that both have right / (units that one has right + units that the other has right),
      over the units of the gold standard. For spans, right is TP.

    Source: Tuggener 2017, section 1.1 (Tables 1 and 2) and appendix (Table 13). The systems of Table 1 have equally
    many correct answers, for which the second formula is the share of these that both have.
    """

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        self.systems, self.by, self.settings = systems, by, settings
        self.equal = np.zeros((len(systems), len(systems)), dtype=np.int64)
        self.both_right = np.zeros_like(self.equal)
        self.size = np.zeros(len(systems), dtype=np.int64)
        self.units = np.zeros_like(self.equal)

    def add(self, judgement: Any, answers: Predictions) -> None:
        """Count the units of a portion; surplus counts for the pairs of which one system has it."""
        absent = np.zeros_like(self.equal)
        if answers.absent is not None:
            absent = together(answers.absent[:, answers.is_surplus])
        for a in range(answers.systems):
            for b in range(a, answers.systems):
                equal = int(np.count_nonzero(answers.answer[a] == answers.answer[b]) - absent[a, b])
                self.equal[a, b] += equal
                self.equal[b, a] += equal if a != b else 0
        self.units += len(answers) - absent
        self.both_right += together(answers.right[:, ~answers.is_surplus])

    def all_answers(self) -> Values:
        """The score of every system with every other as the key."""
        return ratio(self.equal, self.units)

    def correct_answers(self) -> Values:
        right = np.diag(self.both_right)
        return ratio(2 * self.both_right, right[:, None] + right[None, :])

    def paired(self) -> Mapping[str, Values]:
        """Further scores of systems with each other as the key, by name."""
        return {}

    def bound(self, units: int) -> dict[str, float] | None:
        """The precision, recall and F1 of an oracle under exact match, where that is another score."""
        return None


class SetAgreement(Agreement):
    """Agreement of systems that predict sets, such as spans: F1 under exact match, which is the same both ways."""

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])


# == tasks/units.py (primary)


Row = tuple[int, ...]
Rows = tuple[Row, ...] | tuple[Row | None, ...]
"""Rows of numbers of one side. Tuples, as Python's garbage collector need not scan those again."""


class SentenceView(Protocol):
    """The annotation of all sides, of which the gold standard is the first."""

    def sides(self, sentence: int) -> list[Rows]:
        """What each side has in a sentence: rows of numbers."""


@runtime_checkable
class LinkedDrawing(SentenceView, Protocol):
    """A drawing of spans that are linked."""

    def links(self, sentence: int) -> list[Rows]:
        """The links of each side in a sentence: rows of label, and the places of both ends among the side's rows."""


@dataclass(frozen=True)
class Units:
    """Some units: a column a unit and, in tables, a row a system. Labels are codes, -1 for none."""

    sentence: Ints
    start: Ints
    end: Ints
    label: Ints
    """The unit's own label: the gold standard's, or that of surplus."""
    surplus: Bools
    """Which units are not in the gold standard."""
    kind: Ints
    gold: Ints
    """The gold label that a verdict counts for."""
    predicted: Ints
    answer: Ints
    """What each system says, as a number that is the same for the same answer."""
    right: Bools
    partner: Ints
    """Of spans: the bounds (start << 32 | end) of what a unit was matched with; -1 for nothing."""
    shape: Ints | None = None
    """Of spans and mentions: the code of the atoms that each leaves out (0: none), in `shapes`."""
    shapes: Sequence[tuple[int, ...]] = ()
    antecedent: Ints | None = None
    """Of mentions: the closest antecedent in the key (the first row) and under each system, by its place here."""

    def gaps(self, rows: Ints) -> dict[int, tuple[int, ...]]:
        """Of some units, by their place among these: the atoms that those with gaps leave out."""
        if self.shape is None:
            return {}
        shape = self.shape[rows]
        return {row: tuple(self.shapes[int(shape[row])]) for row in np.flatnonzero(shape).tolist()}

    def antecedents(self, places: Locations, unit: int) -> tuple[str, ...]:
        """Of mentions: the words of their antecedents; empty where there are none."""
        if self.antecedent is None:
            return ()
        return tuple(self._words(places, other) for other in self.antecedent[:, unit].tolist())

    def _words(self, places: Locations, unit: int) -> str:
        if unit < 0:
            return ""
        return places.mention(int(self.sentence[unit]), int(self.start[unit]), int(self.end[unit]))


def rows_by_sentence(sentence: Ints, *columns: Ints) -> dict[int, list[Row]]:
    """Rows of numbers, by sentence."""
    rows: dict[int, list[Row]] = {}
    for number, *row in zip(*(column.tolist() for column in (sentence, *columns)), strict=True):
        rows.setdefault(number, []).append(tuple(row))
    return rows


def matched_columns(units: Units) -> dict[str, Ints]:
    """Columns of a table of one system's units: which side has each, and the bounds of what it was matched with."""
    bounds = units.partner[0]
    return {
        "side": units.surplus.astype(np.int64),
        "matched_start": np.where(bounds < 0, -1, bounds >> 32),
        "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
    }


def units_of(answers: Predictions, kind: Ints, gold: Ints, predicted: Ints, partner: Ints) -> Units:
    """The units of a comparison, with the kind of verdict of each system and the labels that it is about."""
    return Units(
        answers.sentence,
        answers.start,
        answers.end,
        answers.label,
        answers.is_surplus,
        kind,
        gold,
        predicted,
        answers.answer,
        answers.right,
        partner,
        answers.shape,
        answers.shapes,
    )
