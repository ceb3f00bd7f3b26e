"""What a language model wrote, as items. Nothing that it writes is an error: what cannot be read is counted."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.grounding.counts import READINGS
from evenhand.grounding.fences import without_thoughts
from evenhand.grounding.items import ReadAnswer, Shape
from evenhand.grounding.json_answers import read_json
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.lines import read_lines
from evenhand.grounding.shapes import shape_of
from evenhand.grounding.tagged_text import read_tagged
from evenhand.grounding.values import items_of
from evenhand.text.extractions import Calls

__all__ = ["read_answer", "shape_of"]


def read_answer(answer: object, shape: Shape, labels: KnownLabels, label: str | None, text: str) -> ReadAnswer:
    """The items of an answer, or its text with tags.

    An answer is the text that a model wrote, or a decoded value or tool calls, which have no shape. `label` is the only
    label asked for, if there was one; `text` is the document.
    """
    if answer is None:
        return ReadAnswer()
    if isinstance(answer, Calls):
        return _joined([_called(each, labels, label) for each in answer])
    if not isinstance(answer, str):
        return items_of([answer], labels, label)
    answer = without_thoughts(answer)
    if shape == "json":
        return read_json(answer, labels, label)
    if shape == "lines":
        return read_lines(answer, labels, label)
    return read_tagged(answer, shape, labels, label, text)


def _called(arguments: object, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of a tool call, whose arguments are JSON or decoded."""
    if isinstance(arguments, str):
        return read_json(arguments, labels, label) if arguments.strip() else ReadAnswer()
    return items_of([arguments], labels, label)


def _joined(parts: Sequence[ReadAnswer]) -> ReadAnswer:
    """Parts of one answer, which was read as well as the worst of them."""
    return ReadAnswer(
        tuple(item for part in parts for item in part.items),
        max((part.how for part in parts), key=READINGS.index, default="ok"),
        sum(part.malformed for part in parts),
        respelled=sum(part.respelled for part in parts),
    )
