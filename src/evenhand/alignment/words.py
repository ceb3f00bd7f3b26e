"""Word alignment of the CoNLL 2018 shared task, for systems with their own segmentation; and the overlap of tokens.

Words are compared by the characters they cover: the characters of their token, without spaces. All words of a
multi-word token cover the whole token. Characters are counted in bytes over the whole file, so parts of files can be
split and joined.

With `overlap`, as in spaCy, texts may also differ in case, and a system's token belongs to the gold tokens with which
it shares a character. Only tokens with exactly one gold token have a counterpart; several may have the same one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from unicodedata import category

import numpy as np
import numpy.typing as npt

from evenhand.alignment.documents import other_length
from evenhand.alignment.parts import Batches, Follower, first_sentences
from evenhand.alignment.spans import SAME_SENTENCES, SAME_TEXT, SAME_TOKENS
from evenhand.arrays import Bools, Bytes, Ints, empty, ints, pack, ranges
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.tokens import Tokens, equal, first_difference, in_separator
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted
from evenhand.settings import Align

Rows = tuple[Ints, Ints]
"""Words of the gold standard, and the words of the system aligned with them."""
Gaps = tuple[Ints, Ints, Ints, Ints]
"""The first word and the number of words between two pairs, on either side."""
_NOTHING = np.zeros(0, dtype=np.uint8)
_LENGTH_BITS = 20


@dataclass(frozen=True)
class Words:
    """Consecutive sentences of one side, with the bounds of each word's token in the text."""

    annotation: Annotation
    begin: int
    """Number of bytes of the text before these words."""
    start: Ints
    end: Ints
    in_multiword: Bools
    files: Sequence[tuple[int, str]] = ()
    """The first word of each batch, and its file, if there are several batches."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def corpus(self) -> Corpus:
        return self.annotation.corpus

    @property
    def bounds(self) -> Ints:
        assert self.corpus.bounds is not None
        return self.corpus.bounds

    @property
    def text_end(self) -> int:
        return int(self.end[-1]) if len(self.end) else self.begin

    @property
    def sentence_start(self) -> Ints:
        return np.append(self.start, self.text_end)[self.bounds[:-1]]

    @property
    def sentence_end(self) -> Ints:
        return np.append(self.begin, self.end)[self.bounds[1:]]

    @cached_property
    def sentence(self) -> Ints:
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def begins_token(self) -> Bools:
        begins = np.ones(len(self), dtype=np.bool_)
        begins[1:] = self.start[1:] != self.start[:-1]
        return begins

    @cached_property
    def meeting_points(self) -> Ints:
        """Ends of sentences, with the length of the last word (0 in a multi-word token) in the lower bits."""
        length = np.where(self.in_multiword, 0, np.minimum(self.end - self.start, (1 << _LENGTH_BITS) - 1))
        points: Ints = (self.sentence_end << _LENGTH_BITS) | np.append(0, length)[self.bounds[1:]]
        return points

    def file(self, word: int) -> str:
        """Return the file that contains a word."""
        return next((file for first, file in reversed(self.files) if first <= word), self.corpus.source)

    def location(self, word: int) -> str:
        """Return `file:line` of a word, or only the file if the line is unknown."""
        line = self.corpus.line(word)
        return self.file(word) if line is None else f"{self.file(word)}:{line}"

    def within(self, first: int, last: int) -> Words:
        """Return the sentences from `first` to `last`."""
        if last - first == self.corpus.sentences:
            return self
        begin, end = self.bounds[[first, last]].tolist()
        return Words(
            self.annotation.within(first, last),
            int(self.end[begin - 1]) if begin else self.begin,
            self.start[begin:end],
            self.end[begin:end],
            self.in_multiword[begin:end],
        )

    @staticmethod
    def join(parts: Sequence[Words]) -> Words:
        if len(parts) == 1:
            return parts[0]
        first_words = accumulate((len(part) for part in parts[:-1]), initial=0)
        return Words(
            Annotation.concatenate([part.annotation for part in parts]),
            parts[0].begin,
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.in_multiword for part in parts]),
            [(first, part.corpus.source) for first, part in zip(first_words, parts, strict=True)],
        )


def by_position(annotation: Annotation, begin: int) -> tuple[Words, Bytes]:
    """Return words that count as one character each, and no characters."""
    start = begin + np.arange(annotation.corpus.token_count or 0)
    return Words(annotation, begin, start, start + 1, np.zeros(len(start), dtype=np.bool_)), _NOTHING


def by_characters(annotation: Annotation, begin: int) -> tuple[Words, Bytes]:
    """Return words by the characters they cover, and these characters in UTF-8; `begin` bytes precede them."""
    corpus = annotation.corpus
    tokens, token_of, in_multiword = surface(corpus)
    lengths = tokens.end - tokens.start
    text = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)]
    spaces = in_separator(text)
    if spaces.any():
        before = np.append(0, np.cumsum(spaces))
        end = np.cumsum(lengths)
        lengths = lengths - (before[end] - before[end - lengths])
        text = text[~spaces]
    end = begin + np.cumsum(lengths)
    if not lengths.all():
        token = int((lengths == 0).argmax())
        line = _line_of_token(corpus, token if token_of is None else int(np.searchsorted(token_of, token)))
        raise InputError(corpus.source, line, "this word has no characters", "every word needs a form", "text")
    start = end - lengths
    if token_of is not None:
        start, end = start[token_of], end[token_of]
    return Words(annotation, begin, start, end, in_multiword), text


def by_overlap(annotation: Annotation, begin: int) -> tuple[Words, Bytes]:
    """Return words by the characters they cover, in lower case; words of white space cover none."""
    corpus = annotation.corpus
    assert corpus.tokens is not None
    forms = ["".join(form.lower().split()).encode() for form in corpus.tokens.texts(0, len(corpus.tokens))]
    end = begin + np.cumsum(np.fromiter(map(len, forms), dtype=np.int64, count=len(forms)))
    start = np.append(begin, end)[:-1]
    text = np.frombuffer(b"".join(forms), dtype=np.uint8)
    return Words(annotation, begin, start, end, np.zeros(len(forms), dtype=np.bool_)), text


@dataclass(frozen=True)
class Overlap:
    """The gold tokens with which each token of a system shares a character."""

    first: Ints
    """The first of them; -1 without any."""
    count: Ints
    is_blank: Bools
    """Which tokens of the system are white space."""

    @property
    def only(self) -> Ints:
        """The gold token of the system's tokens that have exactly one; -1 for the others."""
        return np.where(self.count == 1, self.first, -1)


