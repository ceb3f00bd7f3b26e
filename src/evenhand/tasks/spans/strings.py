"""String measures for language models, which compare strings instead of spans; and the texts that strings are found in.

`normalised` defines the measures.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints, pack
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, join_scores
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally

if TYPE_CHECKING:
    from evenhand.grounding.search import AnswerDocument
    from evenhand.tasks.spans.matching import SpanPair
    from evenhand.tasks.unit_rows import UnitRows

Form = Callable[[str], str]
LabeledOffsets = tuple[int, int, str]
"""Start and end in a text, and a label."""
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Strings instead of spans, as papers on language models report them: positions are ignored.

    In every text (a document if the gold standard has several, otherwise a sentence), both sides have labeled strings:
    of a gold standard or a tagger, the words of their spans joined by blanks; of a language model, its answer.
    P = TP / strings of the system, R = TP / strings of the gold standard; every other string is an FP or an FN.

    - `string-set`: both sides are sets of (label, N(string)), and TP is the size of their intersection. N converts to
      lower case, deletes ASCII punctuation, replaces the words a, an and the by a blank, and collapses white space.
      Repeated strings count once; an empty string still counts.
    - `string-multiset`: both sides are multisets of (label, string), unchanged, and TP is the sum of min(frequency in
      the system, frequency in the gold standard).

    Sources: `string-set` is the score of UniversalNER (Zhou et al. 2024), as its evaluate.py computes it;
    `string-multiset` is string-ent-F1 of UIE (Lu et al. 2022).
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def count_string_set(pair: SpanPair) -> Tally:
    return _count_strings(pair, normalised, is_set=True)


def count_string_multiset(pair: SpanPair) -> Tally:
    return _count_strings(pair, str, is_set=False)


def _count_strings(pair: SpanPair, form: Form, *, is_set: bool) -> Tally:
    """Exact match of strings; in a set, each label and string counts once per text."""
    from evenhand.tasks.spans.fair import exact, tally_spans  # only strings that are scored need it

    assert pair.strings is not None
    gold, system = pair.strings.spans(form)
    if is_set:
        gold, system = (side.take(_distinct(side)) for side in (gold, system))
    return tally_spans(exact(gold, system), gold, system, pair.groups)


def string_set_units(pair: SpanPair) -> UnitRows:
    return _string_units(pair, normalised, is_set=True)


def string_multiset_units(pair: SpanPair) -> UnitRows:
    return _string_units(pair, str, is_set=False)


def _string_units(pair: SpanPair, form: Form, *, is_set: bool) -> UnitRows:
    """Strings, in the positions of the spans that have them; strings of a language model have no positions."""
    from evenhand.tasks.spans.fair import exact
    from evenhand.tasks.spans.measures import CLASS_KINDS
    from evenhand.tasks.unit_rows import Places, UnitRows

    assert pair.strings is not None
    codes: StringIndex[str] = StringIndex()
    sides = pair.strings.spans(form, codes)
    rows = [_distinct(side) if is_set else np.arange(len(side)) for side in sides]
    gold, system = (side.take(chosen) for side, chosen in zip(sides, rows, strict=True))
    matches = exact(gold, system)
    gold_row, system_row = np.append(rows[0], -1)[matches.gold], np.append(rows[1], -1)[matches.system]
    is_extra, one = matches.gold < 0, Places.at(pair.original[0], gold_row)
    nowhere, strings = np.full(len(matches), -1), dict[int, str]()
    other = Places.of(nowhere, nowhere, nowhere)
    if pair.strings.has_positions:
        other = Places.at(pair.placed[1], system_row)
    else:
        scope = np.append(system.scope, -1)[matches.system]
        other = replace(other, sentence=scope)
        strings = {row: codes[int(system.start[matches.system[row]]) // 2] for row in np.flatnonzero(is_extra).tolist()}
    labels = np.append(gold.label, -1)[matches.gold], np.append(system.label, -1)[matches.system]
    place, matched, shapes = other.where(is_extra, one), one.where(is_extra, other), pair.gold.vocabulary.shapes.values
    columns = (*labels, is_extra, matched)
    return UnitRows.of(CLASS_KINDS, matches.kind, place, *columns, shapes=shapes, strings=strings)


def _distinct(spans: Spans) -> Ints:
    """The first of all equal spans of a scope and label."""
    key, _ = pack(*((column, column) for column in (spans.scope, spans.start, spans.label)))
    return np.sort(np.unique(key, return_index=True)[1])


@dataclass(frozen=True)
class LabeledStrings:
    """Labeled strings with the sentences they belong to."""

    vocabulary: Vocabulary
    scope: Ints
    label: Ints
    texts: tuple[str, ...]
    score: Values | None = None
    """The confidence of each string, NaN without one."""

    def __len__(self) -> int:
        return len(self.texts)

    def formed(self, form: Form) -> LabeledStrings:
        return replace(self, texts=tuple(map(form, self.texts)))

    def spans(self, codes: StringIndex[str], first: int = 0) -> Spans:
        """Spans that are equal if the strings are: their positions are string codes, counted from `first`."""
        start = first + 2 * ints([codes.code(text) for text in self.texts])
        return replace(Spans.of(self.vocabulary, self.scope, start, start + 1, self.label), score=self.score)

    @staticmethod
    def of(vocabulary: Vocabulary, rows: Sequence[Row]) -> LabeledStrings:
        label = vocabulary.labels.codes([label for _, label, *_ in rows])
        scores = known_scores([score for *_, score in rows])
        return LabeledStrings(vocabulary, ints([row[0] for row in rows]), label, tuple(row[2] for row in rows), scores)

    @staticmethod
    def concatenate(parts: Sequence[LabeledStrings], scopes: Sequence[int]) -> LabeledStrings:
        """Strings one after the other; the scopes of part i are moved by `scopes[i]`."""
        moved = [replace(part, scope=part.scope + shift) for part, shift in zip(parts, scopes, strict=True)]
        return LabeledStrings(
            parts[0].vocabulary,
            np.concatenate([part.scope for part in moved]),
            np.concatenate([part.label for part in moved]),
            tuple(chain.from_iterable(part.texts for part in moved)),
            join_scores([(part.score, len(part)) for part in moved]),
        )


Row = tuple[int, str, str, float | None]
"""The scope, label and text of a string, and its confidence."""


def known_scores(scores: Sequence[float | None]) -> Values | None:
    """Confidences as a column, NaN for None; None if there are none."""
    if all(score is None for score in scores):
        return None
    return np.array([np.nan if score is None else score for score in scores])


class StringSides:
    """The strings of gold standard and system by text."""

    def __init__(
        self,
        gold: LabeledStrings,
        system: Callable[[StringIndex[str], Form], Spans],
        text_of: Ints,
        *,
        has_positions: bool = True,
    ) -> None:
        """`text_of` has the first sentence of the text of each sentence.

        With `has_positions`, the strings of the system are the words of its spans.
        """
        self._gold, self._system, self._text_of, self.has_positions = gold, system, text_of, has_positions

    def spans(self, form: Form, codes: StringIndex[str] | None = None) -> tuple[Spans, Spans]:
        """Both sides as spans that are equal if their strings are, in a given form; `codes` gets the strings."""
        codes = StringIndex() if codes is None else codes
        gold, system = self._gold.formed(form).spans(codes), self._system(codes, form)
        return self._by_text(gold), self._by_text(system)

    def _by_text(self, spans: Spans) -> Spans:
        return replace(spans, scope=self._text_of[spans.scope])


class UnplacedStrings:
    """Positions for strings that are not in the text: after the end of all sentences, one per string.

    Scorers that compare positions find no match there, and two systems with the same invented string share a unit.
    """

    def __init__(self, lengths: Ints) -> None:
        self._first = int(lengths.max(initial=0)) + 1
        self._codes: StringIndex[str] = StringIndex()

    def spans(self, strings: LabeledStrings) -> Spans:
        return strings.spans(self._codes, self._first)

    def has(self, start: Ints) -> Bools:
        """Which positions belong to such strings."""
        is_unplaced: Bools = start >= self._first
        return is_unplaced

    def text(self, start: int) -> str:
        return self._codes[(start - self._first) // 2]


@dataclass(frozen=True)
class UnitText:
    """The text of a sentence or document: from the file, or tokens joined by blanks and sentences by line feeds."""

    first: int
    """Its first sentence in the batch."""
    text: str
    sentences: tuple[int, ...]
    """Its sentences that are not empty."""
    edges: tuple[int, ...]
    """The begin of each of these."""

    def document(self) -> AnswerDocument:
        """The text as a document to search, which caches search results."""
        from evenhand.grounding.search import AnswerDocument as Document  # slow to load

        return Document(self.text, self.edges[1:])

    def position(self, offset: int) -> tuple[int, int]:
        """The sentence of an offset, and the offset there."""
        at = max(0, bisect_right(self.edges, offset) - 1)
        return self.sentences[at], offset - self.edges[at]


class UnitTexts:
    """The texts of a batch: one per sentence or one per document."""

    def __init__(self, corpus: Corpus, *, by_document: bool) -> None:
        self._corpus, self._tokens = corpus, _token_texts(corpus) if corpus.atoms == "tokens" else None
        self._texts = _character_texts(corpus) if self._tokens is None else self._tokens.texts
        firsts = corpus.documents.tolist() if by_document else range(corpus.sentences)
        self.units = [self._unit(first, end) for first, end in pairwise([*firsts, corpus.sentences])]

    def _unit(self, first: int, end: int) -> UnitText:
        sentences = tuple(sentence for sentence in range(first, end) if self._texts[sentence])
        whole = self._corpus.whole_text(first, end) if sentences else None
        if whole is not None:
            text, begins = whole
            return UnitText(first, text, sentences, tuple(begins[sentence - first] for sentence in sentences))
        edges, offset = list[int](), 0
        for sentence in sentences:
            edges.append(offset)
            offset += len(self._texts[sentence]) + 1
        text = "\n".join(self._texts[sentence] for sentence in sentences)
        return UnitText(first, text, sentences, tuple(edges))

    def atoms(self, unit: Sequence[int], spans: Sequence[tuple[int, int]]) -> tuple[Ints, Ints, Ints, Bools]:
        """For spans in texts: sentence, first atom, end, and whether the span was expanded to whole tokens.

        A span that ends in another sentence belongs to the sentence where it begins.
        """
        first, last = (
            np.array(
                [self.units[at].position(offset) for at, offset in zip(unit, offsets, strict=True)], dtype=np.int64
            )
            for offsets in ([start for start, _ in spans], [end - 1 for _, end in spans])
        )
        (sentence, begin), (other, end) = first.reshape(-1, 2).T, last.reshape(-1, 2).T
        assert self._corpus.bounds is not None
        reach = self._corpus.bounds[other] - self._corpus.bounds[sentence]
        if self._tokens is not None:
            start, stop, grew = self._tokens.covered(sentence, begin, other, end + 1)
        else:
            start, stop = self._characters.positions(sentence, begin), self._characters.positions(other, end + 1)
            grew = np.zeros(len(start), dtype=np.bool_)
        return sentence, start, stop + reach, grew

    @cached_property
    def _characters(self) -> Texts:
        return Texts.of(self._texts)

    def offsets(self, spans: Spans) -> list[list[LabeledOffsets]]:
        """Spans by text as offsets; a span that continues in the next text is cut."""
        if not len(spans):
            return [[] for _ in self.units]
        unit_of = np.repeat(
            np.arange(len(self.units)),
            np.diff([*(unit.first for unit in self.units), self._corpus.sentences]),
        ).tolist()
        offsets: list[list[LabeledOffsets]] = [[] for _ in self.units]
        edge = {
            sentence: edge for unit in self.units for sentence, edge in zip(unit.sentences, unit.edges, strict=True)
        }
        bounds = self._corpus.bounds
        assert bounds is not None
        last = np.searchsorted(bounds, bounds[spans.scope] + spans.end - 1, side="right") - 1
        ends = bounds[spans.scope] + spans.end - bounds[last]
        rows = zip(spans.rows(), last.tolist(), ends.tolist(), strict=True)
        known: dict[int, tuple[list[int], list[int]]] = {}
        for (label, sentence, start, _), other, end in rows:
            for number in (sentence, other):
                if number not in known:
                    known[number] = self._edges(number)
            unit, first = self.units[unit_of[sentence]], known[sentence][0][start] + edge[sentence]
            reach = known[other][1][end - 1] + edge[other] if unit_of[other] == unit_of[sentence] else len(unit.text)
            offsets[unit_of[sentence]].append((first, reach, label))
        return offsets

    def _edges(self, sentence: int) -> tuple[list[int], list[int]]:
        """Begins and ends of the atoms of a sentence in its text."""
        if self._tokens is not None:
            return self._tokens.edges(sentence)
        begins = [at for at, character in enumerate(self._texts[sentence]) if not character.isspace()]
        return begins, [at + 1 for at in begins]


@dataclass(frozen=True)
class _TokenTexts:
    """Sentences from the file, or as tokens joined by blanks, and the offsets of their tokens."""

    texts: list[str]
    bounds: Ints
    start: Ints
    end: Ints

    def covered(self, sentence: Ints, begin: Ints, other: Ints, end: Ints) -> tuple[Ints, Ints, Bools]:
        """First token and end of spans, counted in their first and last sentences; which spans had to grow."""
        starts = np.append(self.start, 0)
        begin, end = begin + starts[self.bounds[sentence]], end + starts[self.bounds[other]]
        one = np.searchsorted(self.end, begin, side="right")
        stop = np.searchsorted(self.start, end, side="left")
        grew = (self.start[one] != begin) | (self.end[stop - 1] != end)
        return one - self.bounds[sentence], stop - self.bounds[other], grew

    def edges(self, sentence: int) -> tuple[list[int], list[int]]:
        begin, stop = self.bounds[sentence : sentence + 2].tolist()
        shift = int(self.start[begin]) if begin < stop else 0
        return (self.start[begin:stop] - shift).tolist(), (self.end[begin:stop] - shift).tolist()


def _token_texts(corpus: Corpus) -> _TokenTexts:
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.has_input_text:
        start, end = (corpus.tokens.characters(edge) for edge in (corpus.tokens.start, corpus.tokens.end))
        return _TokenTexts(list(map(corpus.text, range(corpus.sentences))), corpus.bounds, start, end)
    words = corpus.tokens.texts(0, len(corpus.tokens))
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    end = np.cumsum(lengths + 1) - 1
    texts = [" ".join(words[begin:stop]) for begin, stop in pairwise(corpus.bounds.tolist())]
    return _TokenTexts(texts, corpus.bounds, end - lengths, end)


def _character_texts(corpus: Corpus) -> list[str]:
    """The texts of the file, or tokens that became characters, joined by blanks."""
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.raw is not None:
        return list(map(corpus.text, range(corpus.sentences)))
    data, start, end = corpus.tokens.data, corpus.tokens.start, corpus.tokens.end
    return [
        data[start[begin] : end[stop - 1]].decode() if begin < stop else ""
        for begin, stop in pairwise(corpus.bounds.tolist())
    ]
