"""Annotations from plain lists: tags, trees or spans, a list a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.limits import GAPS, TOKENS
from evenhand.problems import InputError
from evenhand.settings import ENCODINGS, Repair, choose
from evenhand.text import encodings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags, Trees
from evenhand.text.tag_table import TagTable, looks_plain
from evenhand.text.tokens import Tokens
from evenhand.text.trees import without_root

SpanTuple = tuple[str, int, int] | tuple[str, int, int, Sequence[int]]


def tags(
    sentences: Iterable[Sequence[str]],
    *,
    encoding: str | None = None,
    repair: Repair = "begin",
    tokens: Iterable[Sequence[str]] | None = None,
    name: str = "tags",
) -> Annotation:
    """An annotation from tag sequences: `tags([["B-PER", "I-PER", "O"]])`.

    The encoding is recognised unless it is given. With `tokens`, the two sides of a comparison are checked for equal
    tokens, and errors can be shown in their context.
    """
    choose("encoding", encoding, ENCODINGS, optional=True)
    choose("repair", repair, ("begin", "discard", "error"))
    listed = list(sentences)
    bounds = bounds_of(listed)
    code, names = _coded(listed, int(bounds[-1]))
    plain = encoding == "plain" or (encoding is None and looks_plain(names))
    table = TagTable(Vocabulary(), plain=plain)
    for tag in names:
        finding = table.add(tag)
        if finding is not None:
            raise InputError(name, None, finding, "mend it, or name the encoding")
    encoding = encoding or table.recognise(code, bounds[:-1])
    if table.prefixes - encodings.allowed(encoding):
        raise InputError(name, None, f"some tags do not occur in {encoding.upper()}", "name the encoding they are in")
    corpus = Corpus(name, len(bounds) - 1, bounds, tokens_of(tokens, bounds, name))
    decoded = table.decode(code, corpus, encoding, repair)
    first = None
    if len(decoded.ill_formed):
        token = int(decoded.ill_formed.min())
        first = f"{names[int(code[token])]!r} in sentence {int(np.searchsorted(bounds, token, side='right')) - 1}"
        if repair == "error":
            raise InputError(name, None, f"a span is ill-formed in {encoding.upper()}: {first}", "mend it")
    reading = Reading("lists", encoding, repaired=len(decoded.ill_formed), first_repair=first)
    return Annotation(corpus, {"spans": decoded.spans, "tags": Tags(code, tuple(names))}, {"spans": reading}, name)


def trees(
    sentences: Iterable[Sequence[tuple[int, str]]],
    *,
    tokens: Iterable[Sequence[str]] | None = None,
    name: str = "trees",
) -> Annotation:
    """An annotation from heads and relations: `trees([[(2, "nsubj"), (0, "root")]])`, a list a sentence.

    Heads are numbers of words, of which the first is 1; 0 is the root. For `tokens` see `tags`.
    """
    listed = list(sentences)
    bounds = bounds_of(listed)
    head = ints([head for sentence in listed for head, _ in sentence])
    relation, names = _coded([[relation for _, relation in sentence] for sentence in listed], len(head))
    lengths = np.repeat(np.diff(bounds), np.diff(bounds))
    for wrong, what in (
        ((head < 0) | (head > lengths), "a head outside the sentence"),
        (without_root(np.clip(head, 0, lengths), bounds), "words that do not lead to the root"),
    ):
        if wrong.any():
            sentence = int(np.searchsorted(bounds, int(wrong.argmax()), side="right")) - 1
            raise InputError(name, None, f"sentence {sentence} has {what}", "heads must make a tree")
    corpus = Corpus(name, len(listed), bounds, tokens_of(tokens, bounds, name))
    return Annotation(corpus, {"trees": Trees(head, Tags(relation, tuple(names)))}, {"words": Reading("lists")}, name)


def spans(
    sentences: Iterable[Iterable[SpanTuple]],
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    first: Literal[0, 1] = 0,
    lengths: Sequence[int] | None = None,
    name: str = "spans",
) -> Annotation:
    """An annotation from spans: `spans([[("PER", 0, 2)]], end="exclusive")`, a list a sentence.

    A span is (label, start, end), or (label, start, end, tokens) where it leaves tokens out. `end` says whether the
    end is the last token or the one behind it; `first` is the number of a sentence's first token. `lengths` are the
    sentences' numbers of tokens, where they are known.
    """
    choose("end", end, ("exclusive", "inclusive"))
    vocabulary = Vocabulary()
    rows: list[tuple[int, int, int, int, int]] = []
    count = 0
    for sentence, listed in enumerate(sentences):
        count += 1
        for label, start, stop, *tokens in listed:
            begin, behind = start - first, stop - first + (end == "inclusive")
            if not 0 <= begin < behind:
                finding = f"the span {(label, start, stop)} of sentence {sentence} covers no tokens"
                raise InputError(name, None, finding, f"ends are {end} and tokens are counted from {first} here")
            if behind > TOKENS.value:
                finding = f"a span of sentence {sentence} reaches beyond token {TOKENS.value:,}"
                raise InputError(name, None, finding, TOKENS.remedy)
            inside = {token - first for token in tokens[0]} if tokens else None
            if inside is not None and behind - begin - len(inside) > GAPS.value:
                finding = f"a span of sentence {sentence} leaves out more than {GAPS.value:,} tokens"
                raise InputError(name, None, finding, GAPS.remedy)
            gaps = tuple(at - begin for at in range(begin, behind) if at not in inside) if inside is not None else ()
            shape = vocabulary.shapes.code(gaps)
            rows.append((sentence, begin, behind, vocabulary.labels.code(label), shape))
    columns = ints(rows).reshape(-1, 5).T
    layer = Spans.of(vocabulary, columns[0], columns[1], columns[2], columns[3], shape=columns[4])
    bounds = None if lengths is None else np.concatenate((ints([0]), np.cumsum(ints(lengths))))
    corpus = Corpus(name, count, bounds)
    return Annotation(corpus, {"spans": layer}, {"spans": Reading("lists")}, name)


def bounds_of(listed: Sequence[Sequence[object]]) -> Ints:
    lengths = np.fromiter(map(len, listed), dtype=np.int64, count=len(listed))
    return np.concatenate((ints([0]), np.cumsum(lengths)))


def _coded(listed: Sequence[Sequence[str]], count: int) -> tuple[Ints, list[str]]:
    """A code a tag, and the tags by code."""
    codes: dict[str, int] = {}
    flat = chain.from_iterable(listed)
    found = np.fromiter((codes.setdefault(tag, len(codes)) for tag in flat), dtype=np.int64, count=count)
    return found, list(codes)


def tokens_of(sentences: Iterable[Sequence[str]] | None, bounds: Ints, name: str) -> Tokens | None:
    if sentences is None:
        return None
    listed = list(sentences)
    if not np.array_equal(bounds_of(listed), bounds):
        raise InputError(name, None, "tokens and tags have different lengths", "give one token for every tag")
    return Tokens.of(list(chain.from_iterable(listed)))
