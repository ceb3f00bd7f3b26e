"""Annotations from plain lists of tags or trees, a list a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, Literal, NoReturn, get_args

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, ints
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
from evenhand.settings import ENCODINGS, Repair

# == text/list_checks.py: What plain Python lists must be, before an annotation is mad


MOST_TOKENS = 2**31 - 1
"""The last position that a span, a mention or a head may have, and the most tokens of a sentence."""


def check_name(name: object) -> None:
    """Refuse what cannot be shown as the name of an annotation."""
    if not is_text(name) or not str(name).strip():
        raise SettingError(f"name is {quote(name)}; give a text that can be read.")


def listed(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Any]:
    """The members of anything that has some in order (with `sets`, in any order); texts and mappings are none."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    wrong = (str, bytes, bytearray, Mapping) if sets else (str, bytes, bytearray, Mapping, Set)
    if isinstance(value, wrong) or not isinstance(value, Iterable):
        raise InputError(name, None, f"{what} is {quote(value)}, which is no list", remedy)
    return value if isinstance(value, list) else list(value)


def lists(value: Any, what: str, name: str, remedy: str, *, sets: bool = False) -> list[Sequence[Any]]:
    """A list of lists, such as one a sentence; `what` are its members, counted from 1 in messages."""
    outer = listed(value, "the argument", name, remedy, sets=sets)
    if {list, tuple}.issuperset(map(type, outer)):
        return outer
    return [
        inner if type(inner) in (list, tuple) else listed(inner, f"{what} {number}", name, remedy, sets=sets)
        for number, inner in enumerate(outer, 1)
    ]


def is_text(value: object) -> bool:
    """Whether this is a text without halves of characters, which no file can hold."""
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value))


def refuse_texts(sentences: Sequence[Sequence[Any]], what: str, name: str, where: str = "sentence") -> NoReturn:
    """The error for the first value that is no text; `where` says what the lists are."""
    number, value = next((at, each) for at, inner in enumerate(sentences, 1) for each in inner if not is_text(each))
    remedy = "mend how it was decoded" if isinstance(value, str) else "give texts only"
    if what == "tag" and isinstance(value, int | np.integer) and not isinstance(value, bool):
        remedy = 'give texts, or say what the ids stand for: eh.tags(ids, names=["O", "B-PER", …])'
    raise InputError(name, None, f"{where} {number} has the {what} {quote(value)}, which is no text", remedy)


def numbers(values: Sequence[Any], what: str, name: str, remedy: str) -> Ints:
    """Whole numbers as a column: Python's or NumPy's, but no truth values, and none beyond `MOST_TOKENS`."""
    for kind in set(map(type, values)):
        if kind is bool or not issubclass(kind, int | np.integer):
            value = next(each for each in values if type(each) is kind)
            raise InputError(name, None, f"{what} {quote(value)} is no whole number", remedy)
    for value in (min(values, default=0), max(values, default=0)):
        if not -MOST_TOKENS <= value <= MOST_TOKENS:
            raise InputError(name, None, f"{what} {quote(value)} is beyond {MOST_TOKENS:,}", remedy)
    return ints(values)


def gaps_of(span: Sequence[Any], begin: int, behind: int, first: int, name: str) -> tuple[int, ...]:
    """The tokens that a span with a list of tokens leaves out, counted from its first one.

    As in files, the list has each token once, the first and the last among them, and none outside.
    """
    remedy = "list the span's tokens, each once, from the first to the last"
    tokens = numbers(listed(span[3], "the list of tokens", name, remedy, sets=True), "the token", name, remedy) - first
    inside = set(tokens.tolist())
    if len(inside) < len(tokens) or not {begin, behind - 1} <= inside or min(inside) < begin or max(inside) >= behind:
        finding = (
            f"the tokens {quote(span[3])} of the span {quote(tuple(span[:3]))} do not run from its first to its last"
        )
        raise InputError(name, None, finding, remedy)
    if behind - begin - len(inside) > GAPS.value:
        finding = f"the span {quote(tuple(span[:3]))} leaves out more than {GAPS.value:,} tokens"
        raise InputError(name, None, finding, GAPS.remedy)
    return tuple(at - begin for at in range(begin, behind) if at not in inside)


# == text/list_codes.py: The tags of lists as small integers, in the order in which t


COMMON = "O"
"""The tag that most tokens have in most data; where another one is common, all is found as well, but later."""
_MANY = 1 << 13
"""For fewer tags a dictionary is faster."""
_SAMPLE, _FEW = 1 << 12, 1 << 9
"""Where so many tags that are not `O` have more different ones than a few, a dictionary is faster."""
_FIRST = 1 << 8
"""With so many, the first different ones are learned."""


