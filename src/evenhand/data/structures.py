"""Coreference chains: mentions in clusters, as columns."""

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

from evenhand.arrays import Bools, Ints, concatenate, empty, ints, pack, ranges, zeros
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass

# == text/mention_words.py: The words and heads of mentions, as numbers that mean the sa


_PLACES = 3
"""Before a word (only for the first one of a sentence), the word, behind it."""
_DECIMALS = 1 << 20
NO_HEAD = -1
"""The head of a mention whose file knows no heads."""
Edge = tuple[int, str]
"""A parent and a relation; the parent is a number of a word, or `ROOT`."""
ROOT = -1


@dataclass(frozen=True)
class MentionWords:
    """A row a mention: its words, its head, the sentence of its head, and what the head depends on."""

    first: Ints
    """Where the words of each mention begin in `word`."""
    size: Ints
    word: Ints
    head: Ints
    sentence: Ints
    """Counted from the first one of the document."""
    depends: Ints
    """The code of the edges of an empty head among the extras of the vocabulary; 0: none."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_zero(self) -> Bools:
        """Which mentions have an empty node as their head."""
        found: Bools = (self.head != NO_HEAD) & is_node(self.head)
        return found

    @property
    def last(self) -> Ints:
        """The last word of each mention."""
        found: Ints = self.word[self.first + self.size - 1]
        return found

    @property
    def begin(self) -> Ints:
        """The first word of each mention."""
        found: Ints = self.word[self.first]
        return found

    def flat(self) -> tuple[Ints, Ints]:
        """For each word of each mention, the row and the word."""
        return np.repeat(np.arange(len(self)), self.size), self.word[ranges(self.first, self.size)]

    def take(self, rows: Ints | Bools | slice) -> MentionWords:
        first, size, head, sentence, depends = (
            column[rows] for column in (self.first, self.size, self.head, self.sentence, self.depends)
        )
        return MentionWords(first, size, self.word, head, sentence, depends)

    def recoded(self, code: Callable[[], Ints]) -> MentionWords:
        """The same with other codes of edges, where there are any."""
        return replace(self, depends=code()[self.depends]) if self.depends.any() else self

    def renumbered(self, old: Ints, new: Ints) -> MentionWords:
        """The same in the numbers of another text with as many tokens, given the numbers of all tokens in both."""

        def moved(number: Ints) -> Ints:
            found: Ints = new[np.minimum(np.searchsorted(old, number), len(new) - 1)]
            return found

        return replace(self, word=moved(self.word), head=np.where(self.head == NO_HEAD, NO_HEAD, moved(self.head)))

    @staticmethod
    def concatenate(parts: Sequence[MentionWords]) -> MentionWords:
        before = np.cumsum([0, *(len(part.word) for part in parts[:-1])])
        return MentionWords(
            np.concatenate([part.first + shift for part, shift in zip(parts, before, strict=True)]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("size", "word", "head")),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("sentence", "depends")),
        )


def is_node(word: Ints) -> Bools:
    """Which numbers are those of empty nodes."""
    found: Bools = (word // _DECIMALS) % _PLACES != 0
    return found


def number_of(overt: int, decimal: int | None, *, is_first: bool) -> int:
    """The number of a word, given how many overt words the document has up to it; or of an empty node behind it.

    `is_first` says that the node stands before the first word of its sentence.
    """
    if decimal is None:
        return overt * _PLACES * _DECIMALS
    place = (overt + 1) * _PLACES - 1 if is_first else overt * _PLACES + 1
    return place * _DECIMALS + min(decimal, _DECIMALS - 1)


def word_numbers(corpus: Corpus) -> Ints:
    """The number of each token in its document."""
    assert corpus.bounds is not None
    size = int(corpus.bounds[-1])
    decimals = np.full(size, -1) if corpus.decimals is None else corpus.decimals
    is_word = decimals < 0
    overt = np.append(0, np.cumsum(is_word))
    lengths = np.diff(corpus.bounds)
    before_sentence = np.repeat(overt[corpus.bounds[:-1]], lengths)
    before_document = np.repeat(overt[corpus.document_bounds[:-1]], np.diff(corpus.document_bounds))
    is_first = ~is_word & (overt[1:] == before_sentence)
    place = (overt[1:] - before_document) * _PLACES + np.where(is_first, _PLACES - 1, ~is_word)
    numbers: Ints = place * _DECIMALS + np.where(is_word, 0, np.minimum(decimals, _DECIMALS - 1))
    return numbers


def words_of(
    chains: Chains,
    corpus: Corpus,
    head: Ints | None = None,
    edges: Callable[[int], tuple[Edge, ...]] = lambda token: (),
) -> MentionWords:
    """The words of mentions in their own text.

    `head` is the place of each head among the words of its mention, and `edges` says what an empty node depends on.
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
    """For each mention where its tokens begin in the last column, and how many they are; tokens of the corpus."""
    start, size = corpus.document_bounds[chains.document] + chains.start, chains.end - chains.start
    token, row = ranges(start, size), np.repeat(np.arange(len(chains)), size)
    is_inside = np.ones(len(token), dtype=np.bool_)
    begins = np.cumsum(size) - size
    for each in np.flatnonzero(chains.shape).tolist():
        gaps = np.array(chains.vocabulary.shapes[int(chains.shape[each])], dtype=np.int64)
        is_inside[begins[each] + gaps] = False
    size = np.bincount(row[is_inside], minlength=len(chains))
    return np.cumsum(size) - size, size, token[is_inside]


