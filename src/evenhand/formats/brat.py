"""brat: a text `DOC.txt` and its annotations `DOC.ann`, with spans as offsets into the text.

A span is a line `T1⇥Label 0 5⇥quoted text`; offsets count the characters of the text from 0, ends are exclusive, and a
span with gaps lists its parts (`Label 0 5;16 23`). The atoms of the text are its characters without spaces.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import ints
from evenhand.formats.addresses import Place
from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.json_spans import (
    Span,
    edges,
    on_texts,
    slices,
    spans_of,
    to_write,
    with_offsets,
)
from evenhand.formats.source import BYTE_ORDER_MARK, COMPRESSIONS, Block, Source
from evenhand.problems import SettingError
from evenhand.settings import Columns, Offsets, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.characters import Texts
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

OTHER_KINDS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "normalizations",
    "*": "equivalences",
    "#": "notes",
}
"""What the first character of an identifier says of lines that hold no spans; M is an older name for A."""
_IDENTIFIER = re.compile(r"(?:[TREAMN][A-Za-z]*[0-9]|[*#])\S*\t")
_ANNOTATION = re.compile(_IDENTIFIER.pattern + r"\S+[ :]\S")
_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
_TEXT_BOUND = re.compile(rf"T\S*\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)


@dataclass(frozen=True)
class TextBound:
    """A span as its line has it."""

    line: int
    label: str
    offsets: str
    parts: list[tuple[int, int]]
    quoted: str


def is_document(source: Source, task: str | None) -> bool:
    """Whether it is an annotation file, or a text with one beside it."""
    plain = _plain(source.path)
    return plain.suffix == ".ann" or (plain.suffix == ".txt" and plain.with_suffix(".ann").exists())


def recognise(sample: Block) -> float:
    """The share of lines with an identifier of brat; some must be text-bound, or all have one."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    identified = sum(map(bool, map(_ANNOTATION.match, lines)))
    if not identified or not (identified == len(lines) or any(map(_TEXT_BOUND.match, lines))):
        return 0.0
    return identified / len(lines)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The document as one batch with one scope; `source` is its .ann or its .txt, and the other one is beside it."""
    named_text = _plain(source.path).suffix == ".txt"
    other = _beside(source, ".ann" if named_text else ".txt", "annotations" if named_text else "text")
    annotations, text = (other, _whole(source)) if named_text else (source, _whole(other))
    found, skipped = _lines(annotations, _whole(annotations))
    texts, spans = _spans(annotations, found, text, settings.offsets, vocabulary)
    # The lines of the text are left out: messages name the file that the user named, which mostly is the .ann.
    corpus = texts.corpus(source.shown)
    yield Annotation(corpus, {"spans": spans}, {"spans": Reading(FORMAT.name, skipped=skipped)}, source.name)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each sentence (or whole text), by number."""
    pairs = (pair for batch in batches for pair in documents(batch))
    for number, (text, standoff) in enumerate(pairs, 1):
        yield f"{number:05}.txt", text
        yield f"{number:05}.ann", standoff


def documents(annotation: Annotation) -> Iterator[tuple[str, str]]:
    """For each sentence (or whole text) the content of its .txt and of its .ann, with offsets in code points."""
    for sentence, spans in to_write(annotation):
        text, start, end = edges(annotation.corpus, sentence)
        if "\0" in text or text.startswith(BYTE_ORDER_MARK):
            odd = "a NUL character" if "\0" in text else "a byte order mark at its begin"
            raise SettingError(f"The text of sentence {sentence + 1} has {odd}, which brat's files cannot have.")
        lines = enumerate(with_offsets(spans, start, end), 1)
        yield text, "".join(f"T{number}\t{_text_bound(span, text)}\n" for number, span in lines)


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


def _whole(source: Source) -> str:
    """All of a file; it may be empty (a document without spans), which the blocks of a file may not."""
    data = source.read_whole()
    if data in (b"", BOM_UTF8):
        return ""
    blocks = source.blocks(len(data), cut_behind="line", of_lines=False)
    text = b"".join(block.data[: block.size] for block in blocks).decode()
    return text if data.endswith(b"\n") else text[:-1]


