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

from collections.abc import Iterable, Mapping

from evenhand.problems import SettingError
from evenhand.tally import Tally
from evenhand.tasks.sentences import Sentences
from evenhand.tasks.spans.document_spans import DocumentSpans
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.set_counts import Bounds, Counts, bounds_of, set_counts, tally_documents, unlabeled


def ner(question: Question) -> Tally:
    numbers: Sentences = question.settings["sentences"]

    def count(document: DocumentSpans) -> Counts:
        found = set_counts(document.gold, document.system)
        return found if isinstance(numbers, str) else found + unlabeled(sentences=_sentences(numbers, document.name))

    return tally_documents(question, count)


def _sentences(numbers: Mapping[str, int], document: str) -> int:
    if document not in numbers:
        raise SettingError(f"sentences has no document {document!r}; give a line with its name, a tab and a number.")
    return numbers[document]


def strict(question: Question) -> Tally:
    return tally_documents(question, _strict)


def _strict(document: DocumentSpans) -> Counts:
    gold, system = bounds_of(document.gold), bounds_of(document.system)
    return unlabeled(TP=len(gold & system), FP=len(system - gold), FN=len(gold - system))


def merged(question: Question) -> Tally:
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
