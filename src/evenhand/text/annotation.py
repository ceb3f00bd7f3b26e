"""An annotation: a text and what one annotator put on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans, Tags


@dataclass(frozen=True)
class Reading:
    """How a file was understood, and what was mended in it."""

    format: str = "lists"
    encoding: str | None = None
    column: str | None = None
    repaired: int = 0
    first_repair: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What was left out on purpose, with its number: `{"rejected answers": 3}`."""

    def __str__(self) -> str:
        """What the file was taken for, in a few words."""
        parts = [self.format]
        if self.encoding:
            parts.append(f"tags in {self.encoding.upper() if self.encoding != 'plain' else 'plain labels'}")
        if self.column:
            parts.append(f"column {self.column.replace('+', ' and ')}")
        return ", ".join(parts)

    def plus(self, other: Reading) -> Reading:
        return replace(
            self,
            repaired=self.repaired + other.repaired,
            first_repair=self.first_repair or other.first_repair,
            skipped=dict(Counter(self.skipped) + Counter(other.skipped)),
        )


@dataclass(frozen=True)
class Annotation:
    """A corpus and its layers: `annotation["spans"]`, and `annotation["tags"]` where the file has tags."""

    corpus: Corpus
    layers: Mapping[str, Spans | Tags]
    readings: Mapping[str, Reading] = field(default_factory=lambda: {"spans": Reading()})
    name: str = "annotation"

    def __getitem__(self, layer: str) -> Spans | Tags:
        try:
            return self.layers[layer]
        except KeyError:
            raise KeyError(f"{self.corpus.source} has no layer {layer!r}; it has {', '.join(self.layers)}") from None

    def spans(self, layer: str = "spans") -> Spans:
        found = self[layer]
        if not isinstance(found, Spans):
            raise TypeError(f"the layer {layer!r} of {self.corpus.source} holds tags, not spans")
        return found

    def tags(self, layer: str = "spans") -> Tags | None:
        """The tags that a layer of spans was read from, if they are one tag a token."""
        found = self.layers.get("tags" if layer == "spans" else f"{layer}-tags")
        return found if isinstance(found, Tags) else None

    def __repr__(self) -> str:
        sizes = [f"{self.corpus.sentences:,} sentences"]
        if self.corpus.token_count is not None:
            sizes.append(f"{self.corpus.token_count:,} tokens")
        sizes += [f"{len(layer):,} {name}" for name, layer in self.layers.items()]
        return f"<Annotation {self.name}: {', '.join(sizes)}>"

    @staticmethod
    def concatenate(parts: Sequence[Annotation]) -> Annotation:
        """The batches of one file as one annotation."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        scopes = np.cumsum([0, *(part.corpus.sentences for part in parts[:-1])]).tolist()
        layers: dict[str, Spans | Tags] = {}
        for name, layer in first.layers.items():
            if isinstance(layer, Spans):
                layers[name] = Spans.concatenate([part.spans(name) for part in parts], scopes)
            else:
                tags = [part.layers[name] for part in parts]
                layers[name] = Tags.concatenate([each for each in tags if isinstance(each, Tags)])
        readings = dict(first.readings)
        for part in parts[1:]:
            readings = {name: reading.plus(part.readings[name]) for name, reading in readings.items()}
        return Annotation(Corpus.concatenate([part.corpus for part in parts]), layers, readings, first.name)
