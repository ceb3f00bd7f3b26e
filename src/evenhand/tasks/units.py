"""Units of evaluation: their locations in the files, the predictions of several systems, the similarity of systems."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from evenhand.arrays import Bools, Ints, Values, distinct, empty, ints, pack
from evenhand.data.annotation import Annotation, extra_layer
from evenhand.data.corpus import Corpus, Positions, complete
from evenhand.data.layers import Tags
from evenhand.data.tokens import Tokens
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import ratio
from evenhand.settings import Atoms, ScoreSettings
from evenhand.statistics.bootstrap import ONE_THREAD
from evenhand.tasks.unit_rows import Places

RIGHT_OR_WRONG = ("right", "wrong")
MISSING_CODE, ABSENT_CODE = -1, -2
"""Codes shown for a gold unit that a system lacks, and for surplus of other systems."""
_KIND_BITS = 4
"""The lower bits of an answer code, which hold the error type; the others hold the label."""
_LONGEST_WORD = 25
"""Maximum number of characters per word of a context."""
Row = tuple[int, ...]
Rows = tuple[Row | None, ...]
"""Rows of numbers of one side. Tuples, because Python's garbage collector does not scan them again."""


class UnplacedPositions(Protocol):
    """Positions outside all sentences, for units that are not in the text."""

    def has(self, start: Ints) -> Bools:
        """Which positions are outside."""

    def text(self, start: int) -> str:
        """The text of the unit at such a position."""


