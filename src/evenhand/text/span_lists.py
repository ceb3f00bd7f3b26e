"""Annotations from plain lists of spans, a list a sentence or, by their ids, a list a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.limits import TOKENS
from evenhand.problems import InputError, SettingError, counted
from evenhand.settings import choose
from evenhand.text.annotation import LISTS, Annotation, Reading
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.list_checks import check_name, gaps_of, is_text, listed, lists, numbers, refuse_texts
from evenhand.text.list_codes import coded
from evenhand.text.lists import bounds_of, by_sentence, parts_of, tokens_of
from evenhand.text.tokens import Tokens

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
    choose("end", end, ("exclusive", "inclusive"))
    if first not in (0, 1):
        raise SettingError(f"first is {shown(first)}; choose one of 0, 1.")
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
    return Annotation(corpus, {"spans": layer}, {"spans": Reading(LISTS)}, name)


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
        finding = f"the span {shown(parts[row])} of sentence {scope[row] + 1} covers no tokens"
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
    for each in documents:
        if not is_text(each) and (isinstance(each, bool) or not isinstance(each, int | np.integer)):
            raise InputError(name, None, f"the id {shown(each)} is neither a text nor a whole number", remedy)
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
    missing = next((each for each in documents if each not in value), None)
    if missing is not None:
        raise InputError(name, None, f"{what} lacks the document {shown(missing)}", "give it for every document")
    return [value[each] for each in documents]


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
    start, end = texts.places(spans.scope, spans.start), texts.places(spans.scope, spans.end)
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
