"""An annotation: a text and what one annotator put on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags, Trees
from evenhand.data.structures import LAYER_EXTRACTIONS, Chains, Extractions
from evenhand.data.tokens import Joined
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.settings import ColumnName, Repair


@runtime_checkable
class OtherLayer(Protocol):
    """A layer of another kind, such as one that stands on the spans beside it."""

    def __len__(self) -> int:
        """How many units it has."""

    def join(self, name: str, parts: Sequence[Mapping[str, Any]], /) -> OtherLayer:
        """Successive batches as one layer of this name, given all layers of each."""


Layer = Spans | Tags | Trees | Chains | OtherLayer


def extra_layer(column: ColumnName) -> str:
    """The name of the layer of any further column."""
    return f"column {column}"


def tags_layer(layer: str) -> str:
    """What the layer of the tags is called that a layer of spans was read from."""
    return "tags" if layer == "spans" else f"{layer}-tags"


LISTS = "lists"
"""The format of annotations that come from plain lists."""


@dataclass(frozen=True)
class ReadInfo:
    """How a file was understood, and what was mended in it."""

    format: str = LISTS
    encoding: str | None = None
    column: str | None = None
    shape: str | None = None
    """How a language model wrote its answers: `json`, `lines` and so on."""
    annotator: str | None = None
    """Whose answers were read, where a file has those of several."""
    repair: Repair | None = None
    """What becomes of ill-formed tags, if the caller of `eh.tags` or `eh.read` said; None: the scorer decides."""
    offsets: str | None = None
    """How offsets count, in formats that may count in several ways."""
    quotes_show: bool = False
    """Whether quotes show how offsets count, and no option says it."""
    repeated: int = 0
    """How many spans are listed once more, with the same label and bounds."""
    merged: int = 0
    """How many spans with tags for labels (`B-PER`, `I-PER`) were read as parts of entities, without these prefixes."""
    repaired: int = 0
    first_repair: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What was left out on purpose, with its number: `{"rejected answers": 3}`."""
    kept: Mapping[str, int] = field(default_factory=dict)
    """What is odd and was taken as it stands, with its number: `{"sentences with several roots": 3}`."""
    is_named: bool = False
    """Whether the user named the encoding."""
    looks_like: str | None = None
    """The encoding that the tags look like, where that is not the gold standard's, by which they may be judged."""
    doubt: tuple[str, str] | None = None
    """What tags may be instead of labels of spans, and what to do, where nobody named their encoding."""
    layers: tuple[str, ...] | None = None
    """The layers that `column` was chosen from; empty if no document has one, None for formats without such layers."""
    is_layer_named: bool = False
    """Whether the user named the layer."""
    confidence: float = 1.0
    """Which share of the first lines fits the format, where it was recognised by them."""

    def __str__(self) -> str:
        """What the file was taken for, in a few words."""
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
        """How a file was read whose next part was read like `other`."""
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
    """A corpus and its layers: `annotation["spans"]`, `annotation["upos"]`, `annotation["trees"]`, as the file has."""

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
        """The names of the layers."""
        return iter(self.layers)

    def __contains__(self, layer: object) -> bool:
        return layer in self.layers

    @property
    def reading(self) -> ReadInfo:
        """How the file was read, where it holds one annotation."""
        return next(iter(self.readings.values()))

    def spans(self, layer: str = "spans") -> Spans:
        if layer not in self.layers:
            raise SettingError(f"{self.corpus.source} has no spans; give a file that has some.")
        spans = self[layer]
        if not isinstance(spans, Spans):
            raise TypeError(f"the layer {layer!r} of {self.corpus.source} holds no spans")
        return spans

    def trees(self) -> Trees:
        trees = self.layers.get("trees")
        if not isinstance(trees, Trees):
            raise SettingError(f"{self.corpus.source} has no trees; give a file that has heads and relations.")
        return trees

    def chains(self) -> Chains:
        chains = self.layers.get("chains")
        if not isinstance(chains, Chains):
            raise SettingError(f"{self.corpus.source} has no coreference chains; give a file that has some.")
        return chains

    def tags(self, layer: str = "spans") -> Tags | None:
        """The tags that a layer of spans was read from, if they are one tag a token."""
        found = self.layers.get(tags_layer(layer))
        return found if isinstance(found, Tags) else None

    def word_tags(self, column: ColumnName | None = None) -> Tags:
        """The tags of words: those of a column that is named, else what the file has as such, else UPOS."""
        for name in (column, "tags", "upos"):
            tags = self.layers.get(str(name))
            if isinstance(tags, Tags):
                return tags
        raise SettingError(f"{self.corpus.source} has no tags a word; name their --column, or give another file.")

    @property
    def extractions(self) -> Extractions | None:
        """What a language model wrote, where that is still to be placed in a text."""
        found = self.layers.get(LAYER_EXTRACTIONS)
        return found if isinstance(found, Extractions) else None

    def recognised(self, confidence: float) -> Annotation:
        """The same, read in a format that so large a share of the first lines fits."""
        readings = {name: replace(reading, confidence=confidence) for name, reading in self.readings.items()}
        return replace(self, readings=readings)

    @property
    def is_of_words(self) -> bool:
        """Whether it holds tags or trees of words, and no spans."""
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

    @staticmethod
    def concatenate(parts: Sequence[Annotation]) -> Annotation:
        """The batches of one file as one annotation."""
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
        corpus = Corpus.concatenate([part.corpus for part in parts], joined)
        return Annotation(corpus, layers, readings, first.name)