class Locations:
    """The locations of units in consecutive batches of the gold standard."""

    def __init__(
        self,
        batches: Sequence[Annotation],
        sentences: int,
        document_of: Ints,
        first_document: int = 0,
        unplaced: UnplacedPositions | None = None,
    ) -> None:
        """`sentences` is the number of preceding sentences, `document_of` the document of each sentence in the file.

        `first_document` is the first document of these batches, if documents have names; `unplaced` has the texts of
        units that are not in the text.
        """
        self._unplaced = unplaced
        self._first_document = first_document
        self._batches = batches
        self._first: list[int] = np.cumsum([0, *(batch.corpus.sentences for batch in batches)]).tolist()
        self.before, self.document_of = sentences, document_of
        self._names: list[str] | None = None
        self._texts: dict[int, str | None] = {}

    def corpus(self, sentence: int) -> tuple[Corpus, int]:
        """The corpus with a sentence, and the number of the sentence there."""
        batch = bisect_right(self._first, sentence) - 1
        return self._batches[batch].corpus, sentence - self._first[batch]

    def number(self, sentence: int) -> int:
        """The number of a sentence in the file, from 1."""
        return self.before + sentence + 1

    def document(self, number: int) -> str:
        """The name of a document or, if it has none, its number from 1."""
        return self.name(number) or str(number + 1)

    def name(self, number: int) -> str | None:
        """The name of a document, if it has one."""
        if self._names is None:
            corpora = [batch.corpus for batch in self._batches]
            self._names = [
                name
                for number, corpus in enumerate(corpora)
                for name in corpus.document_names[int(corpus.continues and number > 0) :]
            ]
        at = number - self._first_document
        return (self._names[at] or None) if 0 <= at < len(self._names) else None

    def location(self, sentence: int, token: int) -> str:
        """File and line of a token."""
        corpus, own = self.corpus(sentence)
        token = int(self._within(ints([token]))[0])
        return corpus.location(own if corpus.bounds is None else int(corpus.bounds[own]) + token)

    def _within(self, token: Ints) -> Ints:
        """Positions of tokens; units that are not in the text get the first token of their sentence."""
        return np.where(self.has_no_place(token), 0, token)

    def has_no_place(self, start: Ints) -> Bools:
        """Which units, by their start, are not in the gold text: strings of a language model, words of a system."""
        return self.is_unplaced(start) | (start < 0)

    def is_unplaced(self, start: Ints) -> Bools:
        """Which units, by their start, are not in the text."""
        return np.zeros(len(start), dtype=np.bool_) if self._unplaced is None else self._unplaced.has(start)

    def lines(self, sentence: Ints, token: Ints) -> list[int | None]:
        """The line numbers of tokens, or None if the file has no lines."""
        return [None if line < 0 else line for line in self.line_numbers(sentence, token).tolist()]

    def line_numbers(self, sentence: Ints, token: Ints) -> Ints:
        """The line numbers of tokens, or -1."""
        numbers, token = np.full(len(sentence), -1), self._within(token)
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        for number in distinct(batch).tolist():
            rows, corpus = np.flatnonzero(batch == number), self._batches[number].corpus
            own = sentence[rows] - self._first[number]
            numbers[rows] = corpus.line_numbers(own if corpus.bounds is None else corpus.bounds[own] + token[rows])
        return numbers

    def of_tokens(self, sentence: Ints, token: Ints) -> list[str]:
        """Files and lines of some tokens."""
        sources = [self.corpus(number)[0].source for number in sentence.tolist()]
        lines = self.lines(sentence, token)
        return [source if line is None else f"{source}:{line}" for source, line in zip(sources, lines, strict=True)]

    def text(self, sentence: int) -> str | None:
        """The text of a sentence, cached; None if the file has no text."""
        if sentence not in self._texts:
            corpus, own = self.corpus(sentence)
            has_text = corpus.tokens is not None and corpus.bounds is not None
            self._texts[sentence] = corpus.text(own) if has_text else None
        return self._texts[sentence]

    def pieces(self, sentence: int, edges: Collection[int]) -> tuple[list[int], list[str]]:
        """The pieces of a text of characters, which are words cut at some edges: their starts and texts.

        A piece includes the following spaces.
        """
        corpus, own = self.corpus(sentence)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        begin, end = corpus.bounds[own : own + 2].tolist()
        starts, ends = corpus.tokens.start[begin:end], corpus.tokens.end[begin:end]
        is_cut = np.append(True, starts[1:] > ends[:-1])
        is_cut[[edge for edge in edges if 0 < edge < end - begin]] = True
        cuts = np.flatnonzero(is_cut) if end > begin else np.zeros(0, dtype=np.int64)
        limits = np.append(starts[cuts], ends[-1:])
        data = corpus.tokens.data
        texts = [data[one:other].decode() for one, other in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True)]
        return cuts.tolist(), texts

    def words(self, sentence: int, start: int, end: int, gaps: Sequence[int] = ()) -> str | None:
        """The text of tokens or characters of a sentence, or of a unit without a position.

        The parts of a unit with gaps (atoms counted from its start) are joined by spaces.
        """
        if (unplaced := self.unplaced_text(start)) is not None:
            return unplaced
        corpus, own = self.corpus(sentence)
        texts = [corpus.quoted(own, *part) for part in parts_of(start, end, gaps)]
        return " ".join(text or "" for text in texts) if any(texts) else texts[0]

    def strings(self, places: Places, shapes: Sequence[tuple[int, ...]] = ((),)) -> list[str | None]:
        """The texts of many units; None if the file has no text, or the unit is a word that only a system has.

        The parts of a unit with gaps, whose shapes are codes of `shapes`, are joined by spaces.
        """
        strings: list[str | None] = [None] * len(places)
        for corpus, rows, sentences in self._by_batch(places):
            if corpus.tokens is None or corpus.bounds is None:
                continue
            begin, stop = corpus.quotable_bounds(sentences, places.start[rows], places.end[rows])
            texts = Tokens(corpus.quotable.data, begin, stop).texts(0, len(rows))
            for row, text in zip(rows.tolist(), texts, strict=True):
                strings[row] = text
        for row in np.flatnonzero(self.is_unplaced(places.start)).tolist():
            strings[row] = self.unplaced_text(int(places.start[row]))
        for row in np.flatnonzero((places.shape != 0) & ~self.has_no_place(places.start)).tolist():
            sentence, start, end, shape = (int(column[row]) for column in vars(places).values())
            strings[row] = self.words(sentence, start, end, shapes[shape])
        return strings

    def contexts(self, places: Places, words: int) -> tuple[list[str | None], list[str | None]]:
        """The words before and after many units, at most `words` of their sentences; white space is one blank.

        Words are tokens or, if positions are characters, what spaces separate. A side has at most 25 characters per
        word, because some scripts have no spaces.
        """
        before: list[str | None] = [None] * len(places)
        after = before.copy()
        for corpus, rows, sentence in self._by_batch(places):
            if corpus.tokens is None or corpus.bounds is None:
                continue
            start, end = places.start[rows], places.end[rows]
            begin, stop = corpus.quotable_bounds(sentence, start, end)
            first, last = corpus.windows(sentence, start, end, words)
            data, most = corpus.quotable.data, words * _LONGEST_WORD
            columns = (column.tolist() for column in (rows, first, begin, stop, last))
            for row, one, two, three, four in zip(*columns, strict=True):
                before[row] = " ".join(data[one:two].decode().split())[-most:] if most else ""
                after[row] = " ".join(data[three:four].decode().split())[:most]
        return before, after

    def _by_batch(self, places: Places) -> Iterator[tuple[Corpus, Ints, Ints]]:
        """The corpus of each batch that has some of these units, their rows, and their sentences there."""
        batch = np.searchsorted(self._first, places.sentence, side="right") - 1
        batch[self.has_no_place(places.start)] = -1
        for number in distinct(batch).tolist():
            if number >= 0:
                rows = np.flatnonzero(batch == number)
                yield self._batches[number].corpus, rows, places.sentence[rows] - self._first[number]

    def positions(self, sentence: Ints, start: Ints, end: Ints) -> Positions:
        """Positions as users see them: offsets into the input text, if there is one; -1 without a position."""
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        columns = np.full((4, len(sentence)), -1)
        outside = self.has_no_place(start)
        for number in distinct(batch).tolist():
            rows = np.flatnonzero((batch == number) & ~outside)
            corpus = self._batches[number].corpus
            positions = corpus.positions(sentence[rows] - self._first[number], start[rows], end[rows])
            for column, values in zip(columns, positions.columns, strict=True):
                column[rows] = -1 if values is None else values
        return Positions(self.positions_of, *columns)

    @property
    def positions_of(self) -> Atoms:
        """The unit of `positions`."""
        return self._batches[0].corpus.positions_of if self._batches else "tokens"

    def parts(self, sentence: int, start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]] | None:
        """The parts of a unit with gaps (atoms counted from its start) as `positions`; None without gaps."""
        parts = parts_of(start, end, gaps)
        if len(parts) == 1:
            return None
        begins, ends = ints(parts).T
        positions = self.positions(np.full(len(parts), sentence), begins, ends)
        return list(zip(positions.start.tolist(), positions.end.tolist(), strict=True))

    def text_location(self, sentence: int, start: int) -> str | None:
        """File and line of the text that offsets refer to, if it is the text of a system."""
        corpus, own = self.corpus(sentence)
        if not corpus.text_of or corpus.bounds is None or self.is_unplaced(ints([start]))[0]:
            return None
        return corpus.text_location(int(corpus.bounds[own]) + start)

    def unplaced_text(self, start: int) -> str | None:
        """The string of a unit that is not in the text; None for all others."""
        if self._unplaced is None or not self._unplaced.has(ints([start]))[0]:
            return None
        return self._unplaced.text(start)

    def mention(self, sentence: int, start: int, end: int) -> str:
        """The words of a mention or, if the file has none, its location."""
        return self.words(sentence, start, end) or self.location(sentence, start)

    def word(self, index: int) -> str:
        """A word by its index in the batches or, without word forms, its number in its sentence."""
        corpora = iter([batch.corpus for batch in self._batches])
        corpus = next(corpora)
        while index >= (corpus.token_count or 0):
            index, corpus = index - (corpus.token_count or 0), next(corpora)
        assert corpus.bounds is not None
        if corpus.tokens is not None:
            return corpus.tokens[index]
        return f"word {index - int(corpus.bounds[np.searchsorted(corpus.bounds, index, side='right') - 1]) + 1}"

    @property
    def sentences(self) -> int:
        return self._first[-1]

    @cached_property
    def ids(self) -> list[str] | None:
        """The ids of sentences, if all files have them."""
        ids = complete([batch.corpus.ids for batch in self._batches])
        return None if ids is None else [text for part in ids for text in part.texts(0, len(part))]

    @property
    def are_files(self) -> bool:
        """Whether documents are named by the paths of their files."""
        return any(batch.corpus.is_file for batch in self._batches)

    @property
    def lengths(self) -> Ints | None:
        """The number of tokens of each sentence, if known."""
        lengths = [batch.corpus.lengths for batch in self._batches if batch.corpus.lengths is not None]
        return np.concatenate(lengths) if len(lengths) == len(self._batches) else None

    def layer(self, name: str) -> tuple[Ints, Sequence[str], Ints] | None:
        """The codes of a layer of tags, their names, and the first token of each sentence."""
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
    """The parts of a unit in atoms; gaps are counted from its start, and negative ones are ignored."""
    parts, begin = list[tuple[int, int]](), start
    for gap in (start + gap for gap in gaps if gap >= 0):
        if gap > begin:
            parts.append((begin, gap))
        begin = gap + 1
    return [*parts, (begin, end)]


