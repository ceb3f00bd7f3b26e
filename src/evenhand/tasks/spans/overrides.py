"""Scoring against a corrected gold standard (`data.overrides` defines the corrections).

Overrides are applied while the gold standard is read, before labels are renamed or selected. Systems are scored against
the corrected gold standard, and against the original one for the scores before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans
from evenhand.data.overrides import AS_READ, TARGETS, UNCLEAR_SPANS, OverriddenGold, outside
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally
from evenhand.tasks.evaluation import EvaluationRequest, SideSummary, UncorrectedScores
from evenhand.tasks.registry import without_overrides
from evenhand.tasks.spans.evaluation import AlignedSpans, Portion, Reference, overhang
from evenhand.tasks.spans.fair import are_among
from evenhand.tasks.spans.matching import AllPairs, SpanPair
from evenhand.tasks.spans.measures import counts_gold_errors
from evenhand.tasks.spans.values import Values

Relabel = Callable[[Spans], Spans]


class Overriding:
    """The uncorrected gold standard, and the spans that overrides leave out."""

    def __init__(self, request: EvaluationRequest, relabel: Relabel, *, keeps_tags: bool) -> None:
        """`relabel` maps and selects the labels of gold spans."""
        self._relabel, self._as_kind, self._keeps_tags = relabel, counts_gold_errors(request.settings), keeps_tags
        self._values = Values(request.sides.systems) if request.asks("leak") else None
        self._takes_strings = any("strings" in scorer.needs for scorer in request.scorers)
        self._scorers = [scorer for scorer in request.scorers if scorer.count is not None]
        self._settings = without_overrides(request.settings)
        self._gold, self._names = SideSummary(), request.vocabulary.labels.values
        self._tallies: dict[str, dict[str, list[Tally]]] = {
            name: {scorer.name: [] for scorer in self._scorers} for name in request.sides.systems
        }
        self._levels = dict.fromkeys(request.sides.systems, 1)
        self._reaching: dict[str, Spans] = {}
        """The tokens after the parts so far in spans that were left out, by system."""

    def as_read(self, portion: Portion) -> Reference:
        """The uncorrected gold standard, which is counted."""
        side = portion.side(AS_READ, keeps_tags=self._keeps_tags)
        side = replace(side, spans=self._relabel(side.spans))
        self._gold.add(side.spans.label, self._names)
        return Reference.of(portion, side, self._values)

    def score_uncorrected(self, name: str, pair: SpanPair) -> None:
        """Score a system against the uncorrected gold standard."""
        for scorer in self._scorers:
            assert scorer.count is not None
            self._tallies[name][scorer.name].append(scorer.count(pair).total())
        self._levels[name] = max(self._levels[name], pair.levels)

    def targets(self, portion: Portion) -> Spans | None:
        """The spans that the gold standard should have, if its errors are an error type."""
        return self._relabel(portion.side(TARGETS).spans) if self._as_kind else None

    def left_out(self, name: str, portion: Portion, side: AlignedSpans, gold: Spans) -> AlignedSpans:
        """A system without the spans that overlap an unclear span and do not equal a gold span."""
        unclear = portion.side(UNCLEAR_SPANS).spans
        if not len(unclear) and name not in self._reaching:
            return side
        if self._takes_strings and side.items is not None:
            finding = "spans that overlap an unclear one cannot be left out of the strings of a language model"
            raise SettingError(f"{finding}, which have no positions; choose other measures.")
        rows = _doubtful(unclear, side.spans, gold)
        best = None if side.best is None else side.best.without(_doubtful(unclear, side.best, gold))
        kept = replace(side, spans=side.spans.without(rows), best=best)
        lengths = portion.lengths
        return kept if lengths is None else self._without_tokens(name, lengths, kept, side.spans.take(rows))

    def _without_tokens(self, name: str, lengths: Ints, side: AlignedSpans, gone: Spans) -> AlignedSpans:
        """Remove the tokens of spans that were left out, here or earlier, from tags and continued spans."""
        first, size = np.cumsum(lengths) - lengths, int(lengths.sum())
        whole, before, continued = gone.in_text(first), self._reaching.pop(name, None), side.continued
        if before is not None:
            whole = Spans.concatenate([whole, before], [0, 0])
            assert continued is not None  # the feed carried the same spans
            continued = continued.without(np.flatnonzero(are_among(continued.in_text(first), before)))
        if (whole.end > size).any():
            self._reaching[name] = overhang(whole, size)
        return replace(side, tags=None if side.tags is None else outside(side.tags, whole), continued=continued)

    def finish(self) -> UncorrectedScores:
        """The counts against the uncorrected gold standard."""
        tallies = {
            name: {scorer: Tally.merge(parts).total() for scorer, parts in tallies.items()}
            for name, tallies in self._tallies.items()
        }
        return UncorrectedScores(self._settings, self._gold, tallies, self._levels)


def overridden(request: EvaluationRequest, *, keeps_tags: bool) -> EvaluationRequest:
    """The same request for the corrected gold standard."""
    settings, sides = request.settings, request.sides
    gold = OverriddenGold(
        settings["overrides"], sides.layers[0], as_kind=counts_gold_errors(settings), keeps_tags=keeps_tags
    )

    def open_gold() -> Iterator[Annotation]:
        return gold(sides.gold())

    return replace(request, sides=replace(sides, gold=open_gold))


def _doubtful(unclear: Spans, system: Spans, gold: Spans) -> Ints:
    """The rows of system spans that share an atom with an unclear gold span and do not equal another gold span."""
    near = sorted({row for pairs in AllPairs(unclear, system) for row in pairs.right.tolist()})
    rows = ints(near)
    return rows[~are_among(system.take(rows), gold)]
