"""Training data: which strings and sentences of a test set a system has seen.

A *word* is a token or, in a text without tokens, a sequence of letters and digits or any other single character (of
scripts without spaces, each character). The *string* of a unit is its words joined by spaces. The strings of a relation
are those of its two arguments, and the label of a link is its target.

- `seen`: the first that holds: *same* (training has this string as a span with this label), *other* (as a span, only
  with other labels), *case* (as a span, only in other case), *unlabelled* (the words occur in a sentence of the
  training text, never as a span), *new* (not at all).
- `oov`: whether *none*, *some* or *all* words of the unit do not occur in training (case-sensitive).
- `consistency`: c = the string's spans in training with the unit's label / the string's spans in training; case is
  ignored. *new* (no such span), *0* (c = 0), *≤ .5* (0 < c ≤ ½), *< 1* (½ < c < 1), *1* (c = 1).
- `frequency`: how often the string (case ignored) is a gold span in training or, without training data, in this gold
  standard: 0, 1, 2-4, 5-19, 20+.
- `ambiguity`: the number of labels that spans with this string have in training and in the gold standard together: 1,
  2, 3+ (0: only a system has the string).
- `oov-density`: words that do not occur in training / words of the sentence.
- `leaked`: *yes* if training has a sentence with the same words, else *no*.

Leakage compares sentences: *exact* (same words) and *loose* (same words, case ignored, with every digit as 0). A
document is shared if training has at least 80 % of its sentences. A sentence of the test set is repeated if another one
has the same words.

Case is ignored by Unicode's case folding. Words, strings and sentences are compared by hash values of 64 bits.

Sources: Fu et al. 2020 for consistency, frequency and density; Augenstein et al. 2017 for seen and unseen names; this
project for the classes of `seen` and for leakage.
"""

from __future__ import annotations

import filecmp
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Bools, Ints, Values, Words, ints, ranges, windows
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, Characters, Tokens, masks
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, nearest
from evenhand.parameters import TRAIN
from evenhand.pipeline.inputs import Input, RunConfig, batches_of, is_same_file, name_of, open_sides, paths_of
from evenhand.tasks.evaluation import LabelFilter
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.units import Locations, Predictions

Units = Predictions | UnitRows
Spelling = Literal["same", "folded", "loose"]
"""How words are compared: unchanged, without case, or without case and with every digit as 0."""
LONG = 5
"""The least number of words of a sentence whose occurrence in training is unlikely to be chance."""
SHARED_DOCUMENT = 0.8
"""The least share of the sentences of a shared document that training has."""
_MAX_NGRAMS = 16
"""The number of lengths whose n-grams are kept."""
_ASCII_UPPER, _ASCII_LOWER = (bytes(range(ord(first), ord(first) + 26)) for first in "Aa")
_FOLDED = bytes.maketrans(_ASCII_UPPER, _ASCII_LOWER)
_LOOSE = bytes.maketrans(_ASCII_UPPER + b"123456789", _ASCII_LOWER + b"0" * 9)
_DIGIT = re.compile(r"\d")
_SCRIPTS_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
"""The first words of the Unicode names of their characters."""


# Hash values


