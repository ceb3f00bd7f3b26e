"""What several systems say of mentions: the verdicts of ARCS.

A unit is a mention of the key or of any system. What a system says of it is its verdict: tp, wl, fn, fp or tn. Mentions
without an antecedent in the key are surplus, whose verdict is fp, or tn under the systems that give them none. Of a
pair of systems, all mentions are compared that are not tn under both.

Source: Tuggener 2017, section 2.3 (eq. 2, Table 8). The paper's formula is over mentions that key and both systems
have, which cannot be meant, as its table counts mentions that one of them does not have (fn to tp, fp to tn).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.arcs import Verdicts, all_mentions, judge
from evenhand.tasks.chains.kinds import ARCS_KINDS, TN, TP
from evenhand.tasks.chains.mention_types import MentionTypes
from evenhand.tasks.units import Units, units_of
from evenhand.text.annotation import Annotation
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus


@dataclass(frozen=True)
class JudgedMentions:
    """The mentions of all sides, what they are under each response, and their types."""

    mentions: Chains
    verdicts: Verdicts
    label: Ints
    """The code of each mention's type; -1 where there are no POS."""

    def tally(self, groups: Ints, labels: Sequence[str]) -> Tally:
        """The counts of verdicts under the first response; `groups` is the group of each document."""
        group, nothing = groups[self.mentions.document], np.full(len(self.mentions), -1)
        return Tally.of(labels, ARCS_KINDS, group, self.label, nothing, self.verdicts.kind[0])

    def answers(self, corpus: Corpus) -> Answers:
        """Verdicts as answers; `corpus` is the key's text."""
        mentions, kind = self.mentions, self.verdicts.kind
        sentence, start = corpus.in_sentences(mentions.document, mentions.start)
        return Answers(
            label=self.label,
            is_surplus=self.verdicts.key_antecedent < 0,
            answer=kind,
            shown=kind,
            right=(kind == TP) | (kind == TN),
            part=self.verdicts.antecedent,
            sentence=sentence,
            start=start,
            end=start + mentions.end - mentions.start,
            shape=mentions.shape,
            shapes=mentions.vocabulary.shapes.values,
            absent=kind == TN,
            gold_antecedent=self.verdicts.key_antecedent,
            kinds=ARCS_KINDS,
            verdict=kind,
        )


def judged_arcs(
    by: str,
    key: Chains,
    annotation: Annotation,
    responses: Sequence[Chains],
    types: MentionTypes,
    numbers: Sequence[Ints] | None = None,
) -> JudgedMentions:
    """The verdicts on all mentions; `annotation` has the POS, and `numbers` say which mentions are the same."""
    found = all_mentions(key, responses, numbers)
    typed = types(found.mentions, annotation)
    assert typed is not None or by == "arcs_any"  # without POS, nobody asks for arcs_nom
    nominal, label = typed or (None, np.full(len(found), -1))
    return JudgedMentions(found.mentions, judge(found, None if by == "arcs_any" else nominal), label)


def mention_units(answers: Answers) -> Units:
    """The units as an error browser shows them."""
    label = np.broadcast_to(answers.label, answers.shown.shape)
    assert answers.gold_antecedent is not None
    nothing = np.full(answers.shown.shape, -1)
    antecedent = np.concatenate((answers.gold_antecedent[None], answers.part))
    return replace(units_of(answers, answers.shown, label, nothing, nothing), antecedent=antecedent)