def tokens_of(corpus: Corpus, sentence: int) -> Sequence[str]:
    """The tokens or characters of a sentence, or their numbers if the file has none."""
    if corpus.bounds is None:
        return ()
    begin, end = corpus.bounds[sentence : sentence + 2].tolist()
    return _numbers(end - begin) if corpus.tokens is None else corpus.tokens.texts(begin, end)


@lru_cache(1024)
def _numbers(size: int) -> tuple[str, ...]:
    """Token numbers as strings, cached because files of tags alone need them for many sentences."""
    return tuple(str(number) for number in range(1, size + 1))


@dataclass(frozen=True)
class Predictions:
    """Predictions of several systems for the same units, the input of every comparison.

    Tags and trees: a unit is a word of the gold standard. The prediction is its tag; its head and relation (`las`), its
    head (`uas`) or its relation (`ls`). A head without a word in the gold standard is identified by its characters, so
    a system never differs from itself. A word that a system lacks is an error of this system.

    Enhanced dependencies (`elas`, `eulas`): a unit is an edge of the gold standard, or an edge that only systems have.

    Spans: a unit is a span of the gold standard, and the prediction is its error type with the predicted label. A
    system span that is not part of a gold span's unit is *surplus*, a separate unit, identified by sentence, bounds,
    tokens, label and occurrence; it is TN for the systems that do not have it as surplus.

    Sources: Tuggener 2017, section 2 (Algorithm 1), for tags and trees; Ortmann 2022 for the error types of spans.
    """

    label: Ints
    """The gold label; of surplus, the predicted label."""
    is_surplus: Bools
    answer: Ints
    """The prediction of each system as a number; equal numbers are equal predictions."""
    shown: Ints
    """The prediction for display: the code of a tag or relation, of error type and label, or one of the codes above."""
    right: Bools
    part: Ints
    """A detail of the prediction: the head, the bounds (start << 32 | end) of the matched span, or the antecedent."""
    gold_label: Ints
    """The gold label that the error type of each system counts for, or -1; of surplus, the label it overlaps."""
    predicted: Ints
    """The label that each system predicts, or -1."""
    sentence: Ints
    start: Ints
    """The position of the unit in its sentence, in tokens."""
    end: Ints
    gold_head: Ints | None = None
    """Trees: the gold heads as indices of words, -1 for the root."""
    absent: Bools | None = None
    """With surplus: which surplus units each system does not have."""
    edge_head: Ints | None = None
    """Edges: the bounds of the head in the sentence, -1 for the root, -2 if it is elsewhere."""
    gold_antecedent: Ints | None = None
    """Mentions: the closest antecedent in the key as an index of units, or -1."""
    words: int = 0
    """Trees: the number of gold words; higher heads are other tokens."""
    kinds: tuple[str, ...] = RIGHT_OR_WRONG
    """The error types that the measure counts."""
    verdict: Ints | None = None
    """The error type of every unit for each system as an index of `kinds` (or beyond, if it does not count)."""
    shape: Ints | None = None
    """Spans and mentions: the code of their gaps in `shapes` (0: none)."""
    shapes: Sequence[tuple[int, ...]] = ()
    left_out: int = 0
    """Number of gold units that are not compared because not all systems are scored on them."""
    missing: Bools | None = None
    """Words: which gold units each system lacks."""
    columns: Mapping[str, Ints] = field(default_factory=dict)
    """Additional columns of a unit table."""
    score: Values | None = None
    """The confidence of the unit of each system, NaN without one; None if no system has any."""

    @classmethod
    def of_codes(
        cls, codes: Ints, kinds: tuple[str, ...], right: Sequence[int], absent: int, **columns: Any
    ) -> Predictions:
        """Predictions whose answers are codes of an error type and a label; `absent` is the type of absent surplus."""
        kind, predicted = answer_parts(codes)
        return cls(
            answer=codes,
            shown=codes,
            right=np.isin(kind, right),
            predicted=predicted,
            absent=kind == absent,
            kinds=kinds,
            verdict=kind,
            **columns,
        )

    def __len__(self) -> int:
        return len(self.label)

    def take(self, shared: Bools) -> Predictions:
        """Some of the units; the other gold units count as left out."""
        of_units = ("label", "is_surplus", "sentence", "start", "end", "gold_head", "shape")
        of_systems = ("answer", "shown", "right", "part", "gold_label", "predicted", "absent", "verdict", "missing")
        columns = {name: getattr(self, name) for name in (*of_units, *of_systems, "score")}
        taken = {name: column[..., shared] for name, column in columns.items() if column is not None}
        return replace(self, **taken, left_out=int(np.count_nonzero(~shared & ~self.is_surplus)))

    def gaps(self, unit: int) -> tuple[int, ...]:
        """The atoms in the gaps of a unit, counted from its start."""
        return () if self.shape is None else tuple(self.shapes[int(self.shape[unit])])

    @property
    def systems(self) -> int:
        return len(self.answer)

    @property
    def kind(self) -> Ints:
        """The error type of every unit for each system or, without error types, right or wrong."""
        return np.where(self.right, 0, 1) if self.verdict is None else self.verdict

    @cached_property
    def displayed_label(self) -> Ints:
        """The gold label, -1 for surplus; mentions always have a type."""
        return self.label if self.gold_antecedent is not None else np.where(self.is_surplus, -1, self.label)

    @property
    def partner(self) -> Ints:
        """The bounds (start << 32 | end) of the span that a unit was matched with; of an edge, of its head; or -1."""
        if self.edge_head is not None:
            return self.edge_head
        is_span = self.gold_head is None and self.gold_antecedent is None
        return self.part if is_span else np.full_like(self.part, -1)

    def antecedents(self, locations: Locations, unit: int) -> tuple[str, ...]:
        """Mentions: the words of the closest antecedent in the key and of each system, or empty."""
        if self.gold_antecedent is None:
            return ()
        others = (int(self.gold_antecedent[unit]), *self.part[:, unit].tolist())
        bounds = [(int(self.sentence[other]), int(self.start[other]), int(self.end[other])) for other in others]
        return tuple("" if other < 0 else locations.mention(*own) for other, own in zip(others, bounds, strict=True))

    @property
    def counted(self) -> Ints:
        """The units of the gold standard or of at least one system."""
        here = ~self.is_surplus if self.absent is None else ~self.is_surplus | ~self.absent.all(axis=0)
        return np.flatnonzero(here)


