"""spaCy: DocBin files (`*.spacy`) and objects, with spans from `doc.ents` or from a span group.

The layer is chosen once for the whole input: the one that the user names (`ents`, or a span group); otherwise
`doc.ents` if one document has them; otherwise the span group if all groups have the same name. Groups with several
names are an error. Spans of other layers are left out and counted. A fresh `Doc` lacks the layer `ents`; with
`doc.ents = []`, it has it. A document without sentence boundaries is one sentence. A span that crosses a sentence
boundary belongs to the sentence it begins in. Messages name documents by their number, from 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import UNNAMED
from evenhand.data.from_lists import check_name
from evenhand.data.layers import Spans, is_flat
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.files import write_file
from evenhand.formats.format import (
    Capabilities,
    Contents,
    Detection,
    Format,
    ObjectSupport,
    Reader,
    Writer,
    type_names,
    wrap_object,
)
from evenhand.formats.read import open_object
from evenhand.formats.source import Source
from evenhand.parameters import checked_arguments, quote
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

SUFFIX = ".spacy"
ENTITIES = "ents"
GROUP = "spans"
"""The span group that overlapping spans are written to."""
_BATCH = 500
"""The number of documents that are read at a time; no figure depends on it."""
_ATTRIBUTES = ("SENT_START", "ENT_IOB", "ENT_TYPE")
_BROKEN = (ValueError, LookupError, TypeError, AttributeError)
"""Raised by spaCy for bytes that are not a DocBin."""


def is_doc_bin(source: Source, task: str | None) -> bool:
    """Whether the file has the suffix that spaCy's own commands write."""
    return source.suffix == SUFFIX


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    doc_bin = _spacy(source.display_name).DocBin()
    data = source.read_whole()
    with _checked(source):
        doc_bin.from_bytes(data)
    yield from Docs.of_bin(source, doc_bin).read(vocabulary, columns)


