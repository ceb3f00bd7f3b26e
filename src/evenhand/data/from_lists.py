"""Annotations from Python lists and arrays: tags, ids of tags, trees and spans, with one list per sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import replace
from itertools import chain, pairwise
from numbers import Real
from typing import Any, Literal, NoReturn, get_args

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, ints
from evenhand.data import encodings
from evenhand.data.annotation import LISTS, Annotation, ReadInfo
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus, Mask
from evenhand.data.encodings import Decoded, TagTable, doubt, looks_plain, misspelled
from evenhand.data.layers import Spans, SparseTags, Tags, Trees, without_root
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import CellCodes, NewCodes, SparseCodes, Vocabulary
from evenhand.errors import GAPS, TOKENS, InputError, SettingError, counted
from evenhand.parameters import check_choice, quote
from evenhand.settings import Repair, encoding_named

Ids = npt.NDArray[np.integer[Any]]
"""An array of ids, with one row per sentence."""
Names = Sequence[str] | Mapping[int, str]
"""The tags by id: a list, or a mapping such as a model's `id2label`."""
SpanTuple = (
    tuple[str, int, int]
    | tuple[str, int, int, float | Sequence[int] | None]
    | tuple[str, int, int, Sequence[int] | None, float | None]
)
MAX_TOKENS = 2**31 - 1
"""Maximum position of a span, mention or head, and maximum number of tokens of a sentence."""
COMMON = "O"
"""The most frequent tag in most data. Data with another frequent tag is coded more slowly."""
_MANY = 1 << 13
"""A dictionary is faster for fewer tags."""
_SAMPLE, _FEW = 1 << 12, 1 << 9
"""A dictionary is faster if a sample of tags other than `O` has more than a few different ones."""
_FIRST = 1 << 8
"""Number of tags from which the first codes are learned."""
_GIVE_IDS = "pass a list of ids for each sentence, such as [[1, 0, -100]]"
_GIVE_BEST = "take the best tag of each token: logits.argmax(axis=-1)"
_GIVE_NAMES = "pass the tags in the order of their ids, or a mapping from ids to tags (id2label)"
_GIVE_LIKE = "pass one tag for each id of the gold standard, including those that it leaves out"
_GIVE_SPANS = 'pass a list of (label, start, end) for each sentence, such as [[("PER", 0, 2)]]'


# Checks of arguments


def check_name(name: object) -> None:
    """Raise `SettingError` unless this is a readable name of an annotation."""
    if not is_text(name) or not str(name).strip():
        raise SettingError(f"name is {quote(name)}; it must be a readable string.")


