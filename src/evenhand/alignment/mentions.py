"""The mentions of a system in the documents and tokens of the gold standard; `document_feed` matches the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.alignment.documents import (
    GOLD_AND_PREDICTION,
    AlignmentIssues,
    DocumentFeed,
    Naming,
    Open,
    Piece,
    SideNames,
    mark,
)
from evenhand.arrays import Ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Chains, word_numbers
from evenhand.data.tokens import Tokens, equal
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted_phrase

# == text/empty_nodes.py: Empty nodes of two sides: which tokens of a system are which


Key = tuple[int, int, int]
"""Where an empty node stands between words, its decimal number, and how many with the same stand before it."""


@dataclass(frozen=True)
class TokenKinds:
    """Some tokens of a text, from `begin` to `end`: overt words, and empty nodes between them.

    In files that know no empty nodes, all tokens are words.
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
        """The decimal numbers of empty nodes, and -1 for words."""
        decimals = self.corpus.decimals
        return np.full(len(self), -1) if decimals is None else decimals[self.begin : self.end]

    @cached_property
    def words(self) -> Ints:
        """The overt words."""
        return self.all[self.decimals < 0]

    @cached_property
    def nodes(self) -> Ints:
        """The empty nodes."""
        return self.all[self.decimals >= 0]

    @property
    def sentence_starts(self) -> Ints:
        """Where sentences begin, counted from the first token."""
        assert self.corpus.bounds is not None
        first, behind = np.searchsorted(self.corpus.bounds, (self.begin, self.end))
        starts: Ints = self.corpus.bounds[first:behind] - self.begin
        return starts

    def keys(self) -> list[Key]:
        """The keys of empty nodes: behind the word i they stand at 2i + 1, before the first of a sentence at 2i."""
        bounds = self.corpus.bounds
        assert bounds is not None
        before = np.searchsorted(self.words, self.nodes)
        sentence = np.searchsorted(bounds, self.nodes, side="right") - 1
        place = 2 * before - (before > np.searchsorted(self.words, bounds[sentence]))
        known: Counter[tuple[int, int]] = Counter()
        keys = []
        for each in zip(place.tolist(), self.decimals[self.nodes - self.begin].tolist(), strict=True):
            keys.append((*each, known[each]))
            known[each] += 1
        return keys


