"""Annotations from what a language model wrote about each document, as plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from evenhand.arguments import shown
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.extractions import LAYER, Answer, Extractions, whole_characters
from evenhand.text.list_checks import check_name, is_text, listed
from evenhand.text.span_lists import ids_of
from evenhand.text.tokens import Tokens

_ANSWERS = 'give the answer about each document, such as [[{"text": "Ada", "label": "PER"}], []]'


def extractions(
    documents: Iterable[Any] | Mapping[str, Any], *, label: str | None = None, name: str = "extractions"
) -> Annotation:
    """A system from what a language model wrote: `extractions([[{"text": "Ada", "label": "PER"}], []])`.

    There is an answer for each document (or sentence) of the gold standard, in its order; in a mapping, by its id. An
    answer is a text as the model wrote it (JSON, lines, inline tags), or what it decodes to: a list of items, or a
    mapping from labels to strings. `label` is the only label that was asked for, if there is one: then strings will do.
    Strings get their places in the gold standard's text when a score is asked for.
    """
    check_name(name)
    if label is not None and not (is_text(label) and label.strip()):
        raise InputError(name, None, f"label is {shown(label)}", "give the label that was asked for")
    ids = ids_of(documents, name) if isinstance(documents, Mapping) else None
    given = list(documents.values()) if isinstance(documents, Mapping) else listed(documents, "it", name, _ANSWERS)
    answers = tuple((Answer(whole_characters(answer), label),) for answer in given)
    corpus = Corpus(
        name,
        len(answers),
        documents=np.arange(len(answers)),
        ids=None if ids is None else Tokens.of(ids),
    )
    return Annotation(corpus, {LAYER: Extractions(answers)}, {"spans": Reading(LAYER)}, name)
