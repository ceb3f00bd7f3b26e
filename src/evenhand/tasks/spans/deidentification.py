"""MEDDOCAN: the scores of the shared task on the de-identification of Spanish clinical texts.

Both sides are sets of spans in each document, by offsets of characters. P = TP / (TP + FP), R = TP / (TP + FN).

- `meddocan-ner` (subtask 1): spans are equal if label, start and end are. `leak` = FN / sentences: how many spans a
  sentence are missing. `--sentences FILE` has the number of sentences of every document; without it, `leak` is null.
- `meddocan-strict` (subtask 2): spans are start and end, whatever their labels.
- `meddocan-merged` (subtask 2): as strict, but neighbours may be written as one. The spans of each side, sorted, join
  the one before if no character between them is a letter or a digit (`str.isalnum`), or if they overlap: the joint span
  has the start of the one before and the end of the one that joins it. I are the spans that both sides have, and the
  joint spans that both have. TP = |I|. FN are gold spans that the system lacks and that lie inside no span of I, FP are
  system spans that the gold standard lacks and that lie inside no span of I.

Spans with gaps go from their first character to their last.

Sources: Marimon et al. 2019; the counts are those of the shared task's MEDDOCAN-Evaluation-Script.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np

from evenhand.arrays import ints
from evenhand.errors import SettingError
from evenhand.scoring.tally import NO_LABEL, Tally
from evenhand.tasks.sentences import Sentences
from evenhand.tasks.spans.scorers import SpanPair
from evenhand.tasks.spans.strings import LabeledOffsets
from evenhand.tasks.spans.values import DocumentSpans

# == tasks/spans/set_counts.py: Counts of sets of spans, document by document.


Bounds = tuple[int, int]
"""Start and end, regardless of label."""
Counts = Counter[tuple[str, str]]
"""How many spans there are of a kind and a label."""
KINDS = ("TP", "FP", "FN", "sentences")


def bounds_of(spans: Iterable[LabeledOffsets]) -> frozenset[Bounds]:
    return frozenset((start, end) for start, end, _ in spans)


def set_counts(gold: Collection[LabeledOffsets], system: Collection[LabeledOffsets]) -> Counts:
    """TP are spans that both sides have, FP and FN those of one side, by label."""
    mine, other = set(gold), set(system)
    found = {"TP": mine & other, "FP": other - mine, "FN": mine - other}
    return Counter((kind, label) for kind, spans in found.items() for _, _, label in spans)


def unlabeled(**counts: int) -> Counts:
    """Counts that belong to no label."""
    return Counter({(kind, NO_LABEL): count for kind, count in counts.items()})


def tally_documents(question: SpanPair, count: Callable[[DocumentSpans], Counts]) -> Tally:
    """The counts of all documents."""
    labels, rows = question.gold.vocabulary.labels, list[tuple[int, int, int, int]]()
    for document in question.documents:
        for (kind, label), count_of_kind in count(document).items():
            code = -1 if label == NO_LABEL else labels.code(label)
            rows.append((document.scope, code, KINDS.index(kind), count_of_kind))
    scope, labeled, kinds, counts = ints(rows).reshape(-1, 4).T
    gold, system = (np.where(kinds == KINDS.index(absent), -1, labeled) for absent in ("FP", "FN"))
    return Tally.of(labels.values, KINDS, question.groups[scope], gold, system, kinds, counts)


# == tasks/spans/meddocan.py (primary)


def ner(question: SpanPair) -> Tally:
    numbers: Sentences = question.settings["sentences"]

    def count(document: DocumentSpans) -> Counts:
        found = set_counts(document.gold, document.system)
        return found if isinstance(numbers, str) else found + unlabeled(sentences=_sentences(numbers, document.name))

    return tally_documents(question, count)


def _sentences(numbers: Mapping[str, int], document: str) -> int:
    if document not in numbers:
        raise SettingError(f"sentences has no document {document!r}; give a line with its name, a tab and a number.")
    return numbers[document]


def strict(question: SpanPair) -> Tally:
    return tally_documents(question, _strict)


def _strict(document: DocumentSpans) -> Counts:
    gold, system = bounds_of(document.gold), bounds_of(document.system)
    return unlabeled(TP=len(gold & system), FP=len(system - gold), FN=len(gold - system))


def merged(question: SpanPair) -> Tally:
    return tally_documents(question, _merged)


def _merged(document: DocumentSpans) -> Counts:
    gold, system = bounds_of(document.gold), bounds_of(document.system)
    equal = gold & system
    both = equal | (joined(gold, document.text) & joined(system, document.text))
    missed, spurious = (sum(not _is_inside(span, both) for span in side - equal) for side in (gold, system))
    return unlabeled(TP=len(both), FP=spurious, FN=missed)


def joined(spans: Iterable[Bounds], text: str) -> set[Bounds]:
    """The same spans, where each becomes one with that before it unless a letter or a digit stands between them."""
    found: list[Bounds] = []
    for start, end in sorted(spans):
        if found and not any(map(str.isalnum, text[found[-1][1] : start])):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return set(found)


def _is_inside(span: Bounds, others: Iterable[Bounds]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


# == tasks/spans/i2b2.py: i2b2: the scores of the i2b2/UTHealth shared task on the de-


_TOKEN = re.compile("[a-zA-Z0-9]+")
_APART = 2
"""How many characters the ends of relaxed spans may be apart."""


def strict_i2b2(question: SpanPair) -> Tally:
    """i2b2: the scores of the i2b2/UTHealth shared task on the de-identification of longitudinal clinical records.

    Both sides are sets of spans in each document, by offsets of characters. P = TP / (TP + FP), R = TP / (TP + FN).

    - `i2b2-strict`: spans are equal if label, start and end are.
    - `i2b2-relaxed`: label and start are equal, and ends are two characters apart at most. Spans are paired one to one,
      as many as can be.
    - `i2b2-token`: in place of spans, both sides have the tokens in them: label, start and end of every run of ASCII
      letters and digits, [a-zA-Z0-9]+.
    - `i2b2-binary-strict`, `i2b2-binary-token`: the same without labels.

    Spans with gaps go from their first character to their last.

    Sources: Stubbs et al. 2015; the counts are those of the shared task's i2b2_evaluation_scripts.
    """
    return tally_documents(question, lambda each: set_counts(each.gold, each.system))


def relaxed(question: SpanPair) -> Tally:
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


def token(question: SpanPair) -> Tally:
    return tally_documents(question, lambda each: set_counts(_tokens(each, each.gold), _tokens(each, each.system)))


def _tokens(document: DocumentSpans, spans: Iterable[LabeledOffsets]) -> set[LabeledOffsets]:
    """The runs of letters and digits in spans, each with the label of its span."""
    text = document.text
    return {(*match.span(), label) for start, end, label in spans for match in _TOKEN.finditer(text, start, end)}


def binary_strict(question: SpanPair) -> Tally:
    return tally_documents(question, lambda each: _binary(each.gold, each.system))


def binary_token(question: SpanPair) -> Tally:
    return tally_documents(question, lambda each: _binary(_tokens(each, each.gold), _tokens(each, each.system)))


def _binary(gold: Iterable[LabeledOffsets], system: Iterable[LabeledOffsets]) -> Counts:
    mine, other = bounds_of(gold), bounds_of(system)
    return unlabeled(TP=len(mine & other), FP=len(other - mine), FN=len(mine - other))
