"""Entity links as JSON lines, a document a line: spans with lists of identifiers, or records of ELEVANT.

- Own lines: `{"id": "doc", "text": "…", "spans": [{"start": 0, "end": 5, "label": "LOC", "links": ["Q90", "Q62"]}]}`.
  With `tokens` in place of the text, positions are those of tokens. Identifiers stand in the order of their ranks.
- ELEVANT: gold standards have `labels`, `[{"span": [0, 5], "entity_id": "Q90"}]`, and systems `entity_mentions`,
  `[{"span": [0, 5], "id": "Q90", "candidates": ["Q90", "Q167646"]}]`. An identifier that does not begin with Q is NIL.
  A system's articles keep the labels, so only mentions count there: an article without any has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.dataclass import dataclass
from evenhand.formats.json_records import PROBLEM, decoded_lines
from evenhand.formats.json_spans import Ground, Offset, Span, misquoting, on_texts, on_tokens, spans_of
from evenhand.formats.source import Source
from evenhand.settings import Columns, Offsets, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.link_names import LAYER, NIL, NO_TYPE
from evenhand.text.links import Link, coded_links
from evenhand.text.tokens import Tokens

_BLOCKS = 8
"""How many times larger than elsewhere blocks are: records are long."""
_TEXT, _TOKENS, _NEITHER = "a text", "tokens", "neither text nor tokens"


class LinkedSpan(Span, gc=False, omit_defaults=True):
    """A span with its identifiers, the best one first."""

    label: str = NO_TYPE
    links: Sequence[str] = ()
    text: str | None = None
    """What it quotes."""


class LinkRecord(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    spans: list[LinkedSpan]
    text: str | None = None
    tokens: list[str] | None = None
    id: str | int | None = None


class _Label(msgspec.Struct, gc=False):
    """A span of a gold standard of ELEVANT."""

    span: tuple[Offset, Offset]
    entity_id: str | None = None


class _Candidate(msgspec.Struct, gc=False):
    entity_id: str | None = None
    id: str | None = None


class _Mention(msgspec.Struct, gc=False):
    """A span of a system of ELEVANT."""

    span: tuple[Offset, Offset]
    id: str | None = None
    candidates: list[str | _Candidate | None] | None = None


class _Article(msgspec.Struct, gc=False):
    """One line of ELEVANT."""

    id: str | int | None = None
    text: str | None = None
    labels: list[_Label] | None = None
    entity_mentions: list[_Mention] | None = None


_OWN, _ELEVANT = msgspec.json.Decoder(LinkRecord), msgspec.json.Decoder(_Article)
Decode = Callable[[bytes], LinkRecord]


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Own lines, in batches of whole documents."""
    return _batches("jsonl", _OWN.decode, source, settings, vocabulary)


