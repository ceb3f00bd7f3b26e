"""Token accuracy: the share of tokens whose tags are equal, prefix and label alike.

accuracy = tokens with equal tags / tokens

Where both files have tags in the same encoding, these are compared as they stand. Otherwise, and where labels were
renamed or left out, each side's spans are spelled in IOB2, a tag a level, and a token is right if all its tags are.

Source: conlleval (Tjong Kim Sang and Buchholz 2000), which prints it beside the exact match of spans.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints, ints, pack, ranges
from evenhand.judge.units import Text
from evenhand.text.encodings import plain_spelling
from evenhand.text.layers import Spans, Tags


def equal_tags(gold: Tags, system: Tags) -> Bools:
    """Which tokens have the same tag."""
    codes: dict[str, int] = {}
    mine, theirs = (
        ints([codes.setdefault(plain_spelling(name), len(codes)) for name in side.names]) for side in (gold, system)
    )
    equal: Bools = mine[gold.code] == theirs[system.code]
    return equal


def equal_tokens(gold: Spans, system: Spans, text: Text) -> Bools:
    """Which tokens are in the same spans of both sides and begin the same ones, by label and level."""
    assert text.lengths is not None
    mine, theirs = _tags(gold, text), _tags(system, text)
    key, other = pack(*((mine[:, column], theirs[:, column]) for column in range(4)))
    right = np.ones(int(text.lengths.sum()), dtype=np.bool_)
    for keys, others, tokens in ((key, other, mine[:, 0]), (other, key, theirs[:, 0])):
        right[tokens[~np.isin(keys, others)]] = False
    return right


def _tags(spans: Spans, text: Text) -> Ints:
    """Token, level, label and whether a span begins, a row for each token of each span."""
    length = spans.end - spans.start
    token = ranges(text.first[spans.scope] + spans.start, length)
    begins = ranges(np.zeros_like(length), length) == 0
    level, label = np.repeat(spans.level, length), np.repeat(spans.label, length)
    return np.stack((token, level, label, begins.astype(np.int64)), axis=1)


def by_sentence(right: Bools, lengths: Ints) -> Ints:
    """How many of the tokens of each sentence are right."""
    before = np.append(0, np.cumsum(right))
    end = np.cumsum(lengths)
    counted: Ints = before[end] - before[end - lengths]
    return counted