def overlap_words(gold: Words, system: Words) -> Overlap:
    """Return the overlap of two sides with the same text.

    White space tokens are paired at the same place of the text, in their order.

    Source: the alignment of spaCy 3.8 (training/align.pyx), except that white space inside tokens is ignored.
    """
    is_blank, is_gold_blank = system.start == system.end, gold.start == gold.end
    words, gold_words = np.flatnonzero(~is_blank), np.flatnonzero(~is_gold_blank)
    low = np.searchsorted(gold.end[gold_words], system.start[words], side="right")
    high = np.searchsorted(gold.start[gold_words], system.end[words])
    first, count = np.full(len(system), -1), np.zeros(len(system), dtype=np.int64)
    first[words], count[words] = np.append(gold_words, -1)[low], high - low
    blanks, gold_blanks = np.flatnonzero(is_blank), np.flatnonzero(is_gold_blank)
    keys, gold_keys = pack(
        (system.start[blanks], gold.start[gold_blanks]),
        (_place_in_run(system.start[blanks]), _place_in_run(gold.start[gold_blanks])),
    )
    _, rows, gold_rows = np.intersect1d(keys, gold_keys, assume_unique=True, return_indices=True)
    first[blanks[rows]], count[blanks[rows]] = gold_blanks[gold_rows], 1
    return Overlap(first, count, is_blank)


def _place_in_run(sorted_values: Ints) -> Ints:
    """The number of equal values before each value."""
    return np.arange(len(sorted_values)) - np.searchsorted(sorted_values, sorted_values)


def _line_of_token(corpus: Corpus, word: int) -> int | None:
    multiwords = corpus.multiwords
    if multiwords is not None and len(multiwords.lines) and word in multiwords.first:
        return corpus.first_line + int(multiwords.lines[np.searchsorted(multiwords.first, word)])
    return corpus.line(word)


