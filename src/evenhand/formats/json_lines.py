"""JSON lines: one record a line, as Prodigy, doccano and others write them, each a document of its own.

A record with a text has characters as atoms, one with tokens only has tokens; a file has one kind of records. Which
keys they have is told in `json_records`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.json_records import PROBLEM, UNREADABLE, Record, Token, decode, settle
from evenhand.formats.json_spans import (
    LabelCodes,
    edges,
    misquoted,
    on_texts,
    on_tokens,
    spans_of,
    to_write,
    with_offsets,
)
from evenhand.formats.source import Block, Source
from evenhand.formats.tag_lists import TagLists
from evenhand.settings import Columns, Offsets, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.tokens import Tokens

NAME = "jsonl"
ACCEPT, REJECTED = "accept", "rejected answers"
TEXT, TOKENS, TAGS = "a text", "tokens and spans", "tokens and tags"
"""The kinds of records."""
_SAMPLE = 1 << 14
_KEY = re.compile(rb'"(text|data|tokens)"\s*:')


@dataclass(frozen=True)
class Batch:
    """Records that were not rejected, with their lines."""

    source: Source
    records: list[Record]
    lines: Ints

    def report(self, record: int, finding: str, remedy: str) -> None:
        """Raise or collect a problem of a record."""
        self.source.report(int(self.lines[record]), finding, remedy, PROBLEM)

    def without(self, places: Collection[int]) -> Batch:
        if not places:
            return self
        kept = [place for place in range(len(self.records)) if place not in places]
        return Batch(self.source, [self.records[place] for place in kept], self.lines[kept])


def recognise(sample: Block) -> bool:
    """Whether the first line that is not blank is an object with a text, data or tokens; it may be cut off."""
    line = sample.data[: sample.size].lstrip().partition(b"\n")[0]
    try:
        found = msgspec.json.decode(line)
    except UNREADABLE:
        return line.startswith(b"{") and _KEY.search(line) is not None
    return isinstance(found, dict) and not found.keys().isdisjoint(("text", "data", "tokens"))


def batches(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    read: Callable[[Batch], Annotation] | None = None
    held, rejected = None, 0
    for kind, batch, refused in _parsed(source, settings.block_size):
        rejected += refused
        if kind is None or not batch.records:
            continue
        if held is not None:
            yield held
        read = read or _reader(kind, source, settings, vocabulary)
        held, rejected = _skipping(read(batch), rejected), 0
    if held is None:
        what = "answers that were accepted" if rejected else "records that can be read"
        raise source.error(None, f"the file has no {what}", "check how it was written")
    # Rejected answers behind the last batch make none of their own.
    yield _skipping(held, rejected)


def write(annotation: Annotation) -> Iterator[str]:
    """The lines of a file with the same spans, a record a sentence (or text); each ends with a line feed.

    Offsets are code points in the text or, where the atoms are tokens, positions of tokens.
    """
    corpus = annotation.corpus
    for sentence, spans in to_write(annotation):
        text, start, end = edges(corpus, sentence)
        record: dict[str, object] = {"text": text}
        if corpus.atoms == "tokens":
            record = {"tokens": [text[begin:behind] for begin, behind in zip(start, end, strict=True)]}
            start, end = list(range(len(start))), list(range(1, len(end) + 1))
        record["spans"] = with_offsets(spans, start, end)
        yield msgspec.json.encode(record).decode() + "\n"


def _skipping(annotation: Annotation, rejected: int) -> Annotation:
    if not rejected:
        return annotation
    reading = annotation.readings["spans"].plus(Reading(skipped={REJECTED: rejected}))
    return replace(annotation, readings={"spans": reading})


def _parsed(source: Source, size: int) -> Iterator[tuple[str | None, Batch, int]]:
    """The file in batches: the kind of its records so far, some records, and how many more were rejected."""
    kind = None
    for block in source.blocks(size, cut_behind="line"):
        batch = Batch(source, *decode(source, block))
        rejected = set[int]()
        if {record.answer for record in batch.records} - {None, "", ACCEPT}:
            rejected = {at for at, record in enumerate(batch.records) if record.answer and record.answer != ACCEPT}
        batch = _settled(batch.without(rejected))
        kind = _common_kind(batch, kind)
        yield kind, batch, len(rejected)


def _settled(batch: Batch) -> Batch:
    """The records that can be read, each brought to its kind."""
    if None not in [record.text for record in batch.records] and None not in [record.spans for record in batch.records]:
        return batch
    odd = [at for at, record in enumerate(batch.records) if record.text is None or record.spans is None]
    faults = {at: fault for at in odd if (fault := settle(batch.records[at])) is not None}
    for at, fault in faults.items():
        batch.report(at, *fault)
    return batch.without(faults)


def _common_kind(batch: Batch, kind: str | None) -> str | None:
    """The one kind that all records are of, `kind` if there were some before."""
    all_texts = None not in [record.text for record in batch.records]
    kinds = [TEXT] * len(batch.records) if all_texts else [_kind(record) for record in batch.records]
    if kind is None and kinds:
        kind = kinds[0]
    if kind is not None and kinds.count(kind) < len(kinds):
        at, other = next((at, each) for at, each in enumerate(kinds) if each != kind)
        finding = f"the record has {other} where the file began with {kind}"
        raise batch.source.error(int(batch.lines[at]), finding, "put the two into files of their own", PROBLEM)
    return kind


def _kind(record: Record) -> str:
    return TEXT if record.text is not None else TAGS if record.spans is None else TOKENS


def _reader(kind: str, source: Source, settings: ReadSettings, vocabulary: Vocabulary) -> Callable[[Batch], Annotation]:
    if kind == TEXT:
        return partial(_texts, offsets=settings.offsets, labels=LabelCodes(vocabulary))
    if kind == TOKENS:
        return partial(_tokens, labels=LabelCodes(vocabulary))
    sample = ((_tags_of(batch), _token_corpus(batch)) for _, batch, _ in _parsed(source, _SAMPLE))
    return partial(_tags, tags=TagLists(source, settings, vocabulary, sample, NAME))


def _texts(batch: Batch, offsets: Offsets, labels: LabelCodes) -> Annotation:
    texts = [record.text or "" for record in batch.records]
    _check_quotes(batch, offsets)
    atoms, ground = on_texts(texts, offsets)
    spans = spans_of([record.spans or () for record in batch.records], ground, labels, batch.report)
    corpus = Corpus(
        source=batch.source.shown,
        sentences=len(texts),
        bounds=atoms.bounds,
        tokens=atoms.tokens,
        lines=batch.lines,
        atoms="characters",
        raw=atoms.raw,
        documents=np.arange(len(texts)),
    )
    return Annotation(corpus, {"spans": spans}, {"spans": Reading(NAME)}, batch.source.name)


def _check_quotes(batch: Batch, offsets: Offsets) -> None:
    """Report tokens with offsets that are not what stands there in the text."""
    if not any(record.tokens for record in batch.records):
        return
    for at, record in enumerate(batch.records):
        if not record.tokens or record.text is None:
            continue
        text, tokens = record.text, [token for token in record.tokens if isinstance(token, Token)]
        plain = offsets == "codepoints" or text.isascii()
        if plain and [text[each.start : each.end] for each in tokens] == [each.text for each in tokens]:
            continue
        fault = misquoted(text, [(each.start, each.end, each.text) for each in tokens], offsets)
        if fault is not None:
            batch.report(at, *fault)


def _tokens(batch: Batch, labels: LabelCodes) -> Annotation:
    corpus = _token_corpus(batch)
    assert corpus.lengths is not None
    spans = spans_of([record.spans or () for record in batch.records], on_tokens(corpus.lengths), labels, batch.report)
    return Annotation(corpus, {"spans": spans}, {"spans": Reading(NAME)}, batch.source.name)


def _tags(batch: Batch, tags: TagLists) -> Annotation:
    corpus = _token_corpus(batch)
    layer, spans, reading = tags.read(_tags_of(batch), corpus)
    return Annotation(corpus, {"spans": spans, "tags": layer}, {"spans": reading}, batch.source.name)


def _token_corpus(batch: Batch) -> Corpus:
    words = [[str(token) for token in record.tokens or ()] for record in batch.records]
    lengths = ints(list(map(len, words)))
    return Corpus(
        source=batch.source.shown,
        sentences=len(words),
        bounds=np.append(0, np.cumsum(lengths)),
        tokens=Tokens.of(list(chain.from_iterable(words))),
        lines=np.repeat(batch.lines, lengths),
        documents=np.arange(len(words)),
    )


def _tags_of(batch: Batch) -> list[list[str]]:
    """The tags of each record, which must be names, one a token."""
    return [_names(batch, at) for at in range(len(batch.records))]


def _names(batch: Batch, at: int) -> list[str]:
    """The tags of one record; those that cannot be read are a problem, and outside."""
    tags, tokens = batch.records[at].tags, batch.records[at].tokens or ()
    if any(isinstance(tag, int) for tag in tags):
        finding = "the tags are numbers, and their names are not in the file"
        batch.report(at, finding, "write their names, such as B-PER, in place of the numbers")
    elif not all(isinstance(tag, str) for tag in tags):
        batch.report(at, "some tags are not strings", "write a tag such as B-PER or O for each token")
    elif len(tags) != len(tokens):
        batch.report(at, f"found {len(tags)} tags for {len(tokens)} tokens", "give one tag for every token")
    else:
        return list(tags)
    return ["O"] * len(tokens)
