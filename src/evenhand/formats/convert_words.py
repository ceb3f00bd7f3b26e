"""Conversion of words: tags and trees in another format, and what would be lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evenhand.formats.arrow_sink import TABLES
from evenhand.formats.conllu_write import write_conllu, write_conllx
from evenhand.formats.write_table import sentence_rows
from evenhand.problems import SettingError
from evenhand.settings import Task
from evenhand.text.annotation import Annotation

WORD_TARGETS = ("conllu", "conllx", "conll", *TABLES)


class WordConversion:
    """What is written. What the target cannot carry is named, and trees are not left behind unasked."""

    def __init__(self, target: str, task: Task | None, *, lossy: bool) -> None:
        if target not in WORD_TARGETS:
            raise SettingError(f"{target} has no place for words; convert to {', '.join(WORD_TARGETS)}.")
        self.target, self._task, self._lossy = target, task, lossy
        self.losses: Counter[str] = Counter()
        self.not_carried: set[str] = set()

    def write(self, batches: Iterator[Annotation]) -> Iterator[str]:
        """The text of the new file, batch by batch."""
        first = True
        for batch in map(self.fit, batches):
            if self.target == "conll":
                yield from sentence_rows(batch, [batch.word_tags().to_list()], first=first)
            else:
                yield from (write_conllu if self.target == "conllu" else write_conllx)(batch, first=first)
            first = False

    def fit(self, batch: Annotation) -> Annotation:
        """The batch, if the target can carry it; what else is left behind is noted."""
        corpus = batch.corpus
        if corpus.tokens is None:
            raise SettingError(f"{corpus.source} has no words, and the new file needs some.")
        if self.target == "conllu":
            return batch
        if corpus.asides is not None and len(corpus.asides):
            self.not_carried.add("comments, multi-word tokens and empty nodes")
        if self.target in ("conll", *TABLES):
            if "trees" in batch.layers and self._task != "tags" and not self._lossy:
                remedy = "give --task tags to convert the tags alone, or --lossy"
                raise SettingError(f"{self.target} cannot carry trees; {remedy}.")
            self.not_carried |= {"columns but the form and the tags"} if len(batch.layers) > 1 else set()
        return batch
