"""Structured layers: coreference chains, relations, entity links, constituents, and answers of language models.

Chains and relations are columns. Answers are kept as written; `plain_value` and `answer_in` find the answer in objects
and API messages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import accumulate, pairwise
from itertools import chain as chained
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from evenhand.arrays import Bools, Ints, Values, concatenate, empty, ints, pack, ranges, zeros
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, join_scores
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass

Mention = tuple[int, int, int, int, tuple[int, ...]]
"""Document, chain, start, end, and the tokens left out, counted from the start."""
Edge = tuple[int, str]
"""A parent and a relation; the parent is the number of a word, or `ROOT`."""
Parts = tuple[tuple[int, int], ...]
"""Starts and ends, in the order of the text."""
NO_HEAD = -1
"""The head of a mention in a file without heads."""
ROOT = -1
MAX_DEPTH = 100
"""Maximum nesting depth of values in an answer; deeper values are malformed."""
_SLOTS = 3
"""Slots of a word: before it (only for the first word of a sentence), the word, and after it."""
_DECIMALS = 1 << 20
_WRITTEN = (Decimal, Fraction, date, time, UUID, PurePath)
"""Types whose values are read as their text."""
_ATTRIBUTES = (
    *("choices", "message", "messages", "tool_calls", "function_call", "function", "arguments", "args", "input"),
    *("output", "content", "parsed", "role", "type"),
)
"""Attributes of messages, for objects that cannot list their fields."""
_ENVELOPES = ("message", "response", "body", "result", "content")
"""Keys of records whose value may be a message."""
_MESSAGE_KEYS = frozenset(
    (*_ENVELOPES, "choices", "candidates", "tool_calls", "function_call", "messages", "role", "output", "parts")
)
"""Keys of which every message has at least one."""
_PAYLOADS = {
    **dict.fromkeys(("text", "output_text", "input_text"), "text"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), ""),
    **dict.fromkeys(("tool_use", "server_tool_use"), "input"),
    **dict.fromkeys(("function_call", "custom_tool_call"), "arguments"),
    "message": "content",
    "refusal": "refusal",
    "tool_call": "args",
    "function": "function",
}
"""The key of the content by type of block in a message; the content of thoughts is ignored."""


@dataclass(frozen=True)
class MentionWords:
    """Words and heads of mentions, one row per mention.

    Words are numbers that identify the same word in the gold standard and in systems, even if empty nodes differ.
    """

    first: Ints
    """The index of each mention's first word in `word`."""
    size: Ints
    word: Ints
    head: Ints
    sentence: Ints
    """The sentence of the head, counted from the first one of the document."""
    depends: Ints
    """The code of the edges of an empty head among the vocabulary's extras; 0: none."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_zero(self) -> Bools:
        """Which mentions have an empty node as their head."""
        return np.asarray((self.head != NO_HEAD) & ((self.head // _DECIMALS) % _SLOTS != 0))

    @property
    def last(self) -> Ints:
        return np.asarray(self.word[self.first + self.size - 1])

    @property
    def begin(self) -> Ints:
        return np.asarray(self.word[self.first])

    def flat(self) -> tuple[Ints, Ints]:
        """Return the row and the word for each word of each mention."""
        return np.repeat(np.arange(len(self)), self.size), self.word[ranges(self.first, self.size)]

    def take(self, rows: Ints | Bools | slice) -> MentionWords:
        first, size, head, sentence, depends = (
            column[rows] for column in (self.first, self.size, self.head, self.sentence, self.depends)
        )
        return MentionWords(first, size, self.word, head, sentence, depends)

    def renumbered(self, old: Ints, new: Ints) -> MentionWords:
        """Return the same in the word numbers of another text with the same number of tokens."""
        word, head = (new[np.minimum(np.searchsorted(old, column), len(new) - 1)] for column in (self.word, self.head))
        return replace(self, word=word, head=np.where(self.head == NO_HEAD, NO_HEAD, head))

    @staticmethod
    def concatenate(parts: Sequence[MentionWords]) -> MentionWords:
        before = np.cumsum([0, *(len(part.word) for part in parts[:-1])])
        return MentionWords(
            np.concatenate([part.first + shift for part, shift in zip(parts, before, strict=True)]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("size", "word", "head")),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("sentence", "depends")),
        )


def word_number(overt: int, decimal: int | None, *, is_first: bool) -> int:
    """Return the number of the word `overt` of a document, or of the empty node with this decimal after it.

    `is_first` means that the node precedes the first word of its sentence.
    """
    if decimal is None:
        return overt * _SLOTS * _DECIMALS
    slot = (overt + 1) * _SLOTS - 1 if is_first else overt * _SLOTS + 1
    return slot * _DECIMALS + min(decimal, _DECIMALS - 1)


def word_numbers(corpus: Corpus) -> Ints:
    """Return the number of each token in its document; see `word_number`."""
    assert corpus.bounds is not None
    decimals = np.full(int(corpus.bounds[-1]), -1) if corpus.decimals is None else corpus.decimals
    is_word = decimals < 0
    overt = np.append(0, np.cumsum(is_word))
    before_sentence = np.repeat(overt[corpus.bounds[:-1]], np.diff(corpus.bounds))
    before_document = np.repeat(overt[corpus.document_bounds[:-1]], np.diff(corpus.document_bounds))
    is_first = ~is_word & (overt[1:] == before_sentence)
    slot = (overt[1:] - before_document) * _SLOTS + np.where(is_first, _SLOTS - 1, ~is_word)
    return np.asarray(slot * _DECIMALS + np.where(is_word, 0, np.minimum(decimals, _DECIMALS - 1)))


def mention_words(
    chains: Chains,
    corpus: Corpus,
    head: Ints | None = None,
    edges: Callable[[int], tuple[Edge, ...]] = lambda token: (),
) -> MentionWords:
    """Return the words of mentions.

    `head` is the index of each head among the words of its mention; `edges` returns the edges of an empty node.
    """
    first, size, token = _tokens(chains, corpus)
    numbers = word_numbers(corpus)
    top = token[first if head is None else first + head]
    sentence, _ = corpus.in_sentences(chains.document, top - corpus.document_bounds[chains.document])
    sentence = sentence - corpus.documents[chains.document]
    of_head = np.full(len(first), NO_HEAD) if head is None else numbers[top]
    depends, extras = np.zeros(len(first), dtype=np.int64), chains.vocabulary.extras
    words = MentionWords(first, size, numbers[token], of_head, sentence, depends)
    for row in np.flatnonzero(words.is_zero).tolist():
        depends[row] = extras.code(edges(int(top[row])))
    return words


def _tokens(chains: Chains, corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Return the index of each mention's first token in the last column, their number, and the tokens."""
    start, size = corpus.document_bounds[chains.document] + chains.start, chains.end - chains.start
    token, row = ranges(start, size), np.repeat(np.arange(len(chains)), size)
    is_inside = np.ones(len(token), dtype=np.bool_)
    begins = np.cumsum(size) - size
    for mention in np.flatnonzero(chains.shape).tolist():
        gaps = np.array(chains.vocabulary.shapes[int(chains.shape[mention])], dtype=np.int64)
        is_inside[begins[mention] + gaps] = False
    size = np.bincount(row[is_inside], minlength=len(chains))
    return np.cumsum(size) - size, size, token[is_inside]


