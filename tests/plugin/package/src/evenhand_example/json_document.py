"""One JSON document per file: `{"sentences": [{"tokens": [...], "label": "...", "spans": [[start, end, label], ...]}]}`.

Ends of spans are exclusive. A sentence may have a label, for the task `sentences`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from evenhand.plugins import (
    Annotation,
    Block,
    Capabilities,
    Columns,
    Conversion,
    Corpus,
    Detection,
    Format,
    Reader,
    ReadInfo,
    ReadSettings,
    Source,
    Spans,
    Tags,
    Tokens,
    Vocabulary,
    Writer,
)

SENTENCE_LABELS = "sentence-labels"
"""The layer of sentence labels: one tag per sentence."""


def recognise(sample: Block) -> float:
    return 1.0 if sample.data.lstrip().startswith(b'{"sentences"') else 0.0


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    data = b"".join(block.data[: block.size] for block in source.blocks(settings.block_size, cut_after="line"))
    try:
        sentences = json.loads(data)["sentences"]
        yield _annotation(source, sentences, vocabulary)
    except (ValueError, KeyError, TypeError) as error:
        finding = f"expected a JSON document with sentences ({error})"
        raise source.error(1, finding, 'write {"sentences": [{"tokens": [...], "spans": [[0, 1, "PER"]]}]}') from None


def _annotation(source: Source, sentences: list[dict[str, Any]], vocabulary: Vocabulary) -> Annotation:
    words = [sentence["tokens"] for sentence in sentences]
    bounds = np.array([0, *accumulate(map(len, words))], dtype=np.int64)
    corpus = Corpus(str(source), len(words), bounds, Tokens.of([word for sentence in words for word in sentence]))
    rows = [
        (scope, start, end, vocabulary.labels.code(label))
        for scope, sentence in enumerate(sentences)
        for start, end, label in sentence.get("spans", ())
    ]
    scope, start, end, label = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    names = tuple(dict.fromkeys(sentence.get("label", "") for sentence in sentences))
    code = np.array([names.index(sentence.get("label", "")) for sentence in sentences], dtype=np.int64)
    layers = {"spans": Spans.of(vocabulary, scope, start, end, label), SENTENCE_LABELS: Tags(code, names)}
    return Annotation(corpus, layers, {"spans": ReadInfo(FORMAT.name)}, source.name)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    sentences = []
    for batch in batches:
        corpus, labels = batch.corpus, batch.layers.get(SENTENCE_LABELS)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        spans: list[list[list[Any]]] = [[] for _ in range(corpus.sentences)]
        for label, scope, start, end in batch.spans().rows():
            spans[scope].append([start, end, label])
        for number in range(corpus.sentences):
            tokens = corpus.tokens.texts(*corpus.bounds[number : number + 2].tolist())
            label = {"label": labels.names[labels.code[number]]} if isinstance(labels, Tags) else {}
            sentences.append({"tokens": tokens, **label, "spans": spans[number]})
    yield json.dumps({"sentences": sentences}, ensure_ascii=False) + "\n"


_WRITING = Writer(Capabilities(characters=False, documents="none", levels=False, gaps=False), text=write)
FORMAT = Format(
    name="json-document",
    summary="one JSON document per file, with sentences",
    readers=dict.fromkeys(("spans", "sentences"), Reader(read)),
    writers={"spans": _WRITING, "sentences": _WRITING},
    suffixes=(".jdoc",),
    detection=Detection(b"{", confidence=recognise),
)
