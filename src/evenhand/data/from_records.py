"""Annotations from plain lists of coreference chains, a list a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import LISTS, Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.from_lists import (
    SpanTuple,
    bounds_of,
    check_name,
    ids_of,
    is_text,
    listed,
    lists,
    numbers,
    parts_of,
    spans,
    tokens_of,
)
from evenhand.data.layers import TagColumn
from evenhand.data.names import EXTRACTIONS, LINKS, RELATIONS
from evenhand.data.structures import (
    Answer,
    Chains,
    Extractions,
    Link,
    Relations,
    UnreadableError,
    answer_in,
    code_links,
    is_message,
    plain_value,
)
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.errors import InputError, counted
from evenhand.parameters import check_choice, quote

Documents = Iterable[Iterable[Iterable[tuple[int, int]]]]
_CHAINS = "give a list of chains for each document, such as [[[(0, 2), (5, 6)]]]"


def chains(
    documents: Documents,
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    tokens: Iterable[Sequence[str]] | None = None,
    pos: Iterable[Sequence[str]] | None = None,
    names: Sequence[str] | None = None,
    name: str = "chains",
) -> Annotation:
    """An annotation from coreference chains: `chains([[[(0, 2), (5, 6)], [(3, 4)]]])`, a list of chains a document.

    A mention is (start, end), in tokens of its document; `end` says whether the end is its last token or the one behind
    it. `tokens` and `pos` are lists of words and their POS, one a document: with them, the two sides of a comparison
    are checked for equal words, and nominal mentions are known. Documents are matched by `names`, or by their order.
    """
    check_name(name)
    check_choice("end", end, ("exclusive", "inclusive"))
    size, layer = _layer(documents, name, behind=end == "inclusive")
    unnamed = names is None
    names = [str(number) for number in range(1, size + 1)] if names is None else _names(names, size, name)
    words = None if tokens is None else lists(tokens, "document", name, "give a list of tokens for each document")
    bounds = None if words is None else bounds_of(words)
    _check(layer, size, None if bounds is None else np.diff(bounds), name)
    layers: dict[str, Layer] = {"chains": layer}
    tags = None if bounds is None else tokens_of(pos, bounds, name, "POS", "document")
    if tags is not None:
        layers["pos"] = TagColumn(tags, StringCoder())
    elif pos is not None:
        raise InputError(name, None, "there are POS but no tokens", "give both")
    corpus = Corpus(
        name,
        size,
        bounds,
        None if bounds is None else tokens_of(words, bounds, name, where="document"),
        documents=np.arange(size),
        names=tuple(names),
        unnamed=unnamed,
    )
    return Annotation(corpus, layers, {"chains": ReadInfo(LISTS)}, name)


def _names(names: Any, size: int, name: str) -> list[str]:
    """The names of documents, if there is a text of its own for each."""
    remedy = "give every document a name of its own"
    given = listed(names, "names", name, remedy)
    wrong = [each for each in given if not is_text(each)]
    if wrong:
        raise InputError(name, None, f"the name {quote(wrong[0])} of a document is no text", remedy)
    if len(given) != size or len(set(given)) < size:
        raise InputError(name, None, "names and documents do not match", remedy)
    return given


def _layer(documents: Any, name: str, *, behind: bool) -> tuple[int, Chains]:
    """How many documents there are, and their chains; `behind` says whether ends must move behind the last token."""
    given = lists(documents, "document", name, _CHAINS)
    rows, number = list[tuple[int, int, Any]](), 0
    for document, each in enumerate(given):
        for chain in lists(each, f"document {document + 1}, chain", name, _CHAINS, sets=True):
            rows += [(document, number, mention) for mention in chain]
            number += 1
    wrong = next((row for row in rows if not isinstance(row[2], list | tuple) or len(row[2]) != 2), None)
    if wrong is not None:
        finding = f"document {wrong[0] + 1} has {quote(wrong[2])} where a mention (start, end) should be"
        raise InputError(name, None, finding, _CHAINS)
    start, end = (numbers([row[2][at] for row in rows], "the position", name, _CHAINS) for at in (0, 1))
    document_of, chain_of = (ints([row[at] for row in rows]) for at in (0, 1))
    return len(given), Chains.of(Vocabulary(), document_of, start, end + behind, chain_of)


def _check(chains: Chains, documents: int, lengths: Ints | None, name: str) -> None:
    wrong = (chains.start < 0) | (chains.start >= chains.end)
    if lengths is not None:
        if len(lengths) != documents:
            raise InputError(name, None, "there are not as many lists of tokens as documents", "give one for each")
        wrong |= chains.end > lengths[chains.document]
    if wrong.any():
        row = int(wrong.argmax())
        finding = f"a mention of document {chains.document[row] + 1} covers [{chains.start[row]}, {chains.end[row]})"
        raise InputError(name, None, finding, "mentions cover tokens of their document, counted from 0")


# == text/relation_lists.py: Annotations from plain lists of spans and of relations betwe


RelationTuple = tuple[str, int, int]
_RELATIONS = 'give a list of (type, head, tail) for each sentence, such as [[("leads", 0, 1)]]'


def relations(
    arguments: Iterable[Iterable[SpanTuple]] | Mapping[str, Iterable[SpanTuple]],
    links: Iterable[Iterable[RelationTuple]] | Mapping[str, Iterable[RelationTuple]],
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    first: Literal[0, 1] = 0,
    lengths: Sequence[int] | Mapping[str, int] | None = None,
    tokens: Iterable[Sequence[str]] | Mapping[str, Sequence[str]] | None = None,
    text: Iterable[str] | Mapping[str, str] | None = None,
    symmetric: Iterable[str] = (),
    name: str = "relations",
) -> Annotation:
    """An annotation from spans and relations: `relations([[("PER", 0, 1), ("ORG", 2, 3)]], [[("leads", 0, 1)]])`.

    `arguments` are spans as `evenhand.spans` takes them, a list a sentence. `links` has a list for each of these, with
    relations as (type, head, tail): head and tail are places in the sentence's list of spans, counted from 0. The ends
    of `symmetric` types are interchangeable. All other keywords are those of `evenhand.spans`; with a mapping of
    documents, `links` is a mapping, too.
    """
    check_name(name)
    if isinstance(arguments, Mapping):
        given: dict[Any, Any] | list[Any] = dict(arguments)
    else:
        given = listed(arguments, "the argument", name, "give a list of spans for each sentence")
    found = spans(given, end=end, first=first, lengths=lengths, tokens=tokens, text=text, name=name)
    sizes = [len(list(each)) for each in (given.values() if isinstance(given, dict) else given)]
    rows = _rows(_in_order(links, given, name), sizes, name)
    vocabulary = found.spans().vocabulary
    label = ints([vocabulary.labels.code(label) for label, _, _ in rows])
    head, tail = (ints([row[at] for row in rows]) for at in (1, 2))
    types = frozenset(_types(symmetric, name))
    layer = Relations(vocabulary, label, head, tail, types)
    reading = found.readings["spans"]
    return replace(found, layers={RELATIONS: layer, **found.layers}, readings={RELATIONS: reading, "spans": reading})


def _in_order(links: Any, arguments: dict[Any, Any] | list[Any], name: str) -> list[Sequence[Any]]:
    """The lists of relations, one for each list of spans."""
    if isinstance(links, Mapping) != isinstance(arguments, dict):
        raise InputError(name, None, "one of spans and relations is a mapping", "give both as mappings or as lists")
    if isinstance(links, Mapping):
        other = next((link for link in links if link not in arguments), None)
        if other is not None:
            finding = f"the document {quote(other)} has relations but no spans"
            raise InputError(name, None, finding, "give its spans, too")
        links = [links.get(argument, ()) for argument in arguments]
    found = lists(links, "sentence", name, _RELATIONS)
    if len(found) != len(arguments):
        finding = f"got {counted(len(found), 'list')} of relations for {len(arguments)} of spans"
        raise InputError(name, None, finding, "give one for each sentence")
    return found


def _rows(given: list[Sequence[Any]], sizes: list[int], name: str) -> list[tuple[str, int, int]]:
    """Type, head and tail of all relations, whose ends count through all spans."""
    rows: list[tuple[str, int, int]] = []
    for sentence, (each, before, size) in enumerate(zip(given, accumulate(sizes, initial=0), sizes, strict=False), 1):
        parts = [parts_of(relation, (3,), sentence, name, _RELATIONS) for relation in each]
        for label, *_ in parts:
            if not is_text(label) or not label:
                finding = f"sentence {sentence} has the type {quote(label)}, which is no text"
                raise InputError(name, None, finding, "give every relation a type")
        head, tail = (numbers([part[at] for part in parts], "the place", name, _RELATIONS) for at in (1, 2))
        wrong = np.flatnonzero((np.minimum(head, tail) < 0) | (np.maximum(head, tail) >= size))
        if len(wrong):
            finding = f"{quote(parts[int(wrong[0])])} of sentence {sentence} names a span that is not there"
            raise InputError(name, None, finding, f"the sentence has {counted(size, 'span')}, counted from 0")
        ends = zip(parts, (head + before).tolist(), (tail + before).tolist(), strict=True)
        rows += [(part[0], one, other) for part, one, other in ends]
    return rows


def _types(symmetric: Any, name: str) -> list[str]:
    """The names of types, which may be one text."""
    types = [symmetric] if isinstance(symmetric, str) else list(symmetric)
    if not all(map(is_text, types)):
        raise InputError(name, None, f"symmetric is {quote(symmetric)}", "give a list of types")
    return types


# == text/link_lists.py: Annotations from plain lists of entity links, a list a docum


LinkTuple = tuple[str, int, int, str | Sequence[str]]
_LINKS = 'give a list of (label, start, end, identifiers) for each document, such as [[("LOC", 0, 1, ["Q90"])]]'


def links(
    documents: Iterable[Iterable[LinkTuple]] | Mapping[str, Iterable[LinkTuple]],
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    first: Literal[0, 1] = 0,
    lengths: Sequence[int] | Mapping[str, int] | None = None,
    tokens: Iterable[Sequence[str]] | Mapping[str, Sequence[str]] | None = None,
    text: Iterable[str] | Mapping[str, str] | None = None,
    name: str = "links",
) -> Annotation:
    """An annotation from entity links: `links([[("LOC", 0, 1, ["Q90", "Q167646"])]])`, a list a document.

    A link is (label, start, end, identifiers): an identifier, or a list of them, the best one first. One that, behind
    its last colon, begins with NIL says that the knowledge base lacks the entity; an empty list is a span without a
    link, which takes no part. A mapping has documents by their ids, by which they are matched. All other arguments are
    those of `spans`, with documents in place of sentences.
    """
    check_name(name)
    by_id = isinstance(documents, Mapping)
    given = lists(list(documents.values()) if isinstance(documents, Mapping) else documents, "document", name, _LINKS)
    rows = [[parts_of(each, (4,), number, name, _LINKS) for each in some] for number, some in enumerate(given, 1)]
    found = [_link(row[3], number, name) for number, some in enumerate(rows, 1) for row in some]
    plain: list[Any] = [[tuple(row[:3]) for row in some] for some in rows]
    named: Any = dict(zip(documents, plain, strict=True)) if by_id else plain
    made = spans(named, end=end, first=first, lengths=lengths, tokens=tokens, text=text, name=name)
    layer = made.spans()
    layer = replace(layer, extra=code_links(found, layer.vocabulary))
    corpus = replace(made.corpus, documents=np.arange(made.corpus.sentences))
    return Annotation(corpus, {LINKS: layer}, {LINKS: ReadInfo(LISTS)}, name)


def _link(value: Any, document: int, name: str) -> Link:
    """The identifiers of a span."""
    identifiers = [value] if isinstance(value, str) else value
    is_list = isinstance(identifiers, list | tuple)
    if not is_list or not all(is_text(identifier) and identifier.strip() for identifier in identifiers):
        finding = f"document {document} has {quote(value)} where identifiers should be"
        raise InputError(name, None, finding, _LINKS)
    return Link(tuple(identifiers))


# == text/extraction_lists.py: Annotations from the answers of a language model, as Python


_ANSWERS = 'give the answer about each document, such as [[{"text": "Ada", "label": "PER"}], []]'


def extractions(
    documents: Iterable[Any] | Mapping[str, Any], *, label: str | None = None, name: str = "extractions"
) -> Annotation:
    """A system from the answers of a language model: `extractions([[{"text": "Ada", "label": "PER"}], []])`.

    There is an answer for each document (or sentence) of the gold standard, in its order; in a mapping, by its id. An
    answer is the text that the model wrote (JSON, lines, inline tags), or data: a list of items, a mapping from labels
    to strings, objects of pydantic or dataclasses. The message of an API is an answer, too: its tool calls (OpenAI
    `tool_calls`, Anthropic `tool_use`) or its text. None means no answer. `label` is the only label that was asked
    for; strings need no label then. Strings are located in the gold standard's text when a score is computed.
    """
    check_name(name)
    if label is not None and not (is_text(label) and label.strip()):
        raise InputError(name, None, f"label is {quote(label)}", "give the label that was asked for")
    if _is_one_answer(documents):
        raise InputError(name, None, f"got one answer, {quote(documents)}", "give a list of answers, one per document")
    ids = ids_of(documents, name) if isinstance(documents, Mapping) else None
    given = list(documents.values()) if isinstance(documents, Mapping) else listed(documents, "it", name, _ANSWERS)
    answers = tuple((Answer(_answer(answer, number, name), label),) for number, answer in enumerate(given, 1))
    corpus = Corpus(
        name,
        len(answers),
        documents=np.arange(len(answers)),
        ids=None if ids is None else Tokens.of(ids),
    )
    return Annotation(corpus, {EXTRACTIONS: Extractions(answers)}, {"spans": ReadInfo(EXTRACTIONS)}, name)


def _is_one_answer(documents: object) -> bool:
    """Whether this is the message of an API or an object with fields, where several answers are expected."""
    if isinstance(documents, Mapping):
        return is_message(documents)
    return any(hasattr(documents, each) for each in ("model_dump", "__dataclass_fields__", "__fields__"))


def _answer(given: object, number: int, name: str) -> object:
    """The answer about a document, as text or plain data."""
    finding, remedy = "", "give the text that the model wrote, a list of items, a dict, or None"
    try:
        found = answer_in(plain_value(given))
    except UnreadableError as error:
        finding = f"the answer about document {number} has a value of type {error}, which cannot be read"
    except (TypeError, ValueError, RecursionError) as error:  # of a method that lists the fields
        finding = f"the answer about document {number}, {quote(given)}, cannot be read ({error})"
    else:
        if not isinstance(found, bool | int | float):
            return found
        finding = f"the answer about document {number} is {quote(found)}, which names no span"
    raise InputError(name, None, finding, remedy)
