"""Annotation: a corpus, its layers, and how it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags, Trees
from evenhand.data.structures import Chains, Extractions
from evenhand.data.tokens import Joined
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted
from evenhand.settings import EXTRACTIONS, ColumnName, Repair


@runtime_checkable
class OtherLayer(Protocol):
    """A layer of another kind, such as relations between the spans of another layer."""

    def __len__(self) -> int:
        """Return the number of units."""

    def join(self, name: str, parts: Sequence[Mapping[str, Any]], /) -> OtherLayer:
        """Concatenate the layer of this name in consecutive batches, given all layers of each."""


Layer = Spans | Tags | Trees | Chains | OtherLayer


def extra_layer(column: ColumnName) -> str:
    """Return the name of the layer of an additional column."""
    return f"column {column}"


def tags_layer(layer: str) -> str:
    """Return the name of the layer of tags from which a layer of spans was read."""
    return "tags" if layer == "spans" else f"{layer}-tags"


UNANNOTATED = "unannotated"
"""How the names of skipped records begin that are skipped in a gold standard only."""
LISTS = "lists"
"""The format of annotations from Python lists."""


@dataclass(frozen=True)
class ReadInfo:
    """How a file was read: detected format and encoding, repairs."""

    format: str = LISTS
    encoding: str | None = None
    column: str | None = None
    shape: str | None = None
    """The format of a language model's answers: `json`, `lines` and so on."""
    annotator: str | None = None
    repair: Repair | None = None
    """How ill-formed tags are repaired, if set in `eh.tags` or `eh.read`; None: the scorer decides."""
    offsets: str | None = None
    """How offsets count, in formats with several conventions."""
    quotes_show: bool = False
    """Whether the convention of offsets was derived from quotations, not set by an option."""
    repeated: int = 0
    """Number of spans listed again with the same label and bounds."""
    merged: int = 0
    """Number of spans labelled with tags (`B-PER`, `I-PER`) that were read as parts of entities, without prefixes."""
    repaired: int = 0
    first_repair: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Records left out on purpose, with their number: `{"rejected answers": 3}`."""
    kept: Mapping[str, int] = field(default_factory=dict)
    """Unusual input that was accepted unchanged, with its number: `{"sentences with several roots": 3}`."""
    is_named: bool = False
    """Whether the user named the encoding."""
    looks_like: str | None = None
    """The encoding that the tags look like, if it differs from the gold standard's."""
    doubt: tuple[str, str] | None = None
    """Why tags may not be labels of spans, and what to do, if the user did not name the encoding."""
    layers: tuple[str, ...] | None = None
    """The layers from which `column` was chosen; None for formats without such layers."""
    is_layer_named: bool = False
    """Whether the user named the layer."""
    confidence: float = 1.0
    """Share of the first lines that fit the detected format."""

    def __str__(self) -> str:
        """Describe in a few words how the file was read."""
        sure = "" if self.confidence == 1 else f" ({self.confidence:.0%} of the first lines fit)"
        parts = [self.format + sure]
        if self.encoding:
            parts.append(f"tags in {self.encoding.upper() if self.encoding != 'plain' else 'plain labels'}")
        if self.shape:
            parts.append(f"answers as {self.shape}")
        if self.annotator:
            parts.append(f"annotator {self.annotator}")
        if self.offsets and self.offsets != "codepoints":
            parts.append(f"offsets in {self.offsets.replace(',', ', ')}")
        if self.column:
            parts.append(f"column {self.column.replace('+', ' and ')}")
        return ", ".join(parts)

    def plus(self, other: ReadInfo) -> ReadInfo:
        """Combine with the information on the next part of the file."""
        if not (other.repaired or other.skipped or other.kept or other.repeated or other.merged):
            return self
        return replace(
            self,
            repaired=self.repaired + other.repaired,
            first_repair=self.first_repair or other.first_repair,
            repeated=self.repeated + other.repeated,
            merged=self.merged + other.merged,
            skipped=dict(Counter(self.skipped) + Counter(other.skipped)),
            kept=dict(Counter(self.kept) + Counter(other.kept)),
        )


