"""ARCS: whether each mention is resolved to a right antecedent.

A mention is its span of tokens. If mentions are matched in another way (`--mention-match`), a mention of the response
is identified with its counterpart in the key. Its antecedents are the mentions before it in its chain, in the order of
their first and last tokens: A_K in the key, A_S in the response; none if it is the first one, or is missing. Under
`arcs_any` all of them count, under `arcs_nom` only the nominal ones: mentions of several tokens, and mentions whose
token is a noun by its POS in the key (`--nominal`).

| | A_S empty | A_S not empty |
| --- | --- | --- |
| A_K empty | tn | fp |
| A_K not empty | fn | tp or wl (wrong linkage) |

Under `arcs_any`, a mention is tp if A_K and A_S share a mention; then precision, recall and F1 equal MUC's if no span
is repeated. Under `arcs_nom` it is tp if the closest nominal antecedent in the response is in A_K, whether or not it is
the closest one there. Recall = tp / (tp + wl + fn), precision = tp / (tp + wl + fp). By type, mentions are `nouns` (the
nominal ones), or have the POS of their one token: PRP, PRP$, … Without POS, neither types nor
`arcs_nom` are available.

The scripts of the published figures use the first nominal antecedent in some steps and the closest in others, leave
some mentions out of the denominator only, and distinguish mentions by their words and POS too; so figures may differ a
little.

Sources: Tuggener 2014; Tuggener 2017, section 2.3.
"""

# The literal definition, which the tests compare with, is in tests/slow_arcs.py.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Tags
from evenhand.data.structures import Chains, mention_spans
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.tasks.chains.mentions import repeats
from evenhand.tasks.chains.task import ARCS_KINDS, FN, FP, NOUNS, TN, TP, WL
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import Locations, Predictions


@dataclass(frozen=True)
class Mentions:
    """The distinct mentions of a key and of several responses, ordered by position."""

    mentions: Chains
    """Their chains are meaningless."""
    key_chain: Ints
    """The chain of each mention in the key; -1 if it is not there."""
    response_chains: Sequence[Ints]

    def __len__(self) -> int:
        return len(self.mentions)


@dataclass(frozen=True)
class ArcMatches:
    """The error types of mentions under each response (a row), and their closest antecedents that count, or -1.

    Under `arcs_any`, the antecedent of a tp is the closest correct one.
    """

    kind: Ints
    key_antecedent: Ints
    antecedent: Ints


def all_mentions(key: Chains, responses: Sequence[Chains], numbers: Sequence[Ints] | None = None) -> Mentions:
    """The mentions of all sides; each side counts only the first of its equal mentions.

    Mentions are equal if their spans are or, if given, their `numbers`, which has an array for every side.
    """
    numbers = mention_spans(key, *responses) if numbers is None else numbers
    kept = [~repeats(side, number) for side, number in zip((key, *responses), numbers, strict=True)]
    sides = [side.take(rows) for side, rows in zip((key, *responses), kept, strict=True)]
    number = np.concatenate([number[rows] for number, rows in zip(numbers, kept, strict=True)])
    _, first, mention = np.unique(number, return_index=True, return_inverse=True)
    chains, begin = [], 0
    for side in sides:
        chain = np.full(len(first), -1)
        chain[mention[begin : begin + len(side)]] = side.chain
        chains.append(chain)
        begin += len(side)
    return Mentions(Chains.concatenate(sides, [0] * len(sides)).take(first), chains[0], chains[1:])


def match_antecedents(mentions: Mentions, nominal: Bools | None = None) -> ArcMatches:
    """Error types under `arcs_nom`, if it is given which mentions are nominal; else under `arcs_any`."""
    counts = np.ones(len(mentions), dtype=np.bool_) if nominal is None else nominal
    key = mentions.key_chain
    key_antecedent = _closest(key, counts)
    kinds, antecedents = [], []
    for chain in mentions.response_chains:
        antecedent = _closest(chain, counts)
        if nominal is None:
            # Earlier mentions that share both chains of this one.
            both = np.where((key >= 0) & (chain >= 0), key * (chain.max(initial=0) + 1) + chain, -1)
            shared = _closest(both, counts)
            antecedent = np.where(shared >= 0, shared, antecedent)
        is_correct = (antecedent >= 0) & (key >= 0) & (np.append(key, -1)[antecedent] == key)
        resolved = np.where(key_antecedent >= 0, np.where(is_correct, TP, WL), FP)
        kinds.append(np.where(antecedent >= 0, resolved, np.where(key_antecedent >= 0, FN, TN)))
        antecedents.append(antecedent)
    shape = (len(kinds), len(mentions))
    return ArcMatches(np.reshape(kinds, shape), key_antecedent, np.reshape(antecedents, shape))


def _closest(chain: Ints, counts: Bools) -> Ints:
    """For each mention the last one before it in its chain that counts; -1 for none."""
    closest = np.full(len(chain), -1)
    order = np.flatnonzero(chain >= 0)
    order = order[np.argsort(chain[order], kind="stable")]
    if not len(order):
        return closest
    index = np.arange(len(order))
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = chain[order[1:]] != chain[order[:-1]]
    first = np.maximum.accumulate(np.where(begins, index, 0))
    before = np.append(-1, np.maximum.accumulate(np.where(counts[order], index, -1))[:-1])
    known = before >= first
    closest[order[known]] = order[before[known]]
    return closest


def mention_types(mentions: Chains, key: Annotation, nominal: Sequence[str]) -> tuple[Bools, Ints] | None:
    """Whether each mention is nominal, and the code of its type: nominal, or the POS of its token.

    `nominal` are the POS of nouns. None if the key has no POS.
    """
    pos = key.layers.get("pos")
    if not isinstance(pos, Tags):
        return None
    labels, coder = mentions.vocabulary.labels, mentions.vocabulary.columns["pos"]
    code = pos.coded(coder)[key.corpus.document_bounds[mentions.document] + mentions.start]
    types = ints([labels.code(name) for name in coder.names])
    is_noun = np.array([name in nominal for name in coder.names], dtype=np.bool_)
    are_nominal = is_nominal(mentions, is_noun[code] if len(is_noun) else np.zeros(len(mentions), dtype=np.bool_))
    return are_nominal, np.where(are_nominal, labels.code(NOUNS), types[code])


def is_nominal(mentions: Chains, begins_with_noun: Bools) -> Bools:
    """Which mentions are nominal: nouns, and mentions of several tokens."""
    is_long: Bools = mentions.end - mentions.start > 1
    return begins_with_noun | is_long


def by_pronoun(
    answers: Predictions | UnitRows, locations: Locations, names: StringIndex[str], labels: StringIndex[str]
) -> Ints:
    """The slice `pronoun`: the lower-cased words of mentions that are not nominal; `labels` are mention types."""
    if getattr(answers, "kinds", ARCS_KINDS) != ARCS_KINDS:
        raise SettingError("The slice 'pronoun' needs mentions; compare by arcs_any, or remove it.")
    if labels.find(NOUNS) is None:
        raise SettingError(
            "The slice 'pronoun' needs the POS of words, which the gold standard does not have; remove it."
        )
    noun, nouns = labels.find(NOUNS), names.code(NOUNS)
    rows = zip(*(column.tolist() for column in (answers.label, answers.sentence, answers.start)), strict=True)
    return ints(
        [
            nouns if label == noun else names.code((locations.words(sentence, start, start + 1) or "").lower())
            for label, sentence, start in rows
        ]
    )
