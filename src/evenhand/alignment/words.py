"""Words and the characters they cover: what tells which words of two outputs are the same.

A word covers the characters of its token, without spaces; the words of a multi-word token all cover those of the whole
token. Characters are counted over the whole file, in bytes, so that parts of files can be cut and joined as they are.
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


@dataclass(frozen=True)
class Words:
    """Some sentences of a file, and where the token of each word begins and ends in its text."""

    annotation: Annotation
    start: Ints
    end: Ints
    in_multiword: Bools
    groups: Ints
    """What each sentence is counted for, on the side of the gold standard."""

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
        """Where each sentence begins in the text."""
        return self.start[self.bounds[:-1]]

    @property
    def sentence_end(self) -> Ints:
        return self.end[self.bounds[1:] - 1]

    @property
    def sentence(self) -> Ints:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def begins_token(self) -> Bools:
        """Which words are the first, or only, ones of their tokens."""
        begins = np.ones(len(self), dtype=np.bool_)
        begins[1:] = self.start[1:] != self.start[:-1]
        return begins

    def cut(self, sentence: int) -> tuple[Words, Words | None]:
        """The sentences before one, and those from it on, if there are any; the latter leave the others' bytes."""
        if sentence >= self.corpus.sentences:
            return self, None
        behind = self._part(sentence, self.corpus.sentences)
        return self._part(0, sentence), replace(behind, annotation=_compact(behind.annotation))

    def _part(self, first: int, last: int) -> Words:
        """Some sentences."""
        begin, end = self.bounds[[first, last]].tolist()
        given = self.annotation.layers.items()
        layers = {name: layer.slice(begin, end) for name, layer in given if isinstance(layer, Tags | Trees)}
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
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.in_multiword for part in parts]),
            np.concatenate([part.groups for part in parts]),
        )


def by_position(annotation: Annotation, begin: int, groups: Ints) -> Words:
    """Words that count as one character each, whatever they are; `begin` of them stand before."""
    start = np.arange(begin, begin + (annotation.corpus.token_count or 0))
    return Words(annotation, start, start + 1, np.zeros(len(start), dtype=np.bool_), groups)


def by_characters(annotation: Annotation, begin: int, groups: Ints) -> tuple[Words, Bytes]:
    """Words by the characters they cover, and these characters in UTF-8; `begin` bytes stand before."""
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
    """The line of the token that begins with a word."""
    multiwords = corpus.multiwords
    if multiwords is not None and len(multiwords.lines) and word in multiwords.first:
        return corpus.first_line + int(multiwords.lines[np.searchsorted(multiwords.first, word)])
    return corpus.line(word)


def surface(corpus: Corpus) -> tuple[Tokens, Ints | None, Bools]:
    """The tokens of a text, which of them each word belongs to (None: its own), and whether it is one of several."""
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
    """The same annotation, with the bytes of its file that its words need, unless these are most of them."""
    edges: dict[int, tuple[int, int]] = {}
    kept: dict[int, bytes] = {}

    def noted(tokens: Tokens) -> Tokens:
        if len(tokens):
            low, high = edges.get(id(tokens.data), (len(tokens.data), 0))
            edges[id(tokens.data)] = min(low, int(tokens.start.min())), max(high, int(tokens.end.max()))
        return tokens

    def moved(tokens: Tokens) -> Tokens:
        low, high = edges.get(id(tokens.data), (0, 0))
        if 2 * (high - low) > len(tokens.data):
            return tokens
        data = kept.setdefault(id(tokens.data), tokens.data[low:high] + PADDING)
        return Tokens(data, tokens.start - low, tokens.end - low)

    return _with_cells(_with_cells(annotation, noted), moved)


def _with_cells(annotation: Annotation, change: Callable[[Tokens], Tokens]) -> Annotation:
    """An annotation of words with a change to all that are places in the bytes of its file."""

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


# == text/align_words.py: Which words of two outputs are the same, where each has its


Rows = tuple[Ints, Ints]
"""The words of the gold standard, and those of the system that they are aligned with."""


