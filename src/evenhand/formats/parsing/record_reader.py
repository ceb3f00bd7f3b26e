"""What records of JSON hold: texts or tokens with spans, or tokens with tags; all of a file are of one kind.

A record with a text has characters as atoms, one with tokens only has tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.json_records import PROBLEM, UNREADABLE, Record, Token, decode, decode_line, settle
from evenhand.formats.json_spans import Ground, misquoted, on_texts, on_tokens, spans_of
from evenhand.formats.parsing.json_respelling import respelled, with_letters
from evenhand.formats.parsing.json_spelling import ACCEPTED
from evenhand.formats.parsing.json_texts import AlikeTexts
from evenhand.formats.parsing.json_tokens import AlikeTokens, TokenReader
from evenhand.formats.parsing.tag_reader import Coded, TagReader, choose_encoding
from evenhand.formats.source import Block, Source
from evenhand.problems import counted
from evenhand.settings import Offsets, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.codes import Mostly, NewCodes
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.tokens import Tokens

REJECTED = "rejected answers"
TEXT, TOKENS, TAGS = "a text", "tokens and spans", "tokens and tags"
"""The kinds of records."""
Decoded = tuple[list[Record], Ints]
"""Records, and the line of each."""
SAMPLE = 1 << 14
"""How many bytes of JSON lines show the encoding of tags, if they have any."""


@dataclass(frozen=True)
class Batch:
    """Records that were not rejected and can be read, with their lines."""

    source: Source
    records: list[Record]
    lines: Ints

    @property
    def ids(self) -> Tokens | None:
        """The ids of records, empty where one has none; None where none has one."""
        ids = [record.id if isinstance(record.id, str | int) else "" for record in self.records]
        return Tokens.of(list(map(str, ids))) if any(each != "" for each in ids) else None

    def report(self, record: int, finding: str, remedy: str) -> None:
        """Raise or collect a problem of a record."""
        self.source.report(int(self.lines[record]), finding, remedy, PROBLEM)


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
        self._alike, self._alike_tokens = AlikeTexts(vocabulary, settings.offsets), TokenReader(vocabulary)
        self._kind: str | None = None
        self._is_respelled = False
        self._tags: TagReader | None = None
        self._codes = NewCodes()
        """Those of the tags so far."""

    def read(self, block: Block) -> tuple[Annotation | None, int]:
        """What a block holds, if anything can be read or is left, and how many records were rejected."""
        letters = with_letters(block)
        found = None if self._is_respelled else self._read_columns(letters)
        if found is None:
            spelled = respelled(letters)
            found = None if spelled is None else self._read_columns(spelled)
            # What one block needs, others will.
            self._is_respelled = found is not None
        return self.take(decode(self._source, block)) if found is None else found

    def _read_columns(self, block: Block) -> tuple[Annotation | None, int] | None:
        """The same, if the records of a block are spelled alike."""
        alike = self._alike.read(block) if self._kind in (None, TEXT) else None
        if alike is None:
            tokens = None if self._kind == TEXT else self._alike_tokens.read(block)
            if tokens is not None and self._kind in (None, TAGS if tokens.spans is None else TOKENS):
                return self._take_tokens(tokens, block.first_line), 0
            return None
        self._kind = TEXT
        if not len(alike.rows):
            return None, alike.rejected
        corpus = alike.texts.corpus(self._source.shown, block.first_line + alike.rows)
        return self._annotation(replace(corpus, ids=alike.ids), alike.spans), alike.rejected

    def _take_tokens(self, found: AlikeTokens, first_line: int) -> Annotation:
        """The same of tokens that were found as columns."""
        lines = np.arange(first_line, first_line + len(found.lengths))
        corpus = _token_corpus(self._source, found.tokens, found.lengths, lines, found.ids)
        if found.spans is not None or found.tags is None:
            self._kind = TOKENS
            assert found.spans is not None
            return self._annotation(corpus, found.spans)
        self._kind = TAGS
        known, tags = len(self._codes), found.tags
        codes = ints([self._codes[name] for name in found.names])
        code = Mostly(tags.size, int(codes[tags.common]), tags.rows, codes[tags.codes])
        coded = Coded(list(self._codes)[known:], code, corpus)
        return self._read_tags(coded, begins_file=first_line == 1)

    def take(self, decoded: Decoded) -> tuple[Annotation | None, int]:
        """What records with their lines hold, and how many of them were rejected."""
        batch, rejected = self._readable(decoded)
        if not batch.records:
            return None, rejected
        if self._kind == TAGS:
            return self._read_tags(_coded(self._codes, batch)), rejected
        return (self._read_texts(batch) if self._kind == TEXT else self._read_tokens(batch)), rejected

    def _readable(self, decoded: Decoded) -> tuple[Batch, int]:
        """The records that were not rejected and can be read, each brought to its kind, and how many were rejected."""
        records, lines = decoded
        kept, rejected = [], 0
        for at, record in enumerate(records):
            if record.answer is not None and record.answer not in ACCEPTED:
                rejected += 1
            elif (record.text is None or not record.spans) and (fault := settle(record)) is not None:
                self._source.report(int(lines[at]), *fault, PROBLEM)
            else:
                kept.append(at)
        if len(kept) < len(records):
            records, lines = [records[at] for at in kept], lines[kept]
        self._check_kinds(records, lines)
        return Batch(self._source, records, lines), rejected

    def _check_kinds(self, records: list[Record], lines: Ints) -> None:
        """Raise an error where a record is of another kind than the first one of the file."""
        for at, record in enumerate(records):
            kind = _kind(record)
            if self._kind is None:
                self._kind = kind
            elif kind != self._kind:
                finding = f"the record has {kind} where the file began with {self._kind}"
                raise self._source.error(int(lines[at]), finding, "put the two into files of their own", PROBLEM)

    def _read_texts(self, batch: Batch) -> Annotation:
        offsets = self._settings.offsets
        _check_quotes(batch, offsets)
        atoms, ground = on_texts([record.text or "" for record in batch.records], offsets)
        corpus = replace(atoms.corpus(self._source.shown, batch.lines), ids=batch.ids)
        return self._annotation(corpus, self._spans(batch, ground))

    def _read_tokens(self, batch: Batch) -> Annotation:
        corpus = _batch_corpus(batch)
        assert corpus.lengths is not None
        return self._annotation(corpus, self._spans(batch, on_tokens(corpus.lengths)))

    def _spans(self, batch: Batch, ground: Ground) -> Spans:
        return spans_of([record.spans or () for record in batch.records], ground, self._vocabulary, batch.report)

    def _annotation(self, corpus: Corpus, spans: Spans) -> Annotation:
        return Annotation(corpus, {"spans": spans}, {"spans": Reading(self._format)}, self._source.name)

    def _read_tags(self, coded: Coded, *, begins_file: bool = False) -> Annotation:
        """Tokens and the spans that their tags spell."""
        if self._tags is None:
            sample = self._sample(coded if begins_file else None)
            encoding = choose_encoding(self._source, self._settings, sample)
            self._tags = TagReader(self._source, self._settings, self._vocabulary, encoding)
        tags, spans, reading = self._tags.read(coded)
        readings = {"spans": replace(reading, format=self._format)}
        return Annotation(coded.corpus, {"spans": spans, "tags": tags}, readings, self._source.name)

    def _sample(self, coded: Coded | None) -> Iterator[Coded]:
        """The tags of the first records, block by block; those of `coded`, with which the file begins, are known."""
        known = 0
        if coded is not None and (records := self._source.sample(SAMPLE).lines) <= coded.corpus.sentences:
            known = 1
            yield _beginning(coded, records)
        for decoded in islice(self._first(), known, None):
            yield _coded(NewCodes(), self._readable(decoded)[0])


def accepted(source: Source, parts: Iterable[tuple[Annotation | None, int]]) -> Iterator[Annotation]:
    """The batches of a file, each with the number of records that were rejected in and before it."""
    held, rejected = None, 0
    for batch, refused in parts:
        rejected += refused
        if batch is None:
            continue
        if held is not None:
            yield held
        held, rejected = skipping(batch, {REJECTED: rejected}), 0
    if held is None:
        what = "answers that were accepted" if rejected else "records that can be read"
        raise source.error(None, f"the file has no {what}", "check how it was written")
    # Rejected answers behind the last batch make none of their own.
    yield skipping(held, {REJECTED: rejected})


def skipping(annotation: Annotation, skipped: Mapping[str, int]) -> Annotation:
    """The same, with what was left out before it."""
    if not any(skipped.values()):
        return annotation
    reading = annotation.readings["spans"].plus(Reading(skipped=skipped))
    return replace(annotation, readings={"spans": reading})


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


def _check_quotes(batch: Batch, offsets: Offsets) -> None:
    """Report tokens with offsets that are not what stands there in the text."""
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


def _coded(codes: NewCodes, batch: Batch) -> Coded:
    known = len(codes)
    tags = chain.from_iterable(_names(batch, at) for at in range(len(batch.records)))
    code = ints([codes[tag] for tag in tags])
    return Coded(list(codes)[known:], Mostly.of(code), _batch_corpus(batch))


def _beginning(coded: Coded, records: int) -> Coded:
    """The tags of the first records of a block, coded for themselves."""
    assert coded.corpus.bounds is not None
    codes, some = NewCodes(), coded.code.slice(0, int(coded.corpus.bounds[records]))
    code = ints([codes[coded.new[each]] for each in some.column().tolist()])
    return Coded(list(codes), Mostly.of(code), coded.corpus)


def _batch_corpus(batch: Batch) -> Corpus:
    words = [[str(token) for token in record.tokens or ()] for record in batch.records]
    tokens, lengths = Tokens.of(list(chain.from_iterable(words))), ints(list(map(len, words)))
    return _token_corpus(batch.source, tokens, lengths, batch.lines, batch.ids)


def _token_corpus(source: Source, tokens: Tokens, lengths: Ints, lines: Ints, ids: Tokens | None) -> Corpus:
    return Corpus(
        source=source.shown,
        sentences=len(lengths),
        bounds=np.append(0, np.cumsum(lengths)),
        tokens=tokens,
        lines=lines if lengths.all() else np.repeat(lines, lengths),
        documents=np.arange(len(lengths)),
        ids=ids,
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
        batch.report(
            at, f"found {counted(len(tags), 'tag')} for {counted(len(tokens), 'token')}", "give one tag for every token"
        )
    else:
        return list(tags)
    return ["O"] * len(tokens)
