"""Read JSON records with spans or tags: JSON lines, lists of records, and objects with records in them.

A record is a text or tokens with spans, or tokens with tags; all records of a file are of one kind. Spans of a text
count its characters, spans of tokens count tokens. The first records of a file show which of several layers is read,
how offsets count (if spans quote the text), and whether labels are tags of tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, get_args

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import OffsetLists
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import NewCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import counted
from evenhand.formats.jsonl import JSON, JSON_LINES
from evenhand.formats.parsing.confidences import ScoreFields, may_have_scores
from evenhand.formats.parsing.json_columns import ACCEPTED, ColumnReader, respell, with_letters
from evenhand.formats.parsing.json_records import (
    NUMBERED,
    OFFSETS,
    PROBLEM,
    SAMPLE_RECORDS,
    TAGS,
    TOKENS,
    UNREADABLE,
    Decoded,
    KindCheck,
    Layers,
    Raw,
    SpanRecord,
    contained,
    decode,
    decode_value,
    expand,
    expand_all,
    expand_readable,
    has_numbers_for_labels,
    labels_of,
    lines_of,
    list_at,
    not_json,
    numbered_lines,
    settle,
    tokens_of,
)
from evenhand.formats.parsing.json_spans import (
    OffsetMap,
    Quoted,
    SpanError,
    are_prefixed,
    check_quotes,
    convention_of,
    has_prefix,
    on_words,
    repeated,
    spans_of,
)
from evenhand.formats.parsing.tags import Coded, TagReader, choose_encoding
from evenhand.formats.source import Block, Source
from evenhand.settings import OFFSET_LISTS, Columns, Convention, Offsets, PickedAnnotator, ReadSettings

REJECTED = "rejected answers"
TASK_SCORES = "scores of whole records, which are not scores of spans"
AGAIN = "answers that were given again"
SAMPLE = 1 << 14
"""The number of bytes of JSON lines that show how to read the file."""
_BLOCKS = 3
"""Blocks are larger than in other formats by this factor: each is scanned many times, and has few lines."""
_BATCH = 1 << 13
"""The number of records of a JSON value that are read together."""
_MAX_FAILURES = 3
"""The number of consecutive blocks that are not uniform before columns are given up."""
_PLAIN = Convention()


# JSON lines


def read_json_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""

    def first() -> Iterator[Decoded]:
        return (decode(source, block) for block in source.first_blocks(SAMPLE, cut_after="line"))

    def sample() -> Iterator[Raw]:
        block = source.sample(SAMPLE)
        return expand_readable(block.data[: block.size].split(b"\n"))

    reader = RecordReader(JSON_LINES.name, source, settings, vocabulary, first, sample)

    def blocks() -> Iterator[Block]:
        yield from source.blocks(_BLOCKS * settings.block_size, cut_after="line")  # which an error closes

    if settings.annotator is None:
        refuse_several(source)
        return accepted(source, (reader.read(block) for block in blocks()))
    lines, name = _picked_lines(source, settings.annotator), settings.annotator.name
    kept, again = lines.of(name), lines.repeated[name]
    batches = accepted(source, (reader.take(_pick(*decode(source, block), kept)) for block in blocks()))
    return (skipping(batch, {AGAIN: 0 if number else again}) for number, batch in enumerate(batches))


# JSON values


def read_json(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    blocks = source.blocks(settings.block_size, cut_after="line")
    elements = _elements(source, b"".join(block.data[: block.size] for block in blocks))
    remedy = "write an object with a text or tokens, and spans or tags"

    def decoded() -> Iterator[Decoded]:
        for first in range(0, max(len(elements), 1), _BATCH):
            yield expand_all(source, elements[first : first + _BATCH], remedy)

    def sample() -> Iterator[Raw]:
        return expand_readable(element for _, element in elements[:SAMPLE_RECORDS])

    reader = RecordReader(JSON.name, source, settings, vocabulary, decoded, sample)
    return accepted(source, map(reader.take, decoded()))


def _elements(source: Source, data: bytes) -> list[tuple[int, Any]]:
    """The records of a file, each with the line that it begins on."""
    try:
        value = decode_value(data)
    except UNREADABLE as error:
        raise not_json(source, "list of records" if data.lstrip()[:1] == b"[" else "object", error) from None
    try:
        contents = contained(value)
    except SpanError as error:
        raise source.error(None, *error.fault, PROBLEM) from None
    if contents is None:
        keys = f" with the keys {', '.join(map(repr, islice(value, 5)))}" if isinstance(value, dict) else ""
        finding = f"the JSON object{keys} contains no records"
        raise source.error(None, finding, "write a list of records with a text or tokens, and spans or tags", PROBLEM)
    path, elements = contents
    lines = [1] * len(elements)
    if path is not None:
        values = list_at(data, path)
        lines = lines_of(data, values) if len(values) == len(elements) else lines
    return [(line, element) for line, element in zip(lines, elements, strict=True) if element is not None]


# Several annotators in one file of JSON lines


_ANNOTATOR_FIELDS = ("annotator", "_annotator_id", "_session_id", "username")
_IDS = ("id", "doc_id", "document")
_PICK = "pass it to evenhand agree alone to compare them, or choose one with --annotator FIELD=NAME"


@dataclass
class AnnotatorLines:
    """The lines of each annotator in a file, and the names of their documents."""

    key: str
    """The field with the name of the annotator."""
    documents: dict[str, dict[str, int]] = field(default_factory=dict)
    """The line of the last answer, by annotator and document."""
    repeated: Counter[str] = field(default_factory=Counter)
    """The number of answers of each annotator that were given again later."""
    nameless: int | None = None
    """The first line without an annotator."""

    def add(self, line: int, record: dict[str, Any]) -> None:
        name = record.get(self.key)
        if not isinstance(name, str | int) or not str(name).strip():
            self.nameless = self.nameless or line
            return
        documents, document = self.documents.setdefault(str(name), {}), _document_name(record)
        self.repeated[str(name)] += document in documents
        documents[document] = line

    def of(self, annotator: str) -> dict[int, str]:
        """The lines of an annotator, and the document in each."""
        return {line: document for document, line in self.documents[annotator].items()}


def _annotator_lines(
    source: Source, blocks: Iterable[Block] | None = None, key: str | None = None
) -> AnnotatorLines | None:
    """The lines of annotators in a file or some of its blocks; None if no field names annotators."""
    lines: AnnotatorLines | None = None
    nameless: int | None = None
    for block in source.whole.blocks(1 << 20, cut_after="line") if blocks is None else blocks:
        for number, line in numbered_lines(block):
            try:
                record = decode_value(line)
            except UNREADABLE:  # which the reader reports
                continue
            if not isinstance(record, dict):
                continue
            if lines is None:
                name = key or next((name for name in _ANNOTATOR_FIELDS if name in record), None)
                if name is None and has_numbers_for_labels(record.get("annotations")):
                    raise source.error(number, *NUMBERED)
                if name is None:
                    nameless = nameless or number
                    continue
                lines = AnnotatorLines(name, nameless=nameless)
            lines.add(number, record)
    return lines if lines is not None and lines.documents else None


def annotators(source: Source, named: str | None = None) -> tuple[str, list[str]] | None:
    """The field that names annotators, and their names, if every record has one."""
    lines = _annotator_lines(source, key=named)
    if lines is not None and lines.nameless is not None:
        finding = f"the record has no annotator ({lines.key})"
        raise source.error(lines.nameless, finding, "add its annotator, or remove the record")
    return None if lines is None else (lines.key, list(lines.documents))


def _picked_lines(source: Source, picked: PickedAnnotator) -> AnnotatorLines:
    """The lines of a file that has the picked annotator; otherwise an error."""
    lines = _annotator_lines(source, key=picked.field)
    if lines is None:
        finding = f"no record has the field {picked.field!r} for its annotator"
        raise source.error(None, finding, "specify another field with --annotator FIELD=NAME")
    if picked.name not in lines.documents:
        finding = f"there is no annotator {picked.name!r}, only {', '.join(lines.documents)}"
        raise source.error(None, finding, "choose one of these")
    return lines


def refuse_several(source: Source) -> None:
    """Raise an error for a file with several annotators. Of a stream, only the first records are checked."""
    sample = source.sample(SAMPLE)
    if not any(f'"{name}"'.encode() in sample.data[: sample.size] for name in _ANNOTATOR_FIELDS):
        return
    lines = _annotator_lines(source, None if source.is_here else [sample])
    if lines is not None and len(lines.documents) > 1:
        names = list(lines.documents)
        finding = f"has records of {len(names)} annotators ({lines.key}: {', '.join(names[:10])})"
        raise source.error(None, finding, _PICK)


def _pick(records: list[Raw], lines: Ints, kept: Mapping[int, str]) -> Decoded:
    """The records in some lines, with the names of their documents as ids."""
    rows = [row for row, line in enumerate(lines.tolist()) if line in kept]
    for row in rows:
        records[row]["id"] = kept[int(lines[row])]
    return [records[row] for row in rows], lines[rows]


def _document_name(record: dict[str, Any]) -> str:
    """The id of a record, otherwise its text or tokens."""
    keys = ("_input_hash", *_IDS) if "_task_hash" in record else _IDS
    ids = (record[key] for key in keys if isinstance(record.get(key), str | int))
    texts = (record[key] for key in ("text", "data") if isinstance(record.get(key), str))
    name = next(chain(ids, texts), None)
    return msgspec.json.encode(record.get("tokens")).decode() if name is None else str(name)


# Records as annotations


@dataclass(frozen=True)
class Batch:
    """Records that were not rejected and can be read, with their lines."""

    source: Source
    records: list[SpanRecord]
    lines: Ints

    def corpus(self, convention: Convention) -> tuple[Corpus, OffsetMap]:
        """The records as sentences, and the map from their offsets; the first record always begins a document."""
        ids = [record.id if isinstance(record.id, str | int) else "" for record in self.records]
        names = Tokens.of(list(map(str, ids))) if any(name != "" for name in ids) else None
        words = [record.words for record in self.records]
        corpus, offsets = on_words(words, convention, self.source.display_name, self.lines, names)
        documents = np.flatnonzero([not at or not record.continues for at, record in enumerate(self.records)])
        return replace(corpus, documents=documents), offsets

    def report(self, record: int, finding: str, remedy: str) -> None:
        """Raise or collect a problem of a record."""
        self.source.report(int(self.lines[record]), finding, remedy, PROBLEM)


class RecordReader:
    """Reads records, all of one kind: uniform blocks as columns, others record by record."""

    def __init__(
        self,
        format: str,
        source: Source,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        first: Callable[[], Iterator[Decoded]],
        sample: Callable[[], Iterator[Raw]],
    ) -> None:
        """`first` decodes the file from its beginning, to look at tags; `sample` returns its first readable records."""
        self._format, self._first, self._sample_records = format, first, sample
        self._source, self._settings, self._vocabulary = source, settings, vocabulary
        convention = settings.convention
        is_simple = convention == Convention(convention.unit) and convention.unit in get_args(Offsets)
        self._tries_columns = not settings.columns and is_simple
        unit = settings.unit if self._tries_columns else "codepoints"
        self._scores = ScoreFields.of(settings)
        self._column_reader = ColumnReader(source.display_name, vocabulary, unit, self._scores)
        self._kinds = KindCheck(source)
        self._is_respelled = False
        self._failures = 0
        """The number of consecutive blocks that could not be read as columns."""
        self._tags: TagReader | None = None
        self._codes = NewCodes()
        """The codes of the tags seen so far."""
        self._are_ends_unclear = False
        """Whether spans of tokens do not show where they end."""
        self._labels: set[str] = set()
        """The labels of spans seen so far."""

    def read(self, block: Block) -> tuple[Annotation | None, int]:
        """The contents of a block, if any record can be read, and the number of rejected records."""
        if not self._tries_columns:
            return self.take(decode(self._source, block))
        letters = with_letters(block)
        batch = None if self._is_respelled else self._read_columns(letters)
        if batch is None:
            respelled = respell(letters)
            batch = None if respelled is None else self._read_columns(respelled)
            # If one block needs this, others will, too.
            self._is_respelled = batch is not None
            self._failures = 0 if batch is not None else self._failures + 1
            self._tries_columns = self._tries_columns and self._failures < _MAX_FAILURES
        if batch is None:
            return self.take(decode(self._source, block))
        annotation, rejected = batch
        if annotation is not None and self._settings.needs_scores and may_have_scores(block.data, self._scores):
            annotation = skipping(annotation, {TASK_SCORES: self._scored_records(decode(self._source, block)[0])})
        return annotation, rejected

    def _read_columns(self, block: Block) -> tuple[Annotation | None, int] | None:
        """The same for a uniform block; None for others."""
        batch = self._column_reader.read(block)
        if batch is None or self._kinds.kind not in (None, batch.kind):
            return None
        self._kinds.kind = batch.kind
        if not batch.corpus.sentences:
            return None, batch.rejected
        if batch.tags is None:
            assert batch.spans is not None
            return self._annotation(batch.corpus, batch.spans), batch.rejected
        known, tags = len(self._codes), batch.tags
        codes = ints([self._codes[name] for name in batch.names])
        code = SparseCodes(tags.size, int(codes[tags.common]), tags.rows, codes[tags.codes])
        coded = Coded(list(self._codes)[known:], code, batch.corpus)
        return self._read_tags(coded, begins_file=block.first_line == 1), batch.rejected

    @cached_property
    def _first_records(self) -> list[Raw]:
        return [record for record in self._sample_records() if not _is_rejected(record)]

    @cached_property
    def _layers(self) -> Layers:
        return Layers.of(self._settings, self._first_records)

    @cached_property
    def _is_prefixed(self) -> bool:
        try:
            return are_prefixed(labels_of(self._first_records, self._layers))
        except SpanError as error:
            raise self._source.error(None, *error.fault, PROBLEM) from None

    @cached_property
    def _convention(self) -> Convention:
        """How offsets count: as specified, or as quotes in the first records show."""
        if self._settings.offsets is not None:
            return self._settings.convention
        sample, is_inclusive, sizes = list[Quoted](), False, list[bool]()
        for raw in self._first_records:
            try:
                record = settle(raw, self._layers)
            except SpanError:
                continue
            if record.words is not None and (record.spans or record.quotes):
                sample.append(Quoted.of(record.words, record.quotes, record.spans or ()))
            if record.kind == OFFSETS:
                parts = [(*quote.parts[0], quote.quoted) for quote in record.quotes if len(quote.parts) == 1]
                sizes += [len(quote) == end - start + 1 for start, end, quote in parts]
            is_inclusive = is_inclusive or (record.kind == TOKENS and self._has_inclusive_ends(raw))
        if self._are_ends_unclear and not is_inclusive:
            finding = "the spans under 'ner' do not show whether they include the token at their end"
            remedy = "choose --offsets inclusive if they do, or --offsets codepoints if not"
            raise self._source.error(None, finding, remedy, PROBLEM)
        if is_inclusive or (sizes and all(sizes)):
            return Convention(inclusive=True)
        convention = convention_of(None, sample)
        self._tries_columns = self._tries_columns and convention == _PLAIN
        return convention

    def _has_inclusive_ends(self, record: Raw) -> bool:
        """Whether spans include their last token: in GLiNER's training data, or if one span shows it."""
        key, tokens = tokens_of(record)
        chosen = self._layers.choose(record)
        if chosen is None or chosen[0] != "ner" or tokens is None:
            return False
        if key == "tokenized_text":
            return True
        rows = [span for span in record["ner"] if isinstance(span, list)]
        if any(row[:2] == row[:1] * 2 for row in rows):
            return True
        is_unclear = bool(rows) and not any(row[1:2] == [len(tokens)] for row in rows)
        self._are_ends_unclear = self._are_ends_unclear or is_unclear
        return False

    def take(self, decoded: Decoded) -> tuple[Annotation | None, int]:
        """The contents of decoded records, if any can be read, and the number of rejected records."""
        scored = self._scored_records(decoded[0]) if self._settings.needs_scores else 0
        batch, rejected = self._readable(decoded)
        if not batch.records:
            return None, rejected
        kind = self._kinds.kind
        if kind == TAGS:
            return self._read_tags(_coded(self._codes, batch), self._column), rejected
        words, quotes = [record.words for record in batch.records], [record.quotes for record in batch.records]
        check_quotes(words, quotes, self._convention, batch.report)
        corpus, offsets = batch.corpus(self._convention)
        lists = [record.spans or () for record in batch.records]
        spans = spans_of(lists, offsets, self._vocabulary, batch.report)
        annotation = skipping(self._annotation(corpus, spans, batch), {TASK_SCORES: scored})
        if kind == OFFSETS:  # offsets serve as positions until the texts are known
            offset_lists = OffsetLists(tuple(lists), tuple(quotes), self._settings.offsets)
            annotation = replace(annotation, layers={**annotation.layers, OFFSET_LISTS: offset_lists})
        return annotation, rejected

    def _readable(self, decoded: Decoded) -> tuple[Batch, int]:
        """The records that were not rejected and can be read, and the number of rejected records."""
        raw, lines = decoded
        rows, records, rejected = list[int](), list[SpanRecord](), 0
        layers, is_prefixed, is_plain = self._layers, self._is_prefixed, self._convention == _PLAIN
        for row, value in enumerate(raw):
            if _is_rejected(value):
                rejected += 1
                continue
            try:
                record = settle(value, layers, prefixed=is_prefixed, plain=is_plain)
                if not is_prefixed and record.spans:
                    self._check_labels(record)
                records.append(record)
                rows.append(row)
            except SpanError as error:
                self._source.report(int(lines[row]), *error.fault, PROBLEM)
        lines = lines if len(rows) == len(raw) else lines[rows]
        for record, line in zip(records, lines.tolist(), strict=True):
            self._kinds.check(line, record.kind)
        return Batch(self._source, records, lines), rejected

    def _check_labels(self, record: SpanRecord) -> None:
        """Raise an error for a label that is the tag of a token, if the labels of the first records are not."""
        for span in record.spans or ():
            if span.label not in self._labels:
                self._labels.add(span.label)
                if has_prefix(span.label):
                    are_prefixed(self._labels)

    def _scored_records(self, records: Sequence[Raw]) -> int:
        """The number of records of spans that have a confidence themselves, such as the tasks of Prodigy."""
        return sum(
            not {"text", "tokens"}.isdisjoint(record) and not _is_rejected(record) and bool(self._scores.among(record))
            for record in records
        )

    def _annotation(self, corpus: Corpus, spans: Spans, batch: Batch | None = None) -> Annotation:
        """Spans of a text, and how they were read; without a batch, they were read as columns."""
        reading = ReadInfo(self._format, offsets=str(self._settings.convention), repeated=repeated(spans))
        if batch is not None:
            is_inferred = self._settings.offsets is None and self._convention != _PLAIN and self._kinds.kind != TOKENS
            reading = replace(
                reading,
                column=self._column,
                offsets=str(self._convention),
                quotes_show=is_inferred,
                merged=sum(record.merged for record in batch.records),
            )
        layers: dict[str, Layer] = {"spans": spans}
        return Annotation(corpus, layers, {"spans": reading}, self._source.name)

    @property
    def _column(self) -> str | None:
        """The layer that is read, if records have several."""
        layers = self._layers
        if layers.column is not None or not layers.several:
            return layers.column
        chosen = (layers.choose(record) for record in self._first_records)
        return next((layer[0] for layer in chosen if layer is not None), None)

    def _read_tags(self, coded: Coded, column: str | None = None, *, begins_file: bool = False) -> Annotation:
        if self._tags is None:
            sample = self._sample_tags(coded if begins_file else None)
            encoding = choose_encoding(self._source, self._settings, sample)
            self._tags = TagReader(self._source, self._settings, self._vocabulary, encoding)
        tags, spans, reading = self._tags.read(coded)
        readings = {"spans": replace(reading, format=self._format, column=column)}
        return Annotation(coded.corpus, {"spans": spans, "tags": tags}, readings, self._source.name)

    def _sample_tags(self, coded: Coded | None) -> Iterator[Coded]:
        """The tags of the first records, block by block; `coded` has those at the beginning of the file, if known."""
        known = 0
        if coded is not None and (records := self._source.sample(SAMPLE).lines) <= coded.corpus.sentences:
            known = 1
            yield _first_tags(coded, records)
        for decoded in islice(self._first(), known, None):
            yield _coded(NewCodes(), self._readable(decoded)[0])