def coded(sentences: Sequence[Sequence[Any]], count: int, what: str, name: str) -> tuple[Ints, list[str]]:
    """A code for each of so many texts, and the texts by code."""
    codes = NewCodes()
    flat = chain.from_iterable(sentences)
    try:
        found = np.fromiter(map(codes.__getitem__, flat), dtype=np.int64, count=count)
    except TypeError:  # what cannot be a key is no text
        refuse_texts(sentences, what, name)
    if not all(map(is_text, codes)):
        refuse_texts(sentences, what, name)
    return found, list(map(str.__str__, codes))


def mostly_coded(sentences: Sequence[Sequence[Any]], count: int, name: str) -> tuple[SparseCodes, list[str]]:
    """A code for each of so many tags, and the tags by code."""
    found = None if count < _MANY else in_lines(sentences, count)
    if found is not None:
        return found
    code, met = coded(sentences, count, "tag", name)
    return SparseCodes.of(code), met


def in_lines(sentences: Sequence[Sequence[Any]], count: int) -> tuple[SparseCodes, list[str]] | None:
    """The same from one text; None where tags are no lines of text, or too many different ones."""
    try:
        lines = "\n".join(map("\n".join, filter(None, sentences)))
        data = f"\n{lines}\n".encode() + PADDING
    except (TypeError, UnicodeEncodeError):
        return None
    text = np.frombuffer(data, dtype=np.uint8, count=len(data) - len(PADDING))
    breaks = text == ord("\n")
    if np.count_nonzero(breaks) != count + 1 or "\0" in lines:  # some have breaks, or NUL, which no cell may have
        return None
    is_common = text == ord(COMMON)
    is_common[1:-1] &= breaks[:-2] & breaks[2:]
    start, end = _edges(breaks[:-1] > is_common[1:], breaks[1:] > is_common[:-1])
    codes, new = CellCodes(), list[int]()
    for some in (_FIRST, _SAMPLE, len(start)):
        if len(new) > _FEW:
            return None
        place, more = codes(data, start[:some], end[:some])
        new += more
    before = np.append(0, end)[:-1] + 1
    rows = np.cumsum((start - before) // 2 + 1) - 1
    names = [data[start[row] : end[row]].decode() for row in new]
    return in_order(count, rows, place, names, rows[new].tolist())


def _edges(begins: Bools, ends: Bools) -> tuple[Ints, Ints]:
    """Where tags begin and end, found in one pass but for empty ones, which do both in one place."""
    if (begins & ends).any():
        return np.flatnonzero(begins) + 1, np.flatnonzero(ends) + 1
    both = np.flatnonzero(begins | ends) + 1
    return both[::2], both[1::2]


def in_order(
    size: int, rows: Ints, place: Ints, names: Sequence[str], first: Sequence[int]
) -> tuple[SparseCodes, list[str]]:
    """A code for each of so many tags, in the order in which tags occur, and the tags by code.

    Some `rows` have a `place` in a list of `names`, each of which is first met in one of them, or in none, and then
    `first` is `size`. All others have the common tag.
    """
    skipped = np.flatnonzero(rows != np.arange(len(rows)))
    first_common = int(skipped[0]) if len(skipped) else len(rows)
    met = sorted([*zip(first, names, strict=True), (first_common, COMMON)])
    codes = {name: code for code, name in enumerate(dict.fromkeys(name for row, name in met if row < size))}
    code_of = ints([codes.get(name, -1) for name in names])
    return SparseCodes(size, codes.get(COMMON, 0), rows, code_of[place]), list(codes)


# == text/tag_ids.py: Tags as numbers, as models are trained on them: arrays of id


Ids = npt.NDArray[np.integer[Any]]
"""An array of ids, with a row a sentence."""
Names = Sequence[str] | Mapping[int, str]
"""The tags by id: a list, or a mapping such as a model's `id2label`."""
_IDS = "give a list of ids for each sentence, such as [[1, 0, -100]]"
_BEST = "take the best tag of each token: logits.argmax(axis=-1)"
_TABLE = 1 << 16
"""How far apart ids may be for a table that has a row for each."""
_NAMES = "give the tags in the order of their ids, or a mapping from ids to tags (id2label)"


def coded_ids(value: Any, names: Any, ignore: Any, name: str) -> tuple[SparseCodes, list[str], Ints, list[str], Mask]:
    """A code for each id but those to ignore, the tags by code, the bounds of sentences, all tags, and the mask.

    Codes are given to tags that occur, in the order in which they do.
    """
    tags = tags_by_id(names, name)
    if ignore is not None:
        numbers([ignore], "ignore", name, "give the id of places to leave out, or None")
    flat, bounds = _flat(value, name)
    common = next((each for each, tag in tags.items() if tag == COMMON), None)
    is_other = np.ones(len(flat), dtype=np.bool_) if common is None else flat != common
    kept = np.arange(len(flat)) if ignore is None else np.flatnonzero(flat != ignore)
    mask = Mask(kept, bounds)
    rows, bounds, size = np.flatnonzero(is_other[kept]), np.searchsorted(kept, bounds), len(kept)
    ids, known = flat[kept[rows]].astype(np.int64), ints(sorted(tags))
    place = _places(ids, known)
    strange = np.flatnonzero(known[place] != ids) if len(known) else rows
    if len(strange):
        sentence = int(np.searchsorted(bounds, rows[strange[0]], side="right"))
        finding = f"sentence {sentence} has the id {ids[strange[0]]}, which is none of the {len(tags)} in names"
        raise InputError(name, None, finding, f"{_NAMES} (ids equal to ignore, {quote(ignore)}, are left out)")
    first = np.full(len(known), size)
    first[place[::-1]] = rows[::-1]
    spelled = [tags[each] for each in known.tolist()]
    return *in_order(size, rows, place, spelled, first.tolist()), bounds, list(tags.values()), mask


def _places(flat: Ints, known: Ints) -> Ints:
    """The place of each id among the known ones, which are sorted; any place for other ids."""
    low, high = known[[0, -1]].tolist() if len(known) else (0, _TABLE + 1)
    if high - low > _TABLE:
        return np.minimum(np.searchsorted(known, flat), len(known) - 1)
    return np.searchsorted(known, np.arange(low, high + 1)).take(flat - low, mode="clip")


def _flat(value: Any, name: str) -> tuple[Ids, Ints]:
    """The ids of all sentences and the bounds of these, from an array with a row a sentence, or from lists."""
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.ndim == 2 and np.issubdtype(value.dtype, np.integer):
            return value.ravel(), np.arange(len(value) + 1) * value.shape[1]
        _refuse_array(value, name)
    found = lists(value, "sentence", name, _IDS)
    flat = list(chain.from_iterable(found))
    if any(issubclass(kind, list | tuple | np.ndarray) for kind in set(map(type, flat))):
        raise InputError(name, None, "tokens have lists of numbers (logits) in place of ids", _BEST)
    return numbers(flat, "the id", name, _IDS), np.append(0, np.cumsum(ints(list(map(len, found)))))


def _refuse_array(array: np.ndarray[Any, Any], name: str) -> NoReturn:
    """The error for an array that is none of ids."""
    shape = f"an array of shape {array.shape} of {array.dtype}"
    if array.ndim == 3:
        raise InputError(name, None, f"found logits ({shape}) in place of ids", _BEST)
    raise InputError(name, None, f"found {shape}", "give whole numbers, with a row for each sentence")


def tags_by_id(names: Any, name: str) -> dict[int, str]:
    """The tags by id; a mapping's keys may be texts, as JSON has them."""
    if isinstance(names, Mapping):
        pairs = {int(key) if is_text(key) and key.isdecimal() else key: tag for key, tag in names.items()}
    else:
        pairs = dict(enumerate(listed(names, "names", name, _NAMES)))
    for key, tag in pairs.items():
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not is_text(tag):
            raise InputError(name, None, f"names has {quote(tag)} for the id {quote(key)}", _NAMES)
    if len(pairs) < len(names):
        raise InputError(name, None, "names has an id twice", _NAMES)
    return pairs


# == text/lists.py (primary)


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
    check_choice("encoding", encoding, ENCODINGS, optional=True)
    check_choice("repair", repair, get_args(Repair), optional=True)
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
    corpus: Corpus, code: SparseCodes, met: list[str], known: list[str], encoding: str | None, repair: Repair | None
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
    if table.prefixes - encodings.allowed_prefixes(encoding):
        raise InputError(name, None, f"some tags do not occur in {encoding.upper()}", "name the encoding they are in")
    decoded = table.decode(found, corpus, encoding, repair or "begin")
    first = _first_repair(corpus, decoded, SparseTags(code, tuple(met)), encoding, repair)
    doubtful = _doubt(code, met, known) if plain and not is_named else None
    reading = ReadInfo(
        LISTS,
        encoding,
        repair=repair,
        repaired=len(decoded.ill_formed),
        first_repair=first,
        is_named=is_named,
        doubt=doubtful,
    )
    return Annotation(corpus, {"spans": decoded.spans, "tags": SparseTags(code, tuple(met))}, {"spans": reading}, name)


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


def _doubt(code: SparseCodes, met: list[str], known: list[str]) -> tuple[str, str] | None:
    """Why tags without prefixes may not be labels of spans; a known O that does not occur shows that others are."""
    if set(met).issuperset(encodings.OUTSIDE_TAGS.intersection(known)):
        return doubt(met, code.size, _outside(code, met))
    said = [tag for tag in met if tag not in encodings.OUTSIDE_TAGS]
    return misspelled(said, has_outside=True) if said else None


def _outside(code: SparseCodes, met: list[str]) -> int:
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
    return Annotation(corpus, {"trees": Trees(head, Tags(relation, tuple(names)))}, {"words": ReadInfo(LISTS)}, name)


def parts_of(item: Any, sizes: tuple[int, ...], sentence: int, name: str, remedy: str) -> Sequence[Any]:
    """The members of a span, or of a head with its relation."""
    if isinstance(item, np.ndarray):
        item = item.tolist()
    if not isinstance(item, list | tuple) or len(item) not in sizes:
        wanted = " or ".join(map(str, sizes))
        finding = f"sentence {sentence} has {quote(item)} where a tuple of {wanted} should be"
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


# == text/span_lists.py: Annotations from plain lists of spans, a list a sentence or,


SpanTuple = tuple[str, int, int] | tuple[str, int, int, Sequence[int]]
_SPANS = 'give a list of (label, start, end) for each sentence, such as [[("PER", 0, 2)]]'


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
    """An annotation from spans: `spans([[("PER", 0, 2)]], end="exclusive")`, a list a sentence.

    A span is (label, start, end), or (label, start, end, tokens) where it leaves tokens out. `end` says whether the
    end is the last token or the one behind it; `first` is the number of a sentence's first token. `lengths` are the
    sentences' numbers of tokens, where they are known. Positions reach up to 2**24, unless EVENHAND_MAX_TOKENS is set.

    With `tokens` (a list a sentence), errors are shown in their context, and both sides are checked for equal tokens.
    With `text` (one a sentence), positions are those of characters instead; give it on both sides.

    A mapping has documents by their ids: `spans({"doc1": [("PER", 0, 2)]})`. These are matched by id, in any order; one
    that the system lacks counts as empty. `tokens`, `text` and `lengths` then are mappings, too, or lists in its order.
    """
    check_name(name)
    check_choice("end", end, ("exclusive", "inclusive"))
    if first not in (0, 1):
        raise SettingError(f"first is {quote(first)}; choose one of 0, 1.")
    extras = (("lengths", lengths), ("tokens", tokens), ("text", text))
    both = [what for what, each in extras if each is not None]
    if len(both) > 1:
        raise SettingError(f"There are {' and '.join(both)}, of which one says all; give one of them.")
    ids = ids_of(sentences, name) if isinstance(sentences, Mapping) else None
    given = lists(list(sentences.values()) if isinstance(sentences, Mapping) else sentences, "sentence", name, _SPANS)
    layer = _layer(given, name, end, int(first))
    lengths, tokens, text = (_in_order(each, sentences, what, name) for what, each in extras)
    if text is not None:
        corpus, layer = _on_texts(text, layer, len(given), name)
    else:
        words = None if tokens is None else lists(tokens, "sentence", name, "give a list of tokens for each sentence")
        sizes = lengths if words is None else list(map(len, words))
        bounds = None if sizes is None else _checked_lengths(sizes, layer, len(given), name)
        corpus = Corpus(name, len(given), bounds, None if bounds is None else tokens_of(words, bounds, name))
    if ids is not None:
        corpus = replace(corpus, documents=np.arange(len(ids)), names=tuple(ids), ids=Tokens.of(ids))
    return Annotation(corpus, {"spans": layer}, {"spans": ReadInfo(LISTS)}, name)


def _layer(given: Sequence[Sequence[Any]], name: str, end: str, first: int) -> Spans:
    """The spans, in positions from 0 with ends behind the last one."""
    parts = [parts_of(span, (3, 4), sentence, name, _SPANS) for sentence, each in enumerate(given, 1) for span in each]
    label, names = coded(by_sentence([part[0] for part in parts], bounds_of(given)), len(parts), "label", name)
    if "" in names:
        raise InputError(name, None, "a span has the empty label", "give every span a label")
    start, stop = (numbers([part[at] for part in parts], "the position", name, _SPANS) for at in (1, 2))
    start, stop = start - first, stop - first + (end == "inclusive")
    scope = np.repeat(np.arange(len(given)), [len(each) for each in given])
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
    labels = ints([vocabulary.labels.code(each) for each in names])[label]
    shape = np.zeros(len(parts), dtype=np.int64)
    for row, part in enumerate(parts):
        if len(part) == 4:
            shape[row] = vocabulary.shapes.code(gaps_of(part, int(start[row]), int(stop[row]), first, name))
    return Spans.of(vocabulary, scope, start, stop, labels, shape=shape)


def ids_of(documents: Mapping[Any, Any], name: str) -> list[str]:
    """The ids of documents: texts or whole numbers, each once."""
    remedy = "give every document an id of its own"
    for document in documents:
        if not is_text(document) and (isinstance(document, bool) or not isinstance(document, int | np.integer)):
            raise InputError(name, None, f"the id {quote(document)} is neither a text nor a whole number", remedy)
    ids = list(map(str, documents))
    if len(set(ids)) < len(ids):
        raise InputError(name, None, "two ids differ in kind only, as 1 and '1' do", remedy)
    return ids


def _in_order(value: Any, documents: Any, what: str, name: str) -> Any:
    """What documents have each, in their order; a mapping is asked by their ids, and may have more of them."""
    if not isinstance(value, Mapping):
        return value
    if not isinstance(documents, Mapping):
        remedy = "give both as mappings, or both as lists"
        raise InputError(name, None, f"{what} is a mapping, but the spans are not", remedy)
    missing = next((document for document in documents if document not in value), None)
    if missing is not None:
        raise InputError(name, None, f"{what} lacks the document {quote(missing)}", "give it for every document")
    return [value[document] for document in documents]


def _on_texts(text: Any, spans: Spans, size: int, name: str) -> tuple[Corpus, Spans]:
    """Texts as a corpus of characters, and spans in these."""
    given = listed(text, "text", name, "give a text for each sentence")
    if not all(map(is_text, given)):
        refuse_texts([[each] for each in given], "text", name)
    if len(given) != size:
        raise InputError(
            name, None, f"got {counted(len(given), 'text')} for {counted(size, 'sentence')}", "give one for each"
        )
    if spans.shape.any():
        raise InputError(name, None, "a span leaves out some positions of its text", "give tokens in place of text")
    texts = Texts.of(given)
    start, end = texts.positions(spans.scope, spans.start), texts.positions(spans.scope, spans.end)
    wrong = np.flatnonzero((start < 0) | (end <= start))
    if len(wrong):
        row = int(wrong[0])
        sentence, place = int(spans.scope[row]), [int(spans.start[row]), int(spans.end[row])]
        what = f"the span {place} of sentence {sentence + 1}"
        held = len(given[sentence])
        finding = (
            f"{what} ends behind its text, which has {counted(held, 'character')}"
            if end[row] < 0
            else f"{what} is blank"
        )
        raise InputError(name, None, finding, "count characters from 0, and let the end stand behind the span")
    return replace(texts.corpus(name), documents=ints([0])), replace(spans, start=start, end=end)


def _checked_lengths(lengths: Any, spans: Spans, sentences: int, name: str) -> Ints:
    """The bounds of sentences, if every one has a length that its spans do not pass."""
    remedy = "give the number of tokens of every sentence"
    sizes = numbers(listed(lengths, "lengths", name, remedy), "the length", name, remedy)
    if len(sizes) != sentences:
        raise InputError(
            name, None, f"got {counted(len(sizes), 'length')} for {counted(sentences, 'sentence')}", remedy
        )
    if (sizes < 0).any():
        raise InputError(name, None, f"sentence {int((sizes < 0).argmax()) + 1} has a negative length", remedy)
    beyond = np.flatnonzero(spans.end > sizes[spans.scope])
    if len(beyond):
        scope, end = int(spans.scope[beyond[0]]), int(spans.end[beyond[0]])
        finding = (
            f"a span of sentence {scope + 1} ends at token {end}, but the sentence has {counted(sizes[scope], 'token')}"
        )
        raise InputError(name, None, finding, remedy)
    return np.concatenate((ints([0]), np.cumsum(sizes)))
