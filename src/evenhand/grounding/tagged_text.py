"""Answers that repeat the text with tags in it."""

from __future__ import annotations

from evenhand.grounding.brackets import markdown_markup, marks_markup
from evenhand.grounding.fences import fenced_blocks
from evenhand.grounding.items import MarkedText, ReadAnswer, Shape
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.markup import Markup, without_markup
from evenhand.grounding.xml_tags import xml_markup


def read_tagged(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> ReadAnswer:
    """The text of an answer and the spans that its tags mark; a fenced block counts alone, the last one if several."""
    blocks = [] if "```" in document else [block for block in fenced_blocks(answer) if block.strip()]
    answer = blocks[-1] if blocks else answer
    markup = _markup(answer, shape, labels, label, document)
    marked = without_markup(answer, markup, document)
    found = [labels.find(written) or written for _, _, written in marked.spans]
    respelled = sum(name != written for name, (_, _, written) in zip(found, marked.spans, strict=True))
    spans = tuple((start, end, name) for name, (start, end, _) in zip(found, marked.spans, strict=True))
    marked = MarkedText(marked.text, spans, marked.unclosed, marked.unopened)
    return ReadAnswer(malformed=markup.malformed, respelled=respelled, marked=marked)


def _markup(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> Markup:
    if shape == "xml":
        return xml_markup(answer, labels, label, document)
    if shape == "markdown":
        return markdown_markup(answer, labels, document)
    return marks_markup(answer, label, document)