def accepted(source: Source, parts: Iterable[tuple[Annotation | None, int]]) -> Iterator[Annotation]:
    """The batches of a file, each with the number of records that were rejected in and before it."""
    last, rejected = None, 0
    for batch, refused in parts:
        rejected += refused
        if batch is None:
            continue
        if last is not None:
            yield last
        last, rejected = skipping(batch, {REJECTED: rejected}), 0
    if last is None:
        what = "answers that were accepted" if rejected else "records that can be read"
        raise source.error(None, f"the file has no {what}", "check how it was written")
    yield skipping(last, {REJECTED: rejected})  # which includes rejected answers after the last batch


def skipping(annotation: Annotation, skipped: Mapping[str, int]) -> Annotation:
    """The same annotation, with counts of what was left out before it."""
    if not any(skipped.values()):
        return annotation
    reading = annotation.readings["spans"].plus(ReadInfo(skipped=skipped))
    return replace(annotation, readings={"spans": reading})


def _is_rejected(record: Raw) -> bool:
    answer = record.get("answer")
    return isinstance(answer, str) and answer not in ACCEPTED


def kind_of(line: bytes) -> str | None:
    """The kind of the record in a line, which all records of a file must have; None if it cannot be read."""
    try:
        (record, *_) = expand(decode_value(line)) or [{}]
        return settle(record, Layers("system", None)).kind
    except (*UNREADABLE, SpanError):
        return None


