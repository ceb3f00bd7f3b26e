"""Annotations as texts with spans in characters: tokens joined by blanks, sentences by line feeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import evenhand as eh
from evenhand.grounding.items import Item
from evenhand.grounding.search import AnswerDocument


@dataclass(frozen=True)
class AnnotatedText:
    """A text and its spans (start, end, label) in characters, in their order, outer ones first."""

    document: AnswerDocument
    spans: list[tuple[int, int, str]]

    @property
    def items(self) -> list[Item]:
        """The spans as a model would list them, without offsets."""
        return [Item(self.document.text[start:end], label) for start, end, label in self.spans]


def annotated_texts(path: Path, size: int | None, column: int | None = None) -> list[AnnotatedText]:
    """The texts of a file, each of so many sentences, or of a document's."""
    annotation = eh.read(path) if column is None else eh.read(path, column=column)
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.tokens is not None
    bounds = corpus.bounds.tolist()
    tokens = [corpus.tokens[token] for token in range(bounds[-1])]
    rows = list[list[tuple[int, int, str]]]([] for _ in range(corpus.sentences))
    names = [spans.vocabulary.labels.values[code] for code in spans.label.tolist()]
    for scope, start, end, name in zip(
        spans.scope.tolist(), spans.start.tolist(), spans.end.tolist(), names, strict=True
    ):
        rows[scope].append((start, end, name))
    sentences = [(tokens[begin:end], row) for begin, end, row in zip(bounds[:-1], bounds[1:], rows, strict=True)]
    firsts = corpus.documents.tolist() if size is None else list(range(0, corpus.sentences, size))
    return [
        _joined(sentences[first:behind]) for first, behind in zip(firsts, [*firsts[1:], corpus.sentences], strict=True)
    ]


def _joined(sentences: list[tuple[list[str], list[tuple[int, int, str]]]]) -> AnnotatedText:
    lines, breaks, spans = list[str](), list[int](), list[tuple[int, int, str]]()
    begin = 0
    for tokens, rows in sentences:
        starts = [begin + at for at in accumulate((len(token) + 1 for token in tokens), initial=0)]
        spans += [(starts[start], starts[end] - 1, label) for start, end, label in rows]
        lines.append(" ".join(tokens))
        breaks.append(begin)
        begin = starts[-1]
    spans.sort(key=lambda span: (span[0], -span[1]))
    return AnnotatedText(AnswerDocument("\n".join(lines), breaks[1:]), spans)
