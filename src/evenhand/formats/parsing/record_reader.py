"""What records of JSON hold: texts or tokens with spans, or tokens with tags; all of a file are of one kind.

A record with a text has characters as atoms, one with tokens only has tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.json_records import PROBLEM, UNREADABLE, Record, Token, decode, decode_line, settle
from evenhand.formats.json_spans import LabelCodes, misquoted, on_texts, on_tokens, spans_of
from evenhand.formats.parsing.json_spelling import ACCEPTED
from evenhand.formats.parsing.json_texts import AlikeTexts
from evenhand.formats.parsing.tag_reader import Coded, TagReader, choose_encoding
from evenhand.formats.source import Block, Source
from evenhand.settings import Offsets, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.tokens import Tokens

REJECTED = "rejected answers"
TEXT, TOKENS, TAGS = "a text", "tokens and spans", "tokens and tags"
"""The kinds of records."""
Decoded = tuple[list[Record], Ints]
"""Records, and the line of each."""


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


class RecordReader:
    """Reads records, all of one kind: blocks of those spelled alike as columns, others one by one."""

    def __init__(
        self,
        format: str,
        source: Source,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        first: Callable[[], Iterator[Decoded]],
    ) -> None:
        """`first` gives the first records of the file, for a look at their tags."""
        self._format, self._first = format, first
        self._source, self._settings, self._vocabulary = source, settings, vocabulary
        self._alike = AlikeTexts(vocabulary, settings.offsets)
        self._kind: str | None = None
        self._read: Callable[[Batch], Annotation] | None = None

    def read(self, block: Block) -> tuple[Annotation | None, int]:
        """What a block holds, if anything can be read or is left, and how many records were rejected."""
        alike = self._alike.read(block) if self._kind in (None, TEXT) else None
        if alike is not None:
            self._kind = TEXT
            lines = block.first_line + alike.rows
            if not len(lines):
                return None, alike.rejected
            return self._told(_text_annotation(self._source, alike.texts, alike.spans, lines)), alike.rejected
        return self.take(decode(self._source, block))

    def take(self, decoded: Decoded) -> tuple[Annotation | None, int]:
        """What records with their lines hold, and how many of them were rejected."""
        self._kind, batch, rejected = _parse(self._source, decoded, self._kind)
        if self._kind is None or not batch.records:
            return None, rejected
        self._read = self._read or self._reader(self._kind)
        return self._told(self._read(batch)), rejected

    def _told(self, annotation: Annotation) -> Annotation:
        """An annotation that says which format it was read in."""
        readings = {layer: replace(each, format=self._format) for layer, each in annotation.readings.items()}
        return replace(annotation, readings=readings)

    def _reader(self, kind: str) -> Callable[[Batch], Annotation]:
        if kind == TEXT:
            return partial(_texts, offsets=self._settings.offsets, labels=LabelCodes(self._vocabulary))
        if kind == TOKENS:
            return partial(_tokens, labels=LabelCodes(self._vocabulary))
        sample = (_coded({}, _parse(self._source, decoded)[1]) for decoded in self._first())
        encoding = choose_encoding(self._source, self._settings, sample)
        tags = TagReader(self._source, self._settings, self._vocabulary, encoding)
        return partial(_tags, tags=tags, codes={})


def accepted(source: Source, parts: Iterable[tuple[Annotation | None, int]]) -> Iterator[Annotation]:
    """The batches of a file, each with the number of records that were rejected in and before it."""
    held, rejected = None, 0
    for batch, refused in parts:
        rejected += refused
        if batch is None:
            continue
        if held is not None:
            yield held
        held, rejected = _skipping(batch, rejected), 0
    if held is None:
        what = "answers that were accepted" if rejected else "records that can be read"
        raise source.error(None, f"the file has no {what}", "check how it was written")
    # Rejected answers behind the last batch make none of their own.
    yield _skipping(held, rejected)


def _skipping(annotation: Annotation, rejected: int) -> Annotation:
    if not rejected:
        return annotation
    reading = annotation.readings["spans"].plus(Reading(skipped={REJECTED: rejected}))
    return replace(annotation, readings={"spans": reading})


def _parse(source: Source, decoded: Decoded, kind: str | None = None) -> tuple[str | None, Batch, int]:
    """The kind of the records so far, those that were not rejected, and how many more were."""
    batch = Batch(source, *decoded)
    rejected = set[int]()
    if {record.answer for record in batch.records} - {None, *ACCEPTED}:
        rejected = {at for at, record in enumerate(batch.records) if record.answer not in (None, *ACCEPTED)}
    batch = _settled(batch.without(rejected))
    return _common_kind(batch, kind), batch, len(rejected)


def _settled(batch: Batch) -> Batch:
    """The records that can be read, each brought to its kind."""
    odd = [at for at, record in enumerate(batch.records) if record.text is None or not record.spans]
    if not odd:
        return batch
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


def kind_of(line: bytes) -> str | None:
    """Of which kind the record in a line is, as all of a file must be; None where it cannot be read."""
    try:
        record = decode_line(line)
    except UNREADABLE:
        return None
    is_settled = record.text is not None and record.spans is not None
    return _kind(record) if is_settled or settle(record) is None else None


def _texts(batch: Batch, offsets: Offsets, labels: LabelCodes) -> Annotation:
    texts = [record.text or "" for record in batch.records]
    _check_quotes(batch, offsets)
    atoms, ground = on_texts(texts, offsets)
    spans = spans_of([record.spans or () for record in batch.records], ground, labels, batch.report)
    return _text_annotation(batch.source, atoms, spans, batch.lines)


def _text_annotation(source: Source, atoms: Texts, spans: Spans, lines: Ints) -> Annotation:
    corpus = atoms.corpus(source.shown, lines)
    return Annotation(corpus, {"spans": spans}, {"spans": Reading()}, source.name)


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
    return Annotation(corpus, {"spans": spans}, {"spans": Reading()}, batch.source.name)


def _tags(batch: Batch, tags: TagReader, codes: dict[str, int]) -> Annotation:
    """Tokens and the spans that their tags spell; `codes` are those of the tags so far."""
    coded = _coded(codes, batch)
    layer, spans, reading = tags.read(coded)
    return Annotation(coded.corpus, {"spans": spans, "tags": layer}, {"spans": reading}, batch.source.name)


def _coded(codes: dict[str, int], batch: Batch) -> Coded:
    known = len(codes)
    tags = chain.from_iterable(_names(batch, at) for at in range(len(batch.records)))
    code = ints([codes.setdefault(tag, len(codes)) for tag in tags])
    return Coded(list(codes)[known:], code, _token_corpus(batch))


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