def _lines(source: Source, content: str) -> tuple[list[TextBound], dict[str, int]]:
    """The text-bound lines, and the number of lines of every other kind."""
    found, skipped = [], Counter[str]()
    for number, line in enumerate(content.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        if not _IDENTIFIER.match(line):
            remedy = "begin each line with an identifier such as T1 and a tab"
            raise source.error(number, f"{line!r} is no annotation of brat", remedy)
        if line[0] == "T":
            found.append(_parse(source, number, line))
        else:
            skipped[OTHER_KINDS[line[0]]] += 1
    return found, dict(skipped)


def _parse(source: Source, number: int, line: str) -> TextBound:
    match = _TEXT_BOUND.fullmatch(line)
    if match is None:
        remedy = "write identifier, tab, label, start and end with spaces between, tab, quoted text"
        raise source.error(number, f"{line!r} has no label, offsets and text", remedy)
    label, offsets, quoted = match.groups()
    pairs = [pair.split(" ") for pair in offsets.split(";")]
    parts = [(int(start), int(end)) for start, end in pairs]
    if any(end <= start for start, end in parts):
        finding = f"the offsets {offsets!r} cover nothing"
        raise source.error(number, finding, "ends are exclusive, so that each must be above its start")
    in_order = sorted(parts)
    if any(after[0] < before[1] for before, after in pairwise(in_order)):
        raise source.error(number, f"the parts {offsets!r} overlap", "list each character of the span once")
    return TextBound(number, label, offsets, parts, quoted)


def _spans(
    source: Source, found: list[TextBound], text: str, offsets: Offsets, vocabulary: Vocabulary
) -> tuple[Texts, Spans]:
    """The atoms of a text and its spans, which must stand where they are quoted."""
    atoms, ground = on_texts([text], offsets)
    held = iter(slices(text, [part for line in found for part in line.parts], offsets))
    spans = []
    for line in found:
        texts = list(islice(held, len(line.parts)))
        if not _quotes(line, texts):
            finding = f"the text has {_joined(texts)!r} at {line.offsets}, but {line.quoted!r} is quoted"
            raise source.error(line.line, finding, _remedy(line, text, offsets))
        visible = [part for part, each in zip(line.parts, texts, strict=True) if each.strip()]
        parts = sorted(visible) or line.parts
        spans.append(Span(parts[0][0], parts[-1][1], line.label, parts if len(parts) > 1 else None))
    bounds = ints([(span.start, span.end) for span in spans]).reshape(-1, 2)
    start, end = atoms.places(np.zeros_like(bounds), bounds).T
    for row in np.flatnonzero((start < 0) | (end <= start)).tolist():
        raise source.error(found[row].line, *ground.fault(0, spans[row]))
    return atoms, spans_of([spans], ground, vocabulary, lambda record, *fault: None)


def _joined(texts: Sequence[str]) -> str:
    """What the parts of a span hold, joined as brat does; runs of spaces and line breaks are one space."""
    return " ".join(" ".join(texts).split())


def _quotes(span: TextBound, texts: Sequence[str]) -> bool:
    """Whether a span quotes what the text has there; spaces are no atoms, so that their kind does not matter."""
    return _joined(texts) == " ".join(span.quoted.split())


def _remedy(span: TextBound, text: str, offsets: Offsets) -> str:
    """How to read the text so that a span fits, if there is a way."""
    other: Offsets = "utf16" if offsets == "codepoints" else "codepoints"
    if _quotes(span, slices(text, span.parts, other)):
        return f"read it with --offsets {other}, where they agree"
    if _quotes(span, slices(text.replace("\r\n", "\n"), span.parts, offsets)):
        return "save the text with LF instead of CRLF at line ends, where they agree"
    return "mend the offsets, or check that this is the text that was annotated"


def _text_bound(span: Span, text: str) -> str:
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
    tasks=("spans",),
    read=read,
    writes={"spans": Writing(Carry(tokens=False, levels=False, documents="sentence"), folder=write)},
    suffixes=(".ann",),
    begins=b"TREAMN*#",
    certain=is_document,
    recognise=recognise,
)
