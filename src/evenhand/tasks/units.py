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
from evenhand.data.layers import Spans, Tags
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.prf import ratio
from evenhand.settings import Atoms, ScoreSettings
from evenhand.statistics.bootstrap import ONE_THREAD
from evenhand.tasks.unit_rows import Places

RIGHT_OR_WRONG = ("right", "wrong")
MISSING_CODE, ABSENT_CODE = -1, -2
"""Values of `Predictions.shown` for a gold unit that a system lacks, and for a surplus unit of another system."""
_KIND_BITS = 4
"""The lower bits of an answer code, which hold the error type; the others hold the label."""
_LONGEST_WORD = 25
"""Maximum number of characters per word of a context."""
Row = tuple[int, ...]
Rows = tuple[Row | None, ...]
"""Rows of numbers of one side. They are tuples because Python's garbage collector does not scan these again."""


class UnplacedPositions(Protocol):
    """Start positions that are in no sentence. They identify units that are not in the text."""

    def has(self, start: Ints) -> Bools:
        """Which start positions are in no sentence."""

    def text(self, start: int) -> str:
        """The text of the unit that such a start position identifies."""


class Locations:
    """The locations of units in consecutive batches of the gold standard.

    Sentences are numbered from 0 at the beginning of these batches, and documents from 0 in the whole file. Positions
    count the tokens or characters of a sentence. Texts and locations are from the gold standard.
    """

    def __init__(
        self,
        batches: Sequence[Annotation],
        sentences: int,
        document_of: Ints,
        first_document: int = 0,
        unplaced: UnplacedPositions | None = None,
    ) -> None:
        """`sentences` is the number of sentences that precede these batches in the file.

        `document_of` is the document of each sentence of these batches. `first_document` is the first document that
        begins in them, or continues. `unplaced` has the texts of units that are not in the text.
        """
        self._unplaced = unplaced
        self._first_document = first_document
        self._batches = batches
        self._first: list[int] = np.cumsum([0, *(batch.corpus.sentences for batch in batches)]).tolist()
        """The first sentence of each batch, and the number of all sentences."""
        self.before = sentences
        self.document_of = document_of
        self._names: list[str] | None = None
        self._texts: dict[int, str | None] = {}
        self._built: dict[str, Any] = {}

    def corpus(self, sentence: int) -> tuple[Corpus, int]:
        """The corpus that contains a sentence, and the number of the sentence in that corpus."""
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
            # A corpus that continues a document names it again.
            self._names = [
                name
                for batch, corpus in enumerate(corpora)
                for name in corpus.document_names[int(corpus.continues and batch > 0) :]
            ]
        index = number - self._first_document
        return (self._names[index] or None) if 0 <= index < len(self._names) else None

    def location(self, sentence: int, token: int) -> str:
        """The file and the line of a token, `file:line`."""
        corpus, own_sentence = self.corpus(sentence)
        token = int(self._in_text(ints([token]))[0])
        return corpus.location(own_sentence if corpus.bounds is None else int(corpus.bounds[own_sentence]) + token)

    def _in_text(self, start: Ints) -> Ints:
        """These start positions, but 0 (the first token of the sentence) for units that are not in the gold text."""
        return np.where(self.has_no_place(start), 0, start)

    def has_no_place(self, start: Ints) -> Bools:
        """Which units, by their start positions, are not in the gold text.

        These are strings of a language model that are not in the text, and words that only a system has (-1).
        """
        return self.is_unplaced(start) | (start < 0)

    def is_unplaced(self, start: Ints) -> Bools:
        """Which units, by their start positions, are strings of a language model that are not in the text."""
        return np.zeros(len(start), dtype=np.bool_) if self._unplaced is None else self._unplaced.has(start)

    def lines(self, sentence: Ints, token: Ints) -> list[int | None]:
        """The line number of each token; None if the file has no lines."""
        return [None if line < 0 else line for line in self.line_numbers(sentence, token).tolist()]

    def line_numbers(self, sentence: Ints, token: Ints) -> Ints:
        """The line number of each token; -1 if the file has no lines."""
        numbers = np.full(len(sentence), -1)
        token = self._in_text(token)
        batch_of = np.searchsorted(self._first, sentence, side="right") - 1
        for batch in distinct(batch_of).tolist():
            rows = np.flatnonzero(batch_of == batch)
            corpus = self._batches[batch].corpus
            own_sentence = sentence[rows] - self._first[batch]
            own = own_sentence if corpus.bounds is None else corpus.bounds[own_sentence] + token[rows]
            numbers[rows] = corpus.line_numbers(own)
        return numbers

    def of_tokens(self, sentence: Ints, token: Ints) -> list[str]:
        """The file and the line of each token, `file:line`."""
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
        """Cut the words of a sentence at some edges; return the first character and the text of each piece.

        This is for texts whose positions count characters. A piece includes the spaces after it.
        """
        corpus, own = self.corpus(sentence)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        begin, end = corpus.bounds[own : own + 2].tolist()
        starts = corpus.tokens.start[begin:end]
        ends = corpus.tokens.end[begin:end]
        is_cut = np.append(True, starts[1:] > ends[:-1])
        is_cut[[edge for edge in edges if 0 < edge < end - begin]] = True
        cuts = np.flatnonzero(is_cut) if end > begin else np.zeros(0, dtype=np.int64)
        limits = np.append(starts[cuts], ends[-1:])
        data = corpus.tokens.data
        texts = [data[one:other].decode() for one, other in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True)]
        return cuts.tolist(), texts

    def words(self, sentence: int, start: int, end: int, gaps: Sequence[int] = ()) -> str | None:
        """The text of one unit; None if the file has no text.

        `gaps` are the positions in the unit's gaps, counted from its start. Its parts are joined by blanks.
        """
        if (unplaced := self.unplaced_text(start)) is not None:
            return unplaced
        corpus, own = self.corpus(sentence)
        texts = [corpus.quoted(own, *part) for part in parts_of(start, end, gaps)]
        return " ".join(text or "" for text in texts) if any(texts) else texts[0]

    def strings(self, places: Places, shapes: Sequence[tuple[int, ...]] = ((),)) -> list[str | None]:
        """The texts of many units; None if the file has no text, or the unit is a word that only a system has.

        `places.shape` indexes `shapes`, which has the positions in the gaps of a unit. Its parts are joined by blanks.
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
            sentence, start, end = int(places.sentence[row]), int(places.start[row]), int(places.end[row])
            strings[row] = self.words(sentence, start, end, shapes[int(places.shape[row])])
        return strings

    def contexts(self, places: Places, words: int) -> tuple[list[str | None], list[str | None]]:
        """The text before and the text after each of many units: at most `words` words of its sentence.

        A word is a token or, if positions count characters, a sequence without spaces. The text has at most 25
        characters per requested word, because some scripts have no spaces. White space becomes one blank.
        """
        before: list[str | None] = [None] * len(places)
        after = before.copy()
        for corpus, rows, sentence in self._by_batch(places):
            if corpus.tokens is None or corpus.bounds is None:
                continue
            start, end = places.start[rows], places.end[rows]
            unit_begin, unit_end = corpus.quotable_bounds(sentence, start, end)
            window_begin, window_end = corpus.windows(sentence, start, end, words)
            data = corpus.quotable.data
            most = words * _LONGEST_WORD
            offsets = (column.tolist() for column in (rows, window_begin, unit_begin, unit_end, window_end))
            for row, first, begin, stop, last in zip(*offsets, strict=True):
                before[row] = " ".join(data[first:begin].decode().split())[-most:] if most else ""
                after[row] = " ".join(data[stop:last].decode().split())[:most]
        return before, after

    def _by_batch(self, places: Places) -> Iterator[tuple[Corpus, Ints, Ints]]:
        """For each batch with some of these units: its corpus, their rows, and their sentences in the corpus.

        Units that are not in the gold text are left out.
        """
        batch_of = np.searchsorted(self._first, places.sentence, side="right") - 1
        batch_of[self.has_no_place(places.start)] = -1
        for batch in distinct(batch_of).tolist():
            if batch >= 0:
                rows = np.flatnonzero(batch_of == batch)
                yield self._batches[batch].corpus, rows, places.sentence[rows] - self._first[batch]

    def positions(self, sentence: Ints, start: Ints, end: Ints) -> Positions:
        """Positions as users see them: offsets into the input text, if there is one; -1 for units not in the text."""
        columns = np.full((4, len(sentence)), -1)
        batch_of = np.searchsorted(self._first, sentence, side="right") - 1
        is_in_text = ~self.has_no_place(start)
        for batch in distinct(batch_of).tolist():
            rows = np.flatnonzero((batch_of == batch) & is_in_text)
            corpus = self._batches[batch].corpus
            positions = corpus.positions(sentence[rows] - self._first[batch], start[rows], end[rows])
            for column, values in zip(columns, positions.columns, strict=True):
                column[rows] = -1 if values is None else values
        return Positions(self.positions_of, *columns)

    @property
    def positions_of(self) -> Atoms:
        """The unit of `positions`."""
        return self._batches[0].corpus.positions_of if self._batches else "tokens"

    def parts(self, sentence: int, start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]] | None:
        """The positions of each part of a unit, as users see them; None for a unit without gaps (see `words`)."""
        parts = parts_of(start, end, gaps)
        if len(parts) == 1:
            return None
        begins, ends = ints(parts).T
        positions = self.positions(np.full(len(parts), sentence), begins, ends)
        return list(zip(positions.start.tolist(), positions.end.tolist(), strict=True))

    def text_location(self, sentence: int, start: int) -> str | None:
        """The file and the line of the text that a unit's offsets refer to, if this is a system's text; else None."""
        corpus, own = self.corpus(sentence)
        if not corpus.text_of or corpus.bounds is None or self.is_unplaced(ints([start]))[0]:
            return None
        return corpus.text_location(int(corpus.bounds[own]) + start)

    def unplaced_text(self, start: int) -> str | None:
        """The string of a language model that is not in the text; None for any other unit."""
        if self._unplaced is None or not self._unplaced.has(ints([start]))[0]:
            return None
        return self._unplaced.text(start)

    def mention(self, sentence: int, start: int, end: int) -> str:
        """The words of a mention or, if the file has none, its location."""
        return self.words(sentence, start, end) or self.location(sentence, start)

    def word(self, index: int) -> str:
        """The form of a word, which is numbered in all batches; without word forms, its number in its sentence."""
        corpora = iter([batch.corpus for batch in self._batches])
        corpus = next(corpora)
        while index >= (corpus.token_count or 0):
            index -= corpus.token_count or 0
            corpus = next(corpora)
        assert corpus.bounds is not None
        if corpus.tokens is not None:
            return corpus.tokens[index]
        sentence = np.searchsorted(corpus.bounds, index, side="right") - 1
        return f"word {index - int(corpus.bounds[sentence]) + 1}"

    def once(self, name: str, build: Callable[[], Any]) -> Any:
        """What `build` makes of these batches; it is called once per name."""
        if name not in self._built:
            self._built[name] = build()
        return self._built[name]

    @cached_property
    def whole_corpus(self) -> Corpus:
        """All batches as one corpus."""
        return Corpus.concatenate([batch.corpus for batch in self._batches])

    def spans(self, vocabulary: Vocabulary) -> Spans | None:
        """The gold spans of all batches, as the files have them; None if there is no layer of spans."""
        name = next((name for name in ("spans", "gold") if name in self._batches[0].layers), None)
        if name is None:
            return None
        spans = [batch.spans(name).into(vocabulary) for batch in self._batches]
        return Spans.concatenate(spans, self._first[:-1])

    @property
    def sentences(self) -> int:
        return self._first[-1]

    @cached_property
    def ids(self) -> list[str] | None:
        """The ids of sentences, if all batches have them."""
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
        """A layer of tags: the code of each token, the names of the codes, and the first token of each sentence.

        None if a batch lacks the layer.
        """
        layers = [batch.layers.get(extra_layer(name), batch.layers.get(name)) for batch in self._batches]
        bounds = [batch.corpus.bounds for batch in self._batches]
        codes = list[Ints]()
        first_tokens = list[Ints]()
        tokens_before = 0
        names: Sequence[str] = ()
        for layer, bound in zip(layers, bounds, strict=True):
            if not isinstance(layer, Tags) or bound is None:
                return None
            codes.append(layer.code)
            first_tokens.append(bound[:-1] + tokens_before)
            tokens_before += int(bound[-1])
            names = layer.names
        return np.concatenate(codes), names, np.concatenate(first_tokens)


def parts_of(start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]]:
    """Where each part of a unit begins and ends. `gaps` are the positions in its gaps, counted from its start.

    Negative ones are padding.
    """
    parts = list[tuple[int, int]]()
    begin = start
    for gap in (start + gap for gap in gaps if gap >= 0):
        if gap > begin:
            parts.append((begin, gap))
        begin = gap + 1
    return [*parts, (begin, end)]


def tokens_of(corpus: Corpus, sentence: int) -> Sequence[str]:
    """The tokens or characters of a sentence; their numbers from 1, if the file has no text."""
    if corpus.bounds is None:
        return ()
    begin, end = corpus.bounds[sentence : sentence + 2].tolist()
    return _numbers(end - begin) if corpus.tokens is None else corpus.tokens.texts(begin, end)


@lru_cache(1024)
def _numbers(size: int) -> tuple[str, ...]:
    """The numbers from 1 to `size` as strings; cached because files of tags alone need them for many sentences."""
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

    # Columns are arrays of units, or of systems and units: (units) or (systems, units).

    label: Ints
    """(units): the gold label; for surplus, the predicted label."""
    is_surplus: Bools
    """(units)."""
    answer: Ints
    """(systems, units): the prediction as a number; equal numbers are equal predictions."""
    shown: Ints
    """(systems, units): the prediction for display. The code of a tag or a relation; or of an error type and a label
    (`answer_code`); or `MISSING_CODE` or `ABSENT_CODE`."""
    right: Bools
    """(systems, units): whether the prediction is correct."""
    part: Ints
    """(systems, units): a detail of the prediction. Words: the head. Spans: the bounds (start << 32 | end) of the
    matched span. Mentions: the antecedent as an index of units."""
    gold_label: Ints
    """(systems, units): the gold label for which the error type counts, or -1; for surplus, the label it overlaps."""
    predicted: Ints
    """(systems, units): the predicted label, or -1."""
    sentence: Ints
    """(units)."""
    start: Ints
    """(units): the position of the unit in its sentence."""
    end: Ints
    gold_head: Ints | None = None
    """Trees, (units): the gold head as an index of words, -1 for the root."""
    absent: Bools | None = None
    """With surplus, (systems, units): which surplus units a system does not have."""
    edge_head: Ints | None = None
    """Edges, (units): the bounds of the head in the sentence, -1 for the root, -2 if it is in another sentence."""
    gold_antecedent: Ints | None = None
    """Mentions, (units): the closest antecedent in the key as an index of units, or -1."""
    words: int = 0
    """Trees: the number of gold words. A head with a higher index is a token that the gold standard lacks."""
    kinds: tuple[str, ...] = RIGHT_OR_WRONG
    """The error types that the measure counts."""
    verdict: Ints | None = None
    """(systems, units): the error type as an index of `kinds`; higher numbers are types that do not count."""
    shape: Ints | None = None
    """Spans and mentions, (units): the index of their gaps in `shapes`, 0 without gaps."""
    shapes: Sequence[tuple[int, ...]] = ()
    left_out: int = 0
    """Number of gold units that are not compared because not all systems are scored on them."""
    missing: Bools | None = None
    """Words, (systems, units): which gold units a system lacks."""
    columns: Mapping[str, Ints] = field(default_factory=dict)
    """Additional columns of a unit table, by name."""
    score: Values | None = None
    """The confidence of the unit of each system, NaN without one; None if no system has any."""
    target: Ints | None = None
    """Links, (units): the identifier, as a code of labels; of surplus, the identifier that systems predict."""

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

    def take(self, chosen: Bools) -> Predictions:
        """Some of the units; the other gold units count as left out."""
        of_units = ("label", "is_surplus", "sentence", "start", "end", "gold_head", "shape", "target")
        of_systems = ("answer", "shown", "right", "part", "gold_label", "predicted", "absent", "verdict", "missing")
        columns = {name: getattr(self, name) for name in (*of_units, *of_systems, "score")}
        taken = {name: column[..., chosen] for name, column in columns.items() if column is not None}
        return replace(self, **taken, left_out=int(np.count_nonzero(~chosen & ~self.is_surplus)))

    def gaps(self, unit: int) -> tuple[int, ...]:
        """The positions in the gaps of a unit, counted from its start."""
        return () if self.shape is None else tuple(self.shapes[int(self.shape[unit])])

    @property
    def systems(self) -> int:
        return len(self.answer)

    @property
    def kind(self) -> Ints:
        """(systems, units): the error type as an index of `kinds`; by default right or wrong."""
        return np.where(self.right, 0, 1) if self.verdict is None else self.verdict

    @cached_property
    def displayed_label(self) -> Ints:
        """(units): the gold label, or -1 for surplus; a mention always has its type."""
        return self.label if self.gold_antecedent is not None else np.where(self.is_surplus, -1, self.label)

    @property
    def partner(self) -> Ints:
        """The bounds (start << 32 | end) of the span that each system's unit was matched with, or -1.

        For an edge, the bounds of its head.
        """
        if self.edge_head is not None:
            return self.edge_head
        is_span = self.gold_head is None and self.gold_antecedent is None
        return self.part if is_span else np.full_like(self.part, -1)

    def antecedents(self, locations: Locations, unit: int) -> tuple[str, ...]:
        """Mentions: the words of the closest antecedent in the key and of each system; "" without an antecedent."""
        if self.gold_antecedent is None:
            return ()

        def words_of(mention: int) -> str:
            if mention < 0:
                return ""
            return locations.mention(int(self.sentence[mention]), int(self.start[mention]), int(self.end[mention]))

        return tuple(map(words_of, (int(self.gold_antecedent[unit]), *self.part[:, unit].tolist())))

    @property
    def counted(self) -> Ints:
        """The rows of units of the gold standard, and of surplus that at least one system has."""
        is_counted = ~self.is_surplus if self.absent is None else ~self.is_surplus | ~self.absent.all(axis=0)
        return np.flatnonzero(is_counted)


class NameColumn:
    """Applies a function of names to columns of codes; the function is called once per name.

    `names` may grow, even while the function runs, but a name keeps its code.
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
    """For each row, the number of earlier rows with the same key and system."""
    key, _ = pack((key, empty()), (system, empty()))
    order = np.argsort(key, kind="stable")
    is_first = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    index = np.arange(len(key))
    occurrence = np.empty(len(key), dtype=np.int64)
    occurrence[order] = index - np.maximum.accumulate(np.where(is_first, index, 0))
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
    kind = kinds[code & ((1 << _KIND_BITS) - 1)]
    label = (code >> _KIND_BITS) - 1
    return kind if label < 0 or kind in bare else f"{kind} {labels[label]}"