@dataclass(frozen=True)
class Docs:
    """spaCy's documents, in a file or in memory."""

    source: Source
    again: Callable[[], Iterator[Any]]
    """Returns the documents from the first one on; it may be called several times."""
    has_entities: bool = True
    what: str = "the file"
    how: str = "with --column"
    """How a user names the spans to read."""

    @staticmethod
    def of_bin(source: Source, doc_bin: Any, **words: str) -> Docs:
        """The documents of a DocBin."""

        def again() -> Iterator[Any]:
            with _checked(source):
                yield from doc_bin.get_docs(_vocab())

        return Docs(source, again, import_module("spacy.attrs").ENT_IOB in doc_bin.attrs, **words)

    def read(self, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
        """The documents in batches."""
        reading = self._choose(tuple(map(str, columns.get("spans", ()))))
        docs, first = self.again(), 1
        while batch := list(islice(docs, _BATCH)):
            yield _annotation(self.source, batch, first, reading, vocabulary)
            first += len(batch)
        if first == 1:
            raise self.source.error(None, f"{self.what} has no documents", "check how it was written")

    def _choose(self, names: tuple[str, ...]) -> ReadInfo:
        """The layers of the documents, and the one to read; `names` are those that a user gives."""
        group_names, has_entities, has_tokens = set[str](), False, False
        for doc in self.again():
            group_names.update(doc.spans)
            has_tokens = has_tokens or len(doc) > 0
            has_entities = has_entities or (len(doc) > 0 and doc.has_annotation("ENT_IOB"))  # True without tokens
        has_entities = has_entities or not (has_tokens or group_names)
        groups = sorted(group_names)
        layers = ((ENTITIES,) if has_entities else ()) + tuple(groups)
        chosen = names or (() if has_entities else tuple(groups)) or (ENTITIES,)
        if len(chosen) > 1:
            finding = f"several span groups could be read: {', '.join(chosen)}"
            raise self.source.error(None, finding, f"name one of them, or {ENTITIES}, {self.how}")
        if chosen[0] not in (ENTITIES, *groups):
            finding = f"there is no span group {chosen[0]!r}, there are {', '.join((ENTITIES, *groups))}"
            raise self.source.error(None, finding, f"name one of these {self.how}")
        if chosen == (ENTITIES,) and not self.has_entities:
            finding = f"{self.what} was written without entities"
            raise self.source.error(None, finding, "write it with ENT_IOB and ENT_TYPE among the DocBin's attributes")
        return ReadInfo(FORMAT.name, column=chosen[0], layers=layers, is_layer_named=bool(names))


def write(path: Path, read: Callable[[], Iterator[Annotation]], conversion: Conversion) -> None:
    """Write spans and their text as a DocBin, with one `Doc` per document.

    Spans go to `doc.ents` if none overlap in the whole file, otherwise to `doc.spans["spans"]`.
    """
    annotation = Annotation.concatenate(list(read()))
    corpus, spans = annotation.corpus, annotation.spans()
    if corpus.tokens is None or corpus.bounds is None or corpus.atoms != "tokens":
        raise InputError(corpus.source, None, "it has no tokens, which spaCy needs", "take a file with tokens")
    document = corpus.document_of(spans.scope)
    before = corpus.bounds[spans.scope] - corpus.document_bounds[document]
    spans = replace(spans, scope=document, start=before + spans.start, end=before + spans.end)
    _check(corpus, spans)
    tokens_module = _spacy(str(path))
    data: bytes = tokens_module.DocBin(attrs=_ATTRIBUTES, docs=_docs(corpus, spans, tokens_module)).to_bytes()
    write_file(path, data)


def _spacy(source: str) -> Any:
    """The module `spacy.tokens`, which takes a second to load and may be missing."""
    try:
        return import_module("spacy.tokens")
    except ImportError:
        finding = "files of this format take spaCy, which is not installed"
        raise InputError(source, None, finding, "run: pip install evenhand[spacy]") from None


def _vocab() -> Any:
    return import_module("spacy.vocab").Vocab()


@contextmanager
def _checked(source: Source) -> Iterator[None]:
    """Turn errors of spaCy into errors of the file."""
    try:
        yield
    except _BROKEN:
        finding = "the file is not a DocBin, or a broken one"
        raise source.error(None, finding, "write it with spaCy's DocBin.to_disk") from None


def _annotation(source: Source, docs: list[Any], first: int, reading: ReadInfo, vocabulary: Vocabulary) -> Annotation:
    """The documents of a batch; `first` is the number of its first document."""
    layer = reading.column or ENTITIES
    words, spaces, starts, documents = list[str](), list[str](), list[int](), list[int]()
    rows = list[tuple[int, int, int]]()
    for number, doc in enumerate(docs, first):
        begin = len(words)
        documents.append(len(starts))
        # Without sentence boundaries, and for an empty document, there is one sentence.
        sentences = [sentence.start for sentence in doc.sents] if doc.has_annotation("SENT_START") else []
        starts += [begin + start for start in sentences or [0]]
        words += [token.text for token in doc]
        spaces += [token.whitespace_ for token in doc]
        for label, start, end in _spans(source, doc, layer):
            if start >= end:
                finding = f"the span {label!r} at token {start} covers no tokens"
                raise source.error(number, finding, "write the file again without it")
            rows.append((begin + start, begin + end, vocabulary.labels.code(label)))
    bounds = ints([*starts, len(words)])
    tokens, edges = Tokens.in_text(words, spaces)
    corpus = Corpus(
        source=source.display_name,
        sentences=len(starts),
        bounds=bounds,
        tokens=tokens,
        lines=np.repeat(np.arange(first, first + len(docs)), [len(doc) for doc in docs]),
        documents=ints(documents),
        raw=edges[bounds],
        texts=edges[np.append(bounds[documents], len(words))],
    )
    starts_of_spans, ends_of_spans, code = ints(rows).reshape(-1, 3).T
    scope = np.searchsorted(bounds[:-1], starts_of_spans, side="right") - 1
    spans = Spans.of(vocabulary, scope, starts_of_spans - bounds[scope], ends_of_spans - bounds[scope], code)
    reading = replace(reading, skipped=_skipped(docs, layer))
    return Annotation(corpus, {"spans": spans}, {"spans": reading}, source.name)


def _skipped(docs: list[Any], layer: str) -> dict[str, int]:
    counts = Counter[str]()
    for doc in docs:
        if layer != ENTITIES:
            counts[f"entities beside the span group {layer!r}"] += len(doc.ents)
        for name, group in doc.spans.items():
            if name != layer:
                counts[f"spans of the span group {name!r}"] += len(group)
    return {what: count for what, count in counts.items() if count}


def _spans(source: Source, doc: Any, layer: str) -> list[tuple[str, int, int]]:
    with _checked(source):  # spaCy checks spans and looks up their labels only now
        spans = doc.ents if layer == ENTITIES else doc.spans.get(layer, ())
        return [(span.label_ or UNNAMED, span.start, span.end) for span in spans]


def _check(corpus: Corpus, spans: Spans) -> None:
    """Raise an error for annotations that a DocBin cannot represent; spans are counted within documents."""
    assert corpus.bounds is not None
    assert corpus.tokens is not None
    document_of = corpus.document_of(np.arange(corpus.sentences))
    has_company = np.bincount(document_of)[document_of] > 1
    bounds = corpus.document_bounds
    start, size = bounds[spans.scope] + spans.start, np.diff(bounds)[spans.scope]
    for token, finding in (
        (np.flatnonzero(corpus.tokens.start == corpus.tokens.end), "a token is empty, which spaCy does not allow"),
        (corpus.bounds[:-1][has_company & (corpus.lengths == 0)], "a sentence is empty, which spaCy does not allow"),
        (start[spans.shape > 0], "a span leaves tokens out, which spaCy's spans cannot"),
        (start[spans.end > size], "a span ends after its document, which spaCy does not allow"),
    ):
        if len(token):
            raise InputError(corpus.source, corpus.line(int(token[0])), finding, "mend it, or choose another format")


def _docs(corpus: Corpus, spans: Spans, tokens_module: Any) -> Iterator[Any]:
    assert corpus.bounds is not None
    assert corpus.tokens is not None
    vocab, flat = _vocab(), is_flat(spans)
    rows: list[list[tuple[str, int, int]]] = [[] for _ in corpus.documents]
    for label, document, start, end in spans.rows():
        rows[document].append((label, start, end))
    begins_sentence = np.zeros(len(corpus.tokens) + 1, dtype=np.bool_)
    begins_sentence[corpus.bounds] = True
    for (first, last), listed in zip(pairwise(corpus.document_bounds.tolist()), rows, strict=True):
        words = corpus.tokens.texts(first, last)
        doc = tokens_module.Doc(vocab, words=words, sent_starts=begins_sentence[first:last].tolist())
        doc_spans = [tokens_module.Span(doc, start, end, label=label) for label, start, end in listed]
        if flat:
            doc.set_ents(doc_spans)
        else:
            doc.spans[GROUP] = doc_spans
        yield doc


FORMAT = Format(
    "spacy",
    "spaCy's DocBin",
    readers={"spans": Reader(read)},
    writers={"spans": Writer(Capabilities(characters=False, levels=False, gaps=False), file=write)},
    suffixes=(SUFFIX,),
    detection=Detection(suffixes=(SUFFIX,), certain=is_doc_bin),
    contents=Contents(has_columns=True),
    objects=ObjectSupport(
        "docs",
        ("spacy.Doc", "spacy.DocBin", "spacy.Example"),
        lazy("evenhand.formats.spacy:read_spacy_objects"),
        members=("spacy.Doc", "spacy.Example"),
        pairs=("spacy.Example",),
    ),
)


# Objects in memory


_DOCUMENTS = {"gold": "reference", "system": "predicted"}
"""The document of an example, by side."""


@checked_arguments()
def docs(docs: Any, *, group: str | None = None, name: str = "docs") -> Annotation:
    """An annotation from spaCy's documents: a `Doc`, several of them in any iterable, or a `DocBin`.

    `group` is the span group to read (`doc.spans[group]`), or "ents" for the entities. Without it, the entities are
    read if one document has them, otherwise the span group if all groups have the same name.
    """
    check_name(name)
    if isinstance(docs, str | PathLike):
        raise SettingError(f"{quote(docs)} is a path; read the file: eh.read({quote(docs)}).")
    is_single = not isinstance(docs, Iterable) or wrap_object(docs) is not None
    value = docs if is_single else list(docs)
    wrapped = wrap_object(value, name)
    if wrapped is None or wrapped.format is not FORMAT:
        raise SettingError(f"{quote(docs)} has no documents of spaCy's; give a Doc, a list of these, or a DocBin.")
    settings = ReadSettings(columns=() if group is None else (group,))
    return Annotation.concatenate(list(open_object(wrapped, settings).batches(Vocabulary())))


def read_spacy_objects(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents in batches."""
    how = "with column=…, or make the side with eh.docs(docs, group=…)"
    if "spacy.DocBin" in type_names(value):
        return Docs.of_bin(source, value, what="the DocBin", how=how).read(vocabulary, columns)
    members = value if isinstance(value, list | tuple) else [value]
    documents = [_document(source, settings, number, member) for number, member in enumerate(members, 1)]
    return Docs(source, lambda: iter(documents), how=how).read(vocabulary, columns)


def _document(source: Source, settings: ReadSettings, number: int, value: Any) -> Any:
    """A document, or one of the two documents of an example."""
    types = type_names(value)
    if "spacy.Doc" in types:
        return value
    if "spacy.Example" not in types:
        raise source.error(number, f"found {quote(value)} where a Doc should be", "give a list of documents only")
    if settings.side is None:
        finding = "an Example has two documents"
        raise source.error(number, finding, "give eh.docs the references or the predictions, or examples to eh.score")
    return getattr(value, _DOCUMENTS[settings.side])
