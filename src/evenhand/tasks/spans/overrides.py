"""Scoring against a corrected gold standard (`data.overrides` defines the corrections).

Overrides are applied while the gold standard is read, before labels are renamed or selected. Systems are scored against
the corrected gold standard, and against the original one for the scores before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.layers import Spans
from evenhand.data.overrides import AS_READ, TARGETS, UNCLEAR_SPANS, OverriddenGold, outside
from evenhand.errors import SettingError
from evenhand.tasks.evaluation import EvaluationRequest, LabelFilter, Open, Part, SideSummary, UncorrectedScores
from evenhand.tasks.registry import without_overrides
from evenhand.tasks.spans.evaluation import System, reference
from evenhand.tasks.spans.fair import are_among
from evenhand.tasks.spans.matching import AllPairs, SpanPair
from evenhand.tasks.spans.measures import counts_gold_errors


class Overriding:
    """The uncorrected gold standard of a part, and the spans that overrides leave out."""

    def __init__(self, part: Part, request: EvaluationRequest) -> None:
        self._relabel, vocabulary = LabelFilter(request.settings, "gold", "gold"), request.vocabulary
        self.as_read = reference(part, request, AS_READ)
        """The uncorrected gold standard."""
        self.targets: Spans | None = None
        """The spans that the gold standard should have, if its errors are an error type."""
        if counts_gold_errors(request.settings):
            self.targets = self._relabel(part.spans(TARGETS, vocabulary))
        self._unclear = part.spans(UNCLEAR_SPANS, vocabulary)
        self._lengths, self._needs_strings = part.lengths, request.needs("strings")
        self._scorers = [scorer for scorer in request.scorers if scorer.count is not None]
        self.before = UncorrectedScores(without_overrides(request.settings), SideSummary(), {}, {})
        """The counts against the uncorrected gold standard."""
        self.before.gold.add(self.as_read.spans.label, vocabulary.labels.values)

    def score_uncorrected(self, name: str, pair: SpanPair) -> None:
        """Score a system against the uncorrected gold standard."""
        self.before.tallies[name] = {
            scorer.name: scorer.count(pair).total() for scorer in self._scorers if scorer.count is not None
        }
        self.before.levels[name] = pair.levels

    def left_out(self, system: System, gold: Spans) -> System:
        """A system without the spans that overlap an unclear span and do not equal a gold span."""
        if not len(self._unclear):
            return system
        if self._needs_strings and system.items is not None:
            finding = "spans that overlap an unclear one cannot be left out of the strings of a language model"
            raise SettingError(f"{finding}, which have no positions; choose other measures.")
        rows = _doubtful(self._unclear, system.spans, gold)
        best, tags = system.best, system.tags
        if best is not None:
            best = best.without(_doubtful(self._unclear, best, gold))
        if tags is not None and self._lengths is not None:
            first = np.cumsum(self._lengths) - self._lengths
            tags = outside(tags, system.spans.take(rows).in_text(first))
        return replace(system, spans=system.spans.without(rows), tags=tags, best=best)


def overridden(request: EvaluationRequest) -> Open:
    """Opens the corrected gold standard."""
    settings, sides = request.settings, request.sides
    gold = OverriddenGold(
        settings["overrides"],
        sides.layers[0],
        as_kind=counts_gold_errors(settings),
        keeps_tags=request.needs("token_tags"),
    )
    return lambda: gold(sides.gold())


def _doubtful(unclear: Spans, system: Spans, gold: Spans) -> Ints:
    """The rows of system spans that share an atom with an unclear gold span and do not equal another gold span."""
    near = sorted({row for pairs in AllPairs(unclear, system) for row in pairs.right.tolist()})
    rows = ints(near)
    return rows[~are_among(system.take(rows), gold)]
