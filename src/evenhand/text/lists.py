"""Annotations from plain lists of tags or trees, a list a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, get_args

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.problems import InputError, SettingError, counted
from evenhand.settings import ENCODINGS, Repair, choose
from evenhand.text import encodings
from evenhand.text.annotation import LISTS, Annotation, Reading
from evenhand.text.codes import Mostly
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import MostlyTags, Spans, Tags, Trees
from evenhand.text.list_checks import check_name, lists, numbers, refuse_texts
from evenhand.text.list_codes import coded, mostly_coded
from evenhand.text.plain_labels import doubt, misspelled
from evenhand.text.tag_ids import Ids, Names, coded_ids
from evenhand.text.tag_table import Decoded, TagTable, looks_plain
from evenhand.text.tokens import Tokens
from evenhand.text.trees import without_root


def tags(
    sentences: Iterable[Sequence[str]] | Iterable[Sequence[int]] | Ids,
    *,
    encoding: str | None = None,
    repair: Repair | None = None,
    tokens: Iterable[Sequence[str]] | None = None,
    names: Names | None = None,
    ignore: int | None = -100,
    name: str = "tags",
) -> Annotation:
    """An annotation from tag sequences: `tags([["B-PER", "I-PER", "O"]])`.

    The encoding is recognised unless it is given. With `tokens`, the two sides of a comparison are checked for equal
    tokens, and errors can be shown in their context. Tags may be ids, lists of them or an array with a row a sentence:
    `names` then has the tags by id (a list, or a model's `id2label`), and the id `ignore` is left out (padding, word
    pieces): `tags(ids, names=["O", "B-PER", "I-PER"])`. Both sides must leave out the same places.

    `repair` decides about ill-formed tags, as for `read`. Without it, the `repair` of `score` (or `compare`, …)
    applies. With it, another value there is an error, unless it is the default, "begin".
    """
    check_name(name)
    choose("encoding", encoding, ENCODINGS, optional=True)
    choose("repair", repair, get_args(Repair), optional=True)
    if names is None:
        given = lists(sentences, "sentence", name, 'give a list of tags for each sentence, such as [["B-PER", "O"]]')
        bounds = bounds_of(given)
        code, met = mostly_coded(given, int(bounds[-1]), name)
        known, mask = met, None
    else:
        code, met, bounds, known, mask = coded_ids(sentences, names, ignore, name)
    corpus = Corpus(name, len(bounds) - 1, bounds, tokens_of(tokens, bounds, name), mask=mask)
    return _decoded(corpus, code, met, known, encoding, repair)


def _decoded(
    corpus: Corpus, code: Mostly, met: list[str], known: list[str], encoding: str | None, repair: Repair | None
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
    listed = [prefix for prefix, _ in parts]
    has_prefixes = plain or table.prefixes or listed
    encoding = encoding or (table.recognise(found, listed) if has_prefixes else "iob2")
    if table.prefixes - encodings.allowed(encoding):
        raise InputError(name, None, f"some tags do not occur in {encoding.upper()}", "name the encoding they are in")
    decoded = table.decode(found, corpus, encoding, repair or "begin")
    first = _first_repair(corpus, decoded, MostlyTags(code, tuple(met)), encoding, repair)
    doubtful = _doubt(code, met, known) if plain and not is_named else None
    reading = Reading(
        LISTS,
        encoding,
        repair=repair,
        repaired=len(decoded.ill_formed),
        first_repair=first,
        is_named=is_named,
        doubt=doubtful,
    )
    return Annotation(corpus, {"spans": decoded.spans, "tags": MostlyTags(code, tuple(met))}, {"spans": reading}, name)


def _first_repair(corpus: Corpus, decoded: Decoded, tags: Tags, encoding: str, repair: Repair | None) -> str | None:
    """Where the first ill-formed span is; it is an error if it must not be repaired."""
    if not len(decoded.ill_formed):
        return None
    assert corpus.bounds is not None
    token = int(decoded.ill_formed.min())
    line = corpus.line(token)
    tag = tags.slice(token, token + 1).to_list()[0]
    where = f"sentence {int(np.searchsorted(corpus.bounds, token, side='right'))}"
    if repair == "error":
        finding = f"a span is ill-formed in {encoding.upper()}: {tag!r} in {where}"
        raise InputError(corpus.source, line, finding, "mend it, or choose the repair begin or discard")
    return f"{tag!r} in {where}" if line is None else f"line {line}, {tag!r}"


def repaired(annotation: Annotation, repair: Repair, reference: str | None) -> Annotation:
    """An annotation in memory as it would be read from a file with this repair.

    `reference` is the encoding of the gold standard, by which a system's tags are judged if they can be in it. Tags
    whose repair was named when they were made keep it; another one here, unless it is the default, is an error.
    """
    reading = annotation.readings.get("spans")
    stems = [name for name in annotation.layers if name == "tags" or name.startswith("tags-")]
    if reading is None or reading.encoding is None or not stems:
        return annotation
    if reading.repair is not None and repair not in ("begin", reading.repair):
        finding = f"The tags of {annotation.name!r} were made with repair={reading.repair!r}"
        raise SettingError(f"{finding}, but repair={repair!r} is given here; leave one of the two out.")
    chosen = reading.repair or repair
    if chosen == "begin":
        return annotation
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    parts, count, first, level, encoding, looks_like = [], 0, None, 0, reading.encoding, reading.looks_like
    for stem in stems:
        tags = annotation.layers[stem]
        assert isinstance(tags, Tags)
        table = TagTable(spans.vocabulary, plain=reading.encoding == "plain")
        for name in tags.names:
            table.add(name)
        code = tags.mostly if isinstance(tags, MostlyTags) else Mostly.of(tags.code)
        is_free = not reading.is_named and reading.encoding != "plain"
        if is_free and reference is not None and not table.prefixes:
            encoding = reference
        elif is_free and reference not in (None, "plain", reading.encoding):
            assert reference is not None
            fits = table.prefixes <= encodings.allowed(reference)
            encoding, looks_like = (reference if fits else reading.encoding), reading.encoding
        decoded = table.decode(table.segments(code, corpus.bounds[:-1]), corpus, encoding, chosen)
        first = first or _first_repair(corpus, decoded, tags, encoding, chosen)
        parts.append(replace(decoded.spans, level=decoded.spans.level + level))
        count, level = count + len(decoded.ill_formed), level + table.levels
    joined = Spans.concatenate(parts, [0] * len(parts))
    if len(parts) > 1:
        joined = joined.take(np.lexsort((joined.level, joined.start, joined.scope)))
    reading = replace(
        reading, encoding=encoding, looks_like=looks_like, repair=chosen, repaired=count, first_repair=first
    )
    layers = {**annotation.layers, "spans": joined}
    return replace(annotation, layers=layers, readings={**annotation.readings, "spans": reading})


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
        return f"got {counted(len(bounds) - 1, where)}, but lists of {_several(what)} for {len(own) - 1}"
    mine, theirs = np.diff(own), np.diff(bounds)
    place = int((mine != theirs).argmax())
    return f"{where} {place + 1} has the length {theirs[place]}, but a list of {_several(what)} of length {mine[place]}"


def _several(what: str) -> str:
    return what if what.isupper() else f"{what}s"