class NameColumn:
    """A function of names as a function of their codes; every name is looked up once.

    Names may be added later, also by the function, but keep their codes.
    """

    def __init__(self, names: Sequence[str], function: Callable[[str], int]) -> None:
        self._names, self._function, self._values = names, function, list[int]()

    def __call__(self, codes: Ints) -> Ints:
        size = int(codes.max(initial=-1)) + 1
        self._values += [self._function(name) for name in self._names[len(self._values) : size]]
        return ints(self._values)[codes] if size else codes


def unit_scores(systems: Sequence[tuple[Values | None, Sequence[tuple[Ints, Ints]]]], units: int) -> Values | None:
    """The confidences of units under each system, from pairs of units and rows of the system (-1: none)."""
    if all(score is None for score, _ in systems):
        return None
    scores = np.full((len(systems), units), np.nan)
    for own, (score, rows_of_units) in zip(scores, systems, strict=True):
        for unit, row in rows_of_units:
            own[unit] = np.nan if score is None else np.append(score, np.nan)[row]
    return scores


def occurrences(key: Ints, system: Ints) -> Ints:
    """The number of equal keys of the same system before each."""
    key, _ = pack((key, empty()), (system, empty()))
    order = np.argsort(key, kind="stable")
    begins = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    index = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = index - np.maximum.accumulate(np.where(begins, index, 0))
    return occurrence


