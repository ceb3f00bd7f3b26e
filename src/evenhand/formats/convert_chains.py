"""Conversion of chains: documents and their chains in another format, and what would be lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evenhand.formats import coref_jsonl
from evenhand.formats.chain_losses import crossing_in_chain, mixed_parts, other_first_chains
from evenhand.formats.chain_write import write_conll2012, write_corefud
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation

_WRITERS: dict[str, Callable[[Annotation], Iterator[str]]] = {
    "conll2012": write_conll2012,
    "corefud": write_corefud,
    "coref-jsonl": coref_jsonl.write,
}
CHAIN_TARGETS = tuple(_WRITERS)
_WITH_MORE = ("conll2012", "corefud")
"""Formats that can hold other columns."""


class ChainConversion:
    """What is written. What the target cannot carry is an error, or is counted if it may be lost."""

    def __init__(self, target: str, *, lossy: bool) -> None:
        if target not in CHAIN_TARGETS:
            raise SettingError(f"{target} has no place for chains; convert to {', '.join(CHAIN_TARGETS)}.")
        self.target, self._lossy = target, lossy
        self.losses: Counter[str] = Counter()
        self.not_carried: set[str] = set()

    def write(self, batches: Iterator[Annotation]) -> Iterator[str]:
        """The text of the new file, batch by batch."""
        for batch in batches:
            if batch.reading.format in _WITH_MORE:
                self.not_carried.add("all but words, sentences, POS and chains")
            yield from _WRITERS[self.target](self._fitted(batch))

    def _fitted(self, batch: Annotation) -> Annotation:
        """The annotation as far as the target can carry it."""
        chains = batch.chains()
        if self.target != "corefud":
            self._lose(int(np.count_nonzero(chains.shape)), "mentions with gaps, which would be filled")
            chains = replace(chains, shape=np.zeros_like(chains.shape))
        if self.target == "corefud":
            edges = np.append(batch.corpus.documents, batch.corpus.sentences)
            self._lose(int(np.count_nonzero(np.diff(edges) == 0)), "documents without words")
        if self.target != "coref-jsonl":
            self._lose(crossing_in_chain(chains), "mentions that cross others of their chain, and would change bounds")
            self._lose(mixed_parts(chains), "mentions with gaps that would get parts of others of their chain")
            self._lose(other_first_chains(chains), "repeated spans that would count for another chain")
        return replace(batch, layers={**batch.layers, "chains": chains})

    def _lose(self, count: int, what: str) -> None:
        if not count:
            return
        if not self._lossy:
            raise SettingError(f"{self.target} cannot carry {count:,} {what}; give --lossy to convert all the same.")
        self.losses[what] += count
