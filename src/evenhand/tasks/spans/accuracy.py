"""Token accuracy: the share of tokens whose tags are equal, prefix and label alike.

accuracy = tokens with equal tags / tokens

Where both files have tags in the same encoding, these are compared as they stand. Otherwise, and where labels were
renamed or left out, each side's spans are spelled in IOB2, a tag a level, and a token is right if all its tags are.

Source: conlleval (Tjong Kim Sang and Buchholz 2000), which prints it beside the exact match of spans.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.tasks.spans.segments import Runs, segments
from evenhand.tasks.spans.token_separator import Text
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


def equal_tokens(gold: Spans, system: Spans, text: Text, continued: Spans | None = None) -> Bools:
    """Which tokens are in the same spans of both sides and begin the same ones, by label and level.

    `continued` is what spans of the system cover that begin before the text.
    """
    assert text.lengths is not None
    tokens = int(text.lengths.sum())
    sides = [gold, system] if continued is None else [gold, system, continued]
    levels = max(int(side.level.max(initial=0)) for side in sides) + 1
    theirs = _tags(system, text, levels)
    if continued is not None:
        theirs = theirs.plus(_tags(continued, text, levels, begins=False))
    found = segments(_tags(gold, text, levels).before(tokens), theirs.before(tokens))
    wrong = np.flatnonzero((found.gold > 0) != (found.system > 0))
    begin = found.begin[wrong]
    opened, closed = (np.bincount(place, minlength=tokens + 1) for place in (begin, begin + found.length[wrong]))
    right: Bools = np.cumsum(opened - closed)[:tokens] == 0
    return right


def _tags(spans: Spans, text: Text, levels: int, *, begins: bool = True) -> Runs:
    """The first token of each span, and the others, under one number for each tag: label, level, and whether it begins.

    Unless a span `begins`, all of its tokens are others. Gaps are not looked at.
    """
    first = text.first[spans.scope]
    start, end, tag = first + spans.start, first + spans.end, (spans.label * levels + spans.level) * 2
    if not begins:
        return Runs(start, end, tag)
    begin, behind = np.concatenate((start, start + 1)), np.concatenate((start + 1, end))
    found = Runs(begin, behind, np.concatenate((tag + 1, tag)))
    return found.take((found.begin < found.end) & np.tile(start < end, 2))


def by_sentence(right: Bools, lengths: Ints) -> Ints:
    """How many of the tokens of each sentence are right."""
    before = np.append(0, np.cumsum(right))
    end = np.cumsum(lengths)
    counted: Ints = before[end] - before[end - lengths]
    return counted