def align_words(gold: Words, system: Words) -> Rows:
    """Which words of two outputs are the same, where each has its own tokens.

    Words outside multi-word tokens are the same if they cover the same characters. The others are found in regions: the
    lists of words are walked side by side, and where one of the two words is in a multi-word token, a region begins
    with it (a plain word that begins earlier on the other side is skipped) and grows until no multi-word token of
    either side crosses its end. In a region, words are aligned by a longest common subsequence of their lower-cased
    forms.

    Source: Zeman et al. 2018, and the evaluation script of the task.
    """
    plain = _plain_pairs(gold, system)
    if not gold.in_multiword.any() and not system.in_multiword.any():
        return plain
    mine, theirs = plain
    found = [plain]
    equal_pairs, hard = _equal_gaps(gold, system, *_gaps(gold, system, mine, theirs))
    found.append(equal_pairs)
    found += [_walk(gold, system, *gap) for gap in hard]
    rows, others = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(rows)
    return rows[order], others[order]


def _plain_pairs(gold: Words, system: Words) -> Rows:
    """Words outside multi-word tokens that cover the same characters.

    The walk always comes to both words of such a pair at once: no region reaches beyond the ends of its multi-word
    tokens. So they can be found without walking, and what stands between two of them can be walked for itself.
    """
    if (
        len(gold) == len(system)
        and not (gold.in_multiword | system.in_multiword).any()
        and np.array_equal(gold.end, system.end)
    ):
        rows = np.arange(len(gold))
        return rows, rows
    mine, theirs = np.flatnonzero(~gold.in_multiword), np.flatnonzero(~system.in_multiword)
    place = np.searchsorted(system.start[theirs], gold.start[mine])
    inside = place < len(theirs)
    mine, place = mine[inside], place[inside]
    theirs = theirs[place]
    same = (gold.start[mine] == system.start[theirs]) & (gold.end[mine] == system.end[theirs])
    return mine[same], theirs[same]


Gaps = tuple[Ints, Ints, Ints, Ints]
"""The first and the number of words between two pairs, on either side."""


def _gaps(gold: Words, system: Words, mine: Ints, theirs: Ints) -> Gaps:
    """The words between pairs, where there are some of a multi-word token."""
    first, others = np.append(0, mine + 1), np.append(0, theirs + 1)
    size, sizes = np.append(mine, len(gold)) - first, np.append(theirs, len(system)) - others
    marked = np.zeros(len(first), dtype=np.bool_)
    marked[np.searchsorted(mine, np.flatnonzero(gold.in_multiword))] = True
    marked[np.searchsorted(theirs, np.flatnonzero(system.in_multiword))] = True
    return first[marked], size[marked], others[marked], sizes[marked]


def _equal_gaps(
    gold: Words, system: Words, first: Ints, size: Ints, others: Ints, sizes: Ints
) -> tuple[Rows, Iterator[tuple[int, int, int, int]]]:
    """Pairs in gaps that hold the same words of the same multi-word tokens, which are most; and the other gaps."""
    maybe = np.flatnonzero(size == sizes)
    gap = np.repeat(maybe, size[maybe])
    mine, theirs = ranges(first[maybe], size[maybe]), ranges(others[maybe], size[maybe])
    same = _same_words(gold, system, mine, theirs)
    hard = size != sizes
    hard[gap[~same]] = True
    kept = ~hard[gap]
    rest = np.flatnonzero(hard & (size > 0) & (sizes > 0))
    edges = (first[rest], first[rest] + size[rest], others[rest], others[rest] + sizes[rest])
    return (mine[kept], theirs[kept]), zip(*(column.tolist() for column in edges), strict=True)


def _same_words(gold: Words, system: Words, mine: Ints, theirs: Ints) -> Bools:
    assert gold.corpus.tokens is not None
    assert system.corpus.tokens is not None
    same = equal(gold.corpus.tokens.take(mine), system.corpus.tokens.take(theirs))
    same &= gold.in_multiword[mine] & system.in_multiword[theirs]
    same &= (gold.start[mine] == system.start[theirs]) & (gold.end[mine] == system.end[theirs])
    return same


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    in_multiword: bool
    form: str

    def is_beyond(self, end: int) -> bool:
        return self.start >= end if self.in_multiword else self.end > end


