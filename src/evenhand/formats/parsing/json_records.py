"""What records of JSON hold: texts or tokens with spans, or tokens with tags; all of a file are of one kind.

A record with a text has characters as atoms, one with tokens only has tokens. The first records of a file show which of
several layers is read, how offsets count (if spans quote the text), and whether labels are tags of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice

import numpy as np

from evenhand.arrays import BitRank, Bools, Ints, Words, bit_positions, empty, ints, ranges, windows
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.from_lists import COMMON
from evenhand.data.layers import Spans
from evenhand.data.names import OFFSET_LISTS
from evenhand.data.structures import OffsetLists
from evenhand.data.tokens import ListedTokens, Tokens, equal
from evenhand.data.vocabulary import CellCodes, NewCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import LimitError, counted
from evenhand.formats.parsing.json_columns import (
    ACCEPTED,
    Cells,
    Matcher,
    OddError,
    Spelling,
    StringLists,
    demand,
    learn,
    learn_tokens,
    mask_of,
    quoted,
    respelled,
    with_letters,
    within,
    word_of,
)
from evenhand.formats.parsing.json_lines import (
    OFFSETS,
    PROBLEM,
    TAGS,
    TEXT,
    TOKENS,
    UNREADABLE,
    Ground,
    Layers,
    Quoted,
    Raw,
    Record,
    SpanError,
    are_prefixed,
    convention_of,
    decode,
    decode_value,
    expanded,
    has_prefix,
    labels_of,
    misquoted,
    on_nothing,
    on_texts,
    on_tokens,
    quotes_same,
    repeated,
    settle,
    spans_of,
    tokens_of,
)
from evenhand.formats.parsing.tags import Coded, TagReader, choose_encoding
from evenhand.formats.source import Block, Source
from evenhand.settings import Convention, Offsets, ReadSettings

# == formats/parsing/json_texts.py: Texts with spans from JSON lines that are all spelled alike:


@dataclass(frozen=True)
class Columns:
    """The records of a block and their spans; a span's parts are in the order of all spans."""

    data: bytes
    text: Cells
    has_escapes: bool
    answer: Words | None
    """The first eight bytes from each answer on, where records have one."""
    items: Ints
    """How many spans each record has."""
    label: Cells
    label_window: Words
    """The first eight bytes from each label on."""
    quote: Cells | None
    """What spans quote, where they do."""
    id: Cells | None
    """The ids of records, where they have some."""
    counts: dict[str, Ints]
    """Where spans start and end, and maybe their levels."""

    @property
    def is_accepted(self) -> Bools:
        """Which records have an answer that keeps them, or none."""
        if self.answer is None:
            return np.ones(len(self.items), dtype=np.bool_)
        answers = [answer.encode() + b'"' for answer in ACCEPTED]
        found: Bools = np.any([self.answer & mask_of(answer) == word_of(answer) for answer in answers], axis=0)
        return found

    def of_records(self, kept: Bools) -> Columns:
        """The same columns of some records only."""
        spans = np.repeat(kept, self.items)
        return replace(
            self,
            text=(self.text[0][kept], self.text[1][kept]),
            answer=None,
            items=self.items[kept],
            label=(self.label[0][spans], self.label[1][spans]),
            label_window=self.label_window[spans],
            quote=None if self.quote is None else (self.quote[0][spans], self.quote[1][spans]),
            id=None if self.id is None else (self.id[0][kept], self.id[1][kept]),
            counts={name: column[spans] for name, column in self.counts.items()},
        )

    @staticmethod
    def of(matcher: Matcher, spelling: Spelling) -> Columns:
        """The columns of a block."""
        items = matcher.fill(spelling)
        strings = [matcher.strings["text"], *([matcher.strings["quote"]] if "quote" in matcher.strings else ())]
        data, (text, *quotes), quoted = matcher.unescaped(*strings)
        matcher.check_texts(spelling, items, quoted)
        return Columns(
            data=data,
            text=text,
            has_escapes=matcher.has_escapes,
            answer=matcher.windows.get("answer"),
            items=items,
            label=matcher.strings["label"],
            label_window=matcher.windows["label"],
            quote=next(iter(quotes), None),
            id=matcher.strings.get("id"),
            counts=matcher.counts,
        )


