"""Words and the characters they cover: what tells which words of two outputs are the same.

A word covers the characters of its token, without spaces; the words of a multi-word token all cover those of the whole
token. Characters are counted over the whole file, in bytes, so that parts of files can be cut and joined as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, Layer
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Tags, Trees, Written
from evenhand.text.spaces import in_separator
from evenhand.text.tokens import PADDING, Tokens


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
        return tags.moved(change(tags.cells)) if isinstance(tags, Written) else tags

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