@dataclass(frozen=True)
class Annotation:
    """A corpus and its layers: `annotation["spans"]`, `annotation["upos"]`, `annotation["trees"]`."""

    corpus: Corpus
    layers: Mapping[str, Layer]
    readings: Mapping[str, ReadInfo] = field(default_factory=lambda: {"spans": ReadInfo()})
    name: str = "annotation"

    def __getitem__(self, layer: str) -> Layer:
        try:
            return self.layers[layer]
        except KeyError:
            raise KeyError(f"{self.corpus.source} has no layer {layer!r}; it has {', '.join(self.layers)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.layers)

    def __contains__(self, layer: object) -> bool:
        return layer in self.layers

    @property
    def reading(self) -> ReadInfo:
        """How the file was read, if it holds one annotation."""
        return next(iter(self.readings.values()))

    def spans(self, layer: str = "spans") -> Spans:
        if layer not in self.layers:
            raise SettingError(f"{self.corpus.source} has no spans; use a file that has some.")
        spans = self[layer]
        if not isinstance(spans, Spans):
            raise TypeError(f"the layer {layer!r} of {self.corpus.source} contains no spans")
        return spans

    def trees(self) -> Trees:
        trees = self.layers.get("trees")
        if not isinstance(trees, Trees):
            raise SettingError(f"{self.corpus.source} has no trees; use a file that has heads and relations.")
        return trees

    def chains(self) -> Chains:
        chains = self.layers.get("chains")
        if not isinstance(chains, Chains):
            raise SettingError(f"{self.corpus.source} has no coreference chains; use a file that has some.")
        return chains

    def tags(self, layer: str = "spans") -> Tags | None:
        """Return the tags from which a layer of spans was read, if there is one tag per token."""
        tags = self.layers.get(tags_layer(layer))
        return tags if isinstance(tags, Tags) else None

    def word_tags(self, column: ColumnName | None = None) -> Tags:
        """Return the tags of words: from the named column, otherwise the file's tags, otherwise UPOS."""
        for name in (column, "tags", "upos"):
            tags = self.layers.get(str(name))
            if isinstance(tags, Tags):
                return tags
        raise SettingError(f"{self.corpus.source} has no tags of words; specify their --column, or use another file.")

    @property
    def extractions(self) -> Extractions | None:
        """Answers of a language model that have not been located in a text yet."""
        answers = self.layers.get(EXTRACTIONS)
        return answers if isinstance(answers, Extractions) else None

    def recognised(self, confidence: float) -> Annotation:
        """Return the annotation with the confidence of format detection."""
        readings = {name: replace(reading, confidence=confidence) for name, reading in self.readings.items()}
        return replace(self, readings=readings)

    @property
    def is_of_words(self) -> bool:
        """Whether it holds tags or trees of words, not spans."""
        return "words" in self.readings

    @property
    def is_of_chains(self) -> bool:
        return "chains" in self.readings

    def __repr__(self) -> str:
        sizes = [counted(self.corpus.sentences, "sentence")]
        if self.corpus.token_count is not None:
            sizes.append(counted(self.corpus.token_count, "token"))
        sizes += [counted(len(layer), name.removesuffix("s")) for name, layer in self.layers.items()]
        return f"<Annotation {self.name}: {', '.join(sizes)}>"

    def within(self, first: int, last: int) -> Annotation:
        """Return the sentences from `first` to `last` with their spans, tags and trees."""
        bounds, layers = self.corpus.bounds, dict[str, Layer]()
        for name, layer in self.layers.items():
            if isinstance(layer, Spans):
                inside = np.flatnonzero((layer.scope >= first) & (layer.scope < last))
                layers[name] = layer.take(inside).shifted(-first)
            elif isinstance(layer, Tags | Trees) and bounds is not None:
                layers[name] = layer.slice(*bounds[[first, last]].tolist())
        return replace(self, corpus=self.corpus.within(first, last), layers=layers)

    def take(self, rows: Ints) -> Annotation:
        """Return these sentences in this order with their spans and tags, without bytes of other sentences."""
        corpus, layers = self.corpus, dict[str, Layer]()
        row_of = np.full(corpus.sentences, -1)
        row_of[rows] = np.arange(len(rows))
        for name, layer in self.layers.items():
            if isinstance(layer, Spans):
                scope = row_of[layer.scope]
                order = np.argsort(scope, kind="stable")[np.count_nonzero(scope < 0) :]
                layers[name] = replace(layer.take(order), scope=scope[order])
            elif isinstance(layer, Tags) and corpus.bounds is not None and corpus.lengths is not None:
                words = ranges(corpus.bounds[rows], corpus.lengths[rows])
                layers[name] = Tags(layer.code[words], layer.names, None if layer.score is None else layer.score[words])
        return replace(self, corpus=corpus.take(rows), layers=layers)

    @staticmethod
    def concatenate(parts: Sequence[Annotation]) -> Annotation:
        """Concatenate the batches of one file."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        scopes = np.cumsum([0, *(part.corpus.sentences for part in parts[:-1])]).tolist()
        joined: Joined = {}
        layers: dict[str, Layer] = {}
        for name, layer in first.layers.items():
            if isinstance(layer, Spans):
                layers[name] = Spans.concatenate([part.spans(name) for part in parts], scopes)
            elif isinstance(layer, Trees):
                trees = [part.trees() for part in parts]
                relation = Tags.concatenate([tree.relation for tree in trees], joined)
                layers[name] = Trees(np.concatenate([tree.head for tree in trees]), relation)
            elif isinstance(layer, Chains):
                documents = np.cumsum([0, *(len(part.corpus.documents) for part in parts[:-1])]).tolist()
                layers[name] = Chains.concatenate([part.chains() for part in parts], documents)
            elif not isinstance(layer, Tags):
                layers[name] = layer.join(name, [part.layers for part in parts])
            else:
                tags = [part.layers[name] for part in parts]
                layers[name] = Tags.concatenate([tag for tag in tags if isinstance(tag, Tags)], joined)
        readings = dict(first.readings)
        for part in parts[1:]:
            readings = {name: reading.plus(part.readings[name]) for name, reading in readings.items()}
        return Annotation(Corpus.concatenate([part.corpus for part in parts], joined), layers, readings, first.name)


def check_same_layer(gold: Annotation, system: Annotation) -> None:
    """Refuse to compare one layer of documents with another one, unless the user named both."""
    of_gold, of_system = gold.reading, system.reading
    for side in (gold, system):
        layers, column = side.reading.layers, side.reading.column
        if layers is not None and column not in layers:
            others = f", only {_listed(layers)}" if layers else ""
            remedy = "annotate it in at least one document, even as empty, or specify a layer that both sides have"
            raise InputError(side.corpus.source, None, f"no document has the layer {column}{others}", remedy)
    is_named = of_gold.is_layer_named and of_system.is_layer_named
    if of_gold.layers is None or of_system.layers is None or of_gold.column == of_system.column or is_named:
        return
    finding = f"{of_system.column} would be compared with {of_gold.column} of {gold.corpus.source}"
    shared = [name for name in of_gold.layers if name in of_system.layers]
    sides = f"column={{'gold': {of_gold.column!r}, 'system': {of_system.column!r}}} if that is meant"
    both = f"{_listed(of_system.layers)} here, {_listed(of_gold.layers)} there"
    remedy = (
        f"both sides have {_listed(shared)}: specify one with --column (column= in Python)"
        if shared
        else f"there are {both}; use {sides}"
    )
    raise InputError(system.corpus.source, None, finding, remedy)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
