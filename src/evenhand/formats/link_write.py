"""Writing entity links: JSON lines, folders of brat, tables of HIPE and of neleval; a document is what they divide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from evenhand.dataclass import dataclass
from evenhand.formats.brat_write import refuse_odd, text_bound
from evenhand.formats.file_names import FileNames
from evenhand.formats.hipe_spans import NOTHING
from evenhand.formats.json_spans import Span, edges, to_write, with_offsets
from evenhand.formats.link_formats import LINKS, TAGS
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.link_feed import names_of
from evenhand.text.link_names import LAYER, NO_TYPE
from evenhand.text.links import links_of

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

HEADER = ("TOKEN", TAGS, LINKS, "MISC")
_SENTENCE_END = "EndOfSentence"
_UNPRINTED = re.compile(r"[\t\r\n\0]")


@dataclass(frozen=True)
class Document:
    """A document with its links."""

    name: str
    text: str
    tokens: list[str]
    """The atoms: tokens, or characters."""
    start: list[int]
    end: list[int]
    """Where atoms begin and end in the text."""
    ends: list[int]
    """Behind which atoms sentences end."""
    spans: list[Span]
    links: list[tuple[str, ...]]
    """The identifiers of each span."""


def documents(annotation: Annotation, numbers: Iterator[int]) -> Iterator[Document]:
    """The documents of a batch; `numbers` are the names of those that have none."""
    corpus, spans = annotation.corpus, annotation.spans(LAYER)
    written = dict(to_write(annotation, LAYER))
    names = names_of(corpus)
    links = _by_sentence(annotation)
    last = np.append(corpus.documents[1:], corpus.sentences).tolist()
    for number, (first, behind) in enumerate(zip(corpus.documents.tolist(), last, strict=True)):
        numbered = str(next(numbers))
        sentences = range(first, behind)
        found = [span for sentence in sentences for span in _moved(written[sentence], corpus, first, sentence)]
        text, tokens, start, end, ends = _joined(corpus, sentences)
        own = [link for sentence in sentences for link in links[sentence]]
        yield Document(names[number] or numbered, text, tokens, start, end, ends, found, own)
    assert len(spans) == sum(map(len, links.values()))


def _by_sentence(annotation: Annotation) -> dict[int, list[tuple[str, ...]]]:
    spans = annotation.spans(LAYER)
    found: dict[int, list[tuple[str, ...]]] = {sentence: [] for sentence in range(annotation.corpus.sentences)}
    for scope, link in zip(spans.scope.tolist(), links_of(spans), strict=True):
        found[scope].append(() if link is None else link.candidates)
    return found


def _moved(spans: list[Span], corpus: Corpus, first: int, sentence: int) -> Iterator[Span]:
    """Spans of a sentence, counted from the first token of their document."""
    by = 0 if corpus.bounds is None else int(corpus.bounds[sentence] - corpus.bounds[first])
    for span in spans:
        parts = None if span.parts is None else [(begin + by, behind + by) for begin, behind in span.parts]
        yield Span(span.start + by, span.end + by, span.label, parts, span.level)


def _joined(corpus: Corpus, sentences: range) -> tuple[str, list[str], list[int], list[int], list[int]]:
    """The text of some sentences with blanks between, their atoms, where these are, and where sentences end."""
    texts, tokens, starts, ends, breaks, before = [], list[str](), list[int](), list[int](), list[int](), 0
    for sentence in sentences if corpus.tokens is not None and corpus.bounds is not None else ():
        text, start, end = edges(corpus, sentence)
        tokens += [text[begin:behind] for begin, behind in zip(start, end, strict=True)]
        starts += [before + at for at in start]
        ends += [before + at for at in end]
        texts.append(text)
        before += len(text) + 1
        breaks.append(len(tokens))
    return " ".join(texts), tokens, starts, ends, breaks


def write_jsonl(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A document a line. Offsets are code points in the text, or positions of tokens."""
    numbers = count(1)
    for batch in batches:
        has_text = batch.corpus.atoms == "characters"
        for each in documents(batch, numbers):
            spans = with_offsets(each.spans, each.start, each.end) if has_text else each.spans
            written = [
                {"start": span.start, "end": span.end, "label": span.label}
                | ({"links": list(links)} if links else {})
                | ({"parts": span.parts} if span.parts else {})
                for span, links in zip(spans, each.links, strict=True)
            ]
            record = {"id": each.name, **({"text": each.text} if has_text else {"tokens": each.tokens})}
            yield msgspec.json.encode(record | {"spans": written}).decode() + "\n"


