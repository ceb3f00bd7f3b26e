"""spaCy: DocBin files (`*.spacy`) and objects, with all layers of their documents.

| layer                       | from                          | task  | a document has it if                  |
| --------------------------- | ----------------------------- | ----- | ------------------------------------- |
| `ents`                      | `doc.ents`                    | spans | it was set, if only to `[]` (ENT_IOB) |
| `spans:KEY`                 | `doc.spans[KEY]`              | spans | KEY is in `doc.spans`, even if empty  |
| `links`                     | `ent.kb_id_`                  | links | one entity has an identifier          |
| `tag` `pos` `lemma` `morph` | `token.tag_`, `token.pos_` …  | tags  | one token has a value                 |
| `trees`                     | `token.head`, `token.dep_`    | trees | one token has a relation              |
| `sents`                     | `doc.sents`                   | spans | one token has SENT_START              |

`links` of a span group are read with `spans:KEY` and the task `links`. A group may be named without `spans:`.

One layer is read from both sides. It is the one that the user names, which both sides must have. Otherwise it is
`ents` if both sides have entities, or the only layer that both have. A side has a layer if one of its documents does.

*Missing annotation* is left out of the gold standard and never read as "nothing": documents without the layer, tokens
with ENT_IOB 0, and tokens without a tag or a relation. It is a layer of its own, spans that cover these tokens. A
system's document without the layer is empty, and its empty tag is a wrong tag.

A document without sentence boundaries is one sentence; for `sents`, every document is one. A span that crosses a
sentence boundary belongs to the sentence it begins in. Relations are compared in lower case, as in spaCy's scorer.
Messages name documents by their number, from 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import islice, pairwise, zip_longest
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import UNANNOTATED, Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import UNNAMED
from evenhand.data.from_lists import check_name
from evenhand.data.layers import FEATURES, FeatureSets, Spans, TagColumn, Trees, is_flat
from evenhand.data.structures import Link, code_links
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.files import write_file
from evenhand.formats.format import (
    Capabilities,
    Contents,
    Detection,
    Fit,
    Format,
    ObjectSupport,
    Reader,
    Writer,
    type_names,
    wrap_object,
)
from evenhand.formats.read import OpenFile, OpenFiles, open_object
from evenhand.formats.source import Source
from evenhand.parameters import checked_arguments, quote
from evenhand.registry import lazy
from evenhand.settings import BLANK_LINKS, LINKS, MISSING, Align, Columns, ReadSettings, columns_of_side

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

SUFFIX = ".spacy"
ENTITIES, SENTENCES, TREES = "ents", "sents", "trees"
GROUPS = "spans:"
"""The prefix of the layer of a span group."""
GROUP = "spans"
"""The span group that overlapping spans are written to."""
_ANNOTATE = (
    "a fresh Doc has no entities, doc.ents = [] marks that there are none, and a DocBin stores what its attrs name"
)
ALL = "all"
"""In place of a layer: every layer that both sides have; after the name of one: others are scored, too."""
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
    yield from _file_docs(source).read(settings, vocabulary, columns)


def _file_docs(source: Source) -> Docs:
    doc_bin = _spacy(source.display_name).DocBin()
    data = source.read_whole()
    with _checked(source):
        doc_bin.from_bytes(data)
    return Docs.of_bin(source, doc_bin)


@dataclass(frozen=True)
class LayerKind:
    """A layer: the task that it is scored as, and how it is read from documents."""

    task: str
    attribute: str | None
    """spaCy's attribute that marks the documents that have it; None: its key in `doc.spans` does."""
    is_used: Callable[[Any], bool] | None = None
    """Whether a document with the attribute has the layer, if not every one does."""
    spans: Callable[[Any, str], Iterable[Any]] | None = None
    """The spans of a document; None for layers of tokens."""
    value: Callable[[Any], str] | None = None
    """The tag of a token, "" if it lacks one."""
    are_features: bool = False
    lacks: Callable[[Any], bool] | None = None
    """Whether a token of a document with the layer lacks it, if tokens can."""
    sentences: Literal["kept", "joined", "none"] = "kept"
    """How the sentences of a document are used: as they are, joined if a tree crosses their boundaries, or not."""
    align: Align | None = None
    """The default alignment of tokens that differ; None: that of the task."""
    fit: Fit = "equal"
    """How `align="overlap"` places spans on gold tokens that differ, as spaCy's scorer."""
    has_links: bool = False
    """Whether its spans may be read as links."""
    counts_others: bool = False
    """Whether a note counts the spans of other layers."""


