"""Align a system's mentions with the documents and tokens of the gold standard, including empty nodes."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from evenhand.alignment.documents import (
    GOLD_AND_PREDICTION,
    SAME_WORDS,
    AlignmentIssues,
    BatchSlice,
    DocumentsByName,
    Naming,
    Open,
    SideNames,
    mark,
)
from evenhand.alignment.parts import Batches, Follower
from evenhand.arrays import Ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Chains, mention_words, word_numbers
from evenhand.data.tokens import Tokens, equal
from evenhand.data.vocabulary import NameTable, StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted_phrase

Key = tuple[int, int, int]
"""The position of an empty node between words, its decimal, and the number of preceding nodes with the same values."""


@dataclass(frozen=True)
class TokenKinds:
    """The tokens of a text from `begin` to `end`: overt words, and empty nodes between them.

    In files without empty nodes, all tokens are words.
    """

    corpus: Corpus
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    @cached_property
    def all(self) -> Ints:
        return np.arange(self.begin, self.end)

    @cached_property
    def decimals(self) -> Ints:
        """The decimals of empty nodes, and -1 for words."""
        decimals = self.corpus.decimals
        return np.full(len(self), -1) if decimals is None else decimals[self.begin : self.end]

    @cached_property
    def words(self) -> Ints:
        return self.all[self.decimals < 0]

    @cached_property
    def nodes(self) -> Ints:
        return self.all[self.decimals >= 0]

    @property
    def sentence_starts(self) -> Ints:
        """The first tokens of sentences, counted from `begin`."""
        assert self.corpus.bounds is not None
        first, end = np.searchsorted(self.corpus.bounds, (self.begin, self.end))
        return np.asarray(self.corpus.bounds[first:end] - self.begin)

    def keys(self) -> list[Key]:
        """Return the keys of empty nodes; the position after word i is 2i + 1, before a sentence's first word i, 2i."""
        bounds = self.corpus.bounds
        assert bounds is not None
        before = np.searchsorted(self.words, self.nodes)
        sentence = np.searchsorted(bounds, self.nodes, side="right") - 1
        position = 2 * before - (before > np.searchsorted(self.words, bounds[sentence]))
        seen: Counter[tuple[int, int]] = Counter()
        keys = []
        for node in zip(position.tolist(), self.decimals[self.nodes - self.begin].tolist(), strict=True):
            keys.append((*node, seen[node]))
            seen[node] += 1
        return keys


