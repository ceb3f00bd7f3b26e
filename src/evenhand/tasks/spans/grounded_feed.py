"""A system whose strings are placed in the gold standard's text, batch by batch: it is fed as any other system is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.grounding.answers import shape_of
from evenhand.grounding.counts import NOWHERE, GroundingCounts
from evenhand.grounding.grounder import Grounded, Grounder, Rules
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.placement import Placement
from evenhand.grounding.placing import place_best
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.answer_feed import AnswersById, AnswersByOrder
from evenhand.tasks.spans.strings import Strings
from evenhand.tasks.spans.unit_texts import UnitText, UnitTexts
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import Mismatches
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags

_SAMPLE = 20
"""How many answers tell their shape."""


@dataclass(frozen=True)
class PlacedItems:
    """The items of a batch: those with a place as spans, and the others."""

    spans: Spans
    unplaced: Strings
    widened: int = 0
    """How many spans grew to whole tokens."""
    outside: int = 0
    """How many did not, and so have no place."""


class GroundedFeed:
    """Answers about the texts of the gold standard, as spans where their strings stand."""

    tags: Tags | None = None
    breaks_differ = False
    reaching: Spans | None = None
    mismatches: Mismatches | None = None

    def __init__(
        self,
        answers: AnswersByOrder | AnswersById,
        first: Annotation,
        labels: Sequence[str],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
    ) -> None:
        """`labels` are those of the gold standard, and `first` is the first batch of the system."""
        self.keeps_tags = False
        self._answers, self._vocabulary, self._settings = answers, vocabulary, settings
        assert first.extractions is not None
        sample = [answer.content for answers in first.extractions.answers for answer in answers][:_SAMPLE]
        shape = settings["shape"] or shape_of(sample)
        self.reading: Reading | None = replace(first.reading, shape=shape)
        known = dict.fromkeys([*labels, *settings.labels, *(each.old for each in settings.maps)])
        rules = Rules(shape, settings["occurrences"], settings["fuzzy"] or None, settings["unknown_labels"])
        self._ground = Grounder(rules, KnownLabels(known))
        self.grounding: GroundingCounts = self._ground.counts
        self._texts: UnitTexts | None = None
        self._found: list[Grounded] = []
        """Of the batch that was taken last."""
        self.unplaced = Strings.of(vocabulary, [])
        """Its items without a place."""

    @property
    def by_document(self) -> bool:
        """Whether an answer is about a document, not about a sentence."""
        return self._answers.by_document

    def ground(self, gold: Corpus) -> list[Grounded]:
        """The items of the next batch, text by text."""
        texts, found = UnitTexts(gold, by_document=self.by_document), list[Grounded]()
        for unit, (own, answers) in zip(texts.units, self._answers.take(gold), strict=True):
            found.append(self._ground(unit.document, answers or (), own or _place(gold, unit)))
            self.grounding.counts["missing"] += answers is None
        self._texts, self._found = texts, found
        return found

    def take(self, gold: Corpus) -> Spans:
        """The spans of the next batch."""
        placed = self._placed([grounded.placements for grounded in self.ground(gold)])
        self.grounding.counts.update(widened=placed.widened, outside=placed.outside)
        self.unplaced = placed.unplaced
        return placed.spans

    def items(self) -> Strings:
        """All items of that batch, wherever they stand."""
        assert self._texts is not None
        rows = [
            (unit.first, item.label, item.text)
            for unit, grounded in zip(self._texts.units, self._found, strict=True)
            for item in grounded.items
        ]
        return Strings.of(self._vocabulary, rows)

    def best(self, gold: Spans) -> PlacedItems:
        """The items of that batch where they would score best: an upper bound, for which gold spans are looked at."""
        assert self._texts is not None
        placements = list[Sequence[Placement]]()
        for grounded, spans in zip(self._found, self._texts.gold(gold), strict=True):
            if not grounded.sought:
                placements.append(grounded.marked)
                continue
            best = place_best(grounded.document, grounded.sought, set(spans), self._ground.rules.fuzzy)
            placements.append((*grounded.marked, *best.placements))
        return self._placed(placements)

    def finish(self, gold: Corpus) -> None:
        """Raise an error if answers are left."""
        self._answers.finish()

    def _placed(self, placements: Sequence[Sequence[Placement]]) -> PlacedItems:
        """Spans of items in the atoms of the text; under `snap strict`, those that would grow have no place."""
        assert self._texts is not None
        unit, offsets, labels, texts = list[int](), list[tuple[int, int]](), list[str](), list[str]()
        nowhere = list[tuple[int, str, str]]()
        for at, each in ((at, each) for at, some in enumerate(placements) for each in some):
            for span in each.spans:
                unit.append(at)
                offsets.append(span)
                labels.append(each.item.label)
                texts.append(each.item.text)
            if each.status in NOWHERE:
                nowhere.append((self._texts.units[at].first, each.item.label, each.item.text))
        scope, start, end, grew = self._texts.atoms(unit, offsets)
        spans = Spans.of(self._vocabulary, scope, start, end, self._vocabulary.labels.codes(labels))
        rows, outside = np.flatnonzero(grew), 0
        if self._settings["snap"] == "strict" and len(rows):
            nowhere += [(self._texts.units[unit[row]].first, labels[row], texts[row]) for row in rows.tolist()]
            spans, outside = spans.without(rows), len(rows)
        return PlacedItems(spans, Strings.of(self._vocabulary, nowhere), len(rows) - outside, outside)


def _place(gold: Corpus, unit: UnitText) -> str:
    """The file and line in which a text begins."""
    return gold.place(unit.first if gold.bounds is None else int(gold.bounds[unit.first]))