def _walk(gold: Words, system: Words, first: int, last: int, other_first: int, other_last: int) -> Rows:
    """The alignment of words between two pairs; a loop, as regions are few, and each depends on the one before."""
    mine, theirs = _listed(gold, first, last), _listed(system, other_first, other_last)
    rows, others = list[int](), list[int]()
    g = s = 0
    while g < len(mine) and s < len(theirs):
        if mine[g].in_multiword or theirs[s].in_multiword:
            end = mine[g].end if mine[g].in_multiword else theirs[s].end
            if theirs[s].start < mine[g].start and not theirs[s].in_multiword:
                s += 1
            elif mine[g].start < theirs[s].start and not mine[g].in_multiword:
                g += 1
            behind_g, behind_s = _region(mine, theirs, g, s, end)
            for at, other in _common([word.form for word in mine[g:behind_g]], [w.form for w in theirs[s:behind_s]]):
                rows.append(first + g + at)
                others.append(other_first + s + other)
            g, s = behind_g, behind_s
        elif mine[g].start <= theirs[s].start:  # words with equal characters are pairs, and not here
            g += 1
        else:
            s += 1
    return ints(rows), ints(others)


def _listed(words: Words, first: int, last: int) -> list[_Word]:
    """Words with their forms, lower-cased; those outside multi-word tokens without spaces."""
    tokens = words.corpus.tokens
    assert tokens is not None
    found = []
    for row in range(first, last):
        form, in_multiword = tokens[row].lower(), bool(words.in_multiword[row])
        if not in_multiword:
            form = "".join(char for char in form if category(char) != "Zs")
        found.append(_Word(int(words.start[row]), int(words.end[row]), in_multiword, form))
    return found


def _region(mine: list[_Word], theirs: list[_Word], g: int, s: int, end: int) -> tuple[int, int]:
    """The words behind a region that begins with two words and reaches to `end` at least, on either side."""
    while (g < len(mine) and not mine[g].is_beyond(end)) or (s < len(theirs) and not theirs[s].is_beyond(end)):
        if g < len(mine) and (s >= len(theirs) or mine[g].start <= theirs[s].start):
            word, g = mine[g], g + 1
        else:
            word, s = theirs[s], s + 1
        if word.in_multiword:
            end = max(end, word.end)
    return g, s


def _common(mine: list[str], theirs: list[str]) -> Iterator[tuple[int, int]]:
    """A longest common subsequence: equal forms are taken at once, else a word of the gold standard is skipped if that
    loses nothing, else one of the system."""
    if not mine or not theirs:
        return
    longest = _longest(mine, theirs)
    g = s = 0
    while g < len(mine) and s < len(theirs):
        if mine[g] == theirs[s]:
            yield g, s
            g, s = g + 1, s + 1
        elif longest[g, s] == longest[g + 1, s]:
            g += 1
        else:
            s += 1


def _longest(mine: list[str], theirs: list[str]) -> npt.NDArray[np.int32]:
    """How long a common subsequence can be of what stands from each two words on."""
    codes: dict[str, int] = {}
    one, other = (ints([codes.setdefault(form, len(codes)) for form in side]) for side in (mine, theirs))
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
    for row in range(len(one) - 1, -1, -1):
        below = table[row + 1]
        taken = np.where(other == one[row], below[1:] + 1, below[:-1])
        # The entries of a row grow to the left, by one at most: the running maximum from the right fills them.
        table[row, :-1] = np.maximum.accumulate(np.maximum(taken, below[:-1])[::-1])[::-1]
    return table


# == text/word_feed.py: A system's words in step with the gold standard's, whatever


_NOTHING = np.zeros(0, dtype=np.uint8)
_LENGTH_BITS = 20


@dataclass(frozen=True)
class Aligned:
    """Some text of the gold standard and of a system, and which of their words are the same."""

    gold: Words
    system: Words
    rows: Rows

    def heads_in_gold(self, head: Ints) -> Ints:
        """Heads, which are words of the system (-1: root), as words of the gold standard; -2 where it has none."""
        mine, theirs = self.rows
        gold_of = np.full(len(self.system) + 1, -2)
        gold_of[theirs], gold_of[-1] = mine, -1
        heads: Ints = gold_of[head]
        return heads