def surface(corpus: Corpus) -> tuple[Tokens, Ints | None, Bools]:
    """Return the tokens, the token of each word (None: tokens are words), and which words are in multi-word tokens."""
    words, multiwords = corpus.tokens, corpus.multiwords
    assert words is not None
    in_multiword = np.zeros(len(words), dtype=np.bool_)
    if multiwords is None or not len(multiwords):
        return words, None, in_multiword
    begins = np.ones(len(words), dtype=np.bool_)
    begins[ranges(multiwords.first + 1, multiwords.size - 1)] = False
    in_multiword[ranges(multiwords.first, multiwords.size)] = True
    token_of = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    start, end = words.start[first], words.end[first]
    start[token_of[multiwords.first]] = multiwords.tokens.start
    end[token_of[multiwords.first]] = multiwords.tokens.end
    return Tokens(words.data, start, end), token_of, in_multiword


def align_words(gold: Words, system: Words) -> Rows:
    """Align the words of two sides with different tokens.

    Words outside multi-word tokens are aligned if they cover the same characters. The others are aligned in regions:
    both lists of words are traversed in parallel, and if one of the two words is in a multi-word token, a region begins
    with it (a plain word that begins earlier on the other side is skipped) and grows until no multi-word token of
    either side crosses its end. In a region, words are aligned by a longest common subsequence of their lower-cased
    forms.

    Source: Zeman et al. 2018, and the evaluation script of the task.
    """
    plain = _plain_pairs(gold, system)
    if not gold.in_multiword.any() and not system.in_multiword.any():
        return plain
    equal_pairs, hard = _equal_gaps(gold, system, *_gaps(gold, system, *plain))
    pairs = [plain, equal_pairs, *(_align_regions(gold, system, *gap) for gap in hard)]
    gold_rows, rows = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(gold_rows)
    return gold_rows[order], rows[order]


def _plain_pairs(gold: Words, system: Words) -> Rows:
    """Return the words outside multi-word tokens that cover the same characters.

    The traversal always reaches both words of such a pair at once, because no region extends beyond the ends of its
    multi-word tokens. So they can be found without it, and the words between two pairs are traversed separately.
    """
    if (
        len(gold) == len(system)
        and not (gold.in_multiword | system.in_multiword).any()
        and np.array_equal(gold.end, system.end)
    ):
        rows = np.arange(len(gold))
        return rows, rows
    gold_rows, rows = np.flatnonzero(~gold.in_multiword), np.flatnonzero(~system.in_multiword)
    index = np.searchsorted(system.start[rows], gold.start[gold_rows])
    inside = index < len(rows)
    gold_rows, rows = gold_rows[inside], rows[index[inside]]
    same = (gold.start[gold_rows] == system.start[rows]) & (gold.end[gold_rows] == system.end[rows])
    return gold_rows[same], rows[same]


def _gaps(gold: Words, system: Words, gold_rows: Ints, rows: Ints) -> Gaps:
    """Return the gaps between pairs that contain words of multi-word tokens."""
    gold_first, first = np.append(0, gold_rows + 1), np.append(0, rows + 1)
    gold_size, size = np.append(gold_rows, len(gold)) - gold_first, np.append(rows, len(system)) - first
    has_multiwords = np.zeros(len(first), dtype=np.bool_)
    has_multiwords[np.searchsorted(gold_rows, np.flatnonzero(gold.in_multiword))] = True
    has_multiwords[np.searchsorted(rows, np.flatnonzero(system.in_multiword))] = True
    return gold_first[has_multiwords], gold_size[has_multiwords], first[has_multiwords], size[has_multiwords]


def _equal_gaps(
    gold: Words, system: Words, gold_first: Ints, gold_size: Ints, first: Ints, size: Ints
) -> tuple[Rows, Iterator[tuple[int, int, int, int]]]:
    """Return the pairs in gaps with the same words of the same multi-word tokens (most gaps), and the other gaps."""
    maybe = np.flatnonzero(gold_size == size)
    gap = np.repeat(maybe, size[maybe])
    gold_rows, rows = ranges(gold_first[maybe], size[maybe]), ranges(first[maybe], size[maybe])
    hard = gold_size != size
    hard[gap[~_same_words(gold, system, gold_rows, rows)]] = True
    kept = ~hard[gap]
    left = np.flatnonzero(hard & (gold_size > 0) & (size > 0))
    edges = (gold_first[left], gold_first[left] + gold_size[left], first[left], first[left] + size[left])
    return (gold_rows[kept], rows[kept]), zip(*(column.tolist() for column in edges), strict=True)