def together(marks: Bools) -> Ints:
    """For every two rows, the number of columns in which both are true.

    This is a matrix product, computed in pieces: NumPy computes each in one thread, and its sums are exact in single
    precision.
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
      match: 2 · equal spans / (spans of one + spans of the other), which is symmetric. For chains, F1 under ARCS, LEA
      and MELA, with each system as the key for every other; it is symmetric except for ARCS_nom and repeated spans.
    - *Correct answers*: 2 · units on which both are correct / (units on which one is correct + units on which the other
      is correct), over the units of the gold standard. For spans, correct is TP.

    Source: Tuggener 2017, section 1.1 (Tables 1 and 2) and appendix (Table 13). The systems of Table 1 have the same
    number of correct answers; the second formula is then the share of these that both have.
    """

    def __init__(self, systems: Sequence[str], by: str, settings: ScoreSettings) -> None:
        self.systems = systems
        self.by = by
        self.settings = settings
        self.equal = np.zeros((len(systems), len(systems)), dtype=np.int64)
        """For every two systems, the number of units with the same prediction."""
        self.both_right = np.zeros_like(self.equal)
        """For every two systems, the number of gold units on which both are correct."""
        self.size = np.zeros(len(systems), dtype=np.int64)
        """The number of units that each system predicts, for subclasses."""
        self.units = np.zeros_like(self.equal)
        """For every two systems, the number of units that count for them."""

    def add(self, evaluation: Any, answers: Predictions) -> None:
        """Count the units of a part. A surplus unit counts for two systems if one of them has it."""
        both_absent = np.zeros_like(self.equal)
        if answers.absent is not None:
            both_absent = together(answers.absent[:, answers.is_surplus])
        for a in range(answers.systems):
            for b in range(a, answers.systems):
                equal = int(np.count_nonzero(answers.answer[a] == answers.answer[b]) - both_absent[a, b])
                self.equal[a, b] += equal
                self.equal[b, a] += equal if a != b else 0
        self.units += len(answers) - both_absent
        self.both_right += together(answers.right[:, ~answers.is_surplus])

    def all_answers(self) -> Values:
        """The score of every system with every other as the key."""
        return ratio(self.equal, self.units)

    def correct_answers(self) -> Values:
        """The share of their correct answers that every two systems have in common."""
        right = np.diag(self.both_right)
        return ratio(2 * self.both_right, right[:, None] + right[None, :])

    def paired(self) -> Mapping[str, Values]:
        """Scores of every system with every other as the key, under measures that a task adds, by measure."""
        return {}

    def bound(self, units: int) -> dict[str, float] | None:
        """The oracle's precision, recall and F1 under exact match, if systems are compared by another score."""
        return None


