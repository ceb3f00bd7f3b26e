"""The verdicts of ARCS on the mentions of a key and of responses, with their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.arcs import Verdicts, all_mentions, judge_any, judge_nominal
from evenhand.tasks.chains.kinds import ARCS_KINDS
from evenhand.tasks.chains.mention_types import MentionTypes
from evenhand.tasks.units import Units, units_of
from evenhand.text.annotation import Annotation
from evenhand.text.chains import Chains


@dataclass(frozen=True)
class JudgedMentions:
    """The mentions of all sides, what they are under each response, and their types where there are POS."""

    mentions: Chains
    verdicts: Verdicts
    label: Ints | None


def judged_arcs(
    by: str, key: Chains, annotation: Annotation, responses: Sequence[Chains], types: MentionTypes
) -> JudgedMentions:
    """The verdicts on all mentions; `annotation` has the POS."""
    found = all_mentions(key, responses)
    typed = types(found.mentions, annotation)
    if by == "arcs_any":
        return JudgedMentions(found.mentions, judge_any(found), None if typed is None else typed[1])
    assert typed is not None  # without POS, nobody asks for it
    nominal, label = typed
    return JudgedMentions(found.mentions, judge_nominal(found, nominal), label)


def arcs_tally(found: JudgedMentions, groups: Ints, labels: Sequence[str]) -> Tally:
    """The counts of verdicts under the first response; `groups` is the group of each document."""
    group, nothing = groups[found.mentions.document], np.full(len(found.mentions), -1)
    label = nothing if found.label is None else found.label
    return Tally.of(labels, ARCS_KINDS, group, label, nothing, found.verdicts.kind[0])


def mention_units(answers: Answers) -> Units:
    """The units as an error browser shows them."""
    label = np.broadcast_to(answers.label, answers.shown.shape)
    assert answers.gold_antecedent is not None
    nothing = np.full(answers.shown.shape, -1)
    antecedent = np.concatenate((answers.gold_antecedent[None], answers.part))
    return replace(units_of(answers, answers.shown, label, nothing, nothing), antecedent=antecedent)