def _same_words(gold: Words, system: Words, gold_rows: Ints, rows: Ints) -> Bools:
    assert gold.corpus.tokens is not None
    assert system.corpus.tokens is not None
    same = equal(gold.corpus.tokens.take(gold_rows), system.corpus.tokens.take(rows))
    same &= gold.in_multiword[gold_rows] & system.in_multiword[rows]
    same &= (gold.start[gold_rows] == system.start[rows]) & (gold.end[gold_rows] == system.end[rows])
    return same


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    in_multiword: bool
    form: str

    def is_beyond(self, end: int) -> bool:
        return self.start >= end if self.in_multiword else self.end > end


def _align_regions(gold: Words, system: Words, gold_first: int, gold_last: int, first: int, last: int) -> Rows:
    """Align the words between two pairs; a loop, because regions are few, and each depends on the preceding one."""
    gold_words, words = _list_words(gold, gold_first, gold_last), _list_words(system, first, last)
    gold_rows, rows = list[int](), list[int]()
    g = s = 0
    while g < len(gold_words) and s < len(words):
        gold_word, word = gold_words[g], words[s]
        if gold_word.in_multiword or word.in_multiword:
            end = gold_word.end if gold_word.in_multiword else word.end
            if word.start < gold_word.start and not word.in_multiword:
                s += 1
            elif gold_word.start < word.start and not gold_word.in_multiword:
                g += 1
            gold_end, end = _region(gold_words, words, g, s, end)
            forms = [word.form for word in gold_words[g:gold_end]], [word.form for word in words[s:end]]
            for gold_index, index in _common_subsequence(*forms):
                gold_rows.append(gold_first + g + gold_index)
                rows.append(first + s + index)
            g, s = gold_end, end
        elif gold_word.start <= word.start:  # words with equal characters are pairs, and not here
            g += 1
        else:
            s += 1
    return ints(gold_rows), ints(rows)


def _list_words(words: Words, first: int, last: int) -> list[_Word]:
    """Return words with lower-cased forms, without spaces in words outside multi-word tokens."""
    tokens = words.corpus.tokens
    assert tokens is not None
    listed = []
    for row in range(first, last):
        form, in_multiword = tokens[row].lower(), bool(words.in_multiword[row])
        if not in_multiword:
            form = "".join(char for char in form if category(char) != "Zs")
        listed.append(_Word(int(words.start[row]), int(words.end[row]), in_multiword, form))
    return listed


def _region(gold: list[_Word], system: list[_Word], g: int, s: int, end: int) -> tuple[int, int]:
    """Return the ends, on both sides, of the region that begins with two words and extends at least to `end`."""
    while (g < len(gold) and not gold[g].is_beyond(end)) or (s < len(system) and not system[s].is_beyond(end)):
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.in_multiword:
            end = max(end, word.end)
    return g, s


