"""Spans in whole documents, by offsets of characters, spaces and all, as the scripts of shared tasks count them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from evenhand.dataclass import dataclass
from evenhand.tasks.spans.unit_texts import LabeledOffsets, UnitTexts
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class DocumentSpans:
    """A document, and the different spans of both sides in it: start, end and label. Gaps are not looked at."""

    name: str
    text: str
    scope: int
    """Its first sentence in the portion."""
    gold: frozenset[LabeledOffsets]
    system: frozenset[LabeledOffsets]


class DocumentTexts:
    """The documents of a portion, none of which goes on in another one."""

    def __init__(self, batches: Sequence[Annotation]) -> None:
        self._texts = [UnitTexts(batch.corpus, by_document=True) for batch in batches]
        self._corpora = [batch.corpus for batch in batches]
        self._firsts = np.cumsum([0, *(corpus.sentences for corpus in self._corpora)]).tolist()

    def both(self, gold: Spans, system: Spans) -> list[DocumentSpans]:
        """The spans of both sides, document by document."""
        sides = zip(self._side(gold), self._side(system), strict=True)
        units = [
            (_name(corpus, number), unit.text, first + unit.first)
            for corpus, texts, first in zip(self._corpora, self._texts, self._firsts, strict=False)
            for number, unit in enumerate(texts.units)
        ]
        return [DocumentSpans(*unit, *side) for unit, side in zip(units, sides, strict=True)]

    def _side(self, spans: Spans) -> list[frozenset[LabeledOffsets]]:
        found = []
        for texts, first, corpus in zip(self._texts, self._firsts, self._corpora, strict=False):
            rows = np.flatnonzero((spans.scope >= first) & (spans.scope < first + corpus.sentences))
            mine = spans.take(rows)
            found += texts.offsets(replace(mine, scope=mine.scope - first))
        return [frozenset(each) for each in found]


def _name(corpus: Corpus, number: int) -> str:
    """What a document is called: by its file, where nothing in that says."""
    if corpus.names:
        return corpus.names[number]
    if corpus.ids is not None:
        return corpus.ids[int(corpus.documents[number])]
    return PurePath(corpus.source).stem
