"""What must be known of a whole gold standard before its first batch is judged: its labels, and how much there is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Literal

from evenhand.arrays import distinct
from evenhand.dataclass import dataclass
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.tokens import Tokens

Naming = Literal["ids", "documents", "files"]


@dataclass(frozen=True)
class GoldSurvey:
    """The gold standard as a whole."""

    labels: tuple[str, ...]
    documents: int
    sentences: int
    naming: Naming | None
    """What its texts are called by: ids of sentences, names of documents, or those of files with a document each."""

    @property
    def by_document(self) -> bool:
        """Whether there are several documents; else sentences are the texts."""
        return self.documents > 1

    @staticmethod
    def of(batches: Iterable[Annotation], layer: str) -> GoldSurvey:
        labels, sources = set[str](), set[str]()
        documents = sentences = names = 0
        has_ids = True
        for batch in batches:
            corpus, spans = batch.corpus, batch.spans(layer)
            labels.update(spans.vocabulary.labels[code] for code in distinct(spans.label).tolist())
            sources.add(corpus.source)
            own = int(corpus.continues)
            documents += len(corpus.documents) - own
            names += 0 if corpus.unnamed else len(corpus.names[own:])
            sentences += corpus.sentences
            has_ids &= corpus.ids is not None
        naming: Naming | None = "ids" if has_ids else "documents" if names == documents else None
        if naming is None and 1 < len(sources) == documents:
            naming = "files"
        return GoldSurvey(tuple(sorted(labels)), documents, sentences, naming)


def names_of(corpus: Corpus, naming: Naming) -> Tokens:
    """What the texts of a batch of the gold standard are called."""
    if naming == "ids":
        assert corpus.ids is not None
        return corpus.ids
    return Tokens.of(list(corpus.names) if naming == "documents" else [PurePath(corpus.source).stem])
