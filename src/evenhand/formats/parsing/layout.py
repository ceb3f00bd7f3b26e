"""Tables of tokens: how the cells of a column file lie, what each line is, and the text and tags they make.

Every format with a token a line is a `Layout`: its columns, where the token is, and which lines are comments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from evenhand.arrays import distinct, ints, zeros
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.tag_column import TagColumn
from evenhand.formats.parsing.tag_reader import joined
from evenhand.formats.parsing.token_lines import Layout, Parsed, parsed
from evenhand.formats.parsing.weight_column import WeightColumn
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading, extra_layer
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import FEATURES, FeatureSets, Spans, Tags, Written
from evenhand.text.tokens import Tokens

TRAILING = "empty cells at the ends of lines"
_SAMPLE = 1 << 14
_BLOCKS = 4
"""How many times larger than elsewhere blocks are, unless lines are as short as a tag: more of them share a call."""


class TableBatches(Iterator[Annotation]):
    """A file in batches of whole sentences; `places` are the columns of each layer, one a level.

    Without any layer it is text alone, and a single column is the tokens. This is no generator, so that what a batch
    was made from is let go before the next file has its turn: fifty systems are read side by side.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        layout: Layout,
        places: Mapping[str, tuple[int, ...]],
        settings: ReadSettings,
        vocabulary: Vocabulary,
        elsewhere: Callable[[], str] = str,
    ) -> None:
        """`elsewhere` says where other tags are, for those who did not mean these."""
        many = sum(map(len, places.values())) > 1
        self._name, self._source, self._layout = name, source, layout
        self._tags = None
        if settings.task == "tags":  # as they stand: they spell no spans
            if len(places["spans"]) != 1:
                finding = f"there are {len(places['spans'])} columns of tags, where a task of tags has one"
                raise source.error(None, finding, "name it with --column")
            (self._tags,), places = places["spans"], {}
            self._written = FeatureSets if settings.columns == (FEATURES,) else Written
            self._coder = vocabulary.columns["tags"]
        self._readers: dict[str, list[TagColumn]] = {}
        for layer, columns in places.items():
            gold = self._readers.get("gold")
            read_as = settings.of_layer(layer, gold[0].encoding.name if gold else None)
            self._readers[layer] = [
                TagColumn(
                    source,
                    place,
                    read_as,
                    vocabulary,
                    _sample(source, layout),
                    is_one_of_many=many,
                    elsewhere=elsewhere,
                )
                for place in columns
            ]
        self._extra = {
            extra_layer(column): (place, vocabulary.columns[extra_layer(column)])
            for column, place in zip(settings.extra, layout.places(source, settings.extra), strict=True)
        }
        self._weights = None
        if settings.weight is not None:
            self._weights = WeightColumn(source, *layout.places(source, (settings.weight,)))
        size = settings.block_size * (1 if layout.columns == 1 else _BLOCKS)
        self._parsed = parsed(layout, source, source.blocks(size))
        self._new_document = not source.begins_inside

    def __next__(self) -> Annotation:
        while True:
            batch = self._batch(next(self._parsed))
            if batch is not None:
                return batch

    def _batch(self, block: Parsed) -> Annotation | None:
        """What a block holds; nothing where it has no sentence."""
        has_tokens = self._layout.columns > 1 or (not self._readers and self._tags is None)
        corpus, self._new_document = _corpus(
            self._source, self._layout, block, self._new_document, has_tokens=has_tokens
        )
        if not corpus.sentences:
            return None
        if self._weights is not None:
            corpus = replace(corpus, weights=self._weights.read(block.tokens, corpus))
        layers: dict[str, Layer] = {}
        readings: dict[str, Reading] = {}
        skipped = {TRAILING: block.trailing} if block.trailing else {}
        for name, (place, coder) in self._extra.items():
            layers[name] = Written(block.tokens.tokens(place), coder)
        if self._tags is not None:
            layers["tags"] = self._written(block.tokens.tokens(self._tags), self._coder)
            readings["words"] = Reading(self._name, column=str(self._tags + 1), skipped=skipped)
        for layer, columns in self._readers.items():
            tags, layers[layer], reading = _levels(columns, block.tokens, corpus)
            readings[layer] = replace(reading, format=self._name, skipped=skipped)
            stem = "tags" if layer == "spans" else f"{layer}-tags"
            for level, each in enumerate(tags, 1):
                layers[stem if len(tags) == 1 else f"{stem}-{level}"] = each
        return Annotation(corpus, layers, readings, self._source.name)


def _sample(source: Source, layout: Layout) -> Iterator[tuple[Cells, Corpus]]:
    for block in parsed(layout, source, source.first_blocks(_SAMPLE)):
        yield block.tokens, _corpus(source, layout, block, True, has_tokens=False)[0]


def _levels(columns: list[TagColumn], cells: Cells, corpus: Corpus) -> tuple[list[Tags], Spans, Reading]:
    """The tags of one or several columns, and their spans."""
    found = [column.read(cells, corpus) for column in columns]
    _, spans, reading = joined(found, [column.levels for column in columns])
    return [tags for tags, _, _ in found], spans, reading


def _corpus(
    source: Source, layout: Layout, block: Parsed, new_document: bool, *, has_tokens: bool
) -> tuple[Corpus, bool]:
    """The text of a block, and whether what follows begins a document."""
    tokens, bounds = block.tokens, block.bounds
    sentences = len(bounds) - 1
    begin = distinct(np.searchsorted(bounds, block.documents)) if len(block.documents) else block.documents
    corpus = Corpus(
        source=source.shown,
        sentences=sentences,
        bounds=bounds,
        tokens=_tokens(tokens, layout) if has_tokens else None,
        lines=tokens.lines,
        first_line=block.first_line,
        documents=np.append(0, begin[(begin > 0) & (begin < sentences)]) if len(begin) else zeros(1),
        continues=not (new_document or 0 in begin),
    )
    return corpus, sentences in begin or (new_document and not sentences)


def _tokens(cells: Cells, layout: Layout) -> Tokens:
    """The tokens; in a file with a header, four quotation marks are one, as CSV writers quote it."""
    if not layout.names:
        return cells.tokens(layout.token)
    start, end = (column.copy() for column in cells.column(layout.token))
    maybe = np.flatnonzero(end - start == 4)
    maybe = maybe[np.frombuffer(cells.data, dtype=np.uint8)[start[maybe]] == ord('"')]
    quoted = ints([row for row in maybe.tolist() if cells.text(layout.token, row) == '""""'])
    start[quoted] += 1
    end[quoted] = start[quoted] + 1
    return Tokens(cells.data, start, end)
