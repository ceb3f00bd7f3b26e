"""MEDDOCAN: the scores of the shared task on the de-identification of Spanish clinical texts.

Both sides are sets of spans per document, by character offsets. P = TP / (TP + FP), R = TP / (TP + FN).

- `meddocan-ner` (subtask 1): spans are equal if label, start and end are. `leak` = FN / sentences, missing spans per
  sentence. `--sentences FILE` has the number of sentences of every document; without it, `leak` is null.
- `meddocan-strict` (subtask 2): spans are start and end, regardless of label.
- `meddocan-merged` (subtask 2): as strict, but neighbours may be written as one span. The spans of each side, sorted,
  are merged with the preceding one if no character between them is a letter or a digit (`str.isalnum`), or if they
  overlap: the merged span has the start of the first and the end of the second. I are the spans and the merged spans
  that both sides have. TP = |I|. FN are gold spans that the system lacks and that are not inside a span of I, FP are
  system spans that the gold standard lacks and that are not inside a span of I.

Spans with gaps go from their first character to their last.

Sources: Marimon et al. 2019; the counts follow the shared task's MEDDOCAN-Evaluation-Script.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import NO_LABEL, Tally
from evenhand.tasks.spans.matching import SpanPair
from evenhand.tasks.spans.measures import Sentences
from evenhand.tasks.spans.strings import LabeledOffsets, UnitTexts

Bounds = tuple[int, int]
"""Start and end, regardless of label."""
Counts = Counter[tuple[str, str]]
"""Number of spans by kind and label."""
KINDS = ("TP", "FP", "FN", "sentences")
_TOKEN = re.compile("[a-zA-Z0-9]+")
_TOLERANCE = 2
"""Maximum distance of the ends of relaxed spans, in characters."""


def count_meddocan_ner(pair: SpanPair) -> Tally:
    numbers: Sentences = pair.settings["sentences"]

    def count(document: DocumentSpans) -> Counts:
        counts = set_counts(document.gold, document.system)
        return counts if isinstance(numbers, str) else counts + unlabeled(sentences=_sentences(numbers, document.name))

    return tally_documents(pair, count)


def _sentences(numbers: Mapping[str, int], document: str) -> int:
    if document not in numbers:
        raise SettingError(f"sentences has no document {document!r}; give a line with its name, a tab and a number.")
    return numbers[document]


def count_bounds(pair: SpanPair) -> Tally:
    """`meddocan-strict` and `i2b2-binary-strict`."""
    return tally_documents(pair, lambda document: bounds_counts(document.gold, document.system))


def count_meddocan_merged(pair: SpanPair) -> Tally:
    return tally_documents(pair, _merged)


def _merged(document: DocumentSpans) -> Counts:
    gold, system = bounds_of(document.gold), bounds_of(document.system)
    equal = gold & system
    both = equal | (merge(gold, document.text) & merge(system, document.text))
    missed, spurious = (sum(not _is_inside(span, both) for span in side - equal) for side in (gold, system))
    return unlabeled(TP=len(both), FP=spurious, FN=missed)


def merge(spans: Iterable[Bounds], text: str) -> set[Bounds]:
    """Merge each span with the preceding one unless a letter or a digit is between them."""
    merged: list[Bounds] = []
    for start, end in sorted(spans):
        if merged and not any(map(str.isalnum, text[merged[-1][1] : start])):
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return set(merged)


def _is_inside(span: Bounds, others: Iterable[Bounds]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def count_i2b2_strict(pair: SpanPair) -> Tally:
    """i2b2: the scores of the i2b2/UTHealth shared task on the de-identification of longitudinal clinical records.

    Both sides are sets of spans per document, by character offsets. P = TP / (TP + FP), R = TP / (TP + FN).

    - `i2b2-strict`: spans are equal if label, start and end are.
    - `i2b2-relaxed`: label and start are equal, and ends are at most two characters apart. Spans are paired one to one;
      the number of pairs is maximal.
    - `i2b2-token`: both sides have the tokens in spans instead: label, start and end of every run of ASCII letters and
      digits, [a-zA-Z0-9]+.
    - `i2b2-binary-strict`, `i2b2-binary-token`: the same without labels.

    Spans with gaps go from their first character to their last.

    Sources: Stubbs et al. 2015; the counts follow the shared task's i2b2_evaluation_scripts.
    """
    return tally_documents(pair, lambda document: set_counts(document.gold, document.system))


def count_i2b2_relaxed(pair: SpanPair) -> Tally:
    return tally_documents(pair, _relaxed)


def _relaxed(document: DocumentSpans) -> Counts:
    counts, gold, system = Counts(), _ends(document.gold), _ends(document.system)
    for start, label in {*gold, *system}:
        gold_ends, system_ends = gold[start, label], system[start, label]
        tp = _pair_ends(gold_ends, system_ends)
        counts += Counts({("TP", label): tp, ("FP", label): len(system_ends) - tp, ("FN", label): len(gold_ends) - tp})
    return counts


def _ends(spans: Iterable[LabeledOffsets]) -> defaultdict[tuple[int, str], list[int]]:
    """The sorted ends of spans by start and label."""
    ends: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for start, end, label in sorted(spans):
        ends[start, label].append(end)
    return ends


def _pair_ends(left: Collection[int], right: Collection[int]) -> int:
    """The number of pairs of two ascending lists whose ends are within the tolerance."""
    count, others = 0, list(reversed(list(right)))
    for number in left:
        while others and others[-1] < number - _TOLERANCE:
            others.pop()
        if others and others[-1] <= number + _TOLERANCE:
            others.pop()
            count += 1
    return count


def count_i2b2_token(pair: SpanPair) -> Tally:
    return tally_documents(pair, lambda document: set_counts(*_tokens_of(document)))


def count_i2b2_binary_token(pair: SpanPair) -> Tally:
    return tally_documents(pair, lambda document: bounds_counts(*_tokens_of(document)))


def _tokens_of(document: DocumentSpans) -> list[set[LabeledOffsets]]:
    """The runs of letters and digits in the spans of each side, with the labels of the spans."""
    text = document.text
    return [
        {(*match.span(), label) for start, end, label in spans for match in _TOKEN.finditer(text, start, end)}
        for spans in (document.gold, document.system)
    ]


def bounds_of(spans: Iterable[LabeledOffsets]) -> frozenset[Bounds]:
    return frozenset((start, end) for start, end, _ in spans)


def set_counts(gold: Collection[LabeledOffsets], system: Collection[LabeledOffsets]) -> Counts:
    """TP are spans of both sides, FP and FN of one side, by label."""
    expected, predicted = set(gold), set(system)
    sets = {"TP": expected & predicted, "FP": predicted - expected, "FN": expected - predicted}
    return Counter((kind, label) for kind, spans in sets.items() for _, _, label in spans)


def bounds_counts(gold: Iterable[LabeledOffsets], system: Iterable[LabeledOffsets]) -> Counts:
    """The same regardless of label."""
    expected, predicted = bounds_of(gold), bounds_of(system)
    return unlabeled(TP=len(expected & predicted), FP=len(predicted - expected), FN=len(expected - predicted))


def unlabeled(**counts: int) -> Counts:
    """Counts without a label."""
    return Counter({(kind, NO_LABEL): count for kind, count in counts.items()})


def tally_documents(pair: SpanPair, count: Callable[[DocumentSpans], Counts]) -> Tally:
    """Count all documents."""
    labels, rows = pair.gold.vocabulary.labels, list[tuple[int, int, int, int]]()
    for document in pair.cached(documents_of):
        for (kind, label), count_of_kind in count(document).items():
            code = -1 if label == NO_LABEL else labels.code(label)
            rows.append((document.scope, code, KINDS.index(kind), count_of_kind))
    scope, labeled, kinds, counts = ints(rows).reshape(-1, 4).T
    gold, system = (np.where(kinds == KINDS.index(absent), -1, labeled) for absent in ("FP", "FN"))
    return Tally.of(labels.values, KINDS, pair.groups[scope], gold, system, kinds, counts)


@dataclass(frozen=True)
class DocumentSpans:
    """A document and the different spans of both sides in it: start, end and label. Gaps are ignored."""

    name: str
    text: str
    scope: int
    """Its first sentence in the part."""
    gold: frozenset[LabeledOffsets]
    system: frozenset[LabeledOffsets]


def documents_of(pair: SpanPair) -> list[DocumentSpans]:
    assert pair.context.texts is not None
    return pair.context.texts.both(*pair.placed)


class DocumentTexts:
    """The documents of a part, which contains all of their sentences."""

    def __init__(self, batches: Sequence[Annotation]) -> None:
        self._texts = [UnitTexts(batch.corpus, by_document=True) for batch in batches]
        self._corpora = [batch.corpus for batch in batches]
        self._firsts = np.cumsum([0, *(corpus.sentences for corpus in self._corpora)]).tolist()

    def both(self, gold: Spans, system: Spans) -> list[DocumentSpans]:
        """The spans of both sides, document by document."""
        sides = zip(self._side(gold), self._side(system), strict=True)
        units = [
            (_name(corpus, number), unit.text, first + unit.first)
            for corpus, texts, first in zip(self._corpora, self._texts, self._firsts, strict=False)
            for number, unit in enumerate(texts.units)
        ]
        return [DocumentSpans(*unit, *side) for unit, side in zip(units, sides, strict=True)]

    def _side(self, spans: Spans) -> list[frozenset[LabeledOffsets]]:
        documents = []
        for texts, first, corpus in zip(self._texts, self._firsts, self._corpora, strict=False):
            inside = spans.take(np.flatnonzero((spans.scope >= first) & (spans.scope < first + corpus.sentences)))
            documents += texts.offsets(replace(inside, scope=inside.scope - first))
        return [frozenset(offsets) for offsets in documents]


def _name(corpus: Corpus, number: int) -> str:
    """The name of a document; by default the name of its file."""
    if corpus.names:
        return corpus.names[number]
    if corpus.ids is not None:
        return corpus.ids[int(corpus.documents[number])]
    return PurePath(corpus.source).stem
