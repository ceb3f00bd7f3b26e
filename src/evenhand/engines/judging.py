"""Asks the judges: every system of a portion under every match model, each question once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints, ranges
from evenhand.engines.portion import Portion
from evenhand.judge.accuracy import by_sentence, equal_tags, equal_tokens
from evenhand.judge.exact import equal_spans, exact
from evenhand.judge.fair import fair
from evenhand.judge.overlap import HIT_MODELS, hits
from evenhand.judge.pairs import Pairs, overlapping
from evenhand.judge.semeval import semeval
from evenhand.judge.units import Positive, Text, units
from evenhand.settings import ScoreSettings, Supertag
from evenhand.tally import Tally, tally_accuracy, tally_hits, tally_semeval, tally_spans, tally_units
from evenhand.text.layers import Spans, by_level

Parts = dict[str, list[Tally]]
"""The tallies of portions by judge."""


class Relabeling:
    """`--map`, then `--labels` and `--exclude`, for one side: a new code for each label, -1 where it is left out."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._map = {each.old: each.new for each in settings.maps if each.applies_to(side, name)}
        self._labels, self._exclude = frozenset(settings.labels), frozenset(settings.exclude)
        self._new: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not (self._map or self._labels or self._exclude):
            return spans
        labels = spans.vocabulary.labels
        while len(self._new) < len(labels):
            name = labels[len(self._new)]
            name = self._map.get(name, name)
            kept = (not self._labels or name in self._labels) and name not in self._exclude
            self._new.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._new, dtype=np.int64))


@dataclass(frozen=True)
class Context:
    """What all systems of a portion are judged by: the text, and how."""

    groups: Ints
    lengths: Ints | None
    weights: Values | None
    settings: ScoreSettings
    positive: dict[str, Positive]
    """The gold standard's tokens and separators, once they are known."""

    @cached_property
    def text(self) -> Text:
        return Text.of(self.lengths, len(self.groups), 0, self.weights)


class Question:
    """One system against the gold standard, in one portion; what several judges need is worked out once."""

    def __init__(self, gold: Spans, system: Spans, context: Context) -> None:
        self._given, self._context = (gold, system), context
        self._levels = 1
        if context.settings.levels == "separate":
            self._levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, self._levels), by_level(system, self._levels)
        self.gold, self.system = gold, system

    @cached_property
    def equal(self) -> tuple[Ints, Ints]:
        return equal_spans(self.gold, self.system)

    @cached_property
    def pairs(self) -> Pairs:
        return overlapping(self.gold, self.system)

    def tally(self, judge: str) -> Tally:
        """The counts of one judge."""
        settings, groups = self._context.settings, self._context.groups
        if judge in ("exact", "fair"):
            verdicts = (exact if judge == "exact" else fair)(self.gold, self.system, self.equal)
            return tally_spans(verdicts, *self._given, groups)
        if judge == "semeval":
            return tally_semeval(semeval(self.gold, self.system, self.pairs), *self._given, groups)
        if judge in HIT_MODELS:
            found = hits(
                judge,
                self.gold,
                self.system,
                self.pairs,
                spurious=settings.spurious,
                missing=settings.missing,
                threshold=settings.iou,
            )
            return tally_hits(found, *self._given, groups)
        return self._units()

    def equal_tokens(self) -> Bools:
        """Which tokens have the right tag, by the spans."""
        assert self._context.lengths is not None
        return equal_tokens(*self._given, self._context.text)

    def _units(self) -> Tally:
        levels, context = self._levels, self._context
        lengths = None if context.lengths is None else np.repeat(context.lengths, levels)
        weights = context.weights
        if weights is not None and lengths is not None and context.lengths is not None and levels > 1:
            first = np.cumsum(context.lengths) - context.lengths
            weights = weights[ranges(np.repeat(first, levels), lengths)]
        width = max(int(side.end.max(initial=0)) for side in self._given)
        # Levels and, without lengths, widths depend on the system: then nothing can be kept for the next one.
        is_kept = levels == 1 and lengths is not None
        text = context.text if is_kept else Text.of(lengths, len(context.groups) * levels, width, weights)
        found = units(self.gold, self.system, text, self.pairs, context.positive if is_kept else {})
        return tally_units(found, self.gold.vocabulary.labels.values, np.repeat(context.groups, levels))


class Judging:
    """Judges portions and adds up the tallies, by system and judge."""

    def __init__(self, settings: ScoreSettings, judges: Sequence[str], systems: Sequence[str]) -> None:
        self._settings, self._judges = settings, tuple(judges)
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._relabel = {name: Relabeling(settings, "system", name) for name in systems}
        self._tallies: dict[str, Parts] = {name: {} for name in systems}
        self._supertags: dict[str, dict[str, Parts]] = {
            name: {tag.name: {} for tag in settings.supertags} for name in systems
        }

    def tallies(self) -> dict[str, dict[str, Tally]]:
        """For every system, the sum of all portions by judge."""
        return {name: _merged(parts) for name, parts in self._tallies.items()}

    def supertags(self) -> dict[str, dict[str, dict[str, Tally]]]:
        """For every system and supertag, the same."""
        return {name: {tag: _merged(parts) for tag, parts in tags.items()} for name, tags in self._supertags.items()}

    def __call__(self, portion: Portion, same_encoding: Mapping[str, bool]) -> tuple[Spans, dict[str, Spans]]:
        """Judge a portion; the spans of all sides, renamed and chosen as the settings say."""
        gold = self._relabel_gold(portion.joined(portion.gold.spans))
        systems = {name: self._relabel[name](portion.joined(side.spans)) for name, side in portion.systems.items()}
        context = Context(portion.groups, portion.lengths, portion.weights, self._settings, {})
        for name, system in systems.items():
            question = Question(gold, system, context)
            for judge in self._judges:
                if judge != "accuracy":
                    _add(self._tallies[name], judge, question.tally(judge))
                elif context.lengths is not None:
                    right = _right_tokens(portion, name, question) if same_encoding[name] else question.equal_tokens()
                    correct = by_sentence(right, context.lengths)
                    _add(self._tallies[name], judge, tally_accuracy(correct, context.lengths, context.groups))
        for tag in self._settings.supertags:
            self._judge_supertag(tag, gold, systems, replace(context, positive={}))
        return gold, systems

    def _judge_supertag(self, tag: Supertag, gold: Spans, systems: Mapping[str, Spans], context: Context) -> None:
        """The same questions, with several labels taken as one and all others left out."""
        labels = gold.vocabulary.labels
        code = labels.code(tag.name)
        new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
        gold = gold.relabel(new)
        for name, system in systems.items():
            question = Question(gold, system.relabel(new), context)
            for judge in self._judges:
                if judge != "accuracy":
                    _add(self._supertags[name][tag.name], judge, question.tally(judge))


def _right_tokens(portion: Portion, name: str, question: Question) -> Bools:
    """Which tokens have the right tag: by the tags as they stand, where both files have one a token."""
    gold, system = portion.gold.all_tags(), portion.systems[name].all_tags()
    return question.equal_tokens() if gold is None or system is None else equal_tags(gold, system)


def _add(parts: Parts, judge: str, tally: Tally) -> None:
    parts.setdefault(judge, []).append(tally)


def _merged(parts: Parts) -> dict[str, Tally]:
    return {judge: Tally.merge(tallies) for judge, tallies in parts.items()}