def write_brat(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each document, by its name or number."""
    numbers, names = count(1), FileNames("document {:05}")
    for batch in batches:
        for each in documents(batch, numbers):
            name = names.of(each.name)
            refuse_odd(each.text, f"document {each.name}")
            yield f"{name}.txt", each.text
            yield f"{name}.ann", "".join(_brat_lines(each))


def _brat_lines(document: Document) -> Iterator[str]:
    spans = with_offsets(document.spans, document.start, document.end)
    numbers = count(1)
    for row, (span, links) in enumerate(zip(spans, document.links, strict=True), 1):
        quoted = text_bound(span, document.text)
        yield f"T{row}\t{quoted}\n"
        for link in links:
            yield f"N{next(numbers)}\tReference T{row} {_plain(link)}\t{quoted.partition(chr(9))[2]}\n"


def write_neleval(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A link a line; the scores of candidates are the inverses of their ranks."""
    numbers = count(1)
    for batch in batches:
        has_text = batch.corpus.tokens is not None and batch.corpus.bounds is not None
        for each in documents(batch, numbers):
            conversion.lose(sum(not links for links in each.links), "spans without links, which neleval takes for NIL")
            spans = with_offsets(each.spans, each.start, each.end) if has_text else each.spans
            for span, links in zip(spans, each.links, strict=True):
                label = "" if span.label == NO_TYPE else _plain(span.label)
                cells = [f"{_plain(link)}\t{1 / rank:.6g}\t{label}" for rank, link in enumerate(links, 1)]
                if cells:
                    yield "\t".join([_plain(each.name), str(span.start), str(span.end - 1), *cells]).rstrip("\t") + "\n"


def write_hipe(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A token a line: the token, its tag, the identifiers of its span, and where sentences end."""
    yield "\t".join(HEADER) + "\n"
    numbers = count(1)
    for batch in batches:
        for each in documents(batch, numbers):
            _lose_in_hipe(each, conversion)
            yield f"# hipe2022:document_id = {_plain(each.name)}\n"
            tags, links = ["O"] * len(each.tokens), ["_"] * len(each.tokens)
            for span, names in zip(each.spans, each.links, strict=True):
                size = span.end - span.start
                if span.label != NO_TYPE or size > 1 or not names:
                    tags[span.start : span.end] = [f"B-{span.label}", *[f"I-{span.label}"] * (size - 1)]
                links[span.start : span.end] = ["|".join(names) or "_"] * size
            ends = {end - 1 for end in each.ends} if len(each.ends) > 1 else set[int]()
            for at, cells in enumerate(zip(each.tokens, tags, links, strict=True)):
                yield "\t".join([*map(_plain, cells), _SENTENCE_END if at in ends else "_"]) + "\n"


def _lose_in_hipe(document: Document, conversion: Conversion) -> None:
    """Count what a reader of HIPE would not take as it stands."""
    skipped = sum(not token.strip() or token.startswith("#") for token in document.tokens)
    conversion.lose(skipped, "tokens beginning with #, which would be skipped there")
    names = [*(span.label for span in document.spans), *(name for names in document.links for name in names)]
    conversion.lose(sum(name != name.upper() for name in names), "names with small letters, of labels or identifiers")
    odd = next((name for names in document.links for name in names if "|" in name or name in NOTHING), None)
    if odd is not None:
        raise SettingError(f"The identifier {odd!r} cannot be written for hipe; convert to another format.")


def _plain(text: str) -> str:
    """A text that can stand in a cell."""
    if _UNPRINTED.search(text):
        raise SettingError(f"{text!r} has a tab or a line end, which a table cannot hold; convert to JSON lines.")
    return text
