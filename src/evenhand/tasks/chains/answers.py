"""What several systems say of mentions: the verdicts of ARCS.

A unit is a mention of the key or of any system. What a system says of it is its verdict: tp, wl, fn, fp or tn. Mentions
without an antecedent in the key are surplus, whose verdict is fp, or tn under the systems that give them none. Of a
pair of systems, all mentions are compared that are not tn under both.

Source: Tuggener 2017, section 2.3 (eq. 2, Table 8). The paper's formula is over mentions that key and both systems
have, which cannot be meant, as its table counts mentions that one of them does not have (fn to tp, fp to tn).
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.arcs import Verdicts
from evenhand.tasks.chains.kinds import ARCS_KINDS, TN, TP
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus


def answers_on_chains(mentions: Chains, verdicts: Verdicts, label: Ints, corpus: Corpus) -> Answers:
    """Verdicts as answers; `label` is the type of each mention, and `corpus` the key's text."""
    sentence, start = _places(mentions, corpus)
    kind = verdicts.kind
    return Answers(
        label=label,
        is_surplus=verdicts.key_antecedent < 0,
        answer=kind,
        shown=kind,
        right=(kind == TP) | (kind == TN),
        part=verdicts.antecedent,
        sentence=sentence,
        start=start,
        end=start + mentions.end - mentions.start,
        absent=kind == TN,
        gold_antecedent=verdicts.key_antecedent,
        kinds=ARCS_KINDS,
        verdict=kind,
    )


def _places(mentions: Chains, corpus: Corpus) -> tuple[Ints, Ints]:
    """The sentence in which each mention begins, and where; in its document, where sentences are not known."""
    if corpus.bounds is None:
        return mentions.document, mentions.start
    token = corpus.document_starts[mentions.document] + mentions.start
    sentence = np.searchsorted(corpus.bounds, token, side="right") - 1
    return sentence, token - corpus.bounds[sentence]
