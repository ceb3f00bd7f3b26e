"""A system whose strings are placed in the gold standard's text, batch by batch: it is fed as any other system is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from evenhand.dataclass import dataclass
from evenhand.grounding.answers import shape_of
from evenhand.grounding.counts import NOWHERE, GroundingCounts
from evenhand.grounding.grounder import Grounded, Grounder, Rules
from evenhand.grounding.items import Shape
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.placement import Placement
from evenhand.grounding.placing import place_best
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.answer_feed import AnswersById, AnswersByOrder
from evenhand.tasks.spans.strings import Strings
from evenhand.tasks.spans.unit_texts import LabeledOffsets, UnitText, UnitTexts
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import Mismatches
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags


@dataclass(frozen=True)
class GroundedBatch:
    """The items of a batch: those with a place as spans, the others, and all of them."""

    spans: Spans
    unplaced: Strings
    items: Strings
    best: Spans
    """The items with a place where they would score best, for which gold spans are looked at: an upper bound."""
    best_unplaced: Strings


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
        written: Iterator[object],
        labels: Sequence[str],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
    ) -> None:
        """`labels` are those of the gold standard; `first` is the first batch of the system, `written` all of it."""
        self.keeps_tags = False
        self._answers, self._vocabulary, self._settings = answers, vocabulary, settings
        shape = cast("Shape", settings["shape"] or first.reading.shape or shape_of(written))
        self.reading: Reading | None = replace(first.reading, shape=shape)
        known = dict.fromkeys([*labels, *settings.labels, *(each.old for each in settings.maps)])
        rules = Rules(shape, settings["occurrences"], settings["fuzzy"] or None, settings["unknown_labels"])
        self._ground = Grounder(rules, KnownLabels(known))
        self.grounding: GroundingCounts = self._ground.counts

    @property
    def by_document(self) -> bool:
        """Whether an answer is about a document, not about a sentence."""
        return self._answers.by_document

    @property
    def has_choice(self) -> bool:
        """Whether one occurrence of each string is chosen, so that there is a best choice; not where all count."""
        return self._ground.rules.occurrences != "all"

    def ground(self, gold: Corpus, texts: UnitTexts | None = None) -> Iterator[tuple[str, Grounded]]:
        """The items of the next batch, text by text, with the id of each, which may be empty."""
        texts = texts or UnitTexts(gold, by_document=self.by_document)
        for unit, (own, answers) in zip(texts.units, self._answers.take(gold), strict=True):
            self.grounding.counts["missing"] += answers is None
            yield own, self._ground(unit.document(), answers or (), own or _place(gold, unit))

    def take(self, gold: Corpus, spans: Spans) -> GroundedBatch:
        """The items of the next batch; the gold standard's spans are for the upper bound only."""
        texts = UnitTexts(gold, by_document=self.by_document)
        placed, best, rows = _Items(texts), _Items(texts), list[tuple[int, str, str]]()
        wanted = texts.offsets(spans)
        for number, (_, grounded) in enumerate(self.ground(gold, texts)):
            placed.add(number, grounded.placements)
            best.add(number, self._best(grounded, wanted[number]))
            rows += [(texts.units[number].first, item.label, item.text) for item in grounded.items]
        is_strict = self._settings["snap"] == "strict"
        found, unplaced, grew = placed.spans(self._vocabulary, is_strict=is_strict)
        self.grounding.counts["outside" if is_strict else "widened"] += grew
        others, missed, _ = best.spans(self._vocabulary, is_strict=is_strict)
        return GroundedBatch(found, unplaced, Strings.of(self._vocabulary, rows), others, missed)

    def _best(self, grounded: Grounded, gold: Sequence[LabeledOffsets]) -> Sequence[Placement]:
        """The items of a text where they would score best; where they are already, if they have no choice."""
        if not gold or grounded.is_forced or not self.has_choice:
            return grounded.placements
        best = place_best(grounded.document, grounded.sought, set(gold), self._ground.rules.fuzzy)
        return (*grounded.marked, *best.placements)

    def finish(self, gold: Corpus) -> None:
        """Raise an error if answers are left."""
        self._answers.finish()


class _Items:
    """The items of a batch, on their way to spans."""

    def __init__(self, texts: UnitTexts) -> None:
        self._texts = texts
        self._unit, self._offsets = list[int](), list[tuple[int, int]]()
        self._labels, self._strings = list[str](), list[str]()
        self._nowhere = list[tuple[int, str, str]]()

    def add(self, unit: int, placements: Sequence[Placement]) -> None:
        for each in placements:
            for span in each.spans:
                self._unit.append(unit)
                self._offsets.append(span)
                self._labels.append(each.item.label)
                self._strings.append(each.item.text)
            if each.status in NOWHERE:
                self._nowhere.append((self._texts.units[unit].first, each.item.label, each.item.text))

    def spans(self, vocabulary: Vocabulary, *, is_strict: bool) -> tuple[Spans, Strings, int]:
        """Items in the atoms of the text, those without a place, and how many do not end with tokens.

        These grow to whole tokens, or have no place where somebody `is_strict`.
        """
        scope, start, end, grew = self._texts.atoms(self._unit, self._offsets)
        spans = Spans.of(vocabulary, scope, start, end, vocabulary.labels.codes(self._labels))
        rows, nowhere = np.flatnonzero(grew), self._nowhere
        if is_strict and len(rows):
            firsts = ((self._texts.units[self._unit[row]].first, row) for row in rows.tolist())
            nowhere = nowhere + [(first, self._labels[row], self._strings[row]) for first, row in firsts]
            spans = spans.without(rows)
        return spans, Strings.of(vocabulary, nowhere), len(rows)


def _place(gold: Corpus, unit: UnitText) -> str:
    """The file and line in which a text begins."""
    return gold.place(unit.first if gold.bounds is None else int(gold.bounds[unit.first]))