def _features(token: Any) -> str:
    """The features of a token; `_` if they are set to nothing."""
    return str(token.morph) or ("_" if token.has_morph() else "")


LAYERS = {
    ENTITIES: LayerKind(
        "spans",
        "ENT_IOB",
        spans=lambda doc, _: doc.ents,
        lacks=lambda token: token.ent_iob == 0,
        align="characters",  # `overlap` expands entities to gold tokens
        fit="expand",
        has_links=True,
        counts_others=True,
    ),
    LINKS: LayerKind(
        LINKS,
        "ENT_IOB",
        is_used=lambda doc: any(span.kb_id for span in doc.ents),
        spans=lambda doc, _: doc.ents,
        align="characters",
        has_links=True,
    ),
    "tag": LayerKind("tags", "TAG", value=lambda token: token.tag_),
    "pos": LayerKind("tags", "POS", value=lambda token: token.pos_),
    "lemma": LayerKind("tags", "LEMMA", value=lambda token: token.lemma_),
    "morph": LayerKind("tags", "MORPH", value=_features, are_features=True),
    TREES: LayerKind(TREES, "DEP", lacks=lambda token: token.dep == 0, sentences="joined"),
    SENTENCES: LayerKind(
        "spans",
        "SENT_START",
        spans=lambda doc, _: doc.sents if len(doc) and doc.has_annotation("SENT_START") else (),
        sentences="none",
        align="overlap",
        fit="disjoint",
    ),
}
"""The layers by name, in the order of messages; tags are by precedence."""
_GROUP_KIND = LayerKind(
    "spans",
    None,
    spans=lambda doc, layer: doc.spans.get(layer.removeprefix(GROUPS), ()),
    align="overlap",
    has_links=True,
    counts_others=True,
)
TAGS = tuple(name for name, kind in LAYERS.items() if kind.value is not None)


def _kind_of(layer: str) -> LayerKind:
    return LAYERS.get(layer, _GROUP_KIND)


