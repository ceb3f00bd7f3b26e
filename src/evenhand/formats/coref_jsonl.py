"""Coreference as JSON lines: a document a line, with its sentences and its clusters of mentions.

`{"doc_key": "name", "sentences": [["He", "left"]], "clusters": [[[0, 0], [5, 7]]]}`: mentions are the first and the
last of their tokens, counted over the whole document. `tokens` may stand in place of `sentences` (one list of words),
`pos` beside it in the same shape, and `predicted_clusters` in place of `clusters`; where a file has both, `--column`
says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.formats.chain_formats import DocumentNames
from evenhand.formats.json_formats import COREFERENCE
from evenhand.formats.json_records import PROBLEM, UNREADABLE, decoded_lines
from evenhand.formats.source import Block, Source
from evenhand.problems import SettingError, counted
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Tags, Written
from evenhand.text.tokens import Tokens

CLUSTERS = ("clusters", "predicted_clusters")
_BLOCKS = 4
Clusters = list[list[tuple[int, int]]]


class Document(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    doc_key: str | None = None
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    pos: list[list[str] | str] | None = None
    clusters: Clusters | None = None
    predicted_clusters: Clusters | None = None


_DECODER = msgspec.json.Decoder(Document)


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    first = next(_documents(source, source.sample(settings.block_size), settings), None)
    return frozenset({"pos"} if first is not None and first[1].pos is not None else ())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    names = DocumentNames(source)
    tagged: set[bool] = set()
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="line"):
        found = list(_documents(source, block, settings))
        for number, document in found:
            tagged.add(document.pos is not None)
            if len(tagged) > 1:
                finding = "the document has no pos where others have some, or has some where they have none"
                raise source.error(number, finding, "give it for all")
        if found:
            yield _annotation(source, found, names, vocabulary, Reading(COREFERENCE.name, column=_chosen(settings)))


def kind_of(line: bytes) -> bool | None:
    """Whether the document in a line has POS, as all of a file must have or not; None where it cannot be read."""
    try:
        return _DECODER.decode(line).pos is not None
    except UNREADABLE:
        return None


def _documents(source: Source, block: Block, settings: ReadSettings) -> Iterator[tuple[int, Document]]:
    """The lines and documents of a block; what cannot be read is reported."""
    chosen = _chosen(settings)
    for number, document in decoded_lines(source, block, _DECODER.decode):
        fault = _settled(document, chosen)
        if fault is None:
            yield number, document
        else:
            source.report(number, *fault, PROBLEM)


def _chosen(settings: ReadSettings) -> str | None:
    """Which clusters a user names."""
    for column in settings.columns:
        if column not in CLUSTERS:
            raise SettingError(f"{column!r} holds no clusters; choose one of {', '.join(CLUSTERS)}.")
    return next(map(str, settings.columns), None)


def _settled(document: Document, chosen: str | None) -> tuple[str, str] | None:
    """Leave a document with the clusters that are wanted, and its words in sentences; what is wrong, or None."""
    given = [name for name in CLUSTERS if getattr(document, name) is not None]
    if chosen is None and len(given) > 1:
        return "the document has clusters and predicted_clusters", "name one of them with --column"
    if not given or (chosen is not None and chosen not in given):
        return f"the document has no {chosen or 'clusters'}", "give its clusters, or an empty list"
    document.clusters = getattr(document, chosen or given[0])
    if document.sentences is None:
        if document.tokens is None:
            return "the document has no sentences or tokens", "give its words"
        document.sentences = [document.tokens] if document.tokens else []
    sentences = document.sentences
    if document.pos is not None:
        if document.pos and all(isinstance(each, str) for each in document.pos):
            document.pos = [list(map(str, document.pos))]
        if [len(each) if isinstance(each, list) else -1 for each in document.pos] != list(map(len, sentences)):
            return "pos has not the shape of sentences", "give one POS for every word"
    size = sum(map(len, sentences))
    for start, end in chain.from_iterable(document.clusters or ()):
        if not 0 <= start <= end < size:
            finding = f"the mention [{start}, {end}] is outside the document, which has {counted(size, 'token')}"
            return finding, "give the first and the last token of each mention, counted from 0"
    return None


def _annotation(
    source: Source, found: list[tuple[int, Document]], names: DocumentNames, vocabulary: Vocabulary, reading: Reading
) -> Annotation:
    documents = [document for _, document in found]
    sentences = [sentence for document in documents for sentence in document.sentences or ()]
    bounds = np.append(0, np.cumsum(ints([len(sentence) for sentence in sentences])))
    counts = ints([len(document.sentences or ()) for document in documents])
    first = np.cumsum(counts) - counts
    lengths = np.diff(np.append(bounds[first], bounds[-1]))
    lines = ints([number for number, _ in found])
    corpus = Corpus(
        source.shown,
        len(sentences),
        bounds,
        Tokens.of(list(chain.from_iterable(sentences))),
        np.repeat(lines, lengths),
        documents=first,
        names=tuple(names.once(document.doc_key, number) for number, document in found),
        unnamed=not any(document.doc_key for document in documents),
        marks=lines,
    )
    layers: dict[str, Layer] = {"chains": _chains(documents, vocabulary)}
    if all(document.pos is not None for document in documents):
        tags = [tag for document in documents for sentence in document.pos or () for tag in sentence]
        layers["pos"] = Written(Tokens.of(tags), vocabulary.columns["pos"])
    return Annotation(corpus, layers, {"chains": reading}, source.name)


def _chains(documents: Sequence[Document], vocabulary: Vocabulary) -> Chains:
    rows, chains = list[tuple[int, int, int, int]](), 0
    for number, document in enumerate(documents):
        for cluster in document.clusters or ():
            rows += [(number, start, end + 1, chains) for start, end in cluster]
            chains += 1
    return Chains.of(vocabulary, *ints(rows).reshape(-1, 4).T)


def write(annotation: Annotation) -> Iterator[str]:
    """A line a document."""
    corpus, pos = annotation.corpus, annotation.layers.get("pos")
    assert corpus.bounds is not None
    assert corpus.tokens is not None
    words = corpus.tokens.texts(0, len(corpus.tokens))
    tags = pos.to_list() if isinstance(pos, Tags) else None
    clusters = annotation.chains().clusters(len(corpus.names))
    edges = np.append(corpus.documents, corpus.sentences).tolist()
    bounds = corpus.bounds.tolist()
    for number, name in enumerate(corpus.names):
        sentences = [(bounds[at], bounds[at + 1]) for at in range(*edges[number : number + 2])]
        record: dict[str, object] = {"doc_key": name, "sentences": [words[begin:end] for begin, end in sentences]}
        if tags is not None:
            record["pos"] = [tags[begin:end] for begin, end in sentences]
        record["clusters"] = [[[start, end - 1] for start, end in cluster] for cluster in clusters[number]]
        yield msgspec.json.encode(record).decode() + "\n"