@dataclass(frozen=True)
class AlikeBatch:
    """The texts of a block that were not rejected, and their spans."""

    texts: Texts
    spans: Spans
    ids: Tokens | None
    rows: Ints
    """Which records of the block these are."""
    rejected: int


class AlikeTexts:
    """Reads blocks of records that are spelled alike; it remembers how, and the codes of labels."""

    def __init__(self, vocabulary: Vocabulary, offsets: Offsets) -> None:
        self._vocabulary, self._offsets = vocabulary, offsets
        self._spelling: Spelling | None = None
        self._labels = LabelCodes(vocabulary)

    def read(self, block: Block) -> AlikeBatch | None:
        """What a block holds, or None if it has anything for which the decoder is needed, or a message."""
        self._spelling = self._spelling or learn(block)
        if self._spelling is None:
            return None
        try:
            columns = Columns.of(Matcher(block), self._spelling)
            block.has_lines(len(columns.items))
            return self._batch(columns)
        except OddError:
            # The next block may be spelled in another way.
            self._spelling = None
            return None

    def _batch(self, columns: Columns) -> AlikeBatch:
        kept = columns.is_accepted
        columns = columns if kept.all() else columns.of_records(kept)
        texts = Texts.within(columns.data, *columns.text, self._offsets, has_controls=columns.has_escapes)
        scope = np.repeat(np.arange(len(columns.items)), columns.items)
        start, end = (texts.positions(scope, columns.counts[side]) for side in ("start", "end"))
        if not ((start >= 0) & (end > start)).all():
            raise OddError
        if columns.quote is not None:
            _check_quotes_json_texts(columns.data, columns.quote, texts, scope, columns.counts)
        label = self._labels(columns.data, columns.label, columns.label_window)
        spans = Spans.of(self._vocabulary, scope, start, end, label, columns.counts.get("level"))
        rows = np.flatnonzero(kept)
        ids = None if columns.id is None else Tokens(columns.data, *columns.id)
        return AlikeBatch(texts, spans, ids, rows, len(kept) - len(rows))


def _check_quotes_json_texts(data: bytes, quote: Cells, texts: Texts, scope: Ints, counts: dict[str, Ints]) -> None:
    """Leave to the decoder what is not quoted as the text has it; it finds out how offsets count, or says it."""
    begin, end = (texts.bytes_before(scope, counts[side]) for side in ("start", "end"))
    same = equal(Tokens(data, begin, end), Tokens(data, *quote))
    for row in np.flatnonzero(~same).tolist():
        held, quoted = data[begin[row] : end[row]], data[quote[0][row] : quote[1][row]]
        if quoted.strip() and not quotes_same(held.decode(), quoted.decode()):
            raise OddError