@dataclass(frozen=True)
class Docs:
    """spaCy's documents, in a file or in memory."""

    source: Source
    again: Callable[[], Iterator[Any]]
    """Returns the documents from the first one on; it may be called several times."""
    what: str = "the file"
    how: str = "with --column"
    """How a user names the layer to read."""
    is_required: bool = True
    """Whether a document must have the named layer."""

    @staticmethod
    def of_bin(source: Source, doc_bin: Any, what: str = "the file", how: str = "with --column") -> Docs:
        """The documents of a DocBin."""

        def again() -> Iterator[Any]:
            with _checked(source):
                yield from doc_bin.get_docs(_vocab())

        return Docs(source, again, what, how)

    def read(self, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
        """The documents in batches."""
        names = tuple(map(str, columns.get("spans", ())))
        reading = self._choose(tuple(name for name in names if name != ALL), settings.task)
        docs, first = self.again(), 1
        while batch := list(islice(docs, _BATCH)):
            yield _annotation(self.source, batch, first, reading, settings, vocabulary, is_one_of_all=ALL in names)
            first += len(batch)

    def layers(self) -> dict[str, int]:
        """The layers that a document has, and the number of documents that have each."""
        counts, is_empty, documents = Counter[str](), True, 0
        for doc in self.again():
            documents += 1
            counts.update(_layers(doc))
            is_empty = is_empty and not len(doc)
        if not documents:
            raise self.source.error(None, f"{self.what} has no documents", "check how it was written")
        if is_empty and not counts:  # documents without text have no entities, as annotated
            counts[ENTITIES] = documents
        groups = sorted(name for name in counts if name.startswith(GROUPS))
        return {name: counts[name] for name in (ENTITIES, *groups, *LAYERS) if counts[name]}

    def _choose(self, names: tuple[str, ...], task: str | None) -> ReadInfo:
        """The layers of the documents, and the one to read; `names` are those that a user gives."""
        layers = tuple(self.layers())
        if len(names) > 1:
            raise self.source.error(
                None, f"two layers are named: {', '.join(names)}", f"specify one of them {self.how}"
            )
        of_task = layers if task is None else of_task_among(layers, task)
        groups = [layer for layer in of_task if layer.startswith(GROUPS)]
        chosen = default_layers(of_task)
        if names:
            chosen = [layer_named(names[0])]
        elif len(chosen) > 1 and groups:  # a file that is read alone usually has sentences, too
            chosen = groups
        if names:
            _checked_task(dict.fromkeys(("gold", "system"), chosen[0]), task)
        if names and self.is_required and chosen[0] not in layers:
            raise self.source.error(None, _lacking(chosen[0], layers, "it has"), self._without(layers))
        if len(chosen) > 1:
            raise self.source.error(None, f"it has the layers {listed(chosen)}", f"specify one of them {self.how}")
        if not chosen:
            finding = (
                f"it has no {f'layer of {task}' if task else 'layer'}{f', only {listed(layers)}' if layers else ''}"
            )
            raise self.source.error(None, finding, self._without(layers))
        layers = layers if self.is_required or chosen[0] in layers else (*layers, chosen[0])
        return ReadInfo(FORMAT.name, column=chosen[0], layers=layers, is_layer_named=bool(names))

    def _without(self, layers: Sequence[str]) -> str:
        if not layers and any(doc.cats for doc in self.again()):
            return "doc.cats labels whole documents and is not read; annotate a layer of the text"
        return _ANNOTATE


def layer_named(name: str) -> str:
    """The layer that a user names; a name that is not a layer's is that of a span group."""
    return name if name in LAYERS or name.startswith(GROUPS) else f"{GROUPS}{name}"


def task_of(layer: str) -> str:
    """The task that a layer is scored as."""
    return _kind_of(layer).task


def of_task_among(layers: Sequence[str], task: str) -> list[str]:
    """The layers of a task, without less usual ones of the same kind: tags are `tag`, otherwise `pos`."""
    chosen = [layer for layer in layers if task_of(layer) == task]
    return [layer for layer in chosen if layer not in TAGS or layer == chosen[0]]


def default_layers(layers: Sequence[str]) -> list[str]:
    """The layers that are meant if a user names none: entities before all others."""
    return [ENTITIES] if ENTITIES in layers else list(layers)


def listed(layers: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(layers[:-1]), *layers[-1:]]))


def _layers(doc: Any) -> list[str]:
    """The layers that a document has; a document without tokens has only its span groups."""
    groups = [f"{GROUPS}{name}" for name in doc.spans]
    if not len(doc):
        return groups
    present = ((name, kind) for name, kind in LAYERS.items() if has_layer(doc, name))
    return [*(name for name, kind in present if kind.is_used is None or kind.is_used(doc)), *groups]


def write(path: Path, read: Callable[[], Iterator[Annotation]], conversion: Conversion) -> None:
    """Write spans and their text as a DocBin, with one `Doc` per document.

    Spans go to `doc.ents` if none overlap in the whole file, otherwise to `doc.spans["spans"]`.
    """
    annotation = Annotation.concatenate(list(read()))
    corpus, spans = annotation.corpus, annotation.spans()
    if corpus.tokens is None or corpus.bounds is None or corpus.atoms != "tokens":
        raise InputError(corpus.source, None, "it has no tokens, which spaCy needs", "use a file with tokens")
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
        finding = "files of this format need spaCy, which is not installed"
        raise InputError(source, None, finding, "run: pip install evenhand[spacy]") from None


def _vocab() -> Any:
    return import_module("spacy.vocab").Vocab()


@contextmanager
def _checked(source: Source) -> Iterator[None]:
    """Turn errors of spaCy into errors of the file."""
    try:
        yield
    except _BROKEN:
        finding = "the file is not a DocBin, or is broken"
        raise source.error(None, finding, "write it with spaCy's DocBin.to_disk") from None