def to_list(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Any]:
    """Return any ordered collection (with `sets`, any collection) other than texts and mappings as a list."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    wrong = (str, bytes, bytearray, Mapping) if sets else (str, bytes, bytearray, Mapping, Set)
    if isinstance(value, wrong) or not isinstance(value, Iterable):
        raise InputError(name, None, f"{what} is {quote(value)}, not a list", remedy)
    return value if isinstance(value, list) else list(value)


def to_lists(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Sequence[Any]]:
    """Return a list of lists; messages call the inner ones `what`, counted from 1."""
    outer = to_list(value, "the argument", name, remedy, sets=sets)
    if {list, tuple}.issuperset(map(type, outer)):
        return outer
    return [
        inner if type(inner) in (list, tuple) else to_list(inner, f"{what} {number}", name, remedy, sets=sets)
        for number, inner in enumerate(outer, 1)
    ]


def is_text(value: object) -> bool:
    """Whether this is a string without surrogates, which files cannot hold."""
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value))


def refuse_texts(sentences: Sequence[Sequence[Any]], what: str, name: str, unit: str = "sentence") -> NoReturn:
    """Raise the error for the first value that is not a text."""
    number, value = next(
        (number, value) for number, inner in enumerate(sentences, 1) for value in inner if not is_text(value)
    )
    remedy = "correct how it was decoded" if isinstance(value, str) else "use only strings"
    if what == "tag" and isinstance(value, int | np.integer) and not isinstance(value, bool):
        remedy = 'use strings, or pass the names of the ids: eh.tags(ids, names=["O", "B-PER", …])'
    raise InputError(name, None, f"{unit} {number} has the {what} {quote(value)}, not a string", remedy)


def to_numbers(values: Sequence[Any], what: str, name: str, remedy: str) -> Ints:
    """Return whole numbers of Python or NumPy, other than booleans, up to `MAX_TOKENS`."""
    for kind in set(map(type, values)):
        if kind is bool or not issubclass(kind, int | np.integer):
            value = next(value for value in values if type(value) is kind)
            raise InputError(name, None, f"{what} {quote(value)} is not a whole number", remedy)
    for value in (min(values, default=0), max(values, default=0)):
        if not -MAX_TOKENS <= value <= MAX_TOKENS:
            raise InputError(name, None, f"{what} {quote(value)} is beyond {MAX_TOKENS:,}", remedy)
    return ints(values)


def parts_of(item: Any, sizes: tuple[int, ...], sentence: int, name: str, remedy: str) -> Sequence[Any]:
    """Return the members of a tuple, such as a span, of one of these sizes."""
    if isinstance(item, np.ndarray):
        item = item.tolist()
    if not isinstance(item, list | tuple) or len(item) not in sizes:
        *others, last = map(str, sizes)
        listed = " or ".join(filter(None, [", ".join(others), last]))
        finding = f"expected a tuple of {listed} in sentence {sentence}, got {quote(item)}"
        raise InputError(name, None, finding, remedy)
    return item


def bounds_of(sentences: Sequence[Sized]) -> Ints:
    return np.append(0, np.cumsum(np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))))


def by_sentence(values: Sequence[Any], bounds: Ints) -> list[Sequence[Any]]:
    return [values[begin:end] for begin, end in pairwise(bounds.tolist())]


def tokens_of(sentences: Any, bounds: Ints, name: str, what: str = "token", unit: str = "sentence") -> Tokens | None:
    """Return one text per token, such as its form or POS; `unit` is what the lists are."""
    if sentences is None:
        return None
    several = what if what.isupper() else f"{what}s"
    words = to_lists(sentences, unit, name, f"pass a list of {several} for each {unit}")
    ends = bounds_of(words)
    if len(ends) != len(bounds):
        finding = f"got {counted(len(bounds) - 1, unit)}, but lists of {several} for {len(ends) - 1}"
        raise InputError(name, None, finding, "use lists of the same lengths")
    different = np.flatnonzero(np.diff(ends) != np.diff(bounds))
    if len(different):
        row = int(different[0])
        expected, length = np.diff(bounds)[row], np.diff(ends)[row]
        finding = f"{unit} {row + 1} has the length {expected}, but a list of {several} of length {length}"
        raise InputError(name, None, finding, "use lists of the same lengths")
    try:
        return Tokens.of(list(chain.from_iterable(words)))
    except (AttributeError, TypeError, UnicodeEncodeError):
        refuse_texts(words, what, name, unit)


# Codes of tags


def code_texts(sentences: Sequence[Sequence[Any]], count: int, what: str, name: str) -> tuple[Ints, list[str]]:
    """Return a code for each of `count` texts, in order of occurrence, and the texts by code."""
    codes = NewCodes()
    try:
        column = np.fromiter(map(codes.__getitem__, chain.from_iterable(sentences)), dtype=np.int64, count=count)
    except TypeError:  # an unhashable value is not a text
        refuse_texts(sentences, what, name)
    if not all(map(is_text, codes)):
        refuse_texts(sentences, what, name)
    return column, list(map(str.__str__, codes))


def code_tags(sentences: Sequence[Sequence[Any]], count: int, name: str) -> tuple[SparseCodes, list[str]]:
    """Return a code for each of `count` tags, and the tags by code."""
    coded = None if count < _MANY else code_lines(sentences, count)
    if coded is not None:
        return coded
    code, names = code_texts(sentences, count, "tag", name)
    return SparseCodes.of(code), names


def code_lines(sentences: Sequence[Sequence[Any]], count: int) -> tuple[SparseCodes, list[str]] | None:
    """Fast path of `code_tags`, from one text; None if tags contain line ends or too many are different."""
    try:
        lines = "\n".join(map("\n".join, filter(None, sentences)))
        data = f"\n{lines}\n".encode() + PADDING
    except (TypeError, UnicodeEncodeError):
        return None
    text = np.frombuffer(data, dtype=np.uint8, count=len(data) - len(PADDING))
    breaks = text == ord("\n")
    if np.count_nonzero(breaks) != count + 1 or "\0" in lines:  # some contain line ends, or NUL, which cells may not
        return None
    is_common = text == ord(COMMON)
    is_common[1:-1] &= breaks[:-2] & breaks[2:]
    start = np.flatnonzero(breaks[:-1] > is_common[1:]) + 1
    end = np.flatnonzero(breaks[1:] > is_common[:-1]) + 1
    codes, new = CellCodes(), list[int]()
    for size in (_FIRST, _SAMPLE, len(start)):
        if len(new) > _FEW:
            return None
        code, more = codes(data, start[:size], end[:size])
        new += more
    before = np.append(0, end)[:-1] + 1
    rows = np.cumsum((start - before) // 2 + 1) - 1
    names = [data[start[row] : end[row]].decode() for row in new]
    return _code_in_order(count, rows, code, names, rows[new].tolist())


def _code_in_order(
    size: int, rows: Ints, index: Ints, names: Sequence[str], first: Sequence[int]
) -> tuple[SparseCodes, list[str]]:
    """Return a code for each of `size` tags, in order of occurrence, and the tags by code.

    The tags of `rows` are `names[index]`; other rows have the common tag. `first` is the first row of each name, or
    `size` if it does not occur.
    """
    skipped = np.flatnonzero(rows != np.arange(len(rows)))
    first_common = int(skipped[0]) if len(skipped) else len(rows)
    occurrences = sorted([*zip(first, names, strict=True), (first_common, COMMON)])
    codes = {name: code for code, name in enumerate(dict.fromkeys(name for row, name in occurrences if row < size))}
    code_of = ints([codes.get(name, -1) for name in names])
    return SparseCodes(size, codes.get(COMMON, 0), rows, code_of[index]), list(codes)


def code_ids(
    value: Any, names: Any, ignore: Any, name: str, like: Mask | None = None
) -> tuple[SparseCodes, list[str], Ints, list[str], Mask]:
    """Return codes of ids other than `ignore`, the tags by code, the bounds of sentences, all tags, and the mask.

    Tags that occur get codes in order of occurrence. `like` is the mask of the gold standard, if its ids decide.
    """
    tags = tags_by_id(names, name)
    if ignore is not None:
        to_numbers([ignore], "ignore", name, "pass the id of positions to leave out, or None")
    flat, bounds = _flatten(value, name)
    common = next((known for known, tag in tags.items() if tag == COMMON), None)
    is_other = np.ones(len(flat), dtype=np.bool_) if common is None else flat != common
    if like is not None:
        _check_rows(bounds, like.bounds, name)
        kept = like.kept
    else:
        kept = np.arange(len(flat)) if ignore is None else np.flatnonzero(flat != ignore)
    mask = Mask(kept, bounds)
    rows, bounds, size = np.flatnonzero(is_other[kept]), np.searchsorted(kept, bounds), len(kept)
    ids, known = flat[kept[rows]].astype(np.int64), ints(sorted(tags))
    index = np.minimum(np.searchsorted(known, ids), max(len(known) - 1, 0))
    unknown = np.flatnonzero(known[index] != ids) if len(known) else rows
    if len(unknown):
        sentence = int(np.searchsorted(bounds, rows[unknown[0]], side="right"))
        finding = f"sentence {sentence} has the id {ids[unknown[0]]}, which is not one of the {len(tags)} in names"
        raise InputError(name, None, finding, f"{_GIVE_NAMES} (ids equal to ignore, {quote(ignore)}, are left out)")
    first = np.full(len(known), size)
    first[index[::-1]] = rows[::-1]
    spelled = [tags[known_id] for known_id in known.tolist()]
    return *_code_in_order(size, rows, index, spelled, first.tolist()), bounds, list(tags.values()), mask


def _check_rows(bounds: Ints, expected: Ints, name: str) -> None:
    """Raise an error unless all sentences are as long as in the gold standard, including ids that it leaves out."""
    sizes, others = np.diff(bounds), np.diff(expected)
    if len(sizes) != len(others):
        finding = f"got {counted(len(sizes), 'sentence')}, but the gold standard has {len(others):,}"
        raise InputError(name, None, finding, _GIVE_LIKE)
    different = np.flatnonzero(sizes != others)
    if len(different):
        row = int(different[0])
        finding = f"sentence {row + 1} has {sizes[row]} tags, but {others[row]} ids in the gold standard"
        raise InputError(name, None, finding, _GIVE_LIKE)


def _flatten(value: Any, name: str) -> tuple[Ids, Ints]:
    """Return the ids of all sentences and their bounds, from an array with one row per sentence, or from lists."""
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.ndim == 2 and np.issubdtype(value.dtype, np.integer):
            return value.ravel(), np.arange(len(value) + 1) * value.shape[1]
        shape = f"an array of shape {value.shape} of {value.dtype}"
        if value.ndim == 3:
            raise InputError(name, None, f"got logits ({shape}) instead of ids", _GIVE_BEST)
        raise InputError(name, None, f"found {shape}", "use whole numbers, with one row per sentence")
    sentences = to_lists(value, "sentence", name, _GIVE_IDS)
    flat = list(chain.from_iterable(sentences))
    if any(issubclass(kind, list | tuple | np.ndarray) for kind in set(map(type, flat))):
        raise InputError(name, None, "tokens have lists of numbers (logits) instead of ids", _GIVE_BEST)
    return to_numbers(flat, "the id", name, _GIVE_IDS), bounds_of(sentences)


def tags_by_id(names: Any, name: str) -> dict[int, str]:
    """Return the tags by id; the keys of a mapping may be texts, as in JSON."""
    if isinstance(names, Mapping):
        pairs = {int(key) if is_text(key) and key.isdecimal() else key: tag for key, tag in names.items()}
    else:
        pairs = dict(enumerate(to_list(names, "names", name, _GIVE_NAMES)))
    for key, tag in pairs.items():
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not is_text(tag):
            raise InputError(name, None, f"names has {quote(tag)} for the id {quote(key)}", _GIVE_NAMES)
    if len(pairs) < len(names):
        raise InputError(name, None, "names has an id twice", _GIVE_NAMES)
    return pairs


# Public functions


def tags(
    sentences: Iterable[Sequence[str]] | Iterable[Sequence[int]] | Ids,
    *,
    encoding: str | None = None,
    repair: Repair | None = None,
    tokens: Iterable[Sequence[str]] | None = None,
    names: Names | None = None,
    ignore: int | None = -100,
    like: Annotation | None = None,
    name: str = "tags",
) -> Annotation:
    """Return an annotation from tag sequences: `tags([["B-PER", "I-PER", "O"]])`.

    The encoding is detected unless it is given. With `tokens`, the two sides of a comparison are checked for equal
    tokens, and errors can be shown in context. Tags may be ids, as lists or as an array with one row per sentence:
    `names` then holds the tags by id (a list, or a model's `id2label`), and the id `ignore` is left out (padding, word
    pieces): `tags(ids, names=["O", "B-PER", "I-PER"])`. Both sides must leave out the same positions. So a model's
    predictions, which have an id or a tag for every position, are made with `like=gold`: `gold` then decides.

    `repair` is how to repair ill-formed tags, as in `read`. By default, the `repair` of `score` (or `compare`, …)
    applies. Setting both to different values is an error, unless the latter is the default, "begin".
    """
    check_name(name)
    encoding = encoding_named(encoding)
    check_choice("repair", repair, get_args(Repair), optional=True)
    mask = _mask_of(like)
    if names is None:
        remedy = 'pass a list of tags for each sentence, such as [["B-PER", "O"]]'
        tag_lists = to_lists(sentences, "sentence", name, remedy)
        bounds = bounds_of(tag_lists)
        code, seen = code_tags(tag_lists, int(bounds[-1]), name)
        if mask is not None:
            _check_rows(bounds, mask.bounds, name)
            bounds, column = np.searchsorted(mask.kept, bounds), code.column()[mask.kept]
            used, column = np.unique(column, return_inverse=True)
            code, seen = SparseCodes.of(column), [seen[tag] for tag in used.tolist()]
        known = seen
    else:
        code, seen, bounds, known, mask = code_ids(sentences, names, ignore, name, mask)
    corpus = Corpus(name, len(bounds) - 1, bounds, tokens_of(tokens, bounds, name), mask=mask)
    return _decode(corpus, code, seen, known, encoding, repair)


def _mask_of(gold: Annotation | None) -> Mask | None:
    """Return the mask of a gold standard; without ids that are left out, all positions are kept."""
    if gold is None:
        return None
    if not isinstance(gold, Annotation) or gold.corpus.bounds is None:
        raise SettingError(f"like is {quote(gold)}; pass the gold standard that eh.tags returned.")
    bounds = gold.corpus.bounds
    return gold.corpus.mask or Mask(np.arange(bounds[-1]), bounds)


def join_tags(parts: Sequence[Annotation], encoding: str | None = None) -> Annotation:
    """Return the tags of several calls of `tags` as of one call; all have the same repair and, if named, encoding."""
    codes, columns = NewCodes(), []
    for part in parts:
        layer = part.layers["tags"]
        assert isinstance(layer, Tags)
        columns.append(ints([codes[tag] for tag in layer.names])[layer.code])
    corpus = replace(Corpus.concatenate([part.corpus for part in parts]), documents=ints([0]))
    reading, seen = parts[0].reading, list(codes)
    encoding = reading.encoding if reading.is_named else encoding
    return _decode(corpus, SparseCodes.of(np.concatenate(columns)), seen, seen, encoding, reading.repair)


def _decode(
    corpus: Corpus, code: SparseCodes, seen: list[str], known: list[str], encoding: str | None, repair: Repair | None
) -> Annotation:
    """Decode tags; `seen` are the tags by code, `known` are all possible tags."""
    name, is_named = corpus.source, encoding is not None
    assert corpus.bounds is not None
    plain = encoding == "plain" or (not is_named and looks_plain(known))
    table = TagTable(Vocabulary(), plain=plain)
    for tag in seen:
        finding = table.add(tag)
        if finding is not None:
            raise InputError(name, None, finding, "correct it, or specify the encoding")
    levels = table.segments(code, corpus.bounds[:-1])
    prefixes = [] if plain or known is seen else [part[0] for part in map(encodings.parse, known) if part is not None]
    encoding = encoding or (table.recognise(levels, prefixes) if plain or table.prefixes or prefixes else "iob2")
    if table.prefixes - encodings.allowed_prefixes(encoding):
        raise InputError(name, None, f"some tags do not occur in {encoding.upper()}", "specify their encoding")
    decoded = table.decode(levels, corpus, encoding, repair or "begin")
    tags = SparseTags(code, tuple(seen))
    reading = ReadInfo(
        LISTS,
        encoding,
        repair=repair,
        repaired=len(decoded.ill_formed),
        first_repair=_first_repair(corpus, decoded, tags, encoding, repair),
        is_named=is_named,
        doubt=_doubt(code, seen, known) if plain and not is_named else None,
    )
    return Annotation(corpus, {"spans": decoded.spans, "tags": tags}, {"spans": reading}, name)


def _first_repair(corpus: Corpus, decoded: Decoded, tags: Tags, encoding: str, repair: Repair | None) -> str | None:
    """Return the location of the first ill-formed span; raise an error if it must not be repaired."""
    if not len(decoded.ill_formed):
        return None
    assert corpus.bounds is not None
    token = int(decoded.ill_formed.min())
    line = corpus.line(token)
    tag = tags.slice(token, token + 1).to_list()[0]
    location = f"sentence {int(np.searchsorted(corpus.bounds, token, side='right'))}"
    if repair == "error":
        finding = f"a span is ill-formed in {encoding.upper()}: {tag!r} in {location}"
        raise InputError(corpus.source, line, finding, "correct it, or choose the repair begin or discard")
    return f"{tag!r} in {location}" if line is None else f"line {line}, {tag!r}"


def repaired(annotation: Annotation, repair: Repair, reference: str | None) -> Annotation:
    """Return an annotation in memory as if it had been read from a file with this repair.

    `reference` is the encoding of the gold standard, which applies to a system's tags if they fit it. Tags with their
    own repair keep it; another one here, unless it is the default, is an error.
    """
    reading = annotation.readings.get("spans")
    stems = [name for name in annotation.layers if name == "tags" or name.startswith("tags-")]
    if reading is None or reading.encoding is None or not stems:
        return annotation
    if reading.repair is not None and repair not in ("begin", reading.repair):
        finding = f"The tags of {annotation.name!r} were made with repair={reading.repair!r}"
        raise SettingError(f"{finding}, but here repair={repair!r}; remove one of the two.")
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
        code = tags.mostly if isinstance(tags, SparseTags) else SparseCodes.of(tags.code)
        is_free = not reading.is_named and reading.encoding != "plain"
        if is_free and reference is not None and not table.prefixes:
            encoding = reference
        elif is_free and reference not in (None, "plain", reading.encoding):
            assert reference is not None
            fits = table.prefixes <= encodings.allowed_prefixes(reference)
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


def _doubt(code: SparseCodes, seen: list[str], known: list[str]) -> tuple[str, str] | None:
    """Return why tags without prefixes may not be labels of spans. If O is known but does not occur, the others are."""
    if set(seen).issuperset(encodings.OUTSIDE_TAGS.intersection(known)):
        outside = [index for index, tag in enumerate(seen) if tag in encodings.OUTSIDE_TAGS]
        common = (code.size - len(code.rows)) * (code.common in outside)
        return doubt(seen, code.size, int(np.isin(code.codes, outside).sum()) + common)
    labels = [tag for tag in seen if tag not in encodings.OUTSIDE_TAGS]
    return misspelled(labels, has_outside=True) if labels else None


def trees(
    sentences: Iterable[Sequence[tuple[int, str]]],
    *,
    tokens: Iterable[Sequence[str]] | None = None,
    name: str = "trees",
) -> Annotation:
    """Return an annotation from heads and relations: `trees([[(2, "nsubj"), (0, "root")]])`, one list per sentence.

    Heads are numbers of words, the first of which is 1; 0 is the root. For `tokens` see `tags`.
    """
    check_name(name)
    remedy = 'pass a list of heads and relations for each sentence, such as [[(2, "nsubj"), (0, "root")]]'
    words = to_lists(sentences, "sentence", name, remedy)
    bounds = bounds_of(words)
    pairs = [parts_of(pair, (2,), number, name, remedy) for number, inner in enumerate(words, 1) for pair in inner]
    head = to_numbers([head for head, _ in pairs], "the head", name, remedy)
    relation, names = code_texts(by_sentence([pair[1] for pair in pairs], bounds), len(head), "relation", name)
    lengths = np.repeat(np.diff(bounds), np.diff(bounds))
    for wrong, what in (
        ((head < 0) | (head > lengths), "a head outside the sentence"),
        (without_root(np.clip(head, 0, lengths), bounds), "words that do not lead to the root"),
    ):
        if wrong.any():
            sentence = int(np.searchsorted(bounds, int(wrong.argmax()), side="right"))
            raise InputError(name, None, f"sentence {sentence} has {what}", "heads must make a tree")
    corpus = Corpus(name, len(words), bounds, tokens_of(tokens, bounds, name))
    return Annotation(corpus, {"trees": Trees(head, Tags(relation, tuple(names)))}, {"words": ReadInfo(LISTS)}, name)


def spans(
    sentences: Iterable[Iterable[SpanTuple]] | Mapping[str, Iterable[SpanTuple]],
    *,
    end: Literal["exclusive", "inclusive"] = "exclusive",
    first: Literal[0, 1] = 0,
    lengths: Sequence[int] | Mapping[str, int] | None = None,
    tokens: Iterable[Sequence[str]] | Mapping[str, Sequence[str]] | None = None,
    text: Iterable[str] | Mapping[str, str] | None = None,
    name: str = "spans",
) -> Annotation:
    """Return an annotation from spans: `spans([[("PER", 0, 2)]], end="exclusive")`, one list per sentence.

    A span is (label, start, end), or (label, start, end, tokens) if it leaves tokens out. Its confidence may follow as
    a last number: (label, start, end, 0.9); None means that it has none. `end` is inclusive (the last token) or
    exclusive (the token after it); `first` is the number of a sentence's first token. `lengths` are the numbers of
    tokens per sentence, if known. Positions may be up to 2**24, or EVENHAND_MAX_TOKENS.

    With `tokens` (one list per sentence), errors are shown in context, and both sides are checked for equal tokens.
    With `text` (one per sentence), positions count characters instead; give it on both sides.

    A mapping holds documents by id: `spans({"doc1": [("PER", 0, 2)]})`. They are matched by id, in any order; documents
    that the system lacks count as empty. Then `tokens`, `text` and `lengths` are mappings, too, or lists in its order.
    """
    check_name(name)
    check_choice("end", end, ("exclusive", "inclusive"))
    if first not in (0, 1):
        raise SettingError(f"first is {quote(first)}; choose one of 0, 1.")
    extras = (("lengths", lengths), ("tokens", tokens), ("text", text))
    both = [what for what, value in extras if value is not None]
    if len(both) > 1:
        raise SettingError(f"{' and '.join(both)} are redundant; use only one of them.")
    ids = ids_of(sentences, name) if isinstance(sentences, Mapping) else None
    outer = list(sentences.values()) if isinstance(sentences, Mapping) else sentences
    span_lists = to_lists(outer, "sentence", name, _GIVE_SPANS)
    size, layer = len(span_lists), _layer(span_lists, name, end, int(first))
    lengths, tokens, text = (_in_order(value, sentences, what, name) for what, value in extras)
    if text is not None:
        corpus, layer = _on_texts(text, layer, size, name)
    else:
        remedy = "pass a list of tokens for each sentence"
        words = None if tokens is None else to_lists(tokens, "sentence", name, remedy)
        sizes = lengths if words is None else list(map(len, words))
        bounds = None if sizes is None else _check_lengths(sizes, layer, size, name)
        corpus = Corpus(name, size, bounds, None if bounds is None else tokens_of(words, bounds, name))
    if ids is not None:
        corpus = replace(corpus, documents=np.arange(len(ids)), names=tuple(ids), ids=Tokens.of(ids))
    return Annotation(corpus, {"spans": layer}, {"spans": ReadInfo(LISTS)}, name)


def _layer(span_lists: Sequence[Sequence[Any]], name: str, end: str, first: int) -> Spans:
    """Return spans with positions from 0 and exclusive ends."""
    rows = [(number, span) for number, spans in enumerate(span_lists, 1) for span in spans]
    parts = [parts_of(span, (3, 4, 5), number, name, _GIVE_SPANS) for number, span in rows]
    bounds = bounds_of(span_lists)
    label, names = code_texts(by_sentence([part[0] for part in parts], bounds), len(parts), "label", name)
    if "" in names:
        raise InputError(name, None, "a span has the empty label", "give every span a label")
    start, stop = (to_numbers([part[column] for part in parts], "the position", name, _GIVE_SPANS) for column in (1, 2))
    start, stop = start - first, stop - first + (end == "inclusive")
    scope = np.repeat(np.arange(len(span_lists)), np.diff(bounds))
    wrong = np.flatnonzero((start < 0) | (start >= stop))
    if len(wrong):
        row = int(wrong[0])
        finding = f"the span {quote(parts[row])} of sentence {scope[row] + 1} covers no tokens"
        raise InputError(name, None, finding, f"ends are {end} and tokens are counted from {first} here")
    far = np.flatnonzero(stop > TOKENS.value)
    if len(far):
        finding = f"a span of sentence {scope[far[0]] + 1} reaches beyond token {TOKENS.value:,}"
        raise InputError(name, None, finding, TOKENS.remedy)
    vocabulary = Vocabulary()
    labels = ints([vocabulary.labels.code(known) for known in names])[label]
    shape, scores = np.zeros(len(parts), dtype=np.int64), dict[int, float]()
    for row, part in enumerate(parts):
        if len(part) == 3:
            continue
        if len(part) == 5 or part[3] is None or isinstance(part[3], Real):
            scores[row] = _score(part, int(scope[row]) + 1, name)
        if not isinstance(part[3], Real | None):
            shape[row] = vocabulary.shapes.code(_gaps(part, int(start[row]), int(stop[row]), first, name))
    spans = Spans.of(vocabulary, scope, start, stop, labels, shape=shape)
    return replace(spans, score=np.array([scores.get(row, np.nan) for row in range(len(parts))])) if scores else spans


def _score(span: Sequence[Any], sentence: int, name: str) -> float:
    """Return the confidence of a span, its last member; NaN if that is None."""
    value = span[-1]
    if value is None:
        return np.nan
    if isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value)):
        return float(value)
    finding = f"expected a finite number as the score of a span of sentence {sentence}, got {quote(value)}"
    raise InputError(name, None, finding, 'use spans such as ("PER", 0, 2, 0.9)')


def _gaps(span: Sequence[Any], begin: int, end: int, first: int, name: str) -> tuple[int, ...]:
    """Return the tokens that a span with a list of tokens leaves out, counted from its first token.

    The list has every token once, including the first and the last one, and none outside the span.
    """
    remedy = "list the span's tokens, each once, from the first to the last"
    listed = to_list(span[3], "the list of tokens", name, remedy, sets=True)
    tokens = to_numbers(listed, "the token", name, remedy) - first
    inside = set(tokens.tolist())
    if len(inside) < len(tokens) or not {begin, end - 1} <= inside or min(inside) < begin or max(inside) >= end:
        what = f"the tokens {quote(span[3])} of the span {quote(tuple(span[:3]))}"
        finding = f"{what} do not run from its first to its last"
        raise InputError(name, None, finding, remedy)
    if end - begin - len(inside) > GAPS.value:
        finding = f"the span {quote(tuple(span[:3]))} leaves out more than {GAPS.value:,} tokens"
        raise InputError(name, None, finding, GAPS.remedy)
    return tuple(token - begin for token in range(begin, end) if token not in inside)


def ids_of(documents: Mapping[Any, Any], name: str) -> list[str]:
    """Return the ids of documents, which are texts or whole numbers and must be distinct."""
    remedy = "give every document a distinct id"
    for document in documents:
        if not is_text(document) and (isinstance(document, bool) or not isinstance(document, int | np.integer)):
            raise InputError(name, None, f"the id {quote(document)} is neither a string nor a whole number", remedy)
    ids = list(map(str, documents))
    if len(set(ids)) < len(ids):
        raise InputError(name, None, "two ids differ only in their type, like 1 and '1'", remedy)
    return ids


def _in_order(value: Any, documents: Any, what: str, name: str) -> Any:
    """Return the values of documents in their order; a mapping is looked up by id and may have more ids."""
    if not isinstance(value, Mapping):
        return value
    if not isinstance(documents, Mapping):
        remedy = "pass both as mappings, or both as lists"
        raise InputError(name, None, f"{what} is a mapping, but the spans are not", remedy)
    missing = next((document for document in documents if document not in value), None)
    if missing is not None:
        raise InputError(name, None, f"{what} lacks the document {quote(missing)}", "add it for every document")
    return [value[document] for document in documents]


def _on_texts(text: Any, spans: Spans, size: int, name: str) -> tuple[Corpus, Spans]:
    """Return a corpus of the characters of texts, and the spans in these."""
    strings = to_list(text, "text", name, "pass a text for each sentence")
    if not all(map(is_text, strings)):
        refuse_texts([[string] for string in strings], "text", name)
    if len(strings) != size:
        finding = f"got {counted(len(strings), 'text')} for {counted(size, 'sentence')}"
        raise InputError(name, None, finding, "pass one for each")
    if spans.shape.any():
        raise InputError(name, None, "a span has gaps", "use tokens instead of text")
    texts = Texts.of(strings)
    start, end = texts.positions(spans.scope, spans.start), texts.positions(spans.scope, spans.end)
    wrong = np.flatnonzero((start < 0) | (end <= start))
    if len(wrong):
        row = int(wrong[0])
        sentence, bounds = int(spans.scope[row]), [int(spans.start[row]), int(spans.end[row])]
        finding = f"the span {bounds} of sentence {sentence + 1} is blank"
        if end[row] < 0:
            size_of_text = counted(len(strings[sentence]), "character")
            finding = f"the span {bounds} of sentence {sentence + 1} ends after its text, which has {size_of_text}"
        raise InputError(name, None, finding, "count characters from 0, with exclusive ends")
    return replace(texts.corpus(name), documents=ints([0])), replace(spans, start=start, end=end)


def _check_lengths(lengths: Any, spans: Spans, sentences: int, name: str) -> Ints:
    """Return the bounds of sentences; raise `InputError` unless all have a length and contain their spans."""
    remedy = "pass the number of tokens of every sentence"
    sizes = to_numbers(to_list(lengths, "lengths", name, remedy), "the length", name, remedy)
    if len(sizes) != sentences:
        finding = f"got {counted(len(sizes), 'length')} for {counted(sentences, 'sentence')}"
        raise InputError(name, None, finding, remedy)
    if (sizes < 0).any():
        raise InputError(name, None, f"sentence {int((sizes < 0).argmax()) + 1} has a negative length", remedy)
    beyond = np.flatnonzero(spans.end > sizes[spans.scope])
    if len(beyond):
        scope, end = int(spans.scope[beyond[0]]), int(spans.end[beyond[0]])
        held = counted(sizes[scope], "token")
        finding = f"a span of sentence {scope + 1} ends at token {end}, but the sentence has {held}"
        raise InputError(name, None, finding, remedy)
    return np.append(0, np.cumsum(sizes))
