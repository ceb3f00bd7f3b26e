"""Reading brat's documents, each from its two files.

`read` is how a document is read. `read_together` gives the same for many small ones in less time: their lines and texts
are looked at together, unless something about them is odd.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evenhand.dataclass import dataclass
from evenhand.formats import brat_links
from evenhand.formats.addresses import Address
from evenhand.formats.brat import FORMAT
from evenhand.formats.brat_lines import standoff
from evenhand.formats.brat_relations import KINDS, relations
from evenhand.formats.brat_text import LINES, document, documents
from evenhand.formats.source import COMPRESSIONS, Source
from evenhand.formats.whole_text import whole_data
from evenhand.problems import EvenhandError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.labels import Vocabulary
from evenhand.text.link_names import LAYER as LINKS
from evenhand.text.relations import LAYER as RELATIONS

_TOGETHER = 1 << 20
"""How many bytes are looked at together."""


@dataclass(frozen=True)
class _Loaded:
    """The contents of the two files of a document; `source` is the one that a user named."""

    source: Source
    annotations: Source
    written: Source
    """The file of the text."""
    lines: bytes
    text: bytes


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The document as one batch with one scope, or one a line.

    `source` is its .ann or its .txt, and the other one is beside it.
    """
    yield _annotation(_loaded(source), settings, vocabulary)


def read_together(
    sources: Sequence[Source], settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents of several files, each as `read` gives it."""
    waiting: list[_Loaded] = []
    size = 0
    for source in sources:
        try:
            loaded = _loaded(source)
        except EvenhandError:  # which is told when those before it are read
            yield from _annotations(waiting, settings, vocabulary)
            raise
        waiting.append(loaded)
        size += len(loaded.lines) + len(loaded.text)
        if size > _TOGETHER:
            yield from _annotations(waiting, settings, vocabulary)
            waiting, size = [], 0
    yield from _annotations(waiting, settings, vocabulary)


def _annotations(loaded: Sequence[_Loaded], settings: ReadSettings, vocabulary: Vocabulary) -> Iterator[Annotation]:
    if len(loaded) > 1 and _is_plain(settings):
        try:
            yield from _at_once(loaded, vocabulary)
            return
        except EvenhandError:  # in one of them, which is told with its file and line below
            pass
    for each in loaded:
        yield _annotation(each, settings, vocabulary)


def _is_plain(settings: ReadSettings) -> bool:
    """Whether texts are read as they stand, for their spans alone."""
    chosen = settings.parameters
    is_lenient = chosen.get("quotes") == "note" or chosen.get("newlines") == "one" or chosen.get("sentences") == LINES
    return settings.task not in (RELATIONS, LINKS) and settings.unit == "codepoints" and not is_lenient


def _at_once(loaded: Sequence[_Loaded], vocabulary: Vocabulary) -> list[Annotation]:
    """Documents whose spans are all as they should be; else an error, whose place is not that in a file."""
    found = standoff(loaded[0].annotations, b"\n".join(each.lines for each in loaded))
    sizes = [each.lines.count(b"\n") + 1 for each in loaded]
    read = documents(found.spans, sizes, [each.text for each in loaded], [each.source for each in loaded], vocabulary)
    return [
        Annotation(corpus, {"spans": spans}, {"spans": Reading(FORMAT.name, skipped=skipped)}, each.source.name)
        for each, (corpus, spans), skipped in zip(loaded, read, found.skipped_in(sizes), strict=True)
    ]


def _annotation(loaded: _Loaded, settings: ReadSettings, vocabulary: Vocabulary) -> Annotation:
    source, annotations = loaded.source, loaded.annotations
    is_related, is_linked = settings.task == RELATIONS, settings.task == LINKS
    wanted = KINDS if is_related else brat_links.KINDS if is_linked else ()
    lenient = settings.parameters.get("quotes") == "note"
    found = standoff(annotations, loaded.lines, wanted, takes_empty=lenient)
    read = document((source, annotations, loaded.written), found.spans, loaded.text, settings, vocabulary)
    kept = {"wrong quotations": read.misquoted} if read.misquoted else {}
    reading = Reading(FORMAT.name, skipped=found.skipped, kept=kept)
    layers: dict[str, Layer] = {"spans": read.spans}
    if is_related:
        layers = {RELATIONS: relations(annotations, found, vocabulary, read.parts), **layers}
    corpus = read.corpus
    if is_linked:
        layers = {LINKS: brat_links.linked(annotations, found, read.spans)}
        corpus = replace(corpus, names=(source.name,), unnamed=True)
    return Annotation(corpus, layers, dict.fromkeys(layers, reading), source.name)


def _loaded(source: Source) -> _Loaded:
    if source.plain_path.suffix == ".txt":
        annotations, written = _beside(source, ".ann", "annotations"), source
    else:
        annotations, written = source, _beside(source, ".txt", "text")
    return _Loaded(source, annotations, written, whole_data(annotations), whole_data(written))


def _beside(source: Source, suffix: str, what: str) -> Source:
    """The other file of a document, maybe compressed."""
    wanted = source.plain_path.with_suffix(suffix)
    for ending in ("", *COMPRESSIONS):
        path = wanted.with_name(wanted.name + ending) if ending else wanted
        called = None if source.called is None else os.path.join(os.path.dirname(source.called), path.name)
        found = Source(path, called=called)
        if found.is_here or (isinstance(path, Address) and path.is_file()):
            return found
    raise source.error(
        None, f"the {what} {wanted.name} cannot be found beside it", "put DOC.ann and DOC.txt into one folder"
    )