def _annotation(
    source: Source,
    docs: list[Any],
    first: int,
    reading: ReadInfo,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    *,
    is_one_of_all: bool,
) -> Annotation:
    """The documents of a batch; `first` is the number of its first document."""
    layer = reading.column or ENTITIES
    kind = _kind_of(layer)
    task = settings.task or kind.task
    bounds, documents = _sentences(docs, kind)
    corpus = _corpus(source, docs, first, bounds, documents)
    data: Layer
    if kind.spans is not None:
        data = _spans(source, docs, first, layer, task, corpus, vocabulary)
    elif kind.value is not None:
        cells = Tokens.of([kind.value(token) for doc in docs for token in doc])
        column = vocabulary.columns[FEATURES if kind.are_features else layer]
        data = FeatureSets(cells, column) if kind.are_features else TagColumn(cells, column)
    else:
        data = _trees(source, docs, first, corpus, vocabulary)
    missing, unannotated = _missing(docs, layer, task, corpus, vocabulary)
    skipped = _skipped(docs, layer, task, is_one_of_all=is_one_of_all)
    skipped |= {} if settings.side == "system" else unannotated
    reading = replace(reading, skipped={what: count for what, count in skipped.items() if count})
    role = "words" if kind.spans is None else task
    return Annotation(corpus, {task: data, MISSING: missing}, {role: reading}, source.name)


def _sentences(docs: list[Any], kind: LayerKind) -> tuple[Ints, Ints]:
    """The bounds of the sentences in tokens, and the first sentence of each document."""
    starts, documents, begin = list[int](), list[int](), 0
    for doc in docs:
        documents.append(len(starts))
        # Without sentence boundaries, and for an empty document, there is one sentence.
        has_sentences = kind.sentences != "none" and len(doc) and doc.has_annotation("SENT_START")
        sentences = [sentence.start for sentence in doc.sents] if has_sentences else [0]
        if kind.sentences == "joined" and len(sentences) > 1:
            inside = np.searchsorted(sentences, [[token.i, token.head.i] for token in doc], side="right")
            sentences = sentences if (inside[:, 0] == inside[:, 1]).all() else [0]
        starts += [begin + start for start in sentences]
        begin += len(doc)
    return ints([*starts, begin]), ints(documents)


def _corpus(source: Source, docs: list[Any], first: int, bounds: Ints, documents: Ints) -> Corpus:
    words = [token.text for doc in docs for token in doc]
    tokens, edges = Tokens.in_text(words, [token.whitespace_ for doc in docs for token in doc])
    return Corpus(
        source=source.display_name,
        sentences=len(bounds) - 1,
        bounds=bounds,
        tokens=tokens,
        lines=np.repeat(np.arange(first, first + len(docs)), [len(doc) for doc in docs]),
        documents=documents,
        raw=edges[bounds],
        texts=edges[np.append(bounds[documents], len(words))],
    )


def _trees(source: Source, docs: list[Any], first: int, corpus: Corpus, vocabulary: Vocabulary) -> Trees:
    """Heads as numbers in the sentence, and relations in lower case; the head of a root is the token itself."""
    assert corpus.bounds is not None
    relations = [token.dep_.lower() for doc in docs for token in doc]
    undone = next((row for row, relation in enumerate(relations) if "||" in relation), None)
    if undone is not None:
        finding = f"the relation {relations[undone]!r} is one of a tree that was made projective"
        raise source.error(
            corpus.line(undone), finding, "score the output of the whole pipeline, which restores the heads"
        )
    sizes = [len(doc) for doc in docs]
    head = ints([token.head.i for doc in docs for token in doc]) + np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    word = np.arange(len(head))
    number = np.where(head == word, 0, head - corpus.bounds[corpus.sentence_of[word]] + 1)
    return Trees(number, TagColumn(Tokens.of(relations), vocabulary.columns["deprel"]))


