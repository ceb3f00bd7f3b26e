"""Overrides of the gold standard on the way of spans through their files (`text.overrides` says what they are).

The gold standard is overridden as it is read, before labels are renamed or chosen. Systems are judged on it, and beside
that on the gold standard as it was read, whose scores are those before.
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
from evenhand.tasks import evaluation as passage
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.registry import without_overrides
from evenhand.tasks.spans.evaluation import AlignedSpans, Portion, Reference, overhang
from evenhand.tasks.spans.fair import are_among
from evenhand.tasks.spans.matching import AllPairs
from evenhand.tasks.spans.scorers import SpanPair
from evenhand.tasks.spans.task import as_kind
from evenhand.tasks.spans.values import Values

Relabel = Callable[[Spans], Spans]


class Overriding:
    """What a passage does where the gold standard is overridden."""

    def __init__(self, asked: passage.EvaluationRequest, relabel: Relabel, *, keeps_tags: bool) -> None:
        """`relabel` gives gold spans the labels that count."""
        self._relabel, self._as_kind, self._keeps_tags = relabel, as_kind(asked.settings), keeps_tags
        self._values = Values(asked.sides.systems) if asked.asks("leak") else None
        self._takes_strings = any("strings" in judge.needs for judge in asked.scorers)
        self._judges = [judge for judge in asked.scorers if judge.count is not None]
        self._settings = without_overrides(asked.settings)
        self._gold, self._names = SideSummary(), asked.vocabulary.labels.values
        self._tallies: dict[str, dict[str, list[Tally]]] = {
            name: {judge.name: [] for judge in self._judges} for name in asked.sides.systems
        }
        self._levels = dict.fromkeys(asked.sides.systems, 1)
        self._reaching: dict[str, Spans] = {}
        """What spans that were left out cover behind the portions so far, by system."""

    def as_read(self, portion: Portion) -> Reference:
        """The gold standard as it was read; it is counted."""
        side = portion.side(AS_READ, keeps_tags=self._keeps_tags)
        side = replace(side, spans=self._relabel(side.spans))
        self._gold.add(side.spans.label, self._names)
        return Reference.of(portion, side, self._values)

    def judge_before(self, name: str, question: SpanPair) -> None:
        """Count what a system has of the gold standard as it was read."""
        for judge in self._judges:
            assert judge.count is not None
            self._tallies[name][judge.name].append(judge.count(question).total())
        self._levels[name] = max(self._levels[name], question.levels)

    def targets(self, portion: Portion) -> Spans | None:
        """What the gold standard should have, where its errors are a kind."""
        return self._relabel(portion.side(TARGETS).spans) if self._as_kind else None

    def left_out(self, name: str, portion: Portion, side: AlignedSpans, gold: Spans) -> AlignedSpans:
        """A system's side without the spans that overlap an unclear one and equal no gold span."""
        unclear = portion.side(UNCLEAR_SPANS).spans
        if not len(unclear) and name not in self._reaching:
            return side
        if self._takes_strings and side.items is not None:
            finding = "spans that overlap an unclear one cannot be left out of the strings of a language model"
            raise SettingError(f"{finding}, which have no positions; choose other match models.")
        rows = _doubtful(unclear, side.spans, gold)
        best = None if side.best is None else side.best.without(_doubtful(unclear, side.best, gold))
        found = replace(side, spans=side.spans.without(rows), best=best)
        lengths = portion.lengths
        return found if lengths is None else self._without_tokens(name, lengths, found, side.spans.take(rows))

    def _without_tokens(self, name: str, lengths: Ints, side: AlignedSpans, gone: Spans) -> AlignedSpans:
        """A side whose tags and spans from before have nothing of spans that are left out, here or before."""
        first, size = np.cumsum(lengths) - lengths, int(lengths.sum())
        whole, before, continued = gone.in_text(first), self._reaching.pop(name, None), side.continued
        if before is not None:
            whole = Spans.concatenate([whole, before], [0, 0])
            assert continued is not None  # the feed carried the same spans
            continued = continued.without(np.flatnonzero(are_among(continued.in_text(first), before)))
        if (whole.end > size).any():
            self._reaching[name] = overhang(whole, size)
        return replace(side, tags=None if side.tags is None else outside(side.tags, whole), continued=continued)

    def finish(self) -> passage.UncorrectedScores:
        """The counts of the gold standard as it was read."""
        tallies = {
            name: {judge: Tally.merge(parts).total() for judge, parts in found.items()}
            for name, found in self._tallies.items()
        }
        return passage.UncorrectedScores(self._settings, self._gold, tallies, self._levels)


def overridden(asked: passage.EvaluationRequest, *, keeps_tags: bool) -> passage.EvaluationRequest:
    """The same question about the gold standard with its overrides."""
    settings, sides = asked.settings, asked.sides
    gold = OverriddenGold(settings["overrides"], sides.layers[0], as_kind=as_kind(settings), keeps_tags=keeps_tags)

    def opened() -> Iterator[Annotation]:
        return gold(sides.gold())

    return replace(asked, sides=replace(sides, gold=opened))


def _doubtful(unclear: Spans, system: Spans, gold: Spans) -> Ints:
    """The rows of system spans that share an atom with an unclear gold span and equal no other gold span."""
    near = sorted({row for pairs in AllPairs(unclear, system) for row in pairs.right.tolist()})
    rows = ints(near)
    return rows[~are_among(system.take(rows), gold)]
