"""Documents that only systems have, where a gold standard has no texts.

A table of links without texts names only documents in which there is a link. So a document that it lacks is one without
links, and all that systems have there is wrong. Gold standards with texts have all documents that count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import empty
from evenhand.tasks.passage import Open
from evenhand.text.annotation import Annotation
from evenhand.text.characters import peeked
from evenhand.text.link_feed import names_of
from evenhand.text.link_names import LAYER
from evenhand.text.links import no_spans


def with_other_documents(gold: Iterator[Annotation], systems: Sequence[Open]) -> Iterator[Annotation]:
    """The batches of a gold standard; where it has no texts, with one of documents that it lacks."""
    first, gold = peeked(gold)
    if first is None or not _has_no_texts(first):
        yield from gold
        return
    known = dict.fromkeys(_names(first))
    for batch in gold:
        known.update(dict.fromkeys(_names(batch)))
        yield batch
    found = dict.fromkeys(name for system in systems for batch in system() for name in _names(batch))
    others = [name for name in found if name and name not in known]
    if others:
        corpus = replace(
            first.corpus,
            sentences=len(others),
            lines=empty(),
            documents=np.arange(len(others)),
            names=tuple(others),
        )
        yield replace(first, corpus=corpus, layers={LAYER: no_spans(first.spans(LAYER).vocabulary)})


def _has_no_texts(batch: Annotation) -> bool:
    """Whether a batch counts the characters of texts that it does not have, and names their documents."""
    return batch.corpus.atoms == "characters" and batch.corpus.bounds is None and bool(batch.corpus.names)


def _names(batch: Annotation) -> list[str]:
    names = names_of(batch.corpus)
    return names.texts(0, len(names))
