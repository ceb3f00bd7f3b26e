"""Word alignment of the CoNLL 2018 shared task, for systems with their own segmentation.

Words are compared by the characters they cover: the characters of their token, without spaces. All words of a
multi-word token cover the whole token. Characters are counted in bytes over the whole file, so parts of files can be
split and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from unicodedata import category

import numpy as np
import numpy.typing as npt

from evenhand.alignment.documents import other_length
from evenhand.alignment.spans import SAME_SENTENCES, SAME_TEXT, SAME_TOKENS
from evenhand.arrays import Bools, Bytes, Ints, ints, ranges, zeros
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import TagColumn, Tags, Trees
from evenhand.data.tokens import PADDING, Tokens, equal, first_difference, in_separator
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
    """Some sentences of a file, with the bounds of each word's token in the text."""

    annotation: Annotation
    start: Ints
    end: Ints
    in_multiword: Bools
    groups: Ints
    """The group of each gold sentence, for counting."""

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
    def sentence_start(self) -> Ints:
        return self.start[self.bounds[:-1]]

    @property
    def sentence_end(self) -> Ints:
        return self.end[self.bounds[1:] - 1]

    @property
    def sentence(self) -> Ints:
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def begins_token(self) -> Bools:
        begins = np.ones(len(self), dtype=np.bool_)
        begins[1:] = self.start[1:] != self.start[:-1]
        return begins

    def cut(self, sentence: int) -> tuple[Words, Words | None]:
        """Split before a sentence; the second part, if any, gets its own bytes."""
        if sentence >= self.corpus.sentences:
            return self, None
        after = self._part(sentence, self.corpus.sentences)
        return self._part(0, sentence), replace(after, annotation=_compact(after.annotation))

    def _part(self, first: int, last: int) -> Words:
        begin, end = self.bounds[[first, last]].tolist()
        layers = {
            name: layer.slice(begin, end)
            for name, layer in self.annotation.layers.items()
            if isinstance(layer, Tags | Trees)
        }
        return Words(
            replace(self.annotation, corpus=self.corpus.part(first, last), layers=layers),
            self.start[begin:end],
            self.end[begin:end],
            self.in_multiword[begin:end],
            self.groups[first:last],
        )

    @staticmethod
    def join(parts: Sequence[Words]) -> Words:
        if len(parts) == 1:
            return parts[0]
        return Words(
            Annotation.concatenate([part.annotation for part in parts]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end")),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("in_multiword", "groups")),
        )


def by_characters(annotation: Annotation, begin: int, groups: Ints) -> tuple[Words, Bytes]:
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
    return Words(annotation, start, end, in_multiword, groups), text


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


def _compact(annotation: Annotation) -> Annotation:
    """Return the annotation with only the bytes of its words, unless these are most of the file's bytes."""
    edges: dict[int, tuple[int, int]] = {}
    kept: dict[int, bytes] = {}

    def note_edges(tokens: Tokens) -> Tokens:
        if len(tokens):
            low, high = edges.get(id(tokens.data), (len(tokens.data), 0))
            edges[id(tokens.data)] = min(low, int(tokens.start.min())), max(high, int(tokens.end.max()))
        return tokens

    def move(tokens: Tokens) -> Tokens:
        low, high = edges.get(id(tokens.data), (0, 0))
        if 2 * (high - low) > len(tokens.data):
            return tokens
        data = kept.setdefault(id(tokens.data), tokens.data[low:high] + PADDING)
        return Tokens(data, tokens.start - low, tokens.end - low)

    return _with_cells(_with_cells(annotation, note_edges), move)


def _with_cells(annotation: Annotation, change: Callable[[Tokens], Tokens]) -> Annotation:
    """Apply a change to all columns of byte offsets of an annotation of words."""

    def changed(tags: Tags) -> Tags:
        return tags.with_cells(change(tags.cells)) if isinstance(tags, TagColumn) else tags

    corpus, layers = annotation.corpus, dict[str, Layer]()
    for name, layer in annotation.layers.items():
        if isinstance(layer, Trees):
            layers[name] = Trees(layer.head, changed(layer.relation))
        elif isinstance(layer, Tags):
            layers[name] = changed(layer)
    multiwords = corpus.multiwords
    if multiwords is not None:
        multiwords = replace(multiwords, tokens=change(multiwords.tokens))
    forms = None if corpus.tokens is None else change(corpus.tokens)
    return replace(annotation, corpus=replace(corpus, tokens=forms, multiwords=multiwords), layers=layers)


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

    def heads_in_gold(self, head: Ints) -> Ints:
        """Convert heads from system words (-1: root) to gold words; -2 for words that are not aligned."""
        gold_rows, rows = self.rows
        gold_of = np.full(len(self.system) + 1, -2)
        gold_of[rows], gold_of[-1] = gold_rows, -1
        return np.asarray(gold_of[head])


class WaitingWords:
    """Words of one side that wait for the other."""

    def __init__(self, layers: Collection[str], *, by_position: bool) -> None:
        """Only these layers of the annotation are kept."""
        self.waiting: list[Words] = []
        self.text = _NOTHING
        """The characters that have not been compared yet."""
        self.end = 0
        """The end of the characters seen so far."""
        self._layers, self._by_position = layers, by_position

    def read(self, batch: Annotation, groups: Ints) -> tuple[Words, Bytes]:
        """Add a batch and return its words, and its characters if these are compared."""
        layers = {name: layer for name, layer in batch.layers.items() if name in self._layers}
        annotation = replace(batch, corpus=replace(batch.corpus, asides=None), layers=layers)
        if self._by_position:  # words count as one character each
            start = self.end + np.arange(annotation.corpus.token_count or 0)
            words, text = Words(annotation, start, start + 1, np.zeros(len(start), dtype=np.bool_), groups), _NOTHING
        else:
            words, text = by_characters(annotation, self.end, groups)
        self.add(words, text)
        return words, text

    def add(self, words: Words, text: Bytes) -> None:
        self.waiting.append(words)
        self.text = np.concatenate((self.text, text)) if len(self.text) else text
        self.end = int(words.end[-1]) if len(words.end) else self.end

    def drain(self) -> tuple[Words, Bytes]:
        words, text = Words.join(self.waiting), self.text
        self.waiting, self.text = [], _NOTHING
        return words, text

    @property
    def sentence_ends(self) -> Ints:
        return np.concatenate([words.sentence_end for words in self.waiting])

    @property
    def meeting_points(self) -> Ints:
        """Ends of sentences, with the length of the last word (0 in a multi-word token) in the lower bits."""
        points = []
        for words in self.waiting:
            last = words.bounds[1:] - 1
            length = np.minimum(words.end[last] - words.start[last], (1 << _LENGTH_BITS) - 1)
            points.append((words.end[last] << _LENGTH_BITS) | np.where(words.in_multiword[last], 0, length))
        return np.concatenate(points)

    def take(self, end: int) -> Words:
        taken = []
        while self.waiting and self.waiting[0].start[0] < end:
            words = self.waiting.pop(0)
            before, after = words.cut(int(np.searchsorted(words.sentence_end, end, side="right")))
            taken.append(before)
            if after is not None:
                self.waiting.insert(0, after)
        return Words.join(taken)

    def word_at(self, offset: int) -> tuple[Words, int]:
        """Return the waiting word at an offset of the text, and the words that contain it."""
        words = next(words for words in self.waiting if offset < words.end[-1])
        return words, int(np.searchsorted(words.end, offset, side="right"))


class WordFeed:
    """Splits a system's batches to match the gold standard's."""

    def __init__(
        self, batches: Iterator[Annotation], align: Align, layers: Collection[str], *, by_position: bool
    ) -> None:
        """With `by_position`, words are counted, not compared, and sentences must have the same lengths."""
        self.reading: ReadInfo | None = None
        self._batches, self._align, self._by_position = batches, align, by_position
        self._gold, self._system = (WaitingWords(layers, by_position=by_position) for _ in range(2))
        self._last: Words | None = None
        self._sentences = 0
        """Number of gold sentences so far."""

    def take(self, gold: Words, text: Bytes) -> Aligned | None:
        """Return the next words of both sides up to a shared sentence end; None if there is none yet."""
        shared = self.offer(gold, text)
        return self.cut(int(shared[-1])) if len(shared) else None

    def offer(self, gold: Words, text: Bytes) -> Ints:
        """Add gold words, read the system up to the same offset, and return the shared sentence ends."""
        self._gold.add(gold, text)
        while self._system.end < self._gold.end:
            if not self._read():
                self._compare()
                raise self._ends_early()
        self._compare()
        shared = np.intersect1d(self._gold.meeting_points, self._system.meeting_points, assume_unique=True)
        return shared >> _LENGTH_BITS

    def cut(self, end: int) -> Aligned:
        gold, system = self._gold.take(end), self._system.take(end)
        rows = align_words(gold, system)
        if self._align == "strict" and not self._by_position:
            _check_same(gold, system)
        self._last = system
        self._sentences += gold.corpus.sentences
        return Aligned(gold, system, rows)

    def finish(self) -> Aligned | None:
        """Return the remaining words; raise an error if the system continues after the end of the gold standard."""
        if self._system.end > self._gold.end or self._read():
            words, word = self._system.word_at(self._gold.end)
            finding = f"found {_named(words, word)} after the end of the gold standard"
            raise InputError(words.corpus.source, words.corpus.line(word), finding, self._remedy, "text")
        return self.cut(self._gold.end) if self._gold.waiting else None

    @property
    def _remedy(self) -> str:
        return SAME_SENTENCES if self._by_position else SAME_TEXT

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        self._system.read(batch, zeros(batch.corpus.sentences))
        return True

    def _compare(self) -> None:
        """Raise an error at the first difference of the texts or, by position, of the lengths of sentences."""
        gold, system = self._gold, self._system
        if self._by_position:
            self._compare_lengths()
            return
        size = min(len(gold.text), len(system.text))
        different = np.flatnonzero(gold.text[:size] != system.text[:size])
        if len(different):
            offset = gold.end - len(gold.text) + int(different[0])
            (gold_words, gold_word), (words, word) = gold.word_at(offset), system.word_at(offset)
            expected, location = _around(gold_words, gold_word), gold_words.corpus.location(gold_word)
            finding = f"found the text {_around(words, word)!r} where {location} has {expected!r}"
            raise InputError(words.corpus.source, words.corpus.line(word), finding, SAME_TEXT, "text")
        gold.text, system.text = gold.text[size:], system.text[size:]

    def _compare_lengths(self) -> None:
        if not self._system.waiting:
            return
        gold_ends, ends = self._gold.sentence_ends, self._system.sentence_ends
        size = min(len(gold_ends), len(ends))
        different = np.flatnonzero(gold_ends[:size] != ends[:size])
        if len(different):
            sentence = int(different[0])
            begin = int(gold_ends[sentence - 1]) if sentence else int(self._gold.waiting[0].start[0])
            (gold, gold_word), (system, word) = self._gold.word_at(begin), self._system.word_at(begin)
            expected, length = gold_ends[sentence] - begin, ends[sentence] - begin
            location, line = gold.corpus.location(gold_word), system.corpus.line(word)
            finding = f"this sentence has {counted(length, 'word')} where the one at {location} has {expected}"
            if line is None:
                finding = other_length(self._sentences + sentence, expected, length, "words")
            raise InputError(system.corpus.source, line, finding, SAME_SENTENCES, "text")

    def _ends_early(self) -> InputError:
        words, word = self._gold.word_at(self._system.end)
        last = self._system.waiting[-1] if self._system.waiting else self._last
        finding = f"the system ends here, but {words.corpus.location(word)} has {_named(words, word)}"
        if last is None:  # a reader yields at least one batch, so this is an annotation without any
            return InputError("the system", None, "it is empty", self._remedy)
        return InputError(last.corpus.source, last.corpus.line(len(last) - 1), finding, self._remedy, "text")


def _check_same(gold: Words, system: Words) -> None:
    gold_tokens, tokens = gold.corpus.tokens, system.corpus.tokens
    assert gold_tokens is not None
    assert tokens is not None
    size = min(len(gold), len(system))
    word = first_difference(gold_tokens.slice(0, size), tokens.slice(0, size))
    if word is None and len(gold) == len(system):
        return
    if word is not None:
        finding = f"found {_named(system, word)} where {gold.corpus.location(word)} has {_named(gold, word)}"
    elif len(system) > size:
        word, finding = size, f"found {_named(system, size)}, which {gold.corpus.source} does not have"
    else:
        word, finding = size - 1, f"{_named(gold, size)} of {gold.corpus.location(size)} is missing after this one"
    raise InputError(system.corpus.source, system.corpus.line(word), finding, SAME_TOKENS, "text")


def _named(words: Words, word: int) -> str:
    tokens = words.corpus.tokens
    return "another sentence" if tokens is None else f"the word {tokens[word]!r}"


def _around(words: Words, word: int, width: int = 2) -> str:
    """Return the token of a word with its neighbours."""
    tokens, token_of, _ = surface(words.corpus)
    token = word if token_of is None else int(token_of[word])
    return " ".join(tokens.texts(max(token - width, 0), min(token + width + 1, len(tokens))))
