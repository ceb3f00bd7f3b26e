"""Writing brat's files: a text and its annotations for each sentence or whole text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.formats.brat_relations import relation_lines
from evenhand.formats.file_names import FileNames
from evenhand.formats.json_spans import Span, edges, to_write, with_offsets
from evenhand.formats.related import links_by_sentence
from evenhand.formats.source import BYTE_ORDER_MARK
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion


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