class WaitingWords:
    """The words of one side that wait for the other."""

    def __init__(self, layers: Collection[str], *, by_position: bool) -> None:
        """Of the annotation, only some layers are kept."""
        self.waiting: list[Words] = []
        self.text = _NOTHING
        """The characters that were not compared yet."""
        self.end = 0
        """How much was met so far."""
        self._layers, self._by_position = layers, by_position

    def read(self, batch: Annotation, groups: Ints) -> tuple[Words, Bytes]:
        """Add a batch: its words, and its characters, if these count."""
        layers = {name: layer for name, layer in batch.layers.items() if name in self._layers}
        annotation = replace(batch, corpus=replace(batch.corpus, asides=None), layers=layers)
        if self._by_position:
            words, text = by_position(annotation, self.end, groups), _NOTHING
        else:
            words, text = by_characters(annotation, self.end, groups)
        self.add(words, text)
        return words, text

    def add(self, words: Words, text: Bytes) -> None:
        self.waiting.append(words)
        self.text = np.concatenate((self.text, text)) if len(self.text) else text
        self.end = int(words.end[-1]) if len(words.end) else self.end

    def drain(self) -> tuple[Words, Bytes]:
        """All that waits, and its characters."""
        words, text = Words.join(self.waiting), self.text
        self.waiting, self.text = [], _NOTHING
        return words, text

    @property
    def sentence_ends(self) -> Ints:
        return np.concatenate([words.sentence_end for words in self.waiting])

    @property
    def meeting_points(self) -> Ints:
        """Where sentences end, with the length of the last word (0 in a multi-word token) in the lower bits."""
        found = []
        for words in self.waiting:
            last = words.bounds[1:] - 1
            length = np.minimum(words.end[last] - words.start[last], (1 << _LENGTH_BITS) - 1)
            found.append((words.end[last] << _LENGTH_BITS) | np.where(words.in_multiword[last], 0, length))
        return np.concatenate(found)

    def take(self, end: int) -> Words:
        """What waits and ends here or before."""
        taken = []
        while self.waiting and self.waiting[0].start[0] < end:
            words = self.waiting.pop(0)
            before, behind = words.cut(int(np.searchsorted(words.sentence_end, end, side="right")))
            taken.append(before)
            if behind is not None:
                self.waiting.insert(0, behind)
        return Words.join(taken)

    def word_at(self, place: int) -> tuple[Words, int]:
        """The word that waits and covers a place in the text, with the words beside it."""
        words = next(words for words in self.waiting if place < words.end[-1])
        return words, int(np.searchsorted(words.end, place, side="right"))


