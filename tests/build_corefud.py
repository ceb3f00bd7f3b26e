"""Files in CorefUD for tests, and a strategy that draws two of the same overt words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

HEAD = "# newdoc id = {}\n# global.Entity = eid-etype-head\n"
RELATIONS = ("nsubj", "obj")


class Drawn(NamedTuple):
    """A mention: its entity, the first and last token of its parts, and the place of its head."""

    entity: str
    parts: tuple[tuple[int, int], ...]
    head: int


def sentence(tokens: Sequence[tuple[str, str]], mentions: Sequence[Drawn]) -> str:
    """The lines of a sentence, whose tokens are ids and DEPS."""
    opened, closed = [""] * len(tokens), [""] * len(tokens)
    spans = []
    for mention in mentions:
        for number, (first, last) in enumerate(mention.parts, 1):
            part = f"[{number}/{len(mention.parts)}]" if len(mention.parts) > 1 else ""
            spans.append((first, -last, f"{mention.entity}{part}", mention.head))
    for first, last, name, head in sorted(spans):
        opened[first] += f"({name}-x-{head}" + (")" if first == -last else "")
        closed[-last] += f"{name})" if first < -last else ""
    lines = []
    for (number, depends), begin, end in zip(tokens, opened, closed, strict=True):
        misc = f"Entity={end}{begin}" if end or begin else "_"
        lines.append("\t".join([number, "w", "_", "_", "_", "_", "_", "_", depends, misc]) + "\n")
    return "".join(lines) + "\n"


def crosses(one: Drawn, other: Drawn) -> bool:
    """Whether brackets of one entity would be taken for those of the other mention."""
    spans = [(first, last) for each in (one, other) for first, last in each.parts]
    return one.entity == other.entity and (
        len(spans) > 2
        or spans[0][0] < spans[1][0] <= spans[0][1] < spans[1][1]
        or spans[1][0] < spans[0][0] <= spans[1][1] < spans[0][1]
    )


@st.composite
def drawn_mentions(draw: st.DrawFn, size: int) -> list[Drawn]:
    all_mentions: list[Drawn] = []
    for _ in range(draw(st.integers(0, 5))):
        first = draw(st.integers(0, size - 1))
        last = draw(st.integers(first, min(size - 1, first + 3)))
        parts = ((first, last),)
        if last + 2 < size and draw(st.integers(0, 4)) == 0:
            parts = (*parts, (last + 2, last + 2))
        words = sum(end - begin + 1 for begin, end in parts)
        mention = Drawn(draw(st.sampled_from(["a", "b", "c"])), parts, draw(st.integers(1, words)))
        if not any(crosses(mention, each) for each in all_mentions):
            all_mentions.append(mention)
    return all_mentions


@st.composite
def corefud_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts with the same overt words, and empty nodes and mentions of their own."""
    sides = ["", ""]
    for document in range(draw(st.integers(1, 2))):
        lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
        for side in range(2):
            sides[side] += HEAD.format(document)
            for length in lengths:
                tokens = draw(_tokens(length))
                sides[side] += sentence(tokens, draw(drawn_mentions(len(tokens))))
    return sides[0], sides[1]


@st.composite
def _tokens(draw: st.DrawFn, length: int) -> list[tuple[str, str]]:
    """Ids and DEPS of words and empty nodes."""
    places = st.tuples(st.integers(0, length), st.integers(1, 2))
    nodes = draw(st.sets(places, max_size=4))
    edges = st.tuples(st.integers(0, length), st.sampled_from(RELATIONS))
    all_tokens = [((number, 0), "_") for number in range(1, length + 1)]
    for node in nodes:
        several = draw(st.sets(edges, max_size=2))
        all_tokens.append((node, "|".join(f"{parent}:{relation}" for parent, relation in sorted(several)) or "_"))
    return [(f"{word}.{decimal}" if decimal else str(word), depends) for (word, decimal), depends in sorted(all_tokens)]