def read_elevant(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Lines of ELEVANT, in batches of whole documents."""

    layer = _layer(source, settings)

    def decode(line: bytes) -> LinkRecord:
        return _own(_ELEVANT.decode(line), layer)

    column = layer if layer == "entity_mentions" else None
    return _batches("elevant", decode, source, settings, vocabulary, column)


def _layer(source: Source, settings: ReadSettings) -> str | None:
    """What of an article counts: the labels of a gold standard, or the mentions of a system; None: what there is."""
    if settings.side != "system":
        return "labels" if settings.side == "gold" else None
    if not source.is_here:  # which cannot be read twice
        return "entity_mentions"
    for block in source.whole.blocks(1 << 20, cut_behind="line"):
        if b'"entity_mentions"' in block.data[: block.size]:
            return "entity_mentions"
    finding = "no article has entity_mentions, so this is not the output of a system"
    raise source.error(None, finding, "give the file with the mentions that the system found")


def _own(article: _Article, layer: str | None) -> LinkRecord:
    """The record of an article: of the layer that counts."""
    mentions, labels = article.entity_mentions, article.labels
    if layer == "entity_mentions" or (mentions is not None and (layer is None or labels is None)):
        spans = [LinkedSpan(*each.span, links=[_identifier(each.id), *_others(each)]) for each in mentions or ()]
    elif labels is not None:
        spans = [LinkedSpan(*each.span, links=[_identifier(each.entity_id)]) for each in labels]
    else:
        raise msgspec.ValidationError("Object missing required field `labels`")
    return LinkRecord(spans, article.text, None, article.id)


def _others(mention: _Mention) -> Iterator[str]:
    """The candidates behind the first identifier, in their order."""
    for each in mention.candidates or ():
        name = (each.entity_id or each.id) if isinstance(each, _Candidate) else each
        if name is not None and name != mention.id:
            yield _identifier(name)


def _identifier(name: str | None) -> str:
    return name if name is not None and name.startswith("Q") else NIL


def _batches(
    format: str,
    decode: Decode,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    column: str | None = None,
) -> Iterator[Annotation]:
    kind: str | None = None
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="line"):
        lines, records = list[int](), list[LinkRecord]()
        for number, record in decoded_lines(source, block, decode):
            own = _TEXT if record.text is not None else _TOKENS if record.tokens is not None else _NEITHER
            kind = kind or own
            if own != kind:
                finding = f"the record has {own} where the file began with {kind}"
                raise source.error(number, finding, "put the two into files of their own", PROBLEM)
            lines.append(number)
            records.append(record)
        if records:
            batch = _Batch(source, records, lines, vocabulary, settings.unit)
            corpus, spans = batch.read(kind)
            yield Annotation(corpus, {LAYER: spans}, {LAYER: Reading(format, column=column)}, source.name)


@dataclass(frozen=True)
class _Batch:
    """Some records with their lines."""

    source: Source
    records: list[LinkRecord]
    lines: list[int]
    vocabulary: Vocabulary
    offsets: Offsets

    def read(self, kind: str | None) -> tuple[Corpus, Spans]:
        records = self.records
        if kind == _TEXT:
            atoms, ground = on_texts([record.text or "" for record in records], self.offsets)
            for at, record in enumerate(records):
                if fault := misquoting(record.text or "", record.spans, self.offsets):
                    self._report(at, *fault)
            corpus = atoms.corpus(self.source.shown, ints(self.lines))
        elif kind == _TOKENS:
            corpus = self._token_corpus()
            assert corpus.lengths is not None
            ground = on_tokens(corpus.lengths)
        else:
            documents = np.arange(len(records))
            corpus = Corpus(
                *(self.source.shown, len(records)), lines=ints(self.lines), atoms="characters", documents=documents
            )
            ground = Ground(lambda record, offset: offset, lambda record, span: (f"{span} covers nothing", "mend it"))
        ids = ["" if record.id is None else str(record.id) for record in records]
        names = tuple(ids) if all(ids) else ()
        return replace(corpus, ids=Tokens.of(ids) if any(ids) else None, names=names), self._spans(ground)

    def _spans(self, ground: Ground) -> Spans:
        spans = spans_of([record.spans for record in self.records], ground, self.vocabulary, self._report)
        flat = list(chain.from_iterable(record.spans for record in self.records))
        links = [Link(tuple(span.links)) for span in flat]
        for at, record in enumerate(self.records):
            if any("" in span.links for span in record.spans):
                self._report(at, "a span has an empty identifier", "name it, or leave it out")
        extra = coded_links(links, self.vocabulary) if len(spans) == len(flat) else ints([0] * len(spans))
        return replace(spans, extra=extra)

    def _token_corpus(self) -> Corpus:
        words = [record.tokens or [] for record in self.records]
        lengths = ints(list(map(len, words)))
        return Corpus(
            source=self.source.shown,
            sentences=len(words),
            bounds=np.append(0, np.cumsum(lengths)),
            tokens=Tokens.of(list(chain.from_iterable(words))),
            lines=np.repeat(ints(self.lines), lengths),
            documents=np.arange(len(words)),
        )

    def _report(self, record: int, finding: str, remedy: str) -> None:
        self.source.report(self.lines[record], finding, remedy, PROBLEM)


def plain(value: Any) -> str:
    """A record as a line."""
    return msgspec.json.encode(value).decode() + "\n"
