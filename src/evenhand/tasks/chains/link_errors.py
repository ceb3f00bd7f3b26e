"""Link errors: MUC, one missing or wrong link at a time.

In each chain of the key, each mention except for the first one has one antecedent. There is no error if the response
has any earlier mention of the chain in one chain with it. Otherwise the link to its antecedent is missing: the closest
earlier mention of the chain if it is a pronoun; else the closest earlier name, or else nominal, or else mention.
With the sides swapped, the links are wrong. With `--antecedents closest`, the antecedent is always the closest earlier
mention.

The number of missing links is MUC's links of the key minus its common links, and that of wrong links the same for the
response. For wrong links, cort takes the antecedents that a system has chosen; files have none, so the rule for
missing links holds for both sides.

Source: Martschat and Strube 2014.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entity_errors import MENTION_TYPES, NAME, NOMINAL, PRONOUN, EntityMentions, members

SIDES = ("missing", "wrong")
DISTANCES = ("0", "1", "2", "3-9", "10+")
_DISTANCE_BOUNDS = (1, 2, 3, 10)


@dataclass(frozen=True)
class LinkError:
    """A link that the other side lacks."""

    mention: int
    antecedent: int
    type: str
    """The type of the mention."""
    antecedent_type: str
    sentences: int
    """The distance in sentences."""
    mentions: int
    """The distance in mentions of the chain: 1 for neighbours."""


def link_errors(mentions: EntityMentions, *, wrong: bool = False, closest: bool = False) -> list[LinkError]:
    """The missing links of a response, or its wrong links, in the order of chains."""
    own, other = (mentions.response, mentions.key) if wrong else (mentions.key, mentions.response)
    types, sentence, of_other = mentions.type.tolist(), mentions.sentence.tolist(), other.tolist()
    errors = []
    for chain in members(own):
        seen = {of_other[chain[0]]}
        for position in range(1, len(chain)):
            row = chain[position]
            if of_other[row] < 0 or of_other[row] not in seen:
                before = [types[earlier] for earlier in chain[:position]]
                place = position - 1 if closest else _antecedent(before, types[row])
                antecedent = chain[place]
                one, two = MENTION_TYPES[types[row]], MENTION_TYPES[types[antecedent]]
                distance = sentence[row] - sentence[antecedent]
                errors.append(LinkError(row, antecedent, one, two, distance, position - place))
            seen.add(of_other[row])
    return errors


def _antecedent(before: Sequence[int], own: int) -> int:
    """The position of the antecedent among the types of earlier mentions."""
    last = len(before) - 1
    if own == PRONOUN:
        return last
    for wanted in (NAME, NOMINAL):
        for place in range(last, -1, -1):
            if before[place] == wanted:
                return place
    return last


def distance_bin(distance: int) -> str:
    return DISTANCES[bisect_right(_DISTANCE_BOUNDS, distance)]