def _coded(codes: NewCodes, batch: Batch) -> Coded:
    known = len(codes)
    tags = chain.from_iterable(_tags(batch, at) for at in range(len(batch.records)))
    code = ints([codes[tag] for tag in tags])
    return Coded(list(codes)[known:], SparseCodes.of(code), batch.corpus(_PLAIN)[0])


def _first_tags(coded: Coded, records: int) -> Coded:
    """The tags of the first records of a block, with codes of their own."""
    assert coded.corpus.bounds is not None
    codes, some = NewCodes(), coded.code.slice(0, int(coded.corpus.bounds[records]))
    code = ints([codes[coded.new[tag]] for tag in some.column().tolist()])
    return Coded(list(codes), SparseCodes.of(code), coded.corpus)


def _tags(batch: Batch, at: int) -> list[str]:
    """The tags of one record; tags that cannot be read are reported, and replaced by `O`."""
    tags, tokens = batch.records[at].tags or (), batch.records[at].tokens or ()
    if any(isinstance(tag, int) for tag in tags):
        finding = "the tags are numbers, and their names are not in the file"
        batch.report(at, finding, "write their names, such as B-PER, instead of the numbers")
    elif not all(isinstance(tag, str) for tag in tags):
        batch.report(at, "some tags are not strings", "write a tag such as B-PER or O for each token")
    elif len(tags) != len(tokens):
        finding = f"got {counted(len(tags), 'tag')} for {counted(len(tokens), 'token')}"
        batch.report(at, finding, "write one tag for every token")
    else:
        return list(tags)
    return ["O"] * len(tokens)