def answer_code(kind: Ints, label: Ints) -> Ints:
    """An error type and a predicted label (-1: none) as one number."""
    code: Ints = ((label + 1) << _KIND_BITS) | kind
    return code


def answer_parts(code: Ints) -> tuple[Ints, Ints]:
    """The error types and labels of codes."""
    return code & ((1 << _KIND_BITS) - 1), (code >> _KIND_BITS) - 1


def answer_text(code: int, labels: Sequence[str], kinds: Sequence[str], bare: Collection[str] = ()) -> str:
    """An error type with the predicted label, if there is one; `bare` are types shown without it."""
    kind, label = kinds[code & ((1 << _KIND_BITS) - 1)], (code >> _KIND_BITS) - 1
    return kind if label < 0 or kind in bare else f"{kind} {labels[label]}"


def together(marks: Bools) -> Ints:
    """For every two rows, the number of columns in which both have a mark.

    This is a matrix product in pieces that NumPy computes in one thread; their sums are exact in single precision.
    """
    step = max(1, ONE_THREAD // max(1, len(marks)) ** 2)
    counts = np.zeros((len(marks), len(marks)), dtype=np.int64)
    for start in range(0, marks.shape[1], step):
        piece = marks[:, start : start + step].astype(np.float32)
        counts += (piece @ piece.T).astype(np.int64)
    return counts


class SystemAgreement:
    """Similarity of two systems' predictions, regardless of the gold standard.

    - *All answers*: the score of one system with the other as the key. For tags and trees, units with the same
      prediction / N, which is 1 - difference; two systems that both lack a word agree on it. For spans, F1 under exact
      match: 2 equal spans / spans of both, which is symmetric. For chains, F1 under ARCS, LEA and MELA, with each
      system as the key for each other; it is symmetric except for ARCS_nom and repeated spans.
    - *Correct answers*: 2 units that both have right / (units that one has right + units that the other has right),
      over the units of the gold standard. For spans, right is TP.

    Source: Tuggener 2017, section 1.1 (Tables 1 and 2) and appendix (Table 13). The systems of Table 1 have the same
    number of correct answers; the second formula is then the share of these that both have.
    """

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        self.systems, self.by, self.settings = systems, by, settings
        self.equal = np.zeros((len(systems), len(systems)), dtype=np.int64)
        self.both_right = np.zeros_like(self.equal)
        self.size = np.zeros(len(systems), dtype=np.int64)
        self.units = np.zeros_like(self.equal)

    def add(self, evaluation: Any, answers: Predictions) -> None:
        """Count the units of a part; surplus counts for pairs with a system that has it."""
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
        """Additional scores of systems with each other as the key, by name."""
        return {}

    def bound(self, units: int) -> dict[str, float] | None:
        """The precision, recall and F1 of an oracle under exact match, if that is a different score."""
        return None


class SetAgreement(SystemAgreement):
    """Agreement of systems that predict sets, such as spans: F1 under exact match, which is the same both ways."""

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])