def _spans(
    source: Source, docs: list[Any], first: int, layer: str, task: str, corpus: Corpus, vocabulary: Vocabulary
) -> Spans:
    """The spans of a layer, with their identifiers if these are scored."""
    assert corpus.bounds is not None
    rows, links, begin = list[tuple[int, int, int]](), list[Link | None](), 0
    for number, doc in enumerate(docs, first):
        for label, start, end, identifier in _listed_spans(source, doc, layer):
            if start >= end:
                finding = f"the span {label!r} at token {start} covers no tokens"
                raise source.error(number, finding, "write the file again without it")
            rows.append((begin + start, begin + end, vocabulary.labels.code(label)))
            links.append(Link((identifier,)))
        begin += len(doc)
    first_token, end_token, code = ints(rows).reshape(-1, 3).T
    scope = np.searchsorted(corpus.bounds[:-1], first_token, side="right") - 1
    shift = corpus.bounds[scope]
    spans = Spans.of(vocabulary, scope, first_token - shift, end_token - shift, code)
    return replace(spans, extra=code_links(links, vocabulary)) if task == LINKS else spans


def _listed_spans(source: Source, doc: Any, layer: str) -> list[tuple[str, int, int, str]]:
    listed = _kind_of(layer).spans
    assert listed is not None
    with _checked(source):  # spaCy checks spans and looks up their labels only now
        rows = [(span.label_ or UNNAMED, span.start, span.end, span.kb_id_) for span in listed(doc, layer)]
    return list(dict.fromkeys(rows))  # repeated spans are one, as in spaCy's scorer


def _missing(
    docs: list[Any], layer: str, task: str, corpus: Corpus, vocabulary: Vocabulary
) -> tuple[Spans, dict[str, int]]:
    """The tokens that lack the layer, as spans of one token, and the counts for notes."""
    assert corpus.bounds is not None
    present = [has_layer(doc, layer) for doc in docs]
    masks = [
        _lacks(doc, layer, task) if has else np.ones(len(doc), dtype=np.bool_)
        for doc, has in zip(docs, present, strict=True)
    ]
    word = np.flatnonzero(np.concatenate(masks))
    scope = ints(corpus.sentence_of[word])
    start = ints(word - corpus.bounds[scope])
    label = np.full(len(word), vocabulary.labels.code(UNNAMED) if len(word) else 0, dtype=np.int64)
    spans = Spans.of(vocabulary, scope, start, ints(start + 1), label)
    of_documents = sum(len(doc) > 0 and not has for doc, has in zip(docs, present, strict=True))
    inside = sum(int(mask.sum()) for mask, has in zip(masks, present, strict=True) if has)
    names = (f"{UNANNOTATED} {unit} of the layer {layer}" for unit in ("documents", "tokens"))
    return spans, dict(zip(names, (of_documents, inside), strict=True))


def has_layer(doc: Any, layer: str) -> bool:
    """Whether a document has a layer; for links, entities."""
    attribute = _kind_of(layer).attribute
    return layer.removeprefix(GROUPS) in doc.spans if attribute is None else bool(doc.has_annotation(attribute))


def _lacks(doc: Any, layer: str, task: str) -> Bools:
    """Which tokens of a document that has the layer lack it."""
    kind = _kind_of(layer)
    if kind.value is not None:
        return np.array([not kind.value(token) for token in doc], dtype=np.bool_)
    if kind.lacks is None or task != kind.task:
        return np.zeros(len(doc), dtype=np.bool_)
    return np.array([kind.lacks(token) for token in doc], dtype=np.bool_)


def _skipped(docs: list[Any], layer: str, task: str, *, is_one_of_all: bool) -> dict[str, int]:
    """Repeated spans, and spans of layers that are not scored; other layers of the tokens are not listed."""
    kind = _kind_of(layer)
    counts = Counter[str]()
    for doc in docs if kind.counts_others and task == kind.task else ():
        if layer != ENTITIES and not is_one_of_all:
            counts[f"entities beside the span group {layer.removeprefix(GROUPS)!r}"] += len(doc.ents)
        for name, group in doc.spans.items():
            if f"{GROUPS}{name}" == layer:
                keys = {(span.start, span.end, span.label, span.kb_id) for span in group}
                counts["repeated spans"] += len(group) - len(keys)
            elif not is_one_of_all:
                counts[f"spans of the span group {name!r}"] += len(group)
    return counts


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
            raise InputError(corpus.source, corpus.line(int(token[0])), finding, "fix it, or choose another format")


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