@dataclass(frozen=True)
class Chains:
    """Mentions in the order in which they begin in their file, as columns of equal length.

    A mention covers the tokens [start, end) of its document, so it may cross sentences. Mentions may nest, cross and
    repeat. Documents are in order.
    """

    vocabulary: Vocabulary
    document: Ints
    start: Ints
    end: Ints
    chain: Ints
    """The chain of each mention; chains of different documents have different numbers."""
    shape: Ints
    """The code of the tokens that a mention leaves out (0: none), see `Vocabulary`."""
    words: MentionWords | None = None
    """Words and heads, if the format has heads."""

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | Bools | slice) -> Chains:
        columns = (self.document, self.start, self.end, self.chain, self.shape)
        document, start, end, chain, shape = (column[rows] for column in columns)
        words = None if self.words is None else self.words.take(rows)
        return Chains(self.vocabulary, document, start, end, chain, shape, words)

    def numbered(self) -> Chains:
        """Return the same with chains numbered from 0, without gaps."""
        return replace(self, chain=np.unique(self.chain, return_inverse=True)[1])

    def in_order(self) -> Ints:
        """Return the number of each mention's chain, from 0 in the order of first mentions."""
        _, first, inverse = np.unique(self.chain, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse]

    def into(self, vocabulary: Vocabulary) -> Chains:
        """Return the same mentions with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        shape, words = self.shape, self.words
        if shape.any():
            shape = self.vocabulary.shapes.into(vocabulary.shapes)[shape]
        if words is not None and words.depends.any():
            words = replace(words, depends=self.vocabulary.extras.into(vocabulary.extras)[words.depends])
        return replace(self, vocabulary=vocabulary, shape=shape, words=words)

    def documents(self, rows: Ints) -> Chains:
        """Return the mentions of some documents, renumbered in this order; -1 means an empty one."""
        first = np.searchsorted(self.document, rows)
        size = np.where(rows >= 0, np.searchsorted(self.document, rows, side="right") - first, 0)
        return replace(self.take(ranges(first, size)), document=np.repeat(np.arange(len(rows)), size))

    def rows(self) -> list[Mention]:
        columns = (self.document, self.chain, self.start, self.end, self.shape)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [(*row, self.vocabulary.shapes[shape]) for *row, shape in rows]

    def clusters(self, documents: int) -> list[list[list[tuple[int, int]]]]:
        """Return the mentions (start, end) by document and chain, ignoring gaps."""
        by_document: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(documents)]
        for document, chain, start, end, _ in self.rows():
            by_document[document].setdefault(chain, []).append((start, end))
        return [list(by_chain.values()) for by_chain in by_document]

    @staticmethod
    def of(vocabulary: Vocabulary, document: Ints, start: Ints, end: Ints, chain: Ints) -> Chains:
        """Return mentions without gaps."""
        return Chains(vocabulary, document, start, end, chain, zeros(len(start)))

    @staticmethod
    def none(vocabulary: Vocabulary) -> Chains:
        return Chains.of(vocabulary, empty(), empty(), empty(), empty())

    @staticmethod
    def concatenate(parts: Sequence[Chains], documents: Sequence[int]) -> Chains:
        """Concatenate mentions; `documents[i]` is added to the documents of part i."""
        if len(parts) == 1 and documents[0] == 0:
            return parts[0]
        first = parts[0].vocabulary
        parts = [part.into(first) for part in parts]
        chains = np.cumsum([0, *(int(part.chain.max(initial=-1)) + 1 for part in parts)])
        words = [part.words for part in parts if part.words is not None]
        have_words = bool(words) and all(part.words is not None or not len(part) for part in parts)
        return Chains(
            first,
            np.concatenate([part.document + shift for part, shift in zip(parts, documents, strict=True)]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.chain + shift for part, shift in zip(parts, chains, strict=False)]),
            concatenate([part.shape for part in parts]),
            MentionWords.concatenate(words) if have_words else None,
        )


def mention_spans(*sides: Chains) -> list[Ints]:
    """Return a number for each mention of every side, equal for mentions of the same tokens, in the order of these."""
    whole = Chains.concatenate([replace(side, words=None) for side in sides], [0] * len(sides))
    key, _ = pack(*((column, empty()) for column in (whole.document, whole.start, whole.end, whole.shape)))
    return np.split(key, np.cumsum([len(side) for side in sides])[:-1])


@dataclass(frozen=True)
class _Batch:
    """The parts of the spans in one batch; offsets count from the beginning of `text`."""

    text: str
    first: Ints
    """The index of each span's first part among all parts, and the total."""
    start: Ints
    end: Ints
    begin: Ints
    """The offset of each span's sentence in the text."""

    def of(self, row: int) -> Parts:
        low, high = self.first[row : row + 2].tolist()
        begin = int(self.begin[row])
        parts = sorted(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))
        if len(parts) == 1:
            parts = list(self._words(*parts[0]))
        return tuple((start - begin, end - begin) for start, end in parts)

    def _words(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        blanks = [offset for offset in range(start, end) if self.text[offset] == " "]
        pieces = pairwise([start - 1, *blanks, end])
        return [(before + 1, after) for before, after in pieces if before + 1 < after]


class ListedParts:
    """The parts of spans as a file lists them, in characters of the sentence, by row."""

    def __init__(self, batches: Sequence[_Batch]) -> None:
        self._batches = batches
        self._first = list(accumulate((len(batch.begin) for batch in batches), initial=0))

    @staticmethod
    def of(text: str, first: Ints, start: Ints, end: Ints, begin: Ints) -> ListedParts:
        """Return parts of spans in a text; `first` is each span's first part, `begin` the offset of its sentence."""
        return ListedParts([_Batch(text, first, start, end, begin)])

    @staticmethod
    def join(parts: Sequence[ListedParts]) -> ListedParts:
        return ListedParts([batch for part in parts for batch in part._batches])

    def __getitem__(self, row: int) -> Parts:
        """Return the parts of a span; a single part is split at blanks."""
        batch = bisect_right(self._first, row) - 1
        return self._batches[batch].of(row - self._first[batch])


@dataclass(frozen=True)
class Relations:
    """Typed, directed relations between spans, in the order of their file, as columns of equal length."""

    vocabulary: Vocabulary
    label: Ints
    """The type, as a code of the vocabulary's labels."""
    head: Ints
    """The row of each head in the layer `spans`."""
    tail: Ints
    symmetric: frozenset[str] = frozenset()
    """Types whose arguments are interchangeable according to the file."""
    parts: ListedParts | None = field(default=None, compare=False, repr=False)
    """The parts of spans, if the file has character offsets."""
    score: Values | None = None
    """The confidence of each relation, NaN without one; None if no relation has one."""

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Ints) -> Relations:
        score = None if self.score is None else self.score[rows]
        return replace(self, label=self.label[rows], head=self.head[rows], tail=self.tail[rows], score=score)

    def into(self, vocabulary: Vocabulary) -> Relations:
        """Return the same relations with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        label = self.vocabulary.labels.into(vocabulary.labels)[self.label] if len(self) else self.label
        return replace(self, vocabulary=vocabulary, label=label)

    def rows(self) -> list[tuple[str, int, int]]:
        """Return (type, head, tail) of every relation."""
        names = self.vocabulary.labels.values
        columns = zip(self.label.tolist(), self.head.tolist(), self.tail.tolist(), strict=True)
        return [(names[label], head, tail) for label, head, tail in columns]

    @staticmethod
    def join(name: str, parts: Sequence[Mapping[str, Any]]) -> Relations:
        """Concatenate the relations of consecutive batches; heads and tails are renumbered."""
        first = parts[0][name].vocabulary
        relations = [layers[name].into(first) for layers in parts]
        before = np.cumsum([0, *(len(layers["spans"]) for layers in parts)]).tolist()
        listed = [part.parts for part in relations if part.parts is not None]
        return Relations(
            first,
            np.concatenate([part.label for part in relations]),
            np.concatenate([part.head + shift for part, shift in zip(relations, before, strict=False)]),
            np.concatenate([part.tail + shift for part, shift in zip(relations, before, strict=False)]),
            frozenset().union(*(part.symmetric for part in relations)),
            ListedParts.join(listed) if len(listed) == len(relations) else None,
            join_scores([(part.score, len(part)) for part in relations]),
        )


class Link(NamedTuple):
    """Knowledge base identifiers of a span, the best one first."""

    candidates: tuple[str, ...]
    spelling: str = ""
    """The tokens of the span, if the two sides may spell tokens differently."""


def code_links(links: Sequence[Link | None], vocabulary: Vocabulary) -> Ints:
    """Return the codes of links, 0 for spans without one."""
    return ints([0 if link is None or not link.candidates else vocabulary.extras.code(link) for link in links])


def links_of(spans: Spans) -> list[Link | None]:
    """Return the link of every span, None for spans without one."""
    if spans.extra is None:
        return [None] * len(spans)
    links = [spans.vocabulary.extras[code] for code in spans.extra.tolist()]
    return [link if isinstance(link, Link) else None for link in links]


def to_documents(spans: Spans, documents: Ints, bounds: Ints | None) -> Spans:
    """Convert spans in sentences to spans in documents, given the first sentence of each document.

    Without bounds of sentences, positions are unchanged.
    """
    document = np.searchsorted(documents, spans.scope, side="right") - 1
    if bounds is None:
        return replace(spans, scope=document)
    shift = bounds[spans.scope] - bounds[documents[document]]
    return replace(spans, scope=document, start=spans.start + shift, end=spans.end + shift)


def no_spans(vocabulary: Vocabulary) -> Spans:
    scope, start, end, label, level, shape, extra = (empty() for _ in range(7))
    return Spans(vocabulary, scope, start, end, label, level, shape, extra)


@dataclass(frozen=True)
class Constituents:
    """The brackets of constituent trees over the words of sentences."""

    brackets: Spans
    lines: Ints
    """The first line of each sentence, 0 without lines."""
    problems: Mapping[int, str] = field(default_factory=dict)
    """Why sentences have no tree; these have no brackets."""

    def __len__(self) -> int:
        return len(self.brackets)

    @property
    def label(self) -> Ints:
        return self.brackets.label

    @property
    def vocabulary(self) -> Vocabulary:
        return self.brackets.vocabulary

    def join(self, name: str, parts: Sequence[Mapping[str, Any]], /) -> Constituents:
        return join_constituents([part[name] for part in parts])

    def slice(self, begin: int, end: int) -> Constituents:
        """Return some sentences, renumbered from 0."""
        rows = slice(*np.searchsorted(self.brackets.scope, (begin, end)).tolist())
        problems = {number - begin: text for number, text in self.problems.items() if begin <= number < end}
        brackets = Spans.concatenate([self.brackets.take(rows)], [-begin])
        return Constituents(brackets, self.lines[begin:end], problems)


def join_constituents(parts: Sequence[Constituents]) -> Constituents:
    """Concatenate the sentences of parts."""
    if len(parts) == 1:
        return parts[0]
    before = list(accumulate((len(part.lines) for part in parts[:-1]), initial=0))
    problems = {
        sentence + shift: text
        for part, shift in zip(parts, before, strict=True)
        for sentence, text in part.problems.items()
    }
    brackets = Spans.concatenate([part.brackets for part in parts], before)
    return Constituents(brackets, np.concatenate([part.lines for part in parts]), problems)


class Answer(NamedTuple):
    """An answer of a language model: text, decoded data, or `Calls`."""

    content: object
    label: str | None = None
    """The requested label, if only one was requested."""


@dataclass(frozen=True)
class Extractions:
    """Answers of a language model about each document: one, or one per requested label."""

    answers: tuple[tuple[Answer, ...], ...]

    def __len__(self) -> int:
        return len(self.answers)

    def contents(self) -> Iterator[object]:
        return (answer.content for answers in self.answers for answer in answers)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> Extractions:
        return Extractions(tuple(chained.from_iterable(part[name].answers for part in parts)))


@dataclass(frozen=True)
class OffsetLists:
    """Spans and their quotations, with offsets into texts that only the other side has, by text."""

    spans: tuple[Sequence[Any], ...]
    quotes: tuple[Sequence[Any], ...]
    counting: str | None = None
    """How offsets count, if set by the user."""
    has_sentence_numbers: bool = False
    """Whether the ids of texts are whole numbers in a column of sentences."""

    def __len__(self) -> int:
        return len(self.spans)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> OffsetLists:
        lists = [part[name] for part in parts]
        spans = chained.from_iterable(part.spans for part in lists)
        quotes = chained.from_iterable(part.quotes for part in lists)
        return OffsetLists(tuple(spans), tuple(quotes), self.counting, self.has_sentence_numbers)


@dataclass(frozen=True)
class Records:
    """A value per document: decoded JSON or, for a system, what a language model wrote (a string, or `Calls`)."""

    values: tuple[object, ...]
    texts: tuple[str | None, ...] = ()
    """The texts of documents; empty if there are none."""

    def __len__(self) -> int:
        return len(self.values)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> Records:
        layers = [part[name] for part in parts]
        texts = [layer.texts or (None,) * len(layer) for layer in layers]
        has_texts = any(layer.texts for layer in layers)
        values = chained.from_iterable(layer.values for layer in layers)
        return Records(tuple(values), tuple(chained.from_iterable(texts)) if has_texts else ())


class Calls(tuple[object, ...]):
    """The arguments of the tool calls of one answer, decoded or as JSON."""

    tools: tuple[str | None, ...] = ()
    """The names of the tools."""


class UnreadableError(TypeError):
    """An object that is neither text nor data; the message is the name of its type."""


def json_data(value: object) -> object:
    """Convert an object to JSON data: pydantic objects as they would be written as JSON, decimals as numbers."""
    if isinstance(value, Decimal):
        return value
    if not isinstance(value, type) and callable(getattr(type(value), "model_dump", None)):
        return json_data(value.model_dump(mode="json"))  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {str(key): json_data(member) for key, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and not hasattr(value, "_fields"):
        return [json_data(member) for member in value]
    if isinstance(value, int | float) and not isinstance(value, bool | Enum):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, str | bool | Enum) or value is None or isinstance(value, _WRITTEN):
        return plain_value(value)
    return json_data(_fields(value))


def plain_value(value: object, depth: int = 0) -> object:
    """Convert an answer to text, numbers, lists and dictionaries; surrogates become replacement characters.

    Objects of pydantic (1 and 2), dataclasses, named tuples, attrs, enumerations, arrays and namespaces are read by
    their fields, other API messages by their attributes. Other objects raise `UnreadableError`. Values nested deeper
    than `MAX_DEPTH` are unchanged.
    """
    if isinstance(value, Enum):
        return plain_value(value.value, depth + 1)
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, bool | int | float) or depth > MAX_DEPTH:
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        value = dict(zip(value._fields, value, strict=True))
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(member, depth + 1) for member in value]
    if isinstance(value, Mapping):
        keys = (plain_value(key) if isinstance(key, str) else key for key in value)
        return dict(zip(keys, (plain_value(member, depth + 1) for member in value.values()), strict=True))
    if isinstance(value, _WRITTEN):
        return str(value)
    return plain_value(_fields(value), depth + 1)


def _fields(value: object) -> object:
    kind = type(value)
    if not isinstance(value, type):
        for method in ("model_dump", "tolist"):  # pydantic, NumPy
            if callable(getattr(kind, method, None)):
                return getattr(value, method)()
        if callable(getattr(kind, "dict", None)) and hasattr(kind, "__fields__"):  # pydantic 1
            return value.dict()  # type: ignore[attr-defined]
        if is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in fields(value)}
        if hasattr(kind, "__attrs_attrs__"):
            return {field.name: getattr(value, field.name) for field in kind.__attrs_attrs__}
        if isinstance(value, SimpleNamespace):
            return vars(value)
        attributes = {name: getattr(value, name, None) for name in _ATTRIBUTES}
        if known := {name: part for name, part in attributes.items() if part is not None and not callable(part)}:
            return known
    raise UnreadableError(kind.__name__ if not isinstance(value, type) else f"class {value.__name__}")


def answer_in(value: object) -> object:
    """Return the answer in a message of an API; other values are answers themselves.

    The answer is the first choice of a chat completion, and the last message of a conversation. If a message calls
    tools, their arguments are the answer (`Calls`): `tool_calls` and `function_call` of OpenAI, items `function_call`
    of its responses, blocks `tool_use` of Anthropic, `tool_calls` of LangChain, `functionCall` of Gemini. Otherwise it
    is the parsed value, or the text.
    """
    if isinstance(value, list):
        return _in_blocks(value) if value and all(map(_is_block, value)) else value
    if not isinstance(value, Mapping):
        return value
    for key in ("choices", "candidates", "messages"):
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(isinstance(message, Mapping) for message in inner):
            answers = [message for message in inner if message.get("role") in ("assistant", "model", "ai")]
            chosen = (answers or inner)[-1] if key == "messages" else inner[0]
            return answer_in(chosen) if "text" not in chosen or "message" in chosen else chosen["text"]
    for key in _ENVELOPES:
        if isinstance(value.get(key), Mapping) and is_message(value[key]):
            return answer_in(value[key])
    calls = value.get("tool_calls") or value.get("function_call")
    if calls is not None and (arguments := _arguments(calls if isinstance(calls, list) else [calls])):
        return arguments
    if not is_message(value):
        return value
    if value.get("parsed") is not None:
        return value["parsed"]
    content = next(
        (value[key] for key in ("content", "output", "parts", "refusal") if value.get(key) is not None), None
    )
    return answer_in(content)


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether a record is or contains a message of an API."""
    if _MESSAGE_KEYS.isdisjoint(value):
        return False
    if any(isinstance(value.get(key), list) for key in ("choices", "candidates")) or "tool_calls" in value:
        return True
    if isinstance(value.get("function_call"), Mapping) and "arguments" in value["function_call"]:
        return True
    if any(isinstance(value.get(key), Mapping) and is_message(value[key]) for key in _ENVELOPES):
        return True
    messages = value.get("messages") if isinstance(value.get("messages"), list) else None
    if messages and all(isinstance(message, Mapping) and "role" in message for message in messages):
        return True
    if isinstance(value.get("role"), str) and ("content" in value or "parts" in value):
        return True
    blocks = next((value[key] for key in ("content", "output", "parts") if isinstance(value.get(key), list)), None)
    return bool(blocks) and all(map(_is_block, blocks or []))


