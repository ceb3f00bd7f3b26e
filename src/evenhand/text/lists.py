"""Annotations from plain lists of tags or trees, a list a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from itertools import chain, pairwise
from typing import Any

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.problems import InputError
from evenhand.settings import ENCODINGS, Repair, choose
from evenhand.text import encodings
from evenhand.text.annotation import LISTS, Annotation, Reading
from evenhand.text.codes import Mostly
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import MostlyTags, Tags, Trees
from evenhand.text.list_checks import check_name, lists, numbers, refuse_texts
from evenhand.text.list_codes import coded, mostly_coded
from evenhand.text.plain_labels import doubt, misspelled
from evenhand.text.tag_ids import Ids, Names, coded_ids
from evenhand.text.tag_table import TagTable, looks_plain
from evenhand.text.tokens import Tokens
from evenhand.text.trees import without_root


def tags(
    sentences: Iterable[Sequence[str]] | Iterable[Sequence[int]] | Ids,
    *,
    encoding: str | None = None,
    repair: Repair = "begin",
    tokens: Iterable[Sequence[str]] | None = None,
    names: Names | None = None,
    ignore: int | None = -100,
    name: str = "tags",
) -> Annotation:
    """An annotation from tag sequences: `tags([["B-PER", "I-PER", "O"]])`.

    The encoding is recognised unless it is given. With `tokens`, the two sides of a comparison are checked for equal
    tokens, and errors can be shown in their context. Tags may be ids, lists of them or an array with a row a sentence:
    `names` then has the tags by id (a list, or a model's `id2label`), and the id `ignore` is left out (padding, word
    pieces): `tags(ids, names=["O", "B-PER", "I-PER"])`.
    """
    check_name(name)
    choose("encoding", encoding, ENCODINGS, optional=True)
    choose("repair", repair, ("begin", "discard", "error"))
    if names is None:
        given = lists(sentences, "sentence", name, 'give a list of tags for each sentence, such as [["B-PER", "O"]]')
        bounds = bounds_of(given)
        code, met = mostly_coded(given, int(bounds[-1]), name)
        known = met
    else:
        code, met, bounds, known = coded_ids(sentences, names, ignore, name)
    corpus = Corpus(name, len(bounds) - 1, bounds, tokens_of(tokens, bounds, name))
    return _decoded(corpus, code, met, known, encoding, repair)


def _decoded(
    corpus: Corpus, code: Mostly, met: list[str], known: list[str], encoding: str | None, repair: Repair
) -> Annotation:
    """The spans that tags spell; `met` are the tags by code, `known` are all that there could be."""
    name, is_named = corpus.source, encoding is not None
    assert corpus.bounds is not None
    plain = encoding == "plain" or (not is_named and looks_plain(known))
    table = TagTable(Vocabulary(), plain=plain)
    for tag in met:
        finding = table.add(tag)
        if finding is not None:
            raise InputError(name, None, finding, "mend it, or name the encoding")
    parts = () if plain or known is met else filter(None, map(encodings.parse, known))
    found = table.segments(code, corpus.bounds[:-1])
    encoding = encoding or table.recognise(found, [prefix for prefix, _ in parts])
    if table.prefixes - encodings.allowed(encoding):
        raise InputError(name, None, f"some tags do not occur in {encoding.upper()}", "name the encoding they are in")
    decoded = table.decode(found, corpus, encoding, repair)
    first = None
    if len(decoded.ill_formed):
        token = int(decoded.ill_formed.min())
        tag = met[int(code.slice(token, token + 1).column()[0])]
        first = f"{tag!r} in sentence {int(np.searchsorted(corpus.bounds, token, side='right'))}"
        if repair == "error":
            raise InputError(name, None, f"a span is ill-formed in {encoding.upper()}: {first}", "mend it")
    doubtful = _doubt(code, met, known) if plain and not is_named else None
    reading = Reading(
        LISTS, encoding, repaired=len(decoded.ill_formed), first_repair=first, is_named=is_named, doubt=doubtful
    )
    return Annotation(corpus, {"spans": decoded.spans, "tags": MostlyTags(code, tuple(met))}, {"spans": reading}, name)


def _doubt(code: Mostly, met: list[str], known: list[str]) -> tuple[str, str] | None:
    """Why tags without prefixes may not be labels of spans; a known O that does not occur shows that others are."""
    if set(met).issuperset(encodings.OUTSIDE_TAGS.intersection(known)):
        return doubt(met, code.size, _outside(code, met))
    said = [tag for tag in met if tag not in encodings.OUTSIDE_TAGS]
    return misspelled(said, has_outside=True) if said else None


def _outside(code: Mostly, met: list[str]) -> int:
    """How many tags are outside."""
    outside = [place for place, tag in enumerate(met) if tag in encodings.OUTSIDE_TAGS]
    others = (code.size - len(code.rows)) * (code.common in outside)
    return int(np.isin(code.codes, outside).sum()) + others


def trees(
    sentences: Iterable[Sequence[tuple[int, str]]],
    *,
    tokens: Iterable[Sequence[str]] | None = None,
    name: str = "trees",
) -> Annotation:
    """An annotation from heads and relations: `trees([[(2, "nsubj"), (0, "root")]])`, a list a sentence.

    Heads are numbers of words, of which the first is 1; 0 is the root. For `tokens` see `tags`.
    """
    check_name(name)
    remedy = 'give a list of heads and relations for each sentence, such as [[(2, "nsubj"), (0, "root")]]'
    given = lists(sentences, "sentence", name, remedy)
    bounds = bounds_of(given)
    pairs = [parts_of(pair, (2,), sentence, name, remedy) for sentence, each in enumerate(given, 1) for pair in each]
    head = numbers([head for head, _ in pairs], "the head", name, remedy)
    relation, names = coded(by_sentence([each for _, each in pairs], bounds), len(head), "relation", name)
    lengths = np.repeat(np.diff(bounds), np.diff(bounds))
    for wrong, what in (
        ((head < 0) | (head > lengths), "a head outside the sentence"),
        (without_root(np.clip(head, 0, lengths), bounds), "words that do not lead to the root"),
    ):
        if wrong.any():
            sentence = int(np.searchsorted(bounds, int(wrong.argmax()), side="right"))
            raise InputError(name, None, f"sentence {sentence} has {what}", "heads must make a tree")
    corpus = Corpus(name, len(given), bounds, tokens_of(tokens, bounds, name))
    return Annotation(corpus, {"trees": Trees(head, Tags(relation, tuple(names)))}, {"words": Reading(LISTS)}, name)


def parts_of(item: Any, sizes: tuple[int, ...], sentence: int, name: str, remedy: str) -> Sequence[Any]:
    """The members of a span, or of a head with its relation."""
    if isinstance(item, np.ndarray):
        item = item.tolist()
    if not isinstance(item, list | tuple) or len(item) not in sizes:
        wanted = " or ".join(map(str, sizes))
        finding = f"sentence {sentence} has {shown(item)} where a tuple of {wanted} should be"
        raise InputError(name, None, finding, remedy)
    return item


def bounds_of(sentences: Sequence[Sized]) -> Ints:
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    return np.concatenate((ints([0]), np.cumsum(lengths)))


def by_sentence(values: Sequence[Any], bounds: Ints) -> list[Sequence[Any]]:
    return [values[begin:end] for begin, end in pairwise(bounds.tolist())]


def tokens_of(sentences: Any, bounds: Ints, name: str, what: str = "token", where: str = "sentence") -> Tokens | None:
    """One text for every tag, such as tokens or POS; `where` says what the lists are."""
    if sentences is None:
        return None
    given = lists(sentences, where, name, f"give a list of {_several(what)} for each {where}")
    own = bounds_of(given)
    if not np.array_equal(own, bounds):
        finding = _other_lengths(own, bounds, what, where)
        raise InputError(name, None, finding, "give lists of the same lengths")
    try:
        return Tokens.of(list(chain.from_iterable(given)))
    except (AttributeError, TypeError, UnicodeEncodeError):
        refuse_texts(given, what, name, where)


def _other_lengths(own: Ints, bounds: Ints, what: str, where: str) -> str:
    if len(own) != len(bounds):
        return f"there are {len(bounds) - 1} {where}s, but lists of {_several(what)} for {len(own) - 1}"
    mine, theirs = np.diff(own), np.diff(bounds)
    place = int((mine != theirs).argmax())
    return f"{where} {place + 1} has the length {theirs[place]}, but a list of {_several(what)} of length {mine[place]}"


def _several(what: str) -> str:
    return what if what.isupper() else f"{what}s"
