"""Annotations from plain lists of spans and of relations between them, a list of each a sentence or document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import ints
from evenhand.problems import InputError, counted
from evenhand.text.annotation import Annotation
from evenhand.text.list_checks import check_name, is_text, listed, lists, numbers
from evenhand.text.lists import parts_of
from evenhand.text.relations import LAYER, Relations
from evenhand.text.span_lists import SpanTuple, spans

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
    return replace(found, layers={LAYER: layer, **found.layers}, readings={LAYER: reading, "spans": reading})


def _in_order(links: Any, arguments: dict[Any, Any] | list[Any], name: str) -> list[Sequence[Any]]:
    """The lists of relations, one for each list of spans."""
    if isinstance(links, Mapping) != isinstance(arguments, dict):
        raise InputError(name, None, "one of spans and relations is a mapping", "give both as mappings or as lists")
    if isinstance(links, Mapping):
        other = next((each for each in links if each not in arguments), None)
        if other is not None:
            finding = f"the document {shown(other)} has relations but no spans"
            raise InputError(name, None, finding, "give its spans, too")
        links = [links.get(each, ()) for each in arguments]
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
                finding = f"sentence {sentence} has the type {shown(label)}, which is no text"
                raise InputError(name, None, finding, "give every relation a type")
        head, tail = (numbers([part[at] for part in parts], "the place", name, _RELATIONS) for at in (1, 2))
        wrong = np.flatnonzero((np.minimum(head, tail) < 0) | (np.maximum(head, tail) >= size))
        if len(wrong):
            finding = f"{shown(parts[int(wrong[0])])} of sentence {sentence} names a span that is not there"
            raise InputError(name, None, finding, f"the sentence has {counted(size, 'span')}, counted from 0")
        ends = zip(parts, (head + before).tolist(), (tail + before).tolist(), strict=True)
        rows += [(part[0], one, other) for part, one, other in ends]
    return rows


def _types(symmetric: Any, name: str) -> list[str]:
    """The names of types, which may be one text."""
    found = [symmetric] if isinstance(symmetric, str) else list(symmetric)
    if not all(map(is_text, found)):
        raise InputError(name, None, f"symmetric is {shown(symmetric)}", "give a list of types")
    return found
