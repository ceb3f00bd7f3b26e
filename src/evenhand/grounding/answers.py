"""What a language model wrote, as items. Nothing that it writes is an error: what cannot be read is counted."""

from __future__ import annotations

from evenhand.grounding.fences import without_thoughts
from evenhand.grounding.items import ReadAnswer, Shape
from evenhand.grounding.json_answers import read_json
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.lines import read_lines
from evenhand.grounding.shapes import shape_of
from evenhand.grounding.tagged_text import read_tagged
from evenhand.grounding.values import items_of

__all__ = ["read_answer", "shape_of"]


def read_answer(answer: object, shape: Shape, labels: KnownLabels, label: str | None, text: str) -> ReadAnswer:
    """The items of an answer, or its text with tags.

    An answer is what a model wrote, or a decoded value, which has no shape. `label` is the only label asked for, if
    there was one; `text` is the document.
    """
    if answer is None:
        return ReadAnswer()
    if not isinstance(answer, str):
        return items_of([answer], labels, label)
    answer = without_thoughts(answer)
    if shape == "json":
        return read_json(answer, labels, label)
    if shape == "lines":
        return read_lines(answer, labels, label)
    return read_tagged(answer, shape, labels, label, text)