class DrawnRows:
    """The rows of one side by sentence, as a page draws them: a label, then positions or other numbers."""

    def __init__(self, sentence: Ints, *columns: Ints, more: Mapping[int, Row] | None = None) -> None:
        """`more` are additional cells by row. A word that the side lacks has the label -1, and None as its row."""
        self._order = np.argsort(sentence, kind="stable")
        self._sentence, self._columns = sentence[self._order], [column[self._order] for column in columns]
        self._more: Mapping[int, Row] = more or {}
        self._known: dict[Row, Row] = {}
        """Equal rows are one object because a page keeps many of them."""

    def __call__(self, sentence: int) -> Rows:
        """The rows in a sentence."""
        rows = slice(*np.searchsorted(self._sentence, (sentence, sentence + 1)).tolist())
        columns = (column[rows].tolist() for column in (self._order, *self._columns))
        cells = [(*row, *self._more.get(index, ())) for index, *row in zip(*columns, strict=True)]
        return tuple(None if row[0] < 0 else self._known.setdefault(row, row) for row in cells)


@dataclass(frozen=True)
class SentenceView:
    """The annotation of all sides by sentence, the gold standard first."""

    rows: Sequence[DrawnRows]
    linked: Sequence[DrawnRows] = ()
    """Links between rows of the same side: label, and the indices of both ends among the rows of the sentence."""

    def sides(self, sentence: int) -> list[Rows]:
        """The rows of each side in a sentence."""
        return [rows(sentence) for rows in self.rows]

    def links(self, sentence: int) -> list[Rows]:
        """The links of each side in a sentence."""
        return [rows(sentence) for rows in self.linked]
