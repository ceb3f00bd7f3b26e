"""Annotations from the answers of a language model, as Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from evenhand.arguments import shown
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.extractions import (
    LAYER,
    Answer,
    Extractions,
    UnreadableError,
    answer_in,
    is_message,
    plain_value,
)
from evenhand.text.list_checks import check_name, is_text, listed
from evenhand.text.span_lists import ids_of
from evenhand.text.tokens import Tokens

_ANSWERS = 'give the answer about each document, such as [[{"text": "Ada", "label": "PER"}], []]'


def extractions(
    documents: Iterable[Any] | Mapping[str, Any], *, label: str | None = None, name: str = "extractions"
) -> Annotation:
    """A system from the answers of a language model: `extractions([[{"text": "Ada", "label": "PER"}], []])`.

    There is an answer for each document (or sentence) of the gold standard, in its order; in a mapping, by its id. An
    answer is the text that the model wrote (JSON, lines, inline tags), or data: a list of items, a mapping from labels
    to strings, objects of pydantic or dataclasses. The message of an API is an answer, too: its tool calls (OpenAI
    `tool_calls`, Anthropic `tool_use`) or its text. None means no answer. `label` is the only label that was asked
    for; strings need no label then. Strings are located in the gold standard's text when a score is computed.
    """
    check_name(name)
    if label is not None and not (is_text(label) and label.strip()):
        raise InputError(name, None, f"label is {shown(label)}", "give the label that was asked for")
    if _is_one_answer(documents):
        raise InputError(name, None, f"got one answer, {shown(documents)}", "give a list of answers, one per document")
    ids = ids_of(documents, name) if isinstance(documents, Mapping) else None
    given = list(documents.values()) if isinstance(documents, Mapping) else listed(documents, "it", name, _ANSWERS)
    answers = tuple((Answer(_answer(answer, number, name), label),) for number, answer in enumerate(given, 1))
    corpus = Corpus(
        name,
        len(answers),
        documents=np.arange(len(answers)),
        ids=None if ids is None else Tokens.of(ids),
    )
    return Annotation(corpus, {LAYER: Extractions(answers)}, {"spans": Reading(LAYER)}, name)


def _is_one_answer(documents: object) -> bool:
    """Whether this is the message of an API or an object with fields, where several answers are expected."""
    if isinstance(documents, Mapping):
        return is_message(documents)
    return any(hasattr(documents, each) for each in ("model_dump", "__dataclass_fields__", "__fields__"))


def _answer(given: object, number: int, name: str) -> object:
    """The answer about a document, as text or plain data."""
    finding, remedy = "", "give the text that the model wrote, a list of items, a dict, or None"
    try:
        found = answer_in(plain_value(given))
    except UnreadableError as error:
        finding = f"the answer about document {number} has a value of type {error}, which cannot be read"
    except (TypeError, ValueError, RecursionError) as error:  # of a method that lists the fields
        finding = f"the answer about document {number}, {shown(given)}, cannot be read ({error})"
    else:
        if not isinstance(found, bool | int | float):
            return found
        finding = f"the answer about document {number} is {shown(found)}, which names no span"
    raise InputError(name, None, finding, remedy)