# == text/chains.py (primary)


Mention = tuple[int, int, int, int, tuple[int, ...]]
"""Document, chain, start, end, and the tokens that it leaves out, counted from its start."""


@dataclass(frozen=True)
class Chains:
    """Mentions in the order in which they begin in their file: columns of equal length.

    A mention covers the tokens [start, end) of its document, counted from the document's first one, so that it may
    cross sentences. Mentions may nest, cross and repeat. Documents follow each other.
    """

    vocabulary: Vocabulary
    document: Ints
    """The document of each mention, counted from the first one."""
    start: Ints
    end: Ints
    chain: Ints
    """The chain of each mention: a number that no chain of another document has."""
    shape: Ints
    """The code of the tokens that a mention leaves out (0: none), see `Vocabulary`."""
    words: MentionWords | None = None
    """Their words and heads, where the format knows heads; else None."""

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | Bools | slice) -> Chains:
        columns = (self.document, self.start, self.end, self.chain, self.shape)
        document, start, end, chain, shape = (column[rows] for column in columns)
        words = None if self.words is None else self.words.take(rows)
        return Chains(self.vocabulary, document, start, end, chain, shape, words)

    def numbered(self) -> Chains:
        """The same with chains numbered from 0, without gaps."""
        return replace(self, chain=np.unique(self.chain, return_inverse=True)[1])

    def in_order(self) -> Ints:
        """The number of each mention's chain, from 0 in the order of their first mentions."""
        _, first, inverse = np.unique(self.chain, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse]

    def into(self, vocabulary: Vocabulary) -> Chains:
        """The same mentions with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        mine, shape = self.vocabulary, self.shape
        shape = mine.shapes.into(vocabulary.shapes)[shape] if shape.any() else shape
        words = self.words and self.words.recoded(lambda: mine.extras.into(vocabulary.extras))
        return replace(self, vocabulary=vocabulary, shape=shape, words=words)

    def documents(self, rows: Ints) -> Chains:
        """The mentions of some documents, which are numbered anew in this order; -1 stands for an empty one."""
        first = np.searchsorted(self.document, rows)
        size = np.where(rows >= 0, np.searchsorted(self.document, rows, side="right") - first, 0)
        found = self.take(ranges(first, size))
        return replace(found, document=np.repeat(np.arange(len(rows)), size))

    def rows(self) -> list[Mention]:
        """Every mention in plain Python."""
        columns = (self.document, self.chain, self.start, self.end, self.shape)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [(*row, self.vocabulary.shapes[shape]) for *row, shape in rows]

    def clusters(self, documents: int) -> list[list[list[tuple[int, int]]]]:
        """By document and chain the mentions (start, end), in plain Python; gaps are filled."""
        found: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(documents)]
        for document, chain, start, end, _ in self.rows():
            found[document].setdefault(chain, []).append((start, end))
        return [list(each.values()) for each in found]

    @staticmethod
    def of(vocabulary: Vocabulary, document: Ints, start: Ints, end: Ints, chain: Ints) -> Chains:
        """Mentions without gaps."""
        return Chains(vocabulary, document, start, end, chain, zeros(len(start)))

    @staticmethod
    def none(vocabulary: Vocabulary) -> Chains:
        return Chains.of(vocabulary, empty(), empty(), empty(), empty())

    @staticmethod
    def concatenate(parts: Sequence[Chains], documents: Sequence[int]) -> Chains:
        """Mentions one after the other; the documents of part i are moved by `documents[i]`."""
        if len(parts) == 1 and documents[0] == 0:
            return parts[0]
        first = parts[0].vocabulary
        parts = [part.into(first) for part in parts]
        chains = np.cumsum([0, *(int(part.chain.max(initial=-1)) + 1 for part in parts)])
        return Chains(
            first,
            np.concatenate([part.document + shift for part, shift in zip(parts, documents, strict=True)]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.chain + shift for part, shift in zip(parts, chains, strict=False)]),
            concatenate([part.shape for part in parts]),
            _joined_words(parts),
        )


def _joined_words(parts: Sequence[Chains]) -> MentionWords | None:
    """The words of successive parts, if all parts with mentions have them."""
    found = [part.words for part in parts if part.words is not None]
    if not found or any(part.words is None and len(part) for part in parts):
        return None
    return MentionWords.concatenate(found)


def spans_of(*sides: Chains) -> list[Ints]:
    """A number for each mention, for every side: equal for mentions of the same tokens, and sorted as these are."""
    whole = Chains.concatenate([replace(side, words=None) for side in sides], [0] * len(sides))
    key, _ = pack(*((column, empty()) for column in (whole.document, whole.start, whole.end, whole.shape)))
    return np.split(key, np.cumsum([len(side) for side in sides])[:-1])


# == text/listed_parts.py: The parts of spans as a file lists them, in characters of th


Parts = tuple[tuple[int, int], ...]
"""Starts and ends, in the order of the text."""


@dataclass(frozen=True)
class _Batch:
    """The spans of one batch; offsets count from the begin of `text`."""

    text: str
    first: Ints
    """Where the parts of each span begin among all parts, and the end of the last."""
    start: Ints
    end: Ints
    begin: Ints
    """Where the sentence of each span begins in the text."""

    def of(self, row: int) -> Parts:
        low, high = self.first[row : row + 2].tolist()
        begin = int(self.begin[row])
        parts = sorted(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))
        if len(parts) == 1:
            parts = list(self._words(*parts[0]))
        return tuple((start - begin, end - begin) for start, end in parts)

    def _words(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        """A part cut at every blank."""
        blanks = [at for at in range(start, end) if self.text[at] == " "]
        pieces = pairwise([start - 1, *blanks, end])
        return [(before + 1, behind) for before, behind in pieces if before + 1 < behind]


class ListedParts:
    """The parts of the spans of one annotation, by their rows."""

    def __init__(self, batches: Sequence[_Batch]) -> None:
        self._batches = batches
        self._first = list(accumulate((len(batch.begin) for batch in batches), initial=0))

    @staticmethod
    def of(text: str, first: Ints, start: Ints, end: Ints, begin: Ints) -> ListedParts:
        """Parts of spans in a text: `first` says where those of each span begin, `begin` where its sentence does."""
        return ListedParts([_Batch(text, first, start, end, begin)])

    @staticmethod
    def join(parts: Sequence[ListedParts]) -> ListedParts:
        return ListedParts([batch for part in parts for batch in part._batches])

    def __getitem__(self, row: int) -> Parts:
        """The parts of a span; what is listed as one part is cut at every blank."""
        batch = bisect_right(self._first, row) - 1
        return self._batches[batch].of(row - self._first[batch])


# == text/relations.py: Relations: typed, directed links between spans, as columns.


LAYER = "relations"
"""What the layer is called; its spans are the layer `spans` beside it."""


@dataclass(frozen=True)
class Relations:
    """Relations in the order of their file: columns of equal length."""

    vocabulary: Vocabulary
    label: Ints
    """The type, as a code of the vocabulary's labels."""
    head: Ints
    """The row of each head among the spans."""
    tail: Ints
    symmetric: frozenset[str] = frozenset()
    """The types whose ends a file marks as interchangeable."""
    parts: ListedParts | None = field(default=None, compare=False, repr=False)
    """The parts of spans as the file lists them, where it counts characters."""

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: Ints) -> Relations:
        return replace(self, label=self.label[rows], head=self.head[rows], tail=self.tail[rows])

    def into(self, vocabulary: Vocabulary) -> Relations:
        """The same relations with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        label = self.vocabulary.labels.into(vocabulary.labels)[self.label] if len(self) else self.label
        return replace(self, vocabulary=vocabulary, label=label)

    def rows(self) -> list[tuple[str, int, int]]:
        """(type, head, tail) of every relation, in plain Python."""
        names = self.vocabulary.labels.values
        columns = zip(self.label.tolist(), self.head.tolist(), self.tail.tolist(), strict=True)
        return [(names[label], head, tail) for label, head, tail in columns]

    @staticmethod
    def join(name: str, parts: Sequence[Mapping[str, Any]]) -> Relations:
        """The relations of successive batches, given the layers of each; heads and tails count through all spans."""
        first = parts[0][name].vocabulary
        found = [layers[name].into(first) for layers in parts]
        before = np.cumsum([0, *(len(layers["spans"]) for layers in parts)]).tolist()
        listed = [each.parts for each in found if each.parts is not None]
        return Relations(
            first,
            np.concatenate([each.label for each in found]),
            np.concatenate([each.head + shift for each, shift in zip(found, before, strict=False)]),
            np.concatenate([each.tail + shift for each, shift in zip(found, before, strict=False)]),
            frozenset().union(*(each.symmetric for each in found)),
            ListedParts.join(listed) if len(listed) == len(found) else None,
        )

    @staticmethod
    def none(vocabulary: Vocabulary) -> Relations:
        return Relations(vocabulary, empty(), empty(), empty())


# == text/links.py: Entity links: spans with ranked identifiers of a knowledge b


class Link(NamedTuple):
    """The identifiers of a span, the best one first."""

    candidates: tuple[str, ...]
    spelling: str = ""
    """The tokens of the span as its file spells them, where the two sides may spell tokens differently."""


def coded_links(links: Sequence[Link | None], vocabulary: Vocabulary) -> Ints:
    """The codes of links, 0 where a span has none."""
    return ints([0 if link is None or not link.candidates else vocabulary.extras.code(link) for link in links])


def links_of(spans: Spans) -> list[Link | None]:
    """The link of every span, None where it has none."""
    if spans.extra is None:
        return [None] * len(spans)
    found = [spans.vocabulary.extras[code] for code in spans.extra.tolist()]
    return [link if isinstance(link, Link) else None for link in found]


def in_documents(spans: Spans, documents: Ints, bounds: Ints | None) -> Spans:
    """Spans of sentences as spans of documents, whose first sentences these are; without bounds, both are the same."""
    document = np.searchsorted(documents, spans.scope, side="right") - 1
    if bounds is None:
        return replace(spans, scope=document)
    shift = bounds[spans.scope] - bounds[documents[document]]
    return replace(spans, scope=document, start=spans.start + shift, end=spans.end + shift)


def no_spans(vocabulary: Vocabulary) -> Spans:
    nothing = ints([])
    return Spans(vocabulary, nothing, nothing, nothing, nothing, nothing, nothing, nothing)


# == text/constituents.py: Constituents: the brackets of trees over the words of senten


@dataclass(frozen=True)
class Constituents:
    """The brackets of some sentences."""

    brackets: Spans
    lines: Ints
    """The line in which each sentence begins, 0 where there are no lines."""
    problems: Mapping[int, str] = field(default_factory=dict)
    """What is wrong with sentences that have no tree; these have no brackets."""

    def __len__(self) -> int:
        return len(self.brackets)

    @property
    def label(self) -> Ints:
        return self.brackets.label

    @property
    def vocabulary(self) -> Vocabulary:
        return self.brackets.vocabulary

    def join(self, name: str, parts: Sequence[Mapping[str, Any]], /) -> Constituents:
        """Successive batches as one layer."""
        return joined([part[name] for part in parts])

    def slice(self, begin: int, end: int) -> Constituents:
        """Some sentences, which are counted anew."""
        rows = slice(*np.searchsorted(self.brackets.scope, (begin, end)).tolist())
        spans = self.brackets.take(rows)
        problems = {each - begin: text for each, text in self.problems.items() if begin <= each < end}
        moved = Spans.concatenate([spans], [-begin])
        return Constituents(moved, self.lines[begin:end], problems)


def joined(parts: Sequence[Constituents]) -> Constituents:
    """The sentences of several parts, one after the other."""
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


# == text/extractions.py: Answers of language models about documents: strings and labe


LAYER_EXTRACTIONS = "extractions"
"""The layer that holds them, and the format that they are read in."""
DEEPEST = 100
"""How deep values of an answer may be nested; what lies deeper is malformed."""


class Answer(NamedTuple):
    """An answer: the text that a model wrote, decoded data, or `Calls`."""

    content: object
    label: str | None = None
    """The only label that was asked for, where there is one."""


@dataclass(frozen=True)
class Extractions:
    """The answers about each document: one, or one for every label that was asked for."""

    answers: tuple[tuple[Answer, ...], ...]

    def __len__(self) -> int:
        return len(self.answers)

    def contents(self) -> Iterator[object]:
        """What was written, in its order."""
        return (answer.content for answers in self.answers for answer in answers)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> Extractions:
        """Those of successive batches."""
        return Extractions(tuple(chained.from_iterable(part[name].answers for part in parts)))


OFFSET_LISTS = "offset lists"
"""The layer with spans of texts that are on the other side only."""


@dataclass(frozen=True)
class OffsetLists:
    """Spans with offsets into texts that their file does not have, for each text, and what they quote."""

    spans: tuple[Sequence[Any], ...]
    quotes: tuple[Sequence[Any], ...]
    counting: str | None = None
    """How offsets count, if a user says."""

    def __len__(self) -> int:
        return len(self.spans)

    def join(self, name: str, parts: Sequence[Mapping[str, Any]]) -> OffsetLists:
        """Those of successive batches."""
        lists = [part[name] for part in parts]
        spans, quotes = (chained.from_iterable(getattr(each, name) for each in lists) for name in ("spans", "quotes"))
        return OffsetLists(tuple(spans), tuple(quotes), self.counting)


class Calls(tuple[object, ...]):
    """The arguments of the tool calls of one answer, decoded or as JSON: together they are the answer."""


class UnreadableError(TypeError):
    """An object that is neither text nor data; its text is the name of its type."""


def plain_value(value: object, depth: int = 0) -> object:
    """An answer as text, numbers, lists and dictionaries, with a replacement character for halves of surrogate pairs.

    Objects of pydantic (1 and 2), dataclasses, named tuples, attrs, enumerations, arrays and namespaces are read by
    their fields, and messages of APIs that are neither by their attributes. Other objects raise `UnreadableError`.
    Values that are nested deeper than any item stay as they are.
    """
    if isinstance(value, Enum):
        return plain_value(value.value, depth + 1)
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, bool | int | float) or depth > DEEPEST:
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        value = dict(zip(value._fields, value, strict=True))
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(each, depth + 1) for each in value]
    if isinstance(value, Mapping):
        keys = (plain_value(key) if isinstance(key, str) else key for key in value)
        return dict(zip(keys, (plain_value(each, depth + 1) for each in value.values()), strict=True))
    if isinstance(value, _WRITTEN):
        return str(value)
    return plain_value(_fields(value), depth + 1)


def _fields(value: object) -> object:
    """The content of an object: a dictionary of its fields, or a list."""
    kind = type(value)
    if not isinstance(value, type):
        for method in ("model_dump", "tolist"):  # of pydantic, of NumPy
            if callable(getattr(kind, method, None)):
                return getattr(value, method)()
        if callable(getattr(kind, "dict", None)) and hasattr(kind, "__fields__"):  # of pydantic 1
            return value.dict()  # type: ignore[attr-defined]
        if is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in fields(value)}
        if hasattr(kind, "__attrs_attrs__"):
            return {field.name: getattr(value, field.name) for field in kind.__attrs_attrs__}
        if isinstance(value, SimpleNamespace):
            return vars(value)
        if known := {name: getattr(value, name) for name in _ATTRIBUTES if _is_set(value, name)}:
            return known
    raise UnreadableError(kind.__name__ if not isinstance(value, type) else f"class {value.__name__}")


_WRITTEN = (Decimal, Fraction, date, time, UUID, PurePath)
"""Types of values that are read as their text."""
_ATTRIBUTES = (
    *("choices", "message", "messages", "tool_calls", "function_call", "function", "arguments", "args", "input"),
    *("output", "content", "parsed", "role", "type"),
)
"""Attributes of messages, by which objects are read that have no other way to list their fields."""


def _is_set(value: object, name: str) -> bool:
    found = getattr(value, name, None)
    return found is not None and not callable(found)


_ENVELOPES = ("message", "response", "body", "result", "content")
"""Keys of records whose value may be a message."""


def answer_in(value: object) -> object:
    """The answer in a message of an API; other values are answers themselves.

    Of chat completions, the first choice counts, and of a conversation the last message. If a message calls tools,
    their arguments are the answer (`Calls`): `tool_calls` and `function_call` of OpenAI, items `function_call` of its
    responses, blocks `tool_use` of Anthropic, `tool_calls` of LangChain, `functionCall` of Gemini. Otherwise it is what
    was parsed, or the text.
    """
    if isinstance(value, list):
        return _in_blocks(value) if value and all(map(_is_block, value)) else value
    if not isinstance(value, Mapping):
        return value
    for key in ("choices", "candidates", "messages"):
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(isinstance(each, Mapping) for each in inner):
            said = [each for each in inner if each.get("role") in ("assistant", "model", "ai")]
            chosen = (said or inner)[-1] if key == "messages" else inner[0]
            return answer_in(chosen) if "text" not in chosen or "message" in chosen else chosen["text"]
    for key in _ENVELOPES:
        if isinstance(value.get(key), Mapping) and is_message(value[key]):
            return answer_in(value[key])
    calls = value.get("tool_calls") or value.get("function_call")
    if calls is not None and (found := _arguments(calls if isinstance(calls, list) else [calls])):
        return found
    if not is_message(value):
        return value
    if value.get("parsed") is not None:
        return value["parsed"]
    content = next(
        (value[key] for key in ("content", "output", "parts", "refusal") if value.get(key) is not None), None
    )
    return answer_in(content)


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether a record is a message of an API, or holds one."""
    if any(isinstance(value.get(key), list) for key in ("choices", "candidates")) or "tool_calls" in value:
        return True
    if isinstance(value.get("function_call"), Mapping) and "arguments" in value["function_call"]:
        return True
    if any(isinstance(value.get(key), Mapping) and is_message(value[key]) for key in _ENVELOPES):
        return True
    messages = value.get("messages")
    if (
        isinstance(messages, list)
        and messages
        and all(isinstance(message, Mapping) and "role" in message for message in messages)
    ):
        return True
    if isinstance(value.get("role"), str) and ("content" in value or "parts" in value):
        return True
    blocks = next((value[key] for key in ("content", "output", "parts") if isinstance(value.get(key), list)), None)
    return bool(blocks) and all(map(_is_block, blocks or []))


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
"""Types of blocks of a message, and the key of their content; thoughts have none that counts."""


