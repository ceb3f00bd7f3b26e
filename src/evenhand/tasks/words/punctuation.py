"""Which words are punctuation, under each policy that a user can choose."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

import numpy as np

from evenhand.arrays import Bools
from evenhand.tasks.words.punctuation_policy import Punctuation
from evenhand.tasks.words.universal import without_subtype
from evenhand.text.annotation import Annotation
from evenhand.text.codes import Coder
from evenhand.text.layers import Tags
from evenhand.text.tokens import Tokens

_MAY_BE = np.array([not chr(byte).isalnum() for byte in range(128)] + [True] * 128)
"""Which bytes can begin a word of punctuation; characters beyond ASCII are looked at one by one."""


def is_punctuation(policy: Punctuation, annotation: Annotation) -> Bools:
    """Which words of an annotation are punctuation."""
    size = annotation.corpus.token_count or 0
    if policy.by == "keep":
        return np.zeros(size, dtype=np.bool_)
    if policy.by == "relation":
        relation = annotation.trees().relation
        return _named(relation, [name for name in relation.names if without_subtype(name) == "punct"])
    if policy.by == "form":
        tokens = annotation.corpus.tokens
        return np.zeros(size, dtype=np.bool_) if tokens is None else _of_marks(tokens)
    found = np.zeros(size, dtype=np.bool_)
    for column in ("upos", "xpos", "tags"):
        tags = annotation.layers.get(column)
        if isinstance(tags, Tags):
            found |= _named(tags, policy.tags)
    return found


def _named(tags: Tags, names: Sequence[str]) -> Bools:
    code = tags.code
    return np.array([name in names for name in tags.names], dtype=np.bool_)[code]


def _of_marks(tokens: Tokens) -> Bools:
    """Which tokens have only characters that Unicode calls punctuation (categories P)."""
    first = np.frombuffer(tokens.data, dtype=np.uint8)[tokens.start]
    found = np.zeros(len(tokens), dtype=np.bool_)
    maybe = np.flatnonzero(_MAY_BE[first])
    coder = Coder()
    code = coder(tokens.take(maybe))
    is_mark = np.array([all(category(char)[0] == "P" for char in name) for name in coder.names], dtype=np.bool_)
    found[maybe] = is_mark[code]
    return found
