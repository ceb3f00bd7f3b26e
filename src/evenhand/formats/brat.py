"""brat: a text `DOC.txt` and its annotations `DOC.ann`, with spans as offsets into the text.

A span is a line `T1⇥Label 0 5⇥quoted text`; offsets count the characters of the text from 0, ends are exclusive, and a
span with gaps lists its parts (`Label 0 5;16 23`). The atoms of the text are its characters without spaces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.formats import brat_links
from evenhand.formats.addresses import Place
from evenhand.formats.brat_lines import IDENTIFIER, TEXT_BOUND, standoff
from evenhand.formats.brat_relations import KINDS, relation_lines, relations
from evenhand.formats.brat_text import document
from evenhand.formats.file_names import FileNames
from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.json_spans import Span, edges, to_write, with_offsets
from evenhand.formats.related import links_by_sentence
from evenhand.formats.source import BYTE_ORDER_MARK, COMPRESSIONS, Block, Source
from evenhand.formats.whole_text import whole_text
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.link_names import LAYER as LINKS
from evenhand.text.relations import LAYER as RELATIONS

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_ANNOTATION = re.compile(IDENTIFIER.pattern + r"\S+[ :]\S")


def is_document(source: Source, task: str | None) -> bool:
    """Whether it is an annotation file, or a text with one beside it."""
    plain = _plain(source.path)
    return plain.suffix == ".ann" or (plain.suffix == ".txt" and plain.with_suffix(".ann").exists())


def recognise(sample: Block) -> float:
    """The share of lines with an identifier of brat; some must be text-bound, or all have one."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    identified = sum(map(bool, map(_ANNOTATION.match, lines)))
    if not identified or not (identified == len(lines) or any(map(TEXT_BOUND.match, lines))):
        return 0.0
    return identified / len(lines)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The document as one batch with one scope, or one a line.

    `source` is its .ann or its .txt, and the other one is beside it.
    """
    named_text = _plain(source.path).suffix == ".txt"
    other = _beside(source, ".ann" if named_text else ".txt", "annotations" if named_text else "text")
    annotations, text = (other, source) if named_text else (source, other)
    is_related, is_linked = settings.task == RELATIONS, settings.task == LINKS
    wanted = KINDS if is_related else brat_links.KINDS if is_linked else ()
    lenient = settings.parameters.get("quotes") == "note"
    found = standoff(annotations, whole_text(annotations), wanted, takes_empty=lenient)
    read = document((source, annotations, text), found.spans, settings, vocabulary)
    kept = {"wrong quotations": read.misquoted} if read.misquoted else {}
    reading = Reading(FORMAT.name, skipped=found.skipped, kept=kept)
    layers: dict[str, Layer] = {"spans": read.spans}
    if is_related:
        layers = {RELATIONS: relations(annotations, found, vocabulary, read.parts), **layers}
    corpus = read.corpus
    if is_linked:
        layers = {LINKS: brat_links.linked(annotations, found, read.spans)}
        corpus = replace(corpus, names=(source.name,), unnamed=True)
    yield Annotation(corpus, layers, dict.fromkeys(layers, reading), source.name)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each sentence (or whole text), by name or number."""
    names = FileNames()
    for batch in batches:
        for called, (text, lines) in zip(_names(batch.corpus), documents(batch), strict=True):
            name = names.of(called)
            yield f"{name}.txt", text
            yield f"{name}.ann", lines


def _names(corpus: Corpus) -> Sequence[str]:
    """What each sentence (or whole text) is called, where it is a document with a name; else nothing."""
    is_named = len(corpus.names) == corpus.sentences and not corpus.unnamed
    return corpus.names if is_named else [""] * corpus.sentences


def documents(annotation: Annotation) -> Iterator[tuple[str, str]]:
    """For each sentence (or whole text) the content of its .txt and of its .ann, with offsets in code points."""
    for sentence, spans in to_write(annotation):
        text, start, end = edges(annotation.corpus, sentence)
        refuse_odd(text, f"sentence {sentence + 1}")
        lines = enumerate(with_offsets(spans, start, end), 1)
        yield text, "".join(f"T{number}\t{text_bound(span, text)}\n" for number, span in lines)


def write_related(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The same with relations: R lines, and * lines for types that are marked as symmetric."""
    number = 0
    for batch in batches:
        found = links_by_sentence(batch)
        conversion.lose(found.across, "relations across sentences")
        for sentence, (text, lines) in enumerate(documents(batch)):
            number += 1
            links = found.links.get(sentence, ())
            related = "".join(f"{line}\n" for line in relation_lines(links))
            yield f"{number:05}.txt", text
            yield f"{number:05}.ann", lines + related


def _plain(path: Place) -> Place:
    """The path without the extension of a compression."""
    return path.with_suffix("") if path.suffix in COMPRESSIONS else path


def _beside(source: Source, suffix: str, what: str) -> Source:
    """The other file of a document, maybe compressed."""
    wanted = _plain(source.path).with_suffix(suffix)
    for ending in ("", *COMPRESSIONS):
        path = wanted.with_name(wanted.name + ending)
        if path.is_file():
            called = None if source.called is None else os.path.join(os.path.dirname(source.called), path.name)
            return Source(path, called=called)
    raise source.error(
        None, f"the {what} {wanted.name} cannot be found beside it", "put DOC.ann and DOC.txt into one folder"
    )


def refuse_odd(text: str, what: str) -> None:
    """Raise an error where the text of something has what a file of brat cannot have."""
    if "\0" in text or text.startswith(BYTE_ORDER_MARK):
        odd = "a NUL character" if "\0" in text else "a byte order mark at its begin"
        raise SettingError(f"The text of {what} has {odd}, which brat's files cannot have.")


def text_bound(span: Span, text: str) -> str:
    """A span as it stands behind its identifier."""
    if not re.fullmatch(r"[^\s\0]+", span.label):
        raise SettingError(
            f"The label {span.label!r} cannot be written for brat, where labels have no spaces; map it to another."
        )
    parts = span.parts or [(span.start, span.end)]
    quoted = " ".join(text[first:behind] for first, behind in parts).replace("\r", " ").replace("\n", " ")
    return f"{span.label} {';'.join(f'{first} {behind}' for first, behind in parts)}\t{quoted}"


FORMAT = Format(
    "brat",
    "a text DOC.txt and its annotations DOC.ann",
    tasks=("spans", RELATIONS, LINKS),
    read=read,
    writes={
        "spans": Writing(Carry(tokens=False, levels=False, documents="sentence"), folder=write),
        RELATIONS: Writing(Carry(tokens=False, levels=False, documents="sentence"), folder=write_related),
        LINKS: Writing(Carry(tokens=False, levels=False), folder=late("evenhand.formats.link_write:write_brat")),
    },
    suffixes=(".ann",),
    begins=b"TREAMN*#",
    certain=is_document,
    recognise=recognise,
    is_one_text=True,
)