# The choice of one layer for both sides


def choose_layers(
    gold: OpenFiles, systems: Mapping[str, OpenFiles | Annotation], task: str | None, column: Any, align: Align | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The layer that is read from both sides, as options, and notes.

    `column` is the layer that the user names, one per side, or `all`: then the option is `layers`. Systems of other
    formats have no layers to choose from.
    """
    of_gold = Side("The gold standard", _docs_of(gold))
    of_systems = []
    for name, files in systems.items():
        title = "The system" if len(systems) == 1 else f"The system {name}"
        if isinstance(files, Annotation):
            if files.reading.layers is not None:
                of_systems.append(Side(title, None, {files.reading.column or ENTITIES: 1}))
        elif files.first.format is FORMAT:
            of_systems.append(Side(title, _docs_of(files)))
    if column == ALL:
        shared = [layer for layer in common_layers(of_gold, of_systems) if task in (None, task_of(layer))]
        if not shared:
            _default_layer(of_gold, of_systems, shared, task)  # raises the error
        return {"layers": tuple(shared)}, tuple(_notes_on_others(of_gold, of_systems))
    named = {side: columns_of_side(column, side) for side in ("gold", "system")}
    is_one_of_all = all(names[1:] == (ALL,) for names in named.values())
    for names in named.values():
        if len(names) > 1 and not is_one_of_all:
            raise SettingError(f"layer is {', '.join(map(str, names))}; name one layer.")
    notes: tuple[str, ...] = ()
    if any(named.values()):
        layers = {
            side: layer_named(str((names or named["system"] or named["gold"])[0])) for side, names in named.items()
        }
    else:
        shared = common_layers(of_gold, of_systems)
        layer = _default_layer(of_gold, of_systems, shared, task)
        layers = dict.fromkeys(named, layer)
        others = [other for other in shared if other != layer]
        if others:
            notes = (f'Both sides also have {listed(others)}; choose one with layer=…, or use layer="all".',)
    for side, layer in ((of_gold, layers["gold"]), *((system, layers["system"]) for system in of_systems)):
        side.check(layer)
    task = _checked_task(layers, task)
    columns = {side: (layer, ALL) for side, layer in layers.items()} if is_one_of_all else layers
    options: dict[str, Any] = {"column": columns, "task": task}
    documents = [side.docs for side in of_systems if side.docs is not None]
    if align in (None, "overlap") and of_gold.docs is not None:
        same = [_have_same_tokens(of_gold.docs, docs) for docs in documents]
        if (chosen := alignment_of(layers["gold"], task, has_same_tokens=all(same))) is not None:
            options["align"] = chosen
    return options, notes


def alignment_of(layer: str, task: str, *, has_same_tokens: bool) -> Align | None:
    """The default alignment of a layer of spans; None for other tasks, whose default does not depend on tokens."""
    align = _kind_of(LINKS if task == LINKS else layer).align
    return "strict" if align is not None and has_same_tokens else align


@dataclass(frozen=True)
class Side:
    """A side whose documents have layers."""

    title: str
    docs: Docs | None
    fixed: Mapping[str, int] | None = None
    """The layer that was read already."""

    @cached_property
    def layers(self) -> Mapping[str, int]:
        if self.fixed is not None:
            return self.fixed
        assert self.docs is not None
        return self.docs.layers()

    @property
    def has_categories(self) -> bool:
        return self.docs is not None and any(doc.cats for doc in self.docs.again())

    def check(self, layer: str) -> None:
        """Raise an error if no document of the side has the layer."""
        if layer in self.layers:
            return
        message = _lacking(layer, tuple(self.layers), f"{self.title} has")
        if not self.layers and self.has_categories:
            message += ", only doc.cats, which label whole documents and are not read"
        raise SettingError(f"{message}. Choose a layer with layer=….")


def _lacking(layer: str, layers: Sequence[str], subject: str) -> str:
    """`The system has no span group 'sc', only 'ruler' and ents`."""
    is_group = layer.startswith(GROUPS)
    named = {name: repr(name.removeprefix(GROUPS)) if is_group else name for name in layers if name.startswith(GROUPS)}
    others = [*named.values(), *(name for name in layers if name not in named)]
    what = f"span group {layer.removeprefix(GROUPS)!r}" if is_group else f"layer {layer}"
    return f"{subject} no {what}{f', only {listed(others)}' if others else ''}"


def common_layers(gold: Side, systems: Sequence[Side]) -> list[str]:
    """The layers that all sides have."""
    return [layer for layer in gold.layers if all(layer in system.layers for system in systems)]


def _notes_on_others(gold: Side, systems: Sequence[Side]) -> Iterator[str]:
    """The layers that a side has, but another side lacks."""
    for side in (gold, *systems):
        others = [layer for layer in side.layers if any(layer not in other.layers for other in (gold, *systems))]
        if others:
            yield f"{side.title} also has {listed(others)}, which not all sides have."


def _default_layer(gold: Side, systems: Sequence[Side], shared: Sequence[str], task: str | None) -> str:
    """The layer that is scored if the user names none."""
    chosen = default_layers(shared if task is None else of_task_among(shared, task))
    if len(chosen) > 1:
        raise SettingError(f'Both sides have {listed(chosen)}. Choose one with layer=…, or use layer="all".')
    if chosen:
        return chosen[0]
    sides = (gold, *systems)
    for side in sides if task is not None else ():
        layers = tuple(side.layers)
        if not of_task_among(layers, task or ""):
            only = f", only {listed(layers)}" if layers else ""
            raise SettingError(f"{side.title} has no layer of {task}{only}. Choose a layer with layer=….")
    has = ". ".join(f"{side.title} has {listed(tuple(side.layers)) or 'no layer'}" for side in sides)
    remedy = 'Compare two layers with layer={"gold": …, "system": …}'
    if not all(side.layers for side in sides):
        remedy = f"{_ANNOTATE[0].upper()}{_ANNOTATE[1:]}"
        if any(side.has_categories for side in sides):
            remedy = "doc.cats labels whole documents and is not read"
    raise SettingError(f"The two sides have no layer in common. {has}. {remedy}.")


def _checked_task(layers: Mapping[str, str], task: str | None) -> str:
    """The task that the layers are scored as; links may be read from entities and span groups."""
    tasks = {task_of(layer) for layer in layers.values()}
    if task == LINKS and all(_kind_of(layer).has_links for layer in layers.values()):
        return LINKS
    if len(tasks) > 1:
        raise SettingError(f"{layers['gold']} cannot be compared with {layers['system']}; choose layers of one task.")
    (own,) = tasks
    if task not in (None, own):
        raise SettingError(f"The layer {layers['gold']} is scored as {own}, not as {task}; remove the task.")
    return own


def _docs_of(files: OpenFiles) -> Docs:
    """The documents of one or several files, or of an object."""

    def again() -> Iterator[Any]:
        for file in files:
            yield from _opened(file).again()

    return replace(_opened(files.first), again=again)


def _opened(file: OpenFile) -> Docs:
    if file.value is not None:
        return _object_docs(file.value, file.source, file.settings)
    return _file_docs(file.source)


def _have_same_tokens(gold: Docs, system: Docs) -> bool:
    """Whether both sides have the same tokens; raises an error if their texts differ in more than case and spaces."""
    same, number = True, 0
    for number, (gold_doc, doc) in enumerate(zip_longest(gold.again(), system.again()), 1):
        if gold_doc is None or doc is None:
            finding = f"{'the gold standard' if gold_doc is None else 'the system'} ends before document {number}"
            raise system.source.error(number, finding, "give the same documents on both sides", "text")
        words, gold_words = ([token.text for token in each] for each in (doc, gold_doc))
        if words == gold_words:
            continue
        same = False
        text, gold_text = ("".join("".join(part).lower().split()) for part in (words, gold_words))
        if text != gold_text:
            at = next(
                (at for at, pair in enumerate(zip(text, gold_text, strict=False)) if pair[0] != pair[1]),
                min(len(text), len(gold_text)),
            )
            offset = _offset(doc.text, at)
            found, expected = (repr(each[at : at + 10]) if each[at:] else "the end" for each in (text, gold_text))
            finding = f"document {number} has {found} at offset {offset} where the gold standard has {expected}"
            raise system.source.error(
                number, finding, "give the same text on both sides; case and white space may differ", "text"
            )
    return same


def _offset(text: str, characters: int) -> int:
    """The offset after a number of characters that are not white space."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    return places[characters] if characters < len(places) else len(text)


FORMAT = Format(
    "spacy",
    "spaCy's DocBin",
    readers={task: Reader(read) for task in ("spans", "tags", "trees", "links")},
    writers={"spans": Writer(Capabilities(characters=False, levels=False, gaps=False), file=write)},
    suffixes=(SUFFIX,),
    detection=Detection(suffixes=(SUFFIX,), certain=is_doc_bin),
    contents=Contents(
        has_columns=True,
        has_missing=True,
        fits={name: kind.fit for name, kind in LAYERS.items()},
        choose=choose_layers,
        defaults={"tags": {"align": "overlap"}, "trees": {"align": "overlap", "punctuation": "spacy"}},
        traits=frozenset({BLANK_LINKS}),
    ),
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
def docs(docs: Any, *, layer: str | None = None, group: str | None = None, name: str = "docs") -> Annotation:
    """An annotation from spaCy's documents: a `Doc`, several of them in any iterable, or a `DocBin`.

    `layer` is what to read: "ents", "spans:KEY", "links", "tag", "pos", "lemma", "morph", "trees" or "sents"; `group`
    is the KEY of a span group. Without it, the entities are read if one document has them, otherwise the only layer.
    """
    check_name(name)
    if isinstance(docs, str | PathLike):
        raise SettingError(f"{quote(docs)} is a path; read the file: eh.read({quote(docs)}).")
    is_single = not isinstance(docs, Iterable) or wrap_object(docs) is not None
    value = docs if is_single else list(docs)
    wrapped = wrap_object(value, name)
    if wrapped is None or wrapped.format is not FORMAT:
        raise SettingError(f"{quote(docs)} has no documents of spaCy's; give a Doc, a list of these, or a DocBin.")
    if layer is not None and group is not None:
        raise SettingError("layer and group specify the same thing; use only one.")
    chosen = layer if group is None else f"{GROUPS}{group}" if group != ENTITIES else group
    settings = ReadSettings(columns=() if chosen is None else (chosen,))
    return Annotation.concatenate(list(open_object(wrapped, settings).batches(Vocabulary())))


def layer_of(docs: Sequence[Any], layer: str) -> Annotation:
    """The annotation of a layer that documents may lack: then they are unannotated."""
    source = Source(Path("docs"), alias="docs")
    batches = Docs(source, lambda: iter(docs), is_required=False).read(
        ReadSettings(), Vocabulary(), {"spans": (layer,)}
    )
    return Annotation.concatenate(list(batches))


def read_spacy_objects(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents in batches."""
    return _object_docs(value, source, settings).read(settings, vocabulary, columns)


def _object_docs(value: Any, source: Source, settings: ReadSettings) -> Docs:
    how = "with layer=…, or make the side with eh.docs(docs, layer=…)"
    if "spacy.DocBin" in type_names(value):
        return Docs.of_bin(source, value, what="the DocBin", how=how)
    members = value if isinstance(value, list | tuple) else [value]
    documents = [_document(source, settings, number, member) for number, member in enumerate(members, 1)]
    return Docs(source, lambda: iter(documents), how=how)


def _document(source: Source, settings: ReadSettings, number: int, value: Any) -> Any:
    """A document, or one of the two documents of an example."""
    types = type_names(value)
    if "spacy.Doc" in types:
        return value
    if "spacy.Example" not in types:
        raise source.error(number, f"expected a Doc, got {quote(value)}", "pass a list of documents only")
    if settings.side is None:
        finding = "an Example has two documents"
        raise source.error(number, finding, "give eh.docs the references or the predictions, or examples to eh.score")
    return getattr(value, _DOCUMENTS[settings.side])