def _mixed(values: Words) -> Words:
    """Spread the bits of 64-bit numbers (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


def _hashes(tokens: Tokens) -> Words:
    """The hash values of words, from eight bytes at a time."""
    lengths = tokens.lengths
    values = _mixed((tokens.heads & masks(lengths)) ^ lengths.astype(np.uint64) << np.uint64(56))
    text = windows(tokens.data)
    done = 8
    rows = np.flatnonzero(lengths > done)
    while len(rows):
        values[rows] = _mixed(values[rows] ^ (text[tokens.start[rows] + done] & masks(lengths[rows] - done)))
        done += 8
        rows = rows[lengths[rows] > done]
    return values


def _spelled_hashes(tokens: Tokens, spelling: Spelling) -> Words:
    """The hash values of words under a spelling.

    ASCII text is converted as a whole. Other words are converted one by one, each distinct word once.
    """
    if not len(tokens):
        return np.zeros(0, dtype=np.uint64)
    first, last = int(tokens.start.min()), int(tokens.end.max())
    data = tokens.data[first:last]
    words = Tokens(data + PADDING, tokens.start - first, tokens.end - first)
    if spelling == "same":
        return _hashes(words)
    plain = data.translate(_FOLDED if spelling == "folded" else _LOOSE)
    values = _hashes(Tokens(plain + PADDING, words.start, words.end))
    before = np.append(0, np.cumsum(np.frombuffer(data, dtype=np.uint8) >= 128, dtype=np.int32))
    rows = np.flatnonzero(before[words.end] > before[words.start])
    if len(rows):
        others = words.take(rows)
        _, chosen, index = np.unique(_hashes(others), return_index=True, return_inverse=True)
        texts = [others[row].casefold() for row in chosen.tolist()]
        if spelling == "loose":
            texts = [_DIGIT.sub("0", text) for text in texts]
        values[rows] = _hashes(Tokens.of(texts))[index]
    return values


def _sequence_hashes(values: Words, sizes: Ints) -> Words:
    """The hash values of consecutive sequences of words: the sum of value k times a base to the power of k."""
    ends = np.cumsum(sizes)
    powers = np.full(int(sizes.max(initial=0)) + 1, 0x9E3779B97F4A7C15, dtype=np.uint64)
    powers[:1] = 1
    powers = np.cumprod(powers, dtype=np.uint64)
    index = np.arange(len(values)) - np.repeat(ends - sizes, sizes)
    sums = np.zeros(len(values) + 1, dtype=np.uint64)
    np.cumsum(values * powers[index], out=sums[1:])
    return np.asarray(sums[ends] - sums[ends - sizes])


def _joined(left: Words, right: Words) -> Words:
    """The hash value of each pair."""
    return _mixed(left ^ _mixed(right + np.uint64(1)))


@dataclass(frozen=True)
class HashCounts:
    """How often each hash value occurs."""

    values: Words
    """Sorted, without repetitions."""
    counts: Ints

    @staticmethod
    def of(values: Words) -> HashCounts:
        return HashCounts(*np.unique(values, return_counts=True))

    def __call__(self, values: Words) -> Ints:
        """The number of occurrences of these values."""
        row = np.searchsorted(self.values, values)
        row[row == len(self.values)] = 0
        if not len(self.values):
            return np.zeros(len(values), dtype=np.int64)
        return np.where(self.values[row] == values, self.counts[row], 0)


# Words of a text


class TextWords:
    """The words of a text, by sentence; positions of units are converted to words."""

    def __init__(self, corpus: Corpus, *, is_split: bool) -> None:
        """With `is_split`, tokens are divided like a text, because the other text has no tokens."""
        assert corpus.bounds is not None
        self._source = corpus.source
        self._bounds = self.bounds = corpus.bounds
        self._position_atoms: Ints | None = None
        """The first character of each token, and the end, if positions are tokens that are divided."""
        self._first_atom: Ints | None = None
        """The first character of each word, and the end; None if words are the atoms of positions."""
        self._tokens = corpus.tokens
        if corpus.tokens is None or (corpus.atoms == "tokens" and not is_split):
            return
        self._atoms = corpus.tokens
        bounds = corpus.bounds
        if corpus.atoms == "tokens":
            text, edges = corpus.tokens.spaced()
            data = text.tobytes() + PADDING
            self._atoms = Characters.within(data, ints([0]), ints([len(text)]))
            self._position_atoms = np.searchsorted(self._atoms.start, edges)
            bounds = self._position_atoms[bounds]
        if corpus.token_edges is not None and not is_split:
            self._first_atom, self.bounds = corpus.token_edges.atoms, corpus.token_edges.bounds
        else:
            begins = np.flatnonzero(_begins_word(self._atoms, bounds))
            self._first_atom = np.append(begins, len(self._atoms))
            self.bounds = np.searchsorted(begins, bounds)
        first = self._first_atom
        atoms = self._atoms
        self._tokens = Tokens(atoms.data, atoms.start[first[:-1]], atoms.end[first[1:] - 1])

    @property
    def tokens(self) -> Tokens:
        """The words; files of tags alone have none, but the numbers of their words are known."""
        if self._tokens is None:
            raise SettingError(f"{self._source} has no words, so words and strings cannot be compared.")
        return self._tokens

    @cached_property
    def lengths(self) -> Ints:
        """The number of words of each sentence."""
        return np.diff(self.bounds)

    @cached_property
    def exact(self) -> Words:
        """The hash values of all words."""
        return _spelled_hashes(self.tokens, "same")

    def sentences(self, spelling: Spelling) -> Words:
        """The hash values of all sentences."""
        values = self.exact if spelling == "same" else _spelled_hashes(self.tokens, spelling)
        return _sequence_hashes(values, self.lengths)

    def of_units(self, places: Places) -> tuple[Ints, Ints]:
        """The first word of each unit, and the end."""
        begin, stop = self._atoms_of(places)
        if self._first_atom is None:
            return begin, stop
        first = np.searchsorted(self._first_atom[:-1], begin, side="right") - 1
        return first, np.maximum(np.searchsorted(self._first_atom[:-1], stop), first)

    def _atoms_of(self, places: Places) -> tuple[Ints, Ints]:
        """The first atom of each unit, and the end."""
        begin = self._bounds[places.sentence] + places.start
        stop = np.minimum(self._bounds[places.sentence] + places.end, self._bounds[-1])
        if self._position_atoms is None:
            return begin, stop
        return self._position_atoms[begin], self._position_atoms[stop]

    def rows_of_units(self, places: Places, shapes: Sequence[tuple[int, ...]]) -> tuple[Ints, Ints]:
        """The words of all units, one unit after the other, without words in their gaps; and the number of each."""
        first, end = self.of_units(places)
        sizes = end - first
        rows = ranges(first, sizes)
        gapped = np.flatnonzero(places.shape)
        if not len(gapped):
            return rows, sizes
        is_kept = np.ones(len(rows), dtype=np.bool_)
        ends = np.cumsum(sizes)
        for unit in gapped.tolist():  # there are few discontinuous units
            gaps = ints([gap for gap in shapes[int(places.shape[unit])] if gap >= 0])
            starts = places.start[unit] + gaps
            at = np.full(len(gaps), places.sentence[unit])
            begin, stop = self.of_units(Places.of(at, starts, starts + 1))
            inside = np.isin(rows[ends[unit] - sizes[unit] : ends[unit]], ranges(begin, stop - begin))
            is_kept[ends[unit] - sizes[unit] : ends[unit]] = ~inside
        before = np.append(0, np.cumsum(is_kept))
        return rows[is_kept], before[ends] - before[ends - sizes]

    def strings(self, places: Places, shapes: Sequence[tuple[int, ...]], spelling: Spelling) -> Words:
        """The hash values of the strings of units. A unit that begins or ends within a word has only a part of it."""
        rows, sizes = self.rows_of_units(places, shapes)
        words = self.tokens.take(rows)
        if self._first_atom is None and spelling == "same":
            return _sequence_hashes(self.exact[rows], sizes)
        if self._first_atom is not None and len(rows):
            begin, stop = self._atoms_of(places)
            units = np.flatnonzero(sizes)
            last = np.cumsum(sizes)[units] - 1
            start, end = words.start.copy(), words.end.copy()
            head = last + 1 - sizes[units]
            start[head] = np.maximum(start[head], self._atoms.start[begin[units]])
            end[last] = np.minimum(end[last], self._atoms.end[stop[units] - 1])
            words = Tokens(words.data, start, end)
        return _sequence_hashes(_spelled_hashes(words, spelling), sizes)


def _begins_word(atoms: Tokens, bounds: Ints) -> Bools:
    """Which characters begin a word; a word does not continue into the next sentence."""
    joins = _joins(atoms)
    begins = np.ones(len(atoms), dtype=np.bool_)
    begins[1:] = ~(joins[1:] & joins[:-1]) | (atoms.start[1:] != atoms.end[:-1])
    begins[bounds[:-1][bounds[:-1] < len(atoms)]] = True
    return begins


def _joins(atoms: Tokens) -> Bools:
    """Which characters form words with their neighbours."""
    values = atoms.heads & masks(atoms.lengths)
    distinct, index = np.unique(values, return_inverse=True)
    texts = (int(value).to_bytes(8, "little").rstrip(b"\0").decode() for value in distinct.tolist())
    return np.array([_forms_words(text) for text in texts], dtype=np.bool_)[index]


def _forms_words(character: str) -> bool:
    is_of_word = character.isalnum() or unicodedata.category(character or " ").startswith("M")
    return is_of_word and not unicodedata.name(character, "").startswith(_SCRIPTS_WITHOUT_SPACES)


# The index of a text


class TextIndex:
    """The words, sentences and labeled strings of training data or of a gold standard, as hash values."""

    def __init__(self, name: str, labels: StringIndex[str]) -> None:
        """`labels` may be shared with another index, so codes of labels can be compared."""
        self.name = name
        self.labels = labels
        self.label_counts: dict[str, int] = {}
        """The number of units of each label, in the order of their first occurrence."""
        self.has_text = self.has_lengths = True
        self._columns: dict[str, list[Any]] = {}
        self._ids: list[str] | None = []
        """The ids of sentences; None if some have none."""
        self._documents = 0
        self.has_document_names = True

    def add(self, batch: Annotation, units: tuple[Spans, ...], *, is_split: bool) -> None:
        """Add a batch with its units: spans, or the heads and the tails of relations."""
        corpus = batch.corpus
        first = self._documents - int(corpus.continues and self._documents > 0)
        document = corpus.document_of(np.arange(corpus.sentences)) + first
        self._documents = first + len(corpus.documents)
        self.has_document_names &= all(corpus.document_names)
        if corpus.ids is None:
            self._ids = None
        elif self._ids is not None:
            self._ids += corpus.ids.texts(0, corpus.sentences)
        self.has_lengths &= corpus.bounds is not None
        self.has_text &= self.has_lengths and corpus.tokens is not None
        if not self.has_lengths:
            return
        words = TextWords(corpus, is_split=is_split)
        columns: dict[str, Any] = {"lengths": words.lengths, "document": document}
        if self.has_text:
            columns |= {"words": words.exact}
            columns |= {"same_sentence": words.sentences("same"), "loose_sentence": words.sentences("loose")}
        if units and self.has_text:
            code = units[0].vocabulary.labels.into(self.labels)
            label = code[units[0].label] if len(units[0]) else units[0].label
            shapes = units[0].vocabulary.shapes.values
            places = [Places.of(spans.scope, spans.start, spans.end, np.asarray(spans.shape)) for spans in units]
            of_units = {
                "same": _strings_of(words, places, shapes, "same"),
                "folded": _strings_of(words, places, shapes, "folded"),
                "label": label,
                "of_sentence": np.bincount(units[0].scope, minlength=corpus.sentences),
            }
            columns |= of_units
            distinct, start, counts = np.unique(label, return_index=True, return_counts=True)
            for row in np.argsort(start).tolist():
                name = self.labels[int(distinct[row])]
                self.label_counts[name] = self.label_counts.get(name, 0) + int(counts[row])
        for name, column in columns.items():
            self._columns.setdefault(name, []).append(column)

    def column(self, name: str, kind: type = np.int64) -> Any:
        """A column of all batches: by word, by sentence or by unit."""
        parts = self._columns.get(name, [])
        if len(parts) != 1:
            self._columns[name] = [np.concatenate(parts) if parts else np.zeros(0, dtype=kind)]
        return self._columns[name][0]

    def ids_of(self, chosen: Bools) -> frozenset[str] | None:
        """The ids of some sentences; None if sentences have no ids."""
        return None if self._ids is None else frozenset(self._ids[row] for row in np.flatnonzero(chosen).tolist())

    @property
    def documents(self) -> int:
        return self._documents

    @cached_property
    def _vocabulary(self) -> HashCounts:
        return HashCounts.of(self.column("words", np.uint64))

    @cached_property
    def _ngrams(self) -> dict[int, Words]:
        return {}

    @cached_property
    def _strings(self) -> dict[tuple[Spelling, bool], HashCounts]:
        return {}

    def has_words(self, values: Words) -> Bools:
        """Which words occur."""
        return self._vocabulary(values) > 0

    def has_sequences(self, values: Words, sizes: Ints) -> Bools:
        """Which sequences of words, with these numbers of words, occur within a sentence."""
        occurs = np.zeros(len(values), dtype=np.bool_)
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            ngrams = self._of_length(size)
            at = np.minimum(np.searchsorted(ngrams, values[rows]), max(len(ngrams) - 1, 0))
            occurs[rows] = ngrams[at] == values[rows] if len(ngrams) else False
        return occurs

    def _of_length(self, size: int) -> Words:
        """The sorted n-grams of a length. Those of a few lengths are kept."""
        if size in self._ngrams:
            return self._ngrams[size]
        words, lengths = self.column("words", np.uint64), self.column("lengths")
        remaining = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(words))
        first = np.flatnonzero(remaining >= size) if size else np.zeros(0, dtype=np.int64)
        values = np.zeros(len(first), dtype=np.uint64)
        power = np.uint64(1)
        for k in range(size):
            values += words[first + k] * power
            power = np.uint64(int(power) * 0x9E3779B97F4A7C15 % 2**64)
        ngrams: Words = np.sort(values)
        if len(self._ngrams) < _MAX_NGRAMS:
            self._ngrams[size] = ngrams
        return ngrams

    def spans(self, values: Words, spelling: Literal["same", "folded"], label: Ints | None = None) -> Ints:
        """The number of units with these strings and, if specified, these labels (-1: none has it)."""
        key = spelling, label is not None
        if key not in self._strings:
            strings = self.column(spelling, np.uint64)
            self._strings[key] = HashCounts.of(_with_label(strings, self.column("label")) if key[1] else strings)
        return self._strings[key](values if label is None else _with_label(values, label))

    def pairs(self) -> tuple[Words, Ints]:
        """The strings and labels of all units."""
        return self.column("same", np.uint64), self.column("label")

    @cached_property
    def repeated(self) -> int:
        """The number of sentences whose words occur more than once."""
        counts = HashCounts.of(self.column("same_sentence", np.uint64)[self.column("lengths") > 0]).counts
        return int(counts[counts > 1].sum())

    @property
    def sentences(self) -> int:
        """The number of sentences with words."""
        return int(np.count_nonzero(self.column("lengths")))

    @property
    def units(self) -> int | None:
        """The number of units; None if they have no labels."""
        return len(self.column("label")) if "of_sentence" in self._columns else None

    @cached_property
    def document_lengths(self) -> Ints:
        """The number of words of each document."""
        sums = np.bincount(self.column("document"), self.column("lengths"), minlength=self._documents)
        return sums.astype(np.int64)

    @cached_property
    def words_before(self) -> Ints:
        """The number of words of the document before each sentence."""
        lengths, document = self.column("lengths"), self.column("document")
        before = np.cumsum(lengths) - lengths
        first = np.searchsorted(document, np.arange(self._documents))
        return np.asarray(before - before[np.minimum(first, len(before) - 1)][document])

    def shared_sentences(self, other: TextIndex, spelling: Literal["same", "loose"]) -> Bools:
        """Which sentences occur in another text; empty sentences do not."""
        name = f"{spelling}_sentence"
        counts = HashCounts.of(other.column(name, np.uint64)[other.column("lengths") > 0])
        return np.asarray((counts(self.column(name, np.uint64)) > 0) & (self.column("lengths") > 0))


def _strings_of(
    words: TextWords, places: Sequence[Places], shapes: Sequence[tuple[int, ...]], spelling: Spelling
) -> Words:
    """The strings of units with one place each, or with a head and a tail."""
    first, *others = (words.strings(place, shapes, spelling) for place in places)
    for other in others:
        first = _joined(first, other)
    return first


def _with_label(strings: Words, label: Ints) -> Words:
    return _joined(strings, label.astype(np.uint64))


# Training data and gold standard


@dataclass(frozen=True)
class Background:
    """The indexes of a gold standard and of training data, which attributes of units need."""

    gold: TextIndex
    train: TextIndex | None = None
    is_split: bool = False
    """Whether words are divided because a text has no tokens."""

    @property
    def training(self) -> TextIndex:
        assert self.train is not None
        return self.train

    def label_codes(self, labels: StringIndex[str], codes: Ints) -> Ints:
        """Codes of labels of the run as codes of both indexes; -1 for labels that neither has."""
        known = ints([-1 if (code := self.gold.labels.find(label)) is None else code for label in labels.values])
        return np.append(known, -1)[codes]

    @cached_property
    def ambiguity(self) -> HashCounts:
        """The number of labels of each string in training and in the gold standard."""
        indexes = [index for index in (self.train, self.gold) if index is not None]
        strings, labels = (
            np.concatenate(columns) for columns in zip(*(index.pairs() for index in indexes), strict=True)
        )
        _, first = np.unique(_with_label(strings, labels), return_index=True)
        return HashCounts.of(strings[first])

    @cached_property
    def leaked(self) -> Bools:
        """Which sentences of the gold standard occur in training."""
        return self.gold.shared_sentences(self.training, "same")


def words_of(locations: Locations, background: Background | None) -> TextWords:
    """The words of a part of the gold standard."""

    def words() -> TextWords:
        corpus = locations.whole_corpus
        if corpus.bounds is None:
            raise SettingError(f"{corpus.source} has no words, so words and strings cannot be compared.")
        return TextWords(corpus, is_split=background is not None and background.is_split)

    built: TextWords = locations.once("words", words)
    return built


def read_background(
    gold: Input,
    systems: Mapping[str, Input] | None,
    prepared: RunConfig,
    train: Sequence[Input],
    before: Background | None = None,
    *,
    checks_labels: bool = True,
) -> Background:
    """Read training data, if there is some, and the gold standard, which is read again for the evaluation.

    `before` has the training data of an earlier call, for the same gold standard without some sentences. With
    `checks_labels`, training data without any label of the gold standard are an error.
    """
    settings, task = prepared.settings, prepared.task
    labels = StringIndex[str]() if before is None else before.gold.labels
    units_of = task.comparison.labeled_units
    gold_vocabulary, vocabulary = Vocabulary(), Vocabulary()
    sides = open_sides(
        gold, None if systems is None else {}, task, prepared.read_as, gold_vocabulary, dropped=prepared.dropped
    )
    first, batches = peek(sides.gold())
    streams = list[Iterator[Annotation]]()
    is_split = before.is_split if before is not None else first is not None and _has_no_tokens(first)
    for side in train:
        _refuse_itself(gold, side)
        head, stream = peek(batches_of(side, prepared.read_as[TRAIN], vocabulary))
        is_split |= head is not None and _has_no_tokens(head)
        streams.append(stream)

    def index(name: str, side: str, layer: str, batches: Iterable[Annotation], own: Vocabulary) -> TextIndex:
        index, renamed = TextIndex(name, labels), LabelFilter(settings, side, side, chooses=False)
        for batch in batches:
            units = () if units_of is None else units_of(batch, layer, prepared.read_as[side], settings, own)
            index.add(batch, (*map(renamed, units[:1]), *units[1:]), is_split=is_split)
        return index

    of_gold = index(_title(gold), "gold", sides.layers[0], batches, gold_vocabulary)
    if not train:
        return Background(of_gold, None if before is None else before.train, is_split)
    names = ", ".join(map(_title, train))
    of_train = index(names, TRAIN, "spans", chain.from_iterable(streams), vocabulary)
    if not of_train.has_text:
        raise SettingError(f"{names} has no words to compare. Use training data with words.")
    if not of_gold.has_text:
        raise SettingError(f"{of_gold.name} has no words to compare with training data. Remove --train.")
    if checks_labels and task.display.has_label_answers:
        _check_labels(of_train, of_gold)
    return Background(of_gold, of_train, is_split)


def _has_no_tokens(batch: Annotation) -> bool:
    return batch.corpus.atoms == "characters" and batch.corpus.token_edges is None


def _title(side: Input) -> str:
    """The path of a side, or the name of an annotation."""
    paths = paths_of([side])
    return str(paths[0]) if paths and not hasattr(paths[0], "paths") else name_of(side)


def _refuse_itself(gold: Input, train: Input) -> None:
    """Raise an error if training data and gold standard are the same file, or have the same content."""
    is_same = gold is train or is_same_file(gold, train)
    files = [path for path in paths_of([gold, train]) if isinstance(path, Path) and path.is_file()]
    if not is_same and len(files) == 2:
        is_same = filecmp.cmp(files[0], files[1], shallow=False)
    if is_same:
        remedy = "specify the data that the systems were trained on"
        raise InputError(_title(train), None, f"the training data is the gold standard {_title(gold)}", remedy)


def _check_labels(train: TextIndex, gold: TextIndex) -> None:
    """Raise an error if training data and gold standard have labels, but none in common."""
    if not train.label_counts or not gold.label_counts or not train.label_counts.keys().isdisjoint(gold.label_counts):
        return
    old, new = list(train.label_counts), list(gold.label_counts)
    near = next(((label, other) for label in old if (other := _like(label, new)) is not None), (old[0], new[0]))
    listed = [", ".join([label, *["…"] * (len(labels) > 1)]) for label, labels in zip(near, (old, new), strict=True)]
    finding = f"{train.name}: no label ({listed[0]}) is in {gold.name} ({listed[1]})"
    raise SettingError(f"{finding}. Use --map train:{near[0]}={near[1]}.")


def _like(label: str, others: Sequence[str]) -> str | None:
    """The label that another one begins with, or is spelled like."""
    lowered = label.lower()
    starts = [other for other in others if lowered.startswith(other.lower()) or other.lower().startswith(lowered)]
    return starts[0] if starts else nearest(label, list(others))


# Attributes of units


def by_seen(units: Units, locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The slices of `seen`."""
    background: Background = context.background
    train, unit_strings = background.training, _UnitStrings(units, locations, background)
    label = background.label_codes(context.labels, target_labels(units))
    exact = unit_strings("same")
    has_string = train.spans(exact, "same") > 0
    value = np.full(len(units), 4)
    value[unit_strings.occur_in(train)] = 3
    value[train.spans(unit_strings("folded"), "folded") > 0] = 2
    value[has_string] = 1
    value[(train.spans(exact, "same", label) > 0) & (label >= 0)] = 0
    return names.codes(SEEN)[ints(value)]


