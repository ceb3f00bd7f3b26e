"""Comparing systems that label spans: their verdicts on the same units, portion by portion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.counts import Comparing
from evenhand.tasks.answers import answers_on_spans
from evenhand.tasks.drawings import DrawnSpans
from evenhand.tasks.places import Places
from evenhand.tasks.spans.judging import Question
from evenhand.tasks.spans.portion import Portion
from evenhand.tasks.units import judged_spans
from evenhand.text.layers import Spans


class SpanComparing:
    """Puts the verdicts of a judge, `fair` or `exact`, side by side."""

    def __init__(self, comparing: Comparing, by: str) -> None:
        self._comparing, self._by = comparing, by
        self._sentences = self._documents = 0

    def __call__(self, portion: Portion, gold: Spans, questions: Mapping[str, Question]) -> None:
        judged = [(each.given[1], each.verdicts(self._by)) for each in questions.values()]
        document_of = self._document_of(portion)
        places = Places(portion.batches, self._sentences, document_of, int(document_of[0]) if len(document_of) else 0)
        answers, sides = answers_on_spans(gold, judged), [system for system, _ in judged]
        self._comparing.add(answers, places)
        self._comparing.add_spans(gold, [(each.given[1], each.equal_given) for each in questions.values()])
        if self._comparing.collecting is not None:
            self._comparing.collecting.add(judged_spans(answers), places, DrawnSpans([gold, *sides]))
        self._sentences += portion.sentences

    def _document_of(self, portion: Portion) -> Ints:
        found = []
        for batch in portion.batches:
            corpus = batch.corpus
            found.append(corpus.document_of(np.arange(corpus.sentences)) + self._documents - int(corpus.continues))
            self._documents += len(corpus.documents) - int(corpus.continues)
        return np.concatenate(found)
