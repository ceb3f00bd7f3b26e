"""brat: a text `DOC.txt` and its annotations `DOC.ann`, with spans as offsets into the text.

A span is a line `T1⇥Label 0 5⇥quoted text`. Offsets count the characters of the text from 0, ends are exclusive, and a
span with gaps lists its parts (`Label 0 5;16 23`). Relations are `R1⇥Type Arg1:T1 Arg2:T2` lines, equivalences are `*`
lines, links are `N` lines. This file declares and writes the format; `brat_reader` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from evenhand.errors import SettingError
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.source import BYTE_ORDER_MARK, Block, Source
from evenhand.registry import lazy
from evenhand.settings import LINKS

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.formats.convert import Conversion
    from evenhand.formats.parsing.json_spans import JsonSpan
    from evenhand.formats.relations import RelationEntry

IDENTIFIER = r"(?:(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*|R)\t"
"""Pattern of the beginning of a line. Nothing refers to a relation, so some tools write R without a number."""
_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
TEXT_BOUND = re.compile(rf"(T\S*)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_NAME = re.compile(r"[^\s\0]+")


def is_document(source: Source, task: str | None) -> bool:
    """Whether it is an annotation file, or a text with one next to it."""
    plain = source.plain_path
    return plain.suffix == ".ann" or (plain.suffix == ".txt" and plain.with_suffix(".ann").exists())


def recognise(sample: Block) -> float:
    """The share of lines with an identifier of brat; one must be text-bound, or all must have an identifier."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    identified = sum(re.match(rf"{IDENTIFIER}\S+[ :]\S", line) is not None for line in lines)
    if not identified:
        return 0.0
    return identified / len(lines) if identified == len(lines) or any(map(TEXT_BOUND.match, lines)) else 0.0


_READER = Reader(lazy("evenhand.formats.brat_reader:read"), read_many=lazy("evenhand.formats.brat_reader:read_many"))
_SENTENCES = Capabilities(tokens=False, levels=False, documents="sentence", scores=True)
FORMAT = Format(
    "brat",
    "a text DOC.txt and its annotations DOC.ann",
    readers=dict.fromkeys(("spans", "relations", LINKS), _READER),
    writers={
        "spans": Writer(_SENTENCES, folder=lazy("evenhand.formats.brat:write")),
        "relations": Writer(_SENTENCES, folder=lazy("evenhand.formats.brat:write_relations")),
        LINKS: Writer(
            Capabilities(tokens=False, levels=False, scores=True),
            folder=lazy("evenhand.formats.entity_links:write_brat"),
        ),
    },
    suffixes=(".ann",),
    detection=Detection(b"TREAMN*#", confidence=recognise, suffixes=(".ann", ".txt"), certain=is_document),
    contents=Contents(is_one_text=True, has_scores=True),
)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each sentence (or whole text), by name or number."""
    from evenhand.formats.paths import FileNames

    names = FileNames()
    for batch in batches:
        corpus = batch.corpus
        is_named = len(corpus.names) == corpus.sentences and not corpus.unnamed
        documents = corpus.names if is_named else [""] * corpus.sentences
        for document, (text, lines) in zip(documents, _documents(batch), strict=True):
            name = names.of(document)
            yield f"{name}.txt", text
            yield f"{name}.ann", lines


def write_relations(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The same with relations: R lines, and * lines for types that are marked as symmetric."""
    from evenhand.formats.relations import links_by_sentence

    number = 0
    for batch in batches:
        links = links_by_sentence(batch, conversion)
        for sentence, (text, lines) in enumerate(_documents(batch)):
            number += 1
            yield f"{number:05}.txt", text
            yield f"{number:05}.ann", lines + "".join(_relation_lines(links.get(sentence, ())))


def _documents(annotation: Annotation) -> Iterator[tuple[str, str]]:
    """The contents of the .txt and the .ann for each sentence (or whole text), with offsets in code points."""
    from evenhand.formats.parsing.json_spans import text_records

    for sentence, (text, spans) in enumerate(text_records(annotation), 1):
        check_text(text, f"sentence {sentence}")
        lines = [f"T{number}\t{text_bound(span, text)}\n" for number, span in enumerate(spans, 1)]
        noted = [(f"T{number}", span.score) for number, span in enumerate(spans, 1) if span.score is not None]
        yield text, "".join([*lines, *note_lines(noted)])


def note_lines(scores: Iterable[tuple[str, float]]) -> Iterator[str]:
    """The confidences of spans or relations, given with their identifiers, as notes with the same numbers."""
    return (f"#{name}\tAnnotatorNotes {name}\tscore={score!r}\n" for name, score in scores)


def check_text(text: str, what: str) -> None:
    """Raise an error for a text that a file of brat cannot contain."""
    if "\0" in text or text.startswith(BYTE_ORDER_MARK):
        odd = "a NUL character" if "\0" in text else "a byte order mark at its beginning"
        raise SettingError(f"The text of {what} has {odd}, which brat files cannot contain.")


def text_bound(span: JsonSpan, text: str) -> str:
    """The line of a span, without its identifier."""
    _check_name(span.label, "label")
    parts = span.parts or [(span.start, span.end)]
    quoted = " ".join(text[start:end] for start, end in parts).replace("\r", " ").replace("\n", " ")
    return f"{span.label} {';'.join(f'{start} {end}' for start, end in parts)}\t{quoted}"


def _relation_lines(links: Iterable[RelationEntry]) -> Iterator[str]:
    """The relations of one sentence, whose spans are T1 and so on."""
    number = 0
    for link in links:
        _check_name(link.label, "type")
        if link.is_symmetric:
            yield f"*\t{link.label} T{link.head + 1} T{link.tail + 1}\n"
        else:
            number += 1
            yield f"R{number}\t{link.label} Arg1:T{link.head + 1} Arg2:T{link.tail + 1}\n"
            yield from note_lines([(f"R{number}", link.score)] if link.score is not None else [])


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise SettingError(
            f"The {what} {name!r} cannot be written for brat because brat {what}s have no spaces; map it to another."
        )