def by_consistency(units: Units, locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The slices of `consistency`."""
    background: Background = context.background
    label = background.label_codes(context.labels, target_labels(units))
    folded = _UnitStrings(units, locations, background)("folded")
    total = background.training.spans(folded, "folded")
    own = np.where(label >= 0, background.training.spans(folded, "folded", label), 0)
    value = np.select([total == 0, own == 0, 2 * own <= total, own < total], [0, 1, 2, 3], 4)
    return names.codes(CONSISTENCY)[ints(value)]


def by_frequency(units: Units, locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The number of spans with the string of a unit."""
    background: Background = context.background
    index = background.gold if background.train is None else background.train
    return number_codes(index.spans(_UnitStrings(units, locations, background)("folded"), "folded"), names)


def by_ambiguity(units: Units, locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The number of labels of the string of a unit."""
    background: Background = context.background
    return number_codes(background.ambiguity(_UnitStrings(units, locations, background)("same")), names)


def by_oov(units: Units, locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The slices of `oov`."""
    background: Background = context.background
    strings = _UnitStrings(units, locations, background)
    unseen, words = strings.words_not_in(background.training)
    return names.codes(SHARES)[ints(np.select([unseen == 0, unseen < words], [0, 1], 2))]


def by_oov_density(locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """The share of words of each sentence that do not occur in training."""
    background: Background = context.background
    words = words_of(locations, background)
    before = np.append(0, np.cumsum(~background.training.has_words(words.exact)))
    return number_codes((before[words.bounds[1:]] - before[words.bounds[:-1]]) / np.maximum(words.lengths, 1), names)


def by_leaked(locations: Locations, names: StringIndex[str], context: Any) -> Ints:
    """Whether each sentence occurs in training."""
    background: Background = context.background
    leaked = background.leaked[locations.before : locations.before + locations.sentences]
    return names.codes(LEAKED)[leaked.astype(np.int64)]


SEEN = ("same", "other", "case", "unlabelled", "new")
CONSISTENCY = ("new", "0", "≤ .5", "< 1", "1")
SHARES = ("none", "some", "all")
LEAKED = ("no", "yes")


def number_codes(values: Ints | Values, names: StringIndex[str]) -> Ints:
    """One slice per number."""
    distinct, index = np.unique(values, return_inverse=True)
    return ints([names.code(repr(value)) for value in distinct.tolist()])[index]


def target_labels(units: Units) -> Ints:
    """The labels of units; of links, their targets."""
    target = units.target if isinstance(units, Predictions) else None
    return units.label if target is None else target


class _UnitStrings:
    """The strings of units, of those that are in the text; relations have two."""

    def __init__(self, units: Units, locations: Locations, background: Background) -> None:
        self._words = words_of(locations, background)
        self._places, self._shapes = places_of(units)
        in_text = ~np.logical_or.reduce([locations.has_no_place(place.start) for place in self._places])
        self._rows = np.flatnonzero(in_text)
        self._places = [place.take(self._rows) for place in self._places]
        self._size = len(units)
        self._exact: Words | None = None

    def __call__(self, spelling: Literal["same", "folded"]) -> Words:
        values = np.zeros(self._size, dtype=np.uint64)
        values[self._rows] = _strings_of(self._words, self._places, self._shapes, spelling)
        return values

    def occur_in(self, index: TextIndex) -> Bools:
        """Which units have words that occur in a text, one after the other in one sentence."""
        occur = np.zeros(self._size, dtype=np.bool_)
        occur[self._rows] = True
        for place in self._places:
            _, sizes = self._words.rows_of_units(place, self._shapes)
            occur[self._rows] &= index.has_sequences(self._words.strings(place, self._shapes, "same"), sizes)
        return occur

    def words_not_in(self, index: TextIndex) -> tuple[Ints, Ints]:
        """The number of words of each unit that a text does not have, and of all its words."""
        unseen, words = np.zeros((2, self._size), dtype=np.int64)
        for place in self._places:
            rows, sizes = self._words.rows_of_units(place, self._shapes)
            before = np.append(0, np.cumsum(~index.has_words(self._words.exact[rows])))
            ends = np.cumsum(sizes)
            unseen[self._rows] += before[ends] - before[ends - sizes]
            words[self._rows] += sizes
        return unseen, words


def places_of(units: Units) -> tuple[list[Places], Sequence[tuple[int, ...]]]:
    """The positions of units, of relations those of both arguments; and the gaps that their shapes mean."""
    if isinstance(units, UnitRows):
        arguments = [units.places[name] for name in ("head", "tail") if name in units.places]
        return (arguments if len(arguments) == 2 else [units.position]), units.shapes
    columns = units.columns
    if "tail_sentence" in columns:
        head = Places.of(units.sentence, columns["head_start"], columns["head_end"])
        return [head, Places.of(columns["tail_sentence"], columns["tail_start"], columns["tail_end"])], ((),)
    return [Places.of(units.sentence, units.start, units.end, units.shape)], units.shapes or ((),)


# Leakage


@dataclass(frozen=True)
class SharedCounts:
    """The sentences of a gold standard that occur in training."""

    sentences: int
    long: int
    """Those with at least `LONG` words."""
    units: int | None
    """The gold units in them; None if units have no labels."""
    documents: int
    """Documents with at least the share `SHARED_DOCUMENT` of their sentences in training."""


def shared_counts(background: Background, spelling: Literal["same", "loose"]) -> SharedCounts:
    """Count the sentences and documents of the gold standard that occur in training."""
    gold = background.gold
    in_training = gold.shared_sentences(background.training, spelling)
    lengths, document = gold.column("lengths"), gold.column("document")
    total = np.bincount(document[lengths > 0], minlength=gold.documents)
    common = np.bincount(document[in_training], minlength=gold.documents)
    return SharedCounts(
        int(np.count_nonzero(in_training)),
        int(np.count_nonzero(in_training & (lengths >= LONG))),
        None if gold.units is None else int(gold.column("of_sentence")[in_training].sum()),
        int(np.count_nonzero((total > 0) & (common >= SHARED_DOCUMENT * total - 1e-9))),
    )


def shares_no_unit(background: Background) -> bool:
    """Whether there are gold units, and training has none of their strings with the same label."""
    strings, labels = background.gold.pairs()
    return bool(len(strings)) and not background.training.spans(strings, "same", labels).any()
