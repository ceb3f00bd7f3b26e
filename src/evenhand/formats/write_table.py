"""Writing tables of tokens: columns of tags, one a level, or stacked in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from evenhand.arrays import distinct
from evenhand.formats.parsing.token_lines import DOCUMENT_START
from evenhand.formats.source import BYTE_ORDER_MARK
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.encodings import encode
from evenhand.text.layers import Spans, Tags
from evenhand.text.plain_labels import oddity
from evenhand.text.tag_table import STACK
from evenhand.text.tokens import Tokens

DEFAULT_ENCODING = "iob2"


def level_tags(annotation: Annotation, encoding: str | None, levels: int) -> list[Tags]:
    """The tags of each level, a tag a token; spans of one level must not overlap."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    first = corpus.bounds[spans.scope]
    found = []
    for level in range(levels):
        rows = np.flatnonzero(spans.level == level)
        rows = rows[np.argsort(first[rows] + spans.start[rows], kind="stable")]
        begin, end = first[rows] + spans.start[rows], first[rows] + spans.end[rows]
        tags = encode(
            encoding or DEFAULT_ENCODING,
            begin,
            end,
            spans.label[rows],
            spans.vocabulary.labels.values,
            int(corpus.bounds[-1]),
            corpus.bounds[:-1],
        )
        found.append(tags)
    return found


def stacked_tags(annotation: Annotation, encoding: str | None) -> list[str]:
    """One tag a token, the levels stacked by fixed place; outside levels at the end are left out."""
    levels = level_tags(annotation, encoding, int(annotation.spans().level.max(initial=0)) + 1)
    found = []
    for parts in zip(*(tags.to_list() for tags in levels), strict=True):
        kept = list(parts)
        while len(kept) > 1 and kept[-1] == "O":
            kept.pop()
        found.append(STACK.join(kept))
    return found


def sentence_rows(
    annotation: Annotation, columns: Sequence[Sequence[str]], *, first: bool, numbered: bool = False
) -> Iterator[str]:
    """The lines of a table: token and tags, maybe with the token's number before, a blank line behind a sentence.

    A document begins with a mark, unless it is the first one of the file: `first` says whether the batch is. That has
    one, too, if its first token would make the file look like JSON, HTML, a tree or a comment.
    """
    corpus = annotation.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    words, marks = _words(corpus.tokens), set(corpus.documents[int(corpus.continues) :].tolist())
    for sentence, (begin, end) in enumerate(zip(corpus.bounds[:-1].tolist(), corpus.bounds[1:].tolist(), strict=True)):
        looks_odd = not sentence and words[begin:end][:1] and words[begin].startswith(tuple("{[<(#"))
        if not numbered and ((sentence in marks and (sentence or not first)) or (first and looks_odd)):
            yield "\t".join([DOCUMENT_START, *["O"] * len(columns)]) + "\n\n"
        for number, token in enumerate(range(begin, end), 1):
            cells = [words[token], *(column[token] for column in columns)]
            yield "\t".join([str(number), *cells] if numbered else cells) + "\n"
        yield "\n"


def _words(tokens: Tokens) -> list[str]:
    words = [tokens[i] for i in range(len(tokens))]
    for word in words:
        is_odd = not word.strip() or word.startswith((DOCUMENT_START, BYTE_ORDER_MARK))
        if is_odd or any(char in word for char in "\t\n\r\0"):
            raise SettingError(f"The token {word!r} cannot stand in a column file; convert to JSON lines instead.")
    return words


def check_labels(spans: Spans, forbidden: str) -> None:
    """Refuse labels that a column of tags cannot spell."""
    for code in distinct(spans.label).tolist():
        label = spans.vocabulary.labels[code]
        if not can_be_tag(label) or any(char in label for char in forbidden):
            raise SettingError(f"The label {label!r} cannot stand in a column of tags; rename it first.")


def can_be_tag(label: str) -> bool:
    """Whether a tag with a prefix and this label is read back as the same."""
    return bool(label.strip()) and oddity(f"B-{label}", is_plain=False) is None


def check_cells(texts: Iterable[str]) -> None:
    """Refuse texts that end a cell of a table with tabs, or a line of it."""
    for text in texts:
        if text.startswith(BYTE_ORDER_MARK) or any(char in text for char in "\t\n\r\0"):
            raise SettingError(f"{text!r} cannot be a cell of a table with tabs; rename it, or convert to JSON lines.")