class NodeAlignment:
    """Alignment of a document with the same number of words on both sides; tokens count from its first one."""

    def __init__(self, gold: TokenKinds, system: TokenKinds) -> None:
        known = dict(zip(gold.keys(), (gold.nodes - gold.begin).tolist(), strict=True))
        keys = dict(zip((system.nodes - system.begin).tolist(), system.keys(), strict=True))
        self._words = gold.words - gold.begin
        self._own = {node: key for node, key in keys.items() if key not in known}
        """The empty nodes that only the system has."""
        self._token = np.full(len(system), -1)
        """The gold token of each system token; -1 for nodes that only the system has."""
        self._token[system.words - system.begin] = self._words
        for node, key in keys.items():
            self._token[node] = known.get(key, -1)
        self.one_sided = len(self._own) + len(known) - (len(keys) - len(self._own))
        """Number of empty nodes that only one side has."""

    def to_gold(self, chains: Chains) -> Chains:
        if not len(chains):
            return chains
        # Most mentions contain no different empty nodes and are only shifted.
        is_break = np.diff(self._token, prepend=self._token[0] - 1) != 1
        breaks = np.append(0, np.cumsum(is_break | (self._token < 0)))
        is_torn = (breaks[chains.end] > breaks[chains.start + 1]) | (self._token[chains.start] < 0)
        start, shape = self._token[chains.start], chains.shape.copy()
        end = start + chains.end - chains.start
        for row in np.flatnonzero(is_torn).tolist():
            gaps = set(chains.vocabulary.shapes[int(shape[row])])
            first = int(chains.start[row])
            tokens = [token for token in range(first, int(chains.end[row])) if token - first not in gaps]
            start[row], end[row], gaps_in_gold = self._align_mention(tokens)
            shape[row] = chains.vocabulary.shapes.code(gaps_in_gold)
        return replace(chains, start=start, end=end, shape=shape)

    def _align_mention(self, tokens: list[int]) -> tuple[int, int, tuple[int, ...]]:
        known = {int(self._token[token]) for token in tokens} - {-1}
        own = tuple(sorted(_number(self._own[token]) for token in tokens if token in self._own))
        anchor = self._anchor(self._own[tokens[0]]) if not known else min(known)
        end = max(known, default=anchor) + 1
        gaps = tuple(token - anchor for token in range(anchor, end) if token not in known)
        return anchor, end, own + gaps

    def _anchor(self, key: Key) -> int:
        """Return the gold word before an empty node, or the nearest one."""
        last = len(self._words) - 1
        return int(self._words[min(key[0] // 2, last)]) if last >= 0 else 0


def _number(key: Key) -> int:
    """Return a distinct negative number for an empty node, for the shape of a mention."""
    position, decimal, repeated = key
    return -1 - ((position << 64) | (decimal << 32) | repeated)


def have_same_nodes(gold: TokenKinds, system: TokenKinds) -> bool:
    """Whether documents have empty nodes at the same positions, or none."""
    if not len(gold.nodes) and not len(system.nodes):
        return True
    same_sentences = np.array_equal(gold.sentence_starts, system.sentence_starts)
    return same_sentences and np.array_equal(gold.decimals, system.decimals)


_BY_NAME = Naming(
    lambda corpus: Tokens.of(corpus.names),
    lambda corpus: corpus.unnamed,
    may_repeat=False,
    remedy="give documents the same names in all files",
)


def _chains(piece: BatchSlice) -> Chains:
    return piece.batch.chains().documents(np.arange(piece.first, piece.first + piece.size))


def repeated_name(source: str, name: str) -> InputError:
    finding = f"the document {name} is already in another file"
    return InputError(source, None, finding, "give every document a distinct name", "document")


class DocumentFiles(Mapping[str, str]):
    """The file of each document of a side, by name; names must be distinct in all files of a folder."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._index = vocabulary.documents
        self._numbers = NameTable(self._index)
        self._files = StringIndex[str]()
        self._codes = array("i")
        """The codes of names, in the order of documents."""

    def add(self, corpus: Corpus) -> None:
        file = self._files.code(corpus.source) + 1
        for name in corpus.names:
            if self._numbers.add(name, file):
                raise repeated_name(corpus.source, name)
            self._codes.append(self._index.code(name))

    def __len__(self) -> int:
        return len(self._codes)

    def __iter__(self) -> Iterator[str]:
        return map(self._index.__getitem__, self._codes)

    def __getitem__(self, name: str) -> str:
        file = self._numbers.number(self._index.find(name))
        if not file:
            raise KeyError(name)
        return self._files[file - 1]


class ChainFollower(Follower):
    """Reads a system's mentions by the documents of the gold standard."""

    issues: AlignmentIssues

    def __init__(
        self,
        batches: Iterator[Annotation],
        sides: tuple[Open, Open],
        *,
        strict: bool,
        called: SideNames = GOLD_AND_PREDICTION,
        heads_of: str | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        """`sides` open system and gold standard again; `called` are the names of the sides in messages.

        With the `vocabulary` of the run, all sides share the memory of documents' names.

        `heads_of` is the name of a system that must have heads of mentions, if they are matched by heads.
        """
        self._strict, self.issues, self._heads_of = strict, AlignmentIssues(called), heads_of
        self._documents = DocumentsByName(map(self._receive, batches), sides, _BY_NAME, self.issues)
        self._files = DocumentFiles(vocabulary or Vocabulary())
        self._unnamed = self._gold_unnamed = True
        self._source = ""

    def take(self, gold: Batches) -> Chains:
        """The mentions in the next documents, with their words if the gold standard's have these."""
        before = list(accumulate((len(batch.corpus.names) for batch in gold[:-1]), initial=0))
        return Chains.concatenate([self._with_words(self._taken(batch), batch) for batch in gold], before)

    def finish(self) -> None:
        self._documents.finish()
        if self._unnamed and self._gold_unnamed and (self.issues.missing or self.issues.extra):
            finding = f"documents have no names, and their number differs from {self.issues.sides.key}"
            raise InputError(self._source, None, finding, "name them, or use the same number in all files", "document")

    def _receive(self, batch: Annotation) -> Annotation:
        batch.chains()  # raises an error if there are none
        self._files.add(batch.corpus)
        self._unnamed &= batch.corpus.unnamed
        self._source = batch.corpus.source
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading
        return batch

    def _taken(self, gold: Annotation) -> Chains:
        """The mentions in the documents of a batch; missing documents have none."""
        self._gold_unnamed &= gold.corpus.unnamed
        parts, documents, begin = [], [], 0
        for piece in self._documents.pieces(Tokens.of(gold.corpus.names)):
            if isinstance(piece, str):
                begin += 1
                continue
            for size, chains in self._align(gold.corpus, begin, piece):
                parts.append(chains)
                documents.append(begin)
                begin += size
        return Chains.concatenate(parts, documents) if parts else Chains.none(gold.chains().vocabulary)

    def _with_words(self, chains: Chains, gold: Annotation) -> Chains:
        if chains.words is not None or gold.chains().words is None:
            return chains
        if len(chains) and self._heads_of is not None:
            finding = f"the system {self._heads_of} does not specify the heads of its mentions"
            raise InputError(self._source, None, finding, "use CorefUD files, or --mention-match partial or exact")
        return replace(chains, words=mention_words(chains, gold.corpus))

    def _align(self, gold: Corpus, first: int, piece: BatchSlice) -> Iterator[tuple[int, Chains]]:
        """Yield numbers of documents and their mentions in tokens of the gold standard."""
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            yield piece.size, _chains(piece)
            return
        gold_bounds = gold.document_bounds[first : first + piece.size + 1]
        bounds = corpus.document_bounds[piece.first : piece.first + piece.size + 1]

        def tokens(begin: int, end: int) -> tuple[TokenKinds, TokenKinds]:
            rows = [begin, end]
            return TokenKinds(gold, *gold_bounds[rows].tolist()), TokenKinds(corpus, *bounds[rows].tolist())

        whole = tokens(0, piece.size)
        if not have_same_nodes(*whole):
            for number in range(piece.size):
                yield 1, self._with_nodes(BatchSlice(piece.batch, piece.first + number, 1), *tokens(number, number + 1))
            return
        other = np.flatnonzero(np.diff(gold_bounds) != np.diff(bounds)).tolist()
        if other:
            raise _length_error(piece.first + other[0], *tokens(other[0], other[0] + 1), self.issues.sides.key)
        self._compare(gold, whole[0].words, corpus, whole[1].words)
        self._check_sentences(*whole)
        yield piece.size, _chains(piece)

    def _with_nodes(self, piece: BatchSlice, gold: TokenKinds, system: TokenKinds) -> Chains:
        """Return the mentions of one document, after aligning its empty nodes."""
        if len(gold.words) == len(system.words) and (len(gold) or not len(system)):
            alignment = NodeAlignment(gold, system)
            self._compare(gold.corpus, gold.words, system.corpus, system.words)
            self._check_sentences(gold, system)
            self.issues.nodes += alignment.one_sided
            return alignment.to_gold(_chains(piece))
        # In formats without empty nodes, they are words.
        if len(gold) == len(system) and not (len(gold.nodes) and len(system.nodes)):
            self._compare(gold.corpus, gold.all, system.corpus, system.all)
            return _renumbered(_chains(piece), gold, system)
        raise _length_error(piece.first, gold, system, self.issues.sides.key)

    def _check_sentences(self, gold: TokenKinds, system: TokenKinds) -> None:
        """Refuse different sentences if both files have empty nodes, which are numbered by sentence."""
        if self._strict and gold.corpus.decimals is not None and system.corpus.decimals is not None:
            _compare_sentences(gold, system, self.issues.sides.key)

    def _compare(self, gold: Corpus, gold_rows: Ints, corpus: Corpus, rows: Ints) -> None:
        self.issues.add_words(gold, gold_rows, corpus, rows, SAME_WORDS if self._strict else None)


def _compare_sentences(gold: TokenKinds, system: TokenKinds, key: str) -> None:
    """Raise an error if sentences do not begin with the same words; `key` is the name of the gold side in messages."""
    corpus = system.corpus
    gold_starts, starts = (np.searchsorted(side.words, side.begin + side.sentence_starts) for side in (gold, system))
    size = min(len(gold_starts), len(starts))
    differs = np.flatnonzero(gold_starts[:size] != starts[:size])
    if not len(differs) and len(gold_starts) == len(starts):
        return
    sentence = min(int(differs[0]) if len(differs) else size, len(starts) - 1)
    line = corpus.line(system.begin + int(system.sentence_starts[sentence])) if len(starts) else None
    number = "is 1 sentence" if len(starts) == 1 else f"are {len(starts):,} sentences"
    finding = f"there {number}, in {key} {len(gold_starts):,}"
    if len(gold_starts) == len(starts):
        finding = f"the sentence that begins here begins elsewhere in {key}"
    raise InputError(corpus.source, line, finding, "use the same sentences, or --align position", "text")


def _renumbered(chains: Chains, gold: TokenKinds, system: TokenKinds) -> Chains:
    """Return mentions with the gold standard's word numbers, if words correspond to empty nodes of the other side."""
    if chains.words is None or not len(chains):
        return chains
    new, old = (word_numbers(side.corpus)[side.begin : side.end] for side in (gold, system))
    return replace(chains, words=chains.words.renumbered(old, new))


def _length_error(document: int, gold: TokenKinds, system: TokenKinds, key: str) -> InputError:
    """Return the error for a document with a different number of words, at the first different word if known."""
    corpus, index = system.corpus, 0
    expected, words, unit = gold.words, system.words, "words apart from empty nodes"
    if len(expected) == len(words) or not (len(gold.nodes) or len(system.nodes)):
        expected, words, unit = gold.all, system.all, "tokens"
    if gold.corpus.tokens is not None and corpus.tokens is not None:
        size = min(len(expected), len(words))
        same = equal(gold.corpus.tokens.take(expected[:size]), corpus.tokens.take(words[:size]))
        index = size if same.all() else int((~same).argmax())
    number = counted_phrase(len(words), unit)
    finding = f"the document {corpus.names[document]} has {number}, in {key} {len(expected):,}"
    line = corpus.line(int(words[min(index, len(words) - 1)])) if len(words) else mark(corpus, document)
    return InputError(corpus.source, line, finding, "use the same tokens in all files", "text")
