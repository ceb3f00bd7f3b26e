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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from evenhand.arrays import ints, ones
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import NO_LABEL, Tally
from evenhand.tasks.spans.matching import SpanPair
from evenhand.tasks.spans.measures import Sentences
from evenhand.tasks.spans.strings import LabeledOffsets, UnitTexts
from evenhand.tasks.unit_rows import Places, UnitRows

Bounds = tuple[int, int]
"""Start and end, regardless of label."""
Unit = tuple[str, int, int, str]
"""TP, FP or FN, start, end and label."""
KINDS = ("TP", "FP", "FN", "sentences")
_TOKEN = re.compile("[a-zA-Z0-9]+")
_TOLERANCE = 2
"""Maximum distance of the ends of relaxed spans, in characters."""


def count(pair: SpanPair, measure: str) -> Tally:
    """Count the units of all documents and, for `meddocan-ner`, their sentences."""
    labels, documents = pair.gold.vocabulary.labels, pair.cached(documents_of)
    rows = [(document.scope, kind, label) for document in documents for kind, _, _, label in _UNITS[measure](document)]
    label = ints([-1 if name == NO_LABEL else labels.code(name) for *_, name in rows])
    kinds, counts = ints([KINDS.index(kind) for _, kind, _ in rows]), ones(len(rows))
    scope = ints([first for first, *_ in rows])
    numbers: Sentences = pair.settings["sentences"]
    if measure == "meddocan-ner" and not isinstance(numbers, str):
        sentences, nothing = [_sentences(numbers, document.name) for document in documents], [-1] * len(documents)
        scope, label = np.append(scope, [document.scope for document in documents]), np.append(label, nothing)
        kinds = np.append(kinds, [KINDS.index("sentences")] * len(documents))
        counts = np.append(counts, sentences)
    gold, system = (np.where(kinds == KINDS.index(absent), -1, label) for absent in ("FP", "FN"))
    return Tally.of(labels.values, KINDS, pair.groups[scope], gold, system, kinds, counts)


def units(pair: SpanPair, measure: str) -> UnitRows:
    """The units of all documents, in atoms of their sentences."""
    labels, documents = pair.gold.vocabulary.labels, pair.cached(documents_of)
    listed = [(number, *unit) for number, document in enumerate(documents) for unit in _UNITS[measure](document)]
    assert pair.context.texts is not None
    position = pair.context.texts.places([(number, start, end) for number, _, start, end, _ in listed])
    kind = ints([KINDS.index(kind) for _, kind, *_ in listed])
    label = ints([-1 if name == NO_LABEL else labels.code(name) for *_, name in listed])
    gold, system = (np.where(kind == KINDS.index(absent), -1, label) for absent in ("FP", "FN"))
    return UnitRows.of(KINDS, kind, position, gold, system, kind == KINDS.index("FP"))


def _sentences(numbers: Mapping[str, int], document: str) -> int:
    if document not in numbers:
        raise SettingError(f"sentences has no document {document!r}; add a line with its name, a tab and a number.")
    return numbers[document]


def _bounds(document: DocumentSpans) -> Iterator[Unit]:
    """`meddocan-strict` and `i2b2-binary-strict`."""
    return _sets(*(_without_labels(side) for side in (document.gold, document.system)))


def _merged(document: DocumentSpans) -> Iterator[Unit]:
    gold, system = ({(start, end) for start, end, _ in side} for side in (document.gold, document.system))
    equal = gold & system
    both = equal | (merge(gold, document.text) & merge(system, document.text))
    yield from (("TP", *span, NO_LABEL) for span in both)
    for kind, side in (("FP", system), ("FN", gold)):
        yield from ((kind, *span, NO_LABEL) for span in side - equal if not _is_inside(span, both))


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


def i2b2_strict(document: DocumentSpans) -> Iterator[Unit]:
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
    return _sets(document.gold, document.system)


def _relaxed(document: DocumentSpans) -> Iterator[Unit]:
    gold, system = _ends(document.gold), _ends(document.system)
    for start, label in {*gold, *system}:
        ends, others = gold[start, label], system[start, label]
        pairs = _pair_ends(ends, others)
        yield from (("TP", start, end, label) for end, _ in pairs)
        yield from (("FP", start, end, label) for end in _without(others, [other for _, other in pairs]))
        yield from (("FN", start, end, label) for end in _without(ends, [end for end, _ in pairs]))


def _without(ends: Sequence[int], paired: Sequence[int]) -> Iterator[int]:
    return (Counter(ends) - Counter(paired)).elements()


def _ends(spans: Iterable[LabeledOffsets]) -> defaultdict[tuple[int, str], list[int]]:
    """The sorted ends of spans by start and label."""
    ends: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for start, end, label in sorted(spans):
        ends[start, label].append(end)
    return ends


def _pair_ends(left: Collection[int], right: Collection[int]) -> list[tuple[int, int]]:
    """The pairs of two ascending lists whose ends are within the tolerance."""
    pairs, others = [], list(reversed(list(right)))
    for number in left:
        while others and others[-1] < number - _TOLERANCE:
            others.pop()
        if others and others[-1] <= number + _TOLERANCE:
            pairs.append((number, others.pop()))
    return pairs


def _tokens(document: DocumentSpans) -> Iterator[Unit]:
    return _sets(*_tokens_of(document))


def _unlabeled_tokens(document: DocumentSpans) -> Iterator[Unit]:
    return _sets(*map(_without_labels, _tokens_of(document)))


def _tokens_of(document: DocumentSpans) -> list[set[LabeledOffsets]]:
    """The runs of letters and digits in the spans of each side, with the labels of the spans."""
    text = document.text
    return [
        {(*match.span(), label) for start, end, label in spans for match in _TOKEN.finditer(text, start, end)}
        for spans in (document.gold, document.system)
    ]


def _without_labels(spans: Iterable[LabeledOffsets]) -> set[LabeledOffsets]:
    return {(start, end, NO_LABEL) for start, end, _ in spans}


def _sets(gold: Collection[LabeledOffsets], system: Collection[LabeledOffsets]) -> Iterator[Unit]:
    """TP are spans of both sides, FP and FN of one side."""
    expected, predicted = set(gold), set(system)
    sets = {"TP": expected & predicted, "FP": predicted - expected, "FN": expected - predicted}
    return ((kind, *span) for kind, spans in sets.items() for span in spans)


_UNITS: Mapping[str, Callable[[DocumentSpans], Iterator[Unit]]] = {
    "meddocan-ner": i2b2_strict,
    "meddocan-strict": _bounds,
    "meddocan-merged": _merged,
    "i2b2-strict": i2b2_strict,
    "i2b2-relaxed": _relaxed,
    "i2b2-token": _tokens,
    "i2b2-binary-strict": _bounds,
    "i2b2-binary-token": _unlabeled_tokens,
}


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

    def places(self, units: Sequence[tuple[int, int, int]]) -> Places:
        """The atoms of units, given as number of the document, start and end; tokens are counted as a whole."""
        sizes = [len(texts.units) for texts in self._texts]
        batch = np.repeat(np.arange(len(sizes)), sizes).tolist()
        first_document = np.cumsum([0, *sizes]).tolist()
        columns = np.full((3, len(units)), -1)
        for number, (texts, first) in enumerate(zip(self._texts, self._firsts, strict=False)):
            rows = [row for row, (document, *_) in enumerate(units) if batch[document] == number]
            documents = [units[row][0] - first_document[number] for row in rows]
            sentence, start, end, _ = texts.atoms(documents, [units[row][1:] for row in rows])
            columns[:, rows] = sentence + first, start, end
        return Places.of(*columns)

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
