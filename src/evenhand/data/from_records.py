"""Annotations from Python lists: coreference chains, relations, entity links, and answers of language models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
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
    parts_of,
    spans,
    to_list,
    to_lists,
    to_numbers,
    tokens_of,
)
from evenhand.data.layers import TagColumn
from evenhand.data.structures import (
    Answer,
    Chains,
    Extractions,
    Link,
    Records,
    Relations,
    UnreadableError,
    answer_in,
    code_links,
    is_message,
    json_data,
    plain_value,
)
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.errors import InputError, counted
from evenhand.parameters import check_choice, quote
from evenhand.settings import EXTRACTIONS, LINKS, RECORDS, RELATIONS

Documents = Iterable[Iterable[Iterable[tuple[int, int]]]]
RelationTuple = tuple[str, int, int]
LinkTuple = tuple[str, int, int, str | Sequence[str]]
_GIVE_CHAINS = "pass a list of chains for each document, such as [[[(0, 2), (5, 6)]]]"
_GIVE_RELATIONS = 'pass a list of (type, head, tail) for each sentence, such as [[("leads", 0, 1)]]'
_GIVE_LINKS = 'pass a list of (label, start, end, identifiers) for each document, such as [[("LOC", 0, 1, ["Q90"])]]'
_GIVE_ANSWERS = 'pass the answer for each document, such as [[{"text": "Ada", "label": "PER"}], []]'


def chains(
    documents: Documents,
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    tokens: Iterable[Sequence[str]] | None = None,
    pos: Iterable[Sequence[str]] | None = None,
    names: Sequence[str] | None = None,
    name: str = "chains",
) -> Annotation:
    """Return an annotation from coreference chains: `chains([[[(0, 2), (5, 6)], [(3, 4)]]])`, one list per document.

    A mention is (start, end), in tokens of its document; `end` is inclusive (its last token) or exclusive (the token
    after it). `tokens` and `pos` are words and their POS, one list per document: with them, the two sides of a
    comparison are checked for equal words, and nominal mentions are known. Documents are matched by `names` or order.
    """
    check_name(name)
    check_choice("end", end, ("exclusive", "inclusive"))
    size, layer = _chains_layer(documents, name, is_inclusive=end == "inclusive")
    unnamed = names is None
    names = [str(number) for number in range(1, size + 1)] if names is None else _check_names(names, size, name)
    words = None if tokens is None else to_lists(tokens, "document", name, "pass a list of tokens for each document")
    bounds = None if words is None else bounds_of(words)
    _check_mentions(layer, size, None if bounds is None else np.diff(bounds), name)
    layers: dict[str, Layer] = {"chains": layer}
    tags = None if bounds is None else tokens_of(pos, bounds, name, "POS", "document")
    if tags is not None:
        layers["pos"] = TagColumn(tags, StringCoder())
    elif pos is not None:
        raise InputError(name, None, "there are POS but no tokens", "pass both")
    corpus = Corpus(
        name,
        size,
        bounds,
        None if bounds is None else tokens_of(words, bounds, name, unit="document"),
        documents=np.arange(size),
        names=tuple(names),
        unnamed=unnamed,
    )
    return Annotation(corpus, layers, {"chains": ReadInfo(LISTS)}, name)


def _check_names(names: Any, size: int, name: str) -> list[str]:
    """Return the names of documents, which must be distinct texts."""
    remedy = "give every document a distinct name"
    listed = to_list(names, "names", name, remedy)
    wrong = [value for value in listed if not is_text(value)]
    if wrong:
        raise InputError(name, None, f"the name {quote(wrong[0])} of a document is not a string", remedy)
    if len(listed) != size or len(set(listed)) < size:
        raise InputError(name, None, "names and documents do not match", remedy)
    return listed


def _chains_layer(documents: Any, name: str, *, is_inclusive: bool) -> tuple[int, Chains]:
    """Return the number of documents, and their chains with exclusive ends."""
    chain_lists = to_lists(documents, "document", name, _GIVE_CHAINS)
    rows, number = list[tuple[int, int, Any]](), 0
    for document, inner in enumerate(chain_lists):
        for chain in to_lists(inner, f"document {document + 1}, chain", name, _GIVE_CHAINS, sets=True):
            rows += [(document, number, mention) for mention in chain]
            number += 1
    wrong = next((row for row in rows if not isinstance(row[2], list | tuple) or len(row[2]) != 2), None)
    if wrong is not None:
        finding = f"expected a mention (start, end) in document {wrong[0] + 1}, got {quote(wrong[2])}"
        raise InputError(name, None, finding, _GIVE_CHAINS)
    start, end = (to_numbers([row[2][side] for row in rows], "the position", name, _GIVE_CHAINS) for side in (0, 1))
    document_of, chain_of = (ints([row[column] for row in rows]) for column in (0, 1))
    return len(chain_lists), Chains.of(Vocabulary(), document_of, start, end + is_inclusive, chain_of)


def _check_mentions(chains: Chains, documents: int, lengths: Ints | None, name: str) -> None:
    wrong = (chains.start < 0) | (chains.start >= chains.end)
    if lengths is not None:
        if len(lengths) != documents:
            finding = f"got {counted(len(lengths), 'list')} of tokens for {counted(documents, 'document')}"
            raise InputError(name, None, finding, "pass one for each")
        wrong |= chains.end > lengths[chains.document]
    if wrong.any():
        row = int(wrong.argmax())
        finding = f"a mention of document {chains.document[row] + 1} covers [{chains.start[row]}, {chains.end[row]})"
        raise InputError(name, None, finding, "mentions cover tokens of their document, counted from 0")


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
    """Return an annotation of spans and relations: `relations([[("PER", 0, 1), ("ORG", 2, 3)]], [[("leads", 0, 1)]])`.

    `arguments` are lists of spans as in `evenhand.spans`. `links` are lists of relations (type, head, tail), one for
    each of these; head and tail are indices, from 0, into the sentence's list of spans. The arguments of `symmetric`
    types are interchangeable. For the other keywords see `evenhand.spans`; with a mapping of documents, `links` is a
    mapping, too.
    """
    check_name(name)
    if isinstance(arguments, Mapping):
        span_lists: dict[Any, Any] | list[Any] = dict(arguments)
    else:
        span_lists = to_list(arguments, "the argument", name, "pass a list of spans for each sentence")
    annotation = spans(span_lists, end=end, first=first, lengths=lengths, tokens=tokens, text=text, name=name)
    sizes = [len(list(inner)) for inner in (span_lists.values() if isinstance(span_lists, dict) else span_lists)]
    rows = _relation_rows(_in_order(links, span_lists, name), sizes, name)
    vocabulary = annotation.spans().vocabulary
    label = ints([vocabulary.labels.code(label) for label, _, _ in rows])
    head, tail = (ints([row[column] for row in rows]) for column in (1, 2))
    types = [symmetric] if isinstance(symmetric, str) else list(symmetric)
    if not all(map(is_text, types)):
        raise InputError(name, None, f"symmetric is {quote(symmetric)}", "pass a list of types")
    layers: dict[str, Layer] = {RELATIONS: Relations(vocabulary, label, head, tail, frozenset(types))}
    reading = annotation.readings["spans"]
    readings = {RELATIONS: reading, "spans": reading}
    return replace(annotation, layers={**layers, **annotation.layers}, readings=readings)


def _in_order(links: Any, arguments: dict[Any, Any] | list[Any], name: str) -> list[Sequence[Any]]:
    """Return the lists of relations, one for each list of spans."""
    if isinstance(links, Mapping) != isinstance(arguments, dict):
        raise InputError(name, None, "one of spans and relations is a mapping", "pass both as mappings or as lists")
    if isinstance(links, Mapping):
        other = next((link for link in links if link not in arguments), None)
        if other is not None:
            finding = f"the document {quote(other)} has relations but no spans"
            raise InputError(name, None, finding, "add its spans")
        links = [links.get(argument, ()) for argument in arguments]
    relation_lists = to_lists(links, "sentence", name, _GIVE_RELATIONS)
    if len(relation_lists) != len(arguments):
        finding = f"got {counted(len(relation_lists), 'list')} of relations for {len(arguments)} of spans"
        raise InputError(name, None, finding, "pass one for each sentence")
    return relation_lists


def _relation_rows(relation_lists: list[Sequence[Any]], sizes: list[int], name: str) -> list[tuple[str, int, int]]:
    """Return type, head and tail of all relations, as indices into all spans."""
    rows: list[tuple[str, int, int]] = []
    sentences = zip(relation_lists, accumulate(sizes, initial=0), sizes, strict=False)
    for sentence, (inner, before, size) in enumerate(sentences, 1):
        parts = [parts_of(relation, (3,), sentence, name, _GIVE_RELATIONS) for relation in inner]
        for label, *_ in parts:
            if not is_text(label) or not label:
                finding = f"sentence {sentence} has the type {quote(label)}, not a string"
                raise InputError(name, None, finding, "give every relation a type")
        head, tail = (
            to_numbers([part[column] for part in parts], "the index", name, _GIVE_RELATIONS) for column in (1, 2)
        )
        wrong = np.flatnonzero((np.minimum(head, tail) < 0) | (np.maximum(head, tail) >= size))
        if len(wrong):
            finding = f"{quote(parts[int(wrong[0])])} of sentence {sentence} refers to a missing span"
            raise InputError(name, None, finding, f"the sentence has {counted(size, 'span')}, counted from 0")
        ends = zip(parts, (head + before).tolist(), (tail + before).tolist(), strict=True)
        rows += [(part[0], one, other) for part, one, other in ends]
    return rows


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
    """Return an annotation from entity links: `links([[("LOC", 0, 1, ["Q90", "Q167646"])]])`, one list per document.

    A link is (label, start, end, identifiers): one identifier, or a list, the best one first. If the part after the
    last colon of an identifier begins with NIL, the knowledge base lacks the entity. A span with an empty list has no
    link and is not scored. A mapping holds documents by id, and they are matched by id. For the other arguments see
    `evenhand.spans`, with documents in place of sentences.
    """
    check_name(name)
    outer = list(documents.values()) if isinstance(documents, Mapping) else documents
    link_lists = to_lists(outer, "document", name, _GIVE_LINKS)
    rows = [
        [parts_of(link, (4,), number, name, _GIVE_LINKS) for link in inner]
        for number, inner in enumerate(link_lists, 1)
    ]
    coded = [_link(row[3], number, name) for number, document in enumerate(rows, 1) for row in document]
    plain: list[Any] = [[tuple(row[:3]) for row in document] for document in rows]
    named: Any = dict(zip(documents, plain, strict=True)) if isinstance(documents, Mapping) else plain
    annotation = spans(named, end=end, first=first, lengths=lengths, tokens=tokens, text=text, name=name)
    layer = annotation.spans()
    layer = replace(layer, extra=code_links(coded, layer.vocabulary))
    corpus = replace(annotation.corpus, documents=np.arange(annotation.corpus.sentences))
    return Annotation(corpus, {LINKS: layer}, {LINKS: ReadInfo(LISTS)}, name)


def _link(value: Any, document: int, name: str) -> Link:
    identifiers = [value] if isinstance(value, str) else value
    is_list = isinstance(identifiers, list | tuple)
    if not is_list or not all(is_text(identifier) and identifier.strip() for identifier in identifiers):
        finding = f"expected identifiers in document {document}, got {quote(value)}"
        raise InputError(name, None, finding, _GIVE_LINKS)
    return Link(tuple(identifiers))


def extractions(
    documents: Iterable[Any] | Mapping[str, Any], *, label: str | None = None, name: str = "extractions"
) -> Annotation:
    """Return a system from the answers of a language model: `extractions([[{"text": "Ada", "label": "PER"}], []])`.

    Give one answer for each document (or sentence) of the gold standard, in its order or, in a mapping, by id. An
    answer is the text that the model wrote (JSON, lines, inline tags), or data: a list of items, a mapping from labels
    to strings, objects of pydantic or dataclasses. It may also be the message of an API: its tool calls (OpenAI
    `tool_calls`, Anthropic `tool_use`) or its text. None means no answer. If only one label was requested, `label` is
    its name, and strings need no label. Strings are located in the gold standard's text when a score is computed.
    """
    check_name(name)
    if label is not None and not (is_text(label) and label.strip()):
        raise InputError(name, None, f"label is {quote(label)}", "pass the label of the prompt")
    if _is_one_answer(documents):
        raise InputError(name, None, f"got one answer, {quote(documents)}", "pass a list of answers, one per document")
    ids = None
    if isinstance(documents, Mapping):
        ids, documents = Tokens.of(ids_of(documents, name)), list(documents.values())
    values = to_list(documents, "it", name, _GIVE_ANSWERS)
    answers = tuple((Answer(_answer(value, number, name), label),) for number, value in enumerate(values, 1))
    corpus = Corpus(name, len(answers), documents=np.arange(len(answers)), ids=ids)
    return Annotation(corpus, {EXTRACTIONS: Extractions(answers)}, {"spans": ReadInfo(EXTRACTIONS)}, name)


def _is_one_answer(documents: object) -> bool:
    """Whether this is the message of an API or an object with fields, not a collection of answers."""
    if isinstance(documents, Mapping):
        return is_message(documents)
    return any(hasattr(documents, name) for name in ("model_dump", "__dataclass_fields__", "__fields__"))


def _answer(value: object, number: int, name: str) -> object:
    try:
        answer = answer_in(plain_value(value))
    except UnreadableError as error:
        finding = f"the answer for document {number} has a value of type {error}, which cannot be read"
    except (TypeError, ValueError, RecursionError) as error:  # raised by a method that lists the fields
        finding = f"the answer for document {number}, {quote(value)}, cannot be read ({error})"
    else:
        if not isinstance(answer, bool | int | float):
            return answer
        finding = f"the answer for document {number} is {quote(answer)}, which does not specify a span"
    raise InputError(name, None, finding, "pass the text that the model wrote, a list of items, a dict, or None")


def records(
    documents: Iterable[Any],
    *,
    texts: Iterable[str | None] | None = None,
    ids: Iterable[str | int] | None = None,
    name: str = "records",
) -> Annotation:
    """Return one JSON value per document: `records([{"vendor": "Acme", "items": [{"price": 5}]}])`.

    A value is data (dicts, lists, scalars), an object of pydantic, a dataclass, or the message of an API, whose tool
    calls or text are the answer. A string is what a model wrote, if it is a system's. None means no value. `texts` are
    the documents that values were extracted from; with them, values that are not in the text are distinguished.
    Documents are matched by `ids` or, without them, by order.
    """
    check_name(name)
    if isinstance(documents, Mapping | str) or any(hasattr(documents, field) for field in ("model_dump", "__fields__")):
        remedy = "pass a list with one value per document"
        raise InputError(name, None, f"expected a list of documents, got {quote(documents)}", remedy)
    values = tuple(
        _record(value, number, name) for number, value in enumerate(to_list(documents, "it", name, "pass a list"), 1)
    )
    listed = None if texts is None else tuple(to_list(texts, "texts", name, "pass a list of texts"))
    own_ids = None if ids is None else [str(value) for value in to_list(ids, "ids", name, "pass a list of ids")]
    for what, column in (("texts", listed), ("ids", own_ids)):
        if column is not None and len(column) != len(values):
            raise InputError(
                name, None, f"got {len(column)} {what} for {counted(len(values), 'document')}", "pass one each"
            )
    if own_ids is not None and len(set(own_ids)) < len(own_ids):
        twice = next(value for at, value in enumerate(own_ids) if value in own_ids[:at])
        raise InputError(name, None, f"duplicate id {twice!r}", "give every document its own id")
    corpus = Corpus(
        name,
        len(values),
        documents=np.arange(len(values)),
        ids=None if own_ids is None else Tokens.of(own_ids),
    )
    return Annotation(corpus, {RECORDS: Records(values, listed or ())}, {RECORDS: ReadInfo(RECORDS)}, name)


def _record(value: Any, number: int, name: str) -> Any:
    """A document: data as they are, objects by their fields, messages by their answer."""
    kind = value.__class__
    if kind is str or kind is list or value is None or (kind is dict and not is_message(value)):
        return value
    if isinstance(value, bool | int | float | Decimal):
        return value
    try:
        return answer_in(json_data(value))
    except UnreadableError as error:
        finding = f"document {number} has a value of type {error}, which cannot be read"
    except (TypeError, ValueError, RecursionError) as error:  # raised by a method that lists the fields
        finding = f"document {number}, {quote(value)}, cannot be read ({error})"
    raise InputError(name, None, finding, "pass dicts, lists, strings, numbers, or objects with fields")