def _common_subsequence(gold: list[str], system: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a longest common subsequence.

    Equal forms are always paired; otherwise a gold word is skipped if that loses nothing, else a system word.
    """
    if not gold or not system:
        return
    longest = _subsequence_lengths(gold, system)
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            yield g, s
            g, s = g + 1, s + 1
        elif longest[g, s] == longest[g + 1, s]:
            g += 1
        else:
            s += 1


def _subsequence_lengths(gold: list[str], system: list[str]) -> npt.NDArray[np.int32]:
    """Return the length of the longest common subsequence from each pair of words to the end."""
    codes: dict[str, int] = {}
    one, other = (ints([codes.setdefault(form, len(codes)) for form in side]) for side in (gold, system))
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
    for row in range(len(one) - 1, -1, -1):
        below = table[row + 1]
        paired = np.where(other == one[row], below[1:] + 1, below[:-1])
        # The entries of a row grow to the left, by at most one, so the running maximum from the right fills them.
        table[row, :-1] = np.maximum.accumulate(np.maximum(paired, below[:-1])[::-1])[::-1]
    return table


@dataclass(frozen=True)
class Aligned:
    """Words of the gold standard and of a system, and their alignment."""

    gold: Words
    system: Words
    rows: Rows
    overlap: Overlap | None = None
    """If several words of the system may belong to one gold word; `rows` are then set when their labels are known."""

    def heads_in_gold(self, head: Ints) -> Ints:
        """Convert heads from system words (-1: root) to gold words; -2 for words that are not aligned."""
        gold_of = np.full(len(self.system) + 1, -2)
        if self.overlap is not None:
            gold_of[:-1] = np.where(self.overlap.count == 1, self.overlap.first, -2)
        else:
            gold_rows, rows = self.rows
            gold_of[rows] = gold_rows
        gold_of[-1] = -1
        return np.asarray(gold_of[head])


def only_layers(batches: Iterator[Annotation], layers: Collection[str]) -> Iterator[Annotation]:
    """The words of batches with these layers, without other lines of the file."""
    for batch in batches:
        kept = {name: layer for name, layer in batch.layers.items() if name in layers}
        yield replace(batch, corpus=replace(batch.corpus, asides=None), layers=kept)


def in_gold_tokens(system: Annotation, gold: Annotation, layer: str, fit: str) -> Annotation:
    """A system whose text differs from the gold standard's in tokens, case and spaces only, in the gold tokens.

    A span runs from the first to the last gold token with which it shares a character. If these tokens have further
    characters, the span is left out or, with the fit `expand`, keeps them. With `disjoint`, tokens that a preceding
    span has are left out of the following one first.

    Source: `Example.get_aligned_spans_x2y` and `get_ner_prf` of spaCy 3.8.
    """
    (words, text), (gold_words, gold_text) = by_overlap(system, 0), by_overlap(gold, 0)
    if not np.array_equal(text, gold_text):
        raise InputError(system.corpus.source, None, "its text differs from the gold standard's", SAME_TEXT, "text")
    overlap, spans = overlap_words(gold_words, words), system.spans(layer)
    last = overlap.first + overlap.count - 1
    whole = spans.in_text(words.bounds)
    rows, starts, ends = list[int](), list[int](), list[int]()
    taken = -1
    # A loop, because a sentence cannot have the tokens of the preceding one.
    for row, (start, end) in enumerate(zip(whole.start.tolist(), whole.end.tolist(), strict=True)):
        inside = start + np.flatnonzero(overlap.count[start:end])
        if not len(inside):
            continue
        low, high = int(overlap.first[inside[0]]), int(last[inside[-1]])
        low = max(low, taken + 1) if fit == "disjoint" else low
        if low > high:
            continue
        same = gold_words.start[low] == words.start[start] and gold_words.end[high] == words.end[end - 1]
        if fit == "expand" or same:
            taken = high
            rows.append(row)
            starts.append(low)
            ends.append(high + 1)
    kept, start, end = spans.take(ints(rows)), ints(starts), ints(ends)
    scope = np.searchsorted(gold_words.bounds[:-1], start, side="right") - 1
    shift = gold_words.bounds[scope]
    moved = replace(kept, scope=scope, start=start - shift, end=end - shift)
    corpus = replace(gold.corpus, source=system.corpus.source)
    return replace(system, corpus=corpus, layers={layer: moved})


class WordQueue:
    """Words of one side that are not yet part of an evaluated part."""

    def __init__(self, *, by_position: bool, by_overlap: bool = False) -> None:
        """With `by_position`, words are counted, not compared."""
        self.by_position, self.by_overlap = by_position, by_overlap
        self.waiting: list[Words] = []
        self.end = 0
        """The end of the text read so far."""
        self.text, self.text_begin = _NOTHING, 0
        """The end of that text, which is not compared yet, and where it begins."""
        self.taken = 0
        """Number of sentences that were taken."""

    def read(self, batch: Annotation) -> None:
        read = by_position if self.by_position else by_overlap if self.by_overlap else by_characters
        words, text = read(batch, self.end)
        self.waiting.append(words)
        self.end = words.text_end
        self.text = np.concatenate((self.text, text)) if len(self.text) else text

    def between(self, begin: int, end: int) -> Bytes:
        return self.text[begin - self.text_begin : end - self.text_begin]

    def forget(self, end: int) -> None:
        """Drop the text up to an offset."""
        self.text, self.text_begin = self.between(end, self.end), end

    @property
    def sentence_ends(self) -> Ints:
        return np.concatenate([words.sentence_end for words in self.waiting])

    @property
    def meeting_points(self) -> Ints:
        return np.concatenate([words.meeting_points for words in self.waiting])

    def take(self, sentences: int) -> list[Words]:
        """Return the words of the next sentences, which no longer wait."""
        self.taken += sentences
        taken: list[Words] = []
        while self.waiting and sentences >= self.waiting[0].corpus.sentences:
            taken.append(self.waiting.pop(0))
            sentences -= taken[-1].corpus.sentences
        if sentences:
            words = self.waiting[0]
            taken.append(words.within(0, sentences))
            self.waiting[0] = words.within(sentences, words.corpus.sentences)
        return taken

    def word_at(self, offset: int) -> tuple[Words, int]:
        """Return the waiting word at an offset of the text, and the words that contain it."""
        words = next(words for words in self.waiting if offset < words.text_end)
        return words, int(np.searchsorted(words.end, offset, side="right"))


class GoldWords(WordQueue):
    """The words of the gold standard, read once for all systems."""

    def __init__(self, systems: int, *, by_position: bool, by_overlap: bool = False) -> None:
        """Each part is taken once per system; `systems` is their number."""
        super().__init__(by_position=by_position, by_overlap=by_overlap)
        self._systems, self._uses = systems, 0
        self._part: Words | None = None
        """The last part. It is kept until the next one, because freeing its memory in between costs time."""

    def follow(self, gold: Batches) -> None:
        """Read the batches of the gold standard that were not read for another system."""
        known = sum(words.corpus.sentences for words in self.waiting)
        if self.waiting and known == sum(batch.corpus.sentences for batch in gold):
            return
        self.forget(self.end)  # every system has been compared with the preceding text
        for batch, first in zip(gold, first_sentences(gold), strict=True):
            if first >= known:
                self.read(batch)

    def part(self, gold: Batches) -> Words:
        """Return the words of a part."""
        if self._part is None or not self._uses:
            self._part = Words.join(self.take(sum(batch.corpus.sentences for batch in gold)))
            self._uses = self._systems
        self._uses -= 1
        return self._part


class WordFollower(Follower):
    """Reads a system with its own words in the text of the gold standard."""

    def __init__(self, batches: Iterator[Annotation], gold: GoldWords, align: Align) -> None:
        self._batches, self._gold, self._is_strict = batches, gold, align == "strict" and not gold.by_position
        self._system = WordQueue(by_position=gold.by_position, by_overlap=gold.by_overlap)
        self._last: Words | None = None
        self._remedy = SAME_SENTENCES if gold.by_position else SAME_TEXT

    def follow(self, gold: Batches, *, is_last: bool) -> Bools:
        """Read as far as the gold standard has been read, and compare the texts.

        A part may end where both sides end a sentence, with the same word or with multi-word tokens: there, following
        words cannot change the alignment.
        """
        self._gold.follow(gold)
        while self._last is None or self._system.end < self._gold.end:
            if not self._read():
                self._compare()
                raise self._ends_early()
        self._compare()
        return np.isin(self._gold.meeting_points, self._system.meeting_points)

    def take(self, gold: Batches) -> Aligned:
        gold_words, system = self._gold.part(gold), self._system
        taken = system.take(int(np.searchsorted(system.sentence_ends, gold_words.text_end, side="right")))
        # A sentence of the system can cross the end of the last part only.
        is_longer = bool(system.waiting) and system.waiting[0].begin < gold_words.text_end
        if is_longer:
            taken += system.waiting
        assert self._last is not None
        words = Words.join(taken or [self._last.within(0, 0)])
        if self._is_strict:
            _check_same(gold_words, words, is_longer=is_longer)
        if is_longer:
            raise self._continues()
        if self._gold.by_overlap:
            return Aligned(gold_words, words, (empty(), empty()), overlap_words(gold_words, words))
        return Aligned(gold_words, words, align_words(gold_words, words))

    def finish(self) -> None:
        while self._system.end == self._gold.end and self._read():
            pass
        if self._system.end > self._gold.end:
            raise self._continues()

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        self._system.read(batch)
        self._last = self._system.waiting[-1]
        return True

    def _compare(self) -> None:
        """Raise an error at the first difference of the texts or, by position, of the lengths of sentences."""
        gold, system = self._gold, self._system
        if gold.by_position:
            self._compare_lengths()
            return
        begin, end = system.text_begin, min(gold.end, system.end)
        different = np.flatnonzero(gold.between(begin, end) != system.between(begin, end))
        if len(different):
            offset = begin + int(different[0])
            (gold_words, gold_word), (words, word) = gold.word_at(offset), system.word_at(offset)
            expected, location = _around(gold_words, gold_word), gold_words.corpus.location(gold_word)
            finding = f"found the text {_around(words, word)!r} where {location} has {expected!r}"
            raise InputError(words.corpus.source, words.corpus.line(word), finding, SAME_TEXT, "text")
        system.forget(end)

    def _compare_lengths(self) -> None:
        if not self._system.waiting:
            return
        gold_ends, ends = self._gold.sentence_ends, self._system.sentence_ends
        size = min(len(gold_ends), len(ends))
        different = np.flatnonzero(gold_ends[:size] != ends[:size])
        if len(different):
            sentence = int(different[0])
            begin = int(gold_ends[sentence - 1]) if sentence else self._gold.waiting[0].begin
            (gold, gold_word), (system, word) = self._gold.word_at(begin), self._system.word_at(begin)
            expected, length = gold_ends[sentence] - begin, ends[sentence] - begin
            location, line = gold.corpus.location(gold_word), system.corpus.line(word)
            finding = f"this sentence has {counted(length, 'word')} where the one at {location} has {expected}"
            if line is None:
                finding = other_length(self._gold.taken + sentence, expected, length, "words")
            raise InputError(system.corpus.source, line, finding, SAME_SENTENCES, "text")

    def _ends_early(self) -> InputError:
        if self._last is None:  # a reader yields at least one batch, so this is an annotation without any
            return InputError("the system", None, "it is empty", self._remedy)
        words, word = self._gold.word_at(self._system.end)
        last = self._last.corpus
        finding = f"the system ends here, but {words.corpus.location(word)} has {_named(words, word)}"
        return InputError(last.source, last.line(len(self._last) - 1), finding, self._remedy, "text")

    def _continues(self) -> InputError:
        """The error for a system that is longer than the gold standard."""
        words, word = self._system.word_at(self._gold.end)
        finding = f"found {_named(words, word)} after the end of the gold standard"
        return InputError(words.corpus.source, words.corpus.line(word), finding, self._remedy, "text")


def _check_same(gold: Words, system: Words, *, is_longer: bool) -> None:
    """Raise an error at the first word that differs; `is_longer`: the system continues after these words."""
    gold_tokens, tokens = gold.corpus.tokens, system.corpus.tokens
    assert gold_tokens is not None
    assert tokens is not None
    size = min(len(gold), len(system))
    word = first_difference(gold_tokens.slice(0, size), tokens.slice(0, size))
    if word is None and (is_longer or len(gold) == len(system)):
        return
    if word is not None:
        finding = f"found {_named(system, word)} where {gold.location(word)} has {_named(gold, word)}"
    elif len(system) > size:
        word, finding = size, f"found {_named(system, size)}, which {gold.file(size - 1)} does not have"
    else:
        word, finding = size - 1, f"{_named(gold, size)} of {gold.location(size)} is missing after this one"
    raise InputError(system.file(word), system.corpus.line(word), finding, SAME_TOKENS, "text")


def _named(words: Words, word: int) -> str:
    tokens = words.corpus.tokens
    return "another sentence" if tokens is None else f"the word {tokens[word]!r}"


def _around(words: Words, word: int, width: int = 2) -> str:
    """Return the token of a word with its neighbours."""
    tokens, token_of, _ = surface(words.corpus)
    token = word if token_of is None else int(token_of[word])
    return " ".join(tokens.texts(max(token - width, 0), min(token + width + 1, len(tokens))))