def _is_block(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "type" not in value and (_called(value) or (isinstance(value.get("text"), str) and len(value) == 1)):
        return True  # Gemini
    kind = value.get("type")
    return isinstance(kind, str) and kind in _PAYLOADS and (not _PAYLOADS[kind] or _PAYLOADS[kind] in value)


def _in_blocks(blocks: list[Any]) -> object:
    """Return the arguments of tool calls in blocks, or the text."""
    calling = ("input", "arguments", "args", "function")
    called = [block for block in blocks if _called(block) or _PAYLOADS.get(block.get("type", "")) in calling]
    if called:
        return _arguments(called)
    texts = [answer_in(block[key]) for block in blocks if (key := _PAYLOADS.get(block.get("type", "text"), ""))]
    if len(texts) == 1:
        return texts[0]
    calls = [call for text in texts if isinstance(text, Calls) for call in text]
    return Calls(calls) if calls else "\n".join(text for text in texts if isinstance(text, str))


def _called(block: Mapping[str, Any]) -> bool:
    """Whether a part of a Gemini message calls a function."""
    return any(isinstance(block.get(key), Mapping) for key in ("functionCall", "function_call"))


def _arguments(calls: list[Any]) -> Calls:
    """Return the arguments of tool calls; OpenAI writes them as JSON in a string."""
    arguments, tools = list[object](), list[str | None]()
    for call in calls:
        inner = call
        for key in ("function", "functionCall", "function_call"):
            inner = inner[key] if isinstance(inner, Mapping) and isinstance(inner.get(key), Mapping) else inner
        if isinstance(inner, Mapping):
            arguments += [inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None][:1]
            tools += [inner.get("name")] * (len(arguments) - len(tools))
    called = Calls(arguments)
    called.tools = tuple(tools)
    return called
