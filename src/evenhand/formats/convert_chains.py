"""Conversion of chains: documents and their chains in another format, and what would be lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.formats import coref_jsonl
from evenhand.formats.chain_losses import crossing_in_chain, mixed_parts, other_first_chains
from evenhand.formats.chain_write import NO_NAME, has_plain_words, write_conll2012, write_corefud
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus

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
        self._documents, self._chains = 0, 0
        self._unnamed: int | None = None
        """Which document has no name."""
        self._across_sentences = 0

    @property
    def notes(self) -> list[str]:
        """What is written otherwise than it is, and what other readers of the target may object to."""
        found = []
        if self._unnamed is not None and self.target == "conll2012":
            found.append(f"The document has no name, and is called {NO_NAME} in conll2012.")
        if self._across_sentences:
            count = self._across_sentences
            mentions = "1 mention reaches" if count == 1 else f"{count:,} mentions reach"
            found.append(f"{mentions} across sentences, which corefud can hold, but udapi and its scorer refuse.")
        return found

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
            self._lose(_without_words(batch.corpus), "documents without words")
            self._across_sentences += _across_sentences(chains, batch.corpus)
        if self.target == "conll2012" and not self._documents and not has_plain_words(batch):
            raise SettingError("The words are numbers, which conll2012 takes for positions; convert to another format.")
        if self.target != "coref-jsonl":
            self._check_names(batch.corpus.names)
            self._lose(int(np.count_nonzero(batch.corpus.lengths == 0)), "sentences without words")
            self._lose(crossing_in_chain(chains), "mentions that cross others of their chain, and would change bounds")
            self._lose(mixed_parts(chains), "mentions with gaps that would get parts of others of their chain")
            moved = other_first_chains(chains, single_first=self.target == "conll2012")
            self._lose(moved, "repeated spans that would count for another chain")
        return replace(batch, layers={**batch.layers, "chains": self._numbered(chains)})

    def _check_names(self, names: Sequence[str]) -> None:
        """Raise an error where a document without a name would become part of another one."""
        if "" in names:
            self._unnamed = self._documents + names.index("")
        self._documents += len(names)
        can_stay = self._unnamed == 0 if self.target == "corefud" else self._documents == 1
        if self._unnamed is not None and not can_stay:
            raise SettingError(
                f"A document has no name, which {self.target} needs where there are several; give it one."
            )

    def _numbered(self, chains: Chains) -> Chains:
        """The same with the numbers that chains have in the whole file, in the order of their first mentions."""
        _, first, inverse = np.unique(chains.chain, return_index=True, return_inverse=True)
        number = self._chains + np.argsort(np.argsort(first))
        self._chains += len(first)
        return replace(chains, chain=number[inverse])

    def _lose(self, count: int, what: str) -> None:
        if not count:
            return
        if not self._lossy:
            raise SettingError(f"{self.target} cannot carry {count:,} {what}; give --lossy to convert all the same.")
        self.losses[what] += count


def _without_words(corpus: Corpus) -> int:
    """How many documents have no word."""
    assert corpus.bounds is not None
    return int(np.count_nonzero(np.diff(np.append(corpus.document_starts, corpus.bounds[-1])) == 0))


def _across_sentences(chains: Chains, corpus: Corpus) -> int:
    """How many mentions end in another sentence than they begin in."""
    assert corpus.bounds is not None
    before = corpus.document_starts[chains.document]
    edges = [np.searchsorted(corpus.bounds, before + each, side="right") for each in (chains.start, chains.end - 1)]
    return int(np.count_nonzero(edges[0] != edges[1]))
