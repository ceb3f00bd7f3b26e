"""i2b2: the scores of the i2b2/UTHealth shared task on the de-identification of longitudinal clinical records.

Both sides are sets of spans in each document, by offsets of characters. P = TP / (TP + FP), R = TP / (TP + FN).

- `i2b2-strict`: spans are equal if label, start and end are.
- `i2b2-relaxed`: label and start are equal, and ends are two characters apart at most. Spans are paired one to one, as
  many as can be.
- `i2b2-token`: in place of spans, both sides have the tokens in them: label, start and end of every run of ASCII
  letters and digits, [a-zA-Z0-9]+.
- `i2b2-binary-strict`, `i2b2-binary-token`: the same without labels.

Spans with gaps go from their first character to their last.

Sources: Stubbs et al. 2015; the counts are those of the shared task's i2b2_evaluation_scripts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from evenhand.tally import Tally
from evenhand.tasks.spans.document_spans import DocumentSpans
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.set_counts import Counts, bounds_of, set_counts, tally_documents, unlabeled
from evenhand.tasks.spans.unit_texts import LabeledOffsets

_TOKEN = re.compile("[a-zA-Z0-9]+")
_APART = 2
"""How many characters the ends of relaxed spans may be apart."""


def strict(question: Question) -> Tally:
    return tally_documents(question, lambda each: set_counts(each.gold, each.system))


def relaxed(question: Question) -> Tally:
    return tally_documents(question, _relaxed)


def _relaxed(document: DocumentSpans) -> Counts:
    found, gold, system = Counts(), _ends(document.gold), _ends(document.system)
    for start, label in {*gold, *system}:
        mine, other = gold[start, label], system[start, label]
        paired = _paired(mine, other)
        found += Counts({("TP", label): paired, ("FP", label): len(other) - paired, ("FN", label): len(mine) - paired})
    return found


def _ends(spans: Iterable[LabeledOffsets]) -> defaultdict[tuple[int, str], list[int]]:
    """The ends of spans, in their order, by start and label."""
    found: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for start, end, label in sorted(spans):
        found[start, label].append(end)
    return found


def _paired(left: Collection[int], right: Collection[int]) -> int:
    """How many numbers of two ascending lists can be paired that are not too far apart."""
    count, others = 0, list(reversed(list(right)))
    for number in left:
        while others and others[-1] < number - _APART:
            others.pop()
        if others and others[-1] <= number + _APART:
            others.pop()
            count += 1
    return count


def token(question: Question) -> Tally:
    return tally_documents(question, lambda each: set_counts(_tokens(each, each.gold), _tokens(each, each.system)))


def _tokens(document: DocumentSpans, spans: Iterable[LabeledOffsets]) -> set[LabeledOffsets]:
    """The runs of letters and digits in spans, each with the label of its span."""
    text = document.text
    return {(*match.span(), label) for start, end, label in spans for match in _TOKEN.finditer(text, start, end)}


def binary_strict(question: Question) -> Tally:
    return tally_documents(question, lambda each: _binary(each.gold, each.system))


def binary_token(question: Question) -> Tally:
    return tally_documents(question, lambda each: _binary(_tokens(each, each.gold), _tokens(each, each.system)))


def _binary(gold: Iterable[LabeledOffsets], system: Iterable[LabeledOffsets]) -> Counts:
    mine, other = bounds_of(gold), bounds_of(system)
    return unlabeled(TP=len(mine & other), FP=len(other - mine), FN=len(mine - other))