class WordFeed:
    """A system's batches, handed out beside those of the gold standard."""

    def __init__(
        self, batches: Iterator[Annotation], align: Align, layers: Collection[str], *, by_position: bool
    ) -> None:
        """With `by_position` words are counted and not looked at, and sentences must have the same lengths."""
        self.reading: ReadInfo | None = None
        self._batches, self._align, self._by_position = batches, align, by_position
        self._gold, self._system = (WaitingWords(layers, by_position=by_position) for _ in range(2))
        self._last: Words | None = None
        self._sentences = 0
        """How many of the gold standard's were cut off."""

    def take(self, gold: Words, text: Bytes) -> Aligned | None:
        """The next words of both sides, as far as they share a sentence end; None if there is none yet."""
        shared = self.offer(gold, text)
        return self.cut(int(shared[-1])) if len(shared) else None

    def offer(self, gold: Words, text: Bytes) -> Ints:
        """Take more words of the gold standard, and as many of the system; the sentence ends where both can be cut."""
        self._gold.add(gold, text)
        while self._system.end < self._gold.end:
            if not self._read():
                self._compare()
                raise self._ends_early()
        self._compare()
        shared = np.intersect1d(self._gold.meeting_points, self._system.meeting_points, assume_unique=True)
        return shared >> _LENGTH_BITS

    def cut(self, end: int) -> Aligned:
        """The words of both sides up to a sentence end where both can be cut."""
        mine, theirs = self._gold.take(end), self._system.take(end)
        rows = align_words(mine, theirs)
        if self._align == "strict" and not self._by_position:
            _check_same(mine, theirs)
        self._last = theirs
        self._sentences += mine.corpus.sentences
        return Aligned(mine, theirs, rows)

    def finish(self) -> Aligned | None:
        """What is left at the end of the gold standard, if anything is; an error if the system goes on."""
        if self._system.end > self._gold.end or self._read():
            words, word = self._system.word_at(self._gold.end)
            finding = f"found {_named(words, word)} behind the end of the gold standard"
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
        """Raise an error at the first place where the two texts differ, or sentences by position."""
        gold, system = self._gold, self._system
        if self._by_position:
            self._compare_lengths()
            return
        size = min(len(gold.text), len(system.text))
        different = np.flatnonzero(gold.text[:size] != system.text[:size])
        if len(different):
            place = gold.end - len(gold.text) + int(different[0])
            (mine, word), (theirs, other) = gold.word_at(place), system.word_at(place)
            wanted, found = _around(mine, word), _around(theirs, other)
            finding = f"found the text {found!r} where {mine.corpus.location(word)} has {wanted!r}"
            raise InputError(theirs.corpus.source, theirs.corpus.line(other), finding, SAME_TEXT, "text")
        gold.text, system.text = gold.text[size:], system.text[size:]

    def _compare_lengths(self) -> None:
        if not self._system.waiting:
            return
        mine, theirs = self._gold.sentence_ends, self._system.sentence_ends
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            begin = int(mine[sentence - 1]) if sentence else int(self._gold.waiting[0].start[0])
            (gold, word), (system, other) = self._gold.word_at(begin), self._system.word_at(begin)
            wanted, found = mine[sentence] - begin, theirs[sentence] - begin
            finding = (
                f"this sentence has {counted(found, 'word')} where the one at {gold.corpus.location(word)} has {wanted}"
            )
            line = system.corpus.line(other)
            if line is None:
                finding = other_length(self._sentences + sentence, wanted, found, "words")
            raise InputError(system.corpus.source, line, finding, SAME_SENTENCES, "text")

    def _ends_early(self) -> InputError:
        """The error for a system that is too short."""
        words, word = self._gold.word_at(self._system.end)
        ended = self._system.waiting[-1] if self._system.waiting else self._last
        finding = f"the system ends here, but {words.corpus.location(word)} has {_named(words, word)}"
        if ended is None:  # a reader yields one batch at least, so this is an annotation without any
            return InputError("the system", None, "it is empty", self._remedy)
        return InputError(ended.corpus.source, ended.corpus.line(len(ended) - 1), finding, self._remedy, "text")


def _check_same(gold: Words, system: Words) -> None:
    """Raise an error at the first word that is not the same on both sides."""
    mine, theirs = gold.corpus.tokens, system.corpus.tokens
    assert mine is not None
    assert theirs is not None
    size = min(len(gold), len(system))
    word = first_difference(mine.slice(0, size), theirs.slice(0, size))
    if word is None and len(gold) == len(system):
        return
    if word is not None:
        finding = f"found {_named(system, word)} where {gold.corpus.location(word)} has {_named(gold, word)}"
    elif len(system) > size:
        word, finding = size, f"found {_named(system, size)}, which {gold.corpus.source} does not have"
    else:
        word, finding = size - 1, f"{_named(gold, size)} of {gold.corpus.location(size)} is missing behind this one"
    raise InputError(system.corpus.source, system.corpus.line(word), finding, SAME_TOKENS, "text")


def _named(words: Words, word: int) -> str:
    tokens = words.corpus.tokens
    return "another sentence" if tokens is None else f"the word {tokens[word]!r}"


def _around(words: Words, word: int, width: int = 2) -> str:
    """The token of a word and those beside it."""
    tokens, token_of, _ = surface(words.corpus)
    token = word if token_of is None else int(token_of[word])
    return " ".join(tokens[at] for at in range(max(token - width, 0), min(token + width + 1, len(tokens))))