def _is_block(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "type" not in value and (_called(value) or (isinstance(value.get("text"), str) and len(value) == 1)):
        return True  # a part of Gemini's
    kind = value.get("type")
    return isinstance(kind, str) and kind in _PAYLOADS and (not _PAYLOADS[kind] or _PAYLOADS[kind] in value)


def _in_blocks(blocks: list[Any]) -> object:
    """The arguments of tool calls among blocks, or their text."""
    called = [block for block in blocks if _is_call(block)]
    if called:
        return _arguments(called)
    texts = [answer_in(block[key]) for block in blocks if (key := _PAYLOADS.get(block.get("type", "text"), ""))]
    if len(texts) == 1:
        return texts[0]
    calls = [found for text in texts if isinstance(text, Calls) for found in text]
    return Calls(calls) if calls else "\n".join(text for text in texts if isinstance(text, str))


def _is_call(block: Mapping[str, Any]) -> bool:
    return _called(block) or _PAYLOADS.get(block.get("type", "")) in ("input", "arguments", "args", "function")


def _called(block: Mapping[str, Any]) -> bool:
    """Whether a part of Gemini's calls a function."""
    return any(isinstance(block.get(key), Mapping) for key in ("functionCall", "function_call"))


def _arguments(calls: list[Any]) -> Calls:
    """The arguments of tool calls; those of OpenAI are JSON in a string."""
    found = []
    for call in calls:
        inner = call
        for key in ("function", "functionCall", "function_call"):
            inner = inner[key] if isinstance(inner, Mapping) and isinstance(inner.get(key), Mapping) else inner
        if isinstance(inner, Mapping):
            found += [inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None][:1]
    return Calls(found)