class NodeAlignment:
    """A document of a system whose words are as many as the gold standard's; tokens count from its first one."""

    def __init__(self, gold: TokenKinds, system: TokenKinds) -> None:
        known = dict(zip(gold.keys(), (gold.nodes - gold.begin).tolist(), strict=True))
        keys = dict(zip((system.nodes - system.begin).tolist(), system.keys(), strict=True))
        self._words = gold.words - gold.begin
        self._own = {node: key for node, key in keys.items() if key not in known}
        """The empty nodes that only the system has."""
        self._token = np.full(len(system), -1)
        """The token of the gold standard for each of the system's; -1 for those of its own."""
        self._token[system.words - system.begin] = self._words
        for node, key in keys.items():
            self._token[node] = known.get(key, -1)
        shared = len(keys) - len(self._own)
        self.one_sided = len(keys) + len(known) - 2 * shared
        """How many empty nodes only one side has."""

    def moved(self, chains: Chains) -> Chains:
        """The mentions of this document in tokens of the gold standard."""
        if not len(chains):
            return chains
        # Most mentions have no empty node in them that makes a difference, and only move.
        is_break = np.diff(self._token, prepend=self._token[0] - 1) != 1
        breaks = np.append(0, np.cumsum(is_break | (self._token < 0)))
        is_torn = (breaks[chains.end] > breaks[chains.start + 1]) | (self._token[chains.start] < 0)
        start, shape = self._token[chains.start], chains.shape.copy()
        end = start + chains.end - chains.start
        for row in np.flatnonzero(is_torn).tolist():
            gaps = set(chains.vocabulary.shapes[int(shape[row])])
            first = int(chains.start[row])
            tokens = [token for token in range(first, int(chains.end[row])) if token - first not in gaps]
            start[row], end[row], own_shape = self._placed(tokens)
            shape[row] = chains.vocabulary.shapes.code(own_shape)
        return replace(chains, start=start, end=end, shape=shape)

    def _placed(self, tokens: list[int]) -> tuple[int, int, tuple[int, ...]]:
        """Start, end and shape of a mention of some of the system's tokens."""
        known = {int(self._token[token]) for token in tokens} - {-1}
        own = tuple(sorted(_number(self._own[token]) for token in tokens if token in self._own))
        anchor = self._anchor(self._own[tokens[0]]) if not known else min(known)
        end = max(known, default=anchor) + 1
        gaps = tuple(token - anchor for token in range(anchor, end) if token not in known)
        return anchor, end, own + gaps

    def _anchor(self, key: Key) -> int:
        """The word of the gold standard that an empty node stands behind, or the next one to it."""
        last = len(self._words) - 1
        return int(self._words[min(key[0] // 2, last)]) if last >= 0 else 0


def _number(key: Key) -> int:
    """An empty node in the shape of a mention: a negative number, which no other node has."""
    place, decimal, repeated = key
    return -1 - ((place << 64) | (decimal << 32) | repeated)


def have_same_nodes(gold: TokenKinds, system: TokenKinds) -> bool:
    """Whether documents have empty nodes at the same places, or none at all."""
    if not len(gold.nodes) and not len(system.nodes):
        return True
    same_sentences = np.array_equal(gold.sentence_starts, system.sentence_starts)
    return same_sentences and np.array_equal(gold.decimals, system.decimals)


# == text/chain_feed.py (primary)


SAME_WORDS = "give the same words, or --align position"
_NAMING = Naming(
    lambda corpus: Tokens.of(corpus.names),
    lambda corpus: corpus.unnamed,
    may_repeat=False,
    remedy="give documents the same names in all files",
)


def _chains(piece: Piece) -> Chains:
    """The mentions of some documents."""
    return piece.batch.chains().documents(np.arange(piece.first, piece.first + piece.size))


def repeated_name(source: str, name: str) -> InputError:
    finding = f"the document {name} stands in another file already"
    return InputError(source, None, finding, "give every document a name of its own", "document")


class SeenNames:
    """The names of all documents so far; files of a folder must not share any."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}

    def add(self, batch: Annotation) -> None:
        for name in batch.corpus.names:
            if name in self.sources:
                raise repeated_name(batch.corpus.source, name)
            self.sources[name] = batch.corpus.source


class ChainFeed:
    """Hands out a system's mentions for each batch of the gold standard."""

    def __init__(self, read: Open, gold: Open, *, strict: bool, called: SideNames = GOLD_AND_PREDICTION) -> None:
        """Messages call the sides as `called` says."""
        self._strict, self.found = strict, AlignmentIssues(called)
        self._documents = DocumentFeed((read, gold), _NAMING, self.found, self._receive)
        self._seen = SeenNames()
        self._unnamed = self._gold_unnamed = True
        self.source = ""
        self.reading: ReadInfo | None = None

    def take(self, gold: Annotation) -> Chains:
        """The mentions of the gold standard's documents, numbered as these are; none for a missing one."""
        self._gold_unnamed &= gold.corpus.unnamed
        parts, documents, begin = [], [], 0
        for piece in self._documents.pieces(Tokens.of(gold.corpus.names)):
            if isinstance(piece, str):
                begin += 1
                continue
            for size, chains in self._aligned(gold.corpus, begin, piece):
                parts.append(chains)
                documents.append(begin)
                begin += size
        return Chains.concatenate(parts, documents) if parts else Chains.none(gold.chains().vocabulary)

    def finish(self) -> None:
        """At the end: documents that are left are extra."""
        self._documents.finish()
        if self._unnamed and self._gold_unnamed and (self.found.missing or self.found.extra):
            finding = f"documents have no names, and are not as many as in {self.found.sides.key}"
            raise InputError(self.source, None, finding, "name them, or give as many in all files", "document")

    def _receive(self, batch: Annotation) -> None:
        """Note what the next batch tells of the whole file."""
        batch.chains()  # raises an error where there are none
        self._seen.add(batch)
        self._unnamed &= batch.corpus.unnamed
        self.source = batch.corpus.source
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading

    def _aligned(self, gold: Corpus, first: int, piece: Piece) -> Iterator[tuple[int, Chains]]:
        """The mentions of documents in tokens of the gold standard, and of how many documents they are."""
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            yield piece.size, _chains(piece)
            return
        mine = gold.document_bounds[first : first + piece.size + 1]
        theirs = corpus.document_bounds[piece.first : piece.first + piece.size + 1]

        def tokens(begin: int, end: int) -> tuple[TokenKinds, TokenKinds]:
            """Those of some documents, on both sides."""
            return TokenKinds(gold, *mine[[begin, end]].tolist()), TokenKinds(corpus, *theirs[[begin, end]].tolist())

        whole = tokens(0, piece.size)
        if not have_same_nodes(*whole):
            for number in range(piece.size):
                yield 1, self._with_nodes(Piece(piece.batch, piece.first + number, 1), *tokens(number, number + 1))
            return
        other = np.flatnonzero(np.diff(mine) != np.diff(theirs)).tolist()
        if other:
            raise _length_error(piece.first + other[0], *tokens(other[0], other[0] + 1), self.found.sides.key)
        self._compare(gold, whole[0].words, corpus, whole[1].words)
        self._check_sentences(*whole)
        yield piece.size, _chains(piece)

    def _with_nodes(self, piece: Piece, gold: TokenKinds, system: TokenKinds) -> Chains:
        """The mentions of one document, whose empty nodes are aligned by themselves."""
        if len(gold.words) == len(system.words) and (len(gold) or not len(system)):
            alignment = NodeAlignment(gold, system)
            self._compare(gold.corpus, gold.words, system.corpus, system.words)
            self._check_sentences(gold, system)
            self.found.nodes += alignment.one_sided
            return alignment.moved(_chains(piece))
        # In formats that know none, empty nodes are words.
        if len(gold) == len(system) and not (len(gold.nodes) and len(system.nodes)):
            self._compare(gold.corpus, gold.all, system.corpus, system.all)
            return _renumbered(_chains(piece), gold, system)
        raise _length_error(piece.first, gold, system, self.found.sides.key)

    def _check_sentences(self, gold: TokenKinds, system: TokenKinds) -> None:
        """Refuse other sentences, where both files know empty nodes, which are numbered by sentence."""
        if self._strict and gold.corpus.decimals is not None and system.corpus.decimals is not None:
            _compare_sentences(gold, system, self.found.sides.key)

    def _compare(self, gold: Corpus, mine: Ints, corpus: Corpus, theirs: Ints) -> None:
        """Count words that differ, or refuse them."""
        self.found.add_words(gold, mine, corpus, theirs, SAME_WORDS if self._strict else None)


def _compare_sentences(gold: TokenKinds, system: TokenKinds, key: str) -> None:
    """Raise an error where sentences do not begin with the same words; `key` is what messages call the first side."""
    corpus = system.corpus
    mine, theirs = (np.searchsorted(each.words, each.begin + each.sentence_starts) for each in (gold, system))
    size = min(len(mine), len(theirs))
    differs = np.flatnonzero(mine[:size] != theirs[:size])
    if not len(differs) and len(mine) == len(theirs):
        return
    place = min(int(differs[0]) if len(differs) else size, len(theirs) - 1)
    line = corpus.line(system.begin + int(system.sentence_starts[place])) if len(theirs) else None
    number = "is 1 sentence" if len(theirs) == 1 else f"are {len(theirs):,} sentences"
    finding = f"there {number}, in {key} {len(mine):,}"
    if len(mine) == len(theirs):
        finding = f"the sentence that begins here begins elsewhere in {key}"
    raise InputError(corpus.source, line, finding, "give the same sentences, or --align position", "text")


def _renumbered(chains: Chains, gold: TokenKinds, system: TokenKinds) -> Chains:
    """The mentions of a document whose words stand for empty nodes of the other side: tokens are numbered as there."""
    if chains.words is None or not len(chains):
        return chains
    new, old = (word_numbers(each.corpus)[each.begin : each.end] for each in (gold, system))
    return replace(chains, words=chains.words.renumbered(old, new))


def _length_error(document: int, gold: TokenKinds, system: TokenKinds, key: str) -> InputError:
    """What is wrong with a document that has another number of words, and where that begins, if words can tell."""
    corpus, place = system.corpus, 0
    mine, theirs, unit = gold.words, system.words, "words apart from empty nodes"
    if len(mine) == len(theirs) or not (len(gold.nodes) or len(system.nodes)):
        mine, theirs, unit = gold.all, system.all, "tokens"
    if gold.corpus.tokens is not None and corpus.tokens is not None:
        size = min(len(mine), len(theirs))
        same = equal(gold.corpus.tokens.take(mine[:size]), corpus.tokens.take(theirs[:size]))
        place = size if same.all() else int((~same).argmax())
    finding = f"the document {corpus.names[document]} has {counted_phrase(len(theirs), unit)}, in {key} {len(mine):,}"
    line = corpus.line(int(theirs[min(place, len(theirs) - 1)])) if len(theirs) else mark(corpus, document)
    return InputError(corpus.source, line, finding, "give the same tokens in all files", "text")