class LabelCodes:
    """The codes of labels in a vocabulary, by their bytes."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._cells = CellCodes()
        self._codes: list[int] = []
        """For each cell of a label, its code in the vocabulary."""
        self._are_tags = False
        """Whether a label looks like a tag of a token."""

    def __call__(self, data: bytes, label: Cells, first: Words) -> Ints:
        """The code of each label; `first` are the windows of their first bytes. None may be empty."""
        cells, new = self._cells(data, *label, first)
        names = [data[label[0][row] : label[1][row]].decode() for row in new]
        # All of them are noted before anything is refused: their cells have their codes already.
        self._codes += [self._vocabulary.labels.code(name) for name in names]
        self._are_tags = self._are_tags or any(map(has_prefix, names))
        if self._are_tags or (label[0] == label[1]).any():
            raise OddError
        return ints(self._codes)[cells]


# == formats/parsing/json_tokens.py: Tokens with tags or spans from JSON lines that are all spell


@dataclass(frozen=True)
class AlikeTokens:
    """The records of a block: their tokens, and their spans or the codes of their tags."""

    tokens: Tokens
    lengths: Ints
    """How many tokens each record has."""
    ids: Tokens | None
    spans: Spans | None
    tags: SparseCodes | None
    names: list[str]
    """The tags by code."""


class TokenReader:
    """Reads blocks of records that are spelled alike; it remembers how, and the codes of labels and tags."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._spelling: Spelling | None = None
        self._labels = LabelCodes(vocabulary)
        self._codes = CellCodes()
        self._names: list[str] = []

    def read(self, block: Block) -> AlikeTokens | None:
        """What a block holds, or None if it has anything for which the decoder is needed, or a message."""
        self._spelling = self._spelling or learn_tokens(block)
        if self._spelling is None:
            return None
        try:
            found = self._batch(block, self._spelling)
            block.has_lines(len(found.lengths))
        except (OddError, LimitError):
            # The next block may be spelled in another way.
            self._spelling = None
            return None
        return found

    def _batch(self, block: Block, spelling: Spelling) -> AlikeTokens:
        matcher = Matcher(block)
        items = matcher.fill(spelling)
        lists, quotes = matcher.lists["tokens"], matcher.all_strings.quotes
        lengths, bounds = lists.sizes, np.append(0, np.cumsum(lists.sizes))
        rows, cells = _rare_tags(matcher) if "tags" in matcher.lists else (empty(), (empty(), empty()))
        data, escaped, find = matcher.data, 0, partial[Tokens](_listed, matcher.data, lists, quotes)
        if matcher.has_escapes:
            some = lists.around(matcher.backslashes)
            data, (found, cells), escaped = matcher.unescaped(quoted(within(lists.take(some), quotes)), cells)
            find = partial(_unescaped, find, data, ranges(bounds[some], lengths[some]), found)
        tokens = ListedTokens(matcher.data, lists.first, lists.last, bounds, find)
        matcher.check_texts(
            spelling, items, escaped + 2 * sum(int(each.sizes.sum()) for each in matcher.lists.values())
        )
        spans, tags = None, None
        if "tags" in matcher.lists:
            demand(matcher.lists["tags"].sizes == lengths)
            tags = self._coded(data, len(tokens), rows, cells)
        else:
            spans = self._spans(matcher, items, lengths)
        ids = Tokens(data, *matcher.strings["id"]) if "id" in matcher.strings else None
        return AlikeTokens(tokens, lengths, ids, spans, tags, self._names)

    def _coded(self, data: bytes, size: int, rows: Ints, cells: Cells) -> SparseCodes:
        """The codes of so many tags, of which some rows are not `O`."""
        codes, new = self._codes(data, *cells, windows(data)[cells[0]])
        self._names += [data[cells[0][row] : cells[1][row]].decode() for row in new]
        if len(rows) == size:
            return SparseCodes.of(codes)
        return SparseCodes(size, self._names.index(COMMON), rows, codes)

    def _spans(self, matcher: Matcher, items: Ints, lengths: Ints) -> Spans:
        scope = np.repeat(np.arange(len(items)), items)
        start, end = matcher.counts["start"], matcher.counts["end"]
        demand((end > start) & (end <= lengths[scope]))
        label = self._labels(matcher.data, matcher.strings["label"], matcher.windows["label"])
        return Spans.of(self._vocabulary, scope, start, end, label, matcher.counts.get("level"))


def _listed(data: bytes, lists: StringLists, quotes: Words) -> Tokens:
    return Tokens(data, *quoted(within(lists, quotes)))


def _unescaped(written: Callable[[], Tokens], data: bytes, rows: Ints, found: Cells) -> Tokens:
    """Tokens as they are written, but for some rows that are found elsewhere in the data."""
    tokens = written()
    start, end = tokens.start.copy(), tokens.end.copy()
    start[rows], end[rows] = found
    return Tokens(data, start, end)


def _rare_tags(matcher: Matcher) -> tuple[Ints, Cells]:
    """The tags that are not `O`, and the first one that is: their rows, and where they are."""
    strings = matcher.all_strings
    opens = within(matcher.lists["tags"], strings.opens)
    common = opens & strings.single(ord(COMMON))
    lowest = common[(common != 0).argmax() :][:1]
    lowest &= lowest - np.uint64(1)
    at = bit_positions(opens & ~common)
    start = at + 1
    return BitRank.of(opens)(at), (start, matcher.string_ends(start, matcher.words[start]))


# == formats/parsing/record_reader.py (primary)


REJECTED = "rejected answers"
Decoded = tuple[list[Raw], Ints]
"""Records as they are decoded, and the line of each."""
SAMPLE = 1 << 14
"""How many bytes of JSON lines show how they are read."""
_MOST_FAILURES = 3
"""After how many blocks that are not columns no other one is tried."""
_PLAIN = Convention()