class SetAgreement(SystemAgreement):
    """Agreement of systems that predict sets, such as spans: F1 under exact match, which is the same both ways."""

    def all_answers(self) -> Values:
        return ratio(2 * self.equal, self.size[:, None] + self.size[None, :])


class DrawnRows:
    """The units of one side, as a page draws them: one row per unit with its label, then positions or other numbers."""

    def __init__(self, sentence: Ints, *columns: Ints, more: Mapping[int, Row] | None = None) -> None:
        """`sentence` and `columns` have a value per unit; `more` has additional cells of some units.

        A word that the side lacks has the label -1. It is drawn as None.
        """
        self._order = np.argsort(sentence, kind="stable")
        self._sentence = sentence[self._order]
        self._columns = [column[self._order] for column in columns]
        self._more: Mapping[int, Row] = more or {}
        self._known: dict[Row, Row] = {}
        """Equal rows are one object because a page keeps many of them."""

    def __call__(self, sentence: int) -> Rows:
        """The rows of a sentence."""
        begin, end = np.searchsorted(self._sentence, (sentence, sentence + 1)).tolist()
        columns = (column[begin:end].tolist() for column in (self._order, *self._columns))
        rows = [(*cells, *self._more.get(unit, ())) for unit, *cells in zip(*columns, strict=True)]
        return tuple(None if row[0] < 0 else self._known.setdefault(row, row) for row in rows)


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