@dataclass(frozen=True)
class Batch:
    """Records that were not rejected and can be read, with their lines."""

    source: Source
    records: list[Record]
    lines: Ints

    @property
    def documents(self) -> Ints:
        """The first record of each document; the first of the batch begins one in any case."""
        return np.flatnonzero([not at or not record.continues for at, record in enumerate(self.records)])

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
        sample: Callable[[], Iterator[Raw]],
    ) -> None:
        """`first` gives the first records of the file, for a look at their tags; `sample` those that can be read."""
        self._format, self._first, self._sampled = format, first, sample
        self._source, self._settings, self._vocabulary = source, settings, vocabulary
        given = settings.convention
        self._columns = not settings.columns and given == Convention(given.unit) and given.unit != "bytes"
        """Whether records that are spelled alike may be read as columns."""
        unit = settings.unit if self._columns else "codepoints"
        self._alike, self._alike_tokens = AlikeTexts(vocabulary, unit), TokenReader(vocabulary)
        self._kind: str | None = None
        self._is_respelled = False
        self._failures = 0
        """How many blocks in a row could not be read as columns."""
        self._tags: TagReader | None = None
        self._codes = NewCodes()
        """Those of the tags so far."""
        self._unclear = False
        """Whether spans of tokens do not show where they end."""
        self._seen: set[str] = set()
        """The labels of spans so far."""

    def read(self, block: Block) -> tuple[Annotation | None, int]:
        """What a block holds, if anything can be read or is left, and how many records were rejected."""
        if not self._columns:
            return self.take(decode(self._source, block))
        letters = with_letters(block)
        found = None if self._is_respelled else self._read_columns(letters)
        if found is None:
            spelled = respelled(letters)
            found = None if spelled is None else self._read_columns(spelled)
            # What one block needs, others will.
            self._is_respelled = found is not None
            self._failures = 0 if found is not None else self._failures + 1
            self._columns = self._columns and self._failures < _MOST_FAILURES
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
        corpus = alike.texts.corpus(self._source.display_name, block.first_line + alike.rows)
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
        code = SparseCodes(tags.size, int(codes[tags.common]), tags.rows, codes[tags.codes])
        coded = Coded(list(self._codes)[known:], code, corpus)
        return self._read_tags(coded, begins_file=first_line == 1)

    @cached_property
    def _first_records(self) -> list[Raw]:
        return [record for record in self._sampled() if not _is_rejected(record)]

    @cached_property
    def _layers(self) -> Layers:
        """Which layer of records is read."""
        return Layers.of(self._settings, self._first_records)

    @cached_property
    def _is_prefixed(self) -> bool:
        """Whether labels are tags of tokens."""
        try:
            return are_prefixed(labels_of(self._first_records, self._layers))
        except SpanError as error:
            raise self._source.error(None, *error.fault, PROBLEM) from None

    @cached_property
    def _convention(self) -> Convention:
        """How offsets count: as a user says, or as quotes in the first records show."""
        if self._settings.offsets is not None:
            return self._settings.convention
        quoted, inclusive, sizes = list[Quoted](), False, list[bool]()
        for raw in self._first_records:
            try:
                record = settle(raw, self._layers)
            except SpanError:
                continue
            text = record.text if record.text is not None else record.tokens
            if text is not None and (record.spans or record.quotes):
                quoted.append(Quoted.of(text, record.quotes, record.spans or ()))
            if record.kind == OFFSETS:
                parts = [(*quote.parts[0], quote.quoted) for quote in record.quotes if len(quote.parts) == 1]
                sizes += [len(quote) == end - start + 1 for start, end, quote in parts]
            inclusive = inclusive or (record.kind == TOKENS and self._ends_are_tokens(raw))
        if self._unclear and not inclusive:
            finding = "the spans under 'ner' do not show whether they include the token at their end"
            remedy = "choose --offsets inclusive if they do, or --offsets codepoints if not"
            raise self._source.error(None, finding, remedy, PROBLEM)
        if inclusive or (sizes and all(sizes)):
            return Convention(inclusive=True)
        found = convention_of(None, quoted)
        self._columns = self._columns and found == _PLAIN
        return found

    def _ends_are_tokens(self, record: Raw) -> bool:
        """Whether spans of tokens include their last one: in GLiNER's training data, or where they show it."""
        key, tokens = tokens_of(record)
        chosen = self._layers.choose(record)
        if chosen is None or chosen[0] != "ner" or tokens is None:
            return False
        if key == "tokenized_text":
            return True
        rows = [each for each in record["ner"] if isinstance(each, list)]
        if any(row[:2] == row[:1] * 2 for row in rows):
            return True
        self._unclear = self._unclear or (bool(rows) and not any(row[1:2] == [len(tokens)] for row in rows))
        return False

    def take(self, decoded: Decoded) -> tuple[Annotation | None, int]:
        """What records with their lines hold, and how many of them were rejected."""
        batch, rejected = self._readable(decoded)
        if not batch.records:
            return None, rejected
        if self._kind == TAGS:
            return self._read_tags(_coded(self._codes, batch), self._column), rejected
        reads = {TEXT: self._read_texts, TOKENS: self._read_tokens, OFFSETS: self._read_offsets}
        assert self._kind is not None
        return reads[self._kind](batch), rejected

    def _readable(self, decoded: Decoded) -> tuple[Batch, int]:
        """The records that were not rejected and can be read, each brought to its kind, and how many were rejected."""
        raw, lines = decoded
        kept, records, rejected = list[int](), list[Record](), 0
        layers, is_prefixed, is_plain = self._layers, self._is_prefixed, self._convention == _PLAIN
        for at, each in enumerate(raw):
            if _is_rejected(each):
                rejected += 1
                continue
            try:
                record = settle(each, layers, prefixed=is_prefixed, plain=is_plain)
                if not is_prefixed and record.spans:
                    self._check_labels(record)
                records.append(record)
                kept.append(at)
            except SpanError as error:
                self._source.report(int(lines[at]), *error.fault, PROBLEM)
        lines = lines if len(kept) == len(raw) else lines[kept]
        self._check_kinds(records, lines)
        return Batch(self._source, records, lines), rejected

    def _check_labels(self, record: Record) -> None:
        """Raise an error for a label that is a tag of a token, where those of the first records are not."""
        for span in record.spans or ():
            if span.label not in self._seen:
                self._seen.add(span.label)
                if has_prefix(span.label):
                    are_prefixed(self._seen)

    def _check_kinds(self, records: list[Record], lines: Ints) -> None:
        """Raise an error where a record is of another kind than the first one of the file."""
        for at, record in enumerate(records):
            kind = record.kind
            if self._kind is None:
                self._kind = kind
            elif kind != self._kind:
                finding = f"the record has {kind} where the file began with {self._kind}"
                raise self._source.error(int(lines[at]), finding, "put the two into files of their own", PROBLEM)

    def _read_texts(self, batch: Batch) -> Annotation:
        convention = self._convention
        _check_quotes(batch, convention)
        atoms, ground = on_texts([record.text or "" for record in batch.records], convention)
        corpus = replace(atoms.corpus(self._source.display_name, batch.lines), ids=batch.ids, documents=batch.documents)
        return self._annotation(corpus, self._spans(batch, ground), batch)

    def _read_tokens(self, batch: Batch) -> Annotation:
        corpus = _batch_corpus(batch)
        assert corpus.lengths is not None
        _check_quotes(batch, self._convention)
        return self._annotation(corpus, self._spans(batch, on_tokens(corpus.lengths, self._convention)), batch)

    def _read_offsets(self, batch: Batch) -> Annotation:
        """Spans of texts that the file does not have: their offsets are positions, until they are put on a text."""
        spans, quotes = ([getattr(record, name) or () for record in batch.records] for name in ("spans", "quotes"))
        lists = OffsetLists(tuple(spans), tuple(quotes), self._settings.offsets)
        corpus = Corpus(
            *(self._source.display_name, len(batch.records)),
            lines=batch.lines,
            atoms="characters",
            documents=np.arange(len(batch.records)),
            ids=batch.ids,
        )
        found = self._annotation(corpus, self._spans(batch, on_nothing(self._convention)), batch)
        return replace(found, layers={**found.layers, OFFSET_LISTS: lists})

    def _spans(self, batch: Batch, ground: Ground) -> Spans:
        return spans_of([record.spans or () for record in batch.records], ground, self._vocabulary, batch.report)

    def _annotation(self, corpus: Corpus, spans: Spans, batch: Batch | None = None) -> Annotation:
        """Spans of a text, and how they were read; without a batch, as columns."""
        reading = ReadInfo(self._format, offsets=str(self._settings.convention), repeated=repeated(spans))
        if batch is not None:
            is_shown = self._settings.offsets is None and self._convention != _PLAIN and self._kind != TOKENS
            reading = replace(
                reading,
                column=self._column,
                offsets=str(self._convention),
                quotes_show=is_shown,
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
        return next((each[0] for each in chosen if each is not None), None)

    def _read_tags(self, coded: Coded, column: str | None = None, *, begins_file: bool = False) -> Annotation:
        """Tokens and the spans that their tags spell."""
        if self._tags is None:
            sample = self._sample(coded if begins_file else None)
            encoding = choose_encoding(self._source, self._settings, sample)
            self._tags = TagReader(self._source, self._settings, self._vocabulary, encoding)
        tags, spans, reading = self._tags.read(coded)
        readings = {"spans": replace(reading, format=self._format, column=column)}
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
    reading = annotation.readings["spans"].plus(ReadInfo(skipped=skipped))
    return replace(annotation, readings={"spans": reading})


def _is_rejected(record: Raw) -> bool:
    answer = record.get("answer")
    return isinstance(answer, str) and answer not in ACCEPTED


def kind_of(line: bytes) -> str | None:
    """Of which kind the record in a line is, as all of a file must be; None where it cannot be read."""
    try:
        (record, *_) = expanded(decode_value(line)) or [{}]
        return settle(record, Layers("system", None)).kind
    except (*UNREADABLE, SpanError):
        return None


def _check_quotes(batch: Batch, convention: Convention) -> None:
    """Report quotes that are not what the text or the tokens of their record have there."""
    for at, record in enumerate(batch.records):
        text = record.text if record.text is not None else record.tokens
        if not record.quotes or text is None:
            continue
        if isinstance(text, str) and (
            convention == _PLAIN or (text.isascii() and convention == Convention(convention.unit))
        ):
            quotes = record.quotes
            if all(
                len(quote.parts) == 1 and text[quote.parts[0][0] : quote.parts[0][1]] == quote.quoted
                for quote in quotes
            ):
                continue
        fault = misquoted(text, record.quotes, convention)
        if fault is not None:
            batch.report(at, *fault)


def _coded(codes: NewCodes, batch: Batch) -> Coded:
    known = len(codes)
    tags = chain.from_iterable(_names(batch, at) for at in range(len(batch.records)))
    code = ints([codes[tag] for tag in tags])
    return Coded(list(codes)[known:], SparseCodes.of(code), _batch_corpus(batch))


def _beginning(coded: Coded, records: int) -> Coded:
    """The tags of the first records of a block, coded for themselves."""
    assert coded.corpus.bounds is not None
    codes, some = NewCodes(), coded.code.slice(0, int(coded.corpus.bounds[records]))
    code = ints([codes[coded.new[each]] for each in some.column().tolist()])
    return Coded(list(codes), SparseCodes.of(code), coded.corpus)


def _batch_corpus(batch: Batch) -> Corpus:
    words = [[str(token) for token in record.tokens or ()] for record in batch.records]
    tokens, lengths = Tokens.of(list(chain.from_iterable(words))), ints(list(map(len, words)))
    return replace(_token_corpus(batch.source, tokens, lengths, batch.lines, batch.ids), documents=batch.documents)


def _token_corpus(source: Source, tokens: Tokens, lengths: Ints, lines: Ints, ids: Tokens | None) -> Corpus:
    return Corpus(
        source=source.display_name,
        sentences=len(lengths),
        bounds=np.append(0, np.cumsum(lengths)),
        tokens=tokens,
        lines=lines if lengths.all() else np.repeat(lines, lengths),
        documents=np.arange(len(lengths)),
        ids=ids,
    )


def _names(batch: Batch, at: int) -> list[str]:
    """The tags of one record; those that cannot be read are a problem, and outside."""
    tags, tokens = batch.records[at].tags or (), batch.records[at].tokens or ()
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
